"""A camera that shakes moves all balls at rest alike; a pack that is pushed moves by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from explain_lab.scenes import seen
from hypothesis import given
from hypothesis import strategies as st

from tracker.events import Layout, PlacedBall
from tracker.explain.shake import LEAST_MM, steadied
from vision.observation import ImageObservations, Observation

SPOTS = {"yellow": (290.0, 737.0), "green": (-290.0, 737.0), "brown": (0.0, 737.0), "blue": (0.0, 1784.0)}
PACK = {f"red_{k}": (-60.0 + 60.0 * (k % 3), 2700.0 + 55.0 * (k // 3)) for k in range(9)}
LAYOUT: Layout = tuple(
    PlacedBall(name, name.partition("_")[0], x, y, 0.4, 0.999) for name, (x, y) in (SPOTS | PACK).items()
)


def image(*found: Observation) -> ImageObservations:
    return ImageObservations(0, 0.0, found, None, None)


def balls(names: dict[str, tuple[float, float]], dx: float = 0.0, dy: float = 0.0) -> list[Observation]:
    return [seen(name.partition("_")[0], x + dx, y + dy) for name, (x, y) in names.items()]


@given(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0), st.floats(0.0, 2e-4))
def test_a_shaken_picture_is_put_back_and_with_it_what_moves(dx: float, dy: float, slope: float) -> None:
    """The white on its way was as far aside as the balls at rest; far from the camera it is more."""
    white = seen("white", 200.0, 1500.0)
    shaken = [
        replace(o, x_mm=o.x_mm + dx * (1 + slope * o.y_mm), y_mm=o.y_mm + dy * (1 + slope * o.y_mm))
        for o in (*balls(SPOTS | PACK), white)
    ]
    (still,) = steadied([image(*shaken)], LAYOUT)
    for was, is_now in zip((*balls(SPOTS | PACK), white), still.observations, strict=True):
        assert (is_now.x_mm, is_now.y_mm) == pytest.approx((was.x_mm, was.y_mm), abs=2 * LEAST_MM)


def test_a_pack_that_is_pushed_is_no_shake() -> None:
    pushed = image(*balls(SPOTS), *balls(PACK, dy=6.0))
    of_the_pack_alone = image(*balls(PACK, dy=6.0))
    assert steadied([pushed, of_the_pack_alone], LAYOUT) == [pushed, of_the_pack_alone]


def test_a_camera_that_holds_still_shows_what_it_showed() -> None:
    looks = [replace(o, x_mm=o.x_mm + (-1) ** k * 0.9) for k, o in enumerate(balls(SPOTS | PACK))]
    assert steadied([image(*looks), image()], LAYOUT) == [image(*looks), image()]
