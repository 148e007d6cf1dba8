"""Logging in: by password, link and token; forged requests, guesses, tablets, signatures."""

# ruff: noqa: E402
from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("argon2", reason="the pages need the extra 'serve'")
sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "support")]
import httpx
from argon2 import PasswordHasher
from console_fixture import correction, make_review
from fastapi.testclient import TestClient

from referee.access.access import Access
from referee.access.accounts import Accounts
from referee.access.pauses import FREE_GUESSES
from referee.access.roles import Role
from referee.console.app import create_app
from referee.console.guard import Guard, Policy
from referee.console.reviews import open_review

TOKEN = "a token of the tests"
PASSWORD = "chalk and cue 17"
HOST = "http://192.0.2.7:8765"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("login") / "match"
    make_review(made, video=False)
    return made


@pytest.fixture
def guard(folder: Path) -> Any:
    match, access = open_review("match", folder), Access()
    # the same checks without a tenth of a second for each of some hundred hashes
    access.accounts = Accounts(access.store, PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    yield create_app([match], Policy(TOKEN, False, ("club.example",), False, "Table 1", access))
    match.close()


def browser(guard: Guard, base: str = HOST, client: tuple[str, int] = ("198.51.100.1", 1)) -> TestClient:
    return TestClient(guard, base_url=base, client=client, follow_redirects=False)


def log_in(client: TestClient, **body: str) -> Any:
    answer = client.post("/api/session", json=body)
    if answer.status_code == 200:
        client.headers["x-cueref-token"] = answer.json()["token"]
    return answer


def test_a_referee_logs_in_corrects_under_the_own_name_and_logs_out(guard: Guard, folder: Path) -> None:
    guard.policy.access.accounts.add("Ann", Role.REFEREE, PASSWORD)
    client = browser(guard)
    assert log_in(client, name="Ann", password="wrong password").status_code == 401
    told = log_in(client, name="ann", password=PASSWORD)
    assert told.json()["role"] == "referee" and told.json()["name"] == "Ann"
    cookie = told.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Secure" not in cookie
    body = correction(1, who="Somebody Else", facts={"potted": []})
    assert client.post("/api/matches/match/corrections", json=body).status_code == 200
    assert client.get("/api/matches/match/history").json()[-1]["who"] == "Ann"
    decided = client.get("/api/matches/match/strokes/1").json()["decided"]
    assert decided["by"] == "Ann" and decided["at"]
    open_to_all = Policy(TOKEN, False, public=True, access=Access())
    public = browser(create_app([open_review("match", folder)], open_to_all))
    assert public.get("/api/matches/match/strokes/1").json()["decided"]["by"] is None
    assert public.get("/api/matches/match/history").status_code == 401
    assert client.get("/api/users").status_code == 403
    assert client.delete("/api/session").json() == {"ended": True}
    assert client.get("/api/matches").status_code == 401


def test_a_forged_request_of_a_logged_in_browser_changes_nothing(guard: Guard) -> None:
    """It carries the cookie, but not the session's token; nor does another session's token do."""
    guard.policy.access.accounts.add("Ann", Role.REFEREE, PASSWORD)
    client = browser(guard)
    log_in(client, name="Ann", password=PASSWORD)
    body, other = correction(1, facts={"potted": []}), guard.policy.access.sessions.begin(None).token
    for token in ("", "wrong", other):
        answer = client.post("/api/matches/match/corrections", json=body, headers={"x-cueref-token": token})
        assert answer.status_code == 403
    elsewhere = {"origin": "http://evil.example"}
    assert client.post("/api/session", json={"token": TOKEN}, headers=elsewhere).status_code == 403


def test_behind_tls_the_cookie_is_secure_and_of_this_host_alone(guard: Guard) -> None:
    client = browser(guard, "https://club.example")
    cookie = log_in(client, token=TOKEN).headers["set-cookie"]
    assert cookie.startswith("__Host-cueref-") and "Secure" in cookie and "Path=/" in cookie
    assert client.get("/api/session").json()["role"] == "owner"


def test_behind_tls_a_session_that_another_host_planted_counts_for_nothing(guard: Guard) -> None:
    """Another host of the domain, or a page without TLS, can set a cookie, but none with the prefix."""
    victim, attacker = browser(guard, "https://club.example"), browser(guard, "https://club.example")
    log_in(attacker, token=TOKEN)
    ((name, value),) = attacker.cookies.items()
    planted = {"cookie": f"{name.removeprefix('__Host-')}={value}"}
    assert victim.get("/api/session", headers=planted).json()["role"] != "owner"
    assert victim.get("/api/session", headers={"cookie": f"{name}={value}"}).json()["role"] == "owner"


def test_a_login_ends_the_session_before_it(guard: Guard) -> None:
    """A session that somebody planted in the browser does not become the owner's."""
    client = browser(guard)
    log_in(client, token=TOKEN)
    name = guard.policy.access.sessions.cookie_name
    planted = client.cookies[name]
    log_in(client, token=TOKEN)
    assert client.cookies[name] != planted
    assert guard.policy.access.sessions.find(planted) is None


@pytest.mark.parametrize(
    "guess",
    [
        lambda c, k: c.post("/api/session", json={"name": "Ann", "password": f"guess {k}"}),
        lambda c, k: c.post("/api/session", json={"token": f"guess {k}"}),
        lambda c, k: c.post("/api/session", json={"code": f"guess {k}"}),
        lambda c, k: c.get(f"/login?token=guess{k}"),
        lambda c, k: c.get(f"/api/matches?token=guess{k}"),
        lambda c, k: c.get("/api/matches", headers={"x-cueref-token": f"guess{k}"}),
        lambda c, k: c.get("/api/matches", headers={"cookie": f"cueref-screen=guess{k}"}),
    ],
    ids=["password", "token", "code", "link", "query", "header", "screen"],
)
def test_guesses_of_every_way_in_meet_growing_pauses(
    guard: Guard, guess: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    guard.policy.access.accounts.add("Ann", Role.REFEREE, PASSWORD)
    waited_s = 0.0
    monkeypatch.setattr(guard.policy.access.by_address, "_clock", lambda: time.monotonic() + waited_s)
    client = browser(guard)
    answers = [guess(client, k) for k in range(FREE_GUESSES)]
    assert all(a.status_code in (401, 403) for a in answers)  # people mistype
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        answers.append(guess(client, len(answers)))
        if answers[-1].status_code == 429 and int(answers[-1].headers["retry-after"]) >= 4:
            break  # long enough for what follows on a loaded machine
        waited_s += 0.5
    assert answers[-1].status_code == 429
    # the right token is not looked at either, or guessing would go on
    assert client.get("/api/matches", headers={"x-cueref-token": TOKEN}).status_code == 429
    other = browser(guard, client=("198.51.100.2", 1))
    assert other.get("/api/matches", headers={"x-cueref-token": TOKEN}).status_code == 200


def test_an_own_login_does_not_buy_more_guesses(guard: Guard) -> None:
    guard.policy.access.accounts.add("Eve", Role.SPECTATOR, PASSWORD)
    client, found = browser(guard), []
    for k in range(12):
        found.append(client.post("/api/session", json={"token": f"guess {k}"}).status_code)
        client.post("/api/session", json={"name": "Eve", "password": PASSWORD})
    assert 429 in found


def test_guesses_of_one_account_from_many_addresses_meet_pauses_and_sessions_go_on(guard: Guard) -> None:
    guard.policy.access.accounts.add("Ann", Role.REFEREE, PASSWORD)
    inside = browser(guard, client=("203.0.113.1", 1))
    log_in(inside, name="Ann", password=PASSWORD)
    for k in range(FREE_GUESSES):
        guesser = browser(guard, client=(f"198.51.100.{k}", 1))
        assert log_in(guesser, name="ANN", password=f"guess {k}").status_code == 401
    for k in range(10):  # as if from further addresses, without a hash for each
        guard.policy.access.by_account.wrong("ann", f"further {k}")
    fresh = browser(guard, client=("198.51.100.99", 1))
    assert log_in(fresh, name="Ann", password=PASSWORD).status_code == 429
    assert inside.get("/api/matches").status_code == 200


def test_a_screen_with_an_old_key_does_not_lock_its_house_out(guard: Guard) -> None:
    client = browser(guard)
    for _ in range(20):
        assert client.get("/api/matches?token=last-weeks-key").status_code == 401
    assert client.get(f"/api/matches?token={guard.policy.screen_key}").status_code == 200


def test_a_screens_key_reads_and_does_nothing_else(guard: Guard) -> None:
    key = guard.policy.screen_key
    assert TOKEN not in key
    screen = browser(guard)
    assert screen.get(f"/overlay?token={key}").status_code == 200
    assert screen.get("/api/matches").status_code == 200  # by the cookie of the first request
    body = correction(1, facts={"potted": []})
    for headers in ({}, {"x-cueref-token": key}):
        answer = screen.post("/api/matches/match/corrections", json=body, headers=headers)
        assert answer.status_code == 403
    assert log_in(screen, token=key).status_code == 401


def test_the_owner_invites_by_a_link_and_removes(guard: Guard) -> None:
    owner = browser(guard)
    log_in(owner, token=TOKEN)
    made = owner.post("/api/users", json={"name": "Bo", "role": "spectator"}).json()
    path = owner.post(f"/api/users/{made['id']}/link").json()["path"]
    guest = browser(guard, client=("198.51.100.3", 1))
    code = path.removeprefix("/login#code=")
    assert log_in(guest, code=code).json()["name"] == "Bo"
    assert log_in(browser(guard, client=("198.51.100.4", 1)), code=code).status_code == 401
    new = guest.post("/api/session/password", json={"new": PASSWORD})
    assert new.status_code == 200
    guest.headers["x-cueref-token"] = new.json()["token"]
    assert guest.post("/api/session/password", json={"old": "no", "new": PASSWORD}).status_code == 401
    assert guest.get("/api/matches/match/history").status_code == 200
    refused = guest.post("/api/matches/match/undo", json={"who": "Bo"})
    assert refused.status_code == 403 and "referee" in refused.text
    assert owner.delete(f"/api/users/{made['id']}").status_code == 200
    assert guest.get("/api/matches").status_code == 401


def test_a_tablet_gets_in_by_a_link_at_its_table_and_nowhere_else(guard: Guard, folder: Path) -> None:
    owner, tablet = browser(guard), browser(guard, client=("198.51.100.5", 1))
    log_in(owner, token=TOKEN)
    made = owner.post("/api/users", json={"name": "Tablet 1", "tablet": True}).json()
    path = owner.post(f"/api/users/{made['id']}/link").json()["path"]
    assert path.endswith("&to=/phone") and made["table"] == "Table 1"
    told = log_in(tablet, code=path.removeprefix("/login#code=").removesuffix("&to=/phone")).json()
    assert told["role"] == "referee" and told["tablet"]
    body = correction(2, who="Bo", facts={"potted": []})
    assert tablet.post("/api/matches/match/corrections", json=body).status_code == 200
    assert tablet.get("/api/matches/match/history").json()[-1]["who"] == "Tablet 1"
    assert tablet.get("/api/users").status_code == 403
    own = {"old": "", "new": "a long way in from anywhere"}  # whoever touches it could log in from elsewhere
    assert tablet.post("/api/session/password", json=own).status_code == 422
    assert not any(a["has_password"] for a in owner.get("/api/users").json())
    match = open_review("match", folder)
    elsewhere = Policy(TOKEN, False, (), False, "Table 2", guard.policy.access)
    other = create_app([match], elsewhere)
    away = browser(other)
    away.cookies.update(tablet.cookies)
    assert away.get("/api/session").json()["role"] == "nobody"
    assert away.get("/api/matches").status_code == 403
    match.close()


def test_a_proxy_that_was_not_told_of_makes_nobody_local() -> None:
    """Without this, everything behind a proxy on the same machine would be open to the internet."""
    guard = create_app([], Policy(TOKEN, True))
    local = TestClient(guard, base_url="http://127.0.0.1:8765")
    assert local.get("/api/matches").status_code == 200
    for header in ("x-forwarded-for", "forwarded", "x-real-ip", "via", "x-forwarded-proto"):
        assert local.get("/api/matches", headers={header: "127.0.0.1"}).status_code == 401


def test_a_login_leads_to_pages_of_this_server_only(guard: Guard) -> None:
    client = browser(guard)
    for to in (
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "/nothing",
    ):
        assert client.get("/login", params={"token": TOKEN, "to": to}).headers["location"] == "/"
    page = client.get("/overlay", headers={"accept": "text/html"})
    assert page.status_code in (200, 303)


def test_a_browser_without_a_login_is_led_to_it_and_a_program_is_told(guard: Guard) -> None:
    client = browser(guard)
    led = client.get("/users", headers={"accept": "text/html,*/*"})
    assert led.status_code == 303 and led.headers["location"] == "/login?to=/users"
    assert client.get("/users").status_code == 401
    assert client.get("/login").status_code == client.get("/static/login.js").status_code == 200


def test_a_request_with_a_list_of_guesses_is_refused(guard: Guard) -> None:
    """Else thousands of tokens in one address, headers or cookies would be looked at for one pause."""
    client, many = browser(guard), [f"guess{k}" for k in range(200)]
    query = "&".join(f"token={g}" for g in [*many, TOKEN])
    assert client.get(f"/api/matches?{query}").status_code == 400
    headers = [("x-cueref-token", g) for g in [*many, TOKEN]]
    assert client.get("/api/matches", headers=headers).status_code == 400
    cookies = [("cookie", f"cueref-screen={g}") for g in [*many, TOKEN]]
    assert client.get("/api/matches", headers=cookies).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        b'{"name": "\\ud800", "password": "\\ud800 chalk and cue"}',
        b'{"name": "' + "ﷺ".encode() * 66 + b'", "password": "chalk and cue"}',
        b'{"code": "\\ud800"}',
        b'{"token": "\\udfff"}',
        b'{"name": "a\\u0000b", "password": "\\u0000"}',
        b"{}",
        b"[]",
        b'{"name": {"$gt": ""}, "password": {"$gt": ""}}',
    ],
)
def test_no_login_breaks_the_server(guard: Guard, body: bytes) -> None:
    answer = browser(guard).post("/api/session", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (401, 422), answer.text


@pytest.mark.parametrize("number", ["0", "-1", "9" * 40, "1e3", "\u0661", "1;drop table accounts"])
def test_an_account_that_cannot_be_is_told(guard: Guard, number: str) -> None:
    client = browser(guard)
    log_in(client, token=TOKEN)
    for method, path in (("DELETE", ""), ("POST", "/link"), ("DELETE", "/sessions")):
        answer = client.request(method, f"/api/users/{number}{path}")
        assert answer.status_code == 422, answer.text


def test_a_crowd_at_the_door_does_not_take_the_threads_of_corrections(
    guard: Guard, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio
    import threading

    release, looked = threading.Event(), []

    def slow(name: str, password: str) -> None:
        looked.append(name)
        release.wait(30)

    monkeypatch.setattr(guard.policy.access, "log_in", slow)

    async def crowd() -> list[int]:
        transport = httpx.ASGITransport(app=guard)
        async with httpx.AsyncClient(transport=transport, base_url=HOST, timeout=60) as client:
            body = {"name": "Ann", "password": PASSWORD}
            tries = [asyncio.create_task(client.post("/api/session", json=body)) for _ in range(30)]
            while sum(t.done() for t in tries) < 22:
                await asyncio.sleep(0.01)
            ready = await asyncio.to_thread(lambda: "a thread for others")
            release.set()
            assert ready
            return [(await t).status_code for t in tries]

    found = asyncio.run(crowd())
    assert found.count(429) >= 22 and len(looked) <= 8
