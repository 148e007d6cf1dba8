"""A match's folder made anew from the journal that the library keeps."""

from __future__ import annotations

from pathlib import Path

from calibration.files import only_writer
from calibration.texts import unusable_input
from referee.console.reviews import current_match
from referee.journal import JOURNAL_FILE, RUN, Journal, MatchJournal
from referee.outputs.document import MATCH_FILE, write_match
from referee.outputs.report import write_report


def restore_match(kept: MatchJournal, out: Path) -> Path:
    """Write a journal's file into `out`, and match.json and report.html as it says them; returns `out`.

    The match of a facts file has no video that its journal tells of: its journal alone is written. Paths of
    balls and films were in the folder only. Raises UnusableInput for a journal that was changed and for a
    folder that holds a match, OSError.
    """
    kept.check_chain()
    with only_writer(out, "cueref library"):
        if (out / JOURNAL_FILE).exists() or (out / MATCH_FILE).exists():
            raise unusable_input("errors.folder_without_a_match", out=out)
        run = kept.progress(RUN)
        with Journal(out / JOURNAL_FILE) as journal:
            if run is not None:
                journal.set_progress(RUN, run)
            journal.copy(kept.entries())
        if run is not None:
            match = current_match(out)
            write_match(out, match)
            write_report(out, match, {})
    return out
