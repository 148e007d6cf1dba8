"""The figures of one world, the same for each, so that worlds can stand side by side; pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from referee.quality.bench.records import (
    VISIBLE,
    BallAtRest,
    BallInMotion,
    CalibrationJudged,
    Detection,
    ExtraBall,
    Fact,
    LayoutJudged,
    NotJudged,
    Record,
    StrokeJudged,
    Where,
)

CONFIDENCE_EDGES = (0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1.0001)
SPEED_EDGES_MM_S = (20.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0)
EXPOSURE_EDGES_S = (0.0, 0.005, 0.01, 0.0201)
_FAST_MM_S = (2000.0, 8000.0)  # speeds at which 99 % of images must have their streak (issue 20)
_FULL_HD_PX = 1080  # height of the pictures for which places are held against their limits
_FALSE_FROM = 0.5  # confidence from which a ball over a person that is none counts (issue 20)


def world_measures(records: Iterable[Record]) -> dict[str, Any]:
    """Counts and quantiles of everything said of one world; shares have their n beside them."""
    kept = [r for r in records if getattr(r, "method", "cueref") == "cueref"]
    return {
        "cameras": len({(r.where.seed, r.where.camera) for r in kept}),
        **_layouts(kept),
        **_rest(_of(kept, BallAtRest)),
        **_facts(kept),
        **_people(kept),
        **_table(_of(kept, CalibrationJudged)),
        "refused": sum(isinstance(r, NotJudged) and not r.crash for r in kept),
        "crashed": sum(isinstance(r, NotJudged) and r.crash for r in kept),
        "reliability": reliability(_of(kept, Detection)),
        "followed": followed(_of(kept, BallInMotion)),
        **_fast(_of(kept, BallInMotion)),
    }


def _of(records: Sequence[Record], kind: type[Any]) -> list[Any]:
    return [r for r in records if isinstance(r, kind)]


def _layouts(records: Sequence[Record]) -> dict[str, Any]:
    layouts: list[LayoutJudged] = _of(records, LayoutJudged)
    return {
        "layouts": len(layouts),
        "layouts_right": sum(r.right for r in layouts),
        "balls": sum(r.balls - r.hidden for r in layouts),
        "balls_missed": sum(r.missed for r in layouts),
        "balls_wrong_colour": sum(r.wrong_colour for r in layouts),
        "balls_extra": sum(r.extra for r in layouts),
    }


def _rest(balls: Sequence[BallAtRest]) -> dict[str, Any]:
    """Errors of the balls that can be seen, and the shares of both axes within one to four sigmas."""
    seen = [b for b in balls if b.dx_mm is not None and b.visible >= VISIBLE]
    off = [_off_mm(b) for b in seen]
    full = [_off_mm(b) for b in seen if b.where.height_px == _FULL_HD_PX]
    ratios = np.array(
        [abs(d) / b.sigma_mm for b in seen if b.sigma_mm for d in (b.dx_mm, b.dy_mm) if d is not None]
    )
    within = {f"within_{k}_sigma": float(np.mean(ratios <= k)) if len(ratios) else None for k in (1, 2, 3)}
    within |= {f"axes_within_{k}_sigma": int(np.sum(ratios <= k)) for k in (1, 2, 3)}
    return {
        "rest": len(off),
        "rest_median_mm": _quantile(off, 0.5),
        "rest_p95_mm": _quantile(off, 0.95),
        "rest_1080p_median_mm": _quantile(full, 0.5),
        "rest_1080p_p95_mm": _quantile(full, 0.95),
        **within,
        "beyond_4_sigma": int(np.sum(ratios > 4)),
        "axes": len(ratios),
    }


def _off_mm(ball: BallAtRest) -> float:
    return math.hypot(ball.dx_mm or 0.0, ball.dy_mm or 0.0)


def _facts(records: Sequence[Record]) -> dict[str, Any]:
    facts: list[Fact] = _of(records, Fact)
    strokes: list[StrokeJudged] = _of(records, StrokeJudged)
    wrong = [r for r in facts if r.certain and not r.right]
    return {
        "strokes": sum(r.true_stroke is not None for r in strokes),
        "strokes_missed": sum(r.said_stroke is None for r in strokes),
        "strokes_invented": sum(r.true_stroke is None for r in strokes),
        "facts_certain": sum(r.certain for r in facts),
        "facts_asked": sum(not r.certain for r in facts),
        "facts_wrong": len(wrong),
        "wrong": [f"camera {r.where.camera}: {r.fact}, said {r.said}, true {r.true}" for r in wrong],
    }


def _people(records: Sequence[Record]) -> dict[str, Any]:
    detections: list[Detection] = _of(records, Detection)
    false = [d for d in detections if d.near_person and not d.ball and d.confidence > _FALSE_FROM]
    return {
        "pictures_with_people": len({_picture(d.where) for d in detections if d.people}),
        "with_false_balls_over_people": len({_picture(d.where) for d in false}),
        "extra_near_people": sum(r.near_person for r in _of(records, ExtraBall)),
    }


def _picture(where: Where) -> tuple[int, int, int]:
    return where.seed, where.camera, where.item


def _table(judged: Sequence[CalibrationJudged]) -> dict[str, Any]:
    found = [j for j in judged if j.worst_mm is not None]
    worst = [float(j.worst_mm or 0.0) for j in found]
    told = [float(j.worst_mm or 0.0) for j in found if j.where.told != "nothing"]
    return {
        "tables": len(judged),
        "tables_refused": len(judged) - len(found),
        "table_worst_median_mm": _quantile(worst, 0.5),
        "table_worst_p95_mm": _quantile(worst, 0.95),
        "table_within_1_mm": sum(w <= 1.0 for w in worst),
        "told_tables": len(told),
        "told_within_1_mm": sum(w <= 1.0 for w in told),
        "table_beyond_3_sigma": sum((j.worst_ratio or 0.0) > 3.0 for j in found),
    }


def reliability(detections: Sequence[Detection]) -> list[dict[str, Any]]:
    """Of what is detected with a confidence: how much of it are balls."""
    out = []
    for low, high in pairwise(CONFIDENCE_EDGES):
        own = [d for d in detections if low <= d.confidence < high]
        if own:
            mean = float(np.mean([d.confidence for d in own]))
            out.append({"from": low, "n": len(own), "said": mean, "balls": sum(d.ball for d in own)})
    return out


def followed(motions: Sequence[BallInMotion]) -> list[dict[str, Any]]:
    """Of balls in motion: in how many images they are followed, by speed and exposure."""
    out = []
    for slow, fast in pairwise(SPEED_EDGES_MM_S):
        for short, long in pairwise(EXPOSURE_EDGES_S):
            own = [m for m in motions if slow <= m.speed_mm_s < fast and short <= m.where.exposure_s < long]
            if own:
                cell = {"speed_mm_s": [slow, fast], "exposure_s": [short, long]}
                out.append({**cell, "n": len(own), "followed": sum(m.dx_mm is not None for m in own)})
    return out


def _fast(motions: Sequence[BallInMotion]) -> dict[str, Any]:
    """Of images of balls at 2 to 8 m/s: in how many they are followed."""
    low, high = _FAST_MM_S
    own = [m for m in motions if low <= m.speed_mm_s < high]
    return {"fast": len(own), "fast_followed": sum(m.dx_mm is not None for m in own)}


def _quantile(values: Sequence[float], share: float) -> float | None:
    return float(np.quantile(values, share)) if values else None


def side_by_side(worlds: dict[str, dict[str, Any]]) -> list[list[str]]:
    """Rows of words: the measure, then each world's figure ("" where it has none)."""
    return [[name, *(tell(w) for w in worlds.values())] for name, tell in _ROWS.items()]


def _share(part: str, whole: str) -> Any:
    return lambda w: f"{w[part]} of {w[whole]}" if w.get(whole) and part in w else ""


def _mm(key: str) -> Any:
    return lambda w: "" if w.get(key) is None else f"{w[key]:.2f} mm"


def _percent(key: str) -> Any:
    return lambda w: "" if w.get(key) is None else f"{100 * w[key]:.1f} %"


_ROWS: dict[str, Any] = {
    "cameras": lambda w: str(w.get("cameras", "")),
    "layouts wholly right": _share("layouts_right", "layouts"),
    "balls missed": _share("balls_missed", "balls"),
    "balls of another colour": _share("balls_wrong_colour", "balls"),
    "balls that are none": _share("balls_extra", "balls"),
    "rest, median": _mm("rest_median_mm"),
    "rest, 95 %": _mm("rest_p95_mm"),
    "rest at 1080p, median": _mm("rest_1080p_median_mm"),
    "rest at 1080p, 95 %": _mm("rest_1080p_p95_mm"),
    "within one sigma": _percent("within_1_sigma"),
    "within two": _percent("within_2_sigma"),
    "within three": _percent("within_3_sigma"),
    "beyond four": _share("beyond_4_sigma", "axes"),
    "strokes missed": _share("strokes_missed", "strokes"),
    "facts certain and wrong": _share("facts_wrong", "facts_certain"),
    "balls of 2 to 8 m/s followed": _share("fast_followed", "fast"),
    "facts asked": lambda w: str(w["facts_asked"]) if w.get("facts_certain") else "",
    "pictures with a false ball over people": _share("with_false_balls_over_people", "pictures_with_people"),
    "tables refused": _share("tables_refused", "tables"),
    "table's worst place, median": _mm("table_worst_median_mm"),
    "table within 1 mm, size told": _share("told_within_1_mm", "told_tables"),
    "tables beyond three sigmas": _share("table_beyond_3_sigma", "tables"),
}


def real_as_world(real: dict[str, Any]) -> dict[str, Any]:
    """What real clips with a truth file tell, in the same words; a stroke is a fact there."""
    return {
        "cameras": real["clips"],
        "strokes": real["strokes"],
        "strokes_missed": real["missed"],
        "facts_certain": real["right"] + real["wrong"],
        "facts_asked": real["asked"],
        "facts_wrong": real["wrong"],
        "tables": real["clips"],
        "tables_refused": real["refused"],
    }
