"""Balls in a pack, placed together by the free parts of their outlines and so that no two overlap.

A red among reds has an outline only where cloth lies behind it; one with six neighbours has none. Network and
highlights place such balls up to half a radius too far towards the light. The free arcs of the outer balls
give their places, and between them an inner ball has room in one place only.

All balls of a pack are solved at once from their places so far, weighted by their sigmas, and the free rays
of crowded balls, with one common change of radius for blur and shading. The result is then moved to the
nearest places (in those uncertainties) at which no two balls overlap: a quadratic programme, solved as
non-negative least squares (Lawson & Hanson, Solving Least Squares Problems, 1974, ch. 23).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy

from calibration.camera import Camera
from calibration.robust import robust_sigma
from vision.io.picture import Picture
from vision.locate.outline import RADIUS_PRIOR, Outlines, edges

F64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_NEIGHBOUR_DIAMETERS = 1.15  # distance of centres below which balls hide a part of each other's outline
_CROWDED = 3  # neighbours from which on a ball's own place is not trusted
_ROUNDS = 3  # of measuring the outlines at the places of the round before
_SETTLED_RADII = 0.01  # a smaller move ends the rounds
_REWEIGHTINGS = 5
_FREE = 1.04  # radii from another ball's centre beyond which a sample shows no part of that ball
_CHECKED = (-0.3, 0.0, 0.3)  # radii along a ray from the outline at which it must be free
_RAYS_AS_ONE = 4.0  # neighbouring rays share shadow and blur; so many count as one
_ASTRAY_RADII = 0.25  # one sigma of a crowded ball's own place where neither network nor cloth show it
_ASTRAY_FROM_RADII = 0.06  # own sigma from which on that holds; below it the sigma shrinks with its cube
_OWN_FLOOR_RADII = 0.011  # one sigma that the rays of one ball cannot improve upon
_KNOWN_RADII = 0.004  # one sigma of balls that are not examined in this picture
_TUNING = 5.0  # scales of the residuals at which a ray no longer counts (Tukey's biweight)
_LEAST_SCALE_PX = 0.03
_PASSES = 8  # of the linearised condition that balls do not overlap
_FARTHEST_RADII = 0.9  # if a ball would move farther, it or a neighbour is no ball, and all stay


def in_pack(places_mm: F64, radius_mm: float) -> tuple[Mask, Mask]:
    """Which balls at (B, 2) mm are crowded (B,), and which belong to the pack of a crowded one (B,)."""
    near = _apart(places_mm) < 2 * radius_mm * _NEIGHBOUR_DIAMETERS
    crowded = near.sum(axis=1) >= _CROWDED
    members, before = crowded, np.zeros_like(crowded)
    while (members != before).any():
        before = members
        members = members | near[members].any(axis=0)
    return crowded, members


def place_packs(
    picture: Picture,
    camera: Camera,
    radius_mm: float,
    places_mm: F64,
    sigmas_mm: F64,
    looked: Mask,
    noise: float,
) -> F64:
    """Places (B, 2) mm of balls, those in packs solved together.

    `sigmas_mm` (B,): one sigma per axis of the given places. `looked` (B,): balls detected in this picture;
    the others keep their places. `noise`: one sigma of a sample in grey levels.
    """
    crowded, members = in_pack(places_mm, radius_mm)
    if not (crowded & looked).any():
        return places_mm
    out = places_mm.copy()
    own = np.where(looked, sigmas_mm, _KNOWN_RADII * radius_mm)[members]
    out[members] = _solved(
        picture, camera, radius_mm, places_mm[members], own, (crowded & looked)[members], noise
    )
    too_far = np.linalg.norm(out - places_mm, axis=1) > _FARTHEST_RADII * radius_mm
    return places_mm if too_far.any() else np.where(looked[:, None], out, places_mm)


def _solved(
    picture: Picture,
    camera: Camera,
    radius_mm: float,
    assumed_mm: F64,
    sigmas_mm: F64,
    crowded: Mask,
    noise: float,
) -> F64:
    eye = np.asarray(camera.centre_mm, np.float64)
    astray = np.minimum(1.0, (sigmas_mm / (_ASTRAY_FROM_RADII * radius_mm)) ** 3)
    own = np.where(crowded, np.maximum(_ASTRAY_RADII * astray, _OWN_FLOOR_RADII) * radius_mm, sigmas_mm)
    xy, before = assumed_mm, np.full_like(assumed_mm, np.inf)
    for _ in range(_ROUNDS):
        if np.abs(xy - before).max() < _SETTLED_RADII * radius_mm:
            break
        before = xy
        outlines = Outlines.at(camera, radius_mm, xy, eye)
        edge, sigma, _ = edges(picture, outlines, np.ones(len(xy)), noise, _free(outlines))
        shift, covariance = _by_rays(outlines, edge, sigma, assumed_mm - xy, own)
        covariance += (_OWN_FLOOR_RADII * radius_mm) ** 2 * np.eye(2)
        alone = own[:, None, None] ** 2 * np.eye(2)
        best = np.where(crowded[:, None], xy + shift, assumed_mm)
        xy = without_overlap(best, np.where(crowded[:, None, None], covariance, alone), 2 * radius_mm)
    return xy


def _free(g: Outlines) -> Mask:
    """The rays (B, R) that cross no other ball of the pack."""
    middle = g.outline_px.mean(axis=1)
    free = np.ones(g.outline_px.shape[:2], np.bool_)
    itself = np.arange(len(middle))
    for offset in _CHECKED:
        at = g.outline_px + offset * g.radius_px[:, None, None] * g.normal
        radii = np.linalg.norm(at[:, :, None] - middle, axis=3) / g.radius_px
        radii[itself, :, itself] = np.inf
        free &= (radii > _FREE).all(axis=2)
    return free


def _by_rays(g: Outlines, edge: F64, sigma: F64, assumed_mm: F64, own_mm: F64) -> tuple[F64, F64]:
    """Shifts (B, 2) mm from the outlines and their covariances (B, 2, 2).

    Robust least squares over each ball's shift and one change of radius for all, with the shifts to the
    places so far (B, 2) mm, one sigma `own_mm` (B,), as prior.
    """
    usable = np.isfinite(sigma)
    slope = np.einsum("brp,bpm->brm", g.normal, g.px_per_mm)
    information = np.where(usable, 1.0 / np.where(usable, sigma, 1.0) ** 2, 0.0) / _RAYS_AS_ONE
    weight = np.ones_like(edge)
    prior = (1.0 / own_mm**2)[:, None]
    wider = g.radius_px[:, None]
    for _ in range(_REWEIGHTINGS):
        counted = (information * weight)[..., None] * slope
        inverse = np.linalg.inv(counted.transpose(0, 2, 1) @ slope + prior[..., None] * np.eye(2))
        pulled = (counted * edge[..., None]).sum(axis=1) + prior * assumed_mm
        mixed = (counted * wider[..., None]).sum(axis=1)
        # the change of radius, each ball's own shift eliminated
        moved = np.einsum("bij,bj->bi", inverse, mixed)
        stiff = (information * weight * wider**2).sum() - (mixed * moved).sum() + 1 / RADIUS_PRIOR**2
        ratio = ((information * weight * wider * edge).sum() - (moved * pulled).sum()) / stiff
        shift = np.einsum("bij,bj->bi", inverse, pulled - ratio * mixed)
        residual = np.abs(edge - (slope @ shift[..., None])[..., 0] - ratio * wider)
        if not usable.any():
            break
        reach = _TUNING * max(robust_sigma(residual[usable]), _LEAST_SCALE_PX)
        weight = np.where(usable, np.maximum(1 - (residual / reach) ** 2, 0.0) ** 2, 0.0)
    return shift, np.asarray(inverse, np.float64)


def without_overlap(places_mm: F64, covariances_mm2: F64, diameter_mm: float) -> F64:
    """The nearest places (B, 2) mm at which no two balls are nearer than a diameter.

    Distance is measured in the covariances (B, 2, 2). The condition is linearised at the last answer a few
    times; overlaps left are below 0.1 mm.
    """
    root = np.asarray(np.linalg.cholesky(covariances_mm2), np.float64)
    xy = places_mm
    for _ in range(_PASSES):
        apart = _apart(xy)
        first, second = np.nonzero(np.triu(apart < diameter_mm * _NEIGHBOUR_DIAMETERS, 1))
        if not (apart[first, second] < diameter_mm - 1e-3).any():
            return xy
        along = (xy[first] - xy[second]) / np.maximum(apart[first, second], 1e-6)[:, None]
        wider = np.asarray(
            diameter_mm - (along * (places_mm[first] - places_mm[second])).sum(axis=1), np.float64
        )
        shifts = _least(along, first, second, root, wider)
        if shifts is None:
            return xy
        xy = places_mm + shifts
    return xy


def _least(
    along: F64, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp], root: F64, wider_mm: F64
) -> F64 | None:
    """The least shifts (B, 2) mm, in units of `root` (B, 2, 2), that widen each pair by `wider_mm` (K,).

    None where no shifts do.
    """
    pair, balls = np.arange(len(first)), len(root)
    matrix = np.zeros((len(first), balls, 2))
    matrix[pair, first] = np.einsum("kc,kcd->kd", along, root[first])
    matrix[pair, second] = -np.einsum("kc,kcd->kd", along, root[second])
    # least distance programming as non-negative least squares
    whole = np.vstack((matrix.reshape(len(first), -1).T, wider_mm))
    goal = np.zeros(2 * balls + 1)
    goal[-1] = 1.0
    try:
        residual = whole @ scipy.optimize.nnls(whole, goal, maxiter=50 * whole.shape[1])[0] - goal
    except RuntimeError:  # no answer in so many steps
        return None
    if abs(residual[-1]) < 1e-9:
        return None
    shifts = (-residual[:-1] / residual[-1]).reshape(balls, 2)
    return np.asarray(np.einsum("ncd,nd->nc", root, shifts), np.float64)


def _apart(places_mm: F64) -> F64:
    """Distances (B, B) between all balls; inf on the diagonal."""
    apart = np.linalg.norm(places_mm[:, None] - places_mm[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart, np.float64)
