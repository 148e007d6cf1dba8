"""The visible marks of the spots, measured while no ball covers them.

A respotted colour is compared with its mark. Both are seen through the same camera model, so that an error of
the calibration cancels in the difference. Marks are dark discs of about 5 to 8 mm. Those of the baulk colours
lie on the baulk line, which is brighter than the cloth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.table.specs import TableSpec
from vision.io.picture import F32, Picture

F64 = npt.NDArray[np.float64]

_STEP_MM = 1.0  # between samples on the cloth
_HALF_MM = 26.0  # half the side of the square that is sampled: a ball's radius
_NEAR_MM = 6.0  # largest distance of a mark from its computed place, calibration's error included
_CORE_MM = 9.0  # radius within which a blurred mark ends
_CLOTH_QUANTILE = 0.35  # of the luma around a mark; lines are brighter, so that the lower half is cloth
_DEPTH_NOISES = 6.0  # noises of the cloth that a mark must be darker
_LEAST_DEPTH = 5.0  # grey levels that it must be darker
_EDGE_SHARE = 0.3  # of a mark's depth at which it ends
_CLEAN = 0.45  # of the mark's depth: something else so dark (a ball, its shadow, a cue) forbids a measurement
_RADII_MM = (1.0, 6.5)  # of a mark
_LINE_GAP_MM, _LINE_HALF_MM = (
    2.0,
    12.0,
)  # where the baulk line is measured: from the mark's edge, across the line
_LINE_QUANTILE, _LINE_FOOT = (
    0.3,
    0.25,
)  # of the cloth beside the line; share of the line's height that is cut off
_LINE_SAME_MM = 2.0  # largest difference of the line's middle on both sides of the mark
_ON_LINES = ("yellow", "green", "brown")
_BIAS_MM = {True: 0.35, False: 0.15}
"""One sigma of the error that repetition does not reduce; larger on lines, whose blur makes a mark uneven."""
_FIRST_SPREAD_MM = 0.5  # one sigma of a single look
_KEPT = 50  # looks over which the mean goes back


@dataclass(frozen=True, slots=True)
class SpotMark:
    """A mark's centre on the cloth (table frame, mm), mean of `looks`, with one sigma per axis."""

    spot: str
    x_mm: float
    y_mm: float
    spread_mm: float
    looks: int

    @property
    def sigma_mm(self) -> float:
        """One sigma per axis, mm, systematic error included."""
        return math.hypot(
            _BIAS_MM[self.spot in _ON_LINES], self.spread_mm / math.sqrt(min(self.looks, _KEPT))
        )


def measure_mark(
    picture: Picture, camera: Camera, at_mm: tuple[float, float], on_line: bool
) -> tuple[float, float] | None:
    """Centre (x, y) mm of the dark mark near a computed spot; None where no mark is clearly visible.

    `on_line`: the mark lies on the baulk line. The line's blur covers the mark from both sides, so that y is
    taken from the middle of the line.
    """
    around = _around(camera, at_mm)
    if around is None:
        return None
    xx, yy, map_x, map_y = around
    luma = cv2.remap(picture.y, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    values = np.asarray(luma, np.float64)
    centre = _centre(values, xx, yy, at_mm)
    if centre is None or not on_line:
        return centre
    y = _line_y(values, xx - centre[0], yy - at_mm[1])
    return None if y is None else (centre[0], at_mm[1] + y)


@lru_cache(maxsize=64)
def _around(camera: Camera, at_mm: tuple[float, float]) -> tuple[F64, F64, F32, F32] | None:
    """Places x and y (mm) on the cloth around a spot and their pixels, (n, n) each; read-only arrays."""
    g = np.arange(-_HALF_MM, _HALF_MM + 0.5 * _STEP_MM, _STEP_MM)
    xx, yy = np.meshgrid(at_mm[0] + g, at_mm[1] + g)
    px = camera.pixels_from_table(np.stack((xx, yy, np.zeros_like(xx)), axis=-1).reshape(-1, 3))
    if not np.isfinite(px).all():
        return None
    maps = px.astype(np.float32).reshape(*xx.shape, 2)
    return xx, yy, np.ascontiguousarray(maps[..., 0]), np.ascontiguousarray(maps[..., 1])


def _line_y(luma: F64, dx: F64, dy: F64) -> float | None:
    """Middle of the bright line beside the mark, mm from the computed place; None without a line."""
    found = []
    for side in (-1.0, 1.0):
        strip = (side * dx > _CORE_MM + _LINE_GAP_MM) & (np.abs(dy) < _LINE_HALF_MM)
        cloth = float(np.quantile(luma[strip], _LINE_QUANTILE))
        height = np.where(strip & (np.abs(dy) < _NEAR_MM + _LINE_GAP_MM), luma - cloth, 0.0)
        rows = height.sum(axis=1) / strip.any(axis=0).sum()
        rows = np.clip(rows - _LINE_FOOT * float(rows.max()), 0.0, None)
        if rows.max() < _LEAST_DEPTH:
            return None
        found.append(float(np.average(dy[:, 0], weights=rows)))
    return None if abs(found[0] - found[1]) > _LINE_SAME_MM else sum(found) / 2


def _centre(luma: F64, xx: F64, yy: F64, at_mm: tuple[float, float]) -> tuple[float, float] | None:
    """Centre (x, y) mm of a mark's darkness in `luma` at places `xx`, `yy` (n, n); None without a mark."""
    r = np.hypot(xx - at_mm[0], yy - at_mm[1])
    around = r > _CORE_MM + _NEAR_MM
    cloth = float(np.quantile(luma[around], _CLOTH_QUANTILE))
    lower = luma[around][luma[around] <= cloth]
    noise = max(1.0, float(cloth - lower.mean()) * 2.0)
    depth = cloth - luma
    depth[r > _NEAR_MM + _CORE_MM] = -np.inf
    inner = np.where(r <= _NEAR_MM, depth, -np.inf)
    i, j = np.unravel_index(int(np.argmax(inner)), inner.shape)
    peak = float(depth[i, j])
    if peak < max(_LEAST_DEPTH, _DEPTH_NOISES * noise):
        return None
    if float((cloth - luma[around]).max()) > _CLEAN * peak:
        return None
    _, labels = cv2.connectedComponents((depth > _EDGE_SHARE * peak).astype(np.uint8), connectivity=4)
    blob = labels == labels[i, j]
    radius = math.sqrt(float(blob.sum()) * _STEP_MM**2 / math.pi)
    if not _RADII_MM[0] <= radius <= _RADII_MM[1]:
        return None
    weights = depth[blob] - _EDGE_SHARE * peak
    x, y = float(np.average(xx[blob], weights=weights)), float(np.average(yy[blob], weights=weights))
    if (
        float(np.hypot(xx[blob] - x, yy[blob] - y).max()) > _CORE_MM
        or math.hypot(x - at_mm[0], y - at_mm[1]) > _NEAR_MM
    ):
        return None
    return x, y


def with_look(
    known: tuple[SpotMark, ...], picture: Picture, camera: Camera, table: TableSpec, still: Iterable[str]
) -> tuple[SpotMark, ...]:
    """The marks after one more look; `still`: spots around which nothing moves and nothing is covered.

    A ball on its spot may be among them: it hides the mark, and its size distinguishes it from one.
    """
    found = {m.spot: m for m in known}
    for spot in still:
        at = table.spots[spot]
        centre = measure_mark(picture, camera, at, spot in _ON_LINES)
        if centre is not None:
            found[spot] = _mean(found.get(spot), spot, centre)
    return tuple(sorted(found.values(), key=lambda m: m.spot))


def _mean(old: SpotMark | None, spot: str, at: tuple[float, float]) -> SpotMark:
    """Mean over the looks."""
    if old is None:
        return SpotMark(spot, at[0], at[1], _FIRST_SPREAD_MM, 1)
    n = min(old.looks, _KEPT)
    dx, dy = at[0] - old.x_mm, at[1] - old.y_mm
    spread = math.sqrt((old.spread_mm**2 * n + 0.5 * (dx * dx + dy * dy)) / (n + 1))
    return SpotMark(spot, old.x_mm + dx / (n + 1), old.y_mm + dy / (n + 1), spread, old.looks + 1)
