"""When images were taken is told by the balls, where a recording repeats some and leaves others out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from explain_lab.scenes import after, film, rolling, still
from hypothesis import given
from hypothesis import strategies as st

from tracker.explain.clock import by_camera
from vision.observation import ImageObservations

SETS_OFF_S = 0.4
"""Before it nothing moves, and nothing tells when images were taken."""
CAMERA = film(
    {
        "white": after(
            rolling(0.0, 500.0, 300.0, 900.0, 0.4), 1.2, rolling(240.0, 1190.0, -200.0, 500.0, 1.2)
        ),
        "red": rolling(300.0, 1300.0, 200.0, 1400.0, 1.2),
        "blue": still(-500.0, 1800.0),
    },
    until_s=2.6,
    hz=25.0,
)


def shown(order: Sequence[int], hz: float) -> tuple[list[ImageObservations], list[float]]:
    """The camera's images in an order, `hz` a second: those that are new, and the times of those that a
    tracker finds to be the one before again.
    """
    images = [replace(CAMERA[k], t_s=n / hz) for n, k in enumerate(order)]
    new = [i for n, i in enumerate(images) if n == 0 or order[n] != order[n - 1]]
    return new, [i.t_s for n, i in enumerate(images) if n and order[n] == order[n - 1]]


def intervals(images: Sequence[ImageObservations]) -> list[int]:
    """How many of the camera's intervals lie between images, once a ball moves."""
    moving = [i for i in images if (i.observations[0].x_mm, i.observations[0].y_mm) != (0.0, 500.0)]
    return [round((b.t_s - a.t_s) * 25.0) for a, b in pairwise(moving)]


def test_25_images_a_second_shown_as_30_are_evenly_spaced_again() -> None:
    new, repeated = shown([k * 25 // 30 for k in range(72)], 30.0)
    told = intervals(by_camera(new, repeated))
    assert len(told) > 40 and set(told) == {1}


def test_images_that_a_second_conversion_lost_are_counted() -> None:
    """As in a clip of television: of 18 images shown six repeat, and three of the camera's are left out."""
    block = [0, 0, 2, 3, 3, 4, 5, 6, 6, 8, 8, 9, 10, 10, 12, 13, 13, 14]
    order = [15 * b + k for b in range(4) for k in block]
    new, repeated = shown(order, 30.0)
    kept = [k for k in sorted(set(order)) if k / 25.0 > SETS_OFF_S]
    assert intervals(by_camera(new, repeated)) == [b - a for a, b in pairwise(kept)]


def copied(new: Sequence[ImageObservations], repeated: Sequence[float]) -> tuple[int, ImageObservations]:
    """Which of the new images is the first, while a ball moves, that is repeated, and its copy."""
    at = next(
        n for n, i in enumerate(new) if n > 30 and any(abs(i.t_s + 1 / 30 - t) < 1e-6 for t in repeated)
    )
    return at, replace(new[at], t_s=new[at].t_s + 1 / 30)


def test_a_copy_that_nobody_noticed_is_left_out() -> None:
    new, repeated = shown([k * 25 // 30 for k in range(72)], 30.0)
    at, copy = copied(new, repeated)
    told = by_camera(
        [*new[: at + 1], copy, *new[at + 1 :]], [t for t in repeated if abs(t - copy.t_s) > 1e-6]
    )
    assert set(intervals(told)) == {1}


def test_a_recorder_that_lost_images_keeps_the_times_of_the_others() -> None:
    order = [k - 1 if k in (9, 21, 33, 46) else k for k in range(62)]
    new, repeated = shown(order, 25.0)
    assert [i.t_s for i in by_camera(new, repeated)] == [i.t_s for i in new]


def test_a_copy_is_told_though_the_outline_of_a_ball_at_rest_jumps() -> None:
    """A bad look at one ball at rest, in the image that is shown twice and not in its copy, is no motion."""
    new, repeated = shown([k * 25 // 30 for k in range(72)], 30.0)
    at, copy = copied(new, repeated)
    jumped = tuple(
        replace(o, y_mm=o.y_mm + 38.0, sigma_mm=1.6) if o.x_mm == -500.0 else o for o in new[at].observations
    )
    told = by_camera(
        [*new[:at], replace(new[at], observations=jumped), copy, *new[at + 1 :]],
        [t for t in repeated if abs(t - copy.t_s) > 1e-6],
    )
    indices = [i.index for i in told]
    assert len(set(indices)) == len(indices) and set(intervals(told)) == {1}


def test_what_stands_longer_than_an_image_is_repeated_has_come_to_rest() -> None:
    """A ball stops dead and is struck again after half a second: every image of it is its own."""
    stops = after(rolling(0.0, 500.0, 0.0, 900.0, 0.1), 0.6, still(0.0, 938.0))
    again = film({"white": after(stops, 1.1, rolling(0.0, 938.0, 0.0, 900.0, 1.1))}, until_s=1.6, hz=25.0)
    assert len(by_camera(again, [9.0])) == len(again)


def test_a_fast_ball_that_passes_balls_at_rest_loses_no_image() -> None:
    """Balls at rest beside its way are as near to it as its next place is."""
    passed = {f"red_{k}": still(75.0, 200.0 + 90.0 * k) for k in range(30)}
    camera = film({"white": rolling(0.0, 100.0, 0.0, 2500.0, 0.2), **passed}, until_s=1.4, hz=25.0)
    images = [replace(camera[n * 25 // 30], t_s=n / 30) for n in range(40)]
    new = [i for n, i in enumerate(images) if n == 0 or i.index != images[n - 1].index]
    repeated = [i.t_s for n, i in enumerate(images) if n and i.index == images[n - 1].index]
    told = by_camera(new, repeated)
    moving = [i for i in told if i.t_s > 0.3]
    assert [i.index for i in moving] == [i.index for i in new if i.index >= moving[0].index]
    assert {round((b.t_s - a.t_s) * 25.0, 3) for a, b in pairwise(moving)} == {1.0}


def test_a_ball_that_comes_to_rest_is_no_copy() -> None:
    stops = film({"white": rolling(0.0, 500.0, 0.0, 60.0, 0.1)}, until_s=2.0, hz=25.0)
    assert len(by_camera(stops, [5.0])) == len(stops)


@given(st.lists(st.floats(0.0, 60.0), min_size=1, max_size=20))
def test_without_repeats_nothing_changes(times: list[float]) -> None:
    images = [replace(CAMERA[k], t_s=t) for k, t in enumerate(sorted(times))]
    assert by_camera(images, []) == images
