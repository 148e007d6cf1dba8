"""`cueref install-service`: a table that starts with the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calibration.texts import sentence
from referee.live.setup.service import USER, Service, install, run_command, this_command, unit_text

EXAMPLES = ("sudo /opt/cueref/bin/cueref install-service table-1",)


def install_service(
    table: Annotated[str, typer.Argument(metavar="TABLE", help=sentence("help.service_table"))],
    user: Annotated[str, typer.Option(help=sentence("help.user"))] = USER,
    command: Annotated[Path | None, typer.Option(metavar="PATH", help=sentence("help.command"))] = None,
    root: Annotated[Path, typer.Option(metavar="DIR", help=sentence("help.root"))] = Path("/"),
    dry_run: Annotated[bool, typer.Option("--dry-run", help=sentence("help.dry_run"))] = False,
) -> None:
    """Make a table a service of systemd: it starts at boot and goes on after every failure."""
    service = Service(table, command or this_command(), user, root)
    if dry_run:
        typer.echo(unit_text(service), nl=False)
        return
    for line in install(service, run_command):
        typer.echo(line)
