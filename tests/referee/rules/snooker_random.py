"""Random but possible facts for a state of snooker; seeded, no clock."""

from __future__ import annotations

import random
from collections.abc import Iterable

from referee.rules.snooker import ANY_COLOUR, Pending, Ruling, State, apply
from referee.rules.snooker.facts import (
    COLOURS,
    Act,
    ActFacts,
    After,
    Choice,
    ChoiceFacts,
    CueBall,
    Facts,
    Fell,
    Infringed,
    Infringement,
    Judgement,
    RefereeAct,
    RefereeFacts,
    StrokeFacts,
)

_KINDS = tuple(Infringement)
_MAYBE = (None, True, False)


def on_table(state: State) -> list[str]:
    return (["red"] if state.reds else []) + list(state.colours)


def random_fact(rng: random.Random, state: State) -> Facts:
    """Mostly strokes; choices when they are open; sometimes an act or a referee's act."""
    roll = rng.random()
    if state.pending is Pending.AFTER_FOUL and state.offence is not None and roll < 0.6:
        choice = rng.choice(state.offence.options)
        back = ("red",) if rng.random() < 0.3 else ()
        return ChoiceFacts(state.striker, choice, back)
    if state.pending is Pending.CONCESSION:
        other = "B" if state.striker[0] == "A" else "A"
        return ChoiceFacts(other, Choice.ACCEPT_CONCESSION if roll < 0.01 else Choice.REFUSE_CONCESSION)
    if state.pending is Pending.LOTS and roll < 0.5:
        return ChoiceFacts(rng.choice("AB"), rng.choice((Choice.PLAY, Choice.OPPONENT_FIRST)))
    if roll < 0.03:
        return ChoiceFacts(
            rng.choice("AB"), rng.choice((*tuple(Choice)[:5], Choice.CONCEDE, Choice.CLAIM_FRAME))
        )
    if roll < 0.08:
        return random_act(rng, state)
    if roll < 0.0802:
        return RefereeFacts(rng.choice((RefereeAct.STALEMATE, RefereeAct.WRONG_STARTER)), "A")
    return random_stroke(rng, state)


def random_act(rng: random.Random, state: State) -> ActFacts:
    acts = (
        Act.TOUCHED_BALL,
        Act.PICKED_UP_BALL,
        Act.TOUCHED_MARKER,
        Act.USED_BALL_OFF_TABLE,
        Act.MEASURED,
        Act.BALL_FELL,
        Act.LATE_CLAIM,
        Act.CLAIM,
        Act.TOUCHED_IN_CONSULTATION,
        Act.NOTED,
    )
    ball = rng.choice([*on_table(state), "white"])
    nominated = rng.choice((None, *state.colours)) if state.colours else None
    after = After(snookered=rng.choice(_MAYBE))
    return ActFacts(
        rng.choice(acts), rng.choice(state.order), ball, nominated, rng.choice(_MAYBE), after=after
    )


def random_stroke(rng: random.Random, state: State) -> StrokeFacts:
    balls = on_table(state)
    target = _target(rng, state)
    clean = rng.random() < 0.6
    first: tuple[str, ...] = (target,) if clean else tuple(_hits(rng, state, balls))
    potted: list[str] = []
    if rng.random() < 0.5:
        potted.append(target if clean else rng.choice(balls))
    if rng.random() < 0.08:
        potted.append(rng.choice(balls))
    off = [rng.choice(balls)] if rng.random() < 0.02 else []
    potted, off = _possible(state, potted, off)
    return StrokeFacts(
        by=state.striker if rng.random() < 0.98 else rng.choice(state.order),
        first_contact=first,
        potted=tuple(potted),
        off_table=tuple(off),
        cue_ball=rng.choices(tuple(CueBall), (95, 4, 1))[0],
        nominated=target if target in COLOURS and rng.random() < 0.9 else None,
        infringements=(Infringed(rng.choice(_KINDS), (rng.choice(balls),)),) if rng.random() < 0.05 else (),
        jumped=(rng.choice(balls),) if rng.random() < 0.01 else (),
        touching_moved=(rng.choice(balls),) if rng.random() < 0.01 else (),
        fell=(Fell(rng.choice(balls), rng.random() < 0.5),) if rng.random() < 0.02 else (),
        called=rng.random() < 0.97,
        judgement=Judgement(*(rng.choice(_MAYBE) for _ in range(6))),
        after=_after(rng, balls),
    )


def _target(rng: random.Random, state: State) -> str:
    if state.free_ball and rng.random() < 0.8:
        return rng.choice(on_table(state))
    if state.ball_on == ANY_COLOUR:
        return rng.choice(state.colours)
    return str(state.ball_on)


def _hits(rng: random.Random, state: State, balls: list[str]) -> list[str]:
    hits = [rng.choice(balls) for _ in range(rng.choice((0, 1, 1, 2)))]
    possible, _ = _possible(state, hits, [])
    return possible


def _possible(state: State, potted: list[str], off: list[str]) -> tuple[list[str], list[str]]:
    """Without colours twice, or more reds than there are."""
    seen: dict[str, int] = {}
    out: list[list[str]] = [[], []]
    for place, group in enumerate((potted, off)):
        for ball in group:
            seen[ball] = seen.get(ball, 0) + 1
            if seen[ball] <= (state.reds if ball == "red" else 1):
                out[place].append(ball)
    return out[0], out[1]


def _after(rng: random.Random, balls: list[str]) -> After:
    touching = (rng.choice(balls),) if rng.random() < 0.05 else ()
    return After(rng.choice(_MAYBE), (rng.choice(balls),) if rng.random() < 0.3 else None, touching)


def replay(state: State, facts: Iterable[Facts]) -> tuple[State, tuple[Ruling, ...]]:
    """Facts folded over a state: the last state and every ruling."""
    rulings = []
    for fact in facts:
        state, ruling = apply(state, fact)
        rulings.append(ruling)
    return state, tuple(rulings)
