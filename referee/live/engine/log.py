"""The live log: one JSON object a line on standard error, without passwords."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TextIO

from vision.capture.address import shown


class LiveLog:
    """Writes lines `{"at": UTC, "event": NAME, ...}`."""

    def __init__(self, table: str, out: TextIO | None = None) -> None:
        self._table, self._out = table, out

    def __call__(self, event: str, **more: str | int | float | bool | None) -> None:
        """Write one line; passwords are removed from texts."""
        plain = {k: shown(v) if isinstance(v, str) else v for k, v in more.items()}
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"at": at, "table": self._table, "event": event, **plain}, ensure_ascii=False)
        print(
            line + "\n", end="", file=self._out or sys.stderr, flush=True
        )  # one write, because several threads log
