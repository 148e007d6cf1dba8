"""`practice.json`: stored positions and the results of every player, beside the matches of a table.

One file, written whole or not at all; a person can read it. A file that cannot be read is refused, never
overwritten.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from calibration import json_text
from calibration.files import write_text
from calibration.result import built_from
from calibration.texts import unusable_input
from referee.console.practice.counting import Try
from referee.console.practice.positions import Kind, Position
from referee.journal import now_utc

PRACTICE_FILE = "practice.json"
SCHEMA = 1
MOST_POSITIONS = 500
MOST_SESSIONS = 20_000  # ten a day for five years; the oldest go first
MOST_BYTES = 64 * 2**20
PRIVATE = 0o600  # as all that live writes of people


@dataclass(frozen=True, slots=True)
class Session:
    """One player's tries from one position. `of`: how many are wanted; `match_id`, `since_s`: the match and
    the moment from which its strokes count. `ended_at` None: still on.
    """

    id: str
    player: str
    position: Position
    of: int
    match_id: str
    since_s: float
    begun_at: str
    ended_at: str | None
    tries: tuple[Try, ...]

    @property
    def counted(self) -> tuple[Try, ...]:
        """The tries that count, in order, at most those wanted."""
        kept = sorted((t for t in self.tries if t.counts), key=lambda t: t.at_s)
        return tuple(kept[: self.of])


class PracticeBook:
    """The file of one folder. Methods may be called from several threads."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / PRACTICE_FILE
        self._lock = threading.RLock()
        self._stamp = -1
        self._positions: tuple[Position, ...] = ()
        self._sessions: tuple[Session, ...] = ()

    def positions(self) -> tuple[Position, ...]:
        """Stored positions, the newest first."""
        with self._lock:
            self._read()
            return self._positions

    def sessions(self) -> tuple[Session, ...]:
        """All sessions, oldest first."""
        with self._lock:
            self._read()
            return self._sessions

    def keep(
        self, name: str, kind: Kind, layout: tuple[tuple[str, float, float], ...], target: str | None
    ) -> Position:
        """Store a position."""
        position = Position(secrets.token_hex(6), name, kind, layout, target)
        with self._lock:
            self._read()
            if len(self._positions) >= MOST_POSITIONS:
                raise unusable_input("practice.error_full", most=MOST_POSITIONS)
            self._write((position, *self._positions), self._sessions)
        return position

    def drop(self, ident: str) -> None:
        """Forget a stored position; its results stay. Raises UnusableInput for one that is not there."""
        with self._lock:
            self._read()
            kept = tuple(p for p in self._positions if p.id != ident)
            if len(kept) == len(self._positions):
                raise unusable_input("practice.error_no_position", name=repr(ident))
            self._write(kept, self._sessions)

    def begin(self, player: str, position: Position, of: int, match_id: str, since_s: float) -> Session:
        """Begin a session; one of the same match that is still on ends."""
        session = Session(secrets.token_hex(6), player, position, of, match_id, since_s, now_utc(), None, ())
        with self._lock:
            self._read()
            others = tuple(
                replace(s, ended_at=session.begun_at) if s.match_id == match_id and s.ended_at is None else s
                for s in self._sessions
            )
            self._write(self._positions, (*others, session)[-MOST_SESSIONS:])
        return session

    def change(self, ident: str, work: Callable[[Session], Session]) -> Session:
        """Change a session; written only where it is another one then. Raises UnusableInput for none."""
        with self._lock:
            self._read()
            found = next((s for s in self._sessions if s.id == ident), None)
            if found is None:
                raise unusable_input("practice.error_no_session", name=repr(ident))
            changed = work(found)
            if changed != found:
                self._write(self._positions, tuple(changed if s.id == ident else s for s in self._sessions))
            return changed

    def _read(self) -> None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return
        if found.st_mtime_ns == self._stamp:
            return
        problem: object = f"{found.st_size} bytes"
        if found.st_size <= MOST_BYTES:
            try:
                document = json_text.loads(self._path.read_bytes())
                self._positions, self._sessions = parsed(document)
                self._stamp = found.st_mtime_ns
                return
            except (ValueError, TypeError, KeyError, ArithmeticError) as error:
                problem = error
        raise unusable_input("practice.error_file", path=self._path, error=problem) from None

    def _write(self, positions: Sequence[Position], sessions: Sequence[Session]) -> None:
        text = as_text(positions, sessions)
        write_text(self._path, text, PRIVATE)
        self._positions, self._sessions = tuple(positions), tuple(sessions)
        self._stamp = self._path.stat().st_mtime_ns


def as_text(positions: Sequence[Position], sessions: Sequence[Session]) -> str:
    """The file's text; a position or session a line."""
    parts = {"positions": [asdict(p) for p in positions], "sessions": [asdict(s) for s in sessions]}
    lists = ",\n".join(
        f'"{name}": [\n' + ",\n".join(json.dumps(x, ensure_ascii=False) for x in rows) + "\n]"
        for name, rows in parts.items()
    )
    return f'{{"schema": {SCHEMA},\n{lists}\n}}\n'


def parsed(document: Any) -> tuple[tuple[Position, ...], tuple[Session, ...]]:
    """What a file's document holds. Raises ValueError, TypeError or KeyError for another document."""
    if document["schema"] != SCHEMA:
        raise ValueError(f"schema {document['schema']!r}")
    positions = tuple(_position(p) for p in document["positions"])
    sessions = tuple(
        built_from(
            Session,
            {
                **s,
                "position": _position(s["position"]),
                "tries": tuple(built_from(Try, t) for t in s["tries"]),
            },
        )
        for s in document["sessions"]
    )
    return positions, sessions


def _position(record: dict[str, Any]) -> Position:
    layout = tuple((str(c), float(x), float(y)) for c, x, y in record["layout"])
    found: Position = built_from(Position, {**record, "layout": layout})
    return found
