"""Somebody at the table: an arm's shadow moves no ball, and what lay there before a ball left is not that
ball.
"""

from __future__ import annotations

import math

import pytest
from tracker_lab.scenes import LAYOUT

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.events import Gap, HandMove, StrokeRecord, TrackerEvent, TrackRow
from vision.observation import BALL_CLASSES, CellMask, ImageObservations, Observation

CELL_MM, COLUMNS, ROWS, X0_MM, Y0_MM = 32.0, 64, 120, -1024.0, -136.0


def ball(
    colour: str, x_mm: float, y_mm: float, sigma_mm: float = 0.3, confidence: float = 0.95
) -> Observation:
    logp = tuple(0.0 if c == colour else -6.0 for c in BALL_CLASSES)
    return Observation(x_mm, y_mm, sigma_mm, 0.0, 0.0, logp, confidence)


def layout(**instead: tuple[float, float, float]) -> list[Observation]:
    """All balls of the layout; some elsewhere, x, y and sigma in mm."""
    return [ball(n.split("_")[0], *instead.get(n, (*p, 0.3))) for n, p in LAYOUT.items()]


def cells(x_mm: float, y_mm: float, reach_mm: float) -> CellMask:
    """The cells within a distance of a place."""
    bits = bytearray(COLUMNS * ROWS)
    for j in range(ROWS):
        for i in range(COLUMNS):
            dx, dy = X0_MM + (i + 0.5) * CELL_MM - x_mm, Y0_MM + (j + 0.5) * CELL_MM - y_mm
            bits[j * COLUMNS + i] = abs(dx) < reach_mm and abs(dy) < reach_mm
    return CellMask(X0_MM, Y0_MM, CELL_MM, COLUMNS, ROWS, bytes(bits))


BLUE = LAYOUT["blue"]


ARM_FROM, ARM_TO = 20, 45


def with_an_arm_beside_the_blue(
    drawn_mm: float, moved_mm: float, still_before: int = ARM_FROM
) -> list[TrackerEvent]:
    """Looks at the still table, a second of an arm beside the blue, seen `drawn_mm` aside, and looks at the
    table again.

    `still_before`: from which image on the arm is there.
    """
    tracker, told = Tracker(SNOOKER_TABLE), list[TrackerEvent]()
    for k in range(60):
        arm = still_before <= k < ARM_TO
        at = BLUE[0], BLUE[1] + (drawn_mm if arm else moved_mm if k >= ARM_TO else 0.0), 0.5 if arm else 0.3
        seen = [ball("blue", *at)] if arm else layout(blue=at)
        looked = cells(*BLUE, 100.0) if arm else None
        altered = cells(BLUE[0] + 60.0, BLUE[1] + 60.0, 80.0) if arm else None
        told += tracker.feed(ImageObservations(k, 0.04 * k, tuple(seen), looked, None, altered=altered))
    return told + tracker.close()


def blue_rows(told: list[TrackerEvent]) -> list[TrackRow]:
    return [e for e in told if isinstance(e, TrackRow) and e.ball == "blue"]


def test_an_arm_s_shadow_does_not_move_a_ball() -> None:
    told = with_an_arm_beside_the_blue(2.5, 0.0)
    assert not [e for e in told if isinstance(e, HandMove | StrokeRecord)]
    assert blue_rows(told) and all(math.dist((e.x_mm, e.y_mm), BLUE) < 0.05 for e in blue_rows(told))


@pytest.mark.parametrize(
    ("moved_mm", "while_the_arm_is_there"), [(2.5, False), (3.0, False), (4.0, True), (5.0, True)]
)
def test_a_ball_that_an_arm_has_nudged_is_told_at_the_latest_when_the_arm_is_gone(
    moved_mm: float, while_the_arm_is_there: bool
) -> None:
    told = with_an_arm_beside_the_blue(moved_mm, moved_mm)
    last, (move,) = blue_rows(told)[-1], [e for e in told if isinstance(e, HandMove)]
    assert (last.x_mm, last.y_mm) == pytest.approx((BLUE[0], BLUE[1] + moved_mm), abs=0.1)
    assert move.ball == "blue" and (move.t_s < 0.04 * ARM_TO) == while_the_arm_is_there


def test_a_ball_not_yet_seen_without_shade_lies_where_the_shaded_looks_see_it() -> None:
    """Balls that came to rest side by side alter one another's surroundings: no better look is to be had for
    20 s.
    """
    told = with_an_arm_beside_the_blue(1.5, 1.5, still_before=1)
    assert abs(blue_rows(told)[-1].y_mm - BLUE[1] - 1.5) < 0.25
    assert not [e for e in told if isinstance(e, HandMove | StrokeRecord)]


def test_what_lay_there_before_the_cue_ball_left_is_not_the_cue_ball() -> None:
    """A thing on the cushion looks like the white for half a second; then images are lost in which the white
    is struck.
    """
    white, thing, later = LAYOUT["white"], (500.0, 400.0), (-435.0, 2400.0)
    tracker, told = Tracker(SNOOKER_TABLE), list[TrackerEvent]()
    for k in range(40):
        t = k / 30
        at = (*white, 0.3) if k < 17 else (later[0] + 60.0 * (k - 17), later[1] + 60.0 * (k - 17), 0.3)
        if k >= 27:
            at = (later[0] + 600.0, later[1] + 600.0, 0.3)  # stopped by a hand
        seen = (*layout(white=at), *([ball("white", *thing, 0.85, 0.56)] if k > 2 else []))
        told += tracker.feed(ImageObservations(k, t, seen, None, None))
    told += tracker.close()
    (record,) = [e for e in told if isinstance(e, StrokeRecord)]
    assert any(isinstance(e, Gap) and e.reason == "images_lost" for e in told)
    rows = [e for e in told if isinstance(e, TrackRow) and e.ball == "white"]
    assert all(math.dist((e.x_mm, e.y_mm), thing) > 100.0 for e in rows)
    assert record.start_s < 17 / 30
