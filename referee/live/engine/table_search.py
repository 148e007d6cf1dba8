"""The table found in a live picture: pictures over some seconds, so that people drop out of their median."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from calibration.calibrate import solve_table, still_image
from calibration.errors import UnusableInput
from calibration.result import Calibration
from calibration.table.specs import TableSpec
from vision.capture.source import Camera, CameraEvent, CameraImage
from vision.detect.detector import Detector
from vision.io.picture import Picture
from vision.nose_height import settle_nose_height

_PICTURES = 15
_APART_S = 0.4
_PATIENCE_S = 30.0
_SETTLED = 5


def find_table(
    camera: Camera,
    table: TableSpec,
    detector: Detector,
    stop: threading.Event,
    heard: Callable[[CameraEvent], object] = lambda _: None,
) -> Calibration:
    """The calibration of the picture that a camera gives now.

    `heard`: told what befalls the camera meanwhile. Raises UnusableInput when no images come for half a
    minute, or the table is not found in them.
    """
    pictures = _gathered(camera, stop, heard)
    still = still_image([p.bgr() for p in pictures], "the camera")
    solution = solve_table([still], table, "the camera")
    return settle_nose_height(pictures[:: max(1, len(pictures) // _SETTLED)], solution, detector)


def _gathered(camera: Camera, stop: threading.Event, heard: Callable[[CameraEvent], object]) -> list[Picture]:
    found: list[Picture] = []
    next_s, began = float("-inf"), time.monotonic()
    while len(found) < _PICTURES and not stop.is_set() and not camera.ended:
        item = camera.next(0.2)
        if (
            isinstance(item, CameraEvent) and item.kind != "skipped"
        ):  # images pass while the table is computed
            heard(item)
        if isinstance(item, CameraEvent) and item.kind == "size_changed":
            found = []
        if isinstance(item, CameraImage) and item.image.t_s >= next_s:
            same = not found or found[0].y.shape == item.image.picture.y.shape
            found = [*found, item.image.picture] if same else [item.image.picture]
            next_s, began = item.image.t_s + _APART_S, time.monotonic()
        if time.monotonic() - began > _PATIENCE_S:
            break
    if len(found) < 3:
        raise UnusableInput("the camera: expected pictures of a table, found none for half a minute")
    return found
