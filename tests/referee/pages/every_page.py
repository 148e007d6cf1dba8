"""Every page that people see, served or written, for the tests that look at all of them."""

# ruff: noqa: E402
from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1] / name) for name in ("console", "live")]
from console_fixture import TOKEN, frame_events, make_review, make_video, serving
from live_script import STATE
from web_fixture import listening, serving_live

from calibration.texts import load_texts
from referee.access.access import Access
from referee.access.roles import Role
from referee.console.app import create_app
from referee.console.guard import Policy
from referee.console.serving import Serving, listen
from referee.console.web_server import WebServer
from referee.live.engine.state import LIVE_VERSION
from referee.live.pages.club import Club, create_club_app
from referee.live.setup.guide import SetupSession
from referee.live.setup.pages import Place, Setup, create_setup_app
from referee.outputs.document import read_match
from referee.outputs.evidence import evidence_html
from referee.outputs.report import report_html
from referee.outputs.sheet import score_sheet_html
from referee.outputs.tracks import read_tracks
from vision.capture.source import CaptureOptions

CONSOLE = {
    "watch/3": ".ruling.foul",
    "ask": "button.answer",
    "replay/3": ".stage3d",
    "practice": "#begin",
    "spots": ".spot",
    "restore": "svg.table",
    "statistics": ".chart",
    "history": "main h2",
    "export": ".exports",
}
"""The console's views, and what shows that each is drawn."""
SERVED = (
    *(f"console {view}" for view in CONSOLE),
    *("looking on", "api", "live", "phone", "tv", "overlay", "club", "login", "users", "setup"),
)
WRITTEN = ("report", "evidence", "score sheet", "report of another game")
PASSWORD = "chalk and cue 17"
GOLDEN = Path(__file__).parents[2] / "golden" / "0d1d15d"


@dataclass(frozen=True)
class Page:
    """A page: its name, its address, what shows that it is drawn, and the address that logs in first."""

    name: str
    url: str
    sign: str
    login: str = ""


@contextlib.contextmanager
def every_page(folder: Path) -> Iterator[dict[str, Page]]:
    """Serve and write all of them; pages by name."""
    with contextlib.ExitStack() as open_until:
        pages = [*console(folder, open_until), *live(folder, open_until), *clubs(open_until)]
        pages += [*access(open_until), *setting_up(folder, open_until), *files(folder)]
        assert tuple(p.name for p in pages) == SERVED + WRITTEN
        yield {p.name: p for p in pages}


def console(folder: Path, until: contextlib.ExitStack) -> Iterator[Page]:
    """The review console over two matches."""
    make_review(folder / "frame", frame_events(), ("Ann", "Bo"))
    make_review(folder / "other", frame_events(), ("Cy", "Di"), video=False)
    url = until.enter_context(serving([folder / "frame", folder / "other"]))
    for view, sign in CONSOLE.items():
        yield Page(f"console {view}", f"{url}/#/{view}", sign, f"{url}/login?token={TOKEN}")
    yield Page("looking on", f"{url}/#/ask", "button.answer")
    yield Page("api", f"{url}/api", ".op")


def live(folder: Path, until: contextlib.ExitStack) -> Iterator[Page]:
    """The pages of a table in the middle of a frame, with a question open."""
    site = until.enter_context(serving_live(folder / "match", live=True))
    question = replace(STATE.questions[0], id="stroke-3", stroke=2, start_s=16.0, end_s=20.0)
    site.publish(replace(STATE, match_id="match", questions=(question,)))
    login = f"{site.url}/login?token={TOKEN}"
    yield Page("live", f"{site.url}/#/live", ".livegrid .answers", login)
    yield Page("phone", f"{site.url}/phone", ".ask .answers", login)
    yield Page("tv", f"{site.url}/tv", ".side.b.on", login)
    yield Page("overlay", f"{site.url}/overlay", ".side", login)


def clubs(until: contextlib.ExitStack) -> Iterator[Page]:
    """The page of all tables."""
    club = Club()
    club.heard(True)
    body = {"type": "state", "version": LIVE_VERSION, "body": asdict(STATE)}
    club.take("cueref/Table 3/state", json.dumps(body).encode())
    club.take("cueref/Table 3/online", b"true")
    club.take("cueref/Table 3/pages", b"http://table3.club:8765")
    server = started(WebServer(create_club_app(club, Policy(TOKEN, True)), [listening()]), until)
    yield Page("club", f"{server}/", ".pages a")


def access(until: contextlib.ExitStack) -> Iterator[Page]:
    """Login, and the owner's page of users."""
    known = Access()
    known.accounts.add("Ann", Role.OWNER, PASSWORD)
    known.accounts.add("Rea", Role.REFEREE, None)
    server = create_app([], Policy(TOKEN, False, (), False, "Table 1", known))
    url = started(WebServer(server, [listen("127.0.0.1", 0)]), until)
    yield Page("login", f"{url}/login", "#login")
    yield Page("users", f"{url}/users", "#users li", f"{url}/login?token={TOKEN}")


def setting_up(folder: Path, until: contextlib.ExitStack) -> Iterator[Page]:
    """The page that sets up a table, before a video for a camera."""
    make_video(folder / "camera.mp4", 2.0)
    session = SetupSession(str(folder / "camera.mp4"), CaptureOptions(loop=True))
    until.callback(session.close)
    setup = Setup(session, Place(folder / "out", Serving(), 8765), None)
    application = create_setup_app(setup, session, load_texts(), Policy(TOKEN, True))
    url = started(WebServer(application, [listening()]), until)
    yield Page("setup", f"{url}/", ".light", f"{url}/login?token={TOKEN}")


def files(folder: Path) -> Iterator[Page]:
    """Pages that are written as files."""
    match, tracks = read_match(folder / "frame"), read_tracks(folder / "frame")
    game = read_match(GOLDEN / "told_wpa_9ball")
    written: dict[str, tuple[str, str]] = {
        "report": (report_html(match, tracks, evidence=lambda n: f"evidence/stroke-{n}.html"), "article"),
        "evidence": (evidence_html(match, 3, tracks, folder / "frame" / "clip.mp4"), "figure img"),
        "score sheet": (score_sheet_html(match), "table"),
        "report of another game": (report_html(game), "article"),
    }
    for name, (text, sign) in written.items():
        file = folder / f"{name.replace(' ', '_')}.html"
        file.write_text(text, encoding="utf-8")
        yield Page(name, file.as_uri(), sign)


def started(server: Any, until: contextlib.ExitStack) -> str:
    """Start a server that is closed at the end; its address."""
    server.start()
    until.callback(server.close)
    return f"http://127.0.0.1:{server.port}"
