"""The interface between pages and a match, wherever the match comes from: what they can read and change.

A `MatchView` stands before a `MatchSource`: the folder of a review (`referee.console.reviews`) or the running
engine of a live table (`referee.live.pages.live_source`). The journal is the truth: a change appends one
entry, and the document follows from it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol, TypeVar

from calibration.errors import UnusableInput
from calibration.table.games import GAMES, PIECES
from calibration.texts import game_title, listed, sentence, unusable_input
from referee.console.change_bodies import (
    CallBody,
    CorrectionBody,
    HandBody,
    ImpossibleState,
    MissedBody,
    StateBody,
    UndoBody,
    UnknownBody,
    facts_of_answer,
    labels_of_answer,
    merged,
    missed_stroke,
)
from referee.console.possible_states import impossible
from referee.facts.calls import (
    Call,
    ChoiceCall,
    FramesBefore,
    StateCall,
    Unknown,
    call_of,
)
from referee.facts.corrections import Correction, in_force
from referee.facts.judged import JudgedStroke
from referee.facts.seen import SeenHand
from referee.journal import JOURNAL_FILE, MatchJournal, decode, local_day
from referee.match.changes import JUST_BEFORE_S, corrections, history, state_of_labels, undo
from referee.match.explained import Explained
from referee.match.open_calls import (
    NO_CALLS,
    CallKind,
    MadeCall,
    OpenCalls,
    answered,
    calls_before,
    check_open,
    choices_said,
    kinds_said,
)
from referee.match.referee import Referee
from referee.outputs.convert import hand_json
from referee.outputs.document import LayoutByColour, Match, Stroke, frames_won, record_fault
from referee.outputs.open_questions import open_questions
from referee.outputs.tracks import Tracks
from vision.io.picture import Picture

T = TypeVar("T")


class MatchSource(Protocol):
    """Where a match comes from. Methods may be called from several threads."""

    folder: Path
    video: Path | None
    live: bool
    """Whether the match is being played and refereed by this program."""

    @property
    def journalled(self) -> bool:
        """Whether there is a journal: without one the match can be watched, not changed."""

    @property
    def running(self) -> bool:
        """Whether a review still judges the match, so that nobody else may write its journal."""

    @property
    def gone(self) -> bool:
        """Whether the match was deleted or moved since it was opened."""

    @property
    def sound(self) -> bool:
        """Whether the journal is as it was written; one that was changed is shown, never written to."""

    def document(self) -> Match:
        """The match after all changes; never changed in place. Raises UnusableInput when it is gone."""

    def refresh(self) -> bool:
        """Read what another process or the engine has added; whether there was anything."""

    def read(self, work: Callable[[Referee], T]) -> T:
        """The result of `work`, which reads the referee and changes nothing."""

    def change(self, work: Callable[[Referee], object]) -> Match:
        """Have `work` change the referee; the match after it. Raises what `work` raises."""

    @property
    def tracks(self) -> Tracks:
        """The paths of the whole match; empty where they are read stroke by stroke only."""

    def tracks_of(self, stroke: Stroke) -> Tracks:
        """The paths around one stroke."""

    def balls_now(self) -> LayoutByColour | None:
        """The balls on the table now, `[x_mm, y_mm, sigma_mm]` by colour; None for a match that is over."""

    def picture_now(self) -> Picture | None:
        """The camera's last picture; None for a match that is over."""

    def now_s(self) -> float:
        """The moment of the match clock from which what a person says "now" counts."""

    def clip_of(self, stroke: Stroke) -> tuple[Path, float] | None:
        """The stroke's own video file and the match time at which it begins; None without one."""

    def close(self) -> None:
        """Write what is still to be written and close the journal."""


class MatchView:
    """One match as the pages see it. Methods may be called from several threads.

    `version` grows with every change, so that a page can tell whether what it shows is out of date.
    """

    def __init__(self, ident: str, source: MatchSource) -> None:
        self.ident = ident
        self.version = 1
        self._source = source
        self._lock = threading.RLock()

    # -- reading ---------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """The folder that holds the match's files."""
        return self._source.folder

    @property
    def video(self) -> Path | None:
        """The video of the whole match; None without one."""
        return self._source.video

    @property
    def live(self) -> bool:
        """Whether the match is being played and refereed by this program."""
        return self._source.live

    @property
    def running(self) -> bool:
        """Whether a review still judges the match."""
        return self._source.running

    @property
    def gone(self) -> bool:
        """Whether the match was deleted or moved since it was opened."""
        return self._source.gone

    @property
    def editable(self) -> bool:
        """Whether people may change the match."""
        return self._source.journalled and not self._source.running and self._source.sound

    @property
    def document(self) -> Match:
        """The match after all changes; never changed in place."""
        return self._source.document()

    @property
    def tracks(self) -> Tracks:
        """The paths of the whole match; empty where they are read stroke by stroke only."""
        return self._source.tracks

    def tracks_of(self, stroke: Stroke) -> Tracks:
        """The paths in which the stroke's can be found."""
        return self._source.tracks_of(stroke)

    def balls_now(self) -> LayoutByColour | None:
        """The balls on the table now, by colour; None for a match that is over."""
        return self._source.balls_now()

    def picture_now(self) -> Picture | None:
        """The camera's last picture; None for a match that is over."""
        return self._source.picture_now()

    def now_s(self) -> float:
        """The moment of the match clock from which what a person says "now" counts."""
        return self._source.now_s()

    def stroke(self, n: int) -> Stroke | None:
        """The stroke of that number; None without one."""
        return next((s for s in self.document["strokes"] if s["n"] == n), None)

    def clip_of(self, n: int) -> tuple[Path, float] | None:
        """The video of stroke `n` alone and the match time at which it begins; None without one."""
        stroke = self.stroke(n)
        if stroke is None or stroke["start_s"] is None:
            return None
        return self._source.clip_of(stroke)

    def begun_on(self) -> str | None:
        """The day on which the journal was begun (ISO date by this machine's time zone); None without one."""
        if not self._source.journalled:
            return None
        first = self._source.read(lambda referee: next(iter(referee.journal.entries()), None))
        return None if first is None else local_day(first.at)

    def hands(self) -> list[dict[str, Any]]:
        """The acts of hands between the strokes, in the journal's order, and whether each still counts."""
        if not self._source.journalled:
            return []
        return self._source.read(_hands)

    def history(self) -> list[dict[str, Any]]:
        """Who changed what and when, oldest first."""
        if not self._source.journalled:
            return []
        by_entry = {s.get("entry"): s["n"] for s in self.document["strokes"]}
        names = self._names()
        said = self._source.read(lambda referee: history(referee.journal, names))
        return [{**asdict(s), "stroke": by_entry.get(s.target)} for s in said]

    def _names(self) -> tuple[str, str]:
        """The players' names, as the words about changes say them."""
        a, b = self.document["players"]
        return a, b

    def journal_of(self, n: int) -> list[dict[str, Any]]:
        """The journal's entries about stroke `n`: what was seen, then what people changed."""
        stroke = self.stroke(n)
        if stroke is None or not self._source.journalled:
            return []
        entry = stroke.get("entry")
        seen = None if entry is None else self._source.read(lambda r: journal_entry(r.journal, entry))
        return ([seen] if seen else []) + [h for h in self.history() if h["stroke"] == n]

    def calls_before(self, n: int) -> tuple[OpenCalls, tuple[MadeCall, ...]]:
        """What might be called before stroke `n`, and what was."""
        if not self._source.journalled:
            return NO_CALLS, ()
        return self._source.read(lambda referee: calls_before(referee, n))

    def explained(self, n: int) -> Explained | None:
        """The explanations of stroke `n` that were weighed; None without a journal or such a stroke."""
        return self._source.read(lambda referee: referee.explained(n)) if self._source.journalled else None

    def refresh(self) -> bool:
        """Read what another process or the engine has added; whether there was anything."""
        with self._lock:
            grown = self._source.refresh()
            self.version += grown
            return grown

    def close(self) -> None:
        """Write what is still to be written and close the journal."""
        self._source.close()

    # -- changing --------------------------------------------------------------------------------------

    def correct(self, body: CorrectionBody) -> dict[str, Any]:
        """Apply one change; what it changed. Raises UnusableInput, nothing is journalled then."""
        with self._lock:
            self._check_editable()
            stroke = self._checked_stroke(body)
            if body.choice is not None:
                choice = _choice(stroke, body.choice)
                return self._changed(lambda referee: referee.call(choice, body.who))
            facts = body.facts
            if body.answer is not None:
                labels = labels_of_answer(stroke["candidates"], body)
                state = state_of_labels(labels, stroke["start_s"], stroke["entry"])
                if state is not None:
                    return self._changed(lambda referee: referee.call(state, body.who))
                hit = stroke["first_contact"]
                facts = facts_of_answer(labels, hit and hit["ball"])
            if facts is None or not facts.model_fields_set:
                raise unusable_input("errors.facts_an_answer_or_a_choice", stroke=body.stroke)
            entry = stroke["entry"]
            before = self._source.read(lambda r: in_force(_corrections(r), entry))
            correction = merged(entry, before, facts)
            return self._changed(lambda referee: referee.correct(correction, body.who))

    def deny_hand(self, body: HandBody) -> dict[str, Any]:
        """Say that a hand did not do what was seen, or that it did after all; what that changed."""
        with self._lock:
            self._check_editable()
            if body.entry not in {h["entry"] for h in self.hands()}:
                raise unusable_input("errors.entry_of_a_hands_action", entry=body.entry)
            correction = Correction(body.entry, drop=body.drop, undo=not body.drop)
            return self._changed(lambda referee: referee.correct(correction, body.who))

    def call(self, body: CallBody) -> dict[str, Any]:
        """Note what a player called before a stroke; what that changed. Raises UnusableInput, nothing is
        journalled then.
        """
        with self._lock:
            self._check_editable()
            stroke = self._checked_stroke(body)
            offered, _ = self.calls_before(body.stroke)
            if body.type not in offered.kinds and body.type in self._answered(stroke):
                raise unusable_input("errors.call_not_answered", n=body.stroke)
            if body.type not in offered.kinds:
                known = kinds_said(offered.kinds)
                kind = sentence(f"calls.kind_{body.type}")
                raise unusable_input("errors.call_open_there", n=body.stroke, known=known, kind=kind)
            said = self._called(body, stroke, offered)
            return self._changed(lambda referee: referee.call(said, body.who))

    def _answered(self, stroke: Stroke) -> frozenset[CallKind]:
        """The kinds of calls that a person's answers about a stroke have settled."""
        return answered(self._source.read(lambda r: r.correction(stroke["entry"])))

    def _called(self, body: CallBody, stroke: Stroke, offered: OpenCalls) -> Call:
        """The call, just before its stroke. Raises UnusableInput for what is not open there."""
        given = body.model_dump(include={"type", "by", "ball", "pocket", "rail"}, exclude_none=True)
        if body.type not in ("frozen", "touching"):
            given = {"by": offered.by} | given
        where, at_s = sentence("history.stroke_n", n=body.stroke), stroke["start_s"] - JUST_BEFORE_S
        said = call_of({"t_s": max(at_s, 0.0), **given}, where, self.document["game"])
        check_open(offered, said)
        return said

    def set_state(self, body: StateBody) -> dict[str, Any]:
        """Set who is at the table, what is on, the score, and frames won where they are said."""
        with self._lock:
            self._check_editable()
            game = GAMES[self.document["game"]]
            if not game.reds:
                raise unusable_input("errors.state_of_the_game", game=game_title(game.name))
            stroke = None if body.stroke is None else self.stroke(body.stroke)
            if body.stroke is not None and (stroke is None or "entry" not in stroke):
                raise unusable_input("errors.stroke_one_of_the_matchs_strokes", stroke=body.stroke)
            if stroke is None:
                said = StateCall(self._source.now_s(), body.striker, body.ball_on, body.score)
            else:
                at_s = stroke["start_s"] - JUST_BEFORE_S
                said = StateCall(at_s, body.striker, body.ball_on, body.score, stroke["entry"])
            before = self._frames_before(body, stroke)
            if not body.sure:
                self._check_possible(body, stroke)

            def work(referee: Referee) -> None:
                if before is not None:
                    referee.call(before, body.who)
                referee.call(said, body.who)

            return self._changed(work)

    def _check_possible(self, body: StateBody, stroke: Stroke | None) -> None:
        """Raises ImpossibleState where the balls as they lie by then speak against a state."""
        strokes = self.document["strokes"]
        last = strokes[-1]["after"] if strokes else {}
        layout = stroke["before"] if stroke is not None else self._source.balls_now() or last
        why = impossible(self.document["game"], layout, body.ball_on, body.score)
        if why:
            raise ImpossibleState(
                sentence("errors.state_that_the_balls_allow", why=listed(why, "history.then"))
            )

    def _frames_before(self, body: StateBody, stroke: Stroke | None) -> FramesBefore | None:
        """Frames won before the record began, so that those won by the stroke are as the person says."""
        if body.frames is None:
            return None
        frames = self.document["frames"]
        last = frames[-1]["n"] if stroke is None and frames else stroke["frame"] if stroke else 1
        before = [f for f in frames if f["n"] < last]
        if frames_won(before) == tuple(body.frames):
            return None
        own = frames_won([f for f in before if f["first_stroke"] is not None])
        a, b = body.frames[0] - own[0], body.frames[1] - own[1]
        if a < 0 or b < 0:
            raise unusable_input(
                "errors.least_the_that_this_record_has",
                own=own[0],
                own_2=own[1],
                frames=body.frames[0],
                found=body.frames[1],
            )
        return FramesBefore((a, b))

    def set_aside(self, body: UnknownBody) -> dict[str, Any]:
        """Note that a person does not know what happened in a stroke: its question waits for another."""
        with self._lock:
            self._check_editable()
            stroke = self.stroke(body.stroke)
            if stroke is None or "entry" not in stroke or stroke["verdict"] != "call":
                raise unusable_input("errors.one_with_an_open_question", stroke=body.stroke)
            said = Unknown(stroke["end_s"], stroke["entry"])
            return self._changed(lambda referee: referee.call(said, body.who))

    def undo(self, body: UndoBody) -> dict[str, Any]:
        """Take back the latest change in force, or the one named, by a further entry; which one it was."""
        with self._lock:
            self._check_editable()
            by_entry = {s.get("entry"): s["n"] for s in self.document["strokes"]}
            names, taken = self._names(), list[dict[str, Any]]()

            def work(referee: Referee) -> None:
                said = undo(referee, body.entry, body.who, names)
                taken.append({"who": said.who, "words": said.words, "stroke": by_entry.get(said.target)})

            return self._changed(work) | {"undone": taken[0]}

    def add(self, body: MissedBody) -> dict[str, Any]:
        """Add a stroke that was missed; what it changed. Positions come from the strokes around it."""
        with self._lock:
            self._check_editable()
            before, after = self._source.read(lambda referee: _neighbours(referee, body.start_s))
            around = (before.seen if before else None, after.seen if after else None)
            seen = missed_stroke(body, *around, PIECES[self.document["game"]])
            return self._changed(lambda referee: referee.add_stroke(seen, body.who))

    def _check_editable(self) -> None:
        if not self._source.journalled:
            raise unusable_input(
                "errors.write_the_change_into", folder=self.folder, journal_file=JOURNAL_FILE
            )
        self.refresh()
        if self._source.running:
            raise unusable_input("errors.review_that_has_ended", folder=self.folder)
        if not self._source.sound:
            raise UnusableInput(
                record_fault(self.document) or sentence("errors.journal_was_changed", folder=self.folder)
            )

    def _checked_stroke(self, body: CorrectionBody | CallBody) -> Stroke:
        if body.version is not None and body.version != self.version:
            raise unusable_input("errors.match_has_changed_meanwhile_look")
        stroke = self.stroke(body.stroke)
        if stroke is None or "entry" not in stroke:
            raise unusable_input("errors.one_of_the_matchs_strokes", stroke=body.stroke)
        return stroke

    def _changed(self, work: Callable[[Referee], object]) -> dict[str, Any]:
        """Have `work` change the match; the new version and what is different after it."""
        before = self._source.document()
        after = self._source.change(work)
        self.version += 1
        return {"version": self.version, **difference(before, after)}


def _choice(stroke: Stroke, choice: str) -> ChoiceCall:
    if not stroke["options"]:
        raise unusable_input("errors.stroke_without_choice", n=stroke["n"], choice=repr(choice))
    if choice not in stroke["options"]:
        raise unusable_input(
            "errors.stroke_choice_among",
            n=stroke["n"],
            known=choices_said(stroke["options"]),
            choice=repr(choice),
        )
    by = stroke.get("next_striker") or ("B" if stroke["striker"] == "A" else "A")
    return ChoiceCall(stroke["end_s"] + 1e-3, by, choice)


def _corrections(referee: Referee) -> tuple[Correction, ...]:
    return tuple(c for _, c in corrections(referee.journal))


def _neighbours(referee: Referee, t_s: float) -> tuple[JudgedStroke | None, JudgedStroke | None]:
    """The strokes before and after a moment."""
    strokes = referee.match.strokes
    before = [s for s in strokes if s.seen.start_s <= t_s]
    after = [s for s in strokes if s.seen.start_s > t_s]
    return before[-1] if before else None, after[0] if after else None


def _hands(referee: Referee) -> list[dict[str, Any]]:
    given = _corrections(referee)
    found = []
    for e in referee.journal.entries("hand"):
        correction = in_force(given, e.id)
        counts = correction is None or not correction.drop
        found.append({"entry": e.id, **hand_json(decode(SeenHand, e.payload)), "counts": counts})
    return found


def journal_entry(journal: MatchJournal, number: int) -> dict[str, Any] | None:
    """One entry as JSON values, without positions; None when there is no such entry."""
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


def difference(before: Match, after: Match) -> dict[str, Any]:
    """The strokes whose ruling differs, the score before and after, and a sentence about it.

    `settled`: the strokes among them that hung on an open question, and are certain now.
    """
    old = {s.get("entry"): s for s in before["strokes"]}
    new = {s.get("entry"): s for s in after["strokes"]}
    changed = [s["n"] for e, s in new.items() if _ruled(old.get(e)) != _ruled(s)]
    gone = [s["n"] for e, s in old.items() if e not in new]
    was, now = before["score"], after["score"]
    hung = {s.get("entry") for q in open_questions(before) for s in q.hanging}
    settled = [s["n"] for e, s in new.items() if e in hung and s["verdict"] != "call"]
    return {
        "changed": changed,
        "gone": gone,
        "settled": settled,
        "score_before": was,
        "score_after": now,
        "words": difference_words(len(changed) + len(gone), was, now),
    }


def difference_words(count: int, was: list[int], now: list[int]) -> str:
    """What a change did, in a sentence."""
    words = "no other ruling changed" if not count else f"{count} ruling{'' if count == 1 else 's'} changed"
    return words + (
        f"; score {was[0]}–{was[1]} → {now[0]}–{now[1]}" if was != now else f"; score stays {now[0]}–{now[1]}"
    )


def _ruled(stroke: Stroke | None) -> dict[str, Any] | None:
    """A stroke without who decided it."""
    return None if stroke is None else {k: v for k, v in stroke.items() if k != "decided"}
