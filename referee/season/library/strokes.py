"""Records of a match's strokes in the library, for a player's figures over time.

The definitions are those of `referee.outputs.statistics`: attempt, long pot, safety, shot time. Places are
shares of the table, so that tables of different sizes can be drawn on one: `across` -1 (left cushion) to 1
(right), `along` 0 (baulk cushion) to 1 (top).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibration.table.pieces import colour_of
from calibration.table.specs import TableSpec
from referee.outputs.document import Match, Stroke, is_declared, table_of
from referee.outputs.statistics import attempted, is_long, safety_held, shot_time_s
from referee.outputs.tracks import Tracks


@dataclass(frozen=True, slots=True)
class StrokeFigures:
    """One stroke. Numbers that are 0 or 1 are kept so for both databases; None: cannot be told.

    `attempt` None without paths. `safe`: of a safety, whether the answer potted nothing. `ball`, `across`,
    `along`: the object ball before the stroke; `pocket`: it fell into, or ran nearest to.
    """

    n: int
    frame: int
    side: str
    attempt: int | None
    made: int
    is_long: int
    foul: int
    safe: int | None
    points: int
    shot_s: float | None
    ball: str | None
    across: float | None
    along: float | None
    pocket: str | None


def stroke_figures(match: Match, tracks: Tracks) -> tuple[StrokeFigures, ...]:
    """The strokes of a match of a video that somebody struck; none of a match from a facts file."""
    if is_declared(match):
        return ()
    strokes, table = match["strokes"], table_of(match)
    attempts = [attempted(s, table, tracks) if tracks else None for s in strokes]
    return tuple(
        _figures(s, attempts[i], safety_held(strokes, attempts, i), shot_time_s(strokes, i), table, tracks)
        for i, s in enumerate(strokes)
        if s["striker"] in ("A", "B")
    )


def _figures(
    s: Stroke,
    attempt: bool | None,
    held: bool | None,
    shot_s: float | None,
    table: TableSpec,
    tracks: Tracks,
) -> StrokeFigures:
    made = bool(s["potted"]) and not s["foul"]
    ball, pocket = _aimed(s, table, tracks) if attempt or made else (None, None)
    place = None if ball is None else _place(s, ball, tracks)
    return StrokeFigures(
        n=s["n"],
        frame=s["frame"],
        side=str(s["striker"]),
        attempt=None if attempt is None else int(attempt),
        made=int(made),
        is_long=int(is_long(s, table)),
        foul=int(bool(s["foul"])),
        safe=None if held is None else int(held),
        points=0 if s["foul"] else s["points"],
        shot_s=shot_s,
        ball=None if ball is None else colour_of(ball),
        across=None if place is None else round(place[0] / table.half_width_mm, 4),
        along=None if place is None else round(place[1] / table.length_mm, 4),
        pocket=pocket,
    )


def _aimed(s: Stroke, table: TableSpec, tracks: Tracks) -> tuple[str | None, str | None]:
    """The object ball of an attempt and its pocket: the one potted, else the nearest to the ball's way."""
    if s["potted"]:
        return s["potted"][0]["ball"], s["potted"][0]["pocket"]
    first = s["first_contact"]
    if first is None:
        return None, None
    path = tracks.get(first["ball"])
    way = path.between(first["t_s"] or s["start_s"], s["end_s"]).xy_mm if path is not None else ()
    near = [(math.dist(xy, (p.x_mm, p.y_mm)), p.name) for xy in way for p in table.pockets]
    return first["ball"], min(near)[1] if near else None


def _place(s: Stroke, ball: str, tracks: Tracks) -> tuple[float, float] | None:
    """Where a ball lay before the stroke; None for a red of which no path tells which one it was."""
    path = tracks.get(ball)
    found = path.at(s["start_s"]) if path is not None else None
    if found is not None:
        return found[0], found[1]
    seen = path.between(s["start_s"], s["end_s"]).xy_mm if path is not None else ()
    if seen:
        return seen[0]  # it was first seen as it left
    places = s["before"].get(colour_of(ball), [])
    return (places[0][0], places[0][1]) if len(places) == 1 else None
