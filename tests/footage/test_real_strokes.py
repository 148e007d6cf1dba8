"""Filmed strokes on a small table against their labels."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from shared_footage import FOOTAGE, SMALL, needs_footage, reviewed

from referee.review.pipeline import ReviewOptions

pytestmark = needs_footage


DISPUTED_RESTS = {("video_1_0233_0240.mp4", "white")}
"""Labelled at (710, 279) px in image 93; the ball lies visibly at (708, 286) there and at (710, 288) when it
stops.
"""


def stroke_truth() -> list[dict[str, Any]]:
    path = FOOTAGE / "real" / "strokes" / "truth.json"
    return list(json.loads(path.read_text())["strokes"]) if path.is_file() else []


def with_a_slow_one(strokes: list[dict[str, Any]]) -> list[Any]:
    """The table of video_13 is solved in many readings, which takes most of a minute."""
    return [
        pytest.param(s, id=name, marks=[pytest.mark.slow] if name == "video_13_0030_0034" else [])
        for s in strokes
        for name in [s["file"][:-4]]
    ]


@pytest.mark.parametrize("true", with_a_slow_one(stroke_truth()))
def test_real_strokes_on_a_small_table(true: dict[str, Any], tmp_path: Path) -> None:
    match = reviewed(FOOTAGE / "real" / "strokes" / true["file"], tmp_path / "out", ReviewOptions(SMALL))
    (stroke,) = match["strokes"]
    assert stroke["striker"] is None and stroke["foul"] is None  # practice: facts, no rulings
    events = {(e["ball"], e["event"]): e for e in true["events"]}

    def place(event: dict[str, Any]) -> tuple[float, float]:
        x, y = event["mm"]  # origin at the table's centre, x right and y up in the picture; baulk at the left
        return -y, x + SMALL.length_mm / 2

    contact = events.get(("white", "at collision"))
    assert (stroke["first_contact"] is not None) == (contact is not None)
    if contact is not None:
        assert stroke["first_contact"]["t_s"] == pytest.approx(contact["frame"] / 30, abs=2 / 30)
    pot = next((e for (_, name), e in events.items() if "pocket" in name), None)
    assert len(stroke["potted"]) == (1 if pot else 0)
    if pot:
        nearest = min(SMALL.pockets, key=lambda p: math.dist((p.x_mm, p.y_mm), place(pot)))
        assert stroke["potted"][0]["pocket"] == nearest.name
    for (ball, name), event in events.items():
        if name == "in rest" and (true["file"], ball) not in DISPUTED_RESTS:
            assert min(math.dist(p[:2], place(event)) for p in stroke["after"][ball]) < 8.0
