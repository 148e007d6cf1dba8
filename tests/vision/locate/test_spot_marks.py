"""Marks of the spots: found to a fraction of a millimetre where they lie free, and nothing else taken for
one.
"""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, rotation_vector
from calibration.table.specs import TableSpec
from vision.io.picture import Picture
from vision.locate.spot_marks import measure_mark, with_look

TABLE = TableSpec()
LINES = ("yellow", "green", "brown")


def _camera() -> Camera:
    # 1080p, 2.7 m above the table's middle, the table's length across the picture: 1.9 mm a pixel
    towards = np.array(
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]
    )  # x right is the table's y, y down its x
    translation = -towards @ np.array([0.0, 1784.5, 2700.0])
    tx, ty, tz = translation.tolist()
    return Camera(1920, 1080, "radial", 1420.0, 959.5, 539.5, (), rotation_vector(towards), (tx, ty, tz))


def _picture(
    camera: Camera, discs: list[tuple[float, float, float, int]], line: bool = True, seed: int = 0
) -> Picture:
    """A cloth drawn four times too fine, blurred by the shrinking, with noise. Discs: x, y, radius mm,
    grey.
    """
    big = 4
    luma = np.full((1080, 1920), 90.0, np.float32)
    y0, y1 = TABLE.baulk_line_mm - 3.0, TABLE.baulk_line_mm + 3.0
    for x, y, r, grey in discs:
        px = camera.pixels_from_table([(x, y, 0.0)])[0]
        u, v = int(px[0]) - 24, int(px[1]) - 24
        gv, gu = np.mgrid[0 : 48 * big, 0 : 48 * big]
        pixels = np.stack((u + (gu + 0.5) / big - 0.5, v + (gv + 0.5) / big - 0.5), axis=-1).reshape(-1, 2)
        mm = camera.table_from_pixels(pixels, 0.0).reshape(*gu.shape, -1)[..., :2]
        patch = np.full(gu.shape, 90.0, np.float32)
        if line:
            patch[(mm[..., 1] > y0) & (mm[..., 1] < y1)] = 190.0
        patch[np.hypot(mm[..., 0] - x, mm[..., 1] - y) < r] = grey
        luma[v : v + 48, u : u + 48] = cv2.resize(patch, (48, 48), interpolation=cv2.INTER_AREA)
    luma = cv2.GaussianBlur(luma, (0, 0), 0.7)
    noisy = luma + np.random.default_rng(seed).normal(0, 1.5, luma.shape)
    y = np.clip(noisy + 0.5, 0, 255).astype(np.uint8)
    grey = np.full((540, 960), 128, np.uint8)
    return Picture(y, grey, grey, "709", False)


@pytest.mark.parametrize("spot", sorted(TABLE.spots))
@pytest.mark.parametrize("off", [(0.0, 0.0), (1.3, -0.9), (-2.1, 1.6)])
def test_a_free_mark_is_measured_to_half_a_millimetre(spot: str, off: tuple[float, float]) -> None:
    camera, (x, y) = _camera(), TABLE.spots[spot]
    # a mark on the line moves along it; elsewhere it may lie anywhere near its computed place
    at = (x + off[0], y + (0.0 if spot in LINES else off[1]))
    for seed in range(3):
        found = measure_mark(
            _picture(camera, [(*at, 3.5, 35)], spot in LINES, seed), camera, (x, y), spot in LINES
        )
        assert found is not None
        # a quarter of a pixel of 1.9 mm
        assert abs(found[0] - at[0]) < 0.5 and abs(found[1] - at[1]) < 0.5


@pytest.mark.parametrize("radius", [26.25, 12.0])
def test_a_ball_or_a_shadow_is_not_measured_as_a_mark(radius: float) -> None:
    camera, at = _camera(), TABLE.spots["black"]
    assert measure_mark(_picture(camera, [(*at, radius, 25)], False), camera, at, False) is None


def test_an_empty_cloth_and_a_mark_beside_a_dark_thing_give_no_measurement() -> None:
    camera, at = _camera(), TABLE.spots["blue"]
    assert measure_mark(_picture(camera, [(*at, 3.5, 90)], False), camera, at, False) is None
    beside = _picture(camera, [(*at, 3.5, 35)], False)
    u, v = camera.pixels_from_table([(at[0] + 18.0, at[1], 0.0)])[0]
    luma = beside.y.copy()
    luma[int(v) - 2 : int(v) + 3, int(u) - 2 : int(u) + 3] = 20
    assert measure_mark(Picture(luma, beside.u, beside.v, "709", False), camera, at, False) is None


def test_more_looks_reduce_the_spread_but_not_the_bias() -> None:
    camera, marks = _camera(), ()
    for seed in range(6):
        marks = with_look(
            marks, _picture(camera, [(*TABLE.spots["pink"], 3.5, 35)], False, seed), camera, TABLE, ["pink"]
        )
    (mark,) = marks
    assert mark.looks == 6 and 0.15 <= mark.sigma_mm < 0.3
    assert (
        np.hypot(mark.x_mm - TABLE.spots["pink"][0], mark.y_mm - TABLE.spots["pink"][1]) < 3 * mark.sigma_mm
    )
