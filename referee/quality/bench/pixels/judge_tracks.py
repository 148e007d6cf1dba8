"""`tracks.csv` of a reviewed clip against its truth: balls in motion, identities, two rests at one place."""

from __future__ import annotations

import csv
import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

from referee.outputs.tracks import TRACKS_FILE
from referee.quality.bench.pixels.film import TrueMotion
from referee.quality.bench.pixels.judge import GATE_MM
from referee.quality.bench.pixels.judge_clip import Reviewed
from referee.quality.bench.pixels.scenes import mm_per_px
from referee.quality.bench.records import BallInMotion, Identity, Record, RestAgain
from vision.render.play.director import StrokeEvent
from vision.render.play.match import kind

_GONE = ("potted", "off")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of tracks.csv."""

    t_s: float
    x_mm: float
    y_mm: float
    sigma_mm: float
    state: str


Rows = dict[str, list[Row]]


def read_rows(out: Path) -> Rows:
    """The rows of a review's tracks.csv by ball, times ascending."""
    rows: Rows = defaultdict(list)
    with (out / TRACKS_FILE).open(newline="", encoding="utf-8") as handle:
        for line in csv.DictReader(handle):
            rows[line["ball"]].append(
                Row(
                    float(line["t_s"]),
                    float(line["x_mm"]),
                    float(line["y_mm"]),
                    float(line["sigma_mm"]),
                    line["state"],
                )
            )
    for ball in rows.values():
        ball.sort(key=lambda r: r.t_s)
    return rows


def row_at(rows: list[Row], t_s: float) -> Row | None:
    """The row that holds at a time: the one of that image, else the last before it; None once the ball is
    gone.
    """
    times = [r.t_s for r in rows]
    i = bisect_left(times, t_s - 1e-3)
    if i < len(rows) and rows[i].t_s <= t_s + 1e-3 and rows[i].state == "moving":
        return rows[i]
    k = bisect_right(times, t_s + 1e-3) - 1
    return None if k < 0 or rows[k].state in _GONE else rows[k]


def judge_tracks(clip: Reviewed, rows: Rows) -> list[Record]:
    """Records of everything that tracks.csv says of matched strokes."""
    out: list[Record] = []
    for i, j in clip.matched:
        if i is None or j is None:
            continue
        event = clip.truth.strokes[i]
        names = _named(rows, event, event.played.start, event.t_strike - 0.1)
        motions = [m for m in clip.truth.motions if m.stroke == i]
        out += [_motion(clip, m, rows.get(names.get(m.ball, ""), [])) for m in motions]
        after = _named(rows, event, event.played.end, event.t_rest + 0.25)
        kept = [b for b in names if b in after]
        swaps = sum(names[b] != after[b] for b in kept)
        out.append(Identity(clip.where, i, len(kept), len(event.played.flight.contacts), swaps))
    return out + _rests_again(clip, rows)


def _named(
    rows: Rows, event: StrokeEvent, layout: dict[str, tuple[float, float]], t_s: float
) -> dict[str, str]:
    """True ball -> the review's name of the ball that it has at that place then."""
    here = {n: r for n, ball in rows.items() if (r := row_at(ball, t_s)) is not None}
    if not here or not layout:
        return {}
    true, said = list(layout), list(here)
    far = np.array([[math.dist(layout[b], (here[n].x_mm, here[n].y_mm)) for n in said] for b in true])
    rows_at, columns = scipy.optimize.linear_sum_assignment(np.where(far <= GATE_MM, far, 1e4))
    return {true[a]: said[b] for a, b in zip(rows_at, columns, strict=True) if far[a, b] <= GATE_MM}


def _motion(clip: Reviewed, m: TrueMotion, rows: list[Row]) -> BallInMotion:
    scale = mm_per_px(clip.camera, m.x_mm, m.y_mm)
    row = row_at(rows, m.t_s) if rows else None
    common = (
        clip.where,
        m.stroke,
        m.t_s,
        m.ball,
        kind(m.ball),
        m.x_mm,
        m.y_mm,
        m.speed_mm_s,
        m.visible,
        scale,
    )
    if row is None or row.state == "hidden":
        return BallInMotion(*common, None if row is None else row.state, None, None, None)
    return BallInMotion(*common, row.state, row.x_mm - m.x_mm, row.y_mm - m.y_mm, row.sigma_mm)


def _rests_again(clip: Reviewed, rows: Rows) -> list[Record]:
    """Balls that no stroke and no hand moved: their place before the first stroke and before the last one."""
    strokes = clip.truth.strokes
    if len(strokes) < 2:
        return []
    first, last = strokes[0], strokes[-1]
    touched = {h.ball for h in clip.truth.hands}
    still = [b for b, p in first.played.start.items() if last.played.start.get(b) == p and b not in touched]
    a = _named(rows, first, {b: first.played.start[b] for b in still}, first.t_strike - 0.1)
    b = _named(rows, last, {b: last.played.start[b] for b in still}, last.t_strike - 0.1)
    out: list[Record] = []
    for ball in still:
        if ball not in a or ball not in b:
            continue
        before, again = (
            row_at(rows[a[ball]], first.t_strike - 0.1),
            row_at(rows[b[ball]], last.t_strike - 0.1),
        )
        if before is not None and again is not None:
            x, y = first.played.start[ball]
            apart = math.dist((before.x_mm, before.y_mm), (again.x_mm, again.y_mm))
            out.append(RestAgain(clip.where, kind(ball), x, y, last.t_strike - first.t_strike, apart))
    return out
