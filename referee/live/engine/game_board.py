"""The rack of any game but snooker as a live table publishes it: who plays, what is on, what may be chosen.

Pure, as `scoreboard.py` is for snooker's frames.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from calibration.table.specs import TableSpec
from referee.facts.seen import SeenBall
from referee.live.engine.scoreboard import NO_FRAME, FrameNow, frame_now, phase_of
from referee.live.engine.state import Phase, Side
from referee.match.games.fold import GamePosition
from referee.match.position import Position
from referee.rules.registry import GAMES


def rack_now(position: Position, table: TableSpec, layout: Sequence[SeenBall]) -> FrameNow:
    """The frame, rack, game or board under way at a position of the fold. `layout`: what rests now."""
    if not isinstance(position, GamePosition):
        return frame_now(position, table, layout)
    if position.rack is None:
        return NO_FRAME
    values = json.loads(position.last_values)
    at, choice = GAMES[position.game].at_table(position.rack.state), game_choice(position)
    return FrameNow(
        break_points=position.run,
        striker=at.by,
        ball_on=at.on,
        in_hand=bool(values.get("cue_ball_in_hand") or values.get("cue_ball_from_baulk")),
        options=() if choice is None else choice[1],
    )


def phase_now(position: Position, winner: Side | None) -> Phase:
    """Where the match stands. `winner`: of the match."""
    if winner is not None or not isinstance(position, GamePosition):
        return phase_of(position, winner)
    if position.rack is not None:
        return "frame"
    return "between_frames" if position.frames else "waiting"


def game_choice(position: Position) -> tuple[Side, tuple[str, ...]] | None:
    """Who has a choice to make and what he may choose; None where there is none."""
    if not isinstance(position, GamePosition) or position.rack is None:
        return None
    at = GAMES[position.game].at_table(position.rack.state)
    return None if at.chooser is None or len(at.options) < 2 else (at.chooser, at.options)
