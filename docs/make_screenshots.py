"""Makes the pictures of the documents anew, from the bundled sample and the tests' live table.

    python docs/make_screenshots.py [setup certificate consoles players tables clubs]

It needs the extra `test` and a Chromium (`CUEREF_CHROMIUM`, default /usr/bin/chromium). With names only those
are made.
"""

# ruff: noqa: E402
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(ROOT / "tests" / "referee" / "live")]

from club_season import write_season
from console_fixture import TOKEN, serving
from live_script import STATE
from playwright.sync_api import sync_playwright
from web_fixture import listening, serving_live

from calibration.table.parse import DEFAULT_TABLE, parse_table
from referee.bundled import sample_clip
from referee.console.guard import Policy
from referee.console.web_server import WebServer
from referee.live.engine.state import LIVE_VERSION
from referee.live.pages.club import Club, create_club_app
from referee.outputs.document import read_match
from referee.outputs.evidence import evidence_html
from referee.outputs.tracks import read_tracks
from referee.review.pipeline import ReviewOptions, review
from referee.season.library.players import LibraryPlayers
from referee.season.library.store import Library

CHROMIUM = os.environ.get("CUEREF_CHROMIUM", "/usr/bin/chromium")
DESK, PHONE, SCREEN = (1280, 800), (390, 844), (1280, 720)


def shoot(browser: Any, name: str, url: str, wait: str, size: tuple[int, int], login: str = "") -> None:
    """One page as a picture of `docs`; `login`: the address that logs in first."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme="light")
    page = context.new_page()
    if login:
        page.goto(login)
    page.goto(url)
    page.wait_for_selector(wait)
    page.wait_for_timeout(1500)  # the video's first image, the fonts
    page.screenshot(path=str(DOCS / name))
    context.close()


def consoles(browser: Any, folder: Path) -> None:
    """The console and the evidence page over the bundled sample."""
    clip = sample_clip()
    target = folder / "sample"
    review(clip, target, ReviewOptions(table=parse_table(DEFAULT_TABLE, None)))
    (target / clip.name).write_bytes(clip.read_bytes())
    with serving([target]) as url:
        login = f"{url}/login?token={TOKEN}"
        shoot(browser, "console.png", f"{url}/#/watch/4", ".ruling.foul", DESK, login)
        shoot(browser, "replay.png", f"{url}/#/replay/4", ".stage3d", DESK, login)
    page = folder / "evidence.html"
    page.write_text(evidence_html(read_match(target), 4, read_tracks(target), clip), encoding="utf-8")
    shoot(browser, "evidence.jpg", page.as_uri(), "figure img", (1100, 1500))


def tables(browser: Any, folder: Path) -> None:
    """The pages of a live table in the middle of a frame."""
    with serving_live(folder / "match", live=True) as site:
        site.publish(replace(STATE, match_id="match"))
        login = f"{site.url}/login?token={TOKEN}"
        shoot(browser, "tv.png", f"{site.url}/tv", ".side.b.on", SCREEN, login)
        shoot(browser, "overlay.png", f"{site.url}/overlay", ".side", (1920, 1080), login)
        shoot(browser, "phone.png", f"{site.url}/phone", ".ask", PHONE, f"{login}&to=/phone")


def players(browser: Any, folder: Path) -> None:
    """A player over time, of an invented season."""
    database = folder / "club.sqlite"
    write_season(database)
    with (
        Library(str(database)) as library,
        serving([folder / "sample"], players=LibraryPlayers(library)) as url,
    ):
        shoot(browser, "players.png", f"{url}/players#Ann%20Lee", "#success canvas", (1280, 1000))


def clubs(browser: Any, _: Path) -> None:
    """The club's page with two tables."""
    club = Club()
    club.heard(True)
    for name, state in (("Table 3", STATE), ("Table 4", replace(STATE, table="Table 4", questions=()))):
        body = {"type": "state", "version": LIVE_VERSION, "body": asdict(state)}
        club.take(f"cueref/{name}/state", json.dumps(body).encode())
        club.take(f"cueref/{name}/online", b"true")
        club.take(f"cueref/{name}/pages", b"http://club.local:8765")
    server = WebServer(create_club_app(club, Policy(TOKEN, True)), [listening()])
    server.start()
    try:
        shoot(browser, "club.png", f"http://127.0.0.1:{server.port}/", ".qr svg", (1100, 520))
    finally:
        server.close()


def setup(browser: Any, folder: Path) -> None:
    """The page of `cueref setup` with the sample for a camera, its table found."""
    shutil.copy(sample_clip(), folder / "camera.mp4")  # the page shows the camera's address
    command = [sys.executable, "-m", "referee", "setup", "camera.mp4", "--loop", "--port", "0"]
    run = subprocess.Popen(
        [*command, "--out", "table"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)},
    )
    try:
        assert run.stdout is not None
        link = re.search(r"https?://\S+", run.stdout.readline())
        assert link, "cueref setup says where it is"
        context = browser.new_context(viewport={"width": 1280, "height": 1000}, color_scheme="light")
        page = context.new_page()
        page.goto(link[0])
        page.get_by_role("button", name="Find the table").click(timeout=120_000)
        page.get_by_role("button", name="Looks right").wait_for(timeout=300_000)
        page.wait_for_timeout(1500)
        page.screenshot(path=str(DOCS / "setup.png"))
        context.close()
    finally:
        run.terminate()
        run.wait(60.0)


def certificate(browser: Any, folder: Path) -> None:
    """The certificate of the sample's camera."""
    clip, table, page = str(sample_clip()), folder / "table.json", folder / "certificate.html"
    cueref = [sys.executable, "-m", "referee"]
    subprocess.run([*cueref, "calibrate", clip, "-o", str(table)], check=True)
    certify = [*cueref, "certify", str(table), clip, "-o", str(page), "--date", "2026-11-25"]
    assert subprocess.run(certify).returncode in (0, 1), "1: a use is limited"
    shoot(browser, "certify.png", page.as_uri(), "body", (900, 1270))


def main() -> None:
    """Make every picture, or those that are named."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        made = (setup, certificate, consoles, players, tables, clubs)
        for make in made:
            if make.__name__ in sys.argv[1:] or len(sys.argv) == 1:
                make(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
