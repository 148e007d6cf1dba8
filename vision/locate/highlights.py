"""Places of faint balls from the highlights on them, for balls that the cloth swallows (green on green).

A ball is a convex mirror. It shows each lamp at the point whose normal bisects the directions to camera and
lamp. Well-seen balls are photographs of the lamps, from which the highlights of a ball at any other place
follow. The shift between these and the highlights of a faint ball is the error of its assumed place.

One height is assumed for all lamps; the known balls themselves determine it. The sigma of a result follows
from how well the known balls predict each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.robust import robust_sigma
from vision.io.picture import F32, Picture
from vision.locate.centres import windows
from vision.locate.slant import slants

F64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

GRID = 18
"""Samples along each axis of a ball's picture."""
PITCH = 0.1
"""Radii between two samples, as in the windows of `vision.locate.centres`."""

_HEIGHTS_MM = (800.0, 1100.0, 1500.0, 2000.0, 2800.0)  # of lamps above the cloth, tried
_HEIGHT_SHARE = 0.08  # one sigma of the lamps' height, as a share of it
_LIKE_MM = 800.0  # one sigma of the distance over which two balls show alike highlights
_FAR_WEIGHT = 0.01  # weight below which a known ball is too far away to count
_NEAREST = 8  # known balls from which one ball's highlights are predicted

_DISC = 0.72  # radii: farther out the outline and the cloth's mirror image begin
_SEEN, _SEEN_FADE = (
    0.8,
    0.1,
)  # radii: highlights of a known ball farther out are faded out over the second number
_FLAT = 0.75  # radii within which the smooth shading is fitted
_SHADING_ROUNDS = 6  # of the robust fit of the shading

_LEAST_KNOWN = 5  # known balls without which nothing is predicted
_MOST_KNOWN = 48
_MOST_LOOKS = 4  # at one ball: they average the noise, and a ball at rest costs nothing more
_SAME_MM = 2.0  # two looks nearer than this show the same resting ball
_APART_MM = (
    30.0  # of two known balls nearer than this, lying there one after the other, the later one is kept
)
_BRIGHT = 0.85  # brightness 0..1 above which highlights are clipped; white balls show none
_REFIT_GROWTH = 1.3  # growth of the number of known balls after which the height is fitted again

_LEAST_LIT, _ANYWHERE = 3, 0.02  # balls that show the light's lean; weight of those far away

_STILL_MM, _KEPT_IMAGES = 0.5, 50
"""A faint ball is measured anew when it moved farther than this and one sigma, or was not seen for longer."""
_STEEPEST_TAN = 1.9
"""Slope of the view (tangent from straight above) beyond which highlights are not used: lamps are mirrored at
the limb, where a small error of the known balls' places becomes a large one."""
_FARTHEST = 0.35  # radii: a longer shift belongs to another lamp
_LEAST_LIKE = 0.25  # share of a ball's uneven light that the prediction must explain
_OUTLIER = 4.5  # sigmas beyond which a result is ignored
_TRIED = 12  # known balls that are predicted by the others to find the lamps' height
_ASTRAY = 0.12  # radii: a ball predicted farther off has no say in the height
_FIT_STEPS = 6
_ENOUGH = 0.002  # radii: a shorter step ends the fit
_BLUR = 3.0  # neighbouring samples share their noise, so that the covariance is this much too small
_FLOOR = 0.012  # radii: one sigma that no highlight improves upon
_RAYLEIGH_MEDIAN = 1.177  # of Rayleigh's distribution, in sigmas of one axis

_AXIS = (np.arange(GRID) - (GRID - 1) / 2) * PITCH
_V, _U = np.meshgrid(_AXIS, _AXIS, indexing="ij")
_R = np.hypot(_U, _V)
_ON = _R < _DISC
_SMOOTH = np.stack(
    (np.ones_like(_U), _U, _V, _U**2, _U * _V, _V**2, _U**3, _U**2 * _V, _U * _V**2, _V**3), axis=-1
)
_EVEN = np.linalg.qr(_SMOOTH[_ON])[0]  # orthonormal basis of smooth shading
_SMOOTH_WITHIN = _SMOOTH[_R < _FLAT]
_NORMAL = np.stack((_U, _V, np.sqrt(np.maximum(1 - _R**2, 1e-6))), axis=-1)
_LUMA = np.array([0.299, 0.587, 0.114])  # ITU-R BT.601


@dataclass(frozen=True, slots=True)
class Shine:
    """The highlights of one well-seen ball at (x, y) mm.

    `shine` (GRID, GRID): light above the smooth shading, mean of `looks`. `lit`: offset of the centre of its
    light from its own centre, radii along the window's axes.
    """

    x_mm: float
    y_mm: float
    looks: int
    shine: F32
    lit: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class LampFix:
    """Place of one faint ball by its highlights.

    (x, y) mm: its place by outline and network. `at_mm`: by its highlights, mean of `found` successful looks.
    `variance`: of one axis, mm², inf while `found` is 0. `looks`: all looks. `index`: the last image with a
    look. `fitted`: `Lamps.fitted` at that time.
    """

    x_mm: float
    y_mm: float
    at_mm: tuple[float, float]
    variance: float
    found: int
    looks: int
    index: int
    fitted: int


@dataclass(frozen=True, slots=True)
class Lamps:
    """What the images so far show of the lamps; an immutable value.

    `known`: highlights of well-seen balls. `count`: balls that were ever added. `height_mm`: of the lamps
    above the cloth. `excess`: errors over what noise explains when known balls predict each other; inf until
    enough of them agree. `fitted`: `count` when height and excess were fitted. `fixes`: of faint balls at
    rest.
    """

    known: tuple[Shine, ...] = ()
    count: int = 0
    height_mm: float = _HEIGHTS_MM[2]
    excess: float = float("inf")
    fitted: int = 0
    fixes: tuple[LampFix, ...] = ()

    def fix_at(self, x_mm: float, y_mm: float, index: int, within_mm: float = _STILL_MM) -> LampFix | None:
        """The fix of the ball that still lies at (x, y) mm; None if it is outdated or there is none."""
        for fix in self.fixes:
            near = math.hypot(fix.x_mm - x_mm, fix.y_mm - y_mm) < within_mm
            if near and fix.fitted == self.fitted and index - fix.index <= _KEPT_IMAGES:
                return fix
        return None

    def lacks(self, x_mm: float, y_mm: float) -> bool:
        """Whether another look at a well-seen ball at (x, y) mm adds information."""
        return all(
            s.looks < _MOST_LOOKS for s in self.known if math.hypot(s.x_mm - x_mm, s.y_mm - y_mm) < _SAME_MM
        )


@dataclass(frozen=True, slots=True)
class _Expected:
    """Predicted highlights (GRID, GRID). `bent`: one sigma (radii) that the error of the height causes."""

    shine: F64
    bent: float


def learn_lamps(
    lamps: Lamps, picture: Picture, camera: Camera, radius_mm: float, xy_mm: F64, known: Mask
) -> Lamps:
    """The lamps after a look at balls at `xy_mm` (B, 2), of which `known` (B,) are well seen and at rest."""
    learn = np.array([k for k in np.flatnonzero(known).tolist() if lamps.lacks(*xy_mm[k].tolist())], np.intp)
    if not len(learn):
        return lamps
    lights = light(windows(picture, camera, radius_mm, xy_mm[learn]).image)
    return with_known_balls(lamps, lights, xy_mm[learn], np.asarray(camera.centre_mm, np.float64), radius_mm)


def refine_by_highlights(
    lamps: Lamps,
    picture: Picture,
    camera: Camera,
    radius_mm: float,
    xy_mm: F64,
    sigma_mm: F64,
    faint: Mask,
    index: int,
    still: bool,
) -> tuple[Lamps, F64, F64]:
    """Lamps, centres (B, 2) and one sigma per axis (B,), mm, with the highlights of faint balls.

    `xy_mm` (B, 2), `sigma_mm` (B,): places and sigmas so far. `faint` (B,): balls to measure. `index`: the
    image's number. `still`: nothing moves in it. A ball at rest is measured a few times, then remembered.
    """
    asked = faint & (slants(camera, xy_mm)[1] < 1.0 + _STEEPEST_TAN**2)
    ask = np.flatnonzero(asked) if len(lamps.known) >= _LEAST_KNOWN else np.zeros(0, np.intp)
    if not len(ask):
        return lamps, xy_mm, sigma_mm
    kept = {
        k: lamps.fix_at(float(xy_mm[k, 0]), float(xy_mm[k, 1]), index, max(_STILL_MM, float(sigma_mm[k])))
        for k in ask.tolist()
    }
    # new balls only where nothing moves: a rolling ball smears its highlights
    fresh = [k for k, fix in kept.items() if (still if fix is None else fix.looks < _MOST_LOOKS)]
    found = _measured(lamps, picture, camera, radius_mm, xy_mm, fresh) if fresh else {}
    fixes = {k: _with_result(kept[k], found.get(k), xy_mm[k], index, lamps.fitted) for k in ask.tolist()}
    others = [
        fix
        for fix in lamps.fixes
        if not any(fix is k for k in kept.values()) and index - fix.index <= _KEPT_IMAGES
    ]
    lamps = replace(lamps, fixes=(*others, *fixes.values()))
    return lamps, *_fused(camera, fixes, xy_mm, sigma_mm)


def _measured(
    lamps: Lamps, picture: Picture, camera: Camera, radius_mm: float, xy_mm: F64, which: Sequence[int]
) -> dict[int, tuple[F64, float]]:
    """Place (2,) mm and variance per axis (mm^2) of some of the balls at `xy_mm` (B, 2), by their number."""
    rows = np.array(which, np.intp)
    seen = windows(picture, camera, radius_mm, xy_mm[rows])
    eye_mm = np.asarray(camera.centre_mm, np.float64)
    shift, spread = shifts(lamps, light(seen.image), xy_mm[rows], eye_mm, radius_mm)
    at = xy_mm[rows] + np.einsum("bmc,bc->bm", seen.mm_from_unit, shift)
    variance = (spread * np.sqrt(np.abs(np.linalg.det(seen.mm_from_unit)))) ** 2
    return {k: (a, float(v)) for k, a, v in zip(which, at, variance, strict=True)}


def _with_result(
    before: LampFix | None, found: tuple[F64, float] | None, xy_mm: F64, index: int, fitted: int
) -> LampFix:
    """The fix of a ball after one more look; `found`: place and variance, None where no look was needed."""
    x, y = xy_mm.tolist()
    if before is None:
        before = LampFix(x, y, (0.0, 0.0), math.inf, 0, 0, index, fitted)
    if found is None:
        return replace(before, index=index)
    at, variance = found
    if not math.isfinite(variance):
        return replace(before, looks=before.looks + 1, index=index)
    n = before.found + 1

    def mean(old: float, new: float) -> float:
        return new if n == 1 else old + (new - old) / n

    return replace(
        before,
        x_mm=mean(before.x_mm, x),
        y_mm=mean(before.y_mm, y),
        at_mm=(mean(before.at_mm[0], float(at[0])), mean(before.at_mm[1], float(at[1]))),
        variance=mean(before.variance, variance),
        found=n,
        looks=before.looks + 1,
        index=index,
    )


def _fused(camera: Camera, fixes: Mapping[int, LampFix], xy_mm: F64, sigma_mm: F64) -> tuple[F64, F64]:
    """Places and sigmas (across the view) with the fixes of some balls, weighted by inverse variance along
    the view and across it.

    Shading and shadow draw an outline along the view; what a ball mirrors is where it is (`slant`).
    """
    xy, sigma = xy_mm.copy(), sigma_mm.copy()
    away, times = slants(camera, xy_mm)
    for k, fix in fixes.items():
        if not fix.found:
            continue
        axes = np.array((away[k], (-away[k, 1], away[k, 0])))  # along the view, across it
        slope = math.sqrt(times[k])  # by which a window's radius is longer along the view
        own = (sigma_mm[k] * np.array((times[k], 1.0))) ** 2
        fixed = fix.variance * np.array((slope, 1.0 / slope))
        far = axes @ (np.array(fix.at_mm) - (fix.x_mm, fix.y_mm))
        # a fix that is far off mistook one lamp for another
        if float((far**2 / (own + fixed)).sum()) < _OUTLIER**2:
            share = own / (own + fixed)
            xy[k] += (share * far) @ axes
            sigma[k] = math.sqrt(float((own * (1 - share)).sum()) / (1.0 + times[k] ** 2))
    return xy, sigma


def light(images: F32) -> F64:
    """Roughly linear light (B, GRID, GRID), 0..1, in the middle of windows (B, 3, P, P) RGB 0..1."""
    edge = (images.shape[2] - GRID) // 2
    inner = images[:, :, edge : edge + GRID, edge : edge + GRID]
    return np.asarray(np.clip(np.einsum("c,bcvu->bvu", _LUMA, inner), 0.0, 1.0) ** 2, np.float64)


def with_known_balls(lamps: Lamps, lights: F64, places_mm: F64, eye_mm: F64, radius_mm: float) -> Lamps:
    """The lamps with one look each (B, GRID, GRID) at well-seen resting balls at (B, 2) mm added."""
    known, count = list(lamps.known), lamps.count
    for ball, (x, y) in zip(lights, places_mm.tolist(), strict=True):
        if np.median(ball[_ON]) > _BRIGHT**2:
            continue
        now, lit, looks = _shine(ball), _lit(ball), 1
        for s in [s for s in known if math.hypot(s.x_mm - x, s.y_mm - y) < _APART_MM]:
            known.remove(s)
            if math.hypot(s.x_mm - x, s.y_mm - y) < _SAME_MM:
                looks, now = s.looks + 1, np.asarray(s.shine + (now - s.shine) / (s.looks + 1), np.float32)
                lit = (s.lit[0] + (lit[0] - s.lit[0]) / looks, s.lit[1] + (lit[1] - s.lit[1]) / looks)
        known.append(Shine(x, y, looks, now, lit))
        count += looks == 1
    found = replace(lamps, known=tuple(known[-_MOST_KNOWN:]), count=count)
    due = min(_REFIT_GROWTH * lamps.fitted, lamps.fitted + _MOST_KNOWN / 2)
    return found if len(known) < _LEAST_KNOWN or count < due else _agreed(found, eye_mm, radius_mm)


def shifts(lamps: Lamps, lights: F64, places_mm: F64, eye_mm: F64, radius_mm: float) -> tuple[F64, F64]:
    """Shifts (B, 2), in radii of the windows, of balls from their assumed places (B, 2) mm.

    Also one sigma per axis (B,), inf where the highlights give no answer.
    """
    moved, sigma = np.zeros((len(places_mm), 2)), np.full(len(places_mm), np.inf)
    if not np.isfinite(lamps.excess):
        return moved, sigma
    for k, (ball, place) in enumerate(zip(lights, places_mm, strict=True)):
        found = _compared(ball, _expected(lamps.known, place, eye_mm, radius_mm, lamps.height_mm))
        if found is not None:
            moved[k], spread = found
            sigma[k] = np.hypot(spread * lamps.excess, _FLOOR)
    return moved, sigma


def _agreed(lamps: Lamps, eye_mm: F64, radius_mm: float) -> Lamps:
    """The lamps with the height at which the known balls predict each other best, and the error left."""
    costs = [_disagreement(lamps, h, eye_mm, radius_mm)[0] for h in _HEIGHTS_MM]
    height = _lowest(np.log(_HEIGHTS_MM), np.array(costs))
    excess = _disagreement(lamps, height, eye_mm, radius_mm)[1]
    return replace(lamps, height_mm=height, excess=excess, fitted=lamps.count)


def _lowest(log_height: F64, costs: F64) -> float:
    """The height at the minimum of the parabola through the lowest cost and its two neighbours."""
    k = min(max(int(np.argmin(costs)), 1), len(costs) - 2)
    a, b, _ = np.polyfit(log_height[k - 1 : k + 2], costs[k - 1 : k + 2], 2)
    at = -b / (2 * a) if a > 1e-9 else log_height[int(np.argmin(costs))]
    return float(np.exp(np.clip(at, log_height[k - 1], log_height[k + 1])))


def _disagreement(lamps: Lamps, height_mm: float, eye_mm: F64, radius_mm: float) -> tuple[float, float]:
    """Error of known balls that are predicted by the others.

    The robust mean square (radii), and the median error over what noise explains (1 or more; inf where most
    balls have no answer).
    """
    far, excess = [], []
    for ball in lamps.known[:: -(-len(lamps.known) // _TRIED)]:
        at = np.array([ball.x_mm, ball.y_mm])
        found = _compared(
            ball.shine.astype(np.float64), _expected(lamps.known, at, eye_mm, radius_mm, height_mm)
        )
        length = _FARTHEST if found is None else float(np.hypot(*found[0]))
        far.append(min(length, _ASTRAY) ** 2)
        excess.append(float("inf") if found is None else length / found[1])
    return float(np.mean(far)), max(1.0, float(np.median(excess)) / _RAYLEIGH_MEDIAN)


def _shine(ball: F64) -> F32:
    """A ball's light (GRID, GRID) above its smooth shading, a robust cubic."""
    a, z = _SMOOTH_WITHIN, ball[_R < _FLAT]
    weight = np.ones(len(z))
    for _ in range(_SHADING_ROUNDS):
        c = np.linalg.lstsq(a * weight[:, None], z * weight, rcond=None)[0]
        rest = z - a @ c
        scale = robust_sigma(rest) + 1e-3
        # highlights only add light
        weight = 1 / (1 + (rest / np.where(rest > 0, scale, 3 * scale)) ** 2)
    return np.asarray(ball - _SMOOTH @ c, np.float32)


def _lit(ball: F64) -> tuple[float, float]:
    """Offset (radii) of the centre of a ball's light (GRID, GRID) from the ball's centre."""
    total = max(float(ball[_ON].sum()), 1e-6)
    return float((ball * _U)[_ON].sum()) / total, float((ball * _V)[_ON].sum()) / total


def light_lean_at(lamps: Lamps, places_mm: F64) -> F64:
    """Lean of the light at places (B, 2) mm: offset (B, 2) of the centre of a ball's light, radii.

    Zero where too few balls are known.
    """
    if len(lamps.known) < _LEAST_LIT:
        return np.zeros((len(places_mm), 2))
    at = np.array([(s.x_mm, s.y_mm) for s in lamps.known])
    apart = np.linalg.norm(places_mm[:, None] - at, axis=2)
    weight = np.exp(-0.5 * (apart / _LIKE_MM) ** 2) + _ANYWHERE
    return np.asarray(
        weight @ np.array([s.lit for s in lamps.known]) / weight.sum(axis=1, keepdims=True), np.float64
    )


def _axes(places_mm: F64, eye_mm: F64, radius_mm: float) -> F64:
    """Rows (B, 3, 3): the window's u and v axes and the direction to the camera, as in `silhouette_mm`."""
    view = eye_mm - np.column_stack((places_mm, np.full(len(places_mm), radius_mm)))
    view /= np.linalg.norm(view, axis=1, keepdims=True)
    e1 = np.cross([[0.0, 1.0, 0.0]], view)
    e1 /= np.linalg.norm(e1, axis=1, keepdims=True)
    return np.stack((e1, np.cross(view, e1), view), axis=1)


def _expected(
    known: tuple[Shine, ...], place_mm: F64, eye_mm: F64, radius_mm: float, height_mm: float
) -> _Expected | None:
    """Highlights predicted for a ball at a place (2,) mm from those of the known balls around it."""
    places = np.array([(s.x_mm, s.y_mm) for s in known]).reshape(-1, 2)
    apart = np.hypot(*(places - place_mm).T)
    # a ball does not predict itself
    weight = np.where(apart > _APART_MM, np.exp(-0.5 * (apart / _LIKE_MM) ** 2), 0.0)
    near = [k for k in np.argsort(-weight, kind="stable")[:_NEAREST].tolist() if weight[k] > _FAR_WEIGHT]
    if not near:
        return None
    axes, rise = _axes(place_mm[None], eye_mm, radius_mm)[0], height_mm - radius_mm
    normal = _NORMAL @ axes
    ray = 2 * (normal @ axes[2])[..., None] * normal - axes[2]
    lamp = place_mm + ray[..., :2] * (rise / np.maximum(ray[..., 2:], 0.12))
    to = lamp[None] - places[near][:, None, None]
    length = np.sqrt(to[..., 0] ** 2 + to[..., 1] ** 2 + rise**2)
    own = _axes(places[near], eye_mm, radius_mm)
    # the half-vector of camera and lamp is the normal where each known ball mirrors the lamp
    half = (
        np.concatenate((to, np.full((*length.shape, 1), rise)), axis=-1) / length[..., None]
        + own[:, None, None, 2]
    )
    # its components along u, v and the view, not normalised
    part = half.reshape(len(near), -1, 3) @ own.transpose(0, 2, 1)
    uv = np.moveaxis(part[..., :2] / np.sqrt(np.sum(part**2, axis=-1, keepdims=True)), -1, 0).reshape(
        2, len(near), GRID, GRID
    )
    share = weight[near][:, None, None] * np.clip((_SEEN - np.hypot(*uv)) / _SEEN_FADE, 0, 1)
    shown = _sampled(np.stack([known[k].shine for k in near]), uv[0], uv[1])
    total = share.sum(axis=0)
    lever = weight[near] @ (places[near] - place_mm) / weight[near].sum()
    # the half-vector turns by half the angle of the lamp's direction
    bent = float(np.hypot(*lever)) * _HEIGHT_SHARE / (2 * height_mm)
    return _Expected(np.where(total > 0.02, (share * shown).sum(axis=0) / np.maximum(total, 1e-6), 0.0), bent)


def _compared(ball: F64, expected: _Expected | None) -> tuple[F64, float] | None:
    """Shift (2,) in radii between a ball's light and the prediction, and its sigma from noise alone."""
    if expected is None or not expected.shine[_ON].any():
        return None
    dv, du = np.gradient(expected.shine, PITCH)
    fields = np.stack((expected.shine, -du, -dv))
    shift, z = np.zeros(2), _uneven(ball[_ON])
    for _ in range(_FIT_STEPS):
        at, *slope = _uneven(_sampled(fields, _U[_ON][None] - shift[0], _V[_ON][None] - shift[1]))
        gain = float(at @ z) / max(float(at @ at), 1e-12)
        if gain <= 0:
            return None
        a = np.column_stack((gain * slope[0], gain * slope[1], at))
        inverse = np.linalg.pinv(a.T @ a)
        x = inverse @ (a.T @ z)
        shift = shift + np.clip(x[:2], -PITCH, PITCH)
        if np.hypot(*shift) > _FARTHEST:
            return None
        if np.hypot(*x[:2]) < _ENOUGH:
            break
    rest = z - a @ x
    if rest @ rest > (1 - _LEAST_LIKE) * (z @ z):
        return None
    covariance = inverse[:2, :2] * (rest @ rest) / (len(z) - _SMOOTH.shape[-1] - 3) * _BLUR
    return shift, float(np.sqrt(np.trace(covariance) / 2 + expected.bent**2))


def _uneven(values: F64) -> F64:
    """Values (..., samples on the disc) without their smooth part."""
    return np.asarray(values - (values @ _EVEN) @ _EVEN.T, np.float64)


def _sampled(images: npt.NDArray[np.floating], u: F64, v: F64) -> F64:
    """Bilinear samples (B, ...) of images (B, GRID, GRID) at u, v (B, ...) or (1, ...) in radii."""
    x = np.clip(u / PITCH + (GRID - 1) / 2, 0, GRID - 1.001)
    y = np.clip(v / PITCH + (GRID - 1) / 2, 0, GRID - 1.001)
    i, j = x.astype(np.intp), y.astype(np.intp)
    fx, fy = x - i, y - j
    b = np.arange(len(images)).reshape(-1, *[1] * (u.ndim - 1))
    top = images[b, j, i] * (1 - fx) + images[b, j, i + 1] * fx
    return np.asarray(
        top * (1 - fy) + (images[b, j + 1, i] * (1 - fx) + images[b, j + 1, i + 1] * fx) * fy, np.float64
    )
