"""Start positions of every game as `vision.render` wants them: positions, colours and marks, no rules."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from calibration.table.board import CarromBoard, board_table
from calibration.table.games import BY_NUMBER, is_snooker, rules_of
from calibration.table.games import GAMES as GAME_SPECS
from calibration.table.specs import TableSpec
from referee.quality.synthetic.facts import write_facts
from referee.rules.common import racks
from referee.rules.common.racks import Rack
from vision.render.clip import ClipOptions, make_clip
from vision.render.play.director import Script
from vision.render.play.game import GameStart, StartBall, make_game_clip
from vision.render.play.match import Layout, Physics

GAMES: tuple[str, ...] = racks.GAMES
_BREAK_MM_S = {"english_billiards": 1800.0, "carrom": 3500.0, "wpa_14_1": 4500.0}
_CLOTH = "blue"  # what most pool tables have; snooker's own default is green


def film(
    game: str,
    out: Path,
    options: ClipOptions,
    physics: Physics,
    progress: Callable[[int, int], None] | None = None,
) -> Script:
    """Make the clip of a game: snooker in mid-frame, six-red and all others from their start positions."""
    if game == "snooker":
        return make_clip(out, options, physics, progress)
    rack = racks.rack(game, options.seed)
    if is_snooker(game):
        table = rack.surface
        assert isinstance(table, TableSpec)
        return make_clip(
            out,
            replace(options, table=table, reds=GAME_SPECS[game].reds),
            physics,
            progress,
            six_red_layout(rack),
        )
    chosen = (
        replace(options, cloth=_CLOTH) if game.startswith("wpa_") and options.cloth == "green" else options
    )
    script = make_game_clip(out, game_start(rack), chosen, physics, progress)
    if game != "wpa_14_1_rerack":  # it stands in the middle of a game: no facts file begins there
        write_facts(out, game, script)
    return script


def six_red_layout(rack: Rack) -> Layout:
    """A snooker rack by the clips' names (`red_01`), the cue-ball in the D."""
    named = {
        f"red_{int(b.ball.removeprefix('red_')):02d}" if b.colour == "red" else b.ball: b.xy_mm
        for b in rack.balls
    }
    return {**named, "white": (rack.in_hand.x_mm, rack.in_hand.y_mm)}


def game_start(rack: Rack) -> GameStart:
    """A rack as a clip's start; carrom's board becomes a table of its size whose origin is the bottom
    edge.
    """
    board = rack.surface
    if isinstance(board, CarromBoard):
        return _carrom(rack, board)
    billiards = rules_of(rack.game) == "english_billiards"
    spots = tuple((b.ball, b.x_mm, b.y_mm) for b in rack.balls) if billiards else ()
    return GameStart(
        table=board,
        balls=tuple(StartBall(b.ball, b.colour, b.x_mm, b.y_mm, b.ball.isdigit()) for b in rack.balls),
        cue_mm=(rack.in_hand.x_mm, rack.in_hand.y_mm),
        break_speed_mm_s=_BREAK_MM_S.get(rack.game, 6500.0),
        in_order=rack.game in ("wpa_9ball", "wpa_10ball"),
        last=("8",) if GAME_SPECS[rack.game.removesuffix("_rerack")].groups == BY_NUMBER else ("black",),
        respots=spots,
        lines=_pool_lines(board) if rack.game.startswith("wpa_") else (),
        turns=not billiards,  # each player has a white of his own: the clip is one visit
    )


def _pool_lines(table: TableSpec) -> tuple[tuple[float, float, float, float], ...]:
    """Head string and foot spot (WPA 8.1)."""
    w, length = table.half_width_mm, table.length_mm
    return ((-w, length / 4, w, length / 4), (0.0, length * 3 / 4, 5.0, math.nan))


def _carrom(rack: Rack, board: CarromBoard) -> GameStart:
    """The board with its C/m; the striker is the clip's cue-ball."""
    half = board.half_mm
    return GameStart(
        table=board_table(board),
        # a hyphen: `white_3` would be drawn and named like the striker, which clips call `white`
        balls=tuple(StartBall(b.ball.replace("_", "-"), b.colour, b.x_mm, b.y_mm + half) for b in rack.balls),
        cue_mm=(rack.in_hand.x_mm, rack.in_hand.y_mm + half),
        break_speed_mm_s=_BREAK_MM_S["carrom"],
        cue_colour="striker",
        cue_returns=True,
    )
