"""The likelihood of a detection, or of its absence, for a ball. No other module knows of misses, clutter and
looks.

All results are natural logarithms. A detection is either of a ball or clutter (a hand, a sleeve, leather, a
net); `gain` is how much better a ball explains a piece's looks than clutter does. Looks at one thing are
alike, so that a piece's looks count as few.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.table.specs import TableSpec
from tracker.explain import priors
from tracker.explain.detections import Detections, Views
from tracker.explain.looks import LooksAtRest, cells
from tracker.explain.tracklets import State, Tracklet
from tracker.params import LAYOUT_SURE

F64 = NDArray[np.float64]
COLOUR_FLOOR = 6.0
"""One look never argues more than exp(6) for or against a colour: blur and shadow are correlated."""
NEAR_POCKET = 1.5
"""In diameters of a ball: 80 mm in snooker."""
COMES_BACK_MM, COMES_BACK_AT_POCKET_MM = 10.0, 40.0
"""One sigma of where a hand, or a pocket's leather and net, is taken for a ball again."""
CLUTTER_SPEED_MM_S = 1000.0
"""One sigma of the velocity of clutter that moves: hands, cues."""


def log_normal(chi2: float, variance: float) -> float:
    """Log-density of a place (two axes of one variance), per mm2."""
    return -0.5 * chi2 - math.log(2 * math.pi * variance)


class Likelihood:
    """What the looks of one span say. Built once for a span; its answers do not change. `looks`: at balls
    at rest in this recording.
    """

    def __init__(
        self, found: Detections, views: Views, table: TableSpec, looks: LooksAtRest | None = None
    ) -> None:
        self.found, self.views, self.table = found, views, table
        at_rest = looks or LooksAtRest()
        self.missed_share = at_rest.missed_share()
        fast = [(speed, _looks(found, np.array(share))) for speed, share in reversed(priors.BALL_FREE[1:])]
        self._looks = [*fast, (0.0, _looks(found, at_rest.shares()))]
        self.colours = _colours(found)
        self._density = _clutter_density(found, table)
        told = views.layout[found.image]
        none = np.clip(1.0 - found.confidence[told], priors.CLUTTER_IN_LAYOUT, 1.0 - priors.CLUTTER_IN_LAYOUT)
        none[found.confidence[told] >= LAYOUT_SURE] = priors.CLUTTER_IN_LAYOUT
        self._density[told] = priors.TEMPERATURE * np.log(none / (1.0 - none)) - math.log(table.area_mm2)
        self._back_mm = np.where(_at_pocket(found, table), COMES_BACK_AT_POCKET_MM, COMES_BACK_MM)

    def gain(self, piece: Tracklet) -> float:
        """Ball against clutter for all that is seen of a piece, but for where it begins (per mm2).

        Its first place under a ball comes with the edge that leads to it; the clutter's is taken off here.
        Up to `ALIKE` looks count one by one; in a piece of more than the square of that, each run of so many
        counts as one look.
        """
        rows = np.array(piece.rows)
        n = len(rows)
        looks = float(self._look_of(piece)[rows].mean()) * max(min(n, priors.ALIKE), n / priors.ALIKE)
        goes_on = -math.log(priors.CLUTTER_GOES_ON) * min(n - 1, 30)
        misses = piece.misses * math.log(self.missed_share / (1 - priors.CLUTTER_GOES_ON)) if n > 1 else 0.0
        moves = math.log(2 * math.pi * CLUTTER_SPEED_MM_S**2) if n > 1 and not piece.still else 0.0
        density = max(float(self._density[rows[0]]), self._comes_back(piece))
        return looks + goes_on + max(misses, -3.0) + moves - density

    def _look_of(self, piece: Tracklet) -> F64:
        """(n,) log-ratio of ball and clutter for each detection, at the speed of a piece."""
        return next(looks for least, looks in self._looks if piece.top_speed >= least)

    def _comes_back(self, piece: Tracklet) -> float:
        """Log-density of clutter that was seen at about this place before and is seen there again."""
        first = piece.rows[0]
        sigma_mm = float(self._back_mm[first])
        away = np.hypot(*(self.found.xy[:first] - self.found.xy[first]).T)
        earlier = self.found.image[:first] < self.found.image[first]
        again = bool((earlier & (away < 3 * sigma_mm)).any())
        return math.log(priors.CLUTTER_COMES_BACK / (2 * math.pi * sigma_mm**2)) if again else -math.inf

    def colour(self, piece: Tracklet) -> F64:
        """(kinds,) log-likelihood of each class for a piece: its looks, and beside them what a layout in it
        says, which is a probability already.
        """
        rows = np.array(piece.rows)
        in_layout = self.views.layout[self.found.image[rows]]
        looks, told = rows[~in_layout], rows[in_layout]
        out: F64 = np.zeros(self.colours.shape[1])
        if len(looks):
            out += self.colours[looks].mean(axis=0) * min(len(looks), priors.ALIKE)
        if len(told):
            out += self.found.logp[told].mean(axis=0) * priors.TEMPERATURE
        return out

    def missed(self, a: State, last: int, b: State, first: int, lay: bool = False) -> float:
        """Log-probability that a ball on its way from a to b is not detected in the images between them.
        Where nothing changed it did not move. One that `lay` at a left it by the first look that does not
        show it there.
        """
        if lay:
            last = self._left(a, last, first)
            a = replace(a, t_s=float(self.views.t_s[last]))
        if first - last <= 1:
            return 0.0
        t = self.views.t_s[last + 1 : first]
        f = np.clip((t - a.t_s) / max(b.t_s - a.t_s, 1e-6), 0.0, 1.0)
        speed = math.hypot(b.x - a.x, b.y - a.y) / max(b.t_s - a.t_s, 1e-6)
        x, y = a.x + f * (b.x - a.x), a.y + f * (b.y - a.y)
        looks, unstirred, layout = self.views.in_sight(last + 1, first, x, y)
        logp = missed_looks(self.views.t_s[looks], speed, self.missed_share)
        logp += self.LAYOUT if layout else 0.0
        gone_mm = unstirred / len(t) * math.hypot(b.x - a.x, b.y - a.y)
        return logp + _unstirred(min(unstirred, gone_mm / priors.STIRS_MM))

    def left_unnoticed(self, piece: Tracklet, first: int) -> float:
        """Log-probability that where a ball lay nothing changes once it has left, and is seen elsewhere in
        the image `first`: until one shows its place bare, nobody looks there though nothing covers it. Of a
        ball that was missed before the span the images do not tell when it left.
        """
        at, row = piece.tail, piece.rows[-1]
        doubted = self.found.layout[row] and self.found.confidence[row] < LAYOUT_SURE
        unlooked = 0 if doubted else self.views.unlooked(first, at.x, at.y)
        if not unlooked or self._left(at, piece.last, first) < first - 1:
            return 0.0
        return _unstirred(unlooked)

    def _left(self, a: State, last: int, first: int) -> int:
        """The image before the first of last + 1 to first - 1 in which a ball at rest would be in sight."""
        looks = (k for k in range(last + 1, first) if not self.views.layout[k])
        return next((k for k in looks if self.views.sees(k, a.x, a.y)), first) - 1

    def missed_at(self, x_mm: float, y_mm: float, first: int, last: int) -> float:
        """Log-probability that a ball at rest at a place is not detected in the images first to last - 1."""
        places = np.full(max(last - first, 0), x_mm), np.full(max(last - first, 0), y_mm)
        looks, _, layout = self.views.in_sight(first, last, *places)
        if not len(looks):
            return self.LAYOUT if layout else 0.0
        beside = self.views.covered_share(first, last, x_mm, y_mm) > 0.5
        hidden = self.views.surrounded(looks, x_mm, y_mm, self.table.ball_diameter_mm)
        share = priors.MISSED_NEAR_COVER if beside else self.missed_share
        logp = missed_at_rest(self.views.t_s[looks], hidden, share)
        return logp + (self.LAYOUT if layout else 0.0)

    LAYOUT = priors.log_prior(priors.MISSED_IN_LAYOUT)


def _unstirred(images: float) -> float:
    """Log-probability that a ball which moved changes nothing in so many images."""
    again = max(images - 1.0, 0.0) * math.log(priors.UNSTIRRED_AGAIN)
    return min(images, 1.0) * math.log(priors.UNSTIRRED) + again


def missed_looks(t_s: F64, speed: float, in_open: float = priors.MISSED_AT_REST) -> float:
    """Log-probability of looks at these times, one after the other, that miss a ball in sight. `in_open`:
    share of looks that miss one at rest.
    """
    if not len(t_s):
        return 0.0
    if speed <= SLOW_MM_S:
        return missed_at_rest(t_s, np.zeros(len(t_s), dtype=np.bool_), in_open)
    share = next(p for limit, p in priors.MISSED_MOVING if speed < limit)
    again = priors.MOVING_MISSED_AGAIN ** (np.diff(t_s) / priors.MOVING_MISSED_S)
    return math.log(share) + float(np.log(np.maximum(again, share)).sum())


def missed_at_rest(t_s: F64, surrounded: NDArray[np.bool_], in_open: float) -> float:
    """Log-probability of looks at these times, at least one, one after the other, that miss a ball at rest.
    `surrounded`: in which of them nothing about its place looks as at rest; `in_open`: share of the others
    that miss it.
    """
    share = np.where(surrounded, priors.MISSED_SURROUNDED, in_open)
    lasts = priors.MISSED_AGAIN * np.exp(-np.diff(t_s) / priors.MISS_LASTS_S)
    again = np.where(surrounded[1:], priors.SURROUNDED_MISSED_AGAIN, lasts)
    return math.log(share[0]) + float(np.log(np.maximum(again, share[1:])).sum())


SLOW_MM_S = 20.0
"""A ball that moves no faster looks as one at rest does."""


def _looks(found: Detections, free: F64) -> F64:
    """(n,) log-ratio of ball and clutter for each detection's confidence and sigma. `free`: shares of balls
    beside which nothing covers the table.
    """
    at = cells(found.confidence, found.sigma)
    near, clutter = np.array(priors.BALL_NEAR_COVER), np.array(priors.CLUTTER)
    ratio: F64 = np.log(np.where(found.near_cover, near[at], free[at])) - np.log(clutter[at])
    return ratio


def _colours(found: Detections) -> F64:
    """(n, kinds) log-likelihoods with a floor; a look that fits no class says nothing."""
    best = found.logp.max(axis=1, keepdims=True) if len(found.logp) else found.logp
    floored: F64 = np.maximum(found.logp - best, -COLOUR_FLOOR)
    return floored


def _clutter_density(found: Detections, table: TableSpec) -> F64:
    """(n,) log of how often clutter begins at each detection's place, per mm2 and image."""
    rate = np.where(_at_pocket(found, table), priors.CLUTTER_AT_POCKET, priors.CLUTTER_ELSEWHERE)
    rate[found.near_cover] = priors.CLUTTER_NEAR_COVER
    density: F64 = np.log(rate)
    return density


def _at_pocket(found: Detections, table: TableSpec) -> NDArray[np.bool_]:
    """(n,) whether each detection is at a pocket."""
    near = np.zeros(len(found.t_s), dtype=np.bool_)
    for p in table.pockets:
        away_mm = np.hypot(found.xy[:, 0] - p.x_mm, found.xy[:, 1] - p.y_mm)
        near |= away_mm < NEAR_POCKET * table.ball_diameter_mm
    return near
