"""A review and a live table whose images are scripted, run again and again on a disk that fails.

A program: started with `faulty_disk.c` preloaded, it reads one JSON order a line and answers with one. What
was seen is scripted (tracker events instead of pixels); journal, checkpoints, tracks, outputs and the command
line are the real ones.
"""

# ruff: noqa: E402

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
import traceback
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support")]

from console_fixture import frame_events
from faulty_disk import Disk

import referee.live.engine.engine as engine_module
import referee.review.pipeline as pipeline
import referee.review.watching as watching
import tracker
import vision.observer
from calibration.errors import UnusableInput
from referee.cli import main
from referee.live.engine.engine import LiveEngine
from referee.live.engine.log import LiveLog
from referee.live.engine.match_runner import MatchRunner
from referee.live.engine.settings import LiveSettings
from referee.review.pipeline import calibration_found
from tracker.events import TrackerEvent, TrackRow
from vision.capture.items import CameraEvent, CameraImage
from vision.io.images import VideoImage
from vision.io.picture import Picture
from vision.observation import CellMask, ImageObservations, Unusable

ROOT = HERE.parents[1]
CLIP = ROOT / "samples" / "club_four_strokes.mp4"
SAMPLE = ROOT / "tests" / "golden" / "0d1d15d" / "sample"
PICTURE = Picture.from_bgr(np.zeros((720, 1280, 3), np.uint8))
EVENTS = frame_events()
NOTHING = CellMask(0.0, 0.0, 64.0, 1, 1, bytes(1))


def events_of(index: int) -> list[TrackerEvent]:
    """What the tracker tells at an image: an event each, with a few rows."""
    if index >= len(EVENTS):
        return []
    rows = [TrackRow(index + 0.01 * k, "white", 1.0 * k, 2.0, 0.3, "moving") for k in range(40)]
    return [*rows, EVENTS[index]]


def images(after: tuple[int, float] | None = None) -> list[VideoImage]:
    first = 0 if after is None else after[0] + 1
    return [VideoImage(k, time_of(k), PICTURE) for k in range(first, len(EVENTS) + 1)]


def time_of(index: int) -> float:
    """Just behind the event of the image."""
    event = EVENTS[min(index, len(EVENTS) - 1)]
    return float(getattr(event, "end_s", getattr(event, "t_s", 0.0))) + 0.5 + index * 1e-3


def script() -> None:
    """Put what was seen in place of looking."""

    def seen(self: Any, item: Any) -> ImageObservations:
        if isinstance(item, Unusable):  # lost between a stop and the run that goes on
            return ImageObservations(len(EVENTS), item.end_s, (), NOTHING, None, False)
        self.state.index = item.index
        return ImageObservations(item.index, item.t_s, (), NOTHING, None, False)

    vision.observer.Observer.feed = seen  # type: ignore[method-assign, assignment]
    tracker.Tracker.feed = lambda self, image: events_of(image.index)  # type: ignore[method-assign]
    tracker.Tracker.tells_nothing = lambda self, t_s: False  # type: ignore[method-assign]
    tracker.Tracker.close = lambda self: []  # type: ignore[method-assign]
    pipeline.watch_video = lambda video, after=None, found=None: iter(images(after))  # type: ignore[assignment]
    pipeline.temporal_filter = lambda video: None  # type: ignore[assignment, return-value]
    pipeline.Detector = cache(pipeline.Detector)  # type: ignore[misc]
    MatchRunner._video = lambda self: {  # type: ignore[method-assign]
        "file": "file.mp4",
        "width": 1280,
        "height": 720,
        "images": 9,
        "duration_s": 99.0,
    }
    assert watching.Observer is vision.observer.Observer


class ScriptedCamera:
    zero_unix_s: float | None = 1.7e9
    ended = False

    def __init__(self, after: tuple[int, float] | None) -> None:
        connected: list[Any] = [CameraEvent("connected", 0.0, "here", None, 0, 1280, 720)]
        self._items = iter(connected + [CameraImage(i, 0.0) for i in images(after)])

    def next(self, timeout_s: float) -> Any:
        return next(self._items, None) or CameraEvent("ended", 99.0, "the script is over")

    def now_s(self) -> float:
        return 0.0

    def close(self) -> None:
        pass


def review(out: Path, calibration: Path) -> int:
    try:
        main(["review", str(CLIP), "--calibration", str(calibration), "--out", str(out), "--json"])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def live(out: Path, calibration: Path) -> int:
    """A live table over the script; it waits in memory for a full disk."""
    engine_module.open_camera = lambda _, options, __: ScriptedCamera(options.after)  # type: ignore[assignment]
    settings = LiveSettings(str(CLIP), out, "T", calibration=calibration, record=False, speed=0.0)
    try:
        LiveEngine(settings, LiveLog("T", io.StringIO()), detector=pipeline.Detector()).run()  # type: ignore[arg-type]
    except UnusableInput as error:
        print(f"cueref: {error}", file=sys.stderr)
        return 2
    return 0


def carry_out(order: dict[str, Any], disk: Disk) -> dict[str, Any]:
    out, said = Path(order["out"]), io.StringIO()
    if order.get("fresh", True):
        shutil.rmtree(out, ignore_errors=True)
    run = live if order["what"] == "live" else review
    faults = {k: order[k] for k in ("at", "error", "for_ever", "delay_us", "log") if k in order}
    disk.arm(out, **faults)
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            status: int | None = run(out, Path(order["calibration"]))
    except Exception:
        status = None
        said.write(traceback.format_exc())
    finally:
        count = disk.disarm()
    return {"status": status, "said": said.getvalue(), "count": count}


def serve_orders() -> None:
    script()
    disk = Disk()
    for line in sys.stdin:
        print(json.dumps(carry_out(json.loads(line), disk)), flush=True)


def save_calibration(file: Path) -> Path:
    """The sample's calibration."""
    found = calibration_found(SAMPLE)
    assert found is not None
    found.save(file)
    return file


if __name__ == "__main__":
    serve_orders()
