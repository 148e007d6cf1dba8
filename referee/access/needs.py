"""The least role of every route of every page, in one table. A route without an entry is not served.

`PUBLIC` are facts of play: scores, strokes, rulings. Footage, the names of who changed what, and whole files
need a login (`SPECTATOR`); a match is changed by a `REFEREE`; deletion, settings and users are the `OWNER`'s.
"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.routing import compile_path

from referee.access.roles import Role

SMALL_BYTES = 256 * 1024
"""Most of a body: the largest change that a page sends has 4 KB."""
PICTURE_BYTES = 24 * 2**20
"""A picture from a phone."""


@dataclass(frozen=True, slots=True)
class Need:
    """What a request needs. `role`: the least one; `most_bytes`: of its body; `page`: a browser that lacks
    the role is led to the login. `by_token`: a change must carry its session's token, which a forged request
    does not have; logging in carries a secret of its own.
    """

    role: Role
    most_bytes: int = SMALL_BYTES
    page: bool = False
    by_token: bool = True


_NOBODY, _PUBLIC, _SEES, _REFEREE, _OWNER = (Need(role) for role in Role)
_PAGE = Need(Role.PUBLIC, page=True)
_MATCH = "/api/matches/{ident}"

NEEDS: dict[tuple[str, str], Need] = {
    # coming in and going out
    ("GET", "/login"): _NOBODY,
    ("GET", "/static/login.js"): _NOBODY,
    ("GET", "/static/access.css"): _NOBODY,
    ("GET", "/static/icon.svg"): _NOBODY,
    ("GET", "/static/texts.js"): _NOBODY,
    ("GET", "/api/texts"): _NOBODY,  # words only, also of the login
    ("GET", "/api/session"): _NOBODY,
    ("POST", "/api/session"): Need(Role.NOBODY, by_token=False),
    ("DELETE", "/api/session"): _NOBODY,
    ("POST", "/api/session/password"): _SEES,
    # users
    ("GET", "/users"): Need(Role.SPECTATOR, page=True),  # one's own password; the list is the owner's
    ("GET", "/api/users"): _OWNER,
    ("POST", "/api/users"): _OWNER,
    ("POST", "/api/users/{account}/role"): _OWNER,
    ("POST", "/api/users/{account}/password"): _OWNER,
    ("POST", "/api/users/{account}/link"): _OWNER,
    ("DELETE", "/api/users/{account}"): _OWNER,
    ("DELETE", "/api/users/{account}/sessions"): _OWNER,
    # pages; what they show is asked for by the routes below
    ("GET", "/"): _PAGE,
    ("GET", "/overlay"): _PAGE,
    ("GET", "/tv"): _PAGE,
    ("GET", "/phone"): _PAGE,
    ("GET", "/api"): _PAGE,
    ("GET", "/static/{name:path}"): _PUBLIC,
    ("GET", "/api/openapi.json"): _PUBLIC,
    # a match: facts of play
    ("GET", "/api/matches"): _PUBLIC,
    ("GET", _MATCH): _PUBLIC,
    ("GET", f"{_MATCH}/strokes"): _PUBLIC,
    ("GET", f"{_MATCH}/strokes/{{n}}"): _PUBLIC,
    ("GET", f"{_MATCH}/strokes/{{n}}/replay"): _PUBLIC,
    ("GET", f"{_MATCH}/statistics"): _PUBLIC,
    ("GET", f"{_MATCH}/overlay"): _PUBLIC,
    ("GET", f"{_MATCH}/questions"): _PUBLIC,
    ("GET", f"{_MATCH}/spots"): _PUBLIC,
    ("WS", "/ws/{ident}"): _PUBLIC,
    # a match: footage, files, who did what
    ("GET", f"{_MATCH}/hands"): _SEES,
    ("GET", f"{_MATCH}/history"): _SEES,
    ("GET", f"{_MATCH}/video"): _SEES,
    ("GET", f"{_MATCH}/image"): _SEES,
    ("GET", f"{_MATCH}/clips/{{n}}"): _SEES,
    ("GET", f"{_MATCH}/evidence/{{n}}"): _SEES,
    ("GET", f"{_MATCH}/evidence/{{n}}/progress"): _SEES,
    ("GET", f"{_MATCH}/export/tracks"): _SEES,
    ("GET", f"{_MATCH}/export/{{form}}"): _SEES,
    ("GET", f"{_MATCH}/made/{{form}}"): _SEES,
    ("GET", f"{_MATCH}/made/{{form}}/ready"): _SEES,
    ("GET", f"{_MATCH}/made/{{form}}/progress"): _SEES,
    ("GET", f"{_MATCH}/restore"): _SEES,
    ("GET", f"{_MATCH}/spots/now"): _SEES,
    # a match: changes
    ("POST", f"{_MATCH}/restore"): Need(Role.REFEREE, PICTURE_BYTES),
    ("POST", f"{_MATCH}/corrections"): _REFEREE,
    ("POST", f"{_MATCH}/state"): _REFEREE,
    ("POST", f"{_MATCH}/calls"): _REFEREE,
    ("POST", f"{_MATCH}/unknown"): _REFEREE,
    ("POST", f"{_MATCH}/strokes"): _REFEREE,
    ("POST", f"{_MATCH}/hands"): _REFEREE,
    ("POST", f"{_MATCH}/undo"): _REFEREE,
    # practice: results have names; a position or a try is entered by whoever may referee at the table
    ("GET", f"{_MATCH}/practice"): _SEES,
    ("GET", f"{_MATCH}/practice/session"): _SEES,
    ("GET", f"{_MATCH}/practice/results"): _SEES,
    ("GET", f"{_MATCH}/practice/positions/{{position}}/restore"): _SEES,
    ("POST", f"{_MATCH}/practice/positions"): _REFEREE,
    ("POST", f"{_MATCH}/practice/positions/{{position}}/drop"): _REFEREE,
    ("POST", f"{_MATCH}/practice/sessions"): _REFEREE,
    ("POST", f"{_MATCH}/practice/sessions/{{session}}/tries"): _REFEREE,
    ("POST", f"{_MATCH}/practice/sessions/{{session}}/end"): _REFEREE,
    ("POST", "/api/qr"): _REFEREE,
    # a live table
    ("GET", "/api/live"): _PUBLIC,
    ("GET", "/api/live/texts"): _PUBLIC,
    ("WS", "/ws/live"): _PUBLIC,
    ("GET", "/api/live/clips/{stroke}"): _SEES,
    ("GET", "/api/live/matches"): _SEES,
    ("GET", "/metrics"): _SEES,
    ("POST", "/api/live/requests"): _REFEREE,
    ("DELETE", "/api/live/clips/{stroke}"): _OWNER,
    ("DELETE", "/api/live/clips"): _OWNER,
    ("DELETE", "/api/live/matches/{ident}"): _OWNER,
    # players over time, of a club's library
    ("GET", "/players"): Need(Role.SPECTATOR, page=True),
    ("GET", "/api/players"): _SEES,
    ("GET", "/api/players/{name:path}"): _SEES,
    # setting up
    ("GET", "/api/setup"): _SEES,
    ("GET", "/api/setup/defaults"): _SEES,
    ("GET", "/api/setup/picture"): _SEES,
    ("GET", "/api/setup/found"): _SEES,
    ("POST", "/api/setup/calibrate"): _OWNER,
    ("POST", "/api/setup/turn"): _OWNER,
    ("POST", "/api/setup/save"): _OWNER,
    # the club
    ("GET", "/api/tables"): _PUBLIC,
    ("GET", "/api/tables/{topic}/qr"): _PUBLIC,  # of the address that its page shows
    ("WS", "/ws"): _PUBLIC,
}

_COMPILED = [(method, compile_path(path)[0], need) for (method, path), need in NEEDS.items()]


def need_of(method: str, path: str) -> Need | None:
    """The need of a request (`WS`: a socket); None where nothing is served under that method and path."""
    method = "GET" if method in ("HEAD", "OPTIONS") else method
    return next((n for m, pattern, n in _COMPILED if m == method and pattern.match(path)), None)
