"""Where this world's cameras hang: from above, tilted, from the side, from beyond an end; drawn from seeds.

A view is a pinhole that the tracer renders, and the true `Camera` that the pictures have after the lens has
bent them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera, rotation_vector
from calibration.table.specs import TableSpec

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Rng = np.random.Generator
ViewKind = Literal["overhead", "tilted", "side", "end"]
VIEW_KINDS: tuple[ViewKind, ...] = ("overhead", "tilted", "side", "end")
_TILT_DEG: dict[ViewKind, tuple[float, float]] = {
    "overhead": (0.0, 6.0),
    "tilted": (8.0, 33.0),
    "side": (35.0, 58.0),
    "end": (38.0, 58.0),
}
"""Angle between the camera's axis and the vertical."""
_OFF_AXIS = 0.03
"""Share of the width by which a lens' axis may miss the picture's middle; 1 to 3 % in cheap cameras."""
_RAIL_MM = 130.0  # of the rails beyond the noses that must be in the picture


@dataclass(frozen=True, slots=True)
class Pinhole:
    """A camera without lens errors whose axis passes through the middle of its picture.

    `axes` (3, 3): right, down and ahead as rows, unit vectors in the table's frame.
    """

    width_px: int
    height_px: int
    focal_px: float
    axes: F64
    centre_mm: tuple[float, float, float]

    @property
    def field_deg(self) -> float:
        """Horizontal field of view."""
        return 2 * math.degrees(math.atan(self.width_px / 2 / self.focal_px))

    def project(self, points_mm: F64) -> F64:
        """Pixels (N, 2) of points (N, 3) mm; integer coordinates lie at pixel centres."""
        seen = (np.asarray(points_mm, float) - np.asarray(self.centre_mm)) @ self.axes.T
        middle = np.array([self.width_px / 2 - 0.5, self.height_px / 2 - 0.5])
        return np.asarray(middle + self.focal_px * seen[:, :2] / np.maximum(seen[:, 2:], 1e-6))


@dataclass(frozen=True, slots=True)
class View:
    """A camera: `pinhole` is traced, `camera` is the truth of the pictures after `bent`."""

    kind: ViewKind
    pinhole: Pinhole
    camera: Camera
    tilt_deg: float

    def bent(self, picture: F32, sources: tuple[F32, F32]) -> F32:
        """A traced picture as the lens shows it; `sources`: of this view."""
        x, y = sources
        return np.asarray(
            cv2.remap(picture, x, y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE), np.float32
        )

    def sources(self) -> tuple[F32, F32]:
        """Where in the traced picture each pixel of the lens' picture comes from, x and y (H, W) px."""
        c = self.camera
        xs, ys = np.meshgrid(np.arange(c.width_px), np.arange(c.height_px))
        rays = c.rays_from_pixels(np.stack((xs.ravel(), ys.ravel()), 1))
        seen = rays @ self.pinhole.axes.T
        p = self.pinhole
        x = p.width_px / 2 - 0.5 + p.focal_px * seen[:, 0] / seen[:, 2]
        y = p.height_px / 2 - 0.5 + p.focal_px * seen[:, 1] / seen[:, 2]
        shape = (c.height_px, c.width_px)
        return x.reshape(shape).astype(np.float32), y.reshape(shape).astype(np.float32)


def draw_view(rng: Rng, table: TableSpec, kind: ViewKind, width_px: int, height_px: int) -> View:
    """A camera of a kind that sees the whole table. Raises RuntimeError where none is found."""
    for _ in range(400):
        view = _try(rng, table, kind, width_px, height_px)
        if view is not None:
            return view
    raise RuntimeError(f"no {kind} camera sees a table of {table.length_mm:.0f} mm")


def _try(rng: Rng, table: TableSpec, kind: ViewKind, width: int, height: int) -> View | None:
    tilt = math.radians(float(rng.uniform(*_TILT_DEG[kind])))
    middle = np.array([0.0, table.length_mm / 2, 0.0])
    size = table.length_mm / 3569.0
    far = float(rng.uniform(2300, 3300)) * size**0.5
    if kind in ("side", "end"):
        far = float(rng.uniform(1.25, 2.2)) * table.length_mm
    around = _around(rng, kind)
    away = np.array([math.sin(tilt) * math.cos(around), math.sin(tilt) * math.sin(around), math.cos(tilt)])
    centre = middle + far * away + np.array([*rng.normal(0, 30, 2), 0.0])
    aim = middle + np.array([float(rng.normal(0, 30)), float(rng.normal(0, 50)), 0.0])
    axes = _axes(rng, kind, table, centre, aim)
    k1 = (
        float(rng.uniform(-0.09, 0.02)) if kind in ("overhead", "tilted") else float(rng.uniform(-0.03, 0.01))
    )
    fill = float(rng.uniform(0.86, 0.97))
    return _framed(table, kind, axes, centre, k1, fill, (width, height), math.degrees(tilt))


def _around(rng: Rng, kind: ViewKind) -> float:
    """Direction in which the camera hangs from the table's middle, rad from +x."""
    if kind == "end":
        return float(rng.choice([-1, 1])) * math.pi / 2 + float(rng.normal(0, 0.05))
    if kind == "side":
        return float(rng.choice([0.0, math.pi])) + float(rng.normal(0, 0.2))
    return float(rng.uniform(0, 2 * math.pi))


def _axes(rng: Rng, kind: ViewKind, table: TableSpec, centre: F64, aim: F64) -> F64:
    """Right, down and ahead of a camera turned so that the table lies in the middle of its picture."""
    up = np.array([0.0, 0.0, 1.0])
    if kind in ("overhead", "tilted"):  # the table's long side lies along the picture
        up = np.array([float(rng.choice([-1.0, 1.0])), 0.0, 0.0])
    roll = math.radians(float(rng.normal(0, 1.5)))
    ahead = (aim - centre) / np.linalg.norm(aim - centre)
    for _ in range(4):
        right = np.cross(ahead, up)
        right /= np.linalg.norm(right)
        turned = math.cos(roll) * right + math.sin(roll) * np.cross(ahead, right)
        axes = np.array([turned, np.cross(ahead, turned), ahead])
        flat = _flat(table, axes, centre)
        off = (flat.max(0) + flat.min(0)) / 2
        ahead = ahead + off[0] * axes[0] + off[1] * axes[1]
        ahead /= np.linalg.norm(ahead)
    return axes


def _flat(table: TableSpec, axes: F64, centre: F64) -> F64:
    """Tangents (4, 2) of the outer corners of the rails, right and down."""
    w, length = table.half_width_mm + _RAIL_MM, table.length_mm
    corners = np.array([(x, y, 40.0) for x in (-w, w) for y in (-_RAIL_MM, length + _RAIL_MM)])
    seen = (corners - centre) @ axes.T
    return np.asarray(seen[:, :2] / np.maximum(seen[:, 2:], 1.0))


def _framed(
    table: TableSpec,
    kind: ViewKind,
    axes: F64,
    centre: F64,
    k1: float,
    fill: float,
    size: tuple[int, int],
    tilt_deg: float,
) -> View | None:
    """The view with the focal length at which the table and its rails fill the picture."""
    width, height = size
    flat = _flat(table, axes, centre)
    bent = flat * (1 + k1 * np.sum(flat**2, axis=1, keepdims=True))
    spread, middle = (bent.max(0) - bent.min(0)) / 2, (bent.max(0) + bent.min(0)) / 2
    focal = fill * min(width / 2 / spread[0], height / 2 / spread[1])
    cx, cy = width / 2 - 0.5 - focal * middle[0], height / 2 - 0.5 - focal * middle[1]
    if abs(cx - width / 2) > _OFF_AXIS * width or abs(cy - height / 2) > _OFF_AXIS * width:
        return None
    translation = -axes @ centre
    camera = Camera(
        width,
        height,
        "radial",
        float(focal),
        float(cx),
        float(cy),
        (k1,),
        rotation_vector(axes),
        (float(translation[0]), float(translation[1]), float(translation[2])),
    )
    place = (float(centre[0]), float(centre[1]), float(centre[2]))
    pinhole = _traced_view(camera, axes, place)
    return View(kind, pinhole, camera, tilt_deg)


def _traced_view(camera: Camera, axes: F64, centre: tuple[float, float, float]) -> Pinhole:
    """A pinhole of the same sharpness that sees all that the lens shows."""
    w, h = camera.width_px, camera.height_px
    edge = [(x, y) for x in np.linspace(0, w - 1, 9) for y in (0, h - 1)]
    edge += [(x, y) for y in np.linspace(0, h - 1, 9) for x in (0, w - 1)]
    seen = camera.rays_from_pixels(edge) @ axes.T
    flat = np.abs(seen[:, :2] / seen[:, 2:]).max(0) * camera.focal_px
    return Pinhole(2 * math.ceil(flat[0] + 2), 2 * math.ceil(flat[1] + 2), camera.focal_px, axes, centre)
