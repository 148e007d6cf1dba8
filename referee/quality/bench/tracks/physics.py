"""Strokes for the tracks tier, simulated from event to event: the physics of `vision.render.play.physics`, a
hundred times faster.

The constants, the impacts and the shape of cushions and pockets are that module's own. Between events a
ball slides with a constant deceleration or rolls with a smaller one, so that its path is piecewise
quadratic and exact; instead of solving for the next impact, each pair of balls carries the earliest
moment at which it can touch (distance, closing speed and relative acceleration bound it from below) and
is looked at again then. Millimetres and seconds.

Pieces of other games: each has its radius and its mass, and a carrom board's discs slide, with one
deceleration, until they stop.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import Pocket, TableSpec
from vision.render.play.physics import (
    BALL_RESTITUTION,
    CUSHION_GRIP,
    CUSHION_RESTITUTION,
    GRAVITY_MM_S2,
    ROLL,
    SLIDE,
    Stroke,
)

Layout = dict[str, tuple[float, float]]
SLIDE_MM_S2, ROLL_MM_S2 = SLIDE * GRAVITY_MM_S2, ROLL * GRAVITY_MM_S2
LIMIT_S = 25.0
DISC_MM_S2 = 0.09 * GRAVITY_MM_S2  # a powdered board: coefficients of 0.05 to 0.15 are usual
RIM_RESTITUTION, FRAME_RESTITUTION, FRAME_GRIP = 0.9, 0.75, 0.1  # of discs; assumed, no law gives them
_STILL_MM_S = 0.5
_TOUCH_MM = 0.002
_LEAST_S = 1e-5
_PRESSED_S = 2e-3  # balls that touch and hardly close are looked at this often
_PRESSED_MM_S = 2.0
_MOUTH_S = 2e-4
_GRADIENT_MM = 0.5
_INSIDE_MM = 0.02  # balls deeper in one another are pushed apart at rest; a hundredth of what is measured
_PUSHES = 100  # rounds over all pairs, until none lies that deep


@dataclass(frozen=True, slots=True)
class PathPiece:
    """One ball from `t0_s` to `t1_s`: place, velocity and constant acceleration at `t0_s`."""

    t0_s: float
    t1_s: float
    x: float
    y: float
    vx: float
    vy: float
    ax: float
    ay: float

    def at(self, t_s: float) -> tuple[float, float]:
        dt = t_s - self.t0_s
        return self.x + (self.vx + 0.5 * self.ax * dt) * dt, self.y + (self.vy + 0.5 * self.ay * dt) * dt

    def velocity(self, t_s: float) -> tuple[float, float]:
        dt = t_s - self.t0_s
        return self.vx + self.ax * dt, self.vy + self.ay * dt


@dataclass(frozen=True, slots=True)
class Flown:
    """A simulated stroke; times from the strike. `paths`: pieces of each ball that moved, in order.

    `contacts`: (a, b, t); `cushions`: (ball, t); `pots`: (ball, pocket, t); `rest_s`: all at rest.
    """

    start: Layout
    paths: dict[str, tuple[PathPiece, ...]]
    contacts: tuple[tuple[str, str, float], ...]
    cushions: tuple[tuple[str, float], ...]
    pots: tuple[tuple[str, str, float], ...]
    rest_s: float

    @property
    def end(self) -> Layout:
        """Where the balls lie afterwards; those that fell are left out."""
        gone = {b for b, _, _ in self.pots}
        moved = {b: p[-1].at(p[-1].t1_s) for b, p in self.paths.items()}
        return {b: moved.get(b, p) for b, p in self.start.items() if b not in gone}


@dataclass(slots=True)
class _Ball:
    name: str
    t: float
    x: float
    y: float
    vx: float = 0.0
    vy: float = 0.0
    wx: float = 0.0  # velocity at which its turning would roll it
    wy: float = 0.0
    ax: float = 0.0
    ay: float = 0.0
    sliding: bool = False
    moving: bool = False
    on: bool = True
    version: int = 0
    r: float = 26.25
    mass: float = 1.0  # of the piece that most are
    pieces: list[PathPiece] = field(default_factory=list)


class NoseShape:
    """Signed distance to the noses, one point at a time; as `vision.render.table_shape.nose_outline`, without
    arrays.
    """

    def __init__(self, table: TableSpec) -> None:
        self.table = table
        self.pockets: tuple[Pocket, ...] = table.pockets
        self._reach = 3.5 * table.centre_mouth_mm
        self._half_l = table.length_mm / 2
        self.bounce = (
            (FRAME_RESTITUTION, FRAME_GRIP) if table.is_board else (CUSHION_RESTITUTION, CUSHION_GRIP)
        )
        holes = [table.half_width_mm - abs(p.x_mm) + p.drop_radius_mm for p in self.pockets]
        self.inset_mm = max(holes) if table.is_board else 0.0
        """How far from its sides a board's holes reach: a cushion's pockets lie beyond the noses."""

    def distance(self, x: float, y: float) -> float:
        """Millimetres to the edge of the free area, negative over the cloth between the noses."""
        t = self.table
        qx, qy = abs(x) - t.half_width_mm, abs(y - self._half_l) - self._half_l
        d = math.hypot(max(qx, 0.0), max(qy, 0.0)) + min(max(qx, qy), 0.0)
        for p in () if t.is_board else self.pockets:
            if abs(x - p.x_mm) < self._reach and abs(y - p.y_mm) < self._reach:
                d = self._joined(d, self._channel(x, y, p), p.name[0] != "C")
        return d

    def _joined(self, a: float, b: float, corner: bool) -> float:
        t = self.table
        radius = (
            t.corner_jaw_radius_mm * (1 - 1 / math.sqrt(2))
            if corner
            else t.centre_jaw_radius_mm * (math.sqrt(2) - 1)
        )
        if radius <= 0.5:
            return min(a, b)
        return max(radius, min(a, b)) - math.hypot(max(radius - a, 0.0), max(radius - b, 0.0))

    def _channel(self, x: float, y: float, p: Pocket) -> float:
        t = self.table
        sx = math.copysign(1.0, p.x_mm)
        if p.name[0] == "C":
            width = t.centre_mouth_mm
            ax, ay = sx * t.half_width_mm - sx * width / 2, self._half_l
            bx, by = p.x_mm, self._half_l
        else:
            width = t.corner_mouth_mm
            top = p.y_mm > self._half_l
            ax, ay = sx * t.half_width_mm - sx * 10, (t.length_mm - 10) if top else 10.0
            bx, by = p.x_mm, p.y_mm
        dx, dy = bx - ax, by - ay
        f = min(max(((x - ax) * dx + (y - ay) * dy) / max(dx * dx + dy * dy, 1e-9), 0.0), 1.0)
        throat = math.hypot(x - ax - f * dx, y - ay - f * dy) - width / 2
        return min(throat, math.hypot(x - p.x_mm, y - p.y_mm) - p.drop_radius_mm)

    def outward(self, x: float, y: float) -> tuple[float, float]:
        """Unit vector into the cushion."""
        e = _GRADIENT_MM
        nx = self.distance(x + e, y) - self.distance(x - e, y)
        ny = self.distance(x, y + e) - self.distance(x, y - e)
        size = max(math.hypot(nx, ny), 1e-9)
        return nx / size, ny / size


class _World:
    """Mutable state of one simulation; local to `fly`. The heap holds (time, kind, i, j, versions)."""

    def __init__(self, layout: Layout, shape: NoseShape, pieces: PieceSet) -> None:
        self.shape, self.table = shape, shape.table
        self.discs = pieces.discs
        self.balls = [
            _Ball(n, 0.0, x, y, r=pieces.size_share(n) * self.table.ball_radius_mm, mass=pieces.mass_share(n))
            for n, (x, y) in layout.items()
        ]
        self.heap: list[tuple[float, int, int, int, int, int]] = []
        self.contacts: list[tuple[str, str, float]] = []
        self.cushions: list[tuple[str, float]] = []
        self.pots: list[tuple[str, str, float]] = []

    # -- one ball -------------------------------------------------------------------------------------

    def _bring(self, b: _Ball, t: float) -> None:
        """Advance a ball's state to a time inside its phase and close the piece behind it."""
        dt = t - b.t
        if dt <= 0:
            return
        if b.moving:
            b.pieces.append(PathPiece(b.t, t, b.x, b.y, b.vx, b.vy, b.ax, b.ay))
            b.x += (b.vx + 0.5 * b.ax * dt) * dt
            b.y += (b.vy + 0.5 * b.ay * dt) * dt
            if b.sliding:
                b.wx -= 2.5 * b.ax * dt
                b.wy -= 2.5 * b.ay * dt
            b.vx += b.ax * dt
            b.vy += b.ay * dt
            if not b.sliding:
                b.wx, b.wy = b.vx, b.vy
        b.t = t

    def launch(self, i: int, t: float) -> None:
        """The ball's velocity has changed at its own time: its phase, and all that may come of it."""
        b = self.balls[i]
        b.version += 1
        sx, sy = b.vx - b.wx, b.vy - b.wy
        slip, speed = math.hypot(sx, sy), math.hypot(b.vx, b.vy)
        if self.discs and speed > _STILL_MM_S:
            b.sliding, b.moving = False, True
            b.ax, b.ay = -DISC_MM_S2 * b.vx / speed, -DISC_MM_S2 * b.vy / speed
            until = t + speed / DISC_MM_S2
        elif slip > 1.0 and not self.discs:
            b.sliding, b.moving = True, True
            b.ax, b.ay = -SLIDE_MM_S2 * sx / slip, -SLIDE_MM_S2 * sy / slip
            until = t + slip / (3.5 * SLIDE_MM_S2)
        elif speed > _STILL_MM_S and not self.discs:
            b.sliding, b.moving = False, True
            b.ax, b.ay = -ROLL_MM_S2 * b.vx / speed, -ROLL_MM_S2 * b.vy / speed
            b.wx, b.wy = b.vx, b.vy
            until = t + speed / ROLL_MM_S2
        else:
            b.moving = b.sliding = False
            b.vx = b.vy = b.wx = b.wy = b.ax = b.ay = 0.0
            until = math.inf
        if b.moving:
            heapq.heappush(self.heap, (until, 0, i, -1, b.version, 0))
            self._watch_wall(i, t)
        for j in range(len(self.balls)):
            if j != i:
                self._watch_pair(i, j, t)

    def _phase_ends(self, i: int, t: float) -> None:
        b = self.balls[i]
        self._bring(b, t)
        if b.sliding:
            b.vx, b.vy = (5 * b.vx + 2 * b.wx) / 7, (5 * b.vy + 2 * b.wy) / 7
            b.wx, b.wy = b.vx, b.vy
        else:
            b.vx = b.vy = b.wx = b.wy = 0.0
        self.launch(i, t)

    # -- pairs ----------------------------------------------------------------------------------------

    def _apart(self, a: _Ball, b: _Ball, t: float) -> tuple[float, float, float, float, float]:
        """Gap, closing speed, relative acceleration, and the unit vector from b to a."""
        da, db = t - a.t, t - b.t
        dx = a.x + (a.vx + 0.5 * a.ax * da) * da - b.x - (b.vx + 0.5 * b.ax * db) * db
        dy = a.y + (a.vy + 0.5 * a.ay * da) * da - b.y - (b.vy + 0.5 * b.ay * db) * db
        dist = max(math.hypot(dx, dy), 1e-9)
        nx, ny = dx / dist, dy / dist
        closing = -((a.vx + a.ax * da - b.vx - b.ax * db) * nx + (a.vy + a.ay * da - b.vy - b.ay * db) * ny)
        return dist - a.r - b.r, closing, math.hypot(a.ax - b.ax, a.ay - b.ay), nx, ny

    def _watch_pair(self, i: int, j: int, t: float) -> None:
        a, b = self.balls[i], self.balls[j]
        if not (a.on and b.on and (a.moving or b.moving)):
            return
        gap, closing, accel, _, _ = self._apart(a, b, t)
        if gap < _TOUCH_MM:
            wait = 0.0 if closing > _PRESSED_MM_S else _PRESSED_S
            if closing < 0 and accel > 0:
                wait = max(wait, -2 * closing / accel)
        elif accel > 1e-6:
            wait = (math.sqrt(closing * closing + 2 * accel * gap) - closing) / accel
        else:
            wait = gap / closing if closing > 1e-9 else math.inf
        if wait < LIMIT_S:
            heapq.heappush(
                self.heap, (t + max(wait, 0.0 if wait == 0.0 else _LEAST_S), 1, i, j, a.version, b.version)
            )

    def _pair_due(self, i: int, j: int, t: float) -> None:
        a, b = self.balls[i], self.balls[j]
        gap, closing, _, _, _ = self._apart(a, b, t)
        if gap > _TOUCH_MM or closing <= _PRESSED_MM_S:
            if gap <= _TOUCH_MM and closing > 1e-3:
                self._impact(i, j, t, 0.0)
                return
            self._watch_pair(i, j, t)
            return
        self._impact(i, j, t, RIM_RESTITUTION if self.discs else BALL_RESTITUTION)

    def _impact(self, i: int, j: int, t: float, restitution: float) -> None:
        a, b = self.balls[i], self.balls[j]
        self._bring(a, t)
        self._bring(b, t)
        gap, closing, _, nx, ny = self._apart(a, b, t)
        push = (1 + restitution) * closing / (a.mass + b.mass)  # gained by each for the other's mass
        a.vx, a.vy = a.vx + push * b.mass * nx, a.vy + push * b.mass * ny
        b.vx, b.vy = b.vx - push * a.mass * nx, b.vy - push * a.mass * ny
        if gap < 0:
            a.x, a.y = a.x - 0.5 * gap * nx, a.y - 0.5 * gap * ny
            b.x, b.y = b.x + 0.5 * gap * nx, b.y + 0.5 * gap * ny
        if restitution > 0:
            self.contacts.append((a.name, b.name, t))
        self.launch(i, t)
        self.launch(j, t)

    # -- cushions and pockets -------------------------------------------------------------------------

    def _watch_wall(self, i: int, t: float) -> None:
        """The rectangle of the noses lies inside everything free: nothing is hit before its sides are."""
        b, table = self.balls[i], self.table
        inset = max(b.r, self.shape.inset_mm)
        limit = min(
            _reach(b.x, b.vx, b.ax, table.half_width_mm - inset),
            _reach(-b.x, -b.vx, -b.ax, table.half_width_mm - inset),
            _reach(b.y, b.vy, b.ay, table.length_mm - inset),
            _reach(-b.y, -b.vy, -b.ay, -inset),
        )
        if limit < LIMIT_S:
            heapq.heappush(self.heap, (t + limit, 2, i, -1, b.version, 0))

    def _wall_due(self, i: int, t: float) -> None:
        b = self.balls[i]
        dt = t - b.t
        x, y = b.x + (b.vx + 0.5 * b.ax * dt) * dt, b.y + (b.vy + 0.5 * b.ay * dt) * dt
        for p in self.shape.pockets:
            if p.dropped(x, y):
                self._bring(b, t)
                b.on = b.moving = False
                b.version += 1
                self.pots.append((b.name, p.name, t))
                return
        vx, vy = b.vx + b.ax * dt, b.vy + b.ay * dt
        free = -self.shape.distance(x, y) - b.r
        if free < 0.01:
            nx, ny = self.shape.outward(x, y)
            into = vx * nx + vy * ny
            if into > 0:
                self._bounce(i, t, nx, ny, into, min(free, 0.0))
                return
        speed = max(math.hypot(vx, vy), 1.0)
        far = min(math.hypot(x - p.x_mm, y - p.y_mm) - p.drop_radius_mm for p in self.shape.pockets)
        heapq.heappush(self.heap, (t + max(min(free, far) / speed, _MOUTH_S), 2, i, -1, b.version, 0))

    def _bounce(self, i: int, t: float, nx: float, ny: float, into: float, free_mm: float) -> None:
        b = self.balls[i]
        self._bring(b, t)
        kept, grip = self.shape.bounce
        along_x, along_y = b.vx - into * nx, b.vy - into * ny
        b.vx = -kept * into * nx + (1 - grip) * along_x
        b.vy = -kept * into * ny + (1 - grip) * along_y
        turn = b.wx * nx + b.wy * ny
        b.wx = 0.4 * kept * (b.wx - 2 * turn * nx)
        b.wy = 0.4 * kept * (b.wy - 2 * turn * ny)
        b.x, b.y = b.x + free_mm * nx, b.y + free_mm * ny
        self.cushions.append((b.name, t))
        self.launch(i, t)

    # -- the loop -------------------------------------------------------------------------------------

    def run(self) -> float:
        """Handle events in order until nothing moves; returns when the last ball came to rest."""
        last = 0.0
        while self.heap:
            t, kind, i, j, vi, vj = heapq.heappop(self.heap)
            a = self.balls[i]
            if t > LIMIT_S:
                break
            if a.version != vi or (j >= 0 and self.balls[j].version != vj):
                continue
            last = max(last, t) if a.moving else last
            if kind == 0:
                self._phase_ends(i, t)
            elif kind == 1:
                self._pair_due(i, j, t)
            else:
                self._wall_due(i, t)
        for b in self.balls:
            if b.on and b.moving:
                self._bring(b, LIMIT_S)
        self._push_apart()
        return last

    def _push_apart(self) -> None:
        """Part balls that lie in one another. Each impact in a pack moves its two balls alone, into a third.

        Only balls that moved are pushed, and none into a cushion.
        """
        placed = {b.name: (b.x, b.y) for b in self.balls}
        pairs = [(a, b) for k, a in enumerate(self.balls) for b in self.balls[:k] if a.on and b.on]
        for _ in range(_PUSHES):
            if not any([self._pushed(a, b) for a, b in pairs]):
                break
        for b in self.balls:
            if (b.x, b.y) != placed[b.name]:
                b.pieces.append(PathPiece(b.t, b.t, b.x, b.y, 0.0, 0.0, 0.0, 0.0))

    def _pushed(self, a: _Ball, b: _Ball) -> bool:
        """Whether two balls lay too deep in one another; those of them that moved are pushed apart."""
        gap, _, _, nx, ny = self._apart(a, b, max(a.t, b.t))
        moved = [(ball, way) for ball, way in ((a, 1), (b, -1)) if ball.pieces]
        if gap >= -_INSIDE_MM or not moved:
            return False
        for ball, way in moved:
            push = -gap * way / len(moved)
            ball.x, ball.y = ball.x + push * nx, ball.y + push * ny
            free = min(-self.shape.distance(ball.x, ball.y) - ball.r, 0.0)
            if free:
                out_x, out_y = self.shape.outward(ball.x, ball.y)
                ball.x, ball.y = ball.x + free * out_x, ball.y + free * out_y
        return True


def _reach(x: float, v: float, a: float, wall: float) -> float:
    """When x + v t + a t^2 / 2 first comes to `wall` from below; 0 when it is beyond already and goes on."""
    gap = wall - x
    if gap <= 0.01:
        return 0.0 if v > 0 or gap < -0.05 else math.inf if a <= 0 else -2 * v / a
    if abs(a) < 1e-9:
        return gap / v if v > 0 else math.inf
    root = v * v + 2 * a * gap
    if root < 0:
        return math.inf
    times = [q for q in ((-v + math.sqrt(root)) / a, (-v - math.sqrt(root)) / a) if q > 0]
    return min(times, default=math.inf)


def fly(
    layout: Layout, stroke: Stroke, shape: NoseShape, cue_ball: str = "white", pieces: PieceSet = SNOOKER
) -> Flown:
    """Play a stroke on a layout (ball -> x, y mm); deterministic. `pieces`: sizes, masses, balls or discs."""
    world = _World(layout, shape, pieces)
    k = next(i for i, b in enumerate(world.balls) if b.name == cue_ball)
    b = world.balls[k]
    b.vx, b.vy = (
        stroke.speed_mm_s * math.cos(stroke.direction),
        stroke.speed_mm_s * math.sin(stroke.direction),
    )
    b.wx, b.wy = stroke.follow * b.vx, stroke.follow * b.vy
    world.launch(k, 0.0)
    rest_s = world.run()
    paths = {b.name: tuple(b.pieces) for b in world.balls if b.pieces}
    return Flown(dict(layout), paths, tuple(world.contacts), tuple(world.cushions), tuple(world.pots), rest_s)
