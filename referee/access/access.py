"""Accounts, sessions and pauses after wrong guesses in one object, which the pages ask who somebody is."""

from __future__ import annotations

import os
from pathlib import Path

from referee.access.accounts import Account, Accounts
from referee.access.pauses import Pauses
from referee.access.sessions import Session, Sessions
from referee.access.store import AccessStore, usual_path

LONGEST_FOR_ADDRESS_S = 900.0
LONGEST_FOR_ACCOUNT_S = 60.0
"""Shorter: somebody else's guesses must not keep a referee from the table. At one a minute, a password of ten
letters outlives its guesser."""


class Access:
    """`store` None: nothing is kept when the process ends."""

    def __init__(self, store: AccessStore | None = None) -> None:
        self.store = store or AccessStore()
        self.accounts, self.sessions = Accounts(self.store), Sessions(self.store)
        self.by_address, self.by_account = Pauses(LONGEST_FOR_ADDRESS_S), Pauses(LONGEST_FOR_ACCOUNT_S)

    def log_in(self, name: str, password: str) -> Account | None:
        """The account, None for a wrong name or password, which is counted. Takes a tenth of a second."""
        self.by_account.wrong(account_key(name), password)  # before it is known: guesses come side by side
        found = self.accounts.check(name, password)
        if found is not None:
            self.by_account.forget(account_key(name))
        return found

    def begin(self, account: Account | None) -> Session:
        """A session for an account; None: for the owner who has the server's token."""
        return self.sessions.begin(account.id if account is not None else None)


def account_key(name: str) -> str:
    """The key of an account's pauses; of names that do not exist too, so that none is told from the other."""
    return name.strip().casefold()[:160]


def open_access(path: Path | None = None) -> Access:
    """The machine's accounts. Where nobody said where they are and the usual folder cannot be written, they
    are kept in memory.

    Raises UnusableInput for a file that is damaged, or a path that was told and cannot be used.
    """
    where = path or usual_path()
    if path is None and not os.environ.get("CUEREF_ACCESS") and not _writable(where):
        return Access()
    return Access(AccessStore(where))


def _writable(path: Path) -> bool:
    if path.exists():
        return True
    folder = next((p for p in path.parents if p.exists()), None)
    return folder is not None and os.access(folder, os.W_OK)
