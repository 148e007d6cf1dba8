"""A way too short to be fitted is the straight one from where the cue-ball lay; one name, two claimants."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.table.pieces import BILLIARDS, CARROM
from calibration.table.specs import SNOOKER_TABLE
from tests.tracker.test_support import path, world
from tracker.ball import Ball, BallState, Leg, Point, Rest
from tracker.detections.tentative import Tentative
from tracker.events import Contact
from tracker.identity.identify import OFF_CIRCLE, PLACED_MAN, identify, mistaken
from tracker.identity.relabel import relabel
from tracker.stroke.first_contact import first_contact
from tracker.stroke.paths import Path, solve_leg
from tracker.stroke.ways import reach_of, way_from_rest
from tracker.stroke.world import World

D = SNOOKER_TABLE.ball_diameter_mm
HZ = 25.0


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


UNSURE_LOOKS = [-1.6 if k == "striker" else 0.0 if k == "white" else -6.0 for k in CARROM.names]
"""The striker's, under fingers: rather a white."""


def track(look: list[float], seen: float) -> Tentative:
    """What lies still in four images, `seen` so surely."""
    points = [Point(k, 5.0 + k / HZ, 0.0, 620.0, 0.5) for k in range(4)]
    rest = Rest()
    for p in points:
        rest.add(p.t_s, p.x_mm, p.y_mm, p.sigma_mm)
    return Tentative(points, rest, 5.0, [4 * v for v in look], confidence=seen)


def claimed(sure: float, seen: float) -> bool:
    """Whether what looks like the striker, `seen` so surely, takes its name from what looks white."""
    owner = Ball("striker", "striker", Rest(), CARROM, logp=UNSURE_LOOKS, sure=sure)
    item = track([0.0 if k == "striker" else -8.0 for k in CARROM.names], seen)
    return mistaken(item, [owner], to_play=True) is not None


def test_a_striker_set_on_the_base_line_takes_its_name_back_from_a_printed_mark() -> None:
    assert claimed(sure=0.41, seen=0.7)
    assert not claimed(sure=0.9, seen=0.7)
    assert not claimed(sure=0.41, seen=0.4)


@pytest.mark.parametrize(
    ("seen", "in_circle", "there"),
    [(0.9, True, True), (0.9, False, True), (0.8, False, False), (0.68, True, False)],
)
def test_a_fallen_man_comes_back_where_dues_are_put_or_surely_seen(
    seen: float, in_circle: bool, there: bool
) -> None:
    """Under a sleeve a knot in the wood looks like a C/m that nobody put back."""
    man = Ball("white_3", "white", Rest(), CARROM, state=BallState.GONE, fate="potted")
    item = track([0.0 if k == "white" else -6.0 for k in CARROM.names], seen)
    item.points = [replace(p, near_cover=True) for p in item.points]
    found = identify(item, [man], 6.0, False, pieces=CARROM, in_circle=in_circle)
    assert (found is not None) is there


def test_a_ball_seen_where_a_sleeve_covered_it_was_not_taken_to_a_thing_beyond() -> None:
    looks = [0.0 if k == "yellow" else -4.0 for k in BILLIARDS.names]
    item = track(looks, 0.7)
    for taken_from, is_it in (((0.0, 621.0), True), ((300.0, 621.0), False)):
        yellow = Ball(
            "yellow", "yellow", Rest(), BILLIARDS, logp=list(looks), sure=0.66, taken_from=taken_from
        )
        assert (mistaken(item, [yellow], to_play=False) is not None) is is_it


def test_fingers_round_a_mark_are_no_striker_where_none_is_played_from() -> None:
    """ICF law 130(a): a striker is set between the base lines. There an unsure look is enough."""
    striker = Ball("striker", "striker", Rest(), CARROM, state=BallState.GONE, fate="potted")
    named = [
        identify(track(UNSURE_LOOKS, 0.42), [striker], 6.0, False, pieces=CARROM, to_play=to_play)
        for to_play in (True, False)
    ]
    assert named[0] is not None and named[0].ball is striker and named[1] is None


def test_a_striker_set_down_between_base_lines_is_not_named_anew_for_looks_under_fingers() -> None:
    men = [Ball(f"white_{k}", "white", Rest(), CARROM, logp=list(UNSURE_LOOKS)) for k in range(1, 9)]
    striker = Ball("striker", "striker", Rest(), CARROM)
    looks = [5 * v for v in UNSURE_LOOKS]
    for nats, kept in ((0.0, False), (PLACED_MAN + OFF_CIRCLE, True)):
        striker.name = striker.colour = "striker"
        striker.take_identity(looks, 5, nats)
        relabel([*men, striker])
        assert (striker.colour == "striker") is kept
