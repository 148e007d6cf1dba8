"""A ball at rest that is seen badly is one ball, while nothing comes near it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from explain_lab.scenes import At, film, rolling, seen, still

from calibration.table.specs import SNOOKER_TABLE
from tracker.events import Layout, PlacedBall
from tracker.explain.before import with_layout
from tracker.explain.detections import arrays
from tracker.explain.solver import solve
from tracker.explain.tracklets import Tracklet, tracklets
from tracker.explain.undisturbed import undisturbed
from vision.observation import CellMask, ImageObservations

BLACK = (0.0, 3200.0)


def badly_seen(t_s: float) -> tuple[float, float] | None:
    """Lost for half a second, and found 9 mm aside, time after time."""
    k = int(t_s / 0.5)
    return (BLACK[0] + 9.0 * (k % 4 // 2), BLACK[1]) if k % 2 == 0 else None


def pieces_of(images: Sequence[ImageObservations]) -> tuple[list[Tracklet], list[Tracklet]]:
    found, views = arrays(images)
    pieces = tracklets(found, views)
    return pieces, undisturbed(pieces, found, views)


def at_black(pieces: Sequence[Tracklet]) -> int:
    return sum(math.hypot(p.head.x - BLACK[0], p.head.y - BLACK[1]) < 20.0 for p in pieces)


def test_what_nothing_came_near_is_one_ball_however_badly_it_was_seen() -> None:
    far_off = rolling(-700.0, 500.0, 0.0, 900.0, 0.4)
    before, after = pieces_of(film({"black": badly_seen, "white": far_off}, until_s=4.0))
    assert at_black(before) > 3 and at_black(after) == 1
    assert sum(p.n for p in after) == sum(p.n for p in before), "no look is lost"
    assert [p.number for p in after] == list(range(len(after)))


def test_looks_that_alternate_between_two_places_are_one_ball() -> None:
    """As an outline jumps that two lamps light by turns."""
    images = film({"black": still(*BLACK)}, until_s=3.0)
    jumped = [
        replace(i, observations=(seen("black", BLACK[0] + 8.0 * (k // 10 % 3 == 1), BLACK[1]),))
        for k, i in enumerate(images)
    ]
    assert at_black(pieces_of(jumped)[1]) == 1


def test_what_a_ball_or_a_hand_came_near_may_be_another() -> None:
    """The black may have been struck, or lifted, and another put there."""
    by: At = rolling(-400.0, 3100.0, 600.0, 60.0, 0.4)
    struck = film({"black": badly_seen, "white": by}, until_s=2.0)
    assert at_black(pieces_of(struck)[1]) > 1

    bits = bytearray(20 * 38)
    bits[int((BLACK[1] + 100.0) // 100.0) * 20 + 10] = 1
    hand = CellMask(-1000.0, -100.0, 100.0, 20, 38, bytes(bits))
    lifted = film({"black": badly_seen}, until_s=2.0, covered=lambda t_s: hand if 0.6 < t_s < 0.9 else None)
    assert at_black(pieces_of(lifted)[1]) > 1


def test_a_ball_that_vanishes_beside_another_fell_and_is_not_that_one() -> None:
    """A red that falls is not the second place at which a red that lies there is seen at times."""
    before: Layout = (
        PlacedBall("white", "white", 0.0, 3000.0, 0.4, 0.999),
        PlacedBall("red_1", "red", -300.0, 3300.0, 0.4, 0.999),
        PlacedBall("red_2", "red", -500.0, 2700.0, 0.4, 0.999),
    )
    t_s = 0.9
    balls: dict[str, At] = {
        "white": rolling(0.0, 3000.0, -700.0, 700.0, 0.4, until_s=t_s),
        "red_1": rolling(-300.0, 3300.0, -1480.0, 690.0, 0.79, until_s=1.14),
        "red_2": still(-500.0, 2700.0),
    }
    double = [(k / 50, seen("red", -500.0, 2735.0)) for k in range(70, 150, 2)]
    found = solve(with_layout(film(balls, clutter=double), before), SNOOKER_TABLE)
    two = [e.weight for e in found if sum(s.name == "red" and s.end.kind == "rest" for s in e.stories) > 1]
    assert sum(two) < 0.01
