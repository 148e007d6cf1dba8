"""The referee: tracker events in, judged strokes out; everything goes through the journal first.

    referee = Referee(table, start, calls, options, journal)
    for event in tracker: outputs = referee.feed(event)
    outputs = referee.close()
    referee.match   # everything so far, for the outputs

What `feed` returns is already in the journal. A journal with entries is gone on with: the record is
folded again and events that it holds already are passed over, so that the same events give the same
record and the same match, killed in between or not.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from calibration.errors import UnusableInput
from calibration.table.games import PIECES
from calibration.table.specs import TableSpec
from calibration.texts import game_title, listed, sentence, unusable_input
from referee.facts.calls import (
    CALL_TYPES,
    AgreedRules,
    Call,
    FramesBefore,
    OfWholeMatch,
    Players,
    Start,
    Unknown,
)
from referee.facts.corrections import POCKET, Correction
from referee.facts.judged import JudgedStroke, MatchRecord, Output, SpottingCheck, StartRecord, Warned
from referee.facts.seen import Seen, SeenCushionOff, SeenGap, SeenHand, SeenLayout, SeenStroke
from referee.journal import WRITER, Entry, Journal, MatchJournal, canonical, decode, encode
from referee.match.answers import OTHER_QUESTIONS
from referee.match.decisions import Decisions
from referee.match.explained import Explained
from referee.match.fallen import fell_after_all
from referee.match.fold import beginning, explain, finish, may_name, staying_down, step, things
from referee.match.packed import PackedList
from referee.match.position import Folded, Position, Settings
from referee.match.snooker.intake import Intake, stroke_seen
from referee.match.snooker.refold import carried, carries
from referee.rules.registry import GAMES, JUDGEMENTS
from referee.rules.snooker import Options
from tracker.events import Layout, StrokeRecord, TrackerEvent

S = TypeVar("S")
UNDONE = "undone"
"""The journal's entry beside a correction that undoing wrote; it says which entry that is."""
_SEEN: dict[str, type[Seen]] = {
    "stroke": SeenStroke,
    "hand": SeenHand,
    "gap": SeenGap,
    "layout": SeenLayout,
    "cushion_off": SeenCushionOff,
}


Outlook = tuple[Position, tuple[Output, ...]]
"""Where the fold would stand, and what would be said."""


def moment(seen: Seen) -> float:
    """When an entry begins, on the images' clock."""
    return seen.t_s if isinstance(seen, SeenHand | SeenLayout | SeenCushionOff) else seen.start_s


class Collected(Generic[S]):
    """Outputs by kind; a stroke that came again (the same `n`) counts as it came last.

    So does a colour put back: set down beside its spot and moved on to it is one act, over when the next
    stroke begins.
    `kept`: what is kept of a stroke.
    """

    def __init__(self, kept: Callable[[JudgedStroke], S], outputs: Iterable[Output] = ()) -> None:
        self._kept = kept
        self._strokes: dict[int, S] = {}
        self._checks: dict[tuple[str, int], SpottingCheck] = {}
        self.hands, self.warnings = list[SeenHand](), list[Warned]()
        self.add(outputs)

    def add(self, outputs: Iterable[Output]) -> None:
        """Outputs that follow on those before."""
        for o in outputs:
            if isinstance(o, JudgedStroke):
                self._strokes[o.n] = self._kept(o)
            elif isinstance(o, SeenHand):
                self.hands.append(o)
            elif isinstance(o, SpottingCheck):
                at = o.ball, len(self._strokes)
                self._checks.pop(at, None)
                self._checks[at] = o
            else:
                self.warnings.append(o)

    def with_more(self, outputs: Iterable[Output]) -> Collected[S]:
        """These and further ones; this collection stays as it is."""
        found = Collected(self._kept)
        found._strokes, found._checks = dict(self._strokes), dict(self._checks)
        found.hands, found.warnings = list(self.hands), list(self.warnings)
        found.add(outputs)
        return found

    @property
    def strokes(self) -> list[S]:
        """In the order in which they were first judged."""
        return list(self._strokes.values())

    @property
    def checks(self) -> list[SpottingCheck]:
        """Of colours put back."""
        return list(self._checks.values())


class Referee:
    """Judges one recording. Not for several threads."""

    def __init__(
        self,
        table: TableSpec,
        start: Start | None = None,
        calls: Iterable[Call] = (),
        options: Options | None = None,
        journal: MatchJournal | None = None,
        game: str = "snooker",
    ) -> None:
        """Begin, or go on with a journal's record.

        `game`: whose rules judge (snooker's with their options for six-red). Raises UnusableInput when the
        journal was begun with another game, table, start, calls or options.
        """
        self.journal: MatchJournal = journal if journal is not None else Journal(":memory:")
        self._settings = Settings(table, start or Start(), options or Options(), tuple(calls), game=game)
        self.intake = Intake(table, self._settings.options.strict_spotting_order, PIECES[game])
        self._record: PackedList[tuple[int, Seen]] = PackedList()
        self._steps: PackedList[tuple[Position, tuple[Output, ...]]] = (
            PackedList()
        )  # after each entry of the record
        self._rewritten = 0
        self._foreseen: tuple[Settings, int, tuple[Seen, ...], Outlook] | None = None
        self._decisions = Decisions()
        self._looked_back: set[int] = (
            set()
        )  # entries of which it is known what earlier pots they speak against
        self._said: dict[int, Call] = {}  # calls by the journal's entry, so that they can be withdrawn
        self._begin()
        self._refold(0)
        self._known = {_key(s) for _, s in self._record}

    def _begin(self) -> None:
        said = (self._settings.table, self._settings.start, self._settings.options, self._settings.calls)
        session = encode(said if self._settings.game == "snooker" else (*said, self._settings.game))
        entries = list(self.journal.entries())
        if not entries:
            self.journal.append("session", session)
            return
        # decoded and encoded again: an older journal lacks the fields that have a default since
        if entries[0].kind != "session" or canonical(_encoded_session(entries[0].payload)) != canonical(
            session
        ):
            raise unusable_input("errors.journal_of_the_same_table_start", path=self.journal.path)
        self._load(entries)

    def _load(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if entry.kind in _SEEN:
                seen = decode(_SEEN[entry.kind], entry.payload)
                added = entry.who != WRITER
                self._record.insert(self._place(seen) if added else len(self._record), (entry.id, seen))
            elif entry.kind == "correction":
                self._add(decode(Correction, entry.payload), entry)
            elif entry.kind == "call":
                value = dict(entry.payload)
                self._said[entry.id] = said = decode(CALL_TYPES[value.pop("type")], value)
                self._add(said, entry)
            elif entry.kind == "withdrawn":
                self._forget(entry.payload["entry"])
            elif entry.kind == UNDONE:
                self._decisions.undone(entry.payload["entry"])

    def _add(self, said: Correction | Call, entry: Entry) -> None:
        if isinstance(said, Correction):
            self._decisions.corrected(said, entry)
            self._settings = replace(self._settings, corrections=(*self._settings.corrections, said))
        else:
            self._decisions.called(said, entry)
            self._settings = replace(self._settings, calls=(*self._settings.calls, said))

    def _forget(self, entry: int) -> Call:
        """Take a call out of the settings; the first of its like, for equal calls say the same."""
        said = self._said.pop(entry)
        self._decisions.withdrawn(entry)
        left = list(self._settings.calls)
        left.remove(said)
        self._settings = replace(self._settings, calls=tuple(left))
        return said

    def _place(self, seen: Seen) -> int:
        """Where in the record an entry belongs that a person adds afterwards."""
        return next(
            (k for k, (_, s) in enumerate(self._record) if moment(s) > moment(seen)), len(self._record)
        )

    def _refold(self, first: int, through: int = 0, judged: Folded | None = None) -> None:
        """Judge again from the record's entry with index `first` on, as far as it changes anything, and to
        the one with index `through` at least. `judged`: what the entry `first` is, where that is known.

        A correction speaks of the entry `first` alone; where the position after an entry is as it was,
        so is everything that follows.
        """
        position = self._before(first)
        for k in range(first, len(self._record)):
            entry, seen = self._record[k]
            doubted = None if entry in self._looked_back else self._doubt_pots(k, seen, position)
            self._looked_back.add(entry)
            if doubted is not None:
                self._refold(doubted, k)
                return
            known = judged if k == first else None
            position, outputs = known or step(position, seen, entry, self._settings)
            if k == len(self._steps):
                self._steps.append((position, outputs))
                continue
            before, self._steps[k] = self._steps[k][0], (position, outputs)
            if k < through:
                continue
            if before == position:
                return
            if self._settings.game == "snooker" and carries(before, position):
                for later in range(k + 1, len(self._steps)):
                    self._steps[later] = carried(self._steps[later], before, position)
                return

    def _doubt_pots(self, k: int, seen: Seen, position: Position) -> int | None:
        """Weigh pots among the record's first `k` entries anew by what lies there before a stroke that is
        judged from `position`; the index of the first that it changes.

        The journal keeps what was seen as it was seen: this follows from it.
        """
        if not isinstance(seen, SeenStroke):
            return None
        settings = self._settings
        kinds = staying_down(position, seen, settings)
        found = dict(fell_after_all(self._record, k, seen, kinds, PIECES[settings.game]))
        for j, stroke in found.items():
            self._record[j] = self._record[j][0], stroke
        return min(found, default=None)

    def feed(self, event: TrackerEvent) -> tuple[Output, ...]:
        """Judge what the tracker saw. A stroke that comes again (the same `n`) replaces its former self."""
        return self._take(self.intake.feed(event))

    def close(self, layout: Layout | None = None) -> tuple[Output, ...]:
        """The recording is over: what was held back is judged as it is. `layout`: see `Intake.close`."""
        return self._take(self.intake.close(layout))

    def _take(self, found: Iterable[Seen]) -> tuple[Output, ...]:
        new: list[Output] = []
        for seen in found:
            if _key(seen) in self._known:
                continue  # in the record already: the run goes on after a kill
            doubted = self._doubt_pots(len(self._record), seen, self.position)
            if doubted is not None:
                self._rewritten += 1
                self._refold(doubted)
            with self.journal.transaction():
                entry = self.journal.append(_kind(seen), encode(seen), moment(seen))
                position, outputs = step(self.position, seen, entry.id, self._settings)
                for o in outputs:
                    if isinstance(o, JudgedStroke):
                        self.journal.append("ruling", {"n": o.n, "sha256": ruling_hash(o)}, moment(seen))
            self._record.append((entry.id, seen))
            self._looked_back.add(entry.id)
            self._steps.append((position, outputs))
            new += outputs
        return tuple(new)

    def correct(self, correction: Correction, who: str, undoing: bool = False) -> MatchRecord:
        """Journal a correction and judge everything again.

        Raises ValueError for an unknown entry, UnusableInput for a foul or a judgement that the game does not
        have.

        `undoing`: it takes back a later one, and is no decision of its own.
        """
        index = next((k for k, (number, _) in enumerate(self._record) if number == correction.target), None)
        if index is None:
            raise ValueError(
                f"correction: target must be a stroke's or hand's entry, got {correction.target!r}"
            )
        self._check_balls(correction)
        judged = None
        if not undoing:  # an older version took any game's words, and what it took is given back as it was
            self._check_fouls(correction)
            self._check_things(correction)
            self._check_nominated(index, correction)
            judged = self._judged_as(index, correction)
        self._rewritten += 1
        entry = self.journal.append("correction", encode(correction), who=who)
        self._add(correction, entry)
        if undoing:
            self.journal.append(UNDONE, {"entry": entry.id}, who=who)
            self._decisions.undone(entry.id)
        self._refold(index, judged=judged)
        return self.match

    def _judged_as(self, index: int, correction: Correction) -> Folded:
        """The fold of an entry of the record with a correction.

        Raises UnusableInput for a correction that contradicts the balls on the table, unless what was seen
        does so too.
        """
        entry, seen = self._record[index]
        said = replace(self._settings, corrections=(*self._settings.corrections, correction))
        judged = step(self._before(index), seen, entry, said)
        if _contradicts(judged[1]) and not _contradicts(self._steps[index][1]):
            raise unusable_input("errors.correction_that_cannot_be")
        return judged

    def _before(self, index: int) -> Position:
        """Where the fold stands before an entry of the record."""
        return self._steps[index - 1][0] if index else beginning(self._settings)

    def _check_nominated(self, index: int, correction: Correction) -> None:
        """Raises UnusableInput for a ball nominated before a stroke before which the rules know no nomination
        and no call.
        """
        entry, seen = self._record[index]
        now = self._settings.correction(entry)
        known = None if now is None else now.nominated
        if correction.nominated in (None, known) or not isinstance(seen, SeenStroke):
            return
        if not may_name(self._before(index), seen, self._settings, correction):
            raise unusable_input("errors.nomination_where_none_may_be")

    def _check_balls(self, correction: Correction) -> None:
        """Raises UnusableInput for a ball that the game does not have."""
        pieces = PIECES[self._settings.game]
        said = (*(correction.first_contact or ()), *(correction.potted or ()), *(correction.off_table or ()))
        said += () if correction.nominated is None else (correction.nominated,)
        known = pieces.object_balls
        for ball in said:
            if ball not in known:
                raise unusable_input(
                    "errors.ball_of_a_correction",
                    known=listed([sentence(f"balls.{b}") for b in known]),
                    ball=sentence(f"balls.{ball}"),
                )

    def _check_fouls(self, correction: Correction) -> None:
        """Raises UnusableInput for a foul that the game's rules do not know, for one that was not called
        where that changes nothing, and for a judgement that the rules do not ask for.
        """
        game = GAMES[self._settings.game]
        if correction.called is False and not game.uncalled_lapses:
            raise unusable_input("errors.foul_that_lapses", game=game_title(game.name))
        foreign = next((j for j in JUDGEMENTS if j not in game.judgements and _says(correction, j)), None)
        if foreign is not None:
            raise self._not_read(foreign)
        known = game.infringements
        unknown = next((i for i in correction.infringements if i not in known), None)
        if unknown is not None:
            raise unusable_input(
                "errors.infringement_of_the_game",
                game=game_title(game.name),
                known=listed(list(dict.fromkeys(sentence(f"fouls.{word}") for word in known))),
                found=sentence(f"fouls.{unknown}"),
            )

    def _check_things(self, correction: Correction) -> None:
        """Raises UnusableInput for what is said of a thing that the game does not have: the D, a nomination,
        a touching ball, an answer to a question that it never asks.
        """
        has = things(self._settings.game)
        foreign = [name for name in ("in_d", "touching") if _says(correction, name) and name not in has]
        if correction.nominated is not None and not {"nominated", "called"}.intersection(has):
            foreign.append("nominated")
        asked = {POCKET, *(t for t in OTHER_QUESTIONS if t in has)}
        foreign += [name for name, _ in correction.answers if name not in asked]
        if foreign:
            raise self._not_read(foreign[0])

    def _not_read(self, name: str) -> UnusableInput:
        """The refusal of what is said in a field that the game's rules do not read."""
        title, found = game_title(self._settings.game), sentence(f"history.field_{name}")
        return unusable_input("errors.judgement_of_the_game", game=title, found=found)

    def call(self, said: Call, who: str) -> MatchRecord:
        """Journal what a person said (nomination, choice, names, the frame's fate) and judge what follows
        again.
        """
        kind = next(name for name, cls in CALL_TYPES.items() if isinstance(said, cls))
        t_s = None if isinstance(said, OfWholeMatch) else said.t_s
        entry = self.journal.append("call", encode(said) | {"type": kind}, t_s, who)
        self._said[entry.id] = said
        self._add(said, entry)
        return self._heard(said)

    def withdraw(self, entry: int, who: str) -> MatchRecord:
        """Take back the call of a journal's entry, by a further entry. Raises ValueError when it is none."""
        if entry not in self._said:
            raise ValueError(f"withdraw: expected the entry of a call that counts, got {entry!r}")
        self.journal.append("withdrawn", {"entry": entry}, who=who)
        return self._heard(self._forget(entry))

    def add_stroke(self, seen: SeenStroke, who: str) -> MatchRecord:
        """Journal a stroke that was missed, at its time, and judge what follows again."""
        self._rewritten += 1
        index = self._place(seen)
        entry = self.journal.append(_kind(seen), encode(seen), moment(seen), who)
        self._record.insert(index, (entry.id, seen))
        self._steps.insert(index, (self._before(index), ()))
        self._known.add(_key(seen))
        self._refold(index)
        return self.match

    def _heard(self, said: Call) -> MatchRecord:
        """Judge again what a call speaks to: the first stroke or layout that ends after it, and all that
        follows.
        """
        self._rewritten += 1
        if isinstance(said, FramesBefore | AgreedRules):
            self._refold(0)
        elif not isinstance(said, Players | Unknown):
            later = (k for k, (_, s) in enumerate(self._record) if _ended(s) >= said.t_s)
            self._refold(next(later, len(self._record)))
        return self.match

    def called(self, since_s: float, until_s: float) -> tuple[tuple[int | None, Call], ...]:
        """Calls after `since_s`, up to and including `until_s`, each with the journal's entry; None for one
        that was told with the recording.
        """
        told = dict(self._said)
        found: list[tuple[int | None, Call]] = []
        for call in self._settings.called(since_s, until_s):
            entry = next((e for e, c in told.items() if c == call), None)
            if entry is not None:
                del told[entry]
            found.append((entry, call))
        return tuple(found)

    @property
    def game(self) -> str:
        """Whose rules judge; of six-red it is snooker's."""
        return self._settings.game

    @property
    def table(self) -> TableSpec:
        """The table that the match is played on."""
        return self._settings.table

    def correction(self, entry: int) -> Correction | None:
        """A person's correction of an entry that counts."""
        return self._settings.correction(entry)

    @property
    def position(self) -> Position:
        """Where the fold stands: state of the frame, frames, colours due."""
        return self._steps[-1][0] if self._steps else beginning(self._settings)

    @property
    def standing(self) -> Outlook:
        """The position with what was called since the last entry, and what that brought."""
        return finish(self.position, self._settings)

    @property
    def outlook(self) -> Outlook:
        """The standing if what intake holds back (a stroke with a doubt which balls fell) were judged as it
        is.
        """
        held, settings = self.intake.held, self._settings
        if (
            self._foreseen is not None
            and self._foreseen[0] is settings
            and self._foreseen[1] == len(self._steps)
        ):
            known, found = self._foreseen[2:]
            if len(known) == len(held) and all(a is b for a, b in zip(known, held, strict=True)):
                return found
        position, outputs = self.position, list[Output]()
        for seen in held:
            position, more = step(position, seen, 0, settings)
            outputs += more
        position, last = finish(position, settings)
        found = position, (*outputs, *last)
        self._foreseen = settings, len(self._steps), held, found
        return found

    def foresee(self, record: StrokeRecord) -> Outlook:
        """The standing if a stroke that is still under way ended like this. Nothing is kept of it."""
        settings = self._settings
        seen = stroke_seen(
            record, settings.table, settings.options.strict_spotting_order, PIECES[settings.game]
        )
        return step(self.position, seen, 0, settings)

    def explained(self, n: int) -> Explained | None:
        """Every explanation that was weighed of stroke `n`, as it stands now; None for an unknown stroke."""
        for k, (entry, seen) in enumerate(self._record):
            if not isinstance(seen, SeenStroke):
                continue
            own = next((s for s in self._strokes_at(k) if s.entry == entry), None)
            if own is None or own.n != n:
                continue
            stroke = [s for j in range(k, len(self._steps)) for s in self._strokes_at(j) if s.n == n][-1]
            before = self._steps[k - 1][0] if k else beginning(self._settings)
            return explain(before, seen, stroke, self._settings)
        return None

    def _strokes_at(self, k: int) -> Iterator[JudgedStroke]:
        """The strokes that were judged at the record's entry `k`, that one and earlier ones."""
        return (o for o in self._steps[k][1] if isinstance(o, JudgedStroke))

    @property
    def rewritten(self) -> int:
        """How often people have said something: what had been judged by then may have been judged anew."""
        return self._rewritten

    @property
    def set_aside(self) -> frozenset[int]:
        """The entries of strokes of which a person said that he does not know what happened."""
        return frozenset(d.entry for d in self._decisions.all() if d.unknown)

    @property
    def players(self) -> tuple[str, str]:
        """The players' names; A and B where nobody named them."""
        return self._settings.players

    @property
    def outputs(self) -> tuple[Output, ...]:
        """All outputs so far, in order; a stroke that came again stands twice."""
        return tuple(o for _, outputs in self._steps for o in outputs)

    @property
    def match(self) -> MatchRecord:
        """Everything judged so far."""
        position, last = self.standing
        found = Collected(lambda s: s, (*self.outputs, *last))
        return self.match_of(position, found, found.strokes)

    def match_of(
        self, position: Position, found: Collected[Any], strokes: Iterable[JudgedStroke] = ()
    ) -> MatchRecord:
        """The match at the standing's position, of what was collected from all outputs and the standing's;
        with these strokes.
        """
        start = self._settings.start
        begun = position.start or StartRecord(start.striker, start.ball_on, start.score, start.assumed)
        return MatchRecord(
            self._settings.players,
            begun,
            position.frames,
            tuple(strokes),
            tuple(found.hands),
            tuple(found.checks),
            tuple(found.warnings),
            position.score,
            self._decisions.all(),
        )

    def outputs_from(self, entry: int) -> tuple[int, tuple[Output, ...]]:
        """How many entries were judged so far, and the outputs of those from the given one (counted from 0)
        on.
        """
        return len(self._steps), tuple(o for k in range(entry, len(self._steps)) for o in self._steps[k][1])


def _contradicts(outputs: Sequence[Output]) -> bool:
    """Whether nothing of what is said of a stroke can be true of the balls on the table."""
    return any(isinstance(o, Warned) and o.type == "contradiction" for o in outputs)


def _says(correction: Correction, name: str) -> bool:
    """Whether a correction says something in a field."""
    return getattr(correction, name) is not None


def _ended(seen: Seen) -> float:
    """When what a call may speak to is over; hands and gaps are none of it."""
    if isinstance(seen, SeenStroke):
        return seen.end_s
    return seen.t_s if isinstance(seen, SeenLayout) else -math.inf


def _key(seen: Seen) -> tuple[str, float, str]:
    """The identity of an entry: two entries of a recording with the same key are one."""
    what = seen.ball if isinstance(seen, SeenHand) else ""
    return _kind(seen), moment(seen), seen.cushion if isinstance(seen, SeenCushionOff) else what


def _kind(seen: Seen) -> str:
    return next(name for name, cls in _SEEN.items() if isinstance(seen, cls))


def ruling_hash(stroke: JudgedStroke) -> str:
    """SHA-256 of a judged stroke's canonical JSON: shows whether a replay rules the same."""
    return hashlib.sha256(canonical(encode(stroke))).hexdigest()


def open_referee(journal: MatchJournal) -> Referee:
    """The referee of a finished or running journal, as it was begun; for consoles and corrections.

    Raises UnusableInput when the journal holds no session.
    """
    first = next(iter(journal.entries()), None)
    if first is None or first.kind != "session":
        raise unusable_input("errors.journal_with_a_session", path=journal.path)
    table, start, options, calls, game = _session(first.payload)
    return Referee(table, start, calls, options, journal, game)


def _encoded_session(payload: Any) -> Any:
    """A session as this version writes it."""
    *said, game = _session(payload)
    return encode(tuple(said) if game == "snooker" else (*said, game))


def _session(payload: Any) -> tuple[TableSpec, Start, Options, tuple[Call, ...], str]:
    """What a record was begun with; the game stands last where it is not snooker."""
    table, start, options, calls, *game = payload
    return (
        decode(TableSpec, table),
        decode(Start, start),
        decode(Options, options),
        tuple(_decoded_call(c) for c in calls),
        game[0] if game else "snooker",
    )


def _decoded_call(value: dict[str, object]) -> Call:
    for cls in CALL_TYPES.values():
        if set(value) == set(cls.__dataclass_fields__):
            return decode(cls, value)
    raise unusable_input("errors.journalled_call", value=repr(value))
