"""The ball plane makes balls look round to the detector, from above and from the end."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.camera import Camera
from calibration.find.rough import looking_down
from calibration.table.specs import SNOOKER_TABLE as TABLE
from vision.locate.outline import silhouette_mm
from vision.plane import PX_PER_DIAMETER, BallPlane

MIDDLE = np.array([0.0, TABLE.length_mm / 2, 0.0])


def camera(tilt_deg: float, towards: str) -> Camera:
    """A camera 12 m from the middle of the table, leaning towards an end or a side; 1280 x 720."""
    tilt, far = math.radians(tilt_deg), 12_000.0
    aside = np.array([0.0, 1.0, 0.0] if towards == "end" else [1.0, 0.0, 0.0])
    eye = MIDDLE + far * (math.sin(tilt) * aside + math.cos(tilt) * np.array([0.0, 0.0, 1.0]))
    z = (MIDDLE - eye) / far
    down = -math.cos(tilt) * -aside + math.sin(tilt) * -np.array([0.0, 0.0, 1.0]) if tilt else aside
    right = np.cross(down, z)
    right /= np.linalg.norm(right)
    turn = np.stack((right, np.cross(z, right), z))
    w, top = TABLE.half_width_mm, TABLE.length_mm
    corners = np.array([(-w, 0.0), (w, 0.0), (w, top), (-w, top)])
    seen = (np.column_stack((corners, np.zeros(4))) - eye) @ turn.T
    px = 3000.0 * seen[:, :2] / seen[:, 2:] + ((1280 - 1) / 2, (720 - 1) / 2)
    return looking_down(1280, 720, "radial", 3000.0, px, corners)


@pytest.mark.parametrize("towards", ["end", "side"])
@pytest.mark.parametrize("tilt_deg", [0.0, 30.0, 45.0, 60.0])
def test_a_ball_is_nowhere_much_longer_than_wide(tilt_deg: float, towards: str) -> None:
    view = camera(tilt_deg, towards)
    plane = BallPlane(view, TABLE)
    for x, y in ((0.0, 600.0), (0.0, 1784.0), (0.0, 3000.0), (700.0, 1784.0)):
        ring = silhouette_mm(
            np.array([[x, y, TABLE.ball_radius_mm]]), TABLE.ball_radius_mm, np.asarray(view.centre_mm), 64
        )[0]
        on_plane = view.table_from_pixels(view.pixels_from_table(ring), TABLE.ball_radius_mm)
        uv = np.array([plane.plane_from_mm(*p) for p in on_plane.tolist()])
        size = np.ptp(uv, axis=0)
        assert size.max() < 1.5 * size.min()
        assert PX_PER_DIAMETER * 0.8 < size.min() < PX_PER_DIAMETER * 1.5


def test_from_above_the_plane_is_square() -> None:
    plane = BallPlane(camera(20.0, "end"), TABLE)
    assert plane.mm_per_px_along == plane.mm_per_px == TABLE.ball_diameter_mm / PX_PER_DIAMETER


@pytest.mark.parametrize("tilt_deg", [0.0, 60.0])
def test_places_go_through_the_plane_and_back_and_masks_lie_where_their_cells_do(tilt_deg: float) -> None:
    plane = BallPlane(camera(tilt_deg, "end"), TABLE)
    for x, y in ((-800.0, 30.0), (0.0, 1784.5), (880.0, 3560.0)):
        assert plane.mm_from_plane(*plane.plane_from_mm(x, y)) == pytest.approx((x, y))
        cells = np.zeros((plane.rows, plane.columns), np.bool_)
        (cell,) = plane.cells_of(np.array([(x, y)]))
        cells[cell] = True
        u, v = (cell[1] + 0.5) * PX_PER_DIAMETER - 0.5, (cell[0] + 0.5) * PX_PER_DIAMETER - 0.5
        mask = plane.mask(cells)
        assert mask.at(*plane.mm_from_plane(u, v))
        assert mask.cell_mm == TABLE.ball_diameter_mm
        assert sum(mask.bits) <= 2 + 2.5 * plane.mm_per_px_along / plane.mm_per_px
