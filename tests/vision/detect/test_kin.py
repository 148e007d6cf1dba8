"""A ball is told by the others of its kind on the same table, a mark by the cloth about it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.table.board import board_table
from calibration.table.pieces import CARROM, RED_YELLOW, PieceSet
from calibration.table.specs import BRITISH_POOL_TABLE
from vision.detect.kin import confidence_by_kin
from vision.detect.naming import ball_log_odds, named_layout
from vision.observation import Observation

CLOTH = (0.40, 0.35, 0.2)
COLOURS = {"cue": (0.34, 0.28, 0.9), "red": (0.10, 0.12, -0.4), "yellow": (0.36, 0.03, 0.4)}


def sight(
    x_mm: float, look: str, confidence: float, sigma_mm: float = 0.3, pieces: PieceSet = RED_YELLOW
) -> Observation:
    logp = tuple(-0.05 if name == look else -4.0 for name in pieces.names)
    return Observation(x_mm, 900.0, sigma_mm, 0.0, 0.0, logp, confidence)


def sure(
    seen: list[Observation], colours: list[tuple[float, float, float]], cloth: bool = True
) -> np.ndarray:
    about = np.full((len(seen), 3), CLOTH if cloth else np.nan)
    return confidence_by_kin(seen, np.array(colours), about, BRITISH_POOL_TABLE, RED_YELLOW)


YELLOWS = [sight(100.0 * k - 300.0, "yellow", 0.9) for k in range(5)]


def test_a_yellow_like_the_other_yellows_is_a_ball_and_what_is_like_the_cloth_none() -> None:
    """In a pack, and beside a pocket behind the near cushion: 0.40 and 0.65; chalk on blue cloth: 0.70."""
    seen = [*YELLOWS, sight(250.0, "yellow", 0.40, 0.5), sight(350.0, "red", 0.70, 0.9)]
    before = ball_log_odds(seen, BRITISH_POOL_TABLE, pieces=RED_YELLOW)
    assert before[5] < 0.0 < before[6]
    colours = [COLOURS["yellow"]] * 6 + [(0.38, 0.36, 0.3)]
    after = sure(seen, colours)
    assert after[5] > 0.55 and after[6] < 0.65
    looks = [
        Observation(o.x_mm, o.y_mm, o.sigma_mm, 0.0, 0.0, o.colour_logp, p)
        for o, p in zip(seen, after.tolist(), strict=True)
    ]
    names = [name for name, _ in named_layout(looks, BRITISH_POOL_TABLE, RED_YELLOW)]
    assert names == ["yellow"] * 6 + [None]


def test_what_looks_yellow_but_is_unlike_the_yellows_is_less_sure() -> None:
    like, unlike = (
        sure([*YELLOWS, sight(250.0, "yellow", 0.6)], [COLOURS["yellow"]] * 5 + [own])[-1]
        for own in (COLOURS["yellow"], (0.30, 0.18, 0.0))
    )
    assert unlike < 0.6 < like


def test_one_of_a_kind_has_no_kin() -> None:
    """Two things that look like the cue-ball do not speak for one another."""
    one = sure([sight(0.0, "cue", 0.7)], [COLOURS["cue"]])
    two = sure([sight(0.0, "cue", 0.7), sight(200.0, "cue", 0.7)], [COLOURS["cue"]] * 2)
    assert np.allclose(two, one[0], atol=0.02)


@given(st.lists(st.tuples(st.sampled_from(sorted(COLOURS)), st.floats(0.35, 0.99)), min_size=1, max_size=9))
def test_where_no_cloth_is_seen_colours_still_tell(balls: list[tuple[str, float]]) -> None:
    """A probability for each, whatever the order."""
    seen = [sight(100.0 * k - 400.0, look, p) for k, (look, p) in enumerate(balls)]
    colours = [COLOURS[look] for look, _ in balls]
    found = sure(seen, colours, cloth=False)
    assert np.all((found > 0.0) & (found < 1.0))
    assert np.allclose(sure(seen[::-1], colours[::-1], cloth=False)[::-1], found)


def test_pale_men_are_all_vaguer_than_black_ones() -> None:
    """On wood of their colour: 1.0 to 1.6 mm, where black men have 0.45."""
    blacks = [sight(60.0 * k - 300.0, "black", 0.85, 0.45, CARROM) for k in range(6)]
    whites = [sight(60.0 * k + 80.0, "white", 0.85, 1.2, CARROM) for k in range(3)]
    last = sight(320.0, "white", 0.45, 1.6, CARROM)
    alone = ball_log_odds([*blacks, last], BRITISH_POOL_TABLE, pieces=CARROM)[-1]
    beside = ball_log_odds([*blacks, *whites, last], BRITISH_POOL_TABLE, pieces=CARROM)[-1]
    assert alone < beside - 1.0


def test_nothing_seen_is_nothing_said() -> None:
    assert len(confidence_by_kin([], np.zeros((0, 3)), np.zeros((0, 3)), BRITISH_POOL_TABLE, RED_YELLOW)) == 0


BOARD = board_table()
WOOD, PALE = (0.34, 0.20, 0.2), (0.344, 0.222, 0.25)


@pytest.mark.parametrize("own", [WOOD, (0.34, 0.25, 0.25)])
def test_a_striker_of_the_woods_colour_is_as_sure_as_it_was(own: tuple[float, float, float]) -> None:
    seen = [sight(100.0 * k - 250.0, "white", 0.85, 1.0, CARROM) for k in range(4)]
    seen.append(sight(250.0, "striker", 0.7, 1.2, CARROM))
    found = confidence_by_kin(seen, np.array([PALE] * 4 + [own]), np.full((5, 3), WOOD), BOARD, CARROM)
    assert found[-1] > 0.65


def test_a_white_in_shade_is_a_white_and_a_ring_of_the_wood_none() -> None:
    seen = [sight(100.0 * k - 250.0, "white", 0.85, 1.0, CARROM) for k in range(5)]
    shaded, ring = sight(250.0, "white", 0.4, 1.6, CARROM), sight(320.0, "white", 0.4, 1.6, CARROM)
    colours = np.array([PALE] * 5 + [(0.342, 0.22, 0.15), WOOD])
    found = confidence_by_kin([*seen, shaded, ring], colours, np.full((7, 3), WOOD), BOARD, CARROM)
    assert found[6] < 0.41 < 0.44 < found[5]
