"""A set is reported only where it explains a whole layout far better than the declared one."""

import numpy as np
import pytest

from calibration.table.games import PIECES
from calibration.table.pieces import POOL_9, POOL_15, RED_YELLOW, SNOOKER, PieceSet
from vision.detect.looks import LOOKS, look_name
from vision.detect.sets import CANDIDATES, Explained, explained_by, other_set

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
