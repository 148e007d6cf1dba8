"""`cueref delete`: a match, a clip or a player's name, gone from files, events and backups."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from calibration.texts import sentence, unusable_input
from referee.season.deletion import delete_clip, delete_match, delete_name
from referee.season.library.store import Library

EXAMPLES = ('cueref delete table-1 --player "Ann Lee" --backups /mnt/backup/table-1',)


def delete(
    folder: Annotated[Path, typer.Argument(help=sentence("help.delete_folder"))],
    match: Annotated[str | None, typer.Option(metavar="ID", help=sentence("help.delete_match"))] = None,
    clip: Annotated[int | None, typer.Option(metavar="N", help=sentence("help.clip"))] = None,
    player: Annotated[str | None, typer.Option(metavar="NAME", help=sentence("help.player"))] = None,
    instead: Annotated[str, typer.Option(metavar="NAME", help=sentence("help.instead"))] = "Player",
    backups: Annotated[Path | None, typer.Option(metavar="DEST", help=sentence("help.backups"))] = None,
    library: Annotated[
        str | None,
        typer.Option(metavar="WHERE", envvar="CUEREF_DATABASE", help=sentence("help.delete_library")),
    ] = None,
) -> None:
    """Delete a match, one clip, or a player's name. The table must be stopped."""
    if not folder.is_dir():
        raise unusable_input("errors.tables_or_a_reviews_folder", folder=folder)
    if (match is None) == (player is None):
        raise unusable_input("errors.either_match_or_player")
    if player is not None:
        with _opened(library) as club:
            left = delete_name(folder, player, instead, backups, club)
        for path in left:
            typer.echo(sentence("terminal.delete_name_left", path=path), err=True)
        if left:
            raise typer.Exit(1)
        typer.echo(sentence("terminal.delete_name_gone"))
    elif clip is not None:
        there = delete_clip(folder, str(match), clip, backups)
        typer.echo(sentence("terminal.delete_deleted" if there else "terminal.delete_no_clip"))
    else:
        with _opened(library) as club:
            delete_match(folder, str(match), backups, club)
        typer.echo(sentence("terminal.delete_deleted"))


def _opened(library: str | None) -> AbstractContextManager[Library | None]:
    return nullcontext() if library is None else Library(library)
