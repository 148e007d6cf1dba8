"""Real clips in the bench: their truth is read, and a stroke is right, asked about, or certain and wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from calibration.errors import UnusableInput
from referee.quality.bench.real import tier
from referee.quality.bench.real.judge import ClipJudged, judge, refused
from referee.quality.bench.real.tier import kept_results, measure_real, real_measures
from referee.quality.bench.real.truth import TrueClip, TrueStroke, read_truth
from referee.quality.bench.real.worse import drawn, write_worse
from referee.workers import here
from vision.io.images import read_video

BLACK_TR = TrueStroke((("black", "TR"),), "black", 30, 7)


def clip(*strokes: TrueStroke, score: tuple[int, int] | None = None) -> TrueClip:
    return TrueClip(Path("clip.mp4"), strokes, score=score)


def seen(**changes: Any) -> dict[str, Any]:
    """A certain black to TR at one second of an image clock of 30."""
    return {
        "start_s": 0.9,
        "end_s": 3.0,
        "first_contact": {"ball": "black", "t_s": 1.0},
        "potted": [{"ball": "black", "pocket": "TR"}],
        "points": 7,
        "verdict": "certain",
        "question": None,
        "candidates": [],
    } | changes


def match(*strokes: dict[str, Any], score: tuple[int, int] = (7, 0)) -> dict[str, Any]:
    return {"video": {"images": 300, "duration_s": 10.0}, "strokes": list(strokes), "score": list(score)}


def question(fact: str, **changes: Any) -> dict[str, Any]:
    candidates = [{"facts": {fact: "black"}}, {"facts": {fact: "none"}}]
    return seen(verdict="call", question=f"Which {fact}?", candidates=candidates, **changes)


def test_a_certain_stroke_as_it_was_is_right() -> None:
    found = judge(clip(BLACK_TR, score=(7, 0)), match(seen()))
    assert (found.right, found.asked, found.wrong, found.facts_right, found.score_right) == (1, 0, 0, 3, True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"potted": []},
        {"first_contact": {"ball": "red_2", "t_s": 1.0}},
        {"points": 0},
        {"first_contact": None},
    ],
)
def test_a_certain_stroke_with_any_wrong_fact_is_wrong(wrong: dict[str, Any]) -> None:
    found = judge(clip(BLACK_TR), match(seen(**wrong)))
    assert (found.right, found.wrong) == (0, 1) and "stroke 1" in found.notes[0]


def test_a_question_about_the_wrong_fact_asks_and_one_about_another_states_the_wrong_as_sure() -> None:
    assert judge(clip(BLACK_TR), match(question("potted", potted=[], points=0))).asked == 1
    beside = judge(clip(BLACK_TR), match(question("snookered", potted=[])))
    assert (beside.asked, beside.wrong) == (0, 1)
    whole = seen(verdict="call", question="What happened in this stroke?", potted=[])
    assert judge(clip(BLACK_TR), match(whole)).asked == 1


def test_certain_strokes_that_never_were_are_wrong_and_asked_ones_are_invented_only() -> None:
    later = seen(start_s=8.0, end_s=9.0, first_contact={"ball": "red_1", "t_s": 8.1})
    found = judge(clip(BLACK_TR), match(seen(), later, question("potted", start_s=6.0, end_s=7.0)))
    assert (found.right, found.wrong, found.invented, found.missed) == (1, 1, 2, 0)
    assert judge(clip(BLACK_TR), match(later)).missed == 1


def test_the_truth_of_strokes_and_of_one_pot_is_read_with_what_the_review_is_told(tmp_path: Path) -> None:
    for name in ("a.mp4", "b.mp4", "c.mp4"):
        (tmp_path / name).touch()
    stroke = {"first_contact": "red", "contact_image": 11, "potted": [["red", "TL"]], "points": 1}
    told = {"start": "A red 0-0", "score": [1, 0], "table": "1881x943", "ball_mm": 52.3}
    truth = {
        "note": "for people",
        "a.mp4": {**told, "strokes": [stroke]},
        "b.mp4": {"potted": "black", "pocket": "TR"},
        "c.mp4": {"game": "wpa_9ball", "potted": None, "pocket": None},
        "absent.mp4": {"potted": None},
    }
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    a, b, c = read_truth(tmp_path)
    assert a.strokes == (TrueStroke((("red", "TL"),), "red", 11, 1),) and a.score == (1, 0)
    assert (a.start, a.table, a.ball_mm) == ("A red 0-0", "1881x943", 52.3)
    assert b.strokes == (TrueStroke((("black", "TR"),)),) and c.strokes == (TrueStroke(()),)
    assert (a.game, b.game, c.game) == ("snooker", "snooker", "wpa_9ball")


@pytest.mark.parametrize(
    "text",
    [
        None,
        "[]",
        '{"a.mp4": {"strokes": [{}]}}',
        "{",
        '{"absent.mp4": {"potted": null}}',
        '{"a.mp4": {"game": "golf", "potted": null}}',
    ],
)
def test_a_folder_without_truth_is_refused_in_one_sentence(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "truth.json").write_text(text)
    with pytest.raises(UnusableInput, match="expected the truth of real clips"):
        read_truth(tmp_path)


def test_results_are_kept_and_not_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b.mp4").touch()
    (tmp_path / "truth.json").write_text('{"b.mp4": {"potted": "black", "pocket": "TR"}}')
    calls: list[str] = []

    def measured(of: TrueClip, seed: int) -> ClipJudged:
        calls.append(f"{of.name} by {seed}")
        return refused(of, "no table")

    monkeypatch.setattr(tier, "measure_clip", measured)
    for worse in (0, 0, 1):
        measure_real([tmp_path], tmp_path / "kept", here, lambda *_: None, worse, seed=5)
    assert calls == ["b.mp4 by 5", "b.mp4, worse 1 by 5"]
    one, worse_one = sorted(kept_results(tmp_path / "kept"), key=lambda c: c.worse)
    assert one == ClipJudged("b.mp4", 1, missed=1, refused="no table")
    assert worse_one == replace(one, clip="b.mp4, worse 1", worse=1)
    found = real_measures([one, judge(clip(BLACK_TR), match(seen()))])
    assert (found["clips"], found["refused"], found["strokes"], found["right"]) == (2, 1, 2, 1)


def test_a_clip_is_made_worse_always_the_same_way_and_no_two_alike() -> None:
    ways = [drawn(1, "a.mp4", n) for n in (1, 2, 3)] + [drawn(1, "b.mp4", 1), drawn(2, "a.mp4", 1)]
    assert len(set(ways)) == len(ways) and drawn(1, "a.mp4", 2) == ways[1]


STAMPS_MS = [0, 40, 80, 200, 220, 1000, 1033, 1067]


def grey_clip(file: Path) -> Path:
    """A grey clip of 480x288 whose images come at `STAMPS_MS`."""
    with av.open(str(file), "w") as out:
        stream = out.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 480, 288, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        for ms in STAMPS_MS:
            frame = av.VideoFrame.from_ndarray(np.full((288, 480, 3), 110, np.uint8), format="bgr24")
            frame.pts, frame.time_base = ms, Fraction(1, 1000)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return file


@pytest.mark.parametrize("codec", ["libx264", "libx265"])
def test_a_clip_made_worse_is_smaller_and_keeps_its_images_and_their_times(
    codec: str, tmp_path: Path
) -> None:
    way = drawn(1, "a.mp4", 1)
    how = replace(way, codec=codec, scale=0.5, cut=0.95, gamma=0.7, noise=8, sharpness=-0.8, lag=0.3)
    how = replace(how, turn_degrees=(0.0, 0.0, 0.0))
    write_worse(grey_clip(tmp_path / "clip.mp4"), tmp_path / "worse.mp4", how)
    worse = list(read_video(tmp_path / "worse.mp4"))
    assert [i.t_s for i in worse] == pytest.approx([ms / 1000 for ms in STAMPS_MS], abs=2e-3)
    assert (worse[0].picture.width_px, worse[0].picture.height_px) == (228, 136)
    assert worse[0].picture.luma(0).mean() < 100, "gamma below 1 darkens"


def test_of_a_clip_that_is_turned_all_of_the_picture_stays_in_sight(tmp_path: Path) -> None:
    """The grey picture, smaller and to one side, with black about it; its images come when they came."""
    way = drawn(1, "a.mp4", 1)
    how = replace(way, scale=1.0, gamma=1.0, noise=0, sharpness=0.0, lag=0.0, turn_degrees=(6.0, 0.0, 0.0))
    write_worse(grey_clip(tmp_path / "clip.mp4"), tmp_path / "turned.mp4", how)
    turned = list(read_video(tmp_path / "turned.mp4"))
    assert [i.t_s for i in turned] == pytest.approx([ms / 1000 for ms in STAMPS_MS], abs=2e-3)
    seen = turned[0].picture.luma(0) > 60
    assert seen.shape == (288, 480)
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    assert abs((rows[0] + rows[-1]) / 2 - 143.5) < 3, "turned aside it stays in the middle of the height"
    assert abs((columns[0] + columns[-1]) / 2 - 239.5) > 20
    assert min(rows[0], 287 - rows[-1]) > 5 and min(columns[0], 479 - columns[-1]) <= 2
