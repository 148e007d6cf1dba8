"""Work shared out with Dask: to processes of this machine, or to a scheduler's workers on many.

One runner for all long work: recordings of a batch, cameras and strokes of the bench, scenes rendered for
training. A piece of work is a function of a module and a plan, a value that decides the result by itself; so
it does not matter which worker does it, how many there are, or how often one dies.
"""

from __future__ import annotations

import logging
import signal
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from typing import Any, Protocol, TypeVar

import cv2

from calibration.texts import unusable_input
from referee import __version__

Plan = TypeVar("Plan")
Result = TypeVar("Result")

ATTEMPTS = 3
"""Workers that may die at one piece of work before it counts as the culprit."""
_ANSWER_S = 20  # a scheduler in the same house answers in milliseconds


@dataclass(frozen=True, slots=True)
class Workers:
    """`scheduler`: address of a Dask scheduler; None for `count` processes of this machine."""

    count: int = 1
    scheduler: str | None = None


class Share(Protocol):
    """Shares work out: each plan with its result, as they come."""

    def __call__(
        self, work: Callable[[Plan], Result], plans: Sequence[Plan]
    ) -> Iterator[tuple[Plan, Result]]: ...


def here(work: Callable[[Plan], Result], plans: Sequence[Plan]) -> Iterator[tuple[Plan, Result]]:
    """A `Share` of this process alone, one plan after the other."""
    for plan in list(plans):
        yield plan, work(plan)


@contextmanager
def sharing(workers: Workers, command: str) -> Iterator[Share]:
    """How a command shares its work out; one process without a scheduler needs no Dask.

    Raises UnusableInput as `cluster` does, and from the `Share` for a plan at which workers died again and
    again. What a piece of work raises is raised, and ends the others.
    """
    if workers.scheduler is None and workers.count == 1:
        yield here
        return
    with cluster(workers, command) as client:

        def shared(work: Callable[[Plan], Result], plans: Sequence[Plan]) -> Iterator[tuple[Plan, Result]]:
            return results(client, work, plans)

        yield shared


@contextmanager
def cluster(workers: Workers, command: str) -> Iterator[Any]:
    """A Dask client. Raises UnusableInput where Dask is missing or the scheduler does not answer."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise unusable_input(
            "errors.packages_of_the_extra_batch_pip", command=command, name=error.name
        ) from None
    if workers.scheduler is not None:
        try:
            client = Client(workers.scheduler, timeout=_ANSWER_S)
        except (OSError, ValueError) as error:
            raise unusable_input(
                "errors.dask_scheduler_that_answers", scheduler=workers.scheduler, error=error
            ) from None
        with client:
            yield client
        return
    with dask.config.set({"distributed.scheduler.allowed-failures": ATTEMPTS - 1}):
        resource_tracker.ensure_running()  # its start makes the thread that starts it hear Ctrl-C again
        # threads begun here inherit the mask, and so do processes that they start in a dead one's place
        with _ctrl_c_later():
            local = LocalCluster(
                n_workers=workers.count,
                threads_per_worker=1,
                memory_limit=0,  # work bounds its own memory; Dask would end what it takes for greedy
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        with local, Client(local) as client:
            yield client


def results(
    client: Any, work: Callable[[Plan], Result], plans: Sequence[Plan]
) -> Iterator[tuple[Plan, Result]]:
    """Each plan with its result, as they come; a worker that dies costs time only.

    Dask counts every plan that a dead worker held, also those that only waited in it. So a plan of several
    that was counted out is done again, alone, when the others are through: who dies then dies of it.
    """
    from distributed import KilledWorker, as_completed

    futures = {submitted(client, work, plan): plan for plan in plans}
    blamed = []
    for future in as_completed(list(futures)):
        plan, error = futures.pop(future), future.exception()
        if isinstance(error, KilledWorker):
            blamed.append(plan)
        else:
            yield plan, future.result()
        future.release()
    for plan in blamed:
        alone = submitted(client, work, plan) if len(plans) > 1 else None
        if alone is None or isinstance(alone.exception(), KilledWorker):
            raise unusable_input(
                "errors.work_that_ends", work=_name(work), attempts=ATTEMPTS, plan=repr(plan)
            )
        yield plan, alone.result()


def submitted(client: Any, work: Callable[..., Any], *given: Any) -> Any:
    """The future of a piece of work. Its key is its own: others may use the same scheduler."""
    key = f"{_name(work)}-{uuid.uuid4().hex}"
    return client.submit(_done, __version__, work, *given, pure=False, key=key)


def _name(work: Callable[..., Any]) -> str:
    """The function's name, also of one that has been given some of its arguments."""
    return work.func.__name__ if isinstance(work, partial) else work.__name__


def _done(version: str, work: Callable[..., Result], *given: Any) -> Result:
    """Runs in the worker. Dask gives each process one thread of numpy's; OpenCV's is set here."""
    if version != __version__:
        raise unusable_input(
            "errors.version_of_cueref_at_the_worker", version=version, own_version=__version__
        )
    cv2.setNumThreads(1)
    return work(*given)


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Ctrl-C waits for the end of the block, and processes that are started within never hear it.

    It reaches every process of a terminal, and the first one alone decides; one that is still importing
    would say its traceback. Processes and threads inherit the mask. It holds for this thread alone: where
    another thread takes the signal, Python calls the handler here all the same, so the handler only notes it
    until the block is left. A handler can be set in the main thread alone, and in no other would it be
    called.
    """
    noted: list[int] = []
    former = signal.getsignal(signal.SIGINT)
    handled = former is not None and threading.current_thread() is threading.main_thread()
    if handled:
        signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)  # one that waited is noted now
        if handled:
            signal.signal(signal.SIGINT, former)
        if noted:
            signal.raise_signal(signal.SIGINT)  # to whom it was meant for: KeyboardInterrupt, as a rule
