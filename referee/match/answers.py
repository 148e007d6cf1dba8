"""What an answer to a question settles, as the fields of a correction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from referee.facts.corrections import POCKET, Correction
from referee.rules.snooker.facts import Infringement

OTHER_QUESTIONS = (
    "jumped",
    *("foul_snooker", "met_fell", "called", "push_out", "warned"),
    *("rail", "frozen_rail", "break_rails", "cue_rail", "crossed"),
    *("behind_string", "placed", "group", "lying"),
    *("spotted_in_hand", "in_hand", "left_baulk", "red_in_baulk", "white_in_baulk", "rests_in_baulk"),
    *("baulk_crossed", "left_touching", "cannon", "due_placed", "due_inside", "queen"),
)
"""Things of which a correction has the answer as it was given."""

_HAPPENED = ("first_contact", "potted", "cue_ball", "answers")


def facts_of_labels(labels: Mapping[str, str], first: str | None = None) -> dict[str, Any]:
    """The fields of a correction that an answer to a referee's call settles; `labels` as candidates carry
    them.

    `first`: the ball that was seen to be hit first.
    """
    facts: dict[str, Any] = {}
    answers: list[tuple[str, str]] = []
    for name, value in labels.items():
        if name in _FIELDS:
            settled = _FIELDS[name](value, first)
            answers += settled.pop("answers", ())
            facts |= settled
        elif name in OTHER_QUESTIONS:
            answers.append((name, value))
    return facts | ({"answers": tuple(answers)} if answers else {})


def _balls_named(name: str, value: str) -> dict[str, Any]:
    """What was hit first, or fell, by an answer; and into which pockets, where it says so."""
    named = [] if value == "none" else value.replace(" and ", ", ").split(", ")
    balls = {name: tuple(b.partition(" to ")[0].partition("_")[0] for b in named)}
    pockets = tuple((POCKET, b) for b in named if " to " in b)
    return balls | ({"answers": pockets} if pockets else {})


def _yes_no(name: str, value: str) -> dict[str, Any]:
    return {name: value == "yes"} if value in ("yes", "no") else {}


def _pushed(value: str, first: str | None) -> dict[str, Any]:
    """A push stroke; where it was none, the person says that the ball was hit."""
    if value == "yes":
        return {"infringements": (Infringement.PUSH_STROKE.value,)}
    return {} if first is None else {"first_contact": (first.partition("_")[0],)}


_FIELDS: dict[str, Callable[[str, str | None], dict[str, Any]]] = {
    "striker": lambda value, _: {"striker": value},
    "nominated": lambda value, _: {"nominated": value},
    "cue_ball": lambda value, _: {"cue_ball": value},
    "first_contact": lambda value, _: _balls_named("first_contact", value),
    "potted": lambda value, _: _balls_named("potted", value),
    "snookered": lambda value, _: _yes_no("snookered", value),
    "clear_path": lambda value, _: _yes_no("clear_path", value),
    "touching": lambda value, _: _yes_no("touching", value),
    "in_d": lambda value, _: _yes_no("in_d", value),
    "pushed": _pushed,
    "attempt": lambda value, _: {"good_enough_attempt": value == "good enough"},
}
"""The fields of a correction by the thing that is asked about, its answer, and the ball seen to be hit first.
"""


def happened(entry: int, labels: Mapping[str, str]) -> Correction:
    """What a person would say happened in the stroke of a journal's entry, of which these labels are true."""
    facts = facts_of_labels(labels)
    return Correction(entry, **{k: v for k, v in facts.items() if k in _HAPPENED})
