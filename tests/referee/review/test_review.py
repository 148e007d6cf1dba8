"""The whole road on the bundled sample: video in, refereed match out; killed and gone on with; odd input
refused.
"""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from calibration.errors import UnusableInput
from calibration.table.parse import DEFAULT_TABLE, parse_table
from referee.facts.calls import ChoiceCall, Nomination
from referee.journal import Journal
from referee.outputs.document import schema_text
from referee.review.perception import Seen
from referee.review.pipeline import ReviewOptions, Worked, calibration_found, review
from vision.calibrated import solved_view

ROOT = Path(__file__).resolve().parents[3]
CLIP = ROOT / "samples" / "club_four_strokes.mp4"
POCKETS = {
    "bottom-left": "BL",
    "bottom-right": "BR",
    "centre-left": "CL",
    "centre-right": "CR",
    "top-left": "TL",
    "top-right": "TR",
}
OPTIONS = ReviewOptions(parse_table(DEFAULT_TABLE, None))
"""As people give them who name no table: those of the review that all tests share."""
pytest_plugins = ("reviewed_sample",)
if TYPE_CHECKING:
    from reviewed_sample import ReviewedSample


@pytest.fixture(scope="module")
def reviewed(reviewed_sample: ReviewedSample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reviewed_sample.copy(tmp_path_factory.mktemp("review") / "out")


@pytest.fixture(scope="module")
def known(reviewed: Path, tmp_path_factory: pytest.TempPathFactory) -> ReviewOptions:
    """With the calibration that the review found: the table is not sought once more."""
    calibration, file = calibration_found(reviewed), tmp_path_factory.mktemp("known") / "table.json"
    assert calibration is not None
    file.write_text(calibration.to_text())
    return ReviewOptions(OPTIONS.table, calibration=file)


@pytest.fixture(scope="module")
def match(reviewed: Path) -> dict[str, Any]:
    return dict(json.loads((reviewed / "match.json").read_text()))


def truth() -> list[dict[str, Any]]:
    events = json.loads(CLIP.with_suffix(".json").read_text())["events"]
    return [e for e in events if e["type"] == "stroke"]


def colour(ball: str) -> str:
    return ball.split("_")[0]


def test_the_match_keeps_its_published_schema(match: dict[str, Any]) -> None:
    assert [e.message for e in Draft202012Validator(json.loads(schema_text())).iter_errors(match)] == []


def test_every_stroke_is_as_it_was_played(match: dict[str, Any]) -> None:
    assert len(match["strokes"]) == len(truth())
    for seen, true in zip(match["strokes"], truth(), strict=True):
        assert seen["start_s"] == pytest.approx(true["t_strike"], abs=0.1)
        assert seen["first_contact"]["ball"].split("_")[0] == colour(true["first_contact"][0])
        assert seen["first_contact"]["t_s"] == pytest.approx(true["first_contact"][1], abs=0.02)
        want = sorted((colour(b), POCKETS[p]) for b, p, _ in true["pots"] if b != "white")
        assert sorted((colour(p["ball"]), p["pocket"]) for p in seen["potted"]) == want
        assert (seen["cue_ball"] == "pocketed") == any(b == "white" for b, _, _ in true["pots"])
        assert seen["verdict"] == "certain"


def test_fouls_points_and_score_follow(match: dict[str, Any]) -> None:
    for seen, true in zip(match["strokes"], truth(), strict=True):
        assert bool(seen["foul"]) == true["foul"]
        assert (seen["foul"] or {"penalty": 0})["penalty"] == true["penalty"]
        assert seen["points"] == true["points"]
        assert seen["score"] == true["score"]
    assert match["score"] == truth()[-1]["score"]


def test_balls_at_rest_lie_within_two_and_a_half_millimetres(match: dict[str, Any]) -> None:
    """The clip has 720 lines: a pixel is 3 mm on the cloth."""
    for seen, true in zip(match["strokes"], truth(), strict=True):
        for ball, (x, y) in true["start"].items():
            places = seen["before"][colour(ball)]
            assert min(((px - x * 1000) ** 2 + (py - y * 1000) ** 2) ** 0.5 for px, py, _ in places) < 2.5
        assert sum(len(v) for v in seen["before"].values()) == len(true["start"])


def test_the_black_was_put_back_on_its_spot(match: dict[str, Any]) -> None:
    (check,) = match["spotting"]
    assert (check["ball"], check["spot"]) == ("black", "black")
    assert check["offset_mm"] < 2.5 and check["ok"] is not False


def test_tracks_have_the_documented_columns_and_states(reviewed: Path) -> None:
    rows = list(csv.DictReader((reviewed / "tracks.csv").open()))
    assert set(rows[0]) == {"t_s", "ball", "x_mm", "y_mm", "sigma_mm", "state"}
    assert {r["state"] for r in rows} <= {"rest", "moving", "hidden", "potted", "off"}
    assert len(rows) > 500


def test_the_report_asks_no_other_host(reviewed: Path) -> None:
    page = (reviewed / "report.html").read_text()
    assert "3.12(a)(vii)" in page
    assert not any(
        f'{attribute}="{scheme}' in page for attribute in ("src", "href") for scheme in ("http", "//")
    )


class Killed(BaseException):
    """Stands for a signal: nothing may catch it."""


def test_a_killed_review_goes_on_and_ends_with_the_same_bytes(
    reviewed: Path, known: ReviewOptions, tmp_path: Path
) -> None:
    def kill_at(image: int) -> Any:
        def tell(stage: str, done: int, of: int) -> None:
            if stage == "watching" and done > image:
                raise Killed

        return tell

    for image in (40, 480, 700):  # before the first stroke closes, in the second, after the third
        with pytest.raises(Killed):
            review(CLIP, tmp_path / "out", known, kill_at(image))
        with Journal(tmp_path / "out" / "journal.sqlite") as journal:
            assert journal.verify()
        assert not (tmp_path / "out" / "match.json").exists()
    review(CLIP, tmp_path / "out", known)
    for name in ("match.json", "tracks.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (reviewed / name).read_bytes()


def test_a_finished_review_is_not_watched_again(reviewed: Path) -> None:
    before = (reviewed / "match.json").read_bytes()
    stages: list[str] = []
    review(CLIP, reviewed, OPTIONS, lambda stage, done, of: stages.append(stage))
    assert "watching" not in stages
    assert (reviewed / "match.json").read_bytes() == before


def test_a_call_for_a_stroke_that_does_not_follow_is_told(
    reviewed: Path, known: ReviewOptions, tmp_path: Path
) -> None:
    calls = (ChoiceCall(1e5, "A", "make_B_shoot"), Nomination(1e5, "A", "pink"))
    told: list[str] = []
    calibration = calibration_found(reviewed)
    assert calibration is not None
    nothing = Worked(calibration, iter([Seen(0.1 * k, k, None, calibration, ()) for k in range(20)]))
    review(CLIP, tmp_path / "out", replace(known, calls=calls), note=told.append, worked=nothing)
    assert told == ["the call at 27:46:40 counts for no stroke: none follows"]


def test_another_review_in_the_folder_is_not_overwritten(reviewed: Path) -> None:
    from referee.facts.calls import parse_start

    with pytest.raises(UnusableInput, match="choose another --out"):
        review(CLIP, reviewed, ReviewOptions(OPTIONS.table, start=parse_start("B red 3-4")))
    with pytest.raises(UnusableInput, match="choose another --out"):
        review(CLIP, reviewed, replace(OPTIONS, bottom_at="top"))


@pytest.mark.parametrize("content", [b"", b"this is text", b"#EXTM3U\nother.mp4\n"])
def test_what_is_no_video_leaves_nothing_behind(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "clip.mp4").write_bytes(content)
    command = [
        sys.executable,
        "-m",
        "referee",
        "review",
        str(tmp_path / "clip.mp4"),
        "--out",
        str(tmp_path / "out"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert (
        "Traceback" not in done.stderr and done.stderr.strip().count("\n") == 0 and "clip.mp4" in done.stderr
    )
    assert not (tmp_path / "out").exists()


def test_ctrl_c_ends_with_130_one_sentence_and_a_journal_to_go_on_from(
    known: ReviewOptions, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    review = [sys.executable, "-m", "referee", "review", str(CLIP), "--out", str(out)]
    review += ["--calibration", str(known.calibration)]
    # what a shell puts into the background ignores Ctrl-C, and all that is started from it
    heeds = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1],"
        " sys.argv[1:])"
    )
    command = [sys.executable, "-c", heeds, *review]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            deadline = time.monotonic() + 120
            while (
                not (out / "journal.sqlite").exists() and run.poll() is None and time.monotonic() < deadline
            ):
                time.sleep(0.1)
            time.sleep(1.0)
            run.send_signal(signal.SIGINT)
            _, told = run.communicate(timeout=60)
        finally:
            run.kill()
    assert run.returncode == 130
    assert "stopped" in told and "Traceback" not in told
    with Journal(out / "journal.sqlite") as journal:
        assert journal.verify()
    assert not (out / "match.json").exists()


def test_calibrate_alone_gives_what_a_review_finds(match: dict[str, Any]) -> None:
    calibration, still = solved_view(CLIP, OPTIONS.table)
    assert still.shape[:2] == (match["video"]["height"], match["video"]["width"])
    assert match["calibration"]["table"]["nose_height_mm"] == round(calibration.table.nose_height_mm, 2)
    told_mm = match["calibration"]["camera"]["translation_mm"]
    assert told_mm == pytest.approx(calibration.camera.translation_mm, rel=1e-7)
