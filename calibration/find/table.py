"""Finding a table in pictures and solving its camera, without markers and without clicks.

Order: cloth, four corners, first camera (`rough`); the strongest edge of each side straightens the lens;
readings of rail and nose across the cushions; baulk line and D at one end; then everything together,
to sub-pixel, by `solve`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibration.camera import Camera
from calibration.find.cloth import cloth_regions
from calibration.find.edges import (
    Reading,
    nose_stations,
    outline_points,
    readings,
    share_of,
    side_pairs,
    side_strip,
)
from calibration.find.marks import PLAIN, BaulkMarks, certainty, find_baulk, line_px, turned
from calibration.find.rough import rough_cameras, rough_priors
from calibration.find.strips import ByteArray, FloatArray
from calibration.solve.model import Fit, Points, solve
from calibration.solve.unknowns import BAULK, BOTTOM, LEFT, MARGIN_NAMES, RIGHT, SIDES, TOP
from calibration.table.specs import TableSpec

NO_TABLE = "expected a picture of a whole table, found none"


CLEAR = 18.0
"""Score of a reading that is hardly ever wrong (measured on random cameras and real pictures)."""


@dataclass(frozen=True)
class Found:
    """A table found to about a pixel: camera with the baulk end at y = 0, which edges are noses, marks.

    `changes`: colour change across the nose of each side, inwards.
    """

    camera: Camera
    changes: tuple[FloatArray, ...]
    marks: BaulkMarks | None
    baulk_certainty: float
    score: float


def straightened(image: ByteArray, first: Fit, table: TableSpec) -> Fit | None:
    """The first camera made to fit the strongest edge of each side, whatever edge that is."""
    share = share_of(table)
    # any of a side's edges may have been followed, from the bed's shadow to the rail
    loose = dict.fromkeys(MARGIN_NAMES, (30.0 * share, 20.0 * share))
    priors = {**rough_priors(table), "k2": (0.0, 0.05), **loose}
    fit = first
    for _ in range(2):
        points = outline_points(image, fit.camera, table)
        if points is None:
            return None
        start = dict(zip(MARGIN_NAMES, fit.margins_mm, strict=True))
        fit = solve(fit.camera, table, points, priors, start, rounds=2, steps=20)
    return fit


def nose_readings(image: ByteArray, camera: Camera, table: TableSpec) -> list[Reading]:
    share = share_of(table)
    reach = (-130.0 * share, 130.0 * share)
    sides = [side_pairs(side_strip(image, camera, table, side, reach, 0.5), 0.5, share) for side in SIDES]
    return readings(sides, share)


def nose_points(image: ByteArray, camera: Camera, table: TableSpec, reading: Reading) -> Fit:
    """The camera that puts the noses of a reading where the table's specification has them."""
    parts = []
    for side in SIDES:
        strip = side_strip(image, camera, table, side, (-10.0, 10.0), 1.0)
        rows = np.arange(len(strip.base))
        px = strip.pixels(camera, rows, np.full(len(rows), reading.noses[side].offset_mm))
        parts.append(Points.of(px, side, 0.5))
    return _posed(camera, table, Points.join(parts))


def _posed(camera: Camera, table: TableSpec, points: Points) -> Fit:
    """The camera that puts points on their noses and marks, whose places are taken as the specification has
    them.
    """
    priors = {k: v for k, v in rough_priors(table).items() if not k.startswith("m")}
    return solve(camera, table, points, {**priors, "k2": (0.0, 0.05)}, rounds=2, steps=25)


def _with_marks(image: ByteArray, fit: Fit, table: TableSpec, reading: Reading) -> Found:
    """Looks for baulk marks at both ends and turns the camera to them."""
    changes = tuple(np.asarray(e.change) for e in reading.noses)
    camera, other_camera = fit.camera, turned(fit.camera, table)
    here, there = find_baulk(image, camera, table), find_baulk(image, other_camera, table)
    if max(m.line.strength if m else 0.0 for m in (here, there)) < PLAIN:
        camera, here = _baulk_posed(image, camera, table)
        other_camera, there = _baulk_posed(image, other_camera, table)
    own, other = (m.strength if m else 0.0 for m in (here, there))
    if other > own:
        swapped = (changes[TOP], changes[BOTTOM], changes[RIGHT], changes[LEFT])
        return Found(other_camera, swapped, there, certainty(other, own), reading.score + 0.1 * other)
    if here is None and not _left_or_bottom(fit.camera, table):
        swapped = (changes[TOP], changes[BOTTOM], changes[RIGHT], changes[LEFT])
        return Found(other_camera, swapped, None, 0.5, reading.score)
    sure = certainty(own, other) if here else 0.5
    return Found(camera, changes, here, sure, reading.score + 0.1 * own)


_ASTRAY_MM = 4.0
"""A baulk line that a camera puts farther off, or that leans by more, is worth a camera that fits it."""


def _baulk_posed(image: ByteArray, camera: Camera, table: TableSpec) -> tuple[Camera, BaulkMarks | None]:
    """Baulk line, leaning or not, and D at the end y = 0, and the camera, posed by the line too where the
    noses alone put it aside.
    """
    marks = find_baulk(image, camera, table, leaning=True)
    if marks is None or not table.marks_measured or table.baulk_line_mm is None:
        return camera, marks
    if max(abs(marks.line.offset_mm), abs(marks.line.lean_mm)) < _ASTRAY_MM and marks.arc is not None:
        return camera, marks
    posed = _posed_on(camera, table, Points.of(line_px(camera, marks, table), BAULK, 0.5))
    again = find_baulk(image, posed, table)
    return (camera, marks) if again is None or again.strength < marks.strength else (posed, again)


def _posed_on(camera: Camera, table: TableSpec, marks: Points) -> Camera:
    """The camera with the noses where it has them and these marks where the table's specification has
    them.
    """
    parts = [marks]
    for side in SIDES:
        base, _ = nose_stations(table, side)
        px = camera.pixels_from_table(np.column_stack((base, np.full(len(base), table.nose_height_mm))))
        parts.append(Points.of(px, side, 0.5))
    return _posed(camera, table, Points.join(parts)).camera


def _left_or_bottom(camera: Camera, table: TableSpec) -> bool:
    """Whether the end y = 0 lies at the left of the picture, or at the bottom if the table stands upright."""
    near, far = camera.pixels_from_table([(0.0, 0.0, 0.0), (0.0, table.length_mm, 0.0)])
    across, up = far[0] - near[0], near[1] - far[1]
    return bool(across > 0 if abs(across) >= abs(up) else up > 0)


def find_tables(image: ByteArray, table: TableSpec) -> Iterator[list[Found]]:
    """Tables found in a (H, W, 3) BGR picture: for each plausible start the readings of it, likeliest first.

    A start whose cushions read clearly comes at once, the others follow, best first; then the same for cloths
    that are told from what lies around them more strictly.
    """
    height, width = image.shape[:2]
    for strict, regions, starts in ((False, 3, 2), (True, 2, 1)):
        unclear: list[list[Found]] = []
        for region in cloth_regions(image, strict)[:regions]:
            for first in rough_cameras((width, height), region, table)[:starts]:
                found = _readings_of(image, first, table)
                if found and found[0].score > CLEAR:
                    yield found
                elif found:
                    unclear.append(found)
        yield from sorted(unclear, key=lambda group: -group[0].score)[:3]


def _readings_of(image: ByteArray, first: Fit, table: TableSpec) -> list[Found]:
    """The likely readings of a table from a first camera, best first; empty if its cushions are not seen."""
    fit = straightened(image, first, table)
    if fit is None:
        return []
    found = []
    for reading in nose_readings(image, fit.camera, table):
        posed = nose_points(image, fit.camera, table, reading)
        again = nose_readings(image, posed.camera, table)
        if again and again[0].score > reading.score:
            reading = again[0]
            posed = nose_points(image, posed.camera, table, reading)
        found.append(_with_marks(image, posed, table, reading))
    best = max((f.score for f in found), default=0.0)
    return sorted((f for f in found if f.score > best - 5.0), key=lambda f: -f.score)
