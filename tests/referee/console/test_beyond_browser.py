"""Exports, replay, practice and players in Chromium: what a person presses, and what axe finds."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser_sites import SCHEMES, SIZES, opened, until, violations
from console_fixture import frame_events, make_review, serving

pytest_plugins = ("chromium",)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("beyond") / "frame"
    make_review(folder, names=("<img src=x onerror=window.hacked=1>", "Bo & Co"))
    with serving([folder]) as address:
        yield address
    shutil.rmtree(folder)


def looked_at(browser: Any, url: str, view: str, ready: str) -> None:
    """The view at both sizes, light and dark: nothing sticks out, axe finds nothing."""
    for size in SIZES:
        page = opened(browser, url, size)
        page.goto(f"{url}/{view}")
        page.wait_for_selector(ready)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == []
        assert page.errors == [] and page.evaluate("window.hacked") is None
        page.context.close()


def test_an_export_says_how_far_it_is_and_is_downloaded(browser: Any, url: str, tmp_path: Path) -> None:
    page = opened(browser, url)
    page.goto(f"{url}/#/export")
    page.wait_for_selector("#make-pdf")
    page.get_by_label("Venue").fill("Salle Köln")
    with page.expect_download() as waiting:
        page.click("#make-pdf")
    waiting.value.save_as(tmp_path / "sheet.pdf")
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF")
    assert page.get_by_role("link", name="Download score-sheet.pdf").is_visible()
    page.reload()
    page.wait_for_selector("#make-pdf")
    assert page.get_by_label("Venue").input_value() == "Salle Köln"
    page.context.close()
    looked_at(browser, url, "#/export", "#make-pdf")


def test_a_replay_follows_its_clock_in_both_drawings_and_in_the_video(browser: Any, url: str) -> None:
    page = opened(browser, url)
    page.goto(f"{url}/#/replay/1")
    page.wait_for_selector(".stage3d")
    until(page, "document.querySelector('.replay video').readyState >= 2")
    begins_s = page.evaluate("document.querySelector('.replay video').currentTime")
    picture = "document.querySelector('.stage3d').toDataURL()"
    before = page.evaluate(picture)
    where = "document.querySelector('.replaydrawn svg.table polyline').getAttribute('points')"
    shorter = page.evaluate(where)
    page.locator(".replay input[type=range]").fill("1.5")
    until(page, f"Math.abs(document.querySelector('.replay video').currentTime - {begins_s} - 1.5) < 0.1")
    assert page.evaluate(picture) != before and len(page.evaluate(where)) > len(shorter)
    page.get_by_role("button", name="Play").click()
    until(page, "Number(document.querySelector('.replay input[type=range]').value) > 1.8")
    page.get_by_role("button", name="Pause").click()
    page.locator(".stage3d").focus()
    turned = page.evaluate(picture)
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(picture) != turned and "#/replay/1" in page.url
    assert page.locator(".replaynumbers section > table").count() == 2
    page.context.close()
    looked_at(browser, url, "#/replay/1", ".stage3d")


@pytest.mark.slow
def test_a_shared_stroke_opens_from_disk_without_a_network(browser: Any, url: str, tmp_path: Path) -> None:
    page = opened(browser, url)
    page.goto(f"{url}/#/replay/1")
    with page.expect_download() as waiting:
        page.click("#make-replay")
    waiting.value.save_as(tmp_path / "stroke.html")
    page.context.close()
    alone = browser.new_context(viewport={"width": 390, "height": 844}, offline=True)
    shared = alone.new_page()
    errors: list[str] = []
    shared.on("pageerror", lambda e: errors.append(str(e)))
    shared.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    shared.goto((tmp_path / "stroke.html").as_uri())
    shared.wait_for_selector(".stage3d")
    until(shared, "document.querySelector('video').readyState >= 2")
    shared.locator(".replay input[type=range]").fill("1")
    until(shared, "Math.abs(document.querySelector('video').currentTime - 2) < 0.2")
    assert shared.evaluate("document.documentElement.scrollWidth") <= 390
    assert errors == [] and shared.evaluate("window.hacked") is None
    alone.close()


@pytest.mark.slow
def test_a_player_over_time_is_drawn_with_a_table_beside_each_drawing(browser: Any, tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="the extra 'test' brings SQLAlchemy")
    from referee.season.library.players import LibraryPlayers
    from referee.season.library.records import match_record
    from referee.season.library.store import Library

    with Library(str(tmp_path / "club.sqlite")) as library:
        for k in range(3):
            make_review(tmp_path / f"m{k}", frame_events(), ("<b>Ann/Ø", f"Bo {k % 2}"), video=False)
            record = match_record(tmp_path / f"m{k}", played_on=f"2026-1{k}-01")
            library.add_match(record)
        library.add_match(replace(record, id="another", game="wpa_9ball", played_on="2026-09-01"))
        with serving([tmp_path / "m0"], players=LibraryPlayers(library)) as address:
            page = opened(browser, address)
            page.goto(f"{address}/#/statistics")
            page.get_by_role("link", name="<b>Ann/Ø", exact=True).click()
            page.wait_for_selector("#success canvas")
            drawings = page.locator(".chartcard").count()
            assert drawings == 7 and page.locator(".chartcard table").count() >= drawings
            assert page.locator("#potted_from rect[fill-opacity]").count() >= 1
            page.get_by_label("Player").select_option("Bo 0")
            until(page, "document.querySelector('main h2').textContent === 'Bo 0'")
            page.goto(f"{address}/players")
            page.get_by_role("cell", name="Nine ball (WPA)").first.wait_for()
            page.goto(f"{address}/players#Bo%200")
            page.get_by_label("Game").select_option("Nine ball (WPA)")
            until(page, "!document.querySelector('#building')")  # nine ball knows no break
            page.get_by_label("Game").select_option("Snooker")
            page.wait_for_selector("#building")
            page.context.close()
            looked_at(browser, address, "players#Bo%200", "#rivals")


@pytest.mark.slow
def test_ten_tries_are_counted_and_kept_for_the_player(browser: Any, url: str) -> None:
    page = opened(browser, url)
    page.goto(f"{url}/#/practice")
    page.wait_for_selector("#begin")
    page.get_by_label("Player", exact=True).fill("Cleo")
    page.locator(".practicegrid select").first.select_option("std-black_off_spot")
    page.click("#place")
    until(page, "document.querySelectorAll('.practice .moves li').length > 0")
    assert page.locator(".practice .over circle").count() >= 1  # outlines over the camera's picture
    page.click("#begin")
    page.wait_for_selector("#potted")
    page.click("#potted")
    until(page, "document.getElementById('count').textContent === '1 of 1'")
    page.click("#missed")
    until(page, "document.getElementById('count').textContent === '1 of 2'")
    page.get_by_role("button", name="Try 2: missed").click()  # it was potted after all
    until(page, "document.getElementById('count').textContent === '2 of 2'")
    page.click("#end")
    page.wait_for_selector(".chartcard canvas")
    assert page.locator(".chartcard td").first.text_content() == "2 of 2 (100 %)"
    page.context.close()
    looked_at(browser, url, "#/practice", "#begin")
