"""Recordings of a batch shared out with Dask, long ones in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from calibration.errors import UnusableInput
from referee.review.pieces import Piece, examined
from referee.season.work import Job, Outcome, do, join, pieces_for
from referee.workers import ATTEMPTS, submitted
from vision.capture.address import shown


def run(client: Any, jobs: Sequence[Job], pieces: bool = False) -> Iterator[Outcome]:
    """The outcome of every job, as they come.

    A worker that dies costs time only: its job is given to another. A job that `ATTEMPTS` dead workers held,
    if only waiting in them, is done again, alone, when the others are through; where as many die at it then,
    it has failed. `pieces`: long recordings are worked on by several at once.
    Errors that are no one's input are raised.
    """
    from distributed import KilledWorker, as_completed

    planned = {submitted(client, pieces_for, job): job for job in jobs} if pieces else {}
    futures = dict(planned) if pieces else {submitted(client, do, job): job for job in jobs}
    done = as_completed(list(futures))
    blamed = []
    for future in done:
        job, error = futures.pop(future), future.exception()
        if error is None and future in planned:
            following = _reviewed(client, job, future.result())
            futures[following] = job
            done.add(following)
        elif isinstance(error, KilledWorker):
            blamed.append(job)
        else:
            yield future.result() if error is None else _failed(job, error)
        future.release()
    for job in blamed:
        alone = submitted(client, do, job)
        error = alone.exception()
        yield alone.result() if error is None else _failed(job, error)


def _reviewed(client: Any, job: Job, pieces: list[Piece]) -> Any:
    """The review of a recording that was planned: in one go, or joined from its pieces."""
    if not pieces:
        return submitted(client, do, job)
    seen = [submitted(client, examined, piece) for piece in pieces]
    return submitted(client, join, job, pieces, *seen)


def _failed(job: Job, error: BaseException) -> Outcome:
    """What became of a job that raised; an error that is no one's input is raised."""
    from distributed import KilledWorker

    name = job.recording.name
    if isinstance(error, KilledWorker):
        return Outcome(name, "failed", 0.0, 0, f"{name}: {ATTEMPTS} processes died while they reviewed it")
    if isinstance(error, UnusableInput | OSError):
        return Outcome(name, "failed", 0.0, 0, shown(str(error)))
    raise error
