"""`cueref restore-backup`: a backup put back into an empty folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calibration.texts import sentence
from referee.season.backup import backups_in
from referee.season.backup import restore_backup as put_back

EXAMPLES = ("cueref restore-backup /mnt/backup/table-1 --out table-1",)


def restore_backup(
    dest: Annotated[Path, typer.Argument(metavar="DEST", help=sentence("help.dest"))],
    out: Annotated[Path | None, typer.Option(metavar="DIR", help=sentence("help.restore_backup_out"))] = None,
    backup: Annotated[str | None, typer.Option(metavar="NAME", help=sentence("help.backup"))] = None,
) -> None:
    """Put a backup back. Every file is compared with its hash first; without --out the backups are listed."""
    if out is None:
        typer.echo("\n".join(backups_in(dest)) or sentence("terminal.restore_backup_none", dest=dest))
        return
    found = put_back(dest, out, backup)
    typer.echo(sentence("terminal.restore_backup_done", name=found.name, count=len(found.files), out=out))
