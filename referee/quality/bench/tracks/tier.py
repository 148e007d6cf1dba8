"""The tracks tier: strokes by the ten thousand through tracker, intake and rules, with errors of the pixel
tier.

The unit of work is a chunk of pieces; a piece is a few strokes of a frame with its own seed, `[seed, TIER,
piece]`, its own camera among those of the error model, a new tracker and a new referee.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from calibration.table.specs import SNOOKER_TABLE, TableSpec
from referee.match.referee import Collected, Referee
from referee.quality.bench.tracks.cells import Cells
from referee.quality.bench.tracks.errors import CameraErrors, ErrorModel
from referee.quality.bench.tracks.judge import InventedStroke, TrackStroke, judge_piece
from referee.quality.bench.tracks.observe import Filmed
from referee.quality.bench.tracks.physics import NoseShape
from referee.quality.bench.tracks.play import PlayedSpan, play
from tracker import Tracker
from tracker.events import HandMove, Layout, StrokeRecord, TrackerEvent, TrackRow
from vision.observation import ImageObservations

TIER = 2  # keeps these seeds apart from the pixel tier's
STROKES_A_PIECE = 8
RATES_HZ = (25.0, 50.0)


@dataclass(frozen=True, slots=True)
class TrackPlan:
    """One chunk: pieces `first` to `first + pieces - 1`. `errors`: the model's file."""

    number: int
    seed: int
    first: int
    pieces: int
    errors: Path


@dataclass(frozen=True, slots=True)
class TrackChunk:
    """What a chunk brought, with the processor time that it took."""

    strokes: tuple[TrackStroke, ...]
    invented: tuple[InventedStroke, ...]
    cpu_s: float


@dataclass(frozen=True, slots=True)
class PieceSetup:
    """What a piece's seed decides beside its strokes."""

    played: PlayedSpan
    camera: CameraErrors
    image_hz: float
    images_seed: tuple[int, ...]


@lru_cache(maxsize=2)
def load_errors(path: Path) -> ErrorModel:
    """The model of a file, read once a process."""
    return ErrorModel.load(path)


def plan_tracks(seed: int, strokes: int, errors: Path, chunk_pieces: int = 10) -> tuple[TrackPlan, ...]:
    """Chunks for at least this many strokes if no frame ended early; the same seed, the same strokes."""
    pieces = -(-strokes // STROKES_A_PIECE)
    return tuple(
        TrackPlan(k, seed, first, min(chunk_pieces, pieces - first), errors)
        for k, first in enumerate(range(0, pieces, chunk_pieces))
    )


def measure_chunk(plan: TrackPlan) -> TrackChunk:
    """Play, observe, track and judge the pieces of a chunk."""
    began = time.process_time()
    model = load_errors(plan.errors)
    shape, cells = NoseShape(SNOOKER_TABLE), Cells(SNOOKER_TABLE)
    strokes: list[TrackStroke] = []
    invented: list[InventedStroke] = []
    for piece in range(plan.first, plan.first + plan.pieces):
        new, more = measure_piece(plan.seed, piece, model, shape, cells)
        strokes += new
        invented += more
    return TrackChunk(tuple(strokes), tuple(invented), time.process_time() - began)


def measure_piece(
    seed: int, piece: int, model: ErrorModel, shape: NoseShape, cells: Cells
) -> tuple[list[TrackStroke], list[InventedStroke]]:
    """One piece from its seed to its records."""
    setup = set_up(seed, piece, model, shape)
    events = track(film(setup, model, shape, cells))
    referee = Referee(shape.table, calls=setup.played.calls)
    told = (with_calibration(e, setup.camera, shape.table) for e in events if not isinstance(e, TrackRow))
    outputs = [o for e in told for o in referee.feed(e)]
    outputs += referee.close()
    found = Collected(lambda s: s, outputs)
    return judge_piece(
        piece,
        setup.camera.camera,
        setup.image_hz,
        setup.played,
        found.strokes,
        found.hands,
        found.checks,
        found.warnings,
        shape.table,
    )


def set_up(seed: int, piece: int, model: ErrorModel, shape: NoseShape) -> PieceSetup:
    """Camera, image rate and strokes of a piece."""
    rng = np.random.default_rng([seed, TIER, piece, 1])
    camera = model.cameras[int(rng.integers(len(model.cameras)))]
    image_hz = float(rng.choice(RATES_HZ))
    played = play(np.random.default_rng([seed, TIER, piece, 2]), shape, STROKES_A_PIECE)
    return PieceSetup(played, camera, image_hz, (seed, TIER, piece, 3))


def film(setup: PieceSetup, model: ErrorModel, shape: NoseShape, cells: Cells) -> list[ImageObservations]:
    """The piece's images as vision would report them."""
    rng = np.random.default_rng(list(setup.images_seed))
    return list(Filmed(setup.played, model, setup.camera, shape.table, cells, rng, setup.image_hz).images())


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


def track(images: list[ImageObservations]) -> list[TrackerEvent]:
    """Everything that a new tracker says of the images."""
    tracker = Tracker(SNOOKER_TABLE)
    out: list[TrackerEvent] = []
    for image in images:
        if image.unusable is None and tracker.tells_nothing(image.t_s):
            tracker.pass_over(image.t_s)  # as `referee.review.watching` does
        else:
            out += tracker.feed(image)
    return out + tracker.close()
