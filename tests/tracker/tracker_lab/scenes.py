"""Hand-made scenes: balls at rest, straight rolls, and hands that lift, carry and put down."""

from __future__ import annotations

import math

import numpy as np

from calibration.table.specs import SNOOKER_TABLE, TableSpec
from tracker import Tracker
from tracker.events import TrackerEvent

from .observer import Noise, Observer, Truth
from .scoring import run

LAYOUT = {
    "white": (100.0, 600.0),
    "red_01": (300.0, 2000.0),
    "red_02": (-300.0, 2600.0),
    "red_03": (400.0, 3000.0),
    **SNOOKER_TABLE.spots,
}


def still(
    seconds: float,
    rate: float = 25.0,
    layout: dict[str, tuple[float, float]] | None = None,
    table: TableSpec = SNOOKER_TABLE,
) -> Truth:
    """Nothing moves."""
    lay = layout or LAYOUT
    n = int(seconds * rate)
    xy = np.repeat(np.array([list(lay.values())], float), n, axis=0)
    return Truth(table, np.arange(n) / rate, list(lay), xy)


def roll(truth: Truth, name: str, t0: float, velocity: tuple[float, float], decel: float = 100.0) -> float:
    """A straight roll from rest at t0 with constant deceleration; returns the time at which it stops."""
    k = truth.names.index(name)
    speed = math.hypot(*velocity)
    stop = speed / decel
    for i, t in enumerate(truth.t):
        u = min(max(t - t0, 0.0), stop)
        s = speed * u - 0.5 * decel * u * u
        if t > t0:
            truth.xy[i, k] += (velocity[0] / speed * s, velocity[1] / speed * s)
    return t0 + stop


def carry(
    truth: Truth, name: str, t0: float, t1: float, to: tuple[float, float] | None, hidden: bool = True
) -> None:
    """A hand takes a ball at t0 and puts it down at t1 (None: keeps it); it covers both places and the way.

    `hidden`: the ball is not seen in the hand; else it is seen moving inside the cover.
    """
    k = truth.names.index(name)
    i0 = int(np.searchsorted(truth.t, t0))
    a = truth.xy[i0, k].copy()
    b = np.array(to if to is not None else (a[0] + 400.0, a[1]))
    for i, t in enumerate(truth.t):
        if t0 < t < t1:
            f = (t - t0) / (t1 - t0)
            truth.xy[i, k] = np.nan if hidden else a + (b - a) * f
        elif t >= t1:
            truth.xy[i, k] = np.nan if to is None else b
    steps = 12
    for s in range(steps):
        f0, f1 = s / steps, (s + 1) / steps
        p = a + (b - a) * (f0 + f1) / 2
        truth.covers.append(
            (t0 + (t1 - t0) * f0 - 0.15, t0 + (t1 - t0) * f1 + 0.15, float(p[0]), float(p[1]), 1.0, 0.0)
        )
    truth.covers.append((t0 - 0.4, t0 + 0.2, float(a[0]), float(a[1]), 1.0, 0.0))
    if to is not None:
        truth.covers.append((t1 - 0.2, t1 + 0.4, float(b[0]), float(b[1]), 1.0, 0.0))


def track(truth: Truth, seed: int = 0, noise: Noise | None = None) -> list[TrackerEvent]:
    """Observe a truth and track it."""
    return run(Observer(truth, noise or Noise(), seed).images(), Tracker(truth.table))
