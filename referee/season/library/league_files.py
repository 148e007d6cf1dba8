"""Players and fixtures from files of league tools, and results back into a league's own file.

CSV with a header; columns are known by the names that league tools document, in any order, with comma,
semicolon or tab between. Fixtures also come from the JSON of CueScore's public API.

Sources, read on 25 November 2026: Score7 (leg,day,datetime,location,referee,home_participant,
away_participant,home_scores,away_scores,outcome; Name; Team Name,Player Name; the three separators), HTG
Sports (DIVISION, DATE, TIME, FIELDNAME, TEAM1, TEAM2; month first or ISO), Spordle (Game date, Home team,
Visiting team, Game number), QuickScores (Player's Name or First Name,
Last Name; Local ID; Team Name). CueScore documents no file; the keys of its answer are those that several
public programs read (matchId, playerA and playerB with playerId and name, raceTo, starttime, matchstatus).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

from calibration.errors import UnusableInput
from calibration.texts import unusable_input
from referee.season.library.records import FixtureRecord, PlayerRecord, iso_date
from referee.season.library.store import Result

Row = TypeVar("Row")
Order = Literal["dmy", "mdy"]
"""Order of day, month and year in dates that are not ISO; no file says it of itself."""

PLAYER_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "player name", "player's name", "player", "participant"),
    "first": ("first name", "firstname"),
    "last": ("last name", "lastname", "surname"),
    "number": ("number", "local id", "member number", "membership number", "licence", "license"),
    "team": ("team", "team name", "club"),
}
FIXTURE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "external id", "game number", "match number", "match id"),
    "competition": ("competition", "division", "league", "group"),
    "date": ("date", "datetime", "game date", "start date"),
    "home": ("home", "home participant", "home team", "home player", "team1"),
    "away": ("away", "away participant", "away team", "visiting team", "away player", "team2"),
    "best_of": ("best of",),
    "home_frames": ("home scores", "home score"),
    "away_frames": ("away scores", "away score"),
}
"""What each column is called; an underscore counts as a space, capitals do not count."""
_SEPARATORS = ",;\t"
_MOST_BYTES = 16 * 1024 * 1024  # ten thousand fixtures are one


@dataclass(frozen=True, slots=True)
class Given:
    """What a file of fixtures may leave out. `on`: the day of those that have none yet, ISO."""

    competition: str | None = None
    order: Order | None = None
    on: str | None = None


@dataclass(frozen=True, slots=True)
class FixtureFile:
    """The fixtures of a file that are to be played, and how many in it have a result already."""

    fixtures: tuple[FixtureRecord, ...]
    played: int


def read_players(path: Path) -> tuple[PlayerRecord, ...]:
    """Players of a CSV file. Raises UnusableInput with the line."""

    def player(cells: Mapping[str, str]) -> PlayerRecord:
        name = cells.get("name") or " ".join(cells[k] for k in ("first", "last") if k in cells)
        return PlayerRecord(name, cells.get("number"), cells.get("team"))

    _, columns, rows = _table(path, PLAYER_COLUMNS)
    needed = ("name",) if "name" in columns or "last" not in columns else ("last",)
    found: dict[str, PlayerRecord] = {}
    for made in _made(path, columns, rows, needed, player):
        before = found.setdefault(made.name, made)
        if before.number != made.number:
            numbers = f"{before.number or '-'}, {made.number or '-'}"
            raise unusable_input(
                "errors.player_named_twice", path=path, name=repr(made.name), numbers=numbers
            )
        found[made.name] = made
    return tuple(found.values())


def read_fixtures(path: Path, given: Given = Given()) -> FixtureFile:
    """Fixtures of a CSV file, or of CueScore's answer (JSON). Raises UnusableInput with the line or match."""
    if path.suffix.lower() == ".json":
        return _cuescore(path, given)
    _, columns, rows = _table(path, FIXTURE_COLUMNS)
    needed = ("date", "home", "away") if given.on is None else ("home", "away")
    seen: Counter[str] = Counter()
    made = list(_made(path, columns, rows, needed, lambda cells: _fixture(cells, given, seen)))
    return FixtureFile(tuple(f for f, played in made if not played), sum(played for _, played in made))


def filled(path: Path, given: Given, results: Sequence[Result]) -> tuple[str, int]:
    """A league's own CSV file with the frames of each match that is in the library, and how many those are.

    Every row, column and separator stays as it is; a row that has scores keeps them, and one that was decided
    away from the table keeps none: leagues count walkovers each in their own way. The rows are those of
    `read_fixtures`. Raises UnusableInput as it does.
    """
    separator, columns, rows = _table(path, FIXTURE_COLUMNS)
    by_fixture = {r.fixture: r for r in results if r.winner is not None and r.decided is None}
    header = list(rows[0])
    where = dict(columns)
    for name, shown in (("home_frames", "home_scores"), ("away_frames", "away_scores")):
        if name not in where:
            where[name] = len(header)
            header.append(shown)
    seen: Counter[str] = Counter()
    out, count = [], 0

    def fixture_of(cells: Mapping[str, str]) -> tuple[FixtureRecord, bool]:
        return _fixture(cells, given, seen)

    for number, row in enumerate(rows[1:], 2):
        cells = row + [""] * (len(header) - len(row))
        if any(cell.strip() for cell in row):
            read = _cells(f"{path} line {number}", columns, row, ("home", "away"))
            fixture, played = _named(f"{path} line {number}", fixture_of, read)
            result = by_fixture.get(fixture.id)
            if result is not None and not played:
                won = result.frames_won if result.players[0] == fixture.home else result.frames_won[::-1]
                cells[where["home_frames"]], cells[where["away_frames"]] = str(won[0]), str(won[1])
                count += 1
        out.append(cells)
    text = io.StringIO()  # the league's own cells, as they are; ours are numbers
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows([header, *out])
    return text.getvalue(), count


def _fixture(cells: Mapping[str, str], given: Given, seen: Counter[str]) -> tuple[FixtureRecord, bool]:
    """A row's fixture, and whether it was played; without an id of the league it is named by what it is."""
    best_of = cells.get("best_of")
    if best_of is not None and not (best_of.isdigit() and 1 <= int(best_of) <= 99):
        raise unusable_input("errors.best_of_from_1_to_99", best_of=repr(best_of))
    competition = given.competition or cells.get("competition")
    if competition is None:
        raise unusable_input("errors.name_of_the_competition")
    day = _day(cells["date"], given.order) if "date" in cells else given.on
    assert day is not None, "needed unless --on is given"
    home, away = cells["home"], cells["away"]
    if home == away:
        raise unusable_input("errors.two_players_of_a_fixture", name=repr(home))
    name = f"{competition} {day} {home} - {away}"
    seen[name] += 1
    own = name if seen[name] == 1 else f"{name} {seen[name]}"
    record = FixtureRecord(
        cells.get("id", own), competition, day, home, away, int(best_of) if best_of else None
    )
    return record, "home_frames" in cells and "away_frames" in cells


def _day(text: str, order: Order | None) -> str:
    """The ISO date of a cell: ISO, with or without a time, or day and month in the order that is told."""
    numbers = re.fullmatch(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?:[ T].*)?", text)
    if numbers is None:
        return iso_date(text[:10], "date")
    if order is None:
        raise unusable_input("errors.order_of_day_and_month", text=repr(text))
    first, second, year = (int(part) for part in numbers.groups())
    day, month = (first, second) if order == "dmy" else (second, first)
    try:
        return date(year + 2000 if year < 100 else year, month, day).isoformat()
    except ValueError:
        raise unusable_input("errors.day_in_the_order_told", text=repr(text), order=order) from None


def _cuescore(path: Path, given: Given) -> FixtureFile:
    """Matches of two known players in the answer of CueScore's API to a tournament."""
    try:
        found = json.loads(_text(path))
        competition = given.competition or str(found["name"])
        matches: list[dict[str, Any]] = list(found["matches"])
        known = [m for m in matches if all(_player(m, side) for side in "AB")]
        played = [m for m in known if str(m.get("matchstatus", "")).lower() == "finished"]
        fixtures = tuple(_of_cuescore(path, m, competition, given) for m in known if m not in played)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise unusable_input("errors.cuescore_tournament", path=path, error=repr(error)) from None
    return FixtureFile(fixtures, len(played))


def _player(match: Mapping[str, Any], side: str) -> str:
    """A player's name; empty where it is not known yet who plays ("winner of match 7" has no id)."""
    player = match.get(f"player{side}")
    return str(player["name"]).strip() if isinstance(player, dict) and player.get("playerId") else ""


def _of_cuescore(path: Path, match: Mapping[str, Any], competition: str, given: Given) -> FixtureRecord:
    start = match.get("starttime")  # an empty list where no time is set
    day = datetime.fromisoformat(start).date().isoformat() if isinstance(start, str) and start else given.on
    if day is None:
        raise unusable_input("errors.day_of_a_match", path=path, match=match["matchId"])
    race_to = match.get("raceTo")
    best_of = 2 * race_to - 1 if isinstance(race_to, int) and 1 <= race_to <= 50 else None
    return FixtureRecord(
        f"cuescore-{match['matchId']}", competition, day, _player(match, "A"), _player(match, "B"), best_of
    )


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise unusable_input("errors.file_of_a_league_at_most", path=path, most=_MOST_BYTES)
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise unusable_input("errors.csv_file_in_utf_8", path=path, error=error) from None


def _table(path: Path, known: Mapping[str, tuple[str, ...]]) -> tuple[str, dict[str, int], list[list[str]]]:
    """The separator, where each known column is, and all rows with the header first."""
    text = _text(path)
    header = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=header.count)
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error as error:
        raise unusable_input("errors.csv_file_in_utf_8", path=path, error=error) from None
    names = [c.strip().lower().replace("_", " ") for c in rows[0]] if rows else []
    columns = {
        column: names.index(name) for column, of in known.items() for name in of[::-1] if name in names
    }
    return separator, columns, rows or [[]]


def _made(
    path: Path,
    columns: Mapping[str, int],
    rows: Sequence[Sequence[str]],
    needed: Sequence[str],
    made: Callable[[Mapping[str, str]], Row],
) -> Iterator[Row]:
    """Each row that is not empty as a value. UnusableInput with the line."""
    missing = [c for c in needed if c not in columns]
    if missing:
        found = list(rows[0])
        raise unusable_input("errors.column_in_line_1", path=path, missing=repr(missing[0]), columns=found)
    for number, row in enumerate(rows[1:], 2):
        if any(cell.strip() for cell in row):
            where = f"{path} line {number}"
            cells = _cells(where, columns, row, needed)
            yield _named(where, made, cells)


def _cells(
    where: str, columns: Mapping[str, int], row: Sequence[str], needed: Sequence[str]
) -> dict[str, str]:
    """The known cells of a row; empty ones are left out."""
    found = {c: row[k].strip() for c, k in columns.items() if k < len(row) and row[k].strip()}
    for column in needed:
        if column not in found:
            raise unusable_input("errors.expected_a_found_an_empty_cell", where=where, column=column)
    return found


def _named(where: str, made: Callable[[Mapping[str, str]], Row], cells: Mapping[str, str]) -> Row:
    try:
        return made(cells)
    except UnusableInput as error:
        raise unusable_input("errors.where_it_was", where=where, error=error) from None
