"""Cushions, and a pocket's jaws, that a ball may have met."""

from __future__ import annotations

import math
from functools import lru_cache

from calibration.table.specs import CUSHIONS, CushionName, TableSpec
from tracker.explain.arena import Arena
from tracker.explain.interactions import (
    LEAST_MM_S,
    WITHIN,
    Candidate,
    Face,
    Interaction,
    Node,
    place_at,
    sides,
    sigma_mm,
    travel_mm,
)
from tracker.explain.trajectory import GAP_S, Event, Way
from tracker.params import CUSHION_RESTITUTION
from tracker.stroke.paths import Segment

CUSHION_UNSEEN = -3.0
"""Log-probability of each cushion for a ball that was turned where nobody saw it."""
JAW = -2.5
"""Log-probability that a pocket's jaw turned a ball, and not into the pocket."""


def cushions(i: int, node: Node, way: Way, arena: Arena) -> list[Candidate]:
    """Cushions, and a pocket's jaws, that explain a bend, or give back a ball that was pushed into them."""
    e = node.event
    table, r = arena.table, arena.radius_mm(node.ball)
    x, y = place_at(way, e)
    speed = e.size if e.before is None else math.hypot(*e.before.velocity(e.t_s))
    moved = 0.5 * travel_mm(e) if e.before is None else e.sigma_s * speed
    sigma = math.hypot(sigma_mm(e.before, way, e.t_s), 3.0, moved)
    out = []
    for name, (off, nx, ny) in zip(CUSHIONS, sides(x, y, r, table), strict=True):
        logp = CUSHION_UNSEEN if e.detour else -0.5 * (off / sigma) ** 2
        if logp > -WITHIN:
            what = Interaction("cushion", (node.ball,), e.t_s, e.sigma_s, name)
            face = Face((x, y), off, nx, ny, _spans(name, table))
            out.append(Candidate(what, i, -1, nx, ny, logp, face=face))
    jaw = _jaw(x, y, table) if e.before is not None else None
    if jaw is not None and e.size > 1.0:
        what = Interaction("cushion", (node.ball,), e.t_s, e.sigma_s, jaw)
        out.append(Candidate(what, i, -1, e.dv[0] / e.size, e.dv[1] / e.size, JAW))
    return out


def off_cushions(e: Event, radius_mm: float, arena: Arena) -> list[Segment]:
    """The curves on which a ball may have come away from a cushion within its event, before it met what
    turned it again: nobody saw them, so that they follow from the one before.
    """
    if e.kind != "bend" or e.before is None or e.hi_s - e.lo_s > GAP_S:
        return []
    out, (x, y), (vx, vy) = [], e.before.at(e.t_s), e.before.velocity(e.t_s)
    for off, nx, ny in sides(x, y, radius_mm, arena.table):
        speed = -(vx * nx + vy * ny)
        if speed < LEAST_MM_S:
            continue
        t = e.t_s + off / speed
        if not e.lo_s <= t < e.hi_s:
            continue
        (px, py), back = e.before.at(t), (1.0 + CUSHION_RESTITUTION) * speed
        sigma = e.before.sigma(t), OFF_CUSHION_SHARE * math.hypot(vx, vy)
        cov = ((sigma[0] ** 2, 0.0, 0.0), (0.0, sigma[1] ** 2, 0.0), (0.0, 0.0, 1.0))
        away = (px, vx + back * nx, 0.0), (py, vy + back * ny, 0.0)
        out.append(Segment(t, t, e.hi_s, e.before.n, *away, cov))
    return out


OFF_CUSHION_SHARE = 0.2
"""Share of its speed by which a ball comes away from a cushion otherwise than expected. Assumed."""


@lru_cache(maxsize=64)
def _spans(name: CushionName, table: TableSpec) -> tuple[tuple[float, float], ...]:
    """From where to where a cushion's face reaches along its side, between its pockets' jaws, mm."""
    if table.is_board:  # whose pockets are holes in the surface
        return ((-math.inf, math.inf),)
    side = {"left": -table.half_width_mm, "right": table.half_width_mm}.get(name)
    at = {"bottom": table.bottom_mm, "top": table.top_mm}.get(name)
    jaws = [j for p in table.pockets for j in p.jaws]
    if side is not None:
        along = sorted(y for x, y in jaws if abs(x - side) < 1.0)
    else:
        along = sorted(x for x, y in jaws if at is not None and abs(y - at) < 1.0)
    rounded = table.ball_radius_mm / 2
    return tuple((a - rounded, b + rounded) for a, b in zip(along[::2], along[1::2], strict=True))


def _jaw(x: float, y: float, table: TableSpec) -> CushionName | None:
    """The cushion whose jaw is nearest, where the place is in a pocket's mouth."""
    for p in table.pockets:
        mouth = math.dist(p.jaws[0], p.jaws[1]) / 2 + table.ball_radius_mm
        if math.hypot(x - p.x_mm, y - p.y_mm) > mouth + 30.0:
            continue
        jaw = min(p.jaws, key=lambda j: math.hypot(x - j[0], y - j[1]))
        if abs(abs(jaw[0]) - table.half_width_mm) < 1.0:
            return "left" if jaw[0] < 0 else "right"
        return "bottom" if jaw[1] - table.bottom_mm < table.length_mm / 2 else "top"
    return None
