"""Hands each event of a live table to its outlets (MQTT, webhooks, ...); none of them can delay the
refereeing.

Each outlet has its own thread and bounded queue. A slow outlet loses its oldest events first. The newest
state is always kept: it says everything that holds now, so only history is lost.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from referee.live.engine.state import EventType, LiveEvent, document

QUEUE = 256
"""Events that an outlet may be behind; a frame has about a hundred rulings."""

CLOSE_S = 3.0  # for the queued events at the end
_AWAY_S = 5.0  # a connection that is just being made is not reported

Told = Callable[[str, bool, str], None]
"""An outlet's name, whether it takes events now, and why not."""


class Outlet(Protocol):
    """Where events go. `send` may block and is called from one thread; it raises nothing.

    An outlet may have an attribute `trouble`: why the last event did not arrive, without addresses.
    """

    name: str

    def send(self, kind: EventType, body: bytes) -> bool:
        """Deliver one event (JSON); whether it arrived."""

    def close(self) -> None:
        """Close connections; nothing is sent afterwards."""


@dataclass(frozen=True, slots=True)
class OutletCount:
    """The counts of an outlet: events delivered, given up after several tries, dropped from a full queue."""

    name: str
    delivered: int
    failed: int
    dropped: int


class _Lane:
    """One outlet, its queue and its thread."""

    def __init__(self, outlet: Outlet, told: Told) -> None:
        self.outlet, self._told = outlet, told
        self._away_s: float | None = None
        self._said = False
        self.delivered = self.failed = self.dropped = 0
        self._waiting: deque[tuple[EventType, bytes]] = deque()
        self._change = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=outlet.name, daemon=True)
        self._thread.start()

    def put(self, kind: EventType, body: bytes) -> None:
        with self._change:
            if kind == "state":  # this state replaces one that still waits
                kept = [item for item in self._waiting if item[0] != "state"]
                self._waiting = deque(kept)
            if len(self._waiting) >= QUEUE:
                self._waiting.popleft()
                self.dropped += 1
            self._waiting.append((kind, body))
            self._change.notify()

    def _run(self) -> None:
        while True:
            with self._change:
                while not self._waiting and not self._closing:
                    self._change.wait()
                if not self._waiting:
                    break
                kind, body = self._waiting.popleft()
            begun = time.monotonic()
            self._went(self.outlet.send(kind, body), begun)
        self.outlet.close()

    def _went(self, arrived: bool, begun_s: float) -> None:
        """Count an event. Report once when an outlet has failed for a while, and once when it works again."""
        if arrived:
            self.delivered += 1
            self._away_s = None
        else:
            self.failed += 1
            self._away_s = begun_s if self._away_s is None else self._away_s
        away = self._away_s is not None and time.monotonic() - self._away_s >= _AWAY_S
        if away != self._said:
            self._said = away
            self._told(self.outlet.name, not away, str(getattr(self.outlet, "trouble", "")) if away else "")

    def close(self, timeout_s: float) -> None:
        with self._change:
            self._closing = True
            self._change.notify()
        self._thread.join(timeout_s)


class Fanout:
    """All outlets of a table. `publish` returns at once; safe to call from any one thread."""

    def __init__(self, outlets: Sequence[Outlet], told: Told = lambda name, taken, why: None) -> None:
        """`told`: called from the outlets' threads when one stops or begins to take events."""
        self._lanes = [_Lane(o, told) for o in outlets]

    def publish(self, event: LiveEvent) -> None:
        """Queue an event for every outlet."""
        if self._lanes:
            body = json.dumps(document(event), separators=(",", ":"), allow_nan=False).encode()
            for lane in self._lanes:
                lane.put(event.type, body)

    def counts(self) -> tuple[OutletCount, ...]:
        """The counts of each outlet so far."""
        return tuple(OutletCount(x.outlet.name, x.delivered, x.failed, x.dropped) for x in self._lanes)

    def close(self) -> None:
        """Deliver queued events, for at most `CLOSE_S`, and close the outlets."""
        for lane in self._lanes:
            lane.close(CLOSE_S)
