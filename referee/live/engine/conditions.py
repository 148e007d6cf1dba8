"""What is the matter with a table: conditions that hold, the gravest first; telling once when one begins or
ends.
"""

from __future__ import annotations

from dataclasses import replace

from referee.live.engine.state import Condition, StatusCode

_GRAVE: tuple[StatusCode, ...] = (
    "stopped",
    "camera_lost",
    "view_wrong",
    "picture_covered",
    "camera_moved",
    "journal_in_memory",
    "recording_stopped",
    "slow",
    "disk_nearly_full",
    "starting",
)
"""Gravest first; `running` is none of them."""


class Conditions:
    """The conditions that hold now."""

    def __init__(self) -> None:
        self._now: dict[StatusCode, Condition] = {}

    @property
    def now(self) -> tuple[Condition, ...]:
        """Gravest first."""
        return tuple(sorted(self._now.values(), key=lambda c: _GRAVE.index(c.code)))

    @property
    def status(self) -> StatusCode:
        return self.now[0].code if self._now else "running"

    def holds(self, code: StatusCode) -> Condition | None:
        return self._now.get(code)

    def begin(self, code: StatusCode, text: str, since_s: float | None, utc: str) -> Condition | None:
        """A condition holds; what is to be told, None when it was told in the same words."""
        known = self._now.get(code)
        if known is not None and known.text == text:
            return None
        found = Condition(code, since_s, utc, text) if known is None else replace(known, text=text)
        self._now[code] = found
        return found

    def end(self, code: StatusCode, text: str) -> Condition | None:
        """A condition is over; what is to be told, None when it did not hold."""
        known = self._now.pop(code, None)
        return None if known is None else replace(known, text=text, active=False)
