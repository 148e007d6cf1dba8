"""The least squares of a calibration (SciPy's Levenberg-Marquardt, our residuals and derivatives).

A measured edge point is compared with the straight nose, baulk line or D on which it lies. The view ray of
the pixel is intersected with the mark's plane; the distance to the mark in millimetres is turned into pixels
by the local scale. So a point needs no counterpart along the line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from calibration.algebra import one_thread
from calibration.camera import Camera
from calibration.errors import UnusableInput
from calibration.solve.cast import FAR_MM, MISSED_MM, Cast, Caster
from calibration.solve.unknowns import (
    ARC,
    ARC_X,
    BASE,
    BASES,
    BAULK,
    BAULK_Y,
    CENTRE,
    CORNER,
    EIGHTHS,
    END_NAMES,
    ENDS,
    GAP,
    INDEX,
    INNER_BASES,
    LEFT,
    LENGTH,
    LIFT,
    MARGINS,
    MIDDLE,
    MOVERS,
    NAMES,
    NOSE,
    NOSES,
    QUARTERS,
    RADIUS,
    REACH,
    RIGHT,
    SCALE,
    SIDES,
    SIGHT,
    SIGHT_EIGHTHS,
    SIGHT_QUARTERS,
    SIGHT_RAILS,
    TOP,
    TURNS,
    WIDTH,
    base_values,
    camera_of,
    start_values,
)
from calibration.table.specs import TableSpec
from calibration.texts import sentence

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Points:
    """N measured points: `px` (N, 2), the `mark` (N,) of each, and one standard deviation `sigma_px` (N,).

    `on_nose` (N,): the point lies at the height of the cushion noses, else on the cloth. `loose`: sides whose
    edge is not known to be that of the nose, because balls turn elsewhere.
    """

    px: FloatArray
    mark: npt.NDArray[np.int_]
    sigma_px: FloatArray
    on_nose: npt.NDArray[np.bool_]
    loose: frozenset[int] = frozenset()

    @staticmethod
    def of(px: FloatArray, mark: int, sigma_px: float) -> Points:
        """Points (N, 2) px that all lie on one mark with one sigma."""
        n = len(px)
        raised = mark in SIDES or ENDS[0] <= mark < TURNS[0] or mark in NOSES
        return Points(px, np.full(n, mark), np.full(n, sigma_px), np.full(n, raised))

    @staticmethod
    def join(parts: list[Points]) -> Points:
        """All points of the parts, in order."""
        return Points(
            np.concatenate([p.px for p in parts]).reshape(-1, 2),
            np.concatenate([p.mark for p in parts]),
            np.concatenate([p.sigma_px for p in parts]),
            np.concatenate([p.on_nose for p in parts]),
            frozenset[int]().union(*(p.loose for p in parts)),
        )

    @property
    def on_end(self) -> npt.NDArray[np.bool_]:
        """The points (N,) that are ends of cushions."""
        return (self.mark >= ENDS[0]) & (self.mark <= ENDS[-1])

    @property
    def on_sight(self) -> npt.NDArray[np.bool_]:
        """The points (N,) that are sights in the rails."""
        return (self.mark >= SIGHT_RAILS[0]) & (self.mark < TURNS[0])

    @property
    def on_turn(self) -> npt.NDArray[np.bool_]:
        """The points (N,) that are centres of balls that turned at a cushion."""
        return (self.mark >= TURNS[0]) & (self.mark <= TURNS[-1])

    @property
    def on_line_end(self) -> npt.NDArray[np.bool_]:
        """The points (N,) where a line on the cloth ends at a nose."""
        return self.mark >= NOSES[0]

    def take(self, keep: npt.NDArray[np.bool_]) -> Points:
        """The points for which `keep` (N,) is set."""
        return Points(self.px[keep], self.mark[keep], self.sigma_px[keep], self.on_nose[keep], self.loose)


class NoTableFits(UnusableInput):
    """The points fit no table: least squares ran off to one that cannot be."""


@dataclass(frozen=True)
class Rival:
    """The camera `chosen`, and one solved with the `other` lens model, or from another reading of the edges.

    `doubt`: probability that the other one is right.
    """

    chosen: Camera
    other: Camera
    doubt: float


@dataclass(frozen=True)
class Fit:
    """A solution: camera, table as measured, and how well the points fit.

    `margins_mm`: how far outside each nose its measured edge lies. `residual_px` (N,): signed distances of
    the points. `cost`: robust sum of squares, priors included; `data_cost`: without them. `values` (F,) and
    `covariance` (F, F): of the unknowns named in `free`, in their own units, those of lens and pose about
    `camera`.
    """

    camera: Camera
    table: TableSpec
    margins_mm: tuple[float, float, float, float]
    residual_px: FloatArray
    cost: float
    data_cost: float
    free: tuple[str, ...]
    values: FloatArray
    covariance: FloatArray
    slack: FloatArray
    """Bias and bends of the sides, then biases of base lines (see `side_slack`), in sigmas of their priors;
    empty if not solved for.
    """
    rivals: tuple[Rival, ...] = ()
    as_told: float = 1.0
    """Probability that the table has the size that was told; 1 where nothing in the picture speaks against
    it, or nobody told one.
    """


def plane_points(camera: Camera, px: FloatArray, z: FloatArray) -> FloatArray:
    """Intersections (N, 2) mm of view rays of pixels (N, 2) with planes at heights `z` (N,) mm.

    A ray that misses its plane is cut at a large distance, so that the result is always finite.
    """
    rays = camera.rays_from_pixels(px)
    x, y, h = camera.centre_mm
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = (z - h) / rays[:, 2]
    reach = np.where(np.isfinite(reach) & (reach > 0), reach, MISSED_MM)
    at = np.stack((x + reach * rays[:, 0], y + reach * rays[:, 1]), axis=1)
    return np.nan_to_num(np.clip(at, -FAR_MM, FAR_MM), nan=MISSED_MM)


_LEAST_POLAR_MM = 1e-6  # distance from the D's centre below which its normal is undefined
_SCALE_LIMITS = (1e-3, 1e3)  # pixels a millimetre that any usable picture has
_TOLERANCES = {"ftol": 1e-7, "xtol": 1e-9, "gtol": 1e-9}
"""Of SciPy's solver: relative changes far below what a point's noise causes."""
_PSEUDO_INVERSE_CUT = 1e-14  # relative singular value below which a direction counts as undetermined
_INWARD = [(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)]
_ALONG = [(0.0, 1.0), (0.0, -1.0), (0.0, -1.0), (0.0, 1.0), (1.0, 0.0), (-1.0, 0.0)]
_CROSSES = [*[(0.0, 1.0)] * len(EIGHTHS), *[(1.0, 0.0)] * len(QUARTERS)]
_NORMALS = np.array(
    [*_INWARD, (0.0, 1.0), (0.0, 0.0), *_INWARD, *_INWARD, *_ALONG, *_INWARD, *_CROSSES, *_INWARD, *_INWARD]
)
_END_MOVES = {
    LENGTH: (0.0, 1.0, 0.5, -0.5, 0.0, 0.0),
    WIDTH: (0.0, 0.0, 0.0, 0.0, 0.5, 0.5),
    CORNER: (-1.0, -1.0, 0.0, 0.0, -1.0, -1.0),
    MIDDLE: (0.0, 0.0, -1.0, -1.0, 0.0, 0.0),
}
"""How each unknown moves the marks `ENDS` along their sides."""


def distances(at: FloatArray, mark: npt.NDArray[np.int_], v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Signed distances (N,) mm of places (N, 2) from their marks (N,), and the marks' unit normals (N, 2)."""
    m, half, line = v[MARGINS], v[WIDTH] / 2, v[BAULK_Y]
    faces = np.array([0.0, v[LENGTH], half, half])
    ends = np.sum([v[index] * np.array(moves) for index, moves in _END_MOVES.items()], axis=0)
    bases = faces - v[BASE]
    sights = faces + v[SIGHT], -np.array(EIGHTHS) * v[LENGTH], -np.array(QUARTERS) * v[WIDTH]
    turns = faces - v[REACH]
    offset = np.concatenate((faces + m, [-line, 0.0], bases, bases - v[GAP], ends, *sights, turns, faces))
    normal = _NORMALS[mark]
    distance = at[:, 0] * normal[:, 0] + at[:, 1] * normal[:, 1] + offset[mark]
    arc = np.flatnonzero(mark == ARC)
    if len(arc):
        away = at[arc] - (v[ARC_X], line)
        polar = np.maximum(np.hypot(away[:, 0], away[:, 1]), _LEAST_POLAR_MM)
        distance[arc], normal[arc] = polar - v[RADIUS], away / polar[:, None]
    return distance, normal


def mark_moves(normal: FloatArray, mark: npt.NDArray[np.int_]) -> FloatArray:
    """Derivatives (len(NAMES) - MOVERS, N) of the signed distances (mm) by the table's own unknowns."""
    out = np.zeros((len(NAMES), len(mark)))
    out[BAULK_Y] = np.where((mark == BAULK) | (mark == ARC), -normal[:, 1], 0.0)
    out[RADIUS] = np.where(mark == ARC, -1.0, 0.0)
    out[ARC_X] = np.where(mark == ARC, -normal[:, 0], 0.0)
    for side in SIDES:
        out[MARGINS.start + side] = mark == side
    base = (mark >= BASES[0]) & (mark <= INNER_BASES[-1])
    face = np.where(mark <= RIGHT, mark, np.where(base, (mark - BASES[0]) % len(SIDES), -1))
    rail = (mark >= SIGHT_RAILS[0]) & (mark <= SIGHT_RAILS[-1])
    face = np.where(rail, mark - SIGHT_RAILS[0], face)
    turned = (mark >= TURNS[0]) & (mark <= TURNS[-1])
    face = np.where(turned, mark - TURNS[0], face)
    face = np.where(mark >= NOSES[0], mark - NOSES[0], face)
    out[LENGTH] = face == TOP
    out[WIDTH] = np.where((face == LEFT) | (face == RIGHT), 0.5, 0.0)
    out[BASE] = -1.0 * base
    out[GAP] = -1.0 * (base & (mark >= INNER_BASES[0]))
    out[SIGHT] = 1.0 * rail
    out[REACH] = -1.0 * turned
    for index, marks, shares in ((LENGTH, SIGHT_EIGHTHS, EIGHTHS), (WIDTH, SIGHT_QUARTERS, QUARTERS)):
        for one, share in zip(marks, shares, strict=True):
            out[index] -= share * (mark == one)
    end = np.flatnonzero((mark >= ENDS[0]) & (mark <= ENDS[-1]))
    if len(end):
        for index, moves in _END_MOVES.items():
            out[index, end] = np.array(moves)[mark[end] - ENDS[0]]
    return out[MOVERS:]


def _heights(points: Points, v: FloatArray) -> FloatArray:
    z = v[NOSE] * points.on_nose + v[LIFT] * points.on_sight + v[CENTRE] * points.on_turn
    return np.asarray(z, dtype=np.float64)


def _px_per_mm(camera: Camera, points: Points, v: FloatArray) -> FloatArray:
    """Pixels a millimetre (N,) across the mark of each point."""
    z = _heights(points, v)
    at = plane_points(camera, points.px, z)
    normal = distances(at, points.mark, v)[1]
    here = camera.pixels_from_table(np.column_stack((at, z)))
    there = camera.pixels_from_table(np.column_stack((at + normal, z)))
    step = np.hypot(*(there - here).T)
    return np.where(np.isfinite(step), np.clip(step, *_SCALE_LIMITS), 1.0)


_BEND = 3.0
"""Sigmas at which the robust loss turns from quadratic to logarithmic."""


def robust(z: FloatArray) -> FloatArray:
    """Cauchy's loss as a residual: sign(r) sqrt(ln(1 + r^2)), with r = `z` (N,) sigmas over the bend."""
    return np.sign(z) * _BEND * np.sqrt(np.log1p((z / _BEND) ** 2))


class _Problem:
    """The least-squares problem: unknowns q are the free ones in units of SCALE, then bias and bends.

    `mean` and `sigma` (F,): priors of the free ones, absolute but for those of the pose.
    """

    def __init__(
        self,
        caster: Caster,
        points: Points,
        v: FloatArray,
        index: npt.NDArray[np.int_],
        mean: FloatArray,
        sigma: FloatArray,
        slack: FloatArray,
    ) -> None:
        self.caster, self.points, self.v, self.index, self.slack = caster, points, v, index, slack
        self.mean, self.sigma = mean, sigma
        self.rows = np.concatenate((1.0 / sigma * SCALE[index], np.ones(slack.shape[1])))
        about = (mean - base_values(caster.base)[index]) / SCALE[index]
        self.at_prior = np.concatenate((about, np.zeros(slack.shape[1])))
        self.scale = np.ones(len(points.px))
        self._last: tuple[FloatArray, Cast, FloatArray, FloatArray, FloatArray] | None = None
        self._arc = np.flatnonzero(points.mark == ARC)
        self._mark_moves = mark_moves(_NORMALS[points.mark], points.mark)  # but for the arc's, which turn

    def full(self, q: FloatArray) -> FloatArray:
        """All values (len(NAMES),) in their own units."""
        out = self.v.copy()
        out[self.index] = q[: len(self.index)] * SCALE[self.index]
        return out

    def _seen(self, q: FloatArray) -> tuple[Cast, FloatArray, FloatArray, FloatArray]:
        """Places, normals of their marks, misfits in sigmas and the robust ones.

        Kept for the last q, because SciPy asks for residuals and Jacobian of the same q in turn.
        """
        if self._last is None or not np.array_equal(self._last[0], q):
            now = self.full(q)
            cast = self.caster.cast(now)
            distance, normal = distances(cast.at, self.points.mark, now)
            ratio = (distance * self.scale - self.slack @ q[len(self.index) :]) / self.points.sigma_px
            self._last = (q.copy(), cast, normal, ratio, robust(ratio))
        return self._last[1:]

    def residuals(self, q: FloatArray) -> FloatArray:
        """Robust misfits of the points (N,), then of the priors."""
        return np.concatenate((self._seen(q)[3], (q - self.at_prior) * self.rows))

    def jacobian(self, q: FloatArray) -> FloatArray:
        """Derivatives of `residuals` by q."""
        seen, normal, ratio, misfit = self._seen(q)
        self._mark_moves[BAULK_Y - MOVERS, self._arc] = -normal[self._arc, 1]
        self._mark_moves[ARC_X - MOVERS, self._arc] = -normal[self._arc, 0]
        moves = np.concatenate((self.caster.moves(seen, self.full(q), normal), self._mark_moves))
        count, n = len(self.index), len(ratio)
        out = np.zeros((len(q), n + len(q)))
        np.multiply(moves[self.index], SCALE[self.index, None] * self.scale, out=out[:count, :n])
        out[count:, :n] = -self.slack.T
        out[:, :n] *= _robust_slope(ratio, misfit) / self.points.sigma_px
        out[np.arange(len(q)), n + np.arange(len(q))] = self.rows
        return out.T

    def rescaled(self, q: FloatArray) -> None:
        """Take the local scales (pixels a millimetre) at `q` for the next rounds."""
        self.scale, self._last = (
            _px_per_mm(camera_of(self.caster.base, self.full(q)), self.points, self.full(q)),
            None,
        )

    def rebased(self, q: FloatArray) -> tuple[_Problem, FloatArray]:
        """The problem about the camera that `q` gives, and the q that gives it there: no increments.

        An increment turns the camera about the base's place. Far from it the covariance of turns and shifts
        would be of another camera's.
        """
        v = self.full(q)
        caster = replace(self.caster, base=camera_of(self.caster.base, v))
        v[:NOSE] = 0.0
        about = _Problem(caster, self.points, v, self.index, self.mean, self.sigma, self.slack)
        about.scale = self.scale
        return about, np.concatenate((v[self.index] / SCALE[self.index], q[len(self.index) :]))


@one_thread()
def solve(
    base: Camera,
    table: TableSpec,
    points: Points,
    priors: Mapping[str, tuple[float, float]],
    start: Mapping[str, float] | None = None,
    rounds: int = 2,
    steps: int = 40,
    bent: bool = False,
) -> Fit:
    """Solve camera and table by least squares from the camera `base`.

    `priors`: name of an unknown -> (mean, sigma); unknowns without a prior stay fixed. Means are absolute: of
    the lens itself (see `base_values`) and of the table; only those of the pose are increments. `start`:
    first values other than the specification's. `rounds`: times that the local scales are renewed; `steps`:
    most evaluations in each. `bent`: each side's bias and bends are unknowns too (see `side_slack`).
    Raises NoTableFits.
    """
    problem, q = _problem(base, table, points, priors, start or {}, bent)
    for _ in range(rounds):
        problem.rescaled(q)
        solved = scipy.optimize.least_squares(
            problem.residuals,
            q,
            jac=problem.jacobian,
            method="lm",
            max_nfev=steps,
            x_scale="jac",
            **_TOLERANCES,
        )
        problem, q = problem.rebased(solved.x)
    return _finish(table, problem, q)


def _problem(
    base: Camera,
    table: TableSpec,
    points: Points,
    priors: Mapping[str, tuple[float, float]],
    start: Mapping[str, float],
    bent: bool,
) -> tuple[_Problem, FloatArray]:
    """The least-squares problem of `solve`, and the first q."""
    v = start_values(table)
    for name, value in start.items():
        v[INDEX[name]] = value
    free = [name for name in NAMES if name in priors]
    index = np.array([INDEX[name] for name in free])
    mean, sigma = (np.array([priors[name][k] for name in free]) for k in (0, 1))
    slack = side_slack(base, table, points) if bent else np.zeros((len(points.px), 0))
    caster = Caster(base, points.px, points.on_nose, points.on_sight, points.on_turn)
    q = np.concatenate((v[index] / SCALE[index], np.zeros(slack.shape[1])))
    return _Problem(caster, points, v, index, mean, sigma, slack), q


BIAS_SHARE, BEND_SHARE = 0.75, 0.2
"""One sigma of a mark's common offset and of each of its bends, in sigmas of one of its points.

Of 98 sides of 29 path-traced tables whose edge is 0.5, 0.65 and 1.1 px faint the offset scatters by 0.14,
0.20 and 0.3 px; a point's sigma here is two fifths of that (docs/lab/2026-11-28-tables.md).
"""

BENDS = 4
"""Highest order of a side's bends (Legendre polynomials over its length)."""


def side_slack(camera: Camera, table: TableSpec, points: Points) -> FloatArray:
    """Pixels by which one sigma of each side's bias and bends, and of the bias of each of a board's base
    lines, moves each point: (N, 4 * (1 + BENDS)), and 8 more of a board.

    Shadows, worn rubber and compression move the points of a side together. Without these unknowns the lens
    would be bent to fit them, and the covariance would be too small.
    """
    at = plane_points(camera, points.px, _heights(points, start_values(table)))
    across = np.where(points.mark <= TOP, at[:, 0] / table.half_width_mm, 2 * at[:, 1] / table.length_mm - 1)
    basis = np.polynomial.legendre.legvander(np.clip(across, -1.0, 1.0), BENDS)
    share = np.array([BIAS_SHARE, *[BEND_SHARE] * BENDS])
    parts = [basis * share * ((points.mark == side) * points.sigma_px)[:, None] for side in SIDES]
    lines = (*BASES, *INNER_BASES) if table.is_board else ()
    parts += [((points.mark == line) * points.sigma_px * BIAS_SHARE)[:, None] for line in lines]
    return np.concatenate(parts, axis=1)


def _robust_slope(z: FloatArray, misfit: FloatArray) -> FloatArray:
    """Derivative of `robust` at `z`, where it is `misfit`."""
    small = np.abs(z) < 1e-6
    ratio = np.where(small, 1.0, z / np.where(small, 1.0, misfit))
    return np.asarray(ratio / (1 + (z / _BEND) ** 2), dtype=np.float64)


def _finish(table: TableSpec, problem: _Problem, q: FloatArray) -> Fit:
    """The solution at `q`. Raises NoTableFits."""
    v, points, index = problem.full(q), problem.points, problem.index
    camera = problem.caster.base
    count = len(index)
    residuals, jacobian = problem.residuals(q), np.ascontiguousarray(problem.jacobian(q))
    offset = distances(problem.caster.cast(v).at, points.mark, v)[0]
    covariance = np.linalg.pinv(jacobian.T @ jacobian, rcond=_PSEUDO_INVERSE_CUT)[:count, :count] * np.outer(
        SCALE[index], SCALE[index]
    )
    try:
        measured = replace(
            table.with_line(float(v[BAULK_Y]), float(v[RADIUS])),
            nose_height_mm=float(v[NOSE]),
            length_mm=float(v[LENGTH]),
            width_mm=float(v[WIDTH]),
        )
    except ValueError:
        raise NoTableFits(sentence("errors.cushions_that_fit_a_table")) from None
    m = v[MARGINS]
    return Fit(
        camera,
        measured,
        (float(m[0]), float(m[1]), float(m[2]), float(m[3])),
        offset * _px_per_mm(camera, points, v),
        float(residuals @ residuals),
        float(np.sum(residuals[: len(points.px)] ** 2)),
        tuple(NAMES[k] for k in index),
        v[index].copy(),
        covariance,
        q[count:],
    )


def refit_residuals(fit: Fit, points: Points, arc_x_mm: float = 0.0) -> FloatArray:
    """Signed distances (N,) px of points, not those fitted, from the marks of a fit."""
    v = start_values(fit.table)
    v[MARGINS] = fit.margins_mm
    v[ARC_X] = arc_x_mm
    for name in (*END_NAMES, "reach"):
        if name in fit.free:
            v[INDEX[name]] = fit.values[fit.free.index(name)]
    scale = _px_per_mm(fit.camera, points, v)
    at = plane_points(fit.camera, points.px, _heights(points, v))
    return np.asarray(distances(at, points.mark, v)[0] * scale, dtype=np.float64)


def predicted_residuals(fit: Fit, table: TableSpec, points: Points) -> FloatArray:
    """Residuals (N,) px of points that were not fitted, less the bias and bends of their sides."""
    return refit_residuals(fit, points) - side_slack(fit.camera, table, points) @ fit.slack
