"""Rows of tracks.csv: beginning and end of each rest, every image of a motion, a ball's end."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from tracker.ball import Ball
from tracker.events import TrackRow, TrackState
from tracker.stroke.endings import Ending
from tracker.stroke.paths import Path

HIDDEN_SIGMA_MM = 25.0


def leg_rows(ball: Ball, path: Path, times: Sequence[float], ending: Ending | None) -> list[TrackRow]:
    """End of the rest before a leg, then one row an image. `times`: all images of the span, ascending.

    Positions come from the fitted path; images in which the ball was not seen are filled from it.
    """
    leg = path.leg
    start = path.start.t_s if path.start is not None else leg.t_rest_s
    stop = path.stop_s
    if ending is not None and ending.pot is not None:
        stop = max(stop, ending.pot.t_s)
    rows = [TrackRow(min(leg.t_rest_s, start), ball.name, leg.x0_mm, leg.y0_mm, leg.sigma0_mm, "rest")]
    seen = {p.t_s: p for p in leg.points}
    lo, hi = bisect.bisect_left(times, start), bisect.bisect_right(times, stop)
    for t in times[lo:hi]:
        if not path.segments:
            break
        p = seen.get(t)
        seg = path.segment_at(t) or path.segments[0]
        x, y = seg.at(t)
        sigma = min(seg.sigma(t), HIDDEN_SIGMA_MM)
        if p is not None and (
            seg.n < 3 or (x - p.x_mm) ** 2 + (y - p.y_mm) ** 2 > (4 * p.sigma_mm) ** 2 + 1.0
        ):
            x, y, sigma = p.x_mm, p.y_mm, p.sigma_mm
        elif p is not None:
            sigma = min(sigma, p.sigma_mm)
        rows.append(TrackRow(t, ball.name, x, y, sigma, "moving"))
    if leg.end is not None:
        rows.append(TrackRow(max(stop, rows[-1].t_s), ball.name, *leg.end, "rest"))
    elif ending is not None:
        rows.append(_ending_row(ball, ending, max(stop, rows[-1].t_s), (rows[-1].x_mm, rows[-1].y_mm)))
    return rows


def _ending_row(ball: Ball, ending: Ending, t_s: float, place: tuple[float, float]) -> TrackRow:
    state: TrackState = "potted" if ending.pot is not None else "off" if ending.off else "hidden"
    return TrackRow(t_s, ball.name, place[0], place[1], HIDDEN_SIGMA_MM, state)


def rest_row(ball: Ball, t_s: float) -> TrackRow:
    """The ball's rest as it is known now, at a time."""
    r = ball.rest
    return TrackRow(t_s, ball.name, r.x_mm, r.y_mm, r.place_sigma_mm, "hidden" if ball.covered else "rest")
