"""The state of a frame of snooker: everything a ruling depends on, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from referee.rules.snooker.facts import COLOURS, VALUES, Choice, FactsError, StrokeFacts

ANY_COLOUR = "any_colour"
"""The ball on after a red: a colour of the striker's choice (3.3(g)(i))."""
BALLS_ON: tuple[str, ...] = ("red", ANY_COLOUR, *COLOURS)


@dataclass(frozen=True)
class Options:
    """Readings other than the default (shared/rules/README.md), and the variant's numbers.

    `miss_rule`: `wpbsa` as printed; `old`: 3.14(b) excepts only snookers required; `off`: never called.
    `amateur_14_1_star`: a third miss while fully snookered gives the ball in-hand instead of a replay.
    `amateur_3_4_d_star`: four snookers required on the colours end the frame. `club_rules`: the
    summaries' flat 4 and value of the ball struck. `strict_spotting_order`: for the geometry (3.7(e)).
    `reds`, `most_misses`, `never_behind_nominated`: six-red (intro, 1, 3).
    """

    miss_rule: Literal["wpbsa", "old", "off"] = "wpbsa"
    amateur_14_1_star: bool = False
    amateur_3_4_d_star: bool = False
    club_rules: bool = False
    strict_spotting_order: bool = False
    reds: int = 15
    most_misses: int | None = None
    never_behind_nominated: bool = False


class Pending(StrEnum):
    """An act that must happen before the next stroke."""

    NOTHING = "nothing"
    AFTER_FOUL = "after_foul"  # the next player may choose; playing is choosing to play
    CONCESSION = "concession"  # the opponent accepts or refuses
    LOTS = "lots"  # lots for the choice of playing at a re-spotted black
    OVER = "over"


_P = Pending
TRANSITIONS: dict[Pending, frozenset[Pending]] = {
    _P.NOTHING: frozenset((_P.NOTHING, _P.AFTER_FOUL, _P.CONCESSION, _P.LOTS, _P.OVER)),
    # playing, or asking the offender to, settles it; a second foul, a concession or an award can follow
    _P.AFTER_FOUL: frozenset((_P.NOTHING, _P.AFTER_FOUL, _P.CONCESSION, _P.LOTS, _P.OVER)),
    # accepted, refused (what was open is open again), or void because the striker played on
    _P.CONCESSION: frozenset((_P.NOTHING, _P.AFTER_FOUL, _P.CONCESSION, _P.LOTS, _P.OVER)),
    # only the black is left: a foul or score ends the frame, nothing can be asked after it
    _P.LOTS: frozenset((_P.NOTHING, _P.LOTS, _P.OVER)),
    _P.OVER: frozenset((_P.OVER,)),
}
"""The states that may follow each; a stalemate restarts from anywhere but the end, with nothing pending."""


@dataclass(frozen=True)
class Offence:
    """The last foul, as the choices after it need it: what was on before, and what may be asked."""

    offender: str
    ball_on_before: str
    free_ball_before: bool
    in_hand_before: bool
    reds_before: int
    options: tuple[Choice, ...]
    stroke_made: bool = True


@dataclass(frozen=True)
class Misses:
    """Consecutive misses from one position (3.14(c), six-red 1, amateur 14.1*)."""

    calls: int = 0
    full_ball_failures: int = 0
    snookered_calls: int = 0
    replaced: bool = False  # the cue-ball lies replaced in its original position (3.14(d))
    warned: bool = False


@dataclass(frozen=True)
class Spotting:
    """A potted colour that is being spotted; its points fall away if the striker does not wait
    (3.3(g)(iv)).
    """

    ball: str
    points: int
    free_ball: bool = False


@dataclass(frozen=True)
class State:
    """A frame between two acts. `order`: players in turn; `scores`: sides A and B.

    `colours`: colours on the table, ascending. `ball_on` is None when the frame is over. `free_ball`:
    the striker may nominate one. `touching`: balls that the cue-ball touches. `aggregate_before`:
    earlier frames' points where aggregate scores decide. `unclaimed`: a foul not called, claimable
    until the next stroke.
    """

    order: tuple[str, ...] = ("A", "B")
    striker: str = "A"
    ball_on: str | None = "red"
    reds: int = 15
    colours: tuple[str, ...] = COLOURS
    scores: tuple[int, int] = (0, 0)
    break_points: int = 0
    in_hand: bool = True
    cue_placed: bool = False
    free_ball: bool = False
    pending: Pending = Pending.NOTHING
    offence: Offence | None = None
    misses: Misses = Misses()
    touching: tuple[str, ...] = ()
    spotting: Spotting | None = None
    respotted_black: bool = False
    started: bool = False
    starter: str = "A"
    due_starter: str = "A"
    strokes: int = 0
    foul_since_first: bool = False
    aggregate: bool = False
    last_frame: bool = True
    aggregate_before: tuple[int, int] = (0, 0)
    deciding_frame: bool = False
    wheelchair: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    lots_winner: str | None = None
    conduct_warned: tuple[str, ...] = ()
    winner: str | None = None
    unclaimed: tuple[State, StrokeFacts] | None = field(default=None, repr=False)
    options: Options = Options()

    def __post_init__(self) -> None:
        if self.striker not in self.order:
            raise FactsError(f"the striker must be one of {', '.join(self.order)}, got {self.striker!r}")
        if self.ball_on is not None and self.ball_on not in BALLS_ON:
            raise FactsError(f"the ball on must be one of {', '.join(BALLS_ON)}, got {self.ball_on!r}")
        if self.reds < 0 or self.reds > self.options.reds:
            raise FactsError(f"reds on the table must be 0 to {self.options.reds}, got {self.reds}")
        if self.ball_on == "red" and self.reds == 0:
            raise FactsError("red cannot be on with no red on the table")

    @property
    def over(self) -> bool:
        return self.pending is Pending.OVER

    @property
    def only_black(self) -> bool:
        """Black is the only object ball left and is on in its turn (3.4(a))."""
        return self.reds == 0 and self.ball_on == "black"


def new_frame(
    starter: str = "A", options: Options | None = None, order: tuple[str, ...] = ("A", "B")
) -> State:
    """A frame about to start (3.2, 3.3): reds on, cue-ball in-hand."""
    options = options or Options()
    return State(
        order=order, striker=starter, starter=starter, due_starter=starter, reds=options.reds, options=options
    )


def side(player: str) -> str:
    """`A` or `B`."""
    return player[0]


def opponent(player: str) -> str:
    """The other side."""
    return "B" if side(player) == "A" else "A"


def index(player: str) -> int:
    """Where the player's side stands in `State.scores`."""
    return 0 if side(player) == "A" else 1


def following(state: State, player: str) -> str:
    """Who plays after `player` in the frame's order (3.3(a), 3.17(a)); lost turns are `state.skipped`."""
    order = state.order
    place = (order.index(player) + 1) % len(order)
    while order[place] in state.skipped and len(set(state.skipped)) < len(order):
        place = (place + 1) % len(order)
    return order[place]


def lowest_on(reds: int, colours: tuple[str, ...]) -> str:
    """The ball on at the beginning of a turn: red while there are reds, else the lowest colour (3.3(f),
    (g)(iii)).
    """
    if reds:
        return "red"
    return colours[0] if colours else "black"


def due_colours(state: State) -> tuple[str, ...]:
    """Colours that should be on the table: all until the colours are on in sequence, then from the ball on
    up.
    """
    if state.reds or state.ball_on in ("red", ANY_COLOUR, None):
        return COLOURS
    return COLOURS[COLOURS.index(state.ball_on or "yellow") :]


def points_on_table(state: State, red_value: int = 8) -> int:
    """Points available (3.14(b)); a colour that follows a potted red counts 7. Forfeits count a red 8
    (4.2).
    """
    colours = due_colours(state)
    after_red = 7 if state.ball_on == ANY_COLOUR else 0
    return state.reds * red_value + after_red + sum(VALUES[c] for c in colours)


def remaining_value(state: State) -> int:
    """The value of the balls left, each red as eight, colours incorrectly off as if spotted (4.2(a)(ii),
    4.5(b)).
    """
    return state.reds * 8 + sum(VALUES[c] for c in due_colours(state))


def snookers_required(state: State, player: str) -> int:
    """How many fouls of the least value the player's side needs to level; 0 when it needs none."""
    mine, theirs = state.scores[index(player)], state.scores[index(opponent(player))]
    short = theirs - mine - points_on_table(state)
    if short <= 0 or state.ball_on is None:
        return 0
    least = 4 if state.reds or state.ball_on == ANY_COLOUR else max(4, VALUES[due_colours(state)[0]])
    return -(-short // least)
