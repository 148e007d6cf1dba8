"""Which uses a camera is good enough for: layouts and respots, touching balls, first contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from calibration.table.specs import TableSpec
from referee.quality.certify.recheck import LOST_MM, CalibrationRecheck
from referee.quality.certify.zones import Pair, Zone, expected_mm
from vision.advice.clock import Timing, rate_needed_hz
from vision.advice.exposure_time import ExposureTime

Fitness = Literal["fit", "limited", "unfit", "not known"]

SPEEDS_M_S = (1.0, 2.0, 4.0, 6.0, 8.0)
"""From a soft stroke to a hard break-off (tracker/params.py: about 8 m/s)."""

RESPOT_MM = 2.0
"""The offset that `cueref spots` flags beyond two sigma: decided where sigma is at most half of it."""

LAYOUT_MM = (1.5, 3.0)
"""Expected error of a resting ball, one sigma, worst zone (limited, unfit above). At 1.5 mm a ball over a
pocket's fall or beside another is read right; 3 mm is a tenth of what decides between full-ball and missed.
"""

TOUCHING_MM = (1.0, 3.0)
"""Smallest gap told from touching, middle zone (limited, unfit above): a sheet of card; a coin."""

FIRST_CONTACT_M_S = (4.0, 2.0)
"""Speed to which rate and exposure must do (limited, unfit below): hard strokes; most strokes."""


@dataclass(frozen=True, slots=True)
class SpeedRow:
    """What the first contact of a cue-ball of this speed needs, and whether this video has it (None:
    unknown).
    """

    speed_m_s: float
    rate_hz: float
    exposure_ms: float
    rate_enough: bool | None
    exposure_enough: bool | None


@dataclass(frozen=True, slots=True)
class Use:
    """A verdict on one use, with its reason in one sentence."""

    name: str
    fitness: Fitness
    reason: str


def speed_rows(table: TableSpec, timing: Timing | None, shutter: ExposureTime | None) -> tuple[SpeedRow, ...]:
    """The rate shows the ball twice on its run-up; the exposure smears it by half a diameter at most."""
    rows = []
    for speed in SPEEDS_M_S:
        rate, exposure = rate_needed_hz(1000 * speed), table.ball_radius_mm / speed
        rows.append(
            SpeedRow(
                speed,
                rate,
                exposure,
                None if timing is None else timing.different_hz >= rate - 0.05,
                None if shutter is None else 1000 * (shutter.seconds - shutter.sigma_s) <= exposure,
            )
        )
    return tuple(rows)


def layout_use(zones: Sequence[Zone], recheck: CalibrationRecheck, table: TableSpec) -> Use:
    """Are balls at rest, and colours on their spots, placed well enough?"""
    name = "Layouts and respots"
    lost = _lost(name, recheck)
    if lost is not None:
        return lost
    known = [z.expected_mm for z in zones if z.expected_mm is not None]
    if not known:
        return Use(name, "not known", "No ball lay still long enough in this video.")
    worst = max(known)
    spots = [e for x, y in table.spots.values() if (e := expected_mm(x, y, zones, table)) is not None]
    if worst > LAYOUT_MM[1]:
        return Use(name, "unfit", f"A ball at rest may be {worst:.1f} mm off (one sigma) in the worst zone.")
    if spots and max(spots) > RESPOT_MM / 2:
        reason = (
            f"At the worst spot sigma is {max(spots):.1f} mm: a colour {RESPOT_MM:.0f} mm off its spot is"
            ' often "not decided".'
        )
        return Use(name, "limited", reason)
    if worst > LAYOUT_MM[0]:
        return Use(name, "limited", f"Sigma is {worst:.1f} mm in the worst zone.")
    return Use(name, "fit", f"Sigma is {worst:.1f} mm or less in every zone.")


def touching_use(zones: Sequence[Zone], pairs: Sequence[Pair]) -> Use:
    """Is a small gap told from touching?"""
    name = "Touching balls"
    gaps = sorted(z.gap_mm for z in zones if z.gap_mm is not None)
    if not gaps:
        return Use(name, "not known", "No ball lay still long enough in this video.")
    overlap = [p for p in pairs if p.overlap]
    if overlap:
        p = overlap[0]
        return Use(
            name,
            "unfit",
            f"A {p.balls[0]} and a {p.balls[1]} ball are measured {-p.gap_mm:.1f} mm inside each other.",
        )
    middle = gaps[len(gaps) // 2]
    where = (
        f"Gaps from {middle:.1f} mm are told from touching in the middle zone, {gaps[-1]:.1f} mm in the worst"
    )
    fitness: Fitness = "unfit" if middle > TOUCHING_MM[1] else "limited" if middle > TOUCHING_MM[0] else "fit"
    return Use(name, fitness, where + ("." if fitness == "fit" else "; nearer pairs become questions."))


def contact_use(rows: Sequence[SpeedRow], timing: Timing | None, recheck: CalibrationRecheck) -> Use:
    """Is the ball that the cue-ball hits first seen to be first?"""
    name = "First contacts"
    lost = _lost(name, recheck)
    if lost is not None:
        return lost
    if timing is None:
        return Use(name, "not known", "The video has too few images.")
    share = max(timing.lost_share, timing.repeated_share)
    if share > 0.1:
        kind = "lost" if timing.lost_share == share else "repeated"
        return Use(
            name, "unfit", f"{100 * share:.0f} % of the images are {kind}: no contact time can be claimed."
        )
    reached = max(
        (r.speed_m_s for r in rows if r.rate_enough and r.exposure_enough is not False), default=0.0
    )
    fitness: Fitness = (
        "unfit" if reached < FIRST_CONTACT_M_S[1] else "limited" if reached < FIRST_CONTACT_M_S[0] else "fit"
    )
    if fitness == "fit" and any(r.exposure_enough is None for r in rows):
        return Use(
            name,
            "not known",
            f"The image rate does to {reached:.0f} m/s; the exposure time is not known, for nothing rolled"
            " fast enough.",
        )
    limit = "" if fitness == "fit" else f" ({_limit(rows, reached)})"
    return Use(name, fitness, f"Image rate and exposure do to {reached:.0f} m/s{limit}.")


def _limit(rows: Sequence[SpeedRow], reached: float) -> str:
    """What stops the next speed."""
    following = next(r for r in rows if r.speed_m_s > reached)
    short = [
        w
        for w, ok in (
            ("more images a second", following.rate_enough),
            ("a shorter exposure", following.exposure_enough),
        )
        if ok is False
    ]
    return f"{following.speed_m_s:.0f} m/s needs {' and '.join(short) or 'a known exposure'}"


def _lost(name: str, recheck: CalibrationRecheck) -> Use | None:
    if recheck.true is False:
        worst = recheck.shift.worst_mm if recheck.shift is not None else LOST_MM
        fitness: Fitness = (
            "unfit" if worst > LAYOUT_MM[1] or recheck.shift is None or recheck.shift.turned else "limited"
        )
        return Use(name, fitness, f"The calibration does not hold any more. {recheck.sentence}")
    return None
