"""What balls look like to one camera is learned from those at rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.table.specs import SNOOKER_TABLE
from tracker.explain import priors
from tracker.explain.detections import arrays
from tracker.explain.likelihood import Likelihood
from tracker.explain.looks import OTHERS, LooksAtRest
from tracker.explain.tracklets import tracklets
from vision.observation import ImageObservations, Observation

RED = tuple(0.0 if k == 1 else -6.0 for k in range(8))


def look(confidence: float, sigma_mm: float, x_mm: float = 0.0) -> Observation:
    return Observation(x_mm, 900.0, sigma_mm, 0.0, 0.0, RED, confidence)


@given(st.lists(st.tuples(st.floats(0.35, 1.0), st.floats(0.1, 5.0)), max_size=300))
def test_other_cameras_count_for_half_at_least(looks: list[tuple[float, float]]) -> None:
    """However many looks a recording has: a ball on its way looks otherwise than one at rest."""
    seen = LooksAtRest()
    for confidence, sigma_mm in looks:
        seen.add(look(confidence, sigma_mm), missed=False)
    others = np.array(priors.BALL_FREE[0][1])
    assert seen.shares().sum() == pytest.approx(1.0, abs=0.01)
    assert (seen.shares() >= 0.5 * others - 1e-12).all()
    assert 0.5 * priors.MISSED_AT_REST <= seen.missed_share() <= priors.MISSED_AT_REST


def test_weak_looks_are_a_ball_where_this_camera_sees_balls_so() -> None:
    """Television's end view has balls at rest with 0.6 and 2 mm, as clutter looks from above."""
    images = [ImageObservations(k, k / 25, (look(0.6, 2.0, 20.0 * k),), None, None) for k in range(6)]
    found, views = arrays(images)
    (piece,) = tracklets(found, views)
    seen = LooksAtRest()
    unknown = Likelihood(found, views, SNOOKER_TABLE, seen).gain(piece)
    for _ in range(OTHERS):
        seen.add(look(0.6, 2.0), missed=False)
    assert Likelihood(found, views, SNOOKER_TABLE, seen).gain(piece) > unknown + 4.0
    assert Likelihood(found, views, SNOOKER_TABLE).gain(piece) == unknown


def test_a_camera_that_misses_balls_at_rest_says_less_by_missing_one() -> None:
    seen = LooksAtRest()
    for k in range(OTHERS):
        seen.add(look(0.9, 0.4), missed=k % 10 == 0)
    assert seen.missed_share() == pytest.approx(0.5 * (0.1 + priors.MISSED_AT_REST))
