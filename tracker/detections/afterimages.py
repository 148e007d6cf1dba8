"""Afterimages: what moves is seen once more where it was an image or two before.

Cameras against noise average over time, and a change of the image rate mixes two images. A ball is not in two
places at once: of two looks the one where it was in the image before is none, if the other is further on.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from calibration.table.pieces import PieceSet
from calibration.table.specs import PointMm
from tracker.explain.detections import MAY_BE
from vision.observation import ImageObservations, Observation

MOVED_MM = 12.0
"""What was this far from any look of an image before moves. Assumed."""
AT_MM, AT_SIGMAS = 2.0, 3.0
"""An afterimage lies so near to the look before, and within so many sigmas of both. Assumed."""
MOST_STEPS, STRAIGHT = 2.5, 0.5
"""From image to image a ball goes no further than so many times its step before (it sets off within one, and
what is left out makes two of one), and within 60 degrees of it. Assumed.
"""
MOST_IMAGES = 3
"""An afterimage lasts so long. Assumed."""
FASTEST_MM_S = 8000.0
"""What is seen further away an image before is another thing."""


@dataclass(slots=True)
class Afterimages:
    """The last two images, theirs left out. `fading`: those of the last image, each with the number of images
    in which it was one. `came_from`: where what moved had been, of the last images each.
    """

    last: ImageObservations | None = None
    before: ImageObservations | None = None
    fading: list[tuple[Observation, int]] = field(default_factory=list)
    came_from: deque[list[Observation]] = field(default_factory=lambda: deque(maxlen=MOST_IMAGES))

    def without(
        self, image: ImageObservations, lying: Sequence[PointMm], kinds: PieceSet
    ) -> ImageObservations:
        """The image without the afterimages in it; to be given every image that is not repeated, in order.
        `lying`: places of balls that are known to lie there.
        """
        steps = self._steps(lying)
        self.came_from.append([s.came for s in steps])
        kept, fading = list[int](), list[tuple[Observation, int]]()
        for k, o in enumerate(image.observations):
            age = max((age for was, age in self.fading if _at(o, was)), default=0)
            if 0 < age < MOST_IMAGES or any(s.leaves(o, image, kinds) for s in steps):
                fading.append((o, age + 1))
            else:
                kept.append(k)
        if fading:
            image = image.only(kept)
        self.last, self.before, self.fading = image, self.last, fading
        return image

    def _steps(self, lying: Sequence[PointMm]) -> list[_Step]:
        """The steps of what moved between the last two images."""
        if self.last is None or self.before is None:
            return []
        most_mm = FASTEST_MM_S * (self.last.t_s - self.before.t_s)
        steps = list[tuple[Observation, Observation]]()
        for to in self.last.observations:
            if any(math.dist(place, (to.x_mm, to.y_mm)) < MOVED_MM for place in lying):
                continue
            near = [o for o in self.before.observations if _apart_mm(o, to) < most_mm and _alike(o, to)]
            came = min(near, key=lambda o: _apart_mm(o, to), default=to)
            if _apart_mm(came, to) > MOVED_MM:
                steps.append((came, to))
        own = [o for image in self.came_from for o in image]
        seen = [o for o in self.last.observations if steps and not any(_at(o, was) for was in own)]
        return [_Step(came, to, seen) for came, to in steps]


@dataclass(frozen=True, slots=True)
class _Step:
    """From where to where a ball went between two images, and what was `seen` in the second but where balls
    had been that moved.
    """

    came: Observation
    to: Observation
    seen: Sequence[Observation]

    def leaves(self, look: Observation, image: ImageObservations, kinds: PieceSet) -> bool:
        """Whether a look in the next image shows where the ball was, which is seen further on.

        The cloth shows through it, so that it may look like any ball.
        """
        return _at(look, self.to) and any(
            o is not look and self._goes_on(o) and not self._is_another(o, image, kinds)
            for o in image.observations
        )

    def _goes_on(self, o: Observation) -> bool:
        """Whether a look may be of the ball one image later."""
        ux, uy = self.to.x_mm - self.came.x_mm, self.to.y_mm - self.came.y_mm
        dx, dy = o.x_mm - self.to.x_mm, o.y_mm - self.to.y_mm
        gone, step = math.hypot(dx, dy), math.hypot(ux, uy)
        ahead = dx * ux + dy * uy > STRAIGHT * gone * step
        return ahead and MOVED_MM < gone < MOST_STEPS * step and _alike(o, self.to)

    def _is_another(self, o: Observation, image: ImageObservations, kinds: PieceSet) -> bool:
        """Whether a look may be of a ball that it met: one that is looked for where it was, and not seen."""
        reach_mm = MOST_STEPS * _apart_mm(self.came, self.to) + kinds.least_apart_mm
        return any(
            b is not self.to
            and _apart_mm(b, self.came) > MOVED_MM
            and _apart_mm(b, o) < reach_mm
            and (image.looked is None or image.looked.at(b.x_mm, b.y_mm))
            and all(_apart_mm(b, n) > MOVED_MM for n in image.observations if n is not o)
            for b in self.seen
        )


def _at(look: Observation, was: Observation) -> bool:
    """Whether a look is where another was, as far as their sigmas tell."""
    return _apart_mm(look, was) < AT_MM + AT_SIGMAS * math.hypot(look.sigma_mm, was.sigma_mm)


def _apart_mm(a: Observation, b: Observation) -> float:
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)


def _alike(a: Observation, b: Observation) -> bool:
    """Whether one kind is possible for both by their looks."""
    return any(min(p, q) > MAY_BE for p, q in zip(a.colour_logp, b.colour_logp, strict=True))
