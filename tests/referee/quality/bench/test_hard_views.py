"""Tables that were refused, or found wrongly, once: tilted, dim, rails and floor of nearly the cloth's
colour.
"""

from __future__ import annotations

import numpy as np
import pytest

from calibration.calibrate import calibrate
from referee.quality.bench.pixels.play import draw_still
from referee.quality.bench.pixels.scenes import draw_setting
from vision.render.studio import Studio

SEED = 1527933641


@pytest.mark.parametrize("number", [24, 28])
def test_a_table_in_full_view_is_found(number: int) -> None:
    """24: a red cloth between mahogany rails in the dark, 56 mm wrong at a stated 1.1. 28: 27 degrees of
    tilt and a lens of 101; posed by the noses alone, the baulk line leaned out of sight.
    """
    setting = draw_setting((SEED, number), 1280, 720, 50.0)
    studio = Studio(
        setting.scene, setting.camera, setting.sensor, setting.shutter, setting.grain, setting.falloff, number
    )
    table = setting.scene.table
    still = draw_still(np.random.default_rng([SEED, number, 3, 0]), table, 0)
    found = calibrate(
        [np.ascontiguousarray(studio.picture(still.balls, still.people)[..., ::-1])], setting.told
    )
    r = table.ball_radius_mm
    x, y = np.meshgrid(
        np.linspace(-1, 1, 9) * (table.half_width_mm - r), np.linspace(r, table.length_mm - r, 17)
    )
    at = np.column_stack((x.ravel(), y.ravel()))
    px = setting.camera.pixels_from_table(np.column_stack((at, np.full(len(at), r))))
    off = np.linalg.norm(found.camera.table_from_pixels(px, r) - at, axis=1)
    assert off.max() < 3.0, "a tenth of a ball's radius"
    sigma = np.array([found.sigma_mm(*place) for place in at])
    assert (off / sigma < 3.0 * np.sqrt(2)).all(), "and its uncertainty is true"
