"""`cueref club`: one page over all tables of a club."""

from __future__ import annotations

from typing import Annotated

import typer

from calibration.texts import sentence
from referee.commands.examples import examples
from referee.commands.serving_options import (
    HostOption,
    LibraryOption,
    NameOption,
    PortOption,
    ProxyOption,
    PublicOption,
    TlsCertOption,
    TlsKeyOption,
    TokenFileOption,
    TokenOption,
    players_of,
)
from referee.console.serving import Serving, listen, login_link, need_packages
from referee.live.feeds.mqtt import parse_broker


def register(app: typer.Typer) -> None:
    """Add `cueref club` to the command line."""
    app.command(
        name="club",
        epilog=examples("cueref club mqtt://broker.local"),
        help=sentence("help.club_is"),
    )(club)


def club(
    broker: Annotated[
        str, typer.Argument(metavar="BROKER", envvar="CUEREF_MQTT", help=sentence("help.broker"))
    ],
    host: HostOption = "127.0.0.1",
    port: PortOption = 8780,
    name: NameOption = None,
    token: TokenOption = None,
    token_file: TokenFileOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    proxy: ProxyOption = None,
    public: PublicOption = False,
    library: LibraryOption = None,
) -> None:
    """Show every table that publishes to the broker (`cueref live --mqtt`): players, score, ball on,
    state.
    """
    where = parse_broker(broker)
    need_packages("club", "live")
    from referee.console.web_server import serve_until_stopped
    from referee.live.pages.club import Club, create_club_app, follow

    names, proxies = tuple(name or ()), tuple(proxy or ())
    serving = Serving(host, port, names, token, token_file, tls_cert, tls_key, proxies, public)
    policy = serving.policy()
    listening = listen(host, port)
    tables = Club()
    end = follow(tables, where)
    url = serving.url(listening.getsockname()[1])
    shown = url if policy.open_reading or policy.public else login_link(policy, url)
    typer.echo(sentence("terminal.club_page", shown=shown))
    if serving.warning:
        typer.echo(serving.warning, err=True)
    try:
        with players_of(library) as players:
            serve_until_stopped(create_club_app(tables, policy, players), serving, listening)
    finally:
        end()
