"""An opened match: its document as it stands, its paths, its video, and every change to it.

The journal is the truth where there is one; without it the match can be watched, not corrected.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from referee.console.corrections import (
    CorrectionBody,
    HandBody,
    MissedBody,
    UndoBody,
    facts_of_answer,
    labels_of_answer,
    merged,
    missed_stroke,
)
from referee.console.referee_thread import Bench
from referee.console.running import running_match
from referee.facts.calls import ChoiceCall
from referee.facts.corrections import Correction
from referee.journal import JOURNAL_FILE
from referee.outputs.document import (
    MATCH_FILE,
    LayoutByColour,
    Match,
    Stroke,
    is_told,
    read_match,
    write_match,
)
from referee.outputs.media import video_of
from referee.outputs.tracks import TRACKS_FILE, Tracks, read_tracks

WRITE_AFTER_S = 0.5
"""match.json follows a change this much later: it is a copy of what the journal says."""


class OpenedMatch:
    """A review's folder, open in the console. Methods may be called from several threads."""

    def __init__(self, ident: str, path: Path, video: Path | None = None) -> None:
        """Open the folder (or its match.json). Raises UnusableInput when it is no review."""
        self.ident = ident
        self.folder = path if path.is_dir() else path.parent
        self.version = 1
        self._lock = threading.RLock()
        journal = self.folder / JOURNAL_FILE
        self._running = path.is_dir() and journal.is_file() and not (path / MATCH_FILE).exists()
        found = running_match(journal) if self._running else read_match(path)
        self.video = video_of(found, self.folder, video)
        self._bench = Bench(journal, found) if journal.is_file() and not is_told(found) else None
        self._document: Match | None = self._bench.document() if self._bench is not None else found
        self._tracks: Tracks | None = None
        self._tracks_stamp = 0.0
        self._writer: threading.Timer | None = None
        if self.editable and _behind(self.folder):
            self._write_soon()  # a server was killed between a change and its copy

    @property
    def document(self) -> Match:
        """The match as it stands after all changes; never changed in place."""
        assert self._document is not None
        return self._document

    @property
    def editable(self) -> bool:
        """Whether there is a journal that takes corrections: not while the review itself still judges."""
        return self._bench is not None and not self._running

    @property
    def running(self) -> bool:
        """Whether the review has not written its match.json yet."""
        return self._running

    @property
    def live(self) -> bool:
        """Whether the match is being played and refereed by this program."""
        return False

    def tracks_of(self, stroke: Stroke) -> Tracks:
        """The paths in which the stroke's can be found."""
        return self.tracks

    def lying_now(self) -> LayoutByColour | None:
        """The balls on the table now, where it is watched; None of a match that is over."""
        return None

    def clip_of(self, n: int) -> tuple[Path, float] | None:
        """The video of stroke `n` alone, where there is one (of a live match), and the match time of its
        beginning.
        """
        from referee.live.recording.clips import CLIPS_FOLDER, clip_over, clips_in

        stroke = self.stroke(n)
        if stroke is None or stroke["start_s"] is None:
            return None
        found = clip_over(clips_in(self.folder / CLIPS_FOLDER), stroke["start_s"], stroke["end_s"])
        return (found.path, found.offset_s) if found is not None else None

    @property
    def tracks(self) -> Tracks:
        """The paths, read when first needed and when the file is another."""
        file = self.folder / TRACKS_FILE
        with self._lock:
            stamp = file.stat().st_mtime if file.is_file() else 0.0
            if self._tracks is None or stamp != self._tracks_stamp:
                self._tracks, self._tracks_stamp = read_tracks(self.folder), stamp
            return self._tracks

    def stroke(self, n: int) -> Stroke | None:
        """The stroke of that number; None without one."""
        return next((s for s in self.document["strokes"] if s["n"] == n), None)

    def close(self) -> None:
        """Write what is still to be written and let the journal go."""
        writer = self._writer
        if writer is not None:
            writer.cancel()
            self._write()
        if self._bench is not None:
            self._bench.close()

    def refresh(self) -> bool:
        """Read anew what another process added; whether something was."""
        with self._lock:
            if self._bench is None:
                return False
            ended = self._running and (self.folder / MATCH_FILE).is_file()
            if not self._bench.grown() and not ended:
                return False
            self._running = self._running and not ended
            self._document = self._bench.document()
            self.version += 1
            return True

    def correct(self, body: CorrectionBody) -> dict[str, Any]:
        """Apply one change; what it changed. Raises UnusableInput, nothing is journalled then."""
        with self._lock:
            bench, stroke = self._editable(), self._checked_stroke(body)
            if body.choice is not None:
                return self._became(bench.choose(self._choice(stroke, body.choice), body.who))
            facts = body.facts
            if body.answer is not None:
                hit = stroke["first_contact"]
                facts = facts_of_answer(labels_of_answer(stroke["candidates"], body), hit and hit["ball"])
            if facts is None or not facts.model_fields_set:
                raise UnusableInput(
                    f"stroke {body.stroke}: expected facts, an answer or a choice, found none"
                )
            entry = stroke["entry"]
            correction = merged(entry, bench.correction_of(entry), facts)
            return self._became(bench.correct(correction, body.who))

    def hands(self) -> list[dict[str, Any]]:
        """What hands did between the strokes, in the order of the journal."""
        return self._bench.hands() if self._bench is not None else []

    def deny_hand(self, body: HandBody) -> dict[str, Any]:
        """Say that a hand did not do what was seen, or that it did after all; what that changed."""
        with self._lock:
            bench = self._editable()
            if body.entry not in {h["entry"] for h in bench.hands()}:
                raise UnusableInput(f"entry {body.entry}: expected the entry of a hand's action, found none")
            return self._became(
                bench.correct(Correction(body.entry, drop=body.drop, undo=not body.drop), body.who)
            )

    def undo(self, body: UndoBody) -> dict[str, Any]:
        """Take back the latest change in force, or the one named, by a further entry."""
        with self._lock:
            bench = self._editable()
            open_ones = [s.entry for s in bench.history() if s.in_force]
            if not open_ones:
                raise UnusableInput("undo: expected a change to take back, found none")
            return self._became(bench.undo(body.entry if body.entry is not None else open_ones[-1], body.who))

    def add(self, body: MissedBody) -> dict[str, Any]:
        """Add a stroke that was missed; what it changed. Positions come from the strokes around it."""
        with self._lock:
            bench = self._editable()
            before, after = bench.neighbours(body.start_s)
            seen = missed_stroke(body, before.seen if before else None, after.seen if after else None)
            return self._became(bench.add(seen, body.who))

    def history(self) -> list[dict[str, Any]]:
        """Who changed what and when, oldest first."""
        if self._bench is None:
            return []
        by_entry = {s.get("entry"): s["n"] for s in self.document["strokes"]}
        return [{**asdict(s), "stroke": by_entry.get(s.target)} for s in self._bench.history()]

    def journal_of(self, n: int) -> list[dict[str, Any]]:
        """The journal's entries about stroke `n`: what was seen, and what people said of it."""
        stroke = self.stroke(n)
        if self._bench is None or stroke is None:
            return []
        seen = self._bench.record_of(stroke["entry"]) if "entry" in stroke else None
        return ([seen] if seen else []) + [h for h in self.history() if h["stroke"] == n]

    def _editable(self) -> Bench:
        if self._bench is None:
            raise UnusableInput(
                f"{self.folder}: expected a {JOURNAL_FILE} to write the change into, found none"
            )
        self.refresh()
        if self._running:
            raise UnusableInput(
                f"{self.folder}: expected a review that has ended, found one that still judges"
            )
        return self._bench

    def _checked_stroke(self, body: CorrectionBody) -> Stroke:
        if body.version is not None and body.version != self.version:
            raise UnusableInput("the match has changed meanwhile; look at the stroke again")
        stroke = self.stroke(body.stroke)
        if stroke is None or "entry" not in stroke:
            raise UnusableInput(
                f"stroke {body.stroke}: expected one of the match's strokes, found no such stroke"
            )
        return stroke

    def _choice(self, stroke: Stroke, choice: str) -> ChoiceCall:
        if choice not in stroke["options"]:
            raise UnusableInput(
                f"stroke {stroke['n']}: expected a choice among {', '.join(stroke['options'])}, found"
                f" {choice!r}"
            )
        by = stroke.get("next_striker") or ("B" if stroke["striker"] == "A" else "A")
        return ChoiceCall(stroke["end_s"] + 1e-3, by, choice)

    def _became(self, after: Match) -> dict[str, Any]:
        """Take the new document, and say what is otherwise than before."""
        before, self._document = self._document or after, after
        self.version += 1
        self._write_soon()
        return {"version": self.version, **difference(before, after)}

    def _write_soon(self) -> None:
        if self._writer is None:
            self._writer = threading.Timer(WRITE_AFTER_S, self._write)
            self._writer.daemon = True
            self._writer.start()

    def _write(self) -> None:
        """Bring match.json up to date; the next change is not kept waiting for it."""
        with self._lock:
            self._writer, document = None, self.document
        with contextlib.suppress(OSError):  # a folder that cannot be written: the journal has it all
            write_match(self.folder, document, check=False)


def current_match(path: Path) -> Match:
    """The match as its journal says it now: match.json, or the fold where the journal is ahead of it or
    stands alone.

    A journal stands alone where a review or a live match was stopped before its end.
    """
    folder = path if path.is_dir() else path.parent
    alone = path.is_dir() and (path / JOURNAL_FILE).is_file() and not (path / MATCH_FILE).exists()
    if not alone:
        match = read_match(path)
        if is_told(match) or not _behind(folder):
            return match
    opened = OpenedMatch("now", path)
    try:
        return opened.document
    finally:
        opened.close()


def _behind(folder: Path) -> bool:
    """Whether the journal was written to after match.json, which follows every change."""
    journal, file = folder / JOURNAL_FILE, folder / MATCH_FILE
    return journal.is_file() and file.is_file() and journal.stat().st_mtime_ns > file.stat().st_mtime_ns


def difference(before: Match, after: Match) -> dict[str, Any]:
    """Which strokes are ruled otherwise, the score before and after, and a sentence about it."""
    old = {s.get("entry"): s for s in before["strokes"]}
    new = {s.get("entry"): s for s in after["strokes"]}
    changed = [s["n"] for e, s in new.items() if old.get(e) != s]
    gone = [s["n"] for e, s in old.items() if e not in new]
    was, now = before["score"], after["score"]
    count = len(changed) + len(gone)
    words = f"{count} stroke{'' if count == 1 else 's'} judged otherwise"
    words += (
        f"; score {was[0]}–{was[1]} → {now[0]}–{now[1]}" if was != now else f"; score stays {now[0]}–{now[1]}"
    )
    return {"changed": changed, "gone": gone, "score_before": was, "score_after": now, "words": words}
