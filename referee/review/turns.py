"""Where the balls of a reviewed match turned at the cushions: its table can be solved again by them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from calibration.monitor.turns import Bounce
from calibration.solve.turns import SeenTurn, SeenTurns
from calibration.table.specs import CushionName
from calibration.texts import unusable_input
from referee.facts.judged import JudgedStroke
from referee.journal import JOURNAL_FILE, Journal
from referee.match.referee import open_referee
from referee.review.pipeline import calibration_found


def turns_seen(folder: Path) -> SeenTurns:
    """The turns of the review in a folder. Raises UnusableInput where there is none, or none turned."""
    calibration = calibration_found(folder)
    if calibration is None:
        raise unusable_input("errors.match_to_calibrate_by", folder=folder)
    with Journal(folder / JOURNAL_FILE) as journal:
        turns = tuple(t for s in open_referee(journal).match.strokes for t in _turns_of(s))
    if not turns:
        raise unusable_input("errors.match_without_bounces", folder=folder)
    return SeenTurns(calibration, turns)


def _turns_of(stroke: JudgedStroke) -> Iterator[SeenTurn]:
    for c in stroke.seen.cushions:
        if c.turn is not None:
            t = c.turn
            cushion = cast("CushionName", c.cushion)
            bounce = Bounce(cushion, t.off_mm, t.sigma_mm, t.into_mm_s, t.table_mm, c.confidence)
            yield SeenTurn(bounce, t.x_mm, t.y_mm)
