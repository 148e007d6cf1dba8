"""Measures and targets by what the table's owner told: parts of one whole, of which one part is held to the
reach.
"""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.quality.bench.records import BallAtRest, CalibrationJudged, Record, Told, Where
from referee.quality.bench.report.measures import TOLD, Samples, pixel_measures
from referee.quality.bench.report.targets import TargetResult, reach_table


def where(camera: int, told: Told) -> Where:
    return Where(
        camera, 5, "clip", 0, "lamps", "green", 1920, 1080, 50.0, 0.004, 2.0, 2500.0, 5.0, 80.0, "h264", told
    )


def ball(camera: int, told: Told, off_mm: float | None) -> BallAtRest:
    said = (None, None, None, None) if off_mm is None else ("red", off_mm, 0.0, 0.3)
    return BallAtRest(where(camera, told), "cueref", 0, "red", 0.0, 900.0, 1.0, 2.0, None, *said)


def calibration(camera: int, told: Told, worst_mm: float | None) -> CalibrationJudged:
    if worst_mm is None:
        return CalibrationJudged(where(camera, told), True, "a cushion too faint", *[None] * 6)
    return CalibrationJudged(where(camera, told), False, "", worst_mm, 0.0, 0.0, 0.3, 0.4, 2.0)


def records() -> st.SearchStrategy[Record]:
    common = (st.integers(0, 9), st.sampled_from(get_args(Told)), st.none() | st.floats(0.0, 9.0))
    return st.builds(ball, *common) | st.builds(calibration, *common)


@given(st.lists(records(), max_size=60))
def test_the_parts_by_what_was_told_add_up_to_the_whole(drawn: list[Record]) -> None:
    measures = pixel_measures(drawn)
    nothing = Samples(False)
    for name in ("rest", "calibration_refused", "calibration_worst", "calibration_over_1"):
        whole = measures.get(name, nothing)
        parts = [measures.get(f"{name}_{end}", nothing) for end in TOLD.values()]
        trials = Counter(pair for p in parts for pair in zip(p.camera, p.value, strict=True))
        assert trials == Counter(zip(whole.camera, whole.value, strict=True))


def row(reach: tuple[TargetResult, ...], name: str) -> TargetResult:
    return next(t for t in reach if t.name.startswith(name))


@pytest.mark.parametrize(
    ("told", "verdict"), [("all", "missed"), ("size", "reached"), ("nothing", "reached")]
)
def test_calibration_is_held_to_its_reach_where_all_is_told(told: Told, verdict: str) -> None:
    good: list[Record] = [calibration(n, t, 0.5) for n in range(4) for t in get_args(Told)]
    found = row(reach_table(pixel_measures([*good, calibration(4, told, 1.4)]), {}), "calibration")
    assert found.verdict == verdict
    by_words = {p.words: p for p in found.parts}
    assert set(by_words) == {
        "beyond 1 mm, all told",
        "beyond 1 mm, size told",
        "beyond 1 mm, untold",
        "silently wrong",
    }
    beside = by_words["beyond 1 mm, untold"]
    assert (beside.verdict, beside.limit, beside.sure) == ("beside", None, False)
    assert (
        beside.low is not None
        and beside.high is not None
        and beside.low <= (beside.value or 0.0) <= beside.high
    )
    assert sum(p.failures or 0 for p in found.parts[:3]) == 1 and sum(p.n for p in found.parts[:3]) == 13


def test_places_are_held_to_their_reach_whatever_was_told_and_shown_apart() -> None:
    balls: list[Record] = [ball(n, "all", 0.2) for n in range(9)] + [
        ball(n, "nothing", 0.7) for n in range(9, 12)
    ]
    found = row(reach_table(pixel_measures(balls), {}), "ball at rest")
    medians = {p.words: p.value for p in found.parts if p.words.startswith("median")}
    assert medians == pytest.approx({"median": 0.2, "median, all told": 0.2, "median, untold": 0.7})
    assert found.verdict == "reached"


def test_what_stands_beside_makes_no_row_measured() -> None:
    found = row(reach_table(pixel_measures([calibration(1, "size", 0.5)]), {}), "calibration")
    assert {p.words: p.verdict for p in found.parts}["beyond 1 mm, all told"] == "not measured"
    assert found.verdict == "partly measured"  # none was silently wrong
    empty = row(reach_table({}, {}), "ball at rest")
    assert [p.words for p in empty.parts] == ["median", "95 %", "99.9 %"] and empty.verdict == "not measured"
