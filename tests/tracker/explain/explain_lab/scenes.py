"""Images written by hand: balls that lie still or roll, seen by a perfect camera that looks everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from vision.observation import BALL_CLASSES, CellMask, ImageObservations, Observation

Place = tuple[float, float] | None
At = Callable[[float], Place]


def seen(
    colour: str,
    x_mm: float,
    y_mm: float,
    confidence: float = 0.93,
    sigma_mm: float = 0.3,
    kinds: Sequence[str] = BALL_CLASSES,
) -> Observation:
    """A detection that is plainly of one kind."""
    logp = tuple(-0.05 if c == colour else -5.0 for c in kinds)
    return Observation(x_mm, y_mm, sigma_mm, 0.0, 0.0, logp, confidence)


def still(x_mm: float, y_mm: float) -> At:
    """A ball that lies at one place."""
    return lambda t_s: (x_mm, y_mm)


def rolling(x_mm: float, y_mm: float, vx: float, vy: float, from_s: float, until_s: float = math.inf) -> At:
    """A ball that lies still, sets off at `from_s` and is gone after `until_s`; rolling friction slows it
    down.
    """
    speed = math.hypot(vx, vy)

    def at(t_s: float) -> Place:
        if t_s > until_s:
            return None
        u = min(max(t_s - from_s, 0.0), speed / 98.1)
        f = u - 0.5 * 98.1 * u * u / speed
        return x_mm + vx * f, y_mm + vy * f

    return at


def after(first: At, t_s: float, then: At) -> At:
    """One way until a time, another from then on."""
    return lambda t: first(t) if t < t_s else then(t)


def film(
    balls: Mapping[str, At],
    until_s: float = 3.0,
    hz: float = 50.0,
    hidden: Callable[[str, float], bool] = lambda ball, t_s: False,
    clutter: Sequence[tuple[float, Observation]] = (),
    covered: Callable[[float], CellMask | None] = lambda t_s: None,
    kinds: Sequence[str] = BALL_CLASSES,
) -> list[ImageObservations]:
    """Images of balls (named by colour, `red_2`); `hidden` ones are not detected. Clutter comes at its
    times.
    """
    out = []
    for k in range(int(until_s * hz)):
        t = k / hz
        found = []
        for name, at in balls.items():
            place = at(t)
            if place is not None and not hidden(name, t):
                found.append(seen(name.partition("_")[0], *place, kinds=kinds))
        found += [o for at_s, o in clutter if abs(at_s - t) < 0.5 / hz]
        out.append(ImageObservations(k, t, tuple(found), None, covered(t)))
    return out


def cells(*places: tuple[float, float], cell_mm: float = 100.0) -> CellMask:
    """A mask of the snooker table in which the cells of the places are set."""
    columns, rows = 20, 38
    bits = bytearray(columns * rows)
    x0, y0 = -columns * cell_mm / 2, -100.0
    for x, y in places:
        bits[int((y - y0) // cell_mm) * columns + int((x - x0) // cell_mm)] = 1
    return CellMask(x0, y0, cell_mm, columns, rows, bytes(bits))
