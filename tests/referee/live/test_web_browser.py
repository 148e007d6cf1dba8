"""Scoreboard, phone and setup in Debian's Chromium; skipped with a word where there is none."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the pages need the extra 'serve'")
from live_script import STATE, UTC, frame, occupied
from web_fixture import TOKEN, Site, serving_live

from referee.live.engine.requests import Answer, AskFrame, DeclareFrozen, Nominate
from referee.live.engine.state import Condition, LiveBall, LivePlayer

pytest_plugins = ("chromium",)
SHOTS = os.environ.get("CUEREF_SHOTS")
NAMES = ("<img src=x onerror=window.hacked=1>", "Bartholomew Featherstonehaugh-Smythe")
CROWDED = replace(
    STATE,
    score=(147, 104),
    players=(LivePlayer("A", NAMES[0], 147, 17, 147), LivePlayer("B", NAMES[1], 104, 16, 92)),
    best_of=35,
    snookers_required=3,
    leader="A",
    touching=("red_1",),
    respots=(occupied(),),
    break_points=0,
    status="camera_moved",
    conditions=(Condition("camera_moved", 1.0, UTC, "the camera was moved"),),
)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with serving_live(tmp_path / "match") as served:
        yield served


def until(page: Any, condition: str, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, f"not within {seconds} s: {condition}"
        page.wait_for_timeout(50)


def opened(browser: Any, size: tuple[int, int], outside: list[str], url: str) -> Any:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    context.set_default_timeout(60_000)
    context.add_init_script("localStorage.setItem('cueref-who', 'Rea')")
    page = context.new_page()
    page.on("request", lambda r: None if r.url.startswith((url, "blob:", "data:")) else outside.append(r.url))
    page.on("pageerror", lambda e: outside.append(str(e)))
    return page


# the texts in sight: their size against the screen's height, and whether all of them lie on it
READABLE = """() => {
  const page = document.documentElement;
  const outside = (r) => r.left < -1 || r.top < -1 || r.right > innerWidth + 1 || r.bottom > innerHeight + 1;
  const shown = [...document.querySelectorAll('#tv *')]
    .filter((n) => n.childElementCount === 0 && n.textContent.trim());
  return { least: Math.min(...shown.map((n) => parseFloat(getComputedStyle(n).fontSize))) / innerHeight,
    off: shown.filter((n) => outside(n.getBoundingClientRect())).map((n) => n.textContent),
    scrolls: page.scrollHeight > innerHeight || page.scrollWidth > innerWidth }; }"""


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720)])
def test_a_television_shows_everything_large_and_never_scrolls(
    browser: Any, site: Site, size: tuple[int, int]
) -> None:
    outside: list[str] = []
    page = opened(browser, size, outside, site.url)
    site.publish(STATE)
    page.goto(f"{site.url}/tv")
    page.wait_for_selector(".side.b.on")
    text = page.inner_text("#tv")
    for words in (
        "Table 3",
        "Frame 2, best of 7",
        "45",
        "17",
        "1–1",
        "red",
        "Free ball",
        "51",
        "Foul and a miss, 5 to Bo",
        "hit a ball first",
    ):
        assert words in text, words
    site.publish(CROWDED)
    until(page, "document.querySelector('.score').textContent === '147'")
    assert "needs 3 snookers" in page.inner_text("#tv") and "pink on the black spot" in page.inner_text("#tv")
    found = page.evaluate(READABLE)
    assert found["off"] == [] and not found["scrolls"]
    assert found["least"] >= 0.019  # the longest name; a 50 inch screen is 620 mm high: 12 mm
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/tv_{size[0]}.png")
    assert outside == [] and page.evaluate("window.hacked") is None
    page.context.close()


def test_a_screen_shows_that_it_lost_its_table_and_reconnects(browser: Any, tmp_path: Path) -> None:
    outside: list[str] = []
    with serving_live(tmp_path / "match") as site:
        port = site.server.port
        page = opened(browser, (1280, 720), outside, site.url)
        site.publish(STATE)
        page.goto(f"{site.url}/tv")
        page.wait_for_selector(".side.b.on")
        until(page, "!document.querySelector('#link.bad')")  # a busy machine may be late once
    page.wait_for_selector("#link.bad")
    assert "Not connected since" in page.inner_text("#link") and page.locator("body.stale").count() == 1
    with serving_live(tmp_path / "match", port=port, review=False) as site:
        site.publish(
            replace(STATE, score=(52, 17), players=(replace(STATE.players[0], score=52), STATE.players[1]))
        )
        until(
            page,
            "document.querySelector('.score').textContent === '52' && !document.querySelector('#link.bad')",
        )
    page.context.close()


@pytest.mark.slow  # Chromium spun in it once, cause unknown
def test_a_phone_answers_nominates_and_confirms_what_ends_a_frame(browser: Any, site: Site) -> None:
    outside: list[str] = []
    page = opened(browser, (375, 720), outside, site.url)
    site.publish(CROWDED)
    page.goto(f"{site.url}/phone")  # without the token: to look at
    page.wait_for_selector(".ask .press")
    assert (
        page.locator(".press:not([disabled])").count() == 0 and page.locator("#more[disabled]").count() == 1
    )
    page.goto(f"{site.url}/login?token={TOKEN}&to=/phone")
    page.wait_for_selector(".ask .press:not([disabled])")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = page.evaluate(
        "[...document.querySelectorAll('button')].filter((b) => b.getBoundingClientRect().height < 44).length"
    )
    assert small == 0  # a thumb's width
    page.locator(".press").nth(1).click()
    until(page, "document.querySelector('#toast.show')")
    assert site.table.asked == [(Answer("facts-12", 1), "Rea")]
    page.locator("nav [data-ball=brown]").click()  # the table refuses it, and the phone says why
    until(
        page,
        "document.querySelector('#toast.bad') &&"
        " document.querySelector('#toast').textContent.includes('expected a ball')",
    )
    page.locator("nav [data-ball=blue]").click()
    page.click("#more")
    page.get_by_role("button", name="Bartholomew").click()
    assert len(site.table.asked) == 2  # nothing is conceded by one slip of the thumb
    page.click("#yes")
    until(page, "!document.querySelector('#ask').open")
    deadline = time.monotonic() + 30
    while len(site.table.asked) < 3 and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert site.table.asked[1:] == [(Nominate("blue"), "Rea"), (AskFrame("concede", "B"), "Rea")]
    site.publish(
        replace(CROWDED, questions=(), phase="between_frames", frames=(frame(1, "won"), frame(2, "won")))
    )
    until(page, "!document.querySelector('.ask')")
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/phone.png")
    assert outside == [] and page.evaluate("window.hacked") is None
    page.context.close()


@pytest.mark.slow  # a browser
def test_a_ball_at_a_rail_is_declared_frozen_with_one_press(browser: Any, site: Site) -> None:
    """WPA 8.4. The match of this site is snooker's, which takes no such call: its head is changed."""

    def as_pool(route: Any) -> None:
        answer = route.fetch()
        said = answer.json()
        said["head"]["may_call"] = ["frozen"]
        route.fulfill(response=answer, json=said)

    outside: list[str] = []
    page = opened(browser, (375, 720), outside, site.url)
    page.route("**/api/live", as_pool)
    places = {"red_1": (-862.0, 1000.0), "blue": (0.0, 1700.0)}  # 0.75 mm off the left cushion, and far off
    balls = tuple(LiveBall(b, b.partition("_")[0], *at, 0.5, "rest") for b, at in places.items())
    site.publish(replace(STATE, phase="frame", moving=False, balls=balls, questions=()))
    page.goto(f"{site.url}/login?token={TOKEN}&to=/phone")
    page.wait_for_selector("[data-frozen=red]")
    assert page.locator("[data-frozen]").count() == 1
    page.locator("[data-frozen=red]").click()
    page.wait_for_selector("[data-frozen=red].chosen")
    assert site.table.asked == [(DeclareFrozen("red", "left"), "Rea")]
    assert not [o for o in outside if "Error" in o]
