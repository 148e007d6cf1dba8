"""The case adapter of every game."""

from __future__ import annotations

from referee.cases import carrom, english_billiards
from referee.cases.model import CaseAdapter
from referee.cases.pool import blackball, eight_ball, fourteen_one, nine_ball, ten_ball, wepf
from referee.cases.snooker import adapter as snooker
from referee.cases.snooker import six_red

_ADAPTERS: tuple[CaseAdapter, ...] = (
    snooker,
    six_red,
    english_billiards,
    eight_ball,
    nine_ball,
    ten_ball,
    fourteen_one,
    blackball,
    wepf,
    carrom,
)
ADAPTERS: dict[str, CaseAdapter] = {adapter.GAME.name: adapter for adapter in _ADAPTERS}
"""By the game's name."""
