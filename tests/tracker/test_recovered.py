"""A ball that was lost sight of on its way is where the stroke's explanations have it, and nowhere sooner."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracker_lab.observer import Noise, Observer, Truth
from tracker_lab.scenes import LAYOUT, roll, still
from tracker_lab.scoring import run

from calibration.table.board import board_table
from calibration.table.pieces import CARROM, SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.association.follower import Follower
from tracker.ball import Ball, BallState
from tracker.detections.tentative import Tentative
from tracker.events import HandMove, StrokeRecord, TrackRow
from tracker.explain.joining import Ending
from tracker.explain.likelihood import missed_looks
from tracker.explain.posterior import gone_unexplained
from tracker.explain.solver import Explanation, Story
from tracker.explain.trajectory import Event, Way
from tracker.place import Point, Rest
from tracker.state import State
from tracker.stroke.paths import Segment
from tracker.stroke.recovered import looks_otherwise, recover
from tracker.stroke.span import Span, layout_before
from vision.observation import Observation

COV = ((0.1, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
SURE = Noise(false=0.0, drop=0.0, drop_moving=0.0, confuse=0.0)


def strokes_of(truth: Truth) -> tuple[list[StrokeRecord], list[object]]:
    events = run(Observer(truth, SURE, 1).images(), Tracker(SNOOKER_TABLE))
    return [e for e in events if isinstance(e, StrokeRecord)], events


def hide(truth: Truth, name: str, from_s: float, until_s: float) -> None:
    truth.xy[(truth.t > from_s) & (truth.t < until_s), truth.names.index(name)] = np.nan


def test_a_ball_not_detected_on_a_part_of_its_way_lies_where_it_stops_and_has_its_rows() -> None:
    truth = still(10)
    stops_s = roll(truth, "white", 3.0, (300.0, 900.0), 300.0)
    hide(truth, "white", 3.2, 3.5)
    (stroke,), events = strokes_of(truth)
    last = truth.xy[-1, truth.names.index("white")]
    white = next(b for b in stroke.after if b.ball == "white")
    assert math.dist((white.x_mm, white.y_mm), last) < 2.0 and not stroke.vanished
    assert not [e for e in events if isinstance(e, HandMove)]
    rows = [e for e in events if isinstance(e, TrackRow) and e.ball == "white" and e.state == "moving"]
    assert max(b.t_s - a.t_s for a, b in pairwise(rows)) < 0.05
    assert rows[-1].t_s == pytest.approx(stops_s, abs=0.5)


def test_a_white_that_nobody_knew_of_was_struck_where_it_is_first_seen() -> None:
    """An arm hid it since the recording began; a red that it meets is seen to leave first."""
    x, y = LAYOUT["white"]
    truth = still(10, layout={**LAYOUT, "red_01": (x, y + 700.0)})
    roll(truth, "white", 3.0, (0.0, 1500.0), 900.0)
    hide(truth, "white", -1.0, 3.1)
    met_s = truth.t[np.nanargmax(truth.xy[:, truth.names.index("white"), 1] > y + 645.0)]
    white, red = (truth.names.index(n) for n in ("white", "red_01"))
    for k in np.flatnonzero(truth.t > met_s):
        u = min(truth.t[k] - met_s, 1.2)
        truth.xy[k, red] = x, y + 700.0 + 1000.0 * u - 400.0 * u * u
        truth.xy[k, white] = x, y + 647.0
    (stroke,), _ = strokes_of(truth)
    assert "white" in {b.ball for b in stroke.before} and stroke.first_contact[0].ball is not None


def test_a_red_hidden_behind_another_lay_there_when_more_lie_there_than_were_known() -> None:
    """From an end of the table the front red hides one; the white stops, and its blow goes through the front
    one to the other along the line of their centres.
    """
    x, y = LAYOUT["white"]
    front, behind = (x, y + 700.0), (x + 20.0, y + 748.0)
    truth = still(12, layout={**LAYOUT, "red_01": front, "red_02": behind})
    roll(truth, "white", 3.0, (0.0, 1500.0), 900.0)
    white, red, other = (truth.names.index(n) for n in ("white", "red_01", "red_02"))
    met_s = truth.t[np.argmax(truth.xy[:, white, 1] > y + 645.0)]
    speed = math.sqrt(1500.0**2 - 2 * 900.0 * 647.5)
    across, along = 20.0 / 52.0, 48.0 / 52.0
    for k in np.flatnonzero(truth.t > met_s):
        u = min(truth.t[k] - met_s, 1.5)
        far = speed * (u - u * u / 3.0)
        truth.xy[k, white] = x, y + 647.5
        truth.xy[k, red] = front[0] - across * along * far, front[1] + across * across * far
        truth.xy[k, other] = behind[0] + across * along * far, behind[1] + along * along * far
    hide(truth, "red_02", -1.0, met_s + 0.05)
    (stroke,), _ = strokes_of(truth)
    for layout in (stroke.before, stroke.after):
        assert sum(b.colour == "red" for b in layout) == 3
    assert not stroke.pots and not stroke.vanished


def test_what_rolls_for_certain_begins_a_stroke_though_no_ball_that_was_known_has_left() -> None:
    """The white and the red that it meets were named as no balls of the layout: hidden when it was read."""
    x, y = LAYOUT["white"]
    truth = still(9, layout={**LAYOUT, "white": (x, y)})
    roll(truth, "white", 3.0, (200.0, 700.0), 300.0)
    hide(truth, "white", -1.0, 3.05)
    (stroke,), events = strokes_of(truth)
    assert {b.ball for b in stroke.after} >= {"white"}
    assert not [e for e in events if isinstance(e, HandMove)]


@pytest.mark.parametrize(
    ("gone", "asked"), [((), False), (("blue",), False), (("blue", "pink"), True), (("red_99",), True)]
)
def test_of_balls_gone_unseen_a_hand_lifts_one_that_was_known(gone: tuple[str, ...], asked: bool) -> None:
    """Dark pictures lost the blue and the pink while the white still rolled: "lifted", and three pots. In
    others a ball that lay in no layout came, and was gone: it was the red that fell, under another name.
    """
    truth = still(6)
    roll(truth, "white", 2.0, (100.0, 500.0), 300.0)
    (stroke,), _ = strokes_of(truth)
    told = tuple(replace(e, gone=gone) for e in stroke.explanations)
    assert gone_unexplained(replace(stroke, explanations=told)) is asked


@given(
    st.lists(st.floats(-8.0, 0.0), min_size=8, max_size=8), st.sampled_from(SNOOKER.names), st.integers(1, 60)
)
def test_what_looks_like_a_ball_is_it_and_what_looks_like_another_for_certain_is_not(
    nats: list[float], colour: str, looks: int
) -> None:
    points = [Point(k, k / 25, 0.0, 0.0, 0.3) for k in range(looks)]
    thing = Tentative(points, Rest.at(points), 0.0)
    own = SNOOKER.index[colour]
    thing.logp = [looks * (0.0 if k == own else v) for k, v in enumerate(nats)]
    ball = Ball(colour, colour, Rest(), state=BallState.LEFT)
    assert not looks_otherwise(thing, ball, [ball])
    thing.logp = [looks * (-8.0 if k == own else 0.0) for k in range(8)]
    assert looks_otherwise(thing, ball, [ball])


@given(st.sampled_from([25.0, 30.0, 50.0, 60.0, 120.0]), st.floats(0.2, 0.6))
def test_how_long_a_moving_ball_is_missed_counts_and_not_in_how_many_images(
    hz: float, missed_s: float
) -> None:
    many, few = (np.arange(0.0, missed_s, 1.0 / f) for f in (hz, 25.0))
    longest_s = 1.0 / 25.0
    a, b = (missed_looks(t_s, 1500.0) for t_s in (many, few))
    per_s = (b - missed_looks(few[:1], 1500.0)) / (few[-1] - few[0])
    assert a == pytest.approx(b, abs=abs(per_s) * longest_s + 1e-9)


@pytest.mark.parametrize(("speed_mm_s", "lies"), [(0.0, True), (40.0, False), (300.0, False)])
def test_what_still_rolls_slowly_does_not_lie(speed_mm_s: float, lies: bool) -> None:
    thing = Tentative([], Rest(), 0.0)
    for k in range(40):
        t_s = k / 50.0
        seen = Observation(speed_mm_s * t_s, 900.0, 0.2, 0.0, 0.0, tuple([0.0] + [-6.0] * 7), 0.95)
        thing.add(Point(k, t_s, seen.x_mm, seen.y_mm, seen.sigma_mm), seen, SNOOKER_TABLE)
    assert thing.rolls(39 / 50.0) is not lies


def test_a_piece_that_a_hand_puts_down_beside_another_is_not_that_other() -> None:
    """A due comes back 70 mm from a white C/m under the hand: the tracker took it for that one, carried."""
    table, at, due = board_table(), (33.0, 436.0), (66.0, 379.0)
    state = State(table, Follower(table, CARROM), last_s=4.0)
    for name, place in (("white_5", at), ("white_4", (-340.0, 700.0))):
        ball = state.follower.new_ball(name, "white", 0.0)
        ball.rest.add(0.0, *place, 0.4)
        state.follower.balls.append(ball)
    white, gone = state.follower.balls
    gone.state, gone.fate = BallState.GONE, "potted"
    white.set_off(3.0)
    white.rest, white.state = Rest(since_s=3.4), BallState.REST
    white.rest.add(3.4, *due, 0.4)
    white.legs[-1].end, white.legs[-1].t_end_s = (*due, 0.4), 3.4
    lies = [Way((*p, 0.4), (*p, 0.4), (), (), 3.9) for p in (at, due)]
    rests = Ending("rest", None, 3.9, 0.0)
    stories = (Story(0, "white", False, lies[0], rests), Story(1, "white", True, lies[1], rests))
    span = Span(3.0, layout_before([white]))
    recover(state, span, [(Explanation(1.0, stories, (), (), "striker"), {0: "white_5", 1: "white_4"})])
    assert white.place == at and not white.legs
    assert gone.state is BallState.REST and gone.place == due
    (move,) = [e for e in state.out if isinstance(e, HandMove)]
    assert move.to_mm is not None and (move.ball, *move.to_mm[:2], move.t_s) == ("white_4", *due, 3.4)


def test_a_piece_that_was_said_to_have_fallen_and_rolls_lay_there() -> None:
    """`dev_carrom`: a black on the red circle was not detected, "fell", and rolled three strokes later."""
    table, lay, rests = board_table(), (12.0, 365.0), (-345.0, 84.0)
    state = State(table, Follower(table, CARROM), last_s=5.0)
    for k in range(9):
        ball = state.follower.new_ball(f"black_{k + 1}", "black", 0.0)
        ball.rest.add(0.0, -300.0 + 60.0 * k, 600.0, 0.4)
        state.follower.balls.append(ball)
    fallen = state.follower.balls[1]
    fallen.state, fallen.fate = BallState.GONE, "potted"
    curve = Segment(3.0, 3.0, 3.9, 20, (lay[0], -793.3, 440.7), (lay[1], -624.4, 346.9), COV)
    start = Event("start", 3.0, 0.01, 2.99, 3.01, None, curve, (-793.3, -624.4), 40.0)
    rolled = Way((*lay, 0.4), (*rests, 0.4), (curve,), (start,), 3.9)
    story = Story(0, "black", False, rolled, Ending("rest", None, 3.9, 0.0))
    span = Span(3.0, layout_before([b for b in state.follower.balls if b is not fallen]))
    span.times.extend(3.0 + 0.02 * k for k in range(46))
    recover(state, span, [(Explanation(1.0, (story,), (), (), "striker"), {0: "black_2"})])
    assert fallen.state is BallState.REST and math.dist(fallen.place, rests) < 5.0
    assert "black_2" in {b.ball for b in span.before}


def test_a_ball_that_explanations_name_otherwise_is_the_one_that_lay_there() -> None:
    """A white under a projector was called pink where it lay, and is white on its way: one ball, not two."""
    lay, rests = (-19.0, 1788.0), (25.0, 392.0)
    state = State(SNOOKER_TABLE, Follower(SNOOKER_TABLE), last_s=6.0)
    ball = state.follower.new_ball("pink", "pink", 0.0)
    ball.rest.add(0.0, *lay, 0.4)
    state.follower.balls.append(ball)
    ball.set_off(3.1)
    curve = Segment(3.0, 3.0, 6.0, 60, (lay[0], 14.7, 0.0), (lay[1], -465.3, 0.0), COV)
    start = Event("start", 3.0, 0.01, 2.99, 3.01, None, curve, (14.7, -465.3), 40.0)
    rolled = Way((*lay, 0.4), (*rests, 0.4), (curve,), (start,), 6.0)
    story = Story(0, "white", False, rolled, Ending("rest", None, 6.0, 0.0))
    span = Span(3.0, layout_before([ball]))
    span.times.extend(3.0 + 0.02 * k for k in range(151))
    recover(state, span, [(Explanation(1.0, (story,), (), (), "white"), {0: "white"})])
    assert [b.ball for b in span.before] == ["white"]
    assert [b.name for b in state.follower.balls] == ["white"] and ball.state is BallState.REST
    assert math.dist(ball.place, rests) < 5.0


def test_a_ball_missed_before_the_images_of_a_span_is_in_doubt_and_its_misses_count_once() -> None:
    """Where explanations have weighed them, they have; those in the images of the span are still to come."""
    red = Follower(SNOOKER_TABLE).new_ball("red_1", "red", 0.0)
    red.rest.add(0.0, 0.0, 900.0, 0.4)

    def there(weighed: float, missed: int, since_s: float) -> float:
        red.rest.there, red.missed, red.missed_since_s = weighed, missed, since_s
        (lies,) = layout_before([red], 5.0)
        return lies.there

    assert there(1.0, 0, 0.0) == there(1.0, 2, 5.2) == 1.0
    assert 0.0 < there(1.0, 2, 4.0) < there(1.0, 1, 4.0) < 0.5
    assert there(0.9, 2, 4.0) == 0.9


def test_looks_at_balls_at_rest_are_counted_as_a_recording_goes_on() -> None:
    """What balls look like to this camera, and how often it misses one, is learned."""
    truth = still(8)
    roll(truth, "white", 2.0, (100.0, 500.0), 300.0)
    tracker = Tracker(SNOOKER_TABLE)
    run(Observer(truth, SURE, 1).images(), tracker)
    looks = tracker._state.follower.looks
    assert looks.counts.sum() > 10 and not looks.missed
