"""Colours on their spots correct a table whose noses are seen elsewhere than they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.camera import Camera, rotation_vector
from calibration.solve.model import Points, distances, mark_moves, solve
from calibration.solve.refine import lens_priors
from calibration.solve.spots import spot_points
from calibration.solve.unknowns import (
    BAULK,
    BLACK,
    LENGTH,
    MARGIN_NAMES,
    MOVERS,
    RADIUS,
    SIDES,
    SPOT_AXIS,
    SPOT_BLACK,
    TOP,
    start_values,
)
from calibration.table.specs import SNOOKER_TABLE as TABLE

ABOVE = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
T = -ABOVE @ np.array([30.0, TABLE.length_mm / 2 - 40.0, 3_000.0])
CAMERA = Camera(1280, 720, "radial", 900.0, 645.0, 352.0, (0.0,), rotation_vector(ABOVE), tuple(T.tolist()))


def spots_seen(camera: Camera) -> np.ndarray:
    return camera.pixels_from_table([(x, y, TABLE.ball_radius_mm) for x, y in TABLE.spots.values()])


def noses(top_mm: float) -> Points:
    """Exact edges of the four noses, the top one `top_mm` beyond its nose."""
    w, length, z = TABLE.half_width_mm, TABLE.length_mm, TABLE.nose_height_mm
    share = np.linspace(0.05, 0.95, 40)
    lines = [((-w, 0), (w, 0)), ((-w, length), (w, length)), ((-w, 0), (-w, length)), ((w, 0), (w, length))]
    parts = []
    for side, (a, b) in zip(SIDES, lines, strict=True):
        flat = np.array(a) + share[:, None] * (np.array(b) - np.array(a)) + (0.0, top_mm * (side == TOP))
        at = np.column_stack((flat, np.full(len(flat), z)))
        parts.append(Points.of(CAMERA.pixels_from_table(at), side, 0.2))
    return Points.join(parts)


def test_balls_on_their_spots_lie_on_the_lines_of_the_spots() -> None:
    points = spot_points(CAMERA, TABLE, list(TABLE.spots), spots_seen(CAMERA), np.ones((6, 2)))
    at = CAMERA.table_from_pixels(points.px, 0.0)
    assert np.abs(distances(at, points.mark, start_values(TABLE))[0]).max() < 1e-6
    assert not points.on_nose.any()


@pytest.mark.parametrize("unknown", [RADIUS, LENGTH, BLACK])
def test_spots_move_with_the_tables_dimensions(unknown: int) -> None:
    mark = np.arange(SPOT_AXIS, SPOT_BLACK + 1)
    at, v = np.full((len(mark), 2), 100.0), start_values(TABLE)
    here, normal = distances(at, mark, v)
    v[unknown] += 1.0
    there, _ = distances(at, mark, v)
    assert mark_moves(normal, mark)[unknown - MOVERS] == pytest.approx(there - here)


def test_colours_on_their_spots_bring_a_far_nose_seen_four_millimetres_out_back() -> None:
    priors = {k: p for k, p in lens_priors(TABLE, "radial", 1280, False).items() if k != "baulk"}
    priors |= dict.fromkeys(MARGIN_NAMES, (0.0, 2.0))
    edges = noses(4.0)
    line = [(x, TABLE.baulk_line_mm, 0.0) for x in np.linspace(-800, 800, 20)]
    edges = Points.join([edges, Points.of(CAMERA.pixels_from_table(line), BAULK, 0.1)])
    balls = spot_points(CAMERA, TABLE, list(TABLE.spots), spots_seen(CAMERA), np.ones((6, 2)))
    base = replace(CAMERA, focal_px=910.0)

    def off(points: Points) -> float:
        fit = solve(base, TABLE, points, priors)
        at = fit.camera.table_from_pixels(spots_seen(CAMERA), TABLE.ball_radius_mm)
        return float(np.hypot(*(at - list(TABLE.spots.values())).T).max())

    without, with_balls = off(edges), off(Points.join([edges, balls]))
    assert without > 1.0
    assert with_balls < without / 2
