"""The case adapter of every game, imported when its game is first asked for.

Snooker's adapter brings numpy and shapely, which takes as long as ruling on a whole match of pool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import cast

from referee.cases.model import CaseAdapter

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
        return cast(CaseAdapter, import_module(f"referee.cases.{_MODULES[name]}"))

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


ADAPTERS: Mapping[str, CaseAdapter] = _Adapters()
"""By the game's name."""
