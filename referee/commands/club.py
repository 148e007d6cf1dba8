"""`cueref club`: one page over all tables of a club."""

from __future__ import annotations

from typing import Annotated

import typer

from referee.console.serving import listen, need_packages, policy_of, shown_address
from referee.live.feeds.mqtt import parse_broker


def register(app: typer.Typer) -> None:
    """Add `cueref club` to the command line."""
    app.command(name="club", epilog="Example: cueref club mqtt://broker.local")(club)


def club(
    broker: Annotated[
        str, typer.Argument(metavar="BROKER", envvar="CUEREF_MQTT", help="mqtt://[USER:PASSWORD@]HOST[:PORT]")
    ],
    host: Annotated[
        str, typer.Option(help="Address to listen on; other than loopback the page needs the token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8780,
    name: Annotated[
        list[str] | None, typer.Option(help="A host name under which the page may be addressed.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(envvar="CUEREF_TOKEN", help="The page's token; default: a new one.")
    ] = None,
) -> None:
    """Show every table that publishes to the broker (`cueref live --mqtt`): players, score, ball on,
    state.
    """
    where = parse_broker(broker)
    need_packages("club", "live")
    import uvicorn

    from referee.live.pages.club import Club, create_club_app, follow

    policy = policy_of(host, name or (), token)
    listening = listen(host, port)
    tables = Club()
    end = follow(tables, where)
    reading = "" if policy.open_reading else f"/login?token={policy.token}"
    typer.echo(
        f"club page: http://{shown_address(host)}:{listening.getsockname()[1]}{reading}; stop with Ctrl-C"
    )
    config = uvicorn.Config(
        create_club_app(tables, policy), log_level="warning", server_header=False, ws_max_size=4096
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        end()
