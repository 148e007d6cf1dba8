"""Snookered from in-hand: from every position on or within the lines of the D (snooker 2.17(a)).

Branch and bound over squares that cover the D. A ball's distance from the line of a stroke changes by
no more than the line's ends move, which bounds the clearance over a whole square from its middle:
either a place with both edges free is found, or every square is excluded down to `_SMALLEST_MM`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.table.specs import TableSpec
from referee.geometry.shapes import Answer, Array, BallAt, points, weigh
from referee.geometry.sight import Snookered, edge_points, segment_distance, snookered, split

_CELL_MM = 8.0
_SMALLEST_MM = 0.02
_MOST_SQUARES = 300_000
_EXACT_FROM_MM = -5.0  # below this much clearance no measurement doubts the snooker: no exact maximum
_EXACT_MM = 0.1


def _into_d(place: Array, table: TableSpec) -> Array:
    """The nearest points of the D: (n, 2)."""
    assert table.baulk_line_mm is not None and table.d_radius_mm is not None
    line, radius = table.baulk_line_mm, table.d_radius_mm
    out = place.copy()
    out[:, 1] = np.minimum(out[:, 1], line)
    out[:, 0] = np.clip(out[:, 0], -radius, radius)
    away = np.hypot(out[:, 0], out[:, 1] - line)
    shrink = np.where(away > radius, radius / np.maximum(away, 1e-9), 1.0)
    out[:, 0] *= shrink
    out[:, 1] = line + (out[:, 1] - line) * shrink
    return out


def _clearance(places: Array, ons: Array, others: Array, diameter_mm: float) -> tuple[Array, Array]:
    """Clearance of the clearest ball on from each place (n,), and how fast its line's ends move (n,)."""
    best = np.full(len(places), -np.inf)
    steep = np.ones(len(places))
    for on in ons:
        edges = edge_points(places, on, diameter_mm)
        clear = np.full(len(places), np.inf)
        for side in (0, 1):
            distance, _ = segment_distance(places, edges[:, side], others)
            clear = np.minimum(clear, distance.min(axis=1) - diameter_mm)
        far = np.hypot(places[:, 0] - on[0], places[:, 1] - on[1])
        ratio = np.clip(diameter_mm / np.maximum(far - 2 * _CELL_MM, 1e-9), 0.0, 0.999)
        steep = np.maximum(steep, ratio * (1 + ratio / np.sqrt(1 - ratio**2)))
        best = np.maximum(best, clear)
    return best, steep


def _start_squares(table: TableSpec) -> Array:
    assert table.baulk_line_mm is not None and table.d_radius_mm is not None
    half = _CELL_MM
    xs = np.arange(-table.d_radius_mm + half, table.d_radius_mm + half, 2 * half)
    ys = np.arange(table.baulk_line_mm - half, table.baulk_line_mm - table.d_radius_mm - half, -2 * half)
    return _reaching_d(np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2), half, table)


def _reaching_d(squares: Array, half_mm: float, table: TableSpec) -> Array:
    """The squares (middles, n x 2) that may share a point with the D."""
    inside: Array = squares[np.hypot(*(squares - _into_d(squares, table)).T) <= half_mm * math.sqrt(2)]
    return inside


def _search(ons: Array, others: Array, table: TableSpec) -> tuple[float, Array | None]:
    """(greatest clearance found at a place where the cue-ball can lie, that place)."""
    diameter = table.ball_diameter_mm
    every = np.vstack([ons, others])
    squares, half = _start_squares(table), _CELL_MM
    found, where = -math.inf, None
    while len(squares) and half >= _SMALLEST_MM:
        places = _into_d(squares, table)
        room = np.hypot(*(places[:, None, :] - every[None]).transpose(2, 0, 1)).min(axis=1) - diameter
        clear, steep = _clearance(places, ons, others, diameter)
        free = np.where(room >= 0, clear, -np.inf)
        top = int(free.argmax())
        if free[top] > found:
            found, where = float(free[top]), places[top]
        if found >= 0 or len(squares) > _MOST_SQUARES:
            break
        reach = np.hypot(*(places - squares).T) + half * math.sqrt(2)
        goal = min(0.0, max(found + _EXACT_MM, _EXACT_FROM_MM))
        keep = (clear + steep * reach >= goal) & (room + reach >= 0)
        half /= 2
        shift = np.array([(-half, -half), (-half, half), (half, -half), (half, half)])
        squares = _reaching_d((squares[keep][:, None, :] + shift[None]).reshape(-1, 2), half, table)
    return found, where


def snookered_in_hand(layout: Sequence[BallAt], on: Sequence[str], table: TableSpec) -> Snookered:
    """Whether a cue-ball in-hand is snookered on every ball on from everywhere in the D.

    `sights` and `effective` are those from the clearest place found. The cue-ball, if the layout holds
    one, is lifted first.
    """
    ons, others = split(layout, on)
    if not others or not ons:
        return Snookered(weigh(-math.inf, 0.0), (), ())
    clearance, where = _search(points(ons), points(others), table)
    if where is None:
        return Snookered(weigh(math.inf, 0.0), (), ())
    there = BallAt("white", "white", float(where[0]), float(where[1]))
    seen = snookered(there, layout, on, table)
    if _cushion_saves(layout, on, table):
        return Snookered(weigh(-math.inf, 0.0), (), seen.sights)
    sigma = math.hypot(max(b.sigma_mm for b in others), max(b.sigma_mm for b in ons))
    answer: Answer = weigh(-clearance, sigma) if clearance < 0 else weigh(min(-clearance, -1e-3), sigma)
    return Snookered(answer, seen.effective, seen.sights)


def _cushion_saves(layout: Sequence[BallAt], on: Sequence[str], table: TableSpec) -> bool:
    """Whether from some place in the D the jaws of a pocket stand before the snookering balls (2.17(e)).

    Only balls on in a pocket's mouth can be hidden by a jaw; a coarse grid of the D suffices for them.
    """
    near = 3 * table.ball_diameter_mm
    names = set(on)
    mouths = [
        b.ball
        for b in layout
        if b.ball in names and any(math.dist(b.xy, (p.x_mm, p.y_mm)) < near for p in table.pockets)
    ]
    if not mouths:
        return False
    for x, y in _into_d(_start_squares(table)[::5], table):
        place = BallAt("white", "white", float(x), float(y))
        if any(math.dist(place.xy, b.xy) < table.ball_diameter_mm for b in layout if b.colour != "white"):
            continue
        if any(s.cushion_nearer for s in snookered(place, layout, on, table).sights if s.ball in mouths):
            return True
    return False
