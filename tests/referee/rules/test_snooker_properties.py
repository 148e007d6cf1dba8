"""Laws that hold over any frame of snooker, tried on random strokes and acts."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snooker_random import random_fact, replay

from referee.rules.snooker import ANY_COLOUR, Options, Pending, Ruling, State, apply, new_frame
from referee.rules.snooker.facts import COLOURS, Choice, ChoiceFacts, Facts, FactsError, StrokeFacts
from referee.rules.snooker.state import TRANSITIONS

LONGEST_FRAME = 3_000
VARIANTS = (
    Options(),
    Options(reds=6, most_misses=5, never_behind_nominated=True),
    Options(amateur_14_1_star=True, amateur_3_4_d_star=True),
    Options(miss_rule="old", club_rules=True),
    Options(miss_rule="off"),
)


def first_state(number: int, rng: random.Random) -> State:
    order = ("A1", "B1", "A2", "B2") if number % 5 == 4 else ("A", "B")
    state = new_frame(order[number % 2], VARIANTS[number % len(VARIANTS)], order)
    if number % 7 == 3:
        return replace(state, aggregate=True, aggregate_before=(rng.randrange(50), rng.randrange(50)))
    return state


def check_step(before: State, facts: Facts, after: State, ruling: Ruling) -> None:
    gained = [b - a for a, b in zip(before.scores, after.scores, strict=True)]
    due = list(ruling.adjustment)
    if ruling.points:
        assert isinstance(facts, StrokeFacts)
        due["AB".index(facts.by[0])] += ruling.points
    if ruling.foul:
        assert ruling.penalty_to is not None and ruling.penalty in (4, 5, 6, 7)
        due["AB".index(ruling.penalty_to)] += ruling.penalty
        assert ruling.points == 0
    condoned_before = before.unclaimed is not None and ruling.foul and not isinstance(facts, StrokeFacts)
    if not condoned_before:  # a claim re-judges the stroke before it
        assert gained == due, (facts, ruling)
    assert tuple(after.scores) == tuple(ruling.scores)
    replaced = ruling.restart or isinstance(facts, ChoiceFacts) or condoned_before
    assert after.reds <= before.reds or replaced, (facts, ruling)
    if isinstance(facts, ChoiceFacts) and after.reds > before.reds:
        assert facts.choice in (Choice.AGAIN_ORIGINAL, Choice.AGAIN_ALL_REPLACED)
    assert after.pending in TRANSITIONS[before.pending] or condoned_before
    check_state(after, ruling)


def check_state(state: State, ruling: Ruling) -> None:
    on = state.ball_on
    assert (on is None) == state.over == ruling.frame_over
    if on == "red":
        assert state.reds > 0
    elif on == ANY_COLOUR:
        assert state.colours == COLOURS
    elif on is not None:
        assert on in state.colours and state.reds == 0
        assert on == state.colours[0]
    assert ruling.cue_ball_in_hand == state.in_hand
    assert len(ruling.respot) == len({p.ball for p in ruling.respot})
    assert all(p.ball in state.colours for p in ruling.respot)
    if not state.over and state.pending is not Pending.LOTS:
        assert ruling.next_striker == state.striker
        assert ruling.next_ball_on == on
    if state.free_ball:
        assert on not in (None, ANY_COLOUR)


def play_frame(number: int, seed: int) -> tuple[list[Facts], State, tuple[Ruling, ...]]:
    """One random frame to its end; every step checked."""
    rng = random.Random(seed)
    state = first_state(number, rng)
    played: list[Facts] = []
    rulings: list[Ruling] = []
    while not state.over:
        assert len(played) < LONGEST_FRAME, "the frame does not end"
        facts = random_fact(rng, state)
        before = state
        try:
            state, ruling = apply(before, facts)
        except FactsError as error:
            assert str(error) and "\n" not in str(error)
            continue
        played.append(facts)
        rulings.append(ruling)
        check_step(before, facts, state, ruling)
    return played, state, tuple(rulings)


@pytest.mark.parametrize("least_strokes", [15_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_laws_over_random_strokes(least_strokes: int) -> None:
    """Points conserved, reds stay off, the ball on is on the table, a frame ends, replay is exact."""
    strokes = number = 0
    while strokes < least_strokes:
        played, last, rulings = play_frame(number, 20_000 + number)
        strokes += sum(isinstance(f, StrokeFacts) for f in played)
        if number % 20 == 0:
            start = first_state(number, random.Random(20_000 + number))
            assert replay(start, played) == (last, rulings)
        number += 1
    assert number > 20


_BALL = st.sampled_from(("red", "white", "yellow", "black", "pink", "purple"))
_BALLS = st.lists(_BALL, max_size=3).map(tuple)


@settings(max_examples=300)
@given(
    st.sampled_from(("A", "B", "C", "A1")),
    _BALLS,
    _BALLS,
    _BALLS,
    st.one_of(st.none(), _BALL),
    st.sampled_from(("red", ANY_COLOUR, "yellow", "black")),
    st.integers(0, 15),
    st.booleans(),
)
def test_any_stroke_is_ruled_or_refused_in_one_sentence(
    by: str,
    first: tuple[str, ...],
    potted: tuple[str, ...],
    off: tuple[str, ...],
    nominated: str | None,
    on: str,
    reds: int,
    free: bool,
) -> None:
    """No facts, however impossible, raise anything but `FactsError`."""
    try:
        colours = COLOURS if on in ("red", ANY_COLOUR) else COLOURS[COLOURS.index(on) :]
        state = State(ball_on=on, reds=reds, colours=colours, free_ball=free, in_hand=False)
        _, ruling = apply(state, StrokeFacts(by, first, potted, off, nominated=nominated))
        assert ruling.words or not ruling.foul
    except FactsError as error:
        assert str(error) and "\n" not in str(error)


def test_nothing_is_played_after_the_frame_is_over() -> None:
    state = replace(new_frame(), pending=Pending.OVER, ball_on=None)
    with pytest.raises(FactsError, match="the frame is over"):
        apply(state, StrokeFacts("A", ("red",)))
