"""Which ball at rest has left its place, told by a track that began since it was seen there."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import pytest
from tracker_lab.looks import cells, sight
from tracker_lab.observer import Noise, Observer
from tracker_lab.scenes import roll, still
from tracker_lab.scoring import run

from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.association.departures import Departures
from tracker.association.follower import Follower
from tracker.ball import Ball, BallState
from tracker.detections.tentative import Tentative
from tracker.events import StrokeRecord
from vision.observation import BALL_CLASSES, ImageObservations, Observation

HZ = 25.0
LAY = 0.0, 300.0


def follower_of(**lying: tuple[float, float]) -> Follower:
    """Balls that were seen where they lie up to 1 s."""
    follower = Follower(SNOOKER_TABLE)
    for name, (x, y) in lying.items():
        ball = follower.new_ball(name, name.split("_")[0], 0.0)
        for k in range(6):
            ball.rest.add(0.2 * k, x, y, 0.3)
        ball.seen_s = follower.t_s = 1.0
        follower.balls.append(ball)
    return follower


def ball_of(follower: Follower, name: str) -> Ball:
    return next(b for b in follower.balls if b.name == name)


def look(x_mm: float, y_mm: float, confidence: float = 0.85, **logp: float) -> Observation:
    return Observation(x_mm, y_mm, 1.3, 0.0, 0.0, tuple(logp.get(c, -5.0) for c in BALL_CLASSES), confidence)


def step(follower: Follower, t_s: float, *seen: Observation, covered: bool = False) -> None:
    places = [(o.x_mm, o.y_mm) for o in seen] + [b.place for b in follower.balls]
    mask = cells(*places, reach_mm=60.0)
    follower.step(ImageObservations(round(HZ * t_s), t_s, seen, mask, mask if covered else None))


def test_a_struck_cue_ball_has_left_in_the_first_image_that_shows_it_elsewhere() -> None:
    follower = follower_of(white=(0.0, 600.0), red_1=(0.0, 2000.0))
    step(follower, 1.04, sight("white", 0.0, 680.0), sight("red", 0.0, 2000.0))
    white = ball_of(follower, "white")
    assert white.state is BallState.LEFT and white.track is not None
    assert white.place == (0.0, 680.0) and ball_of(follower, "red_1").state is BallState.REST


def test_what_was_there_while_a_ball_was_still_seen_where_it_lies_is_not_that_ball() -> None:
    follower = follower_of(white=(0.0, 600.0))
    for k in range(3):
        step(follower, 1.04 + 0.04 * k, sight("white", 0.0, 600.0), sight("white", 0.0, 900.0))
    step(follower, 1.16, sight("white", 0.0, 900.0))
    assert ball_of(follower, "white").state is BallState.REST


def test_a_ball_that_nothing_can_have_struck_is_not_what_is_seen_far_away() -> None:
    """A hand's doing is seen later: beside its place it may have been nudged."""
    for away_mm, left in ((70.0, True), (400.0, False)):
        follower = follower_of(red_1=(0.0, 2000.0))
        step(follower, 1.04, sight("red", away_mm, 2000.0))
        assert (ball_of(follower, "red_1").state is BallState.LEFT) is left


def test_a_ball_that_lies_within_reach_of_what_rolls_can_be_what_is_seen_as_far_away() -> None:
    """The white rolls to a red at 2 m/s, and in the next image the red is 100 mm off."""
    follower = follower_of(white=(0.0, 600.0), red_1=(0.0, 2000.0))
    for k in range(6):
        step(follower, 1.04 + k / HZ, sight("white", 0.0, 1540.0 + 80.0 * k), sight("red", 0.0, 2000.0))
    step(follower, 1.04 + 6 / HZ, sight("white", 0.0, 1950.0), sight("red", 60.0, 2080.0))
    assert ball_of(follower, "red_1").state is BallState.LEFT


def test_an_outline_that_a_cue_cuts_is_the_ball_where_it_lies() -> None:
    follower = follower_of(white=(0.0, 600.0))
    step(follower, 1.04, look(9.0, 600.0, 0.44, white=0.0))
    white = ball_of(follower, "white")
    assert white.state is BallState.REST and white.covered and not follower.tentatives.items


@pytest.mark.parametrize(("images", "nudged"), [(2, False), (10, True)])
def test_a_ball_seen_a_little_beside_its_place_was_nudged_if_it_stays_there(
    images: int, nudged: bool
) -> None:
    """No other ball has room there; in one image or two the picture may have shaken."""
    follower = follower_of(red_1=(0.0, 2000.0))
    for k in range(images):
        step(follower, 1.04 + k / HZ, sight("red", 14.0, 2000.0))
    red = ball_of(follower, "red_1")
    assert red.state is BallState.REST and bool(red.legs) is nudged
    assert red.place[0] == pytest.approx(14.0 if nudged else 0.0, abs=0.5)


def test_a_hand_that_brings_the_blue_beside_the_cue_ball_under_its_arm_does_not_move_the_cue_ball() -> None:
    """The blue is off the table; what appears 60 mm from the hidden cue-ball looks like it, not like the
    white.
    """
    for seen, left in (
        (look(63.0, 1782.0, blue=-0.7, green=-1.1, white=-4.6), False),
        (look(63.0, 1782.0, white=-0.1), True),
    ):
        follower = follower_of(white=(121.0, 1772.0), red_1=(-500.0, 2500.0))
        white = ball_of(follower, "white")
        image = ImageObservations(26, 1.04, (seen,), None, cells((63.0, 1782.0), reach_mm=80.0))
        tracks = follower.tentatives.update([seen], [True], image)
        told = Departures(SNOOKER_TABLE, SNOOKER, follower.balls, image, [], [white]).told(
            [(tracks[0], seen)]
        )
        assert bool(told) is left


def test_a_track_is_followed_where_it_should_be_and_not_to_what_is_nearer_to_its_last_look() -> None:
    """Two balls pass each other at 2 m/s, 60 mm apart."""
    follower = follower_of()
    for k in range(12):
        image = ImageObservations(k, k / HZ, (), None, None)
        up, down = sight("red", 0.0, 1000.0 + 80.0 * k), sight("red", 60.0, 1880.0 - 80.0 * k)
        follower.tentatives.update([up, down] if k % 2 else [down, up], [False, False], image)
    one, other = follower.tentatives.items
    assert {p.x_mm for p in one.points} in ({0.0}, {60.0}) and {p.x_mm for p in other.points} in (
        {0.0},
        {60.0},
    )


def test_a_track_that_rolls_to_and_fro_does_not_roll() -> None:
    """A cue beside a ball draws its outline 5 mm this way and that."""
    thing = Tentative([], follower_of(red_1=(0.0, 0.0)).balls[0].rest, 0.0)
    for k in range(20):
        seen = sight("red", 5.0 * (k % 2), 0.0)
        image = ImageObservations(k, k / HZ, (seen,), None, None)
        follower = follower_of()
        follower.tentatives.items = [thing] if k else []
        (thing,) = follower.tentatives.update([seen], [False], image)
    assert not thing.rolls(19 / HZ)


@pytest.mark.parametrize("aside_mm", [0.0, 60.0])
def test_what_rolls_straight_from_where_something_lay_is_that(aside_mm: float) -> None:
    """Something unsure lies there; the cue hides it as it is struck, and it is missed. What rolls past beside
    its place is another thing.
    """
    tracks = follower_of().tentatives
    for k in range(16):
        t_s = k / HZ
        y_mm = 0.0 if k < 5 else 700.0 * (t_s - 0.2)
        seen = [] if 5 <= k < 9 else [sight("white", aside_mm if k >= 9 else 0.0, y_mm)]
        tracks.update(seen, [False] * len(seen), ImageObservations(k, t_s, (), None, None), [0.0] * len(seen))
    (rolls,) = tracks.rolling(t_s)
    assert (rolls.began.t_s == 0.0) == (rolls.lain is not None) == (aside_mm == 0.0)


QUIET = Noise(drop=0.0, drop_moving=0.0, false=0.0, confuse=0.0)


def strokes_of(images: Iterable[ImageObservations]) -> list[StrokeRecord]:
    return [e for e in run(images, Tracker(SNOOKER_TABLE)) if isinstance(e, StrokeRecord)]


def white_played(velocity_mm_s: float) -> Observer:
    """The white lies at (0, 300) mm and is struck up the table at 2 s."""
    truth = still(7.0, layout={"white": (0.0, 300.0), "red_01": (300.0, 2000.0), **SNOOKER_TABLE.spots})
    roll(truth, "white", 2.0, (0.0, velocity_mm_s), 200.0)
    return Observer(truth, QUIET, 1)


def test_a_cue_ball_that_is_only_just_touched_has_left() -> None:
    """Softly struck it stops 20 mm on: it is never seen further from its place than its radius."""
    (stroke,) = strokes_of(white_played(90.0).images())
    assert [r.ball for r in stroke.reached] == ["white"]
    assert stroke.start_s == pytest.approx(2.0, abs=0.1)


def test_a_cue_ball_struck_where_a_hand_hid_it_was_never_gone() -> None:
    """Not seen for a second before the stroke: what rolls straight from its place is that ball."""
    images = []
    for i in white_played(900.0).images():
        seen = [o for o in i.observations if i.t_s < 1.0 or math.dist((o.x_mm, o.y_mm), LAY) > 40.0]
        images.append(replace(i, observations=seen, looked=cells(LAY) if 1.0 <= i.t_s < 2.0 else i.looked))
    (stroke,) = strokes_of(images)
    assert [r.ball for r in stroke.reached] == ["white"] and not stroke.unseen
