"""The camera over a carrom board, from its base lines and the end of its surface at the frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.find.board import (
    BaseLines,
    find_base_lines,
    measured_lines,
    rough_line_points,
    surface_ends,
    with_bottom_at,
)
from calibration.find.cloth import cloth_regions
from calibration.find.rough import rough_cameras, rough_priors
from calibration.find.strips import ByteArray
from calibration.solve.model import Fit, Points, solve
from calibration.solve.refine import other_model, solve_straight
from calibration.solve.unknowns import BASE, BASES, GAP, INDEX, K2_SIGMA, SIDES, start_values
from calibration.table.specs import TableSpec

LEAST_SIDES = 3
"""Sides on which base lines must be seen: hands and pieces may hide the fourth."""

_WINDOWS_PX = (6.0, 3.5, 2.0)  # from the model, in which lines are measured, in each round
_REGIONS, _STARTS = 3, 3  # of the surface in the picture, and first cameras of each
_POSE_STEPS = 25
_CLEAR_PX = 0.6  # median misfit of the lines (at 1280 px width) from which no other start is tried
_NOMINAL_WIDTH_PX = 1280


@dataclass(frozen=True)
class BoardFit:
    """A solved board: its base lines as last found, the solution and its points."""

    lines: tuple[BaseLines, ...]
    fit: Fit
    points: Points

    @property
    def misfit_px(self) -> float:
        """Median distance of the base lines' points from the model."""
        on_lines = self.points.mark >= BASES[0]
        return float(np.median(np.abs(self.fit.residual_px[on_lines]))) if on_lines.any() else np.inf


def fit_board(image: ByteArray, table: TableSpec, towards: tuple[float, float]) -> BoardFit | None:
    """The best fitting board in a (H, W, 3) BGR picture; None where no base lines are seen.

    `towards`: direction in the picture (x right, y down) in which player A's side lies.
    """
    height, width = image.shape[:2]
    clear = _CLEAR_PX * max(1.0, width / _NOMINAL_WIDTH_PX)
    best: BoardFit | None = None
    for strict in (False, True):
        for region in cloth_regions(image, strict)[:_REGIONS]:
            for first in rough_cameras((width, height), region, table)[:_STARTS]:
                found = _fitted(image, first, table, towards)
                if found is None:
                    continue
                if best is None or _badness(found) < _badness(best):
                    best = found
                if found.misfit_px < clear and len(found.lines) == len(SIDES):
                    return found
    return best


def _badness(found: BoardFit) -> tuple[int, float]:
    return len(SIDES) - len(found.lines), found.misfit_px


def _fitted(image: ByteArray, first: Fit, table: TableSpec, towards: tuple[float, float]) -> BoardFit | None:
    camera = with_bottom_at(first.camera, table, towards)
    for _ in range(2):
        lines = find_base_lines(image, camera, table)
        if len(lines) < LEAST_SIDES:
            return None
        priors = {k: v for k, v in rough_priors(table).items() if not k.startswith("m")}
        points = rough_line_points(camera, table, lines)
        camera = solve(
            camera, table, points, {**priors, "k2": (0.0, K2_SIGMA)}, rounds=2, steps=_POSE_STEPS
        ).camera
    lines = find_base_lines(image, camera, table) or lines
    values = start_values(table)
    insets = (float(values[BASE]), float(values[BASE] + values[GAP]))
    fit: Fit | None = None
    measured = table
    for window in _WINDOWS_PX:
        points = Points.join(
            [
                measured_lines(image, camera, table, insets, lines, window),
                surface_ends(image, camera, measured, window),
            ]
        )
        bases = (camera, other_model(camera))
        fits = [solve_straight(base, table, points, measured) for base in bases]
        fit = min(fits, key=lambda f: f.cost)
        camera, measured = fit.camera, fit.table
        base, gap = (_value(fit, name) for name in ("base", "gap"))
        insets = (base, base + gap)
    assert fit is not None
    return BoardFit(tuple(lines), fit, points)


def _value(fit: Fit, name: str) -> float:
    return float(
        fit.values[fit.free.index(name)] if name in fit.free else start_values(fit.table)[INDEX[name]]
    )
