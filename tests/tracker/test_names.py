"""Names of numbered balls: one 7 on the table, never two; a doubt about two balls is one doubt."""

from __future__ import annotations

import pytest

from calibration.table.parse import parse_table
from calibration.table.pieces import BILLIARDS, POOL_14_1, POOL_15, SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from tracker.ball import Ball, BallState
from tracker.events import Naming
from tracker.identity.evidence import Evidence
from tracker.identity.names import doubts, namings, placed, probability, read, rename
from tracker.layout.hands import put_back_there
from tracker.place import Rest
from vision.detect.naming import place_nats
from vision.observation import Observation

KINDS = POOL_15.names


def ball(name: str, **logp: float) -> Ball:
    """A ball at rest that looks like the given kinds, all else far less; `n13=-1.0` for the 13."""
    own = {k.removeprefix("n"): v for k, v in logp.items()}
    return Ball(name, name, Rest(), POOL_15, logp=[own.get(k, -20.0) for k in KINDS], told=name)


def look(**logp: float) -> Observation:
    own = {k.removeprefix("n"): v for k, v in logp.items()}
    return Observation(0.0, 0.0, 1.0, 0.0, 0.0, tuple(own.get(k, -6.0) for k in KINDS), 0.9)


def test_a_lone_ball_that_may_be_either_of_two_is_told_with_both_names() -> None:
    found = namings([ball("15", n15=0.0, n13=-1.2), ball("cue", cue=0.0)])
    assert probability(found, "15") == pytest.approx(1 / (1 + 2.718281828**-1.2), abs=1e-6)
    assert [dict(n.names) for n in doubts(found)] == [{}, {"15": "13"}]


def test_a_ball_is_named_by_elimination_where_the_other_one_is_surely_elsewhere() -> None:
    alone = namings([ball("15", n15=0.0, n13=-1.2)])
    both = namings([ball("15", n15=0.0, n13=-1.2), ball("13", n13=0.0, n15=-9.0)])
    assert probability(both, "15") > 0.9999 > probability(alone, "15")


def coloured(colour: str, state: BallState = BallState.REST, **looks: float) -> Ball:
    """A snooker ball that looks like the given colours, all others far less."""
    logp = [looks.get(c, -20.0) for c in SNOOKER.names]
    return Ball(colour, colour, Rest(), SNOOKER, logp, state=state)


def test_a_red_that_looks_like_the_brown_on_its_spot_is_the_red_when_that_is_gone() -> None:
    """In this light both look brown: which of them lay on the brown's spot says which is which."""
    red, others = coloured("red", brown=0.0, red=-1.0), [coloured(c, **{c: 0.0}) for c in SURE]
    brown = coloured("brown", BallState.GONE, brown=0.0, red=-1.0)
    assert placed([red], [red, brown, *others])[0].confidence == pytest.approx(0.5, abs=0.05)
    brown.by_place = place_nats(0.0, 737.0, SNOOKER_TABLE).tolist()
    assert placed([red], [red, brown, *others])[0].confidence > 0.99


SURE = [c for c in SNOOKER.names if c not in ("red", "brown")]


def test_while_reds_are_left_each_colour_lies_on_the_table() -> None:
    """A pink that looks more like the brown is the pink where the brown lies elsewhere, and where the black
    is left beside it: the brown leaves first.
    """
    pink, brown = coloured("pink", brown=0.0, pink=-2.0), coloured("brown", brown=0.0)
    white, black = coloured("white", white=0.0), coloured("black", black=0.0)
    alone = placed([pink])[0].confidence
    assert alone < 0.5 < 0.8 < placed([pink], [pink, white, black])[0].confidence
    assert placed([pink], [pink, brown, white])[0].confidence > 0.8


def test_two_balls_seen_as_each_other_exchange_their_names_at_once() -> None:
    two, ten = ball("2", n10=0.0, n2=-3.0), ball("10", n2=0.0, n10=-2.0)
    assert rename([two, ten]) == {"2": "10", "10": "2"}
    assert (two.name, ten.colour) == ("10", "2")


def test_what_was_told_under_another_name_is_told_again_and_a_doubt_once_more_at_the_end() -> None:
    two, ten = ball("2", n10=0.0, n2=-3.0), ball("10", n2=0.0, n10=-2.0)
    said = read([two, ten], open_before=False, t_s=1.0, final=False)
    assert said is not None and set(said.renamed) == {("2", "10"), ("10", "2")}
    assert read([two, ten], open_before=False, t_s=2.0, final=True) is None
    last = read([two, ten], open_before=True, t_s=2.0, final=True)
    assert last is not None and last.final and last.namings[0] == Naming(last.namings[0].weight, ())


def test_a_layout_is_as_sure_of_a_name_as_all_namings_leave_it() -> None:
    (lying,) = placed([ball("15", n15=0.0, n13=-1.2)])
    assert lying.confidence == pytest.approx(0.7685, abs=1e-3)


def test_many_looks_at_one_rest_say_little_more_than_one_and_those_of_the_next_rest_add_to_them() -> None:
    evidence = Evidence.none(2)
    for _ in range(100):
        evidence.lying([0.0, -1.5], 1.0, since_s=0.0)
    one = -evidence.logp()[1]
    assert 1.5 < one < 2.0
    for _ in range(100):
        evidence.lying([0.0, -1.5], 1.0, since_s=9.0)
    assert -evidence.logp()[1] == pytest.approx(2 * one)


def test_a_ball_misread_in_every_look_of_one_rest_is_taken_back_by_two_other_rests() -> None:
    b = ball("15")
    for since_s in (0.0, 5.0, 10.0):
        b.rest = Rest(since_s=since_s)
        for _ in range(20):
            b.learn(look(n15=-0.2, n13=-1.7) if since_s == 0.0 else look(n13=-0.2, n15=-1.7))
    assert b.logp[KINDS.index("13")] == 0.0


def test_a_ball_of_straight_pool_comes_back_on_the_long_string_only() -> None:
    table = parse_table(None, None, None, "wpa_14_1")
    assert put_back_there(table, POOL_14_1, 5.0, 1905.0)
    assert not put_back_there(table, POOL_14_1, 300.0, 1905.0)
    assert not POOL_14_1.stay_down and POOL_15.stay_down


def test_a_cue_ball_in_hand_is_put_anywhere_but_into_a_pocket_and_an_object_ball_is_not() -> None:
    table = parse_table(None, None, None, "wpa_8ball")
    assert put_back_there(table, POOL_15, 300.0, 700.0, in_hand=True)
    assert not put_back_there(table, POOL_15, 620.0, 10.0, in_hand=True)
    assert not put_back_there(table, POOL_15, 300.0, 700.0)


def test_a_white_of_billiards_comes_back_into_the_d_or_onto_the_centre_spot() -> None:
    table = parse_table(None, None, None, "english_billiards")
    places = {(-68.0, 698.0): True, (0.0, 1784.0): True, (140.0, 137.0): False, (59.0, 3191.0): False}
    for (x, y), there in places.items():
        assert put_back_there(table, BILLIARDS, x, y, in_hand=True) is there
    assert put_back_there(table, BILLIARDS, 0.0, 3245.0)  # the red
