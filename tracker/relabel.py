"""Second thoughts about colours: the joint assignment again, when evidence has come together."""

from __future__ import annotations

from tracker.ball import Ball, BallState
from tracker.identity import names_for
from vision.naming import joint_colours
from vision.observation import BALL_CLASSES

MARGIN = 6.0
"""Log-likelihood by which another naming must win: names are not changed on a whim."""
START_MARGIN = 2.0
"""The same before the first stroke, when nobody has been told a name yet."""
CUE_BALL_GAIN = 3.0
"""What a layout gains that had no cue-ball and gets one."""


def relabel(balls: list[Ball], margin: float = MARGIN) -> bool:
    """Name the balls anew where the joint assignment says so by a margin; returns whether any changed.

    Names of balls that are off the table stay theirs.
    """
    at_rest = [b for b in balls if b.state is not BallState.GONE]
    if all(max(b.logp) == b.logp[BALL_CLASSES.index(b.colour)] for b in at_rest):
        return False
    off = [b for b in balls if b.state is BallState.GONE]
    colours = joint_colours([b.logp for b in at_rest], [b.colour for b in off])
    gain = 0.0
    for b, c in zip(at_rest, colours, strict=True):
        if c is not None:
            gain += b.logp[BALL_CLASSES.index(c)] - b.logp[BALL_CLASSES.index(b.colour)]
    changed = [(b, c) for b, c in zip(at_rest, colours, strict=True) if c is not None and c != b.colour]
    if not any(b.colour == "white" for b in balls) and any(c == "white" for _, c in changed):
        gain += CUE_BALL_GAIN
    if gain < margin or not changed:
        return False
    free: dict[str, list[str]] = {}
    for b, _ in changed:
        free.setdefault(b.colour, []).append(b.name)
    used = [b.name for b in balls if all(b is not x for x, _ in changed)]
    for b, c in changed:
        old = free.get(c)
        name = old.pop(0) if old else names_for([c], used)[0]
        if name is not None:
            b.name, b.colour = name, c
            used.append(name)
    return True
