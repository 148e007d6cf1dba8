"""Sets of rays from one camera centre, described by where they meet the plane of the ball centres.

Any plane z = const is met at an affine function of those points, so one grid of (x, y) serves a full
camera image (points from its pixels) and a patch resampled to the ball plane (a regular grid) alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
Box = tuple[slice, slice]


@dataclass(slots=True)
class Rays:
    """`x, y`: (H, W) mm where each ray meets the plane z = `z_mm`; `pitch`: (H, W) mm per pixel there."""

    origin: tuple[float, float, float]
    x: F32
    y: F32
    z_mm: float
    pitch: F32

    def at_plane(self, z_mm: float, box: Box | None = None) -> tuple[F32, F32]:
        """Where the rays meet another horizontal plane below the camera."""
        ox, oy, oz = self.origin
        s = np.float32((oz - z_mm) / (oz - self.z_mm))
        x, y = (self.x, self.y) if box is None else (self.x[box], self.y[box])
        return ox + s * (x - np.float32(ox)), oy + s * (y - np.float32(oy))

    def directions(self, box: Box) -> tuple[F32, F32, F32]:
        """Unit directions (dx, dy, dz) of the rays in a box."""
        ox, oy, oz = self.origin
        dx, dy = self.x[box] - np.float32(ox), self.y[box] - np.float32(oy)
        dz = np.float32(self.z_mm - oz)
        n = 1 / np.sqrt(dx * dx + dy * dy + dz * dz)
        return np.asarray(dx * n, np.float32), np.asarray(dy * n, np.float32), np.asarray(dz * n, np.float32)

    def part(self, box: Box) -> Rays:
        """The rays of a box alone."""
        x, y, pitch = (np.ascontiguousarray(a[box]) for a in (self.x, self.y, self.pitch))
        return Rays(self.origin, x, y, self.z_mm, pitch)

    def box_around(self, x_mm: float, y_mm: float, reach_mm: float) -> Box | None:
        """The smallest pixel box that holds all rays within `reach_mm` of a point of the plane."""
        return self.box_of(x_mm - reach_mm, x_mm + reach_mm, y_mm - reach_mm, y_mm + reach_mm)

    def box_of(self, x0: float, x1: float, y0: float, y1: float) -> Box | None:
        """The pixel box of all rays that meet the plane within the rectangle, or None."""
        step = 4
        xs, ys = self.x[::step, ::step], self.y[::step, ::step]
        slack = step * 1.5 * float(self.pitch[self.pitch.shape[0] // 2, self.pitch.shape[1] // 2])
        inside = (xs > x0 - slack) & (xs < x1 + slack) & (ys > y0 - slack) & (ys < y1 + slack)
        rows = np.nonzero(inside.any(1))[0]
        if not rows.size:
            return None
        cols = np.nonzero(inside.any(0))[0]
        h, w = self.x.shape
        return (
            slice(max(0, int(rows[0]) * step - step), min(h, int(rows[-1]) * step + step + 1)),
            slice(max(0, int(cols[0]) * step - step), min(w, int(cols[-1]) * step + step + 1)),
        )


def grid_rays(
    origin: tuple[float, float, float],
    plane_z_mm: float,
    centre: tuple[float, float],
    axes: tuple[tuple[float, float], tuple[float, float]],
    shape: tuple[int, int],
) -> Rays:
    """Rays through a regular grid of the ball plane.

    `axes`: the steps (x, y) in mm of one pixel to the right and one pixel down; the grid's middle
    ((W - 1) / 2, (H - 1) / 2) lies at `centre`.
    """
    h, w = shape
    u = (np.arange(w, dtype=np.float32) - np.float32((w - 1) / 2))[None]
    v = (np.arange(h, dtype=np.float32) - np.float32((h - 1) / 2))[:, None]
    (ux, uy), (vx, vy) = axes
    x = np.float32(centre[0]) + u * np.float32(ux) + v * np.float32(vx)
    y = np.float32(centre[1]) + u * np.float32(uy) + v * np.float32(vy)
    pitch = np.full(shape, abs(ux * vy - uy * vx) ** 0.5, np.float32)
    return Rays(origin, x, y, plane_z_mm, pitch)
