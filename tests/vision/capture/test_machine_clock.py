"""A jump of the machine's clock between two runs of a match: match time never lies before what was seen."""

from __future__ import annotations

import time

import pytest

from vision.capture.clock import MatchClock
from vision.capture.reader import continued_zero_s

LAST_S = 5000.0
"""Match time of the last image before the program ended."""


@pytest.mark.parametrize("jump_s", [-7200.0, 0.0, 7200.0])
def test_a_match_goes_on_behind_its_last_image_whatever_the_clock_says(jump_s: float) -> None:
    now = time.monotonic()
    zero_mono_s = now - LAST_S - 10.0 - jump_s  # ten seconds without the program
    clock = MatchClock(continued_zero_s(zero_mono_s, LAST_S), LAST_S)
    assert clock.now_s(now) == pytest.approx(LAST_S + max(0.0, 10.0 + jump_s), abs=1.0)
    stamps = [clock.stamp(100.0 + k / 25, now + k / 25) for k in range(2500)]
    assert stamps[0] > LAST_S
    # intervals stay the camera's but for the millisecond between two connections: a clock that is two hours
    # ahead would be slewed by 45 ms in this time, and for weeks
    assert stamps[-1] - stamps[0] == pytest.approx(2499 / 25, abs=3e-3)
