"""Whether a piece went back to where the rules of any game but snooker put it: a ball on its spot, the Queen
in the centre circle, a ball beside a spot that is occupied.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.table.games import GAMES, PIECES, Spot
from calibration.table.specs import PointMm, TableSpec
from referee.facts.judged import SpottingCheck
from referee.facts.seen import SeenBall, SeenHand
from referee.match.games.seen_facts import kind_of
from referee.match.spotting import NEAR_SPOT_MM, Due, compared, occupants

_SAME_PLACE_MM = 1.0


def check_spotting(
    hand: SeenHand,
    ruled: Sequence[tuple[str, PointMm]],
    game: str,
    table: TableSpec,
    layout: Sequence[SeenBall] = (),
) -> SpottingCheck | None:
    """The check of one act of a hand; None where nothing was spotted. `ruled`: kinds that the last ruling has
    spotted, with their places, an object white as `white`. `layout`: the pieces at rest before it.
    """
    pieces, kind = PIECES[game], kind_of(hand.ball, PIECES[game])
    spots = [(spot, at) for spot, at in spots_of(game, table) if kind in spot.kinds]
    if hand.to_mm is None or not spots:
        return None
    here = hand.to_mm[:2]
    names = (kind, "white") if kind in pieces.struck else (kind,)
    due = min((at for name, at in ruled if name in names), key=lambda at: math.dist(at, here), default=None)
    near = min(spots, key=lambda s: math.dist(s[1], due or here))
    if due is None:
        if hand.type != "respot" or math.dist(near[1], here) > NEAR_SPOT_MM:
            return None  # moved, or placed where no spot is
        due = near[1]
    marked = math.dist(due, near[1]) < _SAME_PLACE_MM
    spot, own = near if marked else spots[0]
    taken = () if marked else occupants(own, hand.ball, layout, table)
    return compared(hand, Due(spot.name, due, marked, taken))


def spots_of(game: str, table: TableSpec) -> list[tuple[Spot, PointMm]]:
    """The spots of a game that a table has, in the game's own frame: a board's origin is its centre."""
    marks = {"centre": (0.0, 0.0)} if table.is_board else table.marked_spots
    return [(s, marks[s.mark]) for s in GAMES[game].spotted if s.mark in marks]
