"""The rack of any game but snooker as a live table publishes it: who plays, what is on, what may be chosen.

Pure, as `scoreboard.py` is for snooker's frames.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from calibration.table.specs import TableSpec
from referee.facts.seen import SeenBall
from referee.live.engine.scoreboard import NO_FRAME, FrameNow, frame_now, phase_of, side_of
from referee.live.engine.state import Phase, Side
from referee.match.games.fold import GamePosition
from referee.match.position import Position

_AT_TABLE = ("shooter", "player", "striker", "turn")
"""What the games' states call the player at the table."""


def rack_now(position: Position, table: TableSpec, layout: Sequence[SeenBall]) -> FrameNow:
    """The frame, rack, game or board under way at a position of the fold. `layout`: what rests now."""
    if not isinstance(position, GamePosition):
        return frame_now(position, table, layout)
    if position.rack is None:
        return NO_FRAME
    state, values = position.rack.state, json.loads(position.last_values)
    choice = game_choice(position)
    return FrameNow(
        break_points=position.run,
        striker=side_at_table(position),
        ball_on=_on(state, side_at_table(position)),
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


def side_at_table(position: GamePosition) -> Side | None:
    """Who plays next; None between racks."""
    state = None if position.rack is None else position.rack.state
    said = next((getattr(state, k) for k in _AT_TABLE if isinstance(getattr(state, k, None), str)), None)
    return side_of(said) if said in ("A", "B") else None


def game_choice(position: Position) -> tuple[Side, tuple[str, ...]] | None:
    """Who has a choice to make and what he may choose; None where there is none."""
    if not isinstance(position, GamePosition) or position.rack is None:
        return None
    state = position.rack.state
    chooser, options = getattr(state, "chooser", None), getattr(state, "options", ())
    if chooser not in ("A", "B") or len(options) < 2:
        return None
    return side_of(chooser), tuple(str(o) for o in options)


def _on(state: Any, side: Side | None) -> str | None:
    """The ball, group or colour of the player at the table; None where any may be played."""
    if side is None:
        return None
    if hasattr(state, "lowest"):
        return str(state.lowest)
    for name in ("group", "colour"):
        if callable(getattr(state, name, None)):
            found = getattr(state, name)(side)
            return None if found is None else str(found)
    return str(state.of(side).colour) if hasattr(state, "of") else None
