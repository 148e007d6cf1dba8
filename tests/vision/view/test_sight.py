"""How often a picture is asked whether it shows the table: the more of it changes, the more often."""

import numpy as np
import pytest

from vision.view.usable import Sight


class View:
    """Shows the table always; counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def shows(self, luma: np.ndarray, known: np.ndarray) -> bool:
        self.asked += 1
        return True


@pytest.mark.parametrize(("changed_share", "looks"), [(0.003, 7), (0.05, 25), (0.5, 50)])
def test_the_more_changes_the_more_often_the_view_is_checked(changed_share: float, looks: int) -> None:
    view, sight = View(), Sight(known=np.zeros((6, 40)))
    luma = np.zeros((90, 160), np.uint8)
    assert not any(sight.lost(view, luma, 0.0625 * k, changed_share) for k in range(50))  # type: ignore[arg-type]  # a view that counts
    assert view.asked == looks


def test_a_picture_that_begins_to_fade_is_checked_within_a_tenth_of_a_second() -> None:
    view, sight = View(), Sight(known=np.zeros((6, 40)))
    luma = np.zeros((90, 160), np.uint8)
    sight.lost(view, luma, 10.0, 0.0)  # type: ignore[arg-type]  # a view that counts
    sight.lost(view, luma, 10.04, 0.05)  # type: ignore[arg-type]  # a view that counts
    assert view.asked == 1
    sight.lost(view, luma, 10.12, 0.05)  # type: ignore[arg-type]  # a view that counts
    assert view.asked == 2
