"""Carrom: what goes into a ruling and what comes out. Standard library and calibration only.

Clauses are `carrom N` of carrom.txt (laws 27 to 148). C/m: the carrommen of a player, nine each; the
Queen is common. "due": a C/m taken out for a pocketed striker; "penalty": one for an improper stroke.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from calibration.table.board import MEN_EACH
from calibration.table.specs import PointMm
from referee.rules.carrom.reasons import Reason, Violation
from referee.rules.game import SIDES as SIDES
from referee.rules.game import FactsError as FactsError
from referee.rules.game import Side as Side
from referee.rules.game import index as index
from referee.rules.game import other as other

Colour = Literal["white", "black"]
Piece = Literal["white", "black", "queen"]

QUEEN_POINTS = 3  # 52(b)(i)
QUEEN_LIMIT = 22  # 54: from this score the Queen adds nothing
BOARD_MAXIMUM = 12  # 55
GAME_POINTS, GAME_BOARDS = 25, 8  # 56(a)
BREAK_CHANCES = 3  # 45(a): the first and two more


class Queen(Enum):
    """Where the Queen stands; the value is its name in case files."""

    ON_BOARD = "on_board"
    TO_BE_COVERED = "to_be_covered"
    COVERED_A = "covered_by_A"
    COVERED_B = "covered_by_B"


class Fall(Enum):
    """How a jumped piece came to rest (66): on the board by itself, or off a light fitting."""

    FELL_BACK = "fell_back"
    HIT_LIGHT = "hit_light"


@dataclass(frozen=True)
class Men:
    """One player's C/m. `outstanding`: due and penalty C/m not yet taken out (72(c)).

    `ever_pocketed`: one of his C/m has been pocketed in this board, even if it came back (92, 95(c)).
    """

    colour: Colour
    on_board: int = MEN_EACH
    outstanding: int = 0
    ever_pocketed: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.on_board <= MEN_EACH:
            raise FactsError(f"a player has 0 to {MEN_EACH} C/m on the board, got {self.on_board!r}")
        if self.outstanding < 0:
            raise FactsError(f"outstanding C/m are at least 0, got {self.outstanding!r}")

    @property
    def pocketed(self) -> int:
        return MEN_EACH - self.on_board


@dataclass(frozen=True)
class State:
    """A board between two strokes.

    `men`: A's and B's. `covering`: who has pocketed the Queen and must cover it. `failed_cover`: who last
    failed to (96, unnoticed). `scores`: the game's, before this board; `board_no` from 1. `break_open`:
    the break is not yet made; `attempts` at it by the player in turn. `to_place`: who has how many C/m to
    place. `unnoticed_opponent_man`: 125(b). `passes`: turns passed in succession, A's and B's (137).
    `appeal_open`: time is stopped until the umpire calls 'Play' (121(a)).
    """

    turn: Side = "A"
    men: tuple[Men, Men] = (Men("white"), Men("black"))
    queen: Queen = Queen.ON_BOARD
    failed_cover: Side | None = None
    scores: tuple[int, int] = (0, 0)
    board_no: int = 1
    break_open: bool = False
    attempts: int = 0
    play_called: bool = True
    first_stroke_made: bool = False
    to_place: tuple[Side, int] | None = None
    unnoticed_opponent_man: bool = False
    passes: tuple[int, int] = (0, 0)
    appeal_open: bool = False
    over: bool = False
    winner: Side | None = None
    extra_demandable: int = 0

    def __post_init__(self) -> None:
        if self.men[0].colour == self.men[1].colour:
            raise FactsError(f"the players have one colour each, got {self.men[0].colour!r} for both")
        if self.board_no < 1:
            raise FactsError(f"boards are numbered from 1, got {self.board_no!r}")
        if min(self.scores) < 0:
            raise FactsError(f"scores are at least 0, got {self.scores!r}")

    def of(self, side: Side) -> Men:
        return self.men[index(side)]


@dataclass(frozen=True)
class Stroke:
    """The facts of one stroke. `own`, `opponent`: C/m pocketed; `proper`: no law was broken in it.

    `touched`: how many pieces the striker touched, when that matters (the break, 44); None: not counted.
    `overboard`: pieces that left the surface. `noticed` False: nobody noticed what must be put right.
    `infringements`: laws broken in the stroke, as a person entered them; each makes it improper (64(a)).
    `left_base_line` False: the striker slipped and stayed within the base lines (127).
    """

    by: Side
    proper: bool = True
    own: int = 0
    opponent: int = 0
    queen: bool = False
    striker: bool = False
    touched: int | None = None
    overboard: tuple[Piece, ...] = ()
    falls: tuple[Fall, ...] = ()
    striker_overboard: bool = False
    left_base_line: bool = True
    noticed: bool = True
    infringements: tuple[Violation, ...] = ()

    def __post_init__(self) -> None:
        for name in ("own", "opponent"):
            if getattr(self, name) < 0:
                raise FactsError(f"{name} C/m pocketed are at least 0, got {getattr(self, name)!r}")
        if self.touched is not None and self.touched < 0:
            raise FactsError(f"touched pieces are at least 0, got {self.touched!r}")
        if self.overboard.count("queen") > 1 or (self.queen and "queen" in self.overboard):
            raise FactsError("there is one Queen: it is pocketed or overboard, once")


@dataclass(frozen=True)
class Returned:
    """Pieces taken out of the pockets after a stroke."""

    own: int = 0
    due: int = 0
    penalty: int = 0
    queen: bool = False


@dataclass(frozen=True)
class Placing:
    """A piece that the umpire places (65, 66, 93), in words and, on an empty centre, in mm."""

    piece: Piece
    where: str
    x_mm: float
    y_mm: float

    @property
    def xy_mm(self) -> PointMm:
        return self.x_mm, self.y_mm


@dataclass(frozen=True)
class Ruling:
    """The umpire's ruling.

    `foul`: "foul" or "technical" (62), `foul_against` whom. `due`, `penalty`: charged by this act;
    `returned`: taken out at once; `outstanding`: A's and B's left to come. `points` of a board that is
    over go to `board_winner`; `extra` more if he demands them (87(b)). `words`: what the umpire says.
    """

    reason: Reason
    next_turn: Side | None = None
    foul: Literal["foul", "technical"] | None = None
    foul_against: Side | None = None
    due: int = 0
    penalty: int = 0
    returned: Returned = Returned()
    outstanding: tuple[int, int] = (0, 0)
    on_board: tuple[int, int] = (MEN_EACH, MEN_EACH)
    queen: Queen = Queen.ON_BOARD
    placings: tuple[Placing, ...] = ()
    repositioned: bool = False
    board_over: bool = False
    board_winner: Side | None = None
    points: int = 0
    extra: int = 0
    scores: tuple[int, int] = (0, 0)
    game_over: bool = False
    game_winner: Side | None = None
    extra_board: bool = False
    match_winner: Side | None = None
    break_made: bool | None = None
    attempts: int = 0
    break_right_lost: bool = False
    stroke_made: bool = True
    replay: bool = False
    cancelled: bool = False
    allowed: bool | None = None
    accepted: bool | None = None
    words: tuple[str, ...] = ()

    @property
    def clause(self) -> str:
        return self.reason.clause


def with_men(men: tuple[Men, Men], side: Side, new: Men) -> tuple[Men, Men]:
    """The pair (A, B) with one player's C/m replaced."""
    return (new, men[1]) if side == "A" else (men[0], new)


def covered_by(side: Side) -> Queen:
    return Queen.COVERED_A if side == "A" else Queen.COVERED_B
