"""English billiards as a `Game`: which act answers which fact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from referee.rules.english_billiards import acts, facts
from referee.rules.english_billiards.engine import choose, judge_stroke, opening
from referee.rules.english_billiards.facts import Fact
from referee.rules.english_billiards.types import INFRINGEMENTS, WRONG_WHITE, Option, Ruling, State, Stroke
from referee.rules.game import AtTable, Game, GameRules

Ruled = tuple[State, Ruling]


def apply(state: State, fact: Fact) -> Ruled:
    """Rule on one fact. Raises `FactsError` for a fact that cannot be true in this state."""
    return _RULES[type(fact)](state, fact)


_RULES: dict[type, Callable[[State, Any], Ruled]] = {
    Stroke: judge_stroke,
    facts.Choice: lambda s, f: choose(s, f.by, f.option),
    facts.FoulWithoutStroke: lambda s, f: acts.foul_without_stroke(s, f.by, f.reason),
    facts.TipTouchedCueBall: lambda s, f: acts.tip_touched_cue_ball(s, f.attempting_stroke),
    facts.LateClaim: lambda s, f: acts.late_claim(s),
    facts.Concession: lambda s, f: acts.concede(s, f.by, f.accepted),
    facts.GameAwarded: lambda s, f: acts.award_game(s, f.against),
    facts.TimeCalled: lambda s, f: acts.call_time(s, f.final_session),
    facts.TimeWastingWarned: lambda s, f: acts.warn_time_wasting(s),
    facts.LimitAnnounced: lambda s, f: acts.announce(s, f.what),
    facts.CountAsked: lambda s, f: acts.tell(s, f.what),
    facts.BallsRepositioned: lambda s, f: acts.reposition(s, f.balls),
    facts.BallFell: lambda s, f: acts.edge_fall(s, f.ball),
    facts.RedTouched: lambda s, f: acts.red_touched(s),
    facts.BallsChanged: lambda s, f: acts.change_balls(s),
    facts.Noted: lambda s, f: acts.note(s, f.rule, f.text),
}


def at_table(state: State) -> AtTable:
    """The striker in turn, who has the options after the other's foul (3.15(c))."""
    options = tuple(o.value for o in state.options)
    return AtTable(state.side, None, state.side if options else None, options)


GAME: Game[State, Fact, Ruling] = GameRules(
    "english_billiards",
    "game",
    State,
    get_args(Fact),
    opening,
    apply,
    (*INFRINGEMENTS, WRONG_WHITE),
    tuple(o.value for o in Option),
    jump="jump_shot",  # 3.14(g)
    table=at_table,
)
