"""Calibration of a camera from pictures of a table, checked, or refused with one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from calibration.algebra import one_thread
from calibration.camera import Camera
from calibration.errors import UnusableInput, prefix
from calibration.find.cloth import cloth_regions
from calibration.find.diameters import LEAST_LARGER, seen_diameter
from calibration.find.head import head_evidence
from calibration.find.marks import turned
from calibration.find.steady import median_picture, steady_images
from calibration.find.strips import ByteArray, mm_per_px
from calibration.find.table import Found, find_tables, found_again, marks_sought_again, turned_table
from calibration.notes import AS_TOLD, ASSUMED_END, notes_of
from calibration.result import Calibration
from calibration.solve.board import fit_board
from calibration.solve.candidate import Candidate
from calibration.solve.model import Fit, NoTableFits, Points, Rival, predicted_residuals
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
from calibration.solve.size import SURE_OF_SIZE, size_by_balls
from calibration.solve.turns import SeenTurns, turn_points
from calibration.table.parse import UNMEASURED
from calibration.table.specs import TableSpec, resized
from calibration.texts import sentence, unusable_input

_LARGER, _LARGER_SIGMAS = 1.15, 4.0
"""Balls that look, by so many sigmas, so many times as large as a full-size table's tell a smaller one.

Full-size tables in four real views gave 1.00 to 1.07, a real one of 1881 mm 1.81 to 1.90.
"""

_NO_END = (
    "expected a baulk line at one end of the table, found none that stands out from the cloth, and too few"
    " colours on their spots to tell"
)

_LEAST_SIDE_PX = 120  # shorter side of the smallest picture
Side = Literal["bottom", "right", "top", "left"]
TOWARDS: dict[Side, tuple[float, float]] = {
    "bottom": (0.0, 1.0),
    "right": (1.0, 0.0),
    "top": (0.0, -1.0),
    "left": (-1.0, 0.0),
}
"""Directions in a picture, x to the right and y down, of its sides."""
_CLEARLY = 0.99  # certainty of an end by its line from which being told otherwise is a mistake
_LEAST_CERTAINTY = 1e-9
_SIZE_UNTOLD = 0.03  # one sigma of a size over the length from which it may be any usual one
_LOOKS = 4  # pictures in which racks are sought
_CLOTH_CUT_SHARE, _CLOTH_PICTURE_SHARE = 0.15, 0.2
"""Share of a cloth's outline on the picture's border, and of the picture, from which it runs out of view."""
_RESIDUAL_CLIP = 3.0  # medians at which outliers are clipped in the stated residual
_LEAST_RESIDUAL_PX = 0.05
_READ_AGAIN = 3  # times at most
_SAME_MM = 1.0  # largest distance at a corner between two solutions of one reading


@dataclass(frozen=True, slots=True)
class Solution(Candidate):
    """A settled candidate, with the points of the solution, so that it can be solved again.

    In plain sentences: `end_told_by`, what tells the bottom end where no line across the table does, and
    `size_told_by`, what tells an unknown size.
    """

    end_told_by: tuple[str, ...] = ()
    size_told_by: tuple[str, ...] = ()

    @property
    def calibration(self) -> Calibration:
        """The checked calibration."""
        fit, points, table = self.fit, self.points, self.table
        middle = np.array([[0.0, table.length_mm / 2, 0.0]])
        scale = float(mm_per_px(fit.camera, middle, np.array([[1.0, 0.0]]))[0])
        # less bias and bends of the sides, which are part of the model and counted in `sigma`
        left = np.abs(predicted_residuals(fit, table, points))[~points.on_turn]
        clipped = np.clip(left, 0, _RESIDUAL_CLIP * max(_LEAST_RESIDUAL_PX, float(np.median(left))))
        residual_px = float(np.sqrt(np.mean(clipped**2)))
        return Calibration(
            camera=fit.camera,
            table=replace(fit.table, marks_measured=self.found.marks is not None or table.marks_measured),
            residual_px=residual_px,
            residual_mm=residual_px * scale,
            sigma=sigma_model(fit, table),
            spot_sigma=sigma_model(fit, table, against_spots=True),
            baulk_certainty=self.found.baulk_certainty,
            notes=(*notes_of(self.found, points, table, fit, self.end_told_by), *self.size_told_by),
        )

    def with_nose(self, height_mm: float, sigma_mm: float) -> Calibration:
        """The calibration from the same points under another prior of the nose height (mm)."""
        other = replace(self.table, nose_height_mm=height_mm, nose_height_sigma_mm=sigma_mm)
        return replace(self, table=other, fit=solved_again(self.fit, other, self.points)).calibration

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


@one_thread()
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
    solved = replace(solution.found, camera=solution.fit.camera, spotted=None)
    other = turned_table(solved, solution.fit.table)
    fit, points = _settled(image, other, solution.table)
    return Solution(solution.table, other, fit, points, size_told_by=solution.size_told_by)


def _settled(image: ByteArray, found: Found, table: TableSpec) -> tuple[Fit, Points]:
    """A found table refined and settled."""
    fit, points = refine(image, found, table)
    return settled(fit, table, points)


def _best_solution(image: ByteArray, table: TableSpec, name: str) -> Solution:
    """The checked solution of the likeliest candidate. Raises UnusableInput."""
    refusal: UnusableInput | None = None
    passed: list[Candidate] = []
    endless: list[Candidate] = []
    for tables in find_tables(image, table):
        try:
            candidate = _accepted(image, tables, table, name)
        except UnusableInput as error:
            refusal = refusal or error
            continue
        if candidate.endless:
            endless.append(candidate)
            continue
        if candidate.clean and (solution := _likeliest([candidate])) is not None:
            return solution
        # balls along a cushion can pass for its nose, and four noses seen from above fit cameras of any
        # height; another reading of the cloth may fit better
        passed.append(candidate)
    if passed:
        passed.append(_read_again(image, min(passed, key=lambda c: c.rank), name))
    if (solution := _likeliest(passed)) is not None:
        return solution
    if (solution := _likeliest(endless)) is not None:
        raise EndUnknown(f"{prefix(name)}{_NO_END}", solution)
    raise refusal or UnusableInput(_missing(image, name))


def _accepted(image: ByteArray, tables: list[Found], table: TableSpec, name: str) -> Candidate:
    """The likeliest of the tables found in a picture that passes its checks.

    Raises UnusableInput where none does: the refusal of the likeliest.
    """
    refusals = []
    solved = [_refined(image, found, table) for found in tables]
    for candidate in sorted(solved, key=lambda candidate: candidate.rank):
        try:
            candidate.check(image, name)
        except UnusableInput as error:
            refusals.append(error)
        else:
            return candidate
    raise refusals[0]


def _read_again(image: ByteArray, best: Candidate, name: str) -> Candidate:
    """The likeliest of the candidates read under the camera of a solved one, again while one is likelier.

    Under a first, rough camera the edges of a true reading are smeared.
    """
    for _ in range(_READ_AGAIN):
        try:
            found = found_again(image, best.fit.camera, best.table)
            candidate = _accepted(image, found, best.table, name)
        except UnusableInput:
            break
        if candidate.endless or candidate.rank >= best.rank:
            break
        best = candidate
    return best


def _likeliest(candidates: list[Candidate]) -> Solution | None:
    """The final solution of the likeliest of the candidates with which the points still fit a table; the less
    likely ones are its rivals.
    """
    ranked = sorted(candidates, key=lambda candidate: candidate.rank)
    for k, candidate in enumerate(ranked):
        with suppress(NoTableFits):
            fit, points = settled(candidate.fit, candidate.table, candidate.points)
            rivals = (*fit.rivals, *_rivals(candidate, ranked[k + 1 :]))
            return Solution(candidate.table, candidate.found, replace(fit, rivals=rivals), points)
    return None


def _rivals(chosen: Candidate, others: Sequence[Candidate]) -> list[Rival]:
    """Less likely candidates that differ from the chosen one and from one another, with probabilities."""
    cameras, odds = [chosen.fit.camera], [1.0]
    for other in others:
        # either end may have been taken for the baulk end
        ends = other.fit.camera, turned(other.fit.camera, other.table)
        camera = min(ends, key=lambda end: _corners_apart_mm(cameras[0], end, chosen.table))
        if min(_corners_apart_mm(known, camera, chosen.table) for known in cameras) > _SAME_MM:
            cameras.append(camera)
            odds.append(math.exp(chosen.rank - other.rank))
    return [Rival(cameras[0], c, o / sum(odds)) for c, o in zip(cameras[1:], odds[1:], strict=True)]


def _corners_apart_mm(a: Camera, b: Camera, table: TableSpec) -> float:
    """Largest distance along an axis between where two cameras have a corner of the noses."""
    corners = np.array([(x, y) for x in (-1, 1) for y in (0, 1)], dtype=np.float64)
    corners *= table.half_width_mm, table.length_mm
    return float(np.abs(a.shift_mm(b, corners, table.nose_height_mm)).max())


def _solve_board(image: ByteArray, table: TableSpec, name: str, bottom_at: Side | None) -> Solution:
    """The solution of a carrom board; player A sits at the side `bottom_at` of the picture, or below it."""
    board = fit_board(image, table, TOWARDS[bottom_at or "bottom"])
    if board is None:
        raise unusable_input("errors.picture_of_a_whole_carrom_board", where=prefix(name))
    told = 1.0 if bottom_at is not None else ASSUMED_END
    candidate = Candidate(table, Found(board.fit.camera, (), None, told, 0.0), board.fit, board.points)
    candidate.check_view(name)
    if board.misfit_px > candidate.worst_residual_px:
        raise unusable_input(
            "errors.base_lines_of_a_carrom_board_mm",
            where=prefix(name),
            width_mm=f"{table.width_mm:.0f}",
            misfit_px=f"{board.misfit_px:.1f}",
        )
    return Solution(table, candidate.found, *settled(board.fit, table, board.points))


def _refined(image: ByteArray, found: Found, table: TableSpec) -> Candidate:
    """A table solved, and solved again where the solution shows faint marks that it was found without."""
    candidate = Candidate(table, found, *refine(image, found, table))
    marked = marks_sought_again(image, found, candidate.fit.camera, table) if candidate.endless else None
    return candidate if marked is None else Candidate(table, marked, *refine(image, marked, table))


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
