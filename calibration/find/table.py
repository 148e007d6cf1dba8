"""A table found in a picture to about a pixel, without markers and without clicks.

1. Cloth, four corners, first camera (`rough`).
2. The strongest edge of each side straightens the lens.
3. Readings of the cushions: which edges are rail and nose (`edges`).
4. Baulk line and D at one end (`marks`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.camera import Camera
from calibration.find.cloth import cloth_regions
from calibration.find.edges import (
    Reading,
    nose_stations,
    outline_points,
    readings,
    side_pairs,
    side_strip,
)
from calibration.find.marks import PLAIN, BaulkMarks, certainty, find_baulk, line_px, turned
from calibration.find.mouths import end_points, end_priors
from calibration.find.rough import rough_cameras, rough_priors
from calibration.find.spotted import Contrast, Spotted, find_spotted
from calibration.find.strips import ByteArray, FloatArray, beyond_noses_mm
from calibration.solve.model import Fit, Points, solve
from calibration.solve.unknowns import BAULK, BOTTOM, K2_SIGMA, LEFT, MARGIN_NAMES, RIGHT, SIDES, TOP
from calibration.table.pockets import cushion_share
from calibration.table.specs import TableSpec

CLEAR = 18.0
"""Score from which a reading is hardly ever wrong (docs/lab/2026-11-21-calibration.md)."""

_MARK_WEIGHT = 0.1  # of the strength of baulk marks in a reading's score
_WORSE = 5.0  # score below the best from which a reading is dropped
_NO_CERTAINTY = 0.5  # probability of either end being the baulk end without marks
_LOOSE_MM = (30.0, 20.0)  # mean and sigma of a margin while any edge of a cushion may be followed
_SEARCH_MM = 130.0  # on both sides of a nose in which its edges are sought
_SEARCH_STEP_PX = 0.5
_FLATTEST = 4.0  # horizontal over vertical distance of the flattest view that is searched (14 degrees)
_TOP_MM = 50.0  # usual width of a cushion's top
_FACES = 1.5  # of the faces' widths by which the search reaches further out: a first camera misjudges them
_ROUNDS, _OUTLINE_STEPS, _POSE_STEPS = 2, 20, 25  # of the first solutions
_POINT_SIGMA_PX = 0.5


@dataclass(frozen=True)
class Found:
    """A table found to about a pixel, with the baulk end at y = 0.

    `changes`: colour change (3,) BGR across the nose of each side, inwards. `marks`: None where none was
    seen. `baulk_certainty`: probability that y = 0 is the baulk end. `score`: of the reading; higher is
    likelier. `spotted`: the colours on their spots that told the end where no line did.
    """

    camera: Camera
    changes: tuple[FloatArray, ...]
    marks: BaulkMarks | None
    baulk_certainty: float
    score: float
    spotted: Spotted | None = None


def straightened(image: ByteArray, first: Fit, table: TableSpec, by_ends: bool) -> Fit | None:
    """The first camera fitted to the strongest edge of each side, rail or nose; None if a side is missing.

    `by_ends`: to the cushions' ends too.
    """
    share = cushion_share(table)
    # the strongest edge may be any from the shadow on the bed to the rail
    mean, sigma = _LOOSE_MM
    loose = dict.fromkeys(MARGIN_NAMES, (mean * share, sigma * share))
    priors = {**rough_priors(table), "k2": (0.0, K2_SIGMA), **loose, **end_priors(table)}
    fit = first
    for _ in range(2):
        points = outline_points(image, fit.camera, table)
        if points is None:
            return None
        if by_ends:
            points = Points.join([points, end_points(image, fit.camera, table)])
        start = dict(zip(MARGIN_NAMES, fit.margins_mm, strict=True))
        fit = solve(fit.camera, table, points, priors, start, rounds=_ROUNDS, steps=_OUTLINE_STEPS)
    return fit


def nose_readings(image: ByteArray, camera: Camera, table: TableSpec) -> list[Reading]:
    """Likely readings of the four cushions under a camera, best first."""
    share = cushion_share(table)
    within = _SEARCH_MM * share
    strips = [
        side_strip(image, camera, table, side, (-within - _FACES * seen, within), _SEARCH_STEP_PX)
        for side, seen in zip(SIDES, wide_faces_mm(camera, table), strict=True)
    ]
    sides = [side_pairs(strip, _SEARCH_STEP_PX, share) for strip in strips]
    return readings(sides, share)


def wide_faces_mm(camera: Camera, table: TableSpec) -> tuple[float, ...]:
    """As `seen_faces_mm`, 0 for faces no wider than a cushion's top, which the usual search covers."""
    least = _TOP_MM * cushion_share(table)
    return tuple(seen if seen > least else 0.0 for seen in seen_faces_mm(camera, table))


def seen_faces_mm(camera: Camera, table: TableSpec) -> tuple[float, ...]:
    """How wide (mm in the plane of the noses) each cushion's face below its nose looks to the camera.

    Far off and seen flat it is wider than the cushion's top. A first camera may have taken the cloth's edge
    at its foot for the nose. 0 where the face is turned away.
    """
    height = max(camera.centre_mm[2] - table.nose_height_mm, 1.0)
    inside = (-b for b in beyond_noses_mm(camera, table))
    return tuple(table.nose_height_mm * min(max(i / height, 0.0), _FLATTEST) for i in inside)


def nose_points(image: ByteArray, camera: Camera, table: TableSpec, reading: Reading) -> Fit:
    """The camera under which the noses of a reading lie where the table's specification has them."""
    parts = []
    for side in SIDES:
        strip = side_strip(image, camera, table, side, (-10.0, 10.0), 1.0)
        rows = np.arange(len(strip.base))
        px = strip.pixels(camera, rows, np.full(len(rows), reading.noses[side].offset_mm))
        parts.append(Points.of(px, side, _POINT_SIGMA_PX))
    return _posed(camera, table, Points.join(parts))


def _posed(camera: Camera, table: TableSpec, points: Points) -> Fit:
    """The camera that fits points to their noses and marks, as the specification has them."""
    priors = {k: v for k, v in rough_priors(table).items() if not k.startswith("m")}
    return solve(camera, table, points, {**priors, "k2": (0.0, K2_SIGMA)}, rounds=_ROUNDS, steps=_POSE_STEPS)


@dataclass(frozen=True)
class _End:
    """One end of the table taken for the baulk end: the camera that has it at y = 0, and what is seen there.

    `changes`: as of `Found`. `marks`: None where no line was seen.
    """

    camera: Camera
    changes: tuple[FloatArray, ...]
    marks: BaulkMarks | None = None

    @property
    def strength(self) -> float:
        """Strength of the marks; 0 without any."""
        return self.marks.strength if self.marks is not None else 0.0


def _both_ends(
    image: ByteArray, camera: Camera, changes: tuple[FloatArray, ...], table: TableSpec
) -> tuple[_End, _End]:
    """The end y = 0 of a camera and the other one, each with its marks."""
    other = turned(camera, table)
    return (
        _End(camera, changes, find_baulk(image, camera, table)),
        _End(other, swapped(changes), find_baulk(image, other, table)),
    )


def swapped(changes: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    """The sides' colour changes for the camera that has the other end at y = 0."""
    return changes[TOP], changes[BOTTOM], changes[RIGHT], changes[LEFT]


def _with_marks(contrast: Contrast, fit: Fit, table: TableSpec, reading: Reading) -> Found:
    """The table with the baulk marks sought at both ends, and the camera turned to the end that has them."""
    image = contrast.image
    changes = tuple(np.asarray(e.change) for e in reading.noses)
    here, there = _both_ends(image, fit.camera, changes, table)
    if max(here.strength, there.strength) < PLAIN:
        # a head string need not be drawn, so that none is sought far off
        for far in (False, True) if table.line_is_drawn else (False,):
            here, there = (_baulk_posed(image, end, table, far) for end in (here, there))
            if here.marks is not None or there.marks is not None:
                break
    if here.marks is None and there.marks is None:
        by_spots = _by_spots(contrast, here, there, table, reading)
        if by_spots is not None:
            return by_spots
    if there.strength > here.strength or (here.marks is None and not _left_or_bottom(fit.camera, table)):
        return _found(contrast, there, table, reading, here.strength)
    return _found(contrast, here, table, reading, there.strength)


def _found(contrast: Contrast, end: _End, table: TableSpec, reading: Reading, rival: float) -> Found:
    """The table with one end as baulk end. `rival`: strength of the marks at the other one."""
    marks = end.marks
    if marks is None:
        return Found(end.camera, end.changes, None, _NO_CERTAINTY, reading.score)
    sure = certainty(marks.strength, rival)
    spotted = find_spotted(contrast, end.camera, table) if marks.arc is None else None
    score = reading.score + _MARK_WEIGHT * marks.strength
    return Found(end.camera, end.changes, marks, sure, score, spotted)


def found_again(image: ByteArray, camera: Camera, table: TableSpec) -> list[Found]:
    """The readings of a table under its refined camera, likeliest first."""
    contrast = Contrast(image)
    posed = ((nose_points(image, camera, table, r), r) for r in nose_readings(image, camera, table))
    return [_with_marks(contrast, fit, table, reading) for fit, reading in posed]


def turned_table(found: Found, table: TableSpec) -> Found:
    """The same table, without marks, with its other end at y = 0."""
    return replace(found, camera=turned(found.camera, table), changes=swapped(found.changes), marks=None)


def marks_sought_again(image: ByteArray, found: Found, camera: Camera, table: TableSpec) -> Found | None:
    """A table of which no baulk line was seen, with faint marks found under its refined camera; else None.

    Along the true line and circle a median over all stations shows marks that a first camera smears.
    """
    ends = _both_ends(image, camera, found.changes, table)
    weaker, stronger = sorted(ends, key=lambda end: end.strength)
    if weaker.strength == stronger.strength:
        return None
    return replace(
        found,
        camera=stronger.camera,
        changes=stronger.changes,
        marks=stronger.marks,
        baulk_certainty=certainty(stronger.strength, weaker.strength),
        score=found.score + _MARK_WEIGHT * stronger.strength,
    )


def _by_spots(
    contrast: Contrast, here: _End, there: _End, table: TableSpec, reading: Reading
) -> Found | None:
    """The table turned to the end where colours stand on their spots, and posed by them; None where few do.

    With the camera so posed the line may be found after all.
    """
    at_here, at_there = (find_spotted(contrast, end.camera, table) for end in (here, there))
    own, other = (spotted.strength if spotted else 0.0 for spotted in (at_here, at_there))
    end, spotted = (here, at_here) if own >= other else (there, at_there)
    if spotted is None or own == other:
        return None
    posed = _posed_on(end.camera, table, Points.of(spotted.line_px, BAULK, _POINT_SIGMA_PX))
    spotted = find_spotted(contrast, posed, table) or spotted
    marks = find_baulk(contrast.image, posed, table)
    sure = certainty(max(own, other), min(own, other))
    score = reading.score + _MARK_WEIGHT * max(own, other)
    return Found(posed, end.changes, marks, sure, score, spotted)


_ASTRAY_MM = 4.0
"""Offset or lean of the baulk line from which the camera is posed again with the line."""


def _baulk_posed(image: ByteArray, end: _End, table: TableSpec, far: bool) -> _End:
    """An end with its marks, the line leaning or not, and the camera, posed by the line too if it is off."""
    camera = end.camera
    marks = find_baulk(image, camera, table, leaning=True, far=far)
    if marks is None or not table.marks_measured or table.cross_line_mm is None:
        return replace(end, marks=marks)
    if max(abs(marks.line.offset_mm), abs(marks.line.lean_mm)) < _ASTRAY_MM and marks.arc is not None:
        return replace(end, marks=marks)
    posed = _posed_on(camera, table, Points.of(line_px(camera, marks, table), BAULK, _POINT_SIGMA_PX))
    again = find_baulk(image, posed, table)
    if again is None or again.strength < marks.strength:
        return replace(end, marks=None if far else marks)
    return replace(end, camera=posed, marks=again)


def _posed_on(camera: Camera, table: TableSpec, marks: Points) -> Camera:
    """The camera fitted to these marks and to the noses where it already has them."""
    parts = [marks]
    for side in SIDES:
        base, _ = nose_stations(table, side)
        px = camera.pixels_from_table(np.column_stack((base, np.full(len(base), table.nose_height_mm))))
        parts.append(Points.of(px, side, _POINT_SIGMA_PX))
    return _posed(camera, table, Points.join(parts)).camera


def _left_or_bottom(camera: Camera, table: TableSpec) -> bool:
    """Whether the end y = 0 is at the left of the picture, or at its bottom if the table is upright."""
    near, far = camera.pixels_from_table([(0.0, 0.0, 0.0), (0.0, table.length_mm, 0.0)])
    across, up = far[0] - near[0], near[1] - far[1]
    return bool(across > 0 if abs(across) >= abs(up) else up > 0)


def find_tables(image: ByteArray, table: TableSpec) -> Iterator[list[Found]]:
    """Tables in a (H, W, 3) BGR picture: for each plausible start its readings, likeliest first.

    Starts with a clear reading come at once, the others follow, best first. Then come those of cloths found
    with stricter limits.
    """
    height, width = image.shape[:2]
    contrast = Contrast(image)
    for strict, regions, starts in ((False, 3, 2), (True, 2, 1)):
        unclear: list[list[Found]] = []
        for region in cloth_regions(image, strict)[:regions]:
            firsts = rough_cameras((width, height), region, table)[:starts]
            # ends lead where noses are hardly seen; edges alone are right where some ends are misread
            for first, by_ends in itertools.product(firsts, (False, True)):
                found = _readings_of(contrast, first, table, by_ends)
                if found and found[0].score > CLEAR:
                    yield found
                elif found:
                    unclear.append(found)
        yield from sorted(unclear, key=lambda group: -group[0].score)[:4]


def _readings_of(contrast: Contrast, first: Fit, table: TableSpec, by_ends: bool) -> list[Found]:
    """The likely readings of a table from a first camera, best first; empty if its cushions are not seen."""
    image = contrast.image
    fit = straightened(image, first, table, by_ends)
    if fit is None:
        return []
    found = []
    for reading in nose_readings(image, fit.camera, table):
        posed = nose_points(image, fit.camera, table, reading)
        again = nose_readings(image, posed.camera, table)
        if again and again[0].score > reading.score:
            reading = again[0]
            posed = nose_points(image, posed.camera, table, reading)
        found.append(_with_marks(contrast, posed, table, reading))
    best = max((f.score for f in found), default=0.0)
    return sorted((f for f in found if f.score > best - _WORSE), key=lambda f: -f.score)
