"""View rays of measured points intersected with the planes of their marks, and the derivatives of the places.

The derivatives are analytic. With finite differences they took nine tenths of a calibration's time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import LEAST_SLOPE, RADIAL_LIMIT, Camera, distorted, undistorted
from calibration.solve.unknowns import (
    CENTRE,
    CX,
    CY,
    K1,
    K2,
    LARGEST_LOG_FOCAL,
    LENS,
    LIFT,
    LOG_FOCAL,
    MOVERS,
    NOSE,
    ROTATION,
    SHIFT,
    increment_rotation,
    lens_coefficients,
)

FloatArray = npt.NDArray[np.float64]

MISSED_MM, FAR_MM = 1e5, 1e6
"""Distance at which a ray is cut that misses its plane, and the limit of all places."""

_LEAST_SIZE = 1e-12  # normalised radius below which the optical axis would divide by zero
_SMALL_ANGLE_RAD = 1e-6  # rotation below which the series of the Jacobian is exact in doubles


@dataclass(frozen=True)
class Cast:
    """Where N rays meet their planes: `at` (N, 2) mm, and what `Caster.moves` needs of the way there.

    `good` (N,): the ray meets its plane. `xy` (N, 2): normalised pixels, `size` (N,) their radius, `inner`
    (N,) the radius without distortion, `angle` (N,) from the optical axis, `share` (N,) sin(angle) / size.
    `ray` (N, 3): direction in the camera's frame; `ahead` (N, 3): in the table's frame; `reach` (N,): its
    length (mm).
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
    """Points `px` (N, 2) under a base camera that increments change (see `calibration.solve.unknowns`).

    `on_nose` (N,): the point lies at the height of the cushion noses, else on the cloth; `lifted` (N,): by so
    much above the noses as sights in the rails are; `centred` (N,): at the height of ball centres.
    """

    base: Camera
    px: FloatArray
    on_nose: npt.NDArray[np.bool_]
    lifted: npt.NDArray[np.bool_]
    centred: npt.NDArray[np.bool_]

    def cast(self, v: FloatArray) -> Cast:
        """The places at the values `v` (len(NAMES),)."""
        base = self.base
        log_focal = min(max(float(v[LOG_FOCAL]), -LARGEST_LOG_FOCAL), LARGEST_LOG_FOCAL)
        focal = base.focal_px * math.exp(log_focal)
        k1, k2 = lens_coefficients(base)
        lens = (k1 + float(v[K1]), k2 + float(v[K2]))
        xy = (self.px - (base.cx_px + v[CX], base.cy_px + v[CY])) / focal
        size = np.maximum(np.hypot(xy[:, 0], xy[:, 1]), _LEAST_SIZE)
        radial = base.model == "radial"
        inner = undistorted(size, lens, RADIAL_LIMIT if radial else math.pi)
        angle = np.arctan(inner) if radial else inner
        share = np.sin(angle) / size
        ray = np.empty((len(size), 3))
        ray[:, :2], ray[:, 2] = xy * share[:, None], np.cos(angle)
        turn = increment_rotation(v)
        old = base.matrix_camera_from_table
        turned = turn @ old
        centre = -old.T @ np.asarray(base.translation_mm) - turned.T @ v[SHIFT]
        ahead = ray @ turned
        with np.errstate(divide="ignore", invalid="ignore"):
            z = v[NOSE] * self.on_nose + v[LIFT] * self.lifted + v[CENTRE] * self.centred
            reach = (z - centre[2]) / ahead[:, 2]
        good = np.isfinite(reach) & (reach > 0)
        reach[~good] = MISSED_MM
        at = centre[:2] + reach[:, None] * ahead[:, :2]
        near = (np.abs(at) < FAR_MM).all(axis=1)
        if not near.all():
            at = np.nan_to_num(np.clip(at, -FAR_MM, FAR_MM), nan=MISSED_MM)
        return Cast(at, good & near, focal, lens, turn, xy, size, inner, angle, share, ray, ahead, reach)

    def moves(self, seen: Cast, v: FloatArray, normal: FloatArray) -> FloatArray:
        """Derivatives (MOVERS, N): mm along `normal` (N, 2) a unit of each mover.

        Places whose ray misses its plane do not move.
        """
        old = self.base.matrix_camera_from_table
        turned = seen.turn @ old
        axes = _right_jacobian(v[ROTATION])
        with np.errstate(divide="ignore", invalid="ignore"):
            rise = -(normal[:, 0] * seen.ahead[:, 0] + normal[:, 1] * seen.ahead[:, 1]) / seen.ahead[:, 2]
        along = np.empty((len(rise), 3))  # effect of a shift of the camera's centre
        along[:, :2], along[:, 2] = normal, rise
        weight = seen.reach[:, None] * along
        out = np.zeros((MOVERS, len(rise)))
        out[LENS] = self._lens_moves(seen, weight @ turned.T)
        w, b = (weight @ old.T).T, (seen.ray @ seen.turn).T
        twist = np.empty((3, len(rise)))
        twist[0] = w[1] * b[2] - w[2] * b[1]
        twist[1] = w[2] * b[0] - w[0] * b[2]
        twist[2] = w[0] * b[1] - w[1] * b[0]
        shift = seen.turn.T @ v[SHIFT]
        (x, y, z), (dx, dy, dz) = axes, shift  # `np.cross` takes ten times as long for one vector
        lever = np.column_stack((y * dz - z * dy, z * dx - x * dz, x * dy - y * dx)) @ old
        out[ROTATION] = axes.T @ twist + lever @ along.T
        out[SHIFT] = -turned @ along.T
        out[NOSE], out[LIFT] = -rise * self.on_nose, -rise * self.lifted
        out[CENTRE] = -rise * self.centred
        lost = ~seen.good | ~np.isfinite(out).all(axis=0)
        if lost.any():
            out[:, lost] = 0.0
        return out

    def _lens_moves(self, seen: Cast, weight: FloatArray) -> FloatArray:
        """Derivatives (5, N) by the lens; `weight` (N, 3): mm a unit of the camera frame's ray."""
        x, y, size, inner = seen.xy[:, 0], seen.xy[:, 1], seen.size, seen.inner
        steep = np.maximum(distorted(inner, seen.lens)[1], LEAST_SLOPE)
        if self.base.model == "radial":
            steep = steep * (1 + inner * inner)
        edge = seen.focal_px * size
        d_size = np.zeros((CY + 1, len(size)))
        d_size[LOG_FOCAL], d_size[CX], d_size[CY] = -size, -x / edge, -y / edge
        cubed = inner**3
        d_angle = d_size.copy()
        d_angle[K1], d_angle[K2] = -cubed, -cubed * inner * inner
        d_angle /= steep
        d_share = (seen.ray[:, 2] * d_angle - seen.share * d_size) / size
        radial = weight[:, 0] * x + weight[:, 1] * y
        out = radial * d_share - (weight[:, 2] * np.sin(seen.angle)) * d_angle
        out[LOG_FOCAL] -= radial * seen.share
        out[CX] -= weight[:, 0] * seen.share / seen.focal_px
        out[CY] -= weight[:, 1] * seen.share / seen.focal_px
        return np.asarray(out, dtype=np.float64)


def _right_jacobian(w: FloatArray) -> FloatArray:
    """The right Jacobian (3, 3) of SO(3): a small change d of the axis-angle vector `w` turns by `J @ d`.

    The turn is in the frame before the rotation. See Sola et al., A micro Lie theory, 2018, eq. 143.
    """
    angle = float(np.linalg.norm(w))
    x, y, z = w
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    if angle < _SMALL_ANGLE_RAD:
        return np.asarray(np.eye(3) - 0.5 * cross, dtype=np.float64)
    a, b = (1 - math.cos(angle)) / angle**2, (angle - math.sin(angle)) / angle**3
    return np.asarray(np.eye(3) - a * cross + b * (cross @ cross), dtype=np.float64)
