"""From looks to kinds: the game's set decides what a look may be, and the network's doubt is kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.table.games import PIECES
from calibration.table.pieces import BILLIARDS, CARROM, POOL_15, RED_YELLOW, SNOOKER, PieceSet
from vision.detect.looks import kind_logp, look_name
from vision.detect.naming import assign_colours

TINTS = ("white", "red", "yellow", "green", "brown", "blue", "pink", "black", "purple", "orange", "maroon")
STRIPES = tuple(f"{t} stripe" for t in ("yellow", "blue", "red", "purple", "orange", "green", "maroon"))
LOOKS = (*TINTS, *STRIPES, "white disc", "black disc", "red disc", "striker")


def sight(**shares: float) -> list[float]:
    p = np.array([shares.get(name.replace(" ", "_"), 1e-5) for name in LOOKS])
    return [float(v) for v in np.log(p / p.sum())]


@pytest.mark.parametrize("pieces", {p.name: p for p in PIECES.values()}.values(), ids=lambda p: p.name)
def test_every_kind_of_every_set_has_a_look_of_its_own_but_twins(pieces: PieceSet) -> None:
    names = [look_name(k, k.look, pieces) for k in pieces.kinds]
    assert len(set(names)) == len(names) - (len(pieces.twins) > 0)
    assert set(names) <= set(LOOKS)


def test_the_same_sight_is_another_kind_in_another_game() -> None:
    red = np.array([sight(red=0.9, orange=0.1)])
    for pieces, kind in ((SNOOKER, "red"), (POOL_15, "3"), (RED_YELLOW, "red"), (BILLIARDS, "red")):
        assert pieces.names[int(np.argmax(kind_logp(red, LOOKS, pieces)))] == kind


def test_a_stripe_seen_end_on_stays_in_doubt_until_the_layout_tells() -> None:
    end_on = sight(white=0.5, purple_stripe=0.3, green_stripe=0.2)
    cue_ball, green = sight(white=0.95, purple_stripe=0.05), sight(green_stripe=1.0)
    logps = kind_logp(np.array([end_on, cue_ball, green]), LOOKS, POOL_15)
    assert POOL_15.names[int(np.argmax(logps[0]))] == "cue"
    assert [n for n, _ in assign_colours(logps.tolist(), POOL_15)] == ["12", "cue", "14"]


def test_two_sights_of_seven_are_never_two_sevens() -> None:
    seven, fifteen = sight(maroon=0.6, maroon_stripe=0.4), sight(maroon=0.9, maroon_stripe=0.1)
    names = [
        n for n, _ in assign_colours(kind_logp(np.array([seven, fifteen]), LOOKS, POOL_15).tolist(), POOL_15)
    ]
    assert names == ["15", "7"]


def test_a_board_without_striker_has_none() -> None:
    men = kind_logp(np.array([sight(white_disc=0.9, striker=0.1)] * 3), LOOKS, CARROM)
    assert [n for n, _ in assign_colours(men.tolist(), CARROM)] == ["white"] * 3


@given(st.lists(st.floats(-12, 0), min_size=len(LOOKS), max_size=len(LOOKS)))
def test_kinds_are_probabilities_whatever_the_network_says(logits: list[float]) -> None:
    for pieces in {p.name: p for p in PIECES.values()}.values():
        p = np.exp(kind_logp(np.array([logits]), LOOKS, pieces))
        assert p.shape == (1, len(pieces.kinds))
        assert p.sum() == pytest.approx(1.0, abs=1e-3)
