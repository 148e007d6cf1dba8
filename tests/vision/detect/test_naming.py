"""There is one of each colour: the whole table decides what one ball alone leaves open."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from vision.detect.naming import assign_balls, assign_colours, ball_log_odds, named_layout
from vision.observation import BALL_CLASSES, Observation


def row(**weights: float) -> list[float]:
    p = np.array([weights.get(name, 1e-4) for name in BALL_CLASSES])
    return [float(v) for v in np.log(p / p.sum())]


def test_the_reddest_browns_are_reds_but_one() -> None:
    balls = [row(red=0.5, brown=0.5), row(red=0.3, brown=0.7), row(red=0.45, brown=0.55)]
    assert [name for name, _ in assign_colours(balls)] == ["red", "brown", "red"]


def test_a_missing_colour_is_not_forced_upon_a_red() -> None:
    assert [n for n, _ in assign_colours([row(red=0.98, brown=0.02)] * 3)] == ["red"] * 3


def test_doubt_is_large_where_ball_and_cloth_look_alike() -> None:
    (_, sure), (_, _unsure) = assign_colours([row(white=0.99), row(green=0.5, blue=0.5)])
    assert sure > 0.98 and _unsure < 0.6


@given(st.lists(st.lists(st.floats(-12, 0), min_size=8, max_size=8), max_size=30))
def test_never_two_of_a_colour_nor_sixteen_reds_among_the_certain(rows: list[list[float]]) -> None:
    named = [n for n, p in assign_colours(rows) if p > 0]
    for name in BALL_CLASSES:
        assert named.count(name) <= (SNOOKER.count(name))


def test_one_of_two_ambiguous_balls_is_the_cue_ball() -> None:
    """Play stops without a cue-ball: a pale ball under pink light is it, and not the pink."""
    pale = row(white=0.36, pink=0.37, brown=0.16)
    assert [n for n, _ in assign_colours([pale])] == ["white"]
    assert [n for n, _ in assign_colours([pale, row(white=0.95, pink=0.05)])] == ["pink", "white"]


def test_a_clear_pink_does_not_become_the_missing_cue_ball() -> None:
    assert [n for n, _ in assign_colours([row(pink=0.98, white=0.02), row(red=0.99)])] == ["pink", "red"]


def test_of_the_last_two_colours_the_pale_one_is_the_pink() -> None:
    """Once the reds are gone colours leave in order: beside the black alone there is no brown."""
    white, black = row(white=0.99), row(black=0.99)
    assert [n for n, _ in assign_colours([white, black, row(brown=0.7, pink=0.28)])] == [
        "white",
        "black",
        "pink",
    ]
    clear = assign_colours([white, black, row(brown=0.999)])
    assert clear[-1][0] == "brown"  # as it looks, where it leaves no doubt
    others = [row(**{c: 0.99}) for c in ("green", "blue", "black")]
    named = [n for n, _ in assign_colours([white, *others, row(brown=0.7, pink=0.28)])]
    assert named[-1] == "brown"  # either may be away while it is brought back
    reds = [row(red=0.99)] * 3
    assert assign_colours([white, black, *reds, row(brown=0.7, pink=0.28)])[-1][0] == "brown"


def sight(
    x_mm: float, y_mm: float, confidence: float, sigma_mm: float = 0.3, **weights: float
) -> Observation:
    return Observation(x_mm, y_mm, sigma_mm, 0.0, 0.0, tuple(row(**weights)), confidence)


def names_of(*seen: Observation) -> list[str | None]:
    odds = ball_log_odds(seen, SNOOKER_TABLE)
    return [name for name, _ in assign_balls([o.colour_logp for o in seen], odds)]


def test_pale_leather_in_a_pocket_takes_no_name_from_the_cue_ball() -> None:
    leather = sight(-880, 3547, 0.7, white=0.99)
    ball = sight(-200, 2860, 0.89, white=0.9, red=0.05)
    others = [sight(100 * k, 1000, 0.9, red=0.95) for k in range(8)]
    assert names_of(leather, ball, *others) == [None, "white", *["red"] * 8]


def test_a_mark_that_looks_all_green_takes_no_name_from_a_surer_ball_that_looks_nearly_black() -> None:
    others = [sight(100 * k, 1000, 0.9, red=0.95) for k in range(8)]
    mark, black = sight(582, 1627, 0.57, 1.6, green=0.99), sight(0, 3245, 0.8, black=0.99)
    green = sight(-290, 738, 0.86, green=0.08, black=0.9)
    assert names_of(mark, green, black, *others)[:3] == [None, "green", "black"]


@given(st.lists(st.tuples(st.floats(-12, 0), st.floats(0.3, 1.0)), min_size=1, max_size=12))
def test_a_detection_that_is_certainly_no_ball_has_no_name_and_changes_no_other(
    rows: list[tuple[float, float]],
) -> None:
    logps = [row(red=np.exp(v), green=0.5) for v, _ in rows]
    odds = np.array([6.0 * c for _, c in rows])
    alone = assign_balls(logps, odds)
    with_one = assign_balls([*logps, row(green=1.0)], np.array([*odds, -60.0]))
    assert with_one[-1][0] is None
    assert [n for n, _ in with_one[:-1]] == [n for n, _ in alone]


@given(st.floats(0.05, 3.0), st.floats(0.35, 0.75))
def test_what_is_as_vague_as_ten_balls_of_its_view_is_no_ball(ball_mm: float, seen: float) -> None:
    """Chalk marks on worn cloths, from above and from beyond the end, where balls are vaguer themselves."""
    balls = [sight(200 * k, 1000, 0.9, ball_mm) for k in range(4)]
    odds = ball_log_odds([*balls, sight(0, 2000, seen, 10 * ball_mm)], SNOOKER_TABLE)
    assert odds[-1] < 0.0 < odds[:-1].min()


def test_what_is_rather_no_ball_and_overlaps_one_is_none() -> None:
    ball, shadow = sight(0, 1000, 0.9), sight(30, 1000, 0.45, 1.2)
    assert ball_log_odds([ball, shadow], SNOOKER_TABLE)[1] < -20.0


def test_a_thing_beside_a_pockets_drop_is_less_likely_a_ball() -> None:
    bed, jaw = ball_log_odds([sight(0, 1000, 0.7), sight(-880, 3547, 0.7)], SNOOKER_TABLE)
    assert jaw < bed - 1.0


def test_a_colour_on_anothers_spot_is_what_it_looks_like() -> None:
    """The black's spot and the pink's were occupied, so that the black was put on the green's: a real frame.
    Its looks say so, and those of the two others.
    """
    spots = SNOOKER_TABLE.spots
    seen = (
        sight(*spots["green"], 0.9, black=0.97, green=0.007),
        sight(*spots["black"], 0.9, pink=0.97, black=0.007),
        sight(-430.0, 1550.0, 0.9, green=0.97, pink=0.007),
        sight(*spots["pink"], 0.9, red=0.97, pink=0.007),
        *(sight(*spots[c], 0.9, **{c: 0.97}) for c in ("yellow", "brown", "blue")),
        sight(-260.0, 130.0, 0.9, white=0.97),
    )
    named = [name for name, _ in named_layout(seen, SNOOKER_TABLE)]
    assert named == ["black", "pink", "green", "red", "yellow", "brown", "blue", "white"]


def test_a_ball_on_its_spot_is_that_ball_though_it_looks_a_little_more_like_another() -> None:
    spots = SNOOKER_TABLE.spots
    seen = (
        sight(*spots["brown"], 0.9, red=0.75, brown=0.25),
        sight(*spots["pink"], 0.9, red=0.6, pink=0.4),
        sight(300.0, 2000.0, 0.9, red=0.9, brown=0.1),
    )
    assert [name for name, _ in named_layout(seen, SNOOKER_TABLE)] == ["brown", "pink", "red"]
