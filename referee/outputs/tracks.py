"""`tracks.csv`: written row by row as the tracker speaks, read back stroke by stroke.

Columns `t_s,ball,x_mm,y_mm,sigma_mm,state`; a row for each ball in each image while it moves, one at
the beginning and one at the end of each rest.
"""

from __future__ import annotations

import csv
import math
import os
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

from calibration.files import open_kept, sync_folder
from calibration.texts import unusable_input
from referee.outputs.cells import safe_cell
from tracker.events import TrackRow

TRACKS_FILE = "tracks.csv"
PART_FILE = ".tracks.csv.part"
HEADER = "t_s,ball,x_mm,y_mm,sigma_mm,state\n"
_LONGEST_LINE_BYTES = 4096  # far more than any row has
STATES = ("rest", "moving", "hidden", "potted", "off")


class TracksWriter:
    """Streams rows into a part file that becomes `tracks.csv` at `commit`.

    `mark()` gives the byte offset of what is safely on disk; a review that was killed passes the last
    closed stroke's mark as `resume_at` and goes on from exactly there. Without it the file begins anew.
    """

    def __init__(self, out_dir: Path, resume_at: int | None = None) -> None:
        out_dir.mkdir(parents=True, exist_ok=True)
        self._part = out_dir / PART_FILE
        self._target = out_dir / TRACKS_FILE
        take_back(self._part, self._target, resume_at)
        self._file: IO[bytes] = os.fdopen(open_kept(self._part), "r+b")
        whole = resume_at is not None and self._part.stat().st_size >= resume_at
        self._file.truncate(resume_at if whole else 0)
        self._file.seek(0, os.SEEK_END)
        if not whole:
            self._file.write(HEADER.encode())

    def write(self, row: TrackRow) -> None:
        """Append one row; times to 0.1 ms, positions to 1 µm."""
        place = f"{row.x_mm:.3f},{row.y_mm:.3f},{row.sigma_mm:.3f}"
        line = f"{row.t_s:.4f},{safe_cell(row.ball)},{place},{row.state}\n"
        self._file.write(line.encode())

    def write_all(self, rows: Iterable[TrackRow]) -> None:
        for row in rows:
            self.write(row)

    def mark(self) -> int:
        """Flush to disk; the offset to give as `resume_at` later."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._file.tell()

    def commit(self) -> Path:
        """Close and give the file its name."""
        self.mark()
        self._file.close()
        os.replace(self._part, self._target)
        sync_folder(self._target.parent)
        return self._target

    def discard(self) -> None:
        """Close and leave nothing behind."""
        self._file.close()
        self._part.unlink(missing_ok=True)

    def close(self) -> None:
        """Close and keep the part file, for a later `resume_at`."""
        self._file.close()

    def __enter__(self) -> TracksWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._file.closed:
            if kind is None:
                self.commit()
            else:
                self.close()


def take_back(part: Path, target: Path, resume_at: int | None) -> None:
    """Give a finished file its working name again, for a run that was stopped just behind `commit`."""
    if resume_at is not None and not part.exists() and target.is_file() and not target.is_symlink():
        os.replace(target, part)


def whole_lines(out_dir: Path) -> int | None:
    """The offset behind the last whole line of a part file; None where there is none.

    For a run that goes on without knowing which rows were its own.
    """
    try:
        with (out_dir / PART_FILE).open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - _LONGEST_LINE_BYTES))
            tail = file.read()
    except OSError:
        return None
    return end - len(tail) + tail.rfind(b"\n") + 1 if b"\n" in tail else None


@dataclass(frozen=True, slots=True)
class BallPath:
    """One ball's rows: times ascending, (x_mm, y_mm) and state of each."""

    ball: str
    t_s: tuple[float, ...]
    xy_mm: tuple[tuple[float, float], ...]
    state: tuple[str, ...]

    def between(self, start_s: float, end_s: float) -> BallPath:
        """The rows of a span, ends included."""
        i, j = bisect_left(self.t_s, start_s), bisect_right(self.t_s, end_s)
        return BallPath(self.ball, self.t_s[i:j], self.xy_mm[i:j], self.state[i:j])

    def at(self, t_s: float) -> tuple[float, float, str] | None:
        """Where the ball is at a time, interpolated between its rows; None before the first or once gone."""
        i = bisect_right(self.t_s, t_s) - 1
        if i < 0 or self.state[i] in ("potted", "off"):
            return None
        (x0, y0), state = self.xy_mm[i], self.state[i]
        if i + 1 < len(self.t_s) and state == "moving":
            share = (t_s - self.t_s[i]) / max(self.t_s[i + 1] - self.t_s[i], 1e-9)
            x1, y1 = self.xy_mm[i + 1]
            return x0 + share * (x1 - x0), y0 + share * (y1 - y0), state
        return x0, y0, state


Tracks = dict[str, BallPath]
PathRow = tuple[float, float, float, str]
"""Time in s, place in mm and state of one ball."""


def read_tracks(path: Path) -> Tracks:
    """All rows of a `tracks.csv` (file or folder), by ball; {} when there is no such file.

    Raises UnusableInput with the line number when a row is not as the header says.
    """
    file = path / TRACKS_FILE if path.is_dir() else path
    if not file.is_file():
        return {}
    rows: dict[str, list[PathRow]] = defaultdict(list)
    with file.open(newline="", encoding="utf-8", errors="replace") as handle:
        reader = csv.reader(_lines(handle))
        if next(reader, None) != HEADER.strip().split(","):
            raise unusable_input("errors.header_in_line_1", file=file, header=repr(HEADER.strip()))
        for line, cells in enumerate(reader, start=2):
            rows[cells[1] if len(cells) > 1 else ""].append(_row(file, line, cells))
    return paths_of(rows)


def paths_of(rows: Mapping[str, Sequence[PathRow]]) -> Tracks:
    """The paths of balls from their rows, which may come in any order."""
    out: Tracks = {}
    for ball, own in rows.items():
        seen = sorted(own, key=lambda r: r[0])
        xy_mm = tuple((x_mm, y_mm) for _, x_mm, y_mm, _ in seen)
        states = tuple(state for _, _, _, state in seen)
        out[ball] = BallPath(ball, tuple(t_s for t_s, _, _, _ in seen), xy_mm, states)
    return out


def _lines(handle: IO[str]) -> Iterator[str]:
    """The lines of a file, one that is far too long in pieces, which are no rows."""
    while line := handle.readline(_LONGEST_LINE_BYTES):
        yield line


def simplified(
    points: tuple[tuple[float, float], ...], tolerance_mm: float = 2.0
) -> list[tuple[float, float]]:
    """Fewer points for the same line, within the tolerance."""
    return [points[k] for k in simplified_indices(points, tolerance_mm)]


def simplified_indices(points: Sequence[tuple[float, float]], tolerance_mm: float = 2.0) -> list[int]:
    """Which points to keep (Douglas and Peucker, without recursion)."""
    if len(points) < 3:
        return list(range(len(points)))
    keep = {0, len(points) - 1}
    stack = [(0, len(points) - 1)]
    while stack:
        i, j = stack.pop()
        worst, at = 0.0, -1
        for k in range(i + 1, j):
            off = _off_line(points[k], points[i], points[j])
            if off > worst:
                worst, at = off, k
        if worst > tolerance_mm:
            keep.add(at)
            stack += [(i, at), (at, j)]
    return sorted(keep)


def _off_line(p: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy)
    if length == 0:
        return math.hypot(p[0] - a[0], p[1] - a[1])
    share = max(0.0, min(1.0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length**2))
    return math.hypot(p[0] - a[0] - share * dx, p[1] - a[1] - share * dy)


def _row(file: Path, line: int, cells: list[str]) -> PathRow:
    try:
        t_s, _, x_mm, y_mm, _, state = cells
        values = float(t_s), float(x_mm), float(y_mm)
        if state not in STATES or not all(math.isfinite(v) for v in values):
            raise ValueError(state)
    except ValueError:
        found = ",".join(cells)[:80]
        raise unusable_input(
            "errors.line_expected_found", file=file, line=line, header=HEADER.strip(), found=repr(found)
        ) from None
    # the constant, not the row's own copy: a match has a million rows
    return values[0], values[1], values[2], STATES[STATES.index(state)]
