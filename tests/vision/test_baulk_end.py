"""The baulk end told by colours on their spots, or by the place of television's camera."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest

from calibration.camera import Camera, rotation_vector
from calibration.find.marks import turned
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import SNOOKER_TABLE
from vision import baulk_end
from vision.baulk_end import log_odds, television_end, with_end_weighed


def seen_from(y_mm: float, height_mm: float, focal_px: float) -> Calibration:
    """A camera over the table's long axis at y, looking at the table's middle."""
    away = np.array([0.0, SNOOKER_TABLE.length_mm / 2 - y_mm, -height_mm])
    forward = away / np.linalg.norm(away)
    right = np.array([-1.0, 0.0, 0.0]) if y_mm > SNOOKER_TABLE.length_mm / 2 else np.array([1.0, 0.0, 0.0])
    matrix = np.stack((right, np.cross(forward, right), forward))
    t = -matrix @ np.array([0.0, y_mm, height_mm])
    camera = Camera(
        1280, 720, "radial", focal_px, 639.5, 359.5, (0.0, 0.0), rotation_vector(matrix), tuple(t.tolist())
    )
    return Calibration(camera, SNOOKER_TABLE, 0.2, 0.5, SigmaModel((1.0, 0, 0, 0, 0, 0), 0.1))


def test_one_colour_on_its_spot_tells_the_end_and_none_says_nothing() -> None:
    assert log_odds([(1, 0)]) > 3.0 and log_odds([(0, 2)]) < -3.0
    assert log_odds([(0, 0)]) == 0.0 == log_odds([])


def test_looks_at_one_layout_say_it_once() -> None:
    assert log_odds([(1, 0)] * 5) == log_odds([(1, 0)])


@pytest.mark.parametrize(
    ("y_mm", "height_mm", "focal_px", "end"),
    [(10_000.0, 3_600.0, 2_800.0, "top"), (1_700.0, 2_800.0, 900.0, None), (5_000.0, 2_500.0, 900.0, None)],
)
def test_only_a_telephoto_camera_far_beyond_an_end_is_televisions(
    y_mm: float, height_mm: float, focal_px: float, end: str | None
) -> None:
    calibration = seen_from(y_mm, height_mm, focal_px)
    assert television_end(calibration) == end
    other = replace(calibration, camera=turned(calibration.camera, SNOOKER_TABLE))
    assert television_end(other) == (None if end is None else "baulk")


@dataclass(frozen=True)
class Found:
    baulk_certainty: float


@dataclass(frozen=True)
class Solved:
    """A solution whose baulk end is the one that the line shows, or the other one."""

    found: Found
    other: bool = False
    table: Any = SNOOKER_TABLE
    calibration: Any = None


@pytest.mark.parametrize(
    ("line", "counts", "other", "least"),
    [
        (0.977, (0, 2), True, 0.999),  # a line that was no baulk line, yellow and black on their spots
        (0.977, (2, 0), False, 0.9999),
        (0.977, (0, 0), False, 0.97),
        (0.99995, (0, 2), False, 0.9999),  # a line beyond doubt is not asked about
    ],
)
def test_the_line_and_colours_on_their_spots_tell_the_end_together(
    monkeypatch: pytest.MonkeyPatch, line: float, counts: tuple[int, int], other: bool, least: float
) -> None:
    """In a degraded end view another line was seen than the baulk line, 97.7 % sure, and a pot was told in
    the pocket opposite.
    """

    def on_spots(*_: object) -> tuple[int, int]:
        return counts

    def at_end(still: object, solution: Solved, turned: bool, certainty: float, note: str) -> Solved:
        monkeypatch.setattr(baulk_end, "seen_on_spots", lambda *_: counts[::-1])
        return replace(solution, other=turned, found=Found(certainty))

    monkeypatch.setattr(baulk_end, "seen_on_spots", on_spots)
    monkeypatch.setattr(baulk_end, "at_end", at_end)
    solved = Solved(Found(line))
    told = with_end_weighed(
        cast("Any", None), cast("Any", solved), cast("Any", [None]), cast("Any", object())
    )
    assert cast("Any", told).other is other and told.found.baulk_certainty >= least
