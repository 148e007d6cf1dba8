"""Reads video and images: local files only, container timestamps, rotation, odd files refused in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from calibration.errors import UnusableInput
from vision.picture import U8, Picture

MAX_PIXELS = 8192 * 4608
"""Largest picture that is decoded; a file that claims more is refused before decoding."""

_DEMUXERS = "mov,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg,h264,hevc,m4v,mjpeg,mjpeg_2000,mxf,nut,yuv4mpegpipe,ivf"
_OPTIONS = {"protocol_whitelist": "file", "format_whitelist": _DEMUXERS}
_IMAGE_SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp"}
_PLAYLIST_HEADS = (b"#EXTM3U", b"ffconcat", b"[playlist]", b"<?xml", b"<MPD", b"<smil")


@dataclass(frozen=True, slots=True)
class VideoInfo:
    """What is known of a video before decoding. `images`: packets of the stream (exact for usual files)."""

    path: Path
    width_px: int
    height_px: int
    images: int
    duration_s: float
    rate_hz: float


@dataclass(frozen=True, slots=True)
class VideoImage:
    """One decoded image. `t_s`: presentation time minus the first image's."""

    index: int
    t_s: float
    picture: Picture


def is_image_file(path: Path) -> bool:
    """Whether the file name is that of a still picture."""
    return path.suffix.lower() in _IMAGE_SUFFIXES


def read_image(path: Path) -> U8:
    """The picture (H, W, 3) BGR uint8; UnusableInput when it is none."""
    _check_file(path)
    data = np.fromfile(path, np.uint8)
    bgr = cv2.imdecode(data, cv2.IMREAD_COLOR)
    if bgr is None:
        raise UnusableInput(f"{path}: expected a picture (PNG, JPEG, ...), found a file that cannot be decoded as one")
    if bgr.shape[0] * bgr.shape[1] > MAX_PIXELS:
        raise UnusableInput(f"{path}: expected at most {MAX_PIXELS} pixels, found {bgr.shape[1]} x {bgr.shape[0]}")
    return np.asarray(bgr, np.uint8)


def _check_file(path: Path) -> None:
    if not path.exists():
        raise UnusableInput(f"{path}: expected a file, found none of that name")
    if not path.is_file():
        raise UnusableInput(f"{path}: expected a file, found a folder or device")
    if path.stat().st_size == 0:
        raise UnusableInput(f"{path}: expected a video or picture, found an empty file")


def _open(path: Path) -> tuple[Any, Any]:
    """PyAV container and its video stream, or UnusableInput."""
    _check_file(path)
    with path.open("rb") as file:
        head = file.read(256).lstrip(b"\xef\xbb\xbf \r\n\t")
    if head.startswith(_PLAYLIST_HEADS):
        raise UnusableInput(f"{path}: expected a video, found a playlist, which may point to other files and is refused")
    try:
        # the absolute path: "a:b.mp4" must not be read as a protocol
        container = av.open(f"file:{path.resolve()}", options=dict(_OPTIONS))
    except (av.FFmpegError, ValueError, OSError) as error:
        raise UnusableInput(
            f"{path}: expected a video file, found one that cannot be opened as video, truncated or of another kind"
            f" ({_reason(error)})"
        ) from None
    if not container.streams.video:
        container.close()
        raise UnusableInput(f"{path}: expected a video, found a file without a video stream")
    stream = container.streams.video[0]
    width, height = stream.codec_context.width, stream.codec_context.height
    if width * height > MAX_PIXELS or width < 160 or height < 90:
        container.close()
        raise UnusableInput(
            f"{path}: expected images of 160 x 90 to {MAX_PIXELS} pixels, found {width} x {height}"
        )
    stream.codec_context.options = {"max_pixels": str(MAX_PIXELS)}
    stream.thread_type = "AUTO"
    return container, stream


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return str(text).split(":")[0].strip().lower() or type(error).__name__


def probe(path: Path) -> VideoInfo:
    """Size, number of images and duration, without decoding; UnusableInput for a truncated or odd file."""
    container, stream = _open(path)
    try:
        base = float(stream.time_base) if stream.time_base else 0.0
        entries = stream.index_entries
        size = path.stat().st_size
        count = len(entries)
        # a container that declares its images (MP4) shows a cut file by an entry beyond its end
        if count and stream.frames and count >= stream.frames:
            last = max((entries[i] for i in range(max(0, count - 64), count)), key=lambda e: e.pos + e.size)
            if last.pos + last.size > size:
                raise UnusableInput(
                    f"{path}: expected {last.pos + last.size} bytes of video or more, found a truncated file of {size}"
                )
            duration = float(stream.duration or 0) * base
        else:
            count, duration = _count_packets(container, stream, path, base)
        rate = float(stream.average_rate) if stream.average_rate else 0.0
        if rate <= 0 and duration > 0:
            rate = count / duration
        width, height = stream.codec_context.width, stream.codec_context.height
        return VideoInfo(path, width, height, count, duration or (count / rate if rate else 0.0), rate)
    finally:
        container.close()


def _count_packets(container: Any, stream: Any, path: Path, base: float) -> tuple[int, float]:
    first: float | None = None
    last, count = 0.0, 0
    try:
        for packet in container.demux(stream):
            if packet.size == 0:
                continue
            count += 1
            stamp = packet.pts if packet.pts is not None else packet.dts
            if stamp is not None:
                at = float(stamp) * base
                first = at if first is None else min(first, at)
                last = max(last, at)
    except av.FFmpegError as error:
        raise UnusableInput(f"{path}: expected a whole video, found one that breaks off ({_reason(error)})") from None
    if count == 0:
        raise UnusableInput(f"{path}: expected a video, found one without images")
    declared = float(container.duration or 0) / 1e6
    if first is not None and declared - (last - first) > max(2.0, 0.02 * declared):
        raise UnusableInput(
            f"{path}: expected {declared:.1f} s of video as its header says, found a truncated file of {last - first:.1f} s"
        )
    return count, last - (first or 0.0)


def read_video(
    path: Path, start_s: float = 0.0, after: tuple[int, float] | None = None
) -> Iterator[VideoImage]:
    """The images in order of presentation. Corrupt packets are passed over; the clock shows the hole.

    `start_s` > 0 seeks to the key image before it: `index` then counts from there, `t_s` stays the
    video's own clock. `after` (index, t_s of an image) goes on behind that image with the next index.
    Raises UnusableInput when nothing at all can be decoded.
    """
    if after is not None:
        start_s = after[1]
    container, stream = _open(path)
    try:
        base = float(stream.time_base) if stream.time_base else 1.0
        rate = float(stream.average_rate) if stream.average_rate else 25.0
        zero: float | None = None
        if start_s > 0:
            first = next(_decoded(container, stream), None)
            zero = first.pts * base if first is not None and first.pts is not None else 0.0
            try:
                container.seek(int((start_s + zero) / base), stream=stream)
            except av.FFmpegError:  # a file without a usable index is read from its beginning
                container.close()
                container, stream = _open(path)
        index, last = (0, -1.0) if after is None else (after[0] + 1, after[1])
        for frame in _decoded(container, stream):
            at = frame.pts * base if frame.pts is not None else (zero or 0.0) + (last + 1 / rate)
            zero = at if zero is None else zero
            t_s = at - zero
            if t_s <= last + 1e-6 and index:
                continue  # a stamp that does not advance cannot be placed on the clock
            if after is None and t_s + 0.5 / rate < start_s:
                continue
            last = t_s
            yield VideoImage(index, t_s, picture_from_frame(frame))
            index += 1
        if index == 0 and start_s == 0:
            raise UnusableInput(f"{path}: expected a video, found one of which no image can be decoded")
    finally:
        container.close()


def _decoded(container: Any, stream: Any) -> Iterator[Any]:
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
        except StopIteration:
            return
        except av.FFmpegError:
            return
        try:
            yield from packet.decode()
        except av.FFmpegError:
            continue


def picture_from_frame(frame: Any) -> Picture:
    """A decoded PyAV frame as a picture, turned upright by its rotation metadata."""
    if frame.format.name not in ("yuv420p", "yuvj420p"):
        full = frame.format.name.startswith("yuvj")
        frame = frame.reformat(format="yuvj420p" if full else "yuv420p")
    planes = [np.frombuffer(p, np.uint8).reshape(p.height, p.line_size)[:, : p.width] for p in frame.planes[:3]]
    rotation = round(getattr(frame, "rotation", 0) or 0) % 360
    if rotation in (90, 180, 270):
        planes = [np.ascontiguousarray(np.rot90(p, rotation // 90)) for p in planes]
    space = int(frame.colorspace)
    standard = "709" if space == 1 or (space not in (4, 5, 6, 7) and frame.height >= 720) else "601"
    full = int(frame.color_range) == 2 or frame.format.name.startswith("yuvj")
    return Picture(planes[0], planes[1], planes[2], standard, full)


def sample_images(path: Path, count: int) -> list[VideoImage]:
    """About `count` images spread over the video, or the one picture of an image file."""
    if is_image_file(path):
        return [VideoImage(0, 0.0, Picture.from_bgr(read_image(path)))]
    info = probe(path)
    wanted = [info.duration_s * (k + 0.5) / count for k in range(count)]
    if info.images <= 4 * count or info.duration_s < 12:
        step = max(1, info.images // count)
        return [image for image in read_video(path) if image.index % step == 0][:count]
    found = []
    for t in wanted:
        image = next(iter(read_video(path, t)), None)
        if image is not None:
            found.append(image)
    if not found:
        raise UnusableInput(f"{path}: expected a video, found one of which no image can be decoded")
    return found
