"""Live pages in Chromium: the phone answers with what is true, sets the state; the club leads to each
table.
"""

# ruff: noqa: E402
from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parents[1] / "console"), str(Path(__file__).parent)]
from browser_sites import SIZES, opened, until
from live_script import FOUL, STATE
from web_fixture import TOKEN, Site, listening, serving_live

from referee.console.guard import Policy
from referee.console.web_server import WebServer
from referee.facts.judged import asks
from referee.live.engine.state import LIVE_VERSION, Condition
from referee.live.pages.club import Club, create_club_app

pytest_plugins = ("chromium",)
ON = replace(STATE, match_id="match")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving_live(tmp_path_factory.mktemp("live") / "match", live=True) as served:
        question = replace(ON.questions[0], id="stroke-3", stroke=2, start_s=16.0, end_s=20.0)
        served.publish(replace(ON, questions=(question,)))
        yield served


def test_a_phone_answers_with_what_is_true_and_sets_the_state(browser: Any, site: Site) -> None:
    question = replace(ON.questions[0], id="stroke-3", stroke=2, start_s=16.0, end_s=20.0)
    site.publish(replace(ON, questions=(question,)))
    page = opened(browser, site.url, SIZES[1], logged_in=False)
    page.goto(f"{site.url}/login?token={TOKEN}&to=/phone")
    page.wait_for_selector(".ask .answers .unknown")
    assert page.locator(".ask button.answer").count() == 2 and page.locator(".ask .nostroke").count() == 1
    assert page.locator(".ask svg.table").count() == 2  # each answer with its picture
    page.click("#more")
    page.click("#setstate")
    page.locator("#ask form.state [name=score_a]").fill("33")
    page.locator("#ask .setstate").click()
    until(page, "document.querySelector('#toast').textContent.includes('33')")
    assert page.errors == []
    page.context.close()


def test_a_question_says_its_stroke_player_and_time_and_hands_the_keyboard_on(
    browser: Any, site: Site
) -> None:
    asked = (asks("missing", ball="blue"),)
    question = replace(ON.questions[0], id="stroke-3", stroke=2, asked=asked, start_s=16.0, end_s=20.0)
    other = replace(question, id="stroke-9", stroke=9)
    site.table.clips[2] = Path(__file__).parents[3] / "samples" / "carrom_two_strokes.mp4"
    moved = Condition("camera_moved", 1.0, "", "the camera has moved", said=asks("moved"))
    site.publish(replace(ON, questions=(question, other), conditions=(moved,)))
    page = opened(browser, site.url, SIZES[1], logged_in=False, color_scheme="light")
    page.goto(f"{site.url}/login?token={TOKEN}&to=/phone")
    page.goto(f"{site.url}/phone?lang=de")
    page.wait_for_selector(".ask .answers .unknown")
    heads = page.locator(".ask h2").all_inner_texts()
    assert len(heads) == 2 and all(
        h.startswith(w) for h, w in zip(heads, ("Stoß 9 · Bo", "Stoß 2 · Bo"), strict=True)
    )
    assert all(len(h.split(" · ")[2]) == 8 for h in heads)  # hh:mm:ss
    assert "Blau müsste auf dem Tisch liegen" in page.inner_text("[data-id=stroke-9]")
    assert "die Kamera hat sich bewegt" in page.inner_text(".trouble")
    page.wait_for_selector(".ask video[aria-label='Video von Stoß 2']")
    assert page.locator(".points small").count() == 2, "the score is provisional"
    page.locator("[data-id=stroke-9] button.press").first.focus()
    site.publish(replace(ON, questions=(replace(question, counts=False),)))
    until(page, "document.activeElement.matches('[data-id=stroke-3] h2')")
    assert page.locator(".points small").count() == 0, "a state was set after the stroke in question"
    site.publish(replace(ON, questions=()))
    until(page, "document.activeElement.matches('.part-last .last')")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(238, 241, 244)"
    assert page.errors == []
    page.context.close()


def test_what_happened_is_asked_before_what_a_player_chooses_and_every_question_is_counted(
    browser: Any, site: Site
) -> None:
    question = replace(ON.questions[0], id="stroke-3", stroke=2, start_s=16.0, end_s=20.0)
    choice = replace(question, id="choice-3", kind="choice", asked=(asks("choose", name="Ann"),))
    site.publish(replace(ON, questions=(choice, question), questions_more=78))
    page = opened(browser, site.url, SIZES[0])
    page.goto(f"{site.url}/#/live")
    page.wait_for_selector(".ask .answers .unknown")
    ids = page.locator(".ask").evaluate_all("all => all.map((n) => n.dataset.id)")
    assert ids == ["stroke-3", "choice-3"]
    assert page.inner_text(".part-questions .more a") == "78 more questions"
    counted = page.evaluate("fetch('/api/matches/match').then((a) => a.json()).then((h) => h.open)") + 1
    until(page, f"document.querySelector('nav .count').textContent === '{counted}'")
    page.click(".part-questions .more a")
    page.wait_for_selector(".others a[href='#/live']")
    assert "What does Ann choose?" in page.inner_text(".others")
    assert page.errors == []
    page.context.close()


def test_the_clubs_page_leads_to_each_table_its_questions_and_pages(browser: Any) -> None:
    club = Club()
    club.heard(True)
    body = {"type": "state", "version": LIVE_VERSION, "body": asdict(ON)}
    club.take("cueref/Table 3/state", json.dumps(body).encode())
    club.take("cueref/Table 3/online", b"true")
    club.take("cueref/Table 3/pages", b"http://table3.club:8765")
    club.take("cueref/Table 4/pages", b"javascript:alert(1)")
    server = WebServer(create_club_app(club, Policy(TOKEN, True)), [listening()])
    server.start()
    try:
        page = opened(browser, "", SIZES[1], logged_in=False)
        page.goto(f"http://127.0.0.1:{server.port}/")
        page.wait_for_selector(".pages a")
        links = page.evaluate("[...document.querySelectorAll('.pages a')].map((a) => a.href)")
        at = "http://table3.club:8765/"
        assert links == [f"{at}#/live", f"{at}#/ask", f"{at}phone", f"{at}tv"]
        page.wait_for_selector(".qr svg[role=img][aria-label='QR code: Table 3 on a phone']")
        club.take("cueref/Table 3/pages", b"http://127.0.0.1:8765")
        until(page, "document.querySelector('.qr').textContent.includes('--host 0.0.0.0')")
        assert page.locator(".qr svg").count() == 0, "to a phone 127.0.0.1 is the phone itself"
        club.take("cueref/Table 3/pages", b"http://table3.club:8765")
        page.wait_for_selector(".qr svg")
        page.evaluate(
            "new MutationObserver((m) => { window.written = (window.written || 0) + m.length; })"
            ".observe(document.getElementById('link'), { childList: true, subtree: true })"
        )
        assert "question" in page.inner_text(".open") and page.errors == []
        assert page.locator("th[scope=col]").all_inner_texts() == ["Player", "Frames", "Points"]
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        held = page.evaluate("document.activeElement.href")
        later = replace(ON, players=tuple(replace(p, score=p.score + 7) for p in ON.players))
        club.take("cueref/Table 3/state", json.dumps(body | {"body": asdict(later)}).encode())
        until(page, f"document.querySelector('td.points').textContent === '{later.players[0].score}'")
        assert held in links and page.evaluate("document.activeElement.href") == held  # the focus stays
        assert page.inner_text(".said") == "Foul and a miss, 5 to Bo"
        call = replace(later, last_ruling=replace(FOUL, verdict="call"))
        club.take("cueref/Table 3/state", json.dumps(body | {"body": asdict(call)}).encode())
        until(page, "document.querySelector('.said').textContent === \"Referee's call\"")
        club.heard(False)
        until(page, "document.getElementById('link').textContent.includes('the broker cannot be reached')")
        club.take("cueref/Table 3/state", json.dumps(body).encode())
        until(page, f"document.querySelector('td.points').textContent === '{ON.players[0].score}'")
        assert page.evaluate("window.written") == 1, "the same words are not read aloud again"
        page.context.close()
    finally:
        server.close()
