"""Access control: Host and Origin of every request and WebSocket, token, size of bodies, headers of answers.

A page of another site must reach neither the data nor a correction, also when the server is bound to
loopback (DNS rebinding sends that site's name as Host, a forged form or socket its Origin).
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "cueref_token"
TOKEN_HEADER = b"x-cueref-token"
MAX_BODY_BYTES = 24 * 2**20
"""A picture from a phone; everything else is far smaller."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:;"
    " media-src 'self' blob: data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action"
    " 'self'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


@dataclass(frozen=True, slots=True)
class Policy:
    """`token`: this session's secret. `open_reading`: bound to loopback, so reading needs no token.

    `names`: host names beside `localhost` and plain addresses under which the server may be addressed.
    """

    token: str
    open_reading: bool
    names: tuple[str, ...] = ()

    def host_allowed(self, host: str) -> bool:
        """Whether the host name is ours: a rebinding attack uses another name."""
        match = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?", host)
        if match is None:
            return False
        name = match[1].strip("[]").lower()
        if name == "localhost" or name in self.names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self.open_reading

    def knows(self, given: Iterable[str]) -> bool:
        """Whether one of the given tokens is the session's."""
        return any(hmac.compare_digest(g.encode(), self.token.encode()) for g in given)


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: App, policy: Policy) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(scope, receive, send, *refusal)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        await self._app(scope, _limited(receive), _with_headers(send))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and sentence for a request that is refused; None for one that is allowed."""
        headers: list[tuple[bytes, bytes]] = list(scope["headers"])
        refusal = self._wrong_origin(scope, headers)
        if refusal is not None:
            return refusal
        length = next((v for k, v in headers if k == b"content-length"), b"0")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            return 413, TOO_LARGE
        return self._missing_token(scope, headers)

    def _wrong_origin(self, scope: Scope, headers: list[tuple[bytes, bytes]]) -> tuple[int, str] | None:
        hosts = [v.decode("latin-1") for k, v in headers if k == b"host"]
        if len(hosts) != 1 or not self._policy.host_allowed(hosts[0]):
            return 421, OTHER_HOST
        own = (f"http://{hosts[0]}", f"https://{hosts[0]}")
        origins = [v.decode("latin-1") for k, v in headers if k == b"origin"]
        if any(o not in own for o in origins) or _from_elsewhere(scope, headers):
            return 403, "requests from pages of another origin are refused"
        return None

    def _missing_token(self, scope: Scope, headers: list[tuple[bytes, bytes]]) -> tuple[int, str] | None:
        header = [v.decode("latin-1") for k, v in headers if k == TOKEN_HEADER]
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            # only a header counts here: a forged request sends cookies, but not headers
            return None if self._policy.knows(header) else (403, "this needs the session's token")
        if self._policy.open_reading or scope["path"] == "/login":
            return None
        return None if self._policy.knows([*header, *_cookies(headers), *_query(scope)]) else (401, LOCKED)


OTHER_HOST = "this server does not answer under that host name; cueref's option --name gives it one"
TOO_LARGE = f"a body may have at most {MAX_BODY_BYTES} bytes"
LOCKED = "open the address with the token that cueref printed when it was started"
PAGES = ("/", "/overlay", "/api", "/login", "/tv", "/phone")


def _from_elsewhere(scope: Scope, headers: list[tuple[bytes, bytes]]) -> bool:
    """Whether a browser reports that another site's page sends the request; pictures and scripts send no
    Origin.

    Following a link to one of our pages is no harm. Another port of this machine is another site too.
    """
    sent = dict(headers)
    if sent.get(b"sec-fetch-site", b"none") in (b"none", b"same-origin"):
        return False
    followed = sent.get(b"sec-fetch-mode") == b"navigate" and sent.get(b"sec-fetch-dest") == b"document"
    return not (followed and scope["type"] == "http" and scope["method"] == "GET" and scope["path"] in PAGES)


def _cookies(headers: list[tuple[bytes, bytes]]) -> list[str]:
    found: list[str] = []
    for key, value in headers:
        if key == b"cookie":
            try:
                jar = SimpleCookie(value.decode("latin-1"))
            except CookieError:
                continue
            found += [jar[COOKIE].value] if COOKIE in jar else []
    return found


def _query(scope: Scope) -> list[str]:
    """A browser source or a socket cannot set headers: reading also takes `?token=`."""
    return parse_qs(bytes(scope.get("query_string", b"")).decode("latin-1")).get("token", [])


def _limited(receive: Receive) -> Receive:
    """Limits a body that is longer than its header says."""
    taken = 0

    async def inner() -> MutableMapping[str, Any]:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b"") or b"")
        if taken > MAX_BODY_BYTES:
            raise HTTPException(413, TOO_LARGE)
        return message

    return inner


def _with_headers(send: Send) -> Send:
    async def inner(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *HEADERS]
        await send(message)

    return inner


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, words: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": words})
        return
    body = words.encode()
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", str(len(body)).encode()),
                *HEADERS,
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})
