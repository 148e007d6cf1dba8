"""Sessions that end, and links that log in once.

The cookie is a random number signed with the store's key, so that a forged one never reaches the database;
the session itself is kept by the server, which ends it: after its time, at logging out, with a new password,
with its account.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from itsdangerous import BadSignature, Signer

from referee.access.roles import Person, Role
from referee.access.store import AccessStore
from referee.moments import Moment, moment

_HOUR_S, _DAY_S = 3600.0, 86400.0
IDLE_AND_WHOLE_S = {
    Role.OWNER: (4 * _HOUR_S, _DAY_S),
    Role.REFEREE: (12 * _HOUR_S, 7 * _DAY_S),
    Role.SPECTATOR: (7 * _DAY_S, 30 * _DAY_S),
}
"""Longest time unused and longest time at all. An owner can delete, so that a forgotten browser of theirs is
the dearest; a referee's evening is not interrupted."""
TABLET_S = (90 * _DAY_S, 400 * _DAY_S)
"""The same for the tablet at a table, which nobody logs in at; an owner ends it on the users' page."""
LINK_S = _HOUR_S
"""A link that was printed is of use for this long, once."""
_NOTED_S = 60.0
"""A session's last use is written at most this often."""
MOST_OF_ONE = 50
"""Sessions of one account: who logs in again and again ends their own, and nobody else's."""
_MOST_SESSIONS = 5000


@dataclass(frozen=True, slots=True)
class Session:
    """A session as its browser knows it: `cookie`, and the `token` that every change must carry."""

    cookie: str
    token: str
    person: Person


class Sessions:
    """The sessions of a store. Methods may be called from any thread."""

    def __init__(self, store: AccessStore, clock: Callable[[], Moment] = moment) -> None:
        self._store, self._clock = store, clock
        self._signer = Signer(store.key, salt="cueref session", digest_method=hashlib.sha256)
        self.cookie_name = f"cueref-{hashlib.sha256(b'name' + store.key).hexdigest()[:8]}"
        """One for each store: browsers send cookies to every port of a host."""

    def begin(self, account: int | None) -> Session:
        """A new session; None: of the owner who has the server's token."""
        number, now = secrets.token_urlsafe(32), self._clock()
        token = secrets.token_urlsafe(24)
        with self._store.changing() as base:
            for whose, values, most in (
                ("account IS ?", (account,), MOST_OF_ONE),
                ("TRUE", (), _MOST_SESSIONS),
            ):
                base.execute(
                    f"DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE {whose}"
                    f" ORDER BY used_unix_s DESC LIMIT -1 OFFSET {most - 1})",
                    values,
                )
            base.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (_id(number), account, token, now.boot, *(now.boot_s, now.unix_s) * 2, now.boot),
            )
        found = self.find(cookie := self._signer.sign(number).decode("ascii"))
        assert found is not None and found.cookie == cookie
        return found

    def find(self, cookie: str) -> Session | None:
        """The session of a cookie; None where it has ended or never was. Its use is noted."""
        number = self._number(cookie)
        if number is None:
            return None
        rows = self._store.rows(
            "SELECT s.token, s.boot, s.begun_boot_s, s.begun_unix_s, s.used_boot, s.used_boot_s,"
            " s.used_unix_s, s.account, a.name, a.role, a.table_name"
            " FROM sessions s LEFT JOIN accounts a ON a.id = s.account WHERE s.id = ?",
            (_id(number),),
        )
        if not rows:
            return None
        token, boot, begun_s, begun_unix_s, used_boot, used_s, used_unix_s = rows[0][:7]
        person = _person(*rows[0][7:])
        now = self._clock()
        idle_s = Moment(str(used_boot), _float(used_s), _float(used_unix_s)).age_s(now)
        whole_s = Moment(str(boot), _float(begun_s), _float(begun_unix_s)).age_s(now)
        most_idle_s, most_s = TABLET_S if person.table is not None else IDLE_AND_WHOLE_S[person.role]
        if idle_s > most_idle_s or whole_s > most_s:
            self.end(cookie)
            return None
        if idle_s > _NOTED_S:
            # a full disk ends no session: answers go on being given
            with suppress(sqlite3.Error), self._store.changing() as base:
                base.execute(
                    "UPDATE sessions SET used_boot = ?, used_boot_s = ?, used_unix_s = ? WHERE id = ?",
                    (now.boot, now.boot_s, now.unix_s, _id(number)),
                )
        return Session(cookie, str(token), person)

    def end(self, cookie: str) -> None:
        """End a session."""
        number = self._number(cookie)
        if number is not None:
            with self._store.changing() as base:
                base.execute("DELETE FROM sessions WHERE id = ?", (_id(number),))

    def end_all(self, account: int | None) -> None:
        """End every session of an account; None: of all that came by the server's token."""
        with self._store.changing() as base:
            base.execute("DELETE FROM sessions WHERE account IS ?", (account,))

    def count(self, account: int) -> int:
        """How many sessions an account has, ended ones that nobody has asked for since included."""
        ((found,),) = self._store.rows("SELECT count(*) FROM sessions WHERE account = ?", (account,))
        return int(_float(found))

    def link(self, account: int | None, lasts_s: float = LINK_S) -> str:
        """A code that logs in once; None: as the owner who has the server's token."""
        code, now = secrets.token_urlsafe(24), self._clock()
        with self._store.changing() as base:
            base.execute(
                "INSERT INTO codes VALUES (?, ?, ?, ?, ?, ?)",
                (_id(code), account, lasts_s, now.boot, now.boot_s, now.unix_s),
            )
        return code

    def open(self, code: str) -> Session | None:
        """The session that a code begins; None for one that is used, too old or none."""
        with self._store.changing() as base:
            taken = base.execute(
                "DELETE FROM codes WHERE id = ? RETURNING account, lasts_s, boot, boot_s, unix_s",
                (_id(code),),
            ).fetchall()
        if not taken:
            return None
        account, lasts_s, boot, boot_s, unix_s = taken[0]
        if Moment(boot, boot_s, unix_s).age_s(self._clock()) > lasts_s:
            return None
        return self.begin(account)

    def _number(self, cookie: str) -> str | None:
        try:
            return self._signer.unsign(cookie.encode("utf-8", "surrogatepass")).decode("ascii")
        except (BadSignature, UnicodeDecodeError):
            return None


def _id(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _person(account: object, name: object, role: object, table: object) -> Person:
    if account is None:
        return Person(Role.OWNER)
    return Person(
        Role(int(_float(role))), str(name), int(_float(account)), None if table is None else str(table)
    )


def _float(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)
