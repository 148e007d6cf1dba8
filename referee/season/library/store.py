"""The library's database: what goes in, and what is asked of it. The same statements for both engines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from calibration.errors import UnusableInput
from calibration.texts import sentence
from referee.journal.store import now_utc
from referee.outputs.statistics import Share
from referee.season.library.migrations import migrate
from referee.season.library.records import FixtureRecord, FrameRecord, MatchRecord, PlayerRecord
from referee.season.library.strokes import StrokeFigures
from vision.capture.address import shown


@dataclass(frozen=True, slots=True)
class Result:
    """One match as the club knows it. Sides: A, B. `winner` None: level, or too few frames for `best_of`.

    `highest`: highest break of A and of B, 0 for none. `competition`, `fixture`: None outside of a fixture.
    """

    id: str
    played_on: str
    game: str
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


class Library:
    """An open library. Every method is one transaction."""

    def __init__(self, database: str) -> None:
        """`database`: an SQLite file, or an address such as postgresql://USER@HOST/NAME.

        Raises UnusableInput where SQLAlchemy or the driver is missing and for a database that cannot be used.
        """
        self._shown = shown(database)
        self._engine = _engine(database)
        with self._transaction() as db:
            try:
                migrate(db, now_utc())
            except ValueError as error:
                raise UnusableInput(
                    sentence("errors.library_of_cueref", shown=self._shown, error=error)
                ) from None

    def close(self) -> None:
        """Let the connections go."""
        self._engine.dispose()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_players(self, players: Sequence[PlayerRecord]) -> None:
        """Add players; one that is there gets the number and the team."""
        with self._transaction() as db:
            for player in players:
                _put(db, "players", "name", asdict(player))

    def add_fixtures(self, fixtures: Sequence[FixtureRecord]) -> None:
        """Add fixtures and their players; a fixture that is there is changed."""
        with self._transaction() as db:
            for fixture in fixtures:
                _named(db, fixture.home, fixture.away)
                _put(db, "fixtures", "id", asdict(fixture))

    def add_match(self, match: MatchRecord, fixture: str | None = None) -> str | None:
        """Add a match, or put what it says now in place of what it said; returns its fixture.

        Without `fixture` that which it had, else the one open fixture of the two players, where there is
        exactly one. Raises UnusableInput for a fixture that is not there, of others, or played already.
        """
        with self._transaction() as db:
            match = replace(match, players=_known_players(db, match.players))
            _named(db, *match.players)
            chosen = _fixture(db, match, fixture)
            row = asdict(match)
            frames, breaks, strokes = row.pop("frames"), row.pop("breaks"), row.pop("stroke_figures")
            row["player_a"], row["player_b"] = row.pop("players")
            _put(db, "matches", "id", row | {"fixture": chosen})
            for table, rows in (("frames", frames), ("breaks", breaks), ("strokes", strokes)):
                db.execute(_text(f"DELETE FROM {table} WHERE match_id = :id"), {"id": match.id})
                for one in rows:
                    _insert(db, table, {"match_id": match.id, **one})
        return chosen

    def same_person(self, alias: str, name: str) -> int:
        """Make all of `alias` the player `name`'s, and all that comes under it later; how many matches that
        were.

        Raises UnusableInput for a name that the library does not know, and where the two met in a match.
        """
        with self._transaction() as db:
            known = set(db.execute(_text("SELECT name FROM players")).scalars())
            if alias == name or name not in known:
                raise UnusableInput(sentence("players.error_same", name=repr(name), alias=repr(alias)))
            pair = {"alias": alias, "name": name}
            both = "(player_a = :alias AND player_b = :name) OR (player_a = :name AND player_b = :alias)"
            if db.execute(_text(f"SELECT count(*) FROM matches WHERE {both}"), pair).scalar():
                raise UnusableInput(sentence("players.error_met", name=repr(name), alias=repr(alias)))
            count = "SELECT count(*) FROM matches WHERE player_a = :alias OR player_b = :alias"
            moved = int(db.execute(_text(count), pair).scalar() or 0)
            db.execute(_text("UPDATE aliases SET name = :name WHERE name = :alias"), pair)
            if alias in known:
                _rename(db, alias, name)
            _put(db, "aliases", "alias", pair)
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
        with self._transaction() as db:
            for row in db.execute(_text(query), {"player": player}):
                found[row[0]].append(StrokeFigures(*row[1:]))
        return {match: tuple(rows) for match, rows in found.items()}

    def pots(self) -> dict[tuple[str, str], Share]:
        """Pots of all attempts by match and side, where paths told attempts."""
        query = (
            "SELECT match_id, side, sum(made * attempt), sum(attempt) FROM strokes"
            " WHERE attempt IS NOT NULL GROUP BY match_id, side"
        )
        with self._transaction() as db:
            return {(row[0], row[1]): Share(int(row[2]), int(row[3])) for row in db.execute(_text(query))}

    def breaks_of(self, player: str) -> dict[str, tuple[int, ...]]:
        """Points of a player's breaks, by match, in order."""
        found: dict[str, list[int]] = defaultdict(list)
        query = (
            "SELECT b.match_id, b.points FROM matches m JOIN breaks b"
            " ON b.match_id = m.id AND ((m.player_a = :player AND b.side = 'A')"
            " OR (m.player_b = :player AND b.side = 'B'))"
            " WHERE m.player_a = :player OR m.player_b = :player ORDER BY b.match_id, b.stroke"
        )
        with self._transaction() as db:
            for row in db.execute(_text(query), {"player": player}):
                found[row[0]].append(row[1])
        return {match: tuple(rows) for match, rows in found.items()}

    def forget_match(self, match: str | None, folder: str) -> None:
        """Delete a match by its id, or by its folder, and nothing of its players and fixture."""
        with self._transaction() as db:
            found = db.execute(
                _text("SELECT id FROM matches WHERE id = :id OR folder = :folder"),
                {"id": match or "", "folder": folder},
            ).scalars()
            for ident in found.all():
                _delete_match(db, ident)
        self._wipe()

    def rename_player(
        self, without: Callable[[str], str], anew: Mapping[str, tuple[str, str]] = MappingProxyType({})
    ) -> None:
        """Put `without(name)` in the place of every player's name that it changes; number and team go too.

        `anew`: for a match whose journal was written anew, by its id before: its id and digest now.
        """
        with self._transaction() as db:
            for name in db.execute(_text("SELECT name FROM players")).scalars().all():
                if (instead := without(name)) != name:
                    _rename(db, name, instead)
            for alias in db.execute(_text("SELECT alias FROM aliases")).scalars().all():
                if without(alias) != alias:
                    db.execute(_text("DELETE FROM aliases WHERE alias = :alias"), {"alias": alias})
            for before, (now, digest) in anew.items():
                _give_id(db, before, now, digest)
        self._wipe()

    def _wipe(self) -> None:
        """Write the database's files anew, so that what was deleted is in none of their free pages."""
        from sqlalchemy.exc import SQLAlchemyError

        with suppress(SQLAlchemyError), self._engine.connect() as db:  # PostgreSQL wants its owner for this
            if self._engine.dialect.name == "sqlite":
                db.connection.driver_connection.execute("VACUUM")
                return
            alone = db.execution_options(isolation_level="AUTOCOMMIT")
            for table in ("players", "matches", "frames", "breaks", "strokes", "fixtures", "aliases"):
                alone.execute(_text(f"VACUUM FULL {table}"))

    def results(self) -> tuple[Result, ...]:
        """Every match, the latest first."""
        with self._transaction() as db:
            frames: dict[str, list[FrameRecord]] = defaultdict(list)
            for row in db.execute(_text("SELECT * FROM frames ORDER BY match_id, n")).mappings():
                frames[row["match_id"]].append(
                    FrameRecord(row["n"], row["score_a"], row["score_b"], row["winner"])
                )
            highest = {
                (row["match_id"], row["side"]): row["points"]
                for row in db.execute(
                    _text("SELECT match_id, side, max(points) AS points FROM breaks GROUP BY match_id, side")
                ).mappings()
            }
            rows = db.execute(
                _text(
                    "SELECT m.*, f.competition, f.best_of AS due_frames FROM matches m"
                    " LEFT JOIN fixtures f ON f.id = m.fixture ORDER BY m.played_on DESC, m.id"
                )
            ).mappings()
            return tuple(_result(row, tuple(frames[row["id"]]), highest) for row in rows)

    def open_fixtures(self) -> tuple[FixtureRecord, ...]:
        """Fixtures without a match, the next first."""
        with self._transaction() as db:
            rows = db.execute(
                _text(
                    "SELECT f.* FROM fixtures f LEFT JOIN matches m ON m.fixture = f.id WHERE m.id IS NULL"
                    " ORDER BY f.due_on, f.id"
                )
            ).mappings()
            return tuple(FixtureRecord(**row) for row in rows)

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            cause = " ".join(str(getattr(error, "orig", None) or error).split())
            raise UnusableInput(
                sentence("errors.database_that_can_be_used", shown=self._shown, cause=shown(cause))
            ) from None


def _engine(database: str) -> Any:
    try:
        from sqlalchemy import create_engine, event
        from sqlalchemy.exc import ArgumentError, NoSuchModuleError

        address = database if "://" in database else f"sqlite:///{database}"
        if address.startswith(("postgresql://", "postgres://")):
            address = "postgresql+psycopg://" + address.partition("://")[2]
        engine = create_engine(address)
    except ImportError as error:
        raise UnusableInput(sentence("errors.packages_of_the_extra_library_pip", name=error.name)) from None
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise UnusableInput(
            sentence("errors.file_or_postgresql_user_host_name", database=shown(database), error=error)
        ) from None
    if engine.dialect.name == "sqlite":
        # Python's driver begins no transaction for DDL; one that is taken at once is also waited for
        event.listen(engine, "connect", _on_connect)
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def _on_connect(connection: Any, _: object) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten


def _text(statement: str) -> Any:
    from sqlalchemy import text

    return text(statement)


def _insert(db: Any, table: str, row: dict[str, Any], conflict: str = "") -> None:
    """Names of tables and columns are ours alone; values are bound."""
    columns, values = ", ".join(row), ", ".join(f":{name}" for name in row)
    db.execute(_text(f"INSERT INTO {table} ({columns}) VALUES ({values}) {conflict}"), row)


def _put(db: Any, table: str, key: str, row: dict[str, Any]) -> None:
    """Insert a row, or change the one with its key."""
    changes = ", ".join(f"{name} = excluded.{name}" for name in row if name != key)
    _insert(db, table, row, f"ON CONFLICT ({key}) DO UPDATE SET {changes}")


def _named(db: Any, *names: str) -> None:
    for name in names:
        _insert(db, "players", {"name": name}, "ON CONFLICT (name) DO NOTHING")


def _delete_match(db: Any, ident: str) -> None:
    for table in ("frames", "breaks", "strokes"):
        db.execute(_text(f"DELETE FROM {table} WHERE match_id = :id"), {"id": ident})
    db.execute(_text("DELETE FROM matches WHERE id = :id"), {"id": ident})


def _rename(db: Any, name: str, instead: str) -> None:
    _named(db, instead)
    for table, column in (
        ("matches", "player_a"),
        ("matches", "player_b"),
        ("fixtures", "home"),
        ("fixtures", "away"),
        ("aliases", "name"),
    ):
        db.execute(
            _text(f"UPDATE {table} SET {column} = :instead WHERE {column} = :name"),
            {"instead": instead, "name": name},
        )
    db.execute(_text("DELETE FROM players WHERE name = :name"), {"name": name})


def _give_id(db: Any, before: str, now: str, digest: str) -> None:
    """Another id for a match: a row of its own, because frames and breaks refer to it."""
    row = db.execute(_text("SELECT * FROM matches WHERE id = :id"), {"id": before}).mappings().first()
    if row is None:
        return
    if now != before:
        db.execute(_text("UPDATE matches SET fixture = NULL WHERE id = :id"), {"id": before})
    _put(db, "matches", "id", dict(row) | {"id": now, "journal": digest})
    if now != before:
        for table in ("frames", "breaks", "strokes"):
            db.execute(
                _text(f"UPDATE {table} SET match_id = :now WHERE match_id = :before"),
                {"now": now, "before": before},
            )
        db.execute(_text("DELETE FROM matches WHERE id = :id"), {"id": before})


def _known_players(db: Any, players: tuple[str, str]) -> tuple[str, str]:
    """The players under the names by which the library knows them. Raises UnusableInput for one person."""
    rows = db.execute(
        _text("SELECT alias, name FROM aliases WHERE alias IN (:a, :b)"),
        dict(zip("ab", players, strict=True)),
    )
    names = {row[0]: row[1] for row in rows}
    a, b = (names.get(p, p) for p in players)
    if a == b:
        raise UnusableInput(sentence("players.error_met", name=repr(a), alias=repr(players[1])))
    return a, b


def _fixture(db: Any, match: MatchRecord, wanted: str | None) -> str | None:
    """The fixture of a match, checked."""
    pair = set(match.players)
    had = db.execute(_text("SELECT fixture FROM matches WHERE id = :id"), {"id": match.id}).scalar()
    if wanted is None:
        if had is not None:
            return str(had)
        rows = db.execute(
            _text(
                "SELECT f.id, f.home, f.away FROM fixtures f LEFT JOIN matches m ON m.fixture = f.id"
                " WHERE m.id IS NULL"
            )
        ).mappings()
        fitting = [str(row["id"]) for row in rows if {row["home"], row["away"]} == pair]
        return fitting[0] if len(fitting) == 1 else None
    row = (
        db.execute(
            _text(
                "SELECT f.home, f.away, m.id AS played FROM fixtures f"
                " LEFT JOIN matches m ON m.fixture = f.id WHERE f.id = :id"
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
        else None
    )
    if found is not None:
        names = " and ".join(match.players)
        raise UnusableInput(sentence("errors.open_fixture", wanted=wanted, names=names, found=found))
    return wanted


def _result(row: Any, frames: tuple[FrameRecord, ...], highest: dict[tuple[str, str], int]) -> Result:
    won = sum(f.winner == "A" for f in frames), sum(f.winner == "B" for f in frames)
    best_of = row["best_of"] or row["due_frames"]
    ahead = None if won[0] == won[1] else "A" if won[0] > won[1] else "B"
    decided = best_of is None or max(won) > best_of // 2
    return Result(
        id=row["id"],
        played_on=row["played_on"],
        game=row["game"],
        competition=row["competition"],
        fixture=row["fixture"],
        players=(row["player_a"], row["player_b"]),
        best_of=best_of,
        frames_won=won,
        winner=ahead if decided else None,
        frames=frames,
        highest=(highest.get((row["id"], "A"), 0), highest.get((row["id"], "B"), 0)),
        strokes=row["strokes"],
        questions=row["questions"],
        folder=row["folder"],
    )
