"""The bundled sample is whole and its truth is consistent with itself."""

from __future__ import annotations

import json
import math
from pathlib import Path

import av
import numpy as np

import samples
from calibration.camera import Camera
from calibration.table.specs import TableSpec

FOLDER = Path(next(iter(samples.__path__)))
CLIP = FOLDER / "club_four_strokes.mp4"


def test_the_sample_is_small_and_has_one_truth_row_an_image() -> None:
    assert CLIP.stat().st_size < 10_000_000
    with np.load(CLIP.with_suffix(".frames.npz")) as z:
        times, names, xy = z["t"], z["names"], z["xy"]
    with av.open(str(CLIP)) as clip:
        seen = [float(image.time) for image in clip.decode(video=0)]
    assert np.allclose(seen, times, atol=1e-3)
    assert xy.shape == (len(times), len(names), 2)


def test_scores_respots_and_places_in_the_truth_follow_from_each_other() -> None:
    truth = json.loads(CLIP.with_suffix(".json").read_text(encoding="utf-8"))
    strokes = [e for e in truth["events"] if e["type"] == "stroke"]
    score = [0, 0]
    for s in strokes:
        score[s["striker"]] += s["points"]
        score[1 - s["striker"]] += s["penalty"]
        assert s["score"] == score
        assert s["t_strike"] < s["t_rest"] <= truth["end"] + 1
        gone = {b for b, _, _ in s["pots"]}
        assert set(s["end"]) == set(s["start"]) - gone
    assert {e["ball"] for e in truth["events"] if e["type"] == "respot"} == {
        b for s in strokes for b, _, _ in s["pots"] if b != "white" and not b.startswith("red")
    }


def test_the_truths_camera_sees_the_whole_table_in_the_picture() -> None:
    truth = json.loads(CLIP.with_suffix(".json").read_text(encoding="utf-8"))
    record = {k: tuple(v) if isinstance(v, list) else v for k, v in truth["camera"].items()}
    camera, table = Camera(**record), TableSpec(**truth["table"])
    corners = [
        (sx * table.half_width_mm, y, table.nose_height_mm) for sx in (-1, 1) for y in (0.0, table.length_mm)
    ]
    px = camera.pixels_from_table(corners)
    assert (px > 0).all() and (px[:, 0] < camera.width_px).all() and (px[:, 1] < camera.height_px).all()
    x, y, z = camera.centre_mm
    assert 1000 < z < 4000 and math.hypot(x, y - table.length_mm / 2) < z
