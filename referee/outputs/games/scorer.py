"""A game as its scorer keeps and says it: what every game gives the documents, pages and the terminal.

The state of a rack in the game's terms is JSON values: groups and balls of a pool rack, points and balls of
14.1, C/m and Queen of carrom, runs of English billiards. Unknown is null, never left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from referee.match.declared import RuledFact

Json = dict[str, Any]
Values = Mapping[str, Any]
Labelled = list[tuple[str, str]]
"""Label and words, in the order in which a scorer reads them."""


class Scorer:
    """One game. A class of a game says what is special about it."""

    figures: ClassVar[tuple[str, ...]] = (
        *("balls_pocketed", "strokes_visits"),
        *("pot_success", "long_pot_success", "safety_success"),
        *("fouls", "average_shot_time", "table_time"),
    )
    """The figures of both sides that say something of the game, by the names of `stats.row_NAME`; here of one
    that is won by racks."""
    pots_alone_score: ClassVar[bool] = False
    """Whether every point is of the ball that was potted, so that a ball's points can be added up."""
    touched = "first_contact"
    """The field of a stroke that names the balls that the cue-ball met."""

    def states(self, rack: Sequence[RuledFact]) -> list[Json]:
        """The state before the first fact of a rack and after each of its facts (one more than facts)."""
        raise NotImplementedError

    def ball_on(self, state: Json, side: str | None) -> str:
        """What a player may play at; a dash where that has no name."""
        return "–"

    def state_words(self, state: Json, players: Sequence[str]) -> Labelled:
        """The part of the state that only this game has."""
        return []

    def stroke_words(self, fact: Values) -> str:
        """What happened in a stroke."""
        balls = self.balls_met(fact)
        parts = self.contact_words(fact, balls)
        if fact.get("cue_ball") == "pocketed" and not self.names_in_off(balls):
            parts.append("cue-ball pocketed")
        if fact.get("cue_ball") == "off_table":
            parts.append("cue-ball off the table")
        parts += [f"{b} off the table" for b in fact.get("off_table") or []]
        parts += [str(i).replace("_", " ") for i in fact.get("infringements") or []]
        return "; ".join(parts + (["push out"] if fact.get("push_out") else []))

    def balls_met(self, fact: Values) -> list[str]:
        """The balls that the cue-ball met, without cushions."""
        return [str(b) for b in fact.get(self.touched) or [] if not str(b).startswith("cushion")]

    def names_in_off(self, balls: Sequence[str]) -> bool:
        """Whether the game has a name of its own for a pocketed cue-ball that met these balls."""
        return False

    def contact_words(self, fact: Values, balls: Sequence[str]) -> list[str]:
        """What was met, and what fell."""
        parts = [f"first {' and '.join(balls)}" if balls else "no ball hit"]
        fell = potted_balls(fact)
        return parts + [f"{ball} pocketed{f' {pocket}' if pocket else ''}" for ball, pocket in fell]


class StateScorer(Scorer):
    """A game whose state says everything."""

    def states(self, rack: Sequence[RuledFact]) -> list[Json]:
        if not rack:
            return []
        before = self.state_json(rack[0].before.state, {})
        return [before, *(self.state_json(r.after.state, r.values) for r in rack)]

    def state_json(self, state: Any, values: Values) -> Json:
        """The state of the game's rules, after a ruling with these values."""
        raise NotImplementedError


class ValuesScorer(Scorer):
    """A game whose start may leave values open, so that its rulings are what is known."""

    def states(self, rack: Sequence[RuledFact]) -> list[Json]:
        if not rack:
            return []
        start = rack[0].start
        states = [self.state_json(start, None, start)]
        for ruled in rack:
            states.append(self.state_json(ruled.values, states[-1], start))
        return states

    def state_json(self, values: Values, before: Json | None, start: Values) -> Json:
        """The state after a ruling with these values."""
        raise NotImplementedError


def potted_balls(fact: Values) -> list[tuple[Any, Any]]:
    """Ball and pocket of every pot that a fact names; the pocket None where only the ball is named."""
    return [
        (p, None) if isinstance(p, str) else (p.get("ball"), p.get("pocket"))
        for p in fact.get("potted") or []
    ]
