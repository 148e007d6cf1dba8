"""A cue-ball that looks like another ball: its stroke is told by what it does to the balls."""

from __future__ import annotations

import math

import pytest

from calibration.table.pieces import POOL_15
from calibration.table.specs import WPA_TABLE
from tracker import Tracker
from tracker.events import HandMove, StrokeRecord, TrackerEvent
from vision.observation import ImageObservations, Observation

DT_S = 0.02
STILL_S, END_S = 1.0, 6.0
SLOWING_MM_S2 = 100.0
SPEED_MM_S = 500.0
Place = tuple[float, float]


def seen(place: Place, **looks: float) -> Observation:
    logp = tuple(looks.get(f"b{k}" if k.isdigit() else k, -6.0) for k in POOL_15.names)
    return Observation(*place, 1.0, 0.0, 0.0, logp, 0.9)


def rolled(begun_s: float, t_s: float, speed_mm_s: float) -> float:
    """Way (mm) of a ball that rolls out from `begun_s` on."""
    t = min(max(t_s - begun_s, 0.0), speed_mm_s / SLOWING_MM_S2)
    return speed_mm_s * t - SLOWING_MM_S2 * t * t / 2


def played(second_y_mm: float | None, looks_cue: bool = False) -> list[TrackerEvent]:
    """A ball (0, 600) that looks like the 9 rolls up the table, into the 3 at `second_y_mm` if there is one.

    Another ball, which lies still, looks like the cue-ball; or the rolling one does (`looks_cue`).
    """
    pale = {"cue": 0.0, "b9": -3.0} if looks_cue else {"b9": 0.0, "cue": -3.0}
    still = {"b14": 0.0, "cue": -4.0} if looks_cue else {"cue": 0.0, "b14": -1.0}
    tracker, events = Tracker(WPA_TABLE, POOL_15), []
    for k in range(int(END_S / DT_S)):
        t_s = k * DT_S
        way = rolled(STILL_S, t_s, SPEED_MM_S)
        balls = [seen((300.0, 2000.0), **still), seen((-400.0, 1500.0), b6=0.0)]
        if second_y_mm is not None:
            gap = second_y_mm - 600.0 - WPA_TABLE.ball_diameter_mm
            left = SPEED_MM_S**2 - 2 * SLOWING_MM_S2 * gap
            met_s = STILL_S + (SPEED_MM_S - math.sqrt(left)) / SLOWING_MM_S2
            on = rolled(met_s, t_s, 0.9 * math.sqrt(left))
            balls.append(seen((0.0, second_y_mm + on), b3=0.0))
            way = min(way, gap) + rolled(met_s, t_s, 0.1 * math.sqrt(left))
        balls.append(seen((0.0, 600.0 + way), **pale))
        events += tracker.feed(ImageObservations(k, t_s, tuple(balls), None, None))
    return events + tracker.close()


def test_a_ball_that_drives_another_off_is_the_cue_ball_and_the_stroke_is_doubtful() -> None:
    events = played(1000.0)
    (stroke,) = (e for e in events if isinstance(e, StrokeRecord))
    assert stroke.cue_doubtful
    assert stroke.first_contact[0].ball == "3"
    before = {b.ball: (b.x_mm, b.y_mm) for b in stroke.before}
    assert before["cue"] == pytest.approx((0.0, 600.0), abs=1.0)
    assert before["14"] == pytest.approx((300.0, 2000.0), abs=1.0), "its name was the cue-ball's"
    assert {b.ball for b in stroke.after} == {"cue", "14", "6", "3"}
    assert not [e for e in events if isinstance(e, HandMove)]


def test_a_ball_that_rolls_alone_may_be_a_hands_doing() -> None:
    events = played(None)
    assert not [e for e in events if isinstance(e, StrokeRecord)]
    assert [e.ball for e in events if isinstance(e, HandMove)] == ["9"]


def test_a_cue_ball_of_its_own_looks_leaves_no_doubt_of_it() -> None:
    (stroke,) = (e for e in played(1000.0, looks_cue=True) if isinstance(e, StrokeRecord))
    assert not stroke.cue_doubtful and stroke.first_contact[0].ball == "3"
