"""A run on disk: a file for each camera and each chunk of tracks, written when it is whole; so a run can stop
anywhere.

OUT/bench.json             what is measured
OUT/pixels/00042.jsonl     the records of camera 42; 00042.errors.json: its share of the error model
OUT/tracks/00007.jsonl     the strokes of chunk 7, after a line with its processor time
OUT/real/*.json            what was said of each real clip
OUT/boxes/*.json           what was detected in each real picture with boxes
OUT/errors.json            the error model that the tracks tier uses
OUT/report.html, report.json, plots/*.png
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from calibration.files import whole_file
from calibration.texts import unusable_input
from referee.quality.bench.pixels.tier import CameraPlan
from referee.quality.bench.records import Record, read_records, write_records
from referee.quality.bench.rooms.setting import RoomPlan
from referee.quality.bench.tracks.errors import ErrorModel
from referee.quality.bench.tracks.judge import InventedStroke, TrackStroke, from_line, to_line
from referee.quality.bench.tracks.tier import TrackChunk, TrackPlan


class Store:
    """The folder of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pixels, self.tracks = folder / "pixels", folder / "tracks"
        try:
            self.pixels.mkdir(exist_ok=True)
            self.tracks.mkdir(exist_ok=True)
        except OSError as error:
            raise unusable_input(
                "errors.folder_that_can_be_written_not", folder=folder, reason=error.strerror
            ) from None

    @property
    def real(self) -> Path:
        """The results of real clips."""
        return self.folder / "real"

    @property
    def boxes(self) -> Path:
        """What is detected in real pictures and clips with boxes."""
        return self.folder / "boxes"

    @property
    def rooms(self) -> Path:
        """The records of the second world, a file for each room."""
        return self.folder / "rooms"

    @property
    def errors_file(self) -> Path:
        return self.folder / "errors.json"

    # -- pixels ---------------------------------------------------------------------------------------

    def camera_file(self, number: int) -> Path:
        return self.pixels / f"{number:05d}.jsonl"

    def camera_left(self, plans: Sequence[CameraPlan]) -> list[CameraPlan]:
        """The cameras that are still to be measured."""
        return [p for p in plans if not self.camera_file(p.number).is_file()]

    def save_camera(self, number: int, records: Sequence[Record], errors: ErrorModel | None) -> None:
        """The records last: they say that the camera is done."""
        if errors is not None:
            _write(self.pixels / f"{number:05d}.errors.json", errors.to_text())
        write_records(self.camera_file(number), records)

    def records(self) -> Iterator[Record]:
        """Every record of the pixel tier, camera by camera."""
        for file in sorted(self.pixels.glob("[0-9]*.jsonl")):
            yield from read_records(file)

    def camera_errors(self) -> list[ErrorModel]:
        """The cameras' shares of the error model."""
        return [ErrorModel.load(f) for f in sorted(self.pixels.glob("[0-9]*.errors.json"))]

    # -- rooms ----------------------------------------------------------------------------------------

    def room_file(self, number: int) -> Path:
        return self.rooms / f"{number:05d}.jsonl"

    def rooms_left(self, plans: Sequence[RoomPlan]) -> list[RoomPlan]:
        """The rooms that are still to be measured."""
        return [p for p in plans if not self.room_file(p.number).is_file()]

    def save_room(self, number: int, records: Sequence[Record]) -> None:
        self.rooms.mkdir(exist_ok=True)
        write_records(self.room_file(number), records)

    def room_records(self) -> Iterator[Record]:
        """Every record of the second world, room by room."""
        for file in sorted(self.rooms.glob("[0-9]*.jsonl")):
            yield from read_records(file)

    # -- tracks ---------------------------------------------------------------------------------------

    def chunk_file(self, number: int) -> Path:
        return self.tracks / f"{number:05d}.jsonl"

    def chunks_left(self, plans: Sequence[TrackPlan]) -> list[TrackPlan]:
        """The chunks that are still to be measured."""
        return [p for p in plans if not self.chunk_file(p.number).is_file()]

    def save_chunk(self, number: int, chunk: TrackChunk) -> None:
        head = json.dumps({"record": "chunk", "cpu_s": round(chunk.cpu_s, 3), "strokes": len(chunk.strokes)})
        lines = [head, *(to_line(s) for s in chunk.strokes), *(to_line(i) for i in chunk.invented)]
        _write(self.chunk_file(number), "\n".join(lines) + "\n")

    def strokes(self) -> tuple[list[TrackStroke], list[InventedStroke], float]:
        """Everything of the tracks tier, and the processor time that it took."""
        strokes: list[TrackStroke] = []
        invented: list[InventedStroke] = []
        cpu_s = 0.0
        for file in sorted(self.tracks.glob("[0-9]*.jsonl")):
            lines = file.read_text(encoding="utf-8").splitlines()
            for n, line in enumerate(lines, 1):
                if n == 1:
                    cpu_s += float(json.loads(line)["cpu_s"])
                    continue
                record = from_line(line, f"{file} line {n}")
                if isinstance(record, TrackStroke):
                    strokes.append(record)
                else:
                    invented.append(record)
        return strokes, invented, cpu_s


def _write(path: Path, text: str) -> None:
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")
