"""The roles of people at the pages, and a person as a request knows them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Role(IntEnum):
    """Each role may do all that the ones below it may.

    NOBODY: anyone who reaches the port. PUBLIC: looks at scores where the owner has opened them to everyone.
    SPECTATOR: sees footage and history too. REFEREE: answers and corrects. OWNER: settings, deletion, users.
    """

    NOBODY = 0
    PUBLIC = 1
    SPECTATOR = 2
    REFEREE = 3
    OWNER = 4


ACCOUNT_ROLES = (Role.SPECTATOR, Role.REFEREE, Role.OWNER)
"""The roles that an account can have."""


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever sends a request. `name` is empty for one without an account: a change is then signed by the
    name that the request claims. `table`: of a tablet's account, the one table at which it may referee.
    """

    role: Role
    name: str = ""
    account: int | None = None
    table: str | None = None

    def signature(self, claimed: str) -> str:
        """The author of a change, for the journal."""
        return self.name or claimed

    def role_at(self, table: str | None) -> Role:
        """The role on the pages of a table (None: pages of no one table)."""
        if self.table is None or self.table == table:
            return self.role
        return Role.NOBODY


NOBODY = Person(Role.NOBODY)
