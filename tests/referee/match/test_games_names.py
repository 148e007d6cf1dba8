"""Strokes whose balls' names are in doubt: certain where the rules need only the group, else one question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.table.specs import WPA_TABLE
from referee.facts.calls import ShotCall, Start
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.match.referee import Referee
from referee.outputs.convert import stroke_json
from tests.support.game_script import GameScript, spread
from tracker.events import NamesRead, Naming, StrokeRecord

NUMBERS = [str(n) for n in range(1, 16)]
NINE_OR_THIRTEEN = (Naming(0.7, ()), Naming(0.3, (("9", "13"),)))


def eight_ball(*without: str) -> GameScript:
    there = [n for n in NUMBERS if n not in without]
    return GameScript("wpa_8ball", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, there)})


def judged(
    game: str, start: Start, record: StrokeRecord, *calls: ShotCall, read: NamesRead | None = None
) -> JudgedStroke:
    referee = Referee(WPA_TABLE, start, calls, game=game)
    referee.feed(record)
    if read is not None:
        referee.feed(read)
    referee.close()
    (stroke,) = referee.match.strokes
    return stroke


STRIPES = Start("A", "stripes", (0, 0), assumed=False)


def test_one_of_two_stripes_met_first_is_certain_as_a_stripe() -> None:
    script = eight_ball("13", "2", "3")
    record = replace(script.stroke("9", rails=["9"]), namings=NINE_OR_THIRTEEN)
    stroke = judged("wpa_8ball", STRIPES, record)
    assert stroke.verdict == "certain" and stroke.foul is None
    document = stroke_json(stroke)
    assert document["ruling"]["seen"].startswith("first a stripe (9 or 13)")
    assert document["may_be"] == {"9": {"9": 0.7, "13": 0.3}}
    assert document["first_contact"] is not None and document["first_contact"]["confidence"] < 0.71


def test_a_solid_or_a_stripe_first_is_asked_about() -> None:
    script = eight_ball("13", "2", "6")
    doubt = (Naming(0.7, ()), Naming(0.3, (("14", "6"),)))
    stroke = judged("wpa_8ball", STRIPES, replace(script.stroke("14", rails=["14"]), namings=doubt))
    assert stroke.verdict == "call" and stroke.question == "Which ball did the cue-ball hit first?"


def test_a_called_ball_that_may_be_another_one_is_a_question() -> None:
    script = eight_ball("13", "2", "3")
    record = replace(script.stroke("9", ("9", "TL")), namings=NINE_OR_THIRTEEN)
    call = ShotCall(record.start_s - 0.5, "A", "9", "TL")
    assert judged("wpa_8ball", STRIPES, record, call).verdict == "call"
    assert judged("wpa_8ball", STRIPES, replace(record, namings=()), call).verdict == "certain"


def test_any_ball_is_good_in_straight_pool_whatever_it_is_called() -> None:
    there = [n for n in NUMBERS if n != "13"]
    script = GameScript("wpa_14_1", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, there)})
    record = replace(script.stroke("9", rails=["9"]), namings=NINE_OR_THIRTEEN)
    call = ShotCall(record.start_s - 0.5, "A", safety=True)
    assert judged("wpa_14_1", Start("A", None, (0, 0), assumed=False), record, call).verdict == "certain"


def test_a_doubt_about_balls_that_the_stroke_does_not_concern_is_no_question() -> None:
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, NUMBERS[:9])})
    doubt = (Naming(0.6, ()), Naming(0.4, (("5", "3"), ("3", "5"))))
    record = replace(script.stroke("1", ("1", "TL")), namings=doubt)
    assert judged("wpa_9ball", Start("A", None, (0, 0), assumed=False), record).verdict == "certain"


def test_a_ball_that_may_be_the_lowest_is_asked_about_by_what_lies_there() -> None:
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, ["2", "8", "9"])})
    doubt = (Naming(0.9, ()), Naming(0.1, (("8", "1"),)))
    referee = Referee(WPA_TABLE, Start("A", None, (0, 0), assumed=False), game="wpa_9ball")
    referee.feed(replace(script.stroke("2", rails=["2"]), namings=doubt))
    referee.close()
    (asked,) = referee.match.strokes
    assert asked.question == "Which of the balls in doubt lie on the table?"
    assert [c.facts for c in asked.candidates] == [(("lying", "8"),), (("lying", "1"),)]
    referee.correct(Correction(asked.entry, answers=(("lying", "1"),)), "Bo")
    (said,) = referee.match.strokes
    assert said.verdict == "certain" and said.foul is not None


def test_an_answer_about_one_ball_settles_the_other_that_may_have_its_name() -> None:
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, NUMBERS[:9])})
    doubt = (Naming(0.7, ()), Naming(0.3, (("1", "3"), ("3", "1"))))
    referee = Referee(WPA_TABLE, Start("A", None, (0, 0), assumed=False), game="wpa_9ball")
    referee.feed(replace(script.stroke("1", ("1", "TL")), namings=doubt))
    referee.close()
    (asked,) = referee.match.strokes
    assert asked.verdict == "call"
    referee.correct(Correction(asked.entry, potted=("1",)), "Bo")
    (said,) = referee.match.strokes
    assert said.verdict == "certain" and said.foul is None


def test_a_stroke_waits_for_later_looks_at_its_names_and_has_the_names_that_they_read() -> None:
    script = eight_ball("13", "2", "3")
    record = replace(script.stroke("9", ("9", "TL"), sure=0.9999), namings=NINE_OR_THIRTEEN)
    call = ShotCall(record.start_s - 0.5, "A", "13", "TL")
    referee = Referee(WPA_TABLE, STRIPES, (call,), game="wpa_8ball")
    referee.feed(record)
    assert not referee.match.strokes
    referee.feed(NamesRead(record.end_s + 1.0, (("9", "13"),), (), final=False))
    (stroke,) = referee.match.strokes
    assert stroke.verdict == "certain" and stroke.seen.pots[0].ball == "13"


def test_a_name_read_later_holds_for_the_rules_balls_on_the_table_too() -> None:
    script = eight_ball("13", "2", "3")
    referee = Referee(WPA_TABLE, STRIPES, game="wpa_8ball")
    referee.feed(script.stroke("10", ("10", "TL")))
    referee.feed(NamesRead(script.t_s, (("9", "13"),), (), final=False))
    record = script.stroke("9", ("9", "TL"))
    renamed = {"9": "13"}
    record = replace(
        record,
        before=tuple(
            replace(b, ball=renamed.get(b.ball, b.ball), colour=renamed.get(b.ball, b.colour))
            for b in record.before
        ),
        first_contact=tuple(
            replace(f, ball=None if f.ball is None else renamed.get(f.ball, f.ball))
            for f in record.first_contact
        ),
        contacts=(),
        pots=tuple(replace(p, ball=renamed.get(p.ball, p.ball)) for p in record.pots),
    )
    referee.feed(record)
    referee.close()
    assert [s.verdict for s in referee.match.strokes] == ["certain", "certain"]


def test_a_ball_that_would_make_the_stroke_a_foul_hardly_lies_there() -> None:
    """Nine ball within a rack: were the 6 the 1, the 2 would be hit out of turn, and players foul rarely.
    That the 2 itself is another ball is no more unlikely for that.
    """
    there = [n for n in NUMBERS[:9] if n != "1"]
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, there)})
    potted, inside = script.stroke("2", ("2", "TL")), Start("A", None, (0, 0), assumed=False)
    one = (Naming(0.995, ()), Naming(0.005, (("6", "1"),)))
    assert judged("wpa_9ball", inside, replace(potted, namings=one)).verdict == "certain"
    likely = (Naming(0.9, ()), Naming(0.1, (("6", "1"),)))
    asked = judged("wpa_9ball", inside, replace(potted, namings=likely))
    assert asked.verdict == "call" and asked.foul is None
    weights = {dict(c.facts)["lying"]: c.weight for c in asked.candidates}
    assert weights["6"] > 400 * weights["1"], "nine to one, and 49 to one"
    exchanged = (Naming(0.9, ()), Naming(0.1, (("2", "6"), ("6", "2"))))
    met = judged("wpa_9ball", inside, replace(potted, namings=exchanged))
    assert [c.weight for c in met.candidates] == pytest.approx([0.9, 0.1])
