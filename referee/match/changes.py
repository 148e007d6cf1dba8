"""The changes that people made in a match: their history from the journal, and undoing one by a further
entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from calibration.errors import UnusableInput
from calibration.texts import sentence
from referee.facts.calls import StateCall
from referee.facts.corrections import Correction
from referee.journal import WRITER, Entry, MatchJournal, decode
from referee.match.referee import UNDONE, Referee
from referee.rules.snooker.facts import Infringement

JUST_BEFORE_S = 1e-3
"""What is said of the state before a stroke counts from this long before the stroke begins."""
OTHER_QUESTIONS = ("called", "push_out", "rail", "break_rails", "crossed", "placed", "group")
"""Things that only other games than snooker ask about."""


@dataclass(frozen=True, slots=True)
class Said:
    """One change of a person: the journal's entry, in words, and whether it still counts."""

    entry: int
    at: str
    who: str
    kind: str
    target: int | None
    t_s: float | None
    words: str
    in_force: bool


def corrections(journal: MatchJournal) -> list[tuple[Entry, Correction]]:
    """Every correction in the order in which they were made."""
    return [(e, decode(Correction, e.payload)) for e in journal.entries("correction")]


def history(journal: MatchJournal) -> list[Said]:
    """Everything that people changed, oldest first."""
    given = corrections(journal)
    counts, undone = {c.target: e.id for e, c in given}, _undone(journal)
    gone = {e.payload["entry"]: e for e in journal.entries("withdrawn")}
    dropped = {c.target for e, c in given if c.drop and counts[c.target] == e.id}
    added = {e.id: e for e in journal.entries("stroke") if e.who != WRITER}
    out = []
    for e, c in given:
        taken_back = e.id in undone and c == Correction(c.target, drop=True) and c.target in added
        in_force = counts[c.target] == e.id and not c.undo and not taken_back
        out.append(_said(e, "correction", correction_words(c), in_force, c.target))
    calls = journal.entries("call")
    out += [_said(e, "call", _call_words(e.payload), e.id not in gone, e.payload.get("entry")) for e in calls]
    out += [_said(e, "withdrawn", f"entry {target} withdrawn", False) for target, e in gone.items()]
    out += [_said(e, "stroke", "a stroke that was missed", n not in dropped, n) for n, e in added.items()]
    return sorted(out, key=lambda s: s.entry)


def undo(referee: Referee, entry: int | None, who: str) -> Said:
    """Take back the change of that entry (None: the latest that counts), by a further one; what was taken
    back.

    Raises UnusableInput when it does not count, or there is none.
    """
    journal = referee.journal
    counting = {s.entry: s for s in history(journal) if s.in_force}
    if entry is None and not counting:
        raise UnusableInput(sentence("errors.change_to_take_back"))
    said = counting.get(max(counting) if entry is None else entry)
    if said is None:
        raise UnusableInput(sentence("errors.change_that_still_counts", entry=entry))
    if said.kind == "call":
        referee.withdraw(said.entry, who)
        return said
    back = Correction(said.entry, drop=True) if said.kind == "stroke" else _before(journal, said.entry)
    referee.correct(back, who, undoing=True)
    return said


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


def facts_of_labels(labels: Mapping[str, str], first: str | None = None) -> dict[str, Any]:
    """The fields of a correction that an answer to a referee's call settles; `labels` as candidates carry
    them.

    `first`: the ball that was seen to be hit first.
    """
    facts: dict[str, Any] = {}
    for name, value in labels.items():
        if name in ("striker", "nominated"):
            facts[name] = value
        elif name in ("first_contact", "potted"):
            named = [] if value == "none" else value.replace(" and ", ", ").split(", ")
            facts[name] = tuple(b.partition("_")[0] for b in named)
        elif name in ("snookered", "clear_path") and value in ("yes", "no"):
            facts[name] = value == "yes"
        elif name == "in_d":
            facts["in_d"] = value == "yes"
        elif name == "pushed" and value == "yes":
            facts["infringements"] = (Infringement.PUSH_STROKE.value,)
        elif name == "pushed" and first is not None:
            facts["first_contact"] = (first.partition("_")[0],)  # the person says that it was hit, not pushed
        elif name == "attempt":
            facts["good_enough_attempt"] = value == "good enough"
        elif name in OTHER_QUESTIONS:
            facts["answers"] = (*facts.get("answers", ()), (name, value))
    return facts


def state_of_labels(labels: Mapping[str, str], before_s: float, entry: int) -> StateCall | None:
    """The state that an answer says, just before a stroke; None for an answer that says none.

    `before_s`: when the stroke begins, `entry`: the journal's entry of the stroke that was asked about.
    """
    if "ball_on" not in labels or "score" not in labels:
        return None
    a, _, b = labels["score"].partition("-")
    return StateCall(before_s - JUST_BEFORE_S, labels["striker"], labels["ball_on"], (int(a), int(b)), entry)


def _said(e: Entry, kind: str, words: str, in_force: bool, target: int | None = None) -> Said:
    return Said(e.id, e.at, e.who, kind, target, e.t_s, words, in_force)


def _call_words(said: Mapping[str, Any]) -> str:
    """A call in words, for the history."""
    kind = said["type"]
    if kind == "unknown":
        return "does not know what happened"
    if kind == "frames_before":
        return f"frames won before: {said['won'][0]}-{said['won'][1]}"
    if kind == "state":
        a, b = said["score"]
        on = str(said["ball_on"]).replace("_", " ")
        return f"state: {said['striker']} at the table, {on} on, {a}-{b}"
    shown = (str(said[k]).replace("_", " ") for k in ("by", "act", "ball", "choice") if said.get(k))
    names = ", ".join(said.get("names", ()))
    return f"{kind}: {', '.join(shown)}{names}"


def correction_words(c: Correction) -> str:
    """A correction in words, for the history."""
    if c.undo:
        return "as seen after all"
    if c.drop:
        return "did not happen"
    parts = []
    for name, value in asdict(c).items():
        if (
            name in ("target", "drop", "undo")
            or value is None
            or (name in ("infringements", "answers") and not value)
        ):
            continue
        if name == "answers":
            parts += [f"{thing.replace('_', ' ')}: {answer}" for thing, answer in value]
            continue
        shown = (
            (", ".join(value) or "none")
            if isinstance(value, tuple | list)
            else {True: "yes", False: "no"}.get(value, value)
        )
        parts.append(f"{name.replace('_', ' ')}: {str(shown).replace('_', ' ')}")
    return "; ".join(parts) or "as seen"
