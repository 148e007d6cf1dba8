"""The renderer's truth must be the geometry's: where a ball is drawn, how large, what hides it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_layout import photograph, random_layout_image, random_layout_scene

from calibration.table.specs import SNOOKER_TABLE
from vision.render.layout_random import _allowed
from vision.render.patches import PATCH_PX, PX_PER_DIAMETER, random_patch
from vision.render.rays import grid_rays
from vision.render.scene import Ball, BallLook, Capsule, Lamp, Scene, TableLook
from vision.render.scene_picture import render
from vision.render.spheres import draw_balls
from vision.render.surfaces import NOSE_RADIUS_MM, ROOM_LIGHT, rounded
from vision.render.table_shape import nose_outline

TABLE = SNOOKER_TABLE
LOOKS = {"white": BallLook((0.9, 0.9, 0.9)), "black": BallLook((0.0, 0.0, 0.0))}


def scene(*balls: Ball, people: tuple[Capsule, ...] = ()) -> Scene:
    lamp = Lamp((0.0, 1784.5, 2000.0), 300.0, 300.0, (1.0, 1.0, 1.0), 1.0)
    look = TableLook(specks=0, cloth_contrast=0.0, wear=0.0, nap=0.0)
    return Scene(TABLE, look, LOOKS, (lamp,), balls=balls, people=people)


def alone(
    ball: Ball, origin: tuple[float, float, float], people: tuple[Capsule, ...] = ()
) -> tuple[np.ndarray, tuple[float, ...]]:
    """Difference that a ball makes in a picture of 1 mm pixels around (200, 1500), and what is visible of
    it.
    """
    rays = grid_rays(origin, TABLE.ball_radius_mm, (200.0, 1500.0), ((1.0, 0.0), (0.0, -1.0)), (160, 160))
    with_ball = render(scene(ball, people=people), rays)
    without = render(scene(people=people), rays)
    return np.abs(with_ball.linear - without.linear).sum(2), with_ball.visible


def test_ball_seen_from_straight_above_is_a_disc_of_its_radius_around_its_centre() -> None:
    # far above, the outline is the radius seen from the height: r / sqrt(1 - (r/h)^2) in the centre's plane
    difference, visible = alone(Ball("white", 200.0, 1500.0), (200.0, 1500.0, 20000.0))
    mask = difference > 0.25
    rows, cols = np.nonzero(mask)
    assert rows.mean() == pytest.approx(79.5, abs=0.3) and cols.mean() == pytest.approx(79.5, abs=0.3)
    assert np.sqrt(mask.sum() / np.pi) == pytest.approx(TABLE.ball_radius_mm, rel=0.03)
    assert visible[0] == pytest.approx(1.0, abs=0.03)


def coverage(ball: Ball, origin: tuple[float, float, float], exposure_s: float = 0.0) -> np.ndarray:
    """How much of each 1 mm pixel around (200, 1500) the ball fills."""
    rays = grid_rays(origin, TABLE.ball_radius_mm, (200.0, 1500.0), ((1.0, 0.0), (0.0, -1.0)), (160, 160))
    (drawn,) = draw_balls(scene(ball), rays, np.zeros((160, 160, 3), np.float32), exposure_s)
    full = np.zeros((160, 160))
    full[drawn.box] = drawn.alpha
    return full


def test_ball_seen_aslant_is_longer_along_the_line_of_sight() -> None:
    # 45 degrees: the cone around a sphere cuts its centre's plane in an ellipse of axis ratio 1/cos 45
    rows, cols = np.nonzero(coverage(Ball("white", 200.0, 1500.0), (-13942.0, 1500.0, 14142.0)) > 0.5)
    assert np.ptp(cols) / np.ptp(rows) == pytest.approx(2**0.5, abs=0.06)
    assert cols.mean() == pytest.approx(79.5, abs=0.5)


def test_a_hand_hides_a_ball_and_is_reported_as_cover() -> None:
    limb = Capsule((100.0, 1500.0, 120.0), (300.0, 1500.0, 120.0), 60.0, 60.0, (0.5, 0.3, 0.2))
    rays = grid_rays(
        (200.0, 1500.0, 2500.0), TABLE.ball_radius_mm, (200.0, 1500.0), ((1.0, 0.0), (0.0, -1.0)), (160, 160)
    )
    shot = render(scene(Ball("white", 200.0, 1500.0), people=(limb,)), rays)
    assert shot.visible[0] < 0.02
    assert shot.covered[80, 80] > 0.99 and shot.covered[2, 80] < 0.01


def test_shadow_lies_on_the_side_away_from_a_small_lamp() -> None:
    lamp = Lamp((-1000.0, 1500.0, 1500.0), 10.0, 10.0, (1.0, 1.0, 1.0), 1.0, round=True)
    ball = Ball("black", 200.0, 1500.0)
    rays = grid_rays(
        (200.0, 1500.0, 3000.0), TABLE.ball_radius_mm, (200.0, 1500.0), ((1.0, 0.0), (0.0, -1.0)), (160, 160)
    )
    lit = render(replace(scene(ball), lamps=(lamp,)), rays).linear[80].sum(1)
    assert lit[80 + 34] < 0.75 * lit[80 - 34]


def test_straight_noses_end_where_the_table_says_the_jaws_begin() -> None:
    # the nose line itself is the zero of the outline; past a jaw's beginning the opening lies beyond it
    (ax, ay), (bx, by) = TABLE.pocket("TR").jaws
    inner = nose_outline(np.array([[ax - 60, bx]], np.float32), np.array([[ay, by - 60]], np.float32), TABLE)
    inside = nose_outline(np.array([[ax + 40, bx]], np.float32), np.array([[ay, by + 40]], np.float32), TABLE)
    assert np.abs(inner).max() < 0.5
    assert inside.max() < -1.0


def test_motion_blur_keeps_the_middle_of_the_exposure() -> None:
    moving = coverage(Ball("white", 200.0, 1500.0, (4000.0, 0.0)), (200.0, 1500.0, 20000.0), 0.01)
    still = coverage(Ball("white", 200.0, 1500.0), (200.0, 1500.0, 20000.0))
    xs = np.arange(160)[None] - 79.5
    assert float((moving * xs).sum() / moving.sum()) == pytest.approx(0.0, abs=0.1)
    # 40 mm further from end to end, and as much of the picture in all
    assert np.ptp(np.nonzero(moving[80])[0]) - np.ptp(np.nonzero(still[80])[0]) == pytest.approx(
        40 * 11 / 12, abs=3
    )
    assert moving.sum() == pytest.approx(still.sum(), rel=0.02)


def test_patches_are_the_same_for_the_same_seed_and_carry_truth_inside() -> None:
    a, b = random_patch(31), random_patch(31)
    assert np.array_equal(a.image, b.image) and np.array_equal(a.balls, b.balls, equal_nan=True)
    assert a.image.shape == (PATCH_PX, PATCH_PX, 3) and a.cover.shape == (PATCH_PX // 2, PATCH_PX // 2)
    for seed in range(40, 52):
        balls = random_patch(seed).balls
        gaps = [np.hypot(*(p[:2] - q[:2])) for i, p in enumerate(balls) for q in balls[:i]]
        assert all(g > PX_PER_DIAMETER * 0.999 for g in gaps)


def test_layout_picture_shows_each_ball_where_its_truth_says() -> None:
    # a picture without its balls differs from the picture with them most around the true centres
    spec, camera, sensor = random_layout_scene(5, 640, 360, people=0.0)
    sensor = replace(sensor, noise=0.0, read_noise=0.0, quality=0)
    spec = replace(spec, balls=tuple(replace(b, velocity=(0.0, 0.0)) for b in spec.balls))
    picture, truth = photograph(spec, camera, sensor, 5)
    empty, _ = photograph(replace(spec, balls=()), camera, sensor, 5)
    change = np.abs(picture.astype(int) - empty).sum(2)
    seen = [b for b in truth.balls if b.visible > 0.9]
    assert len(seen) >= 5
    level = np.median(change)
    assert all(
        change[round(b.y_px) - 1 : round(b.y_px) + 2, round(b.x_px) - 1 : round(b.x_px) + 2].mean()
        > level + 12
        for b in seen
    )


def test_layout_truth_is_the_cameras_own_image_of_the_ball_centres() -> None:
    picture, truth = random_layout_image(8, 640, 360, people=0.0)
    assert picture.shape == (360, 640, 3)
    r = truth.table.ball_radius_mm
    for b in truth.balls:
        assert truth.camera.table_from_pixels([(b.x_px, b.y_px)], r)[0] == pytest.approx(
            (b.x_mm, b.y_mm), abs=0.01
        )


def test_a_mirrored_lamp_smaller_than_a_pixel_is_as_bright_however_large_the_pixels_are() -> None:
    # a bulb of 3 cm 1.3 m above is mirrored 0.3 mm wide: between pixels of 3 mm a sample would mostly miss it
    def gloss(pitch_mm: float, at_mm: float) -> float:
        side = int(140 / pitch_mm)
        rays = grid_rays(
            (200.0, 1700.0, 2700.0),
            TABLE.ball_radius_mm,
            (200.0 + at_mm, 1500.0),
            ((pitch_mm, 0.0), (0.0, -pitch_mm)),
            (side, side),
        )
        light = []
        for shine in (0.05, 0.0):
            bulb = Lamp((300.0, 1600.0, 1300.0), 15.0, 15.0, (1.0, 1.0, 1.0), 0.3, 1.0, True)
            plain = replace(
                scene(),
                lamps=(bulb,),
                ball_gloss=shine,
                balls=(Ball("black", 200.0, 1500.0),),
                ambient=(0.0, 0.0, 0.0),
            )
            image = np.zeros((side, side, 3), np.float32)
            draw_balls(plain, rays, image)
            light.append(float(image.sum()) * pitch_mm**2)
        return light[0] - light[1]

    fine = gloss(0.5, 0.0)
    coarse = [gloss(3.0, at) for at in (0.0, 0.7, 1.5, 2.2)]
    assert fine > 0 and coarse == pytest.approx([fine] * 4, rel=0.15)


def test_no_ball_is_put_into_a_pockets_jaw() -> None:
    """Beyond the nose line there is room only in the mouth itself: beside it lies the cushion."""
    table = SNOOKER_TABLE
    beyond_mm = table.half_width_mm + 3.0
    for aside_mm, free in (
        (10.0, False),
        (50.0, True),
        (72.0, False),
    ):  # over the drop, in the mouth, in the jaw
        at = (beyond_mm, table.length_mm / 2 + aside_mm)
        assert _allowed(at, table, [], table.ball_radius_mm) is free, aside_mm


def test_a_nose_is_round_and_dark_at_its_tip() -> None:
    """Light from above falls on it more and more up to its radius: its edge is seen outside its tip."""
    out = np.array([[0.0, 0.4, 1.5, NOSE_RADIUS_MM, 10.0]], np.float32)
    light = rounded(out)[0]
    assert light[0] == pytest.approx(ROOM_LIGHT) and light[3] == light[4] == pytest.approx(1.0)
    assert (np.diff(light[:4]) > 0).all() and light[1] > light[0] + 0.2
