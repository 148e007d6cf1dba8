"""Work of several processes: what each is told before it begins, and that Ctrl-C ends them all at once."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.quality.bench.processes import _ctrl_c_later, results


def told(number: int) -> tuple[int, str | None, bool, bool, int]:
    """What a process is: its id, threads told to numpy, begun afresh, deaf to Ctrl-C, OpenCV's threads."""
    import cv2

    deaf = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    fresh = multiprocessing.parent_process() is not None
    return os.getpid(), os.environ.get("OMP_NUM_THREADS"), fresh, deaf, cv2.getNumThreads()


def alive(group: int) -> list[int]:
    """The processes of a group that run; what has ended and that nobody has asked about is none."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of = file.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(of) == group and state != "Z":
            found.append(int(file.parent.name))
    return found


def failing(number: int) -> int:
    if number == 1:
        raise ValueError("one that fails")
    time.sleep(300)
    return number


def test_each_process_is_started_afresh_with_one_thread_and_leaves_ctrl_c_to_the_first() -> None:
    found = dict(results(told, range(4), 2))
    assert set(found) == {0, 1, 2, 3} and os.getpid() not in {f[0] for f in found.values()}
    assert {f[1:] for f in found.values()} == {("1", True, True, 1)}
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ()), "the first one hears it again"


def test_numpy_is_not_loaded_before_it_is_told_its_threads() -> None:
    """What a process imports before `_begin_process`: the command, and the module that it stands in."""
    code = "import sys, referee.cli, referee.quality.bench.processes; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0


def test_one_process_works_here() -> None:
    assert {f[0] for _, f in results(told, range(2), 1)} == {os.getpid()}


def test_a_failure_ends_the_others_at_once() -> None:
    began = time.monotonic()
    with pytest.raises(ValueError, match="one that fails"):
        dict(results(failing, range(3), 2))
    assert time.monotonic() - began < 120.0


SLOW_BENCH = Path(__file__).with_name("slow_bench.py")

OWN_GROUP_THAT_HEARS_CTRL_C = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.setsid()
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Starts a command as a terminal does: in a group of its own. A shell's background job ignores Ctrl-C, and so
does every process that it starts."""


@pytest.mark.parametrize("early", [True, False], ids=["while they start", "at work"])
def test_ctrl_c_ends_all_processes_and_keeps_what_is_whole(tmp_path: Path, early: bool) -> None:
    out, said = tmp_path / "run", tmp_path / "said"
    options = ["--cameras=0", "--strokes=0", "--layouts=0", "--tracks=4000", "--seed=5", "--processes=2"]
    bench = [sys.executable, str(SLOW_BENCH), "bench", "--out", str(out), *options]
    with said.open("w") as words:
        run = subprocess.Popen(
            [sys.executable, "-c", OWN_GROUP_THAT_HEARS_CTRL_C, *bench], stdout=words, stderr=words
        )
        try:
            awaited = out / "errors.json" if early else out / "tracks" / "00000.jsonl"
            wait_until(lambda: awaited.is_file() or run.poll() is not None)
            assert run.poll() is None and awaited.is_file(), said.read_text()
            os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to every process of it
            assert run.wait(60.0) == 130
            wait_until(lambda: not alive(run.pid))
            assert not alive(run.pid)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
            run.kill()
            run.wait(60.0)
    kept = "kept 0 cameras and" if early else "kept 0 cameras and 1 chunks"
    assert kept in said.read_text() and "Traceback" not in said.read_text()


def wait_until(true: Callable[[], bool]) -> None:
    """Return when the condition holds, or after two minutes."""
    until = time.monotonic() + 120.0
    while not true() and time.monotonic() < until:
        time.sleep(0.02)


LATER = """
import signal, sys, threading, time
from referee.quality.bench.processes import _ctrl_c_later

signal.signal(signal.SIGINT, signal.default_int_handler)
deaf = sys.argv[1] == "deaf"
if deaf:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
over = threading.Event()
other = threading.Thread(target=over.wait, args=(60,), daemon=True)
if not deaf:
    other.start()  # hears it, as the progress bar's thread does
whole = False
try:
    with _ctrl_c_later():
        if other.ident is not None:
            signal.pthread_kill(other.ident, signal.SIGINT)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        for _ in range(200):
            time.sleep(0.001)
        whole = True
    told = False
except KeyboardInterrupt:
    told = True
assert whole, "in the middle of the block"
assert told is not deaf, "after it, unless it was blocked before"
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
assert (signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())) is deaf, "the mask is the former one"
"""


@pytest.mark.parametrize("before", ["heard", "deaf"])
def test_ctrl_c_waits_for_the_end_of_the_block_also_where_another_thread_hears_it(before: str) -> None:
    done = subprocess.run([sys.executable, "-c", LATER, before], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_thread_that_is_not_the_first_starts_processes_deaf_to_ctrl_c_too() -> None:
    masks: list[bool] = []

    def work() -> None:
        with _ctrl_c_later():
            masks.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        masks.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60.0)
    assert masks == [True, False]
