"""Checks whether a machine can referee live; each check measures something and says what to do.

The checks only read, but for one file of 16 MiB that is removed again. Limits come from the measured needs of
live refereeing.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np

from calibration.errors import UnusableInput
from calibration.texts import sentence
from vision.advice.summary import Advice, Advisor
from vision.capture.source import Camera, CameraEvent, CameraImage, CaptureOptions, open_camera, shown
from vision.detect.detector import Detector


class Light(Enum):
    """The result of a check; `unknown` where this machine does not say."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Check:
    """One line: the topic, what was found, and what to do about it ("" for nothing)."""

    topic: str
    light: Light
    found: str
    advice: str = ""


LOOK_MS = (60.0, 120.0)
"""A look at a full table at most this long for 1080p50 (good) and for 720p25 (enough), ms on one core.

A stroke changes a few cells of the table in each image; a whole look is about ten times that, and 20 ms
(50 images a second) must hold the moving part with room for decoding."""

_FREE_GIB = (20.0, 2.0)  # good, enough
_WRITE_MIB_S = 8.0  # 1080p50 as H.264 is 1 to 2 MiB a second; MJPEG cameras need about 6
_MEMORY_GIB = 1.0  # a live table stays under 0.5 GiB


_FIRST_IMAGE_S = 10.0  # a network camera may take this long to connect
_LEAST_LINES = (720, 480)  # good, enough
_LIGHTS = {"green": Light.GOOD, "amber": Light.WARN, "red": Light.BAD}


def machine_checks(folder: Path) -> list[Check]:
    """Everything that can be known without a camera, in the order of the page."""
    steps: Sequence[Callable[[], Check]] = (
        _python,
        _packages,
        _model,
        _cores,
        _speed,
        _memory,
        lambda: _disk(folder),
        lambda: _write(folder),
        _clock,
        _voice,
    )
    return [step() for step in steps]


def _python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    fits = sys.version_info >= (3, 11)
    return Check(
        "python",
        Light.GOOD if fits else Light.BAD,
        found,
        "" if fits else sentence("doctor.install_python_3_11_or_later"),
    )


def _packages() -> Check:
    wanted = {
        "fastapi": "console",
        "uvicorn": "console",
        "websockets": "console",
        "paho.mqtt": "MQTT",
        "prometheus_client": "metrics",
    }
    missing = {name: use for name, use in wanted.items() if not _there(name)}
    if not missing:
        return Check("packages", Light.GOOD, sentence("doctor.all_of_the_extra_live"))
    words = ", ".join(f"{name} ({use})" for name, use in missing.items())
    return Check(
        "packages",
        Light.WARN,
        sentence("doctor.absent", words=words),
        sentence("doctor.pip_install_cueref_live"),
    )


def _there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _model() -> Check:

    try:
        Detector()
    except UnusableInput as error:
        return Check("detector", Light.BAD, str(error), sentence("doctor.install_cueref_again"))
    return Check("detector", Light.GOOD, sentence("doctor.as_its_manifest_says"))


def _cores() -> Check:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    advice = "" if count >= 2 else sentence("doctor.one_table_at_720p25_at_most")
    return Check("processor cores", Light.GOOD if count >= 2 else Light.WARN, str(count), advice)


def _speed() -> Check:
    """Times the detector on a full ball plane of a 12 ft table, in this thread's processor time."""
    try:
        detector = Detector()
    except UnusableInput:
        return Check("speed", Light.UNKNOWN, sentence("doctor.no_detector_to_time"))
    plane = np.zeros((3, 416, 824), np.float32)  # 3569 x 1778 mm at 12 px a ball's diameter
    detector.maps(plane)
    took = []
    for _ in range(5):
        begun = time.process_time()
        detector.maps(plane)
        took.append(1e3 * (time.process_time() - begun))
    ms = sorted(took)[2]
    found = sentence("doctor.ms_for_a_look_at_a_whole_table", ms=f"{ms:.0f}")
    if ms <= LOOK_MS[0]:
        return Check("speed", Light.GOOD, found)
    if ms <= LOOK_MS[1]:
        return Check("speed", Light.WARN, found, sentence("doctor.use_25_images_a_second_or_720"))
    return Check("speed", Light.BAD, found, sentence("doctor.too_slow_to_follow_play_record"))


def _memory() -> Check:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) / 2**20
    except (OSError, StopIteration, ValueError, IndexError):
        return Check("memory", Light.UNKNOWN, sentence("doctor.this_system_does_not_say"))
    fits = free >= _MEMORY_GIB
    return Check(
        "memory",
        Light.GOOD if fits else Light.BAD,
        sentence("doctor.memory_free", free=f"{free:.1f}"),
        "" if fits else sentence("doctor.free_memory", gib=f"{_MEMORY_GIB:.0f}"),
    )


def _existing(folder: Path) -> Path:
    folder = folder.absolute()
    return next(p for p in (folder, *folder.parents) if p.is_dir())


def _disk(folder: Path) -> Check:
    free = shutil.disk_usage(_existing(folder)).free / 2**30
    found = sentence("doctor.gib_free", free=f"{free:.1f}", folder=folder.absolute())
    if free >= _FREE_GIB[0]:
        return Check("disk", Light.GOOD, found)
    if free >= _FREE_GIB[1]:
        return Check("disk", Light.WARN, found, sentence("doctor.clips_of_strokes_are_kept"))
    return Check("disk", Light.BAD, found, sentence("doctor.free_at_least_2_gib_recording"))


def _write(folder: Path) -> Check:
    """Writes 16 MiB to the disk itself and removes them."""
    block = os.urandom(1 << 20)
    try:
        with tempfile.NamedTemporaryFile(dir=_existing(folder), prefix=".cueref-doctor-") as file:
            begun = time.monotonic()
            for _ in range(16):
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
            rate = 16 / max(time.monotonic() - begun, 1e-6)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        return Check(
            "writing",
            Light.BAD,
            f"{_existing(folder)}: {reason}",
            sentence("doctor.give_cueref_a_folder_that_it"),
        )
    fits = rate >= _WRITE_MIB_S
    return Check(
        "writing",
        Light.GOOD if fits else Light.WARN,
        sentence("doctor.mib_a_second", rate=f"{rate:.0f}"),
        "" if fits else sentence("doctor.faster_disk_or_a_smaller_bit"),
    )


class _Timex(ctypes.Structure):
    # struct timex of adjtimex(2): the rest of its fields is not read
    _fields_ = [
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    ]


_STA_UNSYNC = 0x0040  # timex.h


def _clock() -> Check:
    """Whether a time server steers the clock, as Linux reports it (adjtimex(2), STA_UNSYNC)."""
    state = _Timex()
    try:
        libc = ctypes.CDLL(ctypes.util.find_library("c") or "libc.so.6", use_errno=True)
        failed = libc.adjtimex(ctypes.byref(state)) < 0
    except (OSError, AttributeError):
        failed = True
    if failed:
        return Check("clock", Light.UNKNOWN, sentence("doctor.this_system_does_not_say"))
    if state.status & _STA_UNSYNC:
        return Check(
            "clock",
            Light.WARN,
            sentence("doctor.no_time_server_steers_it"),
            sentence("doctor.systemctl_enable_now_systemd"),
        )
    return Check(
        "clock",
        Light.GOOD,
        sentence("doctor.steered_by_a_time_server", maxerror=f"{state.maxerror / 1000.0:.0f}"),
    )


def _voice() -> Check:
    found = [name for name in ("spd-say", "espeak-ng", "espeak", "say") if shutil.which(name)]
    if found:
        return Check("voice", Light.GOOD, found[0])
    return Check(
        "voice",
        Light.UNKNOWN,
        sentence("doctor.no_speech_synthesis"),
        sentence("doctor.only_for_speak_install_espeak"),
    )


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
        why = next(
            (e.sentence for e in reversed(events) if e.kind in ("lost", "stalled")),
            sentence("doctor.no_image_came"),
        )
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
        found = ", ".join(there) if there else sentence("doctor.no_video_device_at_all")
        return Check(
            "camera",
            Light.BAD,
            sentence("doctor.is_not_there_found", device=device, found=found),
            sentence("doctor.plug_the_camera_in_or_name"),
        )
    if not os.access(device, os.R_OK | os.W_OK):
        return Check(
            "camera",
            Light.BAD,
            sentence("doctor.may_not_be_read_by_this_user", device=device),
            sentence("doctor.usermod_ag_video_user_then_log"),
        )
    return None


def _reach(address: str) -> str:
    if address.startswith("rtsp"):
        return sentence("doctor.is_its_address_right")
    return sentence("doctor.close_other_programs_that_use")


def _answer(address: str, images: Sequence[CameraImage], events: Sequence[CameraEvent]) -> Check:
    losses = sum(e.kind in ("lost", "stalled") for e in events)
    name = shown(address)
    if losses:
        return Check(
            "camera",
            Light.WARN,
            sentence("doctor.lost_times", name=name, losses=losses),
            sentence("doctor.cable_instead_of_radio"),
        )
    skipped = sum(e.count for e in events if e.kind == "skipped")
    if skipped:
        return Check(
            "camera",
            Light.WARN,
            sentence("doctor.images_skipped", name=name, skipped=skipped),
            sentence("doctor.close_other_programs_on_this"),
        )
    return Check("camera", Light.GOOD, sentence("doctor.images", name=name, count=len(images)))


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
            sentence("doctor.choose_1280_x_720"),
        )
    return Check("image size", Light.BAD, found, sentence("doctor.choose_1280_x_720_2"))


def _advised(images: Sequence[CameraImage]) -> list[Check]:
    """The lights that `cueref setup` shows: aim, focus, exposure, flicker, glare, image rate."""
    advisor = Advisor()
    for item in images:
        advisor.feed(item.image)
    return [_check(a) for a in advisor.advise()]


def _check(advice: Advice) -> Check:
    """A light with its sentence: what was found and, after a colon, what to do."""
    found, _, todo = advice.sentence.partition(": ")
    light = Light.UNKNOWN if advice.value is None else _LIGHTS[advice.light]
    return Check(advice.topic, light, found.rstrip("."), "" if light is Light.GOOD else todo.rstrip("."))
