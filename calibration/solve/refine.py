"""From a table found to about a pixel to a calibration: sub-pixel edges, lens model, errors."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from calibration.camera import Camera, CameraModel
from calibration.find.edges import measure
from calibration.find.marks import find_baulk, measure_baulk
from calibration.find.strips import ByteArray, FloatArray
from calibration.find.table import Found
from calibration.result import SigmaModel, fit_sigma
from calibration.solve.model import Fit, Points, Rival, predicted_residuals, robust, solve
from calibration.solve.size import held_table, settled_size, with_size
from calibration.solve.unknowns import ARC, INDEX, MARGIN_NAMES, SCALE, camera_of, lens_coefficients
from calibration.table.specs import TableSpec

Priors = dict[str, tuple[float, float]]
Margins = tuple[float, ...]

FLOOR_MM = 0.1

WINDOWS_PX = (5.0, 3.0, 2.0)
"""How far from the model an edge is sought, in each round of measuring and solving."""


def lens_priors(table: TableSpec, model: CameraModel, width_px: int, arc: bool) -> Priors:
    """What is known before looking: lenses, a camera a few metres up, noses near their height."""
    priors: Priors = {
        "log_focal": (math.log(0.75), 0.3),
        "k1": (0.0, 0.15),
        "k2": (0.0, 0.05),
        "cx": (0.0, 0.007 * width_px),
        "cy": (0.0, 0.007 * width_px),
        "w0": (0.0, 2.0),
        "w1": (0.0, 2.0),
        "w2": (0.0, 2.0),
        "t0": (0.0, 5000.0),
        "t1": (0.0, 5000.0),
        "t2": (0.0, 5000.0),
        "nose": (table.nose_height_mm, table.nose_height_sigma_mm),
    }
    if table.dimension_sigma_mm > 0:
        priors["length"] = (table.length_mm, table.dimension_sigma_mm)
        priors["width"] = (table.width_mm, table.dimension_sigma_mm)
    if table.baulk_line_mm is not None and table.d_radius_mm is not None:
        loose = not table.marks_measured
        # lines are drawn with rule and trammel set to the millimetre: even odds over one have a sigma of 0.29
        priors["baulk"] = (table.baulk_line_mm, 0.2 * table.baulk_line_mm if loose else 0.3)
        if arc:
            priors["radius"] = (table.d_radius_mm, 0.2 * table.d_radius_mm if loose else 0.3)
            priors["arc_x"] = (0.0, 3.0 if loose else 0.5)
    return priors


ROUNDED_MM, ROUNDED_SIGMA_MM = 0.35, 0.2
"""How far outside the line that balls touch a nose's edge is seen: a nose is round and catches light on its
top.
"""

HIDDEN_MM = 6.0
"""One sigma of how far beside its nose the edge of a cushion is seen whose face is turned away."""

_TURNED = (-0.12, 0.0)
"""Slope at which a nose is seen (tangent, positive from beyond it) from which its shadow begins to hide, and
has.
"""


def margin_priors(camera: Camera, table: TableSpec) -> Priors:
    """Cushions seen from beyond hide the shadow under their nose; the edge that is left may be the top's own.

    Their lines stay straight and parallel to the nose, so they still say something about lens and pose.
    """
    x, y, h = camera.centre_mm
    height = max(h - table.nose_height_mm, 1.0)
    beyond = (-y, y - table.length_mm, -table.half_width_mm - x, x - table.half_width_mm)
    first, last = _TURNED
    share = [float(np.clip((b / height - first) / (last - first), 0.0, 1.0)) for b in beyond]
    return {
        name: (ROUNDED_MM, math.hypot(ROUNDED_SIGMA_MM, HIDDEN_MM * s))
        for name, s in zip(MARGIN_NAMES, share, strict=True)
    }


def other_model(camera: Camera) -> Camera:
    """The same camera begun in the other lens model: the image radius agrees to third order."""
    k1, _ = lens_coefficients(camera)
    # tan(t) = t + t^3/3, so a fisheye's k1 is the radial one's plus a third
    if camera.model == "radial":
        return replace(camera, model="fisheye", distortion=(k1 + 1 / 3, 0.0))
    return replace(camera, model="radial", distortion=(k1 - 1 / 3, 0.0))


def points_of(
    image: ByteArray, camera: Camera, table: TableSpec, found: Found, window_px: float, margins_mm: Margins
) -> Points:
    """Sub-pixel points on noses (edges `margins_mm` outside them) and marks, near where the camera expects
    them.
    """
    bottom, top, left, right = margins_mm
    parts = [measure(image, camera, table, (-bottom, -top, -left, -right), found.changes, window_px)]
    if found.marks is not None:
        marks = found.marks
        if table.baulk_line_mm is not None and table.d_radius_mm is not None:
            marks = replace(marks, line_mm=table.baulk_line_mm, radius_mm=table.d_radius_mm)
        parts.append(measure_baulk(image, camera, marks, table, window_px))
    return Points.join(parts)


def refine(image: ByteArray, found: Found, table: TableSpec) -> tuple[Fit, Points]:
    """Straight noses and both lens models, edges measured again after each solution; the lower cost goes on.

    Which lens model a calibration ends with is decided by `settled_lens`.
    """
    start_table = table
    if found.marks is not None and not table.marks_measured:
        start_table = replace(table, baulk_line_mm=found.marks.line_mm, d_radius_mm=found.marks.radius_mm)
    camera, measured = found.camera, start_table
    margins: Margins = (ROUNDED_MM,) * 4
    fit: Fit | None = None
    points: Points | None = None
    for window in WINDOWS_PX:
        found = _arc_sought_again(image, camera, measured, found)
        points = points_of(image, camera, measured, found, window, margins)
        rounds = 2 if window == WINDOWS_PX[-1] else 1
        bases = (camera, other_model(camera))
        fits = [_solved(base, table, points, measured, margins, False, rounds) for base in bases]
        fit = min(fits, key=lambda f: f.cost)
        camera, measured, margins = fit.camera, fit.table, fit.margins_mm
    assert fit is not None and points is not None
    return fit, points


_FISHEYE_SHOWS = 2.0
"""How much better (in units of the misfit) a fisheye must foretell before it is taken: most lenses over
tables draw straight lines straight but for a little, and where both models fit alike the wrong one was up
to 1.6 mm worse.
"""


_SHARE_OF_SIGMA = 0.4
"""One sigma of a point in the last solution over the one by which edges are found and refused. Against
true cameras (73 pictures) points of noses scatter by 0.07 px about a bent side, neighbours alike, of marks
by 0.06 px.
"""


def sharpened(points: Points, rough: float = 1.0) -> Points:
    """The points with the errors that they have where sides are `rough` times as uneven as on good tables."""
    return replace(points, sigma_px=points.sigma_px * min(_SHARE_OF_SIGMA * rough, 1.0))


def settled(fit: Fit, table: TableSpec, points: Points) -> tuple[Fit, Points]:
    """The final solution and its points: with errors as uneven as the sides are, lens and size decided."""
    sharp = sharpened(points)
    again = settled_lens(fit, table, sharp)
    rough = _roughness(again, table, sharp)
    if rough > 1.1:
        sharp = sharpened(points, rough)
        again = settled_lens(again, table, sharp)
    return sized(again, table, sharp), sharp


def _roughness(fit: Fit, table: TableSpec, points: Points) -> float:
    """How uneven sides are over what is expected (1): worn noses bend more, and scatter more about their
    bends.
    """
    bends = float(np.sqrt(np.mean(fit.slack**2)))
    scatter = 1.4826 * float(np.median(np.abs(predicted_residuals(fit, table, points)) / points.sigma_px))
    return max(1.0, bends, scatter)


def sized(fit: Fit, table: TableSpec, points: Points) -> Fit:
    """The solution under the two-part prior of an untold size (`calibration.solve.size`)."""
    size = settled_size(fit, table)
    if size is None:
        return fit
    held = held_table(table, size)
    start = {**_start(fit.table, fit.margins_mm), "length": held.length_mm, "width": held.width_mm}
    again = solve(fit.camera, held, points, _priors(fit.camera, held, points), start, rounds=1, bent=True)
    return replace(with_size(again, fit, size), rival=fit.rival)


def settled_lens(fit: Fit, table: TableSpec, points: Points) -> Fit:
    """The solution with bias and bends of the sides as unknowns: of the two lens models the one that
    foretells runs of points better that it was not fitted to (`held_out`)."""
    bases = sorted((fit.camera, other_model(fit.camera)), key=lambda c: c.model != "radial")
    fits = [_solved(base, table, points, fit.table, fit.margins_mm, True, 2) for base in bases]
    radial, fisheye = (held_out(f, table, points) for f in fits)
    lead = fisheye + _FISHEYE_SHOWS - radial
    best, other = (0, 1) if lead >= 0 else (1, 0)
    doubt = 1.0 / (1.0 + math.exp(min(abs(lead) / 2, 50.0)))
    return replace(fits[best], rival=Rival(fits[best].camera, fits[other].camera, doubt))


_BLOCK = 7
"""Neighbouring points share their errors, so whole runs of them are held out."""


def _solved(
    base: Camera,
    table: TableSpec,
    points: Points,
    measured: TableSpec,
    margins_mm: Margins,
    bent: bool,
    rounds: int,
) -> Fit:
    return solve(
        base,
        table,
        points,
        _priors(base, table, points),
        _start(measured, margins_mm),
        rounds=rounds,
        bent=bent,
    )


def _priors(base: Camera, table: TableSpec, points: Points) -> Priors:
    lens = lens_priors(table, base.model, base.width_px, bool((points.mark == ARC).any()))
    return {**lens, **margin_priors(base, table)}


def held_out(fit: Fit, table: TableSpec, points: Points) -> float:
    """Misfit of runs of points under a fit to the other half of them, both halves in turn."""
    half = (np.arange(len(points.px)) // _BLOCK) % 2 == 0
    total = 0.0
    for kept in (half, ~half):
        priors = _priors(fit.camera, table, points.take(kept))
        start = _start(fit.table, fit.margins_mm)
        other = solve(fit.camera, table, points.take(kept), priors, start, rounds=1, steps=25, bent=True)
        rest = points.take(~kept)
        total += float(np.sum(robust(predicted_residuals(other, table, rest) / rest.sigma_px) ** 2))
    return total


def _arc_sought_again(image: ByteArray, camera: Camera, table: TableSpec, found: Found) -> Found:
    """A D that a first, rough camera smeared away or put aside stands out, in the middle, once the camera
    fits better.
    """
    if found.marks is None or (found.marks.arc is not None and not found.marks.aside_mm):
        return found
    again = find_baulk(image, camera, table)
    return found if again is None or again.arc is None else replace(found, marks=again)


def solved_again(fit: Fit, table: TableSpec, points: Points) -> Fit:
    """The same points and lens model under the priors of `table` (another nose height)."""
    start = _start(fit.table, fit.margins_mm)
    again = solve(fit.camera, table, points, _priors(fit.camera, table, points), start, bent=True)
    return sized(replace(again, rival=fit.rival), table, points)


def _start(table: TableSpec, margins_mm: Margins) -> dict[str, float]:
    margins = dict(zip(MARGIN_NAMES, margins_mm, strict=True))
    if table.baulk_line_mm is None or table.d_radius_mm is None:
        return margins
    return {"baulk": table.baulk_line_mm, "radius": table.d_radius_mm, **margins}


def sigma_model(fit: Fit, table: TableSpec) -> SigmaModel:
    """How the solution's covariance moves places in the plane of the ball centres, over the table."""
    z = table.ball_radius_mm
    grid = np.array([(u, v) for u in np.linspace(-1, 1, 7) for v in np.linspace(-1, 1, 9)])
    half = table.length_mm / 2
    at = np.column_stack((grid[:, 0] * table.half_width_mm, half + grid[:, 1] * half))
    px = fit.camera.pixels_from_table(np.column_stack((at, np.full(len(at), z))))
    columns = []
    for name in fit.free:
        index = INDEX[name]
        v = np.zeros(len(SCALE))
        v[index] = 1e-3 * SCALE[index]
        moved = camera_of(fit.camera, v).table_from_pixels(px, z) - at
        columns.append(moved / v[index])
    jacobian = np.stack(columns, axis=2)
    variance = np.einsum("naf,fg,nag->n", jacobian, fit.covariance, jacobian) / 2
    # measured against the truth of random cameras, errors are this much more than the fit believes
    excess = (0.9 * max(1.0, float(np.median(np.abs(fit.residual_px))) / 0.34)) ** 2
    variance = variance * excess + _doubt(fit, at, z)
    return fit_sigma(grid[:, 0], grid[:, 1], np.nan_to_num(variance, nan=100.0), FLOOR_MM)


def _doubt(fit: Fit, at: FloatArray, z: float) -> FloatArray:
    """Variance (N,) mm^2 per axis at places (N, 2) mm of not knowing which lens model is right."""
    if fit.rival is None:
        return np.zeros(len(at))
    px = fit.rival.chosen.pixels_from_table(np.column_stack((at, np.full(len(at), z))))
    apart = fit.rival.other.table_from_pixels(px, z) - at
    return np.asarray(fit.rival.doubt * np.sum(apart**2, axis=1) / 2, dtype=np.float64)
