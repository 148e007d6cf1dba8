"""Records of players, fixtures and matches in the library, read from a match's folder."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from calibration.texts import unusable_input
from referee.journal import JOURNAL_FILE, RUN, Entry, Journal, local_day
from referee.outputs.document import Match, folder_of, is_declared, read_match
from referee.outputs.open_questions import open_questions
from referee.outputs.statistics import breaks_of
from referee.outputs.tracks import read_tracks
from referee.season.library.strokes import StrokeFigures, stroke_figures

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
class KeptJournal:
    """The journal of a match as its file holds it now. `match`: the match's id; `run`: what it is about."""

    match: str
    digest: str
    entries: tuple[Entry, ...]
    run: bytes | None = None


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A match as its folder holds it now. `id`: of its journal's first entry: a copy is the same match.

    `journal`: the digest of the journal at that time, `record` the journal. `played_on`: ISO date.
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
    stroke_figures: tuple[StrokeFigures, ...] = ()
    record: KeptJournal | None = None


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
    place = folder_of(folder)
    if not (place / JOURNAL_FILE).is_file():
        raise unusable_input("errors.match", folder=folder, journal_file=JOURNAL_FILE)
    record = _kept(place / JOURNAL_FILE, match)
    names = players or (match["players"][0], match["players"][1])
    if set(names) & _NOBODY or names[0] == names[1]:
        raise unusable_input(
            "errors.names_of_two_players", folder=folder, names=repr(names[0]), found=repr(names[1])
        )
    return MatchRecord(
        id=record.match,
        played_on=iso_date(played_on, "--played") if played_on else local_day(record.entries[0].at),
        game=match["game"],
        players=names,
        best_of=best_of,
        strokes=len(match["strokes"]),
        questions=len(open_questions(match)),
        folder=str(place.resolve()),
        journal=record.digest,
        frames=tuple(FrameRecord(f["n"], f["score"][0], f["score"][1], f["winner"]) for f in match["frames"]),
        breaks=_breaks(match),
        stroke_figures=stroke_figures(match, read_tracks(place)),
        record=record,
    )


def kept_journal(folder: Path) -> KeptJournal:
    """The journal of a match's folder. Raises UnusableInput where there is none, and for a changed one."""
    return _kept(folder / JOURNAL_FILE, read_match(folder))


def _kept(file: Path, match: Match) -> KeptJournal:
    with Journal(file) as journal:
        entries, bad = tuple(journal.entries()), journal.first_bad_entry()
        digest, run = journal.digest, journal.progress(RUN)
    if not entries or bad is not None:
        found = "an empty one" if not entries else f"entry {bad} changed after it was written"
        raise unusable_input("errors.journal_of_a_match", place=file, found=found)
    return KeptJournal(_id(entries[0], match), digest, entries, run)


def _id(first: Entry, match: Match) -> str:
    return hashlib.sha256(f"{first.at}\n{first.chain}\n{match['video']['file']}".encode()).hexdigest()[:32]


def _breaks(match: Match) -> tuple[BreakRecord, ...]:
    if is_declared(match):
        return ()
    return tuple(BreakRecord(b.frame, b.first, b.side, b.points) for b in breaks_of(match["strokes"]))


def iso_date(text: str, what: str) -> str:
    """The ISO date of a text. Raises UnusableInput, which says `what` it was for."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise unusable_input("errors.date_such_as_2026_11_24", what=what, text=repr(text)) from None
