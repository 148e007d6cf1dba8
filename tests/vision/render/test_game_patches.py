"""Training patches of all games: reproducible, their truth where the picture has the piece."""

import numpy as np
import pytest

from vision.detect.looks import LOOKS
from vision.render.game_patches import british_patch, carrom_patch, pool_patch, random_game_patch
from vision.render.patches import PX_PER_DIAMETER


@pytest.mark.parametrize("seed", [1, 3])
def test_a_seed_gives_one_patch(seed: int) -> None:
    a, b = random_game_patch(seed), random_game_patch(seed)
    assert np.array_equal(a.image, b.image)
    assert np.array_equal(a.balls, b.balls)


def test_each_game_has_its_own_looks() -> None:
    named = [
        {LOOKS[int(k)] for seed in range(4) for k in draw(seed).balls[:, 2]}
        for draw in (pool_patch, british_patch, carrom_patch)
    ]
    assert any("stripe" in n for n in named[0])
    assert named[1] <= {"white", "red", "yellow", "black"}
    assert named[2] <= {"white disc", "black disc", "red disc", "striker"}


def test_a_dark_disc_on_a_board_lies_where_its_truth_says() -> None:
    found = 0
    for seed in range(6):
        patch = carrom_patch(seed)
        for x, y, look, visible, *way in patch.balls:
            i, j = round(float(y)), round(float(x))
            inside = 20 < i < 108 and 20 < j < 108
            if LOOKS[int(look)] != "black disc" or visible < 0.95 or any(way) or not inside:
                continue
            middle = patch.image[i - 2 : i + 3, j - 2 : j + 3].mean()
            reach = PX_PER_DIAMETER
            around = patch.image[i - reach : i + reach + 1, j - reach : j + reach + 1].mean()
            found += 1
            assert middle < around
    assert found >= 3
