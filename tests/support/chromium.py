"""Plugin: Debian's Chromium for the browser tests of a module; they skip with a word where there is none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path(os.environ.get("CUEREF_CHROMIUM", "/usr/bin/chromium"))
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-default-apps",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A running browser, driven by Playwright."""
    if not CHROMIUM.is_file():
        pytest.skip(f"no browser at {CHROMIUM} (apt-get install chromium): the browser tests did not run")
    playwright = pytest.importorskip("playwright.sync_api", reason="the extra 'test' brings playwright")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        yield running
        running.close()
