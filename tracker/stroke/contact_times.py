"""When a moving ball met one that lay still: its steady way before, carried on to where it reaches the
other.
"""

from __future__ import annotations

import math
from dataclasses import replace

from tracker.events import Contact
from tracker.params import SLIDE_MM_S2
from tracker.stroke.contacts import Cause, combined, meeting
from tracker.stroke.paths import STEADY_IMAGES, Segment
from tracker.stroke.world import Event, World

CARRIED_S = 0.1
"""So far at most a steady way is carried on: two and a half images at 25 a second."""
SURE_S = 0.004
"""A steady way as sure as this (a thin contact at 300 mm/s) goes before what bends say otherwise."""
PLACES_MM = 0.5
"""What the places of both balls are off together, beside their noise."""


def with_steady_times(world: World, contacts: list[Contact], causes: dict[int, Cause]) -> list[Contact]:
    """The contacts, those with a ball that lay still dated by the other one's way up to it as well.

    A bend is fitted to a few images between two of which it lies; where another bend follows within an
    image or two (a cushion, a second ball) its time hangs on those. The way before does not.
    """
    return sorted((_steady(world, c, causes) for c in contacts), key=lambda c: c.t_s)


def _steady(world: World, contact: Contact, causes: dict[int, Cause]) -> Contact:
    for ball, other in (contact.balls, contact.balls[::-1]):
        start = next((e for e in world.events if e.ball == ball and e.is_start), None)
        if start is None or ball not in world.places or start.path is not world.paths[ball][0]:
            continue
        if not start.at.lo_s - CARRIED_S < contact.t_s < start.at.hi_s + CARRIED_S:
            continue
        found = _reached(world, other, start, causes)
        if found is not None:
            t, sigma = combined(contact.t_s, contact.sigma_s, *found)
            if found[1] < SURE_S and abs(t - found[0]) > 3 * found[1]:
                t, sigma = found
            return replace(contact, t_s=t, sigma_s=sigma)
    return contact


def _reached(world: World, other: str, start: Event, causes: dict[int, Cause]) -> tuple[float, float] | None:
    """When the other ball's last steady piece before a start reaches that ball: (time, sigma)."""
    x, y, sigma_mm = world.places[start.ball]
    piece = _last_steady(world, other, start.at.hi_s)
    if piece is None or start.at.hi_s - piece.last_s > CARRIED_S:
        return None
    since, until = piece.last_s - 0.5 * (start.at.hi_s - start.at.lo_s), start.at.hi_s
    t, gap, closing = meeting(piece.at, lambda _t: (x, y), since, until, world.reach_mm(start.ball, other))
    if gap != 0.0 or closing < 1.0:
        return None
    for e in world.events_of(other, piece.last_s, t):
        cause = causes.get(id(e))
        if (
            cause is not None
            and e.at.t_s < t
            and (cause.cushion is not None or cause.partner not in (None, start.ball))
        ):
            return None  # it had bent before
    carried = 0.5 * SLIDE_MM_S2 * max(t - piece.last_s, 0.0) ** 2
    spread = math.hypot(math.hypot(piece.sigma(t), sigma_mm), math.hypot(PLACES_MM, carried))
    return t, spread / closing


def _last_steady(world: World, ball: str, until_s: float) -> Segment | None:
    pieces = [s for path in world.paths.get(ball, []) for s in path.segments if s.last_s < until_s]
    return next((s for s in reversed(pieces) if s.n >= STEADY_IMAGES), None)
