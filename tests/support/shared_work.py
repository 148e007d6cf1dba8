"""Work that tests share out, in a module of its own: a process that is started for it imports little."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path

import cv2


def told(number: int) -> tuple[int, str | None, bool, bool, int]:
    """What a process is: its id, threads told to numpy, begun afresh, deaf to Ctrl-C, OpenCV's threads."""
    deaf = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    fresh = multiprocessing.parent_process() is not None
    return os.getpid(), os.environ.get("OMP_NUM_THREADS"), fresh, deaf, cv2.getNumThreads()


def failing(number: int) -> int:
    if number == 1:
        raise ValueError("one that fails")
    time.sleep(300)
    return number


def dying(plan: Path | int) -> str:
    """A path ends the process the first time; the second time it is done, as every other plan."""
    if isinstance(plan, Path) and not plan.exists():
        plan.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return str(plan)


def deadly(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number
