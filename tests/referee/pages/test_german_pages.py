"""No English is left on a German page: nothing reads the same in both but names and terms."""

# ruff: noqa: E402
from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "console")]
from every_page import SERVED, Page, every_page

pytest_plugins = ("chromium",)
READ = """() => {
  const said = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const inside = walk.currentNode.parentElement;
    if (!inside.closest("script,style,code,output")) said.push(walk.currentNode.textContent);
  }
  for (const node of document.querySelectorAll("[aria-label],[title],[placeholder],[alt]"))
    for (const name of ["aria-label", "title", "placeholder", "alt"])
      if (node.getAttribute(name)) said.push(node.getAttribute(name));
  return [...said, document.title];
}"""
ALIKE = frozenset(
    {
        "Ann",
        "Ace",
        "Bo",
        "Rea",
        "Cy",
        "Di",
        "other",
        "frame",
        "Table",
        "best",
        "Carrom",
        "cueref",
        "clip",
        "mp4",
    }
    | {
        "Name",
        "Foul",
        "Fouls",
        "Miss",
        "Break",
        "Breaks",
        "Frame",
        "Frames",
        "Match",
        "Spot",
        "Spots",
        "Export",
    }
    | {"Live", "Safety", "snooker", "Snooker", "scoreboard", "overlay", "English", "Deutsch"}
)
"""Words that German players use as they are, names (a language's in itself), screens' titles."""
FILE = re.compile(r"\S*(/|\.(json|csv|vtt|edl|mp4))\S*")
"""A file or an address."""


def read(browser: Any, wanted: Page, language: str) -> set[str]:
    """All that a page says in a language, to eyes and to screen readers."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True, locale=language)
    context.set_default_timeout(60_000)
    context.add_init_script(
        f"localStorage.setItem('cueref-who', 'Rea'); localStorage.setItem('cueref-lang', '{language}')"
    )
    page = context.new_page()
    if wanted.login:
        page.goto(wanted.login)
    page.goto(wanted.url)
    page.wait_for_selector(wanted.sign)
    page.wait_for_timeout(300)
    said = {re.sub(r"\s+", " ", text).strip() for text in page.evaluate(READ)}
    context.close()
    return said


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Page]]:
    with every_page(tmp_path_factory.mktemp("pages")) as found:
        yield found


# a file has the language of the command that wrote it; programs are told in English
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SERVED if name != "api"])
def test_no_page_says_a_word_of_english_in_german(browser: Any, pages: dict[str, Page], name: str) -> None:
    alike = read(browser, pages[name], "en") & read(browser, pages[name], "de")
    assert [same for same in alike if set(re.findall(r"[A-Za-z]{3,}", FILE.sub("", same))) - ALIKE] == []
