"""Time that is missing though no clock says so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from explain_lab.scenes import after, film, rolling, still

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.events import Gap, StrokeRecord
from tracker.explain.lost_time import Lost
from tracker.explain.solver import solve
from vision.observation import ImageObservations

D = SNOOKER_TABLE.ball_diameter_mm


def stroke() -> list[ImageObservations]:
    """White strikes a red full, which rolls into the top right pocket; white stops there."""
    white = rolling(393.0, 2300.0, 0.0, 2000.0, 0.5)
    hit_s = next(k / 1000 for k in range(500, 3000) if (white(k / 1000) or (0.0, 0.0))[1] >= 2900.0)
    at = white(hit_s)
    assert at is not None
    red = rolling(at[0], at[1] + D, 1050.0, 1300.0, hit_s, until_s=hit_s + 0.45)
    balls = {"white": after(white, hit_s, still(*at)), "red_1": red, "black": still(0.0, 3245.0)}
    return film(balls, until_s=4.0)


def cut(images: list[ImageObservations], at_s: float, lost_s: float) -> list[ImageObservations]:
    """Without `lost_s`, and with the clock of a recording that counts its images."""
    kept = (i for i in images if not at_s < i.t_s <= at_s + lost_s)
    return [replace(i, t_s=i.t_s - lost_s) if i.t_s > at_s else i for i in kept]


def test_a_ball_that_is_further_away_than_any_ball_goes_tells_of_lost_time() -> None:
    images = cut(stroke(), 0.55, 1.2)
    found = solve(images, SNOOKER_TABLE)
    lost = [e for e in found if e.lost is not None]
    assert sum(e.weight for e in lost) > 0.5
    assert lost[0].lost is not None and lost[0].lost.at_s == pytest.approx(0.55, abs=0.05)
    assert all(i.t_s <= images[-1].t_s for e in lost for i in e.interactions)  # told by the recording's clock


def test_a_stroke_that_lost_time_is_asked_about_as_a_whole() -> None:
    tracker = Tracker(SNOOKER_TABLE)
    events = [e for i in cut(stroke(), 0.55, 1.2) for e in tracker.feed(i)] + tracker.close()
    strokes = [e for e in events if isinstance(e, StrokeRecord)]
    assert strokes and all(s.unseen for s in strokes)
    assert any(isinstance(e, Gap) and e.reason == "images_lost" for e in events)


def test_of_a_whole_recording_no_time_is_missing() -> None:
    assert all(e.lost is None for e in solve(stroke(), SNOOKER_TABLE))


def test_time_behind_a_loss_is_told_as_the_recording_shows_it() -> None:
    lost = Lost(2.0, 0.5)
    assert [lost.shown_s(t) for t in (1.0, 2.0, 2.3, 3.0)] == [1.0, 2.0, 2.0, 2.5]
    times = [
        i.t_s for i in lost.later([ImageObservations(k, t, (), None, None) for k, t in enumerate((1.0, 2.5))])
    ]
    assert times == [1.0, 3.0] and [lost.shown_s(t) for t in times] == [1.0, 2.5]
