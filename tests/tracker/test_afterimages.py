"""What moves is seen once more where it was an image before: no ball is in two places at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from calibration.table.pieces import SNOOKER
from tracker.detections.afterimages import MOST_IMAGES, Afterimages
from vision.observation import GapSeen, ImageObservations, Observation

Place = tuple[str, float, float]
IMAGE_S = 0.04


def look(kind: str, x_mm: float, y_mm: float) -> Observation:
    logp = tuple(0.0 if k == kind else -8.0 for k in SNOOKER.names)
    return Observation(x_mm, y_mm, 0.7, 0.0, 0.0, logp, 0.8)


def left(images: Sequence[Sequence[Place]], lying: Sequence[tuple[float, float]] = ()) -> list[list[Place]]:
    """What is left of each image; looks as (kind, x, y)."""
    kept, found = Afterimages(), []
    for n, image in enumerate(images):
        seen = {p: look(*p) for p in image}
        told = ImageObservations(n, n * IMAGE_S, tuple(seen.values()), None, None)
        out = kept.without(told, lying, SNOOKER).observations
        found.append([p for p, o in seen.items() if o in out])
    return found


def white(n: int) -> Place:
    """A cue-ball that rolls 70 mm an image."""
    return ("white", 70.0 * n, 900.0)


def test_a_ball_on_its_way_is_seen_once_in_each_image() -> None:
    shown = [[white(0)], *([white(n), white(n - 1)] for n in range(1, 6))]
    assert left(shown)[2:] == [[white(n)] for n in range(2, 6)]


def test_a_trail_of_two_images_is_left_out_whole() -> None:
    """A noise filter over three images: the white is seen where it was one and two images before."""
    shown = [[white(0)], [white(1), white(0)]]
    shown += [[white(n), white(n - 1), white(n - 2)] for n in range(2, 7)]
    assert left(shown)[3:] == [[white(n)] for n in range(3, 7)]


def test_a_ball_that_lies_where_an_afterimage_was_is_missed_for_no_longer_than_one_lasts() -> None:
    stays = [[white(n), white(n - 1)] for n in range(1, 4)] + [[white(3)] for _ in range(MOST_IMAGES + 1)]
    assert left(stays)[-1] == [white(3)]


def test_a_ball_that_stops_where_it_met_another_stays() -> None:
    """A stun shot, full on a red: the white stops, and what goes on is the red, on the same way."""
    red = ("red", 70.0 * 3 + 52.5, 900.0)
    met = [[white(1), red], [white(2), red], [white(3), red]]
    gone_on = [[white(3), ("red", red[1] + 60.0 * n, 900.0)] for n in (1, 2)]
    assert left([*met, *gone_on]) == [*met, *gone_on]


def test_a_red_that_stops_at_a_red_stays() -> None:
    def red(n: float) -> Place:
        return ("red", 70.0 * n, 900.0)

    hit = ("red", 70.0 * 3 + 52.5, 900.0)
    shown = [[red(1), hit], [red(2), hit], [red(3), hit], [red(3), ("red", hit[1] + 55.0, 900.0)]]
    assert left(shown) == shown


@pytest.mark.parametrize("degrees", [0, 45, 90, 180])
def test_a_ball_that_lies_there_is_no_afterimage_of_one_that_comes_by(degrees: int) -> None:
    there = ("red", 140.0, 900.0)
    a = math.radians(degrees)
    by = [("red", 140.0 + 60.0 * n * math.cos(a), 955.0 + 60.0 * n * math.sin(a)) for n in range(4)]
    shown = [[there, b] for b in by]
    assert left(shown, [(140.0, 900.0)]) == shown


def test_two_balls_one_behind_the_other_are_two() -> None:
    """Not where the one was an image before: they are two however near they follow."""
    shown = [[white(n), ("white", 70.0 * n - 45.0, 900.0)] for n in range(5)]
    assert left(shown) == shown


def test_gaps_are_between_the_same_balls_when_an_afterimage_is_left_out() -> None:
    """A review ended in a traceback: a gap named observations that were there no more."""
    kept = Afterimages()
    for n in range(3):
        seen = [white(n), *([white(n - 1)] if n else []), ("red", 400.0, 2000.0), ("white", 452.6, 2000.0)]
        gaps = (GapSeen(len(seen) - 2, len(seen) - 1, 0.1, 0.3), *([GapSeen(1, 2, 5.0, 1.0)] if n else []))
        told = ImageObservations(n, n * IMAGE_S, tuple(look(*p) for p in seen), None, None, gaps=gaps)
        out = kept.without(told, (), SNOOKER)
    assert len(out.observations) == 3
    ((first, second),) = [(out.observations[g.first], out.observations[g.second]) for g in out.gaps]
    assert (first.x_mm, second.x_mm) == (400.0, 452.6)
