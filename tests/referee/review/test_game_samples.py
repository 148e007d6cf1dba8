"""The samples of nine ball and carrom: the rack as its truth says, strokes right or asked."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cueref
from calibration.table.games import PIECES
from vision.io.images import probe

SAMPLES = Path(__file__).parents[3] / "samples"
CLIPS = {"wpa_9ball": "nine_ball_two_strokes", "carrom": "carrom_two_strokes"}
REST_MM = 2.0  # four times the median error of balls and discs at rest


def calibration_of(game: str) -> Path | None:
    return SAMPLES.joinpath(f"{CLIPS[game]}.table.json") if game == "carrom" else None


def kind_of(name: str, game: str) -> str:
    """The kind of a piece by its name in a clip's truth, where the struck piece is `white`."""
    if name == "white":
        return "striker" if game == "carrom" else "cue"
    return name.split("-")[0]


def truth_at(game: str, t_s: float) -> dict[str, tuple[float, float]]:
    """Where the pieces lie at a time, mm in the table's frame."""
    with np.load(SAMPLES.joinpath(f"{CLIPS[game]}.frames.npz")) as z:
        k = int(np.argmin(np.abs(z["t"] - t_s)))
        places = zip(z["names"], z["xy"][k] * 1000.0, strict=True)
        return {str(n): (float(p[0]), float(p[1])) for n, p in places if not np.isnan(p[0])}


def check_layout(game: str, t_s: float) -> None:
    read = cueref.layout(
        SAMPLES.joinpath(f"{CLIPS[game]}.mp4"), at_s=t_s, game=game, calibration=calibration_of(game)
    )
    left = truth_at(game, t_s)
    assert len(read.balls) == len(left)
    for ball in read.balls:
        name = min(left, key=lambda n: math.dist(left[n], (ball.x_mm, ball.y_mm)))
        place = left.pop(name)
        assert kind_of(name, game) == ball.colour and math.dist(place, (ball.x_mm, ball.y_mm)) < REST_MM


@pytest.mark.slow
def test_the_rack_of_nine_ball_is_read_as_it_lies() -> None:
    check_layout("wpa_9ball", 0.4)


@pytest.mark.slow
@pytest.mark.parametrize("game", sorted(CLIPS))
def test_the_strokes_of_a_sample_are_right_or_asked(game: str, tmp_path: Path) -> None:
    cueref.review(
        SAMPLES.joinpath(f"{CLIPS[game]}.mp4"), tmp_path / "out", game=game, calibration=calibration_of(game)
    )
    match: dict[str, Any] = json.loads((tmp_path / "out" / "match.json").read_text())
    true = json.loads(SAMPLES.joinpath(f"{CLIPS[game]}.json").read_text())["events"]
    strokes = [e for e in true if e["type"] == "stroke"]
    assert len(match["strokes"]) == len(strokes)
    for said, event in zip(match["strokes"], strokes, strict=True):
        assert abs(said["start_s"] - event["t_strike"]) < 0.2
        if said["verdict"] != "certain":
            assert said["question"]
            continue
        assert said["first_contact"]["ball"].split("_")[0] == kind_of(event["first_contact"][0], game)
        fell = [(kind_of(b, game), "".join(w[0] for w in p.split("-")).upper()) for b, p, _ in event["pots"]]
        assert [(p["ball"].split("_")[0], p["pocket"]) for p in said["potted"]] == fell


@pytest.mark.parametrize("game", sorted(CLIPS))
def test_the_truth_of_a_sample_goes_with_its_clip(game: str) -> None:
    truth = json.loads(SAMPLES.joinpath(f"{CLIPS[game]}.json").read_text())
    with np.load(SAMPLES.joinpath(f"{CLIPS[game]}.frames.npz")) as z:
        assert sorted(map(str, z["names"])) == sorted(truth["names"])
    info = probe(SAMPLES / f"{CLIPS[game]}.mp4")
    assert abs(info.duration_s - truth["end"]) < 0.1
    assert (info.width_px, info.height_px) == (truth["camera"]["width_px"], truth["camera"]["height_px"])
    opening = truth_at(game, 0.4)
    full = sum(k.count for k in PIECES[game].kinds)
    assert len(opening) == full and {kind_of(n, game) for n in opening} == set(PIECES[game].names)
