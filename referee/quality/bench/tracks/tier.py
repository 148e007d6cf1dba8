"""The tracks tier: strokes by the ten thousand through tracker, intake and rules, with errors of the pixel
tier.

The unit of work is a chunk of pieces; a piece is a few strokes of a frame with its own seed, `[seed, TIER,
piece]`, its own camera among those of the error model, a new tracker and a new referee.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from calibration.table.games import is_snooker
from calibration.table.specs import SNOOKER_TABLE, TableSpec
from referee.match.referee import Collected, Referee
from referee.match.snooker.six_red import first_layout, game_options
from referee.quality.bench.tracks.cells import Cells
from referee.quality.bench.tracks.errors import ErrorModel
from referee.quality.bench.tracks.feed import fed
from referee.quality.bench.tracks.games.play import world_of
from referee.quality.bench.tracks.games.tier import measure_game_piece
from referee.quality.bench.tracks.judge import InventedStroke, TrackStroke, judge_piece
from referee.quality.bench.tracks.observe import Filmed
from referee.quality.bench.tracks.physics import NoseShape
from referee.quality.bench.tracks.play import play
from referee.quality.bench.tracks.setup import RATES_HZ, STROKES_A_PIECE, TIER, PieceSetup, with_calibration
from tracker import Tracker
from tracker.events import TrackerEvent, TrackRow
from vision.observation import ImageObservations


@dataclass(frozen=True, slots=True)
class TrackPlan:
    """One chunk: pieces `first` to `first + pieces - 1`. `errors`: the model's file."""

    number: int
    seed: int
    first: int
    pieces: int
    errors: Path
    game: str = "snooker"


@dataclass(frozen=True, slots=True)
class TrackChunk:
    """What a chunk brought, with the processor time that it took."""

    strokes: tuple[TrackStroke, ...]
    invented: tuple[InventedStroke, ...]
    cpu_s: float


@lru_cache(maxsize=2)
def load_errors(path: Path) -> ErrorModel:
    """The model of a file, read once a process."""
    return ErrorModel.load(path)


def plan_tracks(
    seed: int, strokes: int, errors: Path, chunk_pieces: int = 10, game: str = "snooker"
) -> tuple[TrackPlan, ...]:
    """Chunks for at least this many strokes if no frame ended early; the same seed, the same strokes."""
    pieces = -(-strokes // STROKES_A_PIECE)
    return tuple(
        TrackPlan(k, seed, first, min(chunk_pieces, pieces - first), errors, game)
        for k, first in enumerate(range(0, pieces, chunk_pieces))
    )


def measure_chunk(plan: TrackPlan) -> TrackChunk:
    """Play, observe, track and judge the pieces of a chunk."""
    began = time.process_time()
    model = load_errors(plan.errors)
    measure = _measure(plan, model)
    strokes: list[TrackStroke] = []
    invented: list[InventedStroke] = []
    for piece in range(plan.first, plan.first + plan.pieces):
        new, more = measure(piece)
        strokes += new
        invented += more
    return TrackChunk(tuple(strokes), tuple(invented), time.process_time() - began)


def _measure(
    plan: TrackPlan, model: ErrorModel
) -> Callable[[int], tuple[list[TrackStroke], list[InventedStroke]]]:
    """How a piece of the plan's game is measured."""
    if not is_snooker(plan.game):
        return partial(measure_game_piece, plan.seed, model=model, world=world_of(plan.game))
    shape, cells = NoseShape(SNOOKER_TABLE), Cells(SNOOKER_TABLE)
    return lambda piece: measure_piece(plan.seed, piece, model, shape, cells, plan.game)


def measure_piece(
    seed: int, piece: int, model: ErrorModel, shape: NoseShape, cells: Cells, game: str = "snooker"
) -> tuple[list[TrackStroke], list[InventedStroke]]:
    """One piece from its seed to its records."""
    setup = set_up(seed, piece, model, shape, game)
    return refereed(setup, piece, track(film(setup, model, shape, cells)), shape.table)


def refereed(
    setup: PieceSetup, piece: int, events: Sequence[TrackerEvent], table: TableSpec
) -> tuple[list[TrackStroke], list[InventedStroke]]:
    """What the referee makes of a piece's events, against its truth."""
    shown = next((seen for e in events if (seen := first_layout(e)) is not None), ())
    referee = Referee(table, calls=setup.played.calls, options=game_options(setup.game, shown))
    told = (with_calibration(e, setup.camera, table) for e in events if not isinstance(e, TrackRow))
    outputs = [o for e in told for o in referee.feed(e)]
    found = Collected(lambda s: s, [*outputs, *referee.close()])
    return judge_piece(
        piece,
        setup.camera.camera,
        setup.image_hz,
        setup.played,
        found.strokes,
        found.hands,
        found.checks,
        found.warnings,
        table,
    )


def set_up(seed: int, piece: int, model: ErrorModel, shape: NoseShape, game: str = "snooker") -> PieceSetup:
    """Camera, image rate and strokes of a piece of snooker or a kind of it."""
    rng = np.random.default_rng([seed, TIER, piece, 1])
    camera = model.cameras[int(rng.integers(len(model.cameras)))]
    image_hz = float(rng.choice(RATES_HZ))
    played = play(np.random.default_rng([seed, TIER, piece, 2]), shape, STROKES_A_PIECE, game)
    return PieceSetup(played, camera, image_hz, (seed, TIER, piece, 3), game=game)


def film(setup: PieceSetup, model: ErrorModel, shape: NoseShape, cells: Cells) -> list[ImageObservations]:
    """The piece's images as vision would report them."""
    rng = np.random.default_rng(list(setup.images_seed))
    filmed = Filmed(setup.played, model, setup.camera, shape.table, cells, rng, setup.image_hz)
    return list(filmed.images(setup.interruptions))


def track(images: list[ImageObservations]) -> list[TrackerEvent]:
    """Everything that a new tracker says of the images."""
    tracker = Tracker(SNOOKER_TABLE)
    return [e for i in images for e in fed(tracker, i)] + tracker.close()
