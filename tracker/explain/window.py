"""The images of the span under way, cut from the stream: from the last look at a still table to its end.

A span lies between two moments at which the table lies still and is seen. While all lies still only the last
images are kept, so that memory does not grow with the recording; a span that lasts too long is not explained.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from calibration.table.specs import PointMm
from tracker.events import Layout
from tracker.explain.clock import by_camera
from tracker.explain.detections import tells
from tracker.explain.shake import steadied
from vision.observation import ImageObservations, Observation

BEFORE_S = 0.5
"""Images so long before a span are kept: a ball that creeps off is noticed later than it left."""
MOST_IMAGES = 3000
"""A minute at 50 images a second; what lasts longer is no stroke, and its masks would fill the memory."""
BALL_MM = 15.0
"""Within this of a ball of the layout a detection is of that ball: less than a radius, more than any error of
places and than a nudge.
"""
STOOD_MM = 6.0
"""A thing that lies still is detected within this of where it was."""


@dataclass(slots=True)
class Window:
    """What was seen since the table was last still. `whole`: the last look at all of it while it was."""

    images: list[ImageObservations] = field(default_factory=list)
    whole: ImageObservations | None = None

    def take(self, image: ImageObservations, moving: bool) -> None:
        """One more image. `moving`: a span is under way."""
        if image.looked is None and not moving:
            self.whole = _light(image)
        if not tells(image):
            return
        self.images.append(_light(image))
        if not moving:
            since_s = image.t_s - BEFORE_S
            self.images = [i for i in self.images if i.t_s >= since_s]
        elif len(self.images) > MOST_IMAGES:
            self.images = []

    def span(
        self, before: Layout, repeated: Sequence[float], unnamed: Sequence[Observation] = ()
    ) -> tuple[ImageObservations, ...]:
        """The images of a span without the things that lay there before it and are no balls (nets, leather, a
        wrist at rest): they were seen in the last look at the still table, and no ball lay there. `repeated`:
        times of the images that showed the one before again; `unnamed`: what lay there and is a ball.
        """
        things = self._things([*((b.x_mm, b.y_mm) for b in before), *((o.x_mm, o.y_mm) for o in unnamed)])
        # where nothing repeats the clock is even, or the span was followed by the camera's already
        images = by_camera(self.images, repeated) if repeated else self.images
        return tuple(
            replace(i, observations=tuple(o for o in i.observations if not _near(o.x_mm, o.y_mm, things)))
            for i in steadied(images, before)
        )

    def _things(self, balls: Sequence[PointMm]) -> list[PointMm]:
        if self.whole is None:
            return []
        return [
            (o.x_mm, o.y_mm)
            for o in self.whole.observations
            if all(math.dist(at, (o.x_mm, o.y_mm)) > BALL_MM for at in balls)
        ]

    def clear(self) -> None:
        """The span is over; what comes next begins with the next image."""
        self.images = []

    def go_on(self, images: Sequence[ImageObservations], t_s: float) -> None:
        """The next span began at once, about `t_s`, in the last of these images."""
        self.images = [i for i in images if i.t_s >= t_s - BEFORE_S]

    def __deepcopy__(self, memo: dict[int, object]) -> Window:
        """Images never change: a copy of a tracker shares them."""
        return Window(list(self.images), self.whole)


def _near(x_mm: float, y_mm: float, places: Sequence[tuple[float, float]]) -> bool:
    return any(math.hypot(x - x_mm, y - y_mm) < STOOD_MM for x, y in places)


def _light(image: ImageObservations) -> ImageObservations:
    """The image without what no explanation reads."""
    return replace(image, gaps=(), camera_moved=None, size_px=None)
