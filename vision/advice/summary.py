"""Advice on a camera as traffic lights: aim, focus, exposure, flicker, glare, image rate.

From pictures with their times, and a calibration where there is one, follows a light for each topic, with its
figure and a sentence. No I/O, no clock. A live camera calls `Advisor.feed` for every image (about 1 ms) and
`advise` twice a second (about 30 ms, without a calibration 80).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from calibration.result import Calibration
from calibration.texts import sentence
from vision.advice.aim import TableView, aim, view_of
from vision.advice.clock import COLUMNS, ROWS, Glance, Glances, flicker, image_rate
from vision.advice.exposure import exposure, glare
from vision.advice.exposure_time import ExposureTime
from vision.advice.focus import focus
from vision.advice.terms import LIGHTS, TOPICS, Advice, Light, Topic
from vision.io.images import VideoImage
from vision.io.picture import Picture
from vision.observation import Observation

__all__ = ["LIGHTS", "TOPICS", "Advice", "Advisor", "Light", "Topic", "advise"]

_KEPT_S = 4.0
"""Seconds over which flicker and rate are judged live, enough for beats of half a hertz."""
_PICTURES_KEPT, _PICTURE_EVERY_S = 3, 1.0  # pictures kept for what must persist, and seconds between them


def advise(
    pictures: Sequence[Picture],
    calibration: Calibration | None = None,
    glances: Sequence[Glance] = (),
    balls: Sequence[Observation] = (),
    shutter: ExposureTime | None = None,
) -> tuple[Advice, ...]:
    """One light for each of `TOPICS`, in their order.

    `pictures`: one or a few of the same view, a second or more apart, the newest last; most topics are judged
    on the newest. `glances`: consecutive images, for flicker and rate. `balls`: seen in the newest picture.
    `shutter`: the exposure time from balls that rolled. Both improve the advice on exposure and glare. Raises
    ValueError without a picture.
    """
    if not pictures:
        raise ValueError("advise: expected one picture or more, got none")
    newest = pictures[-1]
    known = calibration if calibration is not None and _fits(newest, calibration) else None
    view = view_of(newest, known)
    return (
        aim(view, known),
        focus(newest, view),
        exposure(newest, view, balls, shutter),
        flicker(glances, _mask(view)),
        glare(pictures, view, balls),
        image_rate(glances),
    )


def _fits(picture: Picture, calibration: Calibration) -> bool:
    """Whether the calibration is of the picture's size."""
    camera = calibration.camera
    return (camera.width_px, camera.height_px) == (picture.width_px, picture.height_px)


def _mask(view: TableView | None) -> npt.NDArray[np.bool_] | None:
    return None if view is None else view.mask(COLUMNS, ROWS)


class Advisor:
    """Advice on a live camera: feed every image, call `advise` at any time."""

    def __init__(self, calibration: Calibration | None = None) -> None:
        self.calibration = calibration
        self._maker = Glances()
        self._glances: deque[Glance] = deque()
        self._pictures: deque[tuple[float, Picture]] = deque(maxlen=_PICTURES_KEPT)

    def feed(self, image: VideoImage) -> None:
        """Take note of one image, in order of time; a picture is kept each second."""
        if self._glances and image.t_s <= self._glances[-1].t_s:
            self._glances.clear()  # the camera has started anew
            self._pictures.clear()
        self._glances.append(self._maker.feed(image.picture, image.t_s))
        while self._glances[0].t_s < image.t_s - _KEPT_S:
            self._glances.popleft()
        if len(self._pictures) >= 2 and image.t_s - self._pictures[-2][0] < _PICTURE_EVERY_S:
            self._pictures[-1] = (image.t_s, image.picture)
        else:
            self._pictures.append((image.t_s, image.picture))

    def advise(
        self, balls: Sequence[Observation] = (), shutter: ExposureTime | None = None
    ) -> tuple[Advice, ...]:
        """The lights now; all of them amber before the first image."""
        shapes = [p for _, p in self._pictures]
        if not shapes:
            return tuple(Advice(t, "amber", None, "", sentence("advice.no_picture_has_come")) for t in TOPICS)
        same = [p for p in shapes if p.y.shape == shapes[-1].y.shape]
        return advise(same, self.calibration, tuple(self._glances), balls, shutter)
