"""Faults on purpose: a review and a live table on a disk that is full, broken, read-only or slow at any
write.

After each fault: one sentence and exit status 2 (or the fault did not matter), nothing half-written, and the
same command ends with the bytes of an undisturbed run once the disk is well. A power cut is the folder as it
was after any prefix of the writes.
"""

# ruff: noqa: E402

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.journal import Journal
from referee.review.checkpoint import unpack

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from faulty_disk import Replay, available, built, changes
from scripted import save_calibration

pytestmark = pytest.mark.skipif(not available(), reason="no C compiler: no disk that fails on purpose")
ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS)
WRITTEN = ("match.json", "tracks.csv", "report.html")


class Runner:
    """The program `scripted.py` under the preloaded disk, and its undisturbed runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._calibration = save_calibration(folder / "table.json")
        environment = os.environ | {"LD_PRELOAD": str(built(folder)), "PYTHONWARNINGS": "ignore"}
        self._program = subprocess.Popen(
            [sys.executable, str(HERE / "scripted.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.log = {what: folder / f"{what}.log" for what in ("review", "live")}
        self.whole = {what: folder / f"{what}.whole" for what in ("review", "live")}
        self.count: dict[str, int] = {}
        for what, out in self.whole.items():
            self.run(what, out)  # the first run loads modules, which also write
            answer = self.run(what, out, log=str(self.log[what]))
            assert answer["status"] == 0, answer["said"]
            self.count[what] = answer["count"]

    def run(self, what: str, out: Path, **order: Any) -> dict[str, Any]:
        """Run on an empty folder, or on `out` as it is where `fresh` is False."""
        given = {"what": what, "out": str(out), "calibration": str(self._calibration), **order}
        assert self._program.stdin is not None and self._program.stdout is not None
        self._program.stdin.write(json.dumps(given) + "\n")
        self._program.stdin.flush()
        return dict(json.loads(self._program.stdout.readline()))

    def close(self) -> None:
        self._program.kill()
        self._program.wait(30)

    def check_whole(self, what: str, out: Path) -> None:
        """The folder holds what an undisturbed run wrote."""
        found = {name: text(out, name) for name in WRITTEN}
        expected = {name: text(self.whole[what], name) for name in WRITTEN}
        assert found == expected
        assert [p.name for p in out.rglob("*.part*")] == []


def strokes(match_file: Path) -> list[tuple[float, float]]:
    """When each stroke was played."""
    return [(s["start_s"], s["end_s"]) for s in json.loads(match_file.read_text())["strokes"]]


def text(out: Path, name: str) -> str:
    """A file of the review, or of the only match that a live table played."""
    (file,) = out.rglob(name)
    return file.read_text()


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    made = Runner(tmp_path_factory.mktemp("faults"))
    yield made
    made.close()


def places(count: int, every: int) -> list[int]:
    """Numbers of calls: the first and the last ones, and between them one of so many."""
    return sorted({1, 2, 3, 4, 5, *range(6, count - 12, every), *range(max(6, count - 12), count + 1)})


def spoilt_review(runner: Runner, at: int, error: int, for_ever: bool) -> None:
    out = runner.folder / "spoilt"
    answer = runner.run("review", out, at=at, error=error, for_ever=for_ever)
    told = (at, errno.errorcode[error], for_ever, answer["said"])
    assert answer["status"] in (0, 2), told
    assert "Traceback" not in answer["said"] and len(answer["said"].strip().splitlines()) <= 1, told
    assert answer["status"] == 0 or answer["said"].strip().startswith("cueref: "), told
    if not for_ever:  # on a disk that refuses everything nothing can be deleted either
        left = [p.name for p in out.rglob("*.part*") if p.name != ".tracks.csv.part"] if out.exists() else []
        assert left == [], told
    for left_over in out.rglob(".*.part.*"):  # what a disk that refuses everything could not delete either
        os.utime(left_over, (0, 0))
    again = runner.run("review", out, fresh=False)
    assert again["status"] == 0, (told, again["said"])
    runner.check_whole("review", out)


def spoilt_live(runner: Runner, at: int, error: int, for_ever: bool) -> None:
    out = runner.folder / "spoilt"
    answer = runner.run("live", out, at=at, error=error, for_ever=for_ever)
    told = (at, errno.errorcode[error], for_ever, answer["said"])
    assert answer["status"] in (0, 2) and "Traceback" not in answer["said"], told
    again = runner.run("live", out, fresh=False)
    assert again["status"] == 0 and "Traceback" not in again["said"], (told, again["said"])
    newest = max(out.rglob("match.json"))
    assert strokes(newest) == strokes(next(runner.whole["live"].rglob("match.json"))), told


@pytest.mark.parametrize("for_ever", [False, True], ids=["once", "from then on"])
def test_a_review_outlives_a_disk_that_fails_at_some_writes(runner: Runner, for_ever: bool) -> None:
    for k, at in enumerate((3, runner.count["review"] // 3, runner.count["review"] - 4)):
        spoilt_review(runner, at, ERRORS[k % 3], for_ever)


@pytest.mark.slow
@pytest.mark.parametrize("error", ERRORS, ids=[errno.errorcode[e] for e in ERRORS])
@pytest.mark.parametrize("for_ever", [False, True], ids=["once", "from then on"])
def test_a_review_outlives_a_disk_that_fails_at_any_write(runner: Runner, error: int, for_ever: bool) -> None:
    for at in places(runner.count["review"], int(os.environ.get("FAULTS_EVERY", "9"))):
        spoilt_review(runner, at, error, for_ever)


@pytest.mark.parametrize("for_ever", [False, True], ids=["once", "from then on"])
def test_a_live_table_outlives_a_disk_that_fails_at_some_writes(runner: Runner, for_ever: bool) -> None:
    for k, at in enumerate((9, runner.count["live"] // 3)):
        spoilt_live(runner, at, ERRORS[k % 3], for_ever)


@pytest.mark.slow
@pytest.mark.parametrize("error", ERRORS, ids=[errno.errorcode[e] for e in ERRORS])
@pytest.mark.parametrize("for_ever", [False, True], ids=["once", "from then on"])
def test_a_live_table_outlives_a_disk_that_fails_at_any_write(
    runner: Runner, error: int, for_ever: bool
) -> None:
    for at in places(runner.count["live"], int(os.environ.get("FAULTS_EVERY", "9"))):
        spoilt_live(runner, at, error, for_ever)


def test_a_slow_disk_changes_nothing(runner: Runner) -> None:
    out = runner.folder / "slow"
    assert runner.run("review", out, delay_us=500)["status"] == 0
    runner.check_whole("review", out)


@pytest.mark.parametrize("what", ["review", "live"])
def test_the_folder_opens_after_a_power_cut_at_some_writes(runner: Runner, what: str) -> None:
    every_prefix_opens(runner, what, every=31)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["review", "live"])
def test_the_folder_opens_after_a_power_cut_at_every_write(runner: Runner, what: str) -> None:
    every_prefix_opens(runner, what, every=1)


def every_prefix_opens(runner: Runner, what: str, every: int) -> None:
    """Every journal has whole transactions and a chain that holds; every checkpoint in it can be read."""
    seen = 0
    for folder in cut(runner, what, every, torn=True):
        for journal_file in folder.rglob("journal.sqlite"):
            with Journal(journal_file) as journal:
                assert journal.verify()
                entries = sum(1 for _ in journal.entries())
                assert entries >= seen - 1
                seen = max(seen, entries)
                stored = journal.progress("checkpoint")
                assert stored is None or unpack(stored) is not None
        for name in ("match.json", "live.json"):  # whole or not there
            assert all(json.loads(file.read_text()) for file in folder.rglob(name))
    assert seen > 10


def test_a_review_goes_on_after_a_power_cut_at_some_writes(runner: Runner) -> None:
    going_on_from(runner, "review", every=runner.count["review"] // 3)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["review", "live"])
def test_it_goes_on_after_a_power_cut_at_any_write(runner: Runner, what: str) -> None:
    going_on_from(runner, what, every=int(os.environ.get("FAULTS_EVERY", "9")))


def going_on_from(runner: Runner, what: str, every: int) -> None:
    for number, folder in enumerate(cut(runner, what, every, torn=False)):
        out = runner.folder / "cut.on"
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(folder, out)
        for left_over in out.rglob(".*.part.*"):  # a writer that was cut off; swept once it is old enough
            os.utime(left_over, (0, 0))
        answer = runner.run(what, out, fresh=False)
        assert answer["status"] == 0, (number, answer["said"])
        if what == "review":
            runner.check_whole(what, out)


def cut(runner: Runner, what: str, every: int, torn: bool) -> Iterator[Path]:
    """The folder after one of so many changes; `torn`: also with the next write half done."""
    log, target = changes(runner.log[what]), runner.folder / "cut"
    replay = Replay(str(runner.whole[what]))
    steps = replay.after_each(log)
    for number, _ in enumerate(steps):
        following = log[number + 1] if number + 1 < len(log) else None
        if number % every:
            continue
        if torn and following is not None and following.kind == "W":
            kept = bytes(replay._files.get(following.inode, b""))
            replay.torn(following)
            write(replay, target)
            replay._files[following.inode] = bytearray(kept)
            yield target
        write(replay, target)
        yield target


def write(replay: Replay, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    replay.write(target)
