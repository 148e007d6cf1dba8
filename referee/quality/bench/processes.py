"""Work shared out to processes of one thread each. Loads no third-party library: see `_begin_process`."""

from __future__ import annotations

import os
import signal
import threading
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

    It reaches every process of a terminal, and the first one alone decides; one that is still importing
    would say its traceback. Processes inherit the mask. It holds for this thread alone: where another
    thread takes the signal, Python calls the handler here all the same, so the handler only notes it until
    the block is left. A handler can be set in the main thread alone, and in no other would it be called.
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


def _begin_process() -> None:
    """One thread each, or they fight. It runs before numpy is loaded, which reads their number then."""
    os.environ["OMP_NUM_THREADS"] = "1"
    import cv2

    cv2.setNumThreads(1)
