r"""Where a review's processor time goes: the table of docs/lab/2026-11-29-cost.md.

    python docs/measure_cost.py CLIP --game wpa_8ball --out out/cost

takes what `cueref review` takes. Seconds are of the calling thread, without what is called from there and
listed itself; "decoding" is the rest of the process: libav's threads, the one that reads ahead.
"""

from __future__ import annotations

import functools
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from typing import Any

from referee.cli import main

STAGES = {
    "table": ("referee.review.pipeline:_calibration",),
    "change": (
        "vision.plane:BallPlane.gate_planes",
        "vision.change:Gate.compare",
        "vision.change:StillView.changed_cells",
        "vision.view.usable:Sight.lost",
        "vision.view.knock:KnockWatch.feed",
        "vision.observer:Observer._measure_marks",
        "vision.observer:Observer.feed",
    ),
    "detector": ("vision.observer:search",),
    "places": ("vision.locate.balls:BallLocator.place", "vision.locate.balls:BallLocator.gaps"),
    "of these, light": (
        "vision.locate.balls:learn_lamps",
        "vision.locate.balls:correct_for_light",
        "vision.locate.balls:refine_by_highlights",
    ),
    "far rims": ("vision.observer:placed_by_far_rims",),
    "prints": ("vision.observer:Observer._read_prints",),
    "kinds": ("vision.observer:Observer._named",),
    "tracker": ("tracker.tracker:Tracker.feed",),
    "strokes solved": ("tracker.tracker:close_span",),
    "referee, journal": ("referee.review.watching:Watch._take",),
    "report": ("referee.review.watching:Watch.write",),
}
seconds, calls = Counter[str](), Counter[str]()
under_way: list[float] = []
"""What was called from each call under way has taken so far, s."""


def timed(stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, its own time counted for a stage."""

    @functools.wraps(work)
    def counting(*args: Any, **kwargs: Any) -> Any:
        under_way.append(0.0)
        start_s = time.thread_time()
        try:
            return work(*args, **kwargs)
        finally:
            took_s = time.thread_time() - start_s
            seconds[stage] += took_s - under_way.pop()
            calls[stage] += 1
            if under_way:
                under_way[-1] += took_s

    return counting


if __name__ == "__main__":
    import_module("referee.commands.review")
    for stage, names in STAGES.items():
        for name in names:
            module, path = name.split(":")
            *owners, last = path.split(".")
            owner = functools.reduce(getattr, owners, import_module(module))
            setattr(owner, last, timed(stage, getattr(owner, last)))
    start_s = time.process_time()
    sys.argv = ["cueref", "review", *sys.argv[1:]]
    try:
        main()
    finally:
        used = resource.getrusage(resource.RUSAGE_SELF)
        whole_s = used.ru_utime + used.ru_stime
        seconds["start"] = start_s
        seconds["decoding"] = whole_s - time.thread_time()
        for stage, took_s in seconds.most_common():
            print(
                f"{took_s:7.2f} s {100 * took_s / whole_s:5.1f} % {calls[stage]:7d} {stage}", file=sys.stderr
            )
        print(f"{whole_s:7.2f} s, {used.ru_maxrss // 1024} MB", file=sys.stderr)
