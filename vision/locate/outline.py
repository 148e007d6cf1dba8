"""Sub-pixel ball centres: the outline of a sphere of known size, fitted under the camera model.

1. The silhouette, the circle in which the view cone touches the sphere, is projected for a first centre.
2. The step between the ball's and the background's colour is located along the normals of the silhouette.
3. The centre follows by robust weighted least squares, with a small common change of radius for blur and
   shading at the limb.

Rays with little contrast (a neighbour of the same colour, a shadow over the edge, a cue in the way) have
little weight, and the covariance includes the loss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.find.strips import median_of_known
from calibration.robust import SIGMA_OVER_MEDIAN
from vision.io.picture import Picture, median

F64 = npt.NDArray[np.float64]

RAYS = 48
"""Rays of one outline, at even angles."""
RADIUS_PRIOR = 0.03
"""One sigma of the relative change of radius that blur and shading cause."""
_STEPS = 33  # samples along a ray
_REACH = 0.42  # radii that a ray reaches to each side of the outline
_ITERATIONS = 2  # of locating the edges at the centre found so far
_REWEIGHTINGS = 6
_LEAST_SHARE = 0.25  # of the rays that must agree
_FARTHEST = 0.6  # radii: a fit that moves farther has found another thing
_NOISE_FLOOR_PX = 0.06  # one sigma of a ray's edge at the highest contrast
_BIAS_FLOOR_PX = 0.05  # one sigma of the error that all rays share (shadow side, highlight)
_SHADE_GREY = 10.0  # grey levels: shadows and shading move a ray's edge by this over its contrast, in px
_BIAS_GREY = 20.0  # grey levels: a one-sided shadow moves the outline by (this over the contrast)^2 px
_CHROMA_WEIGHT = 1.5  # of chroma against luma; it separates balls from cloth where luma does not
_OFFSETS = np.linspace(-_REACH, _REACH, _STEPS)  # radii of the samples along a ray from the outline
_INNER, _OUTER = slice(None, int((_OFFSETS <= -0.22).sum())), slice(int((_OFFSETS < 0.2).sum()), None)
_NOISES = 5.0  # noises of a sample that a ray's contrast must exceed
_MOST_SPREAD = 0.25  # mean difference between a ray's profile and a step
_EDGE_PX = 1.5  # half the width of a blurred edge
_LEAST_SHARPNESS = 0.05
_TUNING, _LEAST_SCALE_PX = (
    4.0,
    0.03,
)  # of Tukey's biweight: scales at which a ray no longer counts; least scale
_AGREES = 0.2  # weight from which a ray agrees
_RADIUS_LIMITS = (0.88, 1.12)  # of the fitted radius over the ball's
_FREE_PRIOR = 1e-9  # of the shift in the normal matrix: keeps it regular without rays


@dataclass(frozen=True, slots=True)
class OutlineFit:
    """A ball's fitted outline: centre on the cloth (mm, table frame) and one sigma per axis.

    `good_share`: share of rays that agree. `radius_ratio`: fitted radius over the ball's.
    """

    x_mm: float
    y_mm: float
    sigma_mm: float
    good_share: float
    radius_ratio: float


@dataclass(frozen=True, slots=True)
class Body:
    """The shape of a piece: a ball, or a flat disc whose bright face lies `top_mm` above the surface.

    `height_mm`: of the point that is its place in the picture: a ball's centre, the middle of a disc's top.
    """

    radius_mm: float
    top_mm: float | None = None

    @property
    def height_mm(self) -> float:
        return self.radius_mm if self.top_mm is None else self.top_mm

    def centres_mm(self, xy_mm: F64) -> F64:
        """The points (B, 3) mm that stand for pieces at (B, 2) mm."""
        return np.column_stack((xy_mm, np.full(len(xy_mm), self.height_mm)))

    def ring_mm(self, centres_mm: F64, eye_mm: F64, rays: int) -> F64:
        """Points (B, rays, 3) mm on the outlines of pieces that a camera at `eye_mm` sees."""
        if self.top_mm is None:
            return silhouette_mm(centres_mm, self.radius_mm, eye_mm, rays)
        angle = np.arange(rays) * (2 * np.pi / rays)
        circle = np.stack((np.cos(angle), np.sin(angle), np.zeros(rays)), axis=1) * self.radius_mm
        return np.asarray(centres_mm[:, None] + circle, np.float64)


def silhouette_mm(centres_mm: F64, radius_mm: float, camera_mm: F64, rays: int = RAYS) -> F64:
    """Points (B, rays, 3) mm at which the view cone touches each sphere; `centres_mm` (B, 3)."""
    axis = camera_mm[None] - centres_mm
    distance = np.linalg.norm(axis, axis=1, keepdims=True)
    axis = axis / distance
    # two unit vectors across the axis: (0, 1, 0) x axis, then axis x that
    e1 = np.column_stack((axis[:, 2], np.zeros(len(axis)), -axis[:, 0]))
    e1 /= np.linalg.norm(e1, axis=1, keepdims=True)
    e2 = np.column_stack(
        (axis[:, 1] * e1[:, 2], axis[:, 2] * e1[:, 0] - axis[:, 0] * e1[:, 2], -axis[:, 1] * e1[:, 0])
    )
    sine = radius_mm / distance
    foot = centres_mm + axis * radius_mm * sine
    ring = radius_mm * np.sqrt(1 - sine**2)
    angle = np.arange(rays) * (2 * np.pi / rays)
    return np.asarray(
        foot[:, None]
        + ring[:, None]
        * (np.cos(angle)[None, :, None] * e1[:, None] + np.sin(angle)[None, :, None] * e2[:, None]),
        np.float64,
    )


def fit_outlines(
    picture: Picture,
    camera: Camera,
    radius_mm: float,
    centres_mm: F64,
    prior_mm: float = 2.0,
    noise: float = 2.0,
    top_mm: float | None = None,
) -> list[OutlineFit | None]:
    """Refine ball centres (B, 2) mm; None where too little of the outline is visible.

    `top_mm`: height of the tops of flat discs, None for balls.

    `prior_mm`: one sigma of the given centres, which dominate where the outline is faint (green on green).
    `noise`: one sigma of a sample in grey levels.
    """
    count = len(centres_mm)
    if count == 0:
        return []
    start, body = np.asarray(centres_mm, np.float64), Body(radius_mm, top_mm)
    xy, spread, good, scale, alive = _fitted(picture, camera, body, start, noise, _ITERATIONS)
    # inverse-variance mean with the given centre
    share = prior_mm**2 / (prior_mm**2 + spread**2)
    xy = centres_mm + share[:, None] * (xy - centres_mm)
    final = spread * np.sqrt(share)
    return [
        OutlineFit(float(xy[b, 0]), float(xy[b, 1]), float(final[b]), float(good[b]), float(scale[b]))
        if alive[b]
        else None
        for b in range(count)
    ]


def rim_shifts(
    picture: Picture, camera: Camera, body: Body, xy_mm: F64, away: F64, rounds: int, noise: float = 2.0
) -> tuple[F64, F64]:
    """Shifts (B, 2) mm of discs from `xy_mm` (B, 2) by the half of their rims that lies `away` (B, 2) from
    the camera, and one sigma per axis (B,) mm; inf where too little of it is seen.
    """
    angle = np.arange(RAYS) * (2 * np.pi / RAYS)
    half = away @ np.stack((np.cos(angle), np.sin(angle))) > 0.0
    xy, spread, _, _, alive = _fitted(picture, camera, body, xy_mm, noise, rounds, half)
    return xy - xy_mm, np.where(alive, spread, np.inf)


def _fitted(
    picture: Picture,
    camera: Camera,
    body: Body,
    start_mm: F64,
    noise: float,
    rounds: int,
    free: npt.NDArray[np.bool_] | None = None,
) -> tuple[F64, F64, F64, F64, npt.NDArray[np.bool_]]:
    """Places (B, 2) mm by outlines, one sigma per axis (B,) mm, the share of rays that agree (B,), the
    radius over the piece's (B,), and which (B,) were found. `free` (B, R): the rays that count; of a part of
    an outline the radius is held.
    """
    eye, xy = np.asarray(camera.centre_mm, np.float64), start_mm.copy()
    spread, good, scale = np.full(len(xy), np.inf), np.zeros(len(xy)), np.ones(len(xy))
    alive = np.ones(len(xy), np.bool_)
    for _ in range(rounds):
        geometry = Outlines.at(camera, body.radius_mm, xy, eye, body.top_mm)
        edge, sigma, contrast = edges(picture, geometry, scale, noise, free)
        shift, spread, good, radius = _solve(geometry, edge, sigma, contrast)
        scale = radius if free is None else scale
        wandered = np.hypot(*(xy + shift - start_mm).T) > _FARTHEST * body.radius_mm
        alive &= (good >= _LEAST_SHARE) & ~wandered
        xy = np.where(alive[:, None], xy + shift, xy)
    return xy, spread, good, scale, alive


@dataclass(frozen=True, slots=True)
class Outlines:
    """Outlines of B balls in the picture, with R rays each."""

    centre_px: F64  # (B, 2)
    outline_px: F64  # (B, R, 2)
    normal: F64  # (B, R, 2), outwards
    radius_px: F64  # (B,)
    px_per_mm: F64  # (B, 2, 2): d px / d mm

    @staticmethod
    def at(camera: Camera, radius_mm: float, xy: F64, eye: F64, top_mm: float | None = None) -> Outlines:
        """The outlines of balls, or discs, at (B, 2) mm; `eye` (3,): the camera's centre, mm."""
        count, body = len(xy), Body(radius_mm, top_mm)
        centres = body.centres_mm(xy)
        ring = body.ring_mm(centres, eye, RAYS)
        h = 1.0
        dx, dy = np.array([h, 0.0, 0.0]), np.array([0.0, h, 0.0])
        probes = np.concatenate(
            (ring.reshape(-1, 3), centres, centres + dx, centres - dx, centres + dy, centres - dy)
        )
        px = camera.pixels_from_table(probes)
        n = count * RAYS
        outline = px[:n].reshape(count, RAYS, 2)
        centre, xp, xm, yp, ym = (px[n + k * count : n + (k + 1) * count] for k in range(5))
        jacobian = np.stack(((xp - xm) / (2 * h), (yp - ym) / (2 * h)), axis=2)
        tangent = np.roll(outline, -1, axis=1) - np.roll(outline, 1, axis=1)
        normal = np.stack((tangent[..., 1], -tangent[..., 0]), axis=2)
        normal /= np.linalg.norm(normal, axis=2, keepdims=True)
        middle = outline.mean(axis=1, keepdims=True)
        outward = np.sign(np.sum(normal * (outline - middle), axis=2, keepdims=True))
        radius = np.linalg.norm(outline - middle, axis=2).mean(axis=1)
        return Outlines(centre, outline, normal * outward, radius, jacobian)


def edges(
    picture: Picture, g: Outlines, scale: F64, noise: float, free: npt.NDArray[np.bool_] | None = None
) -> tuple[F64, F64, F64]:
    """Edges along the rays: offsets from the outline (B, R) px and sigmas (B, R) px, inf where unusable.

    Also each ball's usual contrast (B,) in grey levels. `scale` (B,): radius of the outline over the ball's.
    `free` (B, R): rays that no other ball crosses; only they count.
    """
    offsets = _OFFSETS
    values = _profiles(picture, g, scale)
    inside, outside = median(values[:, :, _INNER], axis=2), median(values[:, :, _OUTER], axis=2)
    step = inside - outside
    contrast = np.linalg.norm(step, axis=2)
    unit = step / np.maximum(contrast, 1e-6)[..., None]
    level = (
        np.einsum("brkc,brc->brk", values - outside[:, :, None], unit) / np.maximum(contrast, 1e-6)[..., None]
    )
    edge, good = _crossing(level, offsets)
    spread = np.abs(level - (offsets < edge[..., None])).mean(axis=2)
    good &= (contrast > _NOISES * noise) & (spread < _MOST_SPREAD)
    # a ray over a mark, a neighbour or a highlight differs from most rays of the ball
    if free is None:
        usual = median(inside, axis=1)[:, None], median(outside, axis=1)[:, None]
    else:
        good &= free
        usual = _median_of(inside, free), _median_of(outside, free)
    usual_contrast = np.linalg.norm(usual[0] - usual[1], axis=2)
    odd = (np.linalg.norm(outside - usual[1], axis=2) + np.linalg.norm(inside - usual[0], axis=2)) / (
        0.5 * usual_contrast + 2 * _SHADE_GREY
    )
    # a soft ramp is shading rather than an outline, or motion blur
    doubt = (1 + odd**2) / _sharpness(level, edge, offsets, g.radius_px) ** 2
    # a blurred step has a slope of about its contrast over 1.5 px; several samples share the noise
    sigma = np.where(
        good,
        doubt * np.hypot(_NOISE_FLOOR_PX, np.hypot(_SHADE_GREY, 1.2 * noise) / np.maximum(contrast, 1e-6)),
        np.inf,
    )
    return (edge + scale[:, None] - 1) * g.radius_px[:, None], sigma, usual_contrast[:, 0]


def _profiles(picture: Picture, g: Outlines, scale: F64) -> F64:
    """Luma and weighted chroma (B, R, K, 3) along the rays, at `_OFFSETS` (K,) from the outline, in radii."""
    shift = (scale[:, None] - 1 + _OFFSETS[None]) * g.radius_px[:, None]  # (B, K)
    points = g.outline_px[:, :, None] + shift[:, None, :, None] * g.normal[:, :, None]
    b, r, k, _ = points.shape
    flat = points.reshape(b * r, k, 2).astype(np.float32)
    yuv = picture.sample_yuv(np.ascontiguousarray(flat[..., 0]), np.ascontiguousarray(flat[..., 1]))
    values = yuv.reshape(b, r, k, 3).astype(np.float64)
    values[..., 1:] *= _CHROMA_WEIGHT
    return values


def _median_of(values: F64, rays: npt.NDArray[np.bool_]) -> F64:
    """Median (B, 1, 3) of values (B, R, 3) over the given rays (B, R); over all where none are given."""
    some = rays | ~rays.any(axis=1, keepdims=True)
    return median_of_known(np.where(some[..., None], values, np.nan), axis=1)[:, None]


def _crossing(level: F64, offsets: F64) -> tuple[F64, npt.NDArray[np.bool_]]:
    """Offset (B, R) at which each profile (1 inside, 0 outside) falls through one half, and whether it does.

    The crossing nearest to the outline is taken.
    """
    above = level > 0.5
    falls = above[..., :-1] & ~above[..., 1:]
    middle = (offsets[:-1] + offsets[1:]) / 2
    cost = np.where(falls, np.abs(middle), np.inf)
    at = np.argmin(cost, axis=-1)
    ball, ray = np.ogrid[: level.shape[0], : level.shape[1]]
    found, v0, v1 = falls[ball, ray, at], level[ball, ray, at], level[ball, ray, at + 1]
    share = (v0 - 0.5) / np.where(np.abs(v0 - v1) > 1e-9, v0 - v1, 1.0)
    return offsets[at] + np.clip(share, 0, 1) * (offsets[1] - offsets[0]), found


def _sharpness(level: F64, edge: F64, offsets: F64, radius_px: F64) -> F64:
    """Share (B, R) of a step that happens within 1.5 px of its edge, at least 0.05."""
    step = offsets[1] - offsets[0]
    reach = _EDGE_PX / radius_px[:, None]
    last = len(offsets) - 1
    lo = np.clip(np.rint((edge - reach - offsets[0]) / step), 0, last).astype(np.intp)
    hi = np.clip(np.rint((edge + reach - offsets[0]) / step), 0, last).astype(np.intp)
    ball, ray = np.ogrid[: level.shape[0], : level.shape[1]]
    return np.asarray(np.clip(level[ball, ray, lo] - level[ball, ray, hi], _LEAST_SHARPNESS, 1.0), np.float64)


def _solve(g: Outlines, edge: F64, sigma: F64, contrast: F64) -> tuple[F64, F64, F64, F64]:
    """Robust weighted least squares for all balls at once.

    Returns shift (B, 2) mm, its sigma (B,) mm, share of rays that agree (B,), and the radius's ratio (B,).
    """
    usable = np.isfinite(sigma)
    hidden = ~usable
    seen, balls = usable.sum(axis=1), np.arange(len(sigma))
    a = np.concatenate(
        (
            np.einsum("brp,bpm->brm", g.normal, g.px_per_mm),
            np.broadcast_to(g.radius_px[:, None, None], (*edge.shape, 1)),
        ),
        axis=2,
    )
    information = np.where(usable, 1.0 / np.where(usable, sigma, 1.0) ** 2, 0.0)
    weight = usable.astype(np.float64)
    counted, middle_ray = seen > 1, np.minimum(seen // 2, RAYS - 1)
    prior = np.diag([_FREE_PRIOR, _FREE_PRIOR, 1 / RADIUS_PRIOR**2])
    system = np.concatenate((a, edge[..., None]), axis=2)
    informed = (information[..., None] * a).transpose(0, 2, 1)
    for _ in range(_REWEIGHTINGS):
        both = (informed * weight[:, None]) @ system  # (B, 3, 4): normal matrix and right side
        normal = both[..., :3] + prior
        x = np.linalg.solve(normal, both[..., 3:])[..., 0]
        residual = edge - (a @ x[..., None])[..., 0]
        # the median of the usable rays; the others are sorted behind them
        size = np.abs(residual)
        size[hidden] = np.inf
        middle = np.where(counted, np.sort(size, axis=1)[balls, middle_ray], 1.0)
        reach = _TUNING * np.maximum(SIGMA_OVER_MEDIAN * middle, _LEAST_SCALE_PX)[:, None]
        weight = np.maximum(1 - (size / reach) ** 2, 0.0) ** 2
    agreeing = (weight > _AGREES).sum(axis=1)
    chi2 = np.sum(weight * information * residual**2, axis=1)
    excess = np.maximum(1.0, chi2 / np.maximum(weight.sum(axis=1) - 3, 1.0))
    covariance = np.linalg.inv(normal) * excess[:, None, None]
    mm_per_px = 1.0 / np.sqrt(np.abs(np.linalg.det(g.px_per_mm)))
    bias = (_BIAS_FLOOR_PX + (_BIAS_GREY / np.maximum(contrast, 1.0)) ** 2) * mm_per_px
    spread = np.sqrt((covariance[:, 0, 0] + covariance[:, 1, 1]) / 2 + bias**2)
    return x[:, :2], spread, agreeing / RAYS, np.clip(1 + x[:, 2], *_RADIUS_LIMITS)
