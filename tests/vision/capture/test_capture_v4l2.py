"""USB cameras through FFmpeg's V4L2 reader, against a fake device preloaded into the process
(`fake_v4l2.c`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

HERE = Path(__file__).parent
HEADER = Path("/usr/include/linux/videodev2.h")
WIDTH, HEIGHT, RATE = 320, 180, 25

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None or not HEADER.is_file(),
    reason="no C compiler or no V4L2 headers: no fake USB camera",
)

WATCH = """
import json, sys, time
from vision.capture.source import CameraImage, CaptureOptions, open_camera
device, seconds = sys.argv[1], float(sys.argv[2])
told, until = [], time.monotonic() + seconds
options = CaptureOptions(width_px=320, height_px=180, rate_hz=25, read_timeout_s=1.7)
with open_camera("v4l2:" + device, options) as camera:
    while time.monotonic() < until:
        item = camera.next(0.1)
        if isinstance(item, CameraImage):
            told.append(["image", item.image.t_s, float(item.image.picture.y.mean())])
        elif item is not None:
            told.append([item.kind, item.t_s, item.sentence])
    closing = time.monotonic()
told.append(["closed", time.monotonic() - closing, ""])
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def camera(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder: the compiled fake, `device`, and fifty images of each format; the brightness says which it
    is.
    """
    folder = tmp_path_factory.mktemp("usb")
    command = [
        "cc",
        "-Wall",
        "-Werror",
        "-shared",
        "-fPIC",
        "-o",
        str(folder / "fake.so"),
        str(HERE / "fake_v4l2" / "fake_v4l2.c"),
        "-ldl",
    ]
    subprocess.run(command, check=True, timeout=120)
    (folder / "device").touch()
    for k in range(50):
        (folder / f"{k:03}.mjpeg").write_bytes(jpeg(60 + 3 * k))
        yuyv = np.full((HEIGHT, WIDTH, 2), 128, np.uint8)
        yuyv[..., 0] = 60 + 3 * k
        (folder / f"{k:03}.yuyv").write_bytes(yuyv.tobytes())
    return folder


def jpeg(level: int) -> bytes:
    context: Any = av.CodecContext.create("mjpeg", "w")
    context.width, context.height, context.pix_fmt = WIDTH, HEIGHT, "yuvj420p"
    context.time_base = Fraction(1, RATE)
    frame = av.VideoFrame.from_ndarray(np.full((HEIGHT, WIDTH, 3), level, np.uint8), format="rgb24").reformat(
        format="yuvj420p"
    )
    return b"".join(bytes(p) for p in [*context.encode(frame), *context.encode()])


def watched(camera: Path, seconds: float, **fake: str) -> list[list[Any]]:
    """What `open_camera` tells of the fake device within a time."""
    environment = {
        **os.environ,
        "LD_PRELOAD": str(camera / "fake.so"),
        "FAKE_V4L2": str(camera / "device"),
        "FAKE_V4L2_IMAGES": str(camera),
        "FAKE_V4L2_RATE": str(RATE),
        **{f"FAKE_V4L2_{k}": v for k, v in fake.items()},
    }
    command = [sys.executable, "-c", WATCH, str(camera / "device"), str(seconds)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, cwd=HERE.parents[2]
    )
    assert done.returncode == 0, done.stderr
    told: list[list[Any]] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("pixels", ["MJPG", "YUYV"])
def test_a_usb_camera_is_read_in_any_format_with_the_drivers_times(camera: Path, pixels: str) -> None:
    told = watched(camera, 2.0, FORMAT=pixels)
    images = [item for item in told if item[0] == "image"]
    assert told[0][0] == "connected" and len(images) >= 30
    assert np.diff([t for _, t, _ in images]) == pytest.approx(1 / RATE, abs=2e-3)
    # none lost, none twice: three grey levels from one to the next, less where a full-range level is clipped
    steps = np.diff([level for *_, level in images])
    assert np.all((np.abs(steps - 3) < 1.5) | (steps < -100))


def test_a_usb_camera_that_is_pulled_out_and_plugged_in_comes_back(camera: Path) -> None:
    told = watched(camera, 5.0, UNPLUGGED="20 1.2")
    kinds = [kind for kind, *_ in told if kind != "image"]
    assert kinds == ["connected", "lost", "connected", "closed"]
    times = [t for kind, t, _ in told if kind == "image"]
    assert times == sorted(times) and 1.2 < np.diff(times).max() < 4.0


def test_a_usb_camera_that_falls_silent_blocks_nobody(camera: Path) -> None:
    """FFmpeg would wait in the driver for ever: the handle is told not to block."""
    told = watched(camera, 4.0, QUIET="20 60")
    assert [kind for kind, *_ in told if kind != "image"] == ["connected", "stalled", "lost", "closed"]
    assert told[-1][1] < 2.0
