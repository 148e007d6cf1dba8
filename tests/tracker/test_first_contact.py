"""What a striker met first by its way, by bends and by what set off: the way of other games than snooker."""

from __future__ import annotations

import math

from calibration.table.specs import SNOOKER_TABLE
from tests.tracker.test_support import bent, path, world
from tracker.ball import Leg, Point
from tracker.events import Contact, PlacedBall
from tracker.stroke.contacts import FEIGNED_COST, UNKNOWN_COST, Cause, explain
from tracker.stroke.first_contact import first_contact
from tracker.stroke.paths import Path, solve_leg
from tracker.stroke.ways import reach_of, way_from_rest
from tracker.stroke.world import World

D = SNOOKER_TABLE.ball_diameter_mm


def hard_shot(second: tuple[float, float]) -> Path:
    """A white struck at 3 m/s after 1.0 s: it lies at (0, 1000), is seen after 110 mm, then at `second`."""
    points = [Point(1, 1.04, 0.3, 1110.0, 0.5), Point(2, 1.08, *second, 0.5), Point(3, 1.12, *second, 0.5)]
    return solve_leg("white", Leg(0.0, 1000.0, 0.3, 1.0, points))


def pack(white: Path) -> World:
    """A front red that the way meets, and one behind it that it would come to."""
    front = 1150.0 + D
    set_off = path("red", (1.05, 1.45, 100.0, 900.0), start=(0.0, front))
    places = {"white": (0.0, 1000.0), "red": (0.0, front), "pink": (0.0, front + D)}
    return world(places, white=white, red=set_off)


def test_seen_once_before_a_pack_the_cue_ball_met_the_ball_in_front() -> None:
    """The strike, 150 mm of way and the contact between three images: no piece of the way can be fitted."""
    white = hard_shot((-30.0, 1150.0))
    late = [Contact(("pink", "white"), 1.09, 0.002, 0.9)]
    found = {f.ball: f.weight for f in first_contact(pack(white), late, False)}
    assert found["red"] > 0.99


def test_the_way_from_rest_leads_to_the_front_ball_before_the_one_behind() -> None:
    setting = pack(hard_shot((-30.0, 1150.0)))
    way = way_from_rest(setting, 1.05)
    assert way is not None
    met, behind = (reach_of(setting, way, b, 1.08) for b in ("red", "pink"))
    assert met[0] is not None and met[1] > 0.99
    assert behind[0] is None or behind[0] > met[0]


def test_places_on_no_one_line_and_none_before_the_time_give_no_way_from_rest() -> None:
    bent = pack(hard_shot((60.0, 1150.0)))
    assert way_from_rest(bent, 1.09) is None and way_from_rest(bent, 1.02) is None


def hypotheses(world: World) -> dict[str | None, float]:
    contacts, _, causes = explain(world)
    return {f.ball: f.weight for f in first_contact(world, contacts, False, causes)}


def test_a_bend_where_no_ball_is_known_is_a_question() -> None:
    found = hypotheses(bent((100.0, 1500.0), (-800.0, 500.0), {"red": (-300.0, 2600.0)}))
    assert 0.1 < found[None] < 0.9


def reached_apart(apart_mm: float) -> dict[str | None, float]:
    """Weights of the first contact where a way at 1 m/s reaches a red, and a black that much further on."""
    contacts = [
        Contact(("red", "white"), 1.0, 0.0005, 0.9995),
        Contact(("black", "white"), 1.0 + apart_mm / 1000.0, 0.0005, 0.9995),
    ]
    white = path("white", (0.0, 1.0, 0.0, 1000.0), (1.0, 1.5, 800.0, 0.0), start=(0.0, 1000.0))
    black_y = 2000.0 + apart_mm + math.sqrt(D**2 - 50.0**2)
    places = {"white": (0.0, 1000.0), "red": (0.0, 2000.0 + D), "black": (-50.0, black_y)}
    return {f.ball: f.weight for f in first_contact(world(places, white=white), contacts, False)}


def test_which_of_two_balls_that_lie_equally_far_on_the_way_was_hit_first_is_not_certain() -> None:
    assert reached_apart(0.5)["red"] < 0.95


def test_of_two_balls_the_one_that_the_way_reaches_far_sooner_was_hit_first() -> None:
    assert reached_apart(25.0)["red"] > 0.99


def test_a_ball_that_lies_elsewhere_after_the_cue_ball_passed_it_within_the_noise_was_met() -> None:
    """A graze that moves a red by 2 mm bends no path; whether it was hit is a question, not a miss of all
    balls.
    """
    places = {"white": (0.0, 500.0), "red_1": (D + 0.4, 1000.0)}
    white = path("white", (1.0, 2.0, 0.0, 1000.0), start=places["white"])

    def weight(shift_mm: float) -> float:
        after = (PlacedBall("red_1", "red", places["red_1"][0] + shift_mm, 1000.0, 0.3, 0.99),)
        found = first_contact(world(places, white=white), [], False, None, after)
        return {f.ball: f.weight for f in found}.get("red_1", 0.0)

    assert weight(0.3) < 0.5 < 0.8 < weight(2.2) < 0.99
    far = {**places, "red_1": (D + 30.0, 1000.0)}  # moved by whatever it was: the cue-ball passed it by 30 mm
    moved = (PlacedBall("red_1", "red", D + 33.0, 1000.0, 0.3, 0.99),)
    assert [f.ball for f in first_contact(world(far, white=white), [], False, None, moved)] == [None]


def test_a_graze_that_sets_a_ball_off_as_slowly_as_a_shadow_creeps_is_no_certain_miss() -> None:
    """A bench's: the red ran 4 mm at 15 mm/s after the cue-ball had passed it; "no ball hit" was certain."""
    places = {"white": (0.0, 500.0), "red_1": (D + 0.4, 1000.0)}
    white = path("white", (1.0, 2.0, 0.0, 1000.0), start=places["white"])
    red = path("red_1", (1.5, 1.8, 15.0, 0.0), start=places["red_1"])
    here = world(places, white=white, red_1=red)
    (start,) = (e for e in here.events if e.ball == "red_1" and e.is_start)
    after = (PlacedBall("red_1", "red", places["red_1"][0] + 4.4, 1000.0, 0.3, 0.99),)
    feigned = {id(start): Cause(FEIGNED_COST, 1.5, 0.01)}
    found = {f.ball: f.weight for f in first_contact(here, [], False, feigned, after)}
    assert found["red_1"] > 0.8


def test_what_moves_before_the_first_contact_was_set_off_through_the_ball_beside_the_cue_ball() -> None:
    """From 1.6 mm away through a frozen pack: the red beside the cue-ball passes it all on and lies where it
    lay.
    """
    places = {
        "white": (0.0, 500.0),
        "red_1": (0.0, 500.0 + D + 1.6),
        "red_2": (0.0, 501.7 + 2 * D),
        "pink": (400.0, 800.0),
    }
    white = path("white", (1.0, 1.2, 400.0, 0.0), (1.2, 1.4, 100.0, 200.0), start=places["white"])
    red = path("red_2", (1.0, 1.6, 0.0, 700.0), start=places["red_2"])
    pink = Contact(("pink", "white"), 1.2, 0.001, 1.0)
    found = {f.ball: f.weight for f in first_contact(world(places, white=white, red_2=red), [pink], False)}
    assert max(found, key=lambda b: found[b]) == "red_1" and found["red_1"] < 0.99
    later = path("red_2", (1.2, 1.6, 0.0, 700.0), start=places["red_2"])
    found = {f.ball: f.weight for f in first_contact(world(places, white=white, red_2=later), [pink], False)}
    assert max(found, key=lambda b: found[b]) == "pink"
    alone = {
        "white": places["white"]
    }  # a ball that reappeared while it rolled: nothing is known to lie anywhere
    assert hypotheses(world(alone, white=white, red_2=red))[None] > 0.5


def test_where_two_other_balls_meet_first_the_cue_ball_met_one_of_them() -> None:
    """The pink beside the cue-ball passes all its speed on to the green and lies where it lay; a red is hit
    16 ms later.
    """
    places = {
        "white": (0.0, 500.0),
        "pink": (0.0, 500.5 + D),
        "green": (0.0, 501.0 + 2 * D),
        "red_2": (60.0, 510.0),
    }
    white = path("white", (1.0, 1.4, 300.0, 300.0), start=places["white"])
    red = Contact(("red_2", "white"), 1.017, 0.0006, 0.9995)

    def found(at_s: float) -> dict[str | None, float]:
        through = Contact(("green", "pink"), at_s, 0.001, 0.9995)
        contacts = sorted((through, red), key=lambda c: c.t_s)
        return {f.ball: f.weight for f in first_contact(world(places, white=white), contacts, False)}

    assert found(1.002)["pink"] > 0.5 and found(1.002)["red_2"] < 0.5
    assert found(1.3)["red_2"] > 0.99, "the red may have gone on to it"
    assert found(1.014)["red_2"] > 0.99, "within the noise of both times"


def test_a_ball_that_sets_off_for_no_known_cause_may_have_been_met_before_one_whose_time_is_vague() -> None:
    """The cue-ball, hidden as it is struck, goes through a red onto the brown: only the brown's start is
    explained by it.
    """
    places = {"white": (0.0, 500.0), "red_1": (0.0, 600.0), "brown": (0.0, 700.0)}
    white = path("white", (1.0, 1.4, 0.0, 300.0), start=places["white"])
    red = path("red_1", (0.98, 1.4, 400.0, 100.0), start=places["red_1"])
    here = world(places, white=white, red_1=red)
    (start,) = (e for e in here.events if e.ball == "red_1" and e.is_start)
    brown = Contact(("brown", "white"), 1.02, 0.05, 0.99)

    def found(cause: Cause) -> dict[str | None, float]:
        return {f.ball: f.weight for f in first_contact(here, [brown], False, {id(start): cause})}

    assert 0.4 < found(Cause(UNKNOWN_COST, 0.98, 0.001))["red_1"] < 0.9
    assert "red_1" not in found(Cause(4.0, 1.05, 0.01, partner="brown"))
    assert "red_1" not in found(Cause(FEIGNED_COST, 0.98, 0.001)), "a shadow that crept over it"
    here.places["brown"] = (0.0, 600.5 + D, 0.3)
    assert "red_1" not in found(Cause(UNKNOWN_COST, 0.98, 0.001)), "frozen to the brown: set off through it"
