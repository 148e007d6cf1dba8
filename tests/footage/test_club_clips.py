"""Synthetic club matches are refereed as they were played."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from shared_footage import FOOTAGE, needs_footage, reviewed

from calibration.table.specs import SNOOKER_TABLE
from referee.facts.calls import read_calls
from referee.review.pipeline import ReviewOptions

pytestmark = needs_footage


@pytest.mark.slow  # a minute each
@pytest.mark.parametrize("name", ["club_a", "club_b"])
def test_synthetic_club_matches_are_refereed_as_they_were_played(name: str, tmp_path: Path) -> None:
    folder = FOOTAGE / "synthetic"
    calls = read_calls(folder / f"{name}.calls.jsonl")
    match = reviewed(folder / f"{name}.mp4", tmp_path / "out", ReviewOptions(SNOOKER_TABLE, calls=calls))
    truth = [e for e in json.loads((folder / f"{name}.json").read_text())["events"] if e["type"] == "stroke"]
    assert len(match["strokes"]) == len(truth)
    errors: dict[tuple[str, int, int], tuple[float, float]] = {}
    apart_s = []
    for seen, true in zip(match["strokes"], truth, strict=True):
        first = (seen["first_contact"] or {"ball": None})["ball"]
        assert (first and first.split("_")[0]) == (
            true["first_contact"] and true["first_contact"][0].split("_")[0]
        )
        if true["first_contact"]:
            apart_s.append(abs(seen["first_contact"]["t_s"] - true["first_contact"][1]))
        pots = sorted(b.split("_")[0] for b, _, _ in true["pots"] if b != "white")
        assert sorted(p["ball"].split("_")[0] for p in seen["potted"]) == pots
        assert (seen["points"], seen["score"]) == (true["points"], true["score"])
        assert (seen["foul"] or {"penalty": 0})["penalty"] == true["penalty"]
        for ball, (x, y) in true["start"].items():
            true_mm = (1000 * x, 1000 * y)
            place = min(seen["before"][ball.split("_")[0]], key=lambda p: math.dist(true_mm, p[:2]))
            error = math.dist(true_mm, place[:2])
            lay = (ball, round(true_mm[0]), round(true_mm[1]))
            errors[lay] = max(errors.get(lay, (0.0, 0.0)), (error, error / place[2]))
    # a ball that lies still over eight strokes was measured once; DESIGN: 0.35 mm median, 1.0 at 95 %
    mm, sigmas = np.array(list(errors.values())).T
    assert np.median(mm) < 0.4 and np.percentile(mm, 95) < 1.0 and mm.max() < 1.6
    assert sigmas.max() < 3.0
    assert max(apart_s) < 0.005  # the table: 5 ms; reached: 0.6 and 1.8 ms
