"""The table of piece sets: every game has one, and it holds what the game's rules count."""

import pytest

from calibration.table.games import PIECES
from calibration.table.pieces import PieceSet
from referee.rules.common import racks
from referee.rules.registry import GAMES


def test_every_game_has_a_set_of_pieces() -> None:
    assert set(PIECES) == set(GAMES)


@pytest.mark.parametrize("game", sorted(set(GAMES) - {"six_red"}))
def test_a_rack_holds_no_piece_that_the_set_lacks(game: str) -> None:
    pieces = set(PIECES[game].pieces)
    rack = racks.rack(game, seed=1)
    assert rack.balls
    assert {b.ball for b in rack.balls} <= pieces


def test_a_stripe_has_the_colour_of_the_solid_eight_below_it() -> None:
    pool = PIECES["wpa_8ball"]
    for n in range(1, 8):
        solid, stripe = pool.kind(str(n)).look, pool.kind(str(n + 8)).look
        assert (solid.tint, solid.form, stripe.form) == (stripe.tint, "solid", "stripe")


def test_a_set_without_its_cue_ball_is_refused() -> None:
    with pytest.raises(ValueError, match="among them"):
        PieceSet("x", "cue", PIECES["snooker"].kinds)
