"""The console in Debian's Chromium, driven by Playwright; skipped with a word where there is none."""

# ruff: noqa: E402
from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the console needs the extra 'serve'")

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from console_fixture import TOKEN, make_review, serving
from match_fixture import document, stroke

from referee.outputs.document import write_match

pytest_plugins = ("chromium",)
WIDTHS = {"phone": (375, 800), "tablet": (1000, 800), "club": (1920, 1080)}
NAMES = ("<img src=x onerror=window.hacked=1>", "Bo & Co")
SHOTS = os.environ.get("CUEREF_SHOTS")
"""A folder for screenshots, to be looked at."""


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser") / "frame"
    make_review(folder, names=NAMES)
    return folder


@pytest.fixture
def site(reviewed: Path, tmp_path: Path) -> Iterator[str]:
    shutil.copytree(reviewed, tmp_path / "frame")
    with serving([tmp_path / "frame"]) as url:
        yield url


def until(page: Any, condition: str, seconds: float = 60.0) -> None:
    """Wait for an expression to hold. The page's policy forbids eval, which Playwright's own waiting
    needs.
    """
    deadline = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, f"not within {seconds} s: {condition}"
        page.wait_for_timeout(30)


class Visitor:
    """One browser window on the console; notes every request, error and dialog."""

    def __init__(self, browser: Any, url: str, size: tuple[int, int]) -> None:
        self.url = url
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        self.context.add_init_script("localStorage.setItem('cueref-who', 'Referee Rea')")
        self.context.set_default_timeout(60_000)  # a loaded machine is no fault of the page
        self.page = self.context.new_page()
        self.outside: list[str] = []
        self.errors: list[str] = []
        self.page.on(
            "request",
            lambda r: None if r.url.startswith((url, "blob:", "data:")) else self.outside.append(r.url),
        )
        self.page.on("pageerror", lambda e: self.errors.append(str(e)))
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.goto(f"{url}/login?token={TOKEN}")
        self.page.wait_for_selector(".row.on")

    def go(self, view: str, until: str) -> None:
        self.page.goto(f"{self.url}/#/{view}")
        self.page.wait_for_selector(until)

    def watch(self, n: int) -> None:
        """Until stroke `n` itself is drawn: the one that was watched before has the same parts."""
        self.go(f"watch/{n}", "details.correct")
        until(self.page, f"document.querySelector('.facts h2').textContent.startsWith('{n} ·')")

    def score(self) -> str:
        return str(self.page.inner_text("#score")).split("\n")[0].replace(" ", "")

    def shoot(self, name: str) -> None:
        if SHOTS:
            self.page.screenshot(path=str(Path(SHOTS) / f"{name}.png"))

    def narrow_enough(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))

    def clean(self) -> None:
        assert self.outside == [] and self.errors == []
        assert self.page.evaluate("window.hacked") is None
        self.context.close()


@pytest.mark.parametrize("width", list(WIDTHS))
def test_watch_decide_correct_undo_spots_restore(browser: Any, site: str, width: str) -> None:
    """One visit as a referee makes it; long, because each step stands on the one before."""
    v = Visitor(browser, site, WIDTHS[width])
    page = v.page
    assert v.score() == "14–0"
    v.go("watch/3", ".ruling.foul")
    until(
        page,
        "document.querySelector('video').readyState >= 2 &&"
        " Math.abs(document.querySelector('video').currentTime - 25.4) < 0.2",
    )
    assert (
        page.locator("svg.table .path").count() == 1
        and page.locator("svg.table [data-ball=green] text").first.text_content() == "G"
    )
    page.keyboard.press(".")
    until(page, "Math.abs(document.querySelector('video').currentTime - 25.44) < 0.03")
    page.keyboard.press(" ")
    until(page, "document.querySelector('video').currentTime > 26.2")
    page.keyboard.press(" ")
    assert v.narrow_enough()
    assert page.evaluate(
        """() => { const outer = document.querySelector('.picture').getBoundingClientRect(),
          inner = document.querySelector('video').getBoundingClientRect();
          return inner.bottom <= outer.bottom + 1 && inner.right <= outer.right + 1; }"""
    )  # the whole picture is in sight
    v.shoot(f"watch_{width}")

    v.go("ask", "button.answer")
    assert page.locator("button.answer").count() == 2 and NAMES[0] in page.inner_text(".question")
    v.shoot(f"ask_{width}")
    assert page.locator("button.answer b").all_inner_texts() == [
        "nominated pink; hit pink first",
        "nominated black; hit black first",
    ]
    page.locator("button.otherwise").last.click()  # black was nominated, pink was hit: a foul for 7
    until(page, "document.querySelector('#toast').textContent.includes('changed')")
    assert v.score() == "14–7"
    page.wait_for_selector(".empty")  # one press decides: no question is left

    v.go("watch/5", ".ruling.points")
    page.keyboard.press("c")
    page.evaluate("document.querySelectorAll('.facts details').forEach((d) => { d.open = true; })")
    assert (
        page.evaluate(
            "document.querySelector('.facts').scrollWidth <= document.querySelector('.facts').clientWidth"
        )
        and v.narrow_enough()
    )
    page.locator("[data-name=potted] .chip").click()
    page.get_by_role("button", name="Correct and judge again").click()
    until(page, "document.querySelector('#score').innerText.replaceAll(' ', '').startsWith('7–7')")
    until(page, "document.querySelector('#changes').innerText.includes('14–7 → 7–7')")
    assert page.locator(".row.changed").count() >= 1
    v.shoot(f"corrected_{width}")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("u")
    until(page, "document.querySelector('#score').innerText.replaceAll(' ', '').startsWith('14–7')")

    v.go("history", "table tr:nth-child(4)")
    assert page.locator("tr.over").count() >= 2 and "Referee Rea" in page.inner_text("table")

    v.go("spots", ".spot.off")
    assert "4.6 mm" in page.inner_text(".spot.off") and page.locator(".scope polygon").count() == 1
    v.shoot(f"spots_{width}")
    page.locator("input[aria-label='tolerance in mm']").fill("6")
    page.keyboard.press("Tab")
    page.wait_for_selector(".spot.on")

    v.go("restore/3", "#compare")
    page.click("#compare")
    page.wait_for_selector(".moves li.todo")
    assert page.inner_text("#left") == "2 of 9 balls to place" and page.locator(".moves li.done").count() == 7
    assert page.locator("svg.table .arrow").count() == 1 and v.narrow_enough()
    v.shoot(f"restore_{width}")
    for view, sign in (("statistics", ".chart"), ("export", ".exports")):
        v.go(view, sign)
        assert v.narrow_enough(), view
        v.shoot(f"{view}_{width}")
    v.clean()


def test_two_windows_and_the_overlay_follow_a_change(browser: Any, site: str) -> None:
    one, two = Visitor(browser, site, WIDTHS["club"]), Visitor(browser, site, WIDTHS["phone"])
    board = browser.new_context(viewport={"width": 1920, "height": 1080}).new_page()
    board.goto(f"{site}/overlay?match=frame&a=aa0000&until=5")
    board.wait_for_selector(".break")
    assert board.locator(".score").all_inner_texts() == ["14", "0"] and board.inner_text(
        ".break"
    ).split() == ["Break", "8"]
    assert board.locator(".balls i").all_inner_texts() == ["R", "K"]
    assert board.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert (
        board.evaluate("getComputedStyle(document.querySelector('.side.a .score')).backgroundColor")
        == "rgb(170, 0, 0)"
    )
    if SHOTS:
        board.screenshot(path=f"{SHOTS}/overlay.png", omit_background=True)
    board.goto(f"{site}/overlay?match=frame&place=top")
    board.wait_for_selector(".remaining")
    assert board.locator(".break").count() == 0  # the visit is over
    one.watch(1)
    one.page.keyboard.press("c")
    one.page.locator("[data-name=potted] select").first.select_option("red")
    one.page.get_by_role("button", name="Correct and judge again").click()
    until(two.page, "document.querySelector('#score').innerText.replaceAll(' ', '').startsWith('15–0')")
    until(board, "document.querySelector('.score').textContent === '15'")
    one.clean()
    two.clean()
    board.context.close()


def test_a_half_filled_form_survives_a_change_in_another_window(browser: Any, site: str) -> None:
    one, two = Visitor(browser, site, WIDTHS["club"]), Visitor(browser, site, WIDTHS["tablet"])
    two.watch(5)
    two.page.keyboard.press("c")
    two.page.locator("select[name=cue_ball]").first.select_option("pocketed")
    one.watch(1)
    one.page.keyboard.press("c")
    one.page.locator("[data-name=potted] select").first.select_option("red")
    one.page.get_by_role("button", name="Correct and judge again").click()
    two.page.wait_for_selector(".kept")
    assert (
        two.score() == "15–0" and two.page.locator("select[name=cue_ball]").first.input_value() == "pocketed"
    )
    two.page.get_by_role("button", name="Correct and judge again").click()
    until(two.page, "document.querySelector('.ruling.big').textContent.startsWith('Foul, 7')")
    until(one.page, "document.querySelector('#score').innerText.replaceAll(' ', '').startsWith('8–7')")
    assert two.page.locator(".kept").count() == 0
    one.clean()
    two.clean()


def test_without_the_token_nothing_can_be_changed(browser: Any, site: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site}/#/ask")
    page.wait_for_selector("button.answer")
    assert page.locator("button.answer:not([disabled])").count() == 0
    assert page.locator("form, .nostroke, .unknown").count() == 0  # nothing that cannot be sent
    assert "looking on" in page.inner_text("#looking")
    assert page.query_selector("#login") and not page.query_selector(
        "#logout"
    )  # who looks on is not logged in
    page.goto(f"{site}/#/watch/3")
    page.wait_for_selector(".facts .looking")
    assert page.locator("form, details.correct").count() == 0
    page.goto(f"{site}/#/history")
    page.wait_for_selector(".empty")
    context.close()


def test_a_match_of_two_thousand_strokes_stays_quick(browser: Any, tmp_path: Path) -> None:
    """Only rows in sight exist; a jump from end to end and a key press are answered within a blink."""
    strokes = [
        stroke(
            n,
            frame=1 + (n - 1) // 57,
            striker="AB"[n // 3 % 2],
            score=[n % 57, 3],
            start_s=6.0 * n,
            end_s=6.0 * n + 4,
        )
        for n in range(1, 2001)
    ]
    match = document(strokes, ("Ann", "Bo"), 12100.0)
    match["frames"] = [
        {"n": k, "first_stroke": 57 * k - 56, "score": [9, 3], "winner": "A"} for k in range(1, 37)
    ]
    match["video"]["file"] = None
    write_match(tmp_path / "long", match)  # type: ignore[arg-type]
    with serving([tmp_path / "long"]) as url:
        v = Visitor(browser, url, WIDTHS["club"])
        page = v.page
        assert page.locator(".row").count() < 40
        took = page.evaluate("""async () => {
              const list = document.querySelector('.list'), begun = performance.now();
              for (let k = 1; k <= 40; k++) {
                list.scrollTop = k / 40 * list.scrollHeight;
                await new Promise(requestAnimationFrame);
              }
              return performance.now() - begun;
            }""")
        assert took < 8000  # 40 images; at 60 a second they take 670 ms on an idle machine
        page.wait_for_selector(".row[data-n='2000']")
        assert page.locator(".row").count() < 40
        page.locator(".row[data-n='2000']").click()
        until(page, "document.querySelector('.facts h2').textContent.startsWith('2000')")
        page.keyboard.press("k")
        until(page, "document.querySelector('.facts h2').textContent.startsWith('1999')")
        v.clean()


def test_a_video_that_the_browser_cannot_play_leaves_the_table_moving(
    browser: Any, reviewed: Path, tmp_path: Path
) -> None:
    shutil.copytree(reviewed, tmp_path / "frame")
    (tmp_path / "frame" / "clip.mp4").write_bytes(b"no video at all")
    with serving([tmp_path / "frame"]) as url:
        v = Visitor(browser, url, WIDTHS["club"])
        v.page.wait_for_selector(".novideo")
        v.go("watch/1", ".ruling.points")
        v.page.keyboard.press(" ")
        until(
            v.page,
            "document.querySelector('.mover') && document.querySelector('.mover').style.visibility === ''",
        )
        assert v.outside == []
        v.context.close()


def test_a_server_that_is_gone_is_said_once_and_the_page_goes_on_when_it_is_back(
    browser: Any, reviewed: Path, tmp_path: Path
) -> None:
    shutil.copytree(reviewed, tmp_path / "frame")
    with serving([tmp_path / "frame"]) as url:
        v = Visitor(browser, url, WIDTHS["tablet"])
        v.watch(1)
    until(v.page, "document.getElementById('link').textContent.startsWith('Not connected since')")
    v.page.keyboard.press("j")
    until(v.page, "document.querySelector('.facts').textContent === 'Not connected'")  # not the stroke before
    v.page.evaluate("document.querySelector('video')?.setAttribute('src', location.origin + '/api/x')")
    until(v.page, "document.querySelector('.novideo')?.textContent.startsWith('The video cannot be fetched')")
    with serving([tmp_path / "frame"], port=int(url.rsplit(":", 1)[1])):
        until(v.page, "document.querySelector('.facts h2')?.textContent.startsWith('2 ·')")
        until(v.page, "document.querySelector('video') && !document.getElementById('link').textContent")
        assert v.outside == []
        v.context.close()


def test_a_slow_network_carries_little_before_the_stroke_is_there(browser: Any, site: str) -> None:
    v = Visitor(browser, site, WIDTHS["phone"])
    context = browser.new_context(storage_state=v.context.storage_state())  # nothing is cached
    page, loaded = context.new_page(), []
    wire = context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.on("Network.loadingFinished", lambda e: loaded.append(e["encodedDataLength"]))
    page.goto(f"{site}/#/watch/1")
    page.wait_for_selector(".ruling.points")
    first, loaded[:] = sum(loaded), []
    page.reload()
    page.wait_for_selector(".ruling.points")
    assert first < 100_000 and sum(loaded) < 40_000, (first, loaded)
    context.close()
    v.clean()


def test_a_match_from_a_facts_file_shows_what_it_has_and_no_more(browser: Any, tmp_path: Path) -> None:
    golden = Path(__file__).parents[2] / "golden" / "0d1d15d" / "told_carrom"
    with serving([Path(shutil.copytree(golden, tmp_path / "carrom"))]) as url:
        v = Visitor(browser, url, WIDTHS["phone"])
        v.go("watch/3", ".ruling")
        assert v.page.locator(".stage").count() == 0 and v.page.inner_text(".row .n b") == "B1"
        assert v.page.inner_text(".facts h2").endswith("board 1")  # it has no time
        assert v.narrow_enough()
        v.go("statistics", "main table")
        assert v.page.locator("tr", has_text="Points").all_inner_texts() == ["Points\t9\t10"]
        v.clean()


def test_what_was_changed_and_the_way_back_are_in_sight_on_a_phone(browser: Any, site: str) -> None:
    v = Visitor(browser, site, WIDTHS["phone"])
    v.go("ask", "button.answer")
    v.page.keyboard.press("1")
    until(v.page, "document.querySelector('#score').textContent.includes('provisional') === false")
    v.go("history", "main td button")
    right = (
        "Math.max(...[...document.querySelectorAll('main td')].map((c) => c.getBoundingClientRect().right))"
    )
    assert v.page.evaluate(right) <= WIDTHS["phone"][0]
    v.page.locator("main td button").press("Enter")
    until(v.page, "document.querySelector('#toast').textContent.startsWith('Taken back')")
    v.clean()
