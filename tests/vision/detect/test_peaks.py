"""Peaks of the centre map where the plane is reduced along the view."""

from __future__ import annotations

import numpy as np

from vision.detect.detector import decode


def maps_with(*peaks: tuple[int, int]) -> np.ndarray:
    """Maps (12, 32, 32) with sure centres at map pixels (row, column)."""
    maps = np.full((12, 32, 32), -8.0, np.float32)
    maps[1:3] = 0.0
    for i, j in peaks:
        maps[0, i, j] = 3.0
    return maps


def test_balls_that_touch_along_a_reduced_plane_are_two() -> None:
    touching = maps_with((16, 10), (16, 13))  # 6 ball-plane pixels apart along u
    assert len(decode(touching, 0.35)) == 1
    assert len(decode(touching, 0.35, (6.1, 12.0))) == 2


def test_two_peaks_of_one_ball_across_a_reduced_plane_stay_one() -> None:
    assert len(decode(maps_with((16, 10), (19, 10)), 0.35, (6.1, 12.0))) == 1
