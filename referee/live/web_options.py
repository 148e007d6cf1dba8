"""How the pages of a table are served: the address, the token, the language; and opening them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.errors import UnusableInput

if TYPE_CHECKING:
    from referee.live.metrics import Metrics
    from referee.live.web_match import Engine
    from referee.live.web_serve import Pages
    from referee.review.guard import Policy

LOOPBACK = ("127.0.0.1", "::1", "localhost")
LEAST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class PagesOptions:
    """`host` other than loopback: every page needs the token. `token` None: a new one. `voice`: spoken here."""

    host: str = "127.0.0.1"
    port: int = 8765
    names: tuple[str, ...] = ()
    token: str | None = field(default=None, repr=False)
    language: str = "en"
    voice: bool = False

    def __post_init__(self) -> None:
        if self.token is not None and len(self.token) < LEAST_TOKEN:
            raise UnusableInput(f"--token: expected at least {LEAST_TOKEN} characters, found fewer")
        if not 0 <= self.port <= 65535:
            raise UnusableInput(f"--port: expected 0 to 65535, found {self.port}")

    def policy(self) -> Policy:
        """Who may ask; a token is made where none was given."""
        from referee.review.guard import Policy

        names = tuple(n.lower() for n in self.names)
        return Policy(self.token or secrets.token_urlsafe(24), self.host in LOOPBACK, names)


def open_pages(
    engine: Engine, out: Path, options: PagesOptions, metrics: Metrics | None = None
) -> tuple[Pages, tuple[str, ...]]:
    """The pages, served, and what is to be said about them: where to point browsers. Before the engine starts.

    Raises UnusableInput for an address that is taken, a language that is not there, packages that are missing.
    """
    need_packages("live")
    from referee.commands.serve import address_shown, listen
    from referee.live.web_serve import Pages
    from referee.live.web_texts import load_texts

    policy, texts = options.policy(), load_texts(options.language)
    pages = Pages(engine, out, policy, texts, listen(options.host, options.port), options.voice, metrics)
    pages.start()
    url = f"http://{address_shown(options.host)}:{pages.port}"
    screen = "" if policy.open_reading else f"?token={policy.token}"
    return pages, (
        f"console: {url}/login?token={policy.token}",
        f"television: {url}/tv{screen}   phone: {url}/login?token={policy.token}&to=/phone   OBS: {url}/overlay{screen}",
    )


def need_packages(command: str) -> None:
    """Raises UnusableInput when the packages that serve pages are not installed."""
    try:
        import fastapi
        import uvicorn
        import websockets
    except ImportError as error:
        raise UnusableInput(
            f"{command}: expected the packages of the extra 'serve' (pip install 'cueref[serve]'), found no {error.name}"
        ) from None
    del fastapi, uvicorn, websockets
