"""`cueref install-service`: a table that starts with the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.live.setup.service import USER, Service, install, run_command, this_command, unit_text


def register(app: typer.Typer) -> None:
    """Add `cueref install-service` to the command line."""
    app.command(
        name="install-service", epilog="Example: sudo /opt/cueref/bin/cueref install-service table-1"
    )(install_service)


def install_service(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="Its name: small letters, digits, dashes.")],
    user: Annotated[str, typer.Option(help="The system user; made where there is none.")] = USER,
    command: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The cueref to run; default: this one.")
    ] = None,
    root: Annotated[
        Path, typer.Option(metavar="DIR", help="Write the files below this folder alone, for an image.")
    ] = Path("/"),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the unit; change nothing.")] = False,
) -> None:
    """Make a table a service of systemd: it starts at boot and goes on after every failure.

    Writes the hardened unit cueref-live@.service, a token in /etc/cueref/TABLE.env and the folder
    /var/lib/cueref/TABLE, and starts the table where cueref setup has written its settings there. Given
    again, it renews the unit and keeps the rest.
    """
    service = Service(table, command or this_command(), user, root)
    if dry_run:
        typer.echo(unit_text(service), nl=False)
        return
    for line in install(service, run_command):
        typer.echo(line)
