"""Faces made unrecognisable in exported pictures: everything but the playing area, and what covers it.

An overhead camera sees heads from above, which face detectors do not find; so nothing is looked for.
Blurred is what lies more than a ball's diameter outside the cushions' noses, and inside them every cell
that the detector's cover map says is neither cloth nor ball, with two cells around and a moment after. A ball
beside a hand is blurred with it. What the cover map misses stays sharp: look before publishing.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from calibration.result import Calibration
from calibration.table.pieces import SNOOKER, PieceSet
from vision.detect.detector import Detector
from vision.io.images import VideoImage
from vision.io.picture import U8
from vision.observer import Observer
from vision.plane import PX_PER_DIAMETER

GRAIN_MM = 90.0
"""Side of the patches that are averaged: two across a face."""
GROWN_CELLS = 2
HELD_S = 0.5
"""A cell stays blurred this long after it was last covered: the cover map flickers at an edge."""

Cells = npt.NDArray[np.bool_]
F64 = npt.NDArray[np.float64]


class TableBlur:
    """Blurs the images of one video, in order."""

    def __init__(self, calibration: Calibration, detector: Detector, pieces: PieceSet = SNOOKER) -> None:
        self._observer = Observer(calibration, detector, pieces)
        plane, camera = self._observer.plane, calibration.camera
        self._size = (camera.height_px, camera.width_px)
        self._corners_px = _corners_px(self._observer)
        self._outside = _outside(calibration)
        table = calibration.table
        grain_px = GRAIN_MM / calibration.mm_per_px(0.0, table.length_mm / 2)
        self._small = (max(2, round(self._size[1] / grain_px)), max(2, round(self._size[0] / grain_px)))
        self._until_s = np.full((plane.rows, plane.columns), -np.inf)

    def apply(self, image: VideoImage, bgr: U8) -> None:
        """Blur `bgr` (H, W, 3), which shows `image`, in place. Every image of the span must come through
        here.

        A picture of another size than the camera's is blurred whole: it cannot be said where the table lies.
        """
        if bgr.shape[:2] != self._size:
            bgr[:] = _coarse(bgr, self._small)
            return
        self._observer.feed(image)
        covered = self._observer.state.covered
        if covered.any():
            size = 2 * GROWN_CELLS + 1
            grown = cv2.dilate(covered.astype(np.uint8), np.ones((size, size), np.uint8)).astype(np.bool_)
            self._until_s[grown] = image.t_s + HELD_S
        mask = self._mask(self._until_s >= image.t_s)
        np.copyto(bgr, _coarse(bgr, self._small), where=mask[:, :, None] > 0)

    def _mask(self, cells: Cells) -> U8:
        """(H, W) uint8, 255 where the picture is to be blurred."""
        mask = self._outside.copy()
        c = self._corners_px
        for i, j in np.argwhere(cells):
            quad = np.array([c[i, j], c[i, j + 1], c[i + 1, j + 1], c[i + 1, j]])
            if np.isfinite(quad).all():
                cv2.fillConvexPoly(mask, np.rint(quad).astype(np.int32), 255)
        return mask


def _corners_px(observer: Observer) -> F64:
    """Where the corners of the cells lie in the picture, (rows + 1, columns + 1, 2) px."""
    plane, table = observer.plane, observer.calibration.table
    x0, y0 = plane.x0_mm - plane.mm_per_px / 2, plane.y0_mm - plane.mm_per_px_along / 2
    x = x0 + np.arange(plane.rows + 1) * PX_PER_DIAMETER * plane.mm_per_px
    y = y0 + np.arange(plane.columns + 1) * PX_PER_DIAMETER * plane.mm_per_px_along
    xx, yy = np.meshgrid(x, y, indexing="ij")
    points = np.column_stack((xx.ravel(), yy.ravel(), np.full(xx.size, table.piece_plane_mm)))
    px = observer.calibration.camera.pixels_from_table(points)
    return np.asarray(px, np.float64).reshape(*xx.shape, 2)


def _outside(calibration: Calibration) -> U8:
    """(H, W) uint8, 255 off the table: beyond the noses by more than a ball's diameter (pockets stay in
    sight).
    """
    camera, table = calibration.camera, calibration.table
    wide, low, high = (
        table.half_width_mm + table.ball_diameter_mm,
        -table.ball_diameter_mm,
        table.length_mm + table.ball_diameter_mm,
    )
    ring = np.array([(-wide, low), (wide, low), (wide, high), (-wide, high)])
    share = np.linspace(0.0, 1.0, 33)[:-1, None]
    line = np.concatenate([ring[k] + share * (ring[(k + 1) % 4] - ring[k]) for k in range(4)])
    px = camera.pixels_from_table(np.column_stack((line, np.full(len(line), table.nose_height_mm))))
    mask = np.full((camera.height_px, camera.width_px), 255, np.uint8)
    if np.isfinite(px).all():
        cv2.fillPoly(mask, [np.rint(np.clip(px, -20000, 20000)).astype(np.int32)], 0)
    return mask


def _coarse(bgr: U8, small: tuple[int, int]) -> U8:
    """The picture with patches of `GRAIN_MM` averaged and smoothed between, (H, W, 3)."""
    tiny = cv2.blur(cv2.resize(bgr, small, interpolation=cv2.INTER_AREA), (3, 3))
    return np.asarray(
        cv2.resize(tiny, (bgr.shape[1], bgr.shape[0]), interpolation=cv2.INTER_LINEAR), np.uint8
    )
