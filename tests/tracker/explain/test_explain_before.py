"""The layout before a span stands in for a look at the whole table."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from explain_lab.scenes import after, cells, film, rolling, still
from explain_lab.weights import CERTAIN, first_contact_weights, pot_weights

from calibration.table.specs import SNOOKER_TABLE
from tracker.events import PlacedBall
from tracker.explain.before import with_layout, with_layout_after
from tracker.explain.solver import solve
from vision.observation import BALL_CLASSES, ImageObservations

D = SNOOKER_TABLE.ball_diameter_mm


def placed(name: str, x_mm: float, y_mm: float, confidence: float = 0.999) -> PlacedBall:
    return PlacedBall(name, name.partition("_")[0], x_mm, y_mm, 0.4, confidence)


def stroke_seen_from_its_strike() -> tuple[list[ImageObservations], list[PlacedBall]]:
    """A full contact; the black lies where no image looks."""
    white = rolling(0.0, 800.0, 0.0, 1500.0, 0.4)
    at = white(0.6)
    assert at is not None
    balls = {"white": after(white, 0.6, still(*at)), "red_1": rolling(at[0], at[1] + D, 0.0, 1480.0, 0.6)}
    layout = [placed("white", 0.0, 800.0), placed("red_1", at[0], at[1] + D), placed("black", 300.0, 3245.0)]
    there = cells((300.0, 3245.0))
    elsewhere = replace(there, bits=bytes(1 - b for b in there.bits))
    return [replace(i, looked=elsewhere) for i in film(balls, until_s=1.6)[10:]], layout


def test_the_layout_is_one_look_at_the_whole_table_before_the_first_image() -> None:
    images, layout = stroke_seen_from_its_strike()
    look, *rest = with_layout(images, layout)
    assert rest == images
    assert look.looked is None and look.t_s < images[0].t_s
    assert [(o.x_mm, o.y_mm, o.colour) for o in look.observations] == [
        (b.x_mm, b.y_mm, b.colour) for b in layout
    ]
    for o in look.observations:
        assert sum(math.exp(v) for v in o.colour_logp) == pytest.approx(1.0)


@pytest.mark.parametrize("layout", [(), (placed("white", 0.0, 800.0),)])
def test_without_images_or_layout_nothing_is_added(layout: tuple[PlacedBall, ...]) -> None:
    assert with_layout([], layout) == ()


def test_a_span_that_begins_with_the_stroke_is_solved_from_the_layout_before_it() -> None:
    found = solve(with_layout(*stroke_seen_from_its_strike()), SNOOKER_TABLE)
    (said, weight), *_ = first_contact_weights(found)
    assert said is not None and said[0] == "red" and weight > CERTAIN
    assert sorted(s.name for s in found[0].stories) == ["black", "red", "white"]


def test_a_ball_that_rolls_into_a_pockets_mouth_and_is_gone_lies_nowhere_else() -> None:
    """No cover is there that could hide it: it fell, and that is certain."""
    pocket = next(p for p in SNOOKER_TABLE.pockets if p.name == "TR")
    balls = {
        "white": rolling(500.0, 3000.0, 500.0, 740.0, 0.4, 1.13),
        "blue": still(0.0, 1784.5),
    }
    last = balls["white"](1.13)
    assert last is not None and math.dist(last, (pocket.x_mm, pocket.y_mm)) < 120.0
    found = solve(film(balls), SNOOKER_TABLE)
    (pots, weight), *_ = pot_weights(found)
    assert pots == (("white", "TR"),) and weight > 0.99
    hidden = (e.weight for e in found if any(s.end.kind == "hidden" for s in e.stories))
    assert sum(hidden) < 1.0 - CERTAIN


def test_a_ball_that_is_gone_from_the_layout_after_a_blow_in_the_jaws_fell() -> None:
    """It lay 40 mm from the drop and is never seen to move; the layout after says that it lies nowhere."""
    pocket = next(p for p in SNOOKER_TABLE.pockets if p.name == "TR")
    lay = (pocket.x_mm - 60.0, pocket.y_mm - 60.0)
    back = D / math.sqrt(2)
    hit_s = 0.4 + math.dist((lay[0] - back, lay[1] - back), (300.0, 300.0 + lay[1] - lay[0])) / 1990.0
    white = rolling(300.0, 300.0 + lay[1] - lay[0], 1414.0, 1414.0, 0.4)
    at = white(hit_s)
    assert at is not None
    balls = {
        "white": after(white, hit_s, rolling(*at, -300.0, 50.0, hit_s)),
        "red_1": lambda t_s: lay if t_s < hit_s else None,
    }
    images = film(balls, until_s=4.0)
    end = images[-1].observations[0]
    layout = (placed("white", 300.0, 300.0 + lay[1] - lay[0]), placed("red_1", *lay))
    seen = with_layout_after(with_layout(images, layout), [placed("white", end.x_mm, end.y_mm)])
    fell = sum(w for pots, w in pot_weights(solve(seen, SNOOKER_TABLE)) if [b for b, _ in pots] == ["red"])
    assert fell > 0.99


@pytest.mark.parametrize("may_lie_there", [True, False])
def test_a_ball_that_the_last_look_missed_where_it_came_to_rest_lies_there(may_lie_there: bool) -> None:
    """An arm comes in as the red stops, and the next look misses it: it was "lifted", and a pot was asked."""
    red = after(still(300.0, 1500.0), 0.5, rolling(300.0, 1500.0, 0.0, 250.0, 0.5))
    white = after(still(300.0, 1500.0 - D), 0.5, rolling(300.0, 1500.0 - D, 0.0, 40.0, 0.5))
    stops_mm = red(10.0)
    assert stops_mm is not None
    images = film(
        {"white": white, "red_1": red, "pink": still(0.0, 2600.0)},
        until_s=3.4,
        hidden=lambda ball, t_s: ball == "red_1" and t_s > 3.3,
        covered=lambda t_s: cells((-700.0, 300.0)) if t_s < 3.3 else cells((300.0, 1500.0), stops_mm),
    )
    layout = (placed("white", 300.0, 1500.0 - D), placed("red_1", 300.0, 1500.0), placed("pink", 0.0, 2600.0))
    end = white(10.0)
    assert end is not None
    seen = with_layout_after(
        with_layout(images, layout),
        [placed("white", *end), placed("pink", 0.0, 2600.0)],
        [stops_mm] if may_lie_there else [],
    )
    found = solve(seen, SNOOKER_TABLE)
    rests = sum(e.weight for e in found for s in e.stories if s.name == "red" and s.end.kind == "rest")
    assert (rests > 0.99) == may_lie_there


def test_a_ball_of_the_layout_does_not_fly_off_to_what_appears_elsewhere_and_come_back() -> None:
    """A clip of nine ball: the two, not looked at for half a second, was "hit first": it had been 700 mm
    away, on a sleeve.
    """
    images, layout = stroke_seen_from_its_strike()
    sleeve = replace(images[0].observations[0], x_mm=550.0, y_mm=2900.0, colour_logp=(-2.2,) * 8)
    lays = replace(images[0].observations[0], x_mm=300.0, y_mm=3245.0)
    lays = replace(lays, colour_logp=tuple(-0.05 if c == "black" else -5.0 for c in BALL_CLASSES))
    first, later = images[0], images[30]
    images[0] = replace(first, observations=(*first.observations, sleeve))
    images[30:] = [replace(i, looked=None, observations=(*i.observations, lays)) for i in images[30:]]
    assert later.t_s - first.t_s > 0.5
    for e in solve(with_layout(images, layout), SNOOKER_TABLE):
        black = next(s for s in e.stories if s.name == "black")
        assert not black.way.events or e.weight < 1e-4
