"""The doctor's look at a camera: does it answer, how fast and how evenly do images come, is the table in them."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from referee.live.doctor import Check, Light
from vision.capture import Camera, CameraEvent, CameraImage, CaptureOptions, open_camera, shown

_FIRST_IMAGE_S = 10.0
_LEAST_RATE_HZ = (24.0, 14.0)
"""25 images a second tell first contacts to a few ms; below 15 fast balls are lost between images."""

_LEAST_LINES = (720, 480)
_JITTER_SHARE = 0.25
_DARK_LUMA, _BRIGHT_LUMA = 40.0, 215.0


def camera_checks(address: str, seconds: float) -> list[Check]:
    """Watch the camera for `seconds` and say what was found. UnusableInput for an address of no known kind."""
    denied = _permission(address)
    if denied is not None:
        return [denied]
    with open_camera(address, CaptureOptions()) as camera:
        images, events = _watched(camera, seconds)
    if not images:
        why = next((e.sentence for e in reversed(events) if e.kind in ("lost", "stalled")), "no image came")
        return [Check("camera", Light.BAD, f"{shown(address)}: {why}", _reach(address))]
    return [_answer(address, images, events), _size(images), _rate(images), _light(images)]


def _watched(camera: Camera, seconds: float) -> tuple[list[CameraImage], list[CameraEvent]]:
    images: list[CameraImage] = []
    events: list[CameraEvent] = []
    until = time.monotonic() + _FIRST_IMAGE_S
    while time.monotonic() < until:
        item = camera.next(0.2)
        if isinstance(item, CameraImage):
            if not images:
                until = time.monotonic() + seconds
            images.append(item)
        elif isinstance(item, CameraEvent):
            events.append(item)
            if item.kind == "ended":
                break
    return images, events


def _permission(address: str) -> Check | None:
    device = address.removeprefix("v4l2:")
    if not device.startswith("/dev/"):
        return None
    if not Path(device).exists():
        there = sorted(str(p) for p in Path("/dev").glob("video*"))
        found = ", ".join(there) if there else "no video device at all"
        return Check("camera", Light.BAD, f"{device} is not there; found {found}", "plug the camera in, or name another")
    if not os.access(device, os.R_OK | os.W_OK):
        return Check("camera", Light.BAD, f"{device} may not be read by this user", "usermod -aG video USER, then log in again")
    return None


def _reach(address: str) -> str:
    if address.startswith("rtsp"):
        return "is its address right, its password, is it in the same network, does another program hold its only stream"
    return "close other programs that use it, or try another cable"


def _answer(address: str, images: Sequence[CameraImage], events: Sequence[CameraEvent]) -> Check:
    losses = sum(e.kind in ("lost", "stalled") for e in events)
    name = shown(address)
    if losses:
        return Check("camera", Light.WARN, f"{name}: lost {losses} times", "a cable instead of radio, a shorter USB lead")
    skipped = sum(e.count for e in events if e.kind == "skipped")
    if skipped:
        return Check("camera", Light.WARN, f"{name}: {skipped} images skipped", "close other programs on this machine")
    return Check("camera", Light.GOOD, f"{name}: {len(images)} images")


def _size(images: Sequence[CameraImage]) -> Check:
    height, width = images[-1].image.picture.y.shape[:2]
    lines = min(height, width)
    found = f"{width} x {height}"
    if lines >= _LEAST_LINES[0]:
        return Check("image size", Light.GOOD, found)
    if lines >= _LEAST_LINES[1]:
        return Check("image size", Light.WARN, found, "choose 1280 x 720 or more: places are two to three times as good")
    return Check("image size", Light.BAD, found, "choose 1280 x 720 or more")


def _rate(images: Sequence[CameraImage]) -> Check:
    steps = np.diff([i.image.t_s for i in images])
    if len(steps) < 10:
        return Check("image rate", Light.UNKNOWN, f"{len(images)} images are too few to tell", "watch for longer (--seconds)")
    period = float(np.median(steps))
    rate = 1.0 / period if period > 0 else 0.0
    jitter = float(np.quantile(np.abs(steps - period), 0.95)) / period if period > 0 else 0.0
    found = f"{rate:.1f} a second, uneven by {100 * jitter:.0f} %"
    if rate < _LEAST_RATE_HZ[1]:
        return Check("image rate", Light.BAD, found, "more light, a shorter exposure, or a smaller image size")
    if rate < _LEAST_RATE_HZ[0]:
        return Check("image rate", Light.WARN, found, "set the camera to 25 images a second or more")
    if jitter > _JITTER_SHARE:
        return Check("image rate", Light.WARN, found, "images are lost: a cable instead of radio, or a smaller bit rate")
    return Check("image rate", Light.GOOD, found)


def _light(images: Sequence[CameraImage]) -> Check:
    luma = images[-1].image.picture.y
    high = float(np.quantile(luma[::4, ::4], 0.98))
    found = f"the brightest parts reach {high:.0f} of 255"
    if high < _DARK_LUMA:
        return Check("light", Light.BAD, found, "switch the table's lamps on, take the lens cap off")
    if float((luma[::4, ::4] > 250).mean()) > 0.05 or float(np.median(luma[::4, ::4])) > _BRIGHT_LUMA:
        return Check("light", Light.WARN, f"{found}; parts are overexposed", "a shorter exposure")
    return Check("light", Light.GOOD, found + "; cueref setup looks at aim, focus, flicker and glare")
