"""A page on which nothing changes draws nothing and asks for nothing: a tablet is on all evening."""

# ruff: noqa: E402
from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "console")]
from browser_sites import SIZES, until
from every_page import every_page

pytest_plugins = ("chromium",)
STILL_MS = 3000
WATCHED = """() => {
  window.drawn = [];
  const name = (node) => node.id || node.className || node.nodeName;
  new MutationObserver((list) => list.forEach((m) => window.drawn.push(`${m.type} in ${name(m.target)}`)))
    .observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
}"""
MEASURES = ("LayoutCount", "RecalcStyleCount")
MOVING_BY_ITSELF = ("console ask", "setup")
"""Pages that show a film or a running camera; the film's end is tested below."""


@pytest.mark.slow
def test_no_page_draws_or_asks_for_anything_while_nothing_changes(browser: object, tmp_path: Path) -> None:
    busy = []
    with every_page(tmp_path) as pages:
        for wanted in pages.values():
            if wanted.name in MOVING_BY_ITSELF or wanted.name == "looking on":
                continue
            context = browser.new_context(
                viewport={"width": SIZES[1][0], "height": SIZES[1][1]}, bypass_csp=True
            )  # type: ignore[attr-defined]
            page = context.new_page()
            page.set_default_timeout(60_000)
            if wanted.login:
                page.goto(wanted.login)
            page.goto(wanted.url)
            page.wait_for_selector(wanted.sign)
            page.wait_for_timeout(2500)  # pictures, fonts, and what is fetched after the first drawing
            asked: list[str] = []
            page.on(
                "request",
                # the clip of a question is asked for five times: it is cut some seconds after its stroke
                lambda r, asked=asked: None if "/clips/" in r.url else asked.append(r.url),
            )
            page.evaluate(WATCHED)
            session = context.new_cdp_session(page)
            session.send("Performance.enable")

            def counted(session: object = session) -> float:
                found = session.send("Performance.getMetrics")["metrics"]  # type: ignore[attr-defined]
                return sum(m["value"] for m in found if m["name"] in MEASURES)

            before = counted()
            page.wait_for_timeout(STILL_MS)
            drawn, more = page.evaluate("window.drawn"), counted() - before
            if wanted.name in ("live", "phone", "tv", "overlay"):  # once: the test's table falls silent
                drawn = [d for d in drawn if not d.endswith(("link", "BODY", "#text", "lost"))]
                more = max(0, more - 6)
            if drawn or asked or more > 2:
                busy.append((wanted.name, drawn[:3], asked[:3], more))
            context.close()
    assert busy == [], "\n".join(map(str, busy))


@pytest.mark.slow
def test_the_film_of_a_question_stops_after_three_rounds(browser: object, tmp_path: Path) -> None:
    from browser_sites import opened
    from console_fixture import make_review, serving

    make_review(tmp_path / "frame")
    with serving([tmp_path / "frame"]) as url:
        page = opened(browser, url)
        page.goto(f"{url}/#/ask")
        page.wait_for_selector(".askgrid video")
        film = "document.querySelector('.askgrid video')"
        page.evaluate(f"{film}.playbackRate = 8; {film}.play()")
        until(page, f"{film}.paused && {film}.currentTime < 16", 90)
        page.wait_for_timeout(500)
        assert page.evaluate(f"{film}.paused")
        page.evaluate(f"{film}.play()")  # a press shows it again
        page.wait_for_timeout(400)
        assert not page.evaluate(f"{film}.paused")
        page.context.close()
