"""One browser and one served site for the browser tests of a module, and what they share."""

# ruff: noqa: E402
from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path(os.environ.get("CUEREF_CHROMIUM", "/usr/bin/chromium"))
if not CHROMIUM.is_file():
    pytest.skip(
        f"no browser at {CHROMIUM} (apt-get install chromium): the browser tests did not run",
        allow_module_level=True,
    )
sync_api = pytest.importorskip("playwright.sync_api", reason="the extra 'test' brings playwright")
axe = pytest.importorskip("axe_playwright_python", reason="the extra 'test' brings axe-playwright-python")
pytest.importorskip("uvicorn", reason="the console needs the extra 'serve'")

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from console_fixture import TOKEN

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-default-apps",
]
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


def violations(page: Any) -> list[str]:
    """What axe finds on a page, in words."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [f"{v['id']}: {v['nodes'][0]['target']} {v['nodes'][0]['failureSummary']}" for v in found]
