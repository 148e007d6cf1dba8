"""The table found in a live picture: pictures over some seconds, so that people drop out of their median."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from calibration.calibrate import Side, Solution, solve_table, still_image
from calibration.errors import UnusableInput
from calibration.result import Calibration
from calibration.table.specs import TableSpec
from vision.capture.source import Camera, CameraEvent, CameraImage
from vision.detect.detector import Detector
from vision.io.picture import U8, Picture
from vision.spotted import settle_by_spots

PICTURES = 15
"""Of one calibration: people and hands that move drop out of their median."""
LEAST_PICTURES = 3  # the median of fewer still shows people
APART_S = 0.4  # between two pictures, so that people move on
PATIENCE_S = 30.0  # without an image
NO_PICTURES = "the camera: expected pictures of a table, found none for half a minute"
_SPOT_PICTURES = 5
"""Of the pictures, those whose colours on their spots settle the nose height: each costs a look."""


def find_table(
    camera: Camera,
    table: TableSpec,
    detector: Detector,
    stop: threading.Event,
    heard: Callable[[CameraEvent], object] = lambda _: None,
    bottom_at: Side | None = None,
) -> Calibration:
    """The calibration of the view that a camera shows now.

    `heard`: called with the camera's events meanwhile. `bottom_at`: as `solve_table`. Raises UnusableInput
    when no images come for half a minute, or the table is not found in them.
    """
    pictures = _gathered(camera, stop, heard)
    return settled(pictures, solve_table([still(pictures)], table, "the camera", bottom_at), detector)


def still(pictures: Sequence[Picture]) -> U8:
    """The median image (H, W, 3) BGR of the pictures."""
    return still_image([p.bgr() for p in pictures], "the camera")


def settled(pictures: Sequence[Picture], solution: Solution, detector: Detector) -> Calibration:
    """The calibration with the nose height that the colours on their spots in some of the pictures settle."""
    return settle_by_spots(pictures[:: max(1, len(pictures) // _SPOT_PICTURES)], solution, detector)


def joined(pictures: list[Picture], new: Picture) -> list[Picture]:
    """The pictures with a new one added; a picture of another size begins a new list."""
    same = not pictures or pictures[0].y.shape == new.y.shape
    return [*pictures, new] if same else [new]


def _gathered(camera: Camera, stop: threading.Event, heard: Callable[[CameraEvent], object]) -> list[Picture]:
    found: list[Picture] = []
    next_s, began = float("-inf"), time.monotonic()
    while len(found) < PICTURES and not stop.is_set() and not camera.ended:
        item = camera.next(0.2)
        if isinstance(item, CameraImage) and item.image.t_s >= next_s:
            found = joined(found, item.image.picture)
            next_s, began = item.image.t_s + APART_S, time.monotonic()
        elif (
            isinstance(item, CameraEvent) and item.kind != "skipped"
        ):  # images pass while the table is computed
            heard(item)
            found = [] if item.kind == "size_changed" else found
        if time.monotonic() - began > PATIENCE_S:
            break
    if len(found) < LEAST_PICTURES:
        raise UnusableInput(NO_PICTURES)
    return found
