"""The report of a run as one document: the targets, each tier's measures, failures with the command that
repeats each.
"""

from __future__ import annotations

import base64
import math
import os
import platform
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader

from calibration.files import whole_file
from calibration.table.games import PIECES, is_snooker
from calibration.texts import spoken
from referee.outputs.pages import in_language
from referee.quality.bench.options import BenchOptions
from referee.quality.bench.real.boxes import BoxesJudged
from referee.quality.bench.real.judge import ClipJudged
from referee.quality.bench.real.tier import real_measures
from referee.quality.bench.records import (
    BallAtRest,
    ExtraBall,
    Fact,
    FirstContact,
    LayoutJudged,
    NotJudged,
    Pot,
    Record,
    StrokeJudged,
)
from referee.quality.bench.report.limits import REAL_LIMITS, held, limits_of
from referee.quality.bench.report.measures import Samples, game_measures, pixel_measures, track_measures
from referee.quality.bench.report.statistics import edges_of, quantiles, rate
from referee.quality.bench.report.targets import TargetResult, number, reach_table, targets_of
from referee.quality.bench.rooms.measures import boxes_as_world, real_as_world, side_by_side, world_measures
from referee.quality.bench.tracks.errors import ErrorModel
from referee.quality.bench.tracks.judge import InventedStroke, TrackStroke

MM_PER_PX_EDGES = (1.5, 2.0, 2.5, 3.0, 4.0)
EXPOSURE_MS_EDGES = (2.0, 5.0, 10.0, 15.0)
BROKEN_DOWN = (
    "rest",
    "motion_slow",
    "motion_fast",
    "ball_missed",
    "colour",
    "layout",
    "first_contact",
    "pot",
    "certain_wrong",
)
"""Measures that are also told by millimetres per pixel and by exposure."""
_MOST_FAILURES = 2000
SECOND_WORLD, REAL_FOOTAGE, MADE_WORSE = "second world", "real footage", "the same made worse"


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything that a run has on disk."""

    options: BenchOptions
    records: tuple[Record, ...]
    strokes: tuple[TrackStroke, ...]
    invented: tuple[InventedStroke, ...]
    tracks_cpu_s: float
    errors: ErrorModel | None
    real: tuple[ClipJudged, ...] = ()
    rooms: tuple[Record, ...] = ()
    boxes: tuple[BoxesJudged, ...] = ()

    @property
    def filmed(self) -> tuple[ClipJudged, ...]:
        """The real clips as they are."""
        return tuple(c for c in self.real if not c.worse)

    @property
    def worse(self) -> tuple[ClipJudged, ...]:
        """The real clips that were made worse."""
        return tuple(c for c in self.real if c.worse)


def document(measured: Measured) -> dict[str, Any]:
    """The report as `report.json` holds it."""
    game = measured.options.game
    snooker = is_snooker(game)
    usual = pixel_measures(measured.records, only_usual=True)
    pixels = pixel_measures(measured.records) if snooker else game_measures(measured.rooms, PIECES[game])
    hough = pixel_measures(measured.records, "hough")
    tracks = _track_measures(measured)
    targets = targets_of(game)
    table = reach_table(usual if snooker else pixels, tracks, targets)
    return {
        "kind": "cueref-bench-report",
        "schema": 2,
        "options": asdict(measured.options),
        "real": real_measures(measured.filmed) if measured.filmed else None,
        "real_worse": real_measures(measured.worse) if measured.worse else None,
        "worlds": worlds(measured),
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
        },
        "reach": [asdict(t) for t in table],
        "reach_any_size": [asdict(t) for t in reach_table(pixels, tracks, targets)],
        "tiers": {
            "pixels": told(pixels),
            "pixels_1080p50": told(usual),
            "tracks": told(tracks),
            "hough": told(hough),
        },
        "by_mm_per_px": broken_down(pixels, "mm_per_px", MM_PER_PX_EDGES),
        "by_exposure_ms": broken_down(pixels, "exposure_ms", EXPOSURE_MS_EDGES),
        "tracks_by_mm_per_px": broken_down(tracks, "mm_per_px", MM_PER_PX_EDGES),
        "tracks_by_exposure_ms": broken_down(tracks, "exposure_ms", EXPOSURE_MS_EDGES),
        "tracks": _tracks_told(measured),
        "failures": failures(measured),
    }


def worlds(measured: Measured) -> dict[str, Any]:
    """Each world by itself, and all of them in rows; a world that was not measured is left out."""
    own: dict[str, dict[str, Any]] = {}
    if measured.records:
        own["training's renderer"] = world_measures(measured.records)
    if measured.rooms:
        own[SECOND_WORLD] = world_measures(measured.rooms, PIECES[measured.options.game])
    for name, clips in ((REAL_FOOTAGE, measured.filmed), (MADE_WORSE, measured.worse)):
        if clips:
            own[name] = real_as_world(real_measures(clips))
    if measured.boxes:
        own[REAL_FOOTAGE] = own.get(REAL_FOOTAGE, {}) | boxes_as_world(measured.boxes)
    limits = {
        name: held(of, own[name])
        for name, of in (
            (SECOND_WORLD, limits_of(measured.options.game)),
            (REAL_FOOTAGE, REAL_LIMITS),
            (MADE_WORSE, REAL_LIMITS),
        )
        if name in own
    }
    return {"each": own, "names": list(own), "rows": side_by_side(own), "limits": limits}


def _track_measures(measured: Measured) -> dict[str, Samples]:
    if measured.errors is None or not measured.strokes:
        return {}
    return track_measures(measured.strokes, measured.invented, measured.errors.cameras)


def _tracks_told(measured: Measured) -> dict[str, Any]:
    n = len(measured.strokes)
    wrong = Counter(w.fact for s in measured.strokes for w in s.wrong if w.certain)
    return {
        "strokes": n,
        "cpu_ms_a_stroke": 1000 * measured.tracks_cpu_s / n if n else None,
        "certain_facts": sum(s.facts for s in measured.strokes),
        "certain_and_wrong_by_fact": dict(wrong.most_common()),
        "asked": dict(Counter(s.question_said for s in measured.strokes if s.question_said).most_common()),
        "invented_strokes": len(measured.invented),
        "errors_from": measured.errors.provenance if measured.errors else None,
    }


def told(measures: dict[str, Samples]) -> dict[str, Any]:
    """n, failures and interval, or the quantiles, of each measure."""
    return {name: summary(s) for name, s in sorted(measures.items())}


def summary(s: Samples) -> dict[str, Any]:
    """One measure's figures."""
    if not s.errors:
        r = rate(s.camera, [v > 0 for v in s.value])
        return {
            "n": r.n,
            "cameras": r.cameras,
            "failures": r.failures,
            "share": r.share,
            "low": r.low,
            "high": r.high,
        }
    q = quantiles(s.camera, s.value)
    return {
        "n": q.n,
        "cameras": q.cameras,
        "unit": s.unit,
        "median": q.median,
        "p95": q.p95,
        "p999": q.p999,
        "worst": q.worst,
        "median_interval": list(q.median_interval),
        "p95_interval": list(q.p95_interval),
    }


def broken_down(measures: dict[str, Samples], by: str, edges: Sequence[float]) -> dict[str, dict[str, Any]]:
    """The measures of `BROKEN_DOWN` in classes of a circumstance, in the classes' order."""
    out: dict[str, dict[str, Any]] = {}
    order = edges_of([edges[0] - 1, *[(a + b) / 2 for a, b in pairwise(edges)], edges[-1] + 1], edges)
    for name in BROKEN_DOWN:
        s = measures.get(name)
        if s is None:
            continue
        classes = edges_of(getattr(s, by), edges)
        parts = {c: Samples(s.errors, s.unit) for c in order}
        for k, c in enumerate(classes):
            parts[c].camera.append(s.camera[k])
            parts[c].value.append(s.value[k])
        out[name] = {c: summary(p) for c, p in parts.items() if p.value}
    return out


def failures(measured: Measured) -> dict[str, Any]:
    """What went wrong, each with what repeats it; the first ones when there are very many."""
    found = [*_pixel_failures(measured.records), *_track_failures(measured)]
    return {"n": len(found), "listed": found[:_MOST_FAILURES]}


def _pixel_failures(records: Iterable[Record]) -> Iterable[dict[str, Any]]:
    for r in records:
        if getattr(r, "method", "cueref") != "cueref":
            continue
        words = _failed(r)
        if words:
            w = r.where
            yield {
                "tier": "pixels",
                "seed": w.seed,
                "camera": w.camera,
                "source": w.source,
                "item": w.item,
                "stroke": getattr(r, "stroke", None),
                "what": words,
            }


def _failed(r: Record) -> str:
    """What failed in a record, "" for nothing."""
    words = _WORDS.get(type(r))
    return words(r) if words is not None else ""


def _layout(r: LayoutJudged) -> str:
    if r.right:
        return ""
    return f"layout: {r.missed} missed, {r.extra} extra, {r.wrong_colour} of another colour"


def _fact(r: Fact) -> str:
    if r.right or not r.certain:
        return ""
    return f"certain and wrong: {r.fact}, said {r.said}, true {r.true}"


def _first_contact(r: FirstContact) -> str:
    if r.right or not r.certain:
        return ""
    return f"first contact: said {r.said_ball}, true {r.true_ball}"


def _pot(r: Pot) -> str:
    if r.said_pocket == r.true_pocket:
        return ""
    return f"pot of {r.ball}: said {r.said_pocket}, true {r.true_pocket}"


def _stroke(r: StrokeJudged) -> str:
    if r.true_stroke is None:
        return "stroke invented"
    return "stroke not seen" if r.said_stroke is None else ""


def _not_judged(r: NotJudged) -> str:
    return f"{r.what} {'broke' if r.crash else 'gave up'}: {r.reason}"


def _extra_ball(r: ExtraBall) -> str:
    return f"a {r.said_colour} that is none at {r.x_mm:.0f}, {r.y_mm:.0f}"


def _far_off(r: BallAtRest) -> str:
    """That a ball at rest is said more than 2 mm from its place, "" for one that is nearer or not said."""
    if r.dx_mm is None or r.dy_mm is None:
        return ""
    off_mm = math.hypot(r.dx_mm, r.dy_mm)
    place = f"{r.x_mm:.0f}, {r.y_mm:.0f} (sigma {r.sigma_mm or 0:.2f})"
    return f"{r.colour} at rest {off_mm:.1f} mm off at {place}" if off_mm > 2.0 else ""


_WORDS: dict[type[Record], Callable[[Any], str]] = {
    LayoutJudged: _layout,
    Fact: _fact,
    FirstContact: _first_contact,
    Pot: _pot,
    StrokeJudged: _stroke,
    NotJudged: _not_judged,
    BallAtRest: _far_off,
    ExtraBall: _extra_ball,
}
"""What failed in each kind of record."""


def _track_failures(measured: Measured) -> Iterable[dict[str, Any]]:
    seed = measured.options.seed
    for s in measured.strokes:
        words = [] if s.seen else ["stroke not seen"]
        words += [
            f"{'certain and wrong: ' if w.certain else ''}{w.fact}, said {w.said}, true {w.true}"
            for w in s.wrong
        ]
        words += [f"{s.swaps} identities swapped"] if s.swaps else []
        words += ["layout before the stroke"] if s.seen and not s.layout_right else []
        if words:
            yield {
                "tier": "tracks",
                "seed": seed,
                "camera": s.camera,
                "piece": s.piece,
                "stroke": s.stroke,
                "image_hz": s.image_hz,
                "t_s": s.t_s,
                "what": "; ".join(words),
            }
    for i in measured.invented:
        yield {
            "tier": "tracks",
            "seed": seed,
            "camera": i.camera,
            "piece": i.piece,
            "stroke": None,
            "image_hz": i.image_hz,
            "t_s": i.t_s,
            "what": "stroke invented",
        }


def missed(table: Sequence[dict[str, Any]] | Sequence[TargetResult]) -> bool:
    """Whether any row of the reach table was missed."""
    return any((t["verdict"] if isinstance(t, dict) else t.verdict) == "missed" for t in table)


def beyond_limits(worlds: dict[str, Any]) -> bool:
    """Whether any world that is held against limits misses one."""
    return any(row["verdict"] == "missed" for rows in worlds["limits"].values() for row in rows)


def write_html(path: Path, doc: dict[str, Any], plots: dict[str, bytes]) -> None:
    """One page with the tables and the plots (PNG), self-contained."""
    env = Environment(
        loader=PackageLoader("referee.quality.bench"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    env.filters["value"] = _value
    pictures = {name: base64.b64encode(png).decode() for name, png in plots.items()}
    text = env.get_template("bench.html.j2").render(doc=doc, plots=pictures)
    with whole_file(path) as part:
        part.write_text(in_language(text, spoken()), encoding="utf-8")


def _value(value: float | None, unit: str = "") -> str:
    return number(value, unit)
