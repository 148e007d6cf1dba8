"""Every page in Chromium: axe finds nothing at both sizes, in light and dark; the keyboard alone reaches
every action in the order of the page, shows where it is, and is never held.
"""

# ruff: noqa: E402
from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "console")]
from browser_sites import SIZES, violations
from every_page import SERVED, WRITTEN, Page, every_page

pytest_plugins = ("chromium",)
DESK, PHONE = SIZES
SCREENS = ("tv", "overlay")
"""Pages of screens that nobody touches."""
REACHABLE = """() => {
  const shown = (n) => n.checkVisibility({ visibilityProperty: true })
    && !n.closest("details:not([open]) > :not(summary)");
  return [...document.querySelectorAll("a[href],button,input,select,textarea,summary,[tabindex]")]
    .filter((n) => !n.disabled && n.getAttribute("tabindex") !== "-1" && n.type !== "hidden" && shown(n));
}"""
WHERE = """() => {
  const all = (REACHABLE)(), here = document.activeElement;
  const box = here.getBoundingClientRect(), style = getComputedStyle(here);
  return { index: all.indexOf(here), of: all.length, body: here === document.body,
    name: [here.tagName, here.id, here.className, `${here.textContent || here.type}`.slice(0, 30)].join(" "),
    seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && box.width > 0
      && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
    held: here.tagName === "VIDEO" };
}""".replace("REACHABLE", REACHABLE)
WIDE = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Page]]:
    with every_page(tmp_path_factory.mktemp("pages")) as found:
        yield found


def window(browser: Any) -> Any:
    """A page in a window of its own; what goes wrong in it is noted."""
    context = browser.new_context(viewport={"width": DESK[0], "height": DESK[1]}, bypass_csp=True)
    context.set_default_timeout(60_000)  # a loaded machine is no fault of the page
    context.add_init_script("localStorage.setItem('cueref-who', 'Rea')")
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda e: page.errors.append(str(e)))
    return page


def show(page: Any, wanted: Page) -> None:
    """Open a page as somebody who may do what it offers."""
    if wanted.login:
        page.goto(wanted.login)
    page.goto(wanted.url)
    page.wait_for_selector(wanted.sign)


def looks(page: Any, size: tuple[int, int], scheme: str) -> None:
    """The size of the window and whether the machine is set to dark."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")


@pytest.mark.slow
@pytest.mark.parametrize("name", SERVED + WRITTEN)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(
    browser: Any, pages: dict[str, Page], name: str
) -> None:
    page, found = window(browser), []
    show(page, pages[name])
    for size in SIZES:
        for scheme in ("light", "dark"):
            looks(page, size, scheme)
            found += [(*size, scheme, v) for v in violations(page)]
            if name not in SCREENS and page.evaluate(WIDE):
                found.append((*size, scheme, "wider than the window"))
    assert page.errors == [] and found == []
    page.context.close()


def test_the_stroke_that_is_selected_can_be_read_whatever_was_ruled(
    browser: Any, pages: dict[str, Page]
) -> None:
    """A pot, a question and a foul on the colour of the selected row, and of one that has just changed."""
    page, found = window(browser), []
    show(page, pages["console watch/3"])
    for n, kind in enumerate(("points", "call", "foul"), 1):
        page.evaluate(f"location.hash = '#/watch/{n}'")
        page.wait_for_selector(f".row.on.{kind} .ruling")
        for scheme in ("light", "dark"):
            looks(page, DESK, scheme)
            for classes in ("on", "on changed", "changed"):
                page.evaluate(f"document.querySelector('.row.{kind}').className = 'row {kind} {classes}'")
                found += [(n, scheme, classes, v) for v in violations(page, ".row")]
            page.evaluate(f"document.querySelector('.row.{kind}').className = 'row {kind} on'")
    assert found == []
    page.context.close()


def test_a_moment_that_the_recording_has_not_is_refused_and_takes_the_old_verdict_away(
    browser: Any, pages: dict[str, Page]
) -> None:
    page = window(browser)
    show(page, pages["console spots"])
    page.route("**/spots/now*", lambda route: route.fulfill(json={"spots": [], "size_px": None}))
    moment, said = page.get_by_label("moment in seconds"), page.locator(".spotsnow [role=status]")
    moment.press("Enter")
    page.wait_for_function("document.querySelector('.spotsnow [role=status]').textContent.length > 20")
    moment.fill("99999")
    assert said.text_content() == "", "what was found at another moment"
    page.unroute("**/spots/now*")
    moment.press("Enter")
    page.wait_for_function("document.getElementById('toast').textContent.includes('which ends at')")
    assert said.text_content() == ""
    page.context.close()


def test_a_server_that_is_gone_is_said_in_words_of_ours(browser: Any, pages: dict[str, Page]) -> None:
    page = window(browser)
    show(page, pages["console spots"])
    page.route("**/*", lambda route: route.abort())
    page.get_by_role("button", name="Look").press("Enter")
    page.wait_for_function("document.getElementById('toast').textContent === 'Not connected'")
    page.context.close()


@pytest.mark.parametrize("name", WRITTEN)
def test_paper_is_white_whatever_the_machine_is_set_to(
    browser: Any, pages: dict[str, Page], name: str
) -> None:
    page = window(browser)
    show(page, pages[name])
    page.emulate_media(media="print", color_scheme="dark")
    bright = """() => {
      const sum = (of) => of.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0);
      const look = (query) => getComputedStyle(document.querySelector(query));
      const card = document.querySelector("article") ? "article" : "body";
      return [sum(look("body").color), sum(look(card).backgroundColor)];
    }"""
    ink, paper = page.evaluate(bright)
    assert ink < 100 and paper == 3 * 255, "dark ink on white"
    page.context.close()


@pytest.mark.parametrize("name", [name for name in SERVED + WRITTEN if name not in SCREENS])
@pytest.mark.parametrize("size", [DESK, pytest.param(PHONE, marks=pytest.mark.slow)])
def test_the_keyboard_alone_reaches_every_action_in_order(
    browser: Any, pages: dict[str, Page], name: str, size: tuple[int, int]
) -> None:
    page = window(browser)
    looks(page, size, "light")
    show(page, pages[name])
    page.evaluate(TO_THE_BEGINNING)
    assert walked(page) == []
    page.context.close()


TO_THE_BEGINNING = """() => {
  document.activeElement.blur();
  document.body.tabIndex = -1;  // a blur alone leaves the place from which Tab goes on
  document.body.focus();
  document.body.removeAttribute("tabindex");
  scrollTo(0, 0);
}"""


def walked(page: Any) -> list[str]:
    """What is wrong with a walk by the Tab key from the page's beginning to its end."""
    wrong, reached, last = [], set(), -1
    for step in range(400):
        page.keyboard.press("Tab")
        here = page.evaluate(WHERE)
        if here["body"] or (step and here["index"] == 0):
            break
        if here["held"]:
            continue  # a video's own controls, which the browser draws
        if here["index"] < 0:
            wrong.append(f"something else has the focus: {here['name']}")
        elif here["index"] < last:
            wrong.append(f"out of order: {here['name']}")
        if not here["seen"]:
            wrong.append(f"focus cannot be seen: {here['name']}")
        reached.add(here["index"])
        last = here["index"]
    else:
        wrong.append("the walk does not end")
    missed = sorted(set(range(here["of"])) - reached) if not wrong else []
    names = page.evaluate(f"() => ({REACHABLE})().map((n) => `${{n.tagName}} ${{n.id}} ${{n.className}}`)")
    return wrong + [f"never reached: {names[k]}" for k in missed]
