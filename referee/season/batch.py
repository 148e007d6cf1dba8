"""Jobs shared out with Dask: to processes of this machine, or to a scheduler's workers on many."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from calibration.errors import UnusableInput
from calibration.texts import sentence
from referee.review.pieces import Piece, examined
from referee.season.work import Job, Outcome, do, join, pieces_for
from vision.capture.address import shown

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
        raise UnusableInput(sentence("errors.packages_of_the_extra_batch_pip", name=error.name)) from None
    if workers.scheduler is not None:
        try:
            client = Client(workers.scheduler, timeout=20)
        except (OSError, ValueError) as error:
            raise UnusableInput(
                sentence("errors.dask_scheduler_that_answers", scheduler=workers.scheduler, error=error)
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


def run(client: Any, jobs: Sequence[Job], pieces: bool = False) -> Iterator[Outcome]:
    """The outcome of every job, as they come.

    A worker that dies costs time only: its job is given to another. A job at which `ATTEMPTS` workers died
    has failed. `pieces`: long recordings are worked on by several at once. Errors that are no one's input are
    raised.
    """
    from distributed import as_completed

    planned = {_submitted(client, pieces_for, job): job for job in jobs} if pieces else {}
    futures = dict(planned) if pieces else {_submitted(client, do, job): job for job in jobs}
    done = as_completed(list(futures))
    for future in done:
        job, error = futures.pop(future), future.exception()
        if error is None and future in planned:
            following = _reviewed(client, job, future.result())
            futures[following] = job
            done.add(following)
        else:
            yield future.result() if error is None else _failed(job, error)
        future.release()


def _submitted(client: Any, work: Any, job: Job, *more: Any) -> Any:
    return client.submit(work, job, *more, pure=False, key=f"{work.__name__}-{job.recording.name}")


def _reviewed(client: Any, job: Job, pieces: list[Piece]) -> Any:
    """The review of a recording that was planned: in one go, or joined from its pieces."""
    if not pieces:
        return _submitted(client, do, job)
    seen = [
        client.submit(examined, piece, pure=False, key=f"examined-{job.recording.name}-{n}")
        for n, piece in enumerate(pieces)
    ]
    return _submitted(client, join, job, pieces, *seen)


def _failed(job: Job, error: BaseException) -> Outcome:
    """What became of a job that raised; an error that is no one's input is raised."""
    from distributed import KilledWorker

    name = job.recording.name
    if isinstance(error, KilledWorker):
        return Outcome(name, "failed", 0.0, 0, f"{name}: {ATTEMPTS} processes died while they reviewed it")
    if isinstance(error, UnusableInput | OSError):
        return Outcome(name, "failed", 0.0, 0, shown(str(error)))
    raise error
