"""View rays of measured points cut with their marks' planes, and how that moves with each unknown.

The derivatives are exact: with finite differences nine tenths of a calibration's time went into them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import RADIAL_LIMIT, Camera, distorted, rotation_matrix, undistorted

FloatArray = npt.NDArray[np.float64]

MOVERS = 12
"""The first unknowns of `calibration.model.NAMES` (lens, pose, nose height) move the places; the others move marks."""


@dataclass(frozen=True)
class Cast:
    """Where rays meet their planes, (N, 2) mm, and what one unit of each mover changes, (MOVERS, N, 2) mm."""

    at: FloatArray
    moves: FloatArray


@dataclass(frozen=True)
class _Rays:
    """Undistorted points: `xy` (N, 2) normalised px, `size` their radius, `inner` that of the undistorted lens,
    `angle` from the axis, `share` sin(angle) / size, `ray` (N, 3) unit vectors of the camera's frame."""

    focal_px: float
    lens: tuple[float, float]
    xy: FloatArray
    size: FloatArray
    inner: FloatArray
    angle: FloatArray
    share: FloatArray
    ray: FloatArray


@dataclass(frozen=True)
class Caster:
    """Points (N, 2) px under a base camera that is changed by increments (see `calibration.model.camera_of`)."""

    base: Camera
    px: FloatArray
    on_nose: npt.NDArray[np.bool_]

    def cast(self, v: FloatArray, moves: bool = True) -> Cast:
        """At increments and nose height `v` in the order of `NAMES`; without `moves` that field is empty."""
        rays = self._rays(v)
        turn = rotation_matrix((float(v[5]), float(v[6]), float(v[7])))
        old = self.base.matrix_camera_from_table
        turned = turn @ old
        centre = -old.T @ np.asarray(self.base.translation_mm) - turned.T @ v[8:11]
        ahead = rays.ray @ turned
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (np.where(self.on_nose, v[11], 0.0) - centre[2]) / ahead[:, 2]
        good = np.isfinite(reach) & (reach > 0)
        reach = np.where(good, reach, 1e5)
        raw = centre[:2] + reach[:, None] * ahead[:, :2]
        at = np.nan_to_num(np.clip(raw, -1e6, 1e6), nan=1e5)
        if not moves:
            return Cast(at, np.empty((0, len(at), 2)))
        d_ray, d_centre = self._frame_moves(rays, v, turn, old)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = ahead[:, :2] / ahead[:, 2:]
            out = reach[:, None] * (d_ray[..., :2] - slope * d_ray[..., 2:])
            out += d_centre[:, None, :2] - slope * d_centre[:, None, 2:]
        out[11] += slope * self.on_nose[:, None]
        # a ray that misses its plane is left where it is
        out[:, ~good | ~np.isfinite(out).all(axis=(0, 2)) | (np.abs(raw) > 1e6).any(axis=1)] = 0.0
        return Cast(at, out)

    def _rays(self, v: FloatArray) -> _Rays:
        base = self.base
        focal = base.focal_px * math.exp(float(np.clip(v[0], -3.0, 3.0)))
        k = (*base.distortion, 0.0, 0.0)
        lens = (k[0] + float(v[1]), k[1] + float(v[2]))
        xy = (self.px - (base.cx_px + v[3], base.cy_px + v[4])) / focal
        size = np.hypot(xy[:, 0], xy[:, 1])
        radial = base.model == "radial"
        inner = undistorted(size, lens, RADIAL_LIMIT if radial else math.pi)
        angle = np.arctan(inner) if radial else inner
        share = np.where(size > 1e-12, np.sin(angle) / np.maximum(size, 1e-12), 1.0)
        ray = np.column_stack((xy * share[:, None], np.cos(angle)))
        return _Rays(focal, lens, xy, size, inner, angle, share, ray)

    def _frame_moves(
        self, rays: _Rays, v: FloatArray, turn: FloatArray, old: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """(MOVERS, N, 3) of the rays and (MOVERS, 3) of the camera's centre, both in the table's frame."""
        turned = turn @ old
        axes = _right_jacobian(v[5:8]).T
        d_ray = np.zeros((MOVERS, len(rays.ray), 3))
        d_ray[:5] = self._lens_moves(rays) @ turned
        d_ray[5:8] = np.cross((rays.ray @ turn)[None], axes[:, None, :]) @ old
        d_centre = np.zeros((MOVERS, 3))
        d_centre[5:8] = -np.cross(turn.T @ v[8:11], axes) @ old
        d_centre[8:11] = -turned
        return d_ray, d_centre

    def _lens_moves(self, rays: _Rays) -> FloatArray:
        """(5, N, 3): how rays in the camera's frame turn with log focal, k1, k2, cx, cy."""
        xy, size, inner = rays.xy, rays.size, rays.inner
        floor = np.maximum(size, 1e-9)
        steep = np.maximum(distorted(inner, rays.lens)[1], 1e-3)
        zero = np.zeros_like(size)
        edge = rays.focal_px * floor
        d_size = np.stack((-size, zero, zero, -xy[:, 0] / edge, -xy[:, 1] / edge))
        d_angle = (d_size - np.stack((zero, inner**3, inner**5, zero, zero))) / steep
        if self.base.model == "radial":
            d_angle = d_angle / (1 + inner**2)
        d_share = (np.cos(rays.angle) * d_angle - rays.share * d_size) / floor
        out = np.empty((5, len(size), 3))
        out[..., :2] = xy * d_share[..., None]
        out[0, :, :2] -= xy * rays.share[:, None]
        out[3, :, 0] -= rays.share / rays.focal_px
        out[4, :, 1] -= rays.share / rays.focal_px
        out[..., 2] = -np.sin(rays.angle) * d_angle
        return out


def _right_jacobian(w: FloatArray) -> FloatArray:
    """(3, 3): a small change d of an axis-angle vector turns by `right @ d` in the frame before the rotation."""
    angle = float(np.linalg.norm(w))
    x, y, z = w
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    if angle < 1e-6:
        return np.asarray(np.eye(3) - 0.5 * cross, dtype=np.float64)
    a, b = (1 - math.cos(angle)) / angle**2, (angle - math.sin(angle)) / angle**3
    return np.asarray(np.eye(3) - a * cross + b * (cross @ cross), dtype=np.float64)
