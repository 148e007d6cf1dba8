"""Compares layouts and calibrations with the truth. Pure, one record for each item."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from calibration.camera import Camera
from calibration.result import Calibration
from calibration.table.specs import TableSpec
from referee.match.touching import touching_verdict
from referee.quality.bench.pixels.scenes import mm_per_px
from referee.quality.bench.records import (
    VISIBLE,
    BallAtRest,
    CalibrationJudged,
    Detection,
    ExtraBall,
    LayoutJudged,
    Method,
    Record,
    TouchingPair,
    Where,
)
from referee.quality.bench.ways import on_table
from vision.observation import GapSeen, Observation
from vision.render.scene import Capsule

GATE_MM = 26.0
"""Found and true are the same ball up to half a diameter apart; two balls cannot be as near as that."""
NEAR_PERSON_MM = 150.0
PAIR_MM = 10.0
"""Pairs up to this gap are judged for touching."""


@dataclass(frozen=True, slots=True)
class TrueBall:
    """A ball that lies there in truth; `visible`: share of its outline in sight.

    `cushion_mm`: from its edge to the nearest nose; `lit`: light on the cloth about it, as a share of the
    table's median. None: not known.
    """

    colour: str
    x_mm: float
    y_mm: float
    visible: float
    cushion_mm: float | None = None
    lit: float | None = None


@dataclass(frozen=True, slots=True)
class SaidBall:
    """A ball as a program said it. `sigma_mm` 0: it claims none.

    `own_sigma_mm`: without calibration's share, where that is known apart.
    """

    colour: str
    x_mm: float
    y_mm: float
    sigma_mm: float
    own_sigma_mm: float | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of rest: where, at which true stroke (None: a picture), who says, who is over the table."""

    where: Where
    stroke: int | None
    method: Method
    camera: Camera
    people: tuple[Capsule, ...] = ()


def pairs(true: Sequence[TrueBall], said: Sequence[SaidBall]) -> list[tuple[int, int]]:
    """Indices (true, said) of the same balls: nearest in sum, a wrong colour costs 3 mm, none beyond
    `GATE_MM`.
    """
    if not true or not said:
        return []
    far = np.array([[math.dist((t.x_mm, t.y_mm), (s.x_mm, s.y_mm)) for s in said] for t in true])
    cost = np.where(far <= GATE_MM, far, 1e4)
    cost = cost + np.array([[0.0 if t.colour == s.colour else 3.0 for s in said] for t in true])
    rows, columns = scipy.optimize.linear_sum_assignment(cost)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if far[i, j] <= GATE_MM]


def judge_layout(moment: Moment, true: Sequence[TrueBall], said: Sequence[SaidBall]) -> list[Record]:
    """Every ball, every extra ball, and whether the layout is wholly right."""
    found = dict(pairs(true, said))
    out: list[Record] = []
    missed = wrong = hidden = 0
    for i, ball in enumerate(true):
        match = said[found[i]] if i in found else None
        if ball.visible < VISIBLE:
            hidden += 1
        else:
            missed += match is None
            wrong += match is not None and match.colour != ball.colour
        out.append(_at_rest(moment, ball, _gap(ball, true), match))
    taken = set(found.values())
    extra = [s for j, s in enumerate(said) if j not in taken]
    out += [
        ExtraBall(
            moment.where,
            moment.method,
            moment.stroke,
            s.colour,
            s.x_mm,
            s.y_mm,
            s.sigma_mm,
            near_limb((s.x_mm, s.y_mm), moment.people),
        )
        for s in extra
    ]
    right = not (missed or wrong or extra)
    out.append(
        LayoutJudged(
            moment.where, moment.method, moment.stroke, len(true), missed, len(extra), wrong, hidden, right
        )
    )
    return out


def _at_rest(moment: Moment, ball: TrueBall, gap_mm: float | None, match: SaidBall | None) -> BallAtRest:
    scale = mm_per_px(moment.camera, ball.x_mm, ball.y_mm)
    common = (
        moment.where,
        moment.method,
        moment.stroke,
        ball.colour,
        ball.x_mm,
        ball.y_mm,
        round(ball.visible, 3),
        scale,
        gap_mm,
    )
    about = ball.cushion_mm, ball.lit
    if match is None:
        return BallAtRest(*common, None, None, None, None, *about)
    sigma = match.sigma_mm if match.sigma_mm > 0 else None
    return BallAtRest(*common, match.colour, match.x_mm - ball.x_mm, match.y_mm - ball.y_mm, sigma, *about)


def _gap(ball: TrueBall, balls: Sequence[TrueBall]) -> float | None:
    """Distance of the nearest other ball's centre less one nominal diameter, mm."""
    others = [math.dist((ball.x_mm, ball.y_mm), (b.x_mm, b.y_mm)) for b in balls if b is not ball]
    return min(others) - TableSpec().ball_diameter_mm if others else None


def judge_detections(
    where: Where,
    places: Iterable[tuple[float, float]],
    seen: Iterable[Observation],
    table: TableSpec,
    people: bool,
    near_person: Callable[[tuple[float, float]], bool],
) -> list[Record]:
    """Every observation of a picture with its confidence, whatever it is taken for afterwards."""
    true = list(places)
    out: list[Record] = []
    for o in seen:
        at = (o.x_mm, o.y_mm)
        if on_table(at, table):
            ball = any(math.dist(at, p) < GATE_MM for p in true)
            out.append(Detection(where, o.confidence, ball, o.x_mm, o.y_mm, people, near_person(at)))
    return out


def near_limb(at: tuple[float, float], people: Sequence[Capsule]) -> bool:
    """Whether somebody's limb, as the crow flies from above, is near a place."""
    for limb in people:
        a, b = np.array(limb.a[:2]), np.array(limb.b[:2])
        d = b - a
        t = float(np.clip((np.array(at) - a) @ d / max(float(d @ d), 1e-6), 0, 1))
        off = float(np.linalg.norm(np.array(at) - a - t * d))
        if off < max(limb.radius_a_mm, limb.radius_b_mm) + NEAR_PERSON_MM:
            return True
    return False


def judge_touching(
    where: Where,
    true: Sequence[TrueBall],
    said: Sequence[SaidBall],
    table: TableSpec,
    gaps: Sequence[GapSeen] = (),
) -> list[Record]:
    """The cue-ball with every ball that lies within `PAIR_MM` of it, both in sight: the gap as said, and the
    verdict.

    `gaps`: those that were measured on both balls at once, by index into `said`; else the places say it.
    """
    measured = {frozenset((g.first, g.second)): (g.gap_mm, g.sigma_mm) for g in gaps}
    found = dict(pairs(true, said))
    white = next((i for i, b in enumerate(true) if b.colour == "white" and b.visible >= VISIBLE), None)
    if white is None:
        return []
    cue = true[white]
    out: list[Record] = []
    for i, ball in enumerate(true):
        gap = math.dist((ball.x_mm, ball.y_mm), (cue.x_mm, cue.y_mm)) - table.ball_diameter_mm
        if i == white or gap > PAIR_MM or ball.visible < VISIBLE:
            continue
        names = (cue.colour, ball.colour)
        if white not in found or i not in found:
            out.append(TouchingPair(where, names, ball.x_mm, ball.y_mm, gap, None, None, "not_seen"))
            continue
        a, b = said[found[white]], said[found[i]]
        seen = math.dist((a.x_mm, a.y_mm), (b.x_mm, b.y_mm)) - table.ball_diameter_mm
        # as a review says it of a pair: calibration moves both balls alike
        sigma = math.hypot(*(s.sigma_mm if s.own_sigma_mm is None else s.own_sigma_mm for s in (a, b)))
        seen, sigma = measured.get(frozenset((found[white], found[i])), (seen, sigma))
        verdict = touching_verdict(seen, sigma)
        out.append(TouchingPair(where, names, ball.x_mm, ball.y_mm, gap, seen, sigma, verdict))
    return out


def judge_calibration(
    where: Where, camera: Camera, table: TableSpec, found: Calibration
) -> CalibrationJudged:
    """Error of the ball plane over a grid of places, and what sigma was claimed there."""
    r = table.ball_radius_mm
    xs = np.linspace(-table.half_width_mm + r, table.half_width_mm - r, 9)
    ys = np.linspace(r, table.length_mm - r, 17)
    places = np.array([(x, y) for x in xs for y in ys])
    px = camera.pixels_from_table([(x, y, r) for x, y in places])
    back = found.camera.table_from_pixels(px, found.table.ball_radius_mm)
    off = np.linalg.norm(np.nan_to_num(back - places, nan=1e4), axis=1)
    sigma = np.array([found.sigma_mm(float(x), float(y)) for x, y in places])
    k = int(np.argmax(off))
    # a sigma is per axis, an error has two
    ratio = float(np.max(off / (sigma * math.sqrt(2))))
    return CalibrationJudged(
        where,
        False,
        "",
        float(off[k]),
        float(places[k, 0]),
        float(places[k, 1]),
        float(sigma[k]),
        float(np.sqrt(np.mean(off**2))),
        ratio,
    )


def refused_calibration(where: Where, reason: str) -> CalibrationJudged:
    """The record of a table that was not found."""
    return CalibrationJudged(where, True, reason[:300], None, None, None, None, None, None)
