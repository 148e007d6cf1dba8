"""Whether the cue-ball jumped over a ball (snooker 2.20, billiards 1.18, black ball 5.13.3, WEPF K(22))."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.facts.corrections import Correction
from referee.facts.seen import SeenStroke
from referee.match.weighing import CERTAIN, EVEN, NOT_SAID, Part

NO_JUMP = Part("jumped", NOT_SAID, 1.0, {})


def jumped(seen: SeenStroke, fix: Correction | None, foul: Mapping[str, Any]) -> list[Part]:
    """Whether it did: its way leads over a ball that stays, before it meets its first. `foul`: what a jump
    changes.

    A camera above sees the way, and not how high the ball was: that nothing lay there after all, or its
    place is wrong, is as likely, so that it is asked.
    """
    told = None if fix is None else dict(fix.answers).get("jumped")
    weight = EVEN * sum(e.weight for e in seen.explanations if e.over)
    yes, no = Part("jumped", "yes", weight, foul), Part("jumped", "no", 1.0 - weight, {})
    if told is not None:
        return [Part("jumped", "yes", 1.0, foul)] if told == "yes" else [NO_JUMP]
    return [yes, no] if weight > 1.0 - CERTAIN else [NO_JUMP]
