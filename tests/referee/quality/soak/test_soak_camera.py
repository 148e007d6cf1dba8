"""A network camera that breaks: lost and found within five seconds, also in another size; dark, stalled,
refused.
"""

from __future__ import annotations

import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import av
import numpy as np
import pytest

from referee.live.recording.ring import Ring, RingOptions
from referee.quality.soak.camera import FakeCamera, has_gstreamer
from referee.quality.soak.clips import SoakClip
from vision.capture.source import Camera, CameraEvent, CameraImage, open_camera

SIZE, OTHER = (320, 180), (256, 144)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> SoakClip:
    """Forty seconds of a grey picture with noise at 10 images a second, without strokes."""
    file = tmp_path_factory.mktemp("soak") / "grey.mp4"
    rng = np.random.default_rng(3)
    with av.open(str(file), "w") as out:
        stream = out.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        stream.options = {"preset": "ultrafast", "crf": "30"}
        for _ in range(400):
            picture = rng.normal(120, 3, (SIZE[1], SIZE[0], 3)).clip(0, 255).astype(np.uint8)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        out.mux(stream.encode())
    file.with_suffix(".json").write_text(json.dumps({"end": 40.0, "events": []}))
    return SoakClip(file, 40.0, 10, ())


@pytest.fixture(params=["plain", "gstreamer"])
def fake(request: pytest.FixtureRequest, clip: SoakClip) -> Iterator[FakeCamera]:
    if request.param == "gstreamer" and not has_gstreamer():
        pytest.skip("Debian's GStreamer RTSP server is not installed")
    camera = FakeCamera([clip], SIZE, OTHER, 1, plain=request.param == "plain")
    threading.Thread(target=camera.play, args=(40.0,), daemon=True).start()
    yield camera
    camera.close()


class Seen:
    """What a camera gave until something came."""

    def __init__(self, camera: Camera) -> None:
        self.camera = camera
        self.items: list[CameraImage | CameraEvent] = []

    def until(self, holds: Callable[[CameraImage | CameraEvent], bool], seconds: float = 12.0) -> float:
        """Read on until an item holds; how long that took."""
        start = time.monotonic()
        while time.monotonic() < start + seconds:
            item = self.camera.next(0.2)
            if item is not None:
                self.items.append(item)
                if holds(item):
                    return time.monotonic() - start
        raise AssertionError(
            f"it did not come; seen: {[i for i in self.items if isinstance(i, CameraEvent)]}"
        )

    def event(self, kind: str) -> float:
        return self.until(lambda i: isinstance(i, CameraEvent) and i.kind == kind)

    def image(self, size: tuple[int, int]) -> float:
        return self.until(
            lambda i: (
                isinstance(i, CameraImage) and (i.image.picture.width_px, i.image.picture.height_px) == size
            )
        )


def test_a_camera_that_breaks_is_found_again_and_the_clock_goes_on(fake: FakeCamera, tmp_path: Path) -> None:
    ring = Ring(tmp_path / "clips", RingOptions(reserve_bytes=0))
    with open_camera(fake.address, sink=ring) as camera:
        seen = Seen(camera)
        seen.event("dark")
        seen.event("light")
        seen.image(SIZE)
        fake.unplug()
        seen.event("lost")
        time.sleep(1.0)
        fake.plug(other_size=True)
        assert seen.image(OTHER) < 5.0, "found again within five seconds, in another size"
        assert any(isinstance(i, CameraEvent) and i.kind == "size_changed" for i in seen.items)
        fake.set_mode("stall")
        seen.event("stalled")
        fake.set_mode("play")
        now = camera.now_s()
        seen.until(lambda i: isinstance(i, CameraImage) and i.image.t_s > now)
        real = time.time() - (camera.zero_unix_s or 0.0)
        assert camera.now_s() == pytest.approx(real, abs=0.5), "the clock kept time with this machine's"
    ring.keep(1, 6.5, 8.0)
    ring.close()
    images = [i.image for i in seen.items if isinstance(i, CameraImage)]
    assert np.all(np.diff([i.t_s for i in images]) > 0) and np.all(np.diff([i.index for i in images]) == 1)
    assert images[-1].t_s == pytest.approx(real, abs=1.5), "a hole is as long as it was"
    said = " ".join(i.sentence for i in seen.items if isinstance(i, CameraEvent))
    assert fake.password not in said and "***@" in said
    with av.open(str(ring.clips()[0].path)) as kept:
        assert kept.streams.video[0].width == SIZE[0] and sum(1 for _ in kept.decode(video=0)) > 10


def test_a_wrong_password_is_told_without_it(fake: FakeCamera) -> None:
    with open_camera(fake.address.replace(fake.password, "falsch")) as camera:
        item = camera.next(8.0)
    assert isinstance(item, CameraEvent) and item.kind == "lost"
    assert "unauthorized" in item.sentence and "falsch" not in item.sentence


def test_a_server_that_reads_no_more_is_told_and_does_not_hold_up_the_end(
    clip: SoakClip, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera = FakeCamera([clip], SIZE, SIZE, 1, plain=True)
    camera._server.send_signal(signal.SIGSTOP)
    with monkeypatch.context() as soon, pytest.raises(TimeoutError, match="reads no more"):
        soon.setattr("referee.quality.soak.camera._SOON_S", 0.1)
        camera._send(b"A", bytes(2**20))
    writer = threading.Thread(target=camera._send, args=(b"A", bytes(2**20)), daemon=True)
    writer.start()
    while not camera._sending.locked() and writer.is_alive():
        time.sleep(0.01)
    ending = threading.Thread(target=camera.close, daemon=True)
    ending.start()
    ending.join(60.0)
    writer.join(60.0)
    assert not ending.is_alive() and not writer.is_alive() and camera._server.poll() == -signal.SIGKILL
    camera._send(b"K")  # what comes later is let go


def test_a_server_that_does_not_come_up_is_said(clip: SoakClip, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        monkeypatch.setattr("referee.quality.soak.camera.free_port", lambda: other.getsockname()[1])
        with pytest.raises(RuntimeError, match="did not start"):
            FakeCamera([clip], SIZE, SIZE, 1, plain=True)
