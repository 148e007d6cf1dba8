"""A club's season of invented players and strokes, for pictures of the page of players over time."""

from __future__ import annotations

import random
from pathlib import Path

from referee.season.library.records import BreakRecord, FrameRecord, MatchRecord
from referee.season.library.store import Library
from referee.season.library.strokes import StrokeFigures

PLAYERS = ("Ann Lee", "Bo Berg", "Cleo Ruiz", "Dai Evans")
STROKES_A_FRAME = 60


def write_season(database: Path, seed: int = 3, matches: int = 14) -> None:
    """Write a library of matches in which everybody gets a little better over the year."""
    dice = random.Random(seed)
    with Library(str(database)) as library:
        for k in range(matches):
            library.add_match(_match(dice, k))


def _match(dice: random.Random, k: int) -> MatchRecord:
    a, b = dice.sample(PLAYERS, 2)
    frames: list[FrameRecord] = []
    strokes: list[StrokeFigures] = []
    breaks: list[BreakRecord] = []
    for f in range(1, dice.randint(3, 6)):
        frames.append(FrameRecord(f, dice.randint(20, 90), dice.randint(10, 80), dice.choice("AB")))
        for i in range(STROKES_A_FRAME):
            n = len(strokes) + 1
            strokes.append(_stroke(dice, n, f, success=0.55 + 0.02 * k))
            if i % 9 == 0:
                breaks.append(BreakRecord(f, n, strokes[-1].side, int(abs(dice.gauss(0, 26))) + 1))
    return MatchRecord(
        id=f"m{k}",
        played_on=f"2026-{1 + k % 11:02d}-{3 + k:02d}",
        game="snooker",
        players=(a, b),
        best_of=None,
        strokes=len(strokes),
        questions=0,
        folder=f"/srv/table-1/m{k}",
        journal="",
        frames=tuple(frames),
        breaks=tuple(breaks),
        stroke_figures=tuple(strokes),
    )


def _stroke(dice: random.Random, n: int, frame: int, success: float) -> StrokeFigures:
    attempt = dice.random() < 0.6
    made = attempt and dice.random() < success
    along = dice.gauss(0.75 if made else 0.6, 0.18)
    return StrokeFigures(
        n=n,
        frame=frame,
        side=dice.choice("AB"),
        attempt=int(attempt),
        made=int(made),
        is_long=int(dice.random() < 0.25),
        foul=0,
        safe=None if attempt else int(dice.random() < 0.7),
        points=dice.choice((1, 7)) if made else 0,
        shot_s=max(5.0, dice.gauss(24, 8)),
        ball="red" if attempt else None,
        across=max(-1.0, min(1.0, dice.gauss(0.1, 0.5))) if attempt else None,
        along=max(0.0, min(1.0, along)) if attempt else None,
        pocket=dice.choice(("TL", "TR", "TR", "CL", "CR", "BL", "BR")) if attempt else None,
    )
