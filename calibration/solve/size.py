"""Length and width of a table whose size was not given, or was perhaps given wrongly.

Most tables are made to the rule's size, and a single broad prior would ignore that. Assuming the rule's size
would be silently wrong about the others. So the prior of length and width has two parts, a narrow one about
the rule's size and a broad one. The solution is the mean of both, weighted by their evidence. A size that was
given has such a prior too: a narrow part about the given size, and a broad one for a misread tape. It is kept
while the narrow part is the likelier one, with the uncertainty of both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from calibration.camera import FloatArray
from calibration.solve.model import Fit
from calibration.table.specs import DIMENSION_TOLERANCE_MM, TableSpec, has_rules_size, usual_sizes

MADE_SIGMA_MM = 0.4
"""One sigma of length and width of a table made to the rule's size: cushions are mounted to some tenths of a
mm.
"""

MADE_SHARE = 0.25
"""Prior probability that a table of unknown size was made to the rule's; the rule allows 13 mm (1.1(a))."""

TOLD_SHARE = 0.99
"""Prior probability that a given size is right; assumed."""

MISTOLD = 0.004
"""One sigma of the error of a size that was given wrongly, over the length: 10 mm for a pool table, 14 mm for
a full-size one; assumed."""

LIKELIER = 0.5
"""Probability of a given size above which it is kept; below, the size that the picture shows is reported."""

_HELD_MM = 0.02  # one sigma of a size that is held while the rest is solved again
_LARGEST_LOG_ODDS = 50.0  # keeps the exponential finite


@dataclass(frozen=True, slots=True)
class Size:
    """Length and width (mm), their covariance (2, 2) mm^2, and `nominal`: probability that the table has the
    size that the rule gives, or that was told.
    """

    mean_mm: tuple[float, float]
    covariance: FloatArray
    nominal: float

    def about(self, table: TableSpec) -> Size:
        """The same doubt of a table that is held at its own size."""
        off = np.array(self.mean_mm) - (table.length_mm, table.width_mm)
        return Size((table.length_mm, table.width_mm), self.covariance + np.outer(off, off), self.nominal)


def is_told(table: TableSpec) -> bool:
    """Whether the table's size was given as measured."""
    return table.dimension_sigma_mm <= 0


def doubted(table: TableSpec) -> TableSpec:
    """The table under the broad part of the prior of its size alone."""
    return replace(table, dimension_sigma_mm=MISTOLD * table.length_mm) if is_told(table) else table


def settled_size(fit: Fit, table: TableSpec, excess: float = 1.0) -> Size | None:
    """The size under the two-part prior; None where it was not given and no rule states one.

    `fit` was solved under the broad part alone (`doubted`). That part is divided out of its Gaussian over
    length and width, and each part is multiplied in. The evidence of a part is the integral of that product,
    which contains its Occam factor (MacKay, Bayesian Interpolation, 1992). `excess`: variance of what the
    picture tells over what the fit says of it.
    """
    told, broad_mm = is_told(table), doubted(table).dimension_sigma_mm
    if not told and not has_rules_size(table):
        return None
    share = TOLD_SHARE if told else MADE_SHARE
    rows = [fit.free.index("length"), fit.free.index("width")]
    precision = np.linalg.inv(fit.covariance[np.ix_(rows, rows)])
    nominal = np.array([table.length_mm, table.width_mm])
    pull = precision @ (fit.values[rows] - nominal) / excess
    seen = (precision - np.eye(2) / broad_mm**2) / excess
    parts = [_part(seen, pull, sigma) for sigma in (MADE_SIGMA_MM, broad_mm)]
    (log_nominal, near, near_cov), (log_other, far, far_cov) = parts
    lead = log_nominal + math.log(share) - log_other - math.log(1 - share)
    near_share = 1.0 / (1.0 + math.exp(-float(np.clip(lead, -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS))))
    apart = near - far
    mean = nominal + near_share * near + (1 - near_share) * far
    covariance = near_share * near_cov + (1 - near_share) * far_cov
    covariance += near_share * (1 - near_share) * np.outer(apart, apart)
    return Size((float(mean[0]), float(mean[1])), np.asarray(covariance, dtype=np.float64), near_share)


def _part(seen: FloatArray, pull: FloatArray, sigma_mm: float) -> tuple[float, FloatArray, FloatArray]:
    """Log evidence, mean (2,) relative to the nominal size and covariance (2, 2) under a prior of `sigma_mm`.

    `seen` (2, 2): precision from the picture alone; `pull` (2,): that precision times the picture's mean.
    """
    covariance = np.asarray(np.linalg.inv(seen + np.eye(2) / sigma_mm**2), dtype=np.float64)
    mean = covariance @ pull
    log_evidence = (
        0.5 * float(pull @ mean) + 0.5 * float(np.linalg.slogdet(covariance)[1]) - 2 * math.log(sigma_mm)
    )
    return log_evidence, np.asarray(mean, dtype=np.float64), covariance


@dataclass(frozen=True, slots=True)
class Feet:
    """The size to which a table was made, by its balls: name, length and width (mm), its probability, and one
    sigma of the length (mm) over all sizes that are possible. `rival`: the next likely size's name.
    """

    name: str
    length_mm: float
    width_mm: float
    certainty: float
    sigma_mm: float
    rival: str


_NOMINAL_SHARE = 0.6
"""Prior probability of the size that a game's specification names; the other usual sizes share the rest."""
SURE_OF_SIZE = 0.99
"""Probability of a usual size from which it is taken for certain."""


def size_by_balls(seen_mm: float, seen_sigma_mm: float, table: TableSpec) -> Feet:
    """The usual size under which balls that look `seen_mm` wide at nominal size have their own diameter.

    One camera cannot tell a small table from a large one further off; the balls, of one size on all, can.
    """
    sizes = usual_sizes(table)
    rest = (1 - _NOMINAL_SHARE) / max(1, len(sizes) - 1)
    logs = []
    for _, length, _ in sizes:
        expected = table.ball_diameter_mm * table.length_mm / length
        prior = _NOMINAL_SHARE if abs(length - table.length_mm) < DIMENSION_TOLERANCE_MM else rest
        logs.append(math.log(prior) - 0.5 * ((seen_mm - expected) / seen_sigma_mm) ** 2)
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    order = np.argsort(-weights)
    best, rival = int(order[0]), int(order[min(1, len(order) - 1)])
    lengths = np.array([length for _, length, _ in sizes])
    sigma = float(np.sqrt(np.sum(weights * (lengths - lengths[best]) ** 2)))
    name, length, width = sizes[best]
    return Feet(name, length, width, float(weights[best]), sigma, sizes[rival][0])


def held_table(table: TableSpec, size: Size) -> TableSpec:
    """The table with that size and a sigma that hardly lets a solution change it."""
    length, width = size.mean_mm
    return replace(table, length_mm=length, width_mm=width, dimension_sigma_mm=_HELD_MM)


def with_size(held: Fit, size: Size) -> Fit:
    """`held`, solved at the size's mean, with the covariance that the uncertainty of the size adds.

    The dependence of the other unknowns on the size is independent of the size's prior.
    """
    rows = [held.free.index("length"), held.free.index("width")]
    moves = np.linalg.solve(held.covariance[np.ix_(rows, rows)], held.covariance[rows]).T
    covariance = held.covariance + moves @ size.covariance @ moves.T
    return replace(held, covariance=np.asarray(covariance, dtype=np.float64))
