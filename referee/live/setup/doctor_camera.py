"""The doctor's look at a camera: does it answer, how fast and how evenly do images come, is the table in
them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from referee.live.setup.doctor import Check, Light
from vision.advice.summary import Advice, Advisor
from vision.capture.source import Camera, CameraEvent, CameraImage, CaptureOptions, open_camera, shown

_FIRST_IMAGE_S = 10.0
_LEAST_LINES = (720, 480)
_LIGHTS = {"green": Light.GOOD, "amber": Light.WARN, "red": Light.BAD}


def camera_checks(address: str, seconds: float) -> list[Check]:
    """Watch the camera for `seconds` and say what was found. UnusableInput for an address of no known
    kind.
    """
    denied = _permission(address)
    if denied is not None:
        return [denied]
    with open_camera(address, CaptureOptions()) as camera:
        images, events = _watched(camera, seconds)
    if not images:
        why = next((e.sentence for e in reversed(events) if e.kind in ("lost", "stalled")), "no image came")
        return [Check("camera", Light.BAD, f"{shown(address)}: {why}", _reach(address))]
    return [_answer(address, images, events), _size(images), *_advised(images)]


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
        return Check(
            "camera",
            Light.BAD,
            f"{device} is not there; found {found}",
            "plug the camera in, or name another",
        )
    if not os.access(device, os.R_OK | os.W_OK):
        return Check(
            "camera",
            Light.BAD,
            f"{device} may not be read by this user",
            "usermod -aG video USER, then log in again",
        )
    return None


def _reach(address: str) -> str:
    if address.startswith("rtsp"):
        return (
            "is its address right, its password, is it in the same network, does another program hold its"
            " only stream"
        )
    return "close other programs that use it, or try another cable"


def _answer(address: str, images: Sequence[CameraImage], events: Sequence[CameraEvent]) -> Check:
    losses = sum(e.kind in ("lost", "stalled") for e in events)
    name = shown(address)
    if losses:
        return Check(
            "camera",
            Light.WARN,
            f"{name}: lost {losses} times",
            "a cable instead of radio, a shorter USB lead",
        )
    skipped = sum(e.count for e in events if e.kind == "skipped")
    if skipped:
        return Check(
            "camera", Light.WARN, f"{name}: {skipped} images skipped", "close other programs on this machine"
        )
    return Check("camera", Light.GOOD, f"{name}: {len(images)} images")


def _size(images: Sequence[CameraImage]) -> Check:
    height, width = images[-1].image.picture.y.shape[:2]
    lines = min(height, width)
    found = f"{width} x {height}"
    if lines >= _LEAST_LINES[0]:
        return Check("image size", Light.GOOD, found)
    if lines >= _LEAST_LINES[1]:
        return Check(
            "image size",
            Light.WARN,
            found,
            "choose 1280 x 720 or more: places are two to three times as good",
        )
    return Check("image size", Light.BAD, found, "choose 1280 x 720 or more")


def _advised(images: Sequence[CameraImage]) -> list[Check]:
    """The lights that `cueref setup` shows: aim, focus, exposure, flicker, glare, image rate."""
    advisor = Advisor()
    for item in images:
        advisor.feed(item.image)
    return [_check(a) for a in advisor.advise()]


def _check(advice: Advice) -> Check:
    """A light with its sentence, which says what was found and behind a colon what to do."""
    found, _, todo = advice.sentence.partition(": ")
    light = Light.UNKNOWN if advice.value is None else _LIGHTS[advice.light]
    return Check(advice.topic, light, found.rstrip("."), "" if light is Light.GOOD else todo.rstrip("."))
