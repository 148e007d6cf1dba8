"""A rack is told by its shape and count where all of it is seen, and only there."""

import numpy as np
import pytest

from vision.detect.racks import rack_of

DIAMETER_MM = 57.15
ROWS = {9: (1, 2, 3, 2, 1), 10: (1, 2, 3, 4), 15: (1, 2, 3, 4, 5)}


def rack(count: int, up: float = 1.0, spread: float = 1.005) -> np.ndarray:
    """Places (mm) of a rack's balls, its apex at the foot spot."""
    return np.array(
        [
            ((j - (n - 1) / 2) * spread * DIAMETER_MM, 1905 + up * k * spread * DIAMETER_MM * np.sqrt(3) / 2)
            for k, n in enumerate(ROWS[count])
            for j in range(n)
        ]
    )


@pytest.mark.parametrize("count", ROWS)
@pytest.mark.parametrize("up", [1.0, -1.0])
def test_a_whole_rack_is_told_by_shape_and_count(count: int, up: float) -> None:
    """Whatever else lies on the table, in whatever order, with the detector's error in packs."""
    rng = np.random.default_rng(count)
    for _ in range(50):
        seen = rack(count, up) + rng.normal(0, 0.07 * DIAMETER_MM, (count, 2))
        seen = np.concatenate((seen, [(0.0, 500.0), (300.0, 900.0)]))
        assert rack_of(rng.permutation(seen), DIAMETER_MM) == count


def test_a_rack_that_is_not_seen_whole_tells_nothing() -> None:
    for count in ROWS:
        for missing in range(count):
            assert rack_of(np.delete(rack(count), missing, axis=0), DIAMETER_MM) is None


def test_balls_that_lie_together_otherwise_are_no_rack() -> None:
    row = np.array([(k * DIAMETER_MM, 800.0) for k in range(9)])
    square = np.array([(DIAMETER_MM * (k % 3), DIAMETER_MM * (k // 3)) for k in range(9)])
    for places in (np.zeros((0, 2)), row, square, rack(9) * 1.4, rack(10)[:, ::-1]):
        assert rack_of(places, DIAMETER_MM) is None
