"""Balls that should be on the table and are not seen before a stroke: what they leave open of it.

Nobody knows where such a ball lies, so nothing that was seen can rule out that it was met. But the
cue-ball's way tells: where it runs straight to the ball that it hits first, it met nothing before. Where it
bends for no known ball it met the missing one; where it meets none at all it may have. After a foul a ball
unseen may snooker where a single ball is on (2.17, 3.10), or have blocked the path (3.14).
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.facts.seen import SeenBall, SeenStroke
from referee.match.priors import MET_STRAIGHT, MISSING_FELL
from referee.rules.snooker import ANY_COLOUR, Miss, Ruling, State
from referee.rules.snooker.facts import COLOURS

NO_BEND = 0.95
"""Weight of no known ball from which on the cue-ball bends nowhere."""


def missing_balls(state: State, seen: SeenStroke) -> tuple[str, ...]:
    """Colours due by `state` (as it was before counts were corrected) and not seen; `red` where reds are
    missing.

    None where images were lost before the stroke: a warning says so, and it is judged as such.
    """
    if seen.gap_before:
        return ()
    there = [b.colour for b in seen.before]
    reds = ("red",) if there.count("red") < state.reds else ()
    return (*reds, *(c for c in COLOURS if c in state.colours and c not in there))


def met_unseen(seen: SeenStroke, missing: Sequence[str]) -> dict[str, tuple[float, float]]:
    """What the missing balls may have done where the cue-ball met no known one: of each the weight that it
    was met then, and that it fell if it was.
    """
    share = 1.0 if seen.unmet < NO_BEND else MET_STRAIGHT
    lying = {b.colour for b in seen.after}
    return {
        ball: (share / len(missing), MISSING_FELL if ball in COLOURS and ball not in lying else 0.0)
        for ball in missing
    }


def changes_foul(seen: SeenStroke, state: State, ruling: Ruling, missing: Sequence[str]) -> bool:
    """Whether a missing ball could change what a foul leaves: one ball at most is seen to be on, or it is on
    itself.
    """
    if not missing or not ruling.foul:
        return False
    after = _on(ruling.next_ball_on, seen.after)
    snookers = after <= 1 or (ruling.free_ball and _among(ruling.next_ball_on, missing))
    return snookers or (ruling.miss is Miss.CALLED and _on(state.ball_on, seen.before) <= 1)


def _among(ball_on: str | None, missing: Sequence[str]) -> bool:
    return any(ball_on in (c, ANY_COLOUR) for c in missing)


def _on(ball_on: str | None, layout: tuple[SeenBall, ...]) -> int:
    """How many balls of a layout are on."""
    return sum(b.colour in COLOURS if ball_on == ANY_COLOUR else b.colour == ball_on for b in layout)
