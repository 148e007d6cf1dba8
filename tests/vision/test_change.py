"""Changes between images: noise is none, a slow ball is one; a person is told from the cloth."""

import numpy as np
import pytest

from vision.change import Gate, RepeatWatch, StillView
from vision.io.picture import Picture
from vision.plane import GatePlanes

RNG = np.random.default_rng(5)
CLOTH = (80, 110, 100)
STEP = 7.0
"""Grey levels that count as a change."""


def scene(
    rng: np.random.Generator, at: float, noise: float = 0.8, ball: tuple[int, int, int] = (200, 128, 128)
) -> GatePlanes:
    """A green cloth (Y, U, V) with one ball of 6 px at column `at`, a white one."""
    y, x = np.mgrid[0:60, 0:120]
    share = np.clip(3.5 - np.hypot(x - at, y - 30), 0, 1)[:, :, None]
    planes = (1 - share) * np.array(CLOTH) + share * np.array(ball) + rng.normal(0, noise, (60, 120, 3))
    yuv = np.clip(np.rint(planes), 0, 255).astype(np.uint8)
    return yuv[:, :, 0], yuv[::2, ::2, 1:]


def test_noise_alone_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    gate = Gate()
    gate.compare(scene(rng, 50))
    assert not any(gate.compare(scene(rng, 50)).changed.any() for _ in range(200))


def test_identical_images_are_reported() -> None:
    picture = scene(np.random.default_rng(2), 50)
    gate = Gate()
    gate.compare(picture)
    assert gate.compare((picture[0].copy(), picture[1].copy())).identical
    assert not gate.compare(scene(np.random.default_rng(3), 50)).identical


def test_a_creeping_ball_is_a_change_before_it_has_moved_a_tenth_of_its_diameter() -> None:
    rng = np.random.default_rng(4)
    gate = Gate()
    gate.compare(scene(rng, 50))
    shifts = [0.02 * step for step in range(100)]
    seen = next(s for s in shifts if gate.compare(scene(rng, 50 + s)).changed.any())
    assert seen < 0.6


def test_only_the_accepted_cells_become_the_reference() -> None:
    rng = np.random.default_rng(5)
    gate = Gate()
    gate.compare(scene(rng, 50))
    moved = scene(rng, 80)
    changed = gate.compare(moved).changed
    half = changed.copy()
    half[:, 10:] = False
    gate.accept(moved, half)
    again = gate.compare(moved).changed
    assert not (again & half).any() and again[changed & ~half].all()


def test_a_ball_as_bright_as_the_cloth_is_a_change() -> None:
    """A red in flight, smeared over four times its width, has a quarter of its colour and no brightness."""
    rng = np.random.default_rng(8)
    gate = Gate()
    gate.compare(scene(rng, 50, ball=CLOTH))
    faint_red = (CLOTH[0], CLOTH[1] + 2, CLOTH[2] + 17)
    changed = gate.compare(scene(rng, 80, ball=faint_red)).changed
    assert changed.any() and changed[4:6, 12:15].sum() == changed.sum()


def test_a_change_just_below_the_step_is_reported_as_stirred() -> None:
    rng = np.random.default_rng(6)
    gate = Gate()
    still = scene(rng, 50)
    gate.compare(still)
    gate.compare(scene(rng, 50))
    brighter = still[0].copy(), still[1]
    brighter[0][20, 100] += 6  # the step is 7 noises: about 7 grey levels
    result = gate.compare(brighter)
    assert result.stirred[3, 16] and not result.changed.any()
    assert result.stirred.sum() == 1


def cloth(light: float = 1.0) -> np.ndarray:
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


def test_noise_alone_changes_no_cell_of_the_still_view() -> None:
    view = StillView()
    assert not any(look(view, cloth(), 0.04 * k, whole=k % 9 == 0).any() for k in range(50))


def test_a_sleeve_little_lighter_than_the_cloth_is_found_as_long_as_it_is_there() -> None:
    view = StillView()
    look(view, cloth(), 0.0, True)
    for k in range(40):  # whole looks at a person who stands still
        found = look(view, sleeve(cloth()), 1.0 + 0.2 * k, whole=True, changed=k == 0)
        assert found[1:4, 2:6].all() and found.sum() == 12
    assert not look(view, cloth(), 10.0, changed=True).any()


def test_a_cue_across_a_cell_changes_too_few_pixels() -> None:
    view = StillView()
    look(view, cloth(), 0.0, True)
    luma = cloth()
    luma[14:15, :] = 180
    assert not look(view, luma, 1.0).any()


def test_a_thing_that_stays_and_another_light_become_the_table() -> None:
    view = StillView()
    look(view, cloth(), 0.0, True)
    look(view, sleeve(cloth()), 1.0, True, changed=True)
    look(view, sleeve(cloth()), 22.0, True)
    assert not look(view, sleeve(cloth()), 22.2, True).any()
    assert look(view, cloth(1.3), 30.0, True).all()
    assert not look(view, cloth(1.3), 30.2, True).any()


def scene_at(x_px: int, noise: float, seed: int) -> Picture:
    """A ball on cloth, as a camera with some noise shows it."""
    rng = np.random.default_rng(seed)
    luma = 90.0 + rng.normal(0.0, noise, (360, 640))
    luma[170:190, x_px : x_px + 20] = 200.0
    grey = np.full((180, 320), 128, np.uint8)
    return Picture(np.clip(luma, 0, 255).astype(np.uint8), grey, grey)


def test_a_copy_of_an_image_is_noticed_however_it_was_coded() -> None:
    """A recording of 30 images a second made of 25 repeats every sixth."""
    watch = RepeatWatch()
    shown = [scene_at(30 + 20 * k, 2.0, k) for k in range(5)]
    assert [watch.shown_again(p) for p in shown] == [False] * 5
    coded = shown[-1].y.copy()
    coded[::9, ::9] ^= 3
    assert watch.shown_again(Picture(coded, shown[-1].u, shown[-1].v))
    assert not watch.shown_again(scene_at(200, 2.0, 9))


@pytest.mark.parametrize("noise", [0.0, 2.0])
def test_a_still_table_repeats_nothing(noise: float) -> None:
    """Of a camera without noise the first image behind a motion looks like a copy, and no later one."""
    watch = RepeatWatch()
    for k in range(4):
        watch.shown_again(scene_at(30 + 20 * k, noise, k))
    still = [watch.shown_again(scene_at(90, noise, 10 + k)) for k in range(6)]
    assert still[1:] == [False] * 5
    assert not (noise and still[0])
