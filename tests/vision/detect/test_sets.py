"""A set is reported only where it explains a whole layout far better than the declared one."""

import numpy as np
import pytest

from calibration.table.games import PIECES
from calibration.table.pieces import (
    BILLIARDS,
    POOL_9,
    POOL_10,
    POOL_14_1,
    POOL_15,
    RED_YELLOW,
    SNOOKER,
    PieceSet,
)
from vision.detect.looks import LOOKS, look_name
from vision.detect.sets import CANDIDATES, Explained, explained_by, other_set, racked_set

SETS = {p.name: p for p in PIECES.values()}


def layout(*looks: str, sure: float = 0.95) -> np.ndarray:
    p = np.full((len(looks), len(LOOKS)), (1 - sure) / (len(LOOKS) - 1))
    p[np.arange(len(looks)), [LOOKS.index(n) for n in looks]] = sure
    return np.log(p)


def full(pieces: PieceSet) -> np.ndarray:
    return layout(*(look_name(k, k.look, pieces) for k in pieces.kinds for _ in range(k.count)))


def judged(seen: np.ndarray, declared: PieceSet) -> str | None:
    own = explained_by(seen, LOOKS, declared)
    found = other_set(own, [explained_by(seen, LOOKS, s) for s in CANDIDATES])
    return None if found is None else found.sentence("snooker")


@pytest.mark.parametrize("name", sorted(SETS))
def test_a_full_set_is_never_another_one(name: str) -> None:
    assert judged(full(SETS[name]), SETS[name]) is None


def test_the_declared_set_in_another_proportion_to_the_table_is_no_other() -> None:
    """Snooker balls sought in a small table's proportion were "fifteen numbered pool balls" (an end view)."""
    own, small = (Explained(SNOOKER, gain, n, 7) for gain, n in ((15.0, 2), (33.0, 6)))
    assert other_set(own, [small]) is None


def test_numbered_balls_are_no_snooker() -> None:
    seen = layout(
        "white", "yellow", "purple", "orange", "black", "red stripe", "green stripe", "blue stripe", "maroon"
    )
    assert judged(seen, SNOOKER) == "these look like numbered pool balls, not Snooker: 9 of 9"


def test_balls_that_both_games_have_tell_nothing() -> None:
    assert judged(layout("white", "red", "yellow", "black"), SNOOKER) is None
    assert judged(layout("white", "red", "yellow", "black"), RED_YELLOW) is None


def test_fifteen_balls_are_no_nine_ball_but_two_stripes_may_be_misread() -> None:
    seen = full(POOL_15)
    assert judged(seen, POOL_9) == "these look like fifteen numbered pool balls, not Snooker: 16 of 16"
    nine = [look_name(k, k.look, POOL_9) for k in POOL_9.kinds if k.name not in ("2", "3")]
    assert judged(layout(*nine, "blue stripe", "red stripe"), POOL_9) is None


def test_nine_balls_may_be_the_rest_of_fifteen() -> None:
    assert judged(full(POOL_9), POOL_15) is None


def test_one_misread_ball_is_no_other_game() -> None:
    assert judged(layout("white", "red", "red", "red", "brown", "purple"), SNOOKER) is None


def test_an_empty_table_is_of_any_game() -> None:
    assert judged(layout(), SNOOKER) is None


def test_the_three_balls_of_billiards_are_no_snooker_in_play() -> None:
    """While a red lies there all six colours do (snooker 3.3): five missing ones are not all hidden."""
    three = layout("white", "yellow", "red")
    assert judged(three, SNOOKER) == "these look like billiard balls, not Snooker: 3 of 3"
    assert judged(three, BILLIARDS) is None


@pytest.mark.parametrize(
    "seen",
    [
        ("white", "red"),  # a stroke is practised
        ("white", "red", "red", "red"),
        ("white",),
        ("white", "yellow", "green", "brown", "blue", "pink", "black"),  # the reds are gone
        ("white", "pink", "black"),
        ("white", "black"),
        ("white", "red", "yellow", "green", "blue", "pink", "black"),  # the brown is hidden
        ("white", "red", "yellow", "green", "brown", "black"),
        ("white", "red", "yellow", "purple", "orange", "maroon", "striker"),  # colours that are misread
    ],
)
def test_what_is_left_of_snooker_or_practised_with_it_is_snooker(seen: tuple[str, ...]) -> None:
    assert judged(layout(*seen), SNOOKER) is None


@pytest.mark.parametrize("pieces", [POOL_9, POOL_10, POOL_15, POOL_14_1, RED_YELLOW])
@pytest.mark.parametrize(
    "seen", [("white", "yellow", "red"), ("white", "red"), ("white", "black"), ("white",)]
)
def test_few_balls_that_a_set_has_are_no_other_set(pieces: PieceSet, seen: tuple[str, ...]) -> None:
    assert judged(layout(*seen), pieces) is None


@pytest.mark.parametrize(
    ("rack", "declared", "told"),
    [
        (10, POOL_9, "these look like a rack of ten numbered balls, not Nine ball (WPA): 10 of 10"),
        (9, POOL_15, "these look like a rack of nine numbered balls, not Nine ball (WPA): 9 of 9"),
        (9, POOL_10, "these look like a rack of nine numbered balls, not Nine ball (WPA): 9 of 9"),
        (15, POOL_10, "these look like a rack of fifteen numbered balls, not Nine ball (WPA): 15 of 15"),
        (9, POOL_9, None),
        (15, POOL_14_1, None),
        (15, POOL_15, None),
        (15, RED_YELLOW, None),
        (10, SNOOKER, None),
        (None, POOL_9, None),
    ],
)
def test_a_rack_of_another_number_is_another_game_of_pool(
    rack: int | None, declared: PieceSet, told: str | None
) -> None:
    found = racked_set(rack, declared)
    assert (None if found is None else found.sentence("wpa_9ball")) == told
