"""Hands, cues and covers: what is no stroke, and what a hand did."""

from __future__ import annotations

import math

import pytest
from tracker_lab.observer import Noise
from tracker_lab.scenes import LAYOUT, carry, roll, still, track

from tracker.ball import Ball, Leg
from tracker.events import HandMove, LayoutChange, StrokeRecord, TrackRow
from tracker.layout.hands import still_held
from tracker.place import Point, Rest


def moves(events: list) -> list[HandMove]:
    return [e for e in events if isinstance(e, HandMove)]


def strokes(events: list) -> list[StrokeRecord]:
    return [e for e in events if isinstance(e, StrokeRecord)]


@pytest.mark.parametrize("hidden", [True, False])
@pytest.mark.parametrize("ball", ["blue", "white"])
def test_a_carried_ball_is_moved_and_no_stroke(ball: str, hidden: bool) -> None:
    truth = still(12)
    carry(truth, ball, 3.0, 4.5, (-150.0, 1200.0), hidden)
    events = track(truth)
    assert not strokes(events)
    (move,) = moves(events)
    assert (move.type, move.ball) == ("moved", ball)
    assert move.to_mm is not None and math.dist(move.to_mm[:2], (-150.0, 1200.0)) < 5


def test_a_ball_that_had_lain_for_no_moment_is_still_in_the_hand_that_put_it_down() -> None:
    """In hand, the cue-ball is seen once beside a knuckle, 86 mm off, then where it is put: no stroke that
    hits nothing.
    """

    def held(
        lay_s: float,
        to_mm: tuple[float, float],
        began_s: float = 0.0,
        by_mm: tuple[float, float] | None = None,
    ) -> bool:
        ball = Ball("white", "white", Rest(*to_mm), before=Rest(-204.0, 607.0, since_s=12.58))
        way = [Point(0, 12.6 + lay_s, *(by_mm or to_mm), 1.9)]
        ball.legs = [Leg(-204.0, 607.0, 1.06, 12.58 + lay_s, way, end=(*to_mm, 0.3))]
        return still_held(ball, began_s)

    assert held(0.02, (-137.0, 553.0))
    assert not held(1.0, (-137.0, 553.0)), "it lay for a second: a soft stroke"
    assert not held(0.02, (400.0, 2000.0)), "it rolled across the table"
    assert not held(0.02, (-210.0, 700.0), by_mm=(-205.0, 30.0)), "it rolled to the cushion and back"
    assert not held(0.02, (-137.0, 553.0), began_s=12.58), (
        "the first picture shows it: it may have lain for long"
    )


def test_a_lifted_ball_is_said_once_and_is_no_pot() -> None:
    truth = still(20)
    carry(truth, "red_01", 3.0, 4.5, None)
    events = track(truth)
    assert not strokes(events)
    assert [(m.type, m.ball, m.to_mm) for m in moves(events)] == [("moved", "red_1", None)]


@pytest.mark.parametrize("y", [300.0, 560.0])
def test_feathering_is_no_stroke(y: float) -> None:
    """A cue and hand behind, or over, the cue-ball for six seconds."""
    truth = still(12)
    truth.covers.append((2.0, 8.0, 100.0, y, 0.0, -1.0))
    events = track(truth)
    assert not strokes(events) and not moves(events)


def test_noise_and_false_balls_are_no_event() -> None:
    events = track(still(40), noise=Noise(sigma_mm=2.0, drop=0.1, false=0.1, confuse=0.05, full_look_s=0.5))
    assert not strokes(events) and not moves(events)
    assert not [e for e in events if isinstance(e, LayoutChange)]


def test_a_ball_put_back_where_it_lay_before_the_stroke_is_replaced() -> None:
    truth = still(14)
    stop = roll(truth, "white", 3.0, (300.0, 300.0))
    carry(truth, "white", stop + 1, stop + 2, LAYOUT["white"])
    events = track(truth)
    assert len(strokes(events)) == 1
    assert [(m.type, m.ball) for m in moves(events)] == [("replaced", "white")]


@pytest.mark.parametrize("disguised", [False, True])
def test_a_covered_ball_stays_where_it_was(disguised: bool) -> None:
    """An arm over a ball for five seconds while the cue-ball rolls elsewhere: neither potted nor vanished."""
    truth = still(14)
    x, y = LAYOUT["red_02"]
    truth.covers.append((2.0, 9.0, x - 60, y, -1.0, 0.0))
    roll(truth, "white", 3.0, (300.0, 300.0))
    events = track(truth, noise=Noise(disguised=disguised))
    (record,) = strokes(events)
    assert not record.pots and not record.vanished and not moves(events)
    assert len(record.before) == len(record.after) == len(LAYOUT)


def test_a_ball_taken_by_a_hand_in_a_sleeve_of_the_cloths_colour_is_lifted_once_the_hand_has_gone() -> None:
    truth = still(20)
    carry(truth, "red_01", 3.0, 4.5, None)
    events = track(truth, noise=Noise(disguised=True))
    assert not strokes(events)
    assert [(m.type, m.ball, m.to_mm) for m in moves(events)] == [("moved", "red_1", None)]


def test_touching_ball_is_said_with_its_gap_and_sigma() -> None:
    layout = dict(LAYOUT)
    layout["red_01"] = (100.0, 600.0 + 600.0)
    truth = still(10, layout=layout)
    v = math.sqrt(2 * 100.0 * (600.0 - 52.5 - 0.3))  # stops 0.3 mm from the red
    roll(truth, "white", 2.0, (0.0, v))
    (record,) = strokes(track(truth, noise=Noise(sigma_mm=0.3, bias_mm=0.0)))
    pair = record.touching[0]
    assert set(pair.balls) == {"white", "red_1"}
    assert abs(pair.gap_mm - 0.3) < 4 * pair.sigma_mm
    assert pair.sigma_mm < 0.5


def test_a_ball_that_rolls_under_an_arm_is_hidden_and_comes_to_light() -> None:
    """It is neither potted nor moved by a hand; the next stroke does not wait for the arm to go."""
    truth = still(22)
    stop = roll(truth, "white", 2.0, (0.0, 500.0), 150.0)
    x, y = (100.0, 600.0 + 500.0**2 / 300.0)
    truth.covers.append((2.8, 9.0, x - 200, y, 1.0, 0.0))
    events = track(truth)
    record = strokes(events)[0]
    assert stop < 6.0 and not record.pots and not record.off_table
    assert not moves(events)
    white = [r for r in events if isinstance(r, TrackRow) and r.ball == "white"][-1]
    assert math.dist((white.x_mm, white.y_mm), (x, y)) < 5 and white.state == "rest"
