"""The library's database: what goes in, and what is asked of it. The same statements for both engines."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from calibration.texts import unusable_input
from referee.journal import now_utc
from referee.outputs.statistics import Share
from referee.season.library.database import Database, insert, put, text
from referee.season.library.journals import Checked, LibraryJournal, keep
from referee.season.library.migrations import migrate
from referee.season.library.outcomes import Outcome, Why, decide, drop_of_others, outcomes, reopen
from referee.season.library.records import FixtureRecord, FrameRecord, KeptJournal, MatchRecord, PlayerRecord
from referee.season.library.strokes import StrokeFigures

_PRIVATE = (
    *("players", "matches", "frames", "breaks", "strokes", "fixtures", "outcomes", "aliases"),
    *("entries", "progress"),
)
"""Tables that may hold what somebody has asked to be forgotten."""


@dataclass(frozen=True, slots=True)
class Result:
    """One match as the club knows it. Sides: A, B. `winner` None: level, or too few frames for `best_of`.

    `highest`: highest break of A and of B, 0 for none. `competition`, `fixture`: None outside of a fixture.
    `decided`: why the league decided about it, None for the result of the table. `game` None: nothing was
    played.
    """

    id: str
    played_on: str
    game: str | None
    competition: str | None
    fixture: str | None
    players: tuple[str, str]
    best_of: int | None
    frames_won: tuple[int, int]
    winner: str | None
    frames: tuple[FrameRecord, ...]
    highest: tuple[int, int]
    strokes: int
    questions: int
    folder: str
    decided: Why | None = None

    @property
    def is_played(self) -> bool:
        """Whether there is a match, not a decision alone."""
        return self.game is not None


class Library:
    """An open library. Every method is one transaction."""

    def __init__(self, database: str) -> None:
        """`database`: an SQLite file, or an address such as postgresql://USER@HOST/NAME.

        Raises UnusableInput where SQLAlchemy or the driver is missing and for a database that cannot be used.
        """
        self._database = Database(database)
        with self._database.transaction() as db:
            try:
                migrate(db, now_utc())
            except ValueError as error:
                raise unusable_input(
                    "errors.library_of_cueref", shown=self._database.shown, error=error
                ) from None

    def close(self) -> None:
        """Let the connections go."""
        self._database.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_players(self, players: Sequence[PlayerRecord]) -> None:
        """Add players; one that is there gets the number and the team."""
        with self._database.transaction() as db:
            put(db, "players", "name", [asdict(player) for player in players])

    def add_fixtures(self, fixtures: Sequence[FixtureRecord]) -> None:
        """Add fixtures and their players; a fixture that is there is changed.

        A decision goes where its winner plays the fixture no longer.
        """
        with self._database.transaction() as db:
            _named(db, *(name for fixture in fixtures for name in (fixture.home, fixture.away)))
            put(db, "fixtures", "id", [asdict(fixture) for fixture in fixtures])
            drop_of_others(db)

    def add_match(self, match: MatchRecord, fixture: str | None = None) -> str | None:
        """Add a match, or put what it says now in place of what it said; returns its fixture.

        Without `fixture` that which it had, else the one open fixture of the two players, where there is
        exactly one. Raises UnusableInput for a fixture that is not there, of others, or played already.
        """
        with self._database.transaction() as db:
            match = replace(match, players=_known_players(db, match.players))
            _named(db, *match.players)
            chosen = _fixture(db, match, fixture)
            put(db, "matches", "id", [_row(match) | {"fixture": chosen}])
            for table, rows in (
                ("frames", match.frames),
                ("breaks", match.breaks),
                ("strokes", match.stroke_figures),
            ):
                db.execute(text(f"DELETE FROM {table} WHERE match_id = :id"), {"id": match.id})
                insert(db, table, [{"match_id": match.id, **asdict(row)} for row in rows])
            if match.record is not None:
                keep(db, match.id, match.record.entries, match.record.run)
        return chosen

    def same_person(self, alias: str, name: str) -> int:
        """Make all of `alias` the player `name`'s, and all that comes under it later; how many matches that
        were.

        Raises UnusableInput for a name that the library does not know, and where the two met in a match.
        """
        with self._database.transaction() as db:
            known = set(db.execute(text("SELECT name FROM players")).scalars())
            if alias == name or name not in known:
                raise unusable_input("players.error_same", name=repr(name), alias=repr(alias))
            pair = {"alias": alias, "name": name}
            both = "(player_a = :alias AND player_b = :name) OR (player_a = :name AND player_b = :alias)"
            if db.execute(text(f"SELECT count(*) FROM matches WHERE {both}"), pair).scalar():
                raise unusable_input("players.error_met", name=repr(name), alias=repr(alias))
            count = "SELECT count(*) FROM matches WHERE player_a = :alias OR player_b = :alias"
            moved = int(db.execute(text(count), pair).scalar() or 0)
            db.execute(text("UPDATE aliases SET name = :name WHERE name = :alias"), pair)
            if alias in known:
                _rename(db, alias, name)
            put(db, "aliases", "alias", [pair])
        return moved

    def strokes_of(self, player: str) -> dict[str, tuple[StrokeFigures, ...]]:
        """A player's strokes, by match, in order."""
        names = [f.name for f in fields(StrokeFigures)]
        found: dict[str, list[StrokeFigures]] = defaultdict(list)
        query = (
            f"SELECT s.match_id, {', '.join(f's.{n}' for n in names)} FROM matches m JOIN strokes s"
            " ON s.match_id = m.id AND ((m.player_a = :player AND s.side = 'A')"
            " OR (m.player_b = :player AND s.side = 'B'))"
            " WHERE m.player_a = :player OR m.player_b = :player ORDER BY s.match_id, s.n"
        )
        with self._database.transaction() as db:
            for row in db.execute(text(query), {"player": player}):
                found[row[0]].append(StrokeFigures(*row[1:]))
        return {match: tuple(rows) for match, rows in found.items()}

    def pots(self) -> dict[tuple[str, str], Share]:
        """Pots of all attempts by match and side, where paths told attempts."""
        query = (
            "SELECT match_id, side, sum(made * attempt), sum(attempt) FROM strokes"
            " WHERE attempt IS NOT NULL GROUP BY match_id, side"
        )
        with self._database.transaction() as db:
            return {(row[0], row[1]): Share(int(row[2]), int(row[3])) for row in db.execute(text(query))}

    def breaks_of(self, player: str) -> dict[str, tuple[int, ...]]:
        """Points of a player's breaks, by match, in order."""
        found: dict[str, list[int]] = defaultdict(list)
        query = (
            "SELECT b.match_id, b.points FROM matches m JOIN breaks b"
            " ON b.match_id = m.id AND ((m.player_a = :player AND b.side = 'A')"
            " OR (m.player_b = :player AND b.side = 'B'))"
            " WHERE m.player_a = :player OR m.player_b = :player ORDER BY b.match_id, b.stroke"
        )
        with self._database.transaction() as db:
            for row in db.execute(text(query), {"player": player}):
                found[row[0]].append(row[1])
        return {match: tuple(rows) for match, rows in found.items()}

    def forget_match(self, match: str | None, folder: str) -> None:
        """Delete a match by its id, or by its folder, and nothing of its players and fixture."""
        with self._database.transaction() as db:
            found = db.execute(
                text("SELECT id FROM matches WHERE id = :id OR folder = :folder"),
                {"id": match or "", "folder": folder},
            ).scalars()
            for ident in found.all():
                _delete_match(db, ident)
        self._database.wipe(_PRIVATE)

    def rename_player(
        self, without: Callable[[str], str], anew: Mapping[str, KeptJournal] = MappingProxyType({})
    ) -> None:
        """Put `without(name)` in the place of every player's name that it changes, in journals too; number
        and team go.

        `anew`: for a match whose journal's file was written anew, by its id before: that journal.
        """
        with self._database.transaction() as db:
            for name in db.execute(text("SELECT name FROM players")).scalars().all():
                if (instead := without(name)) != name:
                    _rename(db, name, instead)
            for alias in db.execute(text("SELECT alias FROM aliases")).scalars().all():
                if without(alias) != alias:
                    db.execute(text("DELETE FROM aliases WHERE alias = :alias"), {"alias": alias})
            for before, now in anew.items():
                _give_id(db, before, now)
        for ident in self.journals():
            journal = LibraryJournal(self._database, ident)
            if journal.rewrite(without):
                given = {"id": ident, "digest": journal.digest}
                with self._database.transaction() as db:
                    db.execute(text("UPDATE matches SET journal = :digest WHERE id = :id"), given)
        self._database.wipe(_PRIVATE)

    def journals(self) -> tuple[str, ...]:
        """Ids of the matches whose journals are kept: those added since libraries keep journals."""
        with self._database.transaction() as db:
            return tuple(db.execute(text("SELECT match_id FROM journals ORDER BY match_id")).scalars())

    def journal(self, match: str) -> LibraryJournal:
        """The journal that is kept of a match. Raises UnusableInput where there is none."""
        if match not in self.journals():
            raise unusable_input("errors.match_whose_journal", shown=self._database.shown, match=repr(match))
        return LibraryJournal(self._database, match)

    def check_journals(self) -> tuple[Checked, ...]:
        """Every kept journal looked at: is its chain whole, and is it the one of the results."""
        with self._database.transaction() as db:
            told = dict(db.execute(text("SELECT id, journal FROM matches")).all())
        return tuple(self._checked(ident, told[ident]) for ident in self.journals())

    def _checked(self, ident: str, digest: str) -> Checked:
        journal = LibraryJournal(self._database, ident)
        entries = sum(1 for _ in journal.entries())
        return Checked(ident, entries, journal.first_bad_entry(), journal.digest == digest)

    def match_called(self, start: str) -> str:
        """The id that begins so. Raises UnusableInput where none does, or several."""
        with self._database.transaction() as db:
            ids = [str(i) for i in db.execute(text("SELECT id FROM matches")).scalars()]
        found = [ident for ident in ids if ident.startswith(start)]
        if len(found) != 1:
            raise unusable_input(
                "errors.match_called", shown=self._database.shown, start=repr(start), n=len(found)
            )
        return found[0]

    def decide(self, outcome: Outcome) -> None:
        """Write what the league decided about a fixture. Raises UnusableInput as `outcomes.decide` does."""
        with self._database.transaction() as db:
            decide(db, outcome)

    def reopen(self, fixture: str) -> None:
        """Have a fixture played again. Raises UnusableInput as `outcomes.reopen` does."""
        with self._database.transaction() as db:
            reopen(db, fixture)

    def results(self) -> tuple[Result, ...]:
        """Every match, and every fixture that was decided without one; the latest first."""
        with self._database.transaction() as db:
            decided = outcomes(db)
            frames: dict[str, list[FrameRecord]] = defaultdict(list)
            for row in db.execute(text("SELECT * FROM frames ORDER BY match_id, n")).mappings():
                frames[row["match_id"]].append(
                    FrameRecord(row["n"], row["score_a"], row["score_b"], row["winner"])
                )
            highest = {
                (row["match_id"], row["side"]): row["points"]
                for row in db.execute(
                    text("SELECT match_id, side, max(points) AS points FROM breaks GROUP BY match_id, side")
                ).mappings()
            }
            rows = db.execute(
                text(
                    "SELECT m.*, f.competition, f.best_of AS due_frames FROM matches m"
                    " LEFT JOIN fixtures f ON f.id = m.fixture ORDER BY m.played_on DESC, m.id"
                )
            ).mappings()
            played = [
                _result(row, tuple(frames[row["id"]]), highest, decided.pop(row["fixture"], None))
                for row in rows
            ]
            unplayed = [_unplayed(f, decided[f.id]) for f in _fixtures(db) if f.id in decided]
        return tuple(sorted([*played, *unplayed], key=lambda r: r.played_on, reverse=True))

    def open_fixtures(self) -> tuple[FixtureRecord, ...]:
        """Fixtures without a match or a decision, the next first."""
        with self._database.transaction() as db:
            decided = outcomes(db)
            return tuple(f for f in _fixtures(db) if f.id not in decided)


def _fixtures(db: Any) -> list[FixtureRecord]:
    """Fixtures without a match, the next first."""
    rows = db.execute(
        text(
            "SELECT f.* FROM fixtures f LEFT JOIN matches m ON m.fixture = f.id WHERE m.id IS NULL"
            " ORDER BY f.due_on, f.id"
        )
    ).mappings()
    return [FixtureRecord(**row) for row in rows]


def _row(match: MatchRecord) -> dict[str, object]:
    """A match's own columns; its frames, breaks, strokes and journal have tables of their own."""
    return {
        "id": match.id,
        "played_on": match.played_on,
        "game": match.game,
        "player_a": match.players[0],
        "player_b": match.players[1],
        "best_of": match.best_of,
        "strokes": match.strokes,
        "questions": match.questions,
        "folder": match.folder,
        "journal": match.journal,
    }


def _named(db: Any, *names: str) -> None:
    insert(db, "players", [{"name": name} for name in names], "ON CONFLICT (name) DO NOTHING")


def _delete_match(db: Any, ident: str) -> None:
    for table in ("frames", "breaks", "strokes"):
        db.execute(text(f"DELETE FROM {table} WHERE match_id = :id"), {"id": ident})
    db.execute(text("DELETE FROM matches WHERE id = :id"), {"id": ident})


def _rename(db: Any, name: str, instead: str) -> None:
    _named(db, instead)
    for table, column in (
        ("matches", "player_a"),
        ("matches", "player_b"),
        ("fixtures", "home"),
        ("fixtures", "away"),
        ("outcomes", "winner"),
        ("aliases", "name"),
    ):
        db.execute(
            text(f"UPDATE {table} SET {column} = :instead WHERE {column} = :name"),
            {"instead": instead, "name": name},
        )
    db.execute(text("DELETE FROM players WHERE name = :name"), {"name": name})


def _give_id(db: Any, before: str, now: KeptJournal) -> None:
    """Another id for a match: a row of its own, because frames and breaks refer to it."""
    row = db.execute(text("SELECT * FROM matches WHERE id = :id"), {"id": before}).mappings().first()
    if row is None:
        return
    if now.match != before:
        db.execute(text("UPDATE matches SET fixture = NULL WHERE id = :id"), {"id": before})
    put(db, "matches", "id", [dict(row) | {"id": now.match, "journal": now.digest}])
    keep(db, now.match, now.entries, now.run)
    if now.match != before:
        for table in ("frames", "breaks", "strokes"):
            db.execute(
                text(f"UPDATE {table} SET match_id = :now WHERE match_id = :before"),
                {"now": now.match, "before": before},
            )
        db.execute(text("DELETE FROM matches WHERE id = :id"), {"id": before})


def _known_players(db: Any, players: tuple[str, str]) -> tuple[str, str]:
    """The players under the names by which the library knows them. Raises UnusableInput for one person."""
    rows = db.execute(
        text("SELECT alias, name FROM aliases WHERE alias IN (:a, :b)"),
        dict(zip("ab", players, strict=True)),
    )
    names = {row[0]: row[1] for row in rows}
    a, b = (names.get(p, p) for p in players)
    if a == b:
        raise unusable_input("players.error_met", name=repr(a), alias=repr(players[1]))
    return a, b


def _fixture(db: Any, match: MatchRecord, wanted: str | None) -> str | None:
    """The fixture of a match, checked."""
    pair = set(match.players)
    had = db.execute(text("SELECT fixture FROM matches WHERE id = :id"), {"id": match.id}).scalar()
    if wanted is None:
        if had is not None:
            return str(had)
        decided = outcomes(db)
        fitting = [f.id for f in _fixtures(db) if {f.home, f.away} == pair and f.id not in decided]
        return fitting[0] if len(fitting) == 1 else None
    row = (
        db.execute(
            text(
                "SELECT f.home, f.away, m.id AS played, o.why FROM fixtures f"
                " LEFT JOIN matches m ON m.fixture = f.id LEFT JOIN outcomes o ON o.fixture = f.id"
                " WHERE f.id = :id"
            ),
            {"id": wanted},
        )
        .mappings()
        .first()
    )
    found = (
        "none of that name"
        if row is None
        else f"one of {row['home']} and {row['away']}"
        if {row["home"], row["away"]} != pair
        else "one that another match is entered for"
        if row["played"] not in (None, match.id)
        else "a walkover"
        if row["why"] == "walkover"
        else None
    )
    if found is not None:
        names = " and ".join(match.players)
        raise unusable_input("errors.open_fixture", wanted=wanted, names=names, found=found)
    return wanted


def _unplayed(fixture: FixtureRecord, outcome: Outcome) -> Result:
    """A fixture that was decided without a match."""
    return Result(
        id=hashlib.sha256(f"outcome\n{fixture.id}".encode()).hexdigest()[:32],
        played_on=outcome.on,
        game=None,
        competition=fixture.competition,
        fixture=fixture.id,
        players=(fixture.home, fixture.away),
        best_of=fixture.best_of,
        frames_won=(0, 0),
        winner=_side(outcome, (fixture.home, fixture.away)),
        frames=(),
        highest=(0, 0),
        strokes=0,
        questions=0,
        folder="",
        decided=outcome.why,
    )


def _side(outcome: Outcome, players: tuple[str, str]) -> str | None:
    """The side that a decision makes the winner."""
    return "AB"[players.index(outcome.winner)] if outcome.winner in players else None


def _result(
    row: Any,
    frames: tuple[FrameRecord, ...],
    highest: dict[tuple[str, str], int],
    outcome: Outcome | None,
) -> Result:
    won = sum(f.winner == "A" for f in frames), sum(f.winner == "B" for f in frames)
    best_of = row["best_of"] or row["due_frames"]
    ahead = None if won[0] == won[1] else "A" if won[0] > won[1] else "B"
    enough = best_of is None or max(won) > best_of // 2
    players = (row["player_a"], row["player_b"])
    return Result(
        id=row["id"],
        played_on=row["played_on"],
        game=row["game"],
        competition=row["competition"],
        fixture=row["fixture"],
        players=players,
        best_of=best_of,
        frames_won=won,
        winner=_side(outcome, players) if outcome is not None else ahead if enough else None,
        frames=frames,
        highest=(highest.get((row["id"], "A"), 0), highest.get((row["id"], "B"), 0)),
        strokes=row["strokes"],
        questions=row["questions"],
        folder=row["folder"],
        decided=None if outcome is None else outcome.why,
    )
