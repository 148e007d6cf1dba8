"""People and cues beside or over a ball: covered cells, cut outlines, shadows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from calibration.table.specs import TableSpec
from tracker.ball import Ball, BallState
from vision.observation import CellMask, ImageObservations, Observation

AROUND_DIAMETERS, SIDES, ALTERED_SIDES = 1.3, 8, 3
"""Around a ball, beyond its own shadow. A cue across it, or a ball that lies there now, changes two of the
sides.
"""
CUT_SHARE = 0.25
"""What an arm or cue that is no known cover cuts off moves an outline by less than this share of a radius."""
MET_WITHIN_MM = 400.0
"""A ball that has met another one is this near to its place two images later, at 5 m/s and 25 images a
second.
"""
SHADED_SIGMA_MM = 1.2
"""One standard deviation of where a ball seems to lie while an arm or its shadow lies beside it."""
SHADE_DRAWS_MM = 3.5
"""No shade draws a ball's outline as far in look after look (2.7 mm was seen): somebody has nudged it."""
UNSHADED_LOOKS = 2
"""So many looks at the still table, nobody there, say where a ball lies. Before them a shaded one is as good
as any:
balls that came to rest side by side alter one another's surroundings too, until the table is taken to look
like that.
"""


def altered_about(altered: CellMask, x_mm: float, y_mm: float, diameter_mm: float) -> bool:
    """Whether the table looks otherwise than at rest about a place, not only where a ball lay or comes by."""
    r = AROUND_DIAMETERS * diameter_mm
    sides = [2 * math.pi * k / SIDES for k in range(SIDES)]
    return sum(altered.at(x_mm + r * math.cos(a), y_mm + r * math.sin(a)) for a in sides) >= ALTERED_SIDES


def near_cover(covered: CellMask | None, x_mm: float, y_mm: float, reach_mm: float) -> bool:
    """Whether a covered cell lies within about `reach_mm` of the place."""
    if covered is None:
        return False
    bits, columns, rows, cell = covered.bits, covered.columns, covered.rows, covered.cell_mm
    x, y = x_mm - covered.x0_mm, y_mm - covered.y0_mm
    across = {int((x - reach_mm) // cell), int(x // cell), int((x + reach_mm) // cell)}
    for j in {int((y - reach_mm) // cell), int(y // cell), int((y + reach_mm) // cell)}:
        if 0 <= j < rows and any(0 <= i < columns and bits[j * columns + i] for i in across):
            return True
    return False


def beside(ball: Ball, balls: Sequence[Ball], image: ImageObservations, table: TableSpec) -> bool:
    """Whether the cloth about a ball's place looks otherwise than at rest, and no ball rolls that can have
    met it.
    """
    if image.altered is None:
        return False
    if any(b.state is BallState.MOVING and math.dist(b.place, ball.place) < MET_WITHIN_MM for b in balls):
        return False
    return altered_about(image.altered, *ball.place, table.ball_diameter_mm)


def in_other_light(
    obs: Observation, balls: Sequence[Ball], image: ImageObservations, table: TableSpec
) -> bool:
    """Whether the observation shows a ball at rest, known to lie there, that an arm shades: the shade's edge
    is not the ball's.

    The cue-ball is left out: at the strike it leaves from the cue's shadow.
    """
    if image.altered is None:
        return False
    reach_mm = CUT_SHARE * table.ball_radius_mm
    for b in balls:
        if b.state is BallState.REST and not b.is_cue and math.dist(b.place, (obs.x_mm, obs.y_mm)) < reach_mm:
            return b.rest.unshaded >= UNSHADED_LOOKS and beside(b, balls, image, table)
    return False


def as_shaded(obs: Observation) -> Observation:
    """The observation of a ball that an arm shades, less sure of its place."""
    return replace(obs, sigma_mm=max(obs.sigma_mm, SHADED_SIGMA_MM))
