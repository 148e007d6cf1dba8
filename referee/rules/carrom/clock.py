"""Carrom: the clock of a stroke (46, 50, 88, 124). Time arrives as data, seconds of one clock."""

from __future__ import annotations

LIMIT_S = 15.0  # 46 after 'Play', 50 for a stroke, 87(a) and 88(a) for placing


def clock_start_s(
    stroke_end_s: float, striker_removed_s: float | None, turn_kept: bool, placing_done_s: float | None = None
) -> float | None:
    """When the fifteen seconds begin: at the end of his own scoring stroke (124(a)); else when the opponent
    has lifted his striker (124(b)), None while it lies there; never before due C/m are placed (50)."""
    start = stroke_end_s if turn_kept else striker_removed_s
    if start is None:
        return None
    return start if placing_done_s is None else max(start, placing_done_s)


def too_late(start_s: float, now_s: float) -> bool:
    """Whether more than fifteen seconds have gone by."""
    return now_s - start_s > LIMIT_S
