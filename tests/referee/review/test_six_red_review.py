"""`cueref review --game six_red`: snooker's pipeline with six-red's options, reds counted from the first
layout.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from cut_clip import cut
from known_table import known_table

from calibration.table.specs import SNOOKER_TABLE
from referee.journal import Journal
from referee.match.referee import open_referee
from referee.match.snooker.six_red import first_layout, game_options
from referee.review.pipeline import ReviewOptions, review
from referee.rules.six_red.game import MOST_MISSES, options
from tracker.events import Gap, LayoutChange, PlacedBall

CLIP = Path(__file__).resolve().parents[3] / "samples" / "club_four_strokes.mp4"
FIRST_STROKE_S = 10.0
"""Its first stroke is at rest by then."""


def reds(count: int) -> tuple[PlacedBall, ...]:
    return tuple(PlacedBall(f"red_{k}", "red", 60.0 * k, 2000.0, 0.5, 1.0) for k in range(1, count + 1))


@pytest.mark.parametrize(("seen", "due"), [(0, 6), (3, 6), (6, 6), (10, 10), (15, 15)])
def test_reds_are_counted_and_never_fewer_than_six(seen: int, due: int) -> None:
    assert game_options("six_red", reds(seen)) == options(due)
    assert game_options("snooker", reds(seen)) is None


def test_what_shows_a_layout() -> None:
    assert first_layout(LayoutChange(0.0, reds(2), False)) == reds(2)
    assert first_layout(Gap(0.0, 1.0, "cut")) is None


def test_the_session_of_a_clip_has_six_reds_options_and_goes_on(tmp_path: Path) -> None:
    told = ReviewOptions(SNOOKER_TABLE, game="six_red", calibration=known_table(tmp_path / "table.json"))
    clip = cut(CLIP, tmp_path / "one_stroke.mp4", FIRST_STROKE_S)
    match = review(clip, tmp_path / "out", told)
    assert match["game"] == "six_red" and match["strokes"] and match["strokes"][0]["points"] >= 0
    with Journal(tmp_path / "out" / "journal.sqlite") as journal:
        settings = open_referee(journal).position.state
        assert settings is not None and settings.options.most_misses == MOST_MISSES
        assert settings.options.never_behind_nominated and settings.options.reds == 6
        entries = len(list(journal.entries()))
    # the same command again: nothing is journalled twice
    assert review(clip, tmp_path / "out", told) == match
    with Journal(tmp_path / "out" / "journal.sqlite") as journal:
        assert len(list(journal.entries())) == entries
