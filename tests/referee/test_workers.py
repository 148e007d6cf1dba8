"""Work shared out: what a process is told, that a dead one costs time only, and Ctrl-C ends all at once."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from shared_work import deadly, dying, failing, told

from calibration.errors import UnusableInput
from referee import workers
from referee.quality.bench.tracks.errors import SHIPPED
from referee.quality.bench.tracks.tier import TrackChunk, measure_chunk, plan_tracks
from referee.workers import Share, Workers, _ctrl_c_later, here, sharing
from vision.train.detector.data import render_patches
from vision.train.shards import make_shards, one_after_another

pytest.importorskip("distributed", reason="the extra 'batch' brings Dask")


@pytest.fixture(scope="module")
def share() -> Iterator[Share]:
    """Two processes of this machine, told of threads by nobody else than `sharing`."""
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("OMP_NUM_THREADS", "OPENCV_FOR_THREADS_NUM"):
            patch.delenv(variable)
        with sharing(Workers(2), "test") as shared:
            yield shared


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


def test_each_process_is_started_afresh_with_one_thread_and_leaves_ctrl_c_to_the_first(share: Share) -> None:
    found = dict(share(told, range(4)))
    assert set(found) == {0, 1, 2, 3} and os.getpid() not in {f[0] for f in found.values()}
    assert {f[1:] for f in found.values()} == {("1", True, True, 1)}
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ()), "the first one hears it again"


def test_a_function_that_has_some_of_its_arguments_is_work_too(share: Share) -> None:
    """The bench's rooms and clips are told more than their plan; two processes had ended with an error."""
    assert dict(share(partial(pow, 2), range(3))) == {0: 1, 1: 2, 2: 4}


def test_one_process_works_here_and_needs_no_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with sharing(Workers(1), "test") as alone:
        assert {f[0] for _, f in alone(told, range(2))} == {os.getpid()}
    with (
        pytest.raises(UnusableInput, match="test: expected the packages of the extra 'batch'"),
        sharing(Workers(2), "test"),
    ):
        pass


def test_a_worker_that_dies_costs_time_only_and_one_plan_that_kills_them_all_is_named(
    share: Share, tmp_path: Path
) -> None:
    plans = [1, tmp_path / "died", 2]
    assert dict(share(dying, plans)) == {plan: str(plan) for plan in plans}
    with pytest.raises(UnusableInput, match="deadly: expected to end, found that 3 processes died at 7"):
        dict(share(deadly, [7]))
    assert dict(share(told, [1])), "a new process took the last one's place"


def test_a_worker_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch, share: Share) -> None:
    monkeypatch.setattr(workers, "__version__", "0.0")
    with pytest.raises(UnusableInput, match=r"expected version 0\.0 of cueref at the worker"):
        dict(share(told, [1]))


def test_work_goes_to_a_scheduler_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """As to the workers of many machines; one that does not answer is named."""
    from distributed import LocalCluster

    with (
        LocalCluster(n_workers=1, processes=False, protocol="tcp://", dashboard_address=None) as elsewhere,
        sharing(Workers(1, elsewhere.scheduler_address), "test") as shared,
    ):
        assert dict(shared(abs, [-1, 2])) == {-1: 1, 2: 2}
    monkeypatch.setattr(workers, "_ANSWER_S", 0.5)
    with (
        pytest.raises(UnusableInput, match=r"--scheduler tcp://127\.0\.0\.1:1: expected a Dask scheduler"),
        sharing(Workers(1, "tcp://127.0.0.1:1"), "test"),
    ):
        pass


def test_strokes_of_the_bench_are_the_same_whoever_measures_them(share: Share) -> None:
    """All but the processor time, which is a measurement."""
    plans = plan_tracks(20261125, 16, SHIPPED, chunk_pieces=1)

    def measured(by: Share) -> dict[int, TrackChunk]:
        return {plan.number: replace(chunk, cpu_s=0.0) for plan, chunk in by(measure_chunk, plans)}

    assert len(plans) == 2 and measured(share) == measured(here)


def test_rendered_patches_are_the_same_whoever_renders_them_and_what_is_there_is_kept(
    share: Share, tmp_path: Path
) -> None:
    for folder, by in (("here", one_after_another), ("workers", share)):
        make_shards(tmp_path / folder, "patches", 77, 3, 1, render_patches, by)
    files = sorted((tmp_path / "here").iterdir())
    assert [f.name for f in files] == [f"patches_{77 + k:07d}.npz" for k in range(3)]
    assert all(f.read_bytes() == (tmp_path / "workers" / f.name).read_bytes() for f in files)
    asked = []
    files[1].unlink()
    make_shards(
        tmp_path / "here",
        "patches",
        77,
        3,
        1,
        render_patches,
        lambda work, plans: asked.extend(plans) or one_after_another(work, plans),
    )
    assert [shard.first for shard in asked] == [78]


def test_a_folder_that_workers_see_elsewhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="every worker must see this folder"):
        make_shards(tmp_path, "x", 1, 1, 1, render_patches, lambda work, plans: [(p, None) for p in plans])


def test_a_failure_ends_the_others_at_once() -> None:
    began = time.monotonic()
    with pytest.raises(ValueError, match="one that fails"), sharing(Workers(2), "test") as two:
        dict(two(failing, range(3)))
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
            begun = (
                (lambda: "seed 5" in said.read_text()) if early else (out / "tracks" / "00000.jsonl").is_file
            )
            wait_until(lambda: begun() or run.poll() is not None)
            assert run.poll() is None and begun(), said.read_text()
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
from referee.workers import _ctrl_c_later

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
