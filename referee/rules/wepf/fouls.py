"""WEPF eightball: what a shot's fouls are (sections G, K to O, S, T). The consequences are in `wepf`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from calibration.table.specs import BRITISH_POOL_TABLE, PointMm, TableSpec
from referee.rules.common.pool import ClauseEnum, FactsError, Lying, PoolShot, rails_reached
from referee.rules.common.red_yellow import Colour as Colour
from referee.rules.common.red_yellow import other_colour
from referee.rules.common.spotting import Obstacle, nearest_on_line

FoulType = Literal["standard", "non_standard", "serious", "loss_of_frame"]
BALLS = ("red", "yellow", "8")
SPOT_SEPARATION_MM = 0.5
"""T(2)(e): as close as possible without touching; the text gives no number."""


class Foul(ClauseEnum):
    """Fouls in the order in which they are named when several have the same penalty (J); `words`: what was
    done wrong.
    """

    EIGHT_ON_FOUL = ("N(1)", "eight-ball potted on a foul")
    EIGHT_WITH_LAST = ("N(3)", "eight-ball potted with the last ball of the colour")
    EIGHT_EARLY = ("N(2)", "eight-ball potted early")
    TWO_SERIOUS = ("N(4)", "second serious foul of the frame")
    BEYOND_RESTORATION = ("N(5)", "balls moved beyond restoration")
    PREVENTING_EIGHT = ("N(6)", "kept the eight-ball from being potted")
    SPIRIT = ("N(7)", "against the spirit of the game")
    OUT_OF_TURN = ("M(1)", "played out of turn")
    STRUCK_OTHER_BALL = ("M(2)", "struck an object ball on purpose")
    MOVED_BALLS = ("M(3)", "moved balls on purpose")
    STRUCK_WITHOUT_TIP = ("M(4)", "struck on purpose with other than the tip")
    JUMP_DELIBERATE = ("M(5)", "jump shot on purpose")
    INTERFERED = ("M(6)", "interfered on purpose")
    UNFAIR_BREAK = ("L(1)", "no fair break")
    TIME = ("L(2)", "more than sixty seconds for a shot")
    IN_OFF = ("K(1)", "in-off")
    OUTSIDE_BAULK = ("K(2)", "played from outside baulk")
    OPPONENTS_BALL = ("K(3)", "opponent's ball potted")
    WRONG_BALL = ("K(4)", "no ball on met first")
    ACCIDENTAL_CUE = ("K(5)", "struck by accident with other than the tip")
    ACCIDENTAL_OBJECT_BALL = ("K(6)", "struck an object ball by accident")
    BALLS_MOVING = ("K(7)", "balls still moving")
    BEFORE_SPOTTING = ("K(8)", "struck before a ball was spotted")
    CIGARETTE_OR_DRINK = ("K(9)", "cigarette or drink at the table")
    NOT_IN_CONTROL = ("K(10)", "touched the table in the opponent's turn")
    SLOW_TO_LEAVE = ("K(11)", "did not leave the table in time")
    COACHING = ("K(12)", "was coached")
    LEFT_AREA = ("K(13)", "left the playing area")
    NO_NOMINATION = ("K(14)", "no colour nominated")
    PUSH_OR_DOUBLE_HIT = ("K(15)", "push shot or double hit")
    NOT_LEGAL_SHOT = ("K(16)", "no ball potted and no cushion met")
    UNNOMINATED = ("K(17)", "foul snookered, and the ball was not nominated")
    NO_FOOT = ("K(18)", "both feet off the floor")
    NOT_PLAYED_AWAY = ("K(19)", "not played away from a touching ball")
    OFF_TABLE = ("K(20)", "ball off the table")
    BODY_TOUCH = ("K(21)", "touched a ball")
    JUMP_ACCIDENTAL = ("K(22)", "jump shot")
    IN_OFF_ON_BREAK = ("L(3)", "in-off on the break")

    @property
    def type(self) -> FoulType:
        """J: the four types, by the letter of the clause."""
        kinds: dict[str, FoulType] = {
            "K": "standard",
            "L": "non_standard",
            "M": "serious",
            "N": "loss_of_frame",
        }
        return kinds[self.clause[0]]

    @property
    def call(self) -> str:
        """What the referee calls (Y(5)(a)): of a non-standard foul with its penalty."""
        calls: dict[Foul, str] = {
            Foul.UNFAIR_BREAK: "Foul, Two Visits, re-rack",
            Foul.IN_OFF_ON_BREAK: "Foul, turn passes",
        }
        of_type: dict[FoulType, str] = {
            "standard": "Foul, Two Visits",
            "non_standard": "Foul, Two Visits",
            "serious": "Serious foul, Two Visits",
            "loss_of_frame": "Loss of frame",
        }
        return calls.get(self) or of_type[self.type]


INFRINGEMENTS: dict[str, Foul] = {
    "out_of_turn": Foul.OUT_OF_TURN,
    "deliberate_strike_of_object_ball_with_tip": Foul.STRUCK_OTHER_BALL,
    "deliberate_movement_of_balls": Foul.MOVED_BALLS,
    "deliberate_strike_with_other_than_tip": Foul.STRUCK_WITHOUT_TIP,
    "jump_deliberate": Foul.JUMP_DELIBERATE,
    "deliberate_interference": Foul.INTERFERED,
    "balls_beyond_restoration": Foul.BEYOND_RESTORATION,
    "prevented_potting_of_eight": Foul.PREVENTING_EIGHT,
    "breach_of_spirit": Foul.SPIRIT,
    "played_from_outside_baulk": Foul.OUTSIDE_BAULK,
    "accidental_strike_with_other_than_tip": Foul.ACCIDENTAL_CUE,
    "accidental_strike_of_object_ball": Foul.ACCIDENTAL_OBJECT_BALL,
    "balls_not_at_rest": Foul.BALLS_MOVING,
    "struck_before_spotting": Foul.BEFORE_SPOTTING,
    "cigarette_or_beverage": Foul.CIGARETTE_OR_DRINK,
    "touched_table_out_of_control": Foul.NOT_IN_CONTROL,
    "did_not_move_away": Foul.SLOW_TO_LEAVE,
    "coached": Foul.COACHING,
    "left_playing_area": Foul.LEFT_AREA,
    "push_stroke": Foul.PUSH_OR_DOUBLE_HIT,
    "double_hit": Foul.PUSH_OR_DOUBLE_HIT,
    "both_feet_off_floor": Foul.NO_FOOT,
    "not_played_away_from_touching_ball": Foul.NOT_PLAYED_AWAY,
    "touched_ball": Foul.BODY_TOUCH,
    "jump_accidental": Foul.JUMP_ACCIDENTAL,
}
"""Infringements that a person or the camera enters; `break_jumped_pack` is a break's fact (K(22))."""


@dataclass(frozen=True)
class Marks:
    """Spot (B(3)(a)), baulk line (B(3)(b)), ball size; mm, origin at the centre of the baulk cushion."""

    length_mm: float
    spot_mm: PointMm
    baulk_line_mm: float
    ball_diameter_mm: float

    @classmethod
    def of(cls, table: TableSpec) -> Marks:
        """B(3)(a): the diagonals from side to corner pocket meet at three quarters of the length."""
        length = table.length_mm
        return cls(length, (0.0, length * 3 / 4), length / 5, table.ball_diameter_mm)


MARKS = Marks.of(BRITISH_POOL_TABLE)


@dataclass(frozen=True)
class Fell:
    """A ball that fell without being hit during the shot (U); would the shot have struck it?"""

    ball: str
    would_have_been_struck: bool


@dataclass(frozen=True, kw_only=True)
class Left:
    """The position that the next player finds (P, Q, R). None: not known.

    `snookered`: the finest cut on both sides of each own ball is impossible; `jaw`: because of a jaw that
    the cue-ball lies at (R); `obstructed_by`: the balls in the way; `touching`: balls that the cue-ball
    touches; `others_hidden`: every ball that it does not touch is hidden; `ruling_asked`: Q(2).
    """

    snookered: bool | None = None
    jaw: bool = False
    obstructed_by: tuple[str, ...] = ()
    touching: tuple[str, ...] = ()
    others_hidden: bool = False
    ruling_asked: bool | None = None

    def snooker_for(self, on: frozenset[str]) -> bool:
        """Whether a player with these balls on is snookered."""
        if self.ruling_asked is False or on.intersection(self.touching):
            return False  # P(3)
        if self.jaw:
            return True  # R; a jaw that only partly obscures, without a foul, is no snooker (P(5))
        others = tuple(b for b in self.obstructed_by if b not in on)
        if self.obstructed_by and not others:
            return False  # P(2): own balls are ignored
        return self.snookered if self.snookered is not None else self.others_hidden or bool(others)


@dataclass(frozen=True, kw_only=True)
class Shot(PoolShot):
    """A WEPF shot; balls are `red`, `yellow`, `8`. `rails_after_contact`: balls to a cushion (G(1)(b)).

    `nominated`: the ball nominated out of a foul snooker; `nominated_potted` False: one of its colour fell,
    and it was another one. `played_away_from`: which touching balls the
    cue-ball was played away from (None: not recorded, assume all unless an infringement says otherwise).
    `left_and_returned`: balls that left the surface and came back off a person or object (T(2)(b)(ii)).
    `left`: how the next player finds the table, for a foul snooker and for the call of a touching ball.
    """

    nominated: str | None = None
    nominated_potted: bool | None = None
    played_away_from: tuple[str, ...] | None = None
    break_jumped_pack: bool = False
    left_and_returned: tuple[str, ...] = ()
    fell_untouched: tuple[Fell, ...] = ()
    left: Left = field(default_factory=Left)

    def __post_init__(self) -> None:
        PoolShot.__post_init__(self)
        named = (*self.first_contact, *self.potted_balls, *self.off_table, *self.left_and_returned)
        for ball in (*named, *(f.ball for f in self.fell_untouched)):
            if ball not in BALLS and ball != "cue":
                raise FactsError(f"object ball must be red, yellow or 8, got {ball!r}")
        for ball in self.played_away_from or ():
            if ball not in BALLS:
                raise FactsError(f"a touching ball must be red, yellow or 8, got {ball!r}")
        if self.nominated is not None and self.nominated not in BALLS:
            raise FactsError(f"a nominated ball must be red, yellow or 8, got {self.nominated!r}")


@dataclass(frozen=True, kw_only=True)
class ShotConditions:
    """The conditions of a shot from the state. `on`: balls on, with a ball nominated from a foul snooker."""

    own: Colour | None
    on: frozenset[str]
    touching: frozenset[str] = field(default_factory=frozenset)
    must_nominate: bool = False
    foul_snooker: bool = False
    total_snooker: bool = False
    from_baulk: bool = False
    to_spot: bool = False
    baulk_line_mm: float = MARKS.baulk_line_mm


def find_fouls(shot: Shot, c: ShotConditions) -> set[Foul]:
    """Every foul on a shot other than the break. FactsError for an unknown infringement."""
    found = entered(shot.infringements)
    found |= common_fouls(shot, c)
    if c.must_nominate:
        found.add(Foul.NO_NOMINATION)
    if c.own is not None:
        theirs = other_colour(c.own)
        nominated = shot.nominated == theirs and c.foul_snooker and shot.nominated_potted is not False
        allowed = 1 if nominated else 0  # Q(4)(a)(i): one particular ball, and no other of its colour
        if shot.potted_balls.count(theirs) > allowed:
            found.add(Foul.OPPONENTS_BALL)
    found |= _contact(shot, c, found)
    return found


def entered(infringements: Iterable[str]) -> set[Foul]:
    """The fouls that a person entered."""
    found = set()
    for name in infringements:
        if name not in INFRINGEMENTS:
            raise FactsError(f"infringement must be one of {', '.join(sorted(INFRINGEMENTS))}, got {name!r}")
        found.add(INFRINGEMENTS[name])
    return found


def common_fouls(shot: Shot, c: ShotConditions) -> set[Foul]:
    """Fouls that a break can have as well: in-off, off the table, played from outside baulk."""
    found = set()
    if shot.cue_ball == "pocketed":
        found.add(Foul.IN_OFF)
    if shot.cue_ball == "off_table" or shot.off_table or shot.left_and_returned:
        found.add(Foul.OFF_TABLE)
    if c.from_baulk and shot.placed is not None and shot.placed[1] >= c.baulk_line_mm:
        found.add(Foul.OUTSIDE_BAULK)  # E(2)(a): the line itself is not in baulk
    if c.to_spot:
        found.add(Foul.BEFORE_SPOTTING)
    return found


def _contact(shot: Shot, c: ShotConditions, found: set[Foul]) -> set[Foul]:
    """First contact (K(4), K(17)), playing away (K(19)) and the legal shot (K(16))."""
    out: set[Foul] = set()
    not_away = Foul.NOT_PLAYED_AWAY in found
    if not not_away and _not_played_away(shot, c):
        out.add(Foul.NOT_PLAYED_AWAY)
        not_away = True
    hit = (not not_away and _deemed_hit(shot, c)) or bool(c.on.intersection(shot.first_contact))
    if not hit and not (not_away and shot.first_contact):
        unnominated = c.foul_snooker and shot.nominated is None and bool(shot.first_contact)
        out.add(Foul.UNNOMINATED if unnominated else Foul.WRONG_BALL)
    potted_on = c.on.intersection(shot.potted_balls)
    if hit and not potted_on and not c.total_snooker and _cushions(shot) == 0:
        out.add(Foul.NOT_LEGAL_SHOT)
    return out


def _deemed_hit(shot: Shot, c: ShotConditions) -> bool:
    """S(2)(a), (c)(i), S(3)(a): a touching ball on that is played away from counts as hit."""
    touching_on = c.touching & c.on
    if shot.played_away_from is not None and c.touching:
        return bool(touching_on.intersection(shot.played_away_from))
    return bool(touching_on)


def _not_played_away(shot: Shot, c: ShotConditions) -> bool:
    """S(2)(d), S(3)(c): one touching ball on is enough; without any, away from all touching balls."""
    away = shot.played_away_from
    if away is None or not c.touching:
        return False
    if c.touching & c.on:
        return not _deemed_hit(shot, c)
    return bool(c.touching - set(away))


def _cushions(shot: Shot) -> int:
    """G(4): a ball pressed into the cushion that it touched does not count."""
    return rails_reached(shot, tuple((r.ball, r.rail) for r in shot.rail_contacts))


def worst(found: Iterable[Foul]) -> Foul | None:
    """J: the most severe foul; among equals the first in the text (which puts in-off first)."""
    members = set(found)
    return next((f for f in Foul if f in members), None)


def spot_positions(balls: tuple[str, ...], lying: tuple[Lying, ...], marks: Marks) -> tuple[Lying, ...]:
    """T(2)(d), (e): 8, reds, yellows, from the spot towards the far cushion, then towards the baulk line.

    Never touching. FactsError when both lines are full.
    """
    d = marks.ball_diameter_mm
    order = sorted(balls, key=("8", "red", "yellow").index)
    around = list(lying)
    placed = []
    for ball in order:
        obstacles = tuple(Obstacle(b.ball, b.point_mm, d, SPOT_SEPARATION_MM) for b in around)
        limits = (marks.length_mm - d / 2, marks.baulk_line_mm)
        found = nearest_on_line(marks.spot_mm, 1, limits, obstacles)
        if found is None:
            raise FactsError(f"the line through the spot has no room for ball {ball}")
        placed.append(Lying(ball, found.point_mm))
        around.append(placed[-1])
    return tuple(placed)
