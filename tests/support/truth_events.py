"""Tracker events as a perfect tracker would give them, made from the truth of a shared synthetic clip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tracker.events import (
    Contact,
    CushionHit,
    FirstContact,
    HandMove,
    Layout,
    PlacedBall,
    Pot,
    StrokeRecord,
    TrackerEvent,
)

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "footage" / "synthetic"
POCKETS = {
    "bottom-left": "BL",
    "bottom-right": "BR",
    "centre-left": "CL",
    "centre-right": "CR",
    "top-left": "TL",
    "top-right": "TR",
}


def name(ball: str) -> str:
    return f"red_{int(ball[4:])}" if ball.startswith("red") else ball


def layout(balls: dict[str, list[float]], sigma_mm: float = 0.3) -> Layout:
    return tuple(
        PlacedBall(name(b), b.split("_")[0], x * 1000, y * 1000, sigma_mm, 1.0)
        for b, (x, y) in sorted(balls.items())
    )


def events(truth: dict[str, Any]) -> list[TrackerEvent]:
    """Strokes and hands' actions, in order."""
    found: list[TrackerEvent] = []
    for e in truth["events"]:
        if e["type"] == "stroke":
            found.append(_stroke(e))
        else:
            x, y = e["xy"]
            found.append(HandMove(e["type"], name(e["ball"]), None, (x * 1000, y * 1000, 0.3), e["t"]))
    return found


def _stroke(e: dict[str, Any]) -> StrokeRecord:
    first = e["first_contact"]
    return StrokeRecord(
        start_s=e["t_strike"],
        end_s=e["t_rest"],
        before=layout(e["start"]),
        after=layout(e["end"]),
        first_contact=(
            FirstContact(name(first[0]), first[1], 1.0) if first else FirstContact(None, None, 1.0),
        ),
        contacts=tuple(Contact((name(a), name(b)), t, 0.001, 1.0) for a, b, t in e["contacts"]),
        cushions=tuple(CushionHit(name(b), "top", t) for b, t in e["cushions"]),
        pots=tuple(Pot(name(b), POCKETS[p], t, 1.0) for b, p, t in e["pots"]),  # type: ignore[arg-type]
        off_table=(),
        vanished=(),
        touching=(),
    )


def load(clip: str) -> dict[str, Any] | None:
    """The truth of a shared clip; None where `shared` is absent."""
    file = FOLDER / f"{clip}.json"
    return json.loads(file.read_text()) if file.is_file() else None
