"""Whether a camera stands still: between sampled pictures, and cheaply during a video."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.errors import UnusableInput
from calibration.result import Calibration

ByteArray = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]

_COMPARE_WIDTH = 320
_SAME_VIEW = 0.45
"""Share of a picture's strong edges that another of the same view also has, people notwithstanding."""


def _edges(image: ByteArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    scale = _COMPARE_WIDTH / max(image.shape[:2])
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(np.asarray(small, dtype=np.float64), (0, 0), 0.8)
    field = np.stack((cv2.Sobel(soft, cv2.CV_64F, 1, 0), cv2.Sobel(soft, cv2.CV_64F, 0, 1)), axis=2)
    size = np.linalg.norm(field, axis=2)
    return np.asarray(field, dtype=np.float64), size > max(20.0, float(np.quantile(size, 0.93)))


def _agreement(a: tuple[FloatArray, npt.NDArray[np.bool_]], b: tuple[FloatArray, npt.NDArray[np.bool_]]) -> float:
    """Share of the strong edges of either picture that the other has, in place, direction and strength."""
    strong = a[1] | b[1]
    if strong.sum() < 50:
        return 0.0
    change = np.linalg.norm(a[0][strong] - b[0][strong], axis=1)
    size = np.maximum(np.linalg.norm(a[0][strong], axis=1), np.linalg.norm(b[0][strong], axis=1))
    return float(np.mean(change < 0.5 * size))


def steady_images(images: Sequence[ByteArray], name: str) -> list[ByteArray]:
    """Those pictures that share one view, if they are most of them; UnusableInput otherwise."""
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
        raise UnusableInput(
            f"{name + ': ' if name else ''}expected a camera that stands still, found the view changing"
            f" (at most {int(group.sum())} of {len(images)} pictures agree)"
        )
    return [im for im, keep in zip(same, group, strict=True) if keep]


@dataclass(frozen=True)
class _Patch:
    x: int
    y: int
    reference: FloatArray
    mm_per_px: float


class MovedCheck:
    """Compares a few patches along the cushions with the reference picture, for a knocked camera."""

    PATCH_PX = 48

    def __init__(self, calibration: Calibration, reference_luma: ByteArray) -> None:
        """`reference_luma`: (H, W) uint8 of the view that was calibrated."""
        self._patches = _choose_patches(calibration, reference_luma, self.PATCH_PX)
        half = self.PATCH_PX
        self._window = np.asarray(cv2.createHanningWindow((half, half), cv2.CV_64F), dtype=np.float64)

    def check(self, luma: ByteArray) -> float:
        """How far the view has shifted on the cloth, in mm (median of the patches); (H, W) uint8.

        Patches that are covered (by a person) are left out; nan when too few remain.
        """
        shifts = []
        for patch in self._patches:
            found = _shift(patch, luma, self._window)
            if found is not None:
                shifts.append((found[0] * patch.mm_per_px, found[1] * patch.mm_per_px))
        if len(shifts) < max(3, len(self._patches) // 4):
            return float("nan")
        x, y = np.median(np.asarray(shifts), axis=0)
        return float(np.hypot(x, y))


def _shift(patch: _Patch, luma: ByteArray, window: FloatArray) -> tuple[float, float] | None:
    """(dx, dy) px of a patch's content: phase correlation for the pixel, least squares for its fraction."""
    size = patch.reference.shape[0]
    now = luma[patch.y : patch.y + size, patch.x : patch.x + size].astype(np.float64)
    # OpenCV multiplies its inputs by the window in place, hence the copy
    (rough_x, rough_y), _ = cv2.phaseCorrelate(patch.reference.copy(), now, window)
    dx, dy = float(round(rough_x)), float(round(rough_y))
    if abs(dx) > size / 4 or abs(dy) > size / 4:
        return None
    centre = (patch.x + (size - 1) / 2, patch.y + (size - 1) / 2)
    gx, gy = np.gradient(patch.reference, axis=1), np.gradient(patch.reference, axis=0)
    basis = np.stack([part[2:-2, 2:-2].ravel() for part in (gx, gy, patch.reference, np.ones_like(gx))], axis=1)
    for _ in range(4):
        moved = cv2.getRectSubPix(luma, (size, size), (centre[0] + dx, centre[1] + dy), patchType=cv2.CV_32F)
        target = np.asarray(moved, dtype=np.float64)[2:-2, 2:-2].ravel()
        solution = np.linalg.lstsq(basis, target, rcond=None)[0]
        gain = float(solution[2])
        if not 0.4 < gain < 2.5:
            return None
        # moved(x) = gain * reference(x - rest): what is left of the shift shows in the gradient's terms
        dx, dy = dx - float(solution[0]) / gain, dy - float(solution[1]) / gain
    left = target - basis @ solution
    if float(left.std()) > 0.35 * float(target.std()):
        return None
    return dx, dy


def _choose_patches(calibration: Calibration, luma: ByteArray, size: int) -> list[_Patch]:
    """Patches at jaws and pockets, where there are edges in both directions."""
    h, w = luma.shape[:2]
    found = []
    for pocket in calibration.table.pockets:
        for x_mm, y_mm in (*pocket.jaws, (pocket.x_mm, pocket.y_mm)):
            z = calibration.table.nose_height_mm
            px = calibration.camera.pixels_from_table([(x_mm, y_mm, z)])[0]
            if not np.isfinite(px).all():
                continue
            x, y = int(px[0]) - size // 2, int(px[1]) - size // 2
            if not (0 <= x <= w - size and 0 <= y <= h - size):
                continue
            patch = luma[y : y + size, x : x + size].astype(np.float64)
            if patch.std() > 6.0:
                found.append(_Patch(x, y, patch, calibration.mm_per_px(x_mm, y_mm)))
    return found
