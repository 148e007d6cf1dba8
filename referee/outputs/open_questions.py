"""The open questions of a match document, each with the strokes that hang on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.facts.judged import Asked
from referee.match.hanging import hanging, hangs_on, roots
from referee.outputs.document import Match, Stroke
from referee.outputs.words import Say


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that hangs on no other. `hanging`: the strokes that hang on it, in order.

    `set_aside`: a person said that he does not know, so that it waits for nobody, and nothing hangs on it.
    """

    stroke: Stroke
    hanging: tuple[Stroke, ...] = ()
    set_aside: bool = False


def open_questions(match: Match) -> tuple[OpenQuestion, ...]:
    """Every root, in the order of the strokes."""
    asked = {s["n"]: s for s in match["strokes"] if s["verdict"] == "call"}
    waiting = {n: s for n, s in asked.items() if not s.get("decided", {}).get("unknown")}
    below = hanging(roots({n: _hangs_on(s) for n, s in waiting.items()}))
    found = [OpenQuestion(asked[n], tuple(asked[k] for k in ns)) for n, ns in below.items()]
    found += [OpenQuestion(s, (), True) for n, s in asked.items() if n not in waiting]
    return tuple(sorted(found, key=lambda q: q.stroke["n"]))


def root_of(found: Sequence[OpenQuestion]) -> dict[int, int]:
    """The root's number by the number of each stroke that hangs on it."""
    return {s["n"]: q.stroke["n"] for q in found for s in q.hanging}


def hanging_on(found: Sequence[OpenQuestion]) -> int:
    """How many strokes hang on these questions."""
    return sum(len(q.hanging) for q in found)


def hanging_words(count: int, say: Say) -> str:
    """`3 strokes hang on that`, to be said behind a count of questions; empty of none."""
    if not count:
        return ""
    return say.t("console.hanging_one" if count == 1 else "console.hanging", n=count)


def provisional_words(found: Sequence[OpenQuestion], say: Say) -> str:
    """On how many questions a score hangs, and how many strokes hang on those; empty of none."""
    if not found:
        return ""
    said = say.t("console.provisional_one" if len(found) == 1 else "console.provisional", n=len(found))
    return "; ".join(filter(None, (said, hanging_words(hanging_on(found), say))))


def _hangs_on(stroke: Stroke) -> int | None:
    asked = stroke.get("asked", ())
    return hangs_on(Asked(a["text"], tuple(a["values"].items())) for a in asked)
