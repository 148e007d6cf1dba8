"""`cueref club`: one page over all tables of a club."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from calibration.texts import sentence
from referee.commands.option_class import taking
from referee.commands.secret_options import warn_of_visible_secrets
from referee.commands.serving_options import LibraryOption, PortOption, ServingOptions, players_of
from referee.console.serving import listen, login_link, need_packages
from referee.live.feeds.mqtt import parse_broker

EXAMPLES = ("cueref club mqtt://broker.local",)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)  # an address may hold a password
class ClubOptions(ServingOptions):
    """The options of `cueref club`; each field is one."""

    broker: Annotated[
        str, typer.Argument(metavar="BROKER", envvar="CUEREF_MQTT", help=sentence("help.broker"))
    ]
    port: PortOption = 8780
    library: LibraryOption = None


@taking(ClubOptions)
def club(context: typer.Context, options: ClubOptions) -> None:
    """Show every table that publishes to the broker (`cueref live --mqtt`): players, score, ball on,
    state.
    """
    where = parse_broker(options.broker)
    need_packages("club", "live")
    from referee.console.web_server import serve_until_stopped
    from referee.live.pages.club import Club, create_club_app, follow

    warn_of_visible_secrets(context)
    serving = options.serving()
    policy = serving.policy()
    listening = listen(options.host, options.port)
    tables = Club()
    end = follow(tables, where)
    url = serving.url(listening.getsockname()[1])
    shown = url if policy.open_reading or policy.public else login_link(policy, url)
    typer.echo(sentence("terminal.club_page", shown=shown))
    if serving.warning:
        typer.echo(serving.warning, err=True)
    try:
        with players_of(options.library) as players:
            serve_until_stopped(create_club_app(tables, policy, players), serving, listening)
    finally:
        end()
