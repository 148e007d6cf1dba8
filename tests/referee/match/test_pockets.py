"""A ball that fell for certain, and nobody saw into which pocket: asked by itself, no ruling waits."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.table.specs import BRITISH_POOL_TABLE, SNOOKER_TABLE, WPA_TABLE
from referee.facts.calls import ShotCall
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.facts.seen import SeenStroke
from referee.journal import Journal, decode, encode
from referee.match.answers import facts_of_labels
from referee.match.referee import Referee
from referee.match.snooker.intake import stroke_seen
from tests.support.game_script import GameScript, spread
from tests.support.script import Scene
from tracker.events import SpanExplanation, StrokeRecord


def fell(weight: float, ball: str, pocket: str) -> SpanExplanation:
    return SpanExplanation(weight, ball, True, 6.5, ((ball, pocket, 7.0),), "on_table", (), ())  # type: ignore[arg-type]


def with_doubt(stroke: StrokeRecord, ball: str, pocket: str, other: str) -> StrokeRecord:
    """The stroke with the ball in `pocket` in 93 of 100, else in `other`."""
    pots = tuple(replace(p, pocket_confidence=0.93) for p in stroke.pots)
    return replace(stroke, pots=pots, explanations=(fell(0.93, ball, pocket), fell(0.07, ball, other)))


def told(stroke: JudgedStroke) -> list[str]:
    return [dict(c.facts)["potted"] for c in stroke.candidates]


def test_the_pocket_is_asked_and_the_points_stand(tmp_path: Path) -> None:
    s = Scene()
    red, brown = s.stroke("red_1", ["red_1"]), with_doubt(s.stroke("brown", ["brown"]), "brown", "TR", "BR")
    with Journal(tmp_path / "journal.sqlite") as journal:
        referee = Referee(SNOOKER_TABLE, journal=journal)
        for event in (red, brown, s.hand("respot", "brown"), s.stroke("red_2", ["red_2"])):
            referee.feed(event)
        referee.close()
        _, asked, after = referee.match.strokes
        assert (asked.verdict, asked.question) == ("call", "Into which pocket did the brown fall?")
        assert told(asked) == ["brown to TR", "brown to BR"] and {c.points for c in asked.candidates} == {4}
        assert (asked.points, after.verdict, after.score) == (4, "certain", (6, 0))
        answer = facts_of_labels(dict(asked.candidates[1].facts))
        _, put_right, _ = referee.correct(Correction(asked.entry, **answer), "Ann").strokes
        (pot,) = put_right.seen.pots
        assert (pot.pocket, put_right.seen.with_pocket(pot), put_right.verdict) == ("BR", 1.0, "certain")


def test_a_red_is_named_by_no_number() -> None:
    s = Scene()
    referee = Referee(SNOOKER_TABLE)
    referee.feed(with_doubt(s.stroke("red_1", ["red_1"]), "red_1", "TR", "CR"))
    referee.close()
    (asked,) = referee.match.strokes
    assert asked.question == "Into which pocket did the red fall?" and told(asked) == [
        "red to TR",
        "red to CR",
    ]


def test_where_a_pocket_is_called_the_answers_mean_different_things() -> None:
    """Ten ball: the 1 called into TR counts there and nowhere else (WPA 6.5)."""
    places = {"cue": (0.0, 400.0), **spread(WPA_TABLE, [str(n) for n in range(1, 11)])}
    script = GameScript("wpa_10ball", WPA_TABLE, places)
    script.stroke("1", rails=["1"])
    pot = with_doubt(script.stroke("1", ("1", "TR")), "1", "TR", "CR")
    referee = Referee(WPA_TABLE, game="wpa_10ball", calls=(ShotCall(pot.start_s - 0.5, "A", "1", "TR"),))
    referee.feed(pot)
    referee.close()
    (asked,) = referee.match.strokes
    assert asked.question == "Into which pocket did the 1 fall?" and told(asked) == ["1 to TR", "1 to CR"]
    assert [c.next_striker for c in asked.candidates] == ["A", "B"]


def test_what_is_open_of_a_stroke_is_asked_together_before_the_state() -> None:
    """A recording that begins inside a rack of eight ball, and ends while the 7 is gone: beside a question
    about whose the groups are "nothing potted" stood as if it were sure.
    """
    script = GameScript(
        "wpa_8ball", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, ["7", "8", "9", "12"])}
    )
    seen = script.stroke("7", rails=["7"])
    none = SpanExplanation(0.9, None, True, None, (), "on_table", (), ())
    shot = replace(
        seen,
        after=tuple(b for b in seen.after if b.ball != "7"),
        vanished=("7",),
        first_contact=(
            replace(seen.first_contact[0], ball=None, weight=0.9),
            replace(seen.first_contact[0], weight=0.1),
        ),
        explanations=(none, fell(0.1, "7", "BL")),
    )
    referee = Referee(WPA_TABLE, game="wpa_8ball")
    referee.feed(shot)
    referee.close()
    (asked,) = referee.match.strokes
    assert asked.question == "What happened in this shot?"
    assert {tuple(dict(c.facts)) for c in asked.candidates} == {("first_contact", "potted")}
    assert {dict(c.facts)["potted"] for c in asked.candidates} == {"none", "7"}


def test_of_a_stroke_that_the_pictures_do_not_show_whole_nothing_is_stated() -> None:
    """The view is lost while the balls roll: that nothing fell until then says nothing."""
    places = {"cue": (0.0, 400.0), **spread(WPA_TABLE, [str(n) for n in range(1, 10)])}
    script = GameScript("wpa_9ball", WPA_TABLE, places)
    shot = replace(script.stroke("1", rails=["1"]), unseen=True, gap_before=True)
    referee = Referee(WPA_TABLE, game="wpa_9ball")
    referee.feed(shot)
    referee.close()
    (asked,) = referee.match.strokes
    assert (asked.verdict, asked.question) == ("call", "What happened in this shot?")
    assert all({"first_contact", "potted"} <= set(dict(c.facts)) for c in asked.candidates)


def at_end(stroke: StrokeRecord, certainty: float) -> StrokeRecord:
    return replace(stroke, other_end=1.0 - certainty)


def test_a_pocket_is_as_certain_as_the_end_of_the_table_and_the_points_stand() -> None:
    s = Scene()
    referee = Referee(SNOOKER_TABLE)
    for stroke in (s.stroke("red_1", ["red_1"]), s.stroke("brown", [])):
        referee.feed(at_end(stroke, 0.95))
    referee.close()
    asked, no_pot = referee.match.strokes
    assert asked.verdict == "call" and asked.question is not None
    assert asked.question.startswith("Into which pocket did the red fall? It is not sure which end")
    assert told(asked) == ["red to TR", "red to BL"]
    assert [c.weight for c in asked.candidates] == pytest.approx([0.95, 0.05])
    assert (asked.points, {c.points for c in asked.candidates}, no_pot.verdict) == (1, {1}, "certain")
    assert asked.seen.with_pocket(asked.seen.pots[0]) == pytest.approx(0.95)
    (warning,) = referee.match.warnings
    assert warning.type == "end_unsure" and warning.text.startswith("it is 95 % sure which end")
    answer = facts_of_labels(dict(asked.candidates[1].facts))
    put_right = referee.correct(Correction(asked.entry, **answer), "Ann").strokes[0]
    (pot,) = put_right.seen.pots
    assert (pot.pocket, put_right.seen.with_pocket(pot), put_right.verdict) == ("BL", 1.0, "certain")


def test_all_balls_of_a_stroke_fell_at_one_end_or_at_the_other() -> None:
    s = Scene()
    stroke = s.stroke("red_1", ["red_1", "red_2"])
    first, second = stroke.pots
    pots = first, replace(second, pocket="CL", t_s=first.t_s + 1)
    referee = Referee(SNOOKER_TABLE)
    referee.feed(at_end(replace(stroke, pots=pots), 0.95))
    referee.close()
    (asked,) = referee.match.strokes
    assert told(asked) == ["red to TR, red to CL", "red to BL, red to CR"]
    answer = facts_of_labels(dict(asked.candidates[1].facts))
    (put_right,) = referee.correct(Correction(asked.entry, **answer), "Ann").strokes
    assert [(p.pocket, put_right.seen.with_pocket(p)) for p in put_right.seen.pots] == [
        ("BL", 1.0),
        ("CR", 1.0),
    ]


def test_a_doubt_of_the_pocket_and_one_of_the_end_are_one_question() -> None:
    s = Scene()
    referee = Referee(SNOOKER_TABLE)
    referee.feed(at_end(with_doubt(s.stroke("red_1", ["red_1"]), "red_1", "TR", "BL"), 0.95))
    referee.close()
    (asked,) = referee.match.strokes
    assert told(asked) == ["red to TR", "red to BL"]
    assert [c.weight for c in asked.candidates] == pytest.approx(
        [0.93 * 0.95 + 0.07 * 0.05, 0.93 * 0.05 + 0.07 * 0.95]
    )


def test_a_correction_that_names_no_pocket_leaves_it_as_sure_as_the_end() -> None:
    s = Scene()
    referee = Referee(SNOOKER_TABLE)
    referee.feed(at_end(s.stroke("red_1", ["red_1"]), 0.95))
    referee.close()
    entry = referee.match.strokes[0].entry
    (put_right,) = referee.correct(Correction(entry, potted=("red",)), "Ann").strokes
    (pot,) = put_right.seen.pots
    assert (put_right.verdict, put_right.seen.with_pocket(pot)) == ("certain", pytest.approx(0.95))


def test_a_certain_end_asks_and_warns_of_nothing() -> None:
    s = Scene()
    referee = Referee(SNOOKER_TABLE)
    referee.feed(s.stroke("red_1", ["red_1"]))
    referee.close()
    (sure,) = referee.match.strokes
    assert (sure.verdict, referee.match.warnings) == ("certain", ())


def test_a_table_of_black_ball_has_a_baulk_end_too() -> None:
    places = {"cue": (0.0, 300.0), **spread(BRITISH_POOL_TABLE, [str(n) for n in range(1, 16)])}
    script = GameScript("blackball_numbered", BRITISH_POOL_TABLE, places)
    referee = Referee(BRITISH_POOL_TABLE, game="blackball_numbered")
    referee.feed(at_end(script.stroke("1", ("1", "TL"), rails=["1"]), 0.95))
    referee.close()
    (asked,) = referee.match.strokes
    assert asked.verdict == "call" and told(asked) == ["1 to TL", "1 to BR"]


def test_a_stroke_of_an_older_journal_has_a_certain_end() -> None:
    payload = encode(stroke_seen(Scene().stroke("red_1", ["red_1"]), SNOOKER_TABLE))
    del payload["other_end"]
    assert decode(SeenStroke, json.loads(json.dumps(payload))).other_end == 0.0
