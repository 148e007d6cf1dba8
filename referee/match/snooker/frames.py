"""The frame that a layout belongs to: racks, the first layout of a recording, practice, disagreements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from referee.facts.calls import Start
from referee.facts.judged import FrameRecord, Output, StartRecord, Warned
from referee.facts.seen import SeenBall, SeenStroke
from referee.match.position import Folded, Position, Settings
from referee.match.snooker.choices import apply_choices
from referee.rules.snooker import ANY_COLOUR, Options, Pending, State, new_frame
from referee.rules.snooker.facts import COLOURS
from referee.rules.snooker.match import FrameResult, next_starter

MOST_HIDDEN_COLOURS = 2
"""Colours that may be missing from a first layout (hidden, or not found) for it to count as a frame."""
_FULL_TRIANGLES = (15, 10, 6)
_ADDED_REDS = 3
"""More reds than are due by this many are no mistake in counting."""
_PACKED_SHARE = 0.9
"""Share of reds that touch another one in a triangle of which some reds are not seen."""
_TOUCHING_MM = 62.0
"""Centres of two touching reds lie 52.5 mm apart; this leaves room for errors of measurement."""
_OTHER_BALLS = 7
"""Six colours and the cue-ball."""


def counts(layout: Sequence[SeenBall]) -> Counter[str]:
    """How many balls of each colour."""
    return Counter(b.colour for b in layout)


def _touching_share(reds: Sequence[SeenBall]) -> float:
    """The share of reds that have another red within `_TOUCHING_MM`: 1 in a whole triangle."""
    near = [
        min((a.x_mm - b.x_mm) ** 2 + (a.y_mm - b.y_mm) ** 2 for b in reds if b.ball != a.ball) for a in reds
    ]
    return sum(d2 < _TOUCHING_MM**2 for d2 in near) / len(reds)


def racked(layout: Sequence[SeenBall]) -> int:
    """The number of reds of a rack (15, 10 or 6 in a close triangle, all colours there), else 0."""
    seen = counts(layout)
    reds = [b for b in layout if b.colour == "red"]
    if len(reds) not in _FULL_TRIANGLES or any(seen[c] != 1 for c in COLOURS):
        return 0
    return len(reds) if _touching_share(reds) == 1 else 0


def set_again(layout: Sequence[SeenBall], reds_due: int) -> bool:
    """Whether a triangle was set though not every red of it is seen: far more reds than are due, packed."""
    reds = [b for b in layout if b.colour == "red"]
    if len(reds) < _FULL_TRIANGLES[1] or len(reds) < reds_due + _ADDED_REDS:
        return False
    return _touching_share(reds) >= _PACKED_SHARE


def no_frame(layout: Sequence[SeenBall]) -> bool:
    """Whether no frame can have this layout: practice.

    With reds, all six colours are on the table (two may be hidden); without, the colours left are the
    highest ones (3.3(g)), and there is one cue-ball at most.
    """
    seen = counts(layout)
    there = [c for c in COLOURS if seen[c]]
    if seen["white"] > 1 or any(seen[c] > 1 for c in COLOURS) or seen["red"] > max(_FULL_TRIANGLES):
        return True
    if seen["red"]:
        return len(there) < len(COLOURS) - MOST_HIDDEN_COLOURS
    return not there or tuple(there) != COLOURS[-len(there) :]


def layout_state(layout: Sequence[SeenBall], start: Start, options: Options) -> State:
    """The state in which a recording begins: red on while there are reds, else the lowest colour."""
    seen = counts(layout)
    reds = min(seen["red"], max(options.reds, 0))
    there = tuple(c for c in COLOURS if seen[c])
    ball_on = start.ball_on or ("red" if reds else there[0] if there else "black")
    if ball_on == "red" and not reds:
        reds = 1  # said to be on, so at least one is there, hidden
    in_turn = reds == 0 and ball_on not in ("red", ANY_COLOUR)
    colours = COLOURS[COLOURS.index(ball_on) :] if in_turn else COLOURS
    beginning = 0 < reds == racked(layout) and start.score == (0, 0)
    return State(
        striker=start.striker,
        starter=start.striker,
        due_starter=start.striker,
        ball_on=ball_on,
        reds=reds,
        colours=colours,
        scores=start.score,
        in_hand=beginning,
        started=not beginning,
        options=options,
    )


def next_frame(
    before: State | None, layout: Sequence[SeenBall], start: Start, options: Options, first: bool
) -> State:
    """A frame about to begin: the first as `start` says, later ones with the other player (3.3(b))."""
    if first or before is None:
        state = new_frame(start.striker, options)
        state = replace(state, scores=start.score)
    else:
        due = FrameResult(before.due_starter, None)  # after a wrong starter the order goes on (3.3(d)(ii))
        state = new_frame(next_starter((due,)), options)
    reds = counts(layout)["red"]
    return replace(state, reds=reds) if 0 < reds <= options.reds else state


def resynced(state: State, seen: SeenStroke) -> tuple[State, tuple[Warned, ...]]:
    """The state with as many reds, and the colours, that lie on the table before a stroke.

    They differ after lost images, or where a ball was missed or put back by a person; it is said.
    """
    found = counts(seen.before)
    state, warnings = _resynced_hand(state, seen)
    if _as_due(state, found):
        return state, tuple(warnings)
    reds = min(found["red"], state.options.reds)
    if reds != state.reds:
        text = f"{state.reds} reds should be on the table, {found['red']} are seen"
        warnings.append(Warned("reds_disagree", seen.start_s, text))
        state = _with_reds(state, reds)
    back = [c for c in COLOURS if found[c] and c not in state.colours]
    if back:
        text = f"{', '.join(back)} should not be on the table"
        warnings.append(Warned("colours_disagree", seen.start_s, text))
        state = replace(state, colours=tuple(c for c in COLOURS if c in (*state.colours, *back)))
    missing = [c for c in state.colours if not found[c]]
    if missing and not seen.gap_before:
        text = f"{', '.join(missing)} should be on the table and is not seen"
        warnings.append(Warned("colour_not_spotted", seen.start_s, text))
    return state, tuple(warnings)


def out_of_hand(state: State, seen: SeenStroke) -> bool:
    """Whether a cue-ball that should be in-hand is played from far outside the D.

    It did not fall, or what is taken for it is something else.
    """
    return state.in_hand and seen.in_d is None and counts(seen.before)["white"] > 0


def _resynced_hand(state: State, seen: SeenStroke) -> tuple[State, list[Warned]]:
    """The state with the cue-ball in-hand only where it can have been: it lies in or near the D."""
    if not out_of_hand(state, seen):
        return state, []
    text = "the cue-ball should be in-hand and lies far from the D"
    return replace(state, in_hand=False), [Warned("not_in_hand", seen.start_s, text)]


def _as_due(state: State, found: Counter[str]) -> bool:
    """Whether the object balls that lie there are exactly those that should."""
    there = found["red"] == state.reds and all(found[c] for c in state.colours)
    return there and found.total() - found["white"] == state.reds + len(state.colours)


def _with_reds(state: State, reds: int) -> State:
    ball_on = state.ball_on
    if ball_on == "red" and not reds:
        ball_on = state.colours[0] if state.colours else "black"
    elif reds and ball_on in COLOURS:
        ball_on = "red"
    return replace(state, reds=reds, ball_on=ball_on)


def begin_frame(position: Position, layout: Sequence[SeenBall], t_s: float, settings: Settings) -> Folded:
    """Begin a frame with a new triangle. One that was not over counts as conceded, or goes to the leader."""
    position, outputs = apply_choices(position, t_s, settings)
    state, since_s = position.state, max(position.since_s, t_s)
    if position.under_way and state is not None and not state.started:
        # the triangle of a frame that nobody has begun yet: seen again, or set again after a re-rack
        reds = min(counts(layout)["red"], state.options.reds) or state.reds
        return replace(position, state=replace(state, reds=reds), hands=(), since_s=since_s), outputs
    frames, ended = _closed(position, t_s)
    state = next_frame(state, layout, settings.start, settings.options, first=not frames)
    start = position.start or _start_record(state, settings)
    after = replace(
        position,
        state=state,
        practice=False,
        frames=_with_next(frames, state, settings),
        hands=(),
        due=(),
        start=start,
        last=None,
        since_s=since_s,
        doubt=None,
        guessed=False,
    )
    return after, (*outputs, *ended)


def _closed(position: Position, t_s: float) -> tuple[tuple[FrameRecord, ...], tuple[Output, ...]]:
    """The frames before a new one: without a last one that was never played, the last one ended."""
    frames, state = position.frames, position.state
    if not frames or frames[-1].ended is not None:
        return frames, ()
    last = frames[-1]
    if last.first_stroke is None:
        return frames[:-1], ()
    if state is None:
        return frames, ()
    a, b = last.score
    winner = None if a == b else "A" if a > b else "B"
    if state.pending is Pending.CONCESSION:
        winner = "B" if state.striker[0] == "A" else "A"
    warning = Warned("frame_unfinished", t_s, f"frame {last.n} ended at {a}-{b} before the last black")
    return (*frames[:-1], replace(last, winner=winner, ended="unfinished")), (warning,)


def frame_of(position: Position, seen: SeenStroke, settings: Settings) -> Folded:
    """The position with the frame that a stroke belongs to, begun by it if need be; or practice."""
    state = position.state
    if state is not None and not state.over and len(seen.before) <= state.reds + _OTHER_BALLS:
        return position, ()  # no more balls than there should be: the same frame
    if _set_up_anew(state, seen.before):
        return begin_frame(position, seen.before, seen.start_s, settings)
    if state is not None or position.practice:
        return position, ()
    if settings.start.assumed and no_frame(seen.before):
        text = "the first layout cannot be of a frame: practice, facts without rulings"
        start = StartRecord(None, None, (0, 0), True)
        return replace(position, practice=True, start=start), (Warned("practice", seen.start_s, text),)
    state = layout_state(seen.before, settings.start, settings.options)
    frames = _with_next((), state, settings)
    guessed = settings.start.assumed and state.started
    start = _start_record(state, settings)
    return replace(position, state=state, start=start, frames=frames, guessed=guessed), ()


def _set_up_anew(state: State | None, layout: Sequence[SeenBall]) -> bool:
    """Whether a layout begins a frame: a rack, or so many more reds than are due that they were set again."""
    if state is not None and set_again(layout, state.reds):
        return True
    rack = racked(layout)
    return bool(rack) and (state is None or state.over or state.reds < rack)


def _with_next(frames: tuple[FrameRecord, ...], state: State, settings: Settings) -> tuple[FrameRecord, ...]:
    """The frames with one more; the first of a record comes after those that were won before it."""
    if not frames:
        a, b = settings.frames_before
        frames = tuple(
            FrameRecord(n, None, (0, 0), winner, "won") for n, winner in enumerate("A" * a + "B" * b, 1)
        )
    return (*frames, FrameRecord(len(frames) + 1, None, state.scores, None))


def _start_record(state: State, settings: Settings) -> StartRecord:
    return StartRecord(state.striker, state.ball_on, state.scores, settings.start.assumed)
