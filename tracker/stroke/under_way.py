"""Whether a stroke was under way when the recording began: one of its balls rolled in the first image."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tracker.association.follower import Follower
from tracker.ball import Ball
from tracker.detections.tentative import Tentative
from tracker.explain.priors import STIRS_MM, TEMPERATURE
from tracker.place import Point

STROKES_PER_S: Final = 1 / 25
"""Strikes in a second of a match. Assumed."""
ROLLING: Final = 0.2
"""Share of a match's time in which balls roll. Assumed."""
ROLLS_TOO, SPREAD_S = 0.5, 1.0
"""Share of the balls of a stroke that roll at one time of it, and within what time they set off. Assumed."""
STRUCK_UNSEEN: Final = 0.01
"""What sets off first though no strike did it: the cue-ball was not seen to move. Assumed."""
SPEED_MM_S: Final = 1000.0
SLOWING_MM_S2: Final = ((150.0, 0.5), (1500.0, 0.5))
"""One sigma of a ball's velocity along each axis; of its acceleration, with the shares of balls that roll and
that slide.
"""
ANYWHERE_MM: Final = 1000.0
LEAST_SIGMA_MM: Final = 0.3
LOOKS_ON_THE_WAY: Final = 8
"""So many looks behind the ball's place tell when it set off; later ones are behind cushions and contacts."""
TURNS, TURNED_MM = 0.05, 100.0
"""A rolling ball meets something between two looks, and how far off its way it is in the next, one sigma.
Assumed.
"""
MISSED_IMAGES: Final = 2
"""In so many images a ball that sets off fast may be looked for and missed. Assumed."""
UNSEEN_S: Final = 0.1
"""So long after the last look at it a ball may have set off, too: its way is hardly one yet."""
STEPS: Final = 300

Likelihoods = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Mover:
    """Looks at a ball that left its place, from the first image on; `struck`: it may be the one that was."""

    looks: tuple[Point, ...]
    struck: bool


def movers_since(begun_s: float, follower: Follower, t_s: float, image_s: float) -> tuple[Mover, ...]:
    """The balls that left their places until `t_s`, of those that were seen in the image of `begun_s`; images
    are `image_s` apart.
    """
    unknown = not any(b.is_cue for b in follower.balls)
    named = ((b, b.track) for b in follower.balls if b.legs)
    movers = [Mover(_on_the_way(_at_rest(b, t, image_s), t), b.is_cue) for b, t in named if t is not None]
    unnamed = (i for i in follower.tentatives.rolling(t_s) if not i.of_ball)
    movers += [Mover(_on_the_way((), i), unknown) for i in unnamed]
    return tuple(m for m in movers if m.looks and m.looks[0].t_s <= begun_s)


def _at_rest(ball: Ball, track: Tentative, image_s: float) -> tuple[Point, ...]:
    """The last looks at a ball where it lay until it left. Where nobody looked, though nothing covered it,
    nothing changed: it lay there still, or crept.
    """
    place = ball.before or ball.rest
    looks = tuple(Point(-1, t, x, y, s) for t, x, y, s in place.recent)
    still_s = track.began.t_s - MISSED_IMAGES * image_s
    if not looks or ball.covered_s >= looks[-1].t_s or still_s <= looks[-1].t_s + image_s:
        return looks
    return *looks, replace(looks[-1], t_s=still_s, sigma_mm=STIRS_MM / 2)


def _on_the_way(at_rest: tuple[Point, ...], track: Tentative) -> tuple[Point, ...]:
    """The looks at rest, and those at what left."""
    since_s = at_rest[-1].t_s if at_rest else -math.inf
    later = [p for p in track.points if p.t_s > since_s]
    return *at_rest, *later[: LOOKS_ON_THE_WAY + (not at_rest)]


def under_way(movers: Sequence[Mover]) -> float:
    """Probability that one of the balls rolled in the first image, rather than that all lay there, and a
    strike set off one of them later, and that one the others.
    """
    if not movers:
        return 0.0
    first_s = movers[0].looks[0].t_s
    step_s = (max(m.looks[-1].t_s for m in movers) + UNSEEN_S - first_s) / STEPS
    times_s = np.linspace(first_s, first_s + STEPS * step_s, STEPS, endpoint=False) + step_s / 2
    at_first, later = zip(*(_set_off(m.looks, times_s) for m in movers), strict=True)
    began = ROLLING * _one_rolled(at_first, later, step_s)
    struck = [k for k, m in enumerate(movers) if m.struck]
    strikes = [_struck_first(k, later, step_s) for k in struck or range(len(movers))]
    share = (1.0 - ROLLING) * STROKES_PER_S * (1.0 if struck else STRUCK_UNSEEN)
    lay = share * sum(strikes) / len(strikes)
    return began / (began + lay) if began + lay > 0.0 else 0.5


def _one_rolled(at_first: Sequence[float], later: Sequence[Likelihoods], step_s: float) -> float:
    """Likelihood of what was seen, if one of the balls or more rolled at first."""
    lay = [(1.0 - ROLLS_TOO) * float(each.sum()) * step_s / SPREAD_S for each in later]
    either = (ROLLS_TOO * rolled + still for rolled, still in zip(at_first, lay, strict=True))
    return max(math.prod(either) - math.prod(lay), 0.0)


def _struck_first(k: int, set_off: Sequence[Likelihoods], step_s: float) -> float:
    """Likelihood of what was seen, if a strike set off ball `k`, and that one the others behind it."""
    product = set_off[k].copy()
    for other, each in enumerate(set_off):
        if other != k:
            product *= np.cumsum(each[::-1])[::-1] * step_s / SPREAD_S
    return float(product.sum() * step_s)


def _set_off(looks: Sequence[Point], times_s: Likelihoods) -> tuple[float, Likelihoods]:
    """Likelihood of the looks, if the ball rolled in the first of them, and if it set off at each time; both
    by the same factor.
    """
    known = times_s < looks[-1].t_s + UNSEEN_S
    nats: Likelihoods = np.full(len(times_s), -np.inf)
    nats[known] = [_log_likelihood(looks, t_s) for t_s in times_s[known]]
    rolled = _log_likelihood(looks, looks[0].t_s)
    most = max(rolled, nats.max())
    return math.exp(rolled - most), np.exp(nats - most)


def _log_likelihood(looks: Sequence[Point], set_off_s: float) -> float:
    """Of the looks, if the ball set off at a time, whatever its velocity and its acceleration, and behind any
    of them met something, so that those to come tell nothing.
    """
    since = np.array([max(p.t_s - set_off_s, 0.0) for p in looks])
    sigma2 = np.array([max(p.sigma_mm, LEAST_SIGMA_MM) ** 2 for p in looks]) * TEMPERATURE
    places = np.array([(p.x_mm, p.y_mm) for p in looks]) - (looks[0].x_mm, looks[0].y_mm)
    lay = np.diag(sigma2) + ANYWHERE_MM**2 + np.outer(since, since) * SPEED_MM_S**2
    behind = np.arange(len(looks) - 1, -1, -1)
    turned = np.log(np.where(behind > 0, TURNS, 1.0)) - 2.0 * behind * math.log(TURNED_MM)
    turned += (len(looks) - behind) * math.log(1.0 - TURNS)
    each = []
    for slowing, share in SLOWING_MM_S2:
        root = np.linalg.cholesky(lay + 0.25 * np.outer(since**2, since**2) * slowing**2)
        off = np.linalg.solve(root, places)
        straight = np.cumsum(-0.5 * (off**2).sum(axis=1) - 2.0 * np.log(np.diag(root)))
        each.append(np.logaddexp.reduce(straight + turned) + math.log(share))
    return float(np.logaddexp.reduce(each))
