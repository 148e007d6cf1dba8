"""Ways to vanish: into a pocket, behind a person, off the table. Read from the end of a ball's path."""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibration.table.specs import Pocket, TableSpec
from tracker.ball import Ball
from tracker.events import Pot
from tracker.params import DISC_SLOWEST_MM_S2
from tracker.stroke.paths import Path, Segment
from tracker.stroke.world import World

NEAR_MM = 130.0
"""Last seen within this of a pocket's centre: in its mouth."""
BOARD_NEAR_MM = 60.0
"""The same of a board's hole: two radii of a disc beyond its rim."""
MAX_FLIGHT_S = 0.9
NET_SHARE = 1.02
SLOWING_MM_S2 = 60.0
"""A fast cloth (rolling resistance 0.006): no ball rolls further than this lets it."""
UNSURE_MM_S = 50.0
"""A speed read from few images counts as surer than this: two of it would carry every ball to every pocket.
"""
STRUCK_SLACK_MM = 12.0
"""A ball that another's path passes this close may have been struck by it."""


def slowing_mm_s2(table: TableSpec) -> float:
    """By how much anything that moves there slows down at least."""
    return DISC_SLOWEST_MM_S2 if table.is_board else SLOWING_MM_S2


def near_mm(table: TableSpec) -> float:
    """Last seen within this of a pocket's centre: in its mouth."""
    return BOARD_NEAR_MM if table.is_board else NEAR_MM


@dataclass(frozen=True, slots=True)
class Ending:
    """How a ball that is not seen any more ended. Exactly one of `pot`, `off`, `hidden` or none of them."""

    pot: Pot | None = None
    off: bool = False
    hidden: bool = False

    @property
    def vanished(self) -> bool:
        """Whether it is not known to have left the table: hidden, or out of sight for no known cause."""
        return self.pot is None and not self.off


def ending(world: World, ball: Ball, path: Path | None, gap: bool) -> Ending:
    """Decide for one lost ball. `path`: its last leg, solved; `gap`: images were lost on its way."""
    if path is None or not path.segments:
        return _unseen(world, ball, path, gap)
    seg = path.segments[-1]
    last = path.leg.points[-1]
    pocket, cost, t = _best_pocket(world.table, seg, (last.x_mm, last.y_mm), last.t_s)
    if pocket is not None:
        entered = _entered(path, pocket)
        cost = cost if entered is None else min(cost, 0.3)
        limit = 3.0 if not ball.covered else 2.0
        if cost < limit:
            t = entered if entered is not None else t
            return Ending(Pot(ball.name, pocket.name, t, _confidence(cost, ball.covered)))
    if ball.covered:
        return Ending(hidden=True)
    if gap:
        way = (last.x_mm - path.leg.x0_mm, last.y_mm - path.leg.y0_mm)
        for heading in (seg.velocity(last.t_s), way):
            pot = _by_heading(world, ball, (last.x_mm, last.y_mm), heading, last.t_s)
            if pot is not None:
                return Ending(pot)
    near = min(world.table.pockets, key=lambda p: math.hypot(last.x_mm - p.x_mm, last.y_mm - p.y_mm))
    away_mm = math.hypot(last.x_mm - near.x_mm, last.y_mm - near.y_mm)
    if _leaves(world.table, seg, last.t_s):
        return (
            Ending() if away_mm < 2.5 * near_mm(world.table) else Ending(off=True)
        )  # so near to a pocket nobody can tell
    speed = math.hypot(*seg.velocity(last.t_s)) + 2.0 * min(seg.sigma_velocity(last.t_s), UNSURE_MM_S)
    runs_mm = speed * speed / (2.0 * slowing_mm_s2(world.table))
    if away_mm < 2.5 * near_mm(world.table) and away_mm - near.drop_radius_mm < runs_mm:
        return Ending(Pot(ball.name, near.name, t if pocket is near else last.t_s, 0.6))
    return Ending()


def _entered(path: Path, pocket: Pocket) -> float | None:
    """When a ball that is still seen in the net went in: three images or more in the mouth up to the end."""
    inside = 0
    for p in reversed(path.leg.points):
        if math.hypot(p.x_mm - pocket.x_mm, p.y_mm - pocket.y_mm) > NET_SHARE * pocket.drop_radius_mm:
            break
        inside += 1
    if inside < 3:
        return None
    return path.leg.points[-inside].t_s


def _confidence(cost: float, covered: bool) -> float:
    return max(0.5, 0.999 - 0.08 * cost - (0.1 if covered else 0.0))


def _best_pocket(
    table: TableSpec, seg: Segment, last: tuple[float, float], t_last: float
) -> tuple[Pocket | None, float, float]:
    """The pocket that the end of a path leads into: (pocket, cost, time at the drop)."""
    best: tuple[Pocket | None, float, float] = (None, 1e9, t_last)
    vx, vy = seg.velocity(t_last)
    speed = math.hypot(vx, vy)
    for p in table.pockets:
        dx, dy = p.x_mm - last[0], p.y_mm - last[1]
        d = math.hypot(dx, dy)
        ahead = (dx * vx + dy * vy) / max(speed, 1.0)
        side = abs(dx * vy - dy * vx) / max(speed, 1.0)
        mouth = math.dist(p.jaws[0], p.jaws[1]) / 2
        flight = max(d - p.drop_radius_mm, 0.0) / max(speed, 1.0)
        if d < p.drop_radius_mm:
            cost = 0.0
        elif d < near_mm(table):
            into = ahead > 0 and speed >= 30 and side < 0.75 * mouth
            cost = 0.05 if into else 0.4 + (1.0 if ahead < 0 else 0.0) + (1.5 if speed < 30 else 0.0)
        else:
            slack = mouth * 0.75 + 0.06 * d
            cost = max(0.0, side / slack - 0.6) * 2.5 + flight * 4.0 + (6.0 if ahead < 0 else 0.0)
        if cost < best[1]:
            best = p, cost, _drop_time(p, seg, last, t_last, speed)
    return best


def _drop_time(p: Pocket, seg: Segment, last: tuple[float, float], t_last: float, speed: float) -> float:
    """When the centre passes the drop's circle, along the last segment or in a straight line to it."""
    if p.dropped(*last):
        t = t_last
        while t > seg.first_s and p.dropped(*seg.at(t)):
            t -= 0.001
        return t
    vx, vy = seg.velocity(t_last)
    v = max(math.hypot(vx, vy), 50.0)
    d = math.hypot(p.x_mm - last[0], p.y_mm - last[1]) - p.drop_radius_mm
    limit = min(2.0 * d / v + 0.02, MAX_FLIGHT_S)
    steps = 200
    for k in range(1, steps + 1):
        t = t_last + limit * k / steps
        u = t - t_last
        if p.dropped(last[0] + vx * u, last[1] + vy * u):
            return t
    return t_last + min(d / v, MAX_FLIGHT_S)


def _leaves(table: TableSpec, seg: Segment, t_last: float) -> bool:
    """Whether a fast ball was last seen at or beyond a cushion and going outwards: off the table."""
    x, y = seg.at(t_last + 0.06)
    return abs(x) > table.half_width_mm or not table.bottom_mm <= y <= table.top_mm


def _unseen(world: World, ball: Ball, path: Path | None, gap: bool) -> Ending:
    """A ball that was never seen moving: it lay in a pocket's mouth, or was struck hard near one."""
    if ball.covered:
        return Ending(hidden=True)
    place = (ball.rest.x_mm, ball.rest.y_mm)
    t = path.leg.t_rest_s if path is not None else ball.seen_s
    heading, t_hit, speed = _struck_heading(world, ball.name, place, t, ball.seen_s + 2.0)
    if heading is not None:
        pot = _by_heading(world, ball, place, heading, t_hit)
        if pot is not None:
            return Ending(pot)
    if heading is None and not gap:
        return Ending()  # nothing can have struck it: unseen, not potted
    pocket, confidence = _likely_pocket(world, place)
    d = math.hypot(place[0] - pocket.x_mm, place[1] - pocket.y_mm)
    if gap or d < 6 * near_mm(world.table):
        flight = max(d - pocket.drop_radius_mm, 0.0) / max(speed, 1000.0)
        confidence = max(confidence if d > 2 * near_mm(world.table) else 0.8, 0.5)
        return Ending(Pot(ball.name, pocket.name, t_hit + flight, confidence))
    return Ending()


def _likely_pocket(world: World, place: tuple[float, float]) -> tuple[Pocket, float]:
    """Where a ball goes that was struck unseen: pockets ahead of the cue-ball's line to it, near ones
    first.
    """
    cue = world.places.get(world.cue) if world.cue is not None else None
    weights: list[tuple[float, Pocket]] = []
    for p in world.table.pockets:
        dx, dy = p.x_mm - place[0], p.y_mm - place[1]
        d = max(math.hypot(dx, dy), 50.0)
        cut = 1.0
        if cue is not None:
            ax, ay = place[0] - cue[0], place[1] - cue[1]
            cut = max((ax * dx + ay * dy) / (max(math.hypot(ax, ay), 1.0) * d), 0.02)
        weights.append(((cut / d) ** 2, p))
    best = max(weights, key=lambda w: w[0])
    return best[1], min(best[0] / sum(w for w, _ in weights), 0.9)


def _by_heading(
    world: World, ball: Ball, place: tuple[float, float], heading: tuple[float, float], t_s: float
) -> Pot | None:
    """The pocket in a heading, for paths that lost images cut short."""
    best: tuple[float, Pocket] | None = None
    speed = math.hypot(*heading)
    if speed < 1.0:
        return None
    for p in world.table.pockets:
        dx, dy = p.x_mm - place[0], p.y_mm - place[1]
        d = math.hypot(dx, dy)
        cos = (dx * heading[0] + dy * heading[1]) / (max(d, 1.0) * speed)
        angle = math.acos(max(-1.0, min(1.0, cos)))
        allowed = 0.12 + math.atan2(60.0, d)
        if angle < allowed * 2.0 and (best is None or angle / allowed < best[0]):
            best = angle / allowed, p
    if best is None:
        return None
    d = math.hypot(best[1].x_mm - place[0], best[1].y_mm - place[1]) - best[1].drop_radius_mm
    flight = min(max(d, 0.0) / max(speed, 300.0), 3.0)
    return Pot(ball.name, best[1].name, t_s + flight, 0.9 if best[0] < 1.0 else 0.7)


def _struck_heading(
    world: World, name: str, place: tuple[float, float], lo_s: float, hi_s: float
) -> tuple[tuple[float, float] | None, float, float]:
    """Line of centres at which another ball's path first meets a ball that lay still: (vx, vy), time,
    speed.
    """
    best: tuple[float, tuple[float, float], float] | None = None
    for other, legs in world.paths.items():
        if other == name:
            continue
        reach = world.reach_mm(name, other)
        for path in legs:
            for k, seg in enumerate(path.segments):
                # a little beyond the segment: the contact lies between its last image and the next
                step = 0.002
                t = max(seg.first_s, lo_s - 0.05)
                end = min(path.breaks[k].hi_s if k < len(path.breaks) else seg.last_s + 0.05, hi_s)
                while t <= end:
                    x, y = seg.at(t)
                    if math.hypot(x - place[0], y - place[1]) < reach + STRUCK_SLACK_MM:
                        nx, ny = place[0] - x, place[1] - y
                        n = max(math.hypot(nx, ny), 1.0)
                        vx, vy = seg.velocity(t)
                        push = (vx * nx + vy * ny) / n
                        if push > 20.0 and (best is None or t < best[0]):
                            best = t, (nx / n * push, ny / n * push), push
                        break
                    t += step
    if best is None:
        return None, lo_s, 0.0
    return best[1], best[0], best[2]
