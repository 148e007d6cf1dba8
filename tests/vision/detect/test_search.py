"""Every cell that is to be examined lies in exactly one box; the network sees an even number of cells around
it.
"""

import numpy as np
import pytest

from vision.detect.search import boxes, with_context


@pytest.mark.parametrize("seed", range(6))
def test_every_set_cell_lies_in_exactly_one_box(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.random((38, 72)) < (0.005, 0.02, 0.05, 0.1, 0.3, 1.1)[seed]
    covered = np.zeros(cells.shape, int)
    for j0, i0, j1, i1 in boxes(cells):
        covered[i0:i1, j0:j1] += 1
    assert covered.max(initial=0) <= 1 and (covered[cells] == 1).all()


def test_near_cells_share_a_box_and_far_ones_do_not() -> None:
    cells = np.zeros((38, 72), np.bool_)
    cells[5, 5] = cells[6, 8] = cells[30, 60] = True
    assert sorted(boxes(cells)) == [(5, 5, 9, 7), (60, 30, 61, 31)]


@pytest.mark.parametrize("box", [(0, 0, 1, 1), (71, 37, 72, 38), (10, 10, 13, 12), (0, 0, 72, 38)])
def test_the_network_sees_a_cell_more_on_each_side_where_there_is_one(box: tuple[int, int, int, int]) -> None:
    a0, b0, a1, b1 = with_context(box, 72, 38)
    assert (a1 - a0) % 2 == 0 and (b1 - b0) % 2 == 0
    assert 0 <= a0 <= max(box[0] - 1, 0) and min(box[2] + 1, 72) <= a1 <= 72
    assert 0 <= b0 <= max(box[1] - 1, 0) and min(box[3] + 1, 38) <= b1 <= 38
