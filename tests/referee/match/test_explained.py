"""What `cueref explain` shows is what the stroke was ruled on: same weights, same question, same ruling."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from console_fixture import frame_events, make_review, make_ten_ball

from calibration.table.specs import SNOOKER_TABLE
from calibration.texts import load_texts
from referee.cli import main
from referee.console.reviews import ReviewSource
from referee.facts.corrections import Correction
from referee.match.referee import Referee
from referee.outputs.convert import json_values
from referee.outputs.document import read_match
from referee.outputs.evidence import evidence_html
from referee.outputs.words import Say, say_of
from referee.rules.carrom.types import Queen


@pytest.fixture(scope="module")
def referee() -> Referee:
    found = Referee(SNOOKER_TABLE)
    for event in frame_events():
        found.feed(event)
    found.close()
    return found


def test_weights_sum_to_one_and_decide_the_verdict(referee: Referee) -> None:
    for stroke in referee.match.strokes:
        found = referee.explained(stroke.n)
        assert found is not None and found.stroke.n == stroke.n
        assert sum(e.weight for e in found.explanations) == pytest.approx(1.0)
        assert (found.agreeing >= 0.99) == (stroke.verdict == "certain")
        best = found.explanations[0]
        assert best.agrees and best.outcome.score == stroke.score


def test_a_question_shows_what_was_seen_for_and_against(referee: Referee) -> None:
    asked = next(s for s in referee.match.strokes if s.question == "Which ball did A nominate?")
    found = referee.explained(asked.n)
    assert found is not None
    told = {
        dict(e.outcome.facts)["first_contact"]: ({g.name for g in e.supported}, {g.name for g in e.opposed})
        for e in reversed(found.explanations)
    }
    assert "first_contact" in told["pink"][0] and "first_contact" in told["black"][1]
    grounds = [g for e in found.explanations for g in (*e.supported, *e.opposed) if g.value == "black"]
    assert any("40 %" in g.seen for g in grounds)


def test_a_correction_leaves_one_explanation_of_what_it_says() -> None:
    referee = Referee(SNOOKER_TABLE)
    for event in frame_events():
        referee.feed(event)
    entry = referee.match.strokes[1].entry
    referee.correct(Correction(entry, first_contact=("black",), nominated="black"), "tester")
    found = referee.explained(2)
    assert found is not None and found.agreeing == pytest.approx(1.0)
    assert {dict(e.outcome.facts)["first_contact"] for e in found.explanations} == {"black"}


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(argv))
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_the_command_prints_the_explanations_and_refuses_an_unknown_stroke(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    make_review(tmp_path / "frame")
    code, out, _ = run(capsys, "explain", str(tmp_path / "frame"), "--stroke", "2")
    assert code == 0 and "question: Which ball did A nominate?" in out
    assert "against: first contact black" in out
    code, out, _ = run(capsys, "explain", str(tmp_path / "frame"), "--stroke", "2", "--json")
    weights = [e["weight"] for e in json.loads(out)["explanations"]]
    assert code == 0 and sum(weights) == pytest.approx(1.0) and weights == sorted(weights, reverse=True)
    code, _, err = run(capsys, "explain", str(tmp_path / "frame"), "--stroke", "99")
    assert code == 2 and "expected one of 1 to" in err
    code, _, err = run(capsys, "explain", str(tmp_path / "nowhere"), "--stroke", "1")
    assert code == 2 and err.count("\n") == 1


def test_pockets_are_named_as_on_every_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One reader's: "TR" here, "top left" in the console, the evidence page and the report. Another's: "top
    left" here, TR in the tables. So both are said, and no name alone.
    """
    make_review(tmp_path / "frame")
    match = read_match(tmp_path / "frame")
    pot = match["strokes"][0]["potted"][0]
    _, out, _ = run(capsys, "explain", str(tmp_path / "frame"), "--stroke", "1")
    assert f"red in {say_of(match).pocket(pot['pocket'])} at " in out
    assert re.search(r"red[_ ]\d|(?<!\()\b[BCT][LR]\b|\d\.\d{3}|\b1 explanations", out) is None


def test_what_was_seen_is_said_as_the_table_lies() -> None:
    seen = "red_1 in TR at 31.08 s 99.9 %"
    assert Say(turn=1).seen(seen) == "red in bottom left (TR) at 31.08 s 99.9 %"
    german = "Rot in unten links (TR) bei 31.08 s 99.9 %"
    assert Say(load_texts("de"), turn=1).seen(seen) == german


def test_a_shot_of_ten_ball_is_ruled_by_each_explanation(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """9.4: the 2 first is a foul, unless the shot was announced as a push out, which leaves a choice."""
    make_ten_ball(tmp_path / "ten")
    code, out, _ = run(capsys, "explain", str(tmp_path / "ten"), "--stroke", "2")
    assert code == 0 and "question: Did B announce a push out?" in out
    assert "Push out; next A to choose; options: shoot, make B shoot\n   for: push out yes" in out
    assert "Foul, wrong ball first; next A; cue-ball in hand anywhere (another ruling)" in out
    _, out, _ = run(capsys, "explain", str(tmp_path / "ten"), "--stroke", "1")
    assert "all: break rails yes, 100 % (left cushion: 2 at 1.80 s" in out


def test_the_evidence_page_shows_what_each_explanation_of_a_game_means(tmp_path: Path) -> None:
    match = make_ten_ball(tmp_path)
    source = ReviewSource(tmp_path)
    page = evidence_html(match, 2, {}, None, weighed=source.read(lambda r: r.explained(2)))
    source.close()
    assert "Push out; next Ann to choose" in page and "Foul, wrong ball first; next Ann" in page


def test_what_explains_a_carrom_stroke_is_plain_json() -> None:
    # its state names where the Queen stands by an enumeration
    told = {"state": {"queen": Queen.TO_BE_COVERED, "due": (1, 0)}, "sides": frozenset("A")}
    assert json_values(told) == {"state": {"queen": "to_be_covered", "due": [1, 0]}, "sides": ["A"]}
