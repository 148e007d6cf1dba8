"""Second thoughts about colours: the joint assignment again, when evidence has come together."""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.table.pieces import SNOOKER, PieceSet
from tracker.ball import Ball, BallState
from tracker.explain.priors import PLACED_UNSEEN
from tracker.identity.numbering import names_for
from vision.detect.naming import joint_colours

MARGIN = 6.0
"""Log-likelihood by which another naming must win: names are not changed on a whim."""
START_MARGIN = 2.0
"""The same before the first stroke, when nobody has been told a name yet."""
CUE_BALL_GAIN = 3.0
"""What a layout gains that had no cue-ball and gets one."""


def name_conflict(
    balls: list[Ball], logp: Sequence[float], pieces: PieceSet = SNOOKER
) -> tuple[Ball, str] | None:
    """The ball that has the name of which something new looks far more, and the colour it must have instead.

    The first picture may miss the brown and call a red brown; when the brown reappears its name is
    taken.
    `logp`: what the new thing looks like. None where the joint assignment with it changes nothing, or more,
    and where a hand may sooner have put back a ball of that colour that was off the table.
    """
    known = [b for b in balls if b.state is not BallState.GONE]
    colours = joint_colours(
        [*(b.known_logp for b in known), list(logp)],
        [b.colour for b in balls if b.state is BallState.GONE],
        pieces,
    )
    new = colours[-1]
    changed = [(b, c) for b, c in zip(known, colours, strict=False) if c != b.colour]
    if new is None or len(changed) != 1:
        return None
    owner, instead = changed[0]
    if owner.colour != new or owner.state is not BallState.REST or instead is None:
        return None
    own, other = (pieces.index[c] for c in (new, instead))
    lost = owner.known_logp[own] - owner.known_logp[other]
    gone = [b for b in balls if b.state is BallState.GONE and b.colour == new and not b.stays_down]
    if gone and lost > -math.log(PLACED_UNSEEN):
        return None
    return (owner, instead) if logp[own] - logp[other] - lost > MARGIN and logp[own] == max(logp) else None


def relabel(balls: list[Ball], margin: float = MARGIN) -> bool:
    """Name the balls anew where the joint assignment says so by a margin; returns whether any changed.

    Names of balls that are off the table stay theirs. For sets with several pieces of a kind; where each is
    the only one `tracker.identity.names` names them.
    """
    there = [b for b in balls if b.state is not BallState.GONE]
    logps = [b.known_logp for b in there]
    if all(max(v) == v[b.own] for b, v in zip(there, logps, strict=True)):
        return False
    pieces = balls[0].pieces
    gone = [b.colour for b in balls if b.state is BallState.GONE]
    colours = joint_colours(logps, gone, pieces)
    named = [(b, c, v) for b, c, v in zip(there, colours, logps, strict=True) if c is not None]
    changed = [(b, c) for b, c, _ in named if c != b.colour]
    gain = sum(v[pieces.index[c]] - v[b.own] for b, c, v in named)
    if not pieces.discs and not any(b.is_cue for b in balls) and any(c in pieces.struck for _, c in changed):
        gain += CUE_BALL_GAIN
    if gain < margin or not changed:
        return False
    _rename(balls, changed)
    return True


def _rename(balls: list[Ball], changed: list[tuple[Ball, str]]) -> None:
    """Give balls their new colours: a name that became free where there is one, else a new one."""
    free: dict[str, list[str]] = {}
    for b, _ in changed:
        free.setdefault(b.colour, []).append(b.name)
    used = [b.name for b in balls if all(b is not x for x, _ in changed)]
    for b, colour in changed:
        old = free.get(colour)
        name = old.pop(0) if old else names_for([colour], used, b.pieces)[0]
        if name is not None:
            b.name, b.colour, b.rest.agreed = name, colour, 0
            used.append(name)
