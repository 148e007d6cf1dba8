"""The baulk line ends at the nose that covers it: found along the line, used where the nose is not seen."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.camera import Camera, rotation_vector
from calibration.find.line_ends import line_end, line_ends
from calibration.find.marks import BaulkMarks, Line
from calibration.solve.model import Points
from calibration.solve.refine import ROUNDED_MM, solve_straight
from calibration.solve.unknowns import BAULK, LEFT, NOSES, RIGHT, SIDES
from calibration.table.specs import SNOOKER_TABLE

TABLE = replace(SNOOKER_TABLE, nose_height_sigma_mm=0.3)
W, L, Z = TABLE.half_width_mm, TABLE.length_mm, TABLE.nose_height_mm
LINE_MM = 737.0
BEYOND = np.arange(-160.0, 60.0, 1.5)
BGR = tuple[int, int, int]
CLOTH: BGR = (60, 130, 40)
WHITE: BGR = (200, 210, 200)


def beside(x_mm: float) -> Camera:
    """A camera 2.4 m above the cloth and beside the table, which looks at its middle."""
    at = np.array([x_mm, L / 2, 2400.0])
    ahead = np.array([-x_mm, 0.0, -2400.0]) / np.hypot(x_mm, 2400.0)
    right = np.array([0.0, -1.0 if x_mm < 0 else 1.0, 0.0])
    turn = np.stack((right, np.cross(ahead, right), ahead))
    x, y, z = (-turn @ at).tolist()
    return Camera(1280, 720, "radial", 800.0, 639.5, 359.5, (0.0, 0.0), rotation_vector(turn), (x, y, z))


def picture(camera: Camera) -> npt.NDArray[np.uint8]:
    """Cloth everywhere, the baulk line on it, and cushions of the same cloth that cover the line's ends."""
    image = np.full((720, 1280, 3), CLOTH, np.uint8)
    ends = camera.pixels_from_table([(-W - 50, LINE_MM, 0.0), (W + 50, LINE_MM, 0.0)])
    cv2.line(image, *(tuple(np.round(16 * p).astype(int).tolist()) for p in ends), WHITE, 2, cv2.LINE_AA, 4)
    for side in (-1.0, 1.0):
        top = [(side * (W + out), y, Z) for out, y in ((0, 0), (0, L), (90, L), (90, 0))]
        corners = np.round(16 * camera.pixels_from_table(top)).astype(np.int32)
        cv2.fillConvexPoly(image, corners, CLOTH, cv2.LINE_AA, 4)
    return image


MARKS = BaulkMarks(
    line_mm=LINE_MM, radius_mm=292.0, line=Line(0.0, -np.ones(3) / np.sqrt(3), 20.0), arc=None, aside_mm=0.0
)


@given(end_mm=st.floats(-80.0, 40.0), level=st.floats(1.0, 50.0), seed=st.integers(0, 9))
def test_the_place_where_a_line_stops_is_found(end_mm: float, level: float, seed: int) -> None:
    noise = np.random.default_rng(seed).normal(0.0, 0.1 * level, len(BEYOND))
    found = line_end(np.where(end_mm > BEYOND, level, 0.0) + noise, BEYOND)
    assert found is not None
    assert found == pytest.approx(end_mm, abs=4.0)


@pytest.mark.parametrize(
    "response", [np.zeros_like(BEYOND), np.ones_like(BEYOND), np.where(BEYOND < 0, -1, 0)]
)
def test_no_line_and_a_line_that_goes_on_have_no_end(response: npt.NDArray[np.float64]) -> None:
    assert line_end(response.astype(float), BEYOND) is None


def test_a_line_hardly_above_the_noise_has_no_end() -> None:
    noise = np.random.default_rng(3).normal(0.0, 1.0, len(BEYOND))
    assert line_end(np.where(BEYOND < 0, 1.0, 0.0) + noise, BEYOND) is None


@pytest.mark.parametrize(("x_mm", "side"), [(-2400.0, LEFT), (2400.0, RIGHT)])
def test_the_line_ends_at_the_nose_that_is_turned_away(x_mm: float, side: int) -> None:
    camera = beside(x_mm)
    found = line_ends(picture(camera), camera, TABLE, MARKS)
    assert found.mark.tolist() == [NOSES[side]]
    at = camera.table_from_pixels(found.px, Z)[0]
    pixel_mm = 1.0 / float(
        np.hypot(*np.diff(camera.pixels_from_table([(W, 0, Z), (W - 1, 0, Z)]), axis=0)[0])
    )
    assert abs(at[0]) == pytest.approx(W, abs=pixel_mm)


def test_from_above_no_end_is_sought() -> None:
    camera = beside(-200.0)
    assert len(line_ends(picture(camera), camera, TABLE, MARKS).px) == 0


def test_a_hidden_nose_whose_edge_is_misread_is_put_right_by_the_lines_end() -> None:
    """Three noses and the line seen from the side; of the fourth an edge 25 mm outside it."""
    camera, share, parts = beside(-1900.0), np.linspace(0.03, 0.97, 60), []
    for side in SIDES:
        out = ROUNDED_MM + (25.0 if side == LEFT else 0.0)
        along, across = 60.0 + share * (L - 120.0), (2 * share - 1) * (W - 60.0)
        flat = {0: (across, -out), 1: (across, L + out), 2: (-W - out, along), 3: (W + out, along)}[side]
        at = np.column_stack([np.broadcast_to(v, share.shape) for v in (*flat, Z)])
        parts.append(Points.of(camera.pixels_from_table(at), side, 0.2))
    line = np.column_stack(((2 * share - 1) * W, np.full(60, LINE_MM), np.zeros(60)))
    parts.append(Points.of(camera.pixels_from_table(line), BAULK, 0.2))
    end = Points.of(camera.pixels_from_table([(-W, LINE_MM, Z)]), NOSES[LEFT], 1.0)
    near = camera.pixels_from_table([(-W, y, Z) for y in (0.0, L)])

    def off_mm(points: Points) -> float:
        found = solve_straight(camera, TABLE, points, TABLE).camera.table_from_pixels(near, Z)
        return float(np.abs(found[:, 0] + W).max())

    assert off_mm(Points.join([*parts, end])) < 0.4 * off_mm(Points.join(parts))
