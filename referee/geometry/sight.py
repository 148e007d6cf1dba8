"""What the cue-ball can reach in a straight line: snookered, effective snookering ball, clear paths.

Snooker 2.17 and 3.14(b), (c). A ball travels with its whole width: the cue-ball's centre runs from C
to where it meets the object ball, and a ball not on is in the way when it lies nearer than a diameter
to that line. The two extreme edges are the tangents from C to a circle of one diameter about the
object ball; all balls being equal, whatever hides any part hides at least one edge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray

from calibration.table.specs import PointMm, TableSpec
from referee.geometry.shapes import (
    CONTACT_TOLERANCE_MM,
    CUSHION_TOLERANCE_MM,
    Answer,
    Array,
    BallAt,
    bed,
    jaws,
    negate,
    points,
    weigh,
)

EQUIDISTANT_MM = 0.05
"""Snookering balls whose distances differ by less than this (or two sigma) are equidistant: 2.17(b)(ii)."""
_FAN = 721
"""Directions tried over the width of a ball on: about 0.15 mm apart."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One ball on seen from the cue-ball. `clearance`: yes when both extreme edges are free.

    `hidden_by`: balls not on that obstruct an edge; `effective`: the nearest of them (2.17(b)).
    `cushion_nearer`: the curved face of a cushion obstructs and is nearer than they are (2.17(e)).
    """

    ball: str
    clearance: Answer
    hidden_by: tuple[str, ...]
    effective: tuple[str, ...]
    cushion_nearer: bool


@dataclass(frozen=True, slots=True)
class Snookered:
    """Whether the cue-ball is snookered on all balls on, and by what; `sights`: ball on by ball on."""

    answer: Answer
    effective: tuple[str, ...]
    sights: tuple[Sight, ...]


def segment_distance(start: Array, end: Array, balls: Array) -> tuple[Array, Array]:
    """Distance of points (b, 2) from segments (n, 2)-(n, 2), mm, and the fraction along: both (n, b).

    One start (1, 2) may be that of all segments.
    """
    step_x, step_y = (end - start).T[:, :, None]
    offset_x, offset_y = balls.T[:, None] - start.T[:, :, None]
    squared = np.maximum(step_x * step_x + step_y * step_y, 1e-18)
    along = np.clip((offset_x * step_x + offset_y * step_y) / squared, 0.0, 1.0)
    return np.hypot(offset_x - along * step_x, offset_y - along * step_y), along


def edge_points(cue: Array, ball_on: Array, diameter_mm: float) -> Array:
    """Where the cue-ball's centre is when it just grazes the ball on: (n, 2 edges, 2), mm.

    A cue-ball (n, 2) already within a diameter of the ball on stays where it is.
    """
    to_cue = cue - ball_on
    distance = np.maximum(np.hypot(to_cue[:, 0], to_cue[:, 1]), 1e-9)
    turn = np.arccos(np.clip(diameter_mm / distance, -1.0, 1.0))
    base = np.arctan2(to_cue[:, 1], to_cue[:, 0])
    angles = np.stack([base + turn, base - turn], axis=1)
    tangent = ball_on + diameter_mm * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return np.where((distance <= diameter_mm)[:, None, None], cue[:, None, :], tangent)


def _need(cue: Array, blockers: Array, diameter_mm: float) -> Array:
    """How far the cue-ball's line must stay from each blocker: a diameter, less where they touch."""
    apart = np.hypot(*(blockers - cue).T) if len(blockers) else np.zeros(0)
    return np.minimum(diameter_mm, apart)


def _sight(cue: BallAt, on: BallAt, blockers: Sequence[BallAt], table: TableSpec) -> Sight:
    diameter = table.ball_diameter_mm
    start = points([cue])
    at = np.array(on.xy)
    if math.dist(cue.xy, on.xy) <= diameter + CONTACT_TOLERANCE_MM or not blockers:
        return Sight(on.ball, weigh(math.inf, 0.0), (), (), False)  # touching a ball on hits it (3.8)
    edges = edge_points(start, at, diameter)[0]
    others = points(blockers)
    distance, along = segment_distance(np.repeat(start, 2, axis=0), edges, others)
    clear = distance - _need(start[0], others, diameter)
    edge, worst = divmod(int(np.argmin(clear)), len(blockers))
    s = float(along[edge, worst])
    sigma = math.hypot(blockers[worst].sigma_mm, (1 - s) * cue.sigma_mm, s * on.sigma_mm)
    answer = weigh(float(clear[edge, worst]), sigma)
    hiding = [b for b, c in zip(blockers, clear.min(axis=0), strict=True) if c < -CONTACT_TOLERANCE_MM]
    effective = nearest_of(cue, hiding)
    nearer = bool(hiding) and _jaw_gap(start[0], edges, table) < min(
        math.dist(cue.xy, b.xy) - diameter for b in hiding
    )
    return Sight(on.ball, answer, tuple(b.ball for b in hiding), effective, nearer)


def nearest_of(cue: BallAt, balls: Sequence[BallAt]) -> tuple[str, ...]:
    """The ball nearest to the cue-ball, with all that are as near (snooker 2.17(b))."""
    if not balls:
        return ()
    far = {b.ball: math.dist(cue.xy, b.xy) for b in balls}
    first = min(balls, key=lambda b: far[b.ball])
    return tuple(
        b.ball
        for b in balls
        if far[b.ball] - far[first.ball]
        <= max(EQUIDISTANT_MM, 2 * math.hypot(b.sigma_mm, first.sigma_mm)) * (b.ball != first.ball)
    )


def _jaw_gap(cue: Array, edges: Array, table: TableSpec) -> float:
    """Distance from the cue-ball's surface to the nearest curved cushion face in the way; inf if none."""
    best, reach = math.inf, table.ball_radius_mm - CUSHION_TOLERANCE_MM
    if _on_bed(np.vstack([cue, edges]), table).all():
        return best  # all inside the bed, which is convex; the jaws lie outside
    for end in edges:
        path = shapely.LineString([cue, end])
        for solid in jaws(table):
            if shapely.distance(path, solid) < reach:
                in_way = shapely.intersection(path.buffer(table.ball_radius_mm), solid)
                best = min(best, shapely.distance(shapely.Point(cue), in_way) - table.ball_radius_mm)
    return best


def split(layout: Sequence[BallAt], on: Sequence[str]) -> tuple[list[BallAt], list[BallAt]]:
    """(balls on, balls not on) of a layout; `on` holds ball names; the cue-ball is in neither."""
    wanted = set(on)
    objects = [b for b in layout if b.colour != "white"]
    missing = wanted - {b.ball for b in objects}
    if missing:
        raise ValueError(f"balls on must lie on the table, {sorted(missing)} do not")
    return [b for b in objects if b.ball in wanted], [b for b in objects if b.ball not in wanted]


def snookered(cue: BallAt, layout: Sequence[BallAt], on: Sequence[str], table: TableSpec) -> Snookered:
    """Whether the cue-ball, lying where it does, is snookered on every ball on (snooker 2.17).

    Balls on never obstruct. The effective snookering ball is none where different reds are hidden by
    different balls (2.17(c)).
    """
    ons, others = split(layout, on)
    sights = tuple(_sight(cue, b, others, table) for b in ons)
    return Snookered(*conclude(sights), sights)


def conclude(sights: Sequence[Sight]) -> tuple[Answer, tuple[str, ...]]:
    """(snookered, effective snookering balls) over all balls on."""
    if not sights:
        return weigh(-math.inf, 0.0), ()
    best = max(sights, key=lambda s: (s.cushion_nearer, s.clearance.probability, s.clearance.margin_mm))
    if best.cushion_nearer:
        return weigh(-math.inf, 0.0), ()
    # hidden in every way only if all are: independent balls on would multiply, the clearest decides
    snooker = negate(best.clearance)
    if not snooker.likely and best.clearance.likely:
        return snooker, ()
    shared = set(sights[0].effective).intersection(*(s.effective for s in sights[1:]))
    return snooker, tuple(b for b in sights[0].effective if b in shared)


@lru_cache(maxsize=64)
def _fan(cue: PointMm, on: PointMm, table: TableSpec) -> tuple[Array, NDArray[np.bool_]]:
    """The cue-ball's place at contact (f, 2), from side to side of a ball on, and which straight paths there
    keep clear of the cushions (f,). A ball is looked at several times: alone, and as one of its colour.
    """
    dx, dy = on[0] - cue[0], on[1] - cue[1]
    distance, diameter_mm = math.hypot(dx, dy), table.ball_diameter_mm
    offset = np.linspace(-1.0, 1.0, _FAN) * diameter_mm * (1 - 1e-9)
    angle = math.atan2(dy, dx) + np.arcsin(np.clip(offset / distance, -1.0, 1.0))
    run = np.sqrt(np.maximum(distance**2 - offset**2, 0.0)) - np.sqrt(diameter_mm**2 - offset**2)
    run = np.maximum(run, 0.0)
    ends = np.array(cue) + run[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return ends, _possible(np.array([cue]), ends, table)


def _path(cue: BallAt, on: BallAt, blockers: Sequence[BallAt], table: TableSpec) -> tuple[Answer, Answer]:
    """Whether any straight path leads to a ball, and whether the one to its middle does."""
    diameter = table.ball_diameter_mm
    if math.dist(cue.xy, on.xy) <= diameter + CONTACT_TOLERANCE_MM:
        return weigh(math.inf, 0.0), weigh(math.inf, 0.0)
    ends, inside = _fan(cue.xy, on.xy, table)
    start, middle = points([cue]), _FAN // 2
    ways = slice(None), slice(middle, middle + 1)
    if not blockers or not inside.any():
        clear, full = (weigh(math.inf if inside[way].any() else -math.inf, 0.0) for way in ways)
        return clear, full
    others = points(blockers)
    distance, along = segment_distance(start, ends, others)
    apart = distance - _need(start[0], others, diameter)
    worst = apart.argmin(axis=1)
    margin = np.where(inside, apart[np.arange(len(ends)), worst], -np.inf)

    def answer(best: int) -> Answer:
        if not inside[best]:
            return weigh(-math.inf, 0.0)
        s = float(along[best, worst[best]])
        sigma = math.hypot(blockers[worst[best]].sigma_mm, (1 - s) * cue.sigma_mm, s * on.sigma_mm)
        return weigh(float(margin[best]), sigma)

    return answer(int(margin.argmax())), answer(middle)


def _on_bed(places: Array, table: TableSpec) -> NDArray[np.bool_]:
    """Which places (n, 2) a ball's centre can have without being in a pocket's mouth or a cushion."""
    reach = table.ball_radius_mm - CUSHION_TOLERANCE_MM
    half = table.length_mm / 2
    across: NDArray[np.bool_] = np.abs(places[:, 0]) <= table.half_width_mm - reach
    return across & (np.abs(places[:, 1] - half) <= half - reach)


def _possible(start: Array, ends: Array, table: TableSpec) -> NDArray[np.bool_]:
    """Which straight paths (n) from one place (1, 2) keep clear of the cushions.

    Those inside the convex bed do without shapely.
    """
    inside = _on_bed(start, table) & _on_bed(ends, table)
    rest = ~inside
    if rest.any():
        starts = np.broadcast_to(start, ends.shape)
        lines = shapely.linestrings(np.stack([starts[rest], ends[rest]], axis=1))
        inside[rest] = shapely.covers(bed(table), lines)
    return inside


def clear_path(cue: BallAt, layout: Sequence[BallAt], on: Sequence[str], table: TableSpec) -> Answer:
    """Whether a straight line leads to any part of any ball that is or could be on (snooker 3.14(b))."""
    return best_paths(cue, layout, on, table)[0]


def full_ball_path(cue: BallAt, layout: Sequence[BallAt], on: Sequence[str], table: TableSpec) -> Answer:
    """Whether central, full-ball contact with a ball on is available (snooker 3.14(c)).

    For reds: a full diameter of a red that no colour obstructs; other reds do not count as obstacles.
    """
    return best_paths(cue, layout, on, table)[1]


def best_paths(
    cue: BallAt, layout: Sequence[BallAt], on: Sequence[str], table: TableSpec
) -> tuple[Answer, Answer]:
    """`clear_path` and `full_ball_path`."""
    ons, others = split(layout, on)
    if not ons:
        return weigh(-math.inf, 0.0), weigh(-math.inf, 0.0)
    clear, full = zip(*(_path(cue, b, others, table) for b in ons), strict=True)
    return _likeliest(clear), _likeliest(full)


def _likeliest(answers: Sequence[Answer]) -> Answer:
    return max(answers, key=lambda a: (a.probability, a.margin_mm))
