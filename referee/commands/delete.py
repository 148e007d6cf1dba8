"""`cueref delete`: a match, a clip or a player's name, gone from files, events and backups."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calibration.errors import UnusableInput
from calibration.texts import sentence
from referee.season.deletion import delete_clip, delete_match, delete_name


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("delete")(delete)


def delete(
    folder: Annotated[Path, typer.Argument(help="A table's folder; for --player also a review's.")],
    match: Annotated[
        str | None, typer.Option(metavar="ID", help="A match that is over, by its folder.")
    ] = None,
    clip: Annotated[
        int | None, typer.Option(metavar="N", help="With --match: only the clip of stroke N.")
    ] = None,
    player: Annotated[str | None, typer.Option(metavar="NAME", help="A name, in every match below.")] = None,
    instead: Annotated[str, typer.Option(metavar="NAME", help="What stands in its place.")] = "Player",
    backups: Annotated[Path | None, typer.Option(metavar="DEST", help="Also from the backups there.")] = None,
) -> None:
    """Delete a match, one clip, or a player's name. The table must be stopped.

    A name leaves every journal, match, report and event; a journal is written anew for it, with an entry that
    says so. Exit status 1 when the name still stands in files that are not ours.

    Example: cueref delete table-1 --player "Ann Lee" --backups /mnt/backup/table-1
    """
    if not folder.is_dir():
        raise UnusableInput(sentence("errors.tables_or_a_reviews_folder", folder=folder))
    if (match is None) == (player is None):
        raise UnusableInput(sentence("errors.either_match_or_player"))
    if player is not None:
        left = delete_name(folder, player, instead, backups)
        for path in left:
            typer.echo(f"{path}: the name still stands in it; it is not a file of ours", err=True)
        if left:
            raise typer.Exit(1)
        typer.echo("the name is gone")
    elif clip is not None:
        typer.echo("deleted" if delete_clip(folder, str(match), clip, backups) else "that stroke has no clip")
    else:
        delete_match(folder, str(match), backups)
        typer.echo("deleted")
