"""Balls of this world: colours of makers, worn or new, by the looks of `calibration.table.pieces`."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibration.table.pieces import Look
from referee.quality.bench.rooms.studio.tracer import paint_of, rgb

Rng = np.random.Generator
Colour = tuple[float, float, float]
_TINTS: dict[str, tuple[Colour, ...]] = {
    "white": ((0.82, 0.78, 0.62), (0.85, 0.84, 0.8), (0.75, 0.68, 0.48)),
    "red": ((0.3, 0.012, 0.012), (0.42, 0.02, 0.025), (0.2, 0.008, 0.01)),
    "yellow": ((0.85, 0.5, 0.012), (0.8, 0.6, 0.03), (0.75, 0.38, 0.01)),
    "green": ((0.005, 0.12, 0.06), (0.01, 0.18, 0.06), (0.008, 0.09, 0.035)),
    "brown": ((0.2, 0.07, 0.018), (0.28, 0.1, 0.03), (0.14, 0.04, 0.012)),
    "blue": ((0.008, 0.1, 0.4), (0.01, 0.05, 0.28), (0.02, 0.15, 0.45)),
    "pink": ((0.75, 0.25, 0.28), (0.8, 0.35, 0.4), (0.7, 0.16, 0.2)),
    "black": ((0.008, 0.008, 0.009), (0.015, 0.014, 0.016)),
    "purple": ((0.12, 0.02, 0.2),),
    "orange": ((0.75, 0.18, 0.01),),
    "maroon": ((0.17, 0.01, 0.03),),
}
"""Linear reflectance of the colours that makers sell."""


def draw_paints(rng: Rng, looks: dict[str, Look]) -> dict[str, Any]:
    """A material for each kind of a set; one polish for all, as a club cleans them all together."""
    alpha = float(rng.choice([0.02, 0.05, 0.1], p=[0.5, 0.35, 0.15]))
    out = {}
    for kind, look in looks.items():
        tints = _TINTS[look.tint]
        own = np.asarray(tints[int(rng.integers(len(tints)))]) * rng.uniform(0.85, 1.15)
        out[kind] = paint_of(
            {
                "type": "roughplastic",
                "diffuse_reflectance": rgb(np.clip(own, 0, 0.92)),
                "int_ior": float(rng.uniform(1.48, 1.56)),
                "alpha": alpha,
                "nonlinear": True,
            }
        )
    return out
