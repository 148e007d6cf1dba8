"""English billiards: laws that hold over random strokes, the case files, and the coverage declaration."""

from __future__ import annotations

import pathlib
import random
from dataclasses import replace

import pytest

from calibration.table.specs import SNOOKER_TABLE
from referee.cases.runner import run_files
from referee.rules.english_billiards import engine as game
from referee.rules.english_billiards.fouls import cannon_limit, hazard_limit
from referee.rules.english_billiards.types import (
    BallAt,
    CushionContact,
    Reason,
    Rules,
    State,
    Stroke,
    index,
    other,
)

STROKES = 8_000
_FAULTS = [r for r in Reason if r.clause.startswith("3.14(") and r.clause <= "3.14(i)"]


def random_stroke(rng: random.Random, state: State) -> Stroke:
    white_there = not state.in_hand[index(other(state.side))]
    balls = ["red", "white"] if white_there else ["red"]
    met = [b for b in rng.sample(balls, len(balls)) if rng.random() < 0.75]
    contacts: list[object] = [*met]
    if rng.random() < 0.3:
        contacts.insert(rng.randrange(len(contacts) + 1), CushionContact(rng.random() < 0.4))
    gone = [b for b in met if rng.random() < 0.4]
    potted = tuple(b for b in gone if rng.random() < 0.9)
    places = tuple(
        BallAt(b, rng.uniform(-800, 800), rng.choice((rng.uniform(30, 3500), 3245.0, 1784.5, 737.0)))  # type: ignore[arg-type]
        for b in balls
    )
    return Stroke(
        by=state.striker,
        contacts=tuple(contacts),  # type: ignore[arg-type]
        potted=potted,  # type: ignore[arg-type]
        off_table=tuple(b for b in gone if b not in potted),  # type: ignore[arg-type]
        cue_ball=rng.choice(("on_table", "on_table", "pocketed")),
        infringements=tuple(rng.sample(_FAULTS, 1)) if rng.random() < 0.05 else (),
        before=places,
        after=tuple(replace(p, x_mm=rng.choice((0.0, p.x_mm))) for p in places if p.ball not in gone),
        touching=(("cue", "red"),) if rng.random() < 0.05 else (),
        crossed_baulk_line=rng.random() < 0.1,
        called=rng.random() > 0.02,
    )


def play_on(seed: int, rules: Rules, strokes: int) -> list[tuple[State, Stroke, State, object]]:
    rng, out = random.Random(seed), []
    state = game.opening("A", rules)
    for _ in range(strokes):
        if state.options:
            state, _ = game.choose(state, state.side, rng.choice(state.options))
        stroke = random_stroke(rng, state)
        after, ruling = game.judge_stroke(state, stroke)
        out.append((state, stroke, after, ruling))
        if after.over:
            break
        state = after
    return out


def test_laws_of_scoring_hold_over_random_strokes() -> None:
    seen: set[Reason] = set()
    for state, _stroke, after, ruling in play_on(20261121, Rules(baulk_crossing=True), STROKES):
        seen.add(ruling.reason)
        gained = [after.scores[i] - state.scores[i] for i in (0, 1)]
        me = index(state.side)
        assert gained[me] == ruling.points and gained[1 - me] == ruling.penalty
        assert not (ruling.points and ruling.penalty)
        assert ruling.points <= 10 and ruling.penalty in (0, 2)
        assert (ruling.next_striker == state.striker) == (ruling.points > 0)
        assert not after.red.off_table  # the red is always spotted
        assert after.hazards <= hazard_limit(after) and after.cannons <= cannon_limit(after)
        assert bool(ruling.options) == ruling.foul
        assert ruling.in_hand == after.striker_in_hand
        for p in ruling.placed:
            assert abs(p.x_mm) <= SNOOKER_TABLE.half_width_mm and 0 < p.y_mm < SNOOKER_TABLE.length_mm
    assert {
        Reason.SCORED,
        Reason.NO_SCORE,
        Reason.IMPROPER_IN_HAND,
        Reason.FOUL_MISS,
        Reason.BALL_OFF_TABLE,
    } <= seen


def test_a_game_to_points_ends_and_replays_exactly() -> None:
    for seed in range(20):
        rules = Rules(target=100)
        first = play_on(seed, rules, 2000)
        assert first[-1][2].over and max(first[-1][2].scores) == 100
        assert first == play_on(seed, rules, 2000)


def test_case_files_pass() -> None:
    results = run_files([pathlib.Path(__file__).parents[2] / "cases" / "english_billiards.jsonl"])
    assert len(results) >= 28
    assert [(r.id, r.differences, r.error) for r in results if r.outcome != "passed"] == []


@pytest.mark.parametrize(
    "bad", [{"potted": ("black",)}, {"potted": ("red", "red")}, {"potted": ("red",), "off_table": ("red",)}]
)
def test_impossible_facts_are_refused(bad: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(ValueError):
        Stroke("A", **bad)  # type: ignore[arg-type]
