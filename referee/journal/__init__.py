"""The append-only journal: the truth of a review; the score is a fold over it (`referee.match`)."""

from referee.journal.codec import canonical, decode, encode, with_texts
from referee.journal.interface import WRITER, Entry, MatchJournal, broken_chain, chained, local_day, now_utc
from referee.journal.store import (
    JOURNAL_FILE,
    NAME_REMOVED,
    RUN,
    Journal,
    changed_entries,
    copy_changed,
    fault_in,
)

__all__ = [
    "JOURNAL_FILE",
    "NAME_REMOVED",
    "RUN",
    "WRITER",
    "Entry",
    "Journal",
    "MatchJournal",
    "broken_chain",
    "canonical",
    "chained",
    "changed_entries",
    "copy_changed",
    "decode",
    "encode",
    "fault_in",
    "local_day",
    "now_utc",
    "with_texts",
]
