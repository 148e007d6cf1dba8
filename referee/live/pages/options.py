"""The options with which the pages of a table are served, and opening the pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.errors import UnusableInput
from referee.console.serving import check_token, listen, need_packages, policy_of, shown_address
from referee.live.pages.texts import load_texts

if TYPE_CHECKING:
    from referee.console.guard import Policy
    from referee.live.feeds.metrics import Metrics
    from referee.live.pages.engine_pages import Pages
    from referee.live.pages.live_source import Engine


@dataclass(frozen=True, slots=True)
class PagesOptions:
    """`host` other than loopback: every page needs the token. `token` None: a new one. `voice`: spoken
    here.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    names: tuple[str, ...] = ()
    token: str | None = field(default=None, repr=False)
    language: str = "en"
    voice: bool = False

    def __post_init__(self) -> None:
        check_token(self.token)
        if not 0 <= self.port <= 65535:
            raise UnusableInput(f"--port: expected 0 to 65535, found {self.port}")

    def policy(self) -> Policy:
        """The access policy; a token is made where none was given."""
        return policy_of(self.host, self.names, self.token)


def open_pages(
    engine: Engine, out: Path, options: PagesOptions, metrics: Metrics | None = None
) -> tuple[Pages, tuple[str, ...]]:
    """Serve the pages, before the engine starts. Returns them and the lines that tell a person which
    addresses to open.

    Raises UnusableInput for an address that is taken, a language that is not there, packages that are
    missing.
    """
    need_packages("live")
    from referee.live.pages.engine_pages import Pages

    policy, texts = options.policy(), load_texts(options.language)
    pages = Pages(engine, out, policy, texts, listen(options.host, options.port), options.voice, metrics)
    pages.start()
    url = f"http://{shown_address(options.host)}:{pages.port}"
    screen = "" if policy.open_reading else f"?token={policy.token}"
    return pages, (
        f"console: {url}/login?token={policy.token}",
        (
            f"television: {url}/tv{screen}   phone: {url}/login?token={policy.token}&to=/phone   OBS:"
            f" {url}/overlay{screen}"
        ),
    )
