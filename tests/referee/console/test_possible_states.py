"""A state that the balls on the table speak against is named; one that they allow passes without a word."""

from __future__ import annotations

import pytest

from referee.console.possible_states import impossible

AT = [0.0, 0.0, 0.1]
START = {"red": [AT] * 15, **{c: [AT] for c in ("yellow", "green", "brown", "blue", "pink", "black")}}
FIVE_REDS = {**START, "red": [AT] * 5}
LAST_THREE = {c: [AT] for c in ("blue", "pink", "black")}


@pytest.mark.parametrize(
    ("layout", "ball_on", "score"),
    [
        (START, "red", (0, 0)),
        (START, "red", (4, 0)),
        (FIVE_REDS, "any_colour", (40, 13)),
        (FIVE_REDS, "red", (147, 0)),
        (LAST_THREE, "blue", (60, 31)),
        ({}, "pink", (900, 0)),
    ],
)
def test_what_can_be_passes(
    layout: dict[str, list[list[float]]], ball_on: str, score: tuple[int, int]
) -> None:
    assert impossible("snooker", layout, ball_on, score) == []


@pytest.mark.parametrize(
    ("layout", "ball_on", "score", "why"),
    [
        (LAST_THREE, "red", (60, 31), "no red is seen on the table"),
        (LAST_THREE, "green", (60, 31), "no green is seen on the table"),
        (LAST_THREE, "pink", (60, 31), "pink cannot be on while blue is on the table"),
        (FIVE_REDS, "pink", (40, 13), "pink cannot be on by itself while 5 reds are on the table"),
        ({"white": [AT]}, "any_colour", (60, 31), "no colour is seen on the table"),
        (FIVE_REDS, "red", (0, 0), "0 points are too few: 10 reds are gone"),
        (START, "red", (500, 0), "500 points are too many"),
    ],
)
def test_what_cannot_be_is_said(
    layout: dict[str, list[list[float]]], ball_on: str, score: tuple[int, int], why: str
) -> None:
    (said,) = impossible("snooker", layout, ball_on, score)
    assert said.startswith(why)
    assert impossible("wpa_8ball", layout, ball_on, score) == []
