"""The still picture of a view is the median of its samples, so that people and moving balls do not count."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.find.steady import median_picture


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 9, 14, 15])
def test_the_median_picture_is_the_median_to_the_last_bit(count: int) -> None:
    """Compared with NumPy's, ties between the two middle values of an even number included."""
    rng = np.random.default_rng(count)
    images = [rng.integers(0, 256, (37, 23, 3)).astype(np.uint8) for _ in range(count)]
    kept = [im.copy() for im in images]
    expected = np.median(np.stack(images), axis=0).round().astype(np.uint8)
    assert np.array_equal(median_picture(images), expected)
    assert all(np.array_equal(a, b) for a, b in zip(images, kept, strict=True)), (
        "the samples are left as they were"
    )


def test_moving_things_are_not_in_the_median_picture() -> None:
    """A bright thing at another place in each of nine pictures: everywhere the cloth is seen eight times."""
    images = [np.full((40, 90, 3), 60, np.uint8) for _ in range(9)]
    for n, image in enumerate(images):
        image[:, 10 * n : 10 * n + 10] = 250
    assert (median_picture(images) == 60).all()
