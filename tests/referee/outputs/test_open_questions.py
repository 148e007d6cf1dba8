"""Where questions are counted and listed, what hangs on a question stands under it; what may have been any of
several reds is told as red.
"""

from __future__ import annotations

import copy
import io
from pathlib import Path
from typing import Any

import pytest
from console_fixture import hanging_events, make_review
from rich.console import Console

from calibration.texts import load_texts
from cueref import open_match
from referee.outputs.document import Match, read_match, table_of
from referee.outputs.open_questions import hanging_on, open_questions, provisional_words, root_of
from referee.outputs.report import report_html, stroke_view
from referee.outputs.sheet import score_sheet_html, sheet_of
from referee.outputs.terminal import print_match
from referee.outputs.words import PLAIN, Say

GERMAN = Say(load_texts("de"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hanging")
    make_review(folder, hanging_events(), ("Ann", "Bo"), video=False)
    return folder


@pytest.fixture
def match(folder: Path) -> Match:
    return read_match(folder)


def aside(match: Match, *strokes: int) -> Match:
    """The same, where a person does not know what happened in these strokes."""
    told: Any = copy.deepcopy(match)
    for s in told["strokes"]:
        if s["n"] in strokes:
            s["decided"] = {"by": "Rea", "at": "2026-11-27T09:00:00Z", "unknown": True}
    found: Match = told
    return found


def listed(match: Match) -> list[tuple[int, list[int], bool]]:
    return [(q.stroke["n"], [s["n"] for s in q.hanging], q.set_aside) for q in open_questions(match)]


def test_strokes_stand_under_the_question_on_which_they_hang(match: Match) -> None:
    assert listed(match) == [(2, [3, 4, 5, 6, 7, 9], False), (8, [], False)]
    assert root_of(open_questions(match)) == dict.fromkeys((3, 4, 5, 6, 7, 9), 2)
    assert hanging_on(open_questions(match)) == 6


def test_behind_a_question_that_nobody_can_answer_the_next_is_asked(match: Match) -> None:
    assert listed(aside(match, 2)) == [(2, [], True), (3, [4, 5, 6, 7, 9], False), (8, [], False)]
    assert listed(aside(match, 4)) == [(2, [3, 5, 6, 7, 9], False), (4, [], True), (8, [], False)]


def test_a_score_hangs_on_questions_and_strokes_on_these(match: Match) -> None:
    found = open_questions(match)
    assert provisional_words(found, PLAIN) == "provisional: hangs on 2 questions; 6 strokes hang on that"
    assert provisional_words(found[1:], PLAIN) == "provisional: hangs on 1 question"
    assert provisional_words((), PLAIN) == ""
    assert provisional_words(found, GERMAN) == "vorläufig: hängt an 2 Fragen; 6 Stöße hängen daran"


def test_the_report_counts_questions_and_leads_from_each_stroke_to_its_question(match: Match) -> None:
    page = report_html(match)
    assert "<b>provisional: hangs on 2 questions; 6 strokes hang on that</b>" in page
    root, below = (page.split(f'id="s{n}"')[1].split("</article>")[0] for n in (2, 4))
    assert "Referee&#39;s call" in root and 'this question: <a href="#s3">3</a>, <a href="#s4">4' in root
    assert '<span class="tag">hangs on stroke 2</span>' in below and 'href="#s2"' in below
    answers = below.split("<details>")[1]
    assert "98 % Ann at the table, red on; score 0-1" in answers, "its answers are there too"
    assert "hängt an Stoß 2" in report_html(match, texts=load_texts("de"))


def test_the_terminal_tells_a_stroke_that_hangs_in_four_words(match: Match) -> None:
    out = io.StringIO()
    print_match(match, Console(file=out, width=120, color_system=None))
    assert out.getvalue().count("hangs on stroke 2") == 6 and "who was at the table" not in out.getvalue()
    assert "2 referee's calls open; 6 strokes hang on that" in out.getvalue()


def test_the_score_sheet_counts_questions_of_frames(match: Match) -> None:
    said = "Provisional. Questions that await the referee: 2. 6 strokes hang on that."
    assert sheet_of(match).provisional == said and said in score_sheet_html(match)
    certain: Any = copy.deepcopy(match)
    for s in certain["strokes"]:
        s["verdict"] = "certain"
    assert sheet_of(certain).provisional == ""


def test_a_programs_questions_are_those_that_hang_on_no_other(folder: Path) -> None:
    found = open_match(folder)
    assert [s.n for s in found.questions] == [2, 8]
    assert [s.n for s in found.strokes if s.hangs_on == 2] == [3, 4, 5, 6, 7, 9]


def test_reds_are_one_to_a_reader_who_is_told_how_sure_the_first_contact_is(match: Match) -> None:
    """Stroke 4 hit one red with 55 %, another with 45 %: red first is certain, and no percentage is said."""
    hit = {s["n"]: s["first_contact"] for s in match["strokes"]}
    assert hit[4] is not None and (hit[4]["confidence"], hit[4]["colour_confidence"]) == (0.55, 1.0)
    assert hit[2] is not None and "colour_confidence" not in hit[2]
    page = report_html(match)
    cards = {n: page.split(f'id="s{n}"')[1].split("</article>")[0] for n in (2, 4)}
    assert "(first contact 50 %)" in cards[2] and "first contact" not in cards[4]


def test_an_evidence_page_shows_its_stroke_under_the_question_too(match: Match) -> None:
    view = stroke_view(match, match["strokes"][3], table_of(match), {})
    assert view.hangs_on == 2 and view.question == "What was on, and who was at the table?"
