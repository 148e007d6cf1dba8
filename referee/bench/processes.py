"""Work shared out to processes of one thread each. Loads no third-party library: see `_begin_process`."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TypeVar

Plan = TypeVar("Plan")
Result = TypeVar("Result")


def results(
    measure: Callable[[Plan], Result], plans: Sequence[Plan], processes: int
) -> Iterator[tuple[Plan, Result]]:
    """Each plan with its result, as they come; `measure` is a function of a module."""
    if processes == 1:
        yield from ((plan, measure(plan)) for plan in list(plans))
        return
    # spawned, not forked: a thread of this process (the progress bar's, OpenCV's, onnxruntime's) may hold a
    # lock at that moment, which in a fork nobody would ever release
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin_process)
    try:
        with _ctrl_c_later():  # submitting starts them
            waiting: dict[Future[Result], Plan] = {pool.submit(measure, plan): plan for plan in plans}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    except BaseException:
        workers = list((pool._processes or {}).values())  # they would finish long work before they let go
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()
        raise
    pool.shutdown()


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Ctrl-C waits for the end of the block, and processes that are started within never hear it.

    It reaches every process of a terminal, and the first one alone decides; one that is still importing would
    say its traceback.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _begin_process() -> None:
    """One thread each, or they fight. It runs before numpy is loaded, which reads their number then."""
    os.environ["OMP_NUM_THREADS"] = "1"
    import cv2

    cv2.setNumThreads(1)
