"""The referee of an opened match, kept at work in a thread of its own: SQLite wants one thread.

Every change is one entry of the journal, on disk before it is answered; the document follows by folding
from the changed entry on. Undoing is a further entry too: nothing is ever overwritten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from calibration.errors import UnusableInput
from referee.calls import ChoiceCall
from referee.corrections import Correction, in_force
from referee.journal import WRITER, Entry, Journal, decode
from referee.outputs.convert import hand_json, stroke_json
from referee.outputs.match_json import Match, Stroke
from referee.records import JudgedStroke, SeenHand, SeenStroke
from referee.referee import MatchRecord, Referee, open_referee

T = TypeVar("T")
UNDONE = "undone"
"""The journal's entry beside a correction that undoing wrote; it says which entry that is."""


@dataclass(frozen=True, slots=True)
class Said:
    """One change that a person made: the journal's entry, in words, and whether it still counts."""

    entry: int
    at: str
    who: str
    kind: str
    target: int | None
    t_s: float | None
    words: str
    in_force: bool


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
        """Take back the change of that entry, by a further one. Raises UnusableInput when it does not count."""
        self._run(lambda: self._undo(entry, who))
        return self._run(self._document)

    def neighbours(self, t_s: float) -> tuple[JudgedStroke | None, JudgedStroke | None]:
        """The strokes before and after a moment."""
        strokes = self._run(lambda: self._referee.match.strokes)
        before = [s for s in strokes if s.seen.start_s <= t_s]
        after = [s for s in strokes if s.seen.start_s > t_s]
        return before[-1] if before else None, after[0] if after else None

    def correction_of(self, entry: int) -> Correction | None:
        """The correction in force for an entry of the journal."""
        return self._run(lambda: in_force(tuple(c for _, c in self._corrections()), entry))

    def record_of(self, entry: int) -> dict[str, Any] | None:
        """The journal's entry of what was seen, with its chain; None when there is no such entry."""
        return self._run(lambda: journal_entry(self._referee.journal, entry))

    def hands(self) -> list[dict[str, Any]]:
        """What hands did, with the journal's entry, and whether it still counts."""

        def read() -> list[dict[str, Any]]:
            fixes = tuple(c for _, c in self._corrections())
            found = []
            for e in self._referee.journal.entries("hand"):
                fix = in_force(fixes, e.id)
                seen = decode(SeenHand, e.payload)
                found.append({"entry": e.id, **hand_json(seen), "counts": fix is None or not fix.drop})
            return found

        return self._run(read)

    def history(self) -> list[Said]:
        """Everything that people changed, oldest first."""
        return self._run(self._history)

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
        document: dict[str, Any] = {
            **self._base,
            "players": list(record.players),
            "start": {**asdict(record.start), "score": list(record.start.score)},
            "frames": [{**asdict(f), "score": list(f.score)} for f in record.frames],
            "strokes": strokes,
            "hands": [hand_json(h) for h in record.hands],
            "spotting": [asdict(c) for c in record.spotting],
            "warnings": [asdict(w) for w in record.warnings],
            "score": list(record.score),
        }
        return document  # type: ignore[return-value]

    def _corrections(self) -> list[tuple[Entry, Correction]]:
        return [(e, decode(Correction, e.payload)) for e in self._referee.journal.entries("correction")]

    def _history(self) -> list[Said]:
        journal = self._referee.journal
        given = self._corrections()
        counts, undone = {c.target: e.id for e, c in given}, self._undone()
        gone = {e.payload["entry"]: e for e in journal.entries("withdrawn")}
        dropped = {c.target for e, c in given if c.drop and counts[c.target] == e.id}
        added = {e.id for e in journal.entries("stroke") if e.who != WRITER}
        out = []
        for e, c in given:
            taken_back = e.id in undone and c == Correction(c.target, drop=True) and c.target in added
            in_force = counts[c.target] == e.id and not c.undo and not taken_back
            out.append(_said(e, "correction", correction_words(c), in_force, c.target))
        for e in journal.entries("call"):
            out.append(_said(e, "call", _call_words(e.payload), e.id not in gone))
        for target, e in gone.items():
            out.append(_said(e, "withdrawn", f"entry {target} withdrawn", False))
        for e in journal.entries("stroke"):
            if e.who != WRITER:
                out.append(_said(e, "stroke", "a stroke that was missed", e.id not in dropped, e.id))
        return sorted(out, key=lambda s: s.entry)

    def _undo(self, entry: int, who: str) -> None:
        kinds = {s.entry: s for s in self._history()}
        said = kinds.get(entry)
        if said is None or not said.in_force:
            raise UnusableInput(f"undo: expected a change that still counts, found entry {entry}")
        if said.kind == "call":
            self._referee.withdraw(entry, who)
            return
        back = Correction(entry, drop=True) if said.kind == "stroke" else self._before(entry)
        self._referee.correct(back, who)
        made, _ = self._corrections()[-1]
        self._referee.journal.append(UNDONE, {"entry": made.id}, who=who)

    def _undone(self) -> set[int]:
        """The corrections that undoing wrote: they take back, and are not to be taken back themselves."""
        return {e.payload["entry"] for e in self._referee.journal.entries(UNDONE)}

    def _before(self, entry: int) -> Correction:
        """The correction that counted before the one of that entry, or that nothing is corrected.

        An undo is an entry like any other, so the list of one target is read as a stack: what undoing
        wrote takes back all above the equal one that still lies on it.
        """
        given, undone = self._corrections(), self._undone()
        target = next(c.target for e, c in given if e.id == entry)
        stack: list[Correction] = []
        for e, c in given:
            if c.target != target:
                continue
            if c.undo:
                stack.clear()
            elif e.id in undone and c in stack:
                del stack[stack.index(c) + 1 :]
            else:
                stack.append(c)
        return stack[-2] if len(stack) > 1 else Correction(target, undo=True)


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


def _said(e: Entry, kind: str, words: str, in_force: bool, target: int | None = None) -> Said:
    return Said(e.id, e.at, e.who, kind, target, e.t_s, words, in_force)


def _call_words(said: dict[str, Any]) -> str:
    shown = (str(said[k]).replace("_", " ") for k in ("by", "ball", "choice", "names") if k in said)
    return f"{said['type']}: {', '.join(shown)}"


def correction_words(c: Correction) -> str:
    """What a correction says, for the history."""
    if c.undo:
        return "as seen after all"
    if c.drop:
        return "did not happen"
    parts = []
    for name, value in asdict(c).items():
        if name in ("target", "drop", "undo") or value is None or (name == "infringements" and not value):
            continue
        shown = (
            (", ".join(value) or "none")
            if isinstance(value, tuple | list)
            else {True: "yes", False: "no"}.get(value, value)
        )
        parts.append(f"{name.replace('_', ' ')}: {str(shown).replace('_', ' ')}")
    return "; ".join(parts) or "as seen"
