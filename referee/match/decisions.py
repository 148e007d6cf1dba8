"""Who decided what about a stroke: the corrections and answers in force, with their authors."""

from __future__ import annotations

from collections import defaultdict

from referee.facts.calls import Call, StateCall, Unknown
from referee.facts.corrections import Correction
from referee.facts.judged import Decision
from referee.journal import Entry


class Decisions:
    """The last word of a person on each stroke, kept up to date entry by entry."""

    def __init__(self) -> None:
        self._stacks: defaultdict[int, list[tuple[Correction, Entry]]] = defaultdict(list)
        self._called: dict[int, tuple[StateCall | Unknown, Entry]] = {}

    def corrected(self, correction: Correction, entry: Entry) -> None:
        """Take a correction."""
        stack = self._stacks[correction.target]
        if correction.undo:
            stack.clear()
        else:
            stack.append((correction, entry))

    def undone(self, entry: int) -> None:
        """The correction of that entry was written by an undo: it restores an earlier one, whose author it
        keeps.
        """
        for stack in self._stacks.values():
            if stack and stack[-1][1].id == entry:
                restored, _ = stack.pop()
                same = next((k for k, (c, _) in enumerate(stack) if c == restored), len(stack) - 1)
                del stack[same + 1 :]

    def called(self, said: Call, entry: Entry) -> None:
        """Take a call; those that speak of one stroke are kept."""
        if isinstance(said, StateCall | Unknown) and said.entry is not None:
            self._called[entry.id] = (said, entry)

    def withdrawn(self, entry: int) -> None:
        """A call was taken back."""
        self._called.pop(entry, None)

    def all(self) -> tuple[Decision, ...]:
        """One for each stroke that somebody decided, or of which somebody said that he does not know."""
        found: dict[int, Decision] = {}
        for said, e in self._called.values():
            assert said.entry is not None
            found[said.entry] = Decision(said.entry, e.who, e.at, unknown=isinstance(said, Unknown))
        found |= {
            target: Decision(target, stack[-1][1].who, stack[-1][1].at)
            for target, stack in self._stacks.items()
            if stack and not stack[-1][0].drop
        }
        return tuple(found[target] for target in sorted(found))
