"""Which pictures can be used at all: of the calibrated size, and of the calibrated view."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import Camera
from vision.io.picture import U8, Picture
from vision.view.same_view import CLEAR_SHARE, Profiles, ViewCheck

SAME_SHAPE = 0.005  # relative difference of two aspect ratios that is rounding (854 x 480)
_STARTLED_SHARE = 0.25  # of the table's cells: when as many change at once, the view is checked
_EVERY_S = 0.1  # between looks at the view while less changes: a fade changes little from image to image
_CALM_SHARE, _SELDOM_S = (
    0.02,
    0.5,
)  # balls and an arm change less than this share: then a look is due as seldom
_FAINT_S = 1.0  # a view that is back in another light is believed after this long
_COLOURLESS = 6  # greatest range of chroma, grey levels, in a picture without colours
_SURE_BALLS = 6  # as many say that the first picture shows the table, though its noses do not
_GIVEN_UP_S = 10.0  # images are used after this long though the view was never recognised
_RESCALED_SIGMA = 1.25  # resampling softens outlines, also where the picture was larger


@dataclass
class Sight:
    """Whether the calibrated view is in sight, from image to image.

    `known`: the view's noses as first seen, None until then. `away_s`: since when it is out of sight.
    `trusted`:
    the balls of the first pictures spoke for the table. `next_s`: of the next look; `faint_s`: since when the
    view is back, not as clearly as it was.
    """

    known: Profiles | None = None
    away_s: float | None = None
    trusted: bool = False
    next_s: float = 0.0
    faint_s: float | None = None

    def lost(self, view: ViewCheck, luma: U8, t_s: float, changed_share: float) -> bool:
        """Whether a picture of which this share of the cells has changed shows something else."""
        wait_s = 0.0 if changed_share < _CALM_SHARE else _SELDOM_S - _EVERY_S
        if self.known is None or (changed_share < _STARTLED_SHARE and t_s + wait_s < self.next_s):
            return False
        self.next_s = t_s + _SELDOM_S
        return not view.shows(luma, self.known)

    def returned(self, view: ViewCheck, luma: U8, t_s: float) -> bool:
        """Whether the view is (again) in sight while it was not, or never yet."""
        if self.known is not None:
            return self._clear(view, luma, t_s, self.known)
        self.known = view.known(luma)
        self.trusted = self.away_s is not None and t_s - self.away_s > _GIVEN_UP_S
        return self.known is not None or self.trusted

    def _clear(self, view: ViewCheck, luma: U8, t_s: float, known: Profiles) -> bool:
        """In sight as clearly as ever, or, in another light, for a while: a fade shows two pictures in
        one.
        """
        if not view.shows(luma, known):
            self.faint_s = None
            return False
        since = self.faint_s = t_s if self.faint_s is None else self.faint_s
        if not view.shows(luma, known, CLEAR_SHARE) and t_s - since < _FAINT_S:
            return False
        self.faint_s = None
        return True

    def plausible(self, sure_balls: int) -> bool:
        """Whether a picture whose noses nobody knows yet is taken for the table's."""
        self.trusted = self.trusted or self.known is not None or sure_balls >= _SURE_BALLS
        return self.trusted


def fitted(picture: Picture, camera: Camera) -> tuple[Picture | None, float]:
    """The picture at the calibrated size with the factor for its sigmas; None where the shape differs."""
    width, height = camera.width_px, camera.height_px
    if (picture.width_px, picture.height_px) == (width, height):
        return picture, 1.0
    if abs(picture.width_px * height / (picture.height_px * width) - 1) > SAME_SHAPE:
        return None, 1.0
    half = (width + 1) // 2, (height + 1) // 2
    y, u, v = _resized(picture.y, (width, height)), _resized(picture.u, half), _resized(picture.v, half)
    return Picture(y, u, v, picture.standard, picture.full_range), max(
        _RESCALED_SIGMA, width / picture.width_px
    )


def colourless(picture: Picture) -> bool:
    """Whether a picture is grey: a camera that has gone over to infrared light, a recorder without colour."""
    return all(int(np.ptp(c[::8, ::8])) <= _COLOURLESS for c in (picture.u, picture.v))


def _resized(plane: U8, size: tuple[int, int]) -> U8:
    smaller = size[0] < plane.shape[1]
    return np.asarray(
        cv2.resize(plane, size, interpolation=cv2.INTER_AREA if smaller else cv2.INTER_CUBIC), np.uint8
    )
