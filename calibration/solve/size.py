"""How large an untold table is: either made to the rule's size or not, each believed as far as the picture
bears it out.

One broad prior would throw away that most tables are made to the nominal size; taking them as nominal would
be silently wrong about the others. So the prior of length and width has two parts, a narrow one about the
rule's size and a broad one, and the solution is the mean of both, weighted by their evidence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from calibration.camera import FloatArray
from calibration.solve.model import Fit
from calibration.table.specs import TableSpec, has_rules_size

MADE_SIGMA_MM = 0.4
"""One sigma of length and width of a table that was made to the rule's size: cushions are screwed on to
some tenths of a millimetre."""

MADE_SHARE = 0.25
"""How likely an untold table is taken to be such a one before its picture is seen. The rule allows 13 mm
either way.
"""

_HELD_MM = 0.02  # one sigma of a size that is held while the rest is solved again


@dataclass(frozen=True, slots=True)
class Size:
    """Length and width (mm, a pair), their covariance (2, 2) mm^2 and how likely the table was made to the
    rule.
    """

    mean_mm: tuple[float, float]
    covariance: FloatArray
    made: float


def settled_size(fit: Fit, table: TableSpec) -> Size | None:
    """The size under the two-part prior; None where it was told, or no rule says what it should be.

    `fit` was solved under the broad part alone (`table.dimension_sigma_mm`). That part is divided out of its
    Gaussian (mean and covariance of length and width) and each part multiplied in; the evidence of a part
    is the integral of that product, which contains its Occam factor.
    """
    if table.dimension_sigma_mm <= 0 or not has_rules_size(table):
        return None
    rows = [fit.free.index("length"), fit.free.index("width")]
    precision = np.linalg.inv(fit.covariance[np.ix_(rows, rows)])
    nominal = np.array([table.length_mm, table.width_mm])
    pull = precision @ (fit.values[rows] - nominal)
    seen = precision - np.eye(2) / table.dimension_sigma_mm**2
    parts = [_part(seen, pull, sigma) for sigma in (MADE_SIGMA_MM, table.dimension_sigma_mm)]
    (log_made, near, near_cov), (log_other, far, far_cov) = parts
    lead = log_made + math.log(MADE_SHARE) - log_other - math.log(1 - MADE_SHARE)
    made = 1.0 / (1.0 + math.exp(-float(np.clip(lead, -50.0, 50.0))))
    apart = near - far
    mean = nominal + made * near + (1 - made) * far
    covariance = made * near_cov + (1 - made) * far_cov + made * (1 - made) * np.outer(apart, apart)
    return Size((float(mean[0]), float(mean[1])), np.asarray(covariance, dtype=np.float64), made)


def _part(seen: FloatArray, pull: FloatArray, sigma_mm: float) -> tuple[float, FloatArray, FloatArray]:
    """Log evidence, mean (2,) beside the nominal size and covariance under a prior of `sigma_mm`.

    `seen` (2, 2): the picture's own precision; `pull` (2,): it times the picture's own mean.
    """
    covariance = np.asarray(np.linalg.inv(seen + np.eye(2) / sigma_mm**2), dtype=np.float64)
    mean = covariance @ pull
    log_evidence = (
        0.5 * float(pull @ mean) + 0.5 * float(np.linalg.slogdet(covariance)[1]) - 2 * math.log(sigma_mm)
    )
    return log_evidence, np.asarray(mean, dtype=np.float64), covariance


def held_table(table: TableSpec, size: Size) -> TableSpec:
    """The table with that size, which a solution can hardly leave."""
    length, width = size.mean_mm
    return replace(table, length_mm=length, width_mm=width, dimension_sigma_mm=_HELD_MM)


def with_size(held: Fit, broad: Fit, size: Size) -> Fit:
    """`held` (solved at the size's mean) with the covariance that not knowing the size better leaves.

    How the other unknowns move with the size, and what is left of them where it is known, is taken from
    `broad`.
    """
    rows = [broad.free.index("length"), broad.free.index("width")]
    whole = broad.covariance
    moves = np.linalg.solve(whole[np.ix_(rows, rows)], whole[rows]).T
    covariance = whole + moves @ (size.covariance - whole[np.ix_(rows, rows)]) @ moves.T
    return replace(held, covariance=np.asarray(covariance, dtype=np.float64))
