"""The pages of logging in and of users in a browser: from an invitation to a password of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("argon2", reason="the pages need the extra 'serve'")
from referee.access.access import Access
from referee.access.roles import Role
from referee.console.app import create_app
from referee.console.guard import Policy
from referee.console.serving import listen
from referee.console.web_server import WebServer

pytest_plugins = ("chromium",)
PASSWORD = "chalk and cue 17"


@pytest.fixture
def site() -> Iterator[str]:
    access = Access()
    access.accounts.add("Ann <i>Owner</i>", Role.OWNER, PASSWORD)
    policy = Policy("a token of the tests", False, (), False, "Table 1", access)
    server = WebServer(create_app([], policy), [listen("127.0.0.1", 0)])
    server.start()
    yield f"http://127.0.0.1:{server.port}"
    server.close()


def opened(browser: Any, errors: list[str]) -> Any:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.set_default_timeout(90_000)
    page = context.new_page()
    page.on("pageerror", lambda e: errors.append(str(e)))
    return page


def test_an_owner_invites_a_referee_who_sets_a_password_and_logs_in_with_it(browser: Any, site: str) -> None:
    errors: list[str] = []
    owner = opened(browser, errors)
    owner.goto(f"{site}/users")  # led to the login, and back
    owner.fill("#name", "ann <i>owner</i>")
    owner.fill("#password", PASSWORD)
    owner.click("#login button")
    owner.wait_for_selector("#users li")
    assert "<i>" in owner.inner_text("#users")  # text, not markup
    owner.fill("#add #name", "Rea")
    owner.click("#add button")
    owner.wait_for_selector("#thelink")
    link = owner.inner_text("#thelink")
    assert owner.evaluate("document.documentElement.scrollWidth <= innerWidth")

    referee = opened(browser, errors)
    referee.goto(link)
    referee.wait_for_url(f"{site}/users")
    referee.locator("#title", has_text="Rea").wait_for()
    assert "code" not in referee.url
    assert referee.locator("#owner").is_hidden() and referee.locator("#oldlabel").is_hidden()
    referee.fill("#new", PASSWORD + " of Rea")
    referee.click("#password-own button")
    referee.locator("#words", has_text="changed").wait_for()
    referee.click("#logout")
    referee.wait_for_url(f"{site}/login")
    referee.fill("#name", "Rea")
    referee.fill("#password", "not the password")
    referee.click("#login button")
    referee.wait_for_selector("#words.bad")
    referee.fill("#password", PASSWORD + " of Rea")
    referee.click("#login button")
    referee.wait_for_url(f"{site}/")
    assert referee.evaluate("fetch('/api/session').then((a) => a.json()).then((s) => s.name)") == "Rea"
    assert errors == []
