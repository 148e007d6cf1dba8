"""One still picture from several: those that share one view, and their median."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from calibration.errors import prefix
from calibration.texts import unusable_input

ByteArray = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]

_COMPARE_WIDTH = 320  # px to which pictures are reduced for the comparison
_SAME_VIEW = 0.45
"""Share of a picture's strong edges that another picture of the same view has too, people included."""
_BLUR_PX = 0.8
_STRONG_GREY, _STRONG_QUANTILE = 20.0, 0.93  # gradient of a strong edge: absolute, and by rank
_LEAST_STRONG = 50  # pixels with strong edges that a comparison needs
_SAME_EDGE = 0.5  # difference of two gradients over the larger one, up to which they are one edge
_BAND_ROWS = 16  # rows of fifteen 1080p pictures that fit a core's cache


def _edges(image: ByteArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Gradients (h, w, 2) of the reduced picture, and where they are strong (h, w)."""
    scale = _COMPARE_WIDTH / max(image.shape[:2])
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(np.asarray(small, dtype=np.float64), (0, 0), _BLUR_PX)
    field = np.stack((cv2.Sobel(soft, cv2.CV_64F, 1, 0), cv2.Sobel(soft, cv2.CV_64F, 0, 1)), axis=2)
    size = np.linalg.norm(field, axis=2)
    return np.asarray(field, dtype=np.float64), size > max(
        _STRONG_GREY, float(np.quantile(size, _STRONG_QUANTILE))
    )


def _agreement(
    a: tuple[FloatArray, npt.NDArray[np.bool_]], b: tuple[FloatArray, npt.NDArray[np.bool_]]
) -> float:
    """Share of the strong edges of either picture that the other has, in place, direction and strength."""
    strong = a[1] | b[1]
    if strong.sum() < _LEAST_STRONG:
        return 0.0
    change = np.linalg.norm(a[0][strong] - b[0][strong], axis=1)
    size = np.maximum(np.linalg.norm(a[0][strong], axis=1), np.linalg.norm(b[0][strong], axis=1))
    return float(np.mean(change < _SAME_EDGE * size))


def steady_images(images: Sequence[ByteArray], name: str) -> list[ByteArray]:
    """The pictures that share one view. Raises UnusableInput unless they are at least half of all."""
    shapes = [im.shape for im in images]
    common = max(set(shapes), key=shapes.count)
    same = [im for im in images if im.shape == common]
    fields = [_edges(im) for im in same]
    n = len(same)
    agree = np.eye(n)
    for i in range(n):
        for j in range(i + 1, n):
            agree[i, j] = agree[j, i] = _agreement(fields[i], fields[j])
    group = agree[int(np.argmax((agree > _SAME_VIEW).sum(axis=1)))] > _SAME_VIEW
    if group.sum() < max(2, 0.5 * len(images)):
        raise unusable_input(
            "errors.camera_that_stands_still", where=prefix(name), group=int(group.sum()), count=len(images)
        )
    return [im for im, keep in zip(same, group, strict=True) if keep]


def median_picture(images: Sequence[ByteArray]) -> ByteArray:
    """The median (H, W, 3) uint8 of pictures of one shape, rounded half to even as `np.median` does.

    A sorting network of minima and maxima over whole arrays takes a tenth of the time of `np.median`.
    """
    order, n = _network(len(images)), len(images)
    out = np.empty_like(images[0])
    for y in range(0, len(out), _BAND_ROWS):
        rows = [im[y : y + _BAND_ROWS].copy() for im in images]
        spare = np.empty_like(rows[0])
        for low, high in order:
            np.minimum(rows[low], rows[high], out=spare)
            np.maximum(rows[low], rows[high], out=rows[high])
            rows[low], spare = spare, rows[low]
        if n % 2:
            out[y : y + _BAND_ROWS] = rows[n // 2]
        else:
            middle = rows[n // 2 - 1].astype(np.uint16) + rows[n // 2]
            out[y : y + _BAND_ROWS] = (middle + (middle >> 1 & 1)) >> 1  # half to even, as `np.round`
    return out


def _network(n: int) -> list[tuple[int, int]]:
    """Comparators (low, high) of Batcher's odd-even merge sort (1968), in order."""
    pairs = []
    p = 1
    while p < n:
        k = p
        while k >= 1:
            for j in range(k % p, n - k, 2 * k):
                for i in range(min(k, n - j - k)):
                    if (i + j) // (2 * p) == (i + j + k) // (2 * p):
                        pairs.append((i + j, i + j + k))
            k //= 2
        p *= 2
    return pairs
