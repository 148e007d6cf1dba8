"""Practice at a live table in Chromium: a real engine sees the tries, the page counts them."""

# ruff: noqa: E402
from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the pages need the extra 'serve'")
sys.path[:0] = [str(Path(__file__).parents[1] / "console")]
from browser_sites import SIZES, opened, until, violations
from live_clip import first_seconds, sample_calibration
from web_fixture import TOKEN, listening

from calibration.texts import load_texts
from referee.console.guard import Policy
from referee.live.engine.engine import LiveEngine
from referee.live.engine.settings import LiveSettings, NewMatch
from referee.live.pages.engine_pages import Pages

pytest_plugins = ("chromium",)
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
COUNTED = "Number(document.getElementById('count')?.textContent.split(' of ')[1] || 0)"


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """A table at which the sample's first stroke is played again and again."""
    settings = LiveSettings(
        camera=str(first_seconds(tmp_path / "camera.mp4", 10.0)),
        out=tmp_path / "out",
        table_name="Table 3",
        calibration=sample_calibration(tmp_path / "table.json"),
        match=NewMatch(("Ann", "Bo"), 5),
        loop=True,
        speed=0.0,  # every image, however slow this machine is
    )
    engine = LiveEngine(settings)
    pages = Pages(engine, settings.out, Policy(TOKEN, True), load_texts(), listening())
    pages.start()
    engine.start()
    yield f"http://127.0.0.1:{pages.port}"
    engine.stop()
    pages.close()


def test_tries_at_a_live_table_count_by_themselves_and_no_frame_is_refereed(browser: Any, url: str) -> None:
    page = opened(browser, url, SIZES[1])
    page.goto(f"{url}/#/watch")
    until(page, "document.querySelectorAll('.list .row').length > 0", 240)
    page.goto(f"{url}/#/practice/1")
    page.wait_for_selector("#keepstroke", state="attached")
    page.locator("details.card summary").click()
    page.get_by_label("Name", exact=True).fill("the first red")
    page.click("#keepstroke")
    until(
        page,
        "document.querySelector('.practicegrid select').selectedOptions[0].textContent === 'the first red'",
    )
    page.get_by_label("Player", exact=True).fill("Cleo")
    page.click("#begin")
    until(page, "document.querySelector('#count') !== null")
    before = page.evaluate("fetch('/api/live').then((a) => a.json()).then((d) => d.state.body.score)")
    until(page, f"{COUNTED} >= 2", 300)  # the camera's, nobody presses anything
    state = page.evaluate("fetch('/api/live').then((a) => a.json()).then((d) => d.state.body)")
    assert state["score"] == before  # practice: strokes have no ruling
    page.click("#place")
    until(page, "document.querySelectorAll('.practice .over circle').length > 0")
    assert violations(page) == [] and page.evaluate("document.documentElement.scrollWidth") <= SIZES[1][0]
    page.click("#end")
    page.wait_for_selector(".chartcard canvas")
    assert "of" in page.locator(".chartcard td").first.inner_text() and page.errors == []
    page.context.close()
