"""Every route of every application has a least role, and nobody below it gets in."""

# ruff: noqa: E402
from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("argon2", reason="the pages need the extra 'serve'")
sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "live")]
from fastapi.testclient import TestClient
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocketDisconnect

from referee.access.access import Access
from referee.access.needs import NEEDS, Need, need_of
from referee.access.roles import Role
from referee.console.app import create_app
from referee.console.guard import TOKEN_HEADER, Guard, Policy
from referee.console.serving import Serving

TOKEN = "a token of the tests"
HOST = "http://192.0.2.7:8765"


def policy(public: bool = False) -> Policy:
    return Policy(TOKEN, False, (), public, "Table 1", Access())


def applications(of: Policy) -> dict[str, Guard]:
    from web_fixture import NotedTable

    from calibration.texts import load_texts
    from referee.live.feeds.metrics import Metrics
    from referee.live.pages.app import create_live_app
    from referee.live.pages.club import Club, create_club_app
    from referee.live.pages.page_feed import PageFeed
    from referee.live.setup.guide import SetupSession
    from referee.live.setup.pages import Place, Setup, create_setup_app
    from vision.capture.source import CaptureOptions

    texts = load_texts()
    session = SetupSession.__new__(SetupSession)  # no camera is opened: only routes are looked at
    setup = Setup(session, Place(Path("out"), Serving(), 8765), None)
    del CaptureOptions
    return {
        "serve": create_app([], of, players=NoPlayers()),
        "live": create_live_app({}, NotedTable(), PageFeed(texts), texts, of, metrics=Metrics()),
        "club": create_club_app(Club(), of, NoPlayers()),
        "setup": create_setup_app(setup, session, texts, of),
    }


class NoPlayers:
    """A library without a match."""

    def roster(self) -> list[dict[str, Any]]:
        return []

    def career(self, name: str) -> dict[str, Any] | None:
        return None


def routes(app: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Method and path of every route, those of included routers too; `WS` for a socket."""
    for route in app.routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from routes(inner, prefix + route.include_context.prefix)
        elif isinstance(route, WebSocketRoute):
            yield "WS", prefix + route.path
        else:
            assert route.methods, route
            for method in route.methods - {"HEAD", "OPTIONS"}:
                yield method, prefix + route.path


ROUTES = sorted({(name, *r) for name, app in applications(policy()).items() for r in routes(app.app)})


def address(path: str) -> str:
    """An address that the route answers; of an account, a match, a stroke that there is none of."""
    return re.sub(r"\{[^}]+\}", lambda m: "app.js" if ":path" in m[0] else "999", path)


def test_every_route_has_an_entry_and_every_entry_a_route() -> None:
    assert len(ROUTES) > 100
    assert {(m, p) for _, m, p in ROUTES} - set(NEEDS) == set()
    served = {(m, p) for _, m, p in ROUTES}
    of_files = {(m, p) for m, p in NEEDS if p.startswith("/static/")}  # one route serves them all
    assert set(NEEDS) - served - of_files == set()


@pytest.mark.parametrize(("method", "path"), sorted({(m, p) for _, m, p in ROUTES}))
def test_the_address_of_a_route_meets_its_own_entry(method: str, path: str) -> None:
    assert need_of(method, address(path)) is NEEDS[method, path]


def test_what_changes_or_deletes_needs_a_referee_or_the_owner() -> None:
    """The two that need less are coming in and going out."""
    for (method, path), need in NEEDS.items():
        if method in ("POST", "DELETE", "PUT", "PATCH") and not path.startswith("/api/session"):
            assert need.role >= (Role.OWNER if method == "DELETE" or "/users" in path else Role.REFEREE)
    footage = ("video", "image", "clips", "evidence", "export", "picture", "found", "history")
    for (_, path), need in NEEDS.items():
        if any(word in path for word in footage):
            assert need.role >= Role.SPECTATOR, path


class Visitor:
    """A client with the least that makes it one of a role."""

    def __init__(self, app: Guard, role: Role) -> None:
        self.client = TestClient(app, base_url=HOST, raise_server_exceptions=False, follow_redirects=False)
        if role >= Role.SPECTATOR:
            access = app.policy.access
            account = access.accounts.find(role.name) or access.accounts.add(role.name, role)
            session = access.sessions.begin(account.id)
            self.client.cookies.set(access.sessions.cookie_name, session.cookie)
            self.client.headers[TOKEN_HEADER.decode()] = session.token

    def refused(self, method: str, path: str) -> bool:
        """Whether the guard refuses; what the application itself says of the request does not matter."""
        if method == "WS":
            try:
                with self.client.websocket_connect(HOST.replace("http", "ws") + address(path)):
                    return False
            except WebSocketDisconnect as closed:
                return (
                    closed.reason == "log in first, or open the link that cueref printed when it was started"
                )
        answer = self.client.request(method, address(path))
        if answer.status_code == 303:
            return answer.headers["location"].startswith("/login")
        return answer.status_code in (401, 403) and answer.headers["content-type"].startswith("text/plain")


def least(need: Need, public: bool) -> Role:
    """The role from which on a request is let through: without `--public` nobody has the role PUBLIC."""
    return need.role if public or need.role is not Role.PUBLIC else Role.SPECTATOR


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("name", ["serve", "live", "club", "setup"])
def test_each_role_gets_where_it_may_and_nowhere_else(name: str, public: bool) -> None:
    app = applications(policy(public))[name]
    visitors = {role: Visitor(app, role) for role in Role if role is not Role.NOBODY or not public}
    if not public:
        del visitors[Role.PUBLIC]
    for _, method, path in (r for r in ROUTES if r[0] == name):
        needed = least(NEEDS[method, path], public)
        for role, visitor in visitors.items():
            if method != "WS" and role >= needed and "/session" in path:
                continue  # logging in and out changes the visitor; tested on its own
            assert visitor.refused(method, path) == (role < needed), (role, method, path)


def test_what_has_no_entry_is_not_served() -> None:
    from fastapi import FastAPI

    app = FastAPI()

    @app.get("/forgotten")
    def forgotten() -> str:
        return "secret"

    answer = TestClient(Guard(app, policy()), base_url=HOST).get(
        "/forgotten", headers={TOKEN_HEADER.decode(): TOKEN}
    )
    assert answer.status_code == 404 and "secret" not in answer.text
