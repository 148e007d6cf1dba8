"""The calibration of a video or picture: loaded from its file, or solved from the images themselves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from calibration.calibrate import EndUnknown, Side, solve_table, still_image
from calibration.find.strips import ByteArray
from calibration.result import Calibration
from calibration.solve.turns import SeenTurns
from calibration.table.specs import TableSpec
from calibration.texts import unusable_input
from vision.baulk_end import with_end_of_balls, with_end_weighed
from vision.detect.detector import Detector
from vision.io.images import sample_images
from vision.spotted import settle_by_spots

_SAMPLED = 15
"""Images of a video from which the table is found; people and moving balls drop out of their median."""
_SETTLED = 5
"""How many of them also give the nose height, by colours on their spots."""


def calibration_for(
    video: Path,
    calibration: Path | None,
    table: TableSpec,
    detector: Detector | None = None,
    bottom_at: Side | None = None,
) -> Calibration:
    """The calibration of the file `calibration`, or one solved from the video or picture itself.

    `bottom_at`: as `solved_view`; a file has said it already. Raises UnusableInput when the file or the video
    cannot be used or no table is found, and for both together.
    """
    check_bottom_at(bottom_at, calibration)
    if calibration is not None:
        return Calibration.load(calibration)
    return solved_view(video, table, detector, bottom_at)[0]


def check_bottom_at(bottom_at: Side | None, calibration: Path | None) -> None:
    """Raise UnusableInput for a side beside a calibration, whose ends are told already."""
    if bottom_at is not None and calibration is not None:
        raise unusable_input("errors.bottom_at_beside_calibration", calibration=calibration)


def solved_view(
    source: Path,
    table: TableSpec,
    detector: Detector | None = None,
    bottom_at: Side | None = None,
    turns: SeenTurns | None = None,
) -> tuple[Calibration, ByteArray]:
    """The calibration of a video or picture, its nose height settled by the colours on their spots.

    `bottom_at`: the side of the picture at which baulk, the head end or player A is, where it is known.
    `turns`: where the balls of a match in this view turned at the cushions. The second value is the still
    (H, W, 3) BGR from which it was solved. Raises UnusableInput when no table is found.
    """
    pictures = [image.picture for image in sample_images(source, _SAMPLED)]
    still = still_image([p.bgr() for p in pictures], str(source))
    shown = pictures[:: max(1, len(pictures) // _SETTLED)]
    del pictures  # 15 full images; only those shown are still needed
    looks = [p.bgr() for p in shown] if table.foot_spot is not None and len(shown) > 1 else ()
    try:
        by_edges = solve_table([still], table, str(source), bottom_at, looks)
    except EndUnknown as unknown:
        detector = detector or Detector()
        by_edges = with_end_of_balls(still, unknown, shown, detector)
    else:
        by_edges = with_end_weighed(still, by_edges, shown, detector)
    solution = by_edges if turns is None else by_edges.with_turns(turns)
    found = settle_by_spots(shown, solution, detector)
    if turns is not None and solution is not by_edges:
        found = _told_by_turns(found, turns)
    return found, still


def _told_by_turns(found: Calibration, turns: SeenTurns) -> Calibration:
    """The calibration with a note that a match told it too."""
    note = f"{len(turns.turns)} bounces of a match tell where the cushions are, beside their edges"
    return replace(found, notes=(*found.notes, note))
