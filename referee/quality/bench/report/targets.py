"""Targets (issues 4 and 22) beside what a run reached: each row's parts with interval and verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from calibration.table.games import PIECES, is_snooker
from referee.quality.bench.records import Told
from referee.quality.bench.report.measures import TOLD, Samples
from referee.quality.bench.report.statistics import Quantiles, Rate, quantiles, rate

Statistic = Literal["median", "p95", "p999", "share", "count"]
Verdict = Literal["reached", "missed", "not measured", "partly measured", "beside"]


@dataclass(frozen=True, slots=True)
class Part:
    """One number of a row: a measure's statistic, at most `limit`; shares are of failures.

    `limit` None: shown beside the others where it was measured, held against nothing.
    `tier`: only this tier's measure of the name counts (None: either).
    """

    words: str
    measure: str
    statistic: Statistic
    limit: float | None
    tier: Literal["pixels", "tracks"] | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A row of the table; `reach` in the issue's words."""

    name: str
    reach: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class PartResult:
    """`value` None: nothing was measured. `low, high`: 95 % interval. `sure`: the interval lies within the
    limit too.
    """

    words: str
    tier: str
    n: int = 0
    failures: int | None = None
    cameras: int = 0
    value: float | None = None
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    unit: str = ""
    verdict: Verdict = "not measured"
    sure: bool = False


@dataclass(frozen=True, slots=True)
class TargetResult:
    name: str
    reach: str
    parts: tuple[PartResult, ...]
    verdict: Verdict


def _beside(measure: str, words: str, statistic: Statistic, of: tuple[Told, ...]) -> tuple[Part, ...]:
    """The measure of tables of which so much is told, to be shown beside what is held to the reach."""
    ends = {TOLD[t]: TOLD[t].replace("_", " ") for t in of}
    return tuple(Part(f"{words}, {said}", f"{measure}_{end}", statistic, None) for end, said in ends.items())


TARGETS: tuple[Target, ...] = (
    Target(
        "ball at rest against the truth",
        "median 0.3 mm, 95 % 0.8 mm, 99.9 % within 2 mm",
        (
            Part("median", "rest", "median", 0.3),
            Part("95 %", "rest", "p95", 0.8),
            Part("99.9 %", "rest", "p999", 2.0),
            *_beside("rest", "median", "median", ("all", "size", "nothing")),
            *_beside("rest", "95 %", "p95", ("all", "size", "nothing")),
        ),
    ),
    Target(
        "repeatability",
        "spread of single-image fits 0.1 mm median; two rests at one place within 0.1 mm",
        (
            Part("spread, median", "repeat", "median", 0.1),
            Part("two rests, 95 %", "rest_again", "p95", 0.1),
        ),
    ),
    Target(
        "ball in motion",
        "median 1.5 mm to 2 m/s, 4 mm to 6 m/s",
        (
            Part("to 2 m/s, median", "motion_slow", "median", 1.5),
            Part("to 6 m/s, median", "motion_fast", "median", 4.0),
        ),
    ),
    Target(
        "layout before a stroke wholly right", "99.5 % of strokes", (Part("wrong", "layout", "share", 0.005),)
    ),
    Target(
        "colour",
        "99.98 %; red for brown at most 1 in 5,000",
        (
            Part("wrong", "colour", "share", 0.0002),
            Part("red for brown", "red_brown", "share", 0.0002),
        ),
    ),
    Target(
        "identities through contacts", "at most 1 swap in 1,000", (Part("swaps", "identity", "share", 0.001),)
    ),
    Target(
        "pots with pocket",
        "99.8 % found, at most 1 false in 2,000 strokes, none while hands are on the table",
        (
            Part("not found", "pot", "share", 0.002),
            Part("false, of strokes", "pot_false", "share", 0.0005),
            Part("false with hands", "pot_false_hands", "count", 0),
        ),
    ),
    Target(
        "first contact",
        "99.9 % right where certain, at most 3 % questions; time within 5 ms or 2 mm of rolling",
        (
            Part("wrong where certain", "first_contact", "share", 0.001),
            Part("questions", "first_question", "share", 0.03),
            Part("time beyond", "first_time_late", "share", 0.05),
        ),
    ),
    Target(
        "touching ball",
        'beyond 1.0 mm "no" 99.5 %; at zero never "no"; 0.2 to 1.0 mm never "yes"; unknown at most 40 % below'
        " 1 mm",
        (
            Part('beyond 1 mm, not "no"', "touch_apart", "share", 0.005),
            Part('"no" at zero', "touch_zero", "count", 0),
            Part('"yes" at 0.2 to 1 mm', "touch_near", "count", 0),
            Part("unknown below 1 mm", "touch_unknown", "share", 0.4),
        ),
    ),
    Target(
        "respot",
        "3 mm off flagged 99 %; 1 mm or less flagged at most 1 %",
        (
            Part("3 mm off, not flagged", "respot_off", "share", 0.01),
            Part("1 mm or less, flagged", "respot_on", "share", 0.01),
        ),
    ),
    Target(
        "certain and wrong",
        "at most 1 in 1,000 facts; 68 % within one sigma, 95 % within two",
        (
            Part("of facts", "certain_wrong", "share", 0.001),
            Part("beyond one sigma", "rest_beyond_1_sigma", "share", 0.32),
            Part("beyond two sigmas", "rest_beyond_2_sigma", "share", 0.05),
        ),
    ),
    Target(
        "calibration without help",
        "dimensions told: within 1.0 mm over the table in 99 % of cameras; otherwise refused, never silently"
        " wrong",
        (
            Part("beyond 1 mm, all told", "calibration_over_1_all_told", "share", 0.01),
            *_beside("calibration_over_1", "beyond 1 mm", "share", ("size", "nothing")),
            Part("silently wrong", "calibration_silent", "count", 0),
        ),
    ),
    Target(
        "camera knocked by 1 mm",
        "flagged within 5 s, healed within 10 s",
        (Part("not flagged and healed in time", "knock", "share", 0.0),),
    ),
    Target(
        "real stills",
        "464 balls and colours, centres within 1.5 px median, none beyond 5 px",
        (Part("wrong", "stills", "share", 0.0),),
    ),
    Target(
        "whole review, clips of ten minutes",
        "1.5 times decoding (or 4 times real time), never under 3 times real time",
        (
            Part("times decoding, median", "review_of_decode", "median", 1.5, "pixels"),
            Part("under 3 times real time", "review_slow", "count", 0, "pixels"),
        ),
    ),
)


def targets_of(game: str) -> tuple[Target, ...]:
    """The table of a game: snooker's and six-red's (issue 4), or that of all others (issue 22)."""
    if is_snooker(game):
        return TARGETS
    rest_mm = DISC_REST_MM if PIECES[game].discs else BALL_REST_MM
    rest = Target(
        "ball at rest against the truth",
        f"within {rest_mm:g} mm median",
        (Part("median", "rest", "median", rest_mm),),
    )
    return (rest, *(t for t in GAME_TARGETS if t is not FORMS or PIECES[game].numbered))


BALL_REST_MM, DISC_REST_MM = 0.5, 0.7
FORMS = Target(
    "solid for stripe",
    "at most 1 in 1,000 balls at rest",
    (Part("solid for stripe", "solid_stripe", "share", 0.001),),
)
GAME_TARGETS: tuple[Target, ...] = (
    Target(
        "layout before a stroke wholly right", "97 % of strokes", (Part("wrong", "layout", "share", 0.03),)
    ),
    FORMS,
    Target(
        "first contact",
        "99.5 % right where certain",
        (Part("wrong where certain", "first_contact", "share", 0.005),),
    ),
    Target("pots with pocket", "99.5 % found", (Part("not found", "pot", "share", 0.005),)),
    Target(
        "certain and wrong", "at most 1 in 500 facts", (Part("of facts", "certain_wrong", "share", 0.002),)
    ),
)
"""Of every game but snooker, by pixels of the second world and by tracks (issue 22)."""


def part_result(part: Part, samples: Samples | None, tier: str) -> PartResult:
    """A part's value among a tier's samples."""
    if samples is None or not samples.value:
        failures = 0 if part.statistic == "count" else None
        unit = "share" if part.statistic == "share" else ""
        return PartResult(part.words, tier, failures=failures, limit=part.limit, unit=unit)
    if samples.errors:
        q = quantiles(samples.camera, samples.value)
        value, interval = _of(q, part.statistic)
        low, high = interval if interval is not None else (None, None)
        verdict, sure = _held(value, high, part.limit)
        figures = (q.n, None, q.cameras, value, low, high)
        return PartResult(part.words, tier, *figures, part.limit, samples.unit, verdict, sure)
    r = rate(samples.camera, [v > 0 for v in samples.value])
    value = float(r.failures) if part.statistic == "count" else r.share
    verdict, sure = _held(value, None if part.statistic == "count" else r.high, part.limit)
    unit = "" if part.statistic == "count" else "share"
    counts = (r.n, r.failures, r.cameras, value, r.low, r.high)
    return PartResult(part.words, tier, *counts, part.limit, unit, verdict, sure)


def _held(value: float, high: float | None, limit: float | None) -> tuple[Verdict, bool]:
    """The verdict on a value whose interval ends at `high`, and whether the interval bears it out."""
    if limit is None:
        return "beside", False
    if value > limit:
        return "missed", False
    return "reached", high is not None and high <= limit


def _of(q: Quantiles, statistic: Statistic) -> tuple[float, tuple[float, float] | None]:
    if statistic == "median":
        return q.median, q.median_interval
    if statistic == "p95":
        return q.p95, q.p95_interval
    return (q.p999, None) if statistic == "p999" else (q.worst, None)


def reach_table(
    pixels: dict[str, Samples], tracks: dict[str, Samples], targets: Sequence[Target] = TARGETS
) -> tuple[TargetResult, ...]:
    """Every row, each part by every tier that measured it; one with a limit that none measured stands
    once.
    """
    out = []
    for target in targets:
        parts: list[PartResult] = []
        for part in target.parts:
            found = [
                part_result(part, of.get(part.measure), tier)
                for tier, of in (("pixels", pixels), ("tracks", tracks))
                if part.tier in (None, tier) and part.measure in of
            ]
            if not found and part.limit is not None:
                found = [_unmeasured(part, pixels, tracks)]
            parts += found
        out.append(TargetResult(target.name, target.reach, tuple(parts), _verdict(parts)))
    return tuple(out)


def _unmeasured(part: Part, pixels: dict[str, Samples], tracks: dict[str, Samples]) -> PartResult:
    """A count of what never happened is none, where strokes were measured at all."""
    happened = {"pot_false_hands": "pot_false", "touch_zero": "", "touch_near": ""}.get(part.measure, "")
    base = pixels.get(happened) or tracks.get(happened)
    if part.statistic == "count" and base is not None and part.measure == "pot_false_hands":
        counts = (len(base.value), 0, len(set(base.camera)), 0.0)
        return PartResult(part.words, "pixels", *counts, limit=part.limit, verdict="reached")
    return part_result(part, None, part.tier or "pixels")


def _verdict(parts: list[PartResult]) -> Verdict:
    verdicts = {p.verdict for p in parts} - {"beside"}
    if "missed" in verdicts:
        return "missed"
    if verdicts == {"reached"}:
        return "reached"
    return "not measured" if verdicts == {"not measured"} else "partly measured"


def number(value: float | None, unit: str) -> str:
    """A value for people: shares as percentages."""
    if value is None or math.isnan(value):
        return "–"
    if unit == "share":
        return f"{100 * value:.3g} %"
    return f"{value:.3g} {unit}".strip()


__all__ = [
    "GAME_TARGETS",
    "TARGETS",
    "PartResult",
    "Rate",
    "TargetResult",
    "number",
    "reach_table",
    "targets_of",
]
