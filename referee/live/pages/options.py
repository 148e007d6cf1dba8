"""The options with which the pages of a table are served, and opening the pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.texts import load_texts
from referee.console.serving import Serving, listen, login_link, need_packages, screen_query

if TYPE_CHECKING:
    from referee.live.feeds.metrics import Metrics
    from referee.live.pages.engine_pages import Pages
    from referee.live.pages.live_source import Engine


@dataclass(frozen=True, slots=True)
class PagesOptions:
    """`table`: its name, at which a tablet may be the referee. `voice`: spoken here."""

    serving: Serving
    table: str = "table"
    language: str = "en"
    voice: bool = False


def open_pages(
    engine: Engine, out: Path, options: PagesOptions, metrics: Metrics | None = None
) -> tuple[Pages, tuple[str, ...]]:
    """Serve the pages, before the engine starts. Returns them and the lines that tell a person which
    addresses to open.

    Raises UnusableInput for an address that is taken, a language that is not there, packages that are
    missing.
    """
    need_packages("live", "live")
    from referee.live.pages.engine_pages import Pages

    serving = options.serving
    policy, texts = serving.policy(options.table), load_texts(options.language)
    listening = listen(serving.host, serving.port)
    pages = Pages(engine, out, policy, texts, listening, options.voice, metrics, serving)
    pages.start()
    url, screen = serving.url(pages.port), screen_query(policy)
    warned = (serving.warning,) if serving.warning else ()
    return pages, (
        *warned,
        f"console: {login_link(policy, url)}",
        f"television: {url}/tv{screen}   phone: {url}/phone   OBS: {url}/overlay{screen}",
    )
