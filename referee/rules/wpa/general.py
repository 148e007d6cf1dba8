"""WPA general rules (1), fouls (6), wheelchair rules (7) and definitions (8), as data and pure functions.

Each game says which fouls of section 6 it lists and what a foul costs; nothing here rules on a game.
Readings: balls met at the same instant are a legal first contact when either is a legal target (the text is
silent, the usual benefit of the doubt); 6.3 needs a contact even where a game waives the rail.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from calibration.table.specs import WPA_TABLE, PointMm, TableSpec
from referee.rules.common.pool import (
    ClauseEnum,
    FactsError,
    Lying,
    PoolShot,
    Respot,
    Side,
    check_side,
    rails_reached,
)
from referee.rules.common.spotting import Obstacle, nearest_on_line
from referee.rules.game import NOTHING_TO_CALL, AtTable, MayCall

CUE_BALL_SEPARATION_MM = 1.0
"""WPA 1.4 asks for "a small separation" from the cue-ball and gives no number."""

InHand = Literal["anywhere", "behind_head_string", "baulk"]


class WpaFoul(ClauseEnum):
    """Fouls of section 6: with several on one shot the first found here is named.

    In the section's order, but 6.11 follows 6.1: like a scratch it gives the cue-ball in hand at 14.1 (4.9),
    so it is the more serious one (6) beside the contact and rail that a shot behind the string cannot make.
    """

    SCRATCH = ("6.1", "Foul, cue-ball scratch")
    CUE_BALL_OFF = ("6.1", "Foul, cue-ball off the table")
    BAD_PLAY_BEHIND_STRING = ("6.11", "Foul, ball behind the string played first")
    DID_NOT_CROSS_STRING = ("6.11", "Foul, the string was not crossed")
    WRONG_BALL_FIRST = ("6.2", "Foul, wrong ball first")
    NO_RAIL = ("6.3", "Foul, no rail")
    NO_CONTACT = ("6.3", "Foul, no ball hit")
    NO_FOOT_ON_FLOOR = ("6.4", "Foul, no foot on the floor")
    BALL_OFF_TABLE = ("6.5", "Foul, ball off the table")
    TOUCHED_BALL = ("6.6", "Foul, touched ball")
    DOUBLE_HIT = ("6.7", "Foul, double hit")
    PUSH_SHOT = ("6.8", "Foul, push shot")
    BALLS_MOVING = ("6.9", "Foul, balls still moving")
    BAD_PLACEMENT = ("6.10", "Foul, cue-ball not behind the string")
    CUE_ON_TABLE = ("6.12", "Foul, cue stick on the table")
    OUT_OF_TURN = ("6.13", "Foul, out of turn")
    THREE_FOULS = ("6.14", "Third foul in a row")
    SLOW_PLAY = ("6.15", "Foul, time")
    RACK_TEMPLATE = ("6.16", "Foul, rack template touched")
    CONDUCT = ("6.17", "Unsportsmanlike conduct")


INFRINGEMENTS: dict[str, WpaFoul] = {
    "both_feet_off_floor": WpaFoul.NO_FOOT_ON_FLOOR,
    "no_foot_on_floor": WpaFoul.NO_FOOT_ON_FLOOR,
    "touched_ball": WpaFoul.TOUCHED_BALL,
    "double_hit": WpaFoul.DOUBLE_HIT,
    "cue_ball_struck_twice": WpaFoul.DOUBLE_HIT,
    "push_stroke": WpaFoul.PUSH_SHOT,
    "push_shot": WpaFoul.PUSH_SHOT,
    "balls_not_at_rest": WpaFoul.BALLS_MOVING,
    "balls_still_moving": WpaFoul.BALLS_MOVING,
    "bad_cue_ball_placement": WpaFoul.BAD_PLACEMENT,
    "bad_play_from_behind_head_string": WpaFoul.BAD_PLAY_BEHIND_STRING,
    "cue_stick_on_table": WpaFoul.CUE_ON_TABLE,
    "out_of_turn": WpaFoul.OUT_OF_TURN,
    "slow_play": WpaFoul.SLOW_PLAY,
    "rack_template_touched": WpaFoul.RACK_TEMPLATE,
}
"""Infringements that a person or the camera enters for a shot; conduct (6.17) is a referee's act."""

_ALWAYS = {
    WpaFoul.SCRATCH,
    WpaFoul.CUE_BALL_OFF,
    WpaFoul.NO_RAIL,
    WpaFoul.NO_CONTACT,
    WpaFoul.NO_FOOT_ON_FLOOR,
    WpaFoul.BALL_OFF_TABLE,
    WpaFoul.TOUCHED_BALL,
    WpaFoul.DOUBLE_HIT,
    WpaFoul.PUSH_SHOT,
    WpaFoul.BALLS_MOVING,
    WpaFoul.BAD_PLACEMENT,
    WpaFoul.CUE_ON_TABLE,
    WpaFoul.OUT_OF_TURN,
    WpaFoul.SLOW_PLAY,
    WpaFoul.RACK_TEMPLATE,
}
_STRING = {WpaFoul.BAD_PLAY_BEHIND_STRING, WpaFoul.DID_NOT_CROSS_STRING}
FOULS_8BALL = frozenset(_ALWAYS | _STRING | {WpaFoul.WRONG_BALL_FIRST})  # 3.9
FOULS_9BALL = frozenset(_ALWAYS | {WpaFoul.WRONG_BALL_FIRST})  # 2.7, and 9.10 of ten ball: 6.11 is not listed
FOULS_14_1 = frozenset(_ALWAYS | _STRING)  # 4.9: 6.2 is not listed, every ball is a legal target
FOULS_BLACKBALL = FOULS_9BALL  # 5.13: 6.11 is not listed, the cue-ball need not leave baulk (5.8)


def infringements_of(listed: frozenset[WpaFoul]) -> tuple[str, ...]:
    """The words for the fouls that a game lists."""
    return tuple(word for word, foul in INFRINGEMENTS.items() if foul in listed)


@dataclass(frozen=True)
class PoolMarks:
    """Spots and strings in mm (WPA 8.1: strings at quarters of the length, on the long axis)."""

    length_mm: float
    width_mm: float
    ball_diameter_mm: float
    foot_spot_mm: PointMm
    head_spot_mm: PointMm
    centre_spot_mm: PointMm
    string_mm: float
    """The line that a ball in hand must be behind: head string, in black ball the baulk line (5.1)."""

    @classmethod
    def of(cls, table: TableSpec, string_mm: float | None = None) -> PoolMarks:
        """Marks of a table; `string_mm` other than a quarter of the length where the game says so."""
        quarter = table.length_mm / 4
        return cls(
            table.length_mm,
            table.width_mm,
            table.ball_diameter_mm,
            (0.0, 3 * quarter),
            (0.0, quarter),
            (0.0, 2 * quarter),
            quarter if string_mm is None else string_mm,
        )


WPA_MARKS = PoolMarks.of(WPA_TABLE)


F = TypeVar("F", bound=ClauseEnum)


@dataclass(frozen=True, kw_only=True)
class WpaCall:
    """The shooter's call: a ball and a pocket, or a safety (1.6). No call: None in its place."""

    ball: str | None = None
    pocket: str | None = None
    safety: bool = False

    def __post_init__(self) -> None:
        if self.safety == (self.ball is not None):
            raise FactsError("a call is either a ball with its pocket or a safety")


@dataclass(frozen=True, kw_only=True)
class WpaShot(PoolShot):
    """A shot in a WPA game.

    `called` (also set when the shot was obvious, 1.6), `push_out` declared (2.4, 9.4),
    `string_crossings`: object balls that crossed the head string (2.3(c)) or the centre string (5.5(b)),
    `first_contact_behind_string` and `crossed_string` (cue-ball, before that contact) for 6.11.
    """

    called: WpaCall | None = None
    push_out: bool = False
    string_crossings: int | None = None
    first_contact_behind_string: bool = False
    crossed_string: bool | None = None

    def __post_init__(self) -> None:
        PoolShot.__post_init__(self)
        count = self.string_crossings
        if count is not None and not (isinstance(count, int) and 0 <= count <= 64):
            raise FactsError(f"balls crossing the string must be a count of 0 or more, got {count!r}")

    def crossed_fewer_than(self, fewest: int) -> bool:
        """Whether no ball was potted, and fewer object balls than `fewest` are known to have crossed."""
        return not self.potted and self.string_crossings is not None and self.string_crossings < fewest


@dataclass(frozen=True, kw_only=True)
class WpaState:
    """The state before a shot that every WPA game has; games add their own fields.

    `options` are pending for `chooser`. `in_hand`: None means that the cue-ball is played from where it lies.
    `frozen_declared`: (ball, rail) pairs that were declared frozen (8.4). `lying`: known positions, for
    spotting (empty: not known). `wheelchair_offences`: of A and B over the match (7.2).
    """

    shooter: Side = "A"
    in_hand: InHand | None = "behind_head_string"
    options: tuple[str, ...] = ()
    chooser: Side | None = None
    frozen_declared: tuple[tuple[str, str], ...] = ()
    lying: tuple[Lying, ...] = ()
    wheelchair_offences: tuple[int, int] = (0, 0)
    marks: PoolMarks = field(default=WPA_MARKS)
    winner: Side | None = None

    def __post_init__(self) -> None:
        check_side(self.shooter, "shooter")


def at_table(state: WpaState, on: str | None, opens: bool) -> AtTable:
    """Who shoots next, and who has options first. `on`: what the shooter plays at, `opens`: with a break."""
    return AtTable(state.shooter, on, state.chooser, state.options, opens)


def frozen_only(state: WpaState) -> MayCall:
    """Of a game in which no shot is called: a ball is declared frozen to a rail (8.4)."""
    return NOTHING_TO_CALL if state.winner is not None else MayCall(by=state.shooter, frozen=True)


def called_shot(state: WpaState, balls: Iterable[int], first: Collection[str] | None = None) -> MayCall:
    """Of a game of called shots (1.6): a ball with its pocket, or a safety. `first`: that may be hit first;
    None: any.
    """
    if state.winner is not None:
        return NOTHING_TO_CALL
    named = [str(n) for n in sorted(balls)]
    return MayCall(
        by=state.shooter,
        balls=tuple(sorted(named, key=lambda b: first is not None and b not in first)),
        pockets=True,
        safety=True,
        frozen=True,
    )


@dataclass(frozen=True, kw_only=True)
class WpaRuling:
    """The ruling on a shot or act that every WPA game gives; games add their own fields.

    `fouls`: all that were found; only `reason` is enforced (6). `chooser`: who has the `options`.
    `in_hand`: None means that the cue-ball is played from where it lies.
    """

    by: Side | None
    foul: bool
    reason: ClauseEnum | None
    fouls: tuple[ClauseEnum, ...] = ()
    clause: str | None
    next_shooter: Side | None
    chooser: Side | None = None
    options: tuple[str, ...] = ()
    in_hand: InHand | None = None
    respot: tuple[Respot, ...] = ()
    stay_off: tuple[str, ...] = ()
    rack_over: bool = False
    winner: Side | None = None
    match_lost_by: Side | None = None
    rerack: int | None = None
    breaker: Side | None = None
    replay: bool = False
    words: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ShotConditions:
    """The parts of section 6 that apply to this shot: decided by the game.

    `legal_first`: names that may be hit first (None: any). `rail`: 6.3's rail is required. `contact`: a
    ball must be hit. `deemed_hit`: a touching ball counts as hit (black ball 5.9). `in_hand`: where the
    cue-ball had to be played from, `string_mm` the line there.
    """

    listed: frozenset[WpaFoul]
    legal_first: frozenset[str] | None = None
    contact: bool = True
    rail: bool = True
    deemed_hit: bool = False
    in_hand: InHand | None = None
    string_mm: float = WPA_MARKS.string_mm
    frozen_declared: tuple[tuple[str, str], ...] = ()


def find_fouls(shot: WpaShot, c: ShotConditions) -> tuple[WpaFoul, ...]:
    """All fouls of section 6 on this shot, in the order of `WpaFoul`, each once.

    FactsError for an infringement that section 6 does not know or the game does not list.
    """
    found: set[WpaFoul] = set()
    if shot.cue_ball != "on_table":
        found.add(WpaFoul.SCRATCH if shot.cue_ball == "pocketed" else WpaFoul.CUE_BALL_OFF)
    if (
        shot.first_contact
        and not c.deemed_hit
        and c.legal_first is not None
        and not c.legal_first.intersection(shot.first_contact)
    ):
        found.add(WpaFoul.WRONG_BALL_FIRST)
    found |= _contact_and_rail(shot, c)
    if shot.off_table:
        found.add(WpaFoul.BALL_OFF_TABLE)
    found |= _from_behind_string(shot, c)
    for name in shot.infringements:
        known = infringements_of(c.listed)
        if name not in known:
            raise FactsError(f"infringement must be one of {', '.join(sorted(known))}, got {name!r}")
        found.add(INFRINGEMENTS[name])
    if not shot.foul_called:
        found &= {
            WpaFoul.SCRATCH,
            WpaFoul.CUE_BALL_OFF,
        }  # 6: an uncalled foul lapses; the cue-ball is still gone
    return tuple(f for f in WpaFoul if f in found & c.listed)


def _contact_and_rail(shot: WpaShot, c: ShotConditions) -> set[WpaFoul]:
    if not shot.first_contact and not c.deemed_hit:
        return {WpaFoul.NO_CONTACT} if c.contact else set()
    if shot.potted or shot.off_table:
        return set()  # 8.4: a ball pocketed or driven off the table was driven to a rail
    if c.rail and shot.cue_ball == "on_table" and rails_reached(shot, c.frozen_declared) == 0:
        return {WpaFoul.NO_RAIL}
    return set()


FEWEST_RAILS = 4  # 2.3(b), 3.3(d), 9.3(b): object balls driven to a rail by a break that pockets nothing


def too_few_rails(shot: WpaShot, found: Iterable[ClauseEnum]) -> bool:
    """Whether a break that pockets nothing drove fewer than four object balls to rails; unknown is no foul.
    `found`: where nothing was met, or nothing reached a rail (6.3), no object ball did.
    """
    none = {WpaFoul.NO_RAIL, WpaFoul.NO_CONTACT}.intersection(f for f in found if isinstance(f, WpaFoul))
    driven = 0 if none else shot.object_rails
    return not shot.potted and driven is not None and driven < FEWEST_RAILS


def but_rail(found: Iterable[F]) -> tuple[F, ...]:
    """The fouls of a break that the game's own clause of the break condemns: a break that met the rack and
    reached no rail is that clause's, which says so of the break alone, and not 6.3's too. Where nothing was
    met 6.3 is named: no clause of a break says that.
    """
    return tuple(f for f in found if f is not WpaFoul.NO_RAIL)


def _from_behind_string(shot: WpaShot, c: ShotConditions) -> set[WpaFoul]:
    if c.in_hand not in ("behind_head_string", "baulk"):
        return set()
    found = set()
    if shot.placed is not None and shot.placed[1] >= c.string_mm:
        found.add(WpaFoul.BAD_PLACEMENT)  # 6.10: on the string is not behind it
    if shot.first_contact_behind_string and not shot.crossed_string:
        found.add(WpaFoul.BAD_PLAY_BEHIND_STRING)
    elif shot.crossed_string is False and not shot.first_contact:
        found.add(WpaFoul.DID_NOT_CROSS_STRING)
    return found


def called_ball_made(shot: WpaShot) -> bool:
    """Whether the called ball fell into the called pocket (1.6)."""
    call = shot.called
    if call is None or call.safety:
        return False
    return any(
        p.ball == call.ball and (call.pocket is None or p.pocket is None or p.pocket == call.pocket)
        for p in shot.potted
    )


def called_safety(shot: WpaShot) -> bool:
    return shot.called is not None and shot.called.safety


def lying_after(before: tuple[Lying, ...], shot: PoolShot) -> tuple[Lying, ...]:
    """Where balls lie after the shot: its end positions, else those before without what left the table.

    Where balls go by colour and no end positions are known, all of a colour that lost one are forgotten.
    """
    if shot.end_positions:
        return shot.end_positions
    gone = {*shot.potted_balls, *shot.off_table} | ({"cue"} if shot.cue_ball != "on_table" else set())
    return tuple(b for b in before if b.ball not in gone)


def spot_balls(balls: tuple[str, ...], lying: tuple[Lying, ...], marks: PoolMarks) -> tuple[Respot, ...]:
    """WPA 1.4: each ball in turn on the long string, from the foot spot to the foot rail, else above it.

    In contact with an object ball in the way, never with the cue-ball. Balls whose place is not known
    are no obstacles. FactsError when the whole string is full.
    """
    d = marks.ball_diameter_mm
    spot = marks.foot_spot_mm
    placed: list[Respot] = []
    around = list(lying)
    for ball in balls:
        obstacles = tuple(
            Obstacle(b.ball, b.point_mm, d, CUE_BALL_SEPARATION_MM if b.ball == "cue" else 0.0)
            for b in around
        )
        found = nearest_on_line(spot, 1, (marks.length_mm - d / 2, d / 2), obstacles)
        if found is None:
            raise FactsError(f"the long string has no room for ball {ball}")
        beside = found.beside
        touching = beside.ball if beside is not None and beside.apart_mm == 0 else None
        clear_of = beside.ball if beside is not None and beside.apart_mm > 0 else None
        name = "foot spot" if beside is None else None
        placed.append(Respot(ball, name, found.point_mm, "1.4", touching, clear_of))
        around.append(Lying(ball, found.point_mm))
    return tuple(placed)


def behind_string(point: PointMm, marks: PoolMarks) -> bool:
    """WPA 8.1: the head string itself is not behind the head string."""
    return point[1] < marks.string_mm


def nearest_behind_string(
    lying: tuple[Lying, ...], legal: frozenset[str] | None, marks: PoolMarks, chosen: str | None
) -> Lying:
    """WPA 1.5: the legal object ball to be spotted on request when all of them lie behind the string.

    Of several at the same distance the shooter's `chosen` one. FactsError where the request is not
    allowed (a legal ball lies in front of or on the string, or no position is known).
    """
    legal_balls = [b for b in lying if b.ball != "cue" and (legal is None or b.ball in legal)]
    if not legal_balls:
        raise FactsError("a ball can be spotted on request only where the balls' positions are known")
    if not all(behind_string(b.point_mm, marks) for b in legal_balls):
        raise FactsError(
            "a ball is spotted on request only when all legal object balls are behind the string"
        )
    nearest = max(b.point_mm[1] for b in legal_balls)
    equal = [b for b in legal_balls if abs(b.point_mm[1] - nearest) <= 0.5]
    return next((b for b in equal if b.ball == chosen), equal[0])


def check_numbered(balls: tuple[str, ...], on_table: frozenset[int]) -> None:
    """FactsError unless the names are different numbers of balls that are on the table."""
    for ball in balls:
        if not ball.isdigit() or int(ball) not in on_table:
            known = " ".join(str(n) for n in sorted(on_table))
            raise FactsError(f"object ball must be one of those on the table ({known}), got {ball!r}")
    if len(set(balls)) != len(balls):
        raise FactsError(f"each object ball leaves the table once, got {' '.join(balls)}")


def check_shot_balls(shot: WpaShot, on_table: frozenset[int]) -> None:
    """`check_numbered` for all the balls that a shot names."""
    check_numbered((*shot.potted_balls, *shot.off_table), on_table)
    for ball in shot.first_contact:
        check_numbered((ball,), on_table)
