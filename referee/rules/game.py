"""The interface of every game: a state and a fact go in, a new state and a ruling come out.

A game is pure: `apply` depends on its two arguments alone and changes neither. States, facts and rulings are
frozen dataclasses of that game; a caller that serves all games keeps them as they are. A state can be written
to a journal with `referee.journal.codec` and read back with the game's `state_type`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

Side = Literal["A", "B"]
SIDES: tuple[Side, Side] = ("A", "B")
Unit = Literal["frame", "rack", "game", "board"]
"""How the game calls the stretch of play after which the balls are set up anew."""
FirstContact = Literal["which", "whether", "nothing"]
"""What a game's rules read of the first contact: which ball was met, whether one was (14.1, where any may be;
carrom's break), or nothing."""


class FactsError(ValueError):
    """Facts that cannot be true of the state they are applied to: one clear sentence."""


@dataclass(frozen=True)
class MayCall:
    """What may be called before a stroke, as a game's rules have it for a state.

    `by`: who is at the table, None where nobody may call. `balls`: kinds of the game's pieces that he may
    name, those first that he may hit first. `pockets`: a ball is called with its pocket, and so is a `safety`
    (WPA 1.6). `frozen`: a ball may be declared frozen to a rail, by anybody (WPA 8.4); `touching`: the
    cue-ball touching a ball (WPA 6.7, WEPF Y(6)).
    """

    by: Side | None = None
    balls: tuple[str, ...] = ()
    pockets: bool = False
    safety: bool = False
    push_out: bool = False
    frozen: bool = False
    touching: bool = False


NOTHING_TO_CALL = MayCall()


@dataclass(frozen=True)
class AtTable:
    """Who plays next, and at what, as a game's state has it.

    `by`: None where that is not decided. `on`: the ball, group or colour that he plays at; None where it has
    no name, or any may be played. `options`: what `chooser` may choose before the next stroke. `opens`: the
    stroke to come opens the rack, of a game that has rules of its own for that (WPA 2.3, 4.3; WEPF F).
    """

    by: Side | None = None
    on: str | None = None
    chooser: Side | None = None
    options: tuple[str, ...] = ()
    opens: bool = False


class GameRuling(Protocol):
    """The part of a ruling that all games have."""

    @property
    def clause(self) -> str | None:
        """The clause that decides, as the game's text numbers it; None where no clause is named."""

    @property
    def words(self) -> tuple[str, ...]:
        """The referee's words, in order."""


State = TypeVar("State")
Fact = TypeVar("Fact", contravariant=True)
Ruling = TypeVar("Ruling", bound=GameRuling, covariant=True)


class Game(Protocol[State, Fact, Ruling]):
    """The rules of one game."""

    @property
    def name(self) -> str:
        """The game's name in case files, journals and documents."""

    @property
    def unit(self) -> Unit:
        """The stretch of play that `new_frame` begins."""

    @property
    def state_type(self) -> type[State]:
        """The class of the game's states."""

    @property
    def fact_types(self) -> tuple[type[Any], ...]:
        """The classes of the facts that `apply` takes."""

    @property
    def infringements(self) -> tuple[str, ...]:
        """The words for what a person may say that was done wrong in a stroke, beside what was seen."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The names of what a player may choose or ask for, as rulings offer them."""

    @property
    def uncalled_lapses(self) -> bool:
        """Whether a foul that nobody called before the next stroke is none (snooker 3.11(c), billiards
        3.15(d), WPA 6).
        """

    @property
    def first_contact(self) -> FirstContact:
        """What the rules read of the first contact: what decides nothing is asked of nobody."""

    @property
    def judgements(self) -> tuple[str, ...]:
        """What a person may say of a stroke that only the game's rules read, by the names of a correction's
        fields (the miss and the free ball, snooker 3.14 and 3.10).
        """

    @property
    def jump(self) -> str | None:
        """The infringement of a cue-ball that jumps over a ball; None where the game allows it (WPA 8.16).
        Whether it was on purpose no camera tells.
        """

    def may_call(self, state: State, /) -> MayCall:
        """What a player may call before the stroke to come."""

    def at_table(self, state: State, /) -> AtTable:
        """Who plays next, and at what."""

    def new_frame(self, starter: Side, /) -> State:
        """The state before the first stroke of a frame, with the game's usual settings."""

    def apply(self, state: State, fact: Fact, /) -> tuple[State, Ruling]:
        """Rule on one fact. Raises `FactsError` for a fact that cannot be true in this state."""


def _no_calls(state: object) -> MayCall:
    """Of a game in which nothing is called."""
    del state
    return NOTHING_TO_CALL


S = TypeVar("S")
F = TypeVar("F")
R = TypeVar("R", bound=GameRuling)


@dataclass(frozen=True)
class GameRules(Generic[S, F, R]):
    """A `Game` made of the two functions of its package."""

    name: str
    unit: Unit
    state_type: type[S]
    fact_types: tuple[type[Any], ...]
    new_frame: Callable[[Side], S]
    judge: Callable[[S, F], tuple[S, R]]
    infringements: tuple[str, ...]
    choices: tuple[str, ...]
    uncalled_lapses: bool = True
    judgements: tuple[str, ...] = ()
    jump: str | None = None
    calls: Callable[[S], MayCall] = _no_calls
    table: Callable[[S], AtTable] = field(kw_only=True)
    first_contact: FirstContact = "which"

    def may_call(self, state: S) -> MayCall:
        """What a player may call before the stroke to come."""
        return self.calls(state)

    def at_table(self, state: S) -> AtTable:
        """Who plays next, and at what."""
        return self.table(state)

    def apply(self, state: S, fact: F, /) -> tuple[S, R]:
        """Rule on one fact. Raises `FactsError` for a fact that cannot be true here, or of another game."""
        if not isinstance(fact, self.fact_types):
            raise FactsError(f"expected a fact of {self.name}, got {type(fact).__name__}")
        return self.judge(state, fact)


def other(side: Side) -> Side:
    """The opponent."""
    return "B" if side == "A" else "A"


def of_both(*options: str) -> tuple[str, ...]:
    """Names of options with each player's letter in place of `{by}`, each name once."""
    return tuple(dict.fromkeys(option.format(by=side) for option in options for side in SIDES))


def in_turn(first: Side, begun: int) -> Side:
    """Who begins after `begun` frames, racks or boards where sides begin in turn: `first` began the first of
    them, whoever played (snooker 3.3(b) and (d)(ii), ICF 49(a); the agreed format of pool).
    """
    return first if begun % 2 == 0 else other(first)


def index(side: Side) -> int:
    """0 for A, 1 for B: the place of a side in a pair."""
    return 0 if side == "A" else 1
