"""Finding the cloth: the smooth region of one colour, of any hue, in the middle of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

ByteArray = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]

WORK_WIDTH_PX = 480
"""Width to which a picture is reduced for the search; edges are measured later at full size."""

_LIGHTNESS_WEIGHT = 0.5
"""Lamps change the lightness of a cloth more than its colour."""


_LIMITS, _STRICT_LIMITS = (12.0, 7.0), (4.0,)
"""How far (in weighed Lab) a pixel may lie from the cloth's smooth colour; strict: where rails or floor
have nearly that colour (grey beside grey, mahogany in the dark beside red).
"""

_STEPS_WITHIN = (3.0, 4.0, 6.0)
"""How much more than is usual in its middle a cloth's colour may change from one pixel to the next."""

_CELLS = 256
"""Cells of colour along each axis of Lab, more than there can be."""


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
    """(h, w, 3) Lab with a lighter lightness, after a dim picture's exposure was raised."""
    soft = cv2.GaussianBlur(image, (0, 0), 1.0).astype(np.float32) / 255.0
    h, w = soft.shape[:2]
    bright = float(np.quantile(soft[h // 5 : h - h // 5, w // 5 : w - w // 5].max(axis=2), 0.8))
    raised = np.minimum(soft * np.float32(np.clip(0.6 / max(bright, 0.02), 1.0, 5.0)), 1.0)
    lab = cv2.cvtColor(raised, cv2.COLOR_BGR2LAB)
    return np.asarray(lab, dtype=np.float64) * (_LIGHTNESS_WEIGHT, 1.0, 1.0)


def _basis(height: int, width: int) -> FloatArray:
    v, u = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    return np.stack((np.ones_like(u), u, v, u * u, u * v, v * v), axis=-1)


def _seed_modes(features: FloatArray, count: int = 3) -> list[FloatArray]:
    """The most common colours of the middle of the picture, commonest first."""
    h, w = features.shape[:2]
    middle = features[h // 5 : h - h // 5, w // 5 : w - w // 5].reshape(-1, 3)
    cells: dict[tuple[int, ...], int] = {}
    steps = np.round(middle / 6.0).astype(np.int64) + _CELLS // 2
    keys, counts = np.unique((steps[:, 0] * _CELLS + steps[:, 1]) * _CELLS + steps[:, 2], return_counts=True)
    for key, n in zip(keys.tolist(), counts.tolist(), strict=True):
        places = (key // _CELLS**2, key // _CELLS % _CELLS, key % _CELLS)
        cells[tuple(place - _CELLS // 2 for place in places)] = n
    modes: list[FloatArray] = []
    for key, _ in sorted(cells.items(), key=lambda kv: -kv[1]):
        centre = np.asarray(key, dtype=np.float64) * 6.0
        if any(float(np.linalg.norm(centre - m)) < 14.0 for m in modes):
            continue
        modes.append(centre)
        if len(modes) == count:
            break
    return modes


def _grow(features: FloatArray, basis: FloatArray, seed: FloatArray, limit: float) -> npt.NDArray[np.bool_]:
    """Pixels that follow the seed colour with a smooth (quadratic) change of light; largest piece.

    `limit`: the greatest distance from the smooth colour; a strict one keeps a floor of a similar colour out.
    """
    mask = _largest(_size(features - seed) < limit)
    for step in range(6):
        if mask.sum() < 200:
            break
        inside = features[mask][::4]
        terms = basis[mask][::4]
        if step == 0:
            terms = terms[:, :3]
        coefficients = np.linalg.solve(terms.T @ terms + 1e-9 * np.eye(terms.shape[1]), terms.T @ inside)
        distance = _size(features - basis[..., : terms.shape[1]] @ coefficients)
        spread = 1.4826 * float(np.median(distance[mask]))
        mask = _largest(distance < float(np.clip(4.0 * spread, 0.4 * limit, limit)))
    return mask


def _size(vectors: FloatArray) -> FloatArray:
    """Lengths of the vectors along the last of three axes."""
    return np.asarray(np.sqrt(np.einsum("hwc,hwc->hw", vectors, vectors)), dtype=np.float64)


def _steps(features: FloatArray) -> FloatArray:
    """(h, w) the larger change of colour to the next pixel, down or across."""
    down = np.diff(features, axis=0, append=features[-1:])
    across = np.diff(features, axis=1, append=features[:, -1:])
    return np.maximum(_size(down), _size(across))


def _flooded(steps: FloatArray, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The part of a region that is reached from its middle without crossing an edge; `steps` as of
    `_steps`.
    """
    if not mask.any():
        return mask
    typical = float(np.median(steps[mask]))
    free = mask & (steps < max(2.5, 5.0 * typical))
    return _largest(free)


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
    filled = cv2.fillConvexPoly(
        np.zeros((h + 2, w + 2), np.uint8), np.asarray(hull, dtype=np.int32) + 1, (1,)
    )
    depth = np.asarray(
        cv2.distanceTransform(np.asarray(filled, dtype=np.uint8), cv2.DIST_L2, 3), dtype=np.float64
    )
    near = depth[points[:, 1].astype(int) + 1, points[:, 0].astype(int) + 1] < 5.0
    margin = 2.5
    border = (
        (points[:, 0] < margin)
        | (points[:, 1] < margin)
        | (points[:, 0] > w - 1 - margin)
        | (points[:, 1] > h - 1 - margin)
    )
    return points[near & ~border], hull, float(np.mean(border))


def _enclosed(steps: FloatArray, times: float) -> npt.NDArray[np.bool_]:
    """What is reached from the picture's middle without a larger change of colour than `times` the usual one
    there.

    Whatever the light does from one end to the other: a hot spot is no smooth change over the whole cloth.
    """
    h, w = steps.shape
    middle = (slice(h // 4, h - h // 4), slice(w // 4, w - w // 4))
    free = (steps < max(0.6, times * float(np.median(steps[middle])))).astype(np.uint8)
    opened = cv2.morphologyEx(free, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels = cv2.connectedComponents(opened, connectivity=4)
    sizes = np.bincount(labels[middle].ravel(), minlength=count)
    sizes[0] = 0
    if not sizes.any():
        return np.zeros((h, w), np.bool_)
    own = (labels == int(np.argmax(sizes))).astype(np.uint8)
    return np.asarray(cv2.morphologyEx(own, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)) > 0, dtype=np.bool_)


def cloth_regions(image: ByteArray, strict: bool = False) -> list[ClothRegion]:
    """Candidate cloths in a (H, W, 3) BGR picture, the likeliest first; may be empty.

    `strict`: told from what lies around them more strictly, by colour and by edges.
    """
    small, scale = reduced(image)
    features = _features(small)
    basis, steps = _basis(*features.shape[:2]), _steps(features)
    masks: list[npt.NDArray[np.bool_]] = []
    for seed in _seed_modes(features):
        for limit in _STRICT_LIMITS if strict else _LIMITS:
            mask = _grow(features, basis, seed, limit)
            masks += [mask, _flooded(steps, mask)]
    if strict:
        masks += [_enclosed(steps, times) for times in _STEPS_WITHIN]
    regions: list[tuple[float, ClothRegion]] = []
    for mask in masks:
        found = _region(mask, scale)
        if found is not None and not any(_same(found[1].mask, r.mask) for _, r in regions):
            regions.append(found)
    regions.sort(key=lambda item: -item[0])
    return [r for _, r in regions]


def _same(a: npt.NDArray[np.bool_], b: npt.NDArray[np.bool_]) -> bool:
    return bool((a & b).sum() > 0.96 * (a | b).sum())


def _region(mask: npt.NDArray[np.bool_], scale: float) -> tuple[float, ClothRegion] | None:
    """How likely it is the bed of a table (large, solid, with a free outline of four sides), and the
    region.
    """
    area = float(mask.mean())
    if area < 0.04:
        return None
    edge, hull, border = _outline(mask)
    if len(edge) < 40:
        return None
    hull_area = max(1.0, float(cv2.contourArea(hull.astype(np.float32))))
    solid = min(1.0, float(mask.sum()) / hull_area)
    score = area * solid**3 * max(0.0, 1.0 - 3.0 * border) ** 2
    return score, ClothRegion(mask, scale, _full(edge, scale), _full(hull, scale), border)


def _full(points: FloatArray, scale: float) -> FloatArray:
    """Reduced pixel coordinates to full-size ones (pixel centres at integers in both)."""
    return (points + 0.5) / scale - 0.5
