"""What browser tests share: sizes of the window, a page that is logged in, what axe finds on it."""

# ruff: noqa: E402
from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

axe = pytest.importorskip("axe_playwright_python", reason="the extra 'test' brings axe-playwright-python")
pytest.importorskip("uvicorn", reason="the console needs the extra 'serve'")

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from console_fixture import TOKEN

SIZES = ((1280, 800), (390, 844))
SCHEMES = ("light", "dark")
AXE = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def until(page: Any, condition: str, seconds: float = 60.0) -> None:
    """Wait for an expression to hold. The page's policy forbids eval, which Playwright's own waiting
    needs.
    """
    deadline = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, f"not within {seconds} s: {condition}"
        page.wait_for_timeout(30)


def opened(
    browser: Any, url: str, size: tuple[int, int] = SIZES[0], logged_in: bool = True, **more: Any
) -> Any:
    """A page in a window of its own, logged in with the session's token; the name for the history is kept."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, bypass_csp=True, **more)
    context.set_default_timeout(60_000)  # a loaded machine is no fault of the page
    context.add_init_script("localStorage.getItem('cueref-who') || localStorage.setItem('cueref-who', 'Rea')")
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda e: page.errors.append(str(e)))
    if logged_in:
        page.goto(f"{url}/login?token={TOKEN}")
    return page


def violations(page: Any, within: str | None = None) -> list[str]:
    """What axe finds on a page, or in what a selector names, in words."""
    page.evaluate(AXE)
    run = "(within) => axe.run(within ?? document, { resultTypes: ['violations'] })"
    found = page.evaluate(run, within)["violations"]
    return [f"{v['id']}: {v['nodes'][0]['target']} {v['nodes'][0]['failureSummary']}" for v in found]
