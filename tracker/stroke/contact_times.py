"""When a moving ball met one that lay still: its steady way before, carried on to where it reaches the
other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tracker.events import Contact, CushionHit
from tracker.params import SLIDE_MM_S2
from tracker.stroke.paths import STEADY_IMAGES, Segment
from tracker.stroke.world import Event, World

CARRIED_S = 0.1
"""So far at most a steady way is carried on: two and a half images at 25 a second."""
SURE_S = 0.004
"""A steady way as sure as this (a thin contact at 300 mm/s) goes before what bends say otherwise."""
PLACES_MM = 0.5
"""What the places of both balls are off together, beside their noise."""
STEPS = 48


def with_steady_times(
    world: World, contacts: Sequence[Contact], cushions: Sequence[CushionHit]
) -> tuple[Contact, ...]:
    """The contacts in order of time, those with a ball that lay still dated by the other one's way up to it
    as well.

    A bend is fitted to a few images between two of which it lies; where another bend follows within an image
    or two (a cushion, a second ball) its time hangs on those. The way before does not.
    """
    turns = [*((b, c.t_s, c) for c in contacts for b in c.balls), *((h.ball, h.t_s, h) for h in cushions)]
    dated = (_steady(world, c, [(b, t_s) for b, t_s, by in turns if by is not c]) for c in contacts)
    return tuple(sorted(dated, key=lambda c: c.t_s))


def _steady(world: World, contact: Contact, turns: Sequence[tuple[str, float]]) -> Contact:
    for ball, other in (contact.balls, contact.balls[::-1]):
        start = next((e for e in world.events if e.ball == ball and e.is_start), None)
        if start is None or ball not in world.places or start.path is not world.paths[ball][0]:
            continue
        if not start.at.lo_s - CARRIED_S < contact.t_s < start.at.hi_s + CARRIED_S:
            continue
        turned_s = [t_s for b, t_s in turns if b == other]
        found = _reached(world, other, start, turned_s)
        if found is not None:
            t_s, sigma_s = _combined(contact.t_s, contact.sigma_s, *found)
            crowded = any(abs(s - contact.t_s) < CARRIED_S for s in turned_s)
            if found[1] < SURE_S and (crowded or abs(t_s - found[0]) > 3 * found[1]):
                t_s, sigma_s = found
            return replace(contact, t_s=t_s, sigma_s=sigma_s)
    return contact


def _reached(world: World, other: str, start: Event, turns_s: Sequence[float]) -> tuple[float, float] | None:
    """When the other ball's last steady piece before a start reaches that ball: (time, sigma). `turns_s`:
    when something else turned it.
    """
    x, y, sigma_mm = world.places[start.ball]
    piece = _last_steady(world, other, start.at.hi_s)
    if piece is None or start.at.hi_s - piece.last_s > CARRIED_S:
        return None
    since_s = piece.last_s - 0.5 * (start.at.hi_s - start.at.lo_s)
    found = _first_within(piece, (x, y), since_s, start.at.hi_s, world.reach_mm(start.ball, other))
    if found is None or found[1] < 1.0:
        return None
    t_s, closing_mm_s = found
    if any(piece.last_s < turned_s < t_s for turned_s in turns_s):
        return None  # it had bent before
    carried_mm = 0.5 * SLIDE_MM_S2 * max(t_s - piece.last_s, 0.0) ** 2
    return t_s, math.hypot(piece.sigma(t_s), sigma_mm, PLACES_MM, carried_mm) / closing_mm_s


def _last_steady(world: World, ball: str, until_s: float) -> Segment | None:
    pieces = [s for path in world.paths.get(ball, []) for s in path.segments if s.last_s < until_s]
    return next((s for s in reversed(pieces) if s.n >= STEADY_IMAGES), None)


def _first_within(
    way: Segment, place: tuple[float, float], lo_s: float, hi_s: float, apart_mm: float
) -> tuple[float, float] | None:
    """When a way first comes within a distance of a place, and its closing speed, mm/s."""
    step = (hi_s - lo_s) / STEPS
    far = [math.dist(way.at(lo_s + k * step), place) - apart_mm for k in range(STEPS + 1)]
    for k in range(STEPS):
        if far[k + 1] <= 0.0 < far[k]:
            closing = far[k] - far[k + 1]
            return lo_s + (k + far[k] / closing) * step, closing / step
    return None


def _combined(t1_s: float, s1_s: float, t2_s: float, s2_s: float) -> tuple[float, float]:
    """The better of two estimates of a time, or their mean where they agree."""
    if abs(t1_s - t2_s) > 3 * math.hypot(s1_s, s2_s):
        return (t1_s, s1_s) if s1_s <= s2_s else (t2_s, s2_s)
    w1, w2 = 1 / (s1_s * s1_s), 1 / (s2_s * s2_s)
    return (t1_s * w1 + t2_s * w2) / (w1 + w2), 1 / math.sqrt(w1 + w2)
