"""One name, two claimants."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.table.pieces import BILLIARDS, CARROM
from calibration.table.specs import SNOOKER_TABLE
from tracker.ball import Ball, BallState
from tracker.detections.tentative import Tentative
from tracker.identity.identify import OFF_CIRCLE, PLACED_MAN, identify, mistaken
from tracker.identity.relabel import relabel
from tracker.layout import hands
from tracker.place import Point, Rest
from tracker.stroke.spans import by_an_unseen_striker

D = SNOOKER_TABLE.ball_diameter_mm
HZ = 25.0


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


def test_men_that_run_free_at_once_were_met_by_a_striker_that_nobody_saw(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A knuckle had taken the striker's name: the stroke was told as a hand that moved nine men."""
    monkeypatch.setattr(hands, "struck_first", lambda ball: True)
    men = [Ball(f"white_{k}", "white", Rest(), CARROM) for k in range(1, 4)]
    striker = Ball("striker", "striker", Rest(), CARROM, state=BallState.GONE, fate="lifted")
    assert by_an_unseen_striker(men, [*men, striker])
    assert not by_an_unseen_striker(men[:2], [*men, striker])
    striker.state = BallState.REST
    assert not by_an_unseen_striker(men, [*men, striker])
