"""A player over time: figures of all matches, match by match, from what the library holds of each stroke."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from referee.outputs.games import SCORERS
from referee.outputs.statistics import Share
from referee.season.library.store import Result
from referee.season.library.strokes import StrokeFigures

BANDS = (1, 10, 20, 30, 50, 70, 100)
"""Breaks are counted in bands that begin here; the last has no end."""
TIME_BANDS_S = (0, 10, 15, 20, 25, 30, 40, 60)
GRID = (8, 16)
"""Cells of a heat map: across and along, each 223 mm square on a table of the rule's size."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match as one player played it: side, strokes and breaks of theirs."""

    result: Result
    side: int
    strokes: tuple[StrokeFigures, ...]
    breaks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures over some strokes. Shares are None where no stroke has paths to tell attempts by."""

    pots: Share | None
    long_pots: Share | None
    safeties: Share | None
    points: int
    strokes: int
    fouls: int
    shot_s: float | None


def figures_of(strokes: Sequence[StrokeFigures]) -> Figures:
    """Pot, long-pot and safety success, points, fouls, the median shot time."""
    told = [s for s in strokes if s.attempt is not None]
    times = [s.shot_s for s in strokes if s.shot_s is not None]
    return Figures(
        pots=_pots(told) if told else None,
        long_pots=_pots([s for s in told if s.is_long]) if told else None,
        safeties=Share(sum(s.safe == 1 for s in told), sum(s.safe is not None for s in told))
        if told
        else None,
        points=sum(s.points for s in strokes),
        strokes=len(strokes),
        fouls=sum(s.foul for s in strokes),
        shot_s=statistics.median(times) if times else None,
    )


def _pots(strokes: Iterable[StrokeFigures]) -> Share:
    tried = [s for s in strokes if s.attempt]
    return Share(sum(s.made for s in tried), len(tried))


def career_json(name: str, matches: Sequence[Played]) -> dict[str, Any]:
    """A player's page as JSON values: game by game, the one played last first, for a break of snooker is no
    run of 14.1. `matches` in order of time.
    """
    by_game: dict[str, list[Played]] = defaultdict(list)
    for m in reversed(matches):
        by_game[str(m.result.game)].insert(0, m)
    return {"name": name, "games": [_of_game(game, played) for game, played in by_game.items()]}


def _of_game(game: str, matches: Sequence[Played]) -> dict[str, Any]:
    """A player in one game; `figures`: those that mean something in it."""
    strokes = [s for m in matches for s in m.strokes]
    breaks = [b for m in matches for b in m.breaks]
    won = [m for m in matches if m.result.winner == "AB"[m.side]]
    lost = [m for m in matches if m.result.winner == "BA"[m.side]]
    attempts = [s for s in strokes if s.attempt and s.across is not None and s.along is not None]
    return {
        "game": game,
        "figures": list(SCORERS[game].figures),
        "matches": [_match(m) for m in matches],
        "won": len(won),
        "lost": len(lost),
        "frames": [sum(m.result.frames_won[m.side] for m in matches), _against(matches)],
        "highest": max(breaks, default=0),
        "total": _figures(figures_of(strokes)),
        "breaks": _bands(breaks, BANDS),
        "times": _bands([s.shot_s for s in strokes if s.shot_s is not None], TIME_BANDS_S),
        "potted": _cells([s for s in attempts if s.made]),
        "missed": _cells([s for s in attempts if not s.made]),
        "grid": list(GRID),
        "pockets": _pockets(strokes),
        "rivals": _rivals(matches),
    }


def _against(matches: Sequence[Played]) -> int:
    return sum(m.result.frames_won[1 - m.side] for m in matches)


def _match(m: Played) -> dict[str, Any]:
    r = m.result
    outcome = None if r.winner is None else r.winner == "AB"[m.side]
    return {
        "id": r.id,
        "played_on": r.played_on,
        "game": r.game,
        "competition": r.competition,
        "opponent": r.players[1 - m.side],
        "won": outcome,
        "frames": [r.frames_won[m.side], r.frames_won[1 - m.side]],
        "highest": max(m.breaks, default=0),
        "breaks": sum(b >= 20 for b in m.breaks),
        **_figures(figures_of(m.strokes)),
    }


def _figures(f: Figures) -> dict[str, Any]:
    row = asdict(f)
    return row | {key: _share(getattr(f, key)) for key in ("pots", "long_pots", "safeties")}


def _share(share: Share | None) -> list[int] | None:
    return None if share is None else [share.made, share.tried]


def _bands(values: Sequence[float], starts: Sequence[int]) -> list[list[int | None]]:
    """Counts by band: begin, begin of the next (None at the end), how many."""
    ends: list[int | None] = [*starts[1:], None]
    return [
        [low, high, sum(low <= v and (high is None or v < high) for v in values)]
        for low, high in zip(starts, ends, strict=True)
    ]


def _cells(strokes: Sequence[StrokeFigures]) -> list[list[int]]:
    """How many in each cell of the grid: rows along the table from baulk, cells across from the left."""
    across, along = GRID
    out = [[0] * across for _ in range(along)]
    for s in strokes:
        assert s.across is not None and s.along is not None
        i = min(across - 1, max(0, int((s.across + 1) / 2 * across)))
        j = min(along - 1, max(0, int(s.along * along)))
        out[j][i] += 1
    return out


def _pockets(strokes: Sequence[StrokeFigures]) -> dict[str, list[int]]:
    """Attempts that fell, and all, by pocket."""
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for s in strokes:
        if s.attempt and s.pocket:
            found[s.pocket][0] += s.made
            found[s.pocket][1] += 1
    return dict(sorted(found.items()))


def _rivals(matches: Sequence[Played]) -> list[dict[str, Any]]:
    """Head to head with every opponent, the most met first."""
    by_name: dict[str, list[Played]] = defaultdict(list)
    for m in matches:
        by_name[m.result.players[1 - m.side]].append(m)
    rows = [
        {
            "name": name,
            "played": len(met),
            "won": sum(m.result.winner == "AB"[m.side] for m in met),
            "lost": sum(m.result.winner == "BA"[m.side] for m in met),
            "frames": [sum(m.result.frames_won[m.side] for m in met), _against(met)],
            "highest": [
                max((m.result.highest[m.side] for m in met), default=0),
                max((m.result.highest[1 - m.side] for m in met), default=0),
            ],
            "last": met[-1].result.played_on,
        }
        for name, met in by_name.items()
    ]
    return sorted(rows, key=lambda r: (-int(str(r["played"])), str(r["name"])))


def roster_json(results: Sequence[Result], pots: Mapping[tuple[str, str], Share]) -> list[dict[str, Any]]:
    """Every player with matches, the latest to play first: matches and wins, and game by game the highest
    break and the pot success too, None where the game has none.

    `results`: the latest first; `pots`: by match and side.
    """
    rows: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for r in results:
        for k, name in enumerate(r.players):
            row = rows[name].setdefault(str(r.game), _no_match(str(r.game), r.played_on))
            row["matches"] += 1
            row["won"] += r.winner == "AB"[k]
            if row["highest"] is not None:
                row["highest"] = max(row["highest"], r.highest[k])
            share = pots.get((r.id, "AB"[k]))
            if share is not None and "pot_success" in SCORERS[str(r.game)].figures:
                made, tried = row["pots"] or (0, 0)
                row["pots"] = [made + share.made, tried + share.tried]
    found = [
        {
            "name": name,
            "matches": sum(g["matches"] for g in games.values()),
            "won": sum(g["won"] for g in games.values()),
            "last": max(g["last"] for g in games.values()),
            "games": list(games.values()),
        }
        for name, games in rows.items()
    ]
    return sorted(found, key=lambda r: (str(r["last"]), str(r["name"])), reverse=True)


def _no_match(game: str, last: str) -> dict[str, Any]:
    runs = "highest_break" in SCORERS[game].figures
    row = {"game": game, "matches": 0, "won": 0, "highest": 0 if runs else None, "pots": None}
    return row | {"last": last}
