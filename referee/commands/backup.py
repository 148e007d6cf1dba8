"""`cueref backup`: copies of matches, taken while a match runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.season.backup import take_backup


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("backup")(backup)


def backup(
    folder: Annotated[Path, typer.Argument(help="A table's folder, or a review's.")],
    to: Annotated[Path, typer.Option(metavar="DEST", help="Where backups lie; made where it is missing.")],
) -> None:
    """Back up journals, clips and files of all matches, also while one is being played.

    A file that an earlier backup in DEST holds is not copied again. Exit status 1 when a journal in it was
    changed after it was written: it is kept as it is.

    Example: cueref backup table-1 --to /mnt/backup/table-1
    """
    made = take_backup(folder, to)
    typer.echo(f"{made.name}: {len(made.files)} files, {made.copied_bytes / 1e6:.1f} MB of them new")
    broken = [k for k in made.files if k.bad_entry is not None]
    for kept in broken:
        typer.echo(f"{kept.path}: entry {kept.bad_entry} was changed after it was written", err=True)
    if broken:
        raise typer.Exit(1)
