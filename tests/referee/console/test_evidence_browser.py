"""The evidence page as a referee reads it: stills, slow motion, rule, what was weighed, who decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser_sites import SCHEMES, SIZES, opened, until, violations
from console_fixture import make_review, serving

pytest_plugins = ("chromium",)
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]
FOUL = 3
"""A blue hit first with red on, and the white in a pocket."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("evidence") / "frame"
    make_review(folder, names=("<img src=x onerror=window.hacked=1>", "Bo & Co"))
    with serving([folder]) as address:
        yield address


def evidence_of(browser: Any, url: str, n: int) -> Any:
    """The evidence page, opened by the link of its stroke."""
    page = opened(browser, url)
    page.goto(f"{url}/#/watch/{n}")
    page.wait_for_selector("a.evidence")
    page.goto(f"{url}{page.get_attribute('a.evidence', 'href')}", timeout=600_000)  # clips are cut for it
    page.wait_for_selector(".sign")
    return page


def test_the_evidence_of_a_foul_shows_what_rule_5_1_c_asks_for(browser: Any, url: str) -> None:
    page = evidence_of(browser, url, FOUL)
    rule = page.inner_text(".rule")
    assert "3.12(b)(iv)" in rule and len(rule) > 60  # its number, its name, and a sentence of ours
    stills = page.locator("figure")
    captions = " ".join(stills.locator("figcaption").all_inner_texts()).lower()
    assert "first contact" in captions and "in-off" in captions and "at rest" in captions
    loaded = "[...document.images].every((i) => i.complete && i.naturalWidth > 100)"
    until(page, loaded)
    assert page.locator("figure .pair").count() == stills.count()
    enlarged = [p.locator("img").count() for p in page.locator("figure .pair").all()]
    assert enlarged == [1, 2, 2, 1]  # contact and pocket stand enlarged beside
    slow = "document.querySelector('.moving video')"
    until(page, f"{slow}.readyState >= 2")
    assert (
        page.evaluate(f"{slow}.loop") and page.evaluate(f"{slow}.duration") > 4
    )  # 0.8 s, eight times slower
    weighed = page.locator("table tr.stands")
    assert weighed.count() == 1 and "%" in weighed.inner_text()
    assert "by the camera" in page.inner_text("dl")
    assert page.locator("h1").count() == 1 and page.evaluate("window.hacked") is None
    for size in SIZES:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == []
    page.emulate_media(media="print")
    assert not page.locator(".moving").first.is_visible() and stills.first.is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.context.close()
