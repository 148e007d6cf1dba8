"""Rulings from the journals of a soak: strokes whose event could not be written (a full disk)."""

from __future__ import annotations

import json
import math
import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.facts.judged import JudgedStroke
from referee.journal import Journal
from referee.live.engine.live_match import CLOCK
from referee.match.referee import open_referee


@dataclass(frozen=True, slots=True)
class Ruled:
    """The last word about a stroke; Unix times. `first_unix`, `last_unix`: when the first and the last word
    came, nan where they stand in the journal alone."""

    stroke: int
    start_unix: float
    frame: int
    striker: str
    foul: bool
    points: int
    penalty: int
    potted: tuple[str, ...]
    score: tuple[int, int]
    verdict: str
    first_unix: float
    last_unix: float
    text: str


def copy_journals(live: Path, folder: Path) -> None:
    """Copy the journal of every match, whole, while it may be written to."""
    folder.mkdir(parents=True, exist_ok=True)
    for journal in sorted(live.glob("*/journal.sqlite")):
        target = folder / f"{journal.parent.name}.sqlite"
        part = target.with_suffix(".part")
        source, copy = sqlite3.connect(f"file:{journal}?mode=ro", uri=True), sqlite3.connect(part)
        try:
            source.backup(copy)
        finally:
            source.close()
            copy.close()
        os.replace(part, target)


def journal_rulings(folder: Path) -> list[Ruled]:
    """The strokes of all journals in a folder as they are judged now, in order."""
    found: list[Ruled] = []
    for path in sorted(folder.glob("*.sqlite")):
        with Journal(path) as journal:
            clock = journal.progress(CLOCK)
            if clock is not None:
                zero = float(json.loads(clock)["zero_unix_s"])
                found += [_ruled(s, zero) for s in open_referee(journal).match.strokes]
    return found


def _ruled(s: JudgedStroke, zero_unix_s: float) -> Ruled:
    potted = tuple(sorted(p.ball.split("_")[0] for p in s.seen.pots))
    return Ruled(
        s.n,
        zero_unix_s + s.seen.start_s,
        s.frame,
        s.striker or "",
        s.foul is not None,
        s.points,
        (s.foul.penalty or 0) if s.foul else 0,
        potted,
        s.score,
        s.verdict,
        math.nan,
        math.nan,
        "; ".join(s.words),
    )


def with_journal(told: Sequence[Ruled], journalled: Sequence[Ruled], near_s: float = 0.5) -> list[Ruled]:
    """What was told, and what stands in the journal alone."""
    missing = [j for j in journalled if all(abs(j.start_unix - t.start_unix) > near_s for t in told)]
    return sorted([*told, *missing], key=lambda r: r.start_unix)
