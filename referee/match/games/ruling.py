"""Rules on all readings of a stroke of any game but snooker.

A reading is a step in the vocabulary of the rule cases. Readings are weighed by `referee.match.weighing`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from calibration.table.games import GAMES
from referee.cases import play
from referee.cases.model import CaseError, Position, Values
from referee.facts.judged import Candidate, FoulRuled
from referee.match.weighing import (
    OPEN,
    Labels,
    Part,
    combinations,
    grouped,
    likelihood,
    total,
    worth_pursuing,
)
from referee.rules.registry import GAMES as RULES

MOST_READINGS = 96

FIRST = "(first)"
"""Field of a reading's step: steps that come before it (a choice that the stroke shows was made)."""

FOULS = "infringements"
"""Field of a step that the parts of a reading add to."""

AT = "(at)"
"""Field of a reading's step: the position that it takes the match to be in, where that is uncertain."""

Step = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """A step that may be true, how likely, and what it takes the uncertain things to be.

    `needed`: the same as far as the rules need it, where that is less; else None.
    """

    step: Step
    labels: Labels
    weight: float
    needed: Labels | None = None


@dataclass(frozen=True, slots=True)
class Ruled:
    """A reading with what the rules make of it."""

    reading: Reading
    after: Position[Any, Any]
    values: Values

    @property
    def labels(self) -> Labels:
        """What the reading takes the uncertain things to be."""
        return self.reading.labels

    @property
    def weight(self) -> float:
        """The reading's weight."""
        return self.reading.weight


def readings(base: Step, things: Sequence[Sequence[Part | tuple[Part, ...]]]) -> list[Reading]:
    """Every combination worth pursuing, heaviest first; weights sum to 1. A thing of no parts is left out;
    what hangs together is one thing of several parts.
    """
    found: list[Reading] = []
    for parts, weight in combinations(things):
        step = dict(base)
        for part in parts:
            fouls = [*step.get(FOULS, ()), *part.changes.get(FOULS, ())]
            step |= {**part.changes, FOULS: fouls}
        found.append(Reading(step, tuple((p.name, p.value) for p in parts), weight))
    return worth_pursuing(found, MOST_READINGS, OPEN**2)


def rule_each(game: str, position: Position[Any, Any], found: Sequence[Reading]) -> list[Ruled]:
    """What the rules make of each reading; one that cannot be true of the state is left out."""
    ruled = []
    for reading in found:
        try:
            at = reading.step.get(AT, position)
            for earlier in reading.step.get(FIRST, ()):
                at = play.advance(game, at, earlier).position
            after = play.advance(game, at, {k: v for k, v in reading.step.items() if k not in (AT, FIRST)})
        except CaseError:
            continue
        ruled.append(Ruled(reading, after.position, after.values))
    return ruled


STATE = ("lying", "group", "queen")
"""Things of the state before a stroke that nobody told."""


def by_state(ruled: Sequence[Ruled], fouled: float) -> list[Ruled]:
    """The same with each state before the stroke as likely as the stroke makes it: players foul rarely, in a
    share `fouled` of strokes. What is uncertain of the stroke itself weighs as it did within its state.
    """
    states = grouped(ruled, lambda r: tuple(v for v in r.labels if v[0] in STATE))
    if len(states) < 2:
        return list(ruled)
    shares = {
        state: likelihood(((r.weight, is_odd(r)) for r in rs), fouled) / total(rs)
        for state, rs in states.items()
    }
    weights = [(r, r.weight * shares[state]) for state, rs in states.items() for r in rs]
    whole = sum(weight for _, weight in weights)
    found = [replace(r, reading=replace(r.reading, weight=weight / whole)) for r, weight in weights]
    return sorted(found, key=lambda r: -r.weight)


def is_odd(r: Ruled) -> bool:
    """Whether a reading has players do what they seldom do: a foul, or another ball than the called one into
    the called pocket.
    """
    called = r.reading.step.get("called")
    if foul_of(r.values) is not None or not isinstance(called, Mapping):
        return foul_of(r.values) is not None
    fell = [(p.get("ball"), p.get("pocket")) for p in r.reading.step.get("potted", ())]
    into = {ball for ball, pocket in fell if pocket == called.get("pocket")}
    return bool(into) and called.get("ball") not in into


def candidate(facts: Labels, r: Ruled, weight: float, points: int, score: tuple[int, int]) -> Candidate:
    """A reading as the outputs show it; `points` and `score` of its ruling."""
    return Candidate(
        facts=facts,
        weight=weight,
        foul=foul_of(r.values),
        miss=None,
        free_ball=False,
        points=points,
        score=score,
        next_striker=next_of(r.values),
        next_ball_on=None,
        values=as_json(r.values),
    )


_FACTS = ("first_contact", "potted", "striker")
"""Things that a review says of a stroke by themselves: readings that differ in them never agree."""


def meaning(r: Ruled) -> str:
    """What a reading says and what follows from it: readings that agree in this need no question."""
    follows = {k: v for k, v in r.values.items() if k != "call"}
    told = [v for v in as_needed(r) if v[0] in _FACTS]
    return json.dumps([follows, told], sort_keys=True, default=str)


def as_json(value: Any) -> str:
    """Canonical JSON of a step, of a ruling's values or of a start."""
    return json.dumps(value, sort_keys=True, default=_plain)


def _plain(value: Any) -> Any:
    return sorted(value, key=str) if isinstance(value, set | frozenset) else str(value)


def needed(game: str, labels: Labels) -> Labels:
    """What a reading says as far as the game's rules read it: of the first contact which ball it was, whether
    there was one, or nothing.
    """
    reads = RULES[game].first_contact
    if reads == "which":
        return labels
    kept = (v for v in labels if reads == "whether" or v[0] != "first_contact")
    return tuple(("first_contact", "any") if v[0] == "first_contact" and v[1] != "none" else v for v in kept)


def as_needed(r: Ruled) -> Labels:
    """What a reading says as far as the rules need it."""
    return r.labels if r.reading.needed is None else r.reading.needed


_NEXT = ("next_striker", "next_shooter", "next_player", "next_turn")


def next_of(values: Step) -> str | None:
    """Who plays next, by the values of a ruling."""
    said = next((str(values[k]) for k in _NEXT if values.get(k)), "").rpartition(":")[2]
    return said if said in ("A", "B") else None


def foul_of(values: Step) -> FoulRuled | None:
    """The foul, None when there is none; 14.1 subtracts its penalty from the points of the stroke."""
    if not values.get("foul"):
        return None
    penalty, to, points = values.get("penalty"), values.get("penalty_to"), values.get("points")
    if isinstance(penalty, bool) or not isinstance(penalty, int):
        penalty = max(-points, 0) if isinstance(points, int) else 0
    return FoulRuled(values.get("clause"), penalty, to if to in ("A", "B") else None)


def words_of(values: Step) -> tuple[str, ...]:
    """What a referee calls."""
    call = values.get("call") or []
    return tuple(str(w) for w in call) if isinstance(call, list | tuple) else (str(call),)


def score_of(game: str, values: Step, earlier: tuple[int, int], racks: tuple[int, int]) -> tuple[int, int]:
    """The score after a ruling: points where the game has them (as `earlier` where it says none), else
    `racks` won.
    """
    if not GAMES[game].points:
        return racks
    scores = values.get("scores")
    return (scores["A"], scores["B"]) if isinstance(scores, Mapping) else earlier


def score_at_start(game: str, start: Step, before: tuple[int, int]) -> tuple[int, int]:
    """The score at the beginning of a rack: its start's points, else none; racks won, `before`, go on."""
    if not GAMES[game].points:
        return before
    scores = start.get("game_scores" if game == "carrom" else "scores")
    scores = scores if isinstance(scores, Mapping) else {}
    return int(scores.get("A", 0)), int(scores.get("B", 0))


def points_of(values: Step, by: str | None, earlier: tuple[int, int], score: tuple[int, int]) -> int:
    """Points of a ruling for its striker, in a game that has points. `earlier`, `score`: before and after."""
    if by not in ("A", "B"):
        return 0
    own = values.get("points_to_striker")
    k = "AB".index(by)
    return max(own if isinstance(own, int) else score[k] - earlier[k], 0)
