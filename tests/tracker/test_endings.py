"""How a ball ended that is seen no more: what most of the weight of a stroke's explanations says."""

from __future__ import annotations

import pytest

from calibration.table.specs import PocketName
from tracker.ball import Ball, BallState
from tracker.explain.joining import Ending as EndOfWay
from tracker.explain.joining import EndKind
from tracker.explain.solver import Explanation, Story
from tracker.explain.trajectory import Way
from tracker.place import Rest
from tracker.stroke.endings import Ending, endings, put_back

LAY = Way((0.0, 800.0, 0.3), (0.0, 800.0, 0.3), (), (), 1.0)
Told = tuple[str, EndKind, PocketName | None]


def lost(name: str, covered: bool = False) -> Ball:
    return Ball(name, name.partition("_")[0], Rest(), state=BallState.LEFT, covered=covered)


def explained(weight: float, *told: Told, placed: str | None = None) -> tuple[Explanation, dict[int, str]]:
    """An explanation with a way for each of these balls, and one that a hand put there."""
    ends = [(ball, EndOfWay(kind, pocket, 2.0, 0.0), False) for ball, kind, pocket in told]
    ends += [(placed, EndOfWay("rest", None, 5.0, 0.0), True)] if placed is not None else []
    stories = tuple(Story(k, ball.partition("_")[0], p, LAY, end) for k, (ball, end, p) in enumerate(ends))
    return Explanation(weight, stories, (), ()), {k: ball for k, (ball, _, _) in enumerate(ends)}


def ending(ball: Ball, *found: tuple[Explanation, dict[int, str]]) -> Ending:
    return endings([ball], found)[ball.name]


def test_that_a_ball_fell_says_nothing_of_where() -> None:
    """A red had fallen "in CR", certain, where explanations had CR by 0.51; it fell in BR."""
    end = ending(
        lost("red_1"),
        explained(0.51, ("red_1", "potted", "CR")),
        explained(0.47, ("red_1", "potted", "BR")),
        explained(0.02, ("red_1", "rest", None)),
    )
    assert end.pot is not None
    assert (end.pot.pocket, end.pot.confidence) == ("CR", pytest.approx(0.98))
    assert end.pot.pocket_confidence == pytest.approx(0.51 / 0.98)


def test_a_ball_fell_only_if_most_explanations_have_it_fall() -> None:
    fell, lies = explained(0.3, ("black", "potted", "TR")), explained(0.7, ("black", "rest", None))
    assert ending(lost("black"), fell, lies).vanished
    assert ending(lost("black", covered=True), fell, lies).hidden
    assert ending(lost("black")).vanished  # nothing was explained


def test_a_ball_that_left_over_a_cushion_is_off_the_table() -> None:
    end = ending(lost("red_1"), explained(0.9, ("red_1", "off", None)), explained(0.1))
    assert end.off and end.pot is None and not end.vanished


def test_which_of_two_reds_fell_is_no_matter() -> None:
    """The tracker has lost one red and the explanation another: nobody tells them apart."""
    end = ending(lost("red_1"), explained(1.0, ("red_1", "rest", None), ("red_2", "potted", "TL")))
    assert end.pot is not None and end.pot.pocket == "TL"
    both = [lost("red_1"), lost("red_2")]
    found = endings(both, [explained(1.0, ("red_1", "rest", None), ("red_2", "potted", "TL"))])
    assert found["red_1"].pot is None and found["red_2"].pot is not None
    assert ending(lost("blue"), explained(1.0, ("red_2", "potted", "TL"))).pot is None


def test_a_ball_that_fell_and_lies_on_its_spot_was_put_back() -> None:
    """A brown, a streak that nothing detected, was on its spot again when it was looked for."""
    brown, fell = lost("brown"), explained(0.9, ("brown", "potted", "BR"), placed="brown")
    brown.state = BallState.REST
    pots = put_back([brown], [fell, explained(0.1, ("brown", "rest", None))])
    assert (pots["brown"].pocket, pots["brown"].confidence) == ("BR", pytest.approx(0.9))
    assert put_back([brown], [explained(1.0, ("brown", "potted", "BR"))]) == {}  # nothing was put there
    assert ending(brown, fell).pot is not None
