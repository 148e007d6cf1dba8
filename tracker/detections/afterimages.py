"""Afterimages: what moves is seen once more where it was one image before.

Cameras against noise average over time, and a change of the image rate mixes two images. A ball is not in two
places at once: of two looks of one kind the one where it was in the image before is none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from calibration.table.pieces import PieceSet
from tracker.explain.detections import MAY_BE
from vision.observation import ImageObservations, Observation

MOVED_MM = 12.0
"""What was this far from any look of an image before moves. Assumed."""
AT_MM, AT_SIGMAS = 2.0, 3.0
"""An afterimage lies so near to the look before, and within so many sigmas of both. Assumed."""
MOST_STEPS = 2.5
"""From image to image a ball goes no further than so many times its step before: it sets off within one, and
what is left out makes two of one. Assumed.
"""


@dataclass(slots=True)
class Afterimages:
    """`last`, `before`: what was seen in the last two images, theirs left out."""

    last: tuple[Observation, ...] = ()
    before: tuple[Observation, ...] = ()

    def without(self, image: ImageObservations, kinds: PieceSet) -> ImageObservations:
        """The image without the afterimages in it; to be given every image that is not repeated, in order."""
        left = tuple(o for o in image.observations if not self._is_one(o, image.observations, kinds))
        self.last, self.before = left, self.last
        return image if len(left) == len(image.observations) else replace(image, observations=left)

    def _is_one(self, look: Observation, seen: tuple[Observation, ...], kinds: PieceSet) -> bool:
        """Whether a look shows where a ball was that is seen elsewhere."""
        was = min(self.last, key=lambda o: _apart_mm(look, o), default=None)
        if was is None or _apart_mm(look, was) > AT_MM + AT_SIGMAS * math.hypot(look.sigma_mm, was.sigma_mm):
            return False
        came = min((o for o in self.before if _alike(was, o)), key=lambda o: _apart_mm(was, o), default=was)
        if _apart_mm(was, came) < MOVED_MM or not _alike(look, was):
            return False
        reach_mm = MOST_STEPS * _apart_mm(was, came)
        others = [o for o in self.last if o is not was and _apart_mm(o, came) > MOVED_MM]
        return any(
            o is not look
            and _alike(o, was)
            and MOVED_MM < _apart_mm(o, was) < reach_mm
            and not any(
                _apart_mm(other, o) < reach_mm + kinds.least_apart_mm and _left(other, o, seen)
                for other in others
            )
            for o in seen
        )


def _left(ball: Observation, look: Observation, seen: tuple[Observation, ...]) -> bool:
    """Whether a ball is seen no more where it was, so that another look may be of it."""
    return all(_apart_mm(ball, now) > MOVED_MM for now in seen if now is not look)


def _apart_mm(a: Observation, b: Observation) -> float:
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)


def _alike(a: Observation, b: Observation) -> bool:
    """Whether one kind is possible for both by their looks."""
    return any(min(p, q) > MAY_BE for p, q in zip(a.colour_logp, b.colour_logp, strict=True))
