"""What a piece of the tracks tier, of any game, is made of beside its strokes: camera, image rate, seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from calibration.table.specs import TableSpec
from referee.quality.bench.tracks.errors import CameraErrors
from referee.quality.bench.tracks.play import PlayedSpan
from tracker.events import HandMove, Layout, StrokeRecord, TrackerEvent

TIER = 2  # keeps these seeds apart from the pixel tier's
STROKES_A_PIECE = 8
RATES_HZ = (25.0, 50.0)


@dataclass(frozen=True, slots=True)
class PieceSetup:
    """What a piece's seed decides beside its strokes."""

    played: PlayedSpan
    camera: CameraErrors
    image_hz: float
    images_seed: tuple[int, ...]


def with_calibration(event: TrackerEvent, camera: CameraErrors, table: TableSpec) -> TrackerEvent:
    """The event with calibration's share in the sigma of what rests, as `referee.review.watching` adds it."""

    def sigma_mm(x: float, y: float, own: float) -> float:
        return math.hypot(own, camera.sigma_mm(x, y, table))

    def told(layout: Layout) -> Layout:
        return tuple(replace(b, sigma_mm=sigma_mm(b.x_mm, b.y_mm, b.sigma_mm)) for b in layout)

    if isinstance(event, StrokeRecord):
        return replace(event, before=told(event.before), after=told(event.after))
    if isinstance(event, HandMove) and event.to_mm is not None:
        x, y, own = event.to_mm
        return replace(event, to_mm=(x, y, sigma_mm(x, y, own)), own_sigma_mm=own)
    return event
