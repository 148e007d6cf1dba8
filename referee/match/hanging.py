"""Dependences between open questions: under which question a stroke is shown. Pure.

Where the courses of an earlier question disagree about a stroke, the stroke has a question too
(`referee.match.courses`), which names the earlier one. An answer to the earlier question, the root, answers
all questions that hang on it: a person is asked the root, and finds the others under it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from referee.facts.judged import Asked

HANGS_ON = "hangs_on"
"""The sentence of a question that says on which stroke's question it hangs."""


def hangs_on(asked: Iterable[Asked]) -> int | None:
    """The number of the stroke on whose question this one hangs, as its sentences say; None where on none."""
    said = (dict(a.values).get("n", "") for a in asked if a.text == HANGS_ON)
    return next((int(n) for n in said if n.isdigit()), None)


def roots(waiting: Mapping[int, int | None]) -> dict[int, int]:
    """The root of every question that waits, by the numbers of their strokes; a root's is its own.

    `waiting`: on which stroke's question each hangs, None where on none. What hangs on a question that itself
    hangs has the first one's root. Of several that hang on one that waits no more, the first is the root.
    """
    found: dict[int, int] = {}
    heirs: dict[int, int] = {}
    for n in sorted(waiting):
        on = waiting[n]
        if on is None or on >= n:
            found[n] = n
        elif on in found:
            found[n] = found[on]
        else:
            found[n] = heirs.setdefault(on, n)
    return found


def hanging(root_of: Mapping[int, int]) -> dict[int, tuple[int, ...]]:
    """The strokes that hang on each root, in order; empty of a root on which none hangs."""
    found: dict[int, list[int]] = {root: [] for root in root_of.values()}
    for n in sorted(root_of):
        if root_of[n] != n:
            found[root_of[n]].append(n)
    return {root: tuple(below) for root, below in found.items()}
