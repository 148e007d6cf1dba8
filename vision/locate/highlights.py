"""A second measure of where a ball lies: what it mirrors. For balls whose outline the cloth swallows (green
on green).

A ball is a convex mirror: the lamps that one ball shows, all balls under these lamps show, each where the
half-vector between camera and lamp leaves it. The balls that are seen well are photographs of the lamps;
from them follows what a ball at any other place must show, and the shift between that and what a faint
ball does show is how far it lies from where it is thought. Nothing is assumed about the lamps but one
height, which the balls themselves agree upon; how well they agree with each other is how far the answer is
believed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from vision.io.picture import F32, Picture
from vision.locate.centres import windows

F64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

GRID = 18
PITCH = 0.1  # radii between the samples of a shine, as in the windows of `vision.locate.centres`
_HEIGHTS_MM = (800.0, 1100.0, 1500.0, 2000.0, 2800.0)  # of lamps above the cloth
_LIKE_MM = 800.0  # balls farther apart than this say little about each other's shine
_DISC = 0.72  # radii: farther out the outline and the cloth's mirror image begin
_SEEN = 0.8  # radii: what a known ball shows farther out is not used
_FLAT = 0.75
_LEAST_KNOWN = 5
_LEAST_LIT, _ANYWHERE = 3, 0.02  # balls that tell which side is lit; the weight of those far away
_MOST_KNOWN = 48
_MOST_LOOKS = 4  # at one ball: noise is averaged, and a ball at rest costs nothing more
_SAME_MM = 2.0
_STILL_MM, _KEPT_IMAGES = (
    0.5,
    50,
)  # a faint ball as far from where it was asked, or as long not seen, is asked anew
_APART_MM = (
    30.0  # of two balls that lay nearer to each other than this, one after the other, the later one is kept
)
_BRIGHT = 0.85  # brightness 0..1 above which highlights are clipped: white balls tell nothing
_FARTHEST = 0.35  # radii: a longer shift has found another lamp
_LEAST_LIKE = 0.25  # share of what is not smooth on the ball that its lamps must explain
_TRIED = 12  # balls that are placed by the others when the lamps' height is sought
_NEAREST = 8  # known balls that tell what one shows
_OUTLIER = 3.0  # sigmas
_ASTRAY = 0.12  # radii: a ball that is placed farther off says nothing of the height
_HEIGHT_SHARE = 0.08  # one sigma of the lamps' height: its error tells far from the known balls
_ENOUGH = 0.002  # radii: a step shorter than this is the last
_BLUR = 3.0  # neighbouring samples share their noise: information is overstated by this
_FLOOR = 0.012  # radii: one sigma of what no lamp improves upon

_AXIS = (np.arange(GRID) - (GRID - 1) / 2) * PITCH
_V, _U = np.meshgrid(_AXIS, _AXIS, indexing="ij")
_R = np.hypot(_U, _V)
_ON = _R < _DISC
_SMOOTH = np.stack(
    (np.ones_like(_U), _U, _V, _U**2, _U * _V, _V**2, _U**3, _U**2 * _V, _U * _V**2, _V**3), axis=-1
)
_EVEN = np.linalg.qr(_SMOOTH[_ON])[0]  # orthonormal: what is smooth on a ball
_SMOOTH_WITHIN = _SMOOTH[_R < _FLAT]
_NORMAL = np.stack((_U, _V, np.sqrt(np.maximum(1 - _R**2, 1e-6))), axis=-1)
_LUMA = np.array([0.299, 0.587, 0.114])


@dataclass(frozen=True, slots=True)
class Shine:
    """What one well-seen ball at (x, y) mm mirrors: `shine` (GRID, GRID), light above its smooth shading,
    mean of `looks`.

    `lit`: how far the middle of its light lies from its own, radii along the window's axes.
    """

    x_mm: float
    y_mm: float
    looks: int
    shine: F32
    lit: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Told:
    """Where the lamps put one faint ball: thought at (x, y) mm by its outline, mirrored at `at_mm`, mean of
    `found` looks.

    `variance`: of one axis, mm², inf while `found` is 0; `looks`: found or not; `index`: the last image with
    a look;
    `fitted`: what was known of the lamps then.
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
    """What is known of the lamps: a value, a function of the images so far. `count`: balls that were ever
    added.

    `excess`: errors over what the noise explains, among the known balls themselves; inf until enough of them
    agree. `fitted`: the count when height and excess were found. `told`: of faint balls that lie still.
    """

    known: tuple[Shine, ...] = ()
    count: int = 0
    height_mm: float = _HEIGHTS_MM[2]
    excess: float = float("inf")
    fitted: int = 0
    told: tuple[Told, ...] = ()

    def of(self, x_mm: float, y_mm: float, index: int) -> Told | None:
        """What was told of the ball that lies there still; nothing is kept of one that was not looked at for
        long.
        """
        for t in self.told:
            near = math.hypot(t.x_mm - x_mm, t.y_mm - y_mm) < _STILL_MM
            if near and t.fitted == self.fitted and index - t.index <= _KEPT_IMAGES:
                return t
        return None

    def lacks(self, x_mm: float, y_mm: float) -> bool:
        """Whether a look at a well-seen ball there would tell more."""
        return all(
            s.looks < _MOST_LOOKS for s in self.known if math.hypot(s.x_mm - x_mm, s.y_mm - y_mm) < _SAME_MM
        )


@dataclass(frozen=True, slots=True)
class _Expected:
    """What a ball must mirror (GRID, GRID); `bent`: one sigma, radii, of its place by the lamps' height."""

    shine: F64
    bent: float


def learnt(
    lamps: Lamps, picture: Picture, camera: Camera, radius_mm: float, xy_mm: F64, known: Mask
) -> Lamps:
    """The lamps after a look at balls at `xy_mm` (B, 2), of which `known` are well-seen ones at rest."""
    learn = np.array([k for k in np.flatnonzero(known).tolist() if lamps.lacks(*xy_mm[k].tolist())], np.intp)
    if not len(learn):
        return lamps
    lights = light(windows(picture, camera, radius_mm, xy_mm[learn]).image)
    return with_balls(lamps, lights, xy_mm[learn], np.asarray(camera.centre_mm, np.float64), radius_mm)


def refined(
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
    """Lamps, centres (B, 2) and one sigma per axis (B,), mm, after a look at balls thought at `xy_mm`.

    `faint`: balls of which the lamps tell; `index`: the image's number; `still`: nothing moves in it. A
    ball that lies still is asked a few times, then remembered.
    """
    ask = np.flatnonzero(faint) if len(lamps.known) >= _LEAST_KNOWN else np.zeros(0, np.intp)
    if not len(ask):
        return lamps, xy_mm, sigma_mm
    kept = {k: lamps.of(float(xy_mm[k, 0]), float(xy_mm[k, 1]), index) for k in ask.tolist()}
    # what was there before, or all where nothing moves: a ball that rolls smears what it mirrors
    fresh = np.array([k for k, t in kept.items() if (still if t is None else t.looks < _MOST_LOOKS)], np.intp)
    found: dict[int, tuple[F64, float]] = {}
    if len(fresh):
        seen = windows(picture, camera, radius_mm, xy_mm[fresh])
        shift, spread = shifts(
            lamps, light(seen.image), xy_mm[fresh], np.asarray(camera.centre_mm, np.float64), radius_mm
        )
        at = xy_mm[fresh] + np.einsum("bmc,bc->bm", seen.mm_from_unit, shift)
        variance = (spread * np.sqrt(np.abs(np.linalg.det(seen.mm_from_unit)))) ** 2
        found = {k: (a, float(v)) for k, a, v in zip(fresh.tolist(), at, variance, strict=True)}
    told = {k: _told(kept[k], found.get(k), xy_mm[k], index, lamps.fitted) for k in ask.tolist()}
    others = [
        t for t in lamps.told if not any(t is k for k in kept.values()) and index - t.index <= _KEPT_IMAGES
    ]
    lamps = replace(lamps, told=(*others, *told.values()))
    return lamps, *_fused(told, xy_mm, sigma_mm)


def _told(before: Told | None, found: tuple[F64, float] | None, xy_mm: F64, index: int, fitted: int) -> Told:
    """What is told of a ball after one more look (`found` None: none was needed)."""
    if before is None:
        before = Told(float(xy_mm[0]), float(xy_mm[1]), (0.0, 0.0), math.inf, 0, 0, index, fitted)
    if found is None:
        return replace(before, index=index)
    at, variance = found
    if not math.isfinite(variance):
        return replace(before, looks=before.looks + 1, index=index)
    n = before.found + 1
    mean = tuple(old + (float(new) - old) / n for old, new in zip(before.at_mm, at, strict=True))
    spread = variance if n == 1 else before.variance + (variance - before.variance) / n
    return replace(
        before, at_mm=(mean[0], mean[1]), variance=spread, found=n, looks=before.looks + 1, index=index
    )


def _fused(told: Mapping[int, Told], xy_mm: F64, sigma_mm: F64) -> tuple[F64, F64]:
    """Places and sigmas with what the lamps tell of some balls, each weighed by its inverse variance."""
    xy, sigma = xy_mm.copy(), sigma_mm.copy()
    for k, t in told.items():
        far, own = np.array(t.at_mm) - xy_mm[k], float(sigma_mm[k]) ** 2
        # another lamp than the one thought of is no measure at all
        if t.found and math.hypot(*far.tolist()) < _OUTLIER * math.sqrt(own + t.variance):
            share = own / (own + t.variance)
            xy[k] += share * far
            sigma[k] *= math.sqrt(1 - share)
    return xy, sigma


def light(images: F32) -> F64:
    """Light (B, GRID, GRID), 0..1, in the middle of windows (B, 3, P, P) RGB 0..1; roughly linear."""
    edge = (images.shape[2] - GRID) // 2
    inner = images[:, :, edge : edge + GRID, edge : edge + GRID]
    return np.asarray(np.clip(np.einsum("c,bcvu->bvu", _LUMA, inner), 0.0, 1.0) ** 2, np.float64)


def with_balls(lamps: Lamps, lights: F64, places_mm: F64, eye_mm: F64, radius_mm: float) -> Lamps:
    """The lamps with looks (B, GRID, GRID) at well-seen balls (B, 2) at rest added."""
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
    due = min(1.3 * lamps.fitted, lamps.fitted + _MOST_KNOWN / 2)
    return found if len(known) < _LEAST_KNOWN or count < due else _agreed(found, eye_mm, radius_mm)


def shifts(lamps: Lamps, lights: F64, places_mm: F64, eye_mm: F64, radius_mm: float) -> tuple[F64, F64]:
    """How far balls thought at places (B, 2) lie from there, in radii of their windows (B, 2), and one
    sigma per axis (B,), inf where what they mirror does not tell.
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
    """The height at which the known balls agree best when each is placed by the others, and how well they
    do.
    """
    costs = [_disagreement(lamps, h, eye_mm, radius_mm)[0] for h in _HEIGHTS_MM]
    height = _lowest(np.log(_HEIGHTS_MM), np.array(costs))
    excess = _disagreement(lamps, height, eye_mm, radius_mm)[1]
    return replace(lamps, height_mm=height, excess=excess, fitted=lamps.count)


def _lowest(log_height: F64, costs: F64) -> float:
    """The height at the bottom of the parabola through the lowest cost and its neighbours, never beyond
    these.
    """
    k = min(max(int(np.argmin(costs)), 1), len(costs) - 2)
    a, b, _ = np.polyfit(log_height[k - 1 : k + 2], costs[k - 1 : k + 2], 2)
    at = -b / (2 * a) if a > 1e-9 else log_height[int(np.argmin(costs))]
    return float(np.exp(np.clip(at, log_height[k - 1], log_height[k + 1])))


def _disagreement(lamps: Lamps, height_mm: float, eye_mm: F64, radius_mm: float) -> tuple[float, float]:
    """How far known balls are placed by the others from where they lie: mean square in radii, robust, and
    over what noise explains (1 or more, inf where the most say nothing).
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
    # the median of a Rayleigh law is 1.177 sigma
    return float(np.mean(far)), max(1.0, float(np.median(excess)) / 1.177)


def _shine(ball: F64) -> F32:
    """What stands out of a ball's smooth shading (robust cubic)."""
    a, z = _SMOOTH_WITHIN, ball[_R < _FLAT]
    weight = np.ones(len(z))
    for _ in range(6):
        c = np.linalg.lstsq(a * weight[:, None], z * weight, rcond=None)[0]
        rest = z - a @ c
        scale = 1.4826 * float(np.median(np.abs(rest))) + 1e-3
        # highlights only add light
        weight = 1 / (1 + (rest / np.where(rest > 0, scale, 3 * scale)) ** 2)
    return np.asarray(ball - _SMOOTH @ c, np.float32)


def _lit(ball: F64) -> tuple[float, float]:
    """The middle of a ball's light (GRID, GRID), radii from the ball's own: its lit side."""
    total = max(float(ball[_ON].sum()), 1e-6)
    return float((ball * _U)[_ON].sum()) / total, float((ball * _V)[_ON].sum()) / total


def lit_at(lamps: Lamps, places_mm: F64) -> F64:
    """How far the middle of a ball's light at places (B, 2) mm lies from its own, radii (B, 2); zero where
    too few are known.
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
    """(B, 3, 3), rows: the window's u and v axes and the direction to the camera, as `silhouette_mm` has
    them.
    """
    view = eye_mm - np.column_stack((places_mm, np.full(len(places_mm), radius_mm)))
    view /= np.linalg.norm(view, axis=1, keepdims=True)
    e1 = np.cross([[0.0, 1.0, 0.0]], view)
    e1 /= np.linalg.norm(e1, axis=1, keepdims=True)
    return np.stack((e1, np.cross(view, e1), view), axis=1)


def _expected(
    known: tuple[Shine, ...], place_mm: F64, eye_mm: F64, radius_mm: float, height_mm: float
) -> _Expected | None:
    """What a ball at a place mirrors as the known balls elsewhere have it, the nearer the more."""
    places = np.array([(s.x_mm, s.y_mm) for s in known]).reshape(-1, 2)
    apart = np.hypot(*(places - place_mm).T)
    # a ball is no witness for itself
    weight = np.where(apart > _APART_MM, np.exp(-0.5 * (apart / _LIKE_MM) ** 2), 0.0)
    near = [k for k in np.argsort(-weight, kind="stable")[:_NEAREST].tolist() if weight[k] > 0.01]
    if not near:
        return None
    axes, rise = _axes(place_mm[None], eye_mm, radius_mm)[0], height_mm - radius_mm
    normal = _NORMAL @ axes
    ray = 2 * (normal @ axes[2])[..., None] * normal - axes[2]
    lamp = place_mm + ray[..., :2] * (rise / np.maximum(ray[..., 2:], 0.12))
    to = lamp[None] - places[near][:, None, None]
    length = np.sqrt(to[..., 0] ** 2 + to[..., 1] ** 2 + rise**2)
    own = _axes(places[near], eye_mm, radius_mm)
    # half-vector of camera and lamp: where the lamp is mirrored on each of the known balls
    half = (
        np.concatenate((to, np.full((*length.shape, 1), rise)), axis=-1) / length[..., None]
        + own[:, None, None, 2]
    )
    # its parts along u, v and the view, of which the length is the unit's
    part = half.reshape(len(near), -1, 3) @ own.transpose(0, 2, 1)
    uv = np.moveaxis(part[..., :2] / np.sqrt(np.sum(part**2, axis=-1, keepdims=True)), -1, 0).reshape(
        2, len(near), GRID, GRID
    )
    share = weight[near][:, None, None] * np.clip((_SEEN - np.hypot(*uv)) / 0.1, 0, 1)
    shown = _sampled(np.stack([known[k].shine for k in near]), uv[0], uv[1])
    total = share.sum(axis=0)
    lever = weight[near] @ (places[near] - place_mm) / weight[near].sum()
    # the half-vector turns by half of what the lamp's direction does
    bent = float(np.hypot(*lever)) * _HEIGHT_SHARE / (2 * height_mm)
    return _Expected(np.where(total > 0.02, (share * shown).sum(axis=0) / np.maximum(total, 1e-6), 0.0), bent)


def _compared(ball: F64, expected: _Expected | None) -> tuple[F64, float] | None:
    """Shift (2,) in radii of a ball's picture against what is expected there and its sigma by noise alone."""
    if expected is None or not expected.shine[_ON].any():
        return None
    dv, du = np.gradient(expected.shine, PITCH)
    fields = np.stack((expected.shine, -du, -dv))
    shift, z = np.zeros(2), _uneven(ball[_ON])
    for _ in range(6):
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
    """Values (..., samples on the disc) without what is smooth in them."""
    return np.asarray(values - (values @ _EVEN) @ _EVEN.T, np.float64)


def _sampled(images: npt.NDArray[np.floating], u: F64, v: F64) -> F64:
    """Bilinear samples (B, ...) of the images (B, GRID, GRID), each at its own u, v (B, ...) in radii, or all
    at (1, ...).
    """
    x = np.clip(u / PITCH + (GRID - 1) / 2, 0, GRID - 1.001)
    y = np.clip(v / PITCH + (GRID - 1) / 2, 0, GRID - 1.001)
    i, j = x.astype(np.intp), y.astype(np.intp)
    fx, fy = x - i, y - j
    b = np.arange(len(images)).reshape(-1, *[1] * (u.ndim - 1))
    top = images[b, j, i] * (1 - fx) + images[b, j, i + 1] * fx
    return np.asarray(
        top * (1 - fy) + (images[b, j + 1, i] * (1 - fx) + images[b, j + 1, i + 1] * fx) * fy, np.float64
    )
