"""`cueref backup`: copies of matches, taken while a match runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calibration.texts import sentence
from referee.season.backup import take_backup

EXAMPLES = ("cueref backup table-1 --to /mnt/backup/table-1",)


def backup(
    folder: Annotated[Path, typer.Argument(help=sentence("help.folder"))],
    to: Annotated[Path, typer.Option(metavar="DEST", help=sentence("help.to"))],
) -> None:
    """Back up journals, clips and files of all matches, also while one is being played."""
    made = take_backup(folder, to)
    typer.echo(
        sentence(
            "terminal.backup_made",
            name=made.name,
            count=len(made.files),
            copied_bytes=f"{made.copied_bytes / 1000000.0:.1f}",
        )
    )
    broken = [k for k in made.files if k.bad_entry is not None]
    for kept in broken:
        typer.echo(
            sentence("terminal.backup_entry_changed", path=kept.path, bad_entry=kept.bad_entry), err=True
        )
    if broken:
        raise typer.Exit(1)
