"""Six-red snooker (snooker-sixred-billiards-wpa.txt): the usual rules with any number of reds.

1 and 2: at most five consecutive misses are called; after four the offender is warned; at the fifth the
next player plays from where the balls are, has the offender play from there, or, unless snookers are
required, places the cue-ball anywhere. 3: nobody may be snookered behind a nominated colour.
"""

from __future__ import annotations

from dataclasses import replace

from calibration.table.games import GAMES
from referee.rules.game import Game
from referee.rules.snooker import Options, Ruling, State, apply, new_frame
from referee.rules.snooker.engine import GAME as SNOOKER
from referee.rules.snooker.facts import Facts

MOST_MISSES = 5
_REDS = GAMES["six_red"].reds

__all__ = ["GAME", "MOST_MISSES", "apply", "new_six_red_frame", "options"]


def options(reds: int = _REDS) -> Options:
    """The rule options of a frame with that many reds (intro: any number)."""
    return Options(reds=reds, most_misses=MOST_MISSES, never_behind_nominated=True)


def new_six_red_frame(starter: str = "A", reds: int = _REDS) -> State:
    """A frame about to start."""
    return new_frame(starter, options(reds))


GAME: Game[State, Facts, Ruling] = replace(SNOOKER, name="six_red", new_frame=new_six_red_frame)
