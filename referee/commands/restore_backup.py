"""`cueref restore-backup`: a backup put back into an empty folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calibration.texts import sentence
from referee.commands.examples import examples
from referee.season.backup import backups_in, restore_backup


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command(
        "restore-backup",
        help=sentence("help.restore_backup_is"),
        epilog=examples("cueref restore-backup /mnt/backup/table-1 --out table-1"),
    )(restore)


def restore(
    dest: Annotated[Path, typer.Argument(metavar="DEST", help=sentence("help.dest"))],
    out: Annotated[Path | None, typer.Option(metavar="DIR", help=sentence("help.restore_backup_out"))] = None,
    backup: Annotated[str | None, typer.Option(metavar="NAME", help=sentence("help.backup"))] = None,
) -> None:
    """Put a backup back. Every file is compared with its hash first; without --out the backups are listed."""
    if out is None:
        typer.echo("\n".join(backups_in(dest)) or sentence("terminal.restore_backup_none", dest=dest))
        return
    found = restore_backup(dest, out, backup)
    typer.echo(sentence("terminal.restore_backup_done", name=found.name, count=len(found.files), out=out))
