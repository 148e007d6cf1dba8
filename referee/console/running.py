"""A review that has not written its match.json yet: its journal says enough to watch it."""

from __future__ import annotations

import json
from pathlib import Path

from calibration.errors import UnusableInput
from calibration.result import Calibration
from referee.facts.records import StartRecord
from referee.journal import Journal
from referee.outputs.convert import calibration_json, match_document
from referee.outputs.document import Match

RUN = "run"
"""The name under which `referee.review.pipeline` keeps what the run is about."""


def running_match(journal_file: Path) -> Match:
    """The match of a review under way, without strokes: game, video and camera as the journal has them.

    Raises UnusableInput for a file that is no journal of a review of a video.
    """
    journal = Journal(journal_file)
    try:
        run = journal.progress(RUN)
    finally:
        journal.close()
    try:
        found = json.loads(run or b"{}")
        video, game = found["video"], str(found["game"])
        calibration = Calibration.from_text(found["calibration"], str(journal_file))
    except (ValueError, KeyError, TypeError):
        raise UnusableInput(
            f"{journal_file}: expected the journal of a review under way, or a match.json beside it, found"
            " neither"
        ) from None
    return match_document(
        game=game,
        players=("A", "B"),
        start=StartRecord(None, None, (0, 0), True),
        video=video,
        calibration=calibration_json(calibration),
        frames=(),
        strokes=(),
        hands=(),
        spotting=(),
        warnings=(),
        score=(0, 0),
    )
