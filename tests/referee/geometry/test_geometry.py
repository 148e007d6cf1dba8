"""Snooker 2.17, 2.18, 3.5, 3.7, 3.14: exact geometry against brute-force sampling and worked positions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from calibration.table.specs import SNOOKER_TABLE as TABLE
from referee.geometry import (
    BallAt,
    clear_path,
    full_ball_path,
    in_d,
    place_on_line,
    snookered,
    snookered_in_hand,
    spot_colours,
    spot_occupied,
)

D = TABLE.ball_diameter_mm
COLOURS = ("yellow", "green", "brown", "blue", "pink", "black")


def at(ball: str, x: float, y: float, sigma: float = 0.0) -> BallAt:
    return BallAt(ball, ball.split("_")[0], x, y, sigma)


def spotted(*without: str) -> list[BallAt]:
    return [at(c, *TABLE.spots[c]) for c in COLOURS if c not in without]


def brute_hidden(cue: BallAt, on: BallAt, others: list[BallAt]) -> bool:
    """Whether some direction that would hit `on` meets another ball first: 3,999, closest at its edges."""
    d = math.dist(cue.xy, on.xy)
    base = math.atan2(on.y_mm - cue.y_mm, on.x_mm - cue.x_mm)
    for a in np.sin(np.linspace(-1, 1, 4001)[1:-1] * math.pi / 2) * math.asin(D / d):
        u = (math.cos(base + a), math.sin(base + a))
        runs = {}
        for b in [on, *others]:
            v = (b.x_mm - cue.x_mm, b.y_mm - cue.y_mm)
            ahead, side = v[0] * u[0] + v[1] * u[1], v[0] * u[1] - v[1] * u[0]
            if ahead > 0 and abs(side) < D:
                runs[b.ball] = ahead - math.sqrt(D * D - side * side)
        if on.ball in runs and min(runs, key=runs.__getitem__) != on.ball:
            return True
    return False


place = st.tuples(st.floats(-800, 800), st.floats(100, 3450))


@settings(max_examples=60)
@example([(55.0, 100.0), (101.0, 2321.0), (0.0, 100.0), (0.0, 2340.0)])  # its last 0.4 mm are hidden
@given(st.lists(place, min_size=4, max_size=4))
def test_a_ball_on_is_hidden_exactly_when_some_way_to_hit_it_is_barred(xy: list[tuple[float, float]]) -> None:
    assume(all(math.dist(a, b) > D + 2 for i, a in enumerate(xy) for b in xy[:i]))
    assume(math.dist(xy[0], xy[1]) > D + 5)
    cue, red, one, two = (at(n, *p) for n, p in zip(("white", "red_1", "blue", "pink"), xy, strict=True))
    seen = snookered(cue, [cue, red, one, two], ["red_1"], TABLE)
    assume(abs(seen.answer.margin_mm) > 0.2 and not seen.sights[0].cushion_nearer)
    assert seen.answer.likely == brute_hidden(cue, red, [one, two])


@settings(max_examples=60)
@given(place, st.floats(0, 2 * math.pi), st.floats(300, 1500), st.floats(0.15, 0.85), st.floats(-150, 150))
def test_a_blocker_across_the_line_of_sight(
    cue_xy: tuple[float, float], angle: float, far: float, part: float, side: float
) -> None:
    u = (math.cos(angle), math.sin(angle))
    red = at("red_1", cue_xy[0] + far * u[0], cue_xy[1] + far * u[1])
    blue = at(
        "blue", cue_xy[0] + part * far * u[0] - side * u[1], cue_xy[1] + part * far * u[1] + side * u[0]
    )
    cue = at("white", *cue_xy)
    assume(min(math.dist(blue.xy, cue.xy), math.dist(blue.xy, red.xy)) > D + 2)
    seen = snookered(cue, [red, blue], ["red_1"], TABLE)
    assume(abs(seen.answer.margin_mm) > 0.2 and not seen.sights[0].cushion_nearer)
    assert seen.answer.likely == brute_hidden(cue, red, [blue])


def test_one_hidden_edge_is_a_snooker_and_balls_on_never_obstruct() -> None:
    cue, red, far = at("white", 300, 1000), at("red_1", 300, 2000), at("red_2", 300, 1400)
    assert snookered(cue, [red, far, *spotted()], ["red_1", "red_2"], TABLE).answer.value is False
    edge = at("blue", 340, 1400)  # hides the right edge only
    assert snookered(cue, [red, edge, *spotted("blue")], ["red_1"], TABLE).answer.value is True
    assert clear_path(cue, [red, edge, *spotted("blue")], ["red_1"], TABLE).value is True
    assert full_ball_path(cue, [red, edge, *spotted("blue")], ["red_1"], TABLE).value is False
    beside = at("blue", 400, 1400)
    assert snookered(cue, [red, beside, *spotted("blue")], ["red_1"], TABLE).answer.value is False
    assert full_ball_path(cue, [red, beside, *spotted("blue")], ["red_1"], TABLE).value is True


def test_the_nearest_obstructing_ball_is_the_effective_one() -> None:
    cue, red = at("white", 300, 1000), at("red_1", 300, 2000)
    layout = [red, at("blue", 300, 1300), at("green", 300, 1600)]
    assert snookered(cue, layout, ["red_1"], TABLE).effective == ("blue",)
    level = [red, at("blue", 280, 1300), at("green", 320 + 13, 1300 - 1.0)]
    seen = snookered(cue, level, ["red_1"], TABLE)
    assert set(seen.sights[0].hidden_by) == {"blue", "green"}
    equal = [red, at("blue", 270, 1300), at("green", 330, 1300)]
    assert set(snookered(cue, equal, ["red_1"], TABLE).effective) == {"blue", "green"}


def test_reds_hidden_by_different_balls_leave_no_effective_snookering_ball() -> None:
    cue = at("white", 300, 1000)
    layout = [at("red_1", 300, 2000), at("red_2", -300, 1700), at("green", 300, 1400), at("blue", 0, 1350)]
    seen = snookered(cue, layout, ["red_1", "red_2"], TABLE)
    assert seen.answer.value is True and seen.effective == ()


def test_touching_the_ball_on_is_no_snooker_and_a_touching_other_hides_only_what_lies_behind_it() -> None:
    cue, blue = at("white", 0, 1000), at("blue", 0, 1000 + D)
    assert (
        snookered(cue, [at("red_1", 0, 1000 + D), at("pink", 0, 1300)], ["red_1"], TABLE).answer.value
        is False
    )
    assert snookered(cue, [at("red_1", 0, 400), blue], ["red_1"], TABLE).answer.value is False
    assert snookered(cue, [at("red_1", 0, 1600), blue], ["red_1"], TABLE).answer.value is True


def test_a_nearer_jaw_cancels_a_snooker_by_a_ball() -> None:
    """Snooker 2.17(e): the cue-ball in the jaws of a pocket, the red along the cushion behind blue."""
    cue = at("white", TABLE.half_width_mm + 12, TABLE.length_mm + 12)
    red = at("red_1", TABLE.half_width_mm - 27, 2300)
    blue = at("blue", TABLE.half_width_mm - 30, 2700)
    seen = snookered(cue, [red, blue], ["red_1"], TABLE)
    assert seen.sights[0].hidden_by == ("blue",)
    assert seen.answer.value is False and seen.sights[0].cushion_nearer
    on_the_bed = at("white", TABLE.half_width_mm - 27, 3300)
    assert snookered(on_the_bed, [red, blue], ["red_1"], TABLE).answer.value is True


def test_sigma_makes_a_thin_snooker_unknown() -> None:
    cue, red = at("white", 300, 1000, 0.5), at("red_1", 300, 2000, 0.5)
    for x in np.arange(330, 420, 0.25):
        seen = snookered(cue, [red, at("blue", float(x), 1400, 0.5)], ["red_1"], TABLE).answer
        if abs(seen.margin_mm) < 0.3:
            assert seen.value is None and 0.01 < seen.probability < 0.99
        if abs(seen.margin_mm) > 3:
            assert seen.value is (seen.margin_mm > 0)


def walled_red() -> list[BallAt]:
    return [
        at("red_1", 0, 26.25),
        at("yellow", -52.6, 28),
        at("green", 52.6, 28),
        at("brown", -27, 74),
        at("blue", 27, 74),
        *[at(c, *TABLE.spots[c]) for c in ("pink", "black")],
    ]


def test_from_in_hand_a_walled_red_is_snookered_from_the_whole_d() -> None:
    assert snookered_in_hand(walled_red(), ["red_1"], TABLE).answer.value is True
    gone = [b for b in walled_red() if b.colour in ("red", "pink", "black")]
    gone += [at("yellow", -200, 28), at("green", 200, 28)]
    assert snookered_in_hand(gone, ["red_1"], TABLE).answer.value is False


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.floats(-500, 500), st.floats(760, 1100)), min_size=6, max_size=6),
    st.tuples(st.floats(-800, 800), st.floats(1200, 3400)),
)
def test_in_hand_agrees_with_a_grid_of_the_d(
    wall: list[tuple[float, float]], red_xy: tuple[float, float]
) -> None:
    balls = [at(c, *p) for c, p in zip(COLOURS, wall, strict=True)]
    assume(all(math.dist(a.xy, b.xy) > D for i, a in enumerate(balls) for b in balls[:i]))
    red = at("red_1", *red_xy)
    exact = snookered_in_hand([red, *balls], ["red_1"], TABLE)
    best = -math.inf
    for x in np.arange(-290, 291, 15.0):
        for y in np.arange(450, 738, 15.0):
            cue = at("white", float(x), float(y))
            if in_d(cue, TABLE).likely and all(math.dist(cue.xy, b.xy) > D for b in balls):
                best = max(best, -snookered(cue, [red, *balls], ["red_1"], TABLE).answer.margin_mm)
    if best > 0.01:
        assert exact.answer.likely is False
    elif exact.answer.likely is False:  # found between the grid's places: true there
        assert all(s.clearance.margin_mm >= -1e-6 for s in exact.sights)
    else:
        assert min(exact.answer.margin_mm, 4.5) <= -best + 0.2


def test_the_line_of_the_d_is_in() -> None:
    assert TABLE.baulk_line_mm is not None and TABLE.d_radius_mm is not None
    assert in_d(at("white", 292, 737), TABLE).value is True
    assert in_d(at("white", 0, 737 - 292), TABLE).value is True
    assert in_d(at("white", 0, 737.01), TABLE).value is False
    assert in_d(at("white", 0, 737.5, 1.0), TABLE).value is None


@pytest.mark.parametrize(("offset", "taken"), [(0.0, True), (52.4, True), (52.5, True), (53.0, False)])
def test_a_spot_is_occupied_when_a_ball_on_it_would_touch(offset: float, taken: bool) -> None:
    balls = [*spotted("black"), at("red_1", offset, 3245)]
    assert spot_occupied("black", balls, TABLE).value is taken


def test_the_cue_ball_occupies_a_spot_too() -> None:
    balls = [*spotted("yellow", "pink"), at("white", 292, 737), at("pink", 600, 3000)]
    (due,) = spot_colours(["yellow"], balls, TABLE)
    assert (due.spot, due.x_mm, due.y_mm, due.clause) == ("pink", 0.0, 2676.75, "snooker 3.7(d)")


def test_all_spots_occupied_goes_up_by_the_exact_touching_distance() -> None:
    (due,) = spot_colours(["black"], [*spotted("black"), at("red_1", 10, 3250)], TABLE)
    assert due.spot is None and due.x_mm == 0 and due.clause == "snooker 3.7(f)"
    assert due.y_mm == pytest.approx(3250 + math.sqrt(D * D - 100), abs=0.1)


def test_a_gap_too_small_is_passed_over() -> None:
    balls = [*spotted("blue"), at("white", 0, 1784.5), at("red_1", 0, 1884.5)]
    (due,) = spot_colours(["blue"], balls, TABLE)
    assert due.y_mm == pytest.approx(1884.5 + D, abs=0.1)


def test_only_pink_and_black_go_below() -> None:
    column = [
        at(f"red_{i}", 0, y)
        for i, y in enumerate((2676.75, 2770, 2865, 2960, 3055, 3150, 3340, 3435, 3530), 1)
    ]
    (due,) = spot_colours(["pink"], [*spotted("pink"), *column], TABLE)
    assert due.clause == "snooker 3.7(g)" and due.y_mm == pytest.approx(2676.75 - D, abs=0.1)


def test_several_colours_own_free_spots_first_then_by_value() -> None:
    reds = [at("red_1", 0, 737), at("red_2", -292, 737), at("red_3", 292, 737)]
    table_now = [*spotted("brown", "green", "yellow", "blue"), at("blue", 700, 2000), *reds]
    due = spot_colours(["yellow", "green", "brown"], table_now, TABLE)
    assert [(s.ball, s.spot) for s in due] == [("brown", "blue"), ("green", None), ("yellow", None)]
    own_first = spot_colours(["black", "pink"], [*spotted("black", "pink"), at("red_1", 0, 3245)], TABLE)
    assert {s.ball: s.spot for s in own_first} == {"pink": "pink", "black": None}
    strict = spot_colours(["black", "pink"], [*spotted("black", "pink"), at("red_1", 0, 3245)], TABLE, True)
    assert {s.ball: s.spot for s in strict} == {"black": "pink", "pink": None}


@settings(max_examples=150)
@given(st.lists(st.tuples(st.floats(-80, 80), st.floats(1700, 2300)), max_size=10), st.booleans())
def test_the_place_on_the_line_is_free_and_the_nearest(balls: list[tuple[float, float]], up: bool) -> None:
    layout = [at(f"red_{i}", *p) for i, p in enumerate(balls, 1)]
    found = place_on_line(TABLE.spots["blue"], up, layout, TABLE)
    assert found is not None
    assert all(math.dist(found, b.xy) > D for b in layout)
    sign = 1 if up else -1
    for s in np.arange(0, abs(found[1] - 1784.5) - 0.2, 0.1):  # nothing nearer, on a 0.1 mm grid
        gap = min(math.dist((0, 1784.5 + sign * float(s)), b.xy) for b in layout) - D
        assert gap <= 0.06


def test_bad_positions_and_colours_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        at("white", math.nan, 0)
    with pytest.raises(ValueError, match="colours to spot"):
        spot_colours(["red"], [], TABLE)
    with pytest.raises(ValueError, match="must lie on the table"):
        snookered(at("white", 0, 0), spotted(), ["red_1"], TABLE)
