"""No label comes from a doubtful place: what is certain of a recording, and what is not."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from referee.quality.room.certain import Certain, ImageTruth, certain_in
from tracker.events import (
    Gap,
    HandMove,
    NamesRead,
    Naming,
    PlacedBall,
    Pot,
    SpanExplanation,
    StrokeRecord,
    TrackerEvent,
    TrackRow,
    TrackState,
)
from vision.observation import ImageObservations, Observation

END_S, STEP_S = 10.0, 0.1
STROKE = (4.0, 5.0)
RED_MM, WHITE_MM, WHITE_END_MM = (300.0, 2000.0), (0.0, 500.0), (0.0, 1500.0)


def look(place: tuple[float, float], confidence: float = 0.95) -> Observation:
    return Observation(*place, 0.5, 0.0, 0.0, (-0.1,) * 8, confidence)


def white_at(t_s: float) -> tuple[float, float]:
    """The white rolls straight up the table in the stroke."""
    share = min(max((t_s - STROKE[0]) / (STROKE[1] - STROKE[0]), 0.0), 1.0)
    return 0.0, WHITE_MM[1] + share * (WHITE_END_MM[1] - WHITE_MM[1])


def times() -> list[float]:
    return [round(k * STEP_S, 6) for k in range(round(END_S / STEP_S) + 1)]


def images(red: float | None = 0.95, until_s: float = END_S, since_s: float = 0.0) -> list[ImageObservations]:
    """Images of a white and a red; `red`: how surely it is seen, None for never, between two times only."""
    out = []
    for index, t_s in enumerate(times()):
        seen = [look(white_at(t_s))]
        if red is not None and since_s <= t_s <= until_s:
            seen.append(look(RED_MM, red))
        out.append(ImageObservations(index, t_s, tuple(seen), None, None))
    return out


def row(t_s: float, ball: str, at: tuple[float, float], state: TrackState, sigma_mm: float = 0.5) -> TrackRow:
    return TrackRow(t_s, ball, *at, sigma_mm, state)


def rows(sigma_mm: float = 0.5) -> list[TrackerEvent]:
    rolling = [t for t in times() if STROKE[0] < t < STROKE[1]]
    return [
        row(0.0, "red_1", RED_MM, "rest"),
        row(END_S, "red_1", RED_MM, "rest"),
        row(0.0, "white", WHITE_MM, "rest"),
        row(STROKE[0], "white", WHITE_MM, "rest"),
        *(row(t, "white", white_at(t), "moving", sigma_mm) for t in rolling),
        row(STROKE[1], "white", WHITE_END_MM, "rest"),
        row(END_S, "white", WHITE_END_MM, "rest"),
    ]


def stroke(weight: float = 1.0, **changed: object) -> StrokeRecord:
    layout = tuple(
        PlacedBall(b, k, *at, 0.5, 0.9999)
        for b, k, at in (("white", "white", WHITE_MM), ("red_1", "red", RED_MM))
    )
    one = SpanExplanation(weight, None, True, None, (), "on_table", (), ())
    record = StrokeRecord(*STROKE, layout, layout, (), (), (), (), (), (), (), explanations=(one,))
    return replace(record, **changed)  # type: ignore[arg-type]


def told(*events: TrackerEvent, seen: list[ImageObservations] | None = None) -> Certain:
    shown = images() if seen is None else seen
    return certain_in(events, shown, (), SNOOKER_TABLE, SNOOKER, END_S)


def at(found: Certain, t_s: float) -> ImageTruth:
    truth = found.at(t_s)
    assert truth is not None
    return truth


def kinds(truth: ImageTruth) -> dict[str, str | None]:
    return {b.ball: b.kind for b in (*truth.resting, *truth.rolling)}


def test_balls_at_rest_and_on_a_certain_way_are_known_by_name() -> None:
    found = told(*rows(), stroke())
    assert kinds(at(found, 2.0)) == {"white": "white", "red_1": "red"}
    rolling = at(found, 4.5)
    assert kinds(rolling) == {"white": "white", "red_1": "red"}
    (white,) = rolling.rolling
    assert (white.x_mm, white.y_mm) == pytest.approx(white_at(4.5))
    assert (white.vx_mm_s, white.vy_mm_s) == pytest.approx((0.0, 1000.0))
    assert at(found, 2.0).quiet and not rolling.quiet


def test_a_ball_is_certain_only_between_its_first_and_last_look() -> None:
    found = told(*rows(), stroke(), seen=images(since_s=2.0))
    early = at(found, 1.0)
    assert "red_1" not in kinds(early) and RED_MM in early.doubtful
    assert "red_1" in kinds(at(found, 3.0))


@pytest.mark.parametrize("red", [None, 0.6])
def test_what_was_never_seen_surely_and_never_rolled_is_in_doubt(red: float | None) -> None:
    truth = at(told(*rows(), stroke(), seen=images(red)), 2.0)
    assert kinds(truth) == {"white": "white"} and truth.doubtful == (RED_MM,)


def test_a_ball_that_rolled_is_one_however_unsurely_it_is_seen() -> None:
    unsure = [
        replace(i, observations=(replace(i.observations[0], confidence=0.5), *i.observations[1:]))
        for i in images()
    ]
    assert "white" in kinds(at(told(*rows(), stroke(), seen=unsure), 2.0))


@pytest.mark.parametrize(
    "record",
    [
        stroke(0.9),
        stroke(explanations=()),
        stroke(gap_before=True),
        stroke(unseen=True),
        stroke(cue_doubtful=True),
        stroke(vanished=("red_1",)),
        stroke(off_table=("red_1",)),
    ],
)
def test_nothing_is_learned_in_a_stroke_with_more_than_one_explanation(record: StrokeRecord) -> None:
    found = told(*rows(), record)
    assert found.at(4.5) is None
    assert found.at(2.0) is not None


def test_a_ball_that_rolls_outside_strokes_is_in_doubt() -> None:
    truth = at(told(*rows()), 4.5)  # a hand rolls it, or no stroke was told
    assert truth.rolling == () and any(math.dist(d, white_at(4.5)) < 1.0 for d in truth.doubtful)
    assert not truth.quiet


def test_a_sure_way_outside_every_stroke_teaches_nothing() -> None:
    elsewhere = stroke(start_s=8.0, end_s=9.0)
    truth = at(told(*rows(), elsewhere), 4.5)
    assert truth.rolling == () and "white" not in kinds(truth)


def test_fewer_than_three_looks_say_nothing_of_a_ball() -> None:
    for looks, known in ((2, False), (3, True)):
        seen = images(since_s=2.0, until_s=2.0 + (looks - 1) * STEP_S + 1e-6)
        assert ("red_1" in kinds(at(told(*rows(), stroke(), seen=seen), 2.05))) is known


def test_a_way_that_is_not_known_exactly_is_no_label() -> None:
    truth = at(told(*rows(sigma_mm=8.0), stroke()), 4.5)
    assert truth.rolling == () and any(math.dist(d, white_at(4.5)) < 1.0 for d in truth.doubtful)


def test_between_the_camera_s_times_a_rolling_ball_is_in_doubt_all_along() -> None:
    truth = at(told(*rows(), stroke()), 4.55)  # of a recording that repeats images
    assert truth.rolling == ()
    assert {round(d[1]) for d in truth.doubtful} >= {round(white_at(t)[1]) for t in (4.5, 4.6)}


def test_a_name_that_was_ever_in_doubt_is_not_taught() -> None:
    doubt = Naming(0.4, (("red_1", "brown"),))
    for event in (stroke(namings=(doubt,)), NamesRead(6.0, (("red_1", "brown"),), (), True)):
        events = [*rows(), event] if isinstance(event, StrokeRecord) else [*rows(), stroke(), event]
        truth = at(told(*events), 2.0)
        assert kinds(truth)["red_1"] is None and kinds(truth)["white"] == "white"


def test_exchanged_names_leave_two_balls_without_one() -> None:
    brown_mm = SNOOKER_TABLE.spots["brown"]
    others = [e for e in rows() if isinstance(e, TrackRow) and e.ball != "red_1"]
    exchanged = [
        row(0.0, "red_1", RED_MM, "rest"),
        row(0.0, "brown", brown_mm, "rest"),
        row(END_S, "brown", RED_MM, "rest"),
        row(END_S, "red_1", brown_mm, "rest"),
    ]
    seen = [replace(i, observations=(*i.observations, look(brown_mm))) for i in images()]
    truth = at(told(*others, *exchanged, stroke(), seen=seen), 2.0)
    assert [r.kind for r in truth.resting if (r.x_mm, r.y_mm) != WHITE_MM] == [None, None]


def test_a_ball_whose_rest_has_no_end_is_in_doubt_wherever_it_lay() -> None:
    lone = row(1.0, "blue", (50.0, 1700.0), "rest")
    found = told(*rows(), lone, stroke())
    assert all((50.0, 1700.0) in at(found, t).doubtful for t in (0.5, 9.0))


def test_no_moment_is_quiet_while_a_ball_may_be_in_a_hand() -> None:
    pot = Pot("black", "TL", 4.8, 1.0)
    black = [
        row(0.0, "black", SNOOKER_TABLE.spots["black"], "rest"),
        row(4.2, "black", SNOOKER_TABLE.spots["black"], "rest"),
        row(4.8, "black", (-890.0, 3570.0), "potted"),
    ]
    seen = images()
    back = [
        row(7.0, "black", SNOOKER_TABLE.spots["black"], "rest"),
        row(END_S, "black", SNOOKER_TABLE.spots["black"], "rest"),
    ]
    move = HandMove("respot", "black", None, (*SNOOKER_TABLE.spots["black"], 0.5), 7.0)
    found = told(*rows(), *black, *back, stroke(pots=(pot,)), move, seen=seen)
    assert at(found, 2.0).quiet and not at(found, 6.0).quiet and at(found, 9.0).quiet
    assert at(found, 6.0).fallen_into == {"TL"} and at(found, 2.0).fallen_into == frozenset()
    never = told(*rows(), *black, stroke(pots=(pot,)), seen=seen)
    assert not at(never, 9.0).quiet, "nobody saw where the black is"


def test_nothing_is_known_about_lost_images_and_behind_a_knock() -> None:
    lost = told(*rows(), stroke(), Gap(7.0, 7.5, "images_lost"))
    assert lost.at(7.2) is None and lost.at(6.5) is None and lost.at(9.0) is not None
    knocked = told(*rows(), stroke(), Gap(7.0, 7.5, "camera_healed"))
    assert knocked.at(9.0) is None and knocked.at(2.0) is not None
    repeated = told(*rows(), stroke(), Gap(7.0, 7.5, "images_repeated"))
    assert repeated.at(7.2) is not None
