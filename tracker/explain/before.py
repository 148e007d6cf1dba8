"""The layouts before and after a span, as looks at the whole table: what the span before left, this one
begins with, and ends where all lies still and is seen again.

A span need not begin or end with an image that shows every ball. A ball of a layout is entered as one
detection with its place, its sigma and a colour that is as sure as its name was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import PointMm
from tracker.events import PlacedBall
from tracker.explain.detections import LayoutLook
from tracker.params import LAYOUT_SURE
from vision.observation import CellMask, ImageObservations, Observation

BEFORE_S = 0.04
"""The layout is shown so long before the first image of the span: one image of most cameras."""
AFTER_LOOKS = 2
"""The layout behind a span is shown in so many looks: one alone could be clutter."""
LEAST_OTHER = 1e-4
"""Probability that a name is wrong, and that it is right, at least."""


def with_layout(
    images: Sequence[ImageObservations],
    layout: Sequence[PlacedBall],
    kinds: PieceSet = SNOOKER,
    unnamed: Sequence[Observation] = (),
) -> tuple[ImageObservations, ...]:
    """The images with the layout in front of them, and what lay there besides (`unnamed`); unchanged where
    one of them is empty.
    """
    if not images or not (layout or unnamed):
        return tuple(images)
    first = images[0]
    return (_look(first.index - 1, first.t_s - BEFORE_S, layout, None, kinds, unnamed), *images)


def with_layout_after(
    images: Sequence[ImageObservations],
    layout: Sequence[PlacedBall],
    hidden_mm: Sequence[PointMm] = (),
    kinds: PieceSet = SNOOKER,
    unnamed: Sequence[Observation] = (),
) -> tuple[ImageObservations, ...]:
    """The images with the layout behind them. `hidden_mm`: where balls may lie that nobody sees: these places
    are covered. `unnamed`: what lies there besides. Unchanged where no image is there.
    """
    if not images or not (layout or unnamed):
        return tuple(images)
    last = images[-1]
    grid = next((m for i in images for m in (i.looked, i.covered) if m is not None), None)
    covered = None if grid is None or not hidden_mm else _covered(grid, hidden_mm)
    looks = (
        _look(last.index + k, last.t_s + k * BEFORE_S, layout, covered, kinds, unnamed)
        for k in range(1, AFTER_LOOKS + 1)
    )
    return (*images, *looks)


def _look(
    index: int,
    t_s: float,
    layout: Sequence[PlacedBall],
    covered: CellMask | None,
    kinds: PieceSet,
    unnamed: Sequence[Observation] = (),
) -> ImageObservations:
    balls = tuple(_seen(b, kinds) for b in layout if b.colour in kinds.index)
    return LayoutLook(index, t_s, (*balls, *unnamed), None, covered)


def _covered(grid: CellMask, places_mm: Sequence[PointMm]) -> CellMask:
    """The cells of the grid that reach within a ball's radius of one of the places."""
    x = grid.x0_mm + (np.arange(grid.columns) + 0.5) * grid.cell_mm
    y = grid.y0_mm + (np.arange(grid.rows) + 0.5) * grid.cell_mm
    reach = 0.5 * grid.cell_mm + RADIUS_MM
    bits = np.zeros((grid.rows, grid.columns), dtype=np.uint8)
    for x_mm, y_mm in places_mm:
        bits |= (abs(y - y_mm) < reach)[:, None] & (abs(x - x_mm) < reach)[None, :]
    return replace(grid, bits=bits.tobytes())


RADIUS_MM = 30.0
"""A ball's radius and a little: 26.25 mm in snooker, 28.6 in pool."""


def _seen(ball: PlacedBall, kinds: PieceSet) -> Observation:
    wrong = min(max(1.0 - ball.confidence, LEAST_OTHER), 1.0 - LEAST_OTHER)
    other = wrong / max(len(kinds.names) - 1, 1)
    own = math.log(1.0 - wrong)
    logp = tuple(own if k == ball.colour else math.log(other) for k in kinds.names)
    return Observation(
        ball.x_mm, ball.y_mm, max(ball.sigma_mm, 0.3), 0.0, 0.0, logp, min(ball.there, LAYOUT_SURE)
    )
