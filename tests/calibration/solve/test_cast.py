"""Exact derivatives: what the solver is told of each unknown is what a small change of it does."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.camera import Camera, CameraModel, rotation_vector
from calibration.solve.cast import Caster
from calibration.solve.model import (
    INDEX,
    NAMES,
    SCALE,
    Points,
    camera_of,
    distances,
    mark_moves,
    plane_points,
    start_values,
)
from calibration.solve.unknowns import MOVERS, SIGHT_EIGHTHS, SIGHT_QUARTERS, SIGHT_RAILS, TURNS
from calibration.table.specs import SNOOKER_TABLE


def tilted(model: CameraModel) -> Camera:
    turn = np.array([[0.0, 1.0, 0.0], [0.9, 0.0, -0.4358898943540674], [-0.4358898943540674, 0.0, -0.9]])
    t = -turn @ np.array([900.0, 1700.0, 2500.0])
    return Camera(
        1280, 720, model, 650.0, 643.0, 355.0, (-0.06, 0.01), rotation_vector(turn), tuple(t.tolist())
    )


@pytest.mark.parametrize("model", ["radial", "fisheye"])
def test_every_unknown_moves_points_as_the_camera_says(model: CameraModel) -> None:
    """Central differences through `Camera` itself, away from the increments' zero, for every kind of mark."""
    base, rng, count = tilted(model), np.random.default_rng(5), 120
    px = rng.uniform((0, 0), (1279, 719), (count, 2))
    marks = rng.permutation(
        np.resize([*range(6), *SIGHT_RAILS, *SIGHT_EIGHTHS, *SIGHT_QUARTERS, *TURNS], count)
    )
    raised = ((rng.random(count) < 0.6) | (marks >= SIGHT_RAILS[0])) & (marks < TURNS[0])
    points = Points(px, marks, np.full(count, 0.5), raised)
    v = start_values(SNOOKER_TABLE)
    v[:MOVERS] += rng.normal(0, 0.5, MOVERS) * SCALE[:MOVERS]
    v[INDEX["arc_x"]] = 4.0

    def height(values: np.ndarray) -> np.ndarray:
        above = values[INDEX["lift"]] * points.on_sight + values[INDEX["centre"]] * points.on_turn
        return values[INDEX["nose"]] * points.on_nose + above

    def far(values: np.ndarray) -> np.ndarray:
        return distances(plane_points(camera_of(base, values), px, height(values)), points.mark, values)[0]

    z = height(v)
    caster = Caster(base, px, points.on_nose, points.on_sight, points.on_turn)
    seen = caster.cast(v)
    assert np.allclose(seen.at, plane_points(camera_of(base, v), px, z), atol=1e-6)
    normal = distances(seen.at, points.mark, v)[1]
    told = np.concatenate((caster.moves(seen, v, normal), mark_moves(normal, points.mark)))
    for n in range(len(NAMES)):
        step = np.zeros(len(NAMES))
        step[n] = 1e-5 * SCALE[n]
        expected = (far(v + step) - far(v - step)) / (2 * step[n])
        assert np.allclose(
            told[n], expected, rtol=1e-4, atol=1e-4 * max(1e-3, float(np.abs(expected).max()))
        ), NAMES[n]
