"""A match in which balls turn elsewhere than the calibration has a cushion says so, once, and states places
with that doubt from then on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from script import Scene

from calibration.table.specs import SNOOKER_TABLE as TABLE
from calibration.table.specs import CushionName
from calibration.texts.language import load_texts
from calibration.texts.phrases import phrase
from referee.facts.judged import Warned
from referee.facts.seen import SeenCushion, SeenCushionOff, SeenStroke
from referee.journal import Journal, decode, encode, snapshot
from referee.match.referee import Referee
from referee.match.snooker.intake import Intake
from tracker.events import CushionHit, StrokeRecord, Turn, with_stated_turns

STATED_MM = 1.0


def hits(t_s: float, off_mm: Sequence[float], cushion: CushionName = "left") -> tuple[CushionHit, ...]:
    """Bounces of the white at a cushion, as an observer with this calibration tells them."""
    x_mm = -TABLE.half_width_mm + TABLE.ball_radius_mm
    return tuple(
        CushionHit(
            "white", cushion, t_s + k, 900.0, 3.0, turn=Turn(x_mm + off, 900.0, off, 0.4, 300.0, STATED_MM)
        )
        for k, off in enumerate(off_mm)
    )


def stroke(scene: Scene, off_mm: Sequence[float], vanished: Sequence[str] = ()) -> StrokeRecord:
    record = scene.stroke("red_1", vanished=vanished)
    return replace(record, cushions=hits(record.start_s + 1.0, off_mm))


def warnings(referee: Referee) -> list[Warned]:
    return [w for w in referee.match.warnings if w.type == "cushion_off"]


def test_a_cushion_10_mm_off_is_said_once_with_what_to_do() -> None:
    scene, referee = Scene(), Referee(TABLE)
    for _ in range(4):
        referee.feed(stroke(scene, [-10.3, -9.8]))
    (said,) = warnings(referee)
    assert "beyond the left cushion as calibrated" in said.text
    assert "--match" in said.text
    assert said.t_s is not None


def test_it_is_said_with_the_stroke_that_shows_it() -> None:
    scene, intake = Scene(), Intake(TABLE)
    said = [[s for s in intake.feed(stroke(scene, [7.9])) if isinstance(s, SeenCushionOff)] for _ in range(8)]
    first = next(k for k, s in enumerate(said) if s)
    assert 1 <= first <= 5
    (off,) = said[first]
    assert abs(off.off_mm - 8.0) < 3 * off.sigma_mm
    assert not any(said[first + 1 :])


def test_it_comes_behind_a_stroke_that_is_held_for_a_doubt() -> None:
    scene, intake = Scene(), Intake(TABLE)
    assert intake.feed(stroke(scene, [-10.0] * 5, vanished=["red_2"])) == ()
    stood, off, *_ = intake.feed(stroke(scene, []))
    assert isinstance(stood, SeenStroke)
    assert isinstance(off, SeenCushionOff)


def test_places_are_stated_with_the_doubt_from_then_on() -> None:
    scene, intake = Scene(), Intake(TABLE)
    assert intake.table_doubt_mm(-800.0, 900.0) == 0.0
    intake.feed(stroke(scene, [-10.0] * 5))
    at_left, middle, at_right = (intake.table_doubt_mm(x, 900.0) for x in (-TABLE.half_width_mm, 0.0, 880.0))
    assert at_left * math.sqrt(2.0) == pytest.approx(9.6, abs=1.2)  # of one axis of two
    assert at_left > middle > at_right
    assert at_right < 0.1


@given(off_mm=st.lists(st.floats(-1.5, 1.0), max_size=6))
@settings(max_examples=30)
def test_nothing_is_said_of_a_table_on_which_balls_turn_where_it_is_stated(off_mm: list[float]) -> None:
    scene, referee = Scene(), Referee(TABLE)
    for _ in range(3):
        referee.feed(stroke(scene, off_mm))
    assert warnings(referee) == []
    assert referee.intake.table_doubt_mm(0.0, 0.0) == 0.0


def test_a_journal_says_the_same_again(tmp_path: Path) -> None:
    scene = Scene()
    records = [stroke(scene, [-10.3, -9.8]) for _ in range(4)]
    with Journal(tmp_path / "j.sqlite") as journal:
        first = Referee(TABLE, journal=journal)
        for r in records:
            first.feed(r)
        again = Referee(TABLE, journal=journal)
        assert again.match == first.match
        for r in records:  # the same events once more: a run that goes on after a kill
            again.feed(r)
        assert len(warnings(again)) == 1
        assert [s.seen.cushions for s in again.match.strokes] == [
            s.seen.cushions for s in first.match.strokes
        ]


def test_a_killed_review_goes_on_with_the_bounces_it_has_seen() -> None:
    scene, intake = Scene(), Intake(TABLE)
    intake.feed(stroke(scene, [-10.0] * 5))
    again = snapshot.load(snapshot.dump(intake))
    assert isinstance(again, Intake)
    assert again.table_doubt_mm(-800.0, 900.0) == intake.table_doubt_mm(-800.0, 900.0) > 0.0


def test_a_cushion_of_an_older_journal_has_no_turn() -> None:
    payload = encode(SeenCushion("white", "left", 3.0, 900.0, 3.0))
    del payload["turn"], payload["confidence"]
    assert decode(SeenCushion, payload) == SeenCushion("white", "left", 3.0, 900.0, 3.0)


@pytest.mark.parametrize(("off_mm", "where"), [(-10.0, "beyond"), (10.0, "short")])
def test_the_sentence_is_said_in_german_too(off_mm: float, where: str) -> None:
    scene, referee, german = Scene(), Referee(TABLE), load_texts("de")
    referee.feed(stroke(scene, [off_mm] * 5))
    (said,) = warnings(referee)
    n, x, s = re.findall(r"\d[\d.]*", said.text)
    left = german.say("phrases.rec_cushion_left")
    words = german.say(f"phrases.rec_cushion_{where}", n=n, x=x, cushion=left, s=s)
    assert phrase(said.text, german).startswith(words)
    assert phrase(said.text, german).endswith(german.say("phrases.rec_cushion_again"))


@given(own_mm=st.floats(0.1, 5.0), table_mm=st.floats(0.1, 5.0), slant=st.floats(1.0, 3.0))
def test_a_turn_is_told_with_the_slant_and_beside_it_what_the_calibration_states(
    own_mm: float, table_mm: float, slant: float
) -> None:
    record = Scene().stroke("red_1")
    turn = Turn(0.0, 30.0, 4.0, own_mm, 300.0)
    told = with_stated_turns(
        replace(record, cushions=(CushionHit("white", "bottom", 1.0, turn=turn),)),
        lambda x, y, own: math.hypot(slant * own, table_mm),
    )
    assert isinstance(told, StrokeRecord)
    stated = told.cushions[0].turn
    assert stated is not None
    assert stated.table_mm == pytest.approx(table_mm)
    assert stated.sigma_mm == pytest.approx(slant * own_mm, rel=1e-6)
    assert (stated.off_mm, stated.x_mm, stated.y_mm) == (4.0, 0.0, 30.0)
