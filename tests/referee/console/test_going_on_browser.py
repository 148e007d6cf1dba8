"""In the console: where the keyboard goes on, a state that cannot be, whole words, names of pockets."""

# ruff: noqa: E402
from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from browser_sites import SIZES, opened, until, violations
from console_fixture import frame_events, make_review, serving

from calibration.table.games import GAMES

pytest_plugins = ("chromium",)
HERE = "(document.activeElement.closest('tr') || document.activeElement)"
BROKEN = """() => [...document.querySelectorAll('main.history td')].flatMap((cell) => {
  const broken = [], walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let text = walk.nextNode(); text; text = walk.nextNode())
    for (const word of text.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) broken.push(word[0]);
    }
  return broken;
})"""
"""Words of the history that stand on two lines."""
MEETING = """async ([shape, turn]) => {
  const { Table } = await import('/static/table.js');
  const head = await (await fetch('/api/matches/frame')).json();
  const table = new Table({ ...head, turn, table: { ...head.table, ...shape } });
  document.getElementById('main').replaceChildren(table.node);
  const boxes = [...table.node.querySelectorAll('.label')]
    .map((n) => [n.textContent, n.getBoundingClientRect()]);
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return boxes.flatMap(([one, a], k) => boxes.slice(k + 1)
    .filter(([, b]) => meet(a, b)).map(([other]) => [one, other]));
}"""
"""Pairs of names on the drawn table that lie over one another."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    make_review(tmp_path / "frame", frame_events(), ("Ann", "Bo"), video=False)
    with serving([tmp_path / "frame"]) as url:
        yield url


def test_the_keyboard_goes_on_after_an_answer_an_undo_and_a_file_made(browser: Any, site: str) -> None:
    page = opened(browser, site)
    page.goto(f"{site}/#/ask")
    page.locator("button.answer").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("main .empty")  # no question is left: its heading says so
    until(page, "document.activeElement.tagName === 'H2'")
    page.goto(f"{site}/#/history")
    page.locator("main.history button").first.focus()
    page.keyboard.press("Enter")
    until(page, f"{HERE}.className.includes('changed') && {HERE}.innerText.includes('nominated')")
    page.goto(f"{site}/#/export")
    page.locator("#make-names").focus()
    page.keyboard.press("Enter")
    until(page, "document.activeElement.matches('.made a')")
    assert page.errors == []
    page.context.close()


def test_a_state_that_cannot_be_is_asked_about_and_taken_back_in_one_step(browser: Any, site: str) -> None:
    page = opened(browser, site)
    page.goto(f"{site}/#/ask/2")
    page.locator("details.other summary").first.click()
    before = page.inner_text("#score")
    form = page.locator("details.other form.state")
    for name, value in (("score_a", "300"), ("score_b", "4"), ("frames_a", "2"), ("frames_b", "1")):
        form.locator(f"[name={name}]").fill(value)
    form.locator("button").click()
    page.wait_for_selector("dialog.sure")
    assert "304 points are too many" in page.inner_text("dialog.sure") and violations(page) == []
    page.locator("dialog.sure .main").click()
    until(page, "document.activeElement.name === 'score_a'")
    assert page.inner_text("#score") == before, "nothing is stored before it is confirmed"
    form.locator("button").click()
    page.locator("dialog.sure .store").click()
    until(page, "document.querySelector('#score').innerText.includes('2–1')")
    page.keyboard.press("u")
    until(page, "!document.querySelector('#score').innerText.includes('2–1')")
    assert page.inner_text("#score") == before and page.errors == []
    page.context.close()


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_word_of_the_history_is_broken_on_a_phone(browser: Any, site: str, language: str) -> None:
    page = opened(browser, site, SIZES[1], locale=language)
    page.goto(f"{site}/#/watch/4")
    for _ in ("did not happen", "did happen"):
        page.locator(".hand button").first.click()
        page.wait_for_timeout(200)
    page.goto(f"{site}/#/history")
    page.wait_for_selector("main.history td.change")
    assert page.evaluate(BROKEN) == [] and violations(page) == []
    wide = "(() => { const s = document.querySelector('.scroll'); return s.scrollWidth > s.clientWidth; })()"
    assert not page.evaluate(wide)
    page.context.close()


def test_pocket_names_keep_apart_on_every_table_and_turn(browser: Any, site: str) -> None:
    page = opened(browser, site)
    page.wait_for_selector(".row.on")
    for table in {t.length_mm: t for t in (game.table() for game in GAMES.values())}.values():
        place = {"B": 0.0, "C": table.length_mm / 2, "T": table.length_mm}
        half = table.width_mm / 2
        pockets = [
            {"name": p.name, "x": half if p.name[1] == "R" else -half, "y": place[p.name[0]], "r": 40}
            for p in table.pockets
        ]
        shape = {"length_mm": table.length_mm, "half_width_mm": half, "pockets": pockets}
        for turn in range(4):
            assert page.evaluate(MEETING, [shape, turn]) == [], (table.length_mm, turn)
    page.context.close()
