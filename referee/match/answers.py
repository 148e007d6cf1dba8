"""What an answer to a question settles, as the fields of a correction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.facts.corrections import POCKET, Correction
from referee.rules.snooker.facts import Infringement

OTHER_QUESTIONS = (
    "jumped",
    *("foul_snooker", "met_fell", "called", "push_out", "warned"),
    *("rail", "frozen_rail", "break_rails", "cue_rail", "crossed"),
    *("behind_string", "placed", "group", "lying"),
    *("spotted_in_hand", "in_hand", "left_baulk", "red_in_baulk", "white_in_baulk", "rests_in_baulk"),
    *("baulk_crossed", "left_touching", "due_placed", "due_inside", "queen"),
)
"""Things of which a correction has the answer as it was given."""

_HAPPENED = ("first_contact", "potted", "cue_ball", "answers")


def facts_of_labels(labels: Mapping[str, str], first: str | None = None) -> dict[str, Any]:
    """The fields of a correction that an answer to a referee's call settles; `labels` as candidates carry
    them.

    `first`: the ball that was seen to be hit first.
    """
    facts: dict[str, Any] = {}
    for name, value in labels.items():
        if name in ("striker", "nominated", "cue_ball"):
            facts[name] = value
        elif name in ("first_contact", "potted"):
            facts |= _balls_named(name, value)
        elif name in ("snookered", "clear_path", "touching") and value in ("yes", "no"):
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


def _balls_named(name: str, value: str) -> dict[str, Any]:
    """What was hit first, or fell, by an answer; and into which pockets, where it says so."""
    named = [] if value == "none" else value.replace(" and ", ", ").split(", ")
    balls = {name: tuple(b.partition(" to ")[0].partition("_")[0] for b in named)}
    pockets = tuple((POCKET, b) for b in named if " to " in b)
    return balls | ({"answers": pockets} if pockets else {})


def happened(entry: int, labels: Mapping[str, str]) -> Correction:
    """What a person would say happened in the stroke of a journal's entry, of which these labels are true."""
    facts = facts_of_labels(labels)
    return Correction(entry, **{k: v for k, v in facts.items() if k in _HAPPENED})
