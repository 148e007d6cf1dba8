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
from console_fixture import make_ten_ball
from live_script import BLACKBALL_FOUL, CALL, QUESTION, STATE, UTC, frame, occupied
from web_fixture import TOKEN, Site, serving_live

from referee.facts.judged import Asked
from referee.live.engine.requests import Answer, AskFrame, DeclareFrozen, Nominate, Undo
from referee.live.engine.state import (
    Condition,
    LiveAnswer,
    LiveBall,
    LivePlayer,
    LiveRuling,
    LiveState,
    LiveWords,
)
from referee.match.open_calls import AtRail, MadeCall, OpenCalls

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
    open_calls=OpenCalls("B", ("red", "yellow", "green", "brown", "blue", "pink", "black")),
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
    assert site.table.asked[1:] == [(Nominate("blue", "B"), "Rea"), (AskFrame("concede", "B"), "Rea")]
    site.publish(
        replace(CROWDED, questions=(), phase="between_frames", frames=(frame(1, "won"), frame(2, "won")))
    )
    until(page, "!document.querySelector('.ask')")
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/phone.png")
    assert outside == [] and page.evaluate("window.hacked") is None
    page.context.close()


TEN_BALL = replace(
    STATE,
    game="wpa_10ball",
    ball_on="2",
    balls_on=(),
    free_ball=False,
    questions=(),
    open_calls=OpenCalls(
        "B",
        ("2", "3", "4", "5", "6", "7", "8", "9", "10"),
        True,
        True,
        True,
        (AtRail("3", "left"),),
    ),
    balls=tuple(
        LiveBall(b, b, x, y, 0.5, "rest")
        for b, x, y in (("cue", 0.0, 600.0), ("3", -605.5, 700.0), ("10", 200.0, 1700.0), ("2", 90.0, 1500.0))
    ),
)
"""Bo's shot after the break; the 3 lies 0.9 mm off the left rail."""


@pytest.mark.slow  # a browser
@pytest.mark.parametrize(("size", "at"), [((390, 844), "/phone"), ((1280, 800), "/#/live")])
def test_what_a_player_calls_is_pressed_and_shown_and_taken_back(
    browser: Any, tmp_path: Path, size: tuple[int, int], at: str
) -> None:
    """WPA 1.6, 8.4, 9.4: one press for a push out, a safety, a frozen ball, two for a ball and its pocket."""
    outside: list[str] = []
    with serving_live(tmp_path / "match", make=make_ten_ball, live=True) as site:
        site.publish(TEN_BALL)
        page = opened(browser, size, outside, site.url)
        page.goto(f"{site.url}/login?token={TOKEN}&to=/phone")
        page.goto(f"{site.url}{at}")
        page.locator(".calls [data-call=push_out]").click()
        page.locator(".calls [data-call=safety]").click()
        page.locator(".calls [data-frozen='3']").click()
        balls = page.locator(".calls .balls button[data-ball]")
        assert [b.get_attribute("data-ball") for b in balls.all()] == list(TEN_BALL.open_calls.balls)
        page.locator(".calls [data-ball='10']").focus()
        page.keyboard.press("Enter")
        until(page, "document.activeElement.dataset.pocket !== undefined")  # the keyboard goes on there
        if SHOTS:
            page.screenshot(path=f"{SHOTS}/live_pocket_{size[0]}.png")
        page.locator(".calls [data-pocket=TL]").press("Enter")
        until(page, "document.querySelector(\".calls [data-ball='10']\")")
        wanted = [
            Nominate(None, "B", push_out=True),
            Nominate(None, "B", safety=True),
            DeclareFrozen("3", "left"),
            Nominate("10", "B", "TL"),
        ]
        assert [request for request, _ in site.table.asked] == wanted
        made = (
            MadeCall(11, "frozen", None, "3", None, "left"),
            MadeCall(12, "nominate", "B", "10", "TL"),
        )
        site.publish(replace(TEN_BALL, called=made))
        until(page, "document.querySelectorAll('.callmade').length === 2")
        words = ["3 frozen to its rail ×", "10 into top right ×"]  # the table lies on its side
        assert page.locator(".callmade").all_inner_texts() == words
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        small = "[...document.querySelectorAll('.calls button')].filter((b) => b.offsetHeight < 44).length"
        assert page.evaluate(small) == 0  # a thumb's width
        if SHOTS:
            page.screenshot(path=f"{SHOTS}/live_calls_{size[0]}.png")
        page.locator(".callmade").last.click()
        until(page, "document.querySelector('#toast.show')")
        assert site.table.asked[-1] == (Undo(12), "Rea")
        site.publish(replace(TEN_BALL, moving=True, called=made))
        until(page, "!document.querySelector('.calls button')")  # not while the balls move
        assert page.locator(".callmade").count() == 2
        assert not [o for o in outside if "Error" in o]
        page.context.close()


@pytest.mark.parametrize(
    ("lang", "foul", "next_player", "choice"),
    [
        ("en", "Foul, wrong ball first, Free shot", "next Bo", "Play from position"),
        ("de", "Foul, falsche Kugel zuerst, Freistoß", "weiter Bo", "Aus dieser Stellung spielen"),
    ],
)
def test_a_foul_of_black_ball_is_said_in_the_pages_language(
    browser: Any, site: Site, lang: str, foul: str, next_player: str, choice: str
) -> None:
    said = (LiveWords("de", "Aus dieser Stellung spielen"), LiveWords("en", "Play from position"))
    answer = LiveAnswer(0, "play from position", "", 0.5, None, said)
    asked = (Asked("choose", (("name", "Bo"),)),)
    question = replace(QUESTION, id="choice-15", kind="choice", stroke=15, answers=(answer,), asked=asked)
    state = replace(STATE, game="blackball", last_ruling=BLACKBALL_FOUL, rulings=(BLACKBALL_FOUL,))
    site.publish(replace(state, questions=(question,)))
    outside: list[str] = []
    page = opened(browser, (1280, 720), outside, site.url)
    page.goto(f"{site.url}/tv?lang={lang}")
    page.wait_for_selector("#tv .foul")
    assert page.inner_text("#tv .foul").replace("\n", " ").split(next_player)[0].strip() == foul
    assert next_player in page.inner_text("#tv .foul")
    page.goto(f"{site.url}/phone?lang={lang}")
    page.wait_for_selector(".last.foul")
    assert foul in page.inner_text(".last.foul") and next_player in page.inner_text(".last.foul")
    assert page.inner_text(".ask .press") == choice
    assert outside == []
    page.context.close()


def after(last: LiveRuling) -> LiveState:
    """The table with that ruling as the newest, no question open."""
    return replace(STATE, free_ball=False, last_ruling=last, rulings=(*STATE.rulings[:2], last), questions=())


LIKELY = {
    "en": "Most likely: hit red first (86 %)",
    "de": "Am wahrscheinlichsten: zuerst Rot getroffen (86 %)",
}
OTHERWISE = {
    "en": "If hit pink first (14 %): Foul, 6 to Bo; a miss; next Bo, red on → 45–23",
    "de": "Wenn zuerst Pink getroffen (14 %): Foul, 6 für Bo; ein Miss; weiter Bo auf Rot → 45–23",
}


def plain(text: str) -> str:
    """Text without the spaces and joiners that keep a line together."""
    return text.replace("\u00a0", " ").replace("\u2060", "")


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize(("size", "at"), [((390, 844), "/phone?lang={}"), ((1280, 800), "/?lang={}#/live")])
def test_a_call_says_what_is_likely_and_what_would_change_it(
    browser: Any, tmp_path: Path, lang: str, size: tuple[int, int], at: str
) -> None:
    outside: list[str] = []
    with serving_live(tmp_path / "match", live=True) as site:
        site.publish(replace(after(CALL), match_id="match"))
        page = opened(browser, size, outside, site.url)
        page.goto(f"{site.url}{at.format(lang)}")
        page.wait_for_selector(".last.call .may")
        assert plain(page.inner_text(".last.call b")) == LIKELY[lang]
        assert [plain(w) for w in page.locator(".last.call .may li").all_inner_texts()] == [OTHERWISE[lang]]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if SHOTS:
            page.screenshot(path=f"{SHOTS}/live_call_{lang}_{size[0]}.png")
        alike = tuple(replace(a, weight=0.5) for a in CALL.alternatives)  # nothing tells which is so
        site.publish(replace(after(replace(CALL, alternatives=alike)), match_id="match"))
        until(page, "!document.querySelector('.last.call').textContent.includes('%')")
        site.publish(replace(after(replace(CALL, hangs_on=12, alternatives=())), match_id="match"))
        until(page, "!document.querySelector('.last.call .may')")
        hangs = {"en": "hangs on stroke 12", "de": "hängt an Stoß 12"}
        assert hangs[lang] in page.inner_text(".last.call")
        site.publish(replace(STATE, match_id="match"))
        until(page, "!document.querySelector('.last.call')")  # a certain ruling says none of this
        assert outside == []
        page.context.close()


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_television_says_a_call_in_two_lines(browser: Any, site: Site, lang: str) -> None:
    outside: list[str] = []
    site.publish(after(CALL))
    page = opened(browser, (1920, 1080), outside, site.url)
    page.goto(f"{site.url}/tv?lang={lang}")
    page.wait_for_selector(".foot .call")
    best, other = (plain(w) for w in page.locator(".foot .call > span").all_inner_texts())
    assert best.startswith(LIKELY[lang]) and other.startswith(OTHERWISE[lang].split(":")[0])
    found = page.evaluate(READABLE)
    assert found["off"] == [] and not found["scrolls"] and found["least"] >= 0.03
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/tv_call_{lang}.png")
    site.publish(replace(after(CALL), respots=(occupied(),)))
    page.wait_for_selector(".foot .respot")
    assert page.locator(".foot .may").count() == 0, "no room beside a ball that is to be placed"
    assert outside == []
    page.context.close()
