"""`cueref export`, `spots`, `restore` and `serve`: exit statuses and one clear sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from console_fixture import CAMERA, make_review

from calibration.camera import Camera
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import SNOOKER_TABLE
from referee.cli import main
from referee.journal import Journal


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands") / "frame"
    make_review(folder)
    return folder


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(argv))
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_spots_of_a_review_tell_by_their_exit_status(
    capsys: pytest.CaptureFixture[str], reviewed: Path
) -> None:
    code, out, _ = run(capsys, "spots", str(reviewed))
    assert code == 1 and "OFF its spot" in out and "↖" in out  # it lies right of and below its spot
    code, out, _ = run(capsys, "spots", str(reviewed), "--tolerance", "6", "--json")
    (found,) = json.loads(out)["spots"]
    assert code == 0 and found["finding"] == "on" and found["offset_mm"] == pytest.approx(4.61, abs=0.01)


def test_evidence_holds_clip_clause_and_journal(
    capsys: pytest.CaptureFixture[str], reviewed: Path, tmp_path: Path
) -> None:
    page = tmp_path / "stroke.html"
    code, _, _ = run(capsys, "export", str(reviewed), "--to", "evidence", "--stroke", "3", "-o", str(page))
    text = page.read_text()
    assert code == 0 and "data:video/mp4;base64," in text and "snooker 3.12" in text and "chain " in text
    assert "Ann &lt;Ace&gt;" in text and "<Ace>" not in text


@pytest.mark.parametrize("form", ["json", "csv", "sheet", "report", "chapters", "markers"])
def test_every_form_is_written(capsys: pytest.CaptureFixture[str], reviewed: Path, form: str) -> None:
    code, out, _ = run(capsys, "export", str(reviewed), "--to", form)
    assert (
        code == 0
        and len(out) > 300
        and "<Ace>" not in out.replace("Ann <Ace>", "" if form in ("json", "csv", "markers") else "Ann <Ace>")
    )


@pytest.mark.parametrize(
    "argv",
    [
        ["export"],
        ["export", "{}/nothing"],
        ["export", "{}", "--to", "evidence"],
        ["export", "{}", "--to", "evidence", "--stroke", "99"],
        ["restore", "{}"],
        ["restore", "{}", "--stroke", "99", "--at", "3"],
        ["restore", "{}", "--at", "3", "--image", "x.png"],
        ["serve", "{}/nothing"],
        ["serve", "{}", "--video", "{}/no.mp4"],
        ["serve", "{}", "--token", "short"],
        ["spots", "{}/none.png"],
    ],
)
def test_unusable_input_is_one_sentence(
    capsys: pytest.CaptureFixture[str], reviewed: Path, argv: list[str]
) -> None:
    code, out, err = run(capsys, *(a.replace("{}", str(reviewed)) for a in argv))
    assert (
        code == 2 and out == "" and err.startswith("cueref: ") and err.count("\n") == 1 and "expected" in err
    )


def test_a_journal_of_something_else_is_refused(
    capsys: pytest.CaptureFixture[str], reviewed: Path, tmp_path: Path
) -> None:
    shutil.copy(reviewed / "match.json", tmp_path)
    (tmp_path / "journal.sqlite").write_bytes(b"no database, but long enough to be read as one" * 40)
    code, _, err = run(capsys, "serve", str(tmp_path))
    assert code == 2 and "expected a journal" in err


def test_a_match_that_was_stopped_is_exported_from_its_journal_with_the_strokes_own_clips(
    capsys: pytest.CaptureFixture[str], reviewed: Path, tmp_path: Path
) -> None:
    """`cueref live` ended by Ctrl-C at the end of the evening writes no match.json; a stroke's number may
    have changed since its clip.
    """
    stopped = tmp_path / "stopped"
    shutil.copytree(reviewed, stopped)
    known = json.loads((stopped / "match.json").read_text())
    (stopped / "match.json").unlink()
    calibration = Calibration(
        Camera(**CAMERA), SNOOKER_TABLE, 0.1, 0.4, SigmaModel((0.1, 0.0, 0.0, 0.0, 0.0, 0.0), 0.1)
    )
    with Journal(stopped / "journal.sqlite") as journal:
        run_of = {
            "calibration": calibration.to_text(),
            "video": known["video"] | {"file": None},
            "game": "snooker",
        }
        journal.set_progress("run", json.dumps(run_of).encode())
    code, out, _ = run(capsys, "export", str(stopped), "--to", "json")
    assert (
        code == 0
        and json.loads(out)["strokes"] == known["strokes"]
        and json.loads(out)["players"] == known["players"]
    )

    clips, third = stopped / "clips", known["strokes"][2]
    clips.mkdir()
    (stopped / "clip.mp4").rename(clips / "stroke_0004.mp4")
    times = {
        "stroke": 4,
        "part": 1,
        "start_s": third["start_s"],
        "end_s": third["end_s"],
        "offset_s": 0.0,
        "duration_s": 9.0,
    }
    (clips / "stroke_0004.json").write_text(json.dumps(times))
    for number, shown in (("3", True), ("2", False)):
        code, out, _ = run(capsys, "export", str(stopped), "--to", "evidence", "--stroke", number)
        assert code == 0 and ("data:video/mp4;base64," in out) == shown
