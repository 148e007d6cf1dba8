"""Refinement of a table found to about a pixel: sub-pixel edges, lens model, covariance over the table."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from calibration.camera import Camera
from calibration.find.edges import measure, nose_stations
from calibration.find.line_ends import line_ends
from calibration.find.marks import find_baulk, measure_baulk
from calibration.find.mouths import end_points, end_priors, seen_at_their_feet
from calibration.find.sights import sight_points
from calibration.find.strips import ByteArray, FloatArray, beyond_noses_mm, usual_mm_per_px
from calibration.find.table import Found
from calibration.monitor.turns import SHARED_MM, SHARED_SIGMA_MM, WRONG
from calibration.result import SigmaModel, fit_sigma
from calibration.robust import robust_sigma
from calibration.solve.model import (
    BENDS,
    Fit,
    NoTableFits,
    Points,
    Rival,
    predicted_residuals,
    refit_residuals,
    robust,
    solve,
)
from calibration.solve.size import LIKELIER, TOLD_SHARE, doubted, held_table, is_told, settled_size, with_size
from calibration.solve.unknowns import (
    ARC,
    BAULK,
    INDEX,
    K1_SIGMA,
    K2_SIGMA,
    MARGIN_NAMES,
    POSE_PRIORS,
    SCALE,
    SIDES,
    SIGHT_LIFT_MM,
    SIGHT_MM,
    TURNS,
    camera_of,
    lens_coefficients,
)
from calibration.table.board import board_of
from calibration.table.specs import TableSpec

Priors = dict[str, tuple[float, float]]
Margins = tuple[float, ...]

_FOCALS = ((0.75, 0.3), (2.5, 0.5))
"""Focal length over the width and one sigma of its logarithm: cameras over a table (50 to 90 degrees), and
television's lenses that look from far off."""
_OVERHEAD_SLOPES, _FAR_SHARES = (0.2, 0.6), (0.02, 0.5)
"""Shares of television's lenses among cameras at 11 and at 31 degrees from straight above."""
_CENTRE_WIDTHS = 0.007  # one sigma of the principal point beside the picture's middle, over the width
_DRAWN_MM = 0.3  # one sigma of lines set to the millimetre: that of an even distribution over one is 0.29
_HEAD_STRING_MM = 4.0  # one sigma of a head string, drawn by hand between two sights of the rails
_BASE_MM, _GAP_MM = 0.5, 0.5  # one sigma of a carrom board's base lines, printed to the board's template
_ARC_X_MM = 0.5  # one sigma of the D's centre beside the table's middle line
_LOOSE_SHARE, _LOOSE_ARC_X_MM = 0.2, 3.0  # sigmas of baulk line and D on tables that follow no rule

FLOOR_MM = 0.1
"""Least standard deviation (mm) that a calibration states."""

_SPOTTED_SIGMA_PX = 0.7  # of where a ball on the baulk line touches the cloth, put there by hand

SIGHTED = ("pool", "british")
"""Tables that have sights in their rails: all of pool's, and many of black ball's."""

WINDOWS_PX = (5.0, 3.0, 2.0)
"""Distance from the model within which an edge is sought, in each round of measuring and solving."""


def lens_priors(table: TableSpec, camera: Camera, arc: bool) -> Priors:
    """Priors (mean, sigma) before the picture is seen: usual lenses, any pose, noses near their height.

    `camera`: as far as it is known, for the kind of lens. `arc`: the D was seen, so that its radius and
    centre can be solved for.
    """
    priors: Priors = {
        "log_focal": _focal_prior(camera, table),
        "k1": (0.0, K1_SIGMA),
        "k2": (0.0, K2_SIGMA),
        "cx": (0.0, _CENTRE_WIDTHS * camera.width_px),
        "cy": (0.0, _CENTRE_WIDTHS * camera.width_px),
        **POSE_PRIORS,
        "nose": (table.nose_height_mm, table.nose_height_sigma_mm),
        **end_priors(table),
    }
    if table.dimension_sigma_mm > 0:
        priors["length"] = (table.length_mm, table.dimension_sigma_mm)
        priors["width"] = (table.width_mm, table.dimension_sigma_mm)
    if table.is_board:
        board = board_of(table)
        priors["base"] = (board.base_offset_mm, _BASE_MM)
        priors["gap"] = (board.base_gap_mm, _GAP_MM)
    line = table.cross_line_mm
    if line is not None:
        loose = not table.marks_measured
        drawn = _DRAWN_MM if table.line_is_drawn else _HEAD_STRING_MM
        priors["baulk"] = (line, _LOOSE_SHARE * line if loose else drawn)
        if arc and table.d_radius_mm is not None:
            priors["radius"] = (table.d_radius_mm, _LOOSE_SHARE * table.d_radius_mm if loose else _DRAWN_MM)
            priors["arc_x"] = (0.0, _LOOSE_ARC_X_MM if loose else _ARC_X_MM)
    return priors


def _focal_prior(camera: Camera, table: TableSpec) -> tuple[float, float]:
    """Mean and sigma of the logarithm of the focal length over the width, of the likelier kind of lens.

    Few long lenses look straight down: they would hang 7 m above the table. Told by its length alone, a
    picture that hardly tells focal length from height was drawn from one kind to the other: 4 m became 7.7.
    """
    x, y, height = camera.centre_mm
    slope = math.hypot(x, y - table.length_mm / 2) / max(height, 1.0)
    far = float(np.interp(slope, _OVERHEAD_SLOPES, _FAR_SHARES))
    log_focal = math.log(camera.focal_px / camera.width_px)
    kinds = [
        (math.log(widths), sigma, share)
        for (widths, sigma), share in zip(_FOCALS, (1 - far, far), strict=True)
    ]
    mean, sigma, _ = max(kinds, key=lambda k: math.log(k[2] / k[1]) - 0.5 * ((log_focal - k[0]) / k[1]) ** 2)
    return mean, sigma


ROUNDED_MM, ROUNDED_SIGMA_MM = 0.5, 0.4
BLURRED_PX = 0.1
"""How far outside the line of contact a nose's edge is seen, with one sigma: light falls on its rounded top,
and a picture blurs the narrow dark band under it with the cloth on both sides. Between 0.75 (98 sides of the
bench's rooms, noses of 3 mm) and 0.1 (twelve sides of sharp ones in others' rooms).
"""

HIDDEN_MM = 20.0
"""One sigma of the edge's distance from the nose on a cushion whose face is turned away from the camera.

It is the nose's own, its shadow's or the rail's: 13 and 44 mm outside in two path-traced rooms.
"""

_FRAME_SHADE_MM, _FRAME_EDGE_MM = 1.0, 3.0
"""How far inside the frame's foot a carrom board's surface seems to end, with one sigma: it lies in shade.

Measured 0.1 to 4.3 mm inside the foot on four sides of a path-traced board.
"""

_TURNED = (-0.12, 0.0)
"""Slopes of the view (tangent, positive from beyond the nose) at which the nose's shadow begins to hide, and
is hidden."""


def margin_priors(camera: Camera, table: TableSpec) -> Priors:
    """Priors of the margins; wide for cushions seen from beyond, whose nose hides its own shadow.

    The edge seen there may be that of the cushion's top. It is still straight and parallel to the nose, so it
    helps to determine lens and pose.
    """
    if table.is_board:
        return dict.fromkeys(MARGIN_NAMES, (-_FRAME_SHADE_MM, _FRAME_EDGE_MM))
    height = max(camera.centre_mm[2] - table.nose_height_mm, 1.0)
    first, last = _TURNED
    beyond = beyond_noses_mm(camera, table)
    share = [float(np.clip((b / height - first) / (last - first), 0.0, 1.0)) for b in beyond]
    px_mm = [usual_mm_per_px(camera, *nose_stations(table, side), table.nose_height_mm) for side in SIDES]
    return {
        # the edge of a side that the camera does not see is not measured
        name: (ROUNDED_MM + BLURRED_PX * np.nan_to_num(px), math.hypot(ROUNDED_SIGMA_MM, HIDDEN_MM * s))
        for name, s, px in zip(MARGIN_NAMES, share, px_mm, strict=True)
    }


def other_model(camera: Camera) -> Camera:
    """The camera in the other lens model, with an image radius that agrees to third order."""
    k1, _ = lens_coefficients(camera)
    # tan(t) = t + t^3/3, so a fisheye's k1 is the radial one's plus a third
    if camera.model == "radial":
        return replace(camera, model="fisheye", distortion=(k1 + 1 / 3, 0.0))
    return replace(camera, model="radial", distortion=(k1 - 1 / 3, 0.0))


def points_of(
    image: ByteArray, camera: Camera, table: TableSpec, found: Found, window_px: float, margins_mm: Margins
) -> Points:
    """Sub-pixel points on noses and marks within `window_px` of where the camera predicts them.

    `margins_mm`: how far outside each nose its edge is expected.
    """
    bottom, top, left, right = margins_mm
    parts = [measure(image, camera, table, (-bottom, -top, -left, -right), found.changes, window_px)]
    parts.append(end_points(image, camera, table))
    if table.mark_set in SIGHTED:
        parts.append(sight_points(image, camera, table))
    if found.marks is not None:
        marks = found.marks
        if table.cross_line_mm is not None:
            marks = replace(
                marks, line_mm=table.cross_line_mm, radius_mm=table.d_radius_mm or marks.radius_mm
            )
        parts.append(measure_baulk(image, camera, marks, table, window_px))
        parts.append(line_ends(image, camera, table, marks))
    elif found.spotted is not None:
        parts.append(Points.of(found.spotted.line_px, BAULK, _SPOTTED_SIGMA_PX))
    return Points.join(parts)


def refine(image: ByteArray, found: Found, table: TableSpec) -> tuple[Fit, Points]:
    """Solve with straight noses in both lens models, and measure the edges again after each solution.

    The model with the lower cost is kept in each round; `settled_lens` decides between them at the end.
    """
    start_table = table
    if found.marks is not None and not table.marks_measured:
        start_table = table.with_line(found.marks.line_mm, found.marks.radius_mm)
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


_SHARE_OF_SIGMA = 0.4
"""Sigma of a point in the last solution over the sigma with which edges are found and refused.

Against true cameras (73 pictures) points scatter by 0.07 px about a bent nose and by 0.06 px about a mark.
"""

_CLEAR_PX = 0.75  # sigma of a side's points up to which its nose is clear: half as much again as the least
_UNEVEN = 1.1  # roughness from which the last solution is repeated with larger sigmas


def sharpened(points: Points, rough: float = 1.0) -> Points:
    """The points with the sigmas of the last solution, on sides `rough` times as uneven as on good tables.

    Ends of cushions and of lines are found without being refused, and keep theirs.
    """
    own = points.on_end | points.on_sight | points.on_turn | points.on_line_end
    share = np.where(own, 1.0, min(_SHARE_OF_SIGMA * rough, 1.0))
    return replace(points, sigma_px=points.sigma_px * share)


def settled(fit: Fit, table: TableSpec, points: Points) -> tuple[Fit, Points]:
    """The final solution and its points, with lens model and table size decided, and whether jaws that face
    the camera have the cloth's colour.

    Where all noses are clear the cushions' ends add nothing but their own bias, and are left out.
    """
    if points.on_end.any():
        faintest = max(float(np.median(points.sigma_px[points.mark == side])) for side in SIDES)
        points = points.take(~points.on_end) if faintest < _CLEAR_PX else points
    at_feet = seen_at_their_feet(points, fit.camera, table)
    both = [points] if np.array_equal(at_feet.px, points.px) else [points, at_feet]
    fits = [_settled_points(fit, table, p) for p in both]
    (best, sharp), *others = sorted(fits, key=lambda found: found[0].cost)
    odds = [math.exp((best.cost - other.cost) / 2) for other, _ in others]
    rivals = [Rival(best.camera, f.camera, o / (1.0 + o)) for (f, _), o in zip(others, odds, strict=True)]
    return sized(replace(best, rivals=(*best.rivals, *rivals)), table, sharp), sharp


def _settled_points(fit: Fit, table: TableSpec, points: Points) -> tuple[Fit, Points]:
    sharp = sharpened(points)
    again = settled_lens(fit, table, sharp)
    rough = _roughness(again, table, sharp)
    if rough > _UNEVEN:
        sharp = sharpened(points, rough)
        again = settled_lens(again, table, sharp)
    return again, sharp


def _roughness(fit: Fit, table: TableSpec, points: Points) -> float:
    """Unevenness of the sides over the expected one (1 or more): worn noses bend and scatter more."""
    bends = float(np.sqrt(np.mean(fit.slack[: len(SIDES) * (1 + BENDS)] ** 2)))
    scatter = robust_sigma(predicted_residuals(fit, table, points) / points.sigma_px)
    return max(1.0, bends, scatter)


def sized(fit: Fit, table: TableSpec, points: Points) -> Fit:
    """The solution under the two-part prior of a size (`calibration.solve.size`). One that was told is held,
    unless the picture shows another.
    """
    if table.is_board:
        return fit  # made to a template
    free = _with_size_free(fit, table, points)
    size = settled_size(free, table, _excess(free) if is_told(table) else 1.0)
    if size is None or (is_told(table) and size.nominal >= TOLD_SHARE):
        return fit  # nothing speaks against what was told
    if is_told(table) and size.nominal > LIKELIER:
        size = size.about(table)
    held = held_table(table, size)
    start = {**_start(fit.table, fit.margins_mm), "length": held.length_mm, "width": held.width_mm}
    again = solve(fit.camera, held, points, _priors(fit.camera, held, points), start, rounds=1, bent=True)
    as_told = size.nominal if is_told(table) else 1.0
    return replace(with_size(again, size), rivals=fit.rivals, as_told=as_told)


def _with_size_free(fit: Fit, table: TableSpec, points: Points) -> Fit:
    """The solution under the broad part of the prior of its size alone."""
    if not is_told(table):
        return fit
    free = doubted(table)
    start = {**_start(fit.table, fit.margins_mm), "length": table.length_mm, "width": table.width_mm}
    return solve(fit.camera, free, points, _priors(fit.camera, free, points), start, rounds=1, bent=True)


def settled_lens(fit: Fit, table: TableSpec, points: Points) -> Fit:
    """The solution with bias and bends of the sides as unknowns, in the better of the two lens models.

    The better model predicts held-out runs of points better (`held_out`), and its distortion is one that
    lenses have. A model is dropped where the points, or a half of them, fit no table with it. Raises
    NoTableFits where both are dropped.
    """
    bases = sorted((fit.camera, other_model(fit.camera)), key=lambda c: c.model != "radial")
    fits, off, refusal = list[Fit](), list[float](), None
    for base in bases:
        try:
            own = _solved(base, table, points, fit.table, fit.margins_mm, True, 2)
            off.append(held_out(own, table, points) + _lens_misfit(own.camera))
            fits.append(own)
        except NoTableFits as error:
            refusal = error
    if not fits and refusal is not None:
        raise refusal
    if len(fits) == 1:
        return fits[0]
    radial, fisheye = off
    lead = fisheye - radial
    best, other = (0, 1) if lead >= 0 else (1, 0)
    doubt = 1.0 / (1.0 + math.exp(min(abs(lead) / 2, _LARGEST_LOG_ODDS)))
    return replace(fits[best], rivals=(Rival(fits[best].camera, fits[other].camera, doubt),))


def _lens_misfit(camera: Camera) -> float:
    """Squared sigmas by which a lens's distortion is unlike that of usual lenses."""
    k1, k2 = lens_coefficients(camera)
    return (k1 / K1_SIGMA) ** 2 + (k2 / K2_SIGMA) ** 2


_BLOCK = 7
"""Points of a run that is held out as a whole, because neighbouring points share their errors."""
_LARGEST_LOG_ODDS = 50.0  # keeps the exponential finite


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


def solve_straight(base: Camera, table: TableSpec, points: Points, measured: TableSpec) -> Fit:
    """One solution with straight sides from the camera `base`, under the usual priors of table and lens."""
    return _solved(base, table, points, measured, (0.0,) * 4, False, 1)


def _priors(base: Camera, table: TableSpec, points: Points) -> Priors:
    arc = bool((points.mark == ARC).any())
    lens = lens_priors(table, base, arc)
    sights = _SIGHT_PRIORS if points.on_sight.any() else {}
    margins = margin_priors(base, table)
    for side in points.loose:
        mean, sigma = margins[MARGIN_NAMES[side]]
        margins[MARGIN_NAMES[side]] = mean, math.hypot(sigma, HIDDEN_MM)
    reach = {"reach": (table.ball_radius_mm + SHARED_MM, SHARED_SIGMA_MM)} if points.on_turn.any() else {}
    return {**lens, **margins, **sights, **reach}


_SIGHT_PRIORS: Priors = {"sight": (SIGHT_MM, 8.0), "lift": (SIGHT_LIFT_MM, 5.0)}
"""Makers' rails differ; assumed."""


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
    """The marks with the D searched again, where the first, rough camera had smeared or displaced it."""
    if found.marks is None or (found.marks.arc is not None and not found.marks.aside_mm):
        return found
    again = find_baulk(image, camera, table)
    return found if again is None or again.arc is None else replace(found, marks=again)


_LOOSE_COST = 2 * (math.log(1 / WRONG) + math.log(HIDDEN_MM / ROUNDED_SIGMA_MM))
"""What a side costs whose edge is none of its nose: its prior probability, and the wider prior of the edge's
place (Occam's factor), as a robust sum of squares.
"""


def with_loose_sides(fit: Fit, table: TableSpec, points: Points) -> Points:
    """The points with those sides `loose` whose edge is probably not the nose's, as balls turn elsewhere.

    Sides are added one after the other, the likeliest first. A single ball is not enough: it may have met a
    jaw, or another ball.
    """
    lowest = _turns_cost(fit, table, points)
    left = [s for s in SIDES if np.count_nonzero(points.mark == TURNS[s]) > 1]
    while left:
        tried = [replace(points, loose=points.loose | {s}) for s in left]
        costs = [_turns_cost(fit, table, p) for p in tried]
        best = int(np.argmin(costs))
        if costs[best] + _LOOSE_COST >= lowest:
            break
        points, lowest = tried[best], costs[best]
        del left[best]
    return points


def _turns_cost(fit: Fit, table: TableSpec, points: Points) -> float:
    """By how much the turns raise the cost of the solution, as a robust sum of squares.

    The cost of the other points is subtracted: an edge that fits badly says nothing of where the nose is.
    """
    others = points.take(~points.on_turn)
    return solved_again(fit, table, points).cost - solved_again(fit, table, others).cost


def turns_misfit(fit: Fit, points: Points) -> float:
    """How far balls turn from the noses of a solution, as a robust sum of squares."""
    turns = points.take(points.on_turn)
    return float(np.sum(robust(refit_residuals(fit, turns) / turns.sigma_px) ** 2))


def solved_again(fit: Fit, table: TableSpec, points: Points) -> Fit:
    """The same points and lens model under the priors of `table` (another nose height)."""
    start = _start(fit.table, fit.margins_mm)
    again = solve(fit.camera, table, points, _priors(fit.camera, table, points), start, bent=True)
    return sized(replace(again, rivals=fit.rivals), table, points)


def _start(table: TableSpec, margins_mm: Margins) -> dict[str, float]:
    margins = dict(zip(MARGIN_NAMES, margins_mm, strict=True))
    if table.cross_line_mm is None:
        return margins
    return {"baulk": table.cross_line_mm, "radius": table.d_radius_mm or 0.0, **margins}


_ERROR_OVER_SIGMA, _USUAL_RESIDUAL_PX = 1.2, 0.34
"""Error over the fit's own sigma, and the median residual from which it grows in proportion.

So that places are 0.9 of the stated sigma off, at the root mean square, in path-traced rooms that nobody had
looked at, and none of 33 tables is anywhere beyond three (docs/lab/2026-11-28-tables.md).
"""
_UNKNOWN_MM2 = 100.0  # variance where the camera cannot see
_STEP_SHARE = 1e-3  # of an unknown's scale, for the differences


def sigma_model(fit: Fit, table: TableSpec, against_spots: bool = False) -> SigmaModel:
    """Variance over the table of places in the plane of the ball centres, from the fit's covariance.

    `against_spots`: of how far places lie from the table's own spots. An error of the length or width moves a
    spot with what lies on it: on a table 8 mm longer than found the black is 0.7 mm off its spot by it.
    """
    z = table.piece_plane_mm
    grid = np.array([(u, v) for u in np.linspace(-1, 1, 7) for v in np.linspace(-1, 1, 9)])
    half = table.length_mm / 2
    at = np.column_stack((grid[:, 0] * table.half_width_mm, half + grid[:, 1] * half))
    px = fit.camera.pixels_from_table(np.column_stack((at, np.full(len(at), z))))
    columns = []
    for name in fit.free:
        index = INDEX[name]
        v = np.zeros(len(SCALE))
        v[index] = _STEP_SHARE * SCALE[index]
        moved = camera_of(fit.camera, v).table_from_pixels(px, z) - at
        columns.append(moved / v[index])
    jacobian = np.stack(columns, axis=2)
    covariance = _with_size_known(fit) if against_spots else fit.covariance
    variance = np.einsum("naf,fg,nag->n", jacobian, covariance, jacobian) / 2
    variance = variance * _excess(fit) + _doubt(fit, at, z)
    return fit_sigma(grid[:, 0], grid[:, 1], np.nan_to_num(variance, nan=_UNKNOWN_MM2), FLOOR_MM)


def _excess(fit: Fit) -> float:
    """Variance of errors over what the fit's own covariance says."""
    roughness = max(1.0, float(np.median(np.abs(fit.residual_px))) / _USUAL_RESIDUAL_PX)
    return (_ERROR_OVER_SIGMA * roughness) ** 2


def _with_size_known(fit: Fit) -> FloatArray:
    """The covariance (F, F) of the unknowns if the table's length and width were as found."""
    rows = [k for k, name in enumerate(fit.free) if name in ("length", "width")]
    if not rows:
        return fit.covariance
    size = fit.covariance[np.ix_(rows, rows)]
    moves = np.linalg.solve(size, fit.covariance[rows]).T
    return np.asarray(fit.covariance - moves @ size @ moves.T, dtype=np.float64)


def _doubt(fit: Fit, at: FloatArray, z: float) -> FloatArray:
    """Variance (N,) mm^2 per axis at places (N, 2) mm from not knowing the right lens model and reading."""
    variance = np.zeros(len(at))
    for rival in fit.rivals:
        apart = rival.chosen.shift_mm(rival.other, at, z)
        variance += rival.doubt * np.sum(apart**2, axis=1) / 2
    return variance
