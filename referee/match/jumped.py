"""Whether the cue-ball jumped over a ball (snooker 2.20, billiards 3.14(g), black ball 5.13.3, K(22))."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.facts.corrections import Correction
from referee.facts.seen import SeenStroke
from referee.match.weighing import EVEN, NOT_SAID, OPEN, Part, yes_no


def jumped(seen: SeenStroke, fix: Correction | None, foul: Mapping[str, Any]) -> list[Part]:
    """Whether the cue-ball's path leads over a ball that stays, before its first contact. `foul`: what a jump
    changes.

    A camera above sees the path but not the height. A jump is taken to be as likely as a wrong place of that
    ball, so a question is asked.
    """
    told = None if fix is None else dict(fix.answers).get("jumped")
    weight = EVEN * sum(e.weight for e in seen.explanations if e.over)
    if told is None and weight < OPEN:
        return [Part("jumped", NOT_SAID, 1.0, {})]
    return yes_no("jumped", weight, foul, {}, told)
