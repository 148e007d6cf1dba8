"""The accounts of people and of tablets at a table."""

from __future__ import annotations

import time
import unicodedata
from dataclasses import dataclass
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from calibration.texts import unusable_input
from referee.access.roles import ACCOUNT_ROLES, Role
from referee.access.store import AccessStore

LEAST_PASSWORD, MOST_PASSWORD = 10, 200
"""Characters. Length is what resists guessing; rules of composition do not (NIST SP 800-63B, 5.1.1.2)."""
MOST_NAME = 80
MOST_ACCOUNTS = 500
_AT_ONCE = BoundedSemaphore(2)
"""A hash takes 64 MiB and a tenth of a second: a crowd at the door must not take the referee's memory."""


@dataclass(frozen=True, slots=True)
class Account:
    """`table`: the one table of a tablet's account; `has_password`: without one only a link logs in."""

    id: int
    name: str
    role: Role
    has_password: bool
    table: str | None = None


class Accounts:
    """The accounts of a store. Methods may be called from any thread; those with a password take long."""

    def __init__(self, store: AccessStore, hasher: PasswordHasher | None = None) -> None:
        self._store, self._hasher = store, hasher or PasswordHasher()
        self._decoy = ""

    def all(self) -> list[Account]:
        """Every account, in order of name."""
        rows = self._store.rows(f"SELECT {_COLUMNS} FROM accounts ORDER BY folded")
        return [_account(r) for r in rows]

    def get(self, account: int) -> Account:
        """Raises UnusableInput when there is none of that number."""
        rows = self._store.rows(f"SELECT {_COLUMNS} FROM accounts WHERE id = ?", (account,))
        if not rows:
            raise unusable_input("errors.one_that_exists", account=account)
        return _account(rows[0])

    def find(self, name: str) -> Account | None:
        """The account of that name, however it is capitalised."""
        rows = self._store.rows(f"SELECT {_COLUMNS} FROM accounts WHERE folded = ?", (folded(name),))
        return _account(rows[0]) if rows else None

    def add(self, name: str, role: Role, password: str | None = None, table: str | None = None) -> Account:
        """Add an account; without a password a one-time link logs in. Raises UnusableInput."""
        name = checked_name(name)
        if role not in ACCOUNT_ROLES or (table is not None and role is not Role.REFEREE):
            raise unusable_input("errors.spectator_referee_or_owner", name=role.name.lower())
        hashed = self._hashed(name, password) if password is not None else None
        with self._store.changing() as base:
            if base.execute("SELECT count(*) FROM accounts").fetchone()[0] >= MOST_ACCOUNTS:
                raise unusable_input("errors.accounts_most", most_accounts=MOST_ACCOUNTS)
            if base.execute("SELECT 1 FROM accounts WHERE folded = ?", (folded(name),)).fetchone():
                raise unusable_input("errors.one_that_is_not_taken", name=repr(name))
            base.execute(
                "INSERT INTO accounts (name, folded, role, password, table_name, made_unix_s)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (name, folded(name), int(role), hashed, table, time.time()),
            )
        found = self.find(name)
        assert found is not None
        return found

    def set_role(self, account: int, role: Role) -> None:
        """Change a role, at once for every session. Raises UnusableInput for the last owner's."""
        known = self.get(account)
        if role not in ACCOUNT_ROLES or known.table is not None:
            raise unusable_input("errors.that_of_a_person", name=known.name, found=role.name.lower())
        with self._store.changing() as base:
            base.execute("UPDATE accounts SET role = ? WHERE id = ?", (int(role), account))
            self._check_owner(known)

    def set_password(self, account: int, password: str) -> None:
        """Set a password; every session of the account ends. Raises UnusableInput for one that is no good."""
        known = self.get(account)
        if known.table is not None:
            raise unusable_input("errors.person", name=known.name)
        hashed = self._hashed(known.name, password)
        with self._store.changing() as base:
            base.execute("UPDATE accounts SET password = ? WHERE id = ?", (hashed, account))
            base.execute("DELETE FROM sessions WHERE account = ?", (account,))
            base.execute("DELETE FROM codes WHERE account = ?", (account,))

    def remove(self, account: int) -> None:
        """Remove an account with its sessions and links. Raises UnusableInput for the last owner's."""
        known = self.get(account)
        with self._store.changing() as base:
            base.execute("DELETE FROM accounts WHERE id = ?", (account,))
            self._check_owner(known)

    def _check_owner(self, changed: Account) -> None:
        """Other accounts are not left without an owner. Called in the transaction that changed one."""
        left = self.all()
        if changed.role is Role.OWNER and left and not any(a.role is Role.OWNER for a in left):
            raise unusable_input("errors.another_owner_to_be_left", name=changed.name)

    def check(self, name: str, password: str) -> Account | None:
        """The account of that name and password. A wrong name takes as long as a wrong password."""
        rows = self._store.rows(
            f"SELECT {_COLUMNS}, password FROM accounts WHERE folded = ?", (folded(name[: 2 * MOST_NAME]),)
        )
        stored = rows[0][-1] if rows else None
        if not isinstance(stored, str):
            rows, stored = [], self._decoy_hash()
        if not self._verified(stored, password):
            return None
        if rows and self._hasher.check_needs_rehash(stored):
            with self._store.changing() as base:
                hashed = self._hasher.hash(_bytes(password))
                base.execute("UPDATE accounts SET password = ? WHERE id = ?", (hashed, rows[0][0]))
        return _account(rows[0]) if rows else None

    def _verified(self, stored: str, password: str) -> bool:
        with _AT_ONCE:
            try:
                return self._hasher.verify(stored, _bytes(password[: MOST_PASSWORD + 1]))
            except (VerificationError, InvalidHashError):
                return False

    def _decoy_hash(self) -> str:
        if not self._decoy:
            with _AT_ONCE:
                self._decoy = self._hasher.hash("no account has this password, and none is let in by it")
        return self._decoy

    def _hashed(self, name: str, password: str) -> str:
        if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
            raise unusable_input(
                "errors.characters",
                least_password=LEAST_PASSWORD,
                most_password=MOST_PASSWORD,
                count=len(password),
            )
        beside_name = folded(password).replace(folded(name), "")
        if len(beside_name) < LEAST_PASSWORD - 4 or len(set(password)) < 4:
            raise unusable_input("errors.one_that_is_hard_to_guess")
        with _AT_ONCE:
            return self._hasher.hash(_bytes(password))


def _bytes(password: str) -> bytes:
    """What is hashed: one form, however a keyboard composes its accents."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")


def folded(name: str) -> str:
    """The form in which names are compared: two that look alike by case or accents' spelling are one."""
    form = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).strip()
    return form.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair is no text for a database


def checked_name(name: str) -> str:
    """A name as it is kept and signed with. Raises UnusableInput."""
    name = unicodedata.normalize("NFC", name).strip()
    if not 1 <= len(name) <= MOST_NAME or not name.isprintable():
        raise unusable_input("errors.1_to_printable_characters", most_name=MOST_NAME, name=repr(name[:20]))
    return name


_COLUMNS = "id, name, role, password IS NOT NULL, table_name"


def _account(row: tuple[object, ...]) -> Account:
    number, name, role, has_password, table = row[:5]
    assert isinstance(number, int) and isinstance(role, int)
    return Account(number, str(name), Role(role), bool(has_password), None if table is None else str(table))
