"""`cueref restore-backup`: a backup put back into an empty folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.season.backup import backups_in, restore_backup


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("restore-backup")(restore)


def restore(
    dest: Annotated[Path, typer.Argument(metavar="DEST", help="Where cueref backup wrote.")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="An empty folder, or one to be made.")
    ] = None,
    backup: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which one; default: the newest.")
    ] = None,
) -> None:
    """Put a backup back. Every file is compared with its hash first; without --out the backups are listed.

    A match that was on when the backup was taken goes on from its last closed stroke.

    Example: cueref restore-backup /mnt/backup/table-1 --out table-1
    """
    if out is None:
        typer.echo("\n".join(backups_in(dest)) or f"{dest}: no backups")
        return
    found = restore_backup(dest, out, backup)
    typer.echo(f"{found.name}: {len(found.files)} files put back into {out}")
