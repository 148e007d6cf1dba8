"""How balls lie turned: each rolls along its way, so that numbers and stripes come up and go under.

Sliding and spin are left out: a print turns by the way over the radius. What stays true is what a referee's
eyes need: a ball at rest keeps its attitude, and rolls on from it.
"""

from __future__ import annotations

import numpy as np

from vision.render.play.physics import Flight
from vision.render.prints import Turn, rolled


def rolled_along(flight: Flight, before: dict[str, Turn], radius_mm: float) -> dict[str, list[Turn]]:
    """The attitude of each ball at each of the flight's times, from that `before` the stroke."""
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
