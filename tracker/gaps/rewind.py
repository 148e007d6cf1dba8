"""Going back to where all lay still, to follow a span again by the camera's clock.

Where a recording repeats images and leaves others out, balls seem to jump and to stop, and images to be
lost that never were. How many of the camera's intervals lie between two images is told by the whole span
(`tracker.explain.clock`). So the state is kept as it was just before the span, and the span's images are
taken once more, with their times put right.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field

from tracker.explain.clock import by_camera
from tracker.explain.window import BEFORE_S
from tracker.state import State
from vision.observation import ImageObservations

KEPT_S = 0.8 * BEFORE_S
"""The state is kept anew after so long: all images since are still in the window."""
EVEN_STROKES = 4
"""A recording that repeats nothing in so many strokes has an even clock."""


@dataclass(slots=True)
class Rewind:
    """The state while all lay still, and what came since. `kept_s`: when it was kept; `last`: number of the
    last image in it; `opened`: of the first image with a span; `times_s`: of all images since, examined or
    not. `even`: strokes so far in which nothing was repeated.
    """

    kept: State | None = None
    kept_s: float = -math.inf
    last: int = -1
    opened: int | None = None
    times_s: list[float] = field(default_factory=list)
    even: int = 0

    @classmethod
    def needless(cls) -> Rewind:
        """Of a recording whose clock is known to be even."""
        return cls(even=EVEN_STROKES)

    def before(self, s: State, image: ImageObservations) -> None:
        """Keep the state before an image, if it is time to and all lies still."""
        if self.even >= EVEN_STROKES:
            self.kept = None
        elif s.span is None and image.t_s - self.kept_s >= KEPT_S:
            self.kept, self.kept_s = copy.deepcopy(s), image.t_s
            self.kept.out, self.opened, self.times_s = [], None, []
            self.last = image.index - 1
        self.passed_over(image.t_s)

    def passed_over(self, t_s: float) -> None:
        """Note an image, examined or not."""
        if self.kept is not None:
            self.times_s.append(t_s)

    def back_to(self, t_s: float) -> None:
        """The images behind a time are taken once more."""
        self.times_s = [t for t in self.times_s if t <= t_s]

    def after(self, s: State, image: ImageObservations) -> None:
        """Note when a span was opened."""
        if s.span is not None and self.opened is None:
            self.opened = image.index

    def retaken(self, s: State) -> list[tuple[ImageObservations, list[float], bool]]:
        """The images of the span by the camera's clock, each with the times of those left out before it, and
        whether what is said of it has been told already; none where the recording's clock is even. Copies
        that nobody had noticed are noted as repeated in the span.
        """
        span, window = s.span, s.window
        if span is None or window is None or self.kept is None or self.opened is None:
            return []
        raw_s = {i.index: i.t_s for i in window.images}
        images = by_camera(window.images, span.repeated)
        if all(i.t_s == raw_s[i.index] for i in images):
            self.even += not span.repeated
            return []
        once = {i.index for i in images}
        span.repeated = sorted({*span.repeated, *(t for n, t in raw_s.items() if n not in once)})
        found, since_s = [], self.kept.last_s
        for i in images:
            at_s = raw_s[i.index]
            if i.index > self.last:
                left_out = [t + i.t_s - at_s for t in self.times_s if since_s < t < at_s]
                found.append((i, left_out, i.index < self.opened))
            since_s = at_s
        return found
