"""Segments and clips on disk: clips cut from segments without re-encoding, retention, deletion.

A segment `seg_START_END.mkv` covers match times START to END in milliseconds. `referee.outputs.clips` says
how clips are named.
"""

from __future__ import annotations

import io
import json
import os
import re
import threading
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import av

from calibration.files import sweep
from referee.live.recording.disk import write_whole
from referee.outputs.clips import Clip, clip_over, clips_in

_SEGMENT = re.compile(r"seg_(\d+)_(\d+)\.mkv")
_LEAD_TICKS = 45_000  # half a second: more than any camera's order of images needs
_IN_MP4 = {"h264", "hevc", "mpeg4", "av1"}


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment on disk; match times."""

    TIME_BASE: ClassVar[Fraction] = Fraction(1, 90_000)
    STEP: ClassVar[int] = 90  # ticks between packets: a millisecond, the finest that Matroska knows

    path: Path
    start_s: float
    end_s: float
    size: int


class ClipStore:
    """The files of one ring. Methods may be called from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        sweep(folder, 0.0)  # nobody else writes here
        for part in folder.glob("*.part"):  # of earlier versions
            part.unlink(missing_ok=True)
        self._segments = sorted(
            filter(None, map(_segment, folder.glob("seg_*.mkv"))), key=lambda s: s.start_s
        )
        self._clips = {(c.stroke, c.part): c for c in clips_in(folder)}

    def add_segment(self, data: bytes, start_s: float, end_s: float) -> None:
        """Write a segment. OSError when it cannot be written."""
        path = (
            self._folder / f"seg_{max(0, round(start_s * 1000)):010d}_{max(0, round(end_s * 1000)):010d}.mkv"
        )
        write_whole(path, data)
        with self._lock:
            self._segments.append(Segment(path, start_s, end_s, len(data)))

    def cut(
        self, stroke: int, start_s: float, end_s: float, lead_s: float, tail_s: float
    ) -> tuple[Clip, ...]:
        """Join the segments that cover a stroke into clips; none where nothing was recorded."""
        with self._lock:
            known = clip_over(self._clips.values(), start_s, end_s)
            if known is not None:
                return tuple(c for c in self._clips.values() if c.stroke == known.stroke)
            if (
                stroke,
                1,
            ) in self._clips:  # the number belongs to another stroke, from before one was removed
                stroke = max(n for n, _ in self._clips) + 1
            over = [s for s in self._segments if s.end_s >= start_s - lead_s and s.start_s <= end_s + tail_s]
            made: list[Clip] = []
            for joined in _joined(over):
                clip = self._write_clip(stroke, len(made) + 1, start_s, end_s, joined)
                if clip is not None:
                    self._clips[stroke, clip.part] = clip
                    made.append(clip)
            return tuple(made)

    def _write_clip(
        self, stroke: int, part: int, start_s: float, end_s: float, joined: _Joined
    ) -> Clip | None:
        name = f"stroke_{stroke:04d}" + (f"_{part}" if part > 1 else "")
        path = self._folder / f"{name}.{joined.suffix}"
        write_whole(path, joined.data)
        clip = Clip(stroke, part, path, start_s, end_s, joined.offset_s, joined.duration_s, len(joined.data))
        facts = {k: v for k, v in asdict(clip).items() if k not in ("path", "size")}
        try:
            write_whole(path.with_suffix(".json"), json.dumps(facts).encode())
        except OSError:
            path.unlink(missing_ok=True)
            raise
        return clip

    def clips(self) -> tuple[Clip, ...]:
        with self._lock:
            return tuple(sorted(self._clips.values(), key=lambda c: (c.stroke, c.part)))

    def bytes_kept(self) -> int:
        with self._lock:
            return sum(s.size for s in self._segments) + sum(c.size for c in self._clips.values())

    def delete(self, stroke: int) -> bool:
        """Delete a stroke's clips; whether there were any."""
        with self._lock:
            chosen = [c for c in self._clips.values() if c.stroke == stroke]
            for clip in chosen:
                self._remove(clip)
            return bool(chosen)

    def delete_all(self) -> int:
        """Delete all clips and segments; how many clips."""
        with self._lock:
            count = len(self._clips)
            for clip in tuple(self._clips.values()):
                self._remove(clip)
            self._forget(lambda s: True)
            return count

    def forget_segments(self, before_s: float) -> None:
        """Delete segments that end before a match time."""
        self._forget(lambda s: s.end_s < before_s)

    def forget_clips(self, before_unix: float | None) -> None:
        """Delete clips that were made before a moment."""
        if before_unix is None:
            return
        with self._lock:
            for clip in tuple(self._clips.values()):
                if _made_unix(clip.path) < before_unix:
                    self._remove(clip)

    def shrink(self, max_bytes: int) -> None:
        """Delete the oldest segments, then the oldest clips, until not more than `max_bytes` are kept."""
        with self._lock:
            while self._segments and self.bytes_kept() > max_bytes:
                self._segments.pop(0).path.unlink(missing_ok=True)
            while self._clips and self.bytes_kept() > max_bytes:
                self._remove(min(self._clips.values(), key=lambda c: (_made_unix(c.path), c.stroke)))

    def _forget(self, which: Any) -> None:
        with self._lock:
            for segment in [s for s in self._segments if which(s)]:
                segment.path.unlink(missing_ok=True)
                self._segments.remove(segment)

    def _remove(self, clip: Clip) -> None:
        clip.path.unlink(missing_ok=True)
        clip.path.with_suffix(".json").unlink(missing_ok=True)
        self._clips.pop((clip.stroke, clip.part), None)


@dataclass(frozen=True, slots=True)
class _Joined:
    data: bytes
    suffix: str
    offset_s: float
    duration_s: float


def _joined(segments: list[Segment]) -> list[_Joined]:
    """Segments in order as files: one for each run of the same codec, size and parameters."""
    found: list[_Joined] = []
    run: _Run | None = None
    for segment in segments:
        try:
            with av.open(str(segment.path), format="matroska") as container:
                stream = container.streams.video[0]
                if run is None or run.kind != _kind(stream):
                    found += run.finish() if run is not None else []
                    run = _Run(stream, segment.start_s)
                run.add(container, stream, segment.start_s)
        except (av.FFmpegError, IndexError):
            continue  # a segment damaged on disk is left out
    return found + (run.finish() if run is not None else [])


def _kind(stream: Any) -> tuple[object, ...]:
    context = stream.codec_context
    return context.name, context.width, context.height, context.extradata


class _Run:
    """A clip being joined in memory."""

    def __init__(self, stream: Any, offset_s: float) -> None:
        self.kind = _kind(stream)
        self._suffix = "mp4" if stream.codec_context.name in _IN_MP4 else "mkv"
        self._bytes = io.BytesIO()
        self._container = av.open(self._bytes, "w", format="mp4" if self._suffix == "mp4" else "matroska")
        self._out = self._container.add_stream_from_template(stream)
        self._offset_s, self._end_s, self._last_dts = offset_s, offset_s, -_LEAD_TICKS

    def add(self, container: Any, stream: Any, start_s: float) -> None:
        """Append a segment's packets."""
        base = float(stream.time_base)
        shift = start_s - self._offset_s
        for packet in container.demux(stream):
            if not packet.size or packet.pts is None:
                continue
            ticks = 1 / float(Segment.TIME_BASE)
            pts = round((packet.pts * base + shift) * ticks)
            if packet.dts is not None:
                dts = max(round((packet.dts * base + shift) * ticks), self._last_dts + Segment.STEP)
            else:  # Matroska omits the first ones where images are not in order of presentation
                dts = self._last_dts + Segment.STEP
            packet.time_base, packet.pts, packet.dts = Segment.TIME_BASE, max(pts, dts), dts
            packet.stream = self._out
            self._last_dts = dts
            self._end_s = max(self._end_s, self._offset_s + pts / ticks)
            self._container.mux(packet)

    def finish(self) -> list[_Joined]:
        self._container.close()
        duration = self._end_s - self._offset_s
        return (
            [_Joined(self._bytes.getvalue(), self._suffix, self._offset_s, duration)] if duration > 0 else []
        )


def _segment(path: Path) -> Segment | None:
    match = _SEGMENT.fullmatch(path.name)
    return Segment(path, int(match[1]) / 1000, int(match[2]) / 1000, path.stat().st_size) if match else None


def _made_unix(path: Path) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
