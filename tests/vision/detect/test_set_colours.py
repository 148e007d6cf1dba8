"""All balls lie in one light, and a solid and its stripe share a tint: that names what the network doubts."""

import numpy as np
import pytest

from calibration.table.pieces import POOL_15
from vision.detect.naming import joint_layout
from vision.detect.set_colours import TintReference, compared, learned, named_together, tint_model

LOOKS = POOL_15.looks[0]
WARM = np.array([0.1, -0.1, -0.8])  # added to the logarithm of r, g, b under a lamp of old


def row(**shares: float) -> list[float]:
    p = np.array([shares.get(f"n{name}", 1e-4) for name in POOL_15.names])
    return [float(v) for v in np.log(p / p.sum())]


def seen(tint: str, light: np.ndarray | float = 0.0) -> np.ndarray:
    model = tint_model()
    return np.asarray(model.light + model.mean[model.tints.index(tint)] + light)


def names(logps: np.ndarray) -> list[str]:
    return [POOL_15.names[int(k)] for k in joint_layout(logps, POOL_15).argmax(axis=1)]


@pytest.mark.parametrize("light", [np.zeros(3), WARM])
def test_balls_that_the_network_doubts_are_named_by_the_light_that_all_share(light: np.ndarray) -> None:
    doubtful = row(n3=0.34, n5=0.33, n7=0.33)
    logps = np.array([row(ncue=0.9), row(n1=0.9), row(n6=0.9), doubtful, doubtful, doubtful])
    features = np.array([seen(t, light) for t in ("white", "yellow", "green", "orange", "maroon", "red")])
    told, _ = named_together(logps, features, np.ones(6), (), POOL_15, LOOKS)
    assert names(told) == ["cue", "1", "6", "5", "7", "3"]


def test_a_ball_named_for_certain_by_the_network_keeps_its_name() -> None:
    logps = np.array([row(ncue=0.99), row(n8=0.999), row(n6=0.99)])
    features = np.array([seen("white"), seen("green"), seen("green")])
    told, _ = named_together(logps, features, np.ones(3), (), POOL_15, LOOKS)
    assert names(told) == ["cue", "8", "6"]


def test_a_stripe_of_the_sevens_tint_is_the_fifteen() -> None:
    red, maroon, white = seen("red"), seen("maroon"), seen("white")
    sure = np.array([row(n3=0.99), row(n7=0.97, n3=0.03), row(ncue=0.99)])
    known = learned((), sure, np.array([red, maroon, white]), POOL_15, LOOKS)
    assert {r.tint for r in known} == {"red", "maroon", "white"}
    told = compared(np.array([row(n11=0.6, n15=0.4)]), np.array([maroon]), known, POOL_15, LOOKS)
    assert POOL_15.names[int(np.argmax(told[0]))] == "15"


def test_a_stripe_that_shows_its_cap_alone_is_left_in_doubt_and_tells_nothing_of_its_tint() -> None:
    known = learned(
        (), np.array([row(n3=0.99), row(ncue=0.99)]), np.array([seen("red"), seen("white")]), POOL_15, LOOKS
    )
    end_on = np.array([row(n11=0.5, n15=0.5)])
    told = compared(end_on, np.array([seen("white")]), known, POOL_15, LOOKS)
    assert np.abs(told[0, [POOL_15.index["11"], POOL_15.index["15"]]] - np.log(0.5)).max() < 0.3
    assert (
        learned(
            (),
            np.array([row(n11=0.99), row(ncue=0.99)]),
            np.array([seen("white"), seen("white")]),
            POOL_15,
            LOOKS,
        )[0].tint
        == "white"
    )


def test_uncertain_balls_teach_nothing() -> None:
    assert learned((), np.array([row(n11=0.5, n15=0.5)]), np.array([seen("red")]), POOL_15, LOOKS) == ()


def test_without_references_nothing_changes() -> None:
    logps = np.array([row(n1=0.7, n9=0.3)])
    assert np.array_equal(compared(logps, np.array([seen("red")]), (), POOL_15, LOOKS), logps)


def test_an_earlier_reference_does_not_outweigh_a_ball_of_that_tint_in_sight() -> None:
    """A ball misread once must not be proved right by its own colour in the next look."""
    wrong = (TintReference("red", tuple(seen("maroon").tolist())),)
    logps = np.array([row(ncue=0.99), row(n3=0.5, n7=0.5), row(n3=0.5, n7=0.5)])
    features = np.array([seen("white"), seen("maroon"), seen("red")])
    assert names(named_together(logps, features, np.ones(3), wrong, POOL_15, LOOKS)[0]) == ["cue", "7", "3"]
