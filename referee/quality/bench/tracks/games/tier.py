"""The tracks tier of every game that is no kind of snooker: pieces, or whole racks, through tracker, readings
and rules.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from referee.facts.calls import Call
from referee.facts.judged import JudgedStroke
from referee.match.games.board_frame import in_board_frame
from referee.match.referee import Referee
from referee.quality.bench.tracks.cells import Cells
from referee.quality.bench.tracks.errors import ErrorModel
from referee.quality.bench.tracks.feed import fed
from referee.quality.bench.tracks.games.judge import judge_game_piece
from referee.quality.bench.tracks.games.play import GameWorld, PlayedGame, play_game
from referee.quality.bench.tracks.judge import InventedStroke, TrackStroke
from referee.quality.bench.tracks.observe import Filmed
from referee.quality.bench.tracks.setup import RATES_HZ, STROKES_A_PIECE, TIER, PieceSetup, with_calibration
from tracker import Tracker
from tracker.events import Layout, LayoutChange, TrackerEvent, TrackRow

WHOLE_RACK_STROKES, WHOLE_RACK_SKILL = 120, 0.9


def measure_game_piece(
    seed: int, piece: int, model: ErrorModel, world: GameWorld
) -> tuple[list[TrackStroke], list[InventedStroke]]:
    """One piece from its seed to its records, with every call made."""
    setup, played = set_up_game(seed, piece, model, world)
    judged = refereed(setup, played, world, model, setup.played.calls)
    return judge_game_piece(piece, setup.camera.camera, setup.image_hz, setup.played, judged, world)


def set_up_game(
    seed: int, piece: int, model: ErrorModel, world: GameWorld, whole_rack: bool = False
) -> tuple[PieceSetup, PlayedGame]:
    """Camera, image rate and strokes of a piece, or of a rack from the break on until it is over."""
    rng = np.random.default_rng([seed, TIER, piece, 1])
    camera = model.cameras[int(rng.integers(len(model.cameras)))]
    image_hz = float(rng.choice(RATES_HZ))
    own = np.random.default_rng([seed, TIER, piece, 2])
    if whole_rack:
        played = play_game(own, world, WHOLE_RACK_STROKES, racked=True, skill=WHOLE_RACK_SKILL)
    else:
        played = play_game(own, world, STROKES_A_PIECE)
    return PieceSetup(played.span, camera, image_hz, (seed, TIER, piece, 3), game=world.game), played


def refereed(
    setup: PieceSetup, played: PlayedGame, world: GameWorld, model: ErrorModel, calls: Sequence[Call]
) -> tuple[JudgedStroke, ...]:
    """The strokes that tracker, intake, readings and rules make of what is seen of a piece."""
    rng = np.random.default_rng(list(setup.images_seed))
    cells = Cells(world.table)
    camera, hz = setup.camera, setup.image_hz
    filmed = Filmed(setup.played, model, camera, world.table, cells, rng, hz, world.pieces)
    tracker = Tracker(world.table, world.pieces)
    referee = Referee(world.table, played.start, calls, game=world.game)

    def take(events: Sequence[TrackerEvent]) -> None:
        for event in events:
            if not isinstance(event, TrackRow):
                told = with_calibration(event, setup.camera, world.table)
                referee.feed(in_board_frame(told, world.table))

    for image in filmed.images():
        take(fed(tracker, image))
    layout = _end_layout(tracker, world)
    take(tracker.close())
    referee.close(layout)
    return referee.match.strokes


def _end_layout(tracker: Tracker, world: GameWorld) -> Layout | None:
    """What lies there at the end, as `referee.review.watching` tells it."""
    layout = tracker.settled_layout()
    if layout is None:
        return None
    shown = in_board_frame(LayoutChange(0.0, layout, rack=False), world.table)
    assert isinstance(shown, LayoutChange)
    return shown.layout
