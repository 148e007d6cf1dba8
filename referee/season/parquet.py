"""All matches of a batch as two Parquet files: a row a match, a row a stroke."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from calibration.files import whole_file, work_folder
from calibration.texts import unusable_input
from referee.journal import JOURNAL_FILE, fault_in
from referee.outputs.document import (
    MATCH_FILE,
    Match,
    frames_won,
    is_declared,
    read_match,
    record_fault,
    with_changed_record,
)
from referee.outputs.exports import STROKE_COLUMNS, stroke_cells
from referee.outputs.statistics import breaks_of
from referee.season.stores import get_file, joined, put_folder

MatchAt = Callable[[str], AbstractContextManager[Path]]
"""Gives the folder of a match by its name, for as long as it is read."""

MATCHES_FILE, STROKES_FILE = "matches.parquet", "strokes.parquet"

MATCH_TYPES = {
    "match": "string",
    "file": "string",
    "game": "string",
    "player_a": "string",
    "player_b": "string",
    "score_a": "int64",
    "score_b": "int64",
    "frames_a": "int64",
    "frames_b": "int64",
    "strokes": "int64",
    "questions": "int64",
    "highest_break_a": "int64",
    "highest_break_b": "int64",
    "duration_s": "float64",
    "images": "int64",
    "unusable_s": "float64",
    "residual_px": "float64",
    "warnings": "int64",
    "record_fault": "string",
}
"""Columns of matches.parquet. `match`: its folder's name in the destination. `score`: of the last frame.
`record_fault`: the sentence that the journal was changed after it was written, null where it was not.
"""

_NUMBERS = {
    **dict.fromkeys(("n", "frame", "penalty", "points", "score_a", "score_b", "break"), "int64"),
    **dict.fromkeys(("start_s", "end_s", "first_contact_confidence"), "float64"),
    **dict.fromkeys(("free_ball", "miss"), "bool"),
}
STROKE_TYPES = {"match": "string", **{name: _NUMBERS.get(name, "string") for name in STROKE_COLUMNS}}
"""Columns of strokes.parquet: those of `cueref export --to csv`, with the match in front."""


def write_tables(
    destination: Path, names: Sequence[str], match_at: MatchAt | None = None
) -> tuple[Path, Path]:
    """Write both tables of the matches in the folders `names`, one match at a time in memory.

    `match_at`: gives a match's folder by its name, where it is not in `destination`. Each file is whole or
    not there. Raises UnusableInput for a match that cannot be read, OSError.
    """
    matches, strokes = destination / MATCHES_FILE, destination / STROKES_FILE
    with (
        whole_file(matches) as some,
        whole_file(strokes) as others,
        _writer(some, MATCH_TYPES) as match_rows,
        _writer(others, STROKE_TYPES) as stroke_rows,
    ):
        for name in names:
            with match_at(name) if match_at is not None else nullcontext(destination / name) as folder:
                match = with_changed_record(read_match(folder), fault_in(folder / JOURNAL_FILE))
            _add(match_rows, MATCH_TYPES, [_match_row(name, match)])
            _add(stroke_rows, STROKE_TYPES, _stroke_rows(name, match))
    return matches, strokes


def write_stored_tables(address: str, names: Sequence[str]) -> tuple[str, str]:
    """Write both tables of matches in a store, and put them there; returns their addresses.

    Raises UnusableInput where the store does not answer or lacks a match, OSError.
    """

    @contextmanager
    def fetched(name: str) -> Iterator[Path]:
        with work_folder("cueref-match-") as folder:
            for file in (MATCH_FILE, JOURNAL_FILE):
                get_file(joined(joined(address, name), file), folder / file)
            yield folder

    with work_folder("cueref-tables-") as work:
        write_tables(work, names, fetched)
        put_folder(work, address, last=STROKES_FILE)
    return joined(address, MATCHES_FILE), joined(address, STROKES_FILE)


def in_tables(destination: Path) -> list[str]:
    """The matches that the tables of a batch hold, by their folders; none where there are no tables."""
    if not (destination / MATCHES_FILE).is_file():
        return []
    try:
        from pyarrow import ArrowInvalid, parquet
    except ImportError:
        raise unusable_input("errors.package_that_reads_tables", destination=destination) from None

    try:
        found = parquet.read_table(destination / MATCHES_FILE, columns=["match"])["match"].to_pylist()
    except (ArrowInvalid, KeyError) as error:
        raise unusable_input(
            "errors.tables_of_a_batch", file=destination / MATCHES_FILE, error=error
        ) from None
    return [name for name in found if isinstance(name, str) and (destination / name / MATCH_FILE).is_file()]


def _writer(path: Path, types: dict[str, str]) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in types.items()])
    return parquet.ParquetWriter(path, schema, compression="zstd")


def _add(writer: Any, types: dict[str, str], rows: Sequence[Sequence[object]]) -> None:
    import pyarrow as pa

    if rows:
        columns = [
            pa.array(c, type=f.type) for c, f in zip(zip(*rows, strict=True), writer.schema, strict=True)
        ]
        writer.write_table(pa.Table.from_arrays(columns, names=list(types)))


def _match_row(name: str, match: Match) -> list[object]:
    video, strokes = match["video"], match["strokes"]
    breaks = breaks_of(strokes) if not is_declared(match) else ()
    highest = {side: max((b.points for b in breaks if b.side == side), default=0) for side in "AB"}
    return [
        name,
        video["file"],
        match["game"],
        *match["players"][:2],
        *match["score"][:2],
        *frames_won(match["frames"]),
        len(strokes),
        sum(s["question"] is not None for s in strokes),
        highest["A"],
        highest["B"],
        video["duration_s"],
        video["images"],
        sum(u["end_s"] - u["start_s"] for u in match.get("unusable", ())),
        match["calibration"]["residual_px"],
        len(match["warnings"]),
        record_fault(match),
    ]


def _stroke_rows(name: str, match: Match) -> list[list[object]]:
    return [[name, *stroke_cells(match, s)] for s in match["strokes"]]
