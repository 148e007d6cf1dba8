"""Values of the rules' geometry: balls on the cloth, weighed answers, jaws, the bed and the D.

Table frame, millimetres (see `calibration.table.specs`). Nothing here knows the tracker or the rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray

from calibration.table.specs import Pocket, PointMm, TableSpec

Array = NDArray[np.float64]

CONTACT_TOLERANCE_MM = 1e-6
"""Surfaces closer than this touch: positions of rule cases are exact, floating point is not."""
CUSHION_TOLERANCE_MM = 0.5
"""A ball frozen on a cushion is measured this much inside it at worst; less is no obstruction."""
CERTAIN = 0.99
"""An answer is yes or no from this probability on, else unknown (intake then weighs both)."""


@dataclass(frozen=True, slots=True)
class BallAt:
    """A ball's centre projected on the cloth; `sigma_mm`: one standard deviation per axis, 0 if exact."""

    ball: str
    colour: str
    x_mm: float
    y_mm: float
    sigma_mm: float = 0.0

    def __post_init__(self) -> None:
        if not all(math.isfinite(v) for v in (self.x_mm, self.y_mm, self.sigma_mm)) or self.sigma_mm < 0:
            raise ValueError(f"a ball's position must be finite with sigma >= 0, got {self!r}")

    @property
    def xy(self) -> PointMm:
        return (self.x_mm, self.y_mm)


@dataclass(frozen=True, slots=True)
class Answer:
    """Yes, no or unknown, with what it hangs on.

    `margin_mm`: how far the deciding distance is on the side of yes (negative: of no); `sigma_mm`: its
    standard deviation; `probability`: of yes.
    """

    margin_mm: float
    sigma_mm: float
    probability: float

    @property
    def value(self) -> bool | None:
        """True, False, or None when neither reaches `CERTAIN`."""
        if self.probability >= CERTAIN:
            return True
        return False if self.probability <= 1 - CERTAIN else None

    @property
    def likely(self) -> bool:
        """The more probable answer; exact positions always have one."""
        return self.probability >= 0.5


def weigh(margin_mm: float, sigma_mm: float) -> Answer:
    """The answer to "is the margin at least zero?" when the margin has a normal error."""
    if sigma_mm <= 0 or math.isinf(margin_mm):
        return Answer(margin_mm, sigma_mm, 1.0 if margin_mm >= -CONTACT_TOLERANCE_MM else 0.0)
    return Answer(margin_mm, sigma_mm, 0.5 * (1 + math.erf(margin_mm / sigma_mm / math.sqrt(2))))


def negate(answer: Answer) -> Answer:
    """The answer to the opposite question."""
    return Answer(-answer.margin_mm, answer.sigma_mm, 1 - answer.probability)


def in_d(cue_ball: BallAt, table: TableSpec) -> Answer:
    """Whether the cue-ball is on or within the lines of the D (snooker 3.5; the line counts as in)."""
    if table.baulk_line_mm is None or table.d_radius_mm is None:
        raise ValueError("table has no D: baulk_line_mm and d_radius_mm are needed")
    below = table.baulk_line_mm - cue_ball.y_mm
    inside = table.d_radius_mm - math.hypot(cue_ball.x_mm, cue_ball.y_mm - table.baulk_line_mm)
    return weigh(min(below, inside), cue_ball.sigma_mm)


def points(balls: Iterable[BallAt]) -> Array:
    """Centres as an array (n, 2), mm."""
    return np.array([b.xy for b in balls], dtype=np.float64).reshape(-1, 2)


def _fillet(nose: PointMm, along: PointMm, outward: PointMm, radius_mm: float) -> list[PointMm]:
    """The curved face of a jaw: 45 degrees of arc from where the straight nose ends.

    `along`: unit vector along the cushion into the pocket; `outward`: away from the table.
    """
    if radius_mm <= 0:
        return [nose]
    turn = np.linspace(0.0, math.pi / 4, 24)
    return [
        (
            nose[0] + radius_mm * (math.sin(a) * along[0] + (1 - math.cos(a)) * outward[0]),
            nose[1] + radius_mm * (math.sin(a) * along[1] + (1 - math.cos(a)) * outward[1]),
        )
        for a in turn
    ]


def _throat(arc: list[PointMm], along: PointMm, outward: PointMm, depth_mm: float) -> PointMm:
    """Where the straight cut behind the curved face (45 degrees) ends, `depth_mm` further on."""
    step = depth_mm / math.sqrt(2)
    return (arc[-1][0] + step * (along[0] + outward[0]), arc[-1][1] + step * (along[1] + outward[1]))


def _jaw_directions(pocket: Pocket, index: int) -> tuple[PointMm, PointMm]:
    """(along, outward) of a pocket's jaw: corner jaw 0 lies on an end cushion, 1 on a side cushion."""
    sx = -1.0 if pocket.name[1] == "L" else 1.0
    if pocket.name[0] == "C":
        return ((0.0, 1.0 if index == 0 else -1.0), (sx, 0.0))
    sy = 1.0 if pocket.name[0] == "T" else -1.0
    return ((sx, 0.0), (0.0, sy)) if index == 0 else ((0.0, sy), (sx, 0.0))


def _jaw_radius(pocket: Pocket, table: TableSpec) -> float:
    return table.centre_jaw_radius_mm if pocket.name[0] == "C" else table.corner_jaw_radius_mm


@lru_cache(maxsize=32)
def jaws(table: TableSpec) -> tuple[shapely.Polygon, ...]:
    """The twelve jaws as solids, each from the end of the straight nose inwards (snooker 1.1(c))."""
    solids = []
    for pocket in table.pockets:
        for i, nose in enumerate(pocket.jaws):
            along, outward = _jaw_directions(pocket, i)
            arc = _fillet(nose, along, outward, _jaw_radius(pocket, table))
            end = _throat(arc, along, outward, table.ball_diameter_mm)
            deep = 3 * table.ball_diameter_mm
            back = (nose[0] + deep * outward[0], nose[1] + deep * outward[1])
            solids.append(shapely.convex_hull(shapely.MultiPoint([*arc, end, back])))
    return tuple(solids)


@lru_cache(maxsize=32)
def bed(table: TableSpec) -> shapely.Geometry:
    """Where a ball's centre may be: the playing area and the pockets' mouths, a ball's radius inside."""
    area = shapely.box(-table.half_width_mm, 0.0, table.half_width_mm, table.length_mm)
    mouths = []
    for pocket in table.pockets:
        outline: list[PointMm] = []
        for i, nose in enumerate(pocket.jaws):
            along, outward = _jaw_directions(pocket, i)
            arc = _fillet(nose, along, outward, _jaw_radius(pocket, table))
            side = [*arc, _throat(arc, along, outward, table.ball_diameter_mm)]
            outline += side if i == 0 else side[::-1]
        mouths.append(shapely.Polygon(outline).buffer(0))
    whole = shapely.union_all([area, *mouths])
    shrunk = whole.buffer(-(table.ball_radius_mm - CUSHION_TOLERANCE_MM), quad_segs=16)
    shapely.prepare(shrunk)
    return shrunk
