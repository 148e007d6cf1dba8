"""Gaps of balls side by side: what was measured on both at once goes before the distance of their places."""

from __future__ import annotations

import pytest

from calibration.table.specs import SNOOKER_TABLE
from tracker.events import PlacedBall
from tracker.params import BIASED_PART
from tracker.place import Rest
from tracker.rest.side_by_side import GapLook, GapLooks, mean_gap
from tracker.stroke.solve import touching
from vision.observation import GapSeen, ImageObservations, Observation

D = SNOOKER_TABLE.ball_diameter_mm


def rest(x_mm: float, since_s: float) -> Rest:
    out = Rest(since_s=since_s)
    out.add(since_s, x_mm, 1000.0, 0.4)
    return out


def look(t_s: float, xs_mm: tuple[float, float], gap_mm: float, sigma_mm: float = 0.2) -> ImageObservations:
    seen = tuple(Observation(x, 1000.0, 0.4, 0.0, 0.0, (0.0,) * 8, 0.99) for x in xs_mm)
    return ImageObservations(0, t_s, seen, None, None, gaps=(GapSeen(0, 1, gap_mm, sigma_mm),))


def test_a_gap_measured_on_both_balls_goes_before_the_distance_of_their_places() -> None:
    places = (
        PlacedBall("white", "white", 0.0, 1000.0, 0.4, 1.0),
        PlacedBall("red_1", "red", D + 0.9, 1000.0, 0.4, 1.0),
    )
    rests = {"white": rest(0.0, 5.0), "red_1": rest(D + 0.9, 0.0)}
    none = GapLooks()
    (by_places,) = touching(SNOOKER_TABLE, places, rests, none)
    assert by_places.gap_mm == pytest.approx(0.9) and by_places.sigma_mm == pytest.approx(0.4 * 2**0.5)
    looks = GapLooks()
    looks.add(look(5.5, (D + 0.8, 0.1), 0.1))  # named in either order
    (measured,) = touching(SNOOKER_TABLE, places, rests, looks)
    assert measured.gap_mm == pytest.approx(0.1) and measured.sigma_mm == pytest.approx(0.2)


def test_looks_from_before_a_ball_came_to_rest_or_at_other_balls_do_not_count() -> None:
    looks = GapLooks()
    looks.add(look(2.0, (0.0, D + 0.3), 3.0))  # before the cue-ball came
    looks.add(look(6.0, (300.0, 300.0 + D), 1.0))  # elsewhere
    assert looks.between(rest(0.0, 5.0), rest(D + 0.3, 0.0)) is None
    looks.add(look(6.0, (0.2, D + 0.2), 0.4))
    found = looks.between(rest(0.0, 5.0), rest(D + 0.3, 0.0))
    assert found is not None and found[0] == pytest.approx(0.4)


def test_what_light_does_to_a_pair_does_not_average_out() -> None:
    one = [GapLook(0.0, (0.0, 0.0), (D, 0.0), 0.2, 0.2)]
    alone, many = mean_gap(one), mean_gap(one * 50)
    assert alone is not None and many is not None
    assert alone[1] == pytest.approx(0.2)
    assert BIASED_PART * 0.2 < many[1] < alone[1] and many[0] == pytest.approx(0.2)
    assert mean_gap([]) is None


def test_a_surer_look_counts_for_more() -> None:
    found = mean_gap(
        [GapLook(0.0, (0.0, 0.0), (D, 0.0), 0.0, 0.1), GapLook(0.0, (0.0, 0.0), (D, 0.0), 1.0, 0.3)]
    )
    assert found is not None and found[0] == pytest.approx(0.1)
