"""The figures of one world, the same for each, so that worlds can stand side by side; pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import SNOOKER, PieceSet
from referee.quality.bench.real.boxes import BoxesJudged
from referee.quality.bench.records import (
    VISIBLE,
    BallAtRest,
    BallInMotion,
    CalibrationJudged,
    Detection,
    ExtraBall,
    Fact,
    FalseInFlight,
    FalseRest,
    FlightImage,
    LayoutJudged,
    NotJudged,
    Record,
    StreakSeen,
    StrokeJudged,
    Visit,
    Where,
)
from referee.quality.bench.ways import FAINT_FROM
from vision.detect.detector import LEAST_CONFIDENCE

CONFIDENCE_EDGES = (0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1.0001)
SPEED_EDGES_MM_S = (20.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0)
EXPOSURE_EDGES_S = (0.0, 0.005, 0.01, 0.0201)
STREAK_SPEED_EDGES_MM_S = (2000.0, 3500.0, 5000.0, 6500.0, 8001.0)
STREAK_EXPOSURE_EDGES_S = (0.0, 0.005, 0.01, 0.015, 0.0201)
_STREAKS_FROM = LEAST_CONFIDENCE, FAINT_FROM
_SURE_FROM, _RESTS_S = 0.9, 1.0
"""Of what is said with the one nine in ten must be balls; a false ball must not lie for the other (issue 20).
"""
_BESIDE_MM, _DARK = 10.0, 0.7
"""A ball so near is beside another or at a cushion; with less of the table's usual light it is in shade."""
_FAST_MM_S = (2000.0, 8000.0)  # speeds at which 99 % of images must have their streak (issue 20)
_FULL_HD_PX = 1080  # height of the pictures for which places are held against their limits
_FALSE_FROM = 0.5  # confidence from which a ball over a person that is none counts (issue 20)


def world_measures(records: Iterable[Record], pieces: PieceSet = SNOOKER) -> dict[str, Any]:
    """Counts and quantiles of everything said of one world; shares have their n beside them."""
    kept = [r for r in records if getattr(r, "method", "cueref") == "cueref"]
    return {
        "cameras": len({(r.where.seed, r.where.camera) for r in kept}),
        **_layouts(kept),
        **_rest(_of(kept, BallAtRest)),
        **_forms(_of(kept, BallAtRest), pieces),
        "sigma_by": sigma_by(_of(kept, BallAtRest)),
        **_facts(kept),
        **_people(kept),
        **_table(_of(kept, CalibrationJudged)),
        "refused": sum(isinstance(r, NotJudged) and not r.crash for r in kept),
        "crashed": sum(isinstance(r, NotJudged) and r.crash for r in kept),
        **told_reliability([(d.confidence, d.ball) for d in _of(kept, Detection)]),
        **_flights(kept),
        **_visits(kept),
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
    ratios = _ratios(seen)
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


def _forms(balls: Sequence[BallAtRest], pieces: PieceSet) -> dict[str, int]:
    """Solids and stripes that were found, and those that were said to be the other."""
    found = [b for b in balls if b.said_colour is not None and b.visible >= VISIBLE]
    forms = [{pieces.form_of(b.colour), pieces.form_of(b.said_colour or "")} for b in found]
    own = [f for f in forms if f <= {"solid", "stripe"}]
    return {"forms": len(own), "forms_wrong": sum(len(f) > 1 for f in own)}


def _ratios(balls: Sequence[BallAtRest]) -> NDArray[np.float64]:
    """Errors of both axes in stated sigmas."""
    return np.array(
        [abs(d) / b.sigma_mm for b in balls if b.sigma_mm for d in (b.dx_mm, b.dy_mm) if d is not None]
    )


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
        "first_certain": sum(r.certain for r in facts if r.fact == "first_contact"),
        "first_wrong": sum(r.fact == "first_contact" for r in wrong),
        "pots": sum(r.fact == "pot" for r in facts),
        "pots_right": sum(r.right for r in facts if r.fact == "pot"),
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


Weighed = tuple[float, bool]
"""A detection's confidence, and whether it is a ball."""


def told_reliability(detections: Sequence[Weighed]) -> dict[str, Any]:
    """The curve, and how many of the sure detections are balls."""
    sure = [ball for confidence, ball in detections if confidence >= _SURE_FROM]
    return {"reliability": reliability(detections), "sure": len(sure), "sure_balls": sum(sure)}


def reliability(detections: Sequence[Weighed]) -> list[dict[str, Any]]:
    """Of what is detected with a confidence: how much of it are balls."""
    out = []
    for low, high in pairwise(CONFIDENCE_EDGES):
        own = [(c, ball) for c, ball in detections if low <= c < high]
        if own:
            mean = float(np.mean([c for c, _ in own]))
            out.append({"from": low, "n": len(own), "said": mean, "balls": sum(ball for _, ball in own)})
    return out


def sigma_by(balls: Sequence[BallAtRest]) -> list[dict[str, Any]]:
    """How true the stated sigma is by colour, by place and by the light about a ball, counted in axes."""
    out = []
    seen = [b for b in balls if b.dx_mm is not None and b.sigma_mm and b.visible >= VISIBLE]
    for by, class_of in _CLASSES.items():
        classes: dict[str, list[BallAtRest]] = {}
        for ball in seen:
            name = class_of(ball)
            if name is not None:
                classes.setdefault(name, []).append(ball)
        out += [{"by": by, "class": name, **_within(classes[name])} for name in sorted(classes)]
    return out


def _within(balls: Sequence[BallAtRest]) -> dict[str, Any]:
    """Axes within one, two and three stated sigmas and beyond four, and the median error."""
    ratios = _ratios(balls)
    counts = {f"within_{k}": int(np.sum(ratios <= k)) for k in (1, 2, 3)}
    median_mm = _quantile([_off_mm(b) for b in balls], 0.5)
    return {"axes": len(ratios), **counts, "beyond_4": int(np.sum(ratios > 4)), "median_mm": median_mm}


def _place(ball: BallAtRest) -> str | None:
    if ball.gap_mm is not None and ball.gap_mm < _BESIDE_MM:
        return "beside a ball"
    if ball.cushion_mm is None:
        return None
    return "at a cushion" if ball.cushion_mm < _BESIDE_MM else "in the open"


def _light(ball: BallAtRest) -> str | None:
    if ball.lit is None:
        return None
    return "in shade" if ball.lit < _DARK else "in the light"


_CLASSES: dict[str, Callable[[BallAtRest], str | None]] = {
    "colour": lambda ball: ball.colour,
    "place": _place,
    "light": _light,
}


def _flights(records: Sequence[Record]) -> dict[str, Any]:
    """Balls in flight in the open: how many have their streak, and what else is detected."""
    seen: list[StreakSeen] = _of(records, StreakSeen)
    false: list[FalseInFlight] = _of(records, FalseInFlight)
    images = len(_of(records, FlightImage))
    found = {f"streaks_from_{c}": sum(s.confidence >= c for s in seen) for c in _STREAKS_FROM}
    return {
        "streaks": len(seen),
        **found,
        "streaks_found": found[f"streaks_from_{LEAST_CONFIDENCE}"],
        "streaks_by": _streaks_by(seen),
        "flight_images": images,
        "flight_false": [
            {
                "from": c,
                "in_open": in_open,
                **{
                    cause: sum(f.cause == cause and f.in_open == in_open and f.confidence >= c for f in false)
                    for cause in ("stands", "afterimage", "unknown")
                },
            }
            for c in (_STREAKS_FROM if images else ())
            for in_open in (True, False)
        ],
    }


def _streaks_by(seen: Sequence[StreakSeen]) -> list[dict[str, Any]]:
    out = []
    for slow, fast in pairwise(STREAK_SPEED_EDGES_MM_S):
        for short, long in pairwise(STREAK_EXPOSURE_EDGES_S):
            own = [s for s in seen if slow <= s.speed_mm_s < fast and short <= s.where.exposure_s < long]
            if own:
                out.append(_streak_cell((slow, fast), (short, long), [s.confidence for s in own]))
    return out


def _streak_cell(
    speed_mm_s: tuple[float, float], exposure_s: tuple[object, object], confidences: Sequence[float]
) -> dict[str, Any]:
    """A row of the table of streaks: how many have a detection that the program takes, and a fainter one."""
    found, faint = (sum(c >= least for c in confidences) for least in _STREAKS_FROM)
    cell = {"speed_mm_s": [*speed_mm_s], "exposure_s": [*exposure_s], "n": len(confidences)}
    return {**cell, "found": found, "found_faint": faint}


def _visits(records: Sequence[Record]) -> dict[str, Any]:
    """Films of somebody over the table, and in how many a false ball lies for more than a second."""
    visits: list[Visit] = _of(records, Visit)
    false: list[FalseRest] = _of(records, FalseRest)
    held = [f for f in false if f.seconds > _RESTS_S]
    lies = [f for f in held if f.confidence > _FALSE_FROM]
    return {
        "visits": len(visits),
        "visits_false": len({_picture(f.where) for f in lies}),
        "visits_held": len({_picture(f.where) for f in held}),
        "false_rests": [
            f"camera {f.where.camera}, film {f.where.item}, {f.pose}: {f.colour}"
            f" at {f.x_mm:.0f} {f.y_mm:.0f}, {f.confidence:.2f}, {f.seconds:.1f} s"
            for f in held
        ],
    }


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
    "detections of 0.9 or more that are balls": _share("sure_balls", "sure"),
    "streaks of balls of 2 to 8 m/s": _share("streaks_found", "streaks"),
    "the same, from confidence 0.1 on": _share(f"streaks_from_{FAINT_FROM}", "streaks"),
    "first contacts, certain and wrong": _share("first_wrong", "first_certain"),
    "pots found with their pocket": _share("pots_right", "pots"),
    "solid for stripe": _share("forms_wrong", "forms"),
    "balls with boxes found": _share("boxes_found", "boxes"),
    "their colours right": _share("named_right", "named"),
    "facts asked": lambda w: str(w["facts_asked"]) if w.get("facts_certain") else "",
    "pictures with a false ball over people": _share("with_false_balls_over_people", "pictures_with_people"),
    "a false ball for a second beside people": _share("visits_false", "visits"),
    "the same, however unsure": _share("visits_held", "visits"),
    "tables refused": _share("tables_refused", "tables"),
    "table's worst place, median": _mm("table_worst_median_mm"),
    "table within 1 mm, size told": _share("told_within_1_mm", "told_tables"),
    "tables beyond three sigmas": _share("table_beyond_3_sigma", "tables"),
}


def boxes_as_world(judged: Sequence[BoxesJudged]) -> dict[str, Any]:
    """What real pictures and clips with boxes tell of detections. Exposures are unknown; what has no box
    may be a ball, so that at least so much of what is said with a confidence are balls.
    """
    detections = [(c, True) for j in judged for c in j.on] + [(c, False) for j in judged for c in j.off]
    moving = [m for j in judged for m in j.moving]

    def of_speed(low_mm_s: float, high_mm_s: float) -> list[float]:
        return [c for speed, c in moving if low_mm_s <= speed < high_mm_s]

    fast = of_speed(*_FAST_MM_S)
    edges = pairwise((200.0, 1000.0, *STREAK_SPEED_EDGES_MM_S))
    return {
        **told_reliability(detections),
        "boxes": sum(j.boxes for j in judged if not j.refused),
        "boxes_found": sum(j.found for j in judged),
        "named": sum(j.named for j in judged),
        "named_right": sum(j.named_right for j in judged),
        "streaks": len(fast),
        "streaks_found": sum(c >= LEAST_CONFIDENCE for c in fast),
        f"streaks_from_{FAINT_FROM}": sum(c >= FAINT_FROM for c in fast),
        "streaks_by": [_streak_cell(e, ("", ""), own) for e in edges if (own := of_speed(*e))],
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
