"""The promised names of the module `cueref`: what they return is what the commands write."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from known_table import known_table

import cueref
from tests.test_docs import ROOT

SAMPLE = ROOT / "samples/club_four_strokes.mp4"
NINE = {"type": "shot", "first_contact": ["1"], "potted": [{"ball": "9", "pocket": "TL"}]}
pytest_plugins = ("reviewed_sample",)
if TYPE_CHECKING:
    from reviewed_sample import ReviewedSample


@pytest.fixture(scope="module")
def match(reviewed_sample: ReviewedSample, tmp_path_factory: pytest.TempPathFactory) -> cueref.Match:
    """A finished review, given again: it is returned and not watched once more."""
    return cueref.review(SAMPLE, reviewed_sample.copy(tmp_path_factory.mktemp("api") / "review"))


def test_a_review_returns_what_the_sample_holds(match: cueref.Match) -> None:
    """samples/README.md: red, black, a miss, an in-off with a red; 12 to 0, all certain."""
    assert match.score == (12, 0)
    assert [tuple(p.ball.split("_")[0] for p in s.potted) for s in match.strokes[:3]] == [
        ("red",),
        ("black",),
        (),
    ]
    assert [s.foul.penalty for s in match.strokes if s.foul] == [4]
    assert match.questions == ()
    assert json.loads(match.json_text)["score"] == [12, 0]


def test_a_match_is_opened_as_it_was_returned(match: cueref.Match) -> None:
    assert cueref.open_match(match.folder) == match == cueref.open_match(match.folder / "match.json")


def test_data_frames_have_a_row_a_stroke_and_a_row_a_place(match: cueref.Match) -> None:
    strokes, tracks = match.strokes_df(), match.tracks_df()
    assert list(strokes["points"]) == [s.points for s in match.strokes]
    assert list(zip(strokes["score_a"], strokes["score_b"], strict=True)) == [s.score for s in match.strokes]
    assert len(tracks) == (match.folder / "tracks.csv").read_text().count("\n") - 1


def test_a_layout_lies_where_the_truth_says(tmp_path: Path) -> None:
    """Every ball of the clip's truth within four sigma, and a data frame of them."""
    seen = cueref.layout(SAMPLE, 1.0, calibration=known_table(tmp_path / "table.json"))
    (first, *_) = json.loads(SAMPLE.with_suffix(".json").read_text())["events"]
    true = [(1000 * x, 1000 * y) for x, y, *_ in first["start"].values()]
    nearest = [min(true, key=lambda at: math.dist(at, (b.x_mm, b.y_mm))) for b in seen.balls]
    assert sorted(nearest) == sorted(true)
    for ball, at in zip(seen.balls, nearest, strict=True):
        assert math.dist(at, (ball.x_mm, ball.y_mm)) < 4 * math.sqrt(2) * ball.sigma_mm
    assert len(seen.balls_df()) == len(seen.balls) and "sigma_mm" in seen.balls_df()


def test_facts_are_judged_from_a_file_and_from_values_alike(tmp_path: Path) -> None:
    facts = [{"type": "start", "players": ["Ann", "Bo"]}, NINE | {"by": "A"}]
    file = tmp_path / "facts.jsonl"
    file.write_text("\n".join(json.dumps(f) for f in facts))
    judged = cueref.judge(facts, "wpa_9ball")
    assert judged == cueref.judge(file, "wpa_9ball")
    assert judged.racks == (1, 0) and judged.players == ("Ann", "Bo") and judged.lines[-1].ruling


def test_results_cannot_be_changed_and_bad_input_is_one_sentence(tmp_path: Path) -> None:
    for kind in (cueref.Match, cueref.Stroke, cueref.Frame, cueref.Pot, cueref.Layout, cueref.JudgedMatch):
        assert dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen
    with pytest.raises(cueref.UnusableInput, match="facts line 2: by must be A or B"):
        cueref.judge([{"type": "start"}, NINE], "wpa_9ball")
    with pytest.raises(cueref.UnusableInput, match="expected one of"):
        cueref.review(SAMPLE, tmp_path / "out", game="tennis")
    assert not (tmp_path / "out").exists()


def test_every_promised_name_is_documented() -> None:
    page = (ROOT / "docs/python.md").read_text()
    assert [name for name in cueref.__all__ if name not in page] == []
    assert all(getattr(cueref, name).__doc__ for name in cueref.__all__ if name != "__version__")
