"""There is one of each colour: the whole table decides what one ball alone leaves open."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calibration.table.pieces import SNOOKER
from vision.detect.naming import assign_colours
from vision.observation import BALL_CLASSES


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
