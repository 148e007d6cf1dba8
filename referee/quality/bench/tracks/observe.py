"""Simulated observations of a played piece, with errors drawn from the pixel tier.

The gate is imitated as `vision.observer.Observer` works: only cells that changed since they were last
examined are looked at, for a short while longer, and the whole table some moments after the last change.
While nothing moves an image says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import TableSpec
from referee.quality.bench.tracks.cells import CUE_MM, HAND_MM, Bits, Capsule, Cells, capsules, distance_mm
from referee.quality.bench.tracks.errors import (
    CameraErrors,
    ErrorModel,
    FalseRun,
    Row,
    Run,
    Zone,
    speed_class,
    zone_of,
)
from referee.quality.bench.tracks.games.looks import StandIns
from referee.quality.bench.tracks.physics import PathPiece
from referee.quality.bench.tracks.play import Cover, PlayedSpan, TrueHand, TrueStroke, kind
from referee.quality.bench.tracks.setup import Interruption
from vision.io.images import is_hole
from vision.observation import CellMask, ImageObservations, Observation

Rng = np.random.Generator
_LINGER_S = 0.12  # these three as in vision.observer
_SETTLE_S = (0.2, 0.6, 1.2)
_WHOLE_LOOK_S = 5.0
_CHANGED_MM = 0.4  # a ball that has moved this far since it was looked at changes the picture
_ONE_THING_MM = 40.0  # nothing that is seen nearer than this to another false thing is a second one
_DOUBT_MM = 6.0  # a ball this near to a cell may be seen in it
_CUT_SHARE = 0.35  # a ball's centre this share of its radius inside an arm's edge is out of sight


@dataclass(slots=True)
class _Seen:
    """One ball as the imitated observer keeps it; local to a piece."""

    colour: str
    x: float
    y: float
    on: bool = True
    vx: float = 0.0
    vy: float = 0.0
    at: tuple[float, float] | None = None  # where it was when last looked at
    run: Run = ()
    step: int = 0
    zone: Zone = "open"
    speed_class: int = -1
    path: tuple[PathPiece, ...] = ()
    part: int = 0
    began_s: float = 0.0
    pot_s: float = math.inf

    @property
    def moving(self) -> bool:
        return self.vx != 0.0 or self.vy != 0.0

    def row(self) -> Row | None:
        row = self.run[self.step % len(self.run)]
        self.step += 1
        return row


@dataclass(slots=True)
class _Thing:
    """What one camera sees at one place now and then, in the runs in which it was seen."""

    x: float
    y: float
    looks: int
    runs: list[FalseRun]


@dataclass(slots=True)
class _False:
    """A false run under way, at a place of the table; `until_s`: it is forgotten then."""

    run: FalseRun
    x: float
    y: float
    ux: float
    uy: float
    until_s: float
    thing: _Thing | None = None
    step: int = 0


@dataclass(slots=True)
class _Film:
    """The state of one piece being filmed."""

    t_s: float = 0.0
    balls: dict[str, _Seen] = field(default_factory=dict)
    next_whole: list[float] = field(default_factory=list)
    false: list[_False] = field(default_factory=list)


class Filmed:
    """The images of a piece, in order, by `images`; once."""

    def __init__(
        self,
        played: PlayedSpan,
        model: ErrorModel,
        camera: CameraErrors,
        table: TableSpec,
        cells: Cells,
        rng: Rng,
        image_hz: float,
        pieces: PieceSet = SNOOKER,
    ) -> None:
        self.looks = StandIns(pieces)
        self._of = pieces.kind_of
        self.played, self.model, self.camera, self.table, self.cells = played, model, camera, table, cells
        self.rng, self.image_hz = rng, image_hz
        self.film = _Film(balls={b: _Seen(self._kind(b), x, y) for b, (x, y) in played.opening.items()})
        shape = (cells.rows, cells.columns)
        self.hot = np.full(shape, -1.0)
        self.covered: Bits = np.zeros(shape, np.uint8)
        self.cover_now: Bits = np.zeros(shape, np.uint8)
        self._hides: Bits = np.zeros(shape, np.uint8)
        self._covers_known: dict[int, bool] = {}
        self._posed: tuple[object, ...] = ()
        self.rates = _rates(model)
        self._pockets: dict[str, tuple[float, float]] = {p.name: (p.x_mm, p.y_mm) for p in table.pockets}
        self.things = _things(model, camera.camera, self._pockets, table)

    def _kind(self, ball: str) -> str:
        return self._of.get(ball, kind(ball))

    def images(self, interruptions: Sequence[Interruption] = ()) -> Iterator[ImageObservations]:
        """One `ImageObservations` for each image time, mid-exposure, and for interruptions what reader and
        observer say of them; behind one of which they say something the whole table is looked at.
        """
        strokes, hands = list(self.played.strokes), list(self.played.hands)
        first = float(self.rng.uniform(0, 1 / self.image_hz))
        covers = sorted(self.played.covers, key=lambda c: c.t0_s)
        away: Interruption | None = None
        for index in range(int(self.played.end_s * self.image_hz)):
            t = first + index / self.image_hz if index else 0.0
            self._advance(t, strokes, hands)
            before, away = away, next((x for x in interruptions if x.since_s <= t < x.until_s), None)
            over = before if before is not away and before is not None and self._is_told(before) else None
            if over is not None and over.reason == "images_lost":
                yield self._unusable(index, t, over)
            if away is not None:
                if away.reason != "images_lost":
                    yield self._unusable(index, t, away)
                continue
            if over is not None:
                self.hot[:] = t + _LINGER_S  # everything has changed
            anew = index == 0 or over is not None
            yield self._image(index, t, [c for c in covers if c.t0_s <= t <= c.t1_s], anew)

    def _is_told(self, interruption: Interruption) -> bool:
        """Whether anything is said of it: a short time without images is only a pause."""
        away_s = interruption.until_s - interruption.since_s
        return interruption.reason != "images_lost" or is_hole(away_s, 1.0 / self.image_hz)

    def _unusable(self, index: int, t: float, away: Interruption) -> ImageObservations:
        return ImageObservations(index, t, (), self.cells.none, self._covered_mask(), unusable=away.reason)

    # -- the world ------------------------------------------------------------------------------------

    def _advance(self, t: float, strokes: list[TrueStroke], hands: list[TrueHand]) -> None:
        while strokes and strokes[0].t_strike_s <= t:
            s = strokes.pop(0)
            pots = {b: s.t_strike_s + u for b, _, u in s.flown.pots}
            for name, path in s.flown.paths.items():
                ball = self.film.balls[name]
                ball.path, ball.part, ball.began_s, ball.pot_s = (
                    path,
                    0,
                    s.t_strike_s,
                    pots.get(name, math.inf),
                )
        while hands and hands[0].t_s <= t:
            h = hands.pop(0)
            if h.to is None:
                self.film.balls[h.ball].on = False
            else:
                self.film.balls[h.ball] = _Seen(self._kind(h.ball), *h.to)
        for ball in self.film.balls.values():
            if ball.path:
                _move(ball, t)
        self.film.t_s = t

    # -- one image ------------------------------------------------------------------------------------

    def _image(self, index: int, t: float, covers: list[Cover], anew: bool) -> ImageObservations:
        film = self.film
        arms = [c for cover in covers for c in capsules(cover, t)]
        if self._changes(t, covers, arms) or anew:
            film.next_whole = [t + s for s in _SETTLE_S]
        whole = anew or self._whole_due(t)
        if whole:
            looked = np.ones_like(self.covered)
        else:
            looked = (self.hot >= t).astype(np.uint8)
            if not looked.any():
                return ImageObservations(index, t, (), self.cells.none, self._covered_mask())
        self.covered = np.where(looked, self.cover_now, self.covered)
        observations = self._observations(t, looked, arms)
        observations += self._false(t, looked, covers)
        mask = None if whole else self.cells.mask(looked)
        return ImageObservations(index, t, tuple(observations), mask, self._covered_mask())

    def _covered_mask(self) -> CellMask | None:
        return self.cells.mask(self.covered) if self.covered.any() else None

    def _whole_due(self, t: float) -> bool:
        due = self.film.next_whole
        if not due or t < due[0]:
            return False
        while due and due[0] <= t:
            due.pop(0)
        if not due:
            self.film.next_whole = [t + _WHOLE_LOOK_S]
        return True

    def _changes(self, t: float, covers: list[Cover], arms: list[Capsule]) -> bool:
        """Note which cells differ from what was last examined; returns whether any does."""
        until = t + _LINGER_S
        changed = [
            self._balls_change(until),
            self._covers_change(t, covers, arms, until),
            self._cues_change(t, covers, until),
        ]
        return any(changed)

    def _balls_change(self, until: float) -> bool:
        """Note the cells of balls that came, went or moved."""
        changed = False
        for b in self.film.balls.values():
            here = (b.x, b.y) if b.on else None
            if here == b.at:
                continue
            if here is not None and b.at is not None and math.dist(here, b.at) < _CHANGED_MM:
                continue
            for p in (here, b.at):
                if p is not None:
                    self.hot[self.cells.box(*p, self.table.ball_radius_mm, 1)] = until
            changed = True
        return changed

    def _covers_change(self, t: float, covers: list[Cover], arms: list[Capsule], until: float) -> bool:
        """Note the cells that covers hide now and did not before, or no longer hide, and those beside."""
        pose = tuple((id(c), round(c.back_mm(t))) for c in covers)
        if pose == self._posed:
            return False
        self._posed = pose
        now = self.cells.under(arms)
        differ = np.argwhere(now != self._hides).tolist()
        for j, i in differ:
            self.hot[max(j - 1, 0) : j + 2, max(i - 1, 0) : i + 2] = until
        self._hides = now
        known = [c for c in covers if self._known(c)]
        self.cover_now = self.cells.under([a for c in known for a in capsules(c, t)])
        return bool(differ)

    def _cues_change(self, t: float, covers: list[Cover], until: float) -> bool:
        """Note the cells of cues that are out: the cue is never still."""
        out = [c for c in covers if c.cue and t < c.out_from_s]
        for c in out:
            self.hot[self.cells.box(c.x - 150 * c.dx, c.y - 150 * c.dy, 40.0)] = until
        return bool(out)

    def _known(self, cover: Cover) -> bool:
        """Whether vision knows this arm for a cover; a dark flat sleeve it may take for cloth as long as it
        is there.
        """
        if id(cover) not in self._covers_known:
            self._covers_known[id(cover)] = bool(self.rng.random() < self.camera.cover_known)
        return self._covers_known[id(cover)]

    def _observations(self, t: float, looked: Bits, arms: list[Capsule]) -> list[Observation]:
        """The balls that are seen in the cells looked at, in front of no arm."""
        out = []
        radius_mm = self.table.ball_radius_mm
        rows, columns = np.flatnonzero(looked.any(axis=1)), np.flatnonzero(looked.any(axis=0))
        top, bottom, left, right = rows[0], rows[-1], columns[0], columns[-1]
        for b in self.film.balls.values():
            j, i = self.cells.box(b.x, b.y, _DOUBT_MM)
            if j.stop <= top or j.start > bottom or i.stop <= left or i.start > right:
                continue  # most balls lie where nobody looks
            if not looked[j, i].any():
                continue
            b.at = (b.x, b.y) if b.on else None
            if not b.on:
                continue
            apart_mm = [(distance_mm(b.x, b.y, arm) - arm.radius_mm, arm.radius_mm) for arm in arms]
            if any(half > CUE_MM and apart < -_CUT_SHARE * radius_mm for apart, half in apart_mm):
                continue  # an arm hides it
            seen = self._seen(b, near=any(apart < 1.2 * radius_mm for apart, _ in apart_mm))
            if seen is None:
                continue
            cell = self.cells.index(seen.x_mm, seen.y_mm)  # as vision does: where the ball is seen
            if cell is not None and looked[cell]:
                out.append(seen)
        return out

    def _seen(self, b: _Seen, near: bool) -> Observation | None:
        colour = self.looks.colour(b.colour)
        if b.moving:
            speed = math.hypot(b.vx, b.vy)
            k = speed_class(speed)
            if b.speed_class != k or b.step >= len(b.run):
                b.run, b.step, b.speed_class = self.model.moving_run(self.rng, colour, speed, near), 0, k
            row = b.row()
            if row is None:
                return None
            ux, uy = b.vx / speed, b.vy / speed
            dx, dy = row.a_mm * ux - row.b_mm * uy, row.a_mm * uy + row.b_mm * ux
        else:
            if not b.run or b.speed_class >= 0 or near != (b.zone == "near_cover"):
                others = [(o.x, o.y) for o in self.film.balls.values() if o is not b and o.on]
                b.zone = "near_cover" if near else zone_of(b.x, b.y, others, self.table)
                b.run, b.speed_class = self.model.rest_run(self.rng, colour, b.zone), -1
                b.step = int(self.rng.integers(len(b.run)))
            row = b.row()
            if row is None:
                return None
            dx, dy = row.a_mm, row.b_mm
        ox, oy = self.camera.offset_mm(b.x, b.y, self.table)
        logp = self.looks.seen(b.colour, row.logp, self.rng)
        return Observation(b.x + ox + dx, b.y + oy + dy, row.sigma_mm, 0.0, 0.0, logp, row.confidence)

    # -- false ones -----------------------------------------------------------------------------------

    def _perhaps_seen(self, t: float, looked: Bits, thing: _Thing) -> None:
        """Begin a run of what is seen at a place, as often as it was seen there, if one looks there."""
        cell = self.cells.index(thing.x, thing.y)
        if cell is None or not looked[cell] or any(f.thing is thing for f in self.film.false):
            return
        if thing.runs[0].anchor == "beside" and not self._lies_beside(thing):
            return
        if self.rng.random() < len(thing.runs) / thing.looks:
            run = thing.runs[int(self.rng.integers(len(thing.runs)))]
            x, y = self._anchor(run)
            self.film.false.append(_False(run, x, y, 1.0, 0.0, t + 60.0, thing))

    def _false(self, t: float, looked: Bits, covers: list[Cover]) -> list[Observation]:
        for runs, rate, anchor in self.rates:
            if (anchor != "cover" or covers) and self.rng.random() < rate:
                self._begin_false(t, runs[int(self.rng.integers(len(runs)))], covers)
        for thing in self.things:
            self._perhaps_seen(t, looked, thing)
        out: list[Observation] = []
        self.film.false = [f for f in self.film.false if t <= f.until_s and f.step < len(f.run.rows)]
        for f in self.film.false:
            row = f.run.rows[f.step]
            if row is None:
                f.step += 1
                continue
            x, y = f.x + row.a_mm * f.ux - row.b_mm * f.uy, f.y + row.a_mm * f.uy + row.b_mm * f.ux
            cell = self.cells.index(x, y)
            if cell is not None and looked[cell]:
                f.step += 1
                logp = self.looks.false(row.logp)
                out.append(Observation(x, y, row.sigma_mm, 0.0, 0.0, logp, row.confidence))
        return out

    def _lies_beside(self, thing: _Thing) -> bool:
        """Whether a ball at rest throws the shadow that is taken for a ball there."""
        reach = self.table.ball_diameter_mm
        return any(
            b.on and not b.moving and math.hypot(b.x - thing.x, b.y - thing.y) < reach
            for b in self.film.balls.values()
        )

    def _anchor(self, run: FalseRun) -> tuple[float, float]:
        return self._pockets.get(run.pocket, (0.0, self.table.length_mm / 2))

    def _begin_false(self, t: float, run: FalseRun, covers: list[Cover]) -> None:
        if run.anchor == "cover":
            cover = covers[int(self.rng.integers(len(covers)))]
            back = cover.back_mm(t)
            along, aside = float(self.rng.uniform(0, 350)), float(self.rng.choice([-1, 1])) * (HAND_MM + 8.0)
            ux, uy = cover.dx, cover.dy
            x, y = cover.x + (back + along) * ux - aside * uy, cover.y + (back + along) * uy + aside * ux
            self.film.false.append(_False(run, x, y, ux, uy, t + 1.0))
            return
        moving = [b for b in self.film.balls.values() if b.on and b.moving]
        if moving:
            b = moving[int(self.rng.integers(len(moving)))]
            angle = float(self.rng.uniform(0, 2 * math.pi))
            far = float(self.rng.uniform(0.8, 1.5)) * self.table.ball_diameter_mm
            self.film.false.append(
                _False(run, b.x + far * math.cos(angle), b.y + far * math.sin(angle), 1.0, 0.0, t + 0.2)
            )


def _move(ball: _Seen, t: float) -> None:
    """Advance a ball along its path."""
    since = t - ball.began_s
    if t >= ball.pot_s:
        ball.on, ball.path, ball.vx, ball.vy = False, (), 0.0, 0.0
        return
    while ball.part + 1 < len(ball.path) and ball.path[ball.part + 1].t0_s <= since:
        ball.part += 1
    piece = ball.path[ball.part]
    if since < piece.t0_s:
        return
    ball.x, ball.y = piece.at(min(since, piece.t1_s))
    still = since > piece.t1_s
    ball.vx, ball.vy = (0.0, 0.0) if still else piece.velocity(since)
    if still and ball.part + 1 == len(ball.path):
        ball.path = ()


def _rates(model: ErrorModel) -> list[tuple[list[FalseRun], float, str]]:
    """Runs beside arms and beside moving balls, of all cameras, with how often one begins in an image (with
    an arm).
    """
    out: list[tuple[list[FalseRun], float, str]] = []
    for anchor in ("cover", "ball"):
        runs = [r for r in model.false if r.anchor == anchor]
        images = sum(c.covered_images if anchor == "cover" else c.images for c in model.cameras)
        if runs and images:
            out.append((runs, len(runs) / images, anchor))
    return out


def _things(
    model: ErrorModel, camera: int, pockets: dict[str, tuple[float, float]], table: TableSpec
) -> list[_Thing]:
    """What this camera takes for a ball at a fixed place now and then: a pocket's hole, a mark, a
    reflection.
    """
    out: list[_Thing] = []
    for run in model.false:
        first = next((r for r in run.rows if r is not None), None)
        if run.camera != camera or run.anchor not in ("pocket", "open", "beside") or first is None:
            continue
        x0, y0 = pockets.get(run.pocket, (0.0, table.length_mm / 2))
        x, y = x0 + first.a_mm, y0 + first.b_mm
        same = next((k for k in out if math.hypot(k.x - x, k.y - y) < _ONE_THING_MM), None)
        if same is None:
            out.append(_Thing(x, y, run.looks, [run]))
        else:
            same.runs.append(run)
            same.looks = max(same.looks, run.looks)
    return out
