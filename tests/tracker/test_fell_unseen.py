"""A ball that falls from the jaws is seen in no image on its way: what came to it first met it."""

from __future__ import annotations

import pytest

from calibration.table.pockets import in_mouth
from calibration.table.specs import SNOOKER_TABLE
from tracker.ball import Leg, Point
from tracker.events import Contact, FirstContact
from tracker.stroke.contacts import explain
from tracker.stroke.first_contact import first_contact
from tracker.stroke.paths import Path, solve_leg
from tracker.stroke.world import World

D = SNOOKER_TABLE.ball_diameter_mm
CL = SNOOKER_TABLE.pocket("CL")
RED = CL.x_mm + 56.0, CL.y_mm
HZ, SPEED_MM_S = 25.0, 400.0
PASSES_S, BLUE_S = 1.013, 3.493
"""When the white is beside the red, and when it meets the blue; both between two images."""


def way(
    ball: str, x_mm: float, since_s: float, passes_s: float, until_s: float, after_mm_s: float | None = None
) -> Path:
    """Along +y past the red at an even speed, seen in every image; `after_mm_s`: what is left of it for half
    a second more.
    """
    y0 = RED[1] - SPEED_MM_S * (passes_s - since_s)
    points = []
    for k in range(int(since_s * HZ) + 1, int((until_s + 0.5) * HZ)):
        t = k / HZ
        if t > until_s and after_mm_s is None:
            break
        y = y0 + SPEED_MM_S * (min(t, until_s) - since_s) + (after_mm_s or 0.0) * max(t - until_s, 0.0)
        points.append(Point(k, t, x_mm, y, 0.3))
    return solve_leg(ball, Leg(x_mm, y0, 0.3, since_s, points))


def scene(passes_mm: float, pink_passes_s: float | None = None) -> World:
    """The white runs past the red in the jaws, `passes_mm` from touching it, and meets the blue two seconds
    later.

    `pink_passes_s`: when a pink comes by it as near.
    """
    x = RED[0] + D + passes_mm
    white = way("white", x, 0.41, PASSES_S, BLUE_S, 20.0)
    blue_y = RED[1] + SPEED_MM_S * (BLUE_S - PASSES_S) + D
    blue = solve_leg(
        "blue",
        Leg(
            x,
            blue_y,
            0.3,
            BLUE_S - 0.01,
            [Point(k, k / HZ, x, blue_y + 380.0 * (k / HZ - BLUE_S), 0.3) for k in range(88, 100)],
        ),
    )
    red = solve_leg("red_1", Leg(*RED, 0.3, PASSES_S - 0.02))
    paths = {"white": [white], "blue": [blue], "red_1": [red]}
    if pink_passes_s is not None:
        paths["pink"] = [way("pink", x, 0.41, pink_passes_s, 2.5)]
    places = {b: (p[0].leg.x0_mm, p[0].leg.y0_mm, 0.3) for b, p in paths.items()}
    return World(SNOOKER_TABLE, "white", paths, places)


def firsts(here: World, *contacts: Contact, fell: bool = True) -> tuple[FirstContact, ...]:
    blue = Contact(("blue", "white"), BLUE_S, 0.001, 0.9995)
    return first_contact(here, [*contacts, blue], False, None, (), ["red_1"] if fell else [])


@pytest.mark.parametrize("passes_mm", [0.0, 6.0, 11.0])
def test_a_red_that_fell_unseen_from_the_jaws_was_met_by_the_white_that_came_by(passes_mm: float) -> None:
    """A ball in the jaws may be seen some millimetres aside (leather, shadow), and a thin contact bends no
    path.
    """
    assert in_mouth(*RED, SNOOKER_TABLE)
    best = firsts(scene(passes_mm))[0]
    assert best.ball == "red_1" and best.weight > 0.99 and best.t_s is not None
    # met somewhere on the chord of the circle in which they may touch: 12 mm more than a diameter
    chord_s = ((D + 12.0) ** 2 - (D + passes_mm) ** 2) ** 0.5 / SPEED_MM_S
    assert PASSES_S - chord_s - 0.003 < best.t_s < PASSES_S


def test_its_causes_name_the_blue_which_the_white_meets_seconds_later() -> None:
    here = scene(6.0)
    contacts, _, causes = explain(here)
    assert [c.balls for c in contacts] == [("blue", "white")]
    assert first_contact(here, contacts, False, causes, (), ["red_1"])[0].ball == "red_1"


def test_a_red_that_the_white_did_not_come_near_or_that_did_not_fall_was_not_met() -> None:
    assert firsts(scene(40.0))[0].ball == "blue"
    assert firsts(scene(6.0), fell=False)[0].ball == "blue"


@pytest.mark.parametrize(("pink_passes_s", "first"), [(0.8, "blue"), (0.6, "blue"), (1.3, "red_1")])
def test_the_ball_that_came_to_it_first_sent_it_in(pink_passes_s: float, first: str) -> None:
    assert firsts(scene(6.0, pink_passes_s))[0].ball == first


def test_what_the_white_met_before_it_came_to_the_red_was_first() -> None:
    black = Contact(("black", "white"), PASSES_S - 0.2, 0.001, 0.9995)
    assert firsts(scene(6.0), black)[0].ball == "black"


@pytest.mark.parametrize("potted", [["red_1", "red_2"], ["red_2", "red_1"]])
def test_of_two_that_fell_unseen_the_one_that_the_white_came_to_first(potted: list[str]) -> None:
    """Whatever the order in which the pots are told."""
    here = scene(6.0)
    further = RED[0], RED[1] + 400.0
    paths = {**here.paths, "red_2": [solve_leg("red_2", Leg(*further, 0.3, PASSES_S - 0.02))]}
    both = World(SNOOKER_TABLE, "white", paths, {**here.places, "red_2": (*further, 0.3)})
    blue = Contact(("blue", "white"), BLUE_S, 0.001, 0.9995)
    assert first_contact(both, [blue], False, None, (), potted)[0].ball == "red_1"
