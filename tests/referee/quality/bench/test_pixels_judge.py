"""What the bench counts as right, missed, extra, wrong, hidden: with layouts, clips and calibrations of known
faults.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from calibration.camera import Camera
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import SNOOKER_TABLE
from referee.outputs.document import Match
from referee.quality.bench.pixels.baseline import hough_balls
from referee.quality.bench.pixels.film import ClipTruth, TrueMotion
from referee.quality.bench.pixels.judge import (
    Moment,
    SaidBall,
    TrueBall,
    judge_calibration,
    judge_layout,
    judge_touching,
    pairs,
)
from referee.quality.bench.pixels.judge_clip import Reviewed, judge_clip
from referee.quality.bench.pixels.judge_tracks import Row, judge_tracks
from referee.quality.bench.pixels.knock import turned
from referee.quality.bench.records import (
    BallAtRest,
    BallInMotion,
    ExtraBall,
    Fact,
    FirstContact,
    Identity,
    LayoutJudged,
    Pot,
    Record,
    Respot,
    StrokeJudged,
    TouchingPair,
    Where,
    from_line,
    to_line,
)
from vision.observation import GapSeen
from vision.render.cameras import look_at, make_camera
from vision.render.play.director import HandEvent, Script, StrokeEvent
from vision.render.play.match import PlayedStroke
from vision.render.play.physics import Flight, Stroke

TABLE = SNOOKER_TABLE
WHERE = Where(
    0, 1, "clip", 0, "tubes", "green", 1280, 720, 25.0, 0.004, 3.0, 2500.0, 3.0, 80.0, "h264", "all"
)
AT = (0.0, 1784.5, 2600.0)
CAMERA = make_camera(1280, 720, 760.0, (0.0, 0.0), AT, look_at(AT, (0.0, 1784.5, 0.0), 0.0))
TRUE = [
    TrueBall("white", 0.0, 500.0, 1.0),
    TrueBall("red", 100.0, 900.0, 1.0),
    TrueBall("blue", 0.0, 1784.0, 1.0),
    TrueBall("black", 0.0, 3245.0, 0.1),
]


def judged(said: list[SaidBall]) -> tuple[LayoutJudged, list[Record]]:
    out = judge_layout(Moment(WHERE, 0, "cueref", CAMERA), TRUE, said)
    return next(r for r in out if isinstance(r, LayoutJudged)), out


def right() -> list[SaidBall]:
    return [SaidBall(b.colour, b.x_mm + 0.6, b.y_mm - 0.8, 0.5) for b in TRUE[:3]]


def test_a_layout_is_right_when_every_ball_in_sight_is_and_what_nobody_sees_counts_apart() -> None:
    layout, records = judged(right())
    assert layout.right and (layout.balls, layout.hidden, layout.missed) == (4, 1, 0)
    ball = next(r for r in records if isinstance(r, BallAtRest) and r.colour == "red")
    assert (ball.dx_mm, ball.dy_mm) == (
        pytest.approx(0.6),
        pytest.approx(-0.8),
    ) and ball.gap_mm == pytest.approx(412.31 - 52.5, abs=0.01)
    # a hidden ball that is said all the same is neither extra nor missed
    assert judged([*right(), SaidBall("black", 1.0, 3245.0, 2.0)])[0].right


@pytest.mark.parametrize(
    ("said", "missed", "extra", "wrong"),
    [
        (right()[:2], 1, 0, 0),
        ([*right(), SaidBall("red", 500.0, 500.0, 1.0)], 0, 1, 0),
        ([*right()[:2], SaidBall("green", 0.5, 1784.0, 1.0)], 0, 0, 1),
        ([*right()[:2], SaidBall("blue", 0.0, 1784.0 + 27.0, 1.0)], 1, 1, 0),
    ],
)
def test_each_fault_of_a_layout_is_counted_as_what_it_is(
    said: list[SaidBall], missed: int, extra: int, wrong: int
) -> None:
    layout, records = judged(said)
    assert (layout.missed, layout.extra, layout.wrong_colour, layout.right) == (missed, extra, wrong, False)
    assert sum(isinstance(r, ExtraBall) for r in records) == extra


def test_of_two_said_balls_near_a_true_one_the_colour_decides_before_a_millimetre() -> None:
    said = [SaidBall("red", 0.0, 501.0, 1.0), SaidBall("white", 0.0, 502.5, 1.0)]
    assert pairs([TRUE[0]], said) == [(0, 1)]


def test_touching_is_judged_by_the_gap_between_surfaces() -> None:
    true = [
        TrueBall("white", 0.0, 1000.0, 1.0),
        TrueBall("red", 52.5, 1000.0, 1.0),
        TrueBall("pink", 0.0, 1055.5, 1.0),
    ]
    said = [SaidBall(b.colour, b.x_mm * 1.01, b.y_mm, 0.2) for b in true]
    red, pink = (r for r in judge_touching(WHERE, true, said, TABLE) if isinstance(r, TouchingPair))
    assert red.true_gap_mm == pytest.approx(0.0, abs=1e-9) and red.gap_mm == pytest.approx(0.525)
    assert pink.true_gap_mm == pytest.approx(3.0) and pink.verdict == "no"
    (unseen,) = (r for r in judge_touching(WHERE, true[:2], said[:1], TABLE) if isinstance(r, TouchingPair))
    assert unseen.verdict == "not_seen"
    unsure = [
        SaidBall(b.colour, b.x_mm, b.y_mm, 2.0, 0.5) for b in true
    ]  # where both lie: what they have in common
    _, pink = (r for r in judge_touching(WHERE, true, unsure, TABLE) if isinstance(r, TouchingPair))
    assert pink.sigma_mm == pytest.approx(0.5 * 2**0.5) and pink.verdict == "no"
    measured = [
        GapSeen(1, 0, 0.05, 0.04)
    ]  # on both balls at once: it goes before the distance of their places
    red, pink = (r for r in judge_touching(WHERE, true, said, TABLE, measured) if isinstance(r, TouchingPair))
    assert (red.gap_mm, red.sigma_mm, red.verdict) == (0.05, 0.04, "yes") and pink.gap_mm == pytest.approx(
        3.0
    )


def moved(camera: Camera, dx_mm: float) -> Camera:
    x, y, z = camera.centre_mm
    return make_camera(
        1280, 720, 760.0, (0.0, 0.0), (x + dx_mm, y, z), look_at((x + dx_mm, y, z), (dx_mm, 1784.5, 0.0), 0.0)
    )


def test_a_calibration_is_as_wrong_as_its_camera_is_displaced() -> None:
    sigma = SigmaModel((1.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.1)
    same = judge_calibration(WHERE, CAMERA, TABLE, Calibration(CAMERA, TABLE, 0.1, 0.2, sigma))
    off = judge_calibration(WHERE, CAMERA, TABLE, Calibration(moved(CAMERA, 2.0), TABLE, 0.1, 0.2, sigma))
    assert same.worst_mm is not None and same.worst_mm < 1e-3
    assert off.worst_mm == pytest.approx(2.0, abs=0.01) and off.worst_ratio == pytest.approx(2**0.5, abs=0.01)


START = {"white": (0.0, 500.0), "red_01": (0.0, 1500.0), "blue": (500.0, 1784.5)}


def flight() -> Flight:
    t = np.array([0.0, 0.5, 1.0, 2.0])
    xy = np.array(
        [
            [START["white"], START["red_01"], START["blue"]],
            [(0.0, 1447.5), START["red_01"], START["blue"]],
            [(0.0, 1480.0), (300.0, 1600.0), START["blue"]],
            [(0.0, 1500.0), (np.nan, np.nan), START["blue"]],
        ]
    )
    return Flight(
        ("white", "red_01", "blue"), t, xy, (("white", "red_01", 0.5),), (), (("red_01", "TL", 1.5),), 2.0
    )


def clip(stroke: dict[str, Any], spotting: list[dict[str, Any]] | None = None) -> Reviewed:
    end = {"white": (0.0, 1500.0), "blue": START["blue"]}
    played = PlayedStroke(
        0, "red", None, Stroke(1.57, 2000.0), flight(), dict(START), end, False, 0, 1, (1, 0), (), False
    )
    events = [
        StrokeEvent(2.0, 4.0, played),
        HandEvent(5.0, "pink", (3.0, TABLE.spots["pink"][1] + 4.0), False),
    ]
    script = Script(TABLE, ("blue", "red_01", "white"), dict(START), list(events), 8.0)
    motion = TrueMotion(2.24, 0, "white", 0.0, 1000.0, 1895.0, 1.0)
    truth = ClipTruth(script, 25.0, 200, (motion,), ({},), 1)
    said = {"strokes": [stroke] if stroke else [], "spotting": spotting or []}
    return Reviewed(WHERE, truth, CAMERA, TABLE, cast("Match", said))


def said_stroke(**changes: Any) -> dict[str, Any]:
    before = {"white": [[0.3, 500.0, 0.4]], "red": [[0.0, 1500.0, 0.4]], "blue": [[500.0, 1784.5, 0.4]]}
    after = {"white": [[0.0, 1500.0, 0.4]], "blue": [[500.0, 1784.5, 0.4]]}
    return {
        "start_s": 2.01,
        "end_s": 4.1,
        "before": before,
        "after": after,
        "verdict": "certain",
        "candidates": [],
        "touching": [],
        "first_contact": {"ball": "red_1", "t_s": 2.503, "confidence": 1.0},
        "potted": [{"ball": "red_1", "pocket": "TL", "t_s": 3.5, "confidence": 1.0}],
        "cue_ball": "on_table",
        "cue_ball_pocket": None,
        "ball_on": "red",
        "free_ball": False,
        "striker": "A",
        "foul": None,
        "points": 1,
    } | changes


def test_a_stroke_read_right_gives_only_right_facts() -> None:
    records = judge_clip(clip(said_stroke()))
    facts = [r for r in records if isinstance(r, Fact)]
    assert {f.fact for f in facts} == {"layout", "first_contact", "pot", "ruling"} and all(
        f.right and f.certain for f in facts
    )
    (first,) = (r for r in records if isinstance(r, FirstContact))
    assert first.dt_s == pytest.approx(0.003) and first.allowed_s == 0.005


def test_wrong_facts_of_a_stroke_are_told_apart() -> None:
    wrong = said_stroke(
        potted=[{"ball": "blue", "pocket": "TL", "t_s": 3.5, "confidence": 1.0}],
        points=5,
        first_contact={"ball": "blue", "t_s": 2.5, "confidence": 1.0},
    )
    records = judge_clip(clip(wrong))
    pots = [r for r in records if isinstance(r, Pot)]
    assert [(p.ball, p.true_pocket, p.said_pocket) for p in pots] == [
        ("red", "TL", None),
        ("blue", None, "TL"),
    ]
    assert {f.fact for f in records if isinstance(f, Fact) and f.certain and not f.right} == {
        "first_contact",
        "pot",
        "no_pot",
        "ruling",
    }


def test_a_question_is_not_certain() -> None:
    asked = [
        {"facts": {"first_contact": "red"}, "weight": 0.6},
        {"facts": {"first_contact": "blue"}, "weight": 0.4},
    ]
    records = judge_clip(clip(said_stroke(verdict="call", candidates=asked)))
    (first,) = (r for r in records if isinstance(r, FirstContact))
    assert first.question and not first.certain and first.right


def test_a_colour_that_the_match_says_is_not_seen_is_no_layout_said_for_certain() -> None:
    said = said_stroke()
    del said["before"]["blue"]
    warned = {
        "type": "colour_not_spotted",
        "t_s": said["start_s"],
        "text": "blue should be on the table and is not seen",
    }

    def layout(warnings: list[dict[str, Any]], stroke: dict[str, Any]) -> Fact:
        film = clip(stroke)
        told = replace(film, match=cast("Match", {**film.match, "warnings": warnings}))
        return next(f for f in judge_clip(told) if isinstance(f, Fact) and f.fact == "layout")

    silent, told = layout([], said), layout([warned], said)
    assert (silent.certain, silent.right) == (True, False) and (told.certain, told.right) == (False, False)
    del said["before"]["red"]  # nobody said that
    assert layout([warned], said).certain


def test_a_stroke_that_was_not_seen_loses_its_pots() -> None:
    records = judge_clip(clip({}))
    assert [(r.true_stroke, r.said_stroke) for r in records if isinstance(r, StrokeJudged)] == [(0, None)]
    assert [(p.ball, p.said_pocket) for p in records if isinstance(p, Pot)] == [("red", None)]


def test_a_respot_is_judged_by_its_true_offset() -> None:
    check = {"ball": "pink", "t_s": 5.4, "dx_mm": 3.1, "dy_mm": 4.2, "sigma_mm": 0.5, "ok": False}
    (seen,) = (r for r in judge_clip(clip(said_stroke(), [check])) if isinstance(r, Respot))
    assert seen.true_offset_mm == pytest.approx(5.0) and (seen.verdict, seen.against) == (
        "flagged",
        "computed",
    )
    (lost,) = (r for r in judge_clip(clip(said_stroke())) if isinstance(r, Respot))
    assert lost.verdict == "not_seen"


def tracks(red_after: str) -> dict[str, list[Row]]:
    rest = [
        Row(0.0, 0.0, 500.0, 0.4, "rest"),
        Row(2.24, 1.0, 1002.0, 1.1, "moving"),
        Row(4.1, 0.0, 1500.0, 0.4, "rest"),
    ]
    white, blue = rest, [Row(0.0, 500.0, 1784.5, 0.4, "rest")]
    if red_after == "swapped":
        white, blue = (
            [rest[0], rest[1], Row(4.1, 500.0, 1784.5, 0.4, "rest")],
            [blue[0], Row(4.1, 0.0, 1500.0, 0.4, "rest")],
        )
    return {
        "white": white,
        "blue": blue,
        "red_1": [Row(0.0, 0.0, 1500.0, 0.4, "rest"), Row(3.5, 0.0, 0.0, 25.0, "potted")],
    }


@pytest.mark.parametrize(("kind", "swaps"), [("kept", 0), ("swapped", 2)])
def test_identities_are_followed_from_rest_to_rest(kind: str, swaps: int) -> None:
    records = judge_tracks(clip(said_stroke()), tracks(kind))
    (identity,) = (r for r in records if isinstance(r, Identity))
    assert (identity.balls, identity.swaps) == (2, swaps)
    (moving,) = (r for r in records if isinstance(r, BallInMotion))
    assert (moving.dx_mm, moving.dy_mm, moving.state) == (1.0, 2.0, "moving")


def test_a_record_comes_back_from_its_line_as_it_went() -> None:
    for record in judge_clip(clip(said_stroke())) + judged(right())[1]:
        assert from_line(to_line(record)) == record


def test_the_baseline_finds_plain_discs_on_plain_cloth_and_names_them() -> None:
    picture = np.full((720, 1280, 3), (20, 20, 20), np.uint8)
    cv2.rectangle(picture, (90, 60), (1190, 610), (60, 130, 20), -1)
    drawn = {
        "red": (20, 20, 190),
        "yellow": (20, 200, 240),
        "blue": (200, 90, 20),
        "white": (230, 240, 240),
        "black": (15, 15, 15),
    }
    for k, tone in enumerate(drawn.values()):
        cv2.circle(picture, (250 + 180 * k, 200 + 40 * k), 8, tone, -1, cv2.LINE_AA)
    found = hough_balls(np.asarray(cv2.GaussianBlur(picture, (3, 3), 0), np.uint8))
    named = {c.colour: (c.x_px, c.y_px) for c in found}
    assert set(named) == set(drawn) and len(found) == len(drawn)
    for k, colour in enumerate(drawn):
        assert named[colour] == pytest.approx((250 + 180 * k, 200 + 40 * k), abs=1.2)


@pytest.mark.parametrize("shift_mm", [1.0, 4.0])
def test_a_knocked_camera_moves_the_picture_as_far_as_asked_and_stays_where_it_hangs(shift_mm: float) -> None:
    knocked = turned(CAMERA, TABLE, shift_mm, 0.7)
    places = np.array([(x, y, 0.0) for x in (-800.0, 0.0, 800.0) for y in (100.0, 1784.5, 3400.0)])
    back = CAMERA.table_from_pixels(knocked.pixels_from_table(places), 0.0)
    assert np.linalg.norm(back - places[:, :2], axis=1).mean() == pytest.approx(shift_mm, rel=0.15)
    assert knocked.centre_mm == pytest.approx(CAMERA.centre_mm, abs=1e-6)
