"""A stroke that the tracker took for a hand's doing: the explanations know what was struck."""

from __future__ import annotations

from typing import Any, cast

import pytest

from calibration.table.specs import SNOOKER_TABLE
from tracker.ball import Ball, BallState, Leg
from tracker.events import PlacedBall
from tracker.explain.interactions import Interaction
from tracker.explain.joining import Ending
from tracker.explain.solver import Explanation, Story
from tracker.explain.trajectory import Way
from tracker.identity.unnoticed import struck_unnoticed
from tracker.place import Rest
from tracker.stroke.span import Span

LAY, RED, LIES = (-166.0, 376.0), (-311.0, 795.0), (-124.0, 1080.0)
Place = tuple[float, float]


def way(place: Place, end: Place, moved: bool = True) -> Way:
    segments = cast("Any", (object(),) if moved else ())
    return Way((*place, 0.5), (*end, 0.5), segments, (), 4.0)


def explained(weight: float, red_moved: bool = True, met: bool = True) -> Explanation:
    """The white was struck and, where it `met` it, hit the red."""
    stories = (
        Story(0, "white", False, way(LAY, LIES), Ending("rest", None, 4.0, 0.0)),
        Story(1, "red", False, way(RED, RED, red_moved), Ending("potted", "CL", 2.6, 0.0)),
    )
    strike = Interaction("strike", (0,), 0.19, 0.01, None)
    contact = Interaction("contact", (1, 0), 0.96, 0.01, None)
    return Explanation(weight, stories, (strike, contact) if met else (strike,), ())


def ball(name: str, lay: Place, lies: Place | None) -> Ball:
    """A ball of the tracker that left a place, and lies elsewhere or is lost."""
    rest = Rest()
    rest.add(0.0, *(lies or lay), 0.5)
    state = BallState.LEFT if lies is None else BallState.REST
    return Ball(name, name.partition("_")[0], rest, state=state, legs=[Leg(*lay, 0.5, 0.2)])


def scene() -> tuple[Span, list[Ball]]:
    """In a real clip with other colours the white "was lifted, a green ball", and "a pink was moved"."""
    balls = [ball("green", LAY, None), ball("red_1", RED, None), ball("pink", (-191.0, 456.0), LIES)]
    layout = (("green", LAY), ("red_1", RED), ("pink", (-191.0, 456.0)))
    return Span(0.2, tuple(PlacedBall(n, n.partition("_")[0], *p, 0.5, 0.8) for n, p in layout)), balls


def test_what_was_struck_and_what_lies_where_it_came_to_rest_are_one_ball() -> None:
    span, balls = scene()
    struck = struck_unnoticed([explained(0.995)], span, balls, SNOOKER_TABLE)
    assert struck is not None and struck.place == pytest.approx(LIES, abs=0.1)
    assert (
        [b.name for b in balls] == ["red_1", "green"] == sorted((b.ball for b in span.before), reverse=True)
    )
    assert (struck.legs[0].x0_mm, struck.legs[0].y0_mm) == LAY


@pytest.mark.parametrize(
    "found",
    [
        [explained(0.98)],  # too little of the weight
        [explained(1.0, met=False)],  # a hand rolls one ball away
        [explained(1.0, red_moved=False)],
        [],
    ],
)
def test_without_a_blow_that_all_explanations_have_a_hand_did_it(found: list[Explanation]) -> None:
    span, balls = scene()
    assert struck_unnoticed(found, span, balls, SNOOKER_TABLE) is None and len(balls) == 3
