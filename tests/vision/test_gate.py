"""Nothing moves, nothing is done; what moves is seen, however slowly."""

import numpy as np

from vision.change import Gate


def scene(rng: np.random.Generator, at: float, noise: float = 0.8) -> np.ndarray:
    """A cloth with one bright ball of 6 px at column `at`."""
    y, x = np.mgrid[0:60, 0:120]
    distance = np.hypot(x - at, y - 30)
    luma = 80 + 120 * np.clip(3.5 - distance, 0, 1) + rng.normal(0, noise, x.shape)
    return np.clip(np.rint(luma), 0, 255).astype(np.uint8)


def test_noise_alone_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    gate = Gate()
    gate.compare(scene(rng, 50))
    assert not any(gate.compare(scene(rng, 50)).changed.any() for _ in range(200))


def test_identical_images_are_told() -> None:
    picture = scene(np.random.default_rng(2), 50)
    gate = Gate()
    gate.compare(picture)
    assert gate.compare(picture.copy()).identical
    assert not gate.compare(scene(np.random.default_rng(3), 50)).identical


def test_a_ball_that_creeps_is_seen_before_it_has_moved_a_tenth_of_its_diameter() -> None:
    rng = np.random.default_rng(4)
    gate = Gate()
    gate.compare(scene(rng, 50))
    for step in range(100):
        at = 50 + 0.02 * step
        if gate.compare(scene(rng, at)).changed.any():
            break
    assert at - 50 < 0.6


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


def test_cells_that_changed_by_less_than_counts_are_told_too() -> None:
    rng = np.random.default_rng(6)
    gate = Gate()
    still = scene(rng, 50)
    gate.compare(still)
    gate.compare(scene(rng, 50))
    brighter = still.copy()
    brighter[20, 100] += 6  # the step is 7 noises: about 7 grey levels
    result = gate.compare(brighter)
    assert result.stirred[3, 16] and not result.changed.any()
    assert result.stirred.sum() == 1
