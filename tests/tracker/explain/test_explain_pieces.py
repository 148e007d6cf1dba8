"""The core works with the pieces of any game: names, sizes, what is put back."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from explain_lab.scenes import after, film, rolling, still
from explain_lab.weights import CERTAIN, first_contact_weights

from calibration.table.pieces import BILLIARDS, POOL_9, RED_YELLOW, SNOOKER, PieceSet
from calibration.table.specs import SNOOKER_TABLE, small_table
from tracker.explain.arena import Arena
from tracker.explain.detections import arrays
from tracker.explain.facts import facts
from tracker.explain.solver import solve
from tracker.explain.tracklets import tracklets

POOL = small_table(2540.0, 1270.0, 57.15)


def full(cue: str, other: str, kinds: PieceSet, apart_mm: float) -> list[object]:
    """The cue-ball runs full into one ball of another kind."""
    white = rolling(0.0, 500.0, 0.0, 1200.0, 0.4)
    at = white(0.6)
    assert at is not None
    balls = {
        cue: after(white, 0.6, still(*at)),
        other: rolling(at[0], at[1] + apart_mm, 0.0, 1180.0, 0.6),
    }
    return list(film(balls, until_s=1.6, kinds=kinds.names))


def test_the_nine_struck_by_the_cue_ball_is_named() -> None:
    found = solve(full("cue", "9", POOL_9, POOL.ball_diameter_mm), POOL, POOL_9)
    (said, weight), *_ = first_contact_weights(found)
    assert said is not None and said[0] == "9"
    assert weight > CERTAIN
    assert facts(found[0]).cue_ball == "on_table"


def test_where_the_cue_ball_lay_goes_before_what_it_looks_like() -> None:
    """A break in nine ball: the ball in front, blurred, looked like the cue-ball; "cue hit first" it said."""
    images = full("1", "cue", POOL_9, POOL.ball_diameter_mm)
    (said, weight), *_ = first_contact_weights(solve(images, POOL, POOL_9, cue_mm=(0.0, 500.0)))
    assert said is not None and said[0] == "cue", "as it looks; the tracker calls it by its place"
    assert weight > CERTAIN


@pytest.mark.parametrize("first", ["white", "yellow"])
def test_of_two_that_can_be_a_cue_ball_the_one_was_struck_that_gave_its_speed_away(first: str) -> None:
    """Billiards, a millimetre apart: the white played full on to the yellow creeps after it, seen to leave
    later. Had the yellow been struck, nothing would have moved the white.
    """
    far = 1000.0 + SNOOKER_TABLE.ball_diameter_mm + 1.0
    balls = {
        "white": after(still(0.0, 1000.0), 0.6, rolling(0.0, 1000.0, 0.0, 90.0, 0.6)),
        "yellow": after(still(0.0, far), 0.6, rolling(0.0, far, 0.0, 2000.0, 0.6)),
        "red": still(300.0, 2500.0),
    }
    images = list(film(balls, until_s=1.4, kinds=BILLIARDS.names))
    lay = {"white": (0.0, 1000.0), "yellow": (0.0, far)}
    (other,) = {"white", "yellow"} - {first}
    found = solve(images, SNOOKER_TABLE, BILLIARDS, lay[first], {}, [lay[other]])
    assert sum(e.weight for e in found if e.cue == "white") > 0.9
    assert sum(e.weight for e in found) == pytest.approx(1.0)


def test_a_smaller_cue_ball_touches_at_the_sum_of_the_radii() -> None:
    arena = Arena(POOL, RED_YELLOW, cue=7)
    share = RED_YELLOW.size_share("cue")
    assert share < 1.0
    assert arena.apart_mm(7, 3) == pytest.approx((1 + share) / 2 * POOL.ball_diameter_mm)
    assert arena.apart_mm(3, 4) == pytest.approx(POOL.ball_diameter_mm)


def test_a_ball_that_comes_back_past_its_old_place_is_not_seen_at_rest_there() -> None:
    """Struck against the cushion beside it, it is 13 mm off in an image, and 7 mm in the next, within the
    noise of where it had lain. Taken for a look at rest, that one leaves the ball's way without a beginning.
    """

    def green(t_s: float) -> tuple[float, float]:
        k = round((t_s - 1.0) / 0.02)
        return (-848.0, 3476.0) if k <= 0 else (-874.0 + 13.0 * max(k, 1), 3475.0 + 4.0 * k)

    images = film({"green": green}, 1.4, 50.0)
    images = [
        replace(i, observations=tuple(replace(o, sigma_mm=2.6) for o in i.observations)) for i in images
    ]
    rest, moving = tracklets(*arrays(images))
    assert rest.tail.t_s == pytest.approx(1.0)
    assert (moving.head.t_s, moving.n) == (pytest.approx(1.02), 19)


def test_sixteen_reds_are_one_too_many_and_weigh_less() -> None:
    """With more than fifteen balls on the table each naming is still counted once."""
    places = [(-700.0 + 90.0 * (k % 16), 600.0 + 300.0 * (k // 16)) for k in range(17)]
    balls = {("white" if k == 16 else f"red_{k + 1}"): still(*p) for k, p in enumerate(places)}
    found = solve(list(film(balls, until_s=1.0)), SNOOKER_TABLE, SNOOKER)
    names = [tuple(s.name for s in e.stories) for e in found]
    assert len(set(names)) == len(names)
    assert math.isclose(sum(e.weight for e in found), 1.0)


@pytest.mark.parametrize("speed_mm_s", [8000.0, 13_000.0])
def test_a_break_shot_is_followed_at_any_speed_that_players_reach(speed_mm_s: float) -> None:
    """A clip of eight ball: at 13.6 m/s the cue-ball was no ball at all, and "the thirteen set off first"."""
    hit_s = 0.4 + 1400.0 / speed_mm_s
    cue = rolling(0.0, 300.0, 0.0, speed_mm_s, 0.4)
    at = cue(hit_s)
    assert at is not None
    one = rolling(at[0], at[1] + POOL.ball_diameter_mm, 0.0, 1500.0, hit_s)
    back = rolling(*at, 0.0, -900.0, hit_s)
    balls = {"cue": after(cue, hit_s, back), "1": one, "9": still(400.0, 2000.0)}
    found = solve(film(balls, until_s=1.2, hz=60.0, kinds=POOL_9.names), POOL, POOL_9)
    (said, weight), *_ = first_contact_weights(found)
    assert said is not None and said[0] == "1" and weight > CERTAIN
