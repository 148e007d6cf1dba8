"""Second thoughts about colours: the joint assignment again, when evidence has come together."""

from __future__ import annotations

from tracker.ball import Ball, BallState
from tracker.identity import colours_for
from vision.observation import BALL_CLASSES

MARGIN = 10.0
"""Log-likelihood by which another naming must win: names are not changed on a whim."""


def relabel(balls: list[Ball]) -> bool:
    """Exchange names among balls at rest where the joint assignment says so; returns whether any changed."""
    at_rest = [b for b in balls if b.state is BallState.REST]
    if all(max(b.logp) == b.logp[BALL_CLASSES.index(b.colour)] for b in at_rest):
        return False
    colours = colours_for([b.logp for b in at_rest])
    gain = 0.0
    for b, c in zip(at_rest, colours, strict=True):
        if c is not None:
            gain += b.logp[BALL_CLASSES.index(c)] - b.logp[BALL_CLASSES.index(b.colour)]
    changed = [(b, c) for b, c in zip(at_rest, colours, strict=True) if c is not None and c != b.colour]
    if gain < MARGIN or not changed:
        return False
    # only exchanges of names that are in use: a colour nobody bears stays with the ball that was potted
    names: dict[str, list[str]] = {}
    for b, _ in changed:
        names.setdefault(b.colour, []).append(b.name)
    wanted = [c for _, c in changed]
    if sorted(wanted) != sorted(b.colour for b, _ in changed):
        return False
    for b, c in changed:
        b.name, b.colour = names[c].pop(0), c
    return True
