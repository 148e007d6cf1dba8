"""Reading video: the container's clock, rotation, and files that must be refused in one sentence."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest

from calibration.errors import UnusableInput
from vision.io import images
from vision.io.images import probe, read_image, read_video, sample_images
from vision.io.picture import Picture


def write_clip(
    path: Path, stamps_ms: list[int], size: tuple[int, int] = (320, 192), rotation: int = 0
) -> None:
    """A clip with the given presentation times; the left upper corner is bright."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = size[0], size[1], "yuv420p"
        stream.time_base = Fraction(1, 1000)
        stream.codec_context.time_base = Fraction(1, 1000)
        if rotation:
            stream.set_display_rotation(rotation)
        for k, ms in enumerate(stamps_ms):
            picture = np.full((size[1], size[0], 3), 60, np.uint8)
            picture[: size[1] // 4, : size[0] // 4] = 230
            picture[-8:, :8] = k % 7 * 30
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = ms, Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def test_time_is_the_containers_and_starts_at_zero(tmp_path: Path) -> None:
    stamps = [500, 540, 580, 700, 720, 1500]
    write_clip(tmp_path / "a.mp4", stamps)
    images = list(read_video(tmp_path / "a.mp4"))
    assert [i.index for i in images] == list(range(6))
    assert [i.t_s for i in images] == pytest.approx([(s - 500) / 1000 for s in stamps], abs=2e-3)


def test_probe_counts_images_without_decoding(tmp_path: Path) -> None:
    write_clip(tmp_path / "a.mp4", list(range(0, 2000, 40)))
    info = probe(tmp_path / "a.mp4")
    assert (info.images, info.width_px, info.height_px) == (50, 320, 192)
    assert info.duration_s == pytest.approx(2.0, abs=0.06)


def test_a_rotated_video_is_turned_upright(tmp_path: Path) -> None:
    write_clip(tmp_path / "plain.mp4", [0, 40, 80])
    write_clip(tmp_path / "turned.mp4", [0, 40, 80], rotation=90)
    plain = next(iter(read_video(tmp_path / "plain.mp4"))).picture
    turned = next(iter(read_video(tmp_path / "turned.mp4"))).picture
    assert (turned.width_px, turned.height_px) == (plain.height_px, plain.width_px)
    assert plain.y[:20, :20].mean() > 150
    corners = {
        "upper left": turned.y[:20, :20].mean(),
        "upper right": turned.y[:20, -20:].mean(),
        "lower left": turned.y[-20:, :20].mean(),
        "lower right": turned.y[-20:, -20:].mean(),
    }  # a display matrix of +90 degrees turns the picture counterclockwise: the mark goes to the lower left
    assert max(corners, key=lambda k: corners[k]) == "lower left"


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("text.mp4", b"hello, this is text", "cannot be opened"),
        ("still.png", cv2.imencode(".png", np.zeros((200, 300, 3), np.uint8))[1].tobytes(), "single picture"),
        ("empty.mp4", b"", "empty"),
        ("list.mp4", b"#EXTM3U\n#EXTINF:1,\nother.mp4\n", "playlist"),
        ("concat.mp4", b"ffconcat version 1.0\nfile other.mp4\n", "playlist"),
        ("dash.mp4", b"<?xml version='1.0'?><MPD></MPD>", "playlist"),
    ],
)
def test_a_file_that_is_no_video_is_refused(tmp_path: Path, name: str, content: bytes, found: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UnusableInput, match=found) as refused:
        probe(tmp_path / name)
    assert name in str(refused.value) and "\n" not in str(refused.value)


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.mp4", tmp_path):
        with pytest.raises(UnusableInput, match="expected a file"):
            probe(path)


def test_a_clock_that_no_camera_has_is_refused(tmp_path: Path) -> None:
    """A file written with wrong units of time had 12,800 images a second, and its review a traceback."""
    with av.open(str(tmp_path / "fast.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=12800)
        stream.width, stream.height, stream.pix_fmt = 640, 384, "yuv420p"
        for _ in range(100):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.zeros((384, 640, 3), np.uint8))))
        container.mux(stream.encode())
    with pytest.raises(UnusableInput, match="clock is wrong"):
        probe(tmp_path / "fast.mp4")


def test_truncated_video_is_refused_wherever_its_index_lies(tmp_path: Path) -> None:
    write_clip(tmp_path / "a.mp4", list(range(0, 4000, 40)), size=(640, 384))
    data = (tmp_path / "a.mp4").read_bytes()
    (tmp_path / "tail.mp4").write_bytes(data[: len(data) // 2])
    with (
        av.open(str(tmp_path / "a.mp4")) as source,
        av.open(str(tmp_path / "front.mp4"), "w", options={"movflags": "faststart"}) as target,
    ):
        out = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = out
                target.mux(packet)
    front = (tmp_path / "front.mp4").read_bytes()
    (tmp_path / "front.mp4").write_bytes(front[: int(len(front) * 0.7)])
    for name in ("tail.mp4", "front.mp4"):
        with pytest.raises(UnusableInput, match="truncated"):
            probe(tmp_path / name)


def test_a_file_that_is_no_picture_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"not a picture")
    with pytest.raises(UnusableInput, match="expected a picture"):
        read_image(tmp_path / "a.png")


def test_samples_spread_over_the_video(tmp_path: Path) -> None:
    write_clip(tmp_path / "a.mp4", list(range(0, 20000, 40)))
    times = [i.t_s for i in sample_images(tmp_path / "a.mp4", 10)]
    assert len(times) == 10 and times[0] < 2 and times[-1] > 17


def test_large_pictures_are_sampled_fewer_but_enough_for_a_median(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_clip(tmp_path / "a.mp4", list(range(0, 20000, 40)))
    info = probe(tmp_path / "a.mp4")
    for fit, found in ((8, 8), (3, 7), (50, 15)):
        monkeypatch.setattr("vision.io.images._SAMPLED_PX", fit * info.width_px * info.height_px)
        assert len(sample_images(tmp_path / "a.mp4", 15)) == found


def test_colours_survive_the_planes() -> None:
    rng = np.random.default_rng(3)
    flat = np.repeat(np.repeat(rng.integers(20, 235, (6, 8, 3), dtype=np.uint8), 16, 0), 16, 1)
    back = Picture.from_bgr(flat).bgr().astype(int)
    inner = np.zeros(flat.shape[:2], bool)
    inner[8::16, 8::16] = True  # chroma is halved: away from borders the colour must come back
    assert np.abs(back - flat)[inner].max() <= 3
    x, y = np.meshgrid(np.arange(8, 128, 16, dtype=np.float32), np.arange(8, 96, 16, dtype=np.float32))
    rgb = Picture.from_bgr(flat).sample_rgb(x, y) * 255
    assert np.abs(rgb[..., ::-1] - flat[8::16, 8::16]).max() <= 4


def test_half_size_levels_keep_their_place() -> None:
    bgr = np.zeros((128, 128, 3), np.uint8)
    cv2.circle(bgr, (64 * 16, 40 * 16), 20 * 16, (200, 200, 200), -1, cv2.LINE_AA, 4)
    picture = Picture.from_bgr(bgr)
    x, y = np.meshgrid(np.arange(128, dtype=np.float32), np.arange(128, dtype=np.float32))
    for level in (0, 1, 2):
        luma = picture.sample_yuv(x, y, level)[..., 0]
        centre = (luma * x).sum() / luma.sum(), (luma * y).sum() / luma.sum()
        assert centre == pytest.approx((64, 40), abs=0.15)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_windows_show_what_sampling_at_the_same_places_shows_also_beyond_the_border(level: int) -> None:
    rng = np.random.default_rng(5)
    picture = Picture.from_bgr(
        cv2.GaussianBlur(rng.integers(0, 255, (180, 240, 3), dtype=np.uint8), (0, 0), 1.5)
    )
    middle = np.array([[100.3, 80.7], [3.0, 170.0], [230.0, 5.5]])
    frame = np.array([[[9.0, 1.0], [-2.0, 8.0]], [[12.0, 0.0], [0.0, 12.0]], [[6.0, -3.0], [3.0, 7.0]]])
    size, reach = 32, 1.6
    axis = (np.arange(size) - (size - 1) / 2) * (2 * reach / size)
    uv = np.stack(np.meshgrid(axis, axis), axis=-1)
    found = picture.windows(middle, frame, reach, size, level)
    assert found.shape == (3, 3, size, size) and found.min() >= 0.0 and found.max() <= 1.0
    for b in range(3):
        x, y = (middle[b] + uv @ frame[b].T).astype(np.float32).transpose(2, 0, 1)
        rgb = picture.sample_rgb(np.ascontiguousarray(x), np.ascontiguousarray(y), level)
        assert np.abs(found[b].transpose(1, 2, 0) - rgb).max() < 1e-3  # a quarter of a grey level


def test_a_video_library_without_an_index_of_streams_counts_the_packets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian 13 has PyAV 14, which has none."""
    clip = tmp_path / "clip.mp4"
    write_clip(clip, [40 * k for k in range(12)])

    class WithoutIndex:
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        def __getattr__(self, name: str) -> Any:
            if name == "index_entries":
                raise AttributeError(name)
            return getattr(self._stream, name)

    class Container:
        def __init__(self, container: Any) -> None:
            self._container = container

        def demux(self, stream: Any) -> Any:
            return self._container.demux(stream._stream)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._container, name)

    opened = images.open_container
    known = probe(clip)

    def without(path: Path) -> tuple[Any, Any]:
        container, stream = opened(path)
        return Container(container), WithoutIndex(stream)

    monkeypatch.setattr(images, "open_container", without)
    found = probe(clip)
    assert (found.images, found.width_px, found.rate_hz) == (known.images, known.width_px, known.rate_hz)
    assert found.duration_s == pytest.approx(known.duration_s, abs=0.05)
