"""The balls on for one stroke, and the check that its facts can be true of the table."""

from __future__ import annotations

from dataclasses import dataclass

from referee.rules.game import NOTHING_TO_CALL, AtTable, MayCall, Side
from referee.rules.snooker.facts import COLOURS, VALUES, FactsError, StrokeFacts
from referee.rules.snooker.state import ANY_COLOUR, Pending, State, lowest_on


@dataclass(frozen=True)
class On:
    """`base`: the ball on by turn (red, any colour, a colour); `nominated`: declared or plainly indicated.

    `free`: the nominated ball is a free ball, regarded as the ball on with its value (3.10(a)(ii)).
    `value`: of the ball on; 0 when a colour is on and none is nominated. `targets`: balls that may be
    hit first; `pots`: balls that may be potted.
    """

    base: str
    nominated: str | None
    free: bool
    value: int
    targets: frozenset[str]
    pots: frozenset[str]

    def worth(self, ball: str) -> int:
        """A ball's value in this stroke: a free ball has the ball on's."""
        return self.value if self.free and ball == self.nominated else VALUES[ball]


def may_name(side: Side, ball_on: str | None, free_ball: bool) -> MayCall:
    """The balls of which one may be declared: a colour of choice (2.12), a free ball (3.10(a))."""
    if not (free_ball or ball_on == ANY_COLOUR):
        return MayCall(by=side)
    return MayCall(by=side, balls=("red", *COLOURS) if free_ball else COLOURS)


def may_call(state: State) -> MayCall:
    """What the striker may declare before his stroke."""
    if state.over or state.pending is Pending.LOTS:
        return NOTHING_TO_CALL
    return may_name("B" if state.striker[0] == "B" else "A", state.ball_on, state.free_ball)


def at_table(state: State) -> AtTable:
    """The striker, his ball on, and his choices after a foul; nobody while lots are to be drawn (3.4(b))."""
    if state.over or state.pending is Pending.LOTS:
        return AtTable()
    by: Side = "B" if state.striker[0] == "B" else "A"
    open_now = state.pending is Pending.AFTER_FOUL and state.offence is not None
    options = tuple(o.value for o in state.offence.options) if open_now and state.offence else ()
    return AtTable(by, state.ball_on, by if options else None, options)


def out_of_turn(state: State, player: str) -> bool:
    """Whether somebody else is the striker; lots not yet drawn leave it open who plays."""
    return player != state.striker


def what_is_on(state: State, facts: StrokeFacts) -> On:
    """The ball on of this stroke (2.11, 2.12, 2.13)."""
    base = state.ball_on or "black"
    wrong_player = out_of_turn(state, facts.by)
    if base == ANY_COLOUR and not wrong_player:
        return _any_colour(facts)
    if base == ANY_COLOUR:
        base = lowest_on(state.reds, state.colours)
    nominated = facts.nominated
    if state.free_ball and not wrong_player and nominated is not None and nominated != base:
        both = frozenset((nominated, base))
        return On(base, nominated, True, VALUES[base], both, both)
    return On(base, base, False, VALUES[base], frozenset((base,)), frozenset((base,)))


def _any_colour(facts: StrokeFacts) -> On:
    """A colour of choice: declared, or plain from hitting one colour first (2.12(a))."""
    nominated = facts.nominated if facts.nominated in COLOURS else None
    if facts.nominated is None and len(facts.first_contact) == 1 and facts.first_contact[0] in COLOURS:
        nominated = facts.first_contact[0]
    if nominated is None:
        return On(ANY_COLOUR, None, False, 0, frozenset(), frozenset())
    one = frozenset((nominated,))
    return On(ANY_COLOUR, nominated, False, VALUES[nominated], one, one)


def check(state: State, facts: StrokeFacts) -> None:
    """Raise `FactsError` when the stroke names a ball or player that is not there."""
    if facts.by not in state.order:
        raise FactsError(f"the player must be one of {', '.join(state.order)}, got {facts.by!r}")
    named = (*facts.first_contact, *facts.potted, *facts.off_table, *facts.jumped, *facts.touching_moved)
    for ball in named:
        _check_ball(state, ball)
    if facts.nominated is not None:
        _check_ball(state, facts.nominated)
    gone = (*facts.potted, *facts.off_table)
    if gone.count("red") > state.reds:
        raise FactsError(f"{gone.count('red')} reds left the table, where {state.reds} were")
    if facts.first_contact.count("red") > state.reds:
        raise FactsError(f"{facts.first_contact.count('red')} reds were hit, where {state.reds} were")
    for colour in COLOURS:
        if gone.count(colour) > 1:
            raise FactsError(f"the {colour} left the table twice in one stroke")
        if facts.first_contact.count(colour) > 1:
            raise FactsError(f"the {colour} cannot be hit twice at once")


def _check_ball(state: State, ball: str) -> None:
    if ball not in VALUES or ball == "white":
        raise FactsError(f"an object ball must be one of red, {', '.join(COLOURS)}, got {ball!r}")
    if ball == "red" and state.reds == 0:
        raise FactsError("no red is on the table")
    if ball != "red" and ball not in state.colours:
        raise FactsError(f"the {ball} is not on the table")
