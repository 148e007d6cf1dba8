"""The unknowns of a calibration and the least squares over them (SciPy's solver, our residuals).

A measured edge point is compared with the straight nose, baulk line or D arc that it lies on: the
view ray of the pixel is cut with the mark's plane and the distance to the mark, in millimetres, is
turned into pixels with the local scale. So points need no counterpart along the line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from calibration.camera import Camera, CameraModel, rotation_matrix, rotation_vector
from calibration.solve.cast import MOVERS, Cast, Caster
from calibration.table.specs import TableSpec

FloatArray = npt.NDArray[np.float64]

BOTTOM, TOP, LEFT, RIGHT, BAULK, ARC = range(6)
"""Marks that a point can lie on: the four cushions (in this order everywhere), the baulk line, the D."""

SIDES = (BOTTOM, TOP, LEFT, RIGHT)

NAMES = (
    "log_focal",
    "k1",
    "k2",
    "cx",
    "cy",
    "w0",
    "w1",
    "w2",
    "t0",
    "t1",
    "t2",
    "nose",
    "baulk",
    "radius",
    "arc_x",
    "m0",
    "m1",
    "m2",
    "m3",
    "length",
    "width",
)
INDEX = {name: n for n, name in enumerate(NAMES)}
MARGIN = INDEX["m0"]

# what one unit of each unknown does to the picture is brought to a similar size for the solver
SCALE = np.array(
    [0.1, 0.1, 0.05, 10, 10, 0.02, 0.02, 0.02, 20, 20, 50, 5, 5, 5, 5, 10, 10, 10, 10, 5, 5], dtype=np.float64
)


@dataclass(frozen=True)
class Points:
    """Measured points: `px` (N, 2), the mark that each lies on, its height and its standard deviation.

    `on_nose`: height follows the cushion nose (else `z_mm` is fixed, 0 for marks on the cloth).
    """

    px: FloatArray
    mark: npt.NDArray[np.int_]
    sigma_px: FloatArray
    on_nose: npt.NDArray[np.bool_]

    @staticmethod
    def of(px: FloatArray, mark: int, sigma_px: float) -> Points:
        n = len(px)
        return Points(px, np.full(n, mark), np.full(n, sigma_px), np.full(n, mark in SIDES))

    @staticmethod
    def join(parts: list[Points]) -> Points:
        return Points(
            np.concatenate([p.px for p in parts]).reshape(-1, 2),
            np.concatenate([p.mark for p in parts]),
            np.concatenate([p.sigma_px for p in parts]),
            np.concatenate([p.on_nose for p in parts]),
        )

    def take(self, keep: npt.NDArray[np.bool_]) -> Points:
        return Points(self.px[keep], self.mark[keep], self.sigma_px[keep], self.on_nose[keep])


@dataclass(frozen=True)
class Rival:
    """The camera `chosen` and the one solved in the `other` lens model; `doubt`: how likely that is the right
    one.
    """

    chosen: Camera
    other: Camera
    doubt: float


@dataclass(frozen=True)
class Fit:
    """A solved state: camera, table as measured, the four margins (mm outside the noses), residuals.

    `residual_px` (N,) signed distances of the points; `cost`: robust sum of squares including priors;
    `covariance`: of the free unknowns (named in `free`) in their own units.
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
    """Each side's bias and bends in sigmas of their priors, (4 * (1 + BENDS),); empty when not solved for."""
    rival: Rival | None = None


def start_values(table: TableSpec) -> FloatArray:
    """Increments at zero, the table's own dimensions at nominal."""
    v = np.zeros(len(NAMES))
    v[INDEX["nose"]] = table.nose_height_mm
    v[INDEX["baulk"]] = table.baulk_line_mm or 0.0
    v[INDEX["radius"]] = table.d_radius_mm or 0.0
    v[INDEX["length"]] = table.length_mm
    v[INDEX["width"]] = table.width_mm
    return v


def camera_of(base: Camera, v: FloatArray) -> Camera:
    """The base camera changed by the increments: rotation is applied about the table's centre of view."""
    turn = rotation_matrix((float(v[5]), float(v[6]), float(v[7])))
    rotation = rotation_vector(turn @ base.matrix_camera_from_table)
    t = turn @ np.asarray(base.translation_mm) + v[8:11]
    k1 = (base.distortion[0] if base.distortion else 0.0) + float(v[1])
    k2 = (base.distortion[1] if len(base.distortion) > 1 else 0.0) + float(v[2])
    return replace(
        base,
        focal_px=base.focal_px * math.exp(float(np.clip(v[0], -3.0, 3.0))),
        cx_px=base.cx_px + float(v[3]),
        cy_px=base.cy_px + float(v[4]),
        distortion=(k1, k2),
        rotation=rotation,
        translation_mm=(float(t[0]), float(t[1]), float(t[2])),
    )


def plane_points(camera: Camera, px: FloatArray, z: FloatArray) -> FloatArray:
    rays = camera.rays_from_pixels(px)
    x, y, h = camera.centre_mm
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = (z - h) / rays[:, 2]
    reach = np.where(np.isfinite(reach) & (reach > 0), reach, 1e5)
    at = np.stack((x + reach * rays[:, 0], y + reach * rays[:, 1]), axis=1)
    return np.nan_to_num(np.clip(at, -1e6, 1e6), nan=1e5)


_NORMALS = np.array([(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, 0.0)])


def distances(at: FloatArray, mark: npt.NDArray[np.int_], v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Signed distance (mm) of plane points from their marks and the unit normals (N, 2)."""
    m, half, line = v[MARGIN : MARGIN + 4], v[INDEX["width"]] / 2, v[INDEX["baulk"]]
    offset = np.array([m[0], v[INDEX["length"]] + m[1], half + m[2], half + m[3], -line, 0.0])
    normal = _NORMALS[mark]
    distance = at[:, 0] * normal[:, 0] + at[:, 1] * normal[:, 1] + offset[mark]
    arc = np.flatnonzero(mark == ARC)
    if len(arc):
        away = at[arc] - (v[INDEX["arc_x"]], line)
        polar = np.maximum(np.hypot(away[:, 0], away[:, 1]), 1e-6)
        distance[arc], normal[arc] = polar - v[INDEX["radius"]], away / polar[:, None]
    return distance, normal


def mark_moves(normal: FloatArray, mark: npt.NDArray[np.int_]) -> FloatArray:
    """(len(NAMES) - MOVERS, N): what one unit of the table's own unknowns adds to the signed distances
    (mm).
    """
    out = np.zeros((len(NAMES), len(mark)))
    out[INDEX["baulk"]] = np.where(mark >= BAULK, -normal[:, 1], 0.0)
    out[INDEX["radius"]] = np.where(mark == ARC, -1.0, 0.0)
    out[INDEX["arc_x"]] = np.where(mark == ARC, -normal[:, 0], 0.0)
    for side in SIDES:
        out[MARGIN + side] = mark == side
    out[INDEX["length"]] = mark == TOP
    out[INDEX["width"]] = np.where((mark == LEFT) | (mark == RIGHT), 0.5, 0.0)
    return out[MOVERS:]


def _heights(points: Points, v: FloatArray) -> FloatArray:
    return np.where(points.on_nose, v[INDEX["nose"]], 0.0)


def _px_per_mm(camera: Camera, points: Points, v: FloatArray) -> FloatArray:
    z = _heights(points, v)
    at = plane_points(camera, points.px, z)
    normal = distances(at, points.mark, v)[1]
    here = camera.pixels_from_table(np.column_stack((at, z)))
    there = camera.pixels_from_table(np.column_stack((at + normal, z)))
    step = np.hypot(*(there - here).T)
    return np.where(np.isfinite(step), np.clip(step, 1e-3, 1e3), 1.0)


_BEND = 3.0
"""Sigmas at which the loss bends."""


def robust(z: FloatArray) -> FloatArray:
    """Cauchy's loss as a residual: r -> sign(r) sqrt(ln(1 + r^2)), r in units of its bend at 3 sigma."""
    return np.sign(z) * _BEND * np.sqrt(np.log1p((z / _BEND) ** 2))


class _Points:
    """The problem of `solve`: unknowns q are the free ones in units of SCALE, then each side's bias and
    bends.
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
        self.rows = np.concatenate((1.0 / sigma * SCALE[index], np.ones(slack.shape[1])))
        self.at_prior = np.concatenate((mean / SCALE[index], np.zeros(slack.shape[1])))
        self.scale = np.ones(len(points.px))
        self._last: tuple[FloatArray, Cast, FloatArray, FloatArray] | None = None

    def full(self, q: FloatArray) -> FloatArray:
        out = self.v.copy()
        out[self.index] = q[: len(self.index)] * SCALE[self.index]
        return out

    def _seen(self, q: FloatArray) -> tuple[Cast, FloatArray, FloatArray]:
        """Places, normals of their marks and misfits in sigmas; SciPy asks for residuals and slopes of one q
        in turn.
        """
        if self._last is None or not np.array_equal(self._last[0], q):
            now = self.full(q)
            cast = self.caster.cast(now)
            distance, normal = distances(cast.at, self.points.mark, now)
            ratio = (distance * self.scale - self.slack @ q[len(self.index) :]) / self.points.sigma_px
            self._last = (q.copy(), cast, normal, ratio)
        return self._last[1:]

    def residuals(self, q: FloatArray) -> FloatArray:
        return np.concatenate((robust(self._seen(q)[2]), (q - self.at_prior) * self.rows))

    def jacobian(self, q: FloatArray) -> FloatArray:
        seen, normal, ratio = self._seen(q)
        moves = np.concatenate(
            (self.caster.moves(seen, self.full(q), normal), mark_moves(normal, self.points.mark))
        )
        data = np.concatenate((moves[self.index] * (SCALE[self.index, None] * self.scale), -self.slack.T))
        return np.concatenate(((data * (_robust_slope(ratio) / self.points.sigma_px)).T, np.diag(self.rows)))

    def rescaled(self, q: FloatArray) -> None:
        """Take the px a mm is at `q` for the rounds to come."""
        self.scale, self._last = (
            _px_per_mm(camera_of(self.caster.base, self.full(q)), self.points, self.full(q)),
            None,
        )


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
    """Least squares from `base`. `priors`: name -> (mean, sigma); unknowns without one stay fixed.

    `bent`: each side's bias and bends are unknowns too (see `side_slack`).
    Means of log_focal, k1, k2, cx, cy are absolute (k1 of the lens itself, cx from the picture's
    middle, log_focal of focal over picture width, t2 ignored); the rest are absolute already.
    """
    v = start_values(table)
    for name, value in (start or {}).items():
        v[INDEX[name]] = value
    free = tuple(name for name in NAMES if name in priors)
    index = np.array([INDEX[name] for name in free])
    mean = np.array([priors[name][0] for name in free]) - _absolute(base)[index]
    sigma = np.array([priors[name][1] for name in free])
    slack = side_slack(base, table, points) if bent else np.zeros((len(points.px), 0))
    problem = _Points(Caster(base, points.px, points.on_nose), points, v, index, mean, sigma, slack)
    q = np.concatenate((v[index] / SCALE[index], np.zeros(slack.shape[1])))
    for _ in range(rounds):
        problem.rescaled(q)
        solved = least_squares(
            problem.residuals,
            q,
            jac=problem.jacobian,
            method="lm",
            max_nfev=steps,
            x_scale="jac",
            ftol=1e-7,
            xtol=1e-9,
            gtol=1e-9,
        )
        q = solved.x
    return _finish(table, free, problem, q)


BIAS_SHARE, BEND_SHARE = 0.3, 0.2
"""What a whole side may be off, and bent, in standard deviations of one of its points."""

BENDS = 4
"""Highest order of a side's bend (Legendre polynomials of its length)."""


def side_slack(camera: Camera, table: TableSpec, points: Points) -> FloatArray:
    """(N, 4 * (1 + BENDS)) px: what one sigma of each side's bias and bends moves each point.

    Shadows, worn rubber and compression move a side's points together; without these unknowns the lens
    would be bent to fit them and the fit would believe itself more than it may.
    """
    at = plane_points(camera, points.px, _heights(points, start_values(table)))
    across = np.where(points.mark <= TOP, at[:, 0] / table.half_width_mm, 2 * at[:, 1] / table.length_mm - 1)
    basis = np.polynomial.legendre.legvander(np.clip(across, -1.0, 1.0), BENDS)
    share = np.array([BIAS_SHARE, *[BEND_SHARE] * BENDS])
    parts = [basis * share * ((points.mark == side) * points.sigma_px)[:, None] for side in SIDES]
    return np.concatenate(parts, axis=1)


def _robust_slope(z: FloatArray) -> FloatArray:
    """Derivative of `robust`."""
    small = np.abs(z) < 1e-6
    ratio = np.where(small, 1.0, z / np.where(small, 1.0, robust(z)))
    return np.asarray(ratio / (1 + (z / _BEND) ** 2), dtype=np.float64)


def _absolute(base: Camera) -> FloatArray:
    """Values of the base camera for those unknowns whose priors are absolute."""
    out = np.zeros(len(NAMES))
    out[0] = math.log(base.focal_px / max(base.width_px, base.height_px))
    out[1] = base.distortion[0] if base.distortion else 0.0
    out[2] = base.distortion[1] if len(base.distortion) > 1 else 0.0
    out[3] = base.cx_px - (base.width_px - 1) / 2
    out[4] = base.cy_px - (base.height_px - 1) / 2
    return out


def _finish(table: TableSpec, free: tuple[str, ...], problem: _Points, q: FloatArray) -> Fit:
    v, points, index = problem.full(q), problem.points, problem.index
    camera = camera_of(problem.caster.base, v)
    count = len(index)
    residuals, jacobian = problem.residuals(q), problem.jacobian(q)
    offset = distances(problem.caster.cast(v).at, points.mark, v)[0]
    covariance = np.linalg.pinv(jacobian.T @ jacobian, rcond=1e-14)[:count, :count] * np.outer(
        SCALE[index], SCALE[index]
    )
    measured = replace(
        table,
        nose_height_mm=float(v[INDEX["nose"]]),
        baulk_line_mm=None if table.baulk_line_mm is None else float(v[INDEX["baulk"]]),
        d_radius_mm=None if table.d_radius_mm is None else float(v[INDEX["radius"]]),
        length_mm=float(v[INDEX["length"]]),
        width_mm=float(v[INDEX["width"]]),
    )
    m = v[MARGIN : MARGIN + 4]
    return Fit(
        camera,
        measured,
        (float(m[0]), float(m[1]), float(m[2]), float(m[3])),
        offset * _px_per_mm(camera, points, v),
        float(residuals @ residuals),
        float(np.sum(residuals[: len(points.px)] ** 2)),
        free,
        v[index].copy(),
        covariance,
        q[count:],
    )


def refit_residuals(fit: Fit, points: Points, arc_x_mm: float = 0.0) -> FloatArray:
    """Signed distances (px) of other points from the marks of a fit: for held-out checks."""
    v = start_values(fit.table)
    v[MARGIN : MARGIN + 4] = fit.margins_mm
    v[INDEX["arc_x"]] = arc_x_mm
    scale = _px_per_mm(fit.camera, points, v)
    at = plane_points(fit.camera, points.px, _heights(points, v))
    return np.asarray(distances(at, points.mark, v)[0] * scale, dtype=np.float64)


def foretold(fit: Fit, table: TableSpec, points: Points) -> FloatArray:
    """Residuals (px) of points that a bent fit has not seen, its sides' bias and bends taken off."""
    return refit_residuals(fit, points) - side_slack(fit.camera, table, points) @ fit.slack


def looking_down(
    width_px: int,
    height_px: int,
    model: CameraModel,
    focal_px: float,
    table_px: FloatArray,
    corners_mm: FloatArray,
) -> Camera:
    """A first camera from four corners: `table_px` (4, 2) px seen where `corners_mm` (4, 2) lie, z = 0."""
    cx, cy = (width_px - 1) / 2, (height_px - 1) / 2
    flat = (table_px - (cx, cy)) / focal_px
    if model == "fisheye":
        radius = np.maximum(np.hypot(*flat.T), 1e-9)[:, None]
        flat = flat * np.tan(np.minimum(radius, 1.45)) / radius
    rows = []
    for (x, y), (u, w) in zip(corners_mm / 1000.0, flat, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, -u])
        rows.append([0, 0, 0, x, y, 1, -w * x, -w * y, -w])
    h = np.linalg.svd(np.asarray(rows))[2][-1].reshape(3, 3)
    if h[2, 2] < 0:
        h = -h
    size = math.sqrt(max(float(np.linalg.norm(h[:, 0]) * np.linalg.norm(h[:, 1])), 1e-12))
    h = h / size
    r0, r1 = h[:, 0], h[:, 1]
    u3, _, vt = np.linalg.svd(np.column_stack((r0, r1, np.cross(r0, r1))))
    rotation = u3 @ np.diag([1.0, 1.0, float(np.linalg.det(u3 @ vt))]) @ vt
    t = h[:, 2] * 1000.0
    return Camera(
        width_px,
        height_px,
        model,
        focal_px,
        cx,
        cy,
        (0.0, 0.0),
        rotation_vector(rotation),
        (float(t[0]), float(t[1]), float(t[2])),
    )
