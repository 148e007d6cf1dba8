"""Options that several subcommands share, read from text; a wrong one is one clear sentence."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.errors import UnusableInput
from calibration.table.specs import TableSpec, small_table

if TYPE_CHECKING:
    from calibration.find.strips import ByteArray
    from calibration.result import Calibration
    from vision.detect.detector import Detector

_SAMPLED = 15  # pictures of a video for finding the table; people and moving balls drop out of their median
_SETTLED = 5  # of them, whose balls are looked at
DEFAULT_TABLE = "~3569x1778"
"""What is taken where nobody says a size: built by the rule (1.1(a)), measured by nobody."""

DEFAULT_BALL_MM = 52.5  # snooker 1.2(a)
_UNMEASURED = (
    3.0 / 3569.0
)  # one sigma of a table's size over its length: 1.1(a) allows 13 mm, most are nearer
_NOSE_RANGE = (0.55, 0.8)  # of the ball's diameter: 0.64 to 0.70 is usual, none can work outside this
_NOSE_READ_MM = 0.4  # one sigma of a height read off a rule held to a rounded nose
POOL_BALL_MM = 57.15  # WPA equipment specification


def parse_table(text: str, ball_mm: float | None, nose_mm: float | None = None) -> TableSpec:
    """`3569x1778` (length x width in mm), ball diameter and nose height to a table; UnusableInput otherwise.

    `~3569x1778`: not measured, so calibration estimates length and width, and every sigma counts that; so
    it does with a nose height of None.
    """
    match = re.fullmatch(r"\s*(~?)\s*(\d+(?:\.\d+)?)\s*[xX×]\s*(\d+(?:\.\d+)?)\s*", text)
    if match is None:
        raise UnusableInput(f"--table: expected LENGTHxWIDTH in mm such as 3569x1778, found {text!r}")
    length, width = sorted((float(match[2]), float(match[3])), reverse=True)
    if ball_mm is None:
        pool = abs(length - 2540.0) <= 13.0 and abs(width - 1270.0) <= 13.0
        ball_mm = POOL_BALL_MM if pool else DEFAULT_BALL_MM
    if not 20.0 <= ball_mm <= 80.0:
        raise UnusableInput(f"--ball: expected a diameter of 20 to 80 mm, found {ball_mm:g}")
    if not (600.0 <= width <= length <= 5000.0) or not 1.6 <= length / width <= 2.4:
        raise UnusableInput(
            f"--table: expected a playing area about twice as long as wide, 600 to 5000 mm, found {length:g}"
            f" x {width:g}"
        )
    try:
        table = small_table(length, width, ball_mm)
    except ValueError as error:
        raise UnusableInput(f"--table, --ball: {error}") from None
    if nose_mm is not None:
        low, high = (round(share * ball_mm, 1) for share in _NOSE_RANGE)
        if not low <= nose_mm <= high:
            raise UnusableInput(
                f"--nose: expected a height of {low:g} to {high:g} mm above the cloth, found {nose_mm:g}"
            )
        table = replace(table, nose_height_mm=nose_mm, nose_height_sigma_mm=_NOSE_READ_MM)
    return replace(table, dimension_sigma_mm=_UNMEASURED * length) if match[1] else table


def calibration_for(
    video: Path, calibration: Path | None, table: TableSpec, detector: Detector | None = None
) -> Calibration:
    """The calibration of a file, or one solved from the video or picture itself."""
    from calibration.result import Calibration

    return (
        Calibration.load(calibration) if calibration is not None else solved_view(video, table, detector)[0]
    )


def solved_view(
    source: Path, table: TableSpec, detector: Detector | None = None
) -> tuple[Calibration, ByteArray]:
    """The calibration of a video or picture, settled by its balls, and the still (H, W, 3) BGR it was solved
    from.
    """
    from calibration.calibrate import solve_table, still_image
    from vision.detect.detector import Detector
    from vision.io.images import sample_images
    from vision.nose_height import settle_nose_height

    pictures = [image.picture for image in sample_images(source, _SAMPLED)]
    still = still_image([p.bgr() for p in pictures], str(source))
    shown = pictures[:: max(1, len(pictures) // _SETTLED)]
    del pictures
    solution = solve_table([still], table, str(source))
    return settle_nose_height(shown, solution, detector or Detector()), still
