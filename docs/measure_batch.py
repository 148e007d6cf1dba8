"""How long a batch takes on how many workers: measured on the cores of this machine, simulated beyond them.

    python docs/measure_batch.py --workers 1 2 --recordings 4 --plan 10000

Measured: copies of the bundled clip, `--recordings` for each worker, by `cueref batch` with as many cores as
workers; what one task costs the scheduler, with tasks that do nothing. Cores: processor time that the batch
had over the time of the clock. Where others use the machine, that is less than its workers; recordings a
core's minute is then what says whether more workers make each recording dearer. Simulated: the processor
times of the last measured number of workers, dealt out in the order in which recordings come to whichever
worker is free first, as Dask does. Planned: `--plan` recordings whose length is log-normal about an hour, at
`--cores-per-second` of review for a second of each.
"""

from __future__ import annotations

import argparse
import heapq
import os
import re
import shutil
import subprocess
import sys
import time

import numpy as np
import psutil  # comes with Dask

from calibration.files import work_folder
from referee.bundled import sample_clip
from referee.workers import Workers, cluster, results

HOUR_S = 3600.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--recordings", type=int, default=4, help="for each worker")
    parser.add_argument("--simulate", type=int, nargs="+", default=[4, 16, 64, 256])
    parser.add_argument("--plan", type=int, default=10_000)
    parser.add_argument("--cores-per-second", type=float, default=0.41, help="of 1080p50, docs/accuracy.md")
    parser.add_argument("--price", type=float, default=0.04, help="of a core for an hour, in any currency")
    given = parser.parse_args()
    task_s = scheduler_s()
    print(f"scheduler: {1000 * task_s:.2f} ms a task; load {os.getloadavg()[0]:.1f}\n")
    print("workers | all | cores | processor time each | recordings a minute | a core's minute")
    print("--- | --- | --- | --- | --- | ---")
    for count in given.workers:
        done = count * given.recordings
        all_s, each = batch(count, done)
        row(f"{count}", all_s, each)
    rng = np.random.default_rng(1)
    for count in given.simulate:
        work = rng.choice(each, count * given.recordings)
        row(f"{count} (simulated)", dealt(work, count, task_s), work)
    lengths = rng.lognormal(-0.125, 0.5, given.plan) * HOUR_S  # mean one hour, 95 % within 20 min to 2.4 h
    work = lengths * given.cores_per_second + np.mean(each)
    core_h = work.sum() / HOUR_S
    print(
        f"\n{given.plan} recordings: {lengths.sum() / HOUR_S:.0f} h of video, {core_h:.0f} core hours,",
        end=" ",
    )
    print(f"{core_h * given.price:.0f} at {given.price:g} an hour\n\nworkers | hours | busy\n--- | --- | ---")
    for count in given.simulate:
        hours = dealt(work, count, task_s) / HOUR_S
        print(f"{count} | {hours:.1f} | {100 * core_h / (count * hours):.1f} %")


def row(name: str, all_s: float, each: np.ndarray) -> None:
    """Print a line of the table: recordings in `all_s` that took `each` of processor time."""
    cores = f"{each.sum() / all_s:.2f} | {each.mean():.1f} s"
    rates = f"{60 * len(each) / all_s:.1f} | {60 / each.mean():.2f}"
    print(f"{name} | {all_s:.1f} s | {cores} | {rates}", flush=True)


def scheduler_s(tasks: int = 2000) -> float:
    """What a task that does nothing takes, with two workers."""
    with cluster(Workers(2), "measure") as client:
        list(results(client, abs, range(10)))
        began = time.monotonic()
        list(results(client, abs, range(tasks)))
        return (time.monotonic() - began) / tasks


def batch(workers: int, recordings: int) -> tuple[float, np.ndarray]:
    """Seconds from when the workers are up to the end of the last review, and processor time of each.

    A recording's share of all processor time is that of the time of the clock that it took.
    """
    with work_folder("cueref-batch-") as folder:
        source = folder / "in"
        source.mkdir()
        for n in range(recordings):
            shutil.copy(sample_clip(), source / f"{n:04d}.mp4")
        command = [sys.executable, "-m", "referee", "batch", str(source), "--out", f"{folder}/out"]
        cores = set(sorted(os.sched_getaffinity(0))[:workers])
        run = subprocess.Popen(
            [*command, "--workers", str(workers)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        assert run.stdout is not None
        began = ended = time.monotonic()
        before = after = 0.0
        took: list[float] = []
        for line in run.stdout:
            if "progress of the workers" in line:  # the processes are up
                began, before = time.monotonic(), cpu_s(run.pid)
            elif found := re.search(r"\] reviewed .*: ([\d.]+) s", line):
                ended, after = time.monotonic(), cpu_s(run.pid)
                took.append(float(found[1]))
        run.wait()
        assert len(took) == recordings, "a recording was not reviewed"
        return ended - began, np.array(took) * (after - before) / sum(took)


def cpu_s(process: int) -> float:
    """Processor time of a process and of all that it started and that run."""
    one = psutil.Process(process)
    times = [p.cpu_times() for p in (one, *one.children(recursive=True))]
    return float(sum(t.user + t.system for t in times))


def dealt(work: np.ndarray, workers: int, task_s: float) -> float:
    """Seconds until the last worker is done; the scheduler hands out one task after the other."""
    free = [0.0] * workers
    handed = 0.0
    for seconds in work:
        handed = max(handed + task_s, free[0])
        heapq.heapreplace(free, handed + float(seconds))
    return max(free)


if __name__ == "__main__":
    main()
