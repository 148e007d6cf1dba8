"""Published documents for tests of screens and feeds: a frame under way at one table."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from typing import Any, get_args, get_origin, get_type_hints

from referee.live.engine.state import (
    Condition,
    LiveCamera,
    LiveEvent,
    LiveMachine,
    LivePlayer,
    LiveRuling,
    LiveState,
    event,
)

UTC = "2026-11-21T19:30:00Z"


def _empty(hint: Any) -> Any:
    """A plain value of a type: None where it may be, else nothing, zero or the first of its words."""
    origin, args = get_origin(hint), get_args(hint)
    if type(None) in args:
        return None
    if origin is tuple:
        return () if args[-1] is Ellipsis else tuple(_empty(a) for a in args)
    if origin is not None and args and isinstance(args[0], str):
        return args[0]
    return {int: 0, float: 0.0, bool: False, str: ""}[hint]


def plain(cls: type, **given: Any) -> Any:
    """A value of a published type with what is given, and nothing else known."""
    hints = get_type_hints(cls)
    wanted = [f.name for f in fields(cls) if f.default is MISSING and f.name not in given]
    empty = {name: _empty(hints[name]) for name in wanted}
    return cls(**{**empty, **given})


def ruling(**given: Any) -> LiveRuling:
    return plain(
        LiveRuling, **{"stroke": 1, "frame": 1, "end_utc": UTC, "kind": "foul", "text": "Foul, four", **given}
    )


def state(table: str = "table-1", **given: Any) -> LiveState:
    players = (LivePlayer("A", "Ann", 12, 1, 30), LivePlayer("B", "Bob", 4, 0, 8))
    told = {
        "version": 1,
        "utc": UTC,
        "table": table,
        "status": "running",
        "phase": "frame",
        "players": players,
        "frame": 2,
        "best_of": 5,
        "striker": "A",
        "ball_on": "red",
        "score": (12, 4),
        "last_ruling": ruling(),
        "camera": plain(LiveCamera, ok=True, rate_hz=50.0, delay_ms=80.0, images=1000),
        "machine": plain(LiveMachine, cpu_share=0.5),
    }
    return plain(LiveState, **{**told, **given})


def state_event(seq: int = 1, table: str = "table-1", **given: Any) -> LiveEvent:
    return event(seq, 1.0, UTC, table, replace(state(table, **given), seq=seq))


def ruling_event(seq: int = 1, table: str = "table-1", **given: Any) -> LiveEvent:
    return event(seq, 1.0, UTC, table, ruling(**given))


def condition(code: Any = "camera_lost", **given: Any) -> Condition:
    return plain(
        Condition, **{"code": code, "since_utc": UTC, "text": "the camera is lost", "active": True, **given}
    )
