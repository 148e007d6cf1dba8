"""Reviews of odd recordings: what can be used is refereed as ever, what cannot is told, nothing is
invented.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from odd_clips import (
    HEIGHT,
    SAMPLE,
    WIDTH,
    damaged,
    faded,
    joined,
    other_camera,
    remuxed,
    sample,
    write,
)

from calibration.camera import Camera
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import SNOOKER_TABLE, TableSpec
from referee.outputs.document import problem_of
from referee.review.pipeline import ReviewOptions, review

FIRST_S = 1.0  # of the sample: the clips begin there, one second before the first stroke
STRIKE_S, CONTACT_S, END_S = 1.0, 1.687, 6.93  # of that stroke, on the clips' clock


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> ReviewOptions:
    """The sample's true camera at half the size."""
    truth = json.loads(SAMPLE.with_suffix(".json").read_text())
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in truth["camera"].items()}
    full = Camera(**values)
    camera = replace(
        full,
        width_px=WIDTH,
        height_px=HEIGHT,
        focal_px=full.focal_px / 2,
        cx_px=(full.cx_px + 0.5) / 2 - 0.5,
        cy_px=(full.cy_px + 0.5) / 2 - 0.5,
    )
    file = tmp_path_factory.mktemp("half") / "half.json"
    Calibration(camera, TableSpec(**truth["table"]), 0.1, 0.2, SigmaModel((0.04, 0, 0, 0, 0, 0), 0.1)).save(
        file
    )
    return ReviewOptions(SNOOKER_TABLE, calibration=file)


def reviewed(video: Path, options: ReviewOptions) -> dict[str, Any]:
    match = dict(review(video, video.parent / "out", options))
    assert problem_of(json.loads((video.parent / "out" / "match.json").read_text())) is None
    return match


def spans(match: dict[str, Any]) -> list[tuple[str, float, float]]:
    return [(u["reason"], round(u["start_s"], 2), round(u["end_s"], 2)) for u in match["unusable"]]


def test_a_title_a_dissolve_and_a_damaged_packet_leave_the_stroke_as_it_was(
    tmp_path: Path, options: ReviewOptions
) -> None:
    """A second of title, a fade to another camera and back while all lies still, damage of 0.4 s while the
    cue-ball rolls.
    """
    frames = list(sample(FIRST_S, FIRST_S + 7.6))
    other = [other_camera(k) for k in range(45)]
    into = [faded(f, o, (k + 1) / 7) for k, (f, o) in enumerate(zip(frames[2:8], other[25:31], strict=True))]
    back = [
        faded(f, o, 1 - (k + 1) / 7) for k, (f, o) in enumerate(zip(frames[14:20], other[37:43], strict=True))
    ]
    clip = write(
        tmp_path / "whole.mp4", other[:25] + frames[:2] + into + other[31:37] + back + frames[20:], gop=10
    )
    match = reviewed(remuxed(clip, tmp_path / "odd.mp4", lambda k, p: damaged(p) if k == 125 else p), options)
    (stroke,) = match["strokes"]
    assert stroke["start_s"] == pytest.approx(1.0 + STRIKE_S, abs=0.06)
    assert stroke["first_contact"]["ball"].startswith("red")
    assert [(p["ball"].split("_")[0], p["pocket"]) for p in stroke["potted"]] == [("red", "TL")]
    assert (stroke["points"], stroke["verdict"], stroke["foul"]) == (1, "certain", None)
    assert match["hands"] == []
    reasons = spans(match)
    assert [r for r, _, _ in reasons] == ["other_view", "other_view", "corrupt"]
    assert reasons[0][1:] == (0.0, 1.0) and 1.04 <= reasons[1][1] <= 1.24 and 1.56 <= reasons[1][2] <= 1.84
    assert reasons[2][1] <= 5.0 <= reasons[2][2]


def test_a_stroke_cut_off_by_another_camera_is_a_call(tmp_path: Path, options: ReviewOptions) -> None:
    frames = list(sample(FIRST_S, FIRST_S + 8.4))
    clip = write(tmp_path / "cut.mp4", frames[:35] + [other_camera(k) for k in range(60)] + frames[95:])
    match = reviewed(clip, options)
    (stroke,) = match["strokes"]
    assert (stroke["verdict"], stroke["unseen"], stroke["gap_before"]) == ("call", True, True)
    assert stroke["question"] and stroke["candidates"]
    assert stroke["first_contact"] is None or stroke["first_contact"]["t_s"] is None
    assert match["hands"] == []
    ((reason, start, end),) = spans(match)
    assert (reason, start) == ("other_view", 1.36) and end > END_S  # until all lay still in sight


def test_a_stroke_that_no_image_shows_is_not_invented_and_the_next_is_a_call(
    tmp_path: Path, options: ReviewOptions
) -> None:
    hidden = [other_camera(k) for k in range(40)]
    clip = write(tmp_path / "hidden.mp4", [*sample(0.6, 1.2), *hidden, *sample(8.6, 15.8)])
    match = reviewed(clip, options)
    (stroke,) = match["strokes"]  # the second one: the black
    assert stroke["start_s"] == pytest.approx(0.6 + 1.6 + 10.33 - 8.6, abs=0.1)
    assert [(p["ball"], p["pocket"]) for p in stroke["potted"]] == [("black", "TR")]
    assert stroke["verdict"] == "call" and "0.6 to 2.2 s" in stroke["question"]
    assert match["hands"] == []
    assert [w["type"] for w in match["warnings"]][:2] == ["other_view", "layout_changed"]
    assert (
        len(stroke["before"]["red"]) == 5
    )  # the red that fell meanwhile is gone, the others lie where they lay


def test_a_reconnect_in_another_size_goes_on_and_another_shape_is_not_used(
    tmp_path: Path, options: ReviewOptions
) -> None:
    frames = list(sample(FIRST_S, FIRST_S + 8.4))
    parts = [
        write(tmp_path / "1.ts", frames[:35]),
        write(tmp_path / "2.ts", frames[35:190], base=35, size=(848, 478)),  # while the cue-ball runs
        write(tmp_path / "3.ts", frames[190:], base=190, size=(480, 360)),
    ]
    match = reviewed(joined(tmp_path / "sizes.ts", *parts, counted_on=True), options)
    (stroke,) = match["strokes"]
    assert [(p["ball"].split("_")[0], p["pocket"]) for p in stroke["potted"]] == [("red", "TL")]
    assert (stroke["points"], stroke["verdict"]) == (1, "certain")
    assert [w["type"] for w in match["warnings"] if w["type"] == "rescaled"] == ["rescaled"]
    assert spans(match)[-1][0] == "size_changed" and spans(match)[-1][2] == pytest.approx(8.36, abs=0.05)


def test_a_clock_set_back_while_a_ball_runs_is_a_call(tmp_path: Path, options: ReviewOptions) -> None:
    """The recorder restarts its clock in mid-stroke: how long nothing was recorded is unknown."""
    frames = list(sample(FIRST_S, FIRST_S + 8.4))
    clip = joined(
        tmp_path / "clock.ts", write(tmp_path / "1.ts", frames[:60]), write(tmp_path / "2.ts", frames[150:])
    )
    match = reviewed(clip, options)
    assert [r for r, _, _ in spans(match)] == ["clock_changed"]
    assert [(s["verdict"], s["unseen"]) for s in match["strokes"]] == [("call", True)]
    assert match["hands"] == []
