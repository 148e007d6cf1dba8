"""People and cues beside or over a ball: covered cells, cut outlines, shadows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from calibration.table.specs import TableSpec
from tracker.ball import Ball, BallState
from tracker.detections.cover import altered_about
from tracker.detections.tentative import Tentative
from vision.observation import ImageObservations, Observation

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


def beside(ball: Ball, rolling: Sequence[Tentative], image: ImageObservations, table: TableSpec) -> bool:
    """Whether the cloth about a ball's place looks otherwise than at rest, and nothing rolls that can have
    met it.
    """
    if image.altered is None:
        return False
    if any(math.dist(i.last_mm, ball.place) < MET_WITHIN_MM for i in rolling):
        return False
    return altered_about(image.altered, *ball.place, table.ball_diameter_mm)


def in_other_light(
    obs: Observation,
    balls: Sequence[Ball],
    rolling: Sequence[Tentative],
    image: ImageObservations,
    table: TableSpec,
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
            return b.rest.unshaded >= UNSHADED_LOOKS and beside(b, rolling, image, table)
    return False


def as_shaded(obs: Observation) -> Observation:
    """The observation of a ball that an arm shades, less sure of its place."""
    return replace(obs, sigma_mm=max(obs.sigma_mm, SHADED_SIGMA_MM))
