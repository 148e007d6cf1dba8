"""The paths around one stroke, read from a `tracks.csv` that is being written, without reading the whole of
it.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from pathlib import Path

from referee.outputs.tracks import STATES, BallPath, Tracks

MARGIN_S = 5.0
"""Rows come in order of time but for those that the tracker decides late (a ball found gone)."""
READ_BYTES = 8 * 2**20
"""Most that is read for one stroke; a minute of 22 moving balls at 50 images a second is 3 MB."""
_LINE = 200


def tracks_of_span(file: Path, start_s: float, end_s: float) -> Tracks:
    """The rows of a span of time, by ball; {} without a file. Lines that are cut short are passed over."""
    try:
        with file.open("rb") as handle:
            size = handle.seek(0, io.SEEK_END)
            low = _first_at(handle, size, start_s - MARGIN_S)
            handle.seek(low)
            data = handle.read(min(READ_BYTES, size - low))
    except OSError:
        return {}
    rows: dict[str, list[tuple[float, float, float, str]]] = defaultdict(list)
    for cells in csv.reader(data.decode("utf-8", "replace").splitlines()):
        row = _row(cells)
        if row is None:
            continue
        if row[0] > end_s + MARGIN_S:
            break
        if start_s - 0.1 <= row[0] <= end_s + 0.1:
            rows[cells[1]].append(row)
    out: Tracks = {}
    for ball, seen in rows.items():
        seen.sort(key=lambda r: r[0])
        out[ball] = BallPath(
            ball, tuple(r[0] for r in seen), tuple((r[1], r[2]) for r in seen), tuple(r[3] for r in seen)
        )
    return out


def _first_at(handle: io.BufferedReader, size: int, t_s: float) -> int:
    """Where to begin reading for rows from a time on: bisection over the bytes; the beginning of a line or
    just before.
    """
    low, high = 0, size
    while high - low > 64 * 1024:
        middle = (low + high) // 2
        handle.seek(middle)
        handle.readline()  # the rest of a line
        found = _time(handle.readline(_LINE))
        if found is not None and found < t_s:
            low = middle
        else:
            high = middle
    return low


def _time(line: bytes) -> float | None:
    try:
        return float(line.split(b",", 1)[0])
    except ValueError:
        return None


def _row(cells: list[str]) -> tuple[float, float, float, str] | None:
    try:
        t_s, _, x_mm, y_mm, _, state = cells
        return (float(t_s), float(x_mm), float(y_mm), state) if state in STATES else None
    except ValueError:
        return None
