"""`cueref verify`: was a match's journal changed after it was written?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from calibration.texts import sentence, unusable_input
from referee.journal import JOURNAL_FILE, Journal

EXAMPLES = ("cueref verify club_four_strokes.review",)


def verify(
    folder: Annotated[Path, typer.Argument(help=sentence("help.verify_folder"))],
    json_out: Annotated[bool, typer.Option("--json", help=sentence("help.json_out"))] = False,
) -> None:
    """Check that no entry of a match's journal was changed after it was written."""
    file = folder / JOURNAL_FILE if folder.is_dir() else folder
    if not file.is_file():
        raise unusable_input("errors.matchs_folder", folder=folder, journal_file=JOURNAL_FILE)
    with Journal(file) as journal:
        entries = sum(1 for _ in journal.entries())
        bad = journal.first_bad_entry()
        digest = journal.digest
    if json_out:
        print(
            json.dumps({"journal": str(file), "entries": entries, "first_bad_entry": bad, "digest": digest})
        )
    elif bad is None:
        print(sentence("terminal.verify_good", file=file, entries=entries, digest=digest))
    else:
        print(sentence("terminal.verify_bad", file=file, bad=bad, entries=entries))
    if bad is not None:
        raise typer.Exit(1)
