"""Strips of a picture along cushions: what is not in the picture is nan and tells nothing."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calibration.find.strips import median_of_known


@given(st.integers(0, 1000), st.integers(1, 9), st.floats(0, 1))
def test_the_median_of_what_is_known_warns_of_nothing(seed: int, count: int, missing: float) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(4, count, 3))
    values[rng.random(values.shape) < missing] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.nanmedian(values, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(median_of_known(values, axis=1), expected, equal_nan=True)
