"""Calibration of a camera from pictures of a table, checked, or refused with one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from calibration.camera import Camera
from calibration.errors import UnusableInput, prefix
from calibration.find.beyond import cloth_beyond, goes_on
from calibration.find.cloth import cloth_regions
from calibration.find.diameters import LEAST_LARGER, seen_diameter
from calibration.find.edges import nose_stations
from calibration.find.head import head_evidence
from calibration.find.marks import turned
from calibration.find.rough import table_outline
from calibration.find.sights import SIGHTS
from calibration.find.steady import median_picture, steady_images
from calibration.find.strips import ByteArray, mm_per_px
from calibration.find.table import Found, find_tables, marks_sought_again
from calibration.result import Calibration
from calibration.solve.board import fit_board
from calibration.solve.model import (
    BIAS_SHARE,
    Fit,
    FloatArray,
    NoTableFits,
    Points,
    predicted_residuals,
    robust,
)
from calibration.solve.refine import (
    refine,
    settled,
    settled_lens,
    sigma_model,
    sized,
    solved_again,
    turns_misfit,
    with_loose_sides,
)
from calibration.solve.size import LIKELIER, SURE_OF_SIZE, is_told, size_by_balls
from calibration.solve.turns import SeenTurns, turn_points
from calibration.solve.unknowns import ARC, BAULK, SIDES
from calibration.table.parse import UNMEASURED
from calibration.table.specs import TableSpec, resized
from calibration.texts import sentence, unusable_input

WORST_RESIDUAL_PX, WORST_RESIDUAL_WIDTHS = 1.0, 0.0008
"""Largest median distance of a side's points from the model, in pixels and as a share of the picture's width.

The larger of the two is the limit.
"""

FAINT_PX = 1.5
"""Standard deviation of a cushion's points beyond which a visible D must confirm the solution."""

CLEAN_PX = 0.45
"""Median distance of every side (at 1280 px width) below which no other reading of the cloth is tried."""

CLEAN_COST = 0.5
"""Misfit a point, marks included, below which none is tried.

Measured 0.02 to 0.2 for 39 of 40 random cameras, and 1.5 to 3 for readings with the marks in the wrong place
(docs/lab/2026-11-22-calibration.md).
"""

_LARGER, _LARGER_SIGMAS = 1.15, 4.0
"""Balls that look, by so many sigmas, so many times as large as a full-size table's tell a smaller one.

Full-size tables in four real views gave 1.00 to 1.07, a real one of 1881 mm 1.81 to 1.90.
"""

_NO_END = (
    "expected a baulk line at one end of the table, found none that stands out from the cloth, and too few"
    " colours on their spots to tell"
)

CLEAN_OFF = 1.5
"""Root mean square (sigmas) of the cushions' ends, or of the sights, below which no other reading is tried.

Of noisy pictures of one room 0.65 to 1.0 for readings up to 6 mm off, 1.2 and more for those 18 mm off and
more (docs/lab/2026-11-26-pockets-as-landmarks.md).
"""

END_LOST = 4.7
"""What an end of a cushion costs at most, seen elsewhere or not at all (natural logarithm): of 528 ends of
right readings 3 were not seen (behind a player), of those of television's end view one in five lay elsewhere
(docs/lab/2026-11-26-pockets-as-landmarks.md)."""
_ENDS, _UNSEEN_SIGMAS = 12, 10.0
"""Ends of a table's cushions, and how far off one counts that is not seen."""

MOST_OFF = 6.0
"""The same from which pockets and sights are not those of the reading. Ends found by chance would be 15
off.
"""

LEAST_COVERED = 0.35
"""Share of a cushion's stations that must be measured."""

_NOMINAL_WIDTH_PX = 1280  # width for which `CLEAN_PX` holds
_LEAST_SIDE_PX = 120  # shorter side of the smallest picture
Side = Literal["bottom", "right", "top", "left"]
TOWARDS: dict[Side, tuple[float, float]] = {
    "bottom": (0.0, 1.0),
    "right": (1.0, 0.0),
    "top": (0.0, -1.0),
    "left": (-1.0, 0.0),
}
"""Directions in a picture, x to the right and y down, of its sides."""
_Refined = tuple[Found, Fit, Points]
AS_TOLD = "as told"
_CLEARLY = 0.99  # certainty of an end by its line from which being told otherwise is a mistake
_LEAST_CERTAINTY = 1e-9
_SIZE_UNTOLD = 0.03  # one sigma of a size over the length from which it may be any usual one
_LOOKS = 4  # pictures in which racks are sought
_ASSUMED = 0.5  # certainty of the bottom end where nothing tells it

BOARD_ASSUMED = "nobody told where player A sits: the side at the bottom of the picture is taken"

_CLOTH_CUT_SHARE, _CLOTH_PICTURE_SHARE = 0.15, 0.2
"""Share of a cloth's outline on the picture's border, and of the picture, from which it runs out of view."""
_HEIGHTS_WIDTHS = (0.35, 12.0)  # camera's height over the table's width that a real one can have
_IN_VIEW_SHARE = 0.98  # of the noses' outline that must lie inside the picture
_COST_WEIGHT = 20.0  # of the misfit a point against the score of a reading
_RESIDUAL_CLIP = 3.0  # medians at which outliers are clipped in the stated residual
_LEAST_RESIDUAL_PX = 0.05


@dataclass(frozen=True, slots=True)
class Solution:
    """A solved picture with the points of the solution, so that it can be solved again.

    In plain sentences: `end_told_by`, what tells the bottom end where no line across the table does, and
    `size_told_by`, what tells an unknown size.
    """

    table: TableSpec
    found: Found
    fit: Fit
    points: Points
    end_told_by: tuple[str, ...] = ()
    size_told_by: tuple[str, ...] = ()

    @property
    def told_by(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What tells the end and what tells the size."""
        return self.end_told_by, self.size_told_by

    @property
    def calibration(self) -> Calibration:
        """The checked calibration."""
        return _result(self.found, self.fit, self.points, self.table, self.told_by)

    def with_nose(self, height_mm: float, sigma_mm: float) -> Calibration:
        """The calibration from the same points under another prior of the nose height (mm)."""
        other = replace(self.table, nose_height_mm=height_mm, nose_height_sigma_mm=sigma_mm)
        fit = solved_again(self.fit, other, self.points)
        return _result(self.found, fit, self.points, other, self.told_by)

    def with_turns(self, seen: SeenTurns) -> Solution:
        """Solved again with where the balls of a match turned at the cushions; unchanged where they would fit
        worse by it. Raises UnusableInput for a match of another view.
        """
        joined = Points.join([self.points, turn_points(seen, self.fit.camera, self.fit.table)])
        points = with_loose_sides(self.fit, self.table, joined)
        fit = sized(settled_lens(self.fit, self.table, points), self.table, points)
        if turns_misfit(fit, points) > turns_misfit(self.fit, points):
            return self
        return replace(self, fit=fit, points=points)


class EndUnknown(UnusableInput):
    """A table that is found and fits, of which nothing on the cloth tells the baulk end.

    `solution`: with either end taken for it. Its balls may tell more (`at_end`).
    """

    def __init__(self, text: str, solution: Solution) -> None:
        super().__init__(text)
        self.solution = solution


def at_end(image: ByteArray, solution: Solution, other: bool, certainty: float, note: str) -> Solution:
    """The table with the end y = 0 of a solution as baulk end, or solved again with the `other` one.

    `image` (H, W, 3): the one that was solved. `certainty`: probability of that end. `note`: what tells it.
    """
    best = _turned(image, solution) if other else solution
    return replace(best, found=replace(best.found, baulk_certainty=certainty), end_told_by=(note,))


def calibrate(
    images: Sequence[ByteArray], table: TableSpec, name: str = "", bottom_at: Side | None = None
) -> Calibration:
    """Solve the camera from one or several (H, W, 3) uint8 BGR pictures of the same view.

    Several pictures are reduced to their median, in which people and moving balls vanish. `table`: its
    nominal specification. `bottom_at`: the side of the picture at which the table's bottom (baulk or head
    end, player A's side of a board) lies, where it is known. Raises UnusableInput (with `name` in front) when
    there is no table, only a part of one, when the camera moves between the pictures, or when the solution
    does not fit.
    """
    return solve_table(images, table, name, bottom_at).calibration


def solve_table(
    images: Sequence[ByteArray],
    table: TableSpec,
    name: str = "",
    bottom_at: Side | None = None,
    looks: Sequence[ByteArray] = (),
) -> Solution:
    """As `calibrate`, with the points of the solution.

    `looks`: single pictures of the view, with balls that the median does not show; else those of `images`.
    """
    image = still_image(images, name)
    if table.is_board:
        return _solve_board(image, table, name, bottom_at)
    any_size = table.dimension_sigma_mm > _SIZE_UNTOLD * table.length_mm
    usual = replace(table, dimension_sigma_mm=UNMEASURED * table.length_mm) if any_size else table
    seen = [image, *(looks or images[:: max(1, len(images) // _LOOKS)])]
    unknown: EndUnknown | None = None
    try:
        solution = _best_solution(image, usual, name)
    except EndUnknown as found:
        solution, unknown = found.solution, found
    if table.mark_set == "snooker" and table.dimension_sigma_mm > 0:
        _as_large_as_taken(seen, solution, name)
    if any_size and unknown is None:
        solution = _size_settled(image, seen, solution)
    told = _end_settled(image, seen, solution, name, bottom_at)
    if unknown is not None and not told.end_told_by:
        raise unknown
    return told


def _as_large_as_taken(looks: Sequence[ByteArray], solution: Solution, name: str) -> None:
    """Raise UnusableInput where balls show that a snooker table whose size nobody measured is a smaller one.

    Its marks are in proportion, so that nothing else in the picture tells it from a full-size table.
    """
    table = solution.table
    balls = seen_diameter(looks, solution.fit.camera, table)
    if balls is None or balls.count < LEAST_LARGER:
        return
    times = balls.diameter_mm / table.ball_diameter_mm
    if times - _LARGER_SIGMAS * balls.sigma_mm / table.ball_diameter_mm > _LARGER:
        raise unusable_input(
            "errors.smaller_table_than_taken",
            where=prefix(name),
            length=f"{table.length_mm:.0f}",
            width=f"{table.width_mm:.0f}",
            times=f"{times:.1f}",
            ball=f"{table.ball_diameter_mm:g}",
            about=f"{round(table.length_mm / times, -1):.0f} x {round(table.width_mm / times, -1):.0f}",
        )


def _size_settled(image: ByteArray, looks: Sequence[ByteArray], solution: Solution) -> Solution:
    """The solution under the usual size that the balls' looks tell; the game's own where no ball is seen."""
    table, found = solution.table, solution.found
    balls = seen_diameter(looks, solution.fit.camera, table)
    if balls is None:
        words = f"no ball tells the table's size: {table.length_mm:.0f} x {table.width_mm:.0f} mm is assumed"
        return replace(solution, size_told_by=(words,))
    feet = size_by_balls(balls.diameter_mm, balls.sigma_mm, table)
    sure = feet.certainty > SURE_OF_SIZE
    words = f"by its balls the table is one of {feet.name} ({feet.length_mm:.0f} x {feet.width_mm:.0f} mm)"
    words += "" if sure else f", or of {feet.rival}: tell --table"
    sigma = UNMEASURED * feet.length_mm if sure else max(feet.sigma_mm, UNMEASURED * feet.length_mm)
    share = feet.length_mm / table.length_mm
    if abs(share - 1) < 1e-3 and sure:
        return replace(solution, size_told_by=(words,))
    other = replace(resized(table, feet.length_mm, feet.width_mm), dimension_sigma_mm=sigma)
    camera = solution.fit.camera
    x, y, z = (share * v for v in camera.translation_mm)
    marks = found.marks if found.marks is None else replace(found.marks, line_mm=share * found.marks.line_mm)
    scaled = replace(found, camera=replace(camera, translation_mm=(x, y, z)), marks=marks)
    return Solution(other, scaled, *_settled(image, scaled, other), size_told_by=(words,))


def _end_settled(
    image: ByteArray, looks: Sequence[ByteArray], solution: Solution, name: str, bottom_at: Side | None
) -> Solution:
    """The solution with the bottom end where it was told to be, or where racks and spots have it."""
    found, camera, table = solution.found, solution.fit.camera, solution.table
    if bottom_at is not None:
        turns = _bottom_towards(camera, table, TOWARDS[bottom_at]) < 0
        if turns and found.marks is not None and found.baulk_certainty > _CLEARLY:
            raise unusable_input(
                "errors.end_at_the_of_the_picture_as_told",
                where=prefix(name),
                which="baulk" if table.line_is_drawn else "head",
                bottom_at=bottom_at,
            )
        told = _turned(image, solution) if turns else solution
        return replace(told, found=replace(told.found, baulk_certainty=1.0), end_told_by=(AS_TOLD,))
    evidence = head_evidence(looks, camera, solution.fit.table)
    if not evidence.log_odds:
        return solution
    certainty = min(max(found.baulk_certainty, _LEAST_CERTAINTY), 1 - _LEAST_CERTAINTY)
    odds = math.log(certainty / (1 - certainty)) + evidence.log_odds
    best = _turned(image, solution) if odds < 0 else solution
    certainty = 1.0 / (1.0 + math.exp(-abs(odds)))
    reasons = evidence.reasons if found.marks is None or odds < 0 else ()
    return replace(best, found=replace(best.found, baulk_certainty=certainty), end_told_by=reasons)


def _bottom_towards(camera: Camera, table: TableSpec, towards: tuple[float, float]) -> float:
    """How far (px) the end y = 0 lies beyond the other one in a direction of the picture."""
    near, far = camera.pixels_from_table([(0.0, 0.0, 0.0), (0.0, table.length_mm, 0.0)])
    return float((near - far) @ np.asarray(towards))


def _turned(image: ByteArray, solution: Solution) -> Solution:
    """The same table with its other end at y = 0, solved again without marks across it."""
    found, table = solution.found, solution.table
    bottom, top, left, right = found.changes
    other = replace(
        found,
        camera=turned(solution.fit.camera, solution.fit.table),
        changes=(top, bottom, right, left),
        marks=None,
        spotted=None,
    )
    return Solution(table, other, *_settled(image, other, table), size_told_by=solution.size_told_by)


def _settled(image: ByteArray, found: Found, table: TableSpec) -> tuple[Fit, Points]:
    """A found table refined and settled."""
    fit, points = refine(image, found, table)
    return settled(fit, table, points)


def _best_solution(image: ByteArray, table: TableSpec, name: str) -> Solution:
    """The checked solution of the likeliest reading. Raises UnusableInput."""
    refusal: UnusableInput | None = None
    passed: list[_Refined] = []
    either: list[_Refined] = []
    for candidates in find_tables(image, table):
        try:
            solved = [_refined(image, found, table) for found in candidates]
        except NoTableFits as error:
            refusal = refusal or error
            continue
        solved.sort(key=lambda item: _rank(*item))
        refusals = [_refusal(image, *item, table, name) for item in solved]
        if all(refusals):
            refusal = refusal or refusals[0]
            continue
        found, fit, points = reading = solved[refusals.index(None)]
        if _endless(found, table):
            either.append(reading)
            continue
        clean = _worst_side_px(fit, points) <= CLEAN_PX * max(1.0, image.shape[1] / _NOMINAL_WIDTH_PX)
        clean = clean and fit.cost <= CLEAN_COST * len(points.px) and _landmarks_off(fit, points) < CLEAN_OFF
        if clean and (solution := _likeliest([reading], table)) is not None:
            return solution
        # balls along a cushion can pass for its nose, and four noses seen from above fit cameras of any
        # height; another reading of the cloth may fit better
        passed.append(reading)
    if (solution := _likeliest(passed, table)) is not None:
        return solution
    if (solution := _likeliest(either, table)) is not None:
        raise EndUnknown(f"{prefix(name)}{_NO_END}", solution)
    raise UnusableInput(_missing(image, name)) if refusal is None else refusal


def _likeliest(readings: list[_Refined], table: TableSpec) -> Solution | None:
    """The final solution of the likeliest of refined readings with which the points still fit a table."""
    for found, fit, points in sorted(readings, key=lambda reading: _rank(*reading)):
        with suppress(NoTableFits):
            return Solution(table, found, *settled(fit, table, points))
    return None


def _solve_board(image: ByteArray, table: TableSpec, name: str, bottom_at: Side | None) -> Solution:
    """The solution of a carrom board; player A sits at the side `bottom_at` of the picture, or below it."""
    board = fit_board(image, table, TOWARDS[bottom_at or "bottom"])
    if board is None:
        raise unusable_input("errors.picture_of_a_whole_carrom_board", where=prefix(name))
    told = 1.0 if bottom_at is not None else _ASSUMED
    found = Found(board.fit.camera, (), None, told, 0.0)
    _check_view(board.fit, table, name)
    limit = max(WORST_RESIDUAL_PX, WORST_RESIDUAL_WIDTHS * image.shape[1])
    if board.misfit_px > limit:
        raise unusable_input(
            "errors.base_lines_of_a_carrom_board_mm",
            where=prefix(name),
            width_mm=f"{table.width_mm:.0f}",
            misfit_px=f"{board.misfit_px:.1f}",
        )
    return Solution(table, found, *settled(board.fit, table, board.points))


def _refined(image: ByteArray, found: Found, table: TableSpec) -> tuple[Found, Fit, Points]:
    """A reading solved, and solved again where the solution shows faint marks that it was found without."""
    fit, points = refine(image, found, table)
    if not _endless(found, table):
        return found, fit, points
    marked = marks_sought_again(image, found, fit.camera, table)
    return (found, fit, points) if marked is None else (marked, *refine(image, marked, table))


def _worst_side_px(fit: Fit, points: Points) -> float:
    """The largest of the four sides' median distances from the model."""
    return max(float(np.median(np.abs(fit.residual_px[points.mark == s]))) for s in SIDES)


def still_image(images: Sequence[ByteArray], name: str) -> ByteArray:
    """The median (H, W, 3) of the pictures. Raises UnusableInput unless they show one unmoving view."""
    if not images:
        raise unusable_input("errors.least_one_picture", where=prefix(name))
    for image in images:
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
            raise unusable_input(
                "errors.8_bit_colour_pictures", where=prefix(name), shape=image.shape, dtype=image.dtype
            )
    if min(images[0].shape[:2]) < _LEAST_SIDE_PX:
        raise unusable_input(
            "errors.picture_of_at_least_pixels",
            where=prefix(name),
            least_side_px=_LEAST_SIDE_PX,
            width=images[0].shape[1],
            height=images[0].shape[0],
        )
    if len(images) == 1:
        return images[0]
    return median_picture(steady_images(images, name))


def _missing(image: ByteArray, name: str) -> str:
    """The sentence for a picture in which no table was found."""
    regions = cloth_regions(image)
    cut = regions and regions[0].border_share > _CLOTH_CUT_SHARE
    if cut and regions[0].mask.mean() > _CLOTH_PICTURE_SHARE:
        return sentence("errors.cloth_runs_out", where=prefix(name))
    return sentence("errors.no_whole_table", where=prefix(name))


def _rank(found: Found, fit: Fit, points: Points) -> float:
    """Misfit against the score of the reading, in natural logarithms; lower is better.

    Points of one edge share their errors and count as one. Each end of a cushion, and what is known before
    the picture is seen (lens, nose height, margins), tells something of its own.
    """
    ends = robust(_end_sigmas(fit, points)) ** 2
    edges = (fit.data_cost - float(ends.sum())) / max(1, len(points.px)) * _COST_WEIGHT
    seen = float(np.minimum(ends / 2, END_LOST).sum()) + END_LOST * (_ENDS - len(ends))
    return edges + seen + (fit.cost - fit.data_cost) / 2 - found.score


def _end_sigmas(fit: Fit, points: Points) -> FloatArray:
    """How far the cushions' ends are seen from where the solution has them, in sigmas."""
    return (fit.residual_px / points.sigma_px)[points.on_end]


def _landmarks_off(fit: Fit, points: Points) -> float:
    """How far the cushions' ends are from where the solution has them, or the sights, whichever agree better:
    root mean square, in sigmas. Pockets may have the cloth's colour, and many tables have no sights.
    """
    sights = (fit.residual_px / points.sigma_px)[points.on_sight]
    return min(_off(_end_sigmas(fit, points), _ENDS), _off(sights, 2 * SIGHTS))


def _off(sigmas: FloatArray, of: int) -> float:
    """Root mean square of so many landmarks' distances. One that is not seen is far off; a sixth of them may
    be mistaken.
    """
    off = np.sort(np.append(np.abs(sigmas), np.full(of - len(sigmas), _UNSEEN_SIGMAS)))
    return float(np.sqrt(np.mean(off[: of - of // 6] ** 2)))


def _refusal(
    image: ByteArray, found: Found, fit: Fit, points: Points, table: TableSpec, name: str
) -> UnusableInput | None:
    """Why a reading does not do; None where it does."""
    try:
        _check(image, fit, points, found, table, name)
    except UnusableInput as error:
        return error
    return None


def _check(image: ByteArray, fit: Fit, points: Points, found: Found, table: TableSpec, name: str) -> None:
    """Raise UnusableInput for a solution that does not fit, rather than be silently wrong."""
    _check_view(fit, table, name)
    _check_sides(fit, points, found, table, name)
    if _landmarks_off(fit, points) > MOST_OFF:
        raise unusable_input("errors.pockets_where_the_cushions_end", where=prefix(name))
    if goes_on(cloth_beyond(image, fit.camera, fit.table)):
        raise unusable_input("errors.cushions_where_the_cloth_ends", where=prefix(name))


def _endless(found: Found, table: TableSpec) -> bool:
    """Whether the table has a baulk end and nothing tells which one it is."""
    return table.mark_set == "snooker" and table.baulk_line_mm is not None and not _end_told(found)


def _check_view(fit: Fit, table: TableSpec, name: str) -> None:
    """Camera above the table, all cushions in the picture."""
    camera = fit.camera
    height = camera.centre_mm[2]
    lowest, highest = _HEIGHTS_WIDTHS
    if not lowest * table.width_mm < height < highest * table.width_mm:
        raise unusable_input("errors.camera_above_the_table", where=prefix(name), height=f"{height:.0f}")
    outline = camera.pixels_from_table(table_outline(table, 0.0, table.nose_height_mm))
    inside = np.isfinite(outline).all(axis=1)
    inside &= (outline >= -1).all(axis=1) & (outline <= (camera.width_px, camera.height_px)).all(axis=1)
    if inside.mean() < _IN_VIEW_SHARE:
        raise unusable_input(
            "errors.picture_of_the_whole_table", where=prefix(name), percent=f"{100 * inside.mean():.0f}"
        )


def _end_told(found: Found) -> bool:
    """Whether a line or colours on their spots tell the baulk end."""
    return found.marks is not None or found.spotted is not None


def _check_sides(fit: Fit, points: Points, found: Found, table: TableSpec, name: str) -> None:
    """Every cushion measured, none too faint, all where the table's size has them."""
    for side in SIDES:
        chosen = points.mark == side
        expected = len(nose_stations(table, side)[0])
        if chosen.sum() < LEAST_COVERED * expected:
            raise unusable_input(
                "errors.see_every_cushion", where=prefix(name), chosen=chosen.sum(), expected=expected
            )
    faint = max(float(np.median(points.sigma_px[points.mark == s])) for s in SIDES)
    checked = (points.mark == ARC).any() or found.spotted is not None
    if table.d_radius_mm is not None and faint > FAINT_PX and not checked:
        raise unusable_input("errors.four_clear_cushions_or_a_visible_d", where=prefix(name))
    limit = max(WORST_RESIDUAL_PX, WORST_RESIDUAL_WIDTHS * fit.camera.width_px)
    typical, allowed = max(
        ((_typical(fit, points, s), max(limit, _faint_side(points, s))) for s in SIDES),
        key=lambda side: side[0] - side[1],
    )
    if typical > allowed:
        raise unusable_input(
            "errors.cushions_to_fit_a_table_of_x_mm",
            where=prefix(name),
            length_mm=f"{table.length_mm:.0f}",
            width_mm=f"{table.width_mm:.0f}",
            typical=f"{typical:.1f}",
        )


def _typical(fit: Fit, points: Points, side: int) -> float:
    """Median distance (px) of a side's points from the model."""
    return float(np.median(np.abs(fit.residual_px[points.mark == side])))


def _faint_side(points: Points, side: int) -> float:
    """Two sigmas (px) of a side's common offset, which the calibration's `sigma` includes."""
    return 2 * BIAS_SHARE * float(np.median(points.sigma_px[points.mark == side]))


def _result(
    found: Found,
    fit: Fit,
    points: Points,
    table: TableSpec,
    told_by: tuple[tuple[str, ...], tuple[str, ...]],
) -> Calibration:
    middle = np.array([[0.0, table.length_mm / 2, 0.0]])
    scale = float(mm_per_px(fit.camera, middle, np.array([[1.0, 0.0]]))[0])
    # less bias and bends of the sides, which are part of the model and counted in `sigma`
    left = np.abs(predicted_residuals(fit, table, points))[~points.on_turn]
    clipped = np.clip(left, 0, _RESIDUAL_CLIP * max(_LEAST_RESIDUAL_PX, float(np.median(left))))
    residual_px = float(np.sqrt(np.mean(clipped**2)))
    notes = (*_notes(found, points, table, fit, told_by[0]), *told_by[1])
    measured = replace(fit.table, marks_measured=found.marks is not None or table.marks_measured)
    return Calibration(
        camera=fit.camera,
        table=measured,
        residual_px=residual_px,
        residual_mm=residual_px * scale,
        sigma=sigma_model(fit, table),
        spot_sigma=sigma_model(fit, table, against_spots=True),
        baulk_certainty=found.baulk_certainty,
        notes=notes,
    )


def _notes_without_marks(found: Found, table: TableSpec, end_told_by: tuple[str, ...]) -> list[str]:
    """How the ends were told apart where no mark of the cloth tells it."""
    if found.spotted is not None:
        return [f"no baulk line was seen: {found.spotted.count} colours on their spots tell which end it is"]
    if end_told_by:
        return [reason for reason in end_told_by if reason != AS_TOLD]
    if table.cross_line_mm is None:
        return ["this table has no baulk marks: the end at the left or bottom of the picture is called baulk"]
    mark, end = ("baulk line", "baulk") if table.line_is_drawn else ("head string", "head")
    return [f"no {mark} was seen: the end at the left or bottom of the picture is called {end}"]


def _notes(
    found: Found, points: Points, table: TableSpec, fit: Fit, end_told_by: tuple[str, ...]
) -> list[str]:
    """What was assumed or is ambiguous, in plain sentences."""
    if table.is_board:
        return [] if found.baulk_certainty > _ASSUMED else [BOARD_ASSUMED]
    if found.marks is None:
        notes = _notes_without_marks(found, table, end_told_by)
    elif table.d_radius_mm is not None and (found.marks.arc is None or not (points.mark == ARC).any()):
        notes = ["the baulk line was seen but not the D"]
    else:
        notes = []
    if found.marks is not None and not table.marks_measured:
        seen = (points.mark == BAULK).any()
        what = "baulk line and D were" if table.d_radius_mm is not None else "the baulk line was"
        notes.append(f"{what} measured in the picture{'' if seen else ' roughly'}")
    size = f"{fit.table.length_mm:.0f} x {fit.table.width_mm:.0f} mm"
    told = f"{table.length_mm:.0f} x {table.width_mm:.0f} mm"
    if fit.as_told < LIKELIER:
        notes.append(
            f"the table was told to be {told} and looks like one of {size}: measure it again, from nose to"
            " nose; positions are stated with that doubt"
        )
    elif fit.as_told < 1.0:
        notes.append(
            f"the table was told to be {told} and does not quite look like it: positions are stated with that"
            " doubt"
        )
    if not is_told(table) and table.mark_set == "snooker":
        notes.append(
            f"the table's size was not given: {size}, estimated from its marks; positions are stated with"
            " that doubt"
        )
    return notes
