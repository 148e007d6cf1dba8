"""The console asks a question once: the strokes that hang on it stand under it, can be looked at and answered
there, and are settled with it.
"""

# ruff: noqa: E402
from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from browser_sites import SIZES, opened, until, violations
from console_fixture import hanging_events, make_review, serving

from referee.console import page_data
from referee.console.change_bodies import CorrectionBody, UnknownBody
from referee.console.match_view import MatchView
from referee.console.reviews import open_review

pytest_plugins = ("chromium",)
HUNG = [3, 4, 5, 6, 7, 9]


@pytest.fixture
def match(tmp_path: Path) -> Iterator[MatchView]:
    make_review(tmp_path / "match", hanging_events(), ("Ann", "Bo"), video=False)
    with_changes = open_review("match", tmp_path / "match")
    yield with_changes
    with_changes.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("hanging")
    for name in ("looked", "answered"):
        make_review(folder / name, hanging_events(), ("Ann", "Bo"), video=False)
    with serving([folder / "looked", folder / "answered"]) as url:
        yield url


def head(match: MatchView) -> tuple[int, int, int]:
    shown = page_data.header(match.document, "m", 1, False, True)
    return shown["open"], shown["hanging"], shown["provisional"]


def asked(match: MatchView) -> list[tuple[int, int | None, list[int]]]:
    return [(q["n"], q["hangs_on"], q["hanging"]) for q in page_data.questions(match.document)]


def test_a_question_comes_before_the_strokes_that_hang_on_it(match: MatchView) -> None:
    assert head(match) == (2, 6, 2)
    assert asked(match) == [(2, None, HUNG), *((n, 2, []) for n in HUNG), (8, None, [])]
    newest = page_data.questions(match.document, newest_first=True)
    assert [q["n"] for q in newest] == [8, 2, *HUNG]
    assert [r["hangs_on"] for r in page_data.rows(match.document)] == [None, None, 2, 2, 2, 2, 2, None, 2]


def test_an_answer_tells_which_strokes_it_settled(match: MatchView) -> None:
    done = match.correct(CorrectionBody(stroke=2, who="Ref", answer=0))
    assert done["settled"] == HUNG and set(HUNG) < set(done["changed"]) and head(match) == (1, 0, 1)


def test_an_answer_given_at_a_stroke_that_hangs_settles_those_behind_it(match: MatchView) -> None:
    done = match.correct(CorrectionBody(stroke=4, who="Ref", answer=0))
    assert done["settled"] == [4, 5, 6, 7, 9], "who was at the table is known from there on"
    assert asked(match)[0][0] == 2 and asked(match)[0][2] == [3]


def test_where_nobody_knows_the_first_answer_the_next_stroke_is_asked(match: MatchView) -> None:
    match.set_aside(UnknownBody(stroke=2, who="Ref"))
    assert asked(match)[0] == (3, None, HUNG[1:]) and asked(match)[-1] == (2, None, [])
    assert head(match) == (2, 5, 2)


@pytest.mark.parametrize("size", SIZES)
def test_the_questions_page_lists_what_hangs_under_its_question(
    browser: Any, site: str, size: tuple[int, int]
) -> None:
    page = opened(browser, site, size)
    page.goto(f"{site}/?match=looked#/ask")
    page.wait_for_selector(".under a")
    assert page.inner_text("h2.hung").startswith("Question 1 of 2") and page.inner_text(".count") == "2"
    assert page.inner_text("#provisional") == "provisional: hangs on 2 questions; 6 strokes hang on that"
    assert page.locator(".under a").all_inner_texts() == [str(n) for n in HUNG]
    assert page.locator(".others li").count() == 1 and violations(page, "#main") == []
    page.click(".under a[href='#/ask/4']")
    page.wait_for_selector(".hangs a")
    assert page.inner_text("h2.hung").startswith("Hangs on stroke 2")
    assert "Ann at the table, red on" in page.inner_text(".answers") and violations(page, "#main") == []
    page.click(".hangs a")
    until(page, "document.querySelector('h2.hung').textContent.startsWith('Question 1 of 2')")
    page.goto(f"{site}/?match=looked&lang=de#/ask/4")
    until(page, "document.querySelector('h2.hung')?.textContent.startsWith('hängt an Stoß 2')")
    page.keyboard.press("n")
    until(page, "document.querySelector('h2.hung').textContent.startsWith('Frage 1 von 2')")
    assert page.errors == []
    page.context.close()


def test_the_answer_to_a_question_says_how_many_strokes_it_settled(browser: Any, site: str) -> None:
    page = opened(browser, site)
    page.goto(f"{site}/?match=answered#/watch/4")
    page.wait_for_selector(".hangs a")
    assert page.inner_text(".row.on .ruling") == "hangs on stroke 2"
    page.click(".hangs a")
    page.wait_for_selector(".askgrid button.answer")
    page.locator(".askgrid button.answer").first.click()
    until(
        page, "document.querySelector('#toast').textContent.includes('6 strokes that hung on it are settled')"
    )
    until(page, "document.querySelector('.count').textContent === '1'")
    page.goto(f"{site}/?match=answered#/watch/4")
    until(page, "document.querySelector('.row.on .ruling')?.textContent === 'no score'")
    assert page.errors == []
    page.context.close()
