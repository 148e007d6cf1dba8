"""Access control around a whole application: Host and Origin, who it is, what they may, how often they guess.

A page of another site must reach neither the data nor a correction, also when the server is bound to
loopback (DNS rebinding sends that site's name as Host, a forged form or socket its Origin). What each route
needs stands in `referee.access.needs`.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import math
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, quote

from starlette.exceptions import HTTPException

from calibration.texts import accepted, again, sentence
from referee.access.access import Access
from referee.access.needs import Need, need_of
from referee.access.pauses import address_key
from referee.access.roles import NOBODY, Person, Role
from referee.access.sessions import Session

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

TOKEN_HEADER = b"x-cueref-token"
"""The server's token, or beside a session's cookie the session's own."""
SCREEN_COOKIE = "cueref-screen"
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
    (b"x-frame-options", b"DENY"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
)
MOST_SOCKETS = 64
"""WebSockets of one address at once: a club's screens and phones behind one proxy, not a flood."""
MOST_SOCKETS_IN_ALL = 256
MOST_KEYS = 3
"""Tokens of one request: header, address, cookie. More are a list of guesses that would count once."""
LOOKED_AGAIN_S = 5.0
"""A socket's session is looked up again this often: an ended one hears nothing more."""


@dataclass(frozen=True, slots=True)
class Policy:
    """`token`: this server's secret, the owner's first way in. `open_reading`: bound to loopback and reached
    from there, so that looking needs no login. `names`: host names beside `localhost` and plain addresses
    under which the server may be addressed. `public`: scores are shown to everyone. `table`: whose pages
    these are, for a tablet that may referee at one table only.
    """

    token: str = field(repr=False)
    open_reading: bool
    names: tuple[str, ...] = ()
    public: bool = False
    table: str | None = None
    access: Access = field(default_factory=Access, repr=False, compare=False)

    @property
    def screen_key(self) -> str:
        """Opens reading for a screen that cannot log in; made from the token, which it does not give away."""
        return hmac.new(self.token.encode(), b"screen", hashlib.sha256).hexdigest()[:32]

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
        """Whether one of the given tokens is the server's."""
        return any(_same(g, self.token) for g in given)

    def opens_screen(self, given: Iterable[str]) -> bool:
        """Whether one of the given keys is the screens' or the server's token."""
        return any(_same(g, self.screen_key) or _same(g, self.token) for g in given)

    def visitor(self, local: bool) -> Person:
        """Whoever is not logged in. `local`: no proxy stands between."""
        if self.open_reading and local:
            return Person(Role.SPECTATOR)
        return Person(Role.PUBLIC) if self.public else NOBODY


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), secret.encode())


@dataclass(frozen=True, slots=True)
class Visit:
    """Who sends a request, as the routes find it in `scope["cueref.visit"]`."""

    person: Person
    session: Session | None
    address: str


def visit_of(scope: Mapping[str, Any]) -> Visit:
    """The visit of a request that the guard has let through."""
    found: Visit = scope["cueref.visit"]
    return found


@dataclass(frozen=True, slots=True)
class Refusal:
    """Status, sentence and headers of an answer to a request that is refused."""

    status: int
    words: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: App, policy: Policy) -> None:
        self.app = app
        self.policy = policy
        self._sockets: dict[str, int] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        socket = scope["type"] == "websocket"
        need = need_of("WS" if socket else scope["method"], scope["path"])
        found = self._visit(scope, need)
        if isinstance(found, Refusal):
            await _refuse(scope, receive, send, found)
            return
        scope["cueref.visit"] = found
        if socket:
            await self._watched(scope, receive, send, found)
            return
        assert need is not None
        await self.app(scope, _limited(receive, need.most_bytes), _with_headers(send))

    def _visit(self, scope: Scope, need: Need | None) -> Visit | Refusal:
        """Who it is and that they may, or why not."""
        headers: Headers = list(scope["headers"])
        elsewhere = self._wrong_origin(scope, headers)
        if elsewhere is not None:
            return elsewhere
        if need is None:
            return Refusal(404, sentence("web.nothing_here"))
        length = next((v for k, v in headers if k == b"content-length"), b"0")
        if not length.isdigit() or int(length) > need.most_bytes:
            return Refusal(413, sentence("web.body_too_large", bytes=need.most_bytes))
        address = address_key((scope.get("client") or ("",))[0])
        visit = self._identified(scope, headers, address)
        if isinstance(visit, Refusal):
            return visit
        return self._short_of(scope, headers, need, visit) or visit

    def _wrong_origin(self, scope: Scope, headers: Headers) -> Refusal | None:
        hosts = [v.decode("latin-1") for k, v in headers if k == b"host"]
        if len(hosts) != 1 or not self.policy.host_allowed(hosts[0]):
            return Refusal(421, sentence("web.other_host"))
        own = (f"http://{hosts[0]}", f"https://{hosts[0]}")
        origins = [v.decode("latin-1") for k, v in headers if k == b"origin"]
        if any(o not in own for o in origins) or _from_elsewhere(scope, headers):
            return Refusal(403, sentence("web.other_origin"))
        return None

    def _identified(self, scope: Scope, headers: Headers, address: str) -> Visit | Refusal:
        """Who it is: by the session's cookie, by the token, by a screen's key, or nobody in particular."""
        cookies = _cookies(headers)
        session = self._session(scope, cookies)
        if session is not None:
            return Visit(session.person, session, address)
        given = _tokens(headers)
        reading = scope["type"] == "websocket" or scope["method"] in READING
        keys = [*given, *_query(scope)] if reading and scope["path"] != "/login" else given
        kept = cookies.get(SCREEN_COOKIE, [])
        visitor = self.policy.visitor(not any(k in FORWARDED for k, _ in headers))
        if not keys and not kept:
            return Visit(visitor, None, address)
        if len(keys) + len(kept) > MOST_KEYS:
            return Refusal(400, sentence("web.one_token"))
        pause_s = self.policy.access.by_address.left_s(address)
        if pause_s > 0:
            return paused(pause_s)
        if self.policy.knows(given):
            return Visit(Person(Role.OWNER), None, address)
        if self.policy.opens_screen([*keys, *kept]):
            return Visit(Person(Role.SPECTATOR), None, address)
        for key in (*keys, *kept):
            self.policy.access.by_address.wrong(address, key)
        return Visit(visitor, None, address)

    def _session(self, scope: Scope, cookies: Mapping[str, Sequence[str]]) -> Session | None:
        """The session of the request's cookies, if it lasts."""
        name = session_cookie(str(scope.get("scheme")), self.policy.access)
        found = map(self.policy.access.sessions.find, cookies.get(name, ()))
        return next((session for session in found if session is not None), None)

    def _short_of(self, scope: Scope, headers: Headers, need: Need, visit: Visit) -> Refusal | None:
        """What a visit lacks for a need; None where nothing."""
        role = visit.person.role_at(self.policy.table)
        if role < need.role:
            known = visit.session is not None or role > Role.PUBLIC
            return _lacks_role(scope, headers, need, known)
        changes = scope["type"] == "http" and scope["method"] not in READING
        if changes and need.by_token and visit.session is not None:
            # a forged request sends cookies, but not headers
            own = visit.session.token
            if not any(_same(given, own) or self.policy.knows([given]) for given in _tokens(headers)):
                return Refusal(403, sentence("web.needs_token"))
        return None

    async def _watched(self, scope: Scope, receive: Receive, send: Send, visit: Visit) -> None:
        """A socket for as long as its session lasts, and no more of one address than are of use."""
        here, all_of_them = self._sockets.get(visit.address, 0), sum(self._sockets.values())
        if here >= MOST_SOCKETS or all_of_them >= MOST_SOCKETS_IN_ALL:
            await _refuse(scope, receive, send, Refusal(429, sentence("web.too_many_sockets")))
            return
        self._sockets[visit.address] = self._sockets.get(visit.address, 0) + 1
        try:
            await self.app(scope, receive, self._while_valid(send, visit.session))
        finally:
            self._sockets[visit.address] -= 1
            if not self._sockets[visit.address]:
                del self._sockets[visit.address]

    def _while_valid(self, send: Send, session: Session | None) -> Send:
        looked_s = time.monotonic()

        async def inner(message: MutableMapping[str, Any]) -> None:
            nonlocal looked_s
            if session is not None and time.monotonic() - looked_s >= LOOKED_AGAIN_S:
                looked_s = time.monotonic()
                now = self.policy.access.sessions.find(session.cookie)
                if now is None or now.person != session.person:
                    await send({"type": "websocket.close", "code": 1008, "reason": "the session has ended"})
                    raise RuntimeError("the session has ended")
            await send(message)

        return inner


def paused(pause_s: float) -> Refusal:
    """The answer to a guess that comes too soon."""
    whole_s = math.ceil(pause_s)
    return Refusal(429, sentence("web.too_soon", s=whole_s), ((b"retry-after", str(whole_s).encode()),))


READING = ("GET", "HEAD", "OPTIONS")
FORWARDED = (
    *(b"forwarded", b"via", b"x-real-ip"),
    *(b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto"),
)
"""Headers that a proxy adds: what comes through one is not from this machine, whatever the socket says."""
PAGES = ("/", "/overlay", "/api", "/login", "/tv", "/phone", "/users")


def _lacks_role(scope: Scope, headers: Headers, need: Need, known: bool) -> Refusal:
    """The answer to somebody who may not: to a browser's page the log-in, else what is lacking.

    `known`: it is somebody who has logged in.
    """
    if need.page and scope["type"] == "http" and b"text/html" in dict(headers).get(b"accept", b""):
        to = quote(scope["path"], safe="/")
        return Refusal(303, sentence("web.log_in"), ((b"location", f"/login?to={to}".encode()),))
    if not known:
        return locked()
    role = sentence(f"access.role_{need.role.name.lower()}")
    return Refusal(403, sentence("web.needs_role", role=role))


def locked() -> Refusal:
    """The answer to somebody who has not logged in."""
    return Refusal(401, sentence("web.locked"))


def _from_elsewhere(scope: Scope, headers: Headers) -> bool:
    """Whether a browser reports that another site's page sends the request; pictures and scripts send no
    Origin.

    Following a link to one of our pages is no harm. Another port of this machine is another site too.
    """
    sent = dict(headers)
    if sent.get(b"sec-fetch-site", b"none") in (b"none", b"same-origin"):
        return False
    followed = sent.get(b"sec-fetch-mode") == b"navigate" and sent.get(b"sec-fetch-dest") == b"document"
    return not (followed and scope["type"] == "http" and scope["method"] == "GET" and scope["path"] in PAGES)


def session_cookie(scheme: str, access: Access) -> str:
    """The name of a session's cookie. Over TLS it has the prefix with which a browser takes it from this very
    host alone: another host of the domain, or a page without TLS, can plant no session of its own.
    """
    return ("__Host-" if scheme in ("https", "wss") else "") + access.sessions.cookie_name


def _tokens(headers: Headers) -> list[str]:
    return [v.decode("latin-1") for k, v in headers if k == TOKEN_HEADER]


def _cookies(headers: Headers) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in headers:
        if key == b"cookie":
            try:
                jar = SimpleCookie(value.decode("latin-1"))
            except CookieError:
                continue
            for name, morsel in jar.items():
                found.setdefault(name, []).append(morsel.value)
    return found


def _query(scope: Scope) -> list[str]:
    """A browser source or a socket cannot set headers: reading also takes `?token=`."""
    return parse_qs(bytes(scope.get("query_string", b"")).decode("latin-1")).get("token", [])


def _limited(receive: Receive, most_bytes: int) -> Receive:
    """Limits a body that is longer than its header says."""
    taken = 0

    async def inner() -> MutableMapping[str, Any]:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b"") or b"")
        if taken > most_bytes:
            raise HTTPException(413, sentence("web.body_too_large", bytes=most_bytes))
        return message

    return inner


def _with_headers(send: Send) -> Send:
    async def inner(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", []), *HEADERS]
            if not any(k == b"cache-control" for k, _ in headers):
                headers.append((b"cache-control", b"private, no-cache"))
            message["headers"] = headers
        await send(message)

    return inner


async def _refuse(scope: Scope, receive: Receive, send: Send, refusal: Refusal) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": refusal.words})
        return
    wanted = dict(scope["headers"]).get(b"accept-language", b"").decode("latin-1")
    body = str(again(refusal.words, accepted(wanted))).encode()
    await send(
        {
            "type": "http.response.start",
            "status": refusal.status,
            "headers": [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", str(len(body)).encode()),
                (b"cache-control", b"no-store"),
                *refusal.headers,
                *HEADERS,
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})
