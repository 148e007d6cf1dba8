"""The case adapter of every game, imported when its game is first asked for.

Snooker's adapter brings numpy and shapely, which takes as long as ruling on a whole match of pool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import cast

from calibration.table.games import GAMES, rules_of
from referee.cases.model import CaseAdapter
from referee.cases.pool.numbered import Numbered

_MODULES = {
    "snooker": "snooker.adapter",
    "six_red": "snooker.six_red",
    "english_billiards": "english_billiards",
    "wpa_8ball": "pool.eight_ball",
    "wpa_9ball": "pool.nine_ball",
    "wpa_10ball": "pool.ten_ball",
    "wpa_14_1": "pool.fourteen_one",
    "blackball": "pool.blackball",
    "wepf": "pool.wepf",
    "carrom": "carrom",
}


class _Adapters(Mapping[str, CaseAdapter]):
    """Adapters by the game's name."""

    def __getitem__(self, name: str) -> CaseAdapter:
        rules = rules_of(name)
        if rules != name and GAMES[name].pieces.numbered:
            return Numbered(self[rules])
        return cast(CaseAdapter, import_module(f"referee.cases.{_MODULES[rules]}"))

    def __iter__(self) -> Iterator[str]:
        return iter(GAMES)

    def __len__(self) -> int:
        return len(GAMES)


ADAPTERS: Mapping[str, CaseAdapter] = _Adapters()
"""By the game's name."""
