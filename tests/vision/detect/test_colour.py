"""A table's reds tell what its light makes of red; a brown stands out from them."""

import numpy as np

from vision.detect.colour import ball_chroma, red_reference, related
from vision.io.picture import Picture
from vision.observation import BALL_CLASSES

RED, BROWN = BALL_CLASSES.index("red"), BALL_CLASSES.index("brown")


def logps(n: int, brown_share: float) -> np.ndarray:
    p = np.full((n, 8), 1e-3)
    p[:, RED], p[:, BROWN] = 1 - brown_share, brown_share
    return np.log(p / p.sum(axis=1, keepdims=True))


def test_the_outlier_among_reds_is_the_brown() -> None:
    rng = np.random.default_rng(1)
    chroma = np.vstack((rng.normal((0.05, 0.10), 0.01, (10, 2)), [[0.16, 0.12]]))
    before = logps(11, 0.1)
    after = related(before, chroma, red_reference(before, chroma))
    assert int(np.argmax(after[:, BROWN])) == 10
    assert after[10, BROWN] > after[10, RED]
    assert (after[:10, RED] > after[:10, BROWN]).all()


def test_too_few_reds_give_no_reference() -> None:
    before = logps(2, 0.1)
    assert red_reference(before, np.zeros((2, 2))) is None
    assert related(before, np.zeros((2, 2)), None) is before


def test_corrected_probabilities_sum_to_one() -> None:
    rng = np.random.default_rng(2)
    chroma = rng.uniform(0, 0.3, (12, 2))
    before = logps(12, 0.3)
    after = related(before, chroma, red_reference(before, chroma))
    assert np.allclose(np.exp(after).sum(axis=1), 1.0)


def test_chroma_is_the_balls_own_and_not_its_highlights() -> None:
    bgr = np.full((80, 80, 3), (40, 120, 40), np.uint8)
    y, x = np.mgrid[0:80, 0:80]
    bgr[np.hypot(x - 40, y - 40) < 14] = (30, 20, 200)
    bgr[np.hypot(x - 36, y - 36) < 3] = 255
    ((g, b),) = ball_chroma(Picture.from_bgr(bgr), np.array([[40.0, 40.0]]), np.array([14.0]))
    assert abs(g - 20 / 250) < 0.03 and abs(b - 30 / 250) < 0.03
