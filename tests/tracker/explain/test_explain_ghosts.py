"""A ball that has just left is seen where it lay for an image or two: coders and filters keep the picture."""

from __future__ import annotations

from explain_lab.scenes import film, rolling, seen, still

from calibration.table.specs import SNOOKER_TABLE
from tracker.explain.detections import arrays
from tracker.explain.facts import facts
from tracker.explain.ghosts import without_ghosts
from tracker.explain.solver import Explanation, solve
from tracker.explain.tracklets import Tracklet, tracklets
from vision.observation import ImageObservations

START_S, PLACE = 0.4, (0.0, 1000.0)
WHITE = rolling(*PLACE, 450.0, 1100.0, START_S)  # 48 mm from image to image


def filmed(ghosts: int, colour: str = "white") -> list[ImageObservations]:
    """A white that is struck, and `ghosts` looks at it where it lay."""
    left = [(START_S + 0.04 * k, seen(colour, *PLACE, 0.45)) for k in range(1, ghosts + 1)]
    return film({"white": WHITE, "black": still(300.0, 3245.0)}, hz=25.0, clutter=left)


def pieces_of(images: list[ImageObservations]) -> tuple[list[Tracklet], list[Tracklet]]:
    found, views = arrays(images)
    pieces = tracklets(found, views)
    return pieces, without_ghosts(pieces, found)


def at_place(pieces: list[Tracklet]) -> Tracklet:
    return next(p for p in pieces if p.first == 0 and abs(p.head.y - PLACE[1]) < 5.0)


def white_of(found: tuple[Explanation, ...]) -> float:
    return sum(e.weight for e in found if facts(e).cue_ball == "on_table" and not facts(e).gone)


def test_looks_at_a_ball_where_it_lay_while_it_is_on_its_way_are_none() -> None:
    before, after = pieces_of(filmed(2))
    last_s = at_place(after).tail.t_s
    assert at_place(before).tail.t_s > START_S + 0.03 > last_s, "the ghosts were taken for the ball"
    assert [p.number for p in after] == [p.number for p in before]


def test_a_struck_ball_with_ghosts_rolls_and_has_not_fallen() -> None:
    assert white_of(solve(filmed(2), SNOOKER_TABLE)) > 0.99


def test_what_is_seen_there_for_longer_is_a_ball() -> None:
    before, after = pieces_of(filmed(12, "red"))
    assert before == after


def test_what_passes_a_ball_at_rest_is_not_that_ball() -> None:
    """A red at rest is gone beside the way of the white: it may have fallen, and keeps all its looks."""
    passing = rolling(-100.0, 900.0, 0.0, 900.0, START_S)
    images = film({"white": passing, "red_1": lambda t: (0.0, 1300.0) if t < 0.9 else None})
    before, after = pieces_of(images)
    assert before == after
