"""A piece of the tracks tier without its strokes: camera, image rate, seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibration.table.specs import TableSpec
from referee.quality.bench.tracks.errors import CameraErrors
from referee.quality.bench.tracks.play import PlayedSpan
from tracker.events import TrackerEvent, with_stated_sigma, with_stated_turns
from vision.observation import UnusableReason

TIER = 2  # keeps these seeds apart from the pixel tier's
STROKES_A_PIECE = 8
RATES_HZ = (25.0, 50.0)


@dataclass(frozen=True, slots=True)
class Interruption:
    """A time without the table: another camera's picture (`other_view`), or no image (`images_lost`)."""

    since_s: float
    until_s: float
    reason: UnusableReason


@dataclass(frozen=True, slots=True)
class PieceSetup:
    """What a piece's seed decides beside its strokes. `interruptions`: in the order of their times.
    `game`: whose rules judge.
    """

    played: PlayedSpan
    camera: CameraErrors
    image_hz: float
    images_seed: tuple[int, ...]
    interruptions: tuple[Interruption, ...] = ()
    game: str = "snooker"


def with_calibration(event: TrackerEvent, camera: CameraErrors, table: TableSpec) -> TrackerEvent:
    """The event with calibration's share in the sigma of what rests, and of where balls turn."""

    def sigma_mm(x_mm: float, y_mm: float, own_mm: float) -> float:
        return math.hypot(own_mm, camera.sigma_mm(x_mm, y_mm, table))

    return with_stated_turns(with_stated_sigma(event, sigma_mm), sigma_mm)
