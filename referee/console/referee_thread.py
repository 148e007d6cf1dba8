"""The referee of an opened match, on a thread of its own: SQLite wants one thread.

A change is on disk as one journal entry before it is answered. The document follows by folding from that
entry on. Undoing appends a further entry: nothing is ever overwritten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from calibration.errors import UnusableInput
from calibration.texts import unusable_input
from referee.facts.judged import JudgedStroke
from referee.journal import Journal, broken_chain
from referee.match.referee import Referee, open_referee
from referee.outputs.convert import stroke_json, with_record
from referee.outputs.document import Match, Stroke, with_changed_record

T = TypeVar("T")


class RefereeThread:
    """One match's journal and referee. Methods may be called from several threads."""

    def __init__(self, journal: Path, base: Match) -> None:
        """Open the journal and judge its record. `base`: what the journal does not hold (video, camera).

        Raises UnusableInput for a file that is no journal with a session.
        """
        self._base = base
        self._path = journal
        self._strokes: dict[int, tuple[JudgedStroke, Stroke]] = {}
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="referee")
        self._last_entry = 0
        self._sound_to = 0  # the chain holds up to this entry
        self._bad: int | None = None
        try:
            self._referee: Referee = self._run(self._open)
            self._document: Match = self._run(self._judged)
        except BaseException:
            self._thread.shutdown()
            raise

    def close(self) -> None:
        """Close the journal and end the thread; once more does no harm."""
        with suppress(UnusableInput):  # closed before: the match was deleted meanwhile
            self._run(lambda: self._referee.journal.close())
        self._thread.shutdown()

    @property
    def document(self) -> Match:
        """The match as the record says it now; a record that was changed says so in a warning."""
        return self._document

    @property
    def first_bad_entry(self) -> int | None:
        """The first entry that was changed after it was written; None while the chain holds."""
        return self._bad

    def read(self, work: Callable[[Referee], T]) -> T:
        """The result of `work`, which reads the referee and changes nothing."""
        return self._run(lambda: work(self._referee))

    def change(self, work: Callable[[Referee], object]) -> Match:
        """Have `work` change the referee; the match after it."""
        self._run(lambda: work(self._referee))
        self._document = self._run(self._judged)
        return self._document

    @property
    def replaced(self) -> bool:
        """Whether the journal was deleted, moved or written anew by another program."""
        return self._referee.journal.replaced

    def refresh(self) -> bool:
        """Read the journal anew if another process has added to it or written it anew; whether it had.

        Raises UnusableInput where it is gone.
        """
        grown = self._run(self._reopened)
        if grown:
            self._document = self._run(self._judged)
        return grown

    def _run(self, work: Callable[[], T]) -> T:
        try:
            asked = self._thread.submit(work)
        except RuntimeError:  # closed meanwhile: the match was deleted while a page or an export read it
            raise unusable_input("errors.match_that_is_there", folder=self._path.parent) from None
        return asked.result()

    def _open(self) -> Referee:
        journal = Journal(self._path)
        try:
            if self._bad is None:
                self._bad = journal.first_bad_entry(self._sound_to)
            return open_referee(journal)
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, sqlite3.Error) as error:
            journal.close()
            if self._bad is not None:
                raise UnusableInput(broken_chain(self._path, self._bad)) from None
            raise unusable_input("errors.journal_of_a_review", path=self._path, error=error) from None
        except BaseException:
            journal.close()
            raise

    def _newest_entry(self) -> int:
        newer = self._referee.journal.entries(after=self._last_entry)
        return max((e.id for e in newer), default=self._last_entry)

    def _reopened(self) -> bool:
        replaced = self.replaced
        if replaced:
            if not self._path.is_file():
                raise unusable_input("errors.match_that_is_there", folder=self._path.parent)
            self._bad, self._sound_to = None, 0
            self._strokes.clear()
        elif self._newest_entry() == self._last_entry:
            return False
        self._referee.journal.close()
        self._referee = self._open()
        return True

    def _judged(self) -> Match:
        """The document of the record; the JSON of strokes that stand as they were is kept."""
        record = self._referee.match
        self._last_entry = self._newest_entry()
        if self._bad is None:
            self._sound_to = self._last_entry
        strokes: list[Stroke] = []
        for s in record.strokes:
            known = self._strokes.get(s.n)
            if known is None or known[0] is not s:
                known = self._strokes[s.n] = (s, stroke_json(s))
            strokes.append(known[1])
        sentence = broken_chain(self._path, self._bad) if self._bad is not None else None
        return with_changed_record(with_record(self._base, record, strokes), sentence)
