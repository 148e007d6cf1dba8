"""How far from a cushion's face, as calibrated, a ball is found to have turned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.table.specs import CUSHIONS, SNOOKER_TABLE, CushionName
from tracker.events import Turn
from tracker.explain.trajectory import Event, Way
from tracker.explain.turns import turn_at
from tracker.place import Point
from tracker.stroke.paths import fit

R, W, L = SNOOKER_TABLE.ball_radius_mm, SNOOKER_TABLE.half_width_mm, SNOOKER_TABLE.length_mm
SIGMA_MM = 0.4
FACES = {
    "bottom": (0.0, R, 0.0, 1.0),
    "top": (0.0, L - R, 0.0, -1.0),
    "left": (-W + R, L / 3, 1.0, 0.0),
    "right": (W - R, L / 3, -1.0, 0.0),
}
"""Of each cushion a place at which a ball touches it, and the direction away from it."""


def bounce(
    cushion: CushionName,
    into_mm_s: float,
    aside_mm_s: float = 150.0,
    short_mm: float = 0.0,
    rate_hz: float = 25.0,
    phase: float = 0.5,
    kept: float = 0.75,
    count: int = 6,
    noise: np.random.Generator | None = None,
) -> tuple[Way, Event]:
    """A ball's way into a cushion and out, seen in images between two of which it turns, `short_mm` short of
    touching the face; `kept`: of its speed across it.
    """
    x0, y0, nx, ny = FACES[cushion]
    x0, y0 = x0 + short_mm * nx, y0 + short_mm * ny
    t = (np.arange(-count, count) + phase) / rate_hz
    across = np.where(t < 0, -into_mm_s * t, kept * into_mm_s * t)
    xy = np.stack((x0 + across * nx + aside_mm_s * t * ny, y0 + across * ny + aside_mm_s * t * nx), axis=1)
    if noise is not None:
        xy = xy + noise.normal(0.0, SIGMA_MM, xy.shape)
    sigma = np.full(len(t), SIGMA_MM)
    a, b = fit(t[:count], xy[:count], sigma[:count]), fit(t[count:], xy[count:], sigma[count:])
    event = Event("bend", 0.3 / rate_hz * (phase - 0.5), 0.002, a.last_s, b.first_s, a, b, (0.0, 0.0), 1.0)
    seen = tuple(Point(-1, float(s), float(x), float(y), SIGMA_MM) for s, (x, y) in zip(t, xy, strict=True))
    return Way((*xy[0], SIGMA_MM), (*xy[-1], SIGMA_MM), (a, b), (event,), float(t[-1]), seen=seen), event


def turned(cushion: CushionName, way: Way, event: Event) -> Turn:
    found = turn_at(way, event, cushion, R, SNOOKER_TABLE)
    assert found is not None
    return found


@given(
    cushion=st.sampled_from(CUSHIONS),
    into_mm_s=st.floats(60.0, 4000.0),
    aside_mm_s=st.floats(-1000.0, 1000.0),
    short_mm=st.floats(-15.0, 15.0),
    rate_hz=st.sampled_from((25.0, 30.0, 50.0, 60.0)),
    phase=st.floats(0.05, 0.95),
)
def test_a_ball_turns_where_its_ways_across_the_face_cross(
    cushion: CushionName, into_mm_s: float, aside_mm_s: float, short_mm: float, rate_hz: float, phase: float
) -> None:
    way, event = bounce(cushion, into_mm_s, aside_mm_s, short_mm, rate_hz, phase)
    found = turned(cushion, way, event)
    assert found.off_mm == pytest.approx(short_mm, abs=0.02)
    assert found.into_mm_s == pytest.approx(into_mm_s, rel=0.01)


@given(cushion=st.sampled_from(CUSHIONS), seed=st.integers(0, 10_000))
def test_its_error_is_that_of_the_looks(cushion: CushionName, seed: int) -> None:
    way, event = bounce(cushion, 600.0, noise=np.random.default_rng(seed))
    found = turned(cushion, way, event)
    assert SIGMA_MM <= found.sigma_mm < 3 * SIGMA_MM
    assert abs(found.off_mm) < 5 * found.sigma_mm


@given(narrower_mm=st.floats(-20.0, 20.0))
def test_a_table_read_too_narrow_has_balls_turn_beyond_its_face(narrower_mm: float) -> None:
    way, event = bounce("left", 500.0)
    narrow = replace(SNOOKER_TABLE, width_mm=SNOOKER_TABLE.width_mm - 2 * narrower_mm)
    found = turn_at(way, event, "left", R, narrow)
    assert found is not None
    assert found.off_mm == pytest.approx(-narrower_mm, abs=0.02)


def test_two_looks_before_a_bounce_tell_nothing() -> None:
    way, event = bounce("top", 500.0)
    few = replace(way, seen=way.seen[4:])
    assert turn_at(few, event, "top", R, SNOOKER_TABLE) is None


def test_looks_before_another_event_are_none_of_the_bounce() -> None:
    way, event = bounce("top", 500.0)
    contact = replace(event, t_s=way.seen[3].t_s + 0.001)
    assert turn_at(replace(way, events=(contact, event)), event, "top", R, SNOOKER_TABLE) is None


def test_a_ball_half_under_an_arm_tells_nothing() -> None:
    way, event = bounce("top", 500.0)
    covered = tuple(replace(p, near_cover=True) if k == 5 else p for k, p in enumerate(way.seen))
    assert turn_at(replace(way, seen=covered), event, "top", R, SNOOKER_TABLE) is None


def test_a_ball_that_runs_along_a_cushion_does_not_turn_there() -> None:
    way, event = bounce("left", 5.0, aside_mm_s=800.0)
    assert turn_at(way, event, "left", R, SNOOKER_TABLE) is None


def test_a_ball_that_slides_after_a_bounce_is_found_within_a_millimetre() -> None:
    """Friction of 0.2 g slows it for 0.1 s."""
    way, event = bounce("top", 800.0)
    slid = []
    for p in way.seen:
        slides_s = min(max(p.t_s, 0.0), 0.1)
        back_mm = 0.5 * 1962.0 * slides_s * (2 * p.t_s - slides_s)
        slid.append(replace(p, y_mm=p.y_mm + back_mm))
    assert abs(turned("top", replace(way, seen=tuple(slid)), event).off_mm) < 1.0
