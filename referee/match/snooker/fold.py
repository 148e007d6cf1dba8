"""The score is a fold over the record: `step(position, seen) -> (position, outputs)`, pure.

A `Position` is everything that the next entry depends on. Correcting an entry means folding again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from referee.facts.calls import ChoiceCall, FrameCall
from referee.facts.corrections import Correction, as_corrected
from referee.facts.judged import FrameEnded, FrameRecord, JudgedStroke, Output, StartRecord, Warned
from referee.facts.seen import Seen, SeenBall, SeenGap, SeenHand, SeenLayout, SeenStroke
from referee.match.snooker.adjudication import NOT_RULED, Judged, foul_of, miss_of, touching_balls
from referee.match.snooker.doubts import judged_stroke, still_doubted, stroke_readings
from referee.match.snooker.frame_calls import befallen
from referee.match.snooker.frames import (
    counts,
    layout_state,
    next_frame,
    no_frame,
    racked,
    resynced,
    set_again,
)
from referee.match.snooker.missing import missing_balls, with_missing
from referee.match.snooker.position import Last, Position, Settings
from referee.match.snooker.spotting import check_spotting
from referee.rules.snooker import ANY_COLOUR, FrameEnd, Miss, Pending, Ruling, State, apply
from referee.rules.snooker.facts import VALUES, Choice, ChoiceFacts, FactsError

_OTHER_BALLS = 7  # six colours and the cue-ball
UNUSABLE = {
    "images_lost": "images were lost; no contact time is claimed across them",
    "corrupt": "the images are damaged and were not used",
    "clock_changed": "the recorder's clock was set anew; how long nothing was recorded is unknown",
    "size_changed": "the images have another shape than the calibrated ones and were not used",
    "no_colour": "the pictures have no colour; they were not used",
    "other_view": "the table is not in sight as calibrated (another camera, a title, darkness); not used",
}
"""Reasons for which a span of images could not be used, in words."""
_NUDGE_MM = 10.0  # a ball found this little elsewhere between strokes is not worth a warning


def step(
    position: Position, seen: Seen, entry: int, settings: Settings
) -> tuple[Position, tuple[Output, ...]]:
    """Fold one entry of the record. A stroke that is output again (the same `n`) replaces its former self."""
    fix = settings.correction(entry)
    if fix is not None and fix.drop:
        return position, ()
    if isinstance(seen, SeenStroke):
        return _stroke(position, seen, entry, settings, fix)
    if isinstance(seen, SeenHand):
        return _hand(position, seen, settings)
    if isinstance(seen, SeenLayout):
        return _layout(position, seen, settings)
    told = _gap(seen)
    return (position if told.end_s is None else replace(position, blind=(seen.start_s, seen.end_s))), (told,)


def fold(entries: Iterable[tuple[int, Seen]], settings: Settings) -> tuple[Position, list[Output]]:
    """The whole record, from the beginning."""
    position, outputs = Position(), list[Output]()
    for entry, seen in entries:
        position, new = step(position, seen, entry, settings)
        outputs += new
    return position, outputs


def _gap(gap: SeenGap) -> Warned:
    what = {
        "images_repeated": "images were repeated",
        "rescaled": (
            "the images have another size from here on; they are scaled to the calibrated one, places are"
            " less exact"
        ),
        "cut": "the recording was cut",
        "covered": "the table was covered",
        "unusable": "the images could not be used",
        "camera_moved": (
            "the camera has moved by more than 1 mm on the cloth; calibrate again, places are off"
        ),
        "camera_healed": "the camera was knocked; its new pose was measured, places are right again",
    }.get(gap.reason, UNUSABLE.get(gap.reason, gap.reason))
    text = f"{gap.end_s - gap.start_s:.2f} s from {gap.start_s:.2f} s: {what}"
    return Warned(gap.reason, gap.start_s, text, gap.end_s if gap.reason in UNUSABLE else None)


def _hand(position: Position, hand: SeenHand, settings: Settings) -> tuple[Position, tuple[Output, ...]]:
    layout = position.last.output.seen.after if position.last is not None else ()
    check = check_spotting(hand, position.due, settings.table, layout)
    after = replace(position, hands=(*position.hands, hand))
    if check is not None:
        return after, (hand, check)
    state = position.state
    far = math.inf if hand.from_mm is None or hand.to_mm is None else math.dist(hand.from_mm, hand.to_mm[:2])
    placing = hand.ball == "white" and state is not None and state.in_hand
    if hand.type != "moved" or state is None or placing or far < _NUDGE_MM:
        return after, (hand,)
    text = f"a hand moved the {hand.ball.replace('_', ' ')}: a foul if the striker's (snooker 3.12(b)(vi))"
    return after, (hand, Warned("ball_moved_by_hand", hand.t_s, text))


def _layout(position: Position, seen: SeenLayout, settings: Settings) -> tuple[Position, tuple[Output, ...]]:
    if not seen.rack:
        told = Warned("layout_changed", seen.t_s, "balls moved while nothing was recorded")
        unseen = position.blind is not None and abs(seen.t_s - position.blind[1]) < 1e-6
        return (replace(position, doubt=position.blind) if unseen else position), (told,)
    return _new_frame(position, seen.layout, seen.t_s, settings)


def _new_frame(
    position: Position, layout: Sequence[SeenBall], t_s: float, settings: Settings
) -> tuple[Position, tuple[Output, ...]]:
    """A new triangle begins a frame; one that was not over counts as conceded, or goes to the leader."""
    position, befell = _befallen(position, t_s, settings)
    position, told = _choices(position, t_s, settings)
    told = (*befell, *told)
    state, frames, since_s = position.state, position.frames, max(position.since_s, t_s)
    if state is not None and not state.started and not state.over and not position.practice:
        # the triangle of a frame that nobody has begun yet: seen again, or set again after a re-rack
        reds = min(counts(layout)["red"], state.options.reds) or state.reds
        return replace(position, state=replace(state, reds=reds), hands=(), since_s=since_s), told
    if (
        position.state is not None
        and frames
        and frames[-1].ended is None
        and frames[-1].first_stroke is not None
    ):
        a, b = frames[-1].score
        winner = None if a == b else "A" if a > b else "B"
        if position.state.pending is Pending.CONCESSION:
            winner = "B" if position.state.striker[0] == "A" else "A"
        frames = (*frames[:-1], replace(frames[-1], winner=winner, ended="unfinished"))
        told = (
            *told,
            Warned("frame_unfinished", t_s, f"frame {frames[-1].n} ended at {a}-{b} before the last black"),
        )
    elif frames and frames[-1].first_stroke is None and frames[-1].ended is None:
        frames = frames[:-1]
    state = next_frame(position.state, layout, settings.start, settings.options, first=not frames)
    score = state.scores
    started = position.start or StartRecord(state.striker, state.ball_on, score, settings.start.assumed)
    frames = (*frames, FrameRecord(len(frames) + 1, None, score, None))
    after = replace(
        position,
        state=state,
        practice=False,
        frames=frames,
        hands=(),
        due=(),
        start=started,
        last=None,
        since_s=since_s,
        doubt=None,
    )
    return after, told


def _opened(position: Position, seen: SeenStroke, settings: Settings) -> tuple[Position, tuple[Output, ...]]:
    """The position with a frame under way, if this stroke can belong to one."""
    state = position.state
    if state is not None and not state.over and len(seen.before) <= state.reds + _OTHER_BALLS:
        return position, ()  # no more reds than there should be: the same frame
    rack = racked(seen.before)
    again = state is not None and set_again(seen.before, state.reds)
    if again or (rack and (state is None or state.over or state.reds < rack)):
        return _new_frame(position, seen.before, seen.start_s, settings)
    if position.state is not None or position.practice:
        return position, ()
    if settings.start.assumed and no_frame(seen.before):
        text = "the first layout cannot be of a frame: practice, facts without rulings"
        start = StartRecord(None, None, (0, 0), True)
        return replace(position, practice=True, start=start), (Warned("practice", seen.start_s, text),)
    state = layout_state(seen.before, settings.start, settings.options)
    start = StartRecord(state.striker, state.ball_on, state.scores, settings.start.assumed)
    return replace(position, state=state, start=start, frames=(FrameRecord(1, None, state.scores, None),)), ()


def _stroke(
    position: Position, seen: SeenStroke, entry: int, settings: Settings, fix: Correction | None
) -> tuple[Position, tuple[Output, ...]]:
    position, befell = _befallen(position, seen.start_s, settings)
    position, told = _opened(position, seen, settings)
    told = (*befell, *told)
    if position.state is None or position.state.over:
        position, output = _unruled(position, as_corrected(seen, fix), entry)
        return position, (*told, output)
    position, amended = _choices(position, seen.start_s, settings)
    if position.state is None or position.state.over:  # conceded or claimed: this is not of the frame
        position, output = _unruled(position, as_corrected(seen, fix), entry)
        return position, (*told, *amended, output)
    position, judged_outputs = _ruled(position, seen, entry, settings, fix)
    return position, (*told, *amended, *judged_outputs)


def _ruled(
    position: Position, seen: SeenStroke, entry: int, settings: Settings, fix: Correction | None
) -> tuple[Position, tuple[Output, ...]]:
    assert position.state is not None
    missing = missing_balls(position.state, seen)
    state, doubts = resynced(position.state, seen)
    judged = judged_stroke(position, seen, state, settings, fix, missing)
    still = None
    if position.doubt is not None:
        as_seen = judged if fix is None else judged_stroke(position, seen, state, settings, None, missing)
        still = still_doubted(position, as_seen, fix)
    if judged is None:
        found = stroke_readings(position, seen, state, settings, fix)
        judged = Judged(found[0].facts, state, NOT_RULED, "call", "What happened in this stroke?", ())
        doubts = (
            *doubts,
            Warned("contradiction", seen.start_s, "what was seen cannot be true of the balls on the table"),
        )
    told = replace(with_missing(seen, missing), pots=seen.pots)
    output = _output(position, as_corrected(told, fix), entry, state, judged)
    after = replace(_after(position, seen, state, judged, output), doubt=still)
    return after, (*doubts, output, *_warnings(judged.ruling, seen))


def _after(
    position: Position, seen: SeenStroke, state: State, judged: Judged, output: JudgedStroke
) -> Position:
    frame = position.frames[-1]
    frame = replace(
        frame,
        first_stroke=frame.first_stroke or output.n,
        score=judged.state.scores,
        winner=judged.ruling.winner,
        ended="won" if judged.state.over else None,
    )
    return replace(
        position,
        state=judged.state,
        strokes=output.n,
        frames=(*position.frames[:-1], frame),
        since_s=seen.end_s,
        hands=(),
        due=judged.ruling.respot,
        doubt=None,
        last=Last(output, state, judged.facts, judged.ruling.miss),
    )


def _output(position: Position, seen: SeenStroke, entry: int, state: State, judged: Judged) -> JudgedStroke:
    ruling = judged.ruling
    return JudgedStroke(
        n=position.strokes + 1,
        frame=position.frames[-1].n,
        entry=entry,
        seen=seen,
        striker=judged.facts.by,
        ball_on=state.ball_on,
        nominated=None if judged.asked == "nominated" else judged.facts.nominated,
        free_ball=state.free_ball,
        foul=foul_of(ruling),
        miss=miss_of(ruling),
        points=ruling.points,
        score=judged.state.scores,
        break_points=ruling.break_points,
        options=tuple(o.value for o in ruling.options),
        touching=touching_balls(seen),
        next_free_ball=ruling.free_ball,
        next_striker=ruling.next_striker,
        next_ball_on=ruling.next_ball_on,
        words=ruling.words,
        due=tuple((p.ball, p.spot, p.xy_mm[0], p.xy_mm[1], p.clause) for p in ruling.respot),
        verdict=judged.verdict,
        question=judged.question,
        candidates=judged.candidates,
        remaining=points_left(judged.state),
    )


def points_left(state: State) -> int | None:
    """What the balls left can bring without fouls (snooker 3.1(a)): a black with each red, then the colours.

    A colour that is on after a red may be the black; a free ball counts as one more ball on (3.13).
    None when the frame is over.
    """
    if state.over or state.ball_on is None:
        return None
    red, black = VALUES["red"], VALUES["black"]
    colours = sum(VALUES[c] for c in state.colours)
    if state.ball_on in state.colours:
        left = sum(VALUES[c] for c in state.colours if VALUES[c] >= VALUES[state.ball_on])
        return left + (VALUES[state.ball_on] if state.free_ball else 0)
    extra = black if state.ball_on == ANY_COLOUR else red + black if state.free_ball else 0
    return state.reds * (red + black) + colours + extra


def _unruled(position: Position, seen: SeenStroke, entry: int) -> tuple[Position, JudgedStroke]:
    """Practice, or strokes after a frame: facts, no rulings."""
    output = JudgedStroke(
        n=position.strokes + 1,
        frame=max(1, len(position.frames)),
        entry=entry,
        seen=seen,
        striker=None,
        ball_on=None,
        nominated=None,
        free_ball=False,
        foul=None,
        miss=None,
        points=0,
        score=position.score,
        break_points=0,
        options=(),
        touching=touching_balls(seen),
        next_free_ball=False,
        next_striker=None,
        next_ball_on=None,
        words=(),
        due=(),
        verdict="certain",
        question=None,
        candidates=(),
    )
    return replace(position, strokes=output.n, since_s=seen.end_s, hands=(), due=(), last=None), output


def _warnings(ruling: Ruling, seen: SeenStroke) -> Iterable[Warned]:
    for warning in ruling.warnings:
        yield Warned(warning.value, seen.end_s, warning.value.replace("_", " "))


def finish(position: Position, settings: Settings) -> tuple[Position, tuple[Output, ...]]:
    """The position at the end of the recording: what was called after the last stroke counts too."""
    position, befell = _befallen(position, math.inf, settings)
    position, told = _choices(position, math.inf, settings)
    return position, (*befell, *told)


def _choices(position: Position, until_s: float, settings: Settings) -> tuple[Position, tuple[Output, ...]]:
    """What players chose since the last stroke: by call, or plain from a cue-ball put back."""
    amended: tuple[Output, ...] = ()
    state = position.state
    called = [c for c in settings.called(position.since_s, until_s) if isinstance(c, ChoiceCall)]
    if state is None or not (called or position.hands):
        return position, ()
    back = tuple(h.ball for h in position.hands if h.type == "replaced")
    asked = any(Choice(c.choice) in (Choice.AGAIN_ORIGINAL, Choice.AGAIN_ALL_REPLACED) for c in called)
    replaced = state.pending is Pending.AFTER_FOUL and ("white" in back or asked)
    if replaced and position.last is not None and position.last.miss is Miss.REFEREE:
        position, amended = _miss_after_all(position)
    objects = tuple(b.partition("_")[0] for b in back if b != "white")
    for call in called:
        position, told = _chosen(position, ChoiceFacts(call.by, Choice(call.choice), objects), call.t_s)
        amended = (*amended, *told)
    state = position.state
    assert state is not None
    if replaced and not asked and state.pending is Pending.AFTER_FOUL:
        plain = ChoiceFacts(state.striker, Choice.AGAIN_ORIGINAL, objects)
        position, told = _chosen(position, plain, position.hands[0].t_s)
        amended = (*amended, *told)
    return position, amended


def _miss_after_all(position: Position) -> tuple[Position, tuple[Output, ...]]:
    """The cue-ball was put back, so the referee did call the miss that the facts had left to him."""
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


def _chosen(position: Position, choice: ChoiceFacts, t_s: float) -> tuple[Position, tuple[Output, ...]]:
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
    told = tuple(Warned(w.value, t_s, w.value.replace("_", " ")) for w in ruling.warnings)
    return replace(position, state=state, frames=(*position.frames[:-1], frame)), told


def _befallen(position: Position, until_s: float, settings: Settings) -> tuple[Position, tuple[Output, ...]]:
    """Frames conceded, abandoned or set up again; practice, or a frame, from then on: as people said."""
    told: tuple[Output, ...] = ()
    for call in settings.called(position.befallen_s, until_s):
        if isinstance(call, FrameCall):
            position, more = _befell(replace(position, befallen_s=call.t_s), call, settings)
            told = (*told, *more)
    return position, told


def _befell(position: Position, call: FrameCall, settings: Settings) -> tuple[Position, tuple[Output, ...]]:
    state, frames = position.state, position.frames
    under_way = state is not None and not state.over and not position.practice
    if call.act == "frame" and not under_way:
        after, told = _new_frame(position, (), call.t_s, settings)
        return after, (*told, Warned("frame", call.t_s, f"frame {after.frames[-1].n} begins"))
    if call.act == "practice" and (not under_way or not frames or frames[-1].first_stroke is None):
        left = (
            frames[:-1] if under_way and frames else frames
        )  # nothing was played in the frame: there was none
        after = replace(
            position, state=None if under_way else state, frames=left, practice=True, due=(), last=None
        )
        return after, (Warned("practice", call.t_s, "practice from now on"),)
    found = befallen(state, call) if state is not None and under_way else None
    if found is None:
        return position, (Warned("call_refused", call.t_s, f"{call.act} is not open now"),)
    frame = replace(frames[-1], score=found.state.scores, winner=found.state.winner, ended=found.ended)
    after = replace(
        position,
        state=found.state,
        frames=(*frames[:-1], frame),
        practice=call.act == "practice",
        hands=(),
        due=(),
        last=None,
    )
    return after, (Warned(call.act, call.t_s, found.text),)
