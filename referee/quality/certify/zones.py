"""Expected error by zone of the table, and the smallest gap between two balls that is told from touching."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.result import Calibration
from calibration.table.specs import TableSpec
from referee.quality.certify.rests import Rest
from referee.quality.certify.survey import Look

ACROSS, ALONG = 3, 6
"""Zones of about 0.6 m square on a full-size table."""

TOLD_APART = 2 * 1.645
"""Sigmas of a gap that keep both errors at 5 %: calling a touching pair apart, and a pair of this gap
touching.
"""

_NEAR_PAIR_MM = 15.0  # gap within which the tracker measures touching (tracker/stroke/solve.py)
_ACROSS_WORDS = ("left", "middle", "right")


@dataclass(frozen=True, slots=True)
class Zone:
    """A rectangle of the table (mm). Sigmas are one standard deviation per axis.

    `calibration_mm`: at its middle; `spread_mm`: of single-image fits of balls that lay here, `fit_mm`: what
    those fits say of themselves (bias included); both None where no ball lay. `expected_mm`: of a ball at
    rest here; where none lay, with the other zones' fits (`measured` False), None where none lay anywhere.
    `gap_mm`: smallest gap told from touching.
    """

    name: str
    x0_mm: float
    x1_mm: float
    y0_mm: float
    y1_mm: float
    rests: int
    calibration_mm: float
    spread_mm: float | None
    fit_mm: float | None
    expected_mm: float | None
    gap_mm: float | None
    measured: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """Two balls that lay within 15 mm of each other: mean gap, and its scatter over the pictures, mm."""

    balls: tuple[str, str]
    x_mm: float
    y_mm: float
    gap_mm: float
    scatter_mm: float
    sigma_mm: float
    looks: int

    @property
    def overlap(self) -> bool:
        """Nearer than balls can be, by more than three sigma: then something is wrong, not uncertain."""
        return self.gap_mm < -3.0 * self.sigma_mm


def zones_of(rests: Sequence[Rest], calibration: Calibration) -> tuple[Zone, ...]:
    """The table in `ALONG` rows from the baulk end, each of `ACROSS` zones from the left."""
    table = calibration.table
    known = [(r.fit_sigma_mm, r.spread_mm) for r in rests]
    elsewhere = float(np.median([max(f, s) for f, s in known])) if known else None
    out = []
    for j in range(ALONG):
        for i in range(ACROSS):
            x0, x1 = (table.half_width_mm * (2 * k / ACROSS - 1) for k in (i, i + 1))
            y0, y1 = (table.length_mm * k / ALONG for k in (j, j + 1))
            own = [r for r in rests if _zone_index(r.x_mm, r.y_mm, table) == (i, j)]
            out.append(_zone(f"{j + 1} {_ACROSS_WORDS[i]}", (x0, x1, y0, y1), own, calibration, elsewhere))
    return tuple(out)


def _zone_index(x_mm: float, y_mm: float, table: TableSpec) -> tuple[int, int]:
    i = int(np.clip((x_mm / table.half_width_mm + 1) / 2 * ACROSS, 0, ACROSS - 1))
    return i, int(np.clip(y_mm / table.length_mm * ALONG, 0, ALONG - 1))


def _zone(
    name: str,
    box: tuple[float, float, float, float],
    own: Sequence[Rest],
    calibration: Calibration,
    elsewhere: float | None,
) -> Zone:
    x0, x1, y0, y1 = box
    solved = calibration.sigma_mm((x0 + x1) / 2, (y0 + y1) / 2)
    # root mean square: one bad ball in a zone must show
    spread = float(np.sqrt(np.mean([r.spread_mm**2 for r in own]))) if own else None
    fit = float(np.sqrt(np.mean([r.fit_sigma_mm**2 for r in own]))) if own else None
    single = max(spread, fit) if spread is not None and fit is not None else elsewhere
    expected = math.hypot(solved, single) if single is not None else None
    gap = TOLD_APART * math.sqrt(2) * single if single is not None else None
    return Zone(name, x0, x1, y0, y1, len(own), solved, spread, fit, expected, gap, bool(own))


def expected_mm(x_mm: float, y_mm: float, zones: Sequence[Zone], table: TableSpec) -> float | None:
    """Expected error of a ball at rest at a place, from its zone."""
    i, j = _zone_index(x_mm, y_mm, table)
    return zones[j * ACROSS + i].expected_mm


def pairs_of(looks: Sequence[Look], table: TableSpec) -> tuple[Pair, ...]:
    """Pairs of balls that lay close to each other in four looks or more, nearest first."""
    seen: dict[tuple[int, int, str, str], list[tuple[float, float, float, float]]] = {}
    d = table.ball_diameter_mm
    for look in looks:
        for n, a in enumerate(look.balls):
            for b in look.balls[n + 1 :]:
                gap = math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) - d
                if gap > _NEAR_PAIR_MM:
                    continue
                x, y = (a.x_mm + b.x_mm) / 2, (a.y_mm + b.y_mm) / 2
                # the middle of a resting pair stays in one cell of 40 mm, or its neighbour: then it is two
                # rows
                first, second = sorted((a.colour, b.colour))
                key = (round(x / 40), round(y / 40), first, second)
                seen.setdefault(key, []).append((gap, math.hypot(a.sigma_mm, b.sigma_mm), x, y))
    out = []
    for (_, _, first, second), rows in seen.items():
        if len(rows) < 4:
            continue
        gap, sigma, x, y = (float(np.median([r[k] for r in rows])) for k in range(4))
        scatter = float(np.std([r[0] for r in rows], ddof=1))
        out.append(Pair((first, second), x, y, gap, scatter, sigma, len(rows)))
    return tuple(sorted(out, key=lambda p: p.gap_mm))
