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
"""The first unknowns of `calibration.solve.model.NAMES` (lens, pose, nose height) move the places; the
others move marks.
"""

_MISSED_MM, _FAR_MM = 1e5, 1e6  # where a ray that misses its plane is put, and the limit of all places


@dataclass(frozen=True)
class Cast:
    """Where rays meet their planes: `at` (N, 2) mm, and what `Caster.moves` needs of the way there.

    `xy` (N, 2) normalised px, `size` their radius, `inner` that without distortion, `angle` from the axis,
    `share` sin(angle) / size, `ray` (N, 3) in the camera's frame, `ahead` (N, 3) and `reach` (N,) in the
    table's;
    `good`: the ray meets its plane.
    """

    at: FloatArray
    good: npt.NDArray[np.bool_]
    focal_px: float
    lens: tuple[float, float]
    turn: FloatArray
    xy: FloatArray
    size: FloatArray
    inner: FloatArray
    angle: FloatArray
    share: FloatArray
    ray: FloatArray
    ahead: FloatArray
    reach: FloatArray


@dataclass(frozen=True)
class Caster:
    """Points (N, 2) px under a base camera that is changed by increments (see
    `calibration.solve.model.camera_of`).
    """

    base: Camera
    px: FloatArray
    on_nose: npt.NDArray[np.bool_]

    def cast(self, v: FloatArray) -> Cast:
        """At increments and nose height `v`, in the order of `NAMES`."""
        base = self.base
        focal = base.focal_px * math.exp(min(max(float(v[0]), -3.0), 3.0))
        k = (*base.distortion, 0.0, 0.0)
        lens = (k[0] + float(v[1]), k[1] + float(v[2]))
        xy = (self.px - (base.cx_px + v[3], base.cy_px + v[4])) / focal
        size = np.maximum(np.hypot(xy[:, 0], xy[:, 1]), 1e-12)
        radial = base.model == "radial"
        inner = undistorted(size, lens, RADIAL_LIMIT if radial else math.pi)
        angle = np.arctan(inner) if radial else inner
        share = np.sin(angle) / size
        ray = np.empty((len(size), 3))
        ray[:, :2], ray[:, 2] = xy * share[:, None], np.cos(angle)
        turn = rotation_matrix((float(v[5]), float(v[6]), float(v[7])))
        old = base.matrix_camera_from_table
        turned = turn @ old
        centre = -old.T @ np.asarray(base.translation_mm) - turned.T @ v[8:11]
        ahead = ray @ turned
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (v[11] * self.on_nose - centre[2]) / ahead[:, 2]
        good = np.isfinite(reach) & (reach > 0)
        reach[~good] = _MISSED_MM
        at = centre[:2] + reach[:, None] * ahead[:, :2]
        near = (np.abs(at) < _FAR_MM).all(axis=1)
        if not near.all():
            at = np.nan_to_num(np.clip(at, -_FAR_MM, _FAR_MM), nan=_MISSED_MM)
        return Cast(at, good & near, focal, lens, turn, xy, size, inner, angle, share, ray, ahead, reach)

    def moves(self, seen: Cast, v: FloatArray, normal: FloatArray) -> FloatArray:
        """(MOVERS, N): mm along `normal` (N, 2) that one unit of each mover shifts the places.

        Places whose ray misses its plane stay where they are.
        """
        old = self.base.matrix_camera_from_table
        turned = seen.turn @ old
        axes = _right_jacobian(v[5:8])
        with np.errstate(divide="ignore", invalid="ignore"):
            rise = -(normal[:, 0] * seen.ahead[:, 0] + normal[:, 1] * seen.ahead[:, 1]) / seen.ahead[:, 2]
        along = np.column_stack((normal, rise))  # what a shift of the camera's centre does
        weight = seen.reach[:, None] * along
        out = np.zeros((MOVERS, len(rise)))
        out[:5] = self._lens_moves(seen, weight @ turned.T)
        w, b = (weight @ old.T).T, (seen.ray @ seen.turn).T
        twist = np.stack((w[1] * b[2] - w[2] * b[1], w[2] * b[0] - w[0] * b[2], w[0] * b[1] - w[1] * b[0]))
        shift = seen.turn.T @ v[8:11]
        lever = np.array([np.cross(axis, shift) for axis in axes.T]) @ old
        out[5:8] = axes.T @ twist + lever @ along.T
        out[8:11] = -turned @ along.T
        out[11] = -rise * self.on_nose
        lost = ~seen.good | ~np.isfinite(out).all(axis=0)
        if lost.any():
            out[:, lost] = 0.0
        return out

    def _lens_moves(self, seen: Cast, weight: FloatArray) -> FloatArray:
        """(5, N) mm for log focal, k1, k2, cx, cy; `weight` (N, 3): mm for a change of the camera frame's
        ray.
        """
        x, y, size, inner = seen.xy[:, 0], seen.xy[:, 1], seen.size, seen.inner
        steep = np.maximum(distorted(inner, seen.lens)[1], 1e-3)
        if self.base.model == "radial":
            steep = steep * (1 + inner * inner)
        edge = seen.focal_px * size
        d_size = np.stack((-size, np.zeros_like(size), np.zeros_like(size), -x / edge, -y / edge))
        cubed = inner**3
        d_angle = d_size.copy()
        d_angle[1], d_angle[2] = -cubed, -cubed * inner * inner
        d_angle /= steep
        d_share = (seen.ray[:, 2] * d_angle - seen.share * d_size) / size
        radial = weight[:, 0] * x + weight[:, 1] * y
        out = radial * d_share - (weight[:, 2] * np.sin(seen.angle)) * d_angle
        out[0] -= radial * seen.share
        out[3] -= weight[:, 0] * seen.share / seen.focal_px
        out[4] -= weight[:, 1] * seen.share / seen.focal_px
        return np.asarray(out, dtype=np.float64)


def _right_jacobian(w: FloatArray) -> FloatArray:
    """(3, 3): a small change d of an axis-angle vector turns by `right @ d` in the frame before the
    rotation.
    """
    angle = float(np.linalg.norm(w))
    x, y, z = w
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    if angle < 1e-6:
        return np.asarray(np.eye(3) - 0.5 * cross, dtype=np.float64)
    a, b = (1 - math.cos(angle)) / angle**2, (angle - math.sin(angle)) / angle**3
    return np.asarray(np.eye(3) - a * cross + b * (cross @ cross), dtype=np.float64)
