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

from calibration.errors import FolderInUse, UnusableInput
from calibration.table.specs import TableSpec
from referee.journal import JOURNAL_FILE, Journal
from referee.outputs.document import write_match
from referee.review import perception
from referee.season import batch, work
from referee.season.parquet import MATCH_TYPES, STROKE_TYPES, write_stored_tables, write_tables
from referee.season.recordings import at_hand, recordings
from referee.season.work import Job, Options, Outcome, do

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


def test_matches_in_a_store_are_kept_and_give_the_tables_of_those_in_a_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables to the byte. A store whose files are gone has its matches made again."""
    fsspec = pytest.importorskip("fsspec")
    pytest.importorskip("pyarrow")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def reviewed(video: Path, out: Path, options: object) -> None:
        out.mkdir(parents=True)
        with Journal(out / JOURNAL_FILE, clock=lambda: "then") as journal:
            journal.append("session", {"video": video.name})
        write_match(out, invented())

    monkeypatch.setattr(work, "review", reviewed)
    store = fsspec.filesystem("memory")
    store.put(str(folder), "memory://club/in", recursive=True)
    outs = f"memory://club/{tmp_path.name}", str(tmp_path / "out")
    for out in outs:
        jobs = [Job(r, out, Options(TableSpec())) for r in recordings(["memory://club/in"])]
        assert [do(job).state for job in jobs] == ["reviewed", "reviewed"]
        assert [do(job).state for job in jobs] == ["kept", "kept"]
    names = [job.recording.name for job in jobs]
    assert names == ["a", "league/b"] and not list((tmp_path / "cache").rglob("*.json"))
    for stored, own in zip(
        write_stored_tables(outs[0], names), write_tables(Path(outs[1]), names), strict=True
    ):
        assert store.cat(stored) == own.read_bytes()
    store.rm(f"{outs[0]}/a", recursive=True)
    (first, _) = (Job(r, outs[0], Options(TableSpec())) for r in recordings(["memory://club/in"]))
    assert do(first).state == "reviewed"


def test_a_folder_that_another_worker_is_still_at_is_waited_for(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-C at the client of a scheduler its workers end the recording that they are at."""
    calls: list[str] = []

    def held_once() -> str:
        calls.append("x")
        if len(calls) == 1:
            raise FolderInUse("out/a: expected a folder of its own, found cueref review at work in it")
        return "kept"

    monkeypatch.setattr(work, "_done", lambda job: held_once())
    monkeypatch.setattr(work, "_LOOK_AGAIN_S", 0.0)
    job = Job(recordings([str(folder / "a.mp4")])[0], str(tmp_path / "out"), Options(TableSpec()))
    assert do(job).state == "kept" and len(calls) == 2
    calls.clear()
    monkeypatch.setattr(work, "IN_USE_S", -1.0)
    outcome = do(job)
    assert outcome.state == "failed" and outcome.error and "at work in it" in outcome.error


class Done:
    """A future of Dask that has its result, or that its workers' deaths counted out."""

    def __init__(self, outcome: Outcome | None) -> None:
        self._outcome = outcome

    def exception(self) -> BaseException | None:
        from distributed import KilledWorker

        return KilledWorker("do", None, 2) if self._outcome is None else None  # type: ignore[arg-type]

    def result(self) -> Outcome | None:
        return self._outcome

    def release(self) -> None:
        """Dask lets the result go."""


def test_a_recording_that_only_waited_in_workers_that_died_is_done_again_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first is done when it is alone, the second kills as many again and has failed."""
    distributed = pytest.importorskip("distributed")
    tries: list[str] = []

    def submitted(client: object, work: object, job: Job) -> Done:
        name = job.recording.name
        tries.append(name)
        return Done(Outcome(name, "reviewed", 1.0, 1) if name == "a" and tries.count(name) == 2 else None)

    monkeypatch.setattr(batch, "submitted", submitted)
    monkeypatch.setattr(distributed, "as_completed", iter)
    jobs = [Job(r, str(tmp_path / "out"), Options(TableSpec())) for r in recordings([str(folder)])]
    first, second = batch.run(None, jobs)
    assert tries == ["a", "league/b", "a", "league/b"]
    assert (first.state, second.state) == ("reviewed", "failed")
    assert second.error == "league/b: 3 processes died while they reviewed it"


def command(source: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", "referee", "batch", str(source), "--out", str(out), "--workers", "2"]


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
        assert [o.state for o in batch.run(client, [pieces], pieces=True)] == ["reviewed"]
        assert [o.state for o in batch.run(client, [pieces], pieces=True)] == ["kept"]
    for name in ("match.json", "tracks.csv", "report.html"):
        assert (pieces.folder / name).read_bytes() == (whole.folder / name).read_bytes()
