"""A stroke's replay says what its tracks show: speeds, angles, spin that bends a way, and nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from match_fixture import layout, stroke

from calibration.table.specs import SNOOKER_TABLE
from referee.outputs.replay import replay_json, replay_of
from referee.outputs.tracks import BallPath, Tracks
from referee.outputs.words import PLAIN
from referee.quality.bench.tracks.physics import Flown, NoseShape, fly
from vision.render.play.physics import Stroke as Struck

START_S, HIT_S, STEP_S = 10.0, 10.5, 0.02


def path(ball: str, legs: list[tuple[float, float, tuple[float, float], tuple[float, float]]]) -> BallPath:
    """Straight legs: from, to, place at the beginning, velocity."""
    rows = [
        (t0 + k * STEP_S, (x + vx * k * STEP_S, y + vy * k * STEP_S))
        for t0, t1, (x, y), (vx, vy) in legs
        for k in range(round((t1 - t0) / STEP_S))
    ]
    return BallPath(ball, tuple(t for t, _ in rows), tuple(p for _, p in rows), ("moving",) * len(rows))


def played(tracks: Tracks, ends: float = 12.0, **more: object) -> dict[str, object]:
    contact = {"balls": ["white", "red_1"], "t_s": HIT_S, "confidence": 1.0}
    first = {"ball": "red_1", "t_s": HIT_S, "confidence": 1.0}
    return stroke(
        1, start_s=START_S, end_s=ends, contacts=[contact], first_contact=first, before=layout(), **more
    )


def cut_at(
    angle_deg: float, speed: float = 2000.0, bend_deg: float = 0.0
) -> tuple[dict[str, object], Tracks]:
    """A cue-ball up the table meets a red at an angle (equal masses, no loss); then its way bends forward."""
    a = math.radians(angle_deg)
    red = (speed * math.cos(a) * math.sin(a), speed * math.cos(a) ** 2)
    white = (-red[0], speed - red[1])
    off = math.radians(90.0 - angle_deg - bend_deg)
    last = (-math.hypot(*white) * math.sin(off), math.hypot(*white) * math.cos(off))
    at = (0.0, 1000.0 + speed * (HIT_S - START_S))
    turned_s = HIT_S + 0.4
    turn = (at[0] + white[0] * 0.4, at[1] + white[1] * 0.4)
    tracks = {
        "white": path(
            "white",
            [
                (START_S, HIT_S, (0.0, 1000.0), (0.0, speed)),
                (HIT_S, turned_s, at, white),
                (turned_s, 12.0, turn, last),
            ],
        ),
        "red_1": path("red_1", [(HIT_S, 12.0, at, red)]),
    }
    return played(tracks), tracks


@given(st.floats(10.0, 70.0), st.floats(500.0, 6000.0))
def test_a_cut_is_read_off_the_ways_of_both_balls(angle_deg: float, speed: float) -> None:
    s, tracks = cut_at(angle_deg, speed)
    found = replay_of(s, tracks)
    assert found.strike is not None and found.strike.speed_mm_s == pytest.approx(speed, rel=1e-3)
    assert found.contact is not None and found.contact.cut_deg == pytest.approx(angle_deg, abs=0.5)
    assert found.contact.ball_after is not None
    assert found.contact.ball_after.speed_mm_s == pytest.approx(
        speed * math.cos(math.radians(angle_deg)), rel=1e-2
    )
    assert found.contact.spin == "none"  # the cue-ball leaves along the tangent and goes on straight


@pytest.mark.parametrize(("bend_deg", "spin"), [(12.0, "follow"), (-12.0, "draw"), (1.0, "none")])
def test_spin_is_named_only_where_it_bends_the_cue_balls_way(bend_deg: float, spin: str) -> None:
    s, tracks = cut_at(40.0, bend_deg=bend_deg)
    contact = replay_of(s, tracks).contact
    assert contact is not None and contact.spin == spin
    assert contact.bend_deg == pytest.approx(bend_deg, abs=1.0)


@pytest.mark.parametrize(("after", "spin"), [(0.0, "stun"), (700.0, "follow"), (-700.0, "draw")])
def test_a_straight_contact_shows_stun_follow_or_draw_by_the_cue_balls_way(after: float, spin: str) -> None:
    at = (0.0, 2000.0)
    legs = [(START_S, HIT_S, (0.0, 1000.0), (0.0, 2000.0))]
    legs += [(HIT_S, 11.5, at, (0.0, after))] if after else []
    tracks = {"white": path("white", legs), "red_1": path("red_1", [(HIT_S, 11.5, at, (0.0, 1900.0))])}
    contact = replay_of(played(tracks), tracks).contact
    assert contact is not None and contact.spin == spin


def test_a_red_that_meets_a_cushion_at_once_unseen_has_no_cut_angle() -> None:
    """Its way is not that of the contact: speed and angle do not go together."""
    s, tracks = cut_at(30.0)
    tracks["red_1"] = path("red_1", [(HIT_S, 11.5, (0.0, 2000.0), (1700.0, 100.0))])
    contact = replay_of(s, tracks).contact
    assert contact is not None and contact.cut_deg is None


def test_a_cushion_is_told_by_its_angles_from_straight_on() -> None:
    legs = [
        (START_S, 10.6, (-500.0, 1000.0), (-600.0, 600.0)),
        (10.6, 12.0, (-860.0, 1360.0), (500.0, 300.0)),
    ]
    tracks = {"white": path("white", legs)}
    s = stroke(
        1,
        start_s=START_S,
        end_s=12.0,
        first_contact=None,
        contacts=[],
        cushions=[{"ball": "white", "cushion": "left", "t_s": 10.6, "confidence": 1.0}],
    )
    [bounce] = replay_of(s, tracks).bounces
    assert bounce.in_deg == pytest.approx(45.0, abs=0.5)
    assert bounce.out_deg == pytest.approx(math.degrees(math.atan2(300, 500)), abs=0.5)
    words = replay_json(s, tracks, PLAIN)["events"][0]["words"]
    assert "45°" in words and "0.85 to 0.58 m/s" in words


def test_speeds_do_not_run_over_a_contact() -> None:
    s, tracks = cut_at(60.0, 3000.0)
    speeds = dict(replay_of(s, tracks).speeds["white"])
    before = [v for t, v in speeds.items() if t < HIT_S - 1e-6]
    after = [v for t, v in speeds.items() if t >= HIT_S + 1e-6]
    assert min(before) == pytest.approx(3000.0, rel=1e-3)
    assert max(after) == pytest.approx(3000.0 * math.sin(math.radians(60.0)), rel=1e-2)


def test_every_ball_of_the_layout_is_shown_once_moving_or_still() -> None:
    s, tracks = cut_at(45.0)
    s["before"] = {**layout((0.0, 1000.0), 2), "red": [[0.0, 2000.0, 1.0], [400.0, 2000.0, 1.0]]}
    shown = replay_json(s, tracks, PLAIN)
    assert [b["ball"] for b in shown["balls"]] == ["white", "red_1"]
    assert sorted(c for c, _, _ in shown["still"]) == sorted(
        ["black", "blue", "brown", "green", "pink", "red", "yellow"]
    )


def test_a_fast_ball_that_is_first_seen_late_is_not_shown_twice() -> None:
    s, tracks = cut_at(30.0, 4400.0)
    s["before"] = {**layout((0.0, 1000.0), 1), "red": [[0.0, 3000.0, 1.0], [400.0, 2000.0, 1.0]]}
    white = tracks["white"]
    tracks["white"] = BallPath("white", white.t_s[2:], white.xy_mm[2:], white.state[2:])  # 176 mm on its way
    still = [c for c, _, _ in replay_json(s, tracks, PLAIN)["still"]]
    assert "white" not in still and still.count("red") == 1


def test_the_cue_ball_meets_the_object_ball_whatever_the_order_in_the_record() -> None:
    s, tracks = cut_at(30.0)
    s["contacts"][0]["balls"] = ["red_1", "white"]  # type: ignore[index]
    assert replay_json(s, tracks, PLAIN)["events"][0]["words"].startswith("cue-ball")


def test_a_stroke_without_paths_or_times_has_an_empty_replay() -> None:
    found = replay_json(stroke(1, first_contact=None, contacts=[]), {}, PLAIN)
    assert found["balls"] == [] and found["figures"] == []


def flown(cut_deg: float, speed: float, follow: float, seed: int) -> tuple[Flown, dict[str, object], Tracks]:
    """A stroke of the bench's physics (sliding, rolling, throw of contacts), seen at 50 Hz with 0.3 mm."""
    radius = SNOOKER_TABLE.ball_radius_mm
    ghost = (0.0, 1600.0)  # where the cue-ball's centre is at the contact
    line = math.radians(90.0 - cut_deg)
    red = (ghost[0] + 2 * radius * math.cos(line), ghost[1] + 2 * radius * math.sin(line))
    start = {"white": (0.0, 1000.0), "red_1": red}
    found = fly(start, Struck(math.pi / 2, speed, follow), NoseShape(SNOOKER_TABLE))
    rng = np.random.default_rng(seed)
    tracks = {}
    for ball, pieces in found.paths.items():
        times = np.arange(pieces[0].t0_s, pieces[-1].t1_s, STEP_S)
        at = [next(p for p in pieces if t <= p.t1_s).at(float(t)) for t in times]
        seen = np.array(at) + rng.normal(0.0, 0.3, (len(at), 2))
        tracks[ball] = BallPath(
            ball,
            tuple(float(START_S + t) for t in times),
            tuple((float(x), float(y)) for x, y in seen),
            ("moving",) * len(times),
        )
    first = next(t for a, b, t in found.contacts if {a, b} == {"white", "red_1"})
    s = stroke(
        1,
        start_s=START_S,
        end_s=START_S + found.rest_s,
        contacts=[{"balls": ["white", "red_1"], "t_s": START_S + first, "confidence": 1.0}],
        first_contact={"ball": "red_1", "t_s": START_S + first, "confidence": 1.0},
        cushions=[
            {"ball": b, "cushion": "top", "t_s": START_S + t, "confidence": 1.0} for b, t in found.cushions
        ],
        before={"white": [[0.0, 1000.0, 0.3]], "red": [[*red, 0.3]]},
    )
    return found, s, tracks


@pytest.mark.parametrize("speed", [1200.0, 2500.0, 5000.0])
@pytest.mark.parametrize("cut_deg", [15.0, 30.0, 50.0])
def test_speeds_and_cut_are_those_of_the_simulated_balls(cut_deg: float, speed: float) -> None:
    found, s, tracks = flown(cut_deg, speed, 0.5, 7)
    shown = replay_of(s, tracks)
    assert shown.strike is not None and shown.contact is not None
    hit = shown.contact.t_s - START_S
    incoming = next(p for p in found.paths["white"] if p.t1_s >= hit - 1e-9).velocity(hit)
    leaving = found.paths["red_1"][0].velocity(hit)
    assert shown.strike.speed_mm_s == pytest.approx(speed, rel=0.04)  # sliding may end within the piece
    assert shown.contact.before.speed_mm_s == pytest.approx(math.hypot(*incoming), rel=0.02)
    assert shown.contact.ball_after is not None and shown.contact.cut_deg is not None
    assert shown.contact.ball_after.speed_mm_s == pytest.approx(math.hypot(*leaving), rel=0.03, abs=45)
    turned = math.degrees(math.atan2(leaving[1], leaving[0]) - math.atan2(incoming[1], incoming[0]))
    assert shown.contact.cut_deg == pytest.approx(abs(turned), abs=3 * (shown.contact.cut_sigma_deg or 0) + 1)


@pytest.mark.parametrize(("follow", "spin"), [(1.0, "follow"), (-1.0, "draw")])
def test_spin_of_a_simulated_ball_is_named_as_it_was_played(follow: float, spin: str) -> None:
    _, s, tracks = flown(30.0, 2500.0, follow, 3)
    contact = replay_of(s, tracks).contact
    assert contact is not None and contact.spin == spin
