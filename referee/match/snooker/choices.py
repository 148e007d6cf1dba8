"""Choices of players after a foul: by call, or shown by a cue-ball that was put back."""

from __future__ import annotations

from dataclasses import replace

from referee.facts.calls import ChoiceCall
from referee.facts.judged import FrameEnded, Output, Warned
from referee.match.position import Folded, Position, Settings
from referee.match.snooker.adjudication import miss_of
from referee.rules.snooker import FrameEnd, Miss, Pending, apply
from referee.rules.snooker.facts import Choice, ChoiceFacts, FactsError

_PLAYED_AGAIN = (Choice.AGAIN_ORIGINAL, Choice.AGAIN_ALL_REPLACED)
"""Choices by which the balls go back and the offender plays again (snooker 3.14(a), (d)(v))."""


def apply_choices(position: Position, until_s: float, settings: Settings) -> Folded:
    """Choices since the last stroke. A cue-ball put back chooses to have the stroke played again."""
    state = position.state
    calls = [c for c in settings.called(position.since_s, until_s) if isinstance(c, ChoiceCall)]
    if state is None or not (calls or position.hands):
        return position, ()
    back = tuple(h.ball for h in position.hands if h.type == "replaced")
    again = any(Choice(c.choice) in _PLAYED_AGAIN for c in calls)
    replaced = state.pending is Pending.AFTER_FOUL and ("white" in back or again)
    outputs: tuple[Output, ...] = ()
    if replaced and position.last is not None and position.last.miss is Miss.REFEREE:
        position, outputs = _call_miss(position)
    objects = tuple(b.partition("_")[0] for b in back if b != "white")
    for call in calls:
        position, more = _apply(position, ChoiceFacts(call.by, Choice(call.choice), objects), call.t_s)
        outputs += more
    if replaced and not again:
        position, more = _shown_by_hand(position, objects)
        outputs += more
    return position, outputs


def _shown_by_hand(position: Position, objects: tuple[str, ...]) -> Folded:
    """The choice that a cue-ball put back shows, where no call settled it: the stroke is played again."""
    state = position.state
    assert state is not None  # choices never end in practice
    if state.pending is not Pending.AFTER_FOUL:
        return position, ()
    shown = ChoiceFacts(state.striker, Choice.AGAIN_ORIGINAL, objects)
    return _apply(position, shown, position.hands[0].t_s)


def _call_miss(position: Position) -> Folded:
    """Call the miss that the facts left to the referee: the cue-ball was put back, so he did call it."""
    last = position.last
    assert last is not None
    facts = replace(last.facts, judgement=replace(last.facts.judgement, good_enough_attempt=False))
    state, ruling = apply(last.before, facts)
    output = replace(
        last.output,
        miss=miss_of(ruling),
        options=tuple(o.value for o in ruling.options),
        words=ruling.words,
        verdict="certain",
        question=None,
        candidates=(),
    )
    return replace(position, state=state, last=replace(last, output=output, facts=facts, miss=ruling.miss)), (
        output,
    )


def _apply(position: Position, choice: ChoiceFacts, t_s: float) -> Folded:
    assert position.state is not None
    try:
        state, ruling = apply(position.state, choice)
    except FactsError as error:
        return position, (Warned("choice_refused", t_s, f"{choice.choice.value} by {choice.by}: {error}"),)
    if not ruling.accepted:
        return position, (
            Warned("choice_refused", t_s, f"{choice.choice.value} by {choice.by} is not open to him"),
        )
    ended: FrameEnded | None = (
        ("conceded" if ruling.frame_end is FrameEnd.CONCEDED else "won") if state.over else None
    )
    frame = replace(position.frames[-1], score=state.scores, winner=ruling.winner, ended=ended)
    warnings = tuple(Warned(w.value, t_s, w.value.replace("_", " ")) for w in ruling.warnings)
    return replace(position, state=state, frames=(*position.frames[:-1], frame)), warnings
