"""Whatever the observer says, the tracker neither fails nor keeps on growing."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.events import FirstContact, StrokeRecord
from vision.observation import BALL_CLASSES, CellMask, ImageObservations, Observation


def nonsense(rng: np.random.Generator, index: int, t_s: float) -> ImageObservations:
    """Random balls anywhere with random colours, looks, covers and repeats."""

    def mask(share: float) -> CellMask:
        bits = (rng.random(32 * 60) < share).astype(np.uint8).tobytes()
        return CellMask(-1017.0, -128.0, 64.0, 32, 60, bits)

    def ball() -> Observation:
        lp = rng.normal(0, 3, len(BALL_CLASSES))
        lp -= np.log(np.exp(lp).sum())
        return Observation(
            float(rng.uniform(-950, 950)),
            float(rng.uniform(-60, 3630)),
            float(rng.uniform(0.1, 5)),
            0.0,
            0.0,
            tuple(float(v) for v in lp),
            float(rng.random()),
        )

    seen = tuple(ball() for _ in range(int(rng.integers(0, 26))))
    return ImageObservations(
        index,
        t_s,
        seen,
        None if rng.random() < 0.2 else mask(rng.random()),
        mask(0.2) if rng.random() < 0.4 else None,
        bool(rng.random() < 0.1),
    )


@pytest.mark.parametrize("seed", range(6))
def test_nonsense_in_no_failure_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tracker = Tracker(SNOOKER_TABLE)
    events = []
    t = 0.0
    for i in range(250):
        t += float(rng.choice([0.02, 0.04, 0.5], p=[0.5, 0.45, 0.05]))
        events += tracker.feed(nonsense(rng, i, t))
    events += tracker.close()
    assert len(tracker.follower.tentatives.items) <= 60
    for e in events:
        if isinstance(e, StrokeRecord):
            assert e.first_contact and all(isinstance(f, FirstContact) for f in e.first_contact)
            assert sum(f.weight for f in e.first_contact) == pytest.approx(1.0)
            assert e.end_s >= e.start_s
            names = [p.ball for p in e.before]
            assert len(set(names)) == len(names)


def test_no_observation_at_all() -> None:
    tracker = Tracker(SNOOKER_TABLE)
    events = [e for i in range(50) for e in tracker.feed(ImageObservations(i, i / 25, (), None, None))]
    assert events + tracker.close() == []
