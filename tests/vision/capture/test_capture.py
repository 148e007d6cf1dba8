"""Cameras in a thread of their own: the clock never lies, delay is bounded, nothing hangs, no password gets
out.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from calibration.errors import UnusableInput
from vision.capture import reader as capture_read
from vision.capture.clock import MatchClock
from vision.capture.source import Camera, CameraEvent, CameraImage, CaptureOptions, open_camera, shown
from vision.io.images import Unusable, VideoImage, read_video, watch_video

RATE = 25


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seconds of 320 x 180; the picture's brightness says which image it is."""
    file = tmp_path_factory.mktemp("capture") / "clip.mp4"
    with av.open(str(file), "w") as out:
        stream = out.add_stream("libx264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        stream.options = {"preset": "ultrafast", "g": "25"}
        for k in range(3 * RATE):
            out.mux(
                stream.encode(
                    av.VideoFrame.from_ndarray(np.full((180, 320, 3), 60 + 2 * k, np.uint8), format="rgb24")
                )
            )
        out.mux(stream.encode())
    return file


def everything(camera: Camera, slow_s: float = 0.0, until_s: float = 20.0) -> list[CameraImage | CameraEvent]:
    found: list[CameraImage | CameraEvent] = []
    end = time.monotonic() + until_s
    while not camera.ended and time.monotonic() < end:
        item = camera.next(0.2)
        if item is not None:
            found.append(item)
        if isinstance(item, CameraImage) and slow_s:
            time.sleep(slow_s)
    return found


def first_images(camera: Camera, count: int, within_s: float = 60.0) -> list[VideoImage]:
    found: list[VideoImage] = []
    end = time.monotonic() + within_s
    while len(found) < count:
        assert time.monotonic() < end, f"{len(found)} images came of {count}"
        item = camera.next(1.0)
        if isinstance(item, CameraImage):
            found.append(item.image)
    return found


def test_as_fast_as_possible_gives_the_images_of_read_video_and_drops_none(clip: Path) -> None:
    with open_camera(str(clip), CaptureOptions(speed=0)) as camera:
        images = [i.image for i in everything(camera, 0.002) if isinstance(i, CameraImage)]
    expected = list(read_video(clip))
    assert [(i.index, i.t_s) for i in images] == [(i.index, i.t_s) for i in expected]
    assert all(np.array_equal(a.picture.y, b.picture.y) for a, b in zip(images, expected, strict=True))
    with open_camera(str(clip), CaptureOptions(speed=0, after=(40, expected[40].t_s))) as camera:
        rest = [i.image for i in everything(camera) if isinstance(i, CameraImage)]
    assert [(i.index, i.t_s) for i in rest] == [(i.index, i.t_s) for i in expected[41:]]


def test_a_damaged_file_gives_the_same_spans_as_a_review(clip: Path, tmp_path: Path) -> None:
    data = bytearray(clip.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 400] = bytes(400)
    file = tmp_path / "damaged.mp4"
    file.write_bytes(data)
    expected = [
        (i.start_s, i.end_s, i.reason) if isinstance(i, Unusable) else i.t_s for i in watch_video(file)
    ]
    assert any(isinstance(e, tuple) for e in expected), "the damage is seen"
    with open_camera(str(file), CaptureOptions(speed=0)) as camera:
        items = [i for i in everything(camera) if isinstance(i, CameraImage) or i.kind == "unusable"]
    found = [i.image.t_s if isinstance(i, CameraImage) else (i.since_s, i.t_s, i.reason) for i in items]
    assert found == expected


def test_a_slow_consumer_gets_fresh_images_and_a_report_of_skipped_ones(clip: Path) -> None:
    with open_camera(str(clip), CaptureOptions(queue_s=0.2)) as camera:
        items = everything(camera, slow_s=0.15)
        delays = [camera.now_s() - i.image.t_s for i in items[-3:] if isinstance(i, CameraImage)]
    images = [i.image for i in items if isinstance(i, CameraImage)]
    skipped = [i for i in items if isinstance(i, CameraEvent) and i.kind == "skipped"]
    assert len(images) + sum(e.count for e in skipped) == 3 * RATE, (
        "every image was handed out or told as skipped"
    )
    assert skipped and all(e.since_s is None or e.since_s < e.t_s for e in skipped)
    # each skip stands where its images are missing, and the clock of what follows is theirs, not the queue's
    for before, event, after in zip(items, items[1:], items[2:], strict=False):
        if isinstance(event, CameraEvent) and event.kind == "skipped" and isinstance(before, CameraImage):
            assert isinstance(after, CameraImage)
            assert after.image.index - before.image.index == event.count + 1
            assert after.image.t_s == pytest.approx(after.image.index / RATE, abs=1e-6)
    assert all(d < 1.5 for d in delays)


def test_the_clock_continues_over_a_loop(clip: Path) -> None:
    with open_camera(str(clip), CaptureOptions(speed=0, loop=True)) as camera:
        images = first_images(camera, 200)
    assert [i.index for i in images] == list(range(200))
    assert np.allclose(np.diff([i.t_s for i in images]), 1 / RATE, atol=1e-6)


def test_a_loop_resumed_later_does_not_decode_images_that_have_passed(
    clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A club's rehearsal file may be hours long: after a restart the picture is there within a second, at its
    place.
    """
    from vision.capture import file as capture_file

    asked: list[float] = []

    def watched(
        path: Path, start_s: float = 0.0, after: tuple[int, float] | None = None
    ) -> Iterator[VideoImage | Unusable]:
        asked.append(after[1] if after is not None else start_s)
        return watch_video(path, start_s, after)

    monkeypatch.setattr(capture_file, "watch_video", watched)
    began = time.monotonic() - 8.0  # two passages of three seconds, and two seconds of the third
    with open_camera(str(clip), CaptureOptions(loop=True, after=(30, 1.2), zero_mono_s=began)) as camera:
        images = first_images(camera, 40)
    assert asked[0] > 1.9, "sought, not read up to there"
    assert 7.9 < images[0].t_s < 9.0
    assert images[0].index == 31
    for image in images:
        assert float(image.picture.y.mean()) == pytest.approx(_shade(image.t_s), abs=3.0)


def _shade(t_s: float) -> float:
    """Luma of the clip's image at a time, as it was made (limited range)."""
    k = round((t_s % 3.0) * RATE) % (3 * RATE)
    return 16 + (60 + 2 * k) * 219 / 255


def test_an_address_of_no_known_kind_or_a_missing_file_is_refused_without_its_password(
    tmp_path: Path,
) -> None:
    with pytest.raises(UnusableInput) as told:
        open_camera("ftp://anna:geheim@host/x")
    assert "geheim" not in str(told.value) and "anna" not in str(told.value)
    with pytest.raises(UnusableInput):
        open_camera(str(tmp_path / "none.mp4"))


@pytest.mark.parametrize(
    "address",
    [
        "rtsp://",
        "rtsp:/10.0.0.7/live",
        "rtsp://anna:geheim@10.0.0.7:99999/live",
        "rtsp://anna:geheim@10.0.0.7:/0#x@y",
        "rtsp://anna:#geheim@10.0.0.7/live",
        "rtsp://anna:4#geheim@10.0.0.7/live",
        "rtsp://anna:gehe im@10.0.0.7/live",
        "rtsp://[::1/live",
    ],
)
def test_a_malformed_network_address_is_refused(address: str) -> None:
    with pytest.raises(UnusableInput, match=r"expected rtsp://HOST") as told:
        open_camera(address)
    assert "geheim" not in str(told.value) and "im@" not in str(told.value)


@pytest.mark.parametrize(
    "address",
    [
        "rtsp://anna:geheim@10.0.0.7:554/live?channel=1",
        "rtsp://anna:ge@he/im@10.0.0.7/live",
        "rtsp://10.0.0.7/user=anna&password=geheim&channel=1",
        "rtsp://10.0.0.7/user=anna_password=geheim_channel=1_stream=0",
        "connection to rtsp://anna:geheim@10.0.0.7/live failed",
        "rtsps://geheim@host/x#token=geheim",
        "rtsp://anna:ge he/im@10.0.0.7/live",
        "rtsp://10.0.0.7/11?usr=anna&psw=geheim&loginpas=geheim&authbasic=geheim",
        "rtsp:/anna:geheim@10.0.0.7/live",
        "no rtsp:// before anna:geheim@10.0.0.7/live",
    ],
)
def test_a_shown_address_holds_no_password(address: str) -> None:
    assert "geheim" not in shown(address) and "he/im" not in shown(address)
    assert "rtsp" in shown(address)


def test_text_without_secrets_is_unchanged() -> None:
    for address in (
        "/dev/video0",
        "rtsp://10.0.0.7:554/live?channel=1",
        "clip.mp4",
        "/srv/ann@club/clip.mp4",
        "Foul: 4 to ann@club",
    ):
        assert shown(address) == address


def test_a_camera_that_accepts_and_sends_nothing_blocks_nobody() -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        address = f"rtsp://anna:geheim@127.0.0.1:{mute.getsockname()[1]}/x"
        camera = open_camera(address, CaptureOptions(open_timeout_s=0.5, read_timeout_s=0.5))
        item = camera.next(5.0)
        assert isinstance(item, CameraEvent) and item.kind == "lost"
        assert "geheim" not in item.sentence and "does not answer" in item.sentence
        start = time.monotonic()
        camera.close()
        assert time.monotonic() - start < 2.0


def test_an_unreachable_camera_is_reported_once_and_retried() -> None:
    with open_camera("rtsp://127.0.0.1:9/x") as camera:
        items = [camera.next(0.4) for _ in range(4)]
    assert [i.kind for i in items if isinstance(i, CameraEvent)] == ["lost"]


def test_a_connection_without_usable_images_is_made_again(
    clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = capture_read._decoded, []

    def decoded(
        container: Any, stream: Any, read_timeout_s: float, out: Any
    ) -> Iterator[tuple[Any, list[Any]]]:
        calls.append(time.monotonic())
        for packet, frames in real(container, stream, read_timeout_s, out):
            time.sleep(0.01)
            yield packet, frames if len(calls) > 2 else []

    monkeypatch.setattr(capture_read, "_decoded", decoded)
    monkeypatch.setattr(capture_read, "_FIRST_PATIENCE_S", 0.1)
    monkeypatch.setattr(capture_read.StreamReader, "_open", lambda self: av.open(str(clip)))
    with open_camera("rtsp://127.0.0.1/table", CaptureOptions()) as camera:
        told: list[CameraImage | CameraEvent] = []
        end = time.monotonic() + 60.0
        while not any(isinstance(i, CameraImage) for i in told) and len(told) < 20 and time.monotonic() < end:
            told += [i for i in [camera.next(1.0)] if i is not None]
    events = [i for i in told if isinstance(i, CameraEvent)]
    assert [e.kind for e in events] == ["lost", "connected"]
    assert "after 3 attempts; the last failed: no usable image in" in events[1].sentence
    assert (
        calls[2] - calls[1] > calls[1] - calls[0]
    )  # some cameras send a whole image only now and then: wait longer


def test_a_missing_usb_camera_is_reported() -> None:
    with open_camera("/dev/video97") as camera:
        item = camera.next(2.0)
    assert isinstance(item, CameraEvent) and item.kind == "lost" and "no such file" in item.sentence


# -- the match clock ------------------------------------------------------------------------------------


def test_intervals_are_the_streams_and_a_late_packet_changes_nothing() -> None:
    clock = MatchClock()
    late = np.random.default_rng(1).exponential(0.05, 250)
    times = [clock.stamp(900.0 + k / RATE, 50.0 + k / RATE + late[k]) for k in range(250)]
    assert np.allclose(np.diff(times), 1 / RATE, rtol=2e-3), "jitter of arrival must not move a ball"
    assert abs(times[-1] - 249 / RATE) < 0.3


def test_the_clock_follows_the_days_of_a_camera_that_runs_fast() -> None:
    clock = MatchClock()
    drift = 1 + 1e-4  # ten times a bad quartz
    for k in range(0, 4 * 3600 * RATE, 5):
        t_s = clock.stamp(k / RATE * drift, k / RATE)
    assert abs(t_s - k / RATE) < 0.05, "1.4 s of drift would have come together"


@pytest.mark.parametrize("jump_s", [-500.0, 500.0, -3.0, 3.0])
def test_a_jump_of_the_streams_clock_is_anchored_anew_without_going_back(jump_s: float) -> None:
    clock = MatchClock()
    times, jumped = [], []
    for k in range(500):
        times.append(clock.stamp(1000 + k / RATE + (jump_s if k >= 250 else 0.0), k / RATE))
        jumped.append(clock.jumped_s)
    assert np.all(np.diff(times) > 0)
    assert sum(j != 0 for j in jumped) == 1 and jumped[250] == pytest.approx(jump_s, abs=0.01)
    assert abs(times[-1] - 499 / RATE) < 0.1


def test_a_lost_connection_leaves_a_hole_as_long_as_it_lasted() -> None:
    clock = MatchClock()
    before = [clock.stamp(5 + k / RATE, 100 + k / RATE) for k in range(50)]
    clock.begin()  # 12 s later, with timestamps that begin at 0 again
    after = [clock.stamp(k / RATE, 112 + k / RATE) for k in range(50)]
    assert after[0] - before[0] == pytest.approx(12.0, abs=1e-6)


def test_a_restart_continues_behind_the_last_image() -> None:
    clock = MatchClock(zero_mono_s=100.0, last_s=61.0)
    assert clock.stamp(0.0, 160.0) > 61.0, "even where this machine's clock was set back meanwhile"
    later = MatchClock(zero_mono_s=100.0, last_s=61.0)
    assert later.stamp(0.0, 190.0) == pytest.approx(90.0)
