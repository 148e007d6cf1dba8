"""The head end of a pool table follows from a rack or a single spot at the foot; nothing else tells it."""

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, rotation_vector
from calibration.find.head import head_evidence
from calibration.find.marks import turned
from calibration.table.specs import WPA_TABLE as TABLE
from referee.rules.common.racks import rack

R = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
CAMERA = Camera(
    1280, 720, "radial", 1000.0, 639.5, 359.5, (0.0, 0.0), rotation_vector(R), (-1270.0, 0.0, 2600.0)
)

# polish mirrors the cloth at the limb: balls look 0.6 px smaller; OpenCV draws discs half a pixel larger
BALL_PX = 28.6 * 1000 / 2571 - 0.6 - 0.5


def picture(balls: list[tuple[float, float]], spots: list[float]) -> np.ndarray:
    image = np.full((720, 1280, 3), (140, 90, 20), np.float64)
    image += np.random.default_rng(3).normal(0, 2, image.shape)
    for y in spots:
        (u, v), scale = CAMERA.pixels_from_table([(0.0, y, 0.0)])[0], 1000.0 / 2600.0
        cv2.circle(
            image, (round(u * 16), round(v * 16)), round(6.0 * scale * 16), (30, 30, 30), -1, cv2.LINE_AA, 4
        )
    for n, (x, y) in enumerate(balls):
        u, v = CAMERA.pixels_from_table([(x, y, 28.6)])[0]
        colour = [(40, 40, 220), (30, 200, 230), (230, 230, 230), (20, 20, 20)][n % 4]
        cv2.circle(image, (round(u * 16), round(v * 16)), round(BALL_PX * 16), colour, -1, cv2.LINE_AA, 4)
    return np.clip(image, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("game", ["wpa_9ball", "wpa_8ball", "wpa_10ball"])
def test_a_rack_tells_the_foot_end_from_both_sides(game: str) -> None:
    image = picture([b.xy_mm for b in rack(game).balls], [])
    assert head_evidence([image], CAMERA, TABLE).log_odds > 4
    assert head_evidence([image], turned(CAMERA, TABLE), TABLE).log_odds < -4


def test_a_single_spot_is_the_foot_spot_and_two_say_nothing() -> None:
    one = head_evidence([picture([], [1905.0])], CAMERA, TABLE)
    assert 1 < one.log_odds < 3 and "foot spot" in one.reasons[0]
    assert head_evidence([picture([], [635.0, 1905.0])], CAMERA, TABLE).log_odds == 0


def test_balls_spread_over_the_table_say_nothing() -> None:
    rng = np.random.default_rng(5)
    spread = [(float(x), float(y)) for x in (-450, -150, 150, 450) for y in rng.uniform(300, 2200, 4)]
    assert head_evidence([picture(spread, [])], CAMERA, TABLE).log_odds == 0
