"""When a clip shows what: balls in flight, cues and arms at the strokes, hands that put balls back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.table.specs import TableSpec
from vision.render.people import arm, cue
from vision.render.play.match import Frame, Layout, PlayedStroke, kind, opening
from vision.render.play.physics import Flight
from vision.render.prints import Turn, random_turn, rolled
from vision.render.scene import Ball, Capsule

Rng = np.random.Generator
FIRST_STRIKE_S, PAUSE_S, RESPOT_S, AFTER_RESPOT_S = 2.0, 2.4, 1.7, 2.4
AIM_S, LEAVE_S, HAND_S = 1.3, 0.7, 0.8


@dataclass(frozen=True, slots=True)
class StrokeEvent:
    """A stroke on the clip's clock."""

    t_strike: float
    t_rest: float
    played: PlayedStroke


@dataclass(frozen=True, slots=True)
class HandEvent:
    """A hand puts a ball on the table at time `t`: a colour on its spot or the cue-ball in the D.

    `lifts`: it takes away a ball that lies at `to`.
    """

    t: float
    ball: str
    to: tuple[float, float]
    in_hand: bool
    lifts: bool = False


Event = StrokeEvent | HandEvent


@dataclass
class Script:
    """All events of a clip in order, and how long it lasts. `printed`: whether balls bear prints."""

    table: TableSpec
    names: tuple[str, ...]
    opening: Layout
    events: list[Event] = field(default_factory=list)
    end_s: float = 0.0
    seed: int = 0
    printed: bool = False
    _turns: dict[int, dict[str, list[Turn]]] = field(default_factory=dict, repr=False, compare=False)

    def turn(self, name: str, t_s: float) -> Turn | None:
        """How a ball lies turned at a time; None where no ball bears a print."""
        if not self.printed:
            return None
        here = random_turn(np.random.default_rng(_spin(name)))
        for k, event in enumerate(self.events):
            if not isinstance(event, StrokeEvent) or name not in event.played.flight.names:
                continue
            if t_s < event.t_strike:
                break
            flight = event.played.flight
            if k not in self._turns:
                before = {n: self.turn(n, event.t_strike - 1e-6) for n in flight.names}
                known = {n: b for n, b in before.items() if b is not None}
                self._turns[k] = rolled_along(flight, known, self.table.ball_radius_mm)
            here = turn_at(flight, self._turns[k][name], t_s - event.t_strike)
        return here

    def layout(self, t_s: float) -> dict[str, tuple[float, float]]:
        """Ball positions (mm) at a time; balls off the table are left out."""
        here = dict(self.opening)
        for event in self.events:
            if isinstance(event, HandEvent):
                if t_s >= event.t and event.lifts:
                    here.pop(event.ball, None)
                elif t_s >= event.t:
                    here[event.ball] = event.to
                continue
            if t_s < event.t_strike:
                break
            p = event.played.flight
            xy = p.at(t_s - event.t_strike)
            here = {
                n: (float(q[0]), float(q[1])) for n, q in zip(p.names, xy, strict=True) if not np.isnan(q[0])
            }
        return here

    def velocities(self, t_s: float) -> dict[str, tuple[float, float]]:
        """Velocities (mm/s) of the balls that move."""
        h = 0.002
        a, b = self.layout(t_s - h), self.layout(t_s + h)
        out = {}
        for n in a.keys() & b.keys():
            v = ((b[n][0] - a[n][0]) / (2 * h), (b[n][1] - a[n][1]) / (2 * h))
            if 0.3 < math.hypot(*v) < 12000:
                out[n] = v
        return out

    def balls(self, t_s: float) -> tuple[Ball, ...]:
        """The balls to draw: those on the table, one falling into a pocket, one in a hand."""
        speed = self.velocities(t_s)
        out = [
            Ball(kind(n), p[0], p[1], speed.get(n, (0.0, 0.0)), None, _spin(n), turn=self.turn(n, t_s))
            for n, p in self.layout(t_s).items()
        ]
        for event in self.events:
            if isinstance(event, StrokeEvent):
                out += self._falling(event, t_s)
            elif event.t - HAND_S < t_s < event.t and not event.lifts:
                lift, back = _reach(event.t - t_s)
                x, y = event.to
                side = _side(event.to, self.table)
                at = (x + back * math.cos(side), y + back * math.sin(side))
                out.append(
                    Ball(
                        kind(event.ball),
                        at[0],
                        at[1],
                        (0.0, 0.0),
                        self.table.ball_radius_mm + lift,
                        _spin(event.ball),
                        turn=self.turn(event.ball, t_s),
                    )
                )
        return tuple(out)

    def _falling(self, event: StrokeEvent, t_s: float) -> list[Ball]:
        out = []
        for name, _, t in event.played.flight.pots:
            since = t_s - event.t_strike - t
            if 0 <= since < 0.09:
                p = event.played.flight.at(t - 0.0015)[event.played.flight.names.index(name)]
                q = event.played.flight.at(t - 0.0035)[event.played.flight.names.index(name)]
                v = (p - q) / 0.002 * 0.4
                z = self.table.ball_radius_mm - 0.5 * 9810 * since**2 - 200 * since
                x, y = p + v * since
                speed = (float(v[0]), float(v[1]))
                turn = self.turn(name, t_s)
                out.append(Ball(kind(name), float(x), float(y), speed, z, _spin(name), turn=turn))
        return out

    def people(self, t_s: float) -> tuple[Capsule, ...]:
        """Arms, cues and hands over the table at a time."""
        parts: list[Capsule] = []
        for k, event in enumerate(self.events):
            if isinstance(event, StrokeEvent):
                parts += self._striker(event, t_s, k)
            elif abs(t_s - event.t) < HAND_S:
                rng = np.random.default_rng(self.seed * 97 + k)
                lift, back = _reach(abs(event.t - t_s))
                side = _side(event.to, self.table)
                at = (event.to[0] + (back + 18) * math.cos(side), event.to[1] + (back + 18) * math.sin(side))
                parts += arm(rng, at, side, 30 + lift)
        return tuple(parts)

    def _striker(self, event: StrokeEvent, t_s: float, k: int) -> list[Capsule]:
        dt = t_s - event.t_strike
        if not -AIM_S < dt < LEAVE_S:
            return []
        rng = np.random.default_rng(self.seed * 89 + k)
        white = event.played.start["white"]
        d = event.played.stroke.direction
        r = self.table.ball_radius_mm
        # the tip: in from outside, two feints, the strike, a short follow through, and away
        if dt < -0.9:
            gap = 30 + (-0.9 - dt) * 2500
        elif dt < 0:
            gap = 4 + 70 * abs(math.sin(dt / 0.9 * 2 * math.pi)) if dt < -0.06 else 4 + 60 * (-dt / 0.06)
        else:
            gap = 4 - min(dt, 0.07) * 900 + max(dt - 0.25, 0) * 2600
        tip = (white[0] - (r + gap) * math.cos(d), white[1] - (r + gap) * math.sin(d))
        parts = cue(rng, tip, d + math.pi, self.table.ball_radius_mm + 6)
        away = max(-0.9 - dt, 0) * 2200 + max(dt - 0.25, 0) * 2400
        bridge = (white[0] - (r + 230 + away) * math.cos(d), white[1] - (r + 230 + away) * math.sin(d))
        return parts + arm(rng, bridge, d + math.pi + float(rng.choice([-0.35, 0.35])), 12)


def _spin(name: str) -> int:
    return sum(ord(c) * (i + 3) for i, c in enumerate(name))


def _reach(left_s: float) -> tuple[float, float]:
    """Height (mm) and distance (mm) of a hand that is `left_s` from the moment it puts a ball down."""
    return min(left_s * 250, 90.0), max(left_s - 0.2, 0) * 1900


def _side(p: tuple[float, float], table: TableSpec) -> float:
    """Direction from a point to the nearest long side."""
    return 0.0 if p[0] >= 0 else math.pi


def write_script(
    rng: Rng,
    table: TableSpec,
    wants: list[tuple[bool, str]],
    reds: int,
    seed: int,
    physics: object = None,
    start: Layout | None = None,
) -> Script:
    """Play strokes of the wanted kinds (pot, foul kind) and set them on a clock; `start`: not in
    mid-frame.
    """
    layout = opening(rng, table, reds) if start is None else dict(start)
    frame = Frame(rng, layout, table) if physics is None else Frame(rng, layout, table, physics)  # type: ignore[arg-type]
    script = Script(table, tuple(sorted(layout)), layout, seed=seed)
    script.end_s = (
        set_on_clock(script, frame, wants, lambda colour: table.spots[colour], FIRST_STRIKE_S, PAUSE_S) - 0.6
    )
    return script


def set_on_clock(
    script: Script,
    frame: Frame,
    wants: Iterable[tuple[bool, str]],
    respot: Callable[[str], tuple[float, float]],
    first_s: float,
    pause_s: float,
) -> float:
    """Play strokes (pot, foul kind) and add them to the script with the hands between them; when the next
    would be.

    `respot`: where a hand puts a colour back; asked once for each, after the stroke.
    """
    t = first_s
    for pot, foul in wants:
        played = frame.play(pot, foul)
        rest = t + played.flight.rest_s
        script.events.append(StrokeEvent(t, rest, played))
        t = rest
        for colour in played.respots:
            t += RESPOT_S
            script.events.append(HandEvent(t, colour, respot(colour), False))
        if played.in_hand:
            t += RESPOT_S
            script.events.append(HandEvent(t, "white", frame.layout["white"], True))
        t += AFTER_RESPOT_S if played.respots or played.in_hand else pause_s
    return t


def xy_of(script: Script, times: NDArray[np.float64]) -> NDArray[np.float32]:
    """Truth positions (frames, balls, 2) in metres, nan when off the table."""
    out = np.full((len(times), len(script.names), 2), np.nan, np.float32)
    for i, t in enumerate(times):
        here = script.layout(float(t))
        for k, name in enumerate(script.names):
            if name in here:
                out[i, k] = here[name][0] / 1000, here[name][1] / 1000
    return out


def rolled_along(flight: Flight, before: dict[str, Turn], radius_mm: float) -> dict[str, list[Turn]]:
    """The attitude of each ball at each of the flight's times, from that `before` the stroke.

    Sliding and spin are left out: a print turns by the way over the radius. A ball at rest keeps its attitude
    and rolls on from it.
    """
    steps = np.diff(flight.xy_mm, axis=0)
    out = {}
    for k, name in enumerate(flight.names):
        turns = [before[name]]
        for dx, dy in steps[:, k].tolist():
            still = (dx == 0.0 and dy == 0.0) or dx != dx  # nan once potted
            turns.append(turns[-1] if still else rolled(turns[-1], (dx, dy), radius_mm))
        out[name] = turns
    return out


def turn_at(flight: Flight, turns: list[Turn], since_s: float) -> Turn:
    """The attitude `since_s` after the strike: of the last of the flight's times before it."""
    k = int(np.clip(np.searchsorted(flight.t_s, since_s, side="right") - 1, 0, len(turns) - 1))
    return turns[k]
