"""Images that tell nothing new are passed over; contacts, rests and rows are told as if they had been
examined.
"""

from __future__ import annotations

import numpy as np
import pytest
from tracker_lab.observer import Noise, Observer
from tracker_lab.scoring import score
from tracker_lab.simulation import match

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.association.follower import Follower
from tracker.association.motion import Motion
from tracker.detections.tentative import Tentative
from tracker.events import Gap, TrackerEvent, TrackRow
from tracker.place import Point, Rest
from tracker.rest.free_roll import tells_nothing
from vision.observation import ImageObservations

Scene = tuple[str, float, float, float, float]
"""A ball with its place (mm) and velocity (mm/s)."""


def lying(name: str, x: float, y: float) -> Scene:
    return name, x, y, 0.0, 0.0


def rolling(name: str, x: float, y: float, vx: float, vy: float) -> Scene:
    return name, x, y, vx, vy


def followed(*balls: Scene, sigma_mm_s: float = 10.0) -> Follower:
    """What rolls was seen at t = 10 s, its velocity known to so much; it left its place a second before."""
    follower = Follower(SNOOKER_TABLE)
    follower.t_s = 10.0
    for name, x, y, vx, vy in balls:
        ball = follower.new_ball(name, name.split("_")[0], 8.0)
        ball.rest.add(8.0, x, y, 0.1)
        follower.balls.append(ball)
        if vx or vy:
            ball.seen_s = 9.0
            ball.set_off(9.0)
            points = [
                Point(k, 9.8 + 0.04 * k, x - vx * (0.2 - 0.04 * k), y - vy * (0.2 - 0.04 * k), 0.1)
                for k in range(6)
            ]
            track = Tentative(points, Rest.at(points[-1:]), 10.0, seen_s=10.0, confidence=0.95, of_ball=True)
            track.motion = Motion(10.0, x, y, vx, vy, 0.1, 0.0, sigma_mm_s**2)
            ball.track = track
            follower.tentatives.items.append(track)
    return follower


def nothing_at_25_hz(*balls: Scene, sigma_mm_s: float = 10.0) -> bool:
    return tells_nothing(followed(*balls, sigma_mm_s=sigma_mm_s), 10.0, 10.04, False)


def test_a_ball_far_from_all_others_needs_every_second_image() -> None:
    far = lying("blue", 0, 2500), rolling("red_1", 0, 1000, 600, 0)
    assert nothing_at_25_hz(*far)
    assert not tells_nothing(followed(*far), 10.0, 10.08, True)  # never two of them one after the other


@pytest.mark.parametrize(
    ("why", "balls"),
    [
        (
            "it may meet the blue before the next image",
            (lying("blue", 110, 1010), rolling("red_1", 0, 1000, 600, 0)),
        ),
        ("it met the blue a moment ago", (lying("blue", -80, 1010), rolling("red_1", 0, 1000, 600, 0))),
        ("two meet each other", (rolling("red_2", 130, 1000, -600, 0), rolling("red_1", 0, 1000, 600, 0))),
        ("a cushion is near", (lying("blue", 0, 2500), rolling("red_1", 830, 1000, 600, 0))),
        ("it is about to stop", (lying("blue", 0, 2500), rolling("red_1", 0, 1000, 30, 0))),
        ("the first contact is near", (lying("blue", 300, 1000), rolling("white", 0, 1000, 600, 0))),
        ("nothing moves: a stroke may begin", (lying("blue", 0, 2500), lying("white", 0, 1000))),
    ],
)
def test_every_image_is_examined_where_something_may_befall_a_ball(
    why: str, balls: tuple[Scene, ...]
) -> None:
    assert not nothing_at_25_hz(*balls), why


def test_a_ball_whose_velocity_is_not_yet_known_is_followed_closely() -> None:
    assert not nothing_at_25_hz(lying("blue", 0, 2500), rolling("red_1", 0, 1000, 600, 0), sigma_mm_s=600.0)


def test_of_50_images_a_second_half_suffice_while_all_is_slow_and_nothing_meets() -> None:
    slow = followed(lying("blue", 0, 2500), rolling("red_1", 0, 1000, 300, 0), sigma_mm_s=300.0)
    assert tells_nothing(slow, 10.0, 10.02, False)
    assert not tells_nothing(slow, 10.0, 10.04, True)
    beside = followed(lying("blue", 75, 1000), rolling("red_1", 0, 1000, 300, 0), sigma_mm_s=300.0)
    assert not tells_nothing(beside, 10.0, 10.02, False)


def passed_over(
    images: list[ImageObservations], tracker: Tracker
) -> tuple[list[TrackerEvent], int, set[float]]:
    """The events, how many images were examined, and when balls moved in an image that was not."""
    events: list[TrackerEvent] = []
    examined, moving = 0, set()
    for image in images:
        if tracker.tells_nothing(image.t_s):
            tracker.pass_over(image.t_s)
            if tracker.follower.stirs:
                moving.add(image.t_s)
        else:
            examined += 1
            events += tracker.feed(image)
    return events + tracker.close(), examined, moving


@pytest.mark.parametrize(("seed", "rate", "share"), [(3, 25.0, 0.99), (11, 50.0, 0.75)])
def test_strokes_are_told_alike_and_no_image_counts_as_lost(seed: int, rate: float, share: float) -> None:
    played = match(SNOOKER_TABLE, np.random.default_rng(seed), 3, rate, reds=5)
    images = list(Observer(played, Noise(), 1).images())
    events, examined, moving = passed_over(images, Tracker(played.table))
    s = score(played, events)
    assert examined < share * len(images)
    assert s.matched == s.strokes == s.seen and s.first_right == s.strokes, s.notes
    assert s.certain_wrong == 0 and s.pots_right == s.pots and s.pots_false == 0, s.notes
    assert not [e for e in events if isinstance(e, Gap)]
    rows = {e.t_s for e in events if isinstance(e, TrackRow)}
    assert len(moving & rows) > 0.9 * len(moving)


def test_of_a_recording_that_repeats_images_all_are_examined() -> None:
    played = match(SNOOKER_TABLE, np.random.default_rng(3), 1, 25.0, reds=5)
    tracker = Tracker(played.table)
    free = 0
    for image in Observer(played, Noise(sigma_mm=0.3), 1).images():
        tracker.feed(image)
        if tracker.tells_nothing(image.t_s + 0.04):
            free += 1
            assert tracker.span is not None
            tracker.span.repeated.append(image.t_s)
            assert not tracker.tells_nothing(image.t_s + 0.04)
            tracker.span.repeated.clear()
    assert free > 0
