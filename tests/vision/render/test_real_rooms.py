"""What real rooms show and training scenes must: streaks, video coding, bare arms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vision.render.bare_arms import random_bare_arm
from vision.render.patches import PATCH_PX, coded, random_patch, random_shot
from vision.render.scene import Ball
from vision.render.scene_picture import render


def light_of_a_ball(speed_mm_s: float, exposure_s: float) -> tuple[float, float]:
    """How much a white ball brightens its picture in all, and over how many mm along x, at a speed."""
    shot = random_shot(4_000_017)
    x, y = shot.centre
    ball = Ball("white", x, y, (speed_mm_s, 0.0))
    empty = replace(shot.scene, balls=(), people=(), projection=replace(shot.scene.projection, figures=()))
    without = render(empty, shot.rays, exposure_s).linear
    more = (render(replace(empty, balls=(ball,)), shot.rays, exposure_s).linear - without).sum(axis=2)
    bright = np.maximum(more, 0.0)
    seen = bright > 0.05 * bright.max()
    across = shot.rays.x[seen]
    return float(bright.sum()), float(across.max() - across.min())


def test_a_streak_is_as_long_as_the_way_and_no_brighter_than_the_ball() -> None:
    """A ball that rolls spreads the same light over its way during the exposure and its own width."""
    still, width_mm = light_of_a_ball(0.0, 0.02)
    rolling, length_mm = light_of_a_ball(4000.0, 0.02)
    assert rolling == pytest.approx(still, rel=0.12)  # shading changes along the way
    assert length_mm == pytest.approx(width_mm + 80.0, abs=12.0)


def test_truth_rows_tell_the_way_during_the_exposure() -> None:
    """Some pieces have streaks of several diameters (12 px each); balls at rest have none."""
    rows = [random_patch(70_000_000 + k).balls for k in range(24)]
    lengths = np.concatenate([np.hypot(r[:, 4], r[:, 5]) for r in rows])
    assert (lengths == 0).sum() > 50
    assert lengths.max() > 24.0


def test_coding_keeps_what_rests_and_loses_detail_at_a_low_rate() -> None:
    rng = np.random.default_rng(3)
    picture = np.kron(rng.integers(0, 256, (10, 13, 3)), np.ones((8, 8, 1))).astype(np.uint8)
    errors = [float(np.abs(coded([picture, picture], q).astype(int) - picture).mean()) for q in (18, 42)]
    assert coded([picture], 30).shape == picture.shape == (80, 104, 3)
    assert errors[0] < errors[1]
    assert errors[0] < 12.0  # colours at half the resolution


def test_bare_arms_are_thicker_than_fingers_and_reach_outwards() -> None:
    for seed in range(20):
        parts = random_bare_arm(np.random.default_rng(seed), (0.0, 0.0), 0.0)
        assert max(p.b[0] for p in parts) > 400.0
        assert all(p.radius_a_mm > 0 and p.radius_b_mm > 0 for p in parts)


def test_patches_have_one_size() -> None:
    assert random_patch(5).image.shape == (PATCH_PX, PATCH_PX, 3)
