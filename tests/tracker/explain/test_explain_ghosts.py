"""A ball that has just left is seen where it lay for an image or two: coders and filters keep the picture."""

from __future__ import annotations

from explain_lab.scenes import after, film, rolling, seen, still

from calibration.table.specs import SNOOKER_TABLE
from tracker.explain.detections import arrays
from tracker.explain.facts import facts
from tracker.explain.ghosts import without_ghosts
from tracker.explain.solver import Explanation, solve
from tracker.explain.tracklets import Tracklet, tracklets
from vision.observation import ImageObservations

D = SNOOKER_TABLE.ball_diameter_mm
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


def test_a_ball_seen_once_off_its_place_has_left_it_though_its_ghost_is_seen_there() -> None:
    """The white drives a red into the pocket behind it. One image shows the red on its way, and it and the
    next show its ghost: taken for the ball, it set off later than the white came, into any pocket.
    """
    place, (ux, uy) = (700.0, 3400.0), (0.7071, 0.7071)
    met_s, hz = 0.58, 25.0
    white = after(
        rolling(place[0] - 400 * ux, place[1] - 400 * uy, 3000 * ux, 3000 * uy, met_s - 0.1195),
        met_s,
        still(place[0] - D * ux, place[1] - D * uy),
    )
    seen_s = 0.6
    way = 2800.0 * (seen_s - met_s)

    def red(t_s: float) -> tuple[float, float] | None:
        if t_s < met_s:
            return place
        return (place[0] + way * ux, place[1] + way * uy) if abs(t_s - seen_s) < 1e-3 else None

    ghosts = [(t_s, seen("red", *place, 0.8)) for t_s in (seen_s, seen_s + 1 / hz)]
    images = film({"white": white, "red_1": red, "black": still(300.0, 3245.0)}, hz=hz, clutter=ghosts)
    best = solve(images, SNOOKER_TABLE)
    fell = sum(e.weight for e in best if [p[:2] for p in facts(e).pots] == [("red", "TR")])
    assert fell > 0.99, [(e.weight, facts(e)) for e in best[:4]]
