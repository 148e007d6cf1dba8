"""Finding the cloth: the smooth region of one colour, of any hue, in the middle of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

ByteArray = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]

WORK_WIDTH_PX = 640
"""Width to which a picture is reduced for the search; edges are measured later at full size."""

_LIGHTNESS_WEIGHT = 0.5
"""Lamps change the lightness of a cloth more than its colour."""


@dataclass(frozen=True)
class ClothRegion:
    """Where the cloth is: `mask` (h, w) bool at the reduced size, `scale` = reduced px per full px,
    `edge_px` (N, 2) points of its convex outline in full-size pixels, outline points that lie on the
    picture's border left out; `border_share`: the part of the outline that lies on the border."""

    mask: npt.NDArray[np.bool_]
    scale: float
    edge_px: FloatArray
    hull_px: FloatArray
    border_share: float


def reduced(image: ByteArray) -> tuple[ByteArray, float]:
    """The picture at the search size and the factor (reduced px per full px)."""
    height, width = image.shape[:2]
    scale = min(1.0, WORK_WIDTH_PX / max(width, height))
    if scale == 1.0:
        return image, 1.0
    size = (max(8, round(width * scale)), max(8, round(height * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8), scale


def _features(image: ByteArray) -> FloatArray:
    lab = cv2.cvtColor(cv2.GaussianBlur(image, (0, 0), 1.0).astype(np.float32) / 255.0, cv2.COLOR_BGR2LAB)
    return np.asarray(lab, dtype=np.float64) * (_LIGHTNESS_WEIGHT, 1.0, 1.0)


def _basis(height: int, width: int) -> FloatArray:
    v, u = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    return np.stack((np.ones_like(u), u, v, u * u, u * v, v * v), axis=-1)


def _seed_modes(features: FloatArray, count: int = 3) -> list[FloatArray]:
    """The most common colours of the middle of the picture, commonest first."""
    h, w = features.shape[:2]
    middle = features[h // 5 : h - h // 5, w // 5 : w - w // 5].reshape(-1, 3)
    cells: dict[tuple[int, ...], int] = {}
    keys, counts = np.unique(np.round(middle / 6.0).astype(int), axis=0, return_counts=True)
    for key, n in zip(keys.tolist(), counts.tolist(), strict=True):
        cells[tuple(key)] = n
    modes: list[FloatArray] = []
    for key, _ in sorted(cells.items(), key=lambda kv: -kv[1]):
        centre = np.asarray(key, dtype=np.float64) * 6.0
        if any(float(np.linalg.norm(centre - m)) < 14.0 for m in modes):
            continue
        modes.append(centre)
        if len(modes) == count:
            break
    return modes


def _grow(features: FloatArray, seed: FloatArray) -> npt.NDArray[np.bool_]:
    """Pixels that follow the seed colour with a smooth (quadratic) change of light; largest piece."""
    h, w = features.shape[:2]
    basis = _basis(h, w)
    distance = np.linalg.norm(features - seed, axis=2)
    mask = _largest(distance < 12.0)
    for step in range(6):
        if mask.sum() < 200:
            break
        inside = features[mask]
        terms = basis[mask]
        if step == 0:
            terms = terms[:, :3]
        coefficients = np.linalg.lstsq(terms, inside, rcond=None)[0]
        expected = basis[..., : terms.shape[1]] @ coefficients
        distance = np.linalg.norm(features - expected, axis=2)
        spread = 1.4826 * float(np.median(distance[mask]))
        mask = _largest(distance < float(np.clip(4.0 * spread, 5.0, 12.0)))
    return mask


def _largest(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    # the baulk line and the shadow under a nose are thin: they must not cut the cloth in two
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(opened)
    if count < 2:
        return np.zeros_like(mask)
    best = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    return np.asarray(labels == best, dtype=np.bool_)


def _outline(mask: npt.NDArray[np.bool_]) -> tuple[FloatArray, FloatArray, float]:
    """(edge points off the border, hull, share on the border), all in reduced pixels."""
    h, w = mask.shape
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    contour: Any = max(contours, key=len)
    hull = cv2.convexHull(contour).reshape(-1, 2).astype(np.float64)
    points = contour.reshape(-1, 2).astype(np.float64)
    # of the outline, only what lies near the hull belongs to a cushion; dents are pockets and people
    near = np.array([cv2.pointPolygonTest(hull.astype(np.float32), (x, y), True) < 5.0 for x, y in points])
    margin = 2.5
    border = (
        (points[:, 0] < margin)
        | (points[:, 1] < margin)
        | (points[:, 0] > w - 1 - margin)
        | (points[:, 1] > h - 1 - margin)
    )
    return points[near & ~border], hull, float(np.mean(border))


def cloth_regions(image: ByteArray) -> list[ClothRegion]:
    """Candidate cloths in a (H, W, 3) BGR picture, the likeliest first; may be empty."""
    small, scale = reduced(image)
    features = _features(small)
    regions: list[tuple[float, ClothRegion]] = []
    for seed in _seed_modes(features):
        mask = _grow(features, seed)
        area = float(mask.mean())
        if area < 0.04:
            continue
        edge, hull, border = _outline(mask)
        if len(edge) < 40:
            continue
        solid = mask.sum() / max(1.0, cv2.contourArea(hull.astype(np.float32)))
        region = ClothRegion(mask, scale, _full(edge, scale), _full(hull, scale), border)
        regions.append((area * solid**2, region))
    regions.sort(key=lambda item: -item[0])
    return [r for _, r in regions]


def _full(points: FloatArray, scale: float) -> FloatArray:
    """Reduced pixel coordinates to full-size ones (pixel centres at integers in both)."""
    return (points + 0.5) / scale - 0.5
