"""The camera above the table: how millimetres become pixels and back. Needs numpy only.

Table frame: see `calibration.table.specs`. Camera frame: x right and y down in the picture, z forward.
Integer pixel coordinates lie at pixel centres. Lens models, with OpenCV's polynomials:

- `radial` scales the normalised image radius r by 1 + k1 r^2 + k2 r^4 ... (the radial part of Brown,
Decentering
  Distortion of Lenses, 1966);
- `fisheye` scales the angle theta from the optical axis in the same way (Kannala & Brandt, A Generic Camera
  Model, 2006). Its image radius without distortion is theta, so it reaches beyond 90 degrees of half field.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
CameraModel = Literal["radial", "fisheye"]

RADIAL_LIMIT = 8.0
"""Normalised radius (tangent of the angle from the axis) beyond which a radial lens sees nothing."""

LEAST_SLOPE = 1e-3
"""Slope of the distorted radius below which the lens model has stopped rising and cannot be inverted."""

_TURNING_STEPS = 513  # grid on which the point is sought where the distorted radius stops rising
_NEWTON_STEPS = 12  # quadratic convergence: six suffice for any lens that calibration accepts
_NEWTON_ENOUGH = 1e-11  # normalised radius; far below a thousandth of a pixel
_MOST_TURN_RAD = 4 * math.pi  # an axis-angle vector needs half a turn; solvers may leave whole turns in it
_SMALL_ANGLE_RAD = 1e-9  # rotation below which its first-order series is exact in doubles
_AT_AXIS = 1e-9  # mm from the optical axis, and mm in front of the lens, below which the limit is taken


@lru_cache(maxsize=256)
def rotation_matrix(rvec: tuple[float, float, float]) -> FloatArray:
    """The (3, 3) rotation of an axis-angle vector in radians (Rodrigues' formula); the array is read-only."""
    x, y, z = rvec
    angle = math.sqrt(x * x + y * y + z * z)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrix = np.eye(3) + cross
    if angle >= _SMALL_ANGLE_RAD:
        a, b = math.sin(angle) / angle, (1 - math.cos(angle)) / angle**2
        matrix = np.eye(3) + a * cross + b * (cross @ cross)
    matrix.flags.writeable = False
    return np.asarray(matrix, dtype=np.float64)


def rotation_vector(matrix: FloatArray) -> tuple[float, float, float]:
    """The axis-angle vector (rad) of a (3, 3) rotation; inverse of `rotation_matrix`.

    By way of the quaternion, from its largest component so that it stays exact near half a turn (Shepperd,
    Quaternion from rotation matrix, 1978).
    """
    m = matrix
    q = np.array(
        [
            1 + m[0, 0] + m[1, 1] + m[2, 2],
            1 + m[0, 0] - m[1, 1] - m[2, 2],
            1 - m[0, 0] + m[1, 1] - m[2, 2],
            1 - m[0, 0] - m[1, 1] + m[2, 2],
        ]
    )
    k = int(np.argmax(q))
    s = math.sqrt(max(q[k], 1e-300)) * 2
    d0, d1, d2 = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    a01, a02, a12 = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    table = [
        (s / 4, d0 / s, d1 / s, d2 / s),
        (d0 / s, s / 4, a01 / s, a02 / s),
        (d1 / s, a01 / s, s / 4, a12 / s),
        (d2 / s, a02 / s, a12 / s, s / 4),
    ]
    w, x, y, z = (float(v) for v in table[k])
    if w < 0:
        w, x, y, z = -w, -x, -y, -z
    norm = math.sqrt(x * x + y * y + z * z)
    if norm < 1e-12:
        return (2 * x, 2 * y, 2 * z)
    scale = 2 * math.atan2(norm, w) / norm
    return (x * scale, y * scale, z * scale)


def distorted(radius: FloatArray, coefficients: tuple[float, ...]) -> tuple[FloatArray, FloatArray]:
    """`r (1 + k1 r^2 + k2 r^4 ...)` of radii of any shape, and its derivative by r."""
    if not coefficients:
        return radius.copy(), np.ones_like(radius)
    r2 = radius * radius
    value: FloatArray | float = coefficients[-1]
    slope: FloatArray | float = (2 * len(coefficients) + 1) * coefficients[-1]
    for n in range(len(coefficients) - 1, 0, -1):
        value = value * r2 + coefficients[n - 1]
        slope = slope * r2 + (2 * n + 1) * coefficients[n - 1]
    return radius * (1 + value * r2), 1 + slope * r2


def _polynomial(radius: FloatArray, coefficients: tuple[float, ...]) -> FloatArray:
    """The value of `distorted` without its derivative."""
    r2 = radius * radius
    value: FloatArray | float = 0.0
    for k in reversed(coefficients):
        value = value * r2 + k
    return np.asarray(radius * (1 + value * r2), dtype=np.float64)


def undistorted(target: FloatArray, coefficients: tuple[float, ...], limit: float) -> FloatArray:
    """Inverse of `distorted` by Newton's method, on its first rising branch, where radius <= `limit`.

    `target` (N,): distorted radii. nan where the model reaches no such value.
    """
    if not any(coefficients):
        return np.where(target <= limit, target, np.nan)
    top = np.array([_turning_point(coefficients, limit)])
    reach = float(distorted(top, coefficients)[0][0])
    r = np.minimum(target, top[0])
    for _ in range(_NEWTON_STEPS):
        value, slope = distorted(r, coefficients)
        step = (value - target) / np.maximum(slope, LEAST_SLOPE)
        r = np.minimum(np.maximum(r - step, 0.0), top[0])
        if not step.size or float(np.abs(step).max()) < _NEWTON_ENOUGH:
            break
    return np.where(target <= reach, r, np.nan)


@lru_cache(maxsize=64)
def _turning_point(coefficients: tuple[float, ...], limit: float) -> float:
    """The radius up to which the distorted radius rises, at most `limit`."""
    grid = np.linspace(0.0, limit, _TURNING_STEPS)
    falling = np.flatnonzero(distorted(grid, coefficients)[1] <= LEAST_SLOPE)
    return float(grid[falling[0] - 1]) if falling.size and falling[0] else limit


@dataclass(frozen=True, slots=True)
class Camera:
    """A solved camera: lens and pose.

    `rotation` is the axis-angle vector (rad) and `translation_mm` the offset of camera-from-table: `p_camera
    = R p_table + t`. `distortion` are k1, k2, ... of `model`. Raises ValueError for an unknown model and for
    numbers that are not finite or not positive where they must be.
    """

    width_px: int
    height_px: int
    model: CameraModel
    focal_px: float
    cx_px: float
    cy_px: float
    distortion: tuple[float, ...]
    rotation: tuple[float, float, float]
    translation_mm: tuple[float, float, float]

    def __post_init__(self) -> None:
        if self.model not in ("radial", "fisheye"):
            raise ValueError(f"model must be 'radial' or 'fisheye', got {self.model!r}")
        if self.width_px < 1 or self.height_px < 1:
            raise ValueError(f"picture size must be positive, got {self.width_px!r} x {self.height_px!r}")
        numbers = (
            self.focal_px,
            self.cx_px,
            self.cy_px,
            *self.distortion,
            *self.rotation,
            *self.translation_mm,
        )
        if not all(math.isfinite(v) for v in numbers) or self.focal_px <= 0:
            raise ValueError(f"camera numbers must be finite and focal_px positive, got {numbers!r}")
        if not math.hypot(*self.rotation) <= _MOST_TURN_RAD:
            raise ValueError(f"rotation must be an axis-angle vector in rad, got {self.rotation!r}")

    @property
    def matrix_camera_from_table(self) -> FloatArray:
        """(3, 3) rotation from the table frame to the camera frame."""
        return rotation_matrix(self.rotation)

    @property
    def centre_mm(self) -> tuple[float, float, float]:
        """The position of the camera's centre in the table frame, millimetres."""
        x, y, z = (-self.matrix_camera_from_table.T @ np.asarray(self.translation_mm)).tolist()
        return (x, y, z)

    def pixels_from_table(self, points_mm: npt.ArrayLike) -> FloatArray:
        """Project points (N, 3) mm in the table frame to (N, 2) px; nan where the lens cannot see."""
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 3)
        cam = points @ self.matrix_camera_from_table.T + np.asarray(self.translation_mm)
        x, y, z = cam[:, 0], cam[:, 1], cam[:, 2]
        across = np.hypot(x, y)
        if self.model == "radial":
            ahead = z > across / RADIAL_LIMIT
            radius = across / z if ahead.all() else np.where(ahead, across / np.where(ahead, z, 1.0), np.nan)
            limit = RADIAL_LIMIT
        else:
            radius = np.arctan2(across, z)
            limit = math.pi
        image = _polynomial(radius, self.distortion)
        seen = radius <= _turning_point(self.distortion, limit)
        if not seen.all():
            image = np.where(seen, image, np.nan)
        far = np.maximum(across, _AT_AXIS)
        scale = image / far
        if (across <= _AT_AXIS).any():  # at the axis image / across tends to the derivative of the model
            scale = np.where(across > _AT_AXIS, scale, 1.0 / np.maximum(np.abs(z), _AT_AXIS))
        px = np.empty((len(points), 2))
        px[:, 0] = self.cx_px + self.focal_px * scale * x
        px[:, 1] = self.cy_px + self.focal_px * scale * y
        return px

    def rays_from_pixels(self, points_px: npt.ArrayLike) -> FloatArray:
        """Unit view directions (N, 3) in the table frame of pixels (N, 2); nan where the model has none."""
        points = np.asarray(points_px, dtype=np.float64).reshape(-1, 2)
        u = (points[:, 0] - self.cx_px) / self.focal_px
        v = (points[:, 1] - self.cy_px) / self.focal_px
        image = np.hypot(u, v)
        limit = RADIAL_LIMIT if self.model == "radial" else math.pi
        inner = undistorted(image, self.distortion, limit)
        angle = np.arctan(inner) if self.model == "radial" else inner
        scale = np.where(image > 1e-12, np.sin(angle) / np.maximum(image, 1e-12), 1.0)
        camera = np.stack((u * scale, v * scale, np.cos(angle)), axis=1)
        return np.asarray(camera @ self.matrix_camera_from_table, dtype=np.float64)

    def table_from_pixels(self, points_px: npt.ArrayLike, z_mm: float) -> FloatArray:
        """Intersections (N, 2) mm of the view rays of pixels (N, 2) with the plane `z_mm` above the cloth.

        nan where a ray does not meet the plane.
        """
        rays = self.rays_from_pixels(points_px)
        x, y, z = self.centre_mm
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (z_mm - z) / rays[:, 2]
        reach = np.where(reach > 0, reach, np.nan)
        return np.stack((x + reach * rays[:, 0], y + reach * rays[:, 1]), axis=1)

    def shift_mm(self, other: Camera, at_mm: FloatArray, z_mm: float) -> FloatArray:
        """How far (N, 2) from places (N, 2) at a height another camera has what this one sees there."""
        px = self.pixels_from_table(np.column_stack((at_mm, np.full(len(at_mm), z_mm))))
        return other.table_from_pixels(px, z_mm) - at_mm
