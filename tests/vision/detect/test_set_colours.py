"""A solid and its stripe share a tint: an uncertain stripe is compared with this table's certain balls."""

import numpy as np

from calibration.table.pieces import POOL_15
from vision.detect.set_colours import compared, learned

LOOKS = POOL_15.looks[0]
RED, MAROON, WHITE = (0.17, 0.10, 0.0), (0.20, 0.18, -0.4), (0.338, 0.32, 0.9)


def row(**shares: float) -> list[float]:
    p = np.array([shares.get(f"n{name}", 1e-4) for name in POOL_15.names])
    return [float(v) for v in np.log(p / p.sum())]


def test_a_stripe_of_the_sevens_tint_is_the_fifteen() -> None:
    sure = np.array([row(n3=0.99), row(n7=0.97, n3=0.03), row(ncue=0.99)])
    known = learned((), sure, np.array([RED, MAROON, WHITE]), POOL_15, LOOKS)
    assert {r.tint for r in known} == {"red", "maroon", "white"}
    doubtful = np.array([row(n11=0.6, n15=0.4)])
    told = compared(doubtful, np.array([MAROON]), known, LOOKS)
    assert POOL_15.names[int(np.argmax(told[0]))] == "15"
    assert np.exp(told[0, POOL_15.index["15"]]) > 0.95


def test_a_ball_that_shows_its_white_side_alone_is_left_in_doubt() -> None:
    known = learned((), np.array([row(n3=0.99), row(ncue=0.99)]), np.array([RED, WHITE]), POOL_15, LOOKS)
    end_on = np.array([row(ncue=0.4, n11=0.3, n15=0.3)])
    told = compared(end_on, np.array([WHITE]), known, LOOKS)
    assert np.allclose(np.exp(told), np.exp(end_on), atol=0.02)


def test_uncertain_balls_teach_nothing() -> None:
    assert learned((), np.array([row(n11=0.5, n15=0.5)]), np.array([RED]), POOL_15, LOOKS) == ()


def test_without_references_nothing_changes() -> None:
    logps = np.array([row(n1=0.7, n9=0.3)])
    assert np.array_equal(compared(logps, np.array([RED]), (), LOOKS), logps)
