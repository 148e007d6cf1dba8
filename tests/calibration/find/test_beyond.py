"""A table does not end in the middle of its cloth."""

from dataclasses import replace

import numpy as np
import pytest
from random_layout import random_layout_image

from calibration.find.beyond import cloth_beyond, goes_on


@pytest.mark.parametrize("seed", [5000, 5022])
def test_cloth_beyond_a_side_tells_a_nose_that_lies_further_out(seed: int) -> None:
    """In a noisy view from the side an end was read 200 mm inside the cloth, at a stated 5 mm."""
    picture, truth = random_layout_image(seed, 1280, 720)
    image = np.ascontiguousarray(picture[..., ::-1])
    assert not goes_on(cloth_beyond(image, truth.camera, truth.table))
    short = replace(truth.table, length_mm=truth.table.length_mm - 200.0)
    assert goes_on(cloth_beyond(image, truth.camera, short))


def test_rails_of_the_cloths_own_colour_say_nothing() -> None:
    assert not goes_on(np.array([0.9, 0.9, 1.0, 0.7]))
    assert goes_on(np.array([0.0, 0.9, 1.0, 1.0])) and goes_on(np.array([1.0, 1.0, 0.9, 0.1]))
