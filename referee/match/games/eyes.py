"""The interface between a family of games and the fold of its video: how a match begins, readings of a
stroke, questions.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from calibration.table.games import GAMES as PLAYED
from calibration.table.games import PIECES
from calibration.table.pieces import PieceSet
from calibration.table.specs import TableSpec
from referee.cases.model import Position, Values
from referee.facts.calls import Call, ShotCall
from referee.facts.corrections import Correction
from referee.facts.judged import Asked
from referee.facts.seen import SeenBall, SeenHand, SeenStroke, SeenTouching
from referee.match.games.ruling import Reading, Ruled
from referee.rules.game import SIDES, MayCall, Side
from referee.rules.registry import GAMES


@dataclass(frozen=True, slots=True)
class Shot:
    """One stroke to be judged: what was seen, where the match stands, what people said.

    `earlier`: the layout that the stroke before left, empty for the first. `calls`: since that stroke.
    `fix`: a person's correction. `a_plays`: A's white of billiards, None while nobody has played.
    `beside`: balls beside the cue-ball as that stroke left it.
    `groups_unknown`: the recording begins inside a rack, and not all that was decided before is known;
    `group_told`: whose the groups are, as it was told with the recording. `last`: what the rules said last,
    by the names of the rule cases.
    """

    game: str
    position: Position[Any, Any]
    seen: SeenStroke
    earlier: tuple[SeenBall, ...]
    hands: tuple[SeenHand, ...]
    table: TableSpec
    calls: tuple[Call, ...]
    fix: Correction | None
    a_plays: str | None = None
    groups_unknown: bool = False
    beside: tuple[SeenTouching, ...] = ()
    last: Values = field(default_factory=dict)
    group_told: str | None = None

    @property
    def pieces(self) -> PieceSet:
        """The game's pieces."""
        return PIECES[self.game]

    def shot_call(self, by: str) -> ShotCall | None:
        """The last call of a player for this stroke."""
        found = [c for c in self.calls if isinstance(c, ShotCall) and c.by == by]
        return found[-1] if found else None


@dataclass(frozen=True, slots=True)
class Beginning:
    """What is known where a rack (frame, game, board) begins: the layout, and who is at the table.

    `racked`: the pieces lie as they are set up. `agreed`: rules that the players agreed on, as the options of
    the rule cases.
    """

    layout: tuple[SeenBall, ...]
    table: TableSpec
    striker: Side
    racked: bool
    group: str | None = None
    score: tuple[int, int] = (0, 0)
    agreed: Values = field(default_factory=dict)


class Eyes(Protocol):
    """One game as a camera sees it. A class of the games' family inherits what its family does not have."""

    game: str
    """Its name."""
    groups_stay: bool = False
    """Whether each player's pieces are his from the first stroke on (ICF 43)."""
    reracks: bool = False
    """Whether balls are set up again within a game, whose score goes on."""

    def opens(self, beginning: Beginning) -> bool:
        """Whether the first layout of a recording is the one before the first stroke of a rack."""
        return beginning.racked

    def first_striker(self, layout: Sequence[SeenBall]) -> Side | None:
        """Who plays first, where the layout tells it."""
        return None

    def a_plays(self, seen: SeenStroke, by: str) -> str | None:
        """A's cue-ball where each player has one of his own; `by`: who played this stroke."""
        return None

    def struck(self, shot: Shot) -> str:
        """The kind of piece that was struck."""
        return shot.pieces.cue

    def inside(self, start: Values, beginning: Beginning) -> Position[Any, Any]:
        """The position of a recording that begins inside a rack; `start`: of a fresh one."""

    def unknown_inside(self, layout: Sequence[SeenBall], told: bool) -> bool:
        """Whether not all is known that was decided before a recording which begins inside a rack; `told`:
        whose the groups are.
        """
        full = sum(k.count for k in PIECES[self.game].kinds)
        return bool(PLAYED[self.game].groups) and not told and len(layout) < full

    def measured(self, position: Position[Any, Any], table: TableSpec) -> Position[Any, Any]:
        """The position with spots and lines where this table has them."""
        return position

    def staying_down(self, position: Position[Any, Any] | None, pieces: PieceSet) -> Collection[str]:
        """Kinds of which nobody puts back what fell; `position`: before the next stroke, if there is one."""
        return pieces.stay_down

    def in_hand(self, position: Position[Any, Any]) -> bool | None:
        """Whether the next player has the cue-ball in hand, or may take it; None where a hand on it tells
        nothing.
        """
        return None

    def readings(self, shot: Shot) -> list[Reading]:
        """Every reading of a stroke worth pursuing; weights sum to 1."""

    def at_table(self, position: Position[Any, Any], side: Side) -> Position[Any, Any]:
        """The position with a player at the table of whom a person says that it was his turn."""

    def doubt(self, shot: Shot) -> str | None:
        """A thing to ask about whatever the rules make of it; None where all fits together."""

    def left_over(self, shot: Shot, ruled: Ruled) -> bool:
        """Whether more lies after the stroke than its ruling leaves on the table, so that something fell
        otherwise, or was counted wrong before.
        """
        del shot, ruled
        return False

    def likely(self, shot: Shot) -> float:
        """How likely what was seen before the stroke is in its position, to be compared with others."""
        del shot
        return 1.0

    def players(self, shot: Shot) -> Sequence[Side]:
        """Who may play a stroke: two where a choice that nobody said leaves it open."""
        return SIDES

    def may_call(self, state: Any, layout: Sequence[SeenBall], table: TableSpec) -> MayCall:
        """What may be called before a stroke from a state, with the balls lying like that."""
        del layout, table
        return GAMES[self.game].may_call(state)

    def question(self, name: str, by: str) -> Asked:
        """The question about an uncertain thing, in the game's words: a text of `[questions]`."""

    @property
    def order(self) -> Sequence[str]:
        """Names of uncertain things, those first that people answer more easily."""
