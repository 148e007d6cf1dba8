"""Finds the baulk end by balls on their spots, where no mark on the cloth shows it or leaves a doubt.

Television's picture of a whole table shows a baulk line of one grey level or none. A green that stands on the
green's spot tells the end all the same: a ball lies so near to a certain place of the other end by chance in
one of a thousand layouts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from calibration.calibrate import EndUnknown, Solution, at_end
from calibration.find.strips import ByteArray
from calibration.result import Calibration
from vision.detect.detector import Detector
from vision.io.picture import Picture
from vision.observer import Observer
from vision.spotted import sure_colours

_ON_SPOT_MM = 45.0
"""Largest distance from its spot of a colour that stands on it, under a camera posed by the noses alone."""
_STANDS, _CHANCE = 0.5, 0.002
"""Probability that a colour of a layout stands on its spot (assumed), and that a ball lies so near to a given
place by chance: the circle's share of the bed, doubled because balls gather at the top end."""
_BEYOND_DOUBT = 0.9999  # certainty of the baulk line from which the balls are not asked
_DECIDED = 3.0  # log-odds from which the balls decide (20 to 1)
_BEYOND_MM, _FLAT, _TELEPHOTO = 500.0, 1.2, 1.4
"""Where television's camera stands: least distance beyond an end, least ratio of horizontal to vertical
distance, and least focal length over the picture's width."""
_TELEVISION = 0.95
"""Probability that a camera there stands behind the top end, far from baulk: in ten of ten tournaments."""


def with_end_of_balls(
    still: ByteArray, unknown: EndUnknown, pictures: Sequence[Picture], detector: Detector
) -> Solution:
    """The table with its baulk end as the balls in the pictures tell it, else as television's camera stands.

    Raises the `unknown` again where neither tells it.
    """
    solution = unknown.solution
    odds = _log_odds_of(solution, pictures, detector)
    if abs(odds) >= _DECIDED:
        note = "no baulk line was seen: colours on their spots tell which end it is"
        return at_end(still, solution, odds < 0, _probability(abs(odds)), note)
    behind = television_end(solution.calibration)
    if behind is None:
        raise unknown
    note = "no baulk line was seen: baulk is taken to be the far end, as television's camera has it"
    return at_end(still, solution, behind == "baulk", _TELEVISION, note)


def with_end_weighed(
    still: ByteArray, solution: Solution, pictures: Sequence[Picture], detector: Detector | None
) -> Solution:
    """The table with its baulk end as the line that was seen and the balls on their spots tell it.

    Where they tell the other end than the line, the table is solved again with that, and they are asked once
    more.
    """
    line = solution.found.baulk_certainty
    if solution.table.mark_set != "snooker" or line >= _BEYOND_DOUBT:
        return solution
    balls = detector or Detector()
    by_line = math.log(line / (1.0 - line))
    odds = by_line + _log_odds_of(solution, pictures, balls)
    if odds < 0:
        note = "colours on their spots tell that baulk is the other end than a line across the table has it"
        solution = at_end(still, solution, True, line, note)
        odds = max(_log_odds_of(solution, pictures, balls) - by_line, -odds)
    return replace(solution, found=replace(solution.found, baulk_certainty=_probability(odds)))


def _log_odds_of(solution: Solution, pictures: Sequence[Picture], detector: Detector) -> float:
    """Log-odds of a solution's end y = 0 as baulk end, as the balls in the pictures tell it."""
    calibration = solution.calibration
    return log_odds(seen_on_spots(calibration, picture, detector) for picture in pictures)


def _probability(odds: float) -> float:
    """The probability that has these log-odds."""
    return 1.0 / (1.0 + math.exp(-odds))


def seen_on_spots(calibration: Calibration, picture: Picture, detector: Detector) -> tuple[int, int]:
    """How many colours stand on their spots with the end y = 0 as baulk end, and with the other one.

    The blue's spot is the same for both, so that it tells nothing.
    """
    table = calibration.table
    here = there = 0
    for o, colour in sure_colours(Observer(calibration, detector), picture):
        if colour == "blue":
            continue
        here += math.dist(table.spots[colour], (o.x_mm, o.y_mm)) < _ON_SPOT_MM
        there += math.dist(table.spots[colour], (-o.x_mm, table.length_mm - o.y_mm)) < _ON_SPOT_MM
    return here, there


def log_odds(counts: Iterable[tuple[int, int]]) -> float:
    """Log-odds of the end y = 0 from colours on spots under either end; pictures of one rest say it once."""
    most = max(counts, key=lambda c: abs(c[0] - c[1]), default=(0, 0))
    return (most[0] - most[1]) * math.log(_STANDS / _CHANCE)


def television_end(calibration: Calibration) -> str | None:
    """The end (of the frame as solved) behind which a camera like television's stands; None for any other."""
    camera, table = calibration.camera, calibration.table
    _, y, height = camera.centre_mm
    beyond = max(-y, y - table.length_mm)
    flat = beyond + table.length_mm / 2 > _FLAT * height
    if beyond < _BEYOND_MM or not flat or camera.focal_px < _TELEPHOTO * camera.width_px:
        return None
    return "baulk" if y < 0 else "top"
