"""Players' choices after a foul, concessions, claims, and lots at a re-spotted black."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from referee.rules.records import replace
from referee.rules.snooker.acts import unchanged
from referee.rules.snooker.facts import COLOURS, Choice, ChoiceFacts, FactsError
from referee.rules.snooker.ruling import FrameEnd, Reason, Ruling, Warn
from referee.rules.snooker.state import (
    Misses,
    Offence,
    Pending,
    State,
    index,
    lowest_on,
    opponent,
    remaining_value,
    side,
    snookers_required,
)
from referee.rules.snooker.stroke import kept_misses
from referee.rules.snooker.turn import add, end_frame

CLAIM_LEAD = 7  # 2.1(b): more than seven points


def judge(state: State, facts: ChoiceFacts) -> tuple[State, Ruling]:
    """Apply a choice; one that is not open is refused (`accepted` False), the state unchanged."""
    if facts.by not in state.order and facts.by not in ("A", "B"):
        raise FactsError(f"the player must be one of {', '.join(state.order)}, got {facts.by!r}")
    handler = _HANDLERS.get(facts.choice)
    if handler is None:
        raise FactsError(f"{facts.choice.value} is said with the stroke that follows, not as a choice")
    return handler(state, facts)


def _refuse(state: State, reason: Reason = Reason.REQUEST_REFUSED) -> tuple[State, Ruling]:
    return state, unchanged(state, reason, accepted=False)


def _open(state: State, facts: ChoiceFacts) -> Offence | None:
    """The foul that this choice answers, when it is open to this player."""
    if state.pending is not Pending.AFTER_FOUL or state.offence is None:
        return None
    if side(facts.by) != side(state.striker) or facts.choice not in state.offence.options:
        return None
    return state.offence


def _play(state: State, facts: ChoiceFacts) -> tuple[State, Ruling]:
    if state.pending is Pending.LOTS:
        return _lots(state, facts, facts.by)
    if _open(state, facts) is None:
        return _refuse(state)
    reasons = {Choice.PLAY_IN_HAND: Reason.PLAYS_IN_HAND, Choice.PLAY_ANYWHERE: Reason.PLAYS_ANYWHERE}
    after = replace(
        state,
        pending=Pending.NOTHING,
        misses=kept_misses(state),
        in_hand=state.in_hand or facts.choice is Choice.PLAY_IN_HAND,
    )
    return after, unchanged(after, reasons.get(facts.choice, Reason.PLAYS_SELF))


def _again_left(state: State, facts: ChoiceFacts) -> tuple[State, Ruling]:
    """3.13: the offender plays from the position left; the free ball is void (3.10(f))."""
    offence = _open(state, facts)
    if offence is None:
        return _refuse(state)
    before_stroke = not offence.stroke_made  # 3.14(d): the ball on stays, and warnings remain in effect
    after = replace(
        state,
        pending=Pending.NOTHING,
        striker=offence.offender,
        free_ball=offence.free_ball_before if before_stroke else False,
        ball_on=offence.ball_on_before if before_stroke else lowest_on(state.reds, state.colours),
        misses=replace(state.misses, replaced=True) if before_stroke else Misses(),
    )
    return after, unchanged(after, Reason.AGAIN_LEFT)


def _again_original(state: State, facts: ChoiceFacts) -> tuple[State, Ruling]:
    """3.14(a): the cue-ball goes back, the ball on is what it was; other balls as the referee judges (f)."""
    offence = _open(state, facts)
    if offence is None:
        return _refuse(state)
    all_back = facts.choice is Choice.AGAIN_ALL_REPLACED
    reds = offence.reds_before if all_back else _reds_back(state, facts, offence)
    misses, warnings = _warned(state, replace(state.misses, replaced=True))
    after = replace(
        state,
        pending=Pending.NOTHING,
        striker=offence.offender,
        free_ball=offence.free_ball_before,
        ball_on=offence.ball_on_before,
        in_hand=offence.in_hand_before,
        reds=reds,
        misses=misses,
        touching=(),
    )
    reason = Reason.AGAIN_ALL_REPLACED if all_back else Reason.AGAIN_ORIGINAL
    replaced = ("all",) if all_back else ("white", *facts.replaced)
    return after, unchanged(after, reason, replaced=replaced, warnings=warnings)


def _reds_back(state: State, facts: ChoiceFacts, offence: Offence) -> int:
    """Reds on the table after replacing (3.3(h)); at least one where red is on."""
    lost = offence.reds_before - state.reds
    back = min(lost, Counter(facts.replaced)["red"])
    unknown = [b for b in facts.replaced if b not in (*COLOURS, "red", "white")]
    if unknown:
        raise FactsError(f"a ball must be red, a colour or white, got {unknown[0]!r}")
    least = 1 if offence.ball_on_before == "red" else 0
    return max(state.reds + back, least)


def _warned(state: State, misses: Misses) -> tuple[Misses, tuple[Warn, ...]]:
    """3.14(c)(ii) and amateur 14.1*: a third failure has consequences, and the offender is told."""
    if misses.full_ball_failures >= 2:
        return replace(misses, warned=True), (Warn.THIRD_MISS_LOSES_FRAME,)
    if state.options.amateur_14_1_star and misses.snookered_calls >= 2:
        return replace(misses, warned=True), (Warn.THIRD_MISS_IN_HAND,)
    return misses, ()


def _lots(state: State, facts: ChoiceFacts, first: str) -> tuple[State, Ruling]:
    """3.4(b)(ii), (iii): the winner of the lots chooses; the pair choose who plays, four-handed (3.17(d))."""
    if state.lots_winner is not None and side(facts.by) != side(state.lots_winner):
        return _refuse(state)
    player = facts.first_player or next(p for p in state.order if side(p) == side(first))
    if player not in state.order or side(player) != side(first):
        raise FactsError(f"the first player must be one of the pair {side(first)}, got {player!r}")
    after = replace(state, pending=Pending.NOTHING, striker=player)
    return after, unchanged(after, Reason.LOTS)


def _opponent_first(state: State, facts: ChoiceFacts) -> tuple[State, Ruling]:
    if state.pending is not Pending.LOTS:
        return _refuse(state)
    return _lots(state, facts, opponent(facts.by))


def _concede(state: State, facts: ChoiceFacts) -> tuple[State, Ruling]:
    """4.5(a): only as striker, and the opponent may refuse."""
    if state.over or state.pending is Pending.LOTS or side(facts.by) != side(state.striker):
        return _refuse(state, Reason.CONCEDES)
    early = snookers_required(state, facts.by) == 0
    warnings = (Warn.CONCEDED_EARLY,) if early else ()  # 4.5(c), logged
    after = replace(state, pending=Pending.CONCESSION)
    options = (Choice.ACCEPT_CONCESSION, Choice.REFUSE_CONCESSION)
    return after, unchanged(after, Reason.CONCEDES, warnings=warnings, options=options)


def _accept(state: State, facts: ChoiceFacts) -> tuple[State, Ruling]:
    winner = side(facts.by)
    if state.pending is not Pending.CONCESSION or winner == side(state.striker):
        return _refuse(state, Reason.CONCEDED)
    credit = remaining_value(state) if state.aggregate else 0  # 4.5(b)
    scored = replace(state, scores=add(state.scores, winner, credit))
    ruling = unchanged(scored, Reason.CONCEDED, adjustment=add((0, 0), winner, credit))
    return end_frame(scored, ruling, FrameEnd.CONCEDED, winner)


def _refuse_concession(state: State, facts: ChoiceFacts) -> tuple[State, Ruling]:
    """4.5(a): null and void; what was open before is open again."""
    if state.pending is not Pending.CONCESSION or side(facts.by) == side(state.striker):
        return _refuse(state, Reason.CONCESSION_REFUSED)
    after = replace(state, pending=Pending.AFTER_FOUL if state.offence else Pending.NOTHING)
    return after, unchanged(after, Reason.CONCESSION_REFUSED)


def _claim(state: State, facts: ChoiceFacts) -> tuple[State, Ruling]:
    """2.1(b): only black left, aggregate not relevant, more than seven ahead, by the striker."""
    mine, theirs = state.scores[index(facts.by)], state.scores[index(opponent(facts.by))]
    may = state.only_black and not state.aggregate and side(facts.by) == side(state.striker)
    if state.over or not may or mine - theirs <= CLAIM_LEAD:
        return _refuse(state, Reason.CLAIM_REFUSED)
    return end_frame(state, unchanged(state, Reason.CLAIMED), FrameEnd.CLAIMED, side(facts.by))


_HANDLERS: dict[Choice, Callable[[State, ChoiceFacts], tuple[State, Ruling]]] = {
    Choice.PLAY: _play,
    Choice.FREE_BALL: _play,
    Choice.PLAY_IN_HAND: _play,
    Choice.PLAY_ANYWHERE: _play,
    Choice.AGAIN_LEFT: _again_left,
    Choice.AGAIN_ORIGINAL: _again_original,
    Choice.AGAIN_ALL_REPLACED: _again_original,
    Choice.OPPONENT_FIRST: _opponent_first,
    Choice.CONCEDE: _concede,
    Choice.ACCEPT_CONCESSION: _accept,
    Choice.REFUSE_CONCESSION: _refuse_concession,
    Choice.CLAIM_FRAME: _claim,
}
