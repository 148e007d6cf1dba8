"""English billiards: what goes into a ruling and what comes out. Standard library and
calibration.table.specs only.

Clauses are `billiards S.R` of section S, rule R (snooker-sixred-billiards-wpa.txt) and `billiards001 S.R`
of the commentary. Balls are named as the striker sees them: `cue` (his white), `white` (the object
white) and `red`. Sides are "A" and "B"; a player's name begins with his side's letter (four-handed:
A1 B1 A2 B2, rule 3.17).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from calibration.table.specs import SNOOKER_TABLE, PointMm, TableSpec, resized
from referee.rules.game import SIDES as SIDES
from referee.rules.game import FactsError as FactsError
from referee.rules.game import Side as Side
from referee.rules.game import index as index
from referee.rules.game import other as other

Ball = Literal["cue", "white", "red"]
CueBallFate = Literal["on_table", "pocketed", "off_table"]

PENALTY_POINTS = 2  # 3.15(c), 3.16
HAZARD_LIMIT, HAZARD_ANNOUNCED = 15, 10  # 3.10, 3.10(a)
CANNON_LIMIT, CANNON_ANNOUNCED = 75, 70  # 3.9, 3.9(a)
AFTER_ANNOUNCEMENT = 5  # 3.9(a), 3.10(a): this many more after a late announcement
CROSSING_FROM = 80  # billiards001 2.13.1: the baulk-line is crossed between 80 and 99 of each 100


class Spot(Enum):
    """The marked places of 1.1(f), 3.8, 3.10(c); the value is its name in words."""

    SPOT = "Spot"
    PYRAMID = "Pyramid Spot"
    CENTRE = "Centre Spot"
    BAULK_MIDDLE = "Middle of the Baulk-line"
    D_RIGHT = "right-hand corner of the D"

    def xy_mm(self, table: TableSpec = SNOOKER_TABLE) -> PointMm:
        """Where the spot is, table frame, mm (1.1(d) to 1.1(f)); in proportion on a table without spots."""
        spots = table.spots or resized(SNOOKER_TABLE, table.length_mm, table.width_mm).spots
        if self is Spot.BAULK_MIDDLE:
            return spots["brown"]
        if self is Spot.D_RIGHT:
            return spots["yellow"]
        return spots[{Spot.SPOT: "black", Spot.PYRAMID: "pink", Spot.CENTRE: "blue"}[self]]


class Reason(Enum):
    """Why the referee ruled so: (stable code, clause, the referee's words)."""

    SCORED = ("scored", "3.3", "")
    NO_SCORE = ("no_score", "3.3", "")
    OTHER_BALL_STRUCK = ("other_ball_struck", "3.14(a)", "Foul")
    CUE_BALL_STRUCK_TWICE = ("cue_ball_struck_twice", "3.14(b)", "Foul")
    FEET_OFF_FLOOR = ("feet_off_floor", "3.14(c)", "Foul")
    OUT_OF_TURN = ("out_of_turn", "3.14(d)", "Foul")
    IMPROPER_IN_HAND = ("improper_in_hand", "3.14(e)", "Foul")
    BALLS_NOT_AT_REST = ("balls_not_at_rest", "3.14(f)", "Foul")
    JUMP_SHOT = ("jump_shot", "3.14(g)", "Foul")
    PUSH_STROKE = ("push_stroke", "3.14(h)", "Foul")
    BALL_OFF_TABLE = ("ball_off_table", "3.14(i)", "Foul")
    TOO_MANY_HAZARDS = ("too_many_hazards", "3.14(j)", "Foul")
    TOO_MANY_CANNONS = ("too_many_cannons", "3.14(k)", "Foul")
    BALL_TOUCHED = ("ball_touched", "3.14(l)", "Foul")
    BEFORE_SPOTTING = ("before_spotting", "3.14(m)", "Foul")
    FOUL_MISS = ("foul_miss", "3.14(n)", "Foul")
    CONFERRED = ("conferred", "3.14(o)", "Foul")
    NON_STANDARD_CUE = ("non_standard_cue", "3.14(p)", "Foul")
    COUP = ("coup", "3.14(q)", "Foul")
    NOT_CROSSED = ("baulk_line_not_crossed", "billiards001 2.13.4", "Foul")
    MISS = ("miss", "3.16", "Miss")
    VOID_OPENING = ("void_opening", "3.2(b)", "Wrong ball, the opening stroke is void")
    REPLAY = ("replay", "3.11(b)(i)", "Balls replaced, play again")
    CONDONED = ("condoned", "3.15(d)", "The foul was not claimed in time")
    CHOICE = ("choice", "3.15(c)", "")
    AWARDED = ("awarded", "4.2", "The game is awarded")
    CONCEDED = ("conceded", "4.6", "The game is conceded")
    CONCESSION_REFUSED = ("concession_refused", "4.6", "Play on")
    TIME = ("time", "3.5(a)", "Time")
    TIME_WASTING = ("time_wasting_warning", "4.1", "You are liable to have the game awarded to your opponent")
    REPOSITIONED = ("repositioned", "3.12", "The balls are repositioned")
    EDGE_FALL = ("edge_fall", "3.11(a)", "The ball is replaced")
    TOLD = ("told", "3.8(d)", "")
    ANNOUNCED = ("announced", "3.10(a)", "")
    CANCELLED_TOUCH = ("tip_touched_cue_ball", "3.6(b)", "The ball is not in play")
    NOTED = ("noted", "", "")
    RED_TOUCHED = ("red_touched", "3.8(f)", "")
    BALLS_CHANGED = ("balls_changed", "1.2(b)", "The set of balls is changed")

    @property
    def code(self) -> str:
        return self.value[0]

    @property
    def clause(self) -> str:
        return self.value[1]

    @property
    def words(self) -> str:
        return self.value[2]


INFRINGEMENTS: Mapping[str, Reason] = {
    "struck_ball_other_than_cue_ball": Reason.OTHER_BALL_STRUCK,
    "cue_ball_struck_twice": Reason.CUE_BALL_STRUCK_TWICE,
    "both_feet_off_floor": Reason.FEET_OFF_FLOOR,
    "out_of_turn": Reason.OUT_OF_TURN,
    "improperly_from_in_hand": Reason.IMPROPER_IN_HAND,
    "played_directly_at_ball_in_baulk": Reason.IMPROPER_IN_HAND,
    "balls_not_at_rest": Reason.BALLS_NOT_AT_REST,
    "jump_shot": Reason.JUMP_SHOT,
    "push_stroke": Reason.PUSH_STROKE,
    "ball_off_table": Reason.BALL_OFF_TABLE,
    "touched_ball": Reason.BALL_TOUCHED,
    "struck_before_spotting": Reason.BEFORE_SPOTTING,
    "conferred": Reason.CONFERRED,
    "non_standard_cue": Reason.NON_STANDARD_CUE,
}
"""What a person may enter as done wrong in a stroke (3.14)."""
WRONG_WHITE = "wrong_white_at_opening"
"""The word for an opening with the white that is not the striker's: the game begins anew."""


class Option(Enum):
    """A choice of the next player after a foul (3.15(c)); the value is its name in case files."""

    POSITION = "play_from_where_balls_lie"
    IN_HAND = "play_from_in_hand_with_red_on_Spot_and_object_white_on_Centre_Spot"


class MissReading(Enum):
    """3.16 parses more than one way; the first is the default (rules README)."""

    IN_HAND_ONLY = "in_hand_only"  # no foul only from in-hand with no object ball out of baulk
    EVERY_MISS = "every_miss"  # any miss but a coup is a mere miss
    ALWAYS_FOUL = "always_foul"  # billiards001 2.11(15): every miss is a foul


@dataclass(frozen=True)
class Rules:
    """How this game is played: target points or time (2.1), and the readings taken."""

    target: int | None = None  # None: played to time
    miss: MissReading = MissReading.IN_HAND_ONLY
    baulk_crossing: bool = False  # billiards001 2.13; off by default
    touching_needs_consent: bool = False  # billiards001 2.10; off by default
    wheelchair: tuple[bool, bool] = (False, False)  # 3.19: 3.14(c) does not apply
    table: TableSpec = SNOOKER_TABLE

    def __post_init__(self) -> None:
        if self.target is not None and self.target < 1:
            raise FactsError(f"target must be at least 1 point, got {self.target!r}")


@dataclass(frozen=True)
class BallAt:
    """A ball at rest, its centre in the table frame, mm."""

    ball: Ball
    x_mm: float
    y_mm: float


@dataclass(frozen=True)
class CushionContact:
    """The cue-ball met a cushion; `in_baulk`: at a place on or below the baulk-line."""

    in_baulk: bool


@dataclass(frozen=True)
class EdgeFall:
    """A ball fell from a pocket's edge without being hit (3.11)."""

    ball: Ball
    would_have_been_hit: bool


@dataclass(frozen=True)
class Stroke:
    """The facts of one stroke.

    `contacts`: what the cue-ball met, in order. `simultaneous_first`: both object balls at once.
    `before`, `after`: where balls lay, where known. `touching`: pairs of balls that touch at the end.
    `infringements`: seen or entered by a person. `called` False: neither called nor claimed in time.
    """

    by: str
    contacts: tuple[Literal["red", "white"] | CushionContact, ...] = ()
    simultaneous_first: bool = False
    potted: tuple[Literal["red", "white"], ...] = ()
    cue_ball: CueBallFate = "on_table"
    off_table: tuple[Literal["red", "white"], ...] = ()
    infringements: tuple[Reason, ...] = ()
    before: tuple[BallAt, ...] = ()
    after: tuple[BallAt, ...] = ()
    touching: tuple[tuple[Ball, Ball], ...] = ()
    touching_consent: bool = True
    fell_untouched: tuple[EdgeFall, ...] = ()
    wrong_white: bool = False
    time_called: bool = False
    final_session: bool = False
    crossed_baulk_line: bool = False
    called: bool = True

    def __post_init__(self) -> None:
        for name in ("potted", "off_table"):
            balls = getattr(self, name)
            if len(set(balls)) != len(balls) or not set(balls) <= {"red", "white"}:
                raise FactsError(f"{name} must name red and white at most once each, got {balls!r}")
        if set(self.potted) & set(self.off_table):
            raise FactsError(
                f"a ball is potted or off the table, not both: {self.potted!r}, {self.off_table!r}"
            )

    @property
    def object_contacts(self) -> tuple[Literal["red", "white"], ...]:
        """The object balls that the cue-ball met, in order."""
        return tuple(c for c in self.contacts if not isinstance(c, CushionContact))


@dataclass(frozen=True)
class Placement:
    """The referee puts a ball on a spot: `ball` as the next striker sees it, position in mm."""

    ball: Ball
    spot: Spot
    x_mm: float
    y_mm: float


@dataclass(frozen=True)
class Score:
    """One part of a stroke's score (3.4): cannon, pot_red, pot_white, in_off_red, in_off_white,
    in_off_both.
    """

    kind: Literal["cannon", "pot_red", "pot_white", "in_off_red", "in_off_white", "in_off_both"]
    points: int


@dataclass(frozen=True)
class RedState:
    """The red: `on` is the spot where a hand placed it and no ball has touched it since (3.8(e), (f)).

    `pots`: how often in succession it has been potted from that spot, alone, in this break (3.8(b)).
    """

    on: Spot | None = Spot.SPOT
    pots: int = 0
    off_table: bool = False


@dataclass(frozen=True)
class State:
    """A game of English billiards between two strokes.

    `in_hand`: whose white is off the table, A then B (2.12). `off_by_owner`: it went off by its owner's
    last stroke (3.10(c)). `hazards_at`, `cannons_at`: the count at which the limit was announced late.
    """

    order: tuple[str, ...] = ("A", "B")
    turn: int = 0
    scores: tuple[int, int] = (0, 0)
    break_points: int = 0
    in_hand: tuple[bool, bool] = (True, True)
    off_by_owner: tuple[bool, bool] = (False, False)
    red: RedState = RedState()
    hazards: int = 0
    cannons: int = 0
    hazards_at: int | None = None
    cannons_at: int | None = None
    crossed: bool = False
    touching: bool = False
    must_play_in_hand: bool = False
    started: bool = False
    options: tuple[Option, ...] = ()
    over: bool = False
    winner: Side | None = None
    rules: Rules = Rules()

    def __post_init__(self) -> None:
        if not self.order or any(not p or p[0] not in SIDES for p in self.order):
            raise FactsError(f"order must name players whose names begin with A or B, got {self.order!r}")
        if not 0 <= self.turn < len(self.order):
            raise FactsError(f"turn must index order {self.order!r}, got {self.turn!r}")
        if min(self.scores) < 0 or self.break_points < 0:
            raise FactsError(f"scores and break are at least 0, got {self.scores!r}, {self.break_points!r}")

    @property
    def striker(self) -> str:
        return self.order[self.turn]

    @property
    def side(self) -> Side:
        return side_of(self.striker)

    @property
    def striker_in_hand(self) -> bool:
        return self.must_play_in_hand or self.in_hand[index(self.side)]


@dataclass(frozen=True)
class Ruling:
    """The referee's ruling. `points`: to the striker. `in_hand`: the next striker plays from in-hand.

    `placed`: what the referee spots before the next stroke. `words`: what he says, in order.
    `faults`: every fault of the stroke, the one that is named first.
    """

    reason: Reason
    foul: bool = False
    miss: bool = False
    faults: tuple[Reason, ...] = ()
    penalty: int = 0
    penalty_to: Side | None = None
    points: int = 0
    parts: tuple[Score, ...] = ()
    scores: tuple[int, int] = (0, 0)
    break_points: int = 0
    next_striker: str | None = None
    in_hand: bool = False
    placed: tuple[Placement, ...] = ()
    replaced: tuple[Ball, ...] = ()
    options: tuple[Option, ...] = ()
    words: tuple[str, ...] = ()
    restart: bool = False
    replay: bool = False
    condoned: bool = False
    game_over: bool = False
    winner: Side | None = None
    match_forfeited: bool = False

    @property
    def clause(self) -> str:
        return self.reason.clause


def side_of(player: str) -> Side:
    """The side of a player: the first letter of his name."""
    if player[:1] == "A":
        return "A"
    if player[:1] == "B":
        return "B"
    raise FactsError(f"a player's name must begin with A or B, got {player!r}")


def with_value(pair: tuple[bool, bool], side: Side, value: bool) -> tuple[bool, bool]:
    """The pair (A, B) with one side's entry replaced."""
    return (value, pair[1]) if side == "A" else (pair[0], value)


def added(scores: tuple[int, int], side: Side, points: int) -> tuple[int, int]:
    """The scores (A, B) with points added to one side."""
    return (scores[0] + points, scores[1]) if side == "A" else (scores[0], scores[1] + points)
