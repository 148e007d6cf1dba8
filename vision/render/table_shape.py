"""Signed distances (mm) to the parts of a table seen from above; negative inside. Arrays (H, W)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibration.table.specs import Pocket, TableSpec

F32 = NDArray[np.float32]


def rectangle(x: F32, y: F32, table: TableSpec, grow_mm: float = 0.0, radius_mm: float = 0.0) -> F32:
    """Distance to the playing area's rectangle, grown outwards, with rounded corners."""
    half_l = table.length_mm / 2
    qx = np.abs(x) - (table.half_width_mm + grow_mm - radius_mm)
    qy = np.abs(y - half_l) - (half_l + grow_mm - radius_mm)
    outside = np.hypot(np.maximum(qx, 0), np.maximum(qy, 0))
    return np.asarray(outside + np.minimum(np.maximum(qx, qy), 0) - radius_mm, np.float32)


def segment(x: F32, y: F32, ax: float, ay: float, bx: float, by: float) -> F32:
    """Distance to a line segment."""
    dx, dy = bx - ax, by - ay
    t = np.clip(((x - ax) * dx + (y - ay) * dy) / max(dx * dx + dy * dy, 1e-9), 0, 1)
    return np.asarray(np.hypot(x - ax - t * dx, y - ay - t * dy), np.float32)


def _smooth_union(a: F32, b: F32, radius: float) -> F32:
    """Union whose inner corner is rounded with about `radius`."""
    if radius <= 0.5:
        return np.minimum(a, b)
    ua, ub = np.maximum(radius - a, 0), np.maximum(radius - b, 0)
    return np.asarray(np.maximum(radius, np.minimum(a, b)) - np.hypot(ua, ub), np.float32)


def channel(x: F32, y: F32, pocket: Pocket, table: TableSpec) -> F32:
    """Distance to the throat of a pocket at nose height: a straight channel that ends over its drop."""
    corner = pocket.name[0] != "C"
    width = table.corner_mouth_mm if corner else table.centre_mouth_mm
    sx = math.copysign(1.0, pocket.x_mm)
    if corner:
        sy = 1.0 if pocket.y_mm > table.length_mm / 2 else -1.0
        cx, cy = sx * table.half_width_mm, table.length_mm if sy > 0 else 0.0
        throat = segment(x, y, cx - sx * 10, cy - sy * 10, pocket.x_mm, pocket.y_mm) - width / 2
    else:
        cx, cy = sx * table.half_width_mm, table.length_mm / 2
        throat = segment(x, y, cx - sx * width / 2, cy, pocket.x_mm, cy) - width / 2
    drop = np.hypot(x - pocket.x_mm, y - pocket.y_mm) - pocket.drop_radius_mm
    return np.asarray(np.minimum(throat, drop), np.float32)


def nose_outline(x: F32, y: F32, table: TableSpec) -> F32:
    """Distance to the free area between the cushion noses, pockets' jaws included; negative over cloth.

    The jaws' roundness is such that the straight noses end where `Pocket.jaws` says.
    """
    d = rectangle(x, y, table)
    reach = 3.5 * table.centre_mouth_mm
    for pocket in table.pockets:
        near = (np.abs(x - pocket.x_mm) < reach) & (np.abs(y - pocket.y_mm) < reach)
        if not near.any():
            continue
        corner = pocket.name[0] != "C"
        jaw = table.corner_jaw_radius_mm if corner else table.centre_jaw_radius_mm
        # fillets between the channel (135 or 90 degrees) and the nose, so that they begin at the jaws
        radius = jaw * (1 - 1 / math.sqrt(2)) if corner else jaw * (math.sqrt(2) - 1)
        rows = np.nonzero(near.any(1))[0]
        cols = np.nonzero(near.any(0))[0]
        box = np.s_[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
        throat = channel(x[box], y[box], pocket, table)
        joined = _smooth_union(d[box], throat, radius)
        d[box] = np.where(near[box], joined, d[box])
    return d


def marks(x: F32, y: F32, table: TableSpec) -> F32:
    """Distance to the baulk line and the D (large where the table has none)."""
    if table.baulk_line_mm is None or table.d_radius_mm is None:
        return np.full(x.shape, 1e4, np.float32)
    b, r = table.baulk_line_mm, table.d_radius_mm
    line = np.abs(y - b) + np.maximum(np.abs(x) - table.half_width_mm, 0)
    arc = np.where(y <= b, np.abs(np.hypot(x, y - b) - r), np.hypot(np.abs(x) - r, y - b))
    return np.asarray(np.minimum(line, arc), np.float32)


def holes(x: F32, y: F32, table: TableSpec) -> F32:
    """Distance to the pockets' drops in the slate; negative over the hole."""
    d = np.full(x.shape, 1e4, np.float32)
    for p in table.pockets:
        np.minimum(d, np.hypot(x - p.x_mm, y - p.y_mm) - p.drop_radius_mm, out=d)
    return d
