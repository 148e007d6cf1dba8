"""Jobs shared out with Dask: to processes of this machine, or to a scheduler's workers on many."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from calibration.errors import UnusableInput
from referee.season.work import Job, Outcome, do

ATTEMPTS = 3
"""Workers that may die at one recording before it counts as the culprit."""


@dataclass(frozen=True, slots=True)
class Workers:
    """`scheduler`: address of a Dask scheduler; None for `count` processes of this machine."""

    count: int = 1
    scheduler: str | None = None


@contextmanager
def cluster(workers: Workers) -> Iterator[Any]:
    """A Dask client. Raises UnusableInput where Dask is missing or the scheduler does not answer."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise UnusableInput(
            f"batch: expected the packages of the extra 'batch' (pip install 'cueref[batch]'), found"
            f" no {error.name}"
        ) from None
    if workers.scheduler is not None:
        try:
            client = Client(workers.scheduler, timeout=20)
        except (OSError, ValueError) as error:
            raise UnusableInput(
                f"--scheduler {workers.scheduler}: expected a Dask scheduler that answers, found: {error}"
            ) from None
        with client:
            yield client
        return
    settings = {"distributed.scheduler.allowed-failures": ATTEMPTS - 1}
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=workers.count,
            threads_per_worker=1,
            memory_limit=0,  # a review's memory is bounded by itself; Dask would end what it takes for greedy
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as local,
        Client(local) as client,
    ):
        yield client


def run(client: Any, jobs: Sequence[Job]) -> Iterator[Outcome]:
    """The outcome of every job, as they come.

    A worker that dies costs time only: its job is given to another. A job at which `ATTEMPTS` workers died
    has failed. Errors that are no one's input are raised.
    """
    from distributed import KilledWorker, as_completed

    futures = {client.submit(do, job, pure=False, key=f"review-{job.recording.name}"): job for job in jobs}
    for future in as_completed(list(futures)):
        error = future.exception()
        if error is None:
            yield future.result()
        elif isinstance(error, KilledWorker):
            name = futures[future].recording.name
            yield Outcome(name, "failed", 0.0, 0, f"{name}: {ATTEMPTS} processes died while they reviewed it")
        else:
            raise error
        future.release()
