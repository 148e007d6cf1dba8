"""What all but lies still in the last image only comes to rest, if nothing lies within its reach."""

from __future__ import annotations

import pytest
from tracker_lab.looks import cells, sight
from tracker_lab.observer import Noise, Observer
from tracker_lab.scenes import roll, still
from tracker_lab.scoring import run

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.association.follower import Follower
from tracker.events import StrokeRecord
from tracker.place import Point
from tracker.stroke.run_out import all_but_lies, only_stops, run_mm
from vision.observation import ImageObservations

SLOWEST_MM_S2 = 60.0  # the fastest cloth


def rolling(x_mm: float, y_mm: float, speed_mm_s: float, slowing_mm_s2: float = 0.0) -> list[Point]:
    """A white on its way along y, seen to 0.3 mm; `speed_mm_s` at its end."""
    ago_s = [0.04 * (9 - k) for k in range(10)]
    back_mm = [speed_mm_s * s + slowing_mm_s2 * s * s / 2 for s in ago_s]
    return [Point(k, 0.04 * k, x_mm, y_mm - back, 0.3) for k, back in enumerate(back_mm)]


def scene(way: list[Point], *lying: tuple[float, float]) -> Follower:
    """The white rolls, reds lie."""
    follower = Follower(SNOOKER_TABLE)
    for k, (x, y) in enumerate(lying):
        ball = follower.new_ball(f"red_{k + 1}", "red", 0.0)
        ball.rest.add(0.0, x, y, 0.3)
        follower.balls.append(ball)
    for p in way:
        seen = sight("white", p.x_mm, p.y_mm, p.sigma_mm)
        image = ImageObservations(p.index, p.t_s, (seen,), cells((p.x_mm, p.y_mm)), None)
        follower.tentatives.update([seen], [False], image)
        follower.t_s = p.t_s
    return follower


@pytest.mark.parametrize(
    ("white", "other", "stops"),
    [
        ((0.0, 1000.0, 25.0), (300.0, 1000.0), True),
        ((0.0, 1000.0, 25.0), (0.0, 1056.0), False),  # 3.5 mm away, and it runs up to 5
        ((0.0, 1000.0, 25.0), (0.0, 944.0), True),  # behind it, and it rolls
        ((0.0, 1000.0, 25.0, 2000.0), (0.0, 940.0), False),  # it slides: its spin may send it back
        ((0.0, 1500.0, 200.0), (0.0, 1800.0), False),
        ((0.0, 1500.0, 200.0), (150.0, 1600.0), True),  # it passes
        ((0.0, 300.0, -200.0), (0.0, 500.0), False),  # it may come back from the cushion
        ((830.0, 3500.0, 25.0), (0.0, 1000.0), False),  # in a pocket's mouth
        ((0.0, 1000.0, 400.0), (0.0, 2000.0), False),
        ((0.0, 1500.0, 200.0), (0.0, 3000.0), True),  # runs up to 340 mm, in the open
    ],
)
def test_what_lies_within_reach_of_a_rolling_ball_leaves_its_stroke_open(
    white: tuple[float, ...], other: tuple[float, float], stops: bool
) -> None:
    assert only_stops(scene(rolling(*white), other)) is stops


def test_behind_a_cut_a_ball_is_to_be_found_near_where_it_was_seen() -> None:
    far = scene(rolling(0.0, 1500.0, 200.0))
    assert only_stops(far) and not only_stops(far, most_mm=52.5)


def test_a_ball_that_is_not_seen_any_more_may_come_to_anything() -> None:
    white = scene(rolling(0.0, 1000.0, 25.0))
    white.tentatives.items[0].misses = 1
    assert not only_stops(white)


@pytest.mark.parametrize("speed_mm_s", [10.0, 60.0, 300.0, 2000.0])
def test_no_ball_runs_further_than_the_fastest_cloth_lets_it(speed_mm_s: float) -> None:
    run = run_mm(rolling(0.0, 1000.0, speed_mm_s), SNOOKER_TABLE)
    assert run is not None and run >= speed_mm_s**2 / (2 * SLOWEST_MM_S2)
    assert run_mm(rolling(0.0, 1000.0, speed_mm_s)[:3], SNOOKER_TABLE) is None


@pytest.mark.parametrize(
    ("white", "lies"),
    [
        ((0.0, 1000.0, 25.0), True),
        ((0.0, 1000.0, 200.0), False),
        ((830.0, 3500.0, 25.0), False),  # in a pocket's mouth
    ],
)
def test_what_all_but_lay_when_it_was_seen_last_lies_there(white: tuple[float, ...], lies: bool) -> None:
    assert all_but_lies(rolling(*white), SNOOKER_TABLE) is lies


@pytest.mark.parametrize(("before_rest_s", "whole"), [(0.3, True), (3.0, False)])
def test_a_recording_that_ends_just_before_rest_has_its_last_stroke_whole(
    before_rest_s: float, whole: bool
) -> None:
    """Television cuts away from a white that rolls at 40 mm a second: its place is as unsure as its way."""
    truth = still(16)
    stop_s = roll(truth, "white", 3.0, (0.0, 500.0), 125.0)
    images = [i for i in Observer(truth, Noise(), 3).images() if i.t_s <= stop_s - before_rest_s]
    (stroke,) = (e for e in run(images, Tracker(SNOOKER_TABLE)) if isinstance(e, StrokeRecord))
    assert stroke.unseen is not whole
    (white,) = (b for b in stroke.after if b.ball == "white")
    x, y = truth.xy[-1, truth.names.index("white")]
    if whole:
        assert max(abs(white.x_mm - x), abs(white.y_mm - y)) < 3 * white.sigma_mm < 90.0
