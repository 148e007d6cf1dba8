"""Simulated strokes, observed with noise, losses, false balls and colour confusions, against their truth."""

from __future__ import annotations

import numpy as np
import pytest
from tracker_lab.observer import Noise, Observer, Truth, kind
from tracker_lab.scoring import report, run, score
from tracker_lab.simulation import match, simulate

from calibration.table.specs import SNOOKER_TABLE, small_table
from tracker import Tracker
from tracker.events import StrokeRecord, TrackerEvent, TrackRow
from vision.observation import ImageObservations


@pytest.fixture(scope="module", params=[(3, 25.0), (11, 50.0)])
def played(request: pytest.FixtureRequest) -> Truth:
    seed, rate = request.param
    return match(SNOOKER_TABLE, np.random.default_rng(seed), 3, rate, reds=5)


@pytest.fixture(scope="module")
def images(played: Truth) -> list[ImageObservations]:
    return list(Observer(played, Noise(), 1).images())


@pytest.fixture(scope="module")
def events(played: Truth, images: list[ImageObservations]) -> list[TrackerEvent]:
    """What the tracker says, once for the tests that only look at it."""
    return run(images, Tracker(played.table))


def test_every_stroke_with_its_first_contact_pots_and_layouts(
    played: Truth, events: list[TrackerEvent]
) -> None:
    s = score(played, events)
    text = report(s) + "\n" + "\n".join(s.notes)
    assert s.matched == s.strokes == s.seen, text
    assert s.first_right == s.strokes, text
    assert s.certain_wrong == 0, text
    assert s.pots_right == s.pots and s.pots_false == 0, text
    assert s.layouts_right == 2 * s.strokes, text
    assert sorted(s.rest_mm)[len(s.rest_mm) // 2] < 1.0, text


def test_contact_times_are_better_than_the_image_interval(played: Truth) -> None:
    s = score(played, run(Observer(played, Noise(sigma_mm=0.4), 2).images(), Tracker(played.table)))
    assert s.first_ms, s.notes
    errors = sorted(abs(v) for v in s.first_ms)
    interval_ms = 1000 * float(played.t[1] - played.t[0])
    assert errors[len(errors) // 2] < 0.2 * interval_ms, s.first_ms


def test_same_observations_same_events(
    played: Truth, images: list[ImageObservations], events: list[TrackerEvent]
) -> None:
    assert run(images, Tracker(played.table)) == events


def test_a_row_for_each_ball_in_each_image_while_it_moves(played: Truth, events: list[TrackerEvent]) -> None:
    rows = [e for e in events if isinstance(e, TrackRow)]
    interval = float(played.t[1] - played.t[0])
    lost = n = 0
    for k, name in enumerate(played.names):
        mine = np.array([(r.t_s, r.x_mm, r.y_mm) for r in rows if kind(r.ball) == kind(name)])
        for i in range(1, len(played.t) - 1):
            v = np.linalg.norm(played.xy[i + 1, k] - played.xy[i - 1, k]) / (2 * interval)
            if np.isnan(v) or v < 30:
                continue
            near = mine[np.abs(mine[:, 0] - played.t[i]) < interval / 2]
            n += 1
            lost += len(near) == 0 or np.linalg.norm(near[:, 1:] - played.xy[i, k], axis=1).min() > 15
    assert n > 100
    assert lost <= 0.02 * n, (lost, n)


def test_still_images_bring_no_event_and_no_state(played: Truth) -> None:
    tracker = Tracker(played.table)
    images = list(Observer(played, Noise(false=0.0), 5).images())
    quiet = [i for i in images if i.t_s < played.events[0]["t_strike"] - 1.0]
    for image in quiet:
        assert not [e for e in tracker.feed(image) if isinstance(e, StrokeRecord)]
    assert tracker.span is None


def test_small_table_in_thirty_images_a_second() -> None:
    """Straight into a centre pocket, on the table of the real clips (1881 x 943 mm, balls of 52.3 mm)."""
    table = small_table(1881.0, 943.0, 52.3)
    layout = {"white": (100.0, 700.0), "red_01": (250.0, 800.0)}
    pocket = table.pocket("CR")
    ghost = (
        np.array(layout["red_01"])
        - (np.array([pocket.x_mm, pocket.y_mm]) - layout["red_01"])
        / np.linalg.norm(np.array([pocket.x_mm, pocket.y_mm]) - layout["red_01"])
        * table.ball_diameter_mm
    )
    d = ghost - np.array(layout["white"])
    stroke = simulate(table, layout, float(np.arctan2(d[1], d[0])), 1200.0, 0.3)
    assert [p[:2] for p in stroke.pots] == [("red_01", "CR")]
    t = np.arange(int((stroke.duration_s + 3) * 30)) / 30
    at = np.clip(((t - 1.0) / 0.0005).astype(int), 0, len(stroke.path) - 1)
    truth = Truth(table, t, list(layout), stroke.path[at])
    events = run(Observer(truth, Noise(), 6).images(), Tracker(table))
    (record,) = [e for e in events if isinstance(e, StrokeRecord)]
    assert [(p.ball, p.pocket) for p in record.pots] == [("red_1", "CR")]
    assert record.first_contact[0].ball == "red_1"
    assert record.first_contact[0].t_s == pytest.approx(1.0 + stroke.contacts[0][2], abs=0.01)
    assert abs(record.pots[0].t_s - (1.0 + stroke.pots[0][2])) < 0.03
