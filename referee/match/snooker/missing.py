"""Balls that should be on the table and are not seen before a stroke: what they leave open of it.

Nobody knows where such a ball lies, so nothing that was seen can rule out that it was met. But the
cue-ball's way tells: where it runs straight to the ball that it hits first, it met nothing before. Where it
bends for no known ball it met the missing one; where it meets none at all it may have. After a foul a ball
unseen may snooker where a single ball is on (2.17, 3.10), or have blocked the path (3.14).
"""

from __future__ import annotations

from dataclasses import replace

from referee.facts.seen import SeenBall, SeenFirstContact, SeenPot, SeenStroke
from referee.match.snooker.readings import Reading
from referee.match.weighing import to_one
from referee.rules.snooker import ANY_COLOUR, Miss, Ruling, State
from referee.rules.snooker.facts import COLOURS

MET_STRAIGHT = 0.2
"""Weight that a cue-ball which met no known ball and nowhere bends met a missing one: 5 of 32 such strokes
of the bench with one colour taken out of the pictures (48 pieces, 384 strokes). Where it bends it was the
missing one in 7 of 8; there the weight is what the tracker leaves to no known ball.
"""
NO_BEND = 0.95
FELL = 0.25
"""Weight that the missing ball fell if it was hit first: 2 of 14 there, of few."""
MOST_UNSURE = 3
"""Balls that may or may not have fallen: more make more answers than a question can have."""
OPEN = 0.01
"""Less than this is not pursued."""


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


def with_missing(seen: SeenStroke, missing: tuple[str, ...]) -> SeenStroke:
    """The stroke with what the missing balls may have done: been met first where no known one was, fallen
    then (`possible`).
    """
    share = seen.unmet if seen.unmet < NO_BEND else MET_STRAIGHT
    if not missing or share < OPEN:
        return seen
    each = share / len(missing)
    first = seen.first_contact or (SeenFirstContact(None, None, 1.0),)
    kept = tuple(replace(f, confidence=f.confidence * (1.0 - share)) for f in first)
    met = tuple(SeenFirstContact(ball, None, each) for ball in missing)
    lying = {b.colour for b in seen.after}
    room = max(MOST_UNSURE - sum(OPEN < p.confidence < 1.0 - OPEN for p in seen.pots), 0)
    fell = tuple(SeenPot(c, None, None, FELL) for c in missing if c in COLOURS and c not in lying)[:room]
    return replace(
        seen,
        first_contact=tuple(sorted((*kept, *met), key=lambda f: -f.confidence)),
        pots=(*seen.pots, *fell),
    )


def possible(found: list[Reading], missing: tuple[str, ...]) -> list[Reading]:
    """The readings in which no missing ball falls that was not hit first, or that a person says was hit;
    weights sum to 1.
    """
    if not missing:
        return found
    kept = [r for r in found if not set(missing) & set(r.facts.potted) - set(r.facts.first_contact)] or found
    return to_one(kept)


def changes_foul(seen: SeenStroke, state: State, ruling: Ruling, missing: tuple[str, ...]) -> bool:
    """Whether a missing ball could change what a foul leaves: one ball at most is seen to be on, or it is on
    itself.
    """
    if not missing or not ruling.foul:
        return False
    after = _on(ruling.next_ball_on, seen.after)
    snookers = after <= 1 or (ruling.free_ball and _among(ruling.next_ball_on, missing))
    return snookers or (ruling.miss is Miss.CALLED and _on(state.ball_on, seen.before) <= 1)


def _among(ball_on: str | None, missing: tuple[str, ...]) -> bool:
    return any(ball_on in (c, ANY_COLOUR) for c in missing)


def _on(ball_on: str | None, layout: tuple[SeenBall, ...]) -> int:
    """How many balls of a layout are on."""
    return sum(b.colour in COLOURS if ball_on == ANY_COLOUR else b.colour == ball_on for b in layout)
