"""Snooker (snooker-wpbsa.txt): `apply(state, facts) -> (state, ruling)`, pure and replayable."""

from referee.rules.snooker.engine import GAME, apply
from referee.rules.snooker.ruling import FoulPart, FrameEnd, Miss, Reason, Ruling, Warn
from referee.rules.snooker.state import (
    ANY_COLOUR,
    Misses,
    Offence,
    Options,
    Pending,
    Spotting,
    State,
    new_frame,
    points_on_table,
    remaining_value,
    snookers_required,
)

__all__ = [
    "ANY_COLOUR",
    "GAME",
    "FoulPart",
    "FrameEnd",
    "Miss",
    "Misses",
    "Offence",
    "Options",
    "Pending",
    "Reason",
    "Ruling",
    "Spotting",
    "State",
    "Warn",
    "apply",
    "new_frame",
    "points_on_table",
    "remaining_value",
    "snookers_required",
]
