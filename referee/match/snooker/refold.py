"""Carries the rulings of later frames over a change in an earlier one, without judging them again.

A frame begins from nothing but who began the one before; what differs after a change in an earlier
frame is the earlier frames' scores and, where a stroke was added or taken away, the strokes' numbers.
"""

from __future__ import annotations

from dataclasses import replace

from referee.facts.judged import FrameRecord, JudgedStroke, Output
from referee.match.position import Course, Last, Position, Told

Step = tuple[Position, tuple[Output, ...]]


def carries(old: Position, new: Position) -> bool:
    """Whether all that follows is judged from `new` as it was from `old`: both stand before a fresh frame."""
    if not old.frames or len(old.frames) != len(new.frames) or old.last is not None:
        return False
    fresh = old.frames[-1]
    if fresh.first_stroke is not None or fresh != new.frames[-1]:
        return False
    return replace(old, frames=new.frames, strokes=new.strokes) == new


def carried(step: Step, old: Position, new: Position) -> Step:
    """A later step, judged from `old`, as it follows from `new`."""
    position, outputs = step
    before, shift = new.frames[:-1], new.strokes - old.strokes
    later = tuple(_moved_frame(f, shift) for f in position.frames[len(before) :])
    last = position.last
    moved = replace(
        position,
        frames=(*before, *later),
        strokes=position.strokes + shift,
        last=_moved_last(last, shift) if last is not None and shift else last,
        courses=tuple(_moved_course(c, old, new) for c in position.courses),
        own_course=tuple(_moved_told(t, shift) for t in position.own_course),
    )
    if not shift:
        return moved, outputs
    return moved, tuple(_moved_stroke(o, shift) if isinstance(o, JudgedStroke) else o for o in outputs)


def _moved_course(course: Course, old: Position, new: Position) -> Course:
    position, _ = carried((course.position, ()), old, new)
    shift = new.strokes - old.strokes
    return replace(course, position=position, strokes=tuple(_moved_told(t, shift) for t in course.strokes))


def _moved_told(told: Told, shift: int) -> Told:
    sure = None if told.sure is None else _moved_stroke(told.sure, shift)
    return replace(told, stroke=_moved_stroke(told.stroke, shift), sure=sure)


def _moved_stroke(stroke: JudgedStroke, shift: int) -> JudgedStroke:
    return replace(stroke, n=stroke.n + shift) if shift else stroke


def _moved_frame(frame: FrameRecord, shift: int) -> FrameRecord:
    if not shift or frame.first_stroke is None:
        return frame
    return replace(frame, first_stroke=frame.first_stroke + shift)


def _moved_last(last: Last, shift: int) -> Last:
    return replace(last, output=replace(last.output, n=last.output.n + shift))
