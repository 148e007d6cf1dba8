"""Many at once, some meaning harm: nobody takes the memory, threads or sessions of the others."""

# ruff: noqa: E402
from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
pytest.importorskip("uvicorn", reason="the pages need the extra 'serve'")
sys.path.insert(0, str(Path(__file__).parents[1]))
from console_fixture import make_review, serving

from referee.access.accounts import Accounts
from referee.access.roles import Role
from referee.access.sessions import MOST_OF_ONE, Sessions
from referee.access.store import AccessStore
from referee.console import routes
from referee.console.app import unheard

WAIT_S = 60.0


class Decoding:
    """Stands for the decoding of a picture: goes on until the test lets it."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self._lock = threading.Lock()
        self.now = self.most = 0

    def __call__(self, *_: Any) -> bytes:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        assert self.go.wait(WAIT_S)
        with self._lock:
            self.now -= 1
        return b"picture"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("crowds") / "frame"
    make_review(folder, video=False)
    with serving([folder]) as url:
        yield url


def test_a_crowd_that_wants_pictures_takes_two_threads_and_nobodys_answer(
    served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each took a decoder of its own, 40 at once, and all the threads that answer anything."""
    decoding = Decoding()
    monkeypatch.setattr(routes, "jpeg_at", decoding)

    def ask(_: int) -> int:
        return int(httpx.get(f"{served}/api/matches/frame/image?at=1", timeout=WAIT_S).status_code)

    with ThreadPoolExecutor(50) as crowd:
        answers = [crowd.submit(ask, k) for k in range(50)]
        try:
            end = time.monotonic() + WAIT_S
            while sum(a.done() for a in answers) < 50 - routes._MOST_PICTURES and time.monotonic() < end:
                time.sleep(0.05)
            assert httpx.get(f"{served}/api/matches/frame/strokes", timeout=10).status_code == 200
        finally:
            decoding.go.set()
        codes = [a.result() for a in answers]
    assert decoding.most == 2
    assert codes.count(200) == routes._MOST_PICTURES and codes.count(503) == 50 - routes._MOST_PICTURES


def test_a_page_that_does_not_read_holds_up_no_other() -> None:
    """Sixty-four of them, one after the other, held a message back for two minutes."""

    class Page:
        def __init__(self, reads: bool) -> None:
            self.reads, self.heard_s = reads, float("nan")

        async def send_json(self, _message: object) -> None:
            while not self.reads:
                await asyncio.sleep(60.0)
            self.heard_s = time.monotonic()

    pages = [*(Page(False) for _ in range(5)), Page(True)]
    begun = time.monotonic()
    left: Any = asyncio.run(unheard(pages, {}))  # type: ignore[arg-type]
    assert left == pages[:5] and pages[5].heard_s - begun < 1.5 and time.monotonic() - begun < 8.0


def test_who_logs_in_again_and_again_ends_their_own_sessions_alone() -> None:
    """A spectator's 5,000 logins ended the owner's session and the tablet's."""
    with contextlib.closing(AccessStore()) as store:
        accounts, sessions = Accounts(store), Sessions(store)
        spectator = accounts.add("Spectator", Role.SPECTATOR)
        owner, by_token = sessions.begin(accounts.add("Owner", Role.OWNER).id), sessions.begin(None)
        first = sessions.begin(spectator.id)
        for _ in range(MOST_OF_ONE):
            last = sessions.begin(spectator.id)
        assert sessions.count(spectator.id) == MOST_OF_ONE
        assert sessions.find(first.cookie) is None and sessions.find(last.cookie) is not None
        assert sessions.find(owner.cookie) is not None and sessions.find(by_token.cookie) is not None
