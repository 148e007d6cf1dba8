"""What stands over the cloth is told from the cloth, whatever its colour; what lies there for good belongs to
it.
"""

import numpy as np

from vision.change import StillView

RNG = np.random.default_rng(5)
STEP = 7.0


def table(light: float = 1.0) -> np.ndarray:
    """6 rows and 10 columns of cells with a cloth's texture and noise."""
    weave = 70 + 4 * np.sin(np.arange(60) / 7.0)[None] + np.zeros((36, 60))
    return np.clip(light * weave + RNG.normal(0, 0.8, weave.shape), 0, 255).astype(np.uint8)


def look(
    view: StillView, luma: np.ndarray, t_s: float, whole: bool = False, changed: bool = False
) -> np.ndarray:
    return view.changed_cells(luma, np.full((6, 10), changed), STEP, t_s, whole)


def sleeve(luma: np.ndarray) -> np.ndarray:
    out = luma.copy()
    out[6:24, 12:36] += 12
    return out


def test_nothing_but_noise_alters_nothing() -> None:
    view = StillView()
    assert not any(look(view, table(), 0.04 * k, whole=k % 9 == 0).any() for k in range(50))


def test_a_sleeve_a_little_lighter_than_the_cloth_is_seen_for_as_long_as_it_is_there() -> None:
    view = StillView()
    look(view, table(), 0.0, True)
    for k in range(40):  # whole looks: he stands still, and is still no table
        found = look(view, sleeve(table()), 1.0 + 0.2 * k, whole=True, changed=k == 0)
        assert found[1:4, 2:6].all() and found.sum() == 12
    assert not look(view, table(), 10.0, changed=True).any()


def test_a_cue_across_a_cell_is_too_little() -> None:
    view = StillView()
    look(view, table(), 0.0, True)
    luma = table()
    luma[14:15, :] = 180
    assert not look(view, luma, 1.0).any()


def test_what_stays_is_the_table_after_a_while_and_so_is_another_light() -> None:
    view = StillView()
    look(view, table(), 0.0, True)
    look(view, sleeve(table()), 1.0, True, changed=True)
    look(view, sleeve(table()), 22.0, True)
    assert not look(view, sleeve(table()), 22.2, True).any()
    assert look(view, table(1.3), 30.0, True).all()
    assert not look(view, table(1.3), 30.2, True).any()
