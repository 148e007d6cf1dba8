"""Rows of the console in Chromium: every question can be answered with what is true, the state set, the table
turned, spots asked for, the language changed.
"""

# ruff: noqa: E402
from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from browser_sites import SIZES, opened, until
from console_fixture import frame_events, make_review, serving
from script import Scene

from tracker.events import Gap, LayoutChange, TrackerEvent

pytest_plugins = ("chromium",)


def dark_events() -> list[TrackerEvent]:
    """A stroke; two seconds in which nothing is seen and a red goes; a pink."""
    scene = Scene()
    events: list[TrackerEvent] = [scene.stroke("red_1", [], {"white": (100.0, 600.0)})]
    begun, ended = scene.t_s + 1.0, scene.t_s + 3.0
    events.append(Gap(begun, ended, "other_view"))
    scene.balls = {k: v for k, v in scene.balls.items() if k != "red_1"}
    events.append(LayoutChange(ended, scene.layout(), False))
    events.append(scene.stroke("pink", [], {"white": (0.0, 1000.0)}))
    return events


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("rows")
    make_review(folder / "frame", frame_events(), ("Ann", "Bo"))
    make_review(folder / "dark", dark_events(), ("Ann", "Bo"), video=False)
    make_review(folder / "state", dark_events(), ("Ann", "Bo"), video=False)
    with serving([folder / "frame", folder / "dark", folder / "state"]) as url:
        yield url


def test_after_darkness_the_state_is_answered_and_the_stroke_says_by_whom(browser: Any, site: str) -> None:
    page = opened(browser, site, SIZES[1])
    page.goto(f"{site}/?match=dark#/ask")
    page.wait_for_selector("button.answer")
    offered = page.locator("button.answer b").all_inner_texts()
    assert len(offered) == 4 and offered[0].startswith(("Ann at the table", "Bo at the table"))
    assert page.locator("button.answer svg.table").count() == 4  # each with its picture
    assert page.locator("button.unknown").count() == 1 and page.locator("button.nostroke").count() == 1
    page.locator("button.unknown").click()
    until(page, "document.querySelector('.answers')?.innerText.includes('Rea does not know')")
    until(page, "!document.querySelector('.count')")  # it waits for nobody
    page.locator("button.answer", has_text="Bo at the table, any colour on").click()
    page.wait_for_selector(".empty")
    page.goto(f"{site}/?match=dark#/watch/2")
    until(page, "document.querySelector('.facts')?.innerText.includes('decided by Rea')")
    facts = page.inner_text(".facts")
    assert "certain" not in facts and "100 %" not in facts
    page.keyboard.press("u")
    until(page, "document.querySelector('#toast').textContent.includes('Taken back')")
    assert "Bo at the table" in page.inner_text("#toast")
    assert page.errors == []
    page.context.close()


def test_striker_ball_on_score_and_frames_are_set_before_a_stroke(browser: Any, site: str) -> None:
    page = opened(browser, site)
    page.goto(f"{site}/?match=state#/ask/2")
    page.wait_for_selector("details.other summary")
    page.locator("details.other summary").first.click()
    form = page.locator("details.other form.state")
    form.locator("[name=striker]").select_option("B")
    form.locator("[name=ball_on]").select_option("any_colour")
    form.locator("[name=score_a]").fill("40")
    form.locator("[name=score_b]").fill("31")
    form.locator("[name=frames_a]").fill("2")
    form.locator("[name=frames_b]").fill("1")
    form.locator("button").click()
    until(page, "document.querySelector('#score').innerText.replaceAll(' ', '').startsWith('40–31')")
    assert "2–1" in page.inner_text("#score") and page.errors == []
    page.context.close()


def test_the_score_is_provisional_and_the_questions_are_counted_once(browser: Any, site: str) -> None:
    page = opened(browser, site)
    page.wait_for_selector("#provisional")
    assert page.inner_text("#provisional") == "provisional: hangs on 1 question"
    assert page.locator(".count").all_inner_texts() == ["1"]
    page.context.close()


def test_video_drawing_and_words_turn_together(browser: Any, site: str) -> None:
    page = opened(browser, site)
    page.goto(f"{site}/?match=frame#/watch/1")
    page.wait_for_selector(".ruling.points")
    until(page, "document.querySelector('.facts').innerText.includes('top left')")
    labels = "[...document.querySelectorAll('.stage svg.table .label')].map((n) => n.textContent)"
    assert "top left" in page.evaluate(labels)
    page.keyboard.press("t")
    until(page, "document.querySelector('.facts').innerText.includes('top right')")
    assert page.locator(".picture.turned1").count() == 1
    for _ in range(3):
        page.locator("button[title*='turn the table']").click()
        page.wait_for_timeout(200)
    until(page, "document.querySelector('.facts').innerText.includes('top left')")
    assert page.errors == []
    page.context.close()


def test_the_spots_are_asked_for_at_a_moment_and_shown_enlarged(browser: Any, site: str) -> None:
    page = opened(browser, site, SIZES[1])
    page.goto(f"{site}/?match=frame#/spots")
    page.wait_for_selector("#looknow")
    page.locator(".spotsnow input").fill("57")
    page.click("#looknow")
    page.wait_for_selector(".spotsnow .spot")
    assert page.locator(".spotsnow .closeup image").count() >= 3
    assert "spot" in page.inner_text(".spotsnow [role=status]") and page.errors == []
    page.context.close()


def test_a_name_is_asked_for_once_and_cancelling_loses_nothing(browser: Any, site: str) -> None:
    page = opened(browser, site)
    page.evaluate("localStorage.removeItem('cueref-who')")
    page.goto(f"{site}/?match=frame#/watch/6")
    page.wait_for_selector("details.correct")
    page.keyboard.press("c")
    page.locator("form select[name=cue_ball]").first.select_option("pocketed")
    page.evaluate("localStorage.setItem('cueref-who', '')")
    page.get_by_role("button", name="Correct and judge again").click()
    page.wait_for_selector("#ask[open]")
    page.get_by_role("button", name="Cancel").click()
    assert page.locator("form select[name=cue_ball]").first.input_value() == "pocketed"
    page.get_by_role("button", name="Correct and judge again").click()
    page.fill("#who", "Ann Referee")
    page.get_by_role("button", name="Go on").click()
    until(page, "document.querySelector('.facts').innerText.includes('decided by Ann Referee')")
    page.context.close()


def test_the_console_speaks_german(browser: Any, site: str) -> None:
    page = opened(browser, site)
    page.goto(f"{site}/?match=frame&lang=de#/watch/3")
    page.wait_for_selector(".ruling.foul")
    assert "Foul, 5 für Ann" in page.inner_text(".facts") and "Fragen" in page.inner_text("#nav")
    page.goto(f"{site}/?match=frame&lang=de#/ask")
    until(page, "document.querySelector('.question')?.textContent.startsWith('Welchen Ball hat')")
    assert "Ich weiß es nicht" in page.inner_text(".answers") and page.errors == []
    page.context.close()
