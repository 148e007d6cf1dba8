"""A review's folder: one review at a time, no links, a journal as it was written, nothing left behind."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from known_table import SAMPLE_OF_0D1D15D

from calibration.errors import UnusableInput
from calibration.files import only_writer
from referee.cli import main
from referee.console.reviews import ReviewSource
from referee.facts.calls import Players
from referee.journal import JOURNAL_FILE, Journal
from referee.live.engine.deferred_writes import DeferredJournal
from referee.review.pipeline import ReviewOptions, review

CLIP = Path(__file__).resolve().parents[3] / "samples" / "club_four_strokes.mp4"
REVIEW = (sys.executable, "-m", "referee", "review", str(CLIP))


class StopNow(Exception):
    """Ends a review at its first image."""


def stop(stage: str, done: int, of: int) -> None:
    if stage == "watching":
        raise StopNow


@pytest.fixture(scope="module")
def begun_once(tmp_path_factory: pytest.TempPathFactory, options: ReviewOptions) -> Path:
    out = tmp_path_factory.mktemp("begun") / "out"
    with pytest.raises(StopNow):
        review(CLIP, out, options, stop)
    return out


@pytest.fixture
def begun(begun_once: Path, tmp_path: Path) -> Path:
    """The folder of a review that was stopped at its first image, to be changed."""
    return Path(shutil.copytree(begun_once, tmp_path / "begun"))


def tampered(journal_file: Path, statement: str) -> None:
    db = sqlite3.connect(journal_file)
    for trigger in ("entries_are_never_changed", "entries_are_never_deleted"):
        db.execute(f"DROP TRIGGER {trigger}")
    db.execute(statement)
    db.commit()
    db.close()


def test_a_second_review_of_a_folder_is_refused_while_the_first_runs(
    tmp_path: Path, options: ReviewOptions
) -> None:
    with (
        only_writer(tmp_path, "cueref review"),
        pytest.raises(UnusableInput, match=r"found cueref review \(process \d+, since"),
    ):
        review(CLIP, tmp_path, options)
    assert not (tmp_path / JOURNAL_FILE).exists()


def test_a_second_live_table_in_a_folder_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with only_writer(tmp_path, "cueref live"), pytest.raises(SystemExit) as end:
        main(["live", str(CLIP), "--out", str(tmp_path), "--no-pages"])
    assert end.value.code == 2 and "found cueref live (process" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == [".lock"]


@pytest.mark.parametrize("name", [JOURNAL_FILE, ".tracks.csv.part", ".lock"])
def test_a_link_in_the_folder_is_not_written_through(
    tmp_path: Path, options: ReviewOptions, name: str
) -> None:
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
    elsewhere.write_text("")
    out.mkdir()
    (out / name).symlink_to(elsewhere)
    with pytest.raises(UnusableInput, match="found a link"):
        review(CLIP, out, options)
    assert elsewhere.read_text() == ""


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET payload = replace(payload, 'A', 'C') WHERE id = 1",
        "UPDATE entries SET t_s = 4.0 WHERE id = 1",
        "INSERT INTO entries (kind, payload, who, at, chain) VALUES ('seen', '{}', 'me', 'now', 'abc')",
    ],
)
def test_a_journal_changed_by_hand_is_not_gone_on_with(
    begun: Path, options: ReviewOptions, statement: str
) -> None:
    tampered(begun / JOURNAL_FILE, statement)
    with Journal(begun / JOURNAL_FILE) as journal:
        bad = journal.first_bad_entry()
    assert bad is not None
    with pytest.raises(UnusableInput, match=f"found entry {bad} changed afterwards"):
        review(CLIP, begun, options)
    said = subprocess.run([*REVIEW[:3], "verify", str(begun)], capture_output=True, text=True, timeout=120)
    assert said.returncode == 1 and f"entry {bad} of" in said.stdout


def test_verify_says_when_a_journal_is_as_it_was_written(begun: Path) -> None:
    said = subprocess.run([*REVIEW[:3], "verify", str(begun)], capture_output=True, text=True, timeout=120)
    assert said.returncode == 0 and "as they were written" in said.stdout


def test_a_video_without_an_image_leaves_nothing(
    tmp_path: Path, options: ReviewOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def undecodable(*_: object, **__: object) -> object:
        raise UnusableInput(f"{CLIP}: expected images, found none that can be decoded")

    monkeypatch.setattr("referee.review.pipeline.watch_video", undecodable)
    with pytest.raises(UnusableInput, match="none that can be decoded"):
        review(CLIP, tmp_path / "out", options)
    assert not (tmp_path / "out").exists()


def test_a_disk_without_room_is_one_sentence(tmp_path: Path, options: ReviewOptions) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    said = subprocess.run(
        [*REVIEW, "--out", str(tmp_path / "out"), "--calibration", str(options.calibration)],
        capture_output=True,
        text=True,
        preexec_fn=full,
        env=os.environ
        | {"PYTHONDONTWRITEBYTECODE": "1"},  # what it compiled would be cut off, for all that follow
        timeout=300,
    )
    assert said.returncode == 2 and "Traceback" not in said.stderr, said.stderr
    assert "expected a journal of cueref, found" in said.stderr


@pytest.mark.parametrize("name", ["n" * 5000, "a/" * 3000 + "b"])
@pytest.mark.parametrize(
    "words",
    [
        "review NAME",
        f"review {CLIP} --out NAME",
        f"review {CLIP} --calibration NAME",
        "layout NAME",
        "calibrate NAME -o table.json",
        "export NAME",
        "spots NAME",
        "restore NAME",
        "verify NAME",
        "judge NAME --game snooker",
        "rack snooker --svg NAME",
        f"live {CLIP} --out NAME",
    ],
)
def test_a_name_that_is_too_long_is_one_sentence(
    words: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(words.replace("NAME", name).split())
    said = capsys.readouterr().err
    assert end.value.code == 2 and "File name too long" in said and len(said.strip().splitlines()) == 1


def test_a_console_does_not_write_into_the_journal_of_a_live_table(tmp_path: Path) -> None:
    """A live table numbers its entries itself: an entry of another program would shut its own out."""
    folder = Path(shutil.copytree(SAMPLE_OF_0D1D15D, tmp_path / "match"))
    live = DeferredJournal(folder / JOURNAL_FILE)
    view = ReviewSource(folder)
    try:
        with pytest.raises(UnusableInput, match="found cueref live"):
            view.change(lambda referee: referee.call(Players(("Ann", "Bo")), "Ann"))
        live.append("call", {"type": "players", "names": ["Cy", "Di"]}, who="Cy")
        assert live.failing is None and live.waiting == 0
        live.close()
        view.change(lambda referee: referee.call(Players(("Ann", "Bo")), "Ann"))
        assert view.document()["players"] == ["Ann", "Bo"]
    finally:
        view.close()
    with Journal(folder / JOURNAL_FILE) as journal:
        assert journal.verify() and [e.who for e in journal.entries()][-2:] == ["Cy", "Ann"]
