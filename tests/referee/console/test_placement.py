"""Scoreboard, spots and restoring: figures against positions."""

# ruff: noqa: E402
from __future__ import annotations

import sys
from pathlib import Path

import pytest

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
pytest.importorskip("uvicorn", reason="the console needs the extra 'serve'")

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from calibration.table.specs import SNOOKER_TABLE
from referee.console import page_data
from referee.console.match_view import MatchView
from referee.console.placement import compare, due_now, finding_of, spots_of_layout
from referee.geometry import BallAt

pytest_plugins = ("console_sites",)


def test_the_scoreboard_counts_what_is_left(match: MatchView) -> None:
    first = page_data.overlay(match.document, until=1)
    assert (first["break"], first["balls"], first["side"], first["remaining"]) == (
        1,
        ["red"],
        "A",
        8 * 2 + 27 + 7,
    )
    foul = page_data.overlay(match.document, until=3)
    assert foul["break"] == 0 and foul["ruling"].startswith("Foul, 5") and foul["score"] == [6, 0]
    assert page_data.snookers_required([50, 0], 27) == 6 and page_data.snookers_required([27, 0], 27) == 0
    assert page_data.snookers_required([40, 0], 13, "pink") == 5  # fouls on the pink count 6


def test_spots_are_judged_against_tolerance_and_uncertainty() -> None:
    # on: one and a half of the tolerance can be ruled out; off: half of it can (99 %, as the review's own
    # word)
    assert [finding_of(o, 0.5, 2.0) for o in (1.8, 1.9, 2.1, 2.2)] == ["on", "unsure", "unsure", "off"]
    assert [finding_of(o, 0.1, 2.0) for o in (1.9, 2.1)] == ["on", "off"]
    assert finding_of(4.0, 2.0, 2.0) == "unsure" and finding_of(4.0, 2.0, 10.0) == "on"
    x, y = SNOOKER_TABLE.spots["blue"]
    found = spots_of_layout(
        [BallAt("blue", "blue", x + 3.0, y - 4.0, 0.2), BallAt("pink", "pink", 300.0, 900.0, 0.2)],
        SNOOKER_TABLE,
    )
    assert [(f.ball, round(f.offset_mm, 6), f.finding) for f in found] == [("blue", 5.0, "off")]


def test_an_occupied_spot_gives_the_one_that_is_due_instead() -> None:
    """Snooker 3.7(d): the highest value spot that is free."""
    x, y = SNOOKER_TABLE.spots["blue"]
    layout = [
        BallAt("red_1", "red", x + 20.0, y, 0.1),
        BallAt("blue", "blue", *SNOOKER_TABLE.spots["black"], 0.1),
    ]
    assert due_now(layout, SNOOKER_TABLE)["blue"].spot == "black"
    (found,) = spots_of_layout(layout, SNOOKER_TABLE)
    assert (found.ball, found.spot, found.occupied_by) == ("blue", "black", ("red_1",))


def test_restoring_pairs_reds_by_least_distance_and_names_missing_balls() -> None:
    target = {
        "red": [[0.0, 0.0, 0.1], [100.0, 0.0, 0.1]],
        "white": [[5.0, 5.0, 0.1]],
        "blue": [[*SNOOKER_TABLE.spots["blue"], 0.1]],
    }
    now = {
        "red": [[101.0, 0.0, 0.1], [0.0, 3.0, 0.1]],
        "blue": [[0.0, 1700.0, 0.1]],
        "pink": [[9.0, 9.0, 0.1]],
    }
    balls = compare(target, now, SNOOKER_TABLE)
    reds = sorted((b.left_mm or 0.0, b.done) for b in balls if b.colour == "red")
    assert reds == [(1.0, True), (3.0, False)]
    white, pink, blue = (next(b for b in balls if b.colour == c) for c in ("white", "pink", "blue"))
    assert white.now_mm is None and pink.target_mm is None and not white.done and not pink.done
    assert blue.was_on_spot and blue.left_mm == pytest.approx(84.5)
    loose = compare({"red": [[0, 0, 2.0]]}, {"red": [[5, 0, 2.0]]}, SNOOKER_TABLE)
    assert loose[0].done  # 5 mm is within two standard deviations of 2.8 mm
