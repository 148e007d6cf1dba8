"""The case adapter of a game of reds and yellows that is played with solids and stripes (WEPF A(1)(a)): the
rules know reds and yellows, a case says solids and stripes, or a ball's number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from calibration.table.games import in_rules
from referee.cases.model import CaseAdapter, Position, Ruled, Step, Values
from referee.rules.common.match import Match
from referee.rules.game import Game

_GROUPS = {"red": "solids", "yellow": "stripes"}
_BALLS = {"red": "solid", "yellow": "stripe"}
_WORDS = re.compile(r"\b(red|yellow)(s|( balls?))?\b", re.IGNORECASE)
_IN_RULES = {word: kind for words in (_GROUPS, _BALLS) for kind, word in words.items()} | {
    str(n): in_rules("blackball_numbered", str(n)) for n in range(1, 16) if n != 8
}


def in_own_words(value: Any, key: str = "") -> Any:
    """Values of the rules with solids for reds and stripes for yellows; a ball is a solid or a stripe."""
    if isinstance(value, Mapping):
        return {_GROUPS.get(k, k): in_own_words(v, k) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [in_own_words(v, key) for v in value]
    if not isinstance(value, str):
        return value
    return _BALLS.get(value, value) if key == "ball" else _WORDS.sub(_own_word, value)


def _own_word(found: re.Match[str]) -> str:
    """The group for `red`, `reds` and, as the WEPF's calls have it, `Red Balls`; one ball for `red ball`."""
    kind, one = found[1].lower(), (found[3] or "").lower() == " ball"
    word = _BALLS[kind] if one else _GROUPS[kind]
    return word.capitalize() if found[1][0].isupper() else word


def _in_rules(value: Any, eight: str) -> Any:
    """A step or a start as the rules' adapter reads it. `eight`: what the rules call the 8."""
    if isinstance(value, Mapping):
        return {k: _in_rules(v, eight) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_in_rules(v, eight) for v in value]
    if not isinstance(value, str):
        return value
    verb, colon, word = value.rpartition(":")
    return f"{verb}{colon}{eight if word == '8' else _IN_RULES.get(word, word)}"


@dataclass(frozen=True, slots=True)
class Numbered:
    """The adapter of `colours`, the game of reds and yellows, in the words of solids and stripes."""

    colours: CaseAdapter

    @property
    def GAME(self) -> Game[Any, Any, Any]:
        """The rules that judge the facts."""
        return self.colours.GAME

    def _in_rules(self, value: Any) -> Any:
        """A step or a start as the rules' adapter reads it: WEPF's rules call the black the 8."""
        return _in_rules(value, "8" if self.GAME.name == "wepf" else "black")

    def fresh_start(self, match: Match, settings: Step, before: Step) -> Values:
        """The `start` of the next rack of a match."""
        found: Values = in_own_words(self.colours.fresh_start(match, settings, self._in_rules(before)))
        return found

    def begin(self, start: Step, options: Step, steps: Sequence[Step]) -> Position[Any, Any]:
        """The position before the first step."""
        return self.colours.begin(self._in_rules(start), options, [self._in_rules(s) for s in steps])

    def advance(self, position: Any, step: Step) -> Ruled[Any, Any]:
        """The position after one step."""
        ruled = self.colours.advance(position, self._in_rules(step))
        return replace(ruled, values=in_own_words(ruled.values))
