"""Reading of video and images from local files, by the container's timestamps, turned upright.

Other files are refused with one sentence. Damaged images are left out and the span is reported (`Unusable`),
so that the times of all other images stay right.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from calibration.texts import unusable_input
from vision.io.clock import Clock, jumps
from vision.io.decoding import Decoded, configure, decode, packets
from vision.io.formats import picture_from_frame
from vision.io.picture import U8, Picture
from vision.io.temporal_filter import NO_FILTER, TemporalFilter, Unfiltered, found_filter
from vision.observation import Unusable, UnusableReason

MAX_PIXELS = 8192 * 4608
"""Pixels of the largest picture that is decoded; larger ones are refused before decoding."""
MAX_RATE_HZ = 1000
"""Images a second beyond which the file's clock is wrong."""

_DEMUXERS = (
    "mov,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg,h264,hevc,m4v,mjpeg,mjpeg_2000,mxf,nut,yuv4mpegpipe,ivf"
)
_OPTIONS = {"protocol_whitelist": "file", "format_whitelist": _DEMUXERS}
_IMAGE_SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp"}
__all__ = [
    "MAX_PIXELS",
    "Unusable",
    "VideoImage",
    "VideoInfo",
    "is_image_file",
    "open_container",
    "picture_from_frame",
    "probe",
    "read_image",
    "read_video",
    "sample_images",
    "seekable",
    "temporal_filter",
    "watch_video",
]

_INDEXED = {"mov", "mp4"}  # containers whose times cannot jump
_RAW = {"h264", "hevc", "m4v", "mjpeg", "yuv4mpegpipe"}  # streams without times
_SAMPLED_PX, _LEAST_SAMPLED = 15 * 1920 * 1080, 7  # pixels held in memory; least images of any size
_PLAYLIST_HEADS = (b"#EXTM3U", b"ffconcat", b"[playlist]", b"<?xml", b"<MPD", b"<smil")

_LOOKS, _LOOK_S, _LOOK_IMAGES = 12, 2.5, 60
"""Pieces in which a filter over time is sought, seconds of video for each, images of each."""

_HOLE_S, _HOLE_IMAGES = 1.0, 10
"""Longest pause between two images, in seconds and in images, that is not a span without images."""


@dataclass(frozen=True, slots=True)
class VideoInfo:
    """Properties of a video before decoding. `images`: packets of the stream, exact for usual files."""

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
    """Whether the file name has the suffix of a still picture."""
    return path.suffix.lower() in _IMAGE_SUFFIXES


def read_image(path: Path) -> U8:
    """The picture (H, W, 3) BGR uint8. Raises UnusableInput for a file that is none."""
    _check_file(path)
    data = np.fromfile(path, np.uint8)
    try:
        bgr = cv2.imdecode(data, cv2.IMREAD_COLOR)
    except cv2.error:  # a size beyond OpenCV's limits, a damaged header
        bgr = None
    if bgr is None:
        raise unusable_input("errors.picture_png_jpeg", path=path)
    if bgr.shape[0] * bgr.shape[1] > MAX_PIXELS:
        raise unusable_input(
            "errors.most_pixels", path=path, max_pixels=MAX_PIXELS, width=bgr.shape[1], height=bgr.shape[0]
        )
    return np.asarray(bgr, np.uint8)


def _check_file(path: Path) -> None:
    if not path.exists():
        raise unusable_input("errors.file", path=path)
    if not path.is_file():
        raise unusable_input("errors.file_not_folder_or_device", path=path)
    if path.stat().st_size == 0:
        raise unusable_input("errors.video_or_picture", path=path)


def open_container(path: Path) -> tuple[Any, Any]:
    """The PyAV container and its video stream. Raises UnusableInput for a file that is no video."""
    _check_file(path)
    with path.open("rb") as file:
        head = file.read(256).lstrip(b"\xef\xbb\xbf \r\n\t")
    if head.startswith(_PLAYLIST_HEADS):
        raise unusable_input("errors.video", path=path)
    try:
        # an absolute path, so that "a:b.mp4" is not read as a protocol
        container = av.open(f"file:{path.resolve()}", options=dict(_OPTIONS))
    except (av.FFmpegError, ValueError, OSError) as error:
        if cv2.haveImageReader(str(path)):
            raise unusable_input("errors.video_not_single_picture_cueref", path=path) from None
        raise unusable_input("errors.video_file", path=path, error=_reason(error)) from None
    if not container.streams.video:
        container.close()
        raise unusable_input("errors.video_not_file_without_a_video", path=path)
    stream = container.streams.video[0]
    if stream.codec_context is None:
        container.close()
        raise unusable_input("errors.video_in_a_codec_that_ffmpeg_knows", path=path)
    width, height = stream.codec_context.width, stream.codec_context.height
    if width * height > MAX_PIXELS or width < 160 or height < 90:
        container.close()
        raise unusable_input(
            "errors.images_of_160_x_90_to_pixels",
            path=path,
            max_pixels=MAX_PIXELS,
            width=width,
            height=height,
        )
    configure(stream, MAX_PIXELS)
    return container, stream


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return str(text).split(":")[0].strip().lower() or type(error).__name__


def probe(path: Path) -> VideoInfo:
    """Size, number of images and duration, without decoding.

    Raises UnusableInput for a truncated file, for one that is no video, and for a clock that no camera has.
    """
    container, stream = open_container(path)
    try:
        base = float(stream.time_base) if stream.time_base else 0.0
        entries = getattr(stream, "index_entries", ())  # PyAV 14, of Debian 13, has none: packets are counted
        count = len(entries)
        if count and stream.frames and count >= stream.frames:
            _check_length(path, entries)
            duration = float(stream.duration or 0) * base
        else:
            count, duration = _count_packets(container, stream, path, base)
        rate = float(stream.average_rate) if stream.average_rate else 0.0
        if rate <= 0 and duration > 0:
            rate = count / duration
        if duration > 0 and count - 1 > MAX_RATE_HZ * duration:
            raise unusable_input(
                "errors.video_clock", path=path, most=MAX_RATE_HZ, count=count, duration=f"{duration:.2f}"
            )
        width, height = stream.codec_context.width, stream.codec_context.height
        return VideoInfo(path, width, height, count, duration or (count / rate if rate else 0.0), rate)
    finally:
        container.close()


def _check_length(path: Path, entries: Sequence[Any]) -> None:
    """Refuse a truncated file: its index (MP4) has entries beyond its end."""
    size = path.stat().st_size
    end = max(entries[i].pos + entries[i].size for i in range(max(0, len(entries) - 64), len(entries)))
    if end > size:
        raise unusable_input("errors.bytes_of_video", path=path, pos=end, size=size)


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
        raise unusable_input("errors.whole_video", path=path, error=_reason(error)) from None
    if count == 0:
        raise unusable_input("errors.video_not_one_without_images", path=path)
    declared = float(container.duration or 0) / 1e6
    if first is not None and declared - (last - first) > max(2.0, 0.02 * declared):
        raise unusable_input(
            "errors.s_of_video_as_its_header_says",
            path=path,
            declared=f"{declared:.1f}",
            last=f"{last - first:.1f}",
        )
    return count, last - (first or 0.0)


def read_video(
    path: Path, start_s: float = 0.0, after: tuple[int, float] | None = None
) -> Iterator[VideoImage]:
    """The usable images in order of presentation (see `watch_video`); their times show the holes."""
    return (item for item in watch_video(path, start_s, after) if isinstance(item, VideoImage))


def watch_video(
    path: Path,
    start_s: float = 0.0,
    after: tuple[int, float] | None = None,
    found: TemporalFilter = NO_FILTER,
) -> Iterator[VideoImage | Unusable]:
    """The images in order of presentation, and the spans between them without usable images.

    `start_s` > 0 seeks to the key image before it; `index` then counts from there, and `t_s` stays the
    video's own clock. `after` (index, t_s of an image) continues behind that image with the next index.
    `found`: the camera's filter over time (`temporal_filter`), which is undone. Raises UnusableInput when no
    image can be decoded.
    """
    open_container(path)[0].close()  # refuses a file that is no video
    if after is not None:
        start_s = after[1]
    if start_s <= 0 or seekable(path):
        yield from _from(path, start_s, after, found)
        return
    for item in _from(path, 0.0, None, found):  # without an index its clock is known only by reading it all
        if isinstance(item, Unusable):
            if item.start_s >= start_s - 1e-6:
                yield item
        elif item.index > after[0] if after is not None else item.t_s + 1e-3 >= start_s:
            yield item


def _from(
    path: Path, start_s: float, after: tuple[int, float] | None, found: TemporalFilter
) -> Iterator[VideoImage | Unusable]:
    container, stream = open_container(path)
    try:
        rate = _rate(stream)
        zero_s: float | None = None
        if start_s > 0:
            base = float(stream.time_base or 1.0)
            zero_s = _first_stamp_s(container, stream)
            try:
                container.seek(int((start_s + zero_s) / base), stream=stream)
            except av.FFmpegError:  # a file without a usable index is read from its beginning
                container.close()
                container, stream = open_container(path)
        # the images from the key image on come again: their times must not look like a clock set back
        clock = Clock(1 / rate, zero_s)
        reader = _Reader(clock, rate, after, start_s, found)
        for decoded in decode(container, stream):
            yield from reader.take(decoded)
        if reader.index == 0 and start_s == 0:
            raise unusable_input("errors.video_not_one_of_which_no_image", path=path)
        yield from reader.close()
    finally:
        container.close()


def _first_stamp_s(container: Any, stream: Any) -> float:
    """The stamp of the first image of a container just opened, 0 without one."""
    first = next((d for d in decode(container, stream) if d.frame is not None), None)
    return first.stamp_s if first is not None and first.stamp_s is not None else 0.0


def is_hole(pause_s: float, interval_s: float) -> bool:
    """Whether a pause between two images is reported as lost images; `interval_s`: the usual one."""
    return pause_s > max(_HOLE_S, _HOLE_IMAGES * interval_s)


class _Reader:
    """Puts decoded frames on the clock, in order, and reports what is missing between them."""

    def __init__(
        self,
        clock: Clock,
        rate_hz: float,
        after: tuple[int, float] | None,
        start_s: float,
        found: TemporalFilter = NO_FILTER,
    ) -> None:
        self._unfiltered = Unfiltered(found) if found.share else None
        self._clock, self._interval_s, self._start_s = clock, 1 / rate_hz, start_s
        self.index = 0 if after is None else after[0] + 1
        self._last_s: float | None = None if after is None else after[1]
        self._begin_s = start_s - 0.5 / rate_hz if after is None else start_s + 1e-6
        self._reason: UnusableReason | None = None  # of what was passed over since the last image
        self._at_s = start_s  # the latest time known

    def take(self, decoded: Decoded) -> Iterator[VideoImage | Unusable]:
        """The image of a frame, behind the span that could not be used before it."""
        if decoded.frame is None:
            self._reason = self._reason or "corrupt"
            return
        tick = self._clock.place(decoded.stamp_s)
        if tick is None:
            return
        if tick.t_s < self._begin_s:
            if not decoded.damaged and self._unfiltered is not None:
                self._picture(decoded.frame, decoded.rotation, tick.t_s)  # the filter had it
            return
        self._at_s = tick.t_s
        if tick.anew:
            self._reason = "clock_changed"
        if decoded.damaged:
            self._reason = self._reason or "corrupt"
            return
        pause_s = 0.0 if self._last_s is None else tick.t_s - self._last_s
        if self._reason is None and is_hole(pause_s, self._interval_s):
            self._reason = "images_lost"
        yield from self._told(tick.t_s)
        yield VideoImage(self.index, tick.t_s, self._picture(decoded.frame, decoded.rotation, tick.t_s))
        self.index += 1
        self._last_s = tick.t_s

    def _picture(self, frame: Any, rotation: int, t_s: float) -> Picture:
        picture = picture_from_frame(frame, rotation)
        return picture if self._unfiltered is None else self._unfiltered.take(t_s, picture)

    def close(self) -> Iterator[Unusable]:
        """What could not be used at the end."""
        return self._told(self._at_s)

    def _told(self, until_s: float) -> Iterator[Unusable]:
        reason, self._reason = self._reason, None
        if reason is not None:
            yield Unusable(self._start_s if self._last_s is None else self._last_s, until_s, reason)


def _rate(stream: Any) -> float:
    return float(stream.average_rate) if stream.average_rate else 25.0


def seekable(path: Path) -> bool:
    """Whether a place in the file can be found by its time: the stamps are there and run on without a
    jump.
    """
    container, stream = open_container(path)
    try:
        names = set(container.format.name.split(","))
        if names & _INDEXED:
            return True
        if names & _RAW:
            return False
        base = float(stream.time_base) if stream.time_base else 1.0
        return not jumps([p.dts * base for p in packets(container, stream) if p.size and p.dts is not None])
    finally:
        container.close()


def temporal_filter(path: Path) -> TemporalFilter:
    """The camera's filter over time, from as few pieces of the video as tell it; none of one too short."""
    duration_s = probe(path).duration_s
    looks = max(1, min(_LOOKS, int(duration_s // _LOOK_S))) if seekable(path) else 1
    images = _LOOK_IMAGES if looks > 1 else _LOOKS * _LOOK_IMAGES
    starts_s = (duration_s * k / looks for k in range(looks))
    return found_filter(islice(_pictures(path, start_s), images) for start_s in starts_s)


def _pictures(path: Path, start_s: float) -> Iterator[Picture]:
    """The pictures from a time on, as the camera filtered them; `start_s` above 0 only where the file is
    `seekable`, which is not asked again.
    """
    return (i.picture for i in _from(path, start_s, None, NO_FILTER) if isinstance(i, VideoImage))


def sample_images(path: Path, count: int) -> list[VideoImage]:
    """About `count` images spread over the video, fewer of large ones, or the one picture of an image
    file.
    """
    if is_image_file(path):
        return [VideoImage(0, 0.0, Picture.from_bgr(read_image(path)))]
    info = probe(path)
    count = min(count, max(_SAMPLED_PX // max(info.width_px * info.height_px, 1), _LEAST_SAMPLED))
    wanted = [info.duration_s * (k + 0.5) / count for k in range(count)]
    if info.images <= 4 * count or info.duration_s < 12:
        step = max(1, info.images // count)
        spread = (_detached(image) for image in read_video(path) if image.index % step == 0)
        return _one_size(list(islice(spread, count)))
    found = [_detached(image) for image in _at_times(path, wanted)]
    if not found:
        raise unusable_input("errors.video_not_one_of_which_no_image", path=path)
    return _one_size(found)


def _at_times(path: Path, wanted_s: list[float]) -> Iterator[VideoImage]:
    """The images with which `read_video` begins at the given times, which rise.

    Decoding goes on from one to the next where no key image lies between them.
    """
    places, (container, stream) = seekable(path), open_container(path)
    try:
        base, rate = float(stream.time_base or 1.0), _rate(stream)
        zero_s = _first_stamp_s(container, stream)
        entries = getattr(stream, "index_entries", ())  # of all images only in a container with an index
        keys = [e.timestamp for e in entries if e.is_keyframe and 0 < stream.frames <= len(entries)]
        frames, key = iter(tuple[Decoded]()), -1
        for t in wanted_s:
            ticks = int((t + zero_s) / base)
            before, key = key, bisect.bisect(keys, ticks)
            try:
                if places and (key != before or not keys):
                    container.seek(ticks, stream=stream)
                    frames = decode(container, stream)
            except av.FFmpegError:
                places = False
            if not places:
                yield from islice(read_video(path, t), 1)
                continue
            reader = _Reader(Clock(1 / rate, zero_s), rate, None, t)
            taken = (item for decoded in frames for item in reader.take(decoded))
            yield from islice((item for item in taken if isinstance(item, VideoImage)), 1)
    finally:
        container.close()


def _detached(image: VideoImage) -> VideoImage:
    """The image with planes of its own: one frame that is kept keeps all frames of its decoder in memory."""
    p = image.picture
    return replace(image, picture=Picture(p.y.copy(), p.u.copy(), p.v.copy(), p.standard, p.full_range))


def _one_size(images: list[VideoImage]) -> list[VideoImage]:
    """Those of the size that most of them have."""
    sizes = [i.picture.y.shape for i in images]
    return [i for i in images if i.picture.y.shape == max(set(sizes), key=sizes.count)]
