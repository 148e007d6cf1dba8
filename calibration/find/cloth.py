"""Finding the cloth: the smooth region of one colour, of any hue, in the middle of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.robust import robust_sigma

ByteArray = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]

WORK_WIDTH_PX = 480
"""Width to which a picture is reduced for the search; edges are measured later at full size."""

_LIGHTNESS_WEIGHT = 0.5
"""Weight of lightness against colour, because lamps change the lightness of a cloth more than its colour."""

_LIMITS, _STRICT_LIMITS = (12.0, 7.0), (4.0,)
"""Largest distance (in weighted Lab) of a pixel from the cloth's smooth colour.

The strict limit is for rails or floors of nearly that colour (grey beside grey, dark mahogany beside red).
"""

_STEPS_WITHIN = (3.0, 4.0, 6.0)
"""Largest change of colour from pixel to pixel inside a cloth, over the usual change in its middle."""

_CELLS = 256
"""Cells of colour along each axis of Lab, more than there can be."""
_CELL_LAB = 6.0  # size of such a cell
_APART_LAB = 14.0  # distance of two seed colours

_MIDDLE = 5  # the middle of the picture leaves out a fifth at each border
_EXPOSED, _EXPOSED_QUANTILE, _MOST_GAIN = (
    0.6,
    0.8,
    5.0,
)  # brightness to which that quantile of the middle is raised
_GROWTH_ROUNDS, _LEAST_PIXELS = 6, 200
_SPREADS, _LEAST_LIMIT_SHARE = 4.0, 0.4  # robust sigmas that belong to the cloth; least share of the limit
_LEAST_EDGE, _EDGE_STEPS = 2.5, 5.0  # change of colour at an edge: absolute, and over the region's median
_LEAST_STEP = 0.6  # change of colour that is never an edge
_NEAR_HULL_PX = 5.0  # reduced pixels: outline points deeper inside belong to pockets and people
_BORDER_PX = 2.5  # reduced pixels from the picture's border
_SAME_OVERLAP = 0.96  # intersection over union of two masks that are one
_LEAST_AREA, _LEAST_OUTLINE = 0.04, 40  # share of the picture, and outline points, of a cloth


@dataclass(frozen=True)
class ClothRegion:
    """A cloth in the picture.

    `mask` (h, w): at the reduced size. `scale`: reduced pixels a full pixel. `edge_px` (N, 2): points of its
    outline in full-size pixels, without those on the picture's border. `hull_px` (M, 2): its convex hull.
    `border_share`: share of the outline on the border.
    """

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
    """CIE Lab (h, w, 3) with the lightness weighted down, after a dim picture's exposure was raised."""
    soft = cv2.GaussianBlur(image, (0, 0), 1.0).astype(np.float32) / 255.0
    h, w = soft.shape[:2]
    m, n = h // _MIDDLE, w // _MIDDLE
    bright = float(np.quantile(soft[m : h - m, n : w - n].max(axis=2), _EXPOSED_QUANTILE))
    raised = np.minimum(soft * np.float32(np.clip(_EXPOSED / max(bright, 0.02), 1.0, _MOST_GAIN)), 1.0)
    lab = cv2.cvtColor(raised, cv2.COLOR_BGR2LAB)
    return np.asarray(lab, dtype=np.float64) * (_LIGHTNESS_WEIGHT, 1.0, 1.0)


def _basis(height: int, width: int) -> FloatArray:
    """Terms (h, w, 6) of a quadratic over the picture."""
    v, u = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    return np.stack((np.ones_like(u), u, v, u * u, u * v, v * v), axis=-1)


def _seed_modes(features: FloatArray, count: int = 3) -> list[FloatArray]:
    """The most common colours of the middle of the picture, commonest first."""
    h, w = features.shape[:2]
    m, n = h // _MIDDLE, w // _MIDDLE
    middle = features[m : h - m, n : w - n].reshape(-1, 3)
    cells: dict[tuple[int, ...], int] = {}
    steps = np.round(middle / _CELL_LAB).astype(np.int64) + _CELLS // 2
    keys, counts = np.unique((steps[:, 0] * _CELLS + steps[:, 1]) * _CELLS + steps[:, 2], return_counts=True)
    for key, pixels in zip(keys.tolist(), counts.tolist(), strict=True):
        places = (key // _CELLS**2, key // _CELLS % _CELLS, key % _CELLS)
        cells[tuple(place - _CELLS // 2 for place in places)] = pixels
    modes: list[FloatArray] = []
    for key, _ in sorted(cells.items(), key=lambda kv: -kv[1]):
        centre = np.asarray(key, dtype=np.float64) * _CELL_LAB
        if any(float(np.linalg.norm(centre - mode)) < _APART_LAB for mode in modes):
            continue
        modes.append(centre)
        if len(modes) == count:
            break
    return modes


def _grow(features: FloatArray, basis: FloatArray, seed: FloatArray, limit: float) -> npt.NDArray[np.bool_]:
    """The largest piece (h, w) whose colour follows the seed colour with a quadratic change of light.

    `limit`: largest distance from the smooth colour.
    """
    mask = _largest(_size(features - seed) < limit)
    for step in range(_GROWTH_ROUNDS):
        if mask.sum() < _LEAST_PIXELS:
            break
        some = np.flatnonzero(mask)[::4]
        inside = features.reshape(-1, features.shape[-1])[some]
        terms = basis.reshape(-1, basis.shape[-1])[some]
        if step == 0:
            terms = terms[:, :3]
        coefficients = np.linalg.solve(terms.T @ terms + 1e-9 * np.eye(terms.shape[1]), terms.T @ inside)
        distance = _size(features - basis[..., : terms.shape[1]] @ coefficients)
        spread = robust_sigma(distance[mask])
        mask = _largest(distance < float(np.clip(_SPREADS * spread, _LEAST_LIMIT_SHARE * limit, limit)))
    return mask


def _size(vectors: FloatArray) -> FloatArray:
    """Lengths of the vectors along the last of three axes."""
    return np.asarray(np.sqrt(np.einsum("hwc,hwc->hw", vectors, vectors)), dtype=np.float64)


def _steps(features: FloatArray) -> FloatArray:
    """The larger change of colour (h, w) to the next pixel, down or across."""
    down = np.diff(features, axis=0, append=features[-1:])
    across = np.diff(features, axis=1, append=features[:, -1:])
    return np.maximum(_size(down), _size(across))


def _flooded(steps: FloatArray, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The largest part of a region without an edge inside; `steps` as of `_steps`."""
    if not mask.any():
        return mask
    typical = float(np.median(steps[mask]))
    free = mask & (steps < max(_LEAST_EDGE, _EDGE_STEPS * typical))
    return _largest(free)


def _largest(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The largest connected piece of a mask."""
    # close thin gaps: the baulk line and the shadow under a nose must not cut the cloth in two
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(opened)
    if count < 2:
        return np.zeros_like(mask)
    best = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    return np.asarray(labels == best, dtype=np.bool_)


def _outline(mask: npt.NDArray[np.bool_]) -> tuple[FloatArray, FloatArray, float]:
    """Outline points off the border (N, 2), hull (M, 2) and share on the border, in reduced pixels."""
    h, w = mask.shape
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    contour: Any = max(contours, key=len)
    hull = cv2.convexHull(contour).reshape(-1, 2).astype(np.float64)
    points = contour.reshape(-1, 2).astype(np.float64)
    # only the outline near the hull belongs to a cushion; dents are pockets and people
    filled = cv2.fillConvexPoly(
        np.zeros((h + 2, w + 2), np.uint8), np.asarray(hull, dtype=np.int32) + 1, (1,)
    )
    depth = np.asarray(
        cv2.distanceTransform(np.asarray(filled, dtype=np.uint8), cv2.DIST_L2, 3), dtype=np.float64
    )
    near = depth[points[:, 1].astype(int) + 1, points[:, 0].astype(int) + 1] < _NEAR_HULL_PX
    margin = _BORDER_PX
    border = (
        (points[:, 0] < margin)
        | (points[:, 1] < margin)
        | (points[:, 0] > w - 1 - margin)
        | (points[:, 1] > h - 1 - margin)
    )
    return points[near & ~border], hull, float(np.mean(border))


def _enclosed(steps: FloatArray, times: float) -> npt.NDArray[np.bool_]:
    """The region (h, w) around the middle without a step of colour larger than `times` the usual one there.

    It does not depend on the light from end to end: a hot spot is no quadratic change over the whole cloth.
    """
    h, w = steps.shape
    middle = (slice(h // 4, h - h // 4), slice(w // 4, w - w // 4))
    free = (steps < max(_LEAST_STEP, times * float(np.median(steps[middle])))).astype(np.uint8)
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

    `strict`: with narrower limits of colour, and by edges too.
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
    return bool((a & b).sum() > _SAME_OVERLAP * (a | b).sum())


def _region(mask: npt.NDArray[np.bool_], scale: float) -> tuple[float, ClothRegion] | None:
    """The region and its score as the bed of a table: large, solid, off the picture's border."""
    area = float(mask.mean())
    if area < _LEAST_AREA:
        return None
    edge, hull, border = _outline(mask)
    if len(edge) < _LEAST_OUTLINE:
        return None
    hull_area = max(1.0, float(cv2.contourArea(hull.astype(np.float32))))
    solid = min(1.0, float(mask.sum()) / hull_area)
    score = area * solid**3 * max(0.0, 1.0 - 3.0 * border) ** 2
    return score, ClothRegion(mask, scale, _full(edge, scale), _full(hull, scale), border)


def _full(points: FloatArray, scale: float) -> FloatArray:
    """Full-size pixel coordinates (N, 2) of reduced ones; pixel centres are at integers in both."""
    return (points + 0.5) / scale - 0.5
