"""Focus: the width of the sharpest edges in each part of the table, in pixels."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.texts import sentence
from vision.advice.aim import TableView
from vision.advice.terms import Advice, light_above
from vision.io.picture import Picture

F64 = npt.NDArray[np.float64]

FOCUS_SHARE = (0.09, 0.16)
"""Spread of an edge (one sigma of a Gaussian) in ball diameters: amber, red above. See docs/lab."""

FOCUS_FLOOR_PX = 1.3
"""Spread of an edge below which focus is never amber: a lens in focus, demosaicing and H.264 cause as much.
"""

_TILE_PX = 24  # one edge at most is measured in each tile
_STEP_PX = 0.5
_LEAST_STEP = 28.0  # grey levels: fainter edges are shadows and noise
_SHARPEST = 0.25  # quantile of the edges' spreads: shadows are softer than the lens
_LEAST_EDGES = 12
_ZONES = (2, 3)  # rows and columns of the picture in which focus is judged by itself
_ZONE_WORDS = (("top left", "top", "top right"), ("bottom left", "bottom", "bottom right"))


@dataclass(frozen=True, slots=True)
class Focus:
    """Edge spread (one sigma, px): of the middle zone of the picture by rank, and of the softest zone."""

    spread_px: float
    worst_px: float
    worst_zone: str


def focus(picture: Picture, view: TableView | None) -> Advice:
    """Edge spread, judged by the size of a ball in pixels."""
    if view is None:
        return Advice("focus", "amber", None, "px", sentence("advice.focus_is_judged_when_the_table"))
    found = measure_focus(picture, view)
    if found is None:
        return Advice(
            "focus",
            "red",
            None,
            "px",
            sentence("advice.no_clear_edge_is_seen_anywhere"),
        )
    amber, red = (
        max(FOCUS_FLOOR_PX * k, share * view.ball_px)
        for k, share in zip((1.0, 1.8), FOCUS_SHARE, strict=True)
    )
    light = light_above(found.worst_px, amber, red)
    value = round(found.worst_px, 2)
    if light == "green":
        return Advice(
            "focus",
            light,
            value,
            "px",
            sentence("advice.edges_are_sharp_they_spread", worst_px=f"{found.worst_px:.1f}"),
        )
    if found.worst_px > 1.5 * found.spread_px and found.spread_px <= amber:
        text = sentence(
            "advice.picture_is_soft_at_its_only_px",
            worst_zone=found.worst_zone,
            worst_px=f"{found.worst_px:.1f}",
        )
    else:
        text = sentence(
            "advice.edges_spread_over_px_are", worst_px=f"{found.worst_px:.1f}", amber=f"{amber:.1f}"
        )
    return Advice("focus", light, value, "px", text)


def measure_focus(picture: Picture, view: TableView) -> Focus | None:
    """Spread of the sharpest quarter of edges in each part of the table; None without enough edges."""
    points, direction = _strong_edges(picture, view)
    if len(points) < _LEAST_EDGES:
        return None
    spread = edge_spreads(picture, points, direction, reach_px=max(8.0, 0.6 * view.ball_px))
    good = np.isfinite(spread)
    points, spread = points[good], spread[good]
    if len(spread) < _LEAST_EDGES:
        return None
    box = np.array(view.outline_px)
    low, size = box.min(axis=0), np.maximum(np.ptp(box, axis=0), 1.0)
    column = np.clip((points[:, 0] - low[0]) / size[0] * _ZONES[1], 0, _ZONES[1] - 1).astype(int)
    row = np.clip((points[:, 1] - low[1]) / size[1] * _ZONES[0], 0, _ZONES[0] - 1).astype(int)
    zones = []
    for i in range(_ZONES[0]):
        for j in range(_ZONES[1]):
            own = spread[(row == i) & (column == j)]
            if len(own) >= _LEAST_EDGES:
                zones.append((float(np.quantile(own, _SHARPEST)), _ZONE_WORDS[i][j]))
    if not zones:
        whole = float(np.quantile(spread, _SHARPEST))
        return Focus(whole, whole, "middle")
    zones.sort()
    return Focus(zones[len(zones) // 2][0], *zones[-1])


def _strong_edges(picture: Picture, view: TableView) -> tuple[F64, F64]:
    """The strongest edge of each tile on the table: places (N, 2) px and unit directions across it (N, 2)."""
    luma = cv2.GaussianBlur(picture.y, (3, 3), 0)
    gx, gy = cv2.Sobel(luma, cv2.CV_16S, 1, 0), cv2.Sobel(luma, cv2.CV_16S, 0, 1)
    size = cv2.add(cv2.convertScaleAbs(gx, alpha=0.25), cv2.convertScaleAbs(gy, alpha=0.25))
    t = _TILE_PX
    rows, columns = size.shape[0] // t, size.shape[1] // t
    tiles = (
        size[: rows * t, : columns * t]
        .reshape(rows, t, columns, t)
        .transpose(0, 2, 1, 3)
        .reshape(rows, columns, t * t)
    )
    at = tiles.argmax(axis=2)
    peak = np.take_along_axis(tiles, at[..., None], 2)[..., 0]
    wanted = view.mask(columns, rows)
    wanted = cv2.dilate(wanted.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0  # cushions lie just outside
    level = max(4.0, float(np.quantile(peak[wanted], 0.4))) if wanted.any() else 1e9
    i, j = np.nonzero(wanted & (peak >= level))
    inner = at[i, j]
    y, x = i * t + inner // t, j * t + inner % t
    inside = (x > 16) & (y > 16) & (x < size.shape[1] - 17) & (y < size.shape[0] - 17)
    x, y = x[inside], y[inside]
    across = np.stack((gx[y, x], gy[y, x]), axis=1).astype(np.float64)
    length = np.linalg.norm(across, axis=1, keepdims=True)
    return np.stack((x, y), axis=1).astype(np.float64), across / np.maximum(length, 1e-9)


def edge_spreads(picture: Picture, points: F64, direction: F64, reach_px: float) -> F64:
    """One sigma (px) of each edge: its height over its steepest slope, as for a blurred step; nan if none.

    The profile is the mean of three parallel ones; the steepest slope is a difference over one pixel.
    """
    offsets = np.arange(-reach_px, reach_px + 1e-6, _STEP_PX)
    beside = np.stack((-direction[:, 1], direction[:, 0]), axis=1)
    lines = points[:, None, None] + direction[:, None, None] * offsets[None, None, :, None]
    lines = lines + beside[:, None, None] * np.array([-1.0, 0.0, 1.0])[None, :, None, None]
    flat = lines.reshape(len(points) * 3, len(offsets), 2).astype(np.float32)
    height, width = picture.y.shape
    part = picture.y.astype(np.float32) if picture.y.size < 4e6 else picture.y
    value = cv2.remap(
        part, np.clip(flat[..., 0], 0, width - 1), np.clip(flat[..., 1], 0, height - 1), cv2.INTER_LINEAR
    )
    profile = np.asarray(value, np.float64).reshape(len(points), 3, len(offsets)).mean(axis=1)
    slope = profile[:, 2:] - profile[:, :-2]  # over one pixel; positive across the edge
    n = slope.shape[1]
    near = np.abs(np.arange(n) - n // 2) <= 4
    top = np.where(near, slope, -1e9).argmax(axis=1)
    steepest = slope[np.arange(len(slope)), top]
    # the edge ends on each side where its slope has fallen to a tenth
    flat_enough = slope < 0.1 * steepest[:, None]
    index = np.arange(n)
    left = np.where(flat_enough & (index[None] < top[:, None]), index[None], -1).max(axis=1)
    right = np.where(flat_enough & (index[None] > top[:, None]), index[None], n).min(axis=1)
    height_grey = (
        profile[np.arange(len(slope)), np.minimum(right + 1, n + 1)]
        - profile[np.arange(len(slope)), left + 1]
    )
    good = (left >= 0) & (right < n) & (steepest > 2.0) & (height_grey > _LEAST_STEP)
    sigma = height_grey / np.maximum(steepest, 1e-6) / np.sqrt(2 * np.pi)
    # the pixel over which the slope was taken and linear interpolation have spread it themselves
    own = np.sqrt(np.maximum(sigma**2 - 1 / 12 - 1 / 12, 0.01))
    return np.asarray(np.where(good, own, np.nan), np.float64)
