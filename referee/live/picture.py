"""The picture beside the balls: brought to the calibrated size, how much of the table is hidden, where balls lie now."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import Camera
from referee.live.state import LiveBall
from referee.records import SeenBall
from referee.watching import Watch
from tracker.ball import BallState
from vision.picture import U8, Picture

_SAME_SHAPE = 0.01  # width over height may differ by this share
_HIDDEN_SHARE = 0.6  # of the table's cells; two players leaning over it hide about a quarter
_HIDDEN_S = 3.0


def fitted(picture: Picture, camera: Camera) -> Picture | None:
    """The picture at the calibrated size; None when its shape is another: then it does not show the same view."""
    height, width = picture.y.shape
    if (width, height) == (camera.width_px, camera.height_px):
        return picture
    if abs(width * camera.height_px / (height * camera.width_px) - 1) > _SAME_SHAPE:
        return None
    half = (-(-camera.width_px // 2), -(-camera.height_px // 2))
    planes = (
        _resized(picture.y, (camera.width_px, camera.height_px)), _resized(picture.u, half), _resized(picture.v, half)
    )  # fmt: skip
    return Picture(*planes, picture.standard, picture.full_range)


def _resized(plane: U8, size: tuple[int, int]) -> U8:
    """`plane` (H, W) uint8 at (width, height)."""
    way = cv2.INTER_AREA if size[0] < plane.shape[1] else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(plane, size, interpolation=way), np.uint8)


class PictureWatch:
    """Whether most of the table has been hidden for a while."""

    def __init__(self) -> None:
        self._since_s: float | None = None

    def look(self, watch: Watch, t_s: float) -> str:
        """A sentence while most of the table is hidden, else empty."""
        covered = watch.observer.state.covered
        if float(covered.mean()) < _HIDDEN_SHARE:
            self._since_s = None
            return ""
        self._since_s = t_s if self._since_s is None else self._since_s
        return "most of the table is hidden" if t_s - self._since_s > _HIDDEN_S else ""


def now_lying(watch: Watch) -> tuple[tuple[LiveBall, ...], tuple[SeenBall, ...]]:
    """The balls as published, and those at rest as geometry takes them."""
    found: list[LiveBall] = []
    at_rest: list[SeenBall] = []
    for b in watch.tracker.follower.balls:
        if b.state is BallState.GONE:
            continue
        x, y = b.place
        moving = b.state is not BallState.REST
        state = "moving" if moving else "hidden" if b.covered or b.missed >= 2 else "rest"
        sigma = watch.sigma_mm(x, y, b.rest.sigma_mm)
        found.append(LiveBall(b.name, b.colour, x, y, sigma, state))  # type: ignore[arg-type]  # of the three
        if not moving:
            at_rest.append(SeenBall(b.name, b.colour, x, y, sigma, 1.0))
    return tuple(sorted(found, key=lambda b: b.ball)), tuple(at_rest)
