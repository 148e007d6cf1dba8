"""Whether a calibration still fits a video: edges measured again, camera solved again, colours on spots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.calibrate import Solution, solve_table
from calibration.errors import UnusableInput
from calibration.find.strips import ByteArray
from calibration.result import Calibration
from calibration.solve.model import Points
from calibration.solve.unknowns import ARC, BAULK, BOTTOM, LEFT, RIGHT, TOP
from referee.quality.certify.rests import Rest

F64 = npt.NDArray[np.float64]

GROUPS = (
    (BOTTOM, "nose, bottom"),
    (TOP, "nose, top"),
    (LEFT, "nose, left"),
    (RIGHT, "nose, right"),
    (BAULK, "baulk line"),
    (ARC, "D"),
)

KNOCKED_MM = 1.0
"""Shift on the cloth from which a camera counts as knocked (vision/observer.py uses the same)."""
LOST_MM = 26.0
"""Half a ball: beyond it nothing that rests on the calibration can be used."""

_NOSE_SIGMA_MM = 0.3  # the calibration fixed it; another height would look like a movement
_NEAR_SPOT_MM = 12.0
_PLACED_MM = 1.0  # one sigma of how exactly a hand puts a ball on its spot (vision/spotted.py)


@dataclass(frozen=True, slots=True)
class Group:
    """Edges of one kind in this video against the calibration: how many places, root mean square distance,
    mean distance (positive: inwards, towards baulk's far side, outwards of the D), scatter about the mean."""

    name: str
    places: int
    rms_px: float
    mean_px: float
    mean_mm: float
    scatter_px: float


@dataclass(frozen=True, slots=True)
class Shift:
    """Where this video's own solution puts the table's points, minus where the calibration does: mean (dx,
    dy) and worst, mm; `sigma_mm`: what the calibration itself says it may be off, mean over the table.

    `turned`: the baulk end is the other one."""

    dx_mm: float
    dy_mm: float
    worst_mm: float
    sigma_mm: float
    turned: bool

    @property
    def mean_mm(self) -> float:
        return math.hypot(self.dx_mm, self.dy_mm)

    @property
    def knocked(self) -> bool:
        """Moved by more than a millimetre and by more than two solutions of one view differ.

        Two solutions of one view share their errors, so they differ by much less than sigma (docs/lab).
        """
        return (
            self.turned
            or self.mean_mm > max(KNOCKED_MM, 0.5 * self.sigma_mm)
            or self.worst_mm > max(3.0, 2.5 * self.sigma_mm)
        )


@dataclass(frozen=True, slots=True)
class OnSpot:
    """A colour at rest beside its own spot: offset in mm, one sigma of it (a hand's millimetre included)."""

    colour: str
    dx_mm: float
    dy_mm: float
    sigma_mm: float

    @property
    def off(self) -> bool:
        """Farther than a hand and this camera explain (three sigma)."""
        return math.hypot(self.dx_mm, self.dy_mm) > 3.0 * self.sigma_mm


@dataclass(frozen=True, slots=True)
class CalibrationRecheck:
    """The calibration against this video. `groups` and `shift` are empty where `refusal` says why the table
    could not be measured anew."""

    groups: tuple[Group, ...]
    shift: Shift | None
    refusal: str
    spots: tuple[OnSpot, ...]

    @property
    def true(self) -> bool | None:
        """Whether the calibration still holds; None where nothing could be compared."""
        if self.shift is not None:
            return not self.shift.knocked
        if len(self.spots) >= 2:
            return not all(s.off for s in self.spots)
        return None

    @property
    def sentence(self) -> str:
        if self.shift is None:
            reason = f"the table could not be measured anew ({self.refusal})"
            if self.true is None:
                return f"Not known: {reason} and fewer than two colours lay on their spots."
            return f"{'Colours lie on their spots' if self.true else 'No colour lies on its spot'}; {reason}."
        s = self.shift
        if s.turned:
            return "The baulk end is at the other end of the picture now: calibrate again."
        if s.knocked:
            return (
                f"The camera was knocked or moved: the table lies {s.dx_mm:+.1f} mm across and {s.dy_mm:+.1f}"
                f" mm along from where the calibration has it, {s.worst_mm:.1f} mm at the worst place."
                " Calibrate again."
            )
        return (
            f"Still true: measured anew, the table lies within {s.worst_mm:.1f} mm of the calibration"
            " everywhere."
        )


def recheck_calibration(
    still: ByteArray, calibration: Calibration, rests: Sequence[Rest]
) -> CalibrationRecheck:
    """Measure the table in the video's still (H, W, 3) BGR and compare it with the calibration."""
    table = replace(calibration.table, nose_height_sigma_mm=_NOSE_SIGMA_MM)
    spots = spots_of(rests, calibration)
    try:
        solution = solve_table([still], table, "")
    except UnusableInput as error:
        return CalibrationRecheck((), None, str(error), spots)
    return CalibrationRecheck(
        groups_of(solution.points, calibration), _shift(solution, calibration), "", spots
    )


def groups_of(points: Points, calibration: Calibration) -> tuple[Group, ...]:
    """Residuals of the measured edge points under the calibration, by kind of edge."""
    found = []
    for mark, name in GROUPS:
        own = points.take(points.mark == mark)
        if not len(own.px):
            continue
        off_mm, px_per_mm = _distances(own, mark, calibration)
        off_px = off_mm * px_per_mm
        keep = np.abs(off_px - np.median(off_px)) < max(
            1.0, 6 * float(np.median(np.abs(off_px - np.median(off_px))))
        )
        off_px, off_mm = off_px[keep], off_mm[keep]
        found.append(
            Group(
                name,
                len(off_px),
                float(np.sqrt(np.mean(off_px**2))),
                float(off_px.mean()),
                float(off_mm.mean()),
                float(off_px.std()),
            )
        )
    return tuple(found)


def _distances(points: Points, mark: int, calibration: Calibration) -> tuple[F64, F64]:
    """Signed distances (mm) of edge points from their line in the calibration, and px per mm there."""
    table, camera = calibration.table, calibration.camera
    z = 0.0 if mark in (BAULK, ARC) else table.nose_height_mm
    at = camera.table_from_pixels(points.px, z)
    x, y = at[:, 0], at[:, 1]
    line = table.baulk_line_mm or 0.0
    if mark == ARC:
        out = np.stack((x, y - line), axis=1)
        radius = np.linalg.norm(out, axis=1)
        off, normal = radius - (table.d_radius_mm or 0.0), out / radius[:, None]
    else:
        side = {
            BOTTOM: (y, (0, 1)),
            TOP: (table.length_mm - y, (0, -1)),
            LEFT: (x + table.half_width_mm, (1, 0)),
            RIGHT: (table.half_width_mm - x, (-1, 0)),
            BAULK: (y - line, (0, 1)),
        }[mark]
        off, normal = side[0], np.tile(np.array(side[1], np.float64), (len(x), 1))
    step = camera.pixels_from_table(np.column_stack((at + normal, np.full(len(at), z))))
    return np.asarray(off, np.float64), np.asarray(np.linalg.norm(step - points.px, axis=1), np.float64)


def _shift(solution: Solution, calibration: Calibration) -> Shift:
    table = calibration.table
    w, length = table.half_width_mm, table.length_mm
    grid = np.array([(x, y) for x in np.linspace(-w, w, 5) for y in np.linspace(0, length, 9)])
    px = calibration.camera.pixels_from_table(
        np.column_stack((grid, np.full(len(grid), table.ball_radius_mm)))
    )
    now = solution.calibration.camera.table_from_pixels(px, table.ball_radius_mm)
    # a pixel that the calibration maps to (x, y) is now at `now` on the table
    straight, turned = grid - now, grid - (np.array([0.0, length]) - now)
    swapped = bool(
        np.nanmedian(np.linalg.norm(turned, axis=1)) < np.nanmedian(np.linalg.norm(straight, axis=1))
    )
    off = turned if swapped else straight
    sigma = float(np.mean([calibration.sigma_mm(float(x), float(y)) for x, y in grid]))
    dx, dy = np.nanmean(off, axis=0)
    return Shift(float(dx), float(dy), float(np.nanmax(np.linalg.norm(off, axis=1))), sigma, swapped)


def spots_of(rests: Sequence[Rest], calibration: Calibration) -> tuple[OnSpot, ...]:
    """Each colour that lay beside its own spot, its longest rest there."""
    best: dict[str, Rest] = {}
    places = calibration.table.spots
    for rest in rests:
        spot = places.get(rest.colour)
        if spot is None or math.hypot(rest.x_mm - spot[0], rest.y_mm - spot[1]) > _NEAR_SPOT_MM:
            continue
        if rest.colour not in best or len(rest.balls) > len(best[rest.colour].balls):
            best[rest.colour] = rest
    return tuple(
        OnSpot(
            c,
            best[c].x_mm - places[c][0],
            best[c].y_mm - places[c][1],
            math.hypot(_PLACED_MM, best[c].fit_sigma_mm, calibration.sigma_mm(*places[c])),
        )
        for c in places
        if c in best
    )
