"""Short films of the second world: what flies stays in the open, who visits holds still, what counts."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from referee.quality.bench.records import FalseInFlight, FlightImage, StreakSeen
from referee.quality.bench.rooms import flights, visits
from referee.quality.bench.rooms.film import draw_pose, opening_places
from referee.quality.bench.rooms.flights import Flight, FlightScene, draw_flights
from referee.quality.bench.rooms.setting import IMAGE_HZ, RoomPlan, Setting, draw_setting
from tracker.ball import Ball
from tracker.place import Rest


@pytest.fixture(scope="module")
def setting() -> Setting:
    return draw_setting(RoomPlan(0, 7, 0, 0))


@pytest.mark.parametrize("seed", range(12))
def test_balls_in_flight_keep_off_cushions_balls_and_one_another(setting: Setting, seed: int) -> None:
    scene = draw_flights(np.random.default_rng(seed), setting)
    table = setting.table
    apart = 2.9 * table.ball_diameter_mm
    assert scene.flights and 0.002 <= scene.exposure_s <= 0.02
    for flight in scene.flights:
        assert 2000 <= flight.speed_mm_s <= 8000
        assert flight.until_s >= 1 / IMAGE_HZ
        for t in np.linspace(0, flight.until_s, 30):
            x, y = flight.place(float(t))
            assert abs(x) < table.half_width_mm - apart / 2 and apart / 2 < y < table.length_mm - apart / 2
            assert all(math.dist((x, y), p) > apart for p in scene.lying.values())
            others = [o for o in scene.flights if o is not flight and t <= o.until_s]
            assert all(math.dist((x, y), o.place(float(t))) > apart for o in others)


def test_a_streak_takes_its_surest_detection_and_what_is_left_is_told_by_its_cause(setting: Setting) -> None:
    way = Flight("red_1", (0.0, 1000.0), (0.0, 5000.0), 0.3)
    scene = FlightScene({"blue": (300.0, 1500.0)}, (way,), 0.02)
    open_s = 2 / IMAGE_HZ
    at = way.place(open_s)
    seen = [
        (at[0] + 10, at[1], 0.2),
        (at[0], at[1] + 100, 0.6),
        (300.0, 1510.0, 0.9),
        (0.0, 1100.0, 0.5),
        (-600.0, 2000.0, 0.4),
        (-600.0, 800.0, 0.3),
        (table_x(setting), 800.0, 0.12),
    ]
    where = setting.where("clip", 0)
    found = flights._judged(where, 1.0, open_s, scene, setting, seen, [(-600.0, 2010.0, 0.2)])
    (image, streak, *false) = found
    assert isinstance(image, FlightImage) and isinstance(streak, StreakSeen)
    assert (image.streaks, streak.colour, streak.confidence, streak.speed_mm_s) == (1, "red", 0.6, 5000.0)
    told = {(f.y_mm, f.cause, f.in_open) for f in false if isinstance(f, FalseInFlight)}
    assert told == {
        (1100.0, "afterimage", True),
        (2000.0, "stands", True),
        (800.0, "unknown", True),
        (800.0, "unknown", False),
    }


def table_x(setting: Setting) -> float:
    return setting.table.half_width_mm - 20.0


def test_nobody_sees_a_ball_before_its_film_opens_nor_after_it_is_taken_away(setting: Setting) -> None:
    way = Flight("red_1", (0.0, 1000.0), (0.0, 5000.0), 0.1)
    scene = FlightScene({}, (way,), 0.01)
    assert [len(flights._moments(scene, t, setting)) > 0 for t in (-0.04, 0.0, 0.08, 0.12)] == [
        False,
        True,
        True,
        False,
    ]
    times = [m["red_1"][1] for m in flights._moments(scene, 0.04, setting)]
    assert min(times) > 1200.0 and max(times) < 1250.0  # within the exposure, which opens at 0.04 s


def test_who_visits_is_over_the_table_and_moves_by_millimetres(setting: Setting) -> None:
    rng = np.random.default_rng(3)
    places = opening_places(rng, setting)
    pose = draw_pose(rng, setting, places, visits.OVER_TABLE)
    still, moved = (pose.people(mm).parts for mm in (0.0, 8.0))
    off = [
        math.dist(a.mesh.vertices.mean(0), b.mesh.vertices.mean(0)) for a, b in zip(still, moved, strict=True)
    ]
    assert pose.kind in visits.OVER_TABLE and 1.0 < max(off) < 40.0
    over = [np.abs(part.mesh.vertices[:, 0]) < setting.table.half_width_mm for part in still]
    assert any(part.any() for part in over)


def test_a_ball_held_where_none_is_counts_for_as_long_as_it_is_held_and_as_sure_as_it_is_seen() -> None:
    true, false = Ball("red_1", "red", Rest(0.0, 500.0)), Ball("pink", "pink", Rest(300.0, 900.0))
    held: list[visits._Held] = []
    for t_s, sure, ball in ((0.0, 0.5, false), (0.04, None, false), (1.2, 0.4, false), (1.6, 0.9, true)):
        tracker = SimpleNamespace(follower=SimpleNamespace(balls=[true, ball]))
        looks = [] if sure is None else [SimpleNamespace(x_mm=302.0, y_mm=901.0, confidence=sure)]
        seen = SimpleNamespace(t_s=t_s, observations=looks)
        visits._note(held, tracker, seen, [(5.0, 500.0)])  # type: ignore[arg-type]
    (pink,) = held
    assert (pink.colour, pink.since_s, pink.until_s) == ("pink", 0.0, 1.2)
    assert pink.confidence == pytest.approx(0.45)
