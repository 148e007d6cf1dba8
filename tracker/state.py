"""The tracker's state between two images; the steps that change it are functions beside it. Never leaves the
package.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from calibration.table.specs import TableSpec
from tracker.association.follower import Follower
from tracker.ball import Ball
from tracker.detections.afterimages import Afterimages
from tracker.events import HandMove, TrackerEvent, TrackRow
from tracker.explain.sound import Hearing
from tracker.explain.window import Window
from tracker.gaps.absence import Absence
from tracker.identity.names import read
from tracker.layout.triangle import TriangleWatch
from tracker.machine import Phase
from tracker.place import Rest
from tracker.stroke.span import Span

LOST_INTERVALS = 2.6
"""A pause of this many image intervals while balls move means lost images."""
UNTIMED_S = 0.2
"""After a pause this long inside a stroke no contact time is claimed."""


@dataclass(slots=True)
class State:
    """`span` while something moves, `absence` while no image can be used. Times on the images' clock.
    `lost`: the last images lost while all lay still, as (start, end). `begun_s`: the image by which the
    balls were named. `still_since_s`: when the last span was closed.
    `last_s`: last image that showed the table; `any_s`: of any kind, repeated ones
    too; `passed_s`: last one that was passed over. `earlier`: where balls lay before the last stroke.
    `names_open`: the last stroke was told with a doubt about names that later looks may settle.
    `lifted`: told when the ball has not come back where it lay. `window`: what was seen
    since all was last still, where strokes are explained. `hearing`: of a recording with sound.
    `out`: events that are still to be returned.
    """

    table: TableSpec
    follower: Follower
    phase: Phase = Phase.EMPTY
    span: Span | None = None
    absence: Absence | None = None
    intervals: deque[float] = field(default_factory=lambda: deque(maxlen=31))
    nominal_s: float = 0.0
    strokes: int = 0
    earlier: dict[str, tuple[float, float]] = field(default_factory=dict)
    begun_s: float = 0.0
    still_since_s: float = 0.0
    last_s: float = 0.0
    any_s: float = 0.0
    passed_s: float = 0.0
    skipped: int = 0
    lost: tuple[float, float] | None = None
    triangle: TriangleWatch = field(default_factory=TriangleWatch)
    afterimages: Afterimages = field(default_factory=Afterimages)
    window: Window | None = None
    hearing: Hearing | None = None
    lifted: dict[str, HandMove] = field(default_factory=dict)
    names_open: bool = False
    out: list[TrackerEvent] = field(default_factory=list)

    def lost_images(self, pause_s: float) -> bool:
        """Whether a pause between two images is too long for the camera's rate."""
        return self.nominal_s > 0 and pause_s > LOST_INTERVALS * self.nominal_s

    def tell(self, event: TrackerEvent) -> None:
        """Say something: after the stroke that is under way, else now."""
        if self.span is not None:
            self.span.later.append(event)
        else:
            self.out.append(event)

    def read_names(self, t_s: float, final: bool) -> None:
        """Tell what looks since the last stroke say of its balls' names; `final`: all that they will say."""
        said = read(self.follower.balls, self.names_open, t_s, final)
        self.names_open = self.names_open and not final
        if said is not None:
            self.out.append(said)

    def begin_row(self, ball: Ball, place: Rest | None = None) -> None:
        """The row still owed for the beginning of a ball's rest."""
        if ball.row_owed:
            r = place or ball.rest
            self.out.append(TrackRow(ball.row_since_s, ball.name, r.x_mm, r.y_mm, r.sigma_mm, "rest"))
            ball.row_owed = False
