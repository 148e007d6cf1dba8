"""Restoring and spotting with real eyes: the bundled clip's pictures against its truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from match_fixture import document, stroke

from calibration.errors import UnusableInput
from calibration.table.pieces import SNOOKER
from referee.console.match_view import MatchView
from referee.console.placement import compare
from referee.console.restore import (
    jpeg_at,
    layout_of_video,
    outlines,
    restore_at,
    restore_picture,
    spots_at,
)
from referee.console.reviews import open_review
from referee.outputs.document import write_match
from vision.io.images import read_video

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
CLIP = SAMPLES / "club_four_strokes.mp4"
if not CLIP.is_file():
    pytest.skip("the bundled sample is not there", allow_module_level=True)


def layout_mm(balls: dict[str, list[float]]) -> dict[str, list[list[float]]]:
    out: dict[str, list[list[float]]] = {}
    for ball, (x, y) in balls.items():
        out.setdefault(ball.split("_")[0], []).append([1000 * x, 1000 * y, 0.1])
    return out


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> MatchView:
    """A match with the clip's true camera and the true positions before its strokes."""
    truth = json.loads((SAMPLES / "club_four_strokes.json").read_text())
    played = [e for e in truth["events"] if e["type"] == "stroke"]
    strokes = [
        stroke(
            k,
            start_s=e["t_strike"],
            end_s=e["t_rest"],
            before=layout_mm(e["start"]),
            after=layout_mm(e["end"]),
        )
        for k, e in enumerate(played, start=1)
    ]
    match = document(strokes, ("A", "B"), truth["end"])
    match["calibration"] = {
        "residual_px": 0.1,
        "residual_mm": 0.4,
        "camera": truth["camera"],
        "table": truth["table"],
    }
    folder = tmp_path_factory.mktemp("restore") / "sample"
    write_match(folder, match)  # type: ignore[arg-type]
    return open_review("sample", folder, CLIP)


def picture_at(t_s: float) -> bytes:
    import cv2

    image = next(iter(read_video(CLIP, t_s)))
    return bytes(cv2.imencode(".png", image.picture.bgr())[1])


def test_a_picture_just_before_the_stroke_has_every_ball_in_its_place(opened: MatchView) -> None:
    strokes = opened.document["strokes"]
    seen = restore_picture(opened, 1, picture_at(strokes[0]["start_s"] - 0.3))
    assert len(seen["balls"]) == 13 and all(b["done"] for b in seen["balls"])
    assert seen["size_px"] == [1280, 720] and len(seen["outlines"]) == 13


def test_a_later_picture_shows_moved_and_missing_balls(opened: MatchView) -> None:
    """Stroke 1 potted a red and moved the cue-ball; the colours still lie on their spots."""
    first = opened.document["strokes"][0]
    seen: list[dict[str, Any]] = restore_picture(opened, 1, picture_at(first["end_s"] + 0.3))["balls"]
    left = [b for b in seen if not b["done"]]
    white = next(b for b in left if b["colour"] == "white")
    was, now = first["before"]["white"][0], first["after"]["white"][0]
    assert white["dx_mm"] == pytest.approx(was[0] - now[0], abs=2) and white["dy_mm"] == pytest.approx(
        was[1] - now[1], abs=2
    )
    assert [b["colour"] for b in left if b["now_mm"] is None] == ["red"]
    assert {b["colour"] for b in seen if b["was_on_spot"]} == {
        "yellow",
        "green",
        "brown",
        "blue",
        "pink",
        "black",
    }


def test_the_balls_of_a_moment_of_the_video_are_read(opened: MatchView) -> None:
    stroke_1 = opened.document["strokes"][0]
    layout = layout_of_video(opened, stroke_1["start_s"] - 0.3)
    from referee.outputs.document import table_of

    assert all(b.done for b in compare(stroke_1["before"], layout, table_of(opened.document)))
    assert jpeg_at(opened, 1.0)[:2] == b"\xff\xd8"
    with pytest.raises(UnusableInput, match=r"which ends at 0:.*found 9999 s"):
        jpeg_at(opened, 9999.0)
    with pytest.raises(UnusableInput, match=r"which ends at 0:.*found 9999 s"):
        spots_at(opened, 9999.0, 2.0)
    with pytest.raises(UnusableInput, match="which ends at"):
        restore_at(opened, 1, 9999.0)


def test_outlines_lie_on_the_balls_of_the_picture(opened: MatchView) -> None:
    """The white ball's disc is bright inside its outline and the cloth is not, just outside."""
    import numpy as np

    from referee.console.restore import calibration_of
    from referee.outputs.document import table_of

    calibration, stroke_1 = calibration_of(opened.document), opened.document["strokes"][0]
    assert calibration is not None
    white = {"white": stroke_1["before"]["white"]}
    (circle,) = outlines(white, calibration.camera, table_of(opened.document), SNOOKER)
    grey = next(iter(read_video(CLIP, stroke_1["start_s"] - 0.3))).picture.y.astype(float)
    v, u = np.mgrid[0 : grey.shape[0], 0 : grey.shape[1]]
    distance = np.hypot(u - circle["x_px"], v - circle["y_px"]) / circle["r_px"]
    inside, around = grey[distance < 0.7].mean(), grey[(distance > 1.3) & (distance < 1.8)].mean()
    assert inside > around + 60
