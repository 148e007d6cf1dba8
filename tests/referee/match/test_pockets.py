"""A ball that fell for certain, and nobody saw into which pocket: asked by itself, no ruling waits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from calibration.table.specs import SNOOKER_TABLE, WPA_TABLE
from referee.facts.calls import ShotCall
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.journal import Journal
from referee.match.answers import facts_of_labels
from referee.match.referee import Referee
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
        assert (pot.pocket, pot.with_pocket, put_right.verdict) == ("BR", 1.0, "certain")


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
