"""Carrom: the facts that `apply` takes, a class each: strokes, and what happens without one.

`by` is who acts. A person enters all but the strokes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from referee.rules.carrom.reasons import MatchLoss, Violation
from referee.rules.carrom.types import Piece, Side, Stroke


class Phase(Enum):
    """When a law was broken (63, 64)."""

    NOT_HIS_TURN = "not_his_turn"
    BEFORE_FIRST_STROKE = "before_first_stroke"
    DURING_FIRST_STROKE = "during_first_stroke"
    AFTER_FIRST_STROKE = "after_first_stroke"


class BoardLoss(Enum):
    """Why a player loses the board at once."""

    GOT_UP = "got_up"  # 91
    PLAYED_DURING_APPEAL = "played_during_appeal"  # 121(b)
    WRECKED = "arrangement_wrecked"  # 126(b)


class Replay(Enum):
    """Why a board is cancelled and played again."""

    THREE_PASSES = "three_consecutive_passes_each"  # 137
    UNFORESEEN = "unforeseen"  # 140
    NO_SPACE_FOR_STRIKER = "no_space_for_striker"  # 142


@dataclass(frozen=True)
class Slip:
    """The striker slipped (127). `moved_piece`: it moved a C/m or the Queen."""

    by: Side
    left_base_line: bool = True
    moved_piece: bool = False


@dataclass(frozen=True)
class Broken:
    """A law was broken without a stroke (62 to 64)."""

    by: Side
    phase: Phase
    violation: Violation = Violation.OTHER


@dataclass(frozen=True)
class PlayCalled:
    """The umpire calls 'Play' (46, 121(a))."""


@dataclass(frozen=True)
class Appealed:
    """A player appeals; time stops (121(a))."""


@dataclass(frozen=True)
class OutOfTurn:
    """A stroke out of turn (51). `noticed`: before the next stroke."""

    by: Side
    noticed: bool = True


@dataclass(frozen=True)
class BoardLost:
    """A player loses the board at once."""

    by: Side
    why: BoardLoss


@dataclass(frozen=True)
class BoardCancelled:
    """The board is cancelled and played again (137, 140, 142)."""

    why: Replay


@dataclass(frozen=True)
class SetOffAsked:
    """A player asks to set the dues of both off against each other (89(a))."""


@dataclass(frozen=True)
class Forgone:
    """A player forgoes due C/m that he may place (87(a)): `count` of `of`, None for all."""

    by: Side
    count: int | None = None
    of: int = 2


@dataclass(frozen=True)
class PlacingDeclined:
    """A player does not place due C/m though there is space (80)."""

    by: Side


@dataclass(frozen=True)
class NoSpaceToPlace:
    """There is no space for the due C/m (79, 81)."""

    by: Side


@dataclass(frozen=True)
class DuesPlaced:
    """The due C/m are placed (84(a))."""


@dataclass(frozen=True)
class PlacingExpired:
    """Fifteen seconds are over and the due C/m are not placed (88)."""

    by: Side


@dataclass(frozen=True)
class NotReturned:
    """The next stroke was made while a Queen or due C/m had yet to be taken out (83, 96)."""


@dataclass(frozen=True)
class NoticedLater:
    """The opponent's C/m, pocketed unnoticed, is noticed now (125(b)).

    `before_this_record`: it was pocketed before the first fact that is known.
    """

    before_this_record: bool = False


@dataclass(frozen=True)
class PieceFell:
    """A piece that balanced on a pocket's mouth falls (71, 113)."""

    piece: Piece


@dataclass(frozen=True)
class StrikerLifted:
    """The umpire lifts the striker off a piece (69). `fell`: the piece that then fell, None for none."""

    by: Side
    fell: Piece | None = None


@dataclass(frozen=True)
class PieceLifted:
    """The umpire lifts a piece off the striker (70)."""

    by: Side
    striker_fell: bool = False


@dataclass(frozen=True)
class LeftInPlace:
    """A piece stands on its rim (67), or two overlap (68), and stay so."""

    overlapping: bool = False


@dataclass(frozen=True)
class TurnPassed:
    """A player passes his turn (137)."""

    by: Side


@dataclass(frozen=True)
class ExtraDemanded:
    """The winner of a board demands additional points (87(b))."""

    by: Side
    points: int


@dataclass(frozen=True)
class Conceded:
    """A player concedes the game (139)."""

    by: Side


@dataclass(frozen=True)
class MatchLost:
    """The coordinator takes the match from a player (143)."""

    by: Side
    why: MatchLoss


@dataclass(frozen=True)
class PiecesRestored:
    """The umpire puts moved pieces back (69(a), 70(a), 120, 134, 141)."""


@dataclass(frozen=True)
class ProtestDecided:
    """A protest is decided (147, 148)."""

    upheld: bool


@dataclass(frozen=True)
class Noted:
    """A law that software cannot enforce was applied by the umpire."""

    law: str
    text: str = ""


Fact = (
    Stroke
    | Slip
    | Broken
    | PlayCalled
    | Appealed
    | OutOfTurn
    | BoardLost
    | BoardCancelled
    | SetOffAsked
    | Forgone
    | PlacingDeclined
    | NoSpaceToPlace
    | DuesPlaced
    | PlacingExpired
    | NotReturned
    | NoticedLater
    | PieceFell
    | StrikerLifted
    | PieceLifted
    | LeftInPlace
    | TurnPassed
    | ExtraDemanded
    | Conceded
    | MatchLost
    | PiecesRestored
    | ProtestDecided
    | Noted
)

CHOICES: dict[str, Callable[[Side], Fact]] = {
    "forgo_one_of_two": lambda by: Forgone(by, 1),
    "forgo_all": Forgone,
    "decline_placing": PlacingDeclined,
    "concede": Conceded,
}
"""What a player may choose or ask for, by its name in case files and calls."""
