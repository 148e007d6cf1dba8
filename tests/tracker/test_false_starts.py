"""What is no beginning of a motion, what a ball is called while it lies still, and when a slow ball left its
place.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tracker_lab.observer import Noise, Observer
from tracker_lab.scenes import LAYOUT, roll, still
from tracker_lab.scoring import run

from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.ball import Ball, BallState, Leg
from tracker.detections.tentative import Tentative, Tentatives
from tracker.events import HandMove, StrokeRecord
from tracker.identity.identify import identify
from tracker.identity.names import placed
from tracker.identity.relabel import name_conflict, relabel
from tracker.layout.hands import put_back_there
from tracker.place import Point, Rest
from tracker.stroke.paths import solve_leg
from vision.observation import BALL_CLASSES, ImageObservations, Observation

D = SNOOKER_TABLE.ball_diameter_mm


def look(x_mm: float = 0.0, y_mm: float = 0.0, confidence: float = 0.9, **logp: float) -> Observation:
    return Observation(x_mm, y_mm, 0.5, 0.0, 0.0, tuple(logp.get(c, -6.0) for c in BALL_CLASSES), confidence)


def rest_at(x_mm: float, y_mm: float) -> Rest:
    rest = Rest()
    for k in range(8):
        rest.add(k / 50.0, x_mm, y_mm, 0.5)
    return rest


def leg(*xs: float, dt_s: float = 0.02, end: float | None = None) -> Leg:
    """A leg along x from 0, seen at these places one image after the other."""
    points = [Point(k, (k + 1) * dt_s, x, 0.0, 0.5) for k, x in enumerate(xs)]
    return Leg(
        0.0, 0.0, 0.2, 0.0, points, end=None if end is None else (end, 0.0, 0.3), t_end_s=len(xs) * dt_s
    )


def test_what_a_cue_strikes_did_not_creep_before() -> None:
    """A cue held to the ball moves its outline by some millimetres: no beginning, as a grazed ball's creeping
    is one.
    """
    struck = leg(5.0, 30.0, 55.0, 80.0, 105.0)
    struck.t_rest_s = 0.0
    struck.head = [Point(-1, 0.04 * k - 0.32, 0.0, (4.0, -2.0, 0.5)[k % 3], 1.0) for k in range(8)]
    start = solve_leg("white", struck, creeps=False).start
    assert start is not None and start.t_s == pytest.approx(0.016, abs=0.006)  # 1.25 m/s, half way at 20 ms


def test_a_ball_that_lies_where_it_was_known_is_not_renamed_by_an_arm_s_shadow() -> None:
    """A bench's: under an arm a black is read as brown for a second, thirty times; the brown, elsewhere, as
    nothing.
    """
    black, brown = Ball("black", "black", rest_at(0.0, 3245.0)), Ball("brown", "brown", rest_at(0.0, 737.0))
    for _ in range(6):
        black.learn(look(black=0.0))
        brown.learn(look(brown=0.0, red=-2.0))
    for _ in range(40):
        black.learn(look(confidence=0.8, brown=0.0, black=-5.0))
    assert not relabel([black, brown]) and placed([black, brown])[0].confidence > 0.9
    black.rest, brown.rest = (
        rest_at(300.0, 2000.0),
        rest_at(310.0, 2080.0),
    )  # where they met, tracks can be exchanged
    for _ in range(12):
        black.learn(look(brown=0.0))
        brown.learn(look(black=0.0))
    assert relabel([black, brown]) and (black.name, brown.name) == ("brown", "black")


def test_what_comes_to_light_takes_its_name_back_from_what_looks_less_like_it() -> None:
    """The first picture missed the brown and called a brownish red brown."""
    red = Ball("brown", "brown", rest_at(0.0, 2912.0))
    white = Ball("white", "white", rest_at(250.0, 700.0))
    for _ in range(5):
        red.learn(look(brown=0.0, red=-2.0))
        white.learn(look(white=0.0))
    true = [v * 5 for v in look(brown=0.0).colour_logp]
    assert name_conflict([red, white], true) == (red, "red")
    for _ in range(40):
        red.learn(look(brown=0.0, red=-6.0))
    assert name_conflict([red, white], true) is None, "that one is as brown as the new thing"
    assert name_conflict([white], true) is None, "nobody has its name"


def test_the_missed_brown_is_found_and_no_hand_has_moved_the_white() -> None:
    truth = still(12)
    truth.xy[: int(0.1 * 25), truth.names.index("brown")] = np.nan
    roll(truth, "white", 6.0, (500.0, 900.0))
    images = []
    for image in Observer(truth, Noise(), 3).images():
        seen = []
        for o in image.observations:
            if math.hypot(o.x_mm + 300.0, o.y_mm - 2600.0) < 10.0:  # a red that is a little more like brown
                logp = [-8.0] * len(BALL_CLASSES)
                logp[BALL_CLASSES.index("brown")], logp[BALL_CLASSES.index("red")] = -0.1, -2.0
                o = replace(o, colour_logp=tuple(logp))
            seen.append(o)
        images.append(replace(image, observations=tuple(seen)))
    events = run(iter(images), Tracker(SNOOKER_TABLE))
    assert not any(isinstance(e, HandMove) for e in events)
    stroke = next(e for e in events if isinstance(e, StrokeRecord))
    brown = next(b for b in stroke.before if b.ball == "brown")
    assert math.dist((brown.x_mm, brown.y_mm), LAYOUT["brown"]) < 3.0


def test_a_stray_seen_once_long_ago_is_not_the_beginning_of_what_rolls_by() -> None:
    things = Tentatives(SNOOKER_TABLE)
    for t, y in ((1.0, 0.0), (3.2, 90.0), (3.24, 140.0)):
        things.update([look(0.0, y)], [False], ImageObservations(0, t, (), None, None))
        things.items = [i for i in things.items if i.misses == 0] if t < 3.0 else things.items
    assert [i.points[0].t_s for i in things.items if len(i.points) > 1] == [3.2]


def test_a_cue_ball_hidden_before_it_is_struck_is_struck_from_its_place() -> None:
    """An arm that nobody knows for a cover hides it for a second and more; no hand has moved it."""
    truth = still(14)
    hidden = (truth.t > 4.0) & (truth.t < 6.05)
    roll(truth, "white", 6.0, (300.0, 450.0))
    truth.xy[hidden, truth.names.index("white")] = np.nan
    events = run(Observer(truth, Noise(), 1).images(), Tracker(SNOOKER_TABLE))
    assert not any(isinstance(e, HandMove) for e in events)
    (stroke,) = (e for e in events if isinstance(e, StrokeRecord))
    assert stroke.start_s == pytest.approx(6.0, abs=0.03)
    before = next(b for b in stroke.before if b.ball == "white")
    assert math.dist((before.x_mm, before.y_mm), LAYOUT["white"]) < 2.0


def test_what_fell_is_put_back_where_the_rules_say_and_found_elsewhere_only_in_the_open() -> None:
    """A bench's: a stray beside an arm, yellow and sure for 1.2 s, became the yellow that was potted for
    good.
    """
    yellow = Ball("yellow", "yellow", Rest(), state=BallState.GONE, seen_s=1.0, fate="potted")
    item = Tentative(
        [Point(k, 5.0 + 0.3 * k, -600.0, 2980.0, 0.5, near_cover=True) for k in range(5)],
        rest_at(-600.0, 2980.0),
        5.0,
    )
    item.logp, item.confidence, item.seen_s = (
        [0.0 if c == "yellow" else -30.0 for c in BALL_CLASSES],
        0.95,
        6.2,
    )
    for x, y, there in (
        (-600.0, 2980.0, False),
        (292.0, 737.0, True),
        (0.0, 3400.0, True),
        (-100.0, 500.0, True),
        (-800.0, 500.0, False),
    ):
        assert put_back_there(SNOOKER_TABLE, SNOOKER, x, y) is there
    assert identify(item, [yellow], 6.3, False, expected=False) is None
    assert identify(item, [yellow], 6.3, False, expected=True) is not None
    item.points[-1].near_cover = False
    assert identify(item, [yellow], 6.3, False, expected=False) is not None


def test_a_cue_ball_hidden_until_it_has_met_something_makes_no_certain_stroke() -> None:
    """Struck under an arm, it reappears a metre away and rolling aside: no hand put it there, and what
    it met is open.
    """
    truth = still(14)
    white = truth.names.index("white")
    roll(truth, "white", 6.7, (-300.0, 450.0))
    truth.xy[truth.t > 6.3, white] += (500.0, 900.0)  # from where it met something, unseen
    truth.xy[(truth.t > 3.0) & (truth.t < 6.8), white] = np.nan
    events = run(Observer(truth, Noise(full_look_s=0.2), 1).images(), Tracker(SNOOKER_TABLE))
    assert not any(isinstance(e, HandMove) for e in events)
    (stroke,) = (e for e in events if isinstance(e, StrokeRecord))
    assert stroke.unseen


@pytest.mark.parametrize("name", ["white", "red_01"])
def test_a_ball_missed_where_it_lies_and_seen_there_again_lies_there(name: str) -> None:
    """A sleeve that nobody knows for a cover hides it for half a second, in 12 looks: no stroke, no hand's
    move, no leg.
    """
    truth = still(6)
    truth.xy[(truth.t > 2.0) & (truth.t < 2.5), truth.names.index(name)] = np.nan
    tracker, told, lost = Tracker(SNOOKER_TABLE), [], False
    for image in Observer(truth, Noise(false=0.0, drop=0.0, confuse=0.0, full_look_s=0.0), 1).images():
        told += tracker.feed(image)
        (ball,) = (
            b for b in tracker.follower.balls if math.dist((b.rest.x_mm, b.rest.y_mm), LAYOUT[name]) < 5.0
        )
        lost = lost or ball.state is BallState.LEFT
        if image.t_s > 2.5 + 0.5:  # it has lain there again for a while
            assert ball.state is BallState.REST and not ball.legs
    assert lost and not [e for e in told + tracker.close() if isinstance(e, HandMove | StrokeRecord)]
