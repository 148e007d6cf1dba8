"""Correction of balls of the cloth's colour for the direction of the light.

The centre network takes the dark side of such a ball for its shadow and places the ball too far towards the
light. The error grows with the network's own sigma and with how far the light leans on the balls that are
seen well (`vision.locate.highlights`). The centre is shifted against the light by the fitted error and
refined again; the 95 % error of faint balls falls from 2.7 to 2.0 mm (n = 1,145;
docs/lab/2026-11-22-centres.md).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from vision.io.picture import Picture
from vision.locate.centres import CentreNet, brightness
from vision.locate.highlights import Lamps, light_lean_at
from vision.locate.slant import slants

F64 = npt.NDArray[np.float64]

FITTED_FILE = Path(__file__).with_suffix(".toml")
"""The fitted numbers, and how they were fitted."""

_FITTED_TAN = 0.7
"""Slope of the view (tangent from straight above) up to which the numbers were fitted: 35 degrees. From the
side every ball's light leans, whatever the lamps."""


@dataclass(frozen=True, slots=True)
class LeanFit:
    """The network's error over the lean of the light: `at_reference * (sigma / reference) ** power`."""

    reference_sigma_radii: float
    at_reference: float
    power: float
    most: float
    least_sigma_radii: float
    least_brightness: float

    def share(self, sigma_mm: F64, radius_mm: float) -> F64:
        """Error of balls with one sigma (B,) mm per axis as a multiple of the light's lean, (B,)."""
        ratio = sigma_mm / (self.reference_sigma_radii * radius_mm)
        return np.asarray(np.minimum(self.at_reference * ratio**self.power, self.most), np.float64)


@cache
def lean_fit() -> LeanFit:
    """The fitted numbers, read once."""
    return LeanFit(**tomllib.loads(FITTED_FILE.read_text(encoding="utf-8"))["lean"])


def correct_for_light(
    lamps: Lamps,
    net: CentreNet,
    picture: Picture,
    camera: Camera,
    radius_mm: float,
    xy_mm: F64,
    sigma_mm: F64,
    faint: npt.NDArray[np.bool_],
    thorough: bool,
) -> F64:
    """Centres (B, 2) mm in the table frame, the unsure `faint` ones (B,) shifted against the light.

    `xy_mm` (B, 2) and `sigma_mm` (B,): places so far and one sigma per axis. The network refines all unsure
    faint balls again; dark ones are not shifted first. Balls seen from the side stay, and all sigmas.
    """
    fit = lean_fit()
    fitted = slants(camera, xy_mm)[1] < 1.0 + _FITTED_TAN**2
    ask = np.flatnonzero(faint & fitted & (sigma_mm > fit.least_sigma_radii * radius_mm))
    lean = light_lean_at(lamps, xy_mm[ask])
    if not lean.any():
        return xy_mm
    bright, mm_from_unit = brightness(picture, camera, radius_mm, xy_mm[ask])
    share = fit.share(sigma_mm[ask], radius_mm) * (bright > fit.least_brightness)
    start = xy_mm[ask] - np.einsum("bmc,bc->bm", mm_from_unit, share[:, None] * lean)
    shift, sigma, _ = net.shifts(picture, camera, radius_mm, start, thorough)
    out = xy_mm.copy()
    out[ask] = start + np.where(np.isfinite(sigma)[:, None], shift, 0.0)
    return out
