"""A ball that should be on the table and is not seen: what it may have done is asked, everything else is
ruled.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from script import COLOURS, Scene

from calibration.table.specs import SNOOKER_TABLE as TABLE
from referee.facts.calls import parse_start
from referee.facts.corrections import Correction
from referee.facts.judged import Asked, JudgedStroke, asks
from referee.match.referee import Referee
from referee.match.snooker.missing import missing_balls
from tracker.events import StrokeRecord

REDS = {"red_1": (-400.0, 2300.0), "red_2": (500.0, 2400.0), "red_3": (0.0, 2600.0)}


def scene(unseen: str, reds: dict[str, tuple[float, float]] | None = None) -> Scene:
    return Scene(REDS if reds is None else reds, colours=[c for c in COLOURS if c != unseen])


def judge(*events: StrokeRecord, start: str = "") -> list[JudgedStroke]:
    referee = Referee(TABLE, parse_start(start) if start else None)
    for e in events:
        referee.feed(e)
    referee.close()
    return list(referee.match.strokes)


def test_a_stroke_that_meets_known_balls_only_needs_no_question() -> None:
    """One ball never seen: breaks go on, for the cue-ball's way is known up to the ball that it hit."""
    s = scene("blue")
    found = judge(s.stroke("red_1", ["red_1"]), s.stroke("pink", ["pink"]), s.stroke("red_2"))
    assert [(x.verdict, x.points) for x in found] == [("certain", 1), ("certain", 6), ("certain", 0)]


def test_no_ball_hit_is_asked_where_one_is_missing() -> None:
    """Snooker 3.12(a)(vi) or (b)(iv): four away, or five with the blue first."""
    s = scene("blue")
    (asked,) = judge(s.stroke(None), start="A red 0-0")
    assert asked.verdict == "call" and asked.question is not None
    assert "The blue should be on the table and is not seen" in asked.question
    assert {
        (dict(c.facts).get("first_contact"), c.foul.penalty if c.foul else 0) for c in asked.candidates
    } == {("none", 4), ("blue", 5)}
    assert asked.foul is not None and asked.foul.penalty == 4, "the running score goes on with the likelier"
    (known,) = judge(Scene(REDS).stroke(None))
    assert known.verdict == "certain" and known.foul is not None


def test_a_bend_that_no_known_ball_explains_is_the_missing_one_sooner_than_the_ball_hit_later() -> None:
    """A bench's: blue on a blue cloth was hit first, then a red moved; "red" had been certain."""
    s = scene("blue")
    (asked,) = judge(s.stroke({"red_1": 0.5, "none": 0.5}, move={"red_1": (-350.0, 2500.0)}))
    assert asked.verdict == "call" and {f.ball for f in asked.seen.first_contact} == {"red_1", "blue"}
    assert max(f.confidence for f in asked.seen.first_contact) < 0.99
    (known,) = judge(Scene(REDS).stroke({"red_1": 0.5, "none": 0.5}, move={"red_1": (-350.0, 2500.0)}))
    assert {dict(c.facts)["first_contact"] for c in known.candidates} == {"red", "none"}


def test_a_missing_colour_hit_as_the_nominated_one_may_have_fallen() -> None:
    s = scene("green")
    asked = judge(s.stroke("red_1", ["red_1"]), s.stroke({"brown": 0.5, "none": 0.5}))[1]
    assert asked.verdict == "call"
    told = {(c.points, o.points) for c in asked.candidates for o in (c, *c.otherwise)} | {
        (c.points, c.points) for c in asked.candidates
    }
    assert any(3 in pair for pair in told), "green potted: three points"


def test_a_foul_is_asked_about_where_a_single_ball_is_on() -> None:
    """2.17: nobody sees whether the missing pink snookers on the last red; on one of three reds it would
    not.
    """
    s = scene("pink", {"red_1": (-400.0, 2300.0)})
    (one,) = judge(s.stroke("black"), start="A red 0-0")
    assert (
        one.verdict == "call" and one.question is not None and "pink" in one.question and one.foul is not None
    )
    (three,) = judge(scene("pink").stroke("black"), start="A red 0-0")
    assert three.verdict == "certain" and three.foul is not None and three.foul.penalty == 7


def test_a_ball_seen_again_ends_the_doubt_and_an_answer_settles_it() -> None:
    s = scene("blue")
    referee = Referee(TABLE, parse_start("A red 0-0"))
    referee.feed(s.stroke(None))
    s.balls["blue"] = TABLE.spots["blue"]
    referee.feed(s.stroke(None))
    referee.close()
    first, second = referee.match.strokes
    assert (first.verdict, second.verdict) == ("call", "certain")
    settled = referee.correct(Correction(first.entry, first_contact=("blue",), potted=()), "referee").strokes[
        0
    ]
    assert settled.verdict == "certain" and settled.foul is not None and settled.foul.penalty == 5


def test_colours_that_need_not_be_there_are_not_missing() -> None:
    """When the reds are gone, colours leave in their order (3.3(g)); a gap before the stroke is told as
    such.
    """
    s = Scene({}, colours=("blue", "pink", "black"))
    (last,) = judge(s.stroke(None), start="A blue 0-0")
    assert last.verdict == "certain" and last.foul is not None
    s = scene("blue")
    (gap,) = judge(s.stroke("red_1", gap=True))
    assert gap.verdict == "certain"


@settings(max_examples=60)
@given(
    st.dictionaries(st.sampled_from(["red_1", "red_2", "black", "none"]), st.floats(0.01, 1.0), min_size=1),
    st.sampled_from(COLOURS[:-1]),
)
def test_beliefs_stay_beliefs_and_certain_contacts_stay_certain(
    weights: dict[str, float], unseen: str
) -> None:
    total = sum(weights.values())
    record = scene(unseen).stroke({b: w / total for b, w in weights.items()})
    referee = Referee(TABLE)
    referee.feed(record)
    seen = referee.match.strokes[0].seen
    assert sum(f.confidence for f in seen.first_contact) == pytest.approx(1.0)
    assert seen.pots == (), "what may have fallen is a question, not a pot"
    if "none" not in weights:
        assert all(f.ball != unseen for f in seen.first_contact)


def test_nothing_changes_where_every_ball_is_seen() -> None:
    record = Scene(REDS).stroke({"red_1": 0.4, "none": 0.6})
    referee = Referee(TABLE)
    referee.feed(record)
    (stroke,) = referee.match.strokes
    state = referee.position.state
    assert state is not None and missing_balls(state, stroke.seen) == ()
    lacking = replace(
        stroke.seen, before=tuple(b for b in stroke.seen.before if b.ball not in ("red_2", "pink"))
    )
    assert missing_balls(state, lacking) == ("red", "pink")


def test_a_ball_that_looks_more_like_another_than_like_its_name_makes_a_question() -> None:
    """The brown is hidden and a red has its name: if that is hit, the points may be another's."""

    def with_brown(confidence: float, met: str = "brown", reds: float = 1.0) -> JudgedStroke:
        stroke = Scene(REDS).stroke(met, [])
        sure = {"brown": confidence, "red": reds}
        before, after = (
            tuple(replace(b, confidence=sure.get(b.colour, b.confidence)) for b in balls)
            for balls in (stroke.before, stroke.after)
        )
        (judged,) = judge(replace(stroke, before=before, after=after))
        return judged

    asked = with_brown(0.35)
    assert asked.verdict == "call" and asked.asked == (Asked("what_happened"), asks("misnamed", ball="brown"))
    assert asked.question is not None and "was taken for the brown" in asked.question
    assert with_brown(0.7).asked != asked.asked
    assert with_brown(0.7, met="red_1", reds=0.6).verdict == "certain"
    assert with_brown(0.35, met="red_1").verdict == "certain"  # it lies there, and reds are on
    assert with_brown(0.35, met="red_1", reds=0.6).asked == asked.asked  # it may be the last red
