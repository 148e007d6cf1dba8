"""Rates and quantiles: Wilson's interval, and that the camera, not the ball, is the unit of resampling."""

from __future__ import annotations

import math

import numpy as np
import pytest

from referee.quality.bench.report.measures import Samples
from referee.quality.bench.report.statistics import edges_of, quantiles, rate, wilson
from referee.quality.bench.report.targets import Part, part_result, reach_table


def test_wilson_agrees_with_published_values() -> None:
    # Newcombe 1998, table I: 81 of 263 and 0 of 20
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


def test_nothing_failed_still_has_an_upper_bound() -> None:
    r = rate([1, 2, 3, 4] * 25, [False] * 100)
    assert r.share == 0.0 and r.low == 0.0
    assert r.high == pytest.approx(wilson(0, 100)[1])


def test_failures_of_one_camera_say_less_than_failures_of_many() -> None:
    """Twenty failures at one camera of twenty, or one at each: the same share, not the same certainty."""
    cameras = [c for c in range(20) for _ in range(20)]
    bundled = rate(cameras, [c == 0 for c in cameras])
    spread = rate(cameras, [k % 20 == 0 for k in range(400)])
    assert bundled.share == spread.share == 0.05
    assert bundled.high - bundled.low > 2 * (spread.high - spread.low)
    assert spread.low == pytest.approx(wilson(20, 400)[0])


def test_intervals_of_a_median_cover_the_truth_in_about_95_of_100() -> None:
    """Cameras of different bias: an interval from single balls would cover far less often."""
    rng = np.random.default_rng(1)
    hits = 0
    for k in range(120):
        bias = rng.normal(0, 1, 25)
        cameras = np.repeat(np.arange(25), 40)
        values = bias[cameras] + rng.normal(0, 0.3, len(cameras))
        low, high = quantiles(cameras.tolist(), values.tolist(), seed=k).median_interval
        hits += low <= 0.0 <= high
    assert 0.88 <= hits / 120 <= 1.0


def test_quantiles_are_those_of_the_values() -> None:
    values = np.random.default_rng(2).exponential(1.0, 5000)
    q = quantiles([k % 50 for k in range(5000)], values.tolist())
    assert (q.median, q.p95, q.p999) == pytest.approx(tuple(np.quantile(values, (0.5, 0.95, 0.999))))
    assert q.worst == values.max() and q.n == 5000 and q.cameras == 50
    assert q.p95_interval[0] < q.p95 < q.p95_interval[1]
    assert math.isnan(quantiles([], []).median)


def test_a_target_is_missed_by_its_value_and_proven_only_by_its_interval() -> None:
    def samples(failed: int, n: int) -> Samples:
        return Samples(
            False, "", [k % 30 for k in range(n)], [1.0] * failed + [0.0] * (n - failed), [2.0] * n, [5.0] * n
        )

    part = Part("wrong", "x", "share", 0.01)
    assert part_result(part, samples(5, 100), "pixels").verdict == "missed"
    few = part_result(part, samples(0, 100), "pixels")
    assert few.verdict == "reached" and not few.sure
    assert part_result(part, samples(0, 10_000), "pixels").sure
    assert part_result(part, None, "pixels").verdict == "not measured"


def test_a_row_is_missed_when_any_part_is_whichever_tier_found_it() -> None:
    good = Samples(False, "", [1, 2], [0.0, 0.0], [2.0] * 2, [5.0] * 2)
    bad = Samples(False, "", [1, 2], [1.0, 0.0], [2.0] * 2, [5.0] * 2)
    (row,) = [t for t in reach_table({"layout": good}, {"layout": bad}) if t.name.startswith("layout")]
    assert [p.verdict for p in row.parts] == ["reached", "missed"] and row.verdict == "missed"
    (row,) = [t for t in reach_table({}, {}) if t.name.startswith("layout")]
    assert row.verdict == "not measured"


def test_classes_are_told_in_words() -> None:
    assert edges_of([0.5, 1.5, 2.0, 9.0], (1.0, 2.0, 4.0)) == ["under 1", "1 to 2", "2 to 4", "4 and more"]
