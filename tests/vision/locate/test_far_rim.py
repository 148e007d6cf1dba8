"""A disc seen from the side lies where its far rim is, whatever its wall looks like."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, rotation_vector
from calibration.result import Calibration, SigmaModel
from calibration.table.board import CARROM_BOARD, board_table
from vision.io.picture import Picture
from vision.locate.balls import PlacedBalls
from vision.locate.far_rim import EDGE_MM, placed_by_far_rims

BOARD = board_table()
R, H = BOARD.ball_radius_mm, CARROM_BOARD.piece_height_mm
FINE = 8  # a picture's pixels are drawn so many times as fine


def camera_from(y_mm: float, height_mm: float, width_px: int = 1280) -> Camera:
    """Looks from beyond player A's side at the board's middle."""
    ahead = np.array([0.0, 370.0 - y_mm, -height_mm])
    ahead /= np.linalg.norm(ahead)
    right = np.array([1.0, 0.0, 0.0])
    turn = np.stack((right, np.cross(ahead, right), ahead))
    t = -turn @ np.array([0.0, y_mm, height_mm])
    half = (width_px - 1) / 2
    return Camera(
        width_px, width_px, "radial", 1.0 * width_px, half, half, (), rotation_vector(turn), tuple(t.tolist())
    )


def picture_of(camera: Camera, places: list[tuple[float, float]], wall: int, top: int) -> Picture:
    """Discs with a wall and a top of these grey levels on a pale board."""
    size = camera.width_px * FINE
    image = np.full((size, size, 3), 190, np.uint8)
    angle = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    for x, y in places:
        rings = []
        for z in (0.0, H):
            ring = np.column_stack((x + R * np.cos(angle), y + R * np.sin(angle), np.full(180, z)))
            rings.append(((camera.pixels_from_table(ring) + 0.5) * FINE - 0.5).astype(np.float32))
        hull = cv2.convexHull(np.concatenate(rings))
        cv2.fillConvexPoly(image, hull.round().astype(np.int32), (wall,) * 3)
        cv2.fillConvexPoly(image, rings[1].round().astype(np.int32), (top,) * 3)
    small = cv2.resize(image, (camera.width_px, camera.width_px), interpolation=cv2.INTER_AREA)
    return Picture.from_bgr(np.asarray(cv2.GaussianBlur(small, (0, 0), 0.7), np.uint8))


def placed(camera: Camera, picture: Picture, xy: np.ndarray, sigma_mm: float = 0.6) -> PlacedBalls:
    calibration = Calibration(camera, BOARD, 0.1, 0.1, SigmaModel((0.04, 0, 0, 0, 0, 0), 0.1))
    n = len(xy)
    discs = PlacedBalls(xy, np.full(n, sigma_mm), np.full(n, R), ())
    return placed_by_far_rims(picture, calibration, discs)


@pytest.mark.parametrize(("wall", "top"), [(30, 30), (60, 235)])
def test_a_disc_comes_to_its_far_rim_whether_its_wall_looks_like_its_top_or_not(wall: int, top: int) -> None:
    """Where the network had it, the middle of the outline, a dark disc is half its height nearer."""
    camera = camera_from(-600.0, 850.0)
    true = [(x, y) for x in (-200.0, 30.0, 210.0) for y in (120.0, 360.0, 600.0)]
    at = np.array(true)
    out = at - np.array(camera.centre_mm[:2])
    away = out / np.linalg.norm(out, axis=1, keepdims=True)
    tan = np.linalg.norm(out, axis=1) / (camera.centre_mm[2] - H)
    start = at - away * (H / 2 * tan if top == wall else 0.0 * tan)[:, None]
    found = placed(camera, picture_of(camera, true, wall, top), start)
    off = np.linalg.norm(found.xy_mm - at, axis=1)
    assert off.max() < EDGE_MM, "these discs are sharp, the edges of real ones round"
    assert (off < 3 * np.sqrt(2) * found.sigma_mm).all()
    if top == wall:
        assert off.max() < 0.4 * np.linalg.norm(start - at, axis=1).min()


def test_from_straight_above_a_disc_stays_where_the_network_has_it() -> None:
    camera = camera_from(369.0, 1500.0)
    at = np.array([(0.0, 370.0), (50.0, 300.0)])
    found = placed(camera, picture_of(camera, at.tolist(), 30, 30), at + 0.3)
    assert found.xy_mm == pytest.approx(at + 0.3) and found.sigma_mm == pytest.approx(0.6)


def test_without_a_rim_the_middle_of_what_the_wall_allows_is_taken_with_a_wide_sigma() -> None:
    camera = camera_from(-600.0, 850.0)
    found = placed(camera, picture_of(camera, [], 0, 0), np.array([(0.0, 370.0)]))
    assert 1.0 < found.xy_mm[0, 1] - 370.0 < 3.0 and found.sigma_mm[0] > 1.0
