"""Logging in and out, and the users' page, for every application of pages.

A link that logs in carries its code after `#`, which browsers never send: it is in no log of a proxy, and a
messenger that looks at links in advance does not use it up.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, HTTPException, Request, Response
from fastapi import Path as PathValue
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from calibration.texts import sentence, unusable_input
from referee.access.access import Access, account_key
from referee.access.accounts import MOST_PASSWORD, Account
from referee.access.roles import Role
from referee.access.sessions import Session
from referee.console.door import Door
from referee.console.guard import SCREEN_COOKIE, Policy, session_cookie, visit_of
from referee.console.page_files import file_response

_INVITED_S = 86400.0
"""A link for somebody else may wait a day until they open it."""
_MOST_AT_ONCE = 8
"""Passwords that are being looked at; more are told to come again: a crowd at the door must not take the
threads on which corrections are made.
"""
Number = Annotated[int, PathValue(ge=1, le=2**53)]
Secret = Annotated[str, Field(min_length=1, max_length=2 * MOST_PASSWORD)]
AccountRole = Literal["spectator", "referee", "owner"]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class LoginBody(_Body):
    """A name with its password, or the code of a link, or the server's token."""

    name: Annotated[str, Field(max_length=200)] = ""
    password: Secret | None = None
    code: Secret | None = None
    token: Secret | None = None


class PasswordBody(_Body):
    """One's own new password; `old` is not asked of an account that never had one."""

    old: Annotated[str, Field(max_length=2 * MOST_PASSWORD)] = ""
    new: Secret


class AccountBody(_Body):
    """A person with a role, or the tablet at a table: `tablet` is then that table's name."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    role: AccountRole = "referee"
    password: Secret | None = None
    tablet: bool = False


class RoleBody(_Body):
    role: AccountRole


class NewPasswordBody(_Body):
    password: Secret


def add_login(app: FastAPI, policy: Policy, screens: Collection[str], login_page: Path) -> None:
    """The routes of logging in. `screens`: pages to which a login may lead beside the first one."""
    access, start = policy.access, [*screens, "/users"]

    @app.get("/login", include_in_schema=False)
    def login(request: Request, token: str = "", to: str = "/") -> Response:
        if not token:
            return file_response(request, login_page)
        _check_pause(access, visit_of(request.scope).address)
        if not policy.knows([token]):
            access.by_address.wrong(visit_of(request.scope).address, token)
            return Response("this token is not this session's", status_code=403)
        answer = RedirectResponse(to if to in start else "/", status_code=303)
        _remember(request, answer, access, access.begin(None))
        return answer

    router = APIRouter()
    _add_session(router, policy)
    _add_users(router, policy)
    app.include_router(router, prefix="/api")


def remember_screen(request: Request, answer: Response, policy: Policy) -> None:
    """Let a screen, which cannot log in, read the page's own files and data from now on."""
    answer.set_cookie(SCREEN_COOKIE, policy.screen_key, **_attributes(request))


def _attributes(request: Request) -> dict[str, Any]:
    """Of every cookie. Secure behind TLS; the host's prefix would need it and is left out without."""
    return {"httponly": True, "samesite": "strict", "path": "/", "secure": request.url.scheme == "https"}


def _remember(request: Request, answer: Response, access: Access, session: Session) -> None:
    """Give the browser its session; the one that it had ends, so that none can be planted before a login."""
    before = visit_of(request.scope).session
    if before is not None:
        access.sessions.end(before.cookie)
    answer.set_cookie(session_cookie(request.url.scheme, access), session.cookie, **_attributes(request))


def _check_pause(access: Access, address: str, name: str | None = None) -> None:
    left_s = access.by_address.left_s(address)
    if name is not None:
        left_s = max(left_s, access.by_account.left_s(account_key(name)))
    if left_s > 0:
        whole_s = math.ceil(left_s)
        raise HTTPException(429, sentence("web.too_soon", s=whole_s), {"retry-after": str(whole_s)})


def _add_session(router: APIRouter, policy: Policy) -> None:
    access, door = policy.access, Door("login", 429, "web.many_log_in", _MOST_AT_ONCE)

    @router.get("/session", summary="Who you are, and what you may do")
    def session(request: Request, response: Response) -> dict[str, Any]:
        response.headers["cache-control"] = "no-store"
        visit = visit_of(request.scope)
        return _session_json(policy, visit.person.role_at(policy.table), visit.session)

    @router.post("/session", summary="Log in by password, link or token")
    async def log_in(request: Request, response: Response, body: LoginBody) -> dict[str, Any]:
        begun = await door.through(_opened, policy, visit_of(request.scope).address, body)
        _remember(request, response, access, begun)
        response.headers["cache-control"] = "no-store"
        return _session_json(policy, begun.person.role_at(policy.table), begun)

    @router.delete("/session", summary="Log out")
    def log_out(request: Request, response: Response) -> dict[str, bool]:
        visit = visit_of(request.scope)
        if visit.session is not None:
            access.sessions.end(visit.session.cookie)
        response.delete_cookie(session_cookie(request.url.scheme, access), **_attributes(request))
        return {"ended": visit.session is not None}

    @router.post("/session/password", summary="Set your own password; your other sessions end")
    async def password(request: Request, response: Response, body: PasswordBody) -> dict[str, Any]:
        visit = visit_of(request.scope)
        if visit.person.account is None or visit.person.table is not None:  # whoever touches the tablet
            raise unusable_input("errors.password_somebody_with_an_account")
        begun = await door.through(_repassword, access, visit.address, visit.person.account, body)
        _remember(request, response, access, begun)
        return _session_json(policy, begun.person.role_at(policy.table), begun)


def _opened(policy: Policy, address: str, body: LoginBody) -> Session:
    """The session that a login begins. Raises HTTPException 401, or 429 where guesses come too soon."""
    access = policy.access
    by_name = body.password is not None
    _check_pause(access, address, body.name if by_name else None)
    secret = f"{body.name}\0{body.password or body.code or body.token or ''}"
    access.by_address.wrong(address, secret)  # before it is known: guesses come side by side
    if body.password is not None:
        account = access.log_in(body.name, body.password)
        begun = access.begin(account) if account is not None else None
    elif body.code is not None:
        begun = access.sessions.open(body.code)
    else:
        begun = access.begin(None) if policy.knows([body.token or ""]) else None
    if begun is None:
        words = sentence("web.wrong_password" if by_name else "web.old_link")
        raise HTTPException(401, words)
    access.by_address.right(address, secret)
    return begun


def _repassword(access: Access, address: str, number: int, body: PasswordBody) -> Session:
    account = access.accounts.get(number)
    _check_pause(access, address, account.name)
    if account.has_password and access.log_in(account.name, body.old) is None:
        raise HTTPException(401, sentence("web.other_password"))
    access.accounts.set_password(number, body.new)
    return access.begin(account)


def _session_json(policy: Policy, role: Role, session: Session | None) -> dict[str, Any]:
    """What pages need of who is there: `token` goes with every change, `name` signs it."""
    person = session.person if session is not None else None
    own = None if person is None or person.account is None else policy.access.accounts.get(person.account)
    return {
        "role": role.name.lower(),
        "name": person.name if person is not None else "",
        "tablet": person is not None and person.table is not None,
        "account": own.id if own is not None else None,
        "has_password": own is not None and own.has_password,
        "token": session.token if session is not None else "",
        "table": policy.table,
        "screen_key": policy.screen_key if role >= Role.REFEREE and not policy.open_reading else "",
    }


def _add_users(router: APIRouter, policy: Policy) -> None:
    access = policy.access

    @router.get("/users", summary="Everyone with an account")
    def users() -> list[dict[str, Any]]:
        return [_account_json(access, a) for a in access.accounts.all()]

    @router.post("/users", summary="Add a person, or the tablet at this table")
    async def add(body: AccountBody) -> dict[str, Any]:
        table = policy.table if body.tablet else None
        if body.tablet and table is None:
            raise unusable_input("errors.pages_of_a_live_table")
        role = Role[body.role.upper()]
        made = await asyncio.to_thread(access.accounts.add, body.name, role, body.password, table)
        return _account_json(access, made)

    @router.post("/users/{account}/role", summary="Change a person's role")
    def role(account: Number, body: RoleBody) -> dict[str, Any]:
        access.accounts.set_role(account, Role[body.role.upper()])
        return _account_json(access, access.accounts.get(account))

    @router.post("/users/{account}/password", summary="Set a person's password; their sessions end")
    async def password(account: Number, body: NewPasswordBody) -> dict[str, Any]:
        await asyncio.to_thread(access.accounts.set_password, account, body.password)
        return _account_json(access, access.accounts.get(account))

    @router.post("/users/{account}/link", summary="A link that logs this person or tablet in once")
    def link(account: Number) -> dict[str, str]:
        known = access.accounts.get(account)
        to = "&to=/phone" if known.table is not None else ""
        return {"path": f"/login#code={access.sessions.link(account, _INVITED_S)}{to}"}

    @router.delete("/users/{account}", summary="Remove an account; its sessions end")
    def remove(account: Number) -> dict[str, bool]:
        access.accounts.remove(account)
        return {"removed": True}

    @router.delete("/users/{account}/sessions", summary="Log a person or tablet out everywhere")
    def end(account: Number) -> dict[str, bool]:
        access.sessions.end_all(access.accounts.get(account).id)
        return {"ended": True}


def _account_json(access: Access, account: Account) -> dict[str, Any]:
    return {
        "id": account.id,
        "name": account.name,
        "role": account.role.name.lower(),
        "tablet": account.table is not None,
        "table": account.table,
        "has_password": account.has_password,
        "sessions": access.sessions.count(account.id),
    }
