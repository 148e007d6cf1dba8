"""The referee of an opened match, kept at work in a thread of its own: SQLite wants one thread.

Every change is one entry of the journal, on disk before it is answered; the document follows by folding
from the changed entry on. Undoing is a further entry too: nothing is ever overwritten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from calibration.errors import UnusableInput
from referee.console.changes import Said, corrections, history, undo
from referee.facts.calls import ChoiceCall
from referee.facts.corrections import Correction, in_force
from referee.facts.records import JudgedStroke, SeenHand, SeenStroke
from referee.journal import Journal, decode
from referee.match.referee import MatchRecord, Referee, open_referee
from referee.outputs.convert import frame_json, hand_json, stroke_json
from referee.outputs.document import Match, Stroke

T = TypeVar("T")


class Bench:
    """One match's journal and referee."""

    def __init__(self, journal: Path, base: Match) -> None:
        """Open the journal and judge its record. `base`: what the journal does not hold (video, camera).

        Raises UnusableInput for a file that is no journal with a session.
        """
        self._base = base
        self._path = journal
        self._strokes: dict[int, tuple[JudgedStroke, Stroke]] = {}
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="bench")
        self._last_entry = 0
        try:
            self._referee: Referee = self._run(self._open)
        except BaseException:
            self._thread.shutdown()
            raise

    def close(self) -> None:
        """Close the journal and end the thread."""
        self._run(lambda: self._referee.journal.close())
        self._thread.shutdown()

    def document(self) -> Match:
        """The match as the record says it now."""
        return self._run(self._document)

    def correct(self, correction: Correction, who: str) -> Match:
        """Journal a correction and give the match as it is after it."""
        self._run(lambda: self._referee.correct(correction, who))
        return self._run(self._document)

    def choose(self, choice: ChoiceCall, who: str) -> Match:
        """Journal a player's choice and give the match as it is after it."""
        self._run(lambda: self._referee.call(choice, who))
        return self._run(self._document)

    def add(self, stroke: SeenStroke, who: str) -> Match:
        """Journal a stroke that was missed and give the match as it is after it."""
        self._run(lambda: self._referee.add_stroke(stroke, who))
        return self._run(self._document)

    def undo(self, entry: int, who: str) -> Match:
        """Take back the change of that entry, by a further one. Raises UnusableInput when it does not
        count.
        """
        self._run(lambda: undo(self._referee, entry, who))
        return self._run(self._document)

    def neighbours(self, t_s: float) -> tuple[JudgedStroke | None, JudgedStroke | None]:
        """The strokes before and after a moment."""
        strokes = self._run(lambda: self._referee.match.strokes)
        before = [s for s in strokes if s.seen.start_s <= t_s]
        after = [s for s in strokes if s.seen.start_s > t_s]
        return before[-1] if before else None, after[0] if after else None

    def correction_of(self, entry: int) -> Correction | None:
        """The correction in force for an entry of the journal."""
        return self._run(lambda: in_force(tuple(c for _, c in corrections(self._referee.journal)), entry))

    def record_of(self, entry: int) -> dict[str, Any] | None:
        """The journal's entry of what was seen, with its chain; None when there is no such entry."""
        return self._run(lambda: journal_entry(self._referee.journal, entry))

    def hands(self) -> list[dict[str, Any]]:
        """What hands did, with the journal's entry, and whether it still counts."""

        def read() -> list[dict[str, Any]]:
            fixes = tuple(c for _, c in corrections(self._referee.journal))
            found = []
            for e in self._referee.journal.entries("hand"):
                fix = in_force(fixes, e.id)
                seen = decode(SeenHand, e.payload)
                found.append({"entry": e.id, **hand_json(seen), "counts": fix is None or not fix.drop})
            return found

        return self._run(read)

    def history(self) -> list[Said]:
        """Everything that people changed, oldest first."""
        return self._run(lambda: history(self._referee.journal))

    def grown(self) -> bool:
        """Whether another process (a live review) has added to the journal; then it is read anew."""
        return self._run(self._grown)

    def _run(self, work: Callable[[], T]) -> T:
        return self._thread.submit(work).result()

    def _open(self) -> Referee:
        journal = Journal(self._path)
        try:
            return open_referee(journal)
        except (ValueError, KeyError, TypeError, AttributeError, sqlite3.Error) as error:
            journal.close()
            raise UnusableInput(f"{self._path}: expected the journal of a review, found {error}") from None
        except BaseException:
            journal.close()
            raise

    def _grown(self) -> bool:
        last = max(
            (e.id for e in self._referee.journal.entries(after=self._last_entry)), default=self._last_entry
        )
        if last == self._last_entry:
            return False
        self._referee.journal.close()
        self._referee = self._open()
        return True

    def _document(self) -> Match:
        record: MatchRecord = self._referee.match
        self._last_entry = max(
            (e.id for e in self._referee.journal.entries(after=self._last_entry)), default=self._last_entry
        )
        strokes: list[Stroke] = []
        for s in record.strokes:
            known = self._strokes.get(s.n)
            if known is None or known[0] is not s:
                known = self._strokes[s.n] = (s, stroke_json(s))
            strokes.append(known[1])
        return self._written(record, strokes)

    def _written(self, record: MatchRecord, strokes: list[Stroke]) -> Match:
        document: dict[str, Any] = {
            **self._base,
            "players": list(record.players),
            "start": {**asdict(record.start), "score": list(record.start.score)},
            "frames": [frame_json(f) for f in record.frames],
            "strokes": strokes,
            "hands": [hand_json(h) for h in record.hands],
            "spotting": [asdict(c) for c in record.spotting],
            "warnings": [asdict(w) for w in record.warnings],
            "score": list(record.score),
        }
        return document  # type: ignore[return-value]


def journal_entry(journal: Journal, number: int) -> dict[str, Any] | None:
    """One entry as JSON values; positions are left to where the page shows them."""
    try:
        e = journal.entry(number)
    except KeyError:
        return None
    payload = (
        {k: v for k, v in e.payload.items() if k not in ("before", "after", "sights")}
        if isinstance(e.payload, dict)
        else e.payload
    )
    return {
        "entry": e.id,
        "kind": e.kind,
        "t_s": e.t_s,
        "who": e.who,
        "at": e.at,
        "chain": e.chain,
        "payload": payload,
    }
