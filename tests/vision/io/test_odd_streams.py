"""Odd streams: every image is the right picture at the right time, or its span is told as unusable."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from odd_clips import damaged, joined, other_camera, remuxed, sample, write

from vision.io.images import Unusable, VideoImage, probe, read_video, watch_video
from vision.io.picture import Picture

N = 30


@cache
def frames() -> tuple[Any, ...]:
    """The sample's images while the cue-ball runs; decoded by the worker that runs this file alone."""
    return sample(2.0, 2.0 + N / 25)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[VideoImage]:
    return list(read_video(write(tmp_path_factory.mktemp("plain") / "a.mp4", frames())))


def both(path: Path) -> tuple[list[VideoImage], list[Unusable]]:
    items = list(watch_video(path))
    return [i for i in items if isinstance(i, VideoImage)], [i for i in items if isinstance(i, Unusable)]


def distance(a: Picture, b: Picture) -> float:
    """Mean absolute difference in grey levels of RGB."""
    return float(np.abs(a.bgr().astype(int) - b.bgr()).mean())


@pytest.mark.parametrize(
    ("name", "codec", "pix_fmt"),
    [
        ("deep420.mp4", "libx265", "yuv420p10le"),
        ("deep422.mp4", "libx264", "yuv422p10le"),
        ("422.mp4", "libx264", "yuv422p"),
        ("444.mp4", "libx264", "yuv444p"),
        ("rgb.mkv", "ffv1", "bgr0"),
        ("411.mkv", "ffv1", "yuv411p"),
        ("nv12.nut", "rawvideo", "nv12"),
        ("full422.avi", "mjpeg", "yuvj422p"),
        ("full420.avi", "mjpeg", "yuvj420p"),
        ("mpeg2.ts", "mpeg2video", "yuv420p"),
        ("vp9.webm", "libvpx-vp9", "yuv420p"),
        ("av1.mkv", "libsvtav1", "yuv420p"),
        ("noclock.avi", "libx264", "yuv420p"),
        ("noclock.h264", "libx264", "yuv420p"),
        ("plain.ts", "libx264", "yuv420p"),
    ],
)
def test_every_format_gives_the_same_pictures_at_the_same_times(
    tmp_path: Path, plain: list[VideoImage], name: str, codec: str, pix_fmt: str
) -> None:
    quick = {
        "libvpx-vp9": {"deadline": "realtime", "cpu-used": "8"},
        "libsvtav1": {"preset": "12"},
        "libx265": {"preset": "ultrafast", "x265-params": "log-level=none"},
    }
    fine = {"mjpeg": {"qmin": "2", "qmax": "4"}, "mpeg2video": {"qmin": "2", "qmax": "4"}}
    path = write(tmp_path / name, frames(), codec, pix_fmt, options=quick.get(codec, fine.get(codec)))
    images, unusable = both(path)
    assert not unusable
    assert [i.t_s for i in images] == pytest.approx([k / 25 for k in range(N)], abs=1.5e-3)
    assert max(distance(a.picture, b.picture) for a, b in zip(images[::7], plain[::7], strict=True)) < 3.0


@pytest.mark.parametrize("top_first", [True, False])
def test_interlaced_images_are_whole_and_lie_at_their_first_field(
    tmp_path: Path, plain: list[VideoImage], top_first: bool
) -> None:
    """Weave two moments into one frame: the reader gives the first of them, at its time, without combs."""
    woven = []
    for first, second in zip(frames()[::2], frames()[1::2], strict=True):
        a, b = (f.to_ndarray(format="yuv420p").copy() for f in (first, second))
        for rows in (
            slice(0, 360),
            slice(360, 450),
            slice(450, 540),
        ):  # U and V lie below, two of their lines in a row
            width = 640 if rows.start == 0 else 320
            part, other = a[rows].reshape(-1, width), b[rows].reshape(-1, width)
            part[int(top_first) :: 2] = other[int(top_first) :: 2]
        woven.append(av.VideoFrame.from_ndarray(a, format="yuv420p"))
    fields = "tff" if top_first else "bff"
    options, stamps = {"x264-params": f"{fields}=1", "crf": "12"}, [2 * k for k in range(len(woven))]
    path = write(tmp_path / "i.ts", woven, options=options, stamps=stamps, fields=fields)
    images, unusable = both(path)
    assert not unusable and len(images) == len(woven)
    assert [i.t_s for i in images] == pytest.approx([2 * k / 25 for k in range(len(woven))], abs=1e-3)
    for k in (3, 7, 11):
        at = [distance(images[k].picture, plain[2 * k + d].picture) for d in (-1, 0, 1)]
        assert at.index(min(at)) == 1 and at[1] < 2.0


def test_a_clock_may_start_high_wrap_or_be_of_changing_rate(tmp_path: Path) -> None:
    stamps = [*range(10), *range(10, 30, 2), *range(31, 61, 3)]
    for name, base in (
        ("high.ts", 25 * 3600 * 20),
        ("wraps.ts", 95443 * 25 - 20),
    ):  # 33 bits of 90 kHz end at 95443.7 s
        images, unusable = both(write(tmp_path / name, frames(), stamps=stamps, base=base))
        assert [i.t_s for i in images] == pytest.approx([s / 25 for s in stamps], abs=1e-3)
        assert not unusable
        assert probe(tmp_path / name).duration_s == pytest.approx(stamps[-1] / 25, abs=0.1)


def test_a_clock_set_back_continues_and_the_jump_is_reported(tmp_path: Path) -> None:
    part = write(tmp_path / "a.ts", frames(), gop=10)
    images, unusable = both(joined(tmp_path / "twice.ts", part, part))
    times = [i.t_s for i in images]
    assert all(b > a for a, b in itertools.pairwise(times))
    assert len(images) > 2 * N - 10 and times[-1] == pytest.approx(2 * N / 25, abs=0.1)
    assert [u.reason for u in unusable] == ["clock_changed"]
    again = [
        i
        for i in watch_video(tmp_path / "twice.ts", after=(images[40].index, images[40].t_s))
        if isinstance(i, VideoImage)
    ]
    assert [(i.index, i.t_s) for i in again] == [(i.index, i.t_s) for i in images[41:]]


def test_a_hole_is_reported_with_its_length(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.ts", frames(), gop=10), write(tmp_path / "b.ts", frames(), gop=10, base=500)
    images, unusable = both(joined(tmp_path / "hole.ts", a, b))
    assert images[-1].t_s == pytest.approx((500 + N - 1) / 25, abs=0.01)
    assert len(unusable) == 1 and unusable[0].end_s - unusable[0].start_s > 18.0


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("a.mp4", "libx264"),
        ("a.ts", "libx264"),
        ("a.mp4", "libx265"),
        ("a.mkv", "libvpx-vp9"),
        ("a.avi", "mjpeg"),
    ],
)
def test_damage_is_reported_up_to_the_next_key_image(
    tmp_path: Path, plain: list[VideoImage], name: str, codec: str
) -> None:
    options = {
        "libvpx-vp9": {"deadline": "realtime", "cpu-used": "8"},
        "libx265": {"preset": "ultrafast", "x265-params": "log-level=none"},
    }
    whole = write(
        tmp_path / f"whole.{name}",
        frames(),
        codec,
        "yuvj420p" if codec == "mjpeg" else "yuv420p",
        gop=12,
        options=options.get(codec),
    )
    images, unusable = both(remuxed(whole, tmp_path / name, lambda k, p: damaged(p) if k == 15 else p))
    (span,) = unusable
    assert span.reason == "corrupt" and span.start_s < 15 / 25 < span.end_s <= 24 / 25 + 1e-3
    assert images[-1].t_s == pytest.approx((N - 1) / 25, abs=2e-3)
    assert not [i for i in images if span.start_s + 1e-3 < i.t_s < span.end_s - 1e-3]
    for image in images[::3]:  # nothing damaged came through
        assert distance(image.picture, plain[round(image.t_s * 25)].picture) < 4.0


@pytest.mark.parametrize(
    ("name", "container", "share"),
    [
        ("a.ts", None, 0.7),
        ("a.mkv", {"live": "1"}, 0.7),
        ("a.mp4", {"movflags": "frag_keyframe+empty_moov+default_base_moof"}, 0.9),
    ],
)
def test_a_file_cut_off_while_it_was_recorded_is_read_to_its_end(
    tmp_path: Path, name: str, container: dict[str, str] | None, share: float
) -> None:
    whole = write(tmp_path / f"whole_{name}", frames(), gop=5, container=container).read_bytes()
    (tmp_path / name).write_bytes(whole[: int(len(whole) * share)])
    assert probe(tmp_path / name).images > 0.4 * N
    images, _ = both(tmp_path / name)
    assert len(images) > 0.4 * N
    assert [i.t_s for i in images] == pytest.approx([k / 25 for k in range(len(images))], abs=2e-3)


def test_another_size_in_mid_file_is_read_at_its_own_size(tmp_path: Path) -> None:
    a, b = (
        write(tmp_path / "a.ts", frames()[:20]),
        write(tmp_path / "b.ts", frames()[20:], base=20, size=(480, 270)),
    )
    images, _ = both(joined(tmp_path / "both.ts", a, b))
    assert [(i.picture.width_px, i.picture.height_px) for i in (images[0], images[-1])] == [
        (640, 360),
        (480, 270),
    ]


def test_garbage_in_the_file_never_raises(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for name in ("a.ts", "a.mkv", "a.avi"):
        data = bytearray(
            write(tmp_path / name, [other_camera(k, 320, 192) for k in range(25)], gop=5).read_bytes()
        )
        for _ in range(6):
            at = int(rng.integers(len(data) // 4, len(data) - 300))
            data[at : at + 200] = rng.integers(0, 256, 200, dtype=np.uint8).tobytes()
        (tmp_path / name).write_bytes(data)
        times = [i.t_s for i in read_video(tmp_path / name)]
        assert times and all(b > a for a, b in itertools.pairwise(times))


def test_unusual_pixel_formats_are_converted_as_declared() -> None:
    """Ten bits are rounded to eight, not cut; full range stays full range."""
    from vision.io.formats import picture_from_frame

    def made(name: str, values: Any, full: bool = False) -> Picture:
        frame = av.VideoFrame(64, 48, name)
        for plane, value in zip(frame.planes, values, strict=True):
            bits = np.uint16 if "10" in name else np.uint8
            plane.update(np.full(plane.buffer_size // np.dtype(bits).itemsize, value, bits).tobytes())
        frame.color_range = 2 if full else 1
        frame.time_base = Fraction(1, 25)
        return picture_from_frame(frame)

    ten = made("yuv444p10le", (402, 513, 510))
    assert (ten.y[0, 0], ten.u[0, 0], ten.v[0, 0]) == (100, 128, 128) and ten.u.shape == (24, 32)
    assert made("yuv420p", (100, 128, 128), full=True).full_range and not ten.full_range
    assert made("gray", (77,)).y[5, 5] == 77
