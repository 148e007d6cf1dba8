"""Carrom: where the umpire places jumped pieces and the Queen (65, 66, 93, 94), and due C/m (84, 85,
89(b)).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from calibration.table.board import CARROM_BOARD, CarromBoard
from calibration.table.specs import PointMm
from referee.rules.carrom.types import Colour, Piece, Placing, Side

CENTRE = "centre circle"
_GAP_MM = 1e-6


def placings(
    overboard: Sequence[Piece],
    own: Colour,
    turn: Side,
    board: CarromBoard = CARROM_BOARD,
    others: Iterable[PointMm] = (),
) -> tuple[Placing, ...]:
    """The order and the places of jumped pieces: the Queen, then the C/m of who made the stroke (65).

    The first goes to the centre circle, the second touches it away from the player having the turn
    (`turn`; A sits at the bottom), the rest touch the first two as far as possible.
    """
    rank = {"queen": 0, own: 1}
    order = sorted(overboard, key=lambda p: rank.get(p, 2))
    away = 1.0 if turn == "A" else -1.0
    taken = list(others)
    out: list[Placing] = []
    for n, piece in enumerate(order):
        wish = (0.0, 0.0) if n == 0 else (out[0].x_mm, out[0].y_mm + away * board.man_diameter_mm)
        xy = nearest_free(wish, taken, board)
        taken.append(xy)
        out.append(Placing(piece, _where(n, order[0]), *xy))
    return tuple(out)


def _where(n: int, first: Piece) -> str:
    if n == 0:
        return CENTRE
    name = "the Queen" if first == "queen" else "the first C/m"
    return f"touching {name}, opposite to the player having the turn" if n == 1 else "touching the first two"


def nearest_free(wish: PointMm, others: Sequence[PointMm], board: CarromBoard = CARROM_BOARD) -> PointMm:
    """The place nearest to `wish` where a C/m overlaps none of the `others` (centres, mm).

    Candidates: the wish itself, the nearest point on the circle of contact with each other piece, and the
    points that touch two pieces at once; the nearest free place is always one of these.
    """
    touch = board.man_diameter_mm + _GAP_MM
    near = [o for o in others if math.dist(o, wish) < 12 * touch]
    candidates = [wish, *(_toward(o, wish, touch) for o in near)]
    for i, a in enumerate(near):
        for b in near[i + 1 :]:
            candidates += _touching_both(a, b, touch)
    limit = board.half_mm - board.man_radius_mm
    free = [
        c
        for c in candidates
        if max(abs(c[0]), abs(c[1])) <= limit and all(math.dist(c, o) >= touch - _GAP_MM for o in near)
    ]
    return min(free, key=lambda c: (round(math.dist(c, wish), 9), c)) if free else wish


def _toward(piece: PointMm, wish: PointMm, touch: float) -> PointMm:
    """Touching `piece`, on the side of `wish`; straight up when they coincide."""
    d = math.dist(piece, wish)
    if d == 0:
        return piece[0], piece[1] + touch
    return piece[0] + (wish[0] - piece[0]) / d * touch, piece[1] + (wish[1] - piece[1]) / d * touch


def _touching_both(a: PointMm, b: PointMm, touch: float) -> list[PointMm]:
    d = math.dist(a, b)
    if d == 0 or d > 2 * touch:
        return []
    h = math.sqrt(max(touch**2 - (d / 2) ** 2, 0.0))
    mx, my = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
    ux, uy = (b[0] - a[0]) / d, (b[1] - a[1]) / d
    return [(mx - uy * h, my + ux * h), (mx + uy * h, my - ux * h)]
