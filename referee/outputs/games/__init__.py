"""Matches of any game in documents and pages: `SCORERS` has what each game's scorer keeps and says."""

from __future__ import annotations

from referee.outputs.games.billiards import EnglishBilliards
from referee.outputs.games.carrom import Carrom
from referee.outputs.games.pool import Blackball, EightBall, Numbered, Rotation, StraightPool, Wepf
from referee.outputs.games.scorer import Scorer
from referee.outputs.games.snooker import Snooker

SCORERS: dict[str, Scorer] = {
    "snooker": Snooker(),
    "six_red": Snooker(),
    "english_billiards": EnglishBilliards(),
    "wpa_8ball": EightBall(),
    "wpa_9ball": Rotation(),
    "wpa_10ball": Rotation(),
    "wpa_14_1": StraightPool(),
    "blackball": Blackball(),
    "wepf": Wepf(),
    "carrom": Carrom(),
    "blackball_numbered": Numbered(Blackball()),
    "english_billiards_spotted": EnglishBilliards(),
    "wepf_numbered": Numbered(Wepf()),
}
"""By the game's name."""


def scorer_of(game: str) -> Scorer:
    """The scorer of a game; an unknown one is won by racks."""
    return SCORERS.get(game, Scorer())
