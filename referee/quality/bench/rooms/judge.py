"""Compares results of the second world's pictures and clips with their truth, as the bench's records."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.table.board import origin_of_records_mm
from calibration.table.specs import TableSpec
from referee.match.weighing import CERTAIN
from referee.quality.bench.pixels.judge import Moment, SaidBall, TrueBall, judge_layout
from referee.quality.bench.pixels.judge_clip import SAME_STROKE_S, asked, said_balls
from referee.quality.bench.real.judge import asks_all
from referee.quality.bench.records import (
    BallInMotion,
    ExtraBall,
    Fact,
    LayoutJudged,
    Record,
    StrokeJudged,
    Where,
)
from referee.quality.bench.rooms.film import FilmedClip
from referee.quality.bench.rooms.script import struck
from referee.quality.bench.rooms.setting import Setting
from referee.quality.bench.rooms.stage import People, Places
from referee.quality.bench.tracks.play import TrueStroke, kind

_NEAR_PERSON_MM = 150.0
_SAME_IMAGE_S = 0.021  # half an image at 25 images a second
_FOLLOWED_MM = 45.0  # beside half a streak; balls pass each other no nearer than this for long


def judge_still(
    where: Where,
    setting: Setting,
    places: Places,
    sight: Mapping[str, float],
    lit: Mapping[str, float],
    said: Sequence[SaidBall],
    people: People,
) -> list[Record]:
    """The balls of a picture as said, each extra one with whether somebody is near. `sight`, `lit`: of each
    ball, the share in sight and the light about it.
    """
    true = [
        TrueBall(kind(n), *p, sight[n], _from_cushion_mm(p, setting.table), lit.get(n))
        for n, p in places.items()
    ]
    records = judge_layout(Moment(where, None, "cueref", setting.view.camera), true, said)
    return [
        replace(r, near_person=near_person((r.x_mm, r.y_mm), people)) if isinstance(r, ExtraBall) else r
        for r in records
    ]


def _from_cushion_mm(at: tuple[float, float], table: TableSpec) -> float:
    """From a ball's edge to the nearest nose."""
    x, y = at
    return min(table.half_width_mm - abs(x), y, table.length_mm - y) - table.ball_radius_mm


def near_person(at: tuple[float, float], people: People) -> bool:
    """Whether any part of somebody lies over a place or within 150 mm of it, seen from above."""
    for part in people.parts:
        xy = part.mesh.vertices[::7, :2]
        if float(np.min(np.hypot(xy[:, 0] - at[0], xy[:, 1] - at[1]))) < _NEAR_PERSON_MM:
            return True
    return False


def judge_clip(
    where: Where, setting: Setting, clip: FilmedClip, match: Mapping[str, Any], tracks: Path
) -> list[Record]:
    """Strokes, layouts before them, first contacts, pots, rulings, and balls in motion."""
    out: list[Record] = []
    said = list(match["strokes"])
    for k, true in enumerate(clip.span.strokes):
        near = min(said, key=lambda s: abs(s["start_s"] - true.t_strike_s), default=None)
        if near is None or abs(near["start_s"] - true.t_strike_s) > SAME_STROKE_S:
            out.append(StrokeJudged(where, k, None, true.t_strike_s, None, None, None))
            continue
        said.remove(near)
        out += _stroke(where, k, setting, true, near, clip.in_sight[k])
    for extra in said:
        certain = extra["verdict"] == "certain"
        out.append(StrokeJudged(where, None, extra["n"], extra["start_s"], None, None, extra["verdict"]))
        out.append(Fact(where, None, "stroke", certain, False, "a stroke", "none"))
    return [*out, *_motion(where, clip, tracks)]


def _stroke(
    where: Where, k: int, setting: Setting, true: TrueStroke, said: Any, sight: Mapping[str, float]
) -> list[Record]:
    starts = said["start_s"] - true.t_strike_s, said["end_s"] - true.t_rest_s
    out: list[Record] = [StrokeJudged(where, k, said["n"], true.t_strike_s, *starts, said["verdict"])]
    balls = [TrueBall(kind(n), p[0], p[1], sight[n]) for n, p in true.flown.start.items()]
    up = origin_of_records_mm(setting.table)
    lying = [replace(b, y_mm=b.y_mm + up) for b in said_balls(said["before"])]
    layout = judge_layout(Moment(where, k, "cueref", setting.view.camera), balls, lying)
    right = next(r.right for r in layout if isinstance(r, LayoutJudged))
    named = all(names.get(ball, 0.0) >= CERTAIN for ball, names in said.get("may_be", {}).items())
    out += [*layout, Fact(where, k, "layout", named and not asks_all(said), right, "", "")]
    out += [_first_contact(where, k, true, said), *_pots(where, k, true, said)]
    seen = true.judged.seen
    fate = not asked(said, "cue_ball")
    out.append(
        Fact(where, k, "cue_ball", fate, said["cue_ball"] == seen.cue_ball, said["cue_ball"], seen.cue_ball)
    )
    return out


def _first_contact(where: Where, k: int, true: TrueStroke, said: Any) -> Fact:
    first, cue = said["first_contact"], struck(true)
    said_first = None if first is None else kind(first["ball"] or "none")
    contacts = [b if a == cue else a for a, b, _ in true.flown.contacts if cue in (a, b)]
    true_first = kind(contacts[0]) if contacts else None
    confident = said["verdict"] == "certain" if first is None else first["confidence"] >= CERTAIN
    sure = confident and not asked(said, "first_contact")
    return Fact(where, k, "first_contact", sure, said_first == true_first, str(said_first), str(true_first))


def _pots(where: Where, k: int, true: TrueStroke, said: Any) -> list[Record]:
    fell = {(kind(b), p) for b, p, _ in true.flown.pots if b != struck(true)}
    sure = not asked(said, "potted")
    told = {(kind(p["ball"]), str(p["pocket"])): p["confidence"] >= CERTAIN for p in said["potted"]}
    out: list[Record] = [
        Fact(where, k, "pot", sure and told.get(pot, True), pot in told, str(sorted(told)), str(pot))
        for pot in sorted(fell)
    ]
    out += [
        Fact(where, k, "no_pot", sure and confident, False, str(pot), str(sorted(fell)))
        for pot, confident in sorted(told.items())
        if pot not in fell
    ]
    return out or [Fact(where, k, "no_pot", sure, True, "none", "none")]


def _motion(where: Where, clip: FilmedClip, tracks: Path) -> list[Record]:
    """Each moving ball in each new image: whether tracks.csv has a ball of its colour where it was."""
    with tracks.open(encoding="utf-8", newline="") as lines:
        rows = [r for r in csv.DictReader(lines) if r["state"] == "moving"]
    times = np.array([float(r["t_s"]) for r in rows])
    out: list[Record] = []
    for m in clip.moving:
        near = [rows[i] for i in np.nonzero(np.abs(times - m.t_s) < _SAME_IMAGE_S)[0]]
        near = [r for r in near if kind(r["ball"]) == kind(m.ball)]
        reach = _FOLLOWED_MM + 0.5 * m.speed_mm_s * where.exposure_s
        offs = [(float(r["x_mm"]) - m.x_mm, float(r["y_mm"]) - m.y_mm, float(r["sigma_mm"])) for r in near]
        best = min(offs, key=lambda o: math.hypot(o[0], o[1]), default=None)
        hit = best is not None and math.hypot(best[0], best[1]) < reach
        dx, dy, sigma = best if hit and best is not None else (None, None, None)
        out.append(
            BallInMotion(
                where,
                m.stroke,
                m.t_s,
                m.ball,
                kind(m.ball),
                m.x_mm,
                m.y_mm,
                m.speed_mm_s,
                1.0,
                where.mm_per_px,
                "moving" if hit else None,
                dx,
                dy,
                sigma,
            )
        )
    return out
