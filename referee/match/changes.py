"""The changes that people made in a match: their history from the journal, and undoing one by a further
entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from calibration.texts import Sentence, clock, listed, sentence, unusable_input
from referee.facts.calls import BEFORE_A_STROKE, StateCall
from referee.facts.corrections import Correction
from referee.facts.seen import SeenHand
from referee.journal import WRITER, Entry, MatchJournal, decode
from referee.match.referee import UNDONE, Referee

JUST_BEFORE_S = 1e-3
"""What is said of the state before a stroke counts from this long before the stroke begins."""


@dataclass(frozen=True, slots=True)
class Said:
    """One change of a person: the journal's entry, in words, and whether it still counts.

    `words` can be said again in another language (`calibration.texts.again`).
    """

    entry: int
    at: str
    who: str
    kind: str
    target: int | None
    t_s: float | None
    words: Sentence
    in_force: bool


def corrections(journal: MatchJournal) -> list[tuple[Entry, Correction]]:
    """Every correction in the order in which they were made."""
    return [(e, decode(Correction, e.payload)) for e in journal.entries("correction")]


def history(journal: MatchJournal, names: tuple[str, str] = ("A", "B")) -> list[Said]:
    """Everything that people changed, oldest first. `names`: of the players, as the words say them."""
    told = _Telling(journal, names)
    given, undone = corrections(journal), _undone(journal)
    latest = {c.target: e.id for e, c in given}
    dropped = {c.target for e, c in given if c.drop and latest[c.target] == e.id}
    added = {e.id: e for e in journal.entries("stroke") if e.who != WRITER}
    calls = {e.id: e for e in journal.entries("call")}
    withdrawn = {e.payload["entry"]: e for e in journal.entries("withdrawn")}

    def in_force(e: Entry, c: Correction) -> bool:
        taken_back = e.id in undone and c == Correction(c.target, drop=True) and c.target in added
        return latest[c.target] == e.id and not c.undo and not taken_back

    def withdrawal(e: Entry, target: int) -> Said:
        what = told.call(calls[target].payload) if target in calls else sentence("history.entry_n", n=target)
        return _said(e, "withdrawn", sentence("history.withdrawn", what=what), False)

    out = [_said(e, "correction", told.correction(c), in_force(e, c), c.target) for e, c in given]
    for e in calls.values():
        out.append(_said(e, "call", told.call(e.payload), e.id not in withdrawn, told.stroke_of(e)))
    out += [withdrawal(e, target) for target, e in withdrawn.items()]
    missed = sentence("history.missed")
    out += [_said(e, "stroke", missed, n not in dropped, n) for n, e in added.items()]
    return sorted(out, key=lambda s: s.entry)


def undo(referee: Referee, entry: int | None, who: str, names: tuple[str, str] = ("A", "B")) -> Said:
    """Take back the change of that entry (None: the latest that counts), by a further one; what was taken
    back. `names`: of the players, as the words say them.

    Raises UnusableInput when it does not count, or there is none.
    """
    journal = referee.journal
    counting = {s.entry: s for s in history(journal, names) if s.in_force}
    if entry is None and not counting:
        raise unusable_input("errors.change_to_take_back")
    said = counting.get(max(counting) if entry is None else entry)
    if said is None:
        raise unusable_input("errors.change_that_still_counts", entry=entry)
    if said.kind == "call":
        referee.withdraw(said.entry, who)
        with_it = _said_with(journal, said.entry)
        if with_it in counting:
            referee.withdraw(with_it, who)
        return said
    back = Correction(said.entry, drop=True) if said.kind == "stroke" else _before(journal, said.entry)
    referee.correct(back, who, undoing=True)
    return said


def _said_with(journal: MatchJournal, entry: int) -> int | None:
    """The frames won before that were said in one breath with the state of that entry: they go with it."""
    state, before = journal.entry(entry), journal.entry(entry - 1)
    kinds = [e.payload["type"] if e.kind == "call" else e.kind for e in (before, state)]
    return before.id if kinds == ["frames_before", "state"] and before.who == state.who else None


def _undone(journal: MatchJournal) -> set[int]:
    """The entries of corrections that an undo wrote; these cannot be undone themselves."""
    return {e.payload["entry"] for e in journal.entries(UNDONE)}


def _before(journal: MatchJournal, entry: int) -> Correction:
    """The correction that counted before the one of that entry, or that nothing is corrected.

    An undo is an entry too, so the corrections of one target are read as a stack: a correction that an undo
    wrote removes everything above the equal correction in the stack.
    """
    given, undone = corrections(journal), _undone(journal)
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


def state_of_labels(labels: Mapping[str, str], before_s: float, entry: int) -> StateCall | None:
    """The state that an answer says, just before a stroke; None for an answer that says none.

    `before_s`: when the stroke begins, `entry`: the journal's entry of the stroke that was asked about.
    """
    if "ball_on" not in labels or "score" not in labels:
        return None
    a, _, b = labels["score"].partition("-")
    return StateCall(before_s - JUST_BEFORE_S, labels["striker"], labels["ball_on"], (int(a), int(b)), entry)


def _said(e: Entry, kind: str, words: Sentence, in_force: bool, target: int | None = None) -> Said:
    return Said(e.id, e.at, e.who, kind, target, e.t_s, words, in_force)


class _Telling:
    """Says what people changed, in sentences; a stroke or hand that did not happen is named with its time."""

    def __init__(self, journal: MatchJournal, names: tuple[str, str]) -> None:
        self._names = dict(zip("AB", names, strict=True))
        self._hands = {e.id: decode(SeenHand, e.payload) for e in journal.entries("hand")}
        self._begins = {e.id: float(e.payload["start_s"]) for e in journal.entries("stroke")}

    def call(self, said: Mapping[str, Any]) -> Sentence:
        """A call."""
        kind = said["type"]
        if kind == "unknown":
            return sentence("history.unknown")
        if kind == "frames_before":
            return sentence("history.frames_before", a=said["won"][0], b=said["won"][1])
        if kind == "state":
            a, b = said["score"]
            name, on = self._names[said["striker"]], _ball(said["ball_on"])
            return sentence("history.state", name=name, on=on, a=a, b=b)
        parts = [
            self._value(k, said[k]) for k in ("by", "act", "ball", "pocket", "rail", "choice") if said.get(k)
        ]
        parts += [sentence(f"calls.{k}") for k in ("safety", "push_out") if said.get(k)]
        what = listed([*parts, *said.get("names", ()), *said.get("agreed", ())])
        return sentence("history.part", name=sentence(f"history.call_{kind}"), value=what)

    def stroke_of(self, e: Entry) -> int | None:
        """The entry of the stroke of which a call speaks: it answers its question, or was made before it."""
        if e.payload["type"] not in BEFORE_A_STROKE or e.t_s is None:
            said: int | None = e.payload.get("entry")
            return said
        later = ((start_s, entry) for entry, start_s in self._begins.items() if start_s >= e.t_s)
        return min(later, default=(0.0, None))[1]

    def correction(self, c: Correction) -> Sentence:
        """A correction."""
        what = self._happening(c.target)
        if c.undo:
            return sentence("history.as_seen_after_all", what=what)
        if c.drop:
            return sentence("history.did_not_happen", what=what)
        said = {k: v for k, v in asdict(c).items() if k not in ("target", "drop", "undo", "answers")}
        if not c.infringements:  # that nobody added a foul is not worth a word; that nothing was potted is
            del said["infringements"]
        pairs = [*((k, v) for k, v in said.items() if v is not None), *c.answers]
        parts = [sentence("history.part", name=_field(k), value=self._value(k, v)) for k, v in pairs]
        return listed(parts, "history.then") if parts else sentence("history.as_seen")

    def _happening(self, entry: int) -> Sentence:
        hand = self._hands.get(entry)
        if hand is not None:
            act = sentence(f"watch.hand_{hand.type}", ball=_ball(hand.ball))
            return sentence("history.at", what=act, time=clock(hand.t_s))
        if entry in self._begins:
            stroke = sentence("history.a_stroke")
            return sentence("history.at", what=stroke, time=clock(self._begins[entry]))
        return sentence("history.entry_n", n=entry)

    def _value(self, name: str, value: Any) -> Sentence | str:
        if isinstance(value, bool):
            return sentence("phone.yes" if value else "phone.no")
        if isinstance(value, tuple | list):
            word = _foul if name == "infringements" else _ball
            return listed([word(v) for v in value]) if value else sentence("history.nothing")
        if name in ("by", "striker"):
            return self._names.get(value, str(value))
        if name == "cue_ball":
            return sentence(f"correct.cue_{value}")
        if name == "choice":
            return sentence(f"choices.{value}")
        if name == "act":
            return sentence(f"history.act_{value}")
        return _ball(value) if name in ("nominated", "ball") else str(value).replace("_", " ")


def _field(name: str) -> Sentence:
    return sentence(f"history.field_{name}")


def _foul(kind: str) -> Sentence:
    return sentence(f"fouls.{kind}")


def _ball(ball: str) -> Sentence:
    return sentence(f"balls.{ball if ball == 'any_colour' else ball.partition('_')[0]}")
