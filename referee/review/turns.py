"""Where the balls of a reviewed match turned at the cushions: its table can be solved again by them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from calibration.solve.turns import SeenTurn, SeenTurns
from calibration.texts import unusable_input
from referee.facts.judged import JudgedStroke
from referee.journal import JOURNAL_FILE, Journal
from referee.match.referee import open_referee
from referee.match.snooker.intake import bounce_of
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
        bounce = bounce_of(c)
        if c.turn is not None and bounce is not None:
            yield SeenTurn(bounce, c.turn.x_mm, c.turn.y_mm)
