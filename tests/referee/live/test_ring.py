"""The ring: clips of strokes on the match clock, the rest forgotten; a full disk stops it and nothing
else.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import av
import numpy as np
import pytest

from referee.live.recording import clip_store as clips_module
from referee.live.recording import ring as ring_module
from referee.live.recording.disk import look
from referee.live.recording.ring import Ring, RingOptions
from referee.outputs.clips import clips_in
from vision.capture.source import CaptureOptions, open_camera

RATE = 25
SECONDS = 24


@pytest.fixture(scope="module", params=["h264", "mjpeg"])
def video(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A picture whose brightness says the time: 8 grey levels a second, over 24 s."""
    h264 = request.param == "h264"
    file = tmp_path_factory.mktemp("ring") / ("clip.mp4" if h264 else "clip.mkv")
    with av.open(str(file), "w") as out:
        stream = out.add_stream("libx264" if h264 else "mjpeg", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = 192, 108, "yuv420p" if h264 else "yuvj420p"
        if h264:
            stream.options = {"preset": "medium", "bf": "2", "g": "50", "crf": "10"}
        for k in range(SECONDS * RATE):
            picture = np.full((108, 192, 3), 30 + 8 * k // RATE, np.uint8)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        out.mux(stream.encode())
    return file


@pytest.fixture
def played(video: Path, tmp_path: Path) -> Iterator[Callable[[RingOptions], Ring]]:
    """A ring that has recorded the video."""
    rings = []

    def record(options: RingOptions) -> Ring:
        ring = Ring(tmp_path / "clips", options)
        rings.append(ring)
        with open_camera(str(video), CaptureOptions(speed=0), ring) as camera:
            end = time.monotonic() + 120.0
            while not camera.ended:
                assert time.monotonic() < end
                camera.next(0.2)
        return ring

    yield record
    for ring in rings:
        ring.close()


def seconds_in(path: Path) -> list[tuple[float, float]]:
    """(time in the file, time that the picture says) of every image."""
    with av.open(str(path)) as container:
        frames = list(container.decode(video=0))
        return [(float(f.time), (float(f.to_ndarray(format="rgb24").mean()) - 30) / 8) for f in frames]


def until(holds: Callable[[], bool]) -> bool:
    """Whether it comes to hold within ten seconds."""
    end = time.monotonic() + 10
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def test_the_clip_of_a_stroke_shows_it_with_two_seconds_around_on_the_match_clock(
    played: Callable[[RingOptions], Ring],
) -> None:
    ring = played(RingOptions(reserve_bytes=0))
    ring.keep(7, 9.0, 12.5)
    assert until(lambda: len(ring.clips()) == 1)
    (clip,) = ring.clips()
    times = seconds_in(clip.path)
    assert clip.offset_s + times[0][0] <= 7.0 and clip.offset_s + times[-1][0] >= 14.5
    assert clip.duration_s < 7.5 + 2 * 4 + 0.2, "whole segments around it, not more"
    off = [clip.offset_s + t - said for t, said in times]
    assert max(abs(np.array(off) - np.median(off))) < 0.3 and abs(np.median(off)) < 0.3, (
        "shown at the right time"
    )
    assert len(times) == pytest.approx(clip.duration_s * RATE, abs=3), "no image is missing"


def test_segments_without_a_stroke_are_deleted_and_bytes_are_bounded(
    played: Callable[[RingOptions], Ring],
) -> None:
    ring = played(RingOptions(reserve_bytes=0, history_s=6.0))
    ring.keep(1, 20.0, 21.0)
    assert until(lambda: len(ring.clips()) == 1)

    def ends() -> list[int]:
        return sorted(int(p.stem.split("_")[2]) for p in ring.folder.glob("seg_*.mkv"))

    assert until(lambda: min(ends()) >= (SECONDS - 6 - 7) * 1000) and ends()
    assert ring.state().bytes_kept == sum(p.stat().st_size for p in ring.folder.glob("*.m*"))
    ring.close()
    size = ring.clips()[0].size
    small = Ring(ring.folder, RingOptions(reserve_bytes=0, max_bytes=size))
    assert until(lambda: small.state().bytes_kept <= size) and len(small.clips()) == 1, (
        "segments go before clips"
    )
    small.close()


def test_a_restart_finds_the_clips_and_deleting_leaves_nothing(played: Callable[[RingOptions], Ring]) -> None:
    ring = played(RingOptions(reserve_bytes=0))
    ring.keep(1, 2.5, 4.0)
    ring.keep(2, 9.0, 10.0)
    ring.close()
    (ring.folder / "stroke_0003.mp4.part").write_bytes(b"cut short by a power cut")
    (ring.folder / f".stroke_0003.{'ab' * 8}.part.mp4").write_bytes(b"and of this version")
    again = Ring(ring.folder, RingOptions(reserve_bytes=0))
    assert again.clips() == ring.clips() and [c.stroke for c in again.clips()] == [1, 2]
    assert not list(ring.folder.glob("*.part"))
    assert again.delete(1) and not again.delete(1)
    assert [c.stroke for c in again.clips()] == [2]
    assert again.delete_all() == 1
    assert not list(ring.folder.iterdir())
    again.close()


def test_removing_a_stroke_keeps_the_clips_of_later_strokes(played: Callable[[RingOptions], Ring]) -> None:
    """Behind it every number is one less, and the next stroke has one that a clip has already."""
    ring = played(RingOptions(reserve_bytes=0))
    ring.keep(1, 4.0, 6.0)
    ring.keep(2, 8.0, 11.0)
    ring.keep(1, 8.0, 11.0)  # said again under its new number
    ring.keep(2, 15.0, 17.0)
    ring.close()
    assert [(c.start_s, c.end_s) for c in ring.clips()] == [(4.0, 6.0), (8.0, 11.0), (15.0, 17.0)]
    for span in ((4.0, 6.0), (8.0, 11.0), (15.0, 17.0), (8.1, 12.5)):  # the last: as it was ruled for good
        clip = ring.clip_over(*span)
        assert clip is not None and abs(clip.start_s - span[0]) < 0.5 and clip in clips_in(ring.folder)
    assert ring.clip_over(11.0, 15.0) is None and ring.clip_over(10.9, 15.1) is None


def test_a_finished_match_keeps_its_clips_only(played: Callable[[RingOptions], Ring]) -> None:
    ring = played(RingOptions(reserve_bytes=0))
    ring.keep(1, 20.0, 21.0)
    ring.close(over=True)
    assert sorted(p.suffix for p in ring.folder.iterdir()) in ([".json", ".mkv"], [".json", ".mp4"])
    assert [c.stroke for c in ring.clips()] == [1]


def test_clips_are_forgotten_after_their_days(played: Callable[[RingOptions], Ring]) -> None:
    ring = played(RingOptions(reserve_bytes=0, keep_days=3))
    ring.keep(1, 2.5, 4.0)
    ring.keep(2, 9.0, 10.0)
    assert until(lambda: len(ring.clips()) == 2)
    old = ring.clips()[0].path
    os.utime(old, (time.time() - 4 * 86400,) * 2)
    assert (
        until(lambda: [c.stroke for c in ring.clips()] == [2])
        and not old.exists()
        and not old.with_suffix(".json").exists()
    )


def test_a_full_disk_stops_the_recording_says_so_and_lets_it_resume(
    played: Callable[[RingOptions], Ring], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = clips_module.write_whole
    full = True

    def write(path: Path, data: bytes) -> None:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path, data)

    monkeypatch.setattr(clips_module, "write_whole", write)
    monkeypatch.setattr(ring_module, "write_whole", write)
    ring = played(RingOptions(reserve_bytes=0))  # the capture reads on to the end
    ring.keep(1, 9.0, 10.0)
    assert until(lambda: not ring.state().recording)
    assert "full" in ring.state().sentence and not ring.clips()
    full = False
    assert until(lambda: ring.state().recording) and ring.state().sentence == ""


def test_a_disk_too_slow_for_the_video_costs_clips_and_the_table_says_so(
    played: Callable[[RingOptions], Ring], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The camera goes on all the same: it is read to its end."""
    monkeypatch.setattr(ring_module, "_WAITING_BYTES", 1000)
    ring = played(RingOptions(reserve_bytes=0))
    assert until(lambda: "too slow" in ring.state().sentence)


def test_little_room_stops_the_recording_before_the_disk_is_full(tmp_path: Path) -> None:
    free = look(tmp_path, 0, True).free_bytes
    assert look(tmp_path, 0, True).sentence == ""
    assert not look(tmp_path, free + (1 << 30), True).may_record
    nearly = look(tmp_path, int(free / 1.5), True)
    assert nearly.may_record and "nearly full" in nearly.sentence
    assert not look(tmp_path, int(free / 1.05), False).may_record, "it does not flicker at the edge"
    ring = Ring(tmp_path / "clips", RingOptions(reserve_bytes=free + (1 << 30)))
    assert not ring.state().recording and "MB" in ring.state().sentence
    ring.close()
