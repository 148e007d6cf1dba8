"""Simulated strokes with spoilt images that were certain and wrong, each with what had misled the tracker."""

from __future__ import annotations

import pytest
from explain_lab.spans import filmed_piece

from calibration.table.specs import SNOOKER_TABLE
from referee.quality.bench.tracks.tier import refereed, track


@pytest.mark.parametrize(
    ("seed", "piece"),
    [
        pytest.param(811708, 23, id="the one look at two reds that all but lay misses both"),
    ],
)
def test_nothing_that_is_certain_is_wrong(seed: int, piece: int) -> None:
    filmed = filmed_piece(seed, piece, "mixed")
    strokes, invented = refereed(filmed.setup, piece, track(list(filmed.images)), SNOOKER_TABLE)
    assert len(strokes) > 4 and not any(stroke.certain for stroke in invented)
    assert [(s.stroke, w.fact) for s in strokes for w in s.wrong if w.certain] == []
