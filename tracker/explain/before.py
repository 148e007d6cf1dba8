"""The layout before a span, as a look at the whole table: what the span before left, this one begins with.

A span need not begin with an image that shows every ball. A ball of the layout is entered as one detection
with its place, its sigma and a colour that is as sure as its name was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.table.pieces import SNOOKER, PieceSet
from tracker.events import PlacedBall
from vision.observation import ImageObservations, Observation

BEFORE_S = 0.04
"""The layout is shown so long before the first image of the span: one image of most cameras."""
LEAST_OTHER = 1e-4
"""Probability that a name is wrong, at least."""
SURE = 0.95
"""Confidence of a ball that lay there: it was seen in many looks."""


def with_layout(
    images: Sequence[ImageObservations], layout: Sequence[PlacedBall], kinds: PieceSet = SNOOKER
) -> tuple[ImageObservations, ...]:
    """The images with the layout in front of them; unchanged where one of them is empty."""
    if not images or not layout:
        return tuple(images)
    first = images[0]
    balls = tuple(_seen(b, kinds) for b in layout if b.colour in kinds.index)
    look = ImageObservations(first.index - 1, first.t_s - BEFORE_S, balls, None, None)
    return (look, *images)


def _seen(ball: PlacedBall, kinds: PieceSet) -> Observation:
    other = max(1.0 - ball.confidence, LEAST_OTHER) / max(len(kinds.names) - 1, 1)
    own = math.log(1.0 - other * (len(kinds.names) - 1))
    logp = tuple(own if k == ball.colour else math.log(other) for k in kinds.names)
    return Observation(ball.x_mm, ball.y_mm, max(ball.sigma_mm, 0.3), 0.0, 0.0, logp, SURE)
