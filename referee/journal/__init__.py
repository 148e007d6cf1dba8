"""The append-only journal: the truth of a review; the score is a fold over it (`referee.match`)."""

from referee.journal.codec import canonical, decode, encode
from referee.journal.store import (
    JOURNAL_FILE,
    RUN,
    WRITER,
    Entry,
    Journal,
    broken_chain,
    copy_changed,
    fault_in,
    now_utc,
)

__all__ = [
    "JOURNAL_FILE",
    "RUN",
    "WRITER",
    "Entry",
    "Journal",
    "broken_chain",
    "canonical",
    "copy_changed",
    "decode",
    "encode",
    "fault_in",
    "now_utc",
]
