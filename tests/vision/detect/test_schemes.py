"""Which colouring a set of numbered balls has is weighed, and what it leaves open stays open."""

import numpy as np
import pytest

from calibration.table.pieces import POOL_9, PieceSet
from vision.detect.looks import LOOKS
from vision.detect.schemes import SetMemory, named_numbered
from vision.detect.set_colours import tint_model


def look(*tints: str, memory: SetMemory | None = None, whole: bool = True) -> tuple[np.ndarray, SetMemory]:
    """Names' log-probabilities of balls that the network is sure of, in an average light."""
    seen = np.full((len(tints), len(LOOKS)), np.log(1e-4))
    seen[np.arange(len(tints)), [LOOKS.index(t) for t in tints]] = np.log(0.99)
    model = tint_model()
    features = np.array([model.light + model.mean[model.tints.index(t)] for t in tints])
    known = SetMemory() if memory is None else memory
    return named_numbered(seen, LOOKS, features, np.ones(len(tints)), whole, known, POOL_9)


def shares(logps: np.ndarray, pieces: PieceSet = POOL_9) -> list[dict[str, float]]:
    return [dict(zip(pieces.names, np.exp(row), strict=True)) for row in logps]


def test_a_lone_purple_ball_is_the_four_or_televisions_five() -> None:
    told, _ = look("white", "purple")
    purple = shares(told)[1]
    assert 0.05 < purple["5"] < 0.5 < purple["4"] < 0.95
    assert purple["4"] + purple["5"] == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(("beside", "purple"), [("pink", "5"), ("orange", "4")])
def test_a_pink_or_an_orange_ball_beside_it_tells(beside: str, purple: str) -> None:
    told, _ = look("white", beside, "purple", "blue", "black")
    assert shares(told)[2][purple] > 0.9


def test_what_a_full_table_told_still_counts_when_one_ball_is_left() -> None:
    _, memory = look("white", "pink", "purple", "blue", "black")
    for _ in range(200):
        _, memory = look("white", "purple", memory=memory)
    alone, _ = look("white", "purple", memory=memory, whole=False)
    assert shares(alone)[1]["5"] > 0.9
