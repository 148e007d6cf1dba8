"""A batch: every recording once, whatever dies, is damaged or was done before."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from match_fixture import invented

from calibration.errors import UnusableInput
from calibration.table.specs import TableSpec
from referee.journal import JOURNAL_FILE, Journal
from referee.outputs.document import write_match
from referee.review import perception
from referee.season import work
from referee.season.batch import run
from referee.season.parquet import MATCH_TYPES, STROKE_TYPES, write_tables
from referee.season.recordings import at_hand, recordings
from referee.season.work import Job, Options, do

SAMPLE = Path(__file__).parents[3] / "samples/club_four_strokes.mp4"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Recordings on two levels, one with calls, and other files beside them."""
    for name in ("a.mp4", "league/b.MKV", "a.calls.jsonl", "notes.md"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(b"x")
    return tmp_path / "in"


def test_a_folder_a_list_and_a_store_name_the_same_recordings(folder: Path) -> None:
    found = recordings([str(folder)])
    assert [r.name for r in found] == ["a", "league/b"]
    assert [r.calls is not None for r in found] == [True, False]
    listed = folder / "list.txt"
    listed.write_text("# of the league\na.mp4\nleague  # a folder\n")
    assert [r.name for r in recordings([str(listed)])] == ["a", "b"]
    stored = recordings([f"file://{folder}"])
    assert [r.name for r in stored] == ["a", "league/b"] and all(r.remote for r in stored)
    with at_hand(stored[0]) as copy:
        assert copy.name == "a.mp4" and copy.read_bytes() == b"x" and copy.parent != folder
    assert not copy.exists()


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        (["no_such_folder"], "found nothing there"),
        (["{folder}/league/b.MKV", "{folder}/b.mp4"], "expected a name of its own"),
        (["nonsense://bucket/x"], "expected an address that fsspec can open"),
        (["file://{folder}/empty"], "expected recordings"),
    ],
)
def test_sources_that_cannot_be_reviewed_are_refused_in_one_sentence(
    folder: Path, sources: list[str], words: str
) -> None:
    (folder / "b.mp4").write_bytes(b"x")
    with pytest.raises(UnusableInput, match=words):
        recordings([s.format(folder=folder) for s in sources])


def test_an_unusable_recording_fails_alone(folder: Path, tmp_path: Path) -> None:
    job = Job(recordings([str(folder / "league/b.MKV")])[0], str(tmp_path / "out"), Options(TableSpec()))
    outcome = do(job)
    assert outcome.state == "failed" and outcome.error and "b.MKV" in outcome.error
    assert not (tmp_path / "out").exists()


def test_tables_have_a_row_a_match_and_a_row_a_stroke(tmp_path: Path) -> None:
    """Read back with the documented types; the strokes are those of the documents."""
    parquet = pytest.importorskip("pyarrow.parquet")
    match = invented()
    for name in ("a", "league/b"):
        (tmp_path / name).mkdir(parents=True)
        write_match(tmp_path / name, match)
    matches, strokes = (parquet.read_table(f) for f in write_tables(tmp_path, ["a", "league/b"]))
    assert matches.column("match").to_pylist() == ["a", "league/b"]
    assert matches.column("strokes").to_pylist() == [len(match["strokes"])] * 2
    assert strokes.column("points").to_pylist() == 2 * [s["points"] for s in match["strokes"]]
    for table, types in ((matches, MATCH_TYPES), (strokes, STROKE_TYPES)):
        said = {"double": "float64", "int64": "int64", "string": "string", "bool": "bool"}
        assert {f.name: said[str(f.type)] for f in table.schema} == types


def command(source: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", "referee", "batch", str(source), "--out", str(out), "--workers", "1"]


def killed_in_the_middle(match: Path) -> None:
    """Kill the process that reviews into the folder, once it has closed a stroke and before it is done."""
    end = time.monotonic() + 120.0
    while time.monotonic() < end:
        if (match / JOURNAL_FILE).is_file() and (match / ".lock").is_file():
            with Journal(match / JOURNAL_FILE) as journal:
                closed = journal.progress("checkpoint") is not None
            holder = re.search(r"process (\d+)", (match / ".lock").read_text())
            if closed and holder:
                assert not (match / "match.json").exists()
                os.kill(int(holder[1]), signal.SIGKILL)
                return
        time.sleep(0.05)
    raise AssertionError("no stroke was closed")


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_costs_time_only(tmp_path: Path) -> None:
    """The bytes are those of a review in one go; run again, it is kept; a bad recording fails alone."""
    pytest.importorskip("distributed")
    source = tmp_path / "in"
    source.mkdir()
    shutil.copy(SAMPLE, source / "good.mp4")
    (source / "bad.mp4").write_bytes(b"no video")
    whole = subprocess.run(command(source / "good.mp4", tmp_path / "whole"), capture_output=True, text=True)
    assert whole.returncode == 0, whole.stderr
    run = subprocess.Popen(command(source, tmp_path / "out"), stdout=subprocess.PIPE, text=True)
    watchdog = threading.Timer(240.0, run.kill)
    watchdog.start()
    try:
        killed_in_the_middle(tmp_path / "out/good")
        said, _ = run.communicate()
    finally:
        watchdog.cancel()
        run.kill()
    assert run.returncode == 1 and "1 reviewed, 0 kept, 1 failed" in said, said
    for name in ("match.json", "tracks.csv", "report.html"):
        assert (tmp_path / "out/good" / name).read_bytes() == (tmp_path / "whole/good" / name).read_bytes()
    again = subprocess.run(command(source / "good.mp4", tmp_path / "out"), capture_output=True, text=True)
    assert "0 reviewed, 1 kept, 0 failed" in again.stdout


@pytest.mark.slow
def test_a_long_recording_in_pieces_has_the_bytes_of_one_in_one_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers are threads here, so that a short recording counts as a long one in them too."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(perception, "PIECE_S", 6.0)
    monkeypatch.setattr(work, "LONG_S", 12.0)
    whole, pieces = (
        Job(recordings([str(SAMPLE)])[0], str(tmp_path / name), Options(TableSpec()))
        for name in ("whole", "pieces")
    )
    assert do(whole).state == "reviewed"
    with distributed.Client(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as client:
        assert [o.state for o in run(client, [pieces], pieces=True)] == ["reviewed"]
        assert [o.state for o in run(client, [pieces], pieces=True)] == ["kept"]
    for name in ("match.json", "tracks.csv", "report.html"):
        assert (pieces.folder / name).read_bytes() == (whole.folder / name).read_bytes()
