"""What the library keeps of a match, read from its folder, and of players and fixtures, from CSV files."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar

from calibration.errors import UnusableInput
from calibration.texts import sentence
from referee.journal import JOURNAL_FILE, Entry, Journal
from referee.outputs.document import Match, is_declared, read_match
from referee.outputs.statistics import breaks_of

Row = TypeVar("Row")
_NOBODY = {"A", "B"}
"""Names of players whom nobody named."""


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """A player; `name` is how matches call them, `number` the league's."""

    name: str
    number: str | None = None
    team: str | None = None


@dataclass(frozen=True, slots=True)
class FixtureRecord:
    """A match to be played: `id` of the league, `due_on` ISO date, `best_of` frames."""

    id: str
    competition: str
    due_on: str
    home: str
    away: str
    best_of: int | None = None


@dataclass(frozen=True, slots=True)
class FrameRecord:
    """A frame's points; `winner`: A, B or None while it is open."""

    n: int
    score_a: int
    score_b: int
    winner: str | None


@dataclass(frozen=True, slots=True)
class BreakRecord:
    """A break of a side (A or B) that began with a stroke's number."""

    frame: int
    stroke: int
    side: str
    points: int


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A match as its folder holds it now. `id`: of its journal's first entry: a copy is the same match.

    `journal`: the digest of the journal at that time. `played_on`: ISO date.
    """

    id: str
    played_on: str
    game: str
    players: tuple[str, str]
    best_of: int | None
    strokes: int
    questions: int
    folder: str
    journal: str
    frames: tuple[FrameRecord, ...]
    breaks: tuple[BreakRecord, ...]


def match_record(
    folder: Path,
    players: tuple[str, str] | None = None,
    played_on: str | None = None,
    best_of: int | None = None,
) -> MatchRecord:
    """The record of a match's folder; what is given goes before what the match says.

    Without `played_on` the day on which its journal was begun. Raises UnusableInput for a folder that holds
    no whole match, a journal that was changed, and players without names.
    """
    match = read_match(folder)
    place = folder if folder.is_dir() else folder.parent
    if not (place / JOURNAL_FILE).is_file():
        raise UnusableInput(sentence("errors.match", folder=folder, journal_file=JOURNAL_FILE))
    with Journal(place / JOURNAL_FILE) as journal:
        first = next(iter(journal.entries()), None)
        bad, digest = journal.first_bad_entry(), journal.digest
    if first is None or bad is not None:
        found = "an empty one" if first is None else f"entry {bad} changed after it was written"
        raise UnusableInput(sentence("errors.journal_of_a_match", place=place / JOURNAL_FILE, found=found))
    names = players or (match["players"][0], match["players"][1])
    if set(names) & _NOBODY or names[0] == names[1]:
        raise UnusableInput(
            sentence("errors.names_of_two_players", folder=folder, names=repr(names[0]), found=repr(names[1]))
        )
    return MatchRecord(
        id=_id(first, match),
        played_on=_date(played_on, "--played") if played_on else first.at[:10],
        game=match["game"],
        players=names,
        best_of=best_of,
        strokes=len(match["strokes"]),
        questions=sum(s["question"] is not None for s in match["strokes"]),
        folder=str(place.resolve()),
        journal=digest,
        frames=tuple(FrameRecord(f["n"], f["score"][0], f["score"][1], f["winner"]) for f in match["frames"]),
        breaks=_breaks(match),
    )


def match_id(folder: Path) -> tuple[str, str]:
    """The id of a match's record and the digest of its journal. Raises UnusableInput."""
    with Journal(folder / JOURNAL_FILE) as journal:
        first, digest = next(iter(journal.entries()), None), journal.digest
    if first is None:
        raise UnusableInput(
            sentence("errors.journal_of_a_match", place=folder / JOURNAL_FILE, found="an empty one")
        )
    return _id(first, read_match(folder)), digest


def _id(first: Entry, match: Match) -> str:
    return hashlib.sha256(f"{first.at}\n{first.chain}\n{match['video']['file']}".encode()).hexdigest()[:32]


def _breaks(match: Match) -> tuple[BreakRecord, ...]:
    if is_declared(match):
        return ()
    return tuple(BreakRecord(b.frame, b.first, b.side, b.points) for b in breaks_of(match["strokes"]))


def read_players(path: Path) -> tuple[PlayerRecord, ...]:
    """Players of a CSV file with the columns name, number, team (the last two may be missing)."""
    return _rows(path, ("name",), lambda r: PlayerRecord(r["name"], r.get("number"), r.get("team")))


def read_fixtures(path: Path) -> tuple[FixtureRecord, ...]:
    """Fixtures of a CSV file with the columns id, competition, date, home, away, best_of (which may be
    missing).
    """

    def fixture(r: Mapping[str, str]) -> FixtureRecord:
        best_of = r.get("best_of")
        if best_of is not None and not (best_of.isdigit() and 1 <= int(best_of) <= 99):
            raise ValueError(f"expected best_of from 1 to 99, found {best_of!r}")
        if r["home"] == r["away"]:
            raise ValueError(f"expected two players, found {r['home']!r} twice")
        due_on = _date(r["date"], "date")
        return FixtureRecord(
            r["id"], r["competition"], due_on, r["home"], r["away"], int(best_of) if best_of else None
        )

    return _rows(path, ("id", "competition", "date", "home", "away"), fixture)


def _rows(path: Path, needed: tuple[str, ...], made: Callable[[Mapping[str, str]], Row]) -> tuple[Row, ...]:
    """Rows of a CSV file as values; cells are stripped, empty ones left out. UnusableInput with the line."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            columns = [c.strip().lower() for c in reader.fieldnames or ()]
            missing = [c for c in needed if c not in columns]
            if missing:
                raise UnusableInput(
                    sentence("errors.column_in_line_1", path=path, missing=repr(missing[0]), columns=columns)
                )
            reader.fieldnames = columns
            return tuple(_row(f"{path} line {reader.line_num}", row, needed, made) for row in reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UnusableInput(sentence("errors.csv_file_in_utf_8", path=path, error=error)) from None


def _row(
    where: str, row: Mapping[str, str], needed: tuple[str, ...], made: Callable[[Mapping[str, str]], Row]
) -> Row:
    cells = {k: v.strip() for k, v in row.items() if isinstance(k, str) and isinstance(v, str) and v.strip()}
    for column in needed:
        if column not in cells:
            raise UnusableInput(sentence("errors.expected_a_found_an_empty_cell", where=where, column=column))
    try:
        return made(cells)
    except (ValueError, UnusableInput) as error:
        raise UnusableInput(f"{where}: {error}") from None


def _date(text: str, what: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise UnusableInput(sentence("errors.date_such_as_2026_11_24", what=what, text=repr(text))) from None
