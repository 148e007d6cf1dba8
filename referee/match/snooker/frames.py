"""Which frame a layout can belong to: racks, states read off a first layout, practice, disagreements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from referee.facts.calls import Start
from referee.facts.judged import Warned
from referee.facts.seen import SeenBall, SeenStroke
from referee.rules.snooker import ANY_COLOUR, Options, State, new_frame
from referee.rules.snooker.facts import COLOURS

MOST_HIDDEN_COLOURS = 2
"""Colours that may be missing from a first layout (hidden, or not found) for it to count as a frame."""
_FULL_TRIANGLES = (15, 10, 6)
_ADDED_REDS = 3
"""More reds than are due by this many are no mistake in counting."""
_PACKED_SHARE = 0.9
_TRIANGLE_MM = 62.0
"""In a rack every red has another one nearer than this: touching, with room for measurement."""


def counts(layout: Sequence[SeenBall]) -> Counter[str]:
    """How many balls of each colour."""
    return Counter(b.colour for b in layout)


def racked(layout: Sequence[SeenBall]) -> int:
    """The number of reds of a rack (15, 10 or 6 in a close triangle, all colours there), else 0."""
    seen = counts(layout)
    reds = [b for b in layout if b.colour == "red"]
    if seen["red"] not in _FULL_TRIANGLES or any(seen[c] != 1 for c in COLOURS):
        return 0
    for a in reds:
        near = min((a.x_mm - b.x_mm) ** 2 + (a.y_mm - b.y_mm) ** 2 for b in reds if b.ball != a.ball)
        if near > _TRIANGLE_MM**2:
            return 0
    return seen["red"]


def set_again(layout: Sequence[SeenBall], reds_due: int) -> bool:
    """Whether a triangle was set though not every red of it is seen: far more reds than are due, packed."""
    reds = [b for b in layout if b.colour == "red"]
    if len(reds) < _FULL_TRIANGLES[1] or len(reds) < reds_due + _ADDED_REDS:
        return False
    near = sum(
        min((a.x_mm - b.x_mm) ** 2 + (a.y_mm - b.y_mm) ** 2 for b in reds if b.ball != a.ball)
        < _TRIANGLE_MM**2
        for a in reds
    )
    return near >= _PACKED_SHARE * len(reds)


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
        state = new_frame("B" if before.starter == "A" else "A", options)
    reds = counts(layout)["red"]
    return replace(state, reds=reds) if 0 < reds <= options.reds else state


def resynced(state: State, seen: SeenStroke) -> tuple[State, tuple[Warned, ...]]:
    """The state with as many reds, and the colours, that lie on the table before a stroke.

    They differ after lost images, or where a ball was missed or put back by a person; it is said.
    """
    told: list[Warned] = []
    colours = [b.colour for b in seen.before]
    if state.in_hand and seen.in_d is None and "white" in colours:
        told.append(
            Warned("not_in_hand", seen.start_s, "the cue-ball should be in-hand and lies far from the D")
        )
        state = replace(state, in_hand=False)
    due = state.reds + len(state.colours)
    there = colours.count("red") == state.reds and all(c in colours for c in state.colours)
    if there and len(colours) - colours.count("white") == due:
        return state, tuple(told)
    found = counts(seen.before)
    reds = min(found["red"], state.options.reds)
    if reds != state.reds:
        text = f"{state.reds} reds should be on the table, {found['red']} are seen"
        told.append(Warned("reds_disagree", seen.start_s, text))
        state = _with_reds(state, reds)
    back = [c for c in COLOURS if found[c] and c not in state.colours]
    if back:
        told.append(Warned("colours_disagree", seen.start_s, f"{', '.join(back)} should not be on the table"))
        state = replace(state, colours=tuple(c for c in COLOURS if c in (*state.colours, *back)))
    missing = [c for c in state.colours if not found[c]]
    if missing and not seen.gap_before:
        text = f"{', '.join(missing)} should be on the table and is not seen"
        told.append(Warned("colour_not_spotted", seen.start_s, text))
    return state, tuple(told)


def _with_reds(state: State, reds: int) -> State:
    ball_on = state.ball_on
    if ball_on == "red" and not reds:
        ball_on = state.colours[0] if state.colours else "black"
    elif reds and ball_on in COLOURS:
        ball_on = "red"
    return replace(state, reds=reds, ball_on=ball_on)
