"""Whether balls turn at the cushions where the calibration has the cushions, by all bounces of a match.

The centre of a ball at a cushion lies one radius from the nose. A bounce is seen elsewhere for three reasons:
- the nose's own error, which all bounces at one cushion share;
- an error that all bounces of a match share: a real nose is higher than a ball's centre, rubber gives, and
  curves turn a little early;
- its own noise. Some are no bounces of a nose at all (a jaw, another ball).
The likelihood is summed over a grid of the shared errors, so that bounces may come in any order and no
threshold leaves one out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.table.specs import CUSHIONS, CushionName, TableSpec

FloatArray = npt.NDArray[np.float64]

SHARED_MM, SHARED_SIGMA_MM = -0.6, 1.0
"""How far short of the face all balls turn, and one sigma. Simulated balls seem to turn 0.15 mm short of one
radius (median of 69), because their paths curve there. A real nose that is 36 mm high touches a snooker ball
above its middle, so that its centre comes 1.9 mm nearer, and a pool ball's 1.0: r - sqrt(r^2 - (36 - r)^2).
"""
GIVES_MM, GIVES_SIGMA_MM = -1.0, 1.0
"""How much further out (mm) a ball turns for each metre a second across the face, and one sigma: half the
time of contact with the rubber, some milliseconds (assumed). In simulated worlds it is 0.
"""
SCATTER_MM = 0.4
"""One sigma of a turn from sliding, spin and hopping, in addition to that of the ball's places. In simulated
bounces, by true places: 0.2 to 0.3 mm.
"""
ONE_CUSHION_MM = 0.4
"""One sigma of an offset that all bounces at one cushion share and that is not its place: its rubber, the
directions in which balls arrive. More bounces do not reduce it. Assumed.
"""
ALONG_SHARE = 0.3
"""One sigma of a cushion's unevenness along its length, as a share of the stated sigma there. Assumed."""
ELSEWHERE, ELSEWHERE_MM = 0.1, 20.0
"""Share of turns that are not bounces of a nose, and one sigma of their offset. Of 113 simulated turns ten
are so, 4 to 25 mm off (jaws, another ball); real ones are up to 70 mm off.
"""
WRONG, WRONG_MM = 0.03, 12.0
"""Prior probability that a cushion is not where the calibration states it, and one sigma of its offset then.
None of 33 tables was anywhere off by more than three stated sigmas. Rails and shadows that were taken for a
nose lie 5 to 44 mm off it.
"""
SURE = 0.9
"""Probability from which a cushion is reported as off; with `WRONG` that takes an offset of about four sigmas
(of bounces and calibration together).
"""
MOST = 400
"""Number of the latest bounces that are used: the camera may creep."""

_HALF_RANGE_MM, _STEP_MM = 40.0, 0.25
_OFF_MM = np.arange(-_HALF_RANGE_MM, _HALF_RANGE_MM + _STEP_MM / 2, _STEP_MM)
_NODES = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
"""Sigmas at which the offset that all bounces share is tried."""


@dataclass(frozen=True, slots=True)
class Bounce:
    """A ball turned at a cushion `off_mm` short of its face as calibrated, one sigma `sigma_mm`.

    `into_mm_s`: its speed across the face; `table_mm`: one sigma of that place as the calibration states it;
    `confidence`: that it met this cushion.
    """

    cushion: CushionName
    off_mm: float
    sigma_mm: float
    into_mm_s: float
    table_mm: float
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class CushionOff:
    """How far inside its true place a cushion is read: balls turn `off_mm` short of it (negative: beyond it),
    one sigma `sigma_mm`.

    `wrong`: probability that it is not where the calibration states it, to `table_mm`. `bounces`: how many
    balls turned at it, each with the probability that it was its nose.
    """

    cushion: CushionName
    off_mm: float
    sigma_mm: float
    table_mm: float
    wrong: float
    bounces: float

    @property
    def is_off(self) -> bool:
        """Whether it is said to be off."""
        return self.wrong > SURE


@dataclass(frozen=True)
class _Side:
    """One cushion's bounces as likelihoods over the grid (S, G, D): of the offset that all bounces share, of
    how much rubber gives, and of how far off the cushion is. `as_stated`, `wrong`: with either prior of D.
    """

    bounces: Sequence[Bounce]
    table_mm: float
    as_stated: FloatArray
    wrong: FloatArray
    from_nose: Sequence[FloatArray]

    @property
    def both(self) -> FloatArray:
        return np.asarray(np.logaddexp(self.as_stated, self.wrong), dtype=np.float64)


def weighed(bounces: Sequence[Bounce]) -> tuple[CushionOff, ...]:
    """Of each cushion that balls met how far it is off, in the order of `CUSHIONS`."""
    sides = _sides(bounces)
    log_joint = _log_joint(sides)
    return tuple(_cushion_off(log_joint, side) for side in sides)


def gives_mm(bounces: Sequence[Bounce]) -> tuple[float, float]:
    """How much further out balls turn for each metre a second across the face, by these bounces, and one
    sigma.
    """
    weight = np.exp(_log_joint(_sides(bounces))).sum(axis=0)
    mean = float(weight @ _NODES)
    return GIVES_MM + GIVES_SIGMA_MM * mean, GIVES_SIGMA_MM * math.sqrt(float(weight @ (_NODES - mean) ** 2))


def _sides(bounces: Sequence[Bounce]) -> list[_Side]:
    met = ([b for b in bounces[-MOST:] if b.cushion == name] for name in CUSHIONS)
    return [_side(found) for found in met if found]


def _log_joint(sides: Sequence[_Side]) -> FloatArray:
    """Log-probability (S, G) of what all bounces share and of how much rubber gives."""
    total = -0.5 * (_NODES[:, None] ** 2 + _NODES[None, :] ** 2)
    for side in sides:
        total = total + _log_sum(side.both)
    return np.asarray(total - _log_sum(total.ravel()), dtype=np.float64)


def _side(bounces: Sequence[Bounce]) -> _Side:
    table_mm = math.sqrt(sum(b.table_mm**2 for b in bounces) / len(bounces))
    log_seen, from_nose = _likelihood(bounces)
    as_stated, wrong = (
        log_seen + math.log(share) + _log_normal(_OFF_MM, math.hypot(table_mm, ONE_CUSHION_MM, more_mm))
        for share, more_mm in ((1 - WRONG, 0.0), (WRONG, WRONG_MM))
    )
    return _Side(bounces, table_mm, as_stated, wrong, from_nose)


def _likelihood(side: Sequence[Bounce]) -> tuple[FloatArray, list[FloatArray]]:
    """Log-likelihood (S, G, D) of a cushion's bounces, and of each the probability that it was its nose."""
    shared, gives = SHARED_MM + SHARED_SIGMA_MM * _NODES, GIVES_MM + GIVES_SIGMA_MM * _NODES
    total = np.zeros((len(shared), len(gives), len(_OFF_MM)))
    from_nose = []
    for b in side:
        expected = shared[:, None, None] + gives[None, :, None] * b.into_mm_s / 1000.0 + _OFF_MM
        sigma_mm = math.hypot(b.sigma_mm, SCATTER_MM, ALONG_SHARE * b.table_mm)
        share = (1.0 - ELSEWHERE) * min(max(b.confidence, 0.0), 1.0)
        nose = math.log(max(share, 1e-9)) + _log_normal(b.off_mm - expected, sigma_mm)
        other_mm = math.hypot(ELSEWHERE_MM, sigma_mm)
        other = math.log1p(-share) + _log_normal(np.array(b.off_mm), other_mm)
        both = np.logaddexp(nose, other)
        total += both
        from_nose.append(np.exp(nose - both))
    return total, from_nose


def _cushion_off(log_joint: FloatArray, side: _Side) -> CushionOff:
    """How far off one cushion is, by all bounces. `log_joint` (S, G): log-probability of shared errors."""
    given = side.both - _log_sum(side.both)[..., None]  # of how far it is off, for each value of that
    weight = np.exp(log_joint[..., None] + given)
    off_mm = weight.sum(axis=(0, 1))
    mean = float(off_mm @ _OFF_MM)
    sigma = math.sqrt(float(off_mm @ (_OFF_MM - mean) ** 2) + _STEP_MM**2 / 12)
    wrong = float((weight * np.exp(side.wrong - side.both)).sum())
    noses = sum(float((weight * p).sum()) for p in side.from_nose)
    return CushionOff(side.bounces[0].cushion, mean, sigma, side.table_mm, wrong, noses)


def doubt_mm(offs: Sequence[CushionOff], table: TableSpec, x_mm: float, y_mm: float) -> float:
    """One more sigma (mm) per axis of a place (x, y) mm, because cushions lie elsewhere than calibrated.

    The error falls in proportion from a cushion to the one opposite it. Cushions that are not known to be off
    add nothing.
    """
    across, along = x_mm / table.half_width_mm, 2.0 * y_mm / table.length_mm - 1.0
    near = {"left": 1.0 - across, "right": 1.0 + across, "bottom": 1.0 - along, "top": 1.0 + along}
    variance = sum(
        (max(near[c.cushion], 0.0) / 2) ** 2 * (c.off_mm**2 + c.sigma_mm**2) for c in offs if c.is_off
    )
    return math.sqrt(variance / 2)


def _log_normal(z_mm: FloatArray, sigma_mm: float) -> FloatArray:
    return np.asarray(-0.5 * (z_mm / sigma_mm) ** 2 - math.log(sigma_mm), dtype=np.float64)


def _log_sum(values: FloatArray) -> FloatArray:
    """Logarithm of the sum over the last axis."""
    most = values.max(axis=-1)
    return np.asarray(most + np.log(np.exp(values - most[..., None]).sum(axis=-1)), dtype=np.float64)
