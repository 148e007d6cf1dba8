"""Carrom's places in the board's own frame: origin at its centre, as its laws and records have it.

Images, tracks and calibration measure y from the inner edge of the frame on player A's side.
"""

from __future__ import annotations

from dataclasses import replace

from calibration.table.board import origin_of_records_mm
from calibration.table.specs import TableSpec
from tracker.events import HandMove, Layout, LayoutChange, StrokeRecord, TrackerEvent, TrackRow


def in_board_frame(event: TrackerEvent, table: TableSpec) -> TrackerEvent:
    """The event with its places from the board's centre; unchanged on a cue table."""
    if not table.is_board:
        return event
    down = origin_of_records_mm(table)
    if isinstance(event, StrokeRecord):
        possible = tuple(replace(b, y_mm=b.y_mm - down) for b in event.possible)
        before, after = _layout(event.before, down), _layout(event.after, down)
        reached = tuple(
            replace(r, low_y_mm=r.low_y_mm - down, high_y_mm=r.high_y_mm - down) for r in event.reached
        )
        cushions = tuple(c if c.y_mm is None else replace(c, y_mm=c.y_mm - down) for c in event.cushions)
        return replace(
            event, before=before, after=after, possible=possible, reached=reached, cushions=cushions
        )
    if isinstance(event, LayoutChange):
        return replace(event, layout=_layout(event.layout, down))
    if isinstance(event, TrackRow):
        return replace(event, y_mm=event.y_mm - down)
    if isinstance(event, HandMove):
        old, new = event.from_mm, event.to_mm
        return replace(
            event,
            from_mm=None if old is None else (old[0], old[1] - down),
            to_mm=None if new is None else (new[0], new[1] - down, new[2]),
        )
    return event


def _layout(layout: Layout, down_mm: float) -> Layout:
    return tuple(replace(b, y_mm=b.y_mm - down_mm) for b in layout)
