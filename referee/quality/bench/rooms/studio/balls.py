"""Pieces of this world: colours of makers, worn or new, by the looks of `calibration.table.pieces`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import Look, PieceSet
from referee.quality.bench.rooms.studio.draws import Rng, one_of
from referee.quality.bench.rooms.studio.prints import Printer
from referee.quality.bench.rooms.studio.surfaces import Sheet
from referee.quality.bench.rooms.studio.tracer import bitmap, paint_of, painted, rgb

F64 = NDArray[np.float64]
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
    "purple": ((0.12, 0.02, 0.2), (0.08, 0.02, 0.16), (0.16, 0.03, 0.22)),
    "orange": ((0.75, 0.18, 0.01), (0.8, 0.14, 0.015), (0.78, 0.24, 0.02)),
    "maroon": ((0.17, 0.01, 0.03), (0.12, 0.015, 0.015), (0.16, 0.035, 0.02)),
}
"""Linear reflectance of the colours that makers sell."""
_DISCS: dict[str, tuple[Colour, ...]] = {
    "white": ((0.62, 0.45, 0.24), (0.72, 0.6, 0.4), (0.5, 0.34, 0.16)),
    "black": ((0.02, 0.016, 0.014), (0.045, 0.028, 0.02)),
    "red": ((0.45, 0.02, 0.03), (0.35, 0.015, 0.015)),
}
"""Of lacquered wooden C/m and the Queen."""
_STRIKERS: tuple[Colour, ...] = ((0.8, 0.76, 0.6), (0.7, 0.68, 0.62), (0.55, 0.1, 0.05), (0.05, 0.2, 0.45))
_TELEVISION = 0.25  # share of numbered sets in the colouring that television uses


def draw_paints(rng: Rng, looks: dict[str, Look]) -> dict[str, Any]:
    """A material for each kind of a set; one polish for all, as a club cleans them all together."""
    alpha = float(rng.choice([0.02, 0.05, 0.1], p=[0.5, 0.35, 0.15]))
    out = {}
    for kind, look in looks.items():
        out[kind] = _ball(rng, rgb(_shade(rng, _TINTS[look.tint])), alpha)
    return out


def _shade(rng: Rng, tints: Sequence[Colour]) -> F64:
    """The reflectance of one of the tints, lighter or darker."""
    return np.clip(np.asarray(one_of(rng, tints)) * rng.uniform(0.85, 1.15), 0, 0.92)


def _ball(rng: Rng, colour: Mapping[str, Any], alpha: float) -> Any:
    return paint_of(
        {
            "type": "roughplastic",
            "diffuse_reflectance": colour,
            "int_ior": float(rng.uniform(1.48, 1.56)),
            "alpha": alpha,
            "nonlinear": True,
        }
    )


def draw_numbered(rng: Rng, pieces: PieceSet) -> dict[str, Any]:
    """Materials of a set of numbered balls: a solid and its stripe share a colour."""
    alpha = float(rng.choice([0.02, 0.05, 0.1], p=[0.5, 0.35, 0.15]))
    looks = pieces.looks[1] if len(pieces.looks) > 1 and rng.random() < _TELEVISION else pieces.looks[0]
    tints = {t: _shade(rng, c).astype(np.float32) for t, c in _TINTS.items()}
    printer = Printer(rng, tints["white"])
    out = {}
    for kind, look in zip(pieces.names, looks, strict=True):
        own = tints[look.tint]
        sheet = printer.cue_ball(own) if look.form == "plain" else printer.numbered(look, own)
        out[kind] = _ball(rng, rgb(own.tolist()) if sheet is None else bitmap(sheet), alpha)
    return out


def draw_discs(rng: Rng, pieces: PieceSet) -> dict[str, Any]:
    """Materials of discs: turned grooves, the same on all; the striker of another colour with rings."""
    rough = {"type": "principled", "roughness": float(rng.uniform(0.25, 0.6)), "specular": 0.5}
    grooves = [
        (float(rng.uniform(0.2, 0.85)), float(rng.choice([0.55, 0.7, 1.3])))
        for _ in range(rng.integers(0, 4))
    ]
    out = {}
    for kind in pieces.kinds:
        tints = _STRIKERS if kind.name == pieces.cue else _DISCS[kind.look.tint]
        rows = np.tile(_shade(rng, tints).astype(np.float32), (64, 1))
        for at, gain in grooves if kind.name != pieces.cue else ((0.3, 0.3), (0.55, 0.4)):
            rows[int(64 * at) : int(64 * at) + 3] *= gain
        out[kind.name] = painted(
            Sheet(np.clip(rows, 0, 0.92)[:, None].repeat(2, 1), (0, 0), (1, 1)), rough, "base_color"
        )
    return out
