"""The notation is written and read without loss, and the golden frames score as they are known to."""

from __future__ import annotations

import pathlib
import random
import re
from dataclasses import replace

import pytest
from snooker_random import random_fact

from calibration.errors import UnusableInput
from referee.match.notation import Frame, read, read_fact, write, write_fact
from referee.rules.snooker import Options, apply, new_frame, replay
from referee.rules.snooker.facts import Act, ActFacts, After, Facts, FactsError, Placement, StrokeFacts
from referee.rules.snooker.match import breaks, centuries

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "cases" / "golden"


@pytest.mark.parametrize(("name", "best"), [("break_147.txt", 147), ("break_148_free_ball.txt", 148)])
def test_golden_breaks(name: str, best: int) -> None:
    frame = read((GOLDEN / name).read_text("utf-8"), name)
    state, rulings = replay(frame.start, frame.facts)
    strikers = [f.by for f in frame.facts if isinstance(f, StrokeFacts)]
    assert state.over and state.winner == "A"
    assert state.scores[0] == best + sum(r.penalty for r in rulings)
    assert max(b.points for b in breaks(strikers, rulings)) == best
    assert len(centuries(strikers, rulings)) == 1
    assert read(write(frame)) == frame


def test_golden_frame_scores_line_by_line() -> None:
    text = (GOLDEN / "frame_safety_and_fouls.txt").read_text("utf-8")
    frame = read(text)
    known = [(int(a), int(b)) for a, b in re.findall(r"# (\d+)-(\d+)$", text, re.MULTILINE)]
    state = frame.start
    for fact, score in zip(frame.facts, known, strict=True):
        state, _ = apply(state, fact)
        assert state.scores == score, write_fact(fact)
    assert state.over and state.winner == "B"


def random_frame(seed: int) -> Frame:
    rng = random.Random(seed)
    start = state = new_frame("AB"[seed % 2], Options(reds=6, most_misses=5) if seed % 3 else Options())
    played: list[Facts] = []
    while not state.over and len(played) < 120:
        fact = random_fact(rng, state)
        try:
            state, _ = apply(state, fact)
        except FactsError:
            continue
        played.append(fact)
    return Frame(start, tuple(played))


@pytest.mark.parametrize("seed", range(25))
def test_what_is_written_is_read_the_same(seed: int) -> None:
    frame = random_frame(seed)
    text = write(frame)
    assert read(text) == frame
    assert write(read(text)) == text


def test_rare_fields_survive() -> None:
    facts: list[Facts] = [
        StrokeFacts("A", (), excused=False, points_available=27, after=After(True, ())),
        StrokeFacts("B", ("red",), placements=(Placement("black", None, (0.0, 3301.539), "snooker 3.7(f)"),)),
        ActFacts(Act.NOTED, note="4.4 deputy appointed", after_stroke=False, early=True, out_of_turn=True),
    ]
    for fact in facts:
        assert read_fact(write_fact(fact)) == fact
    mid = replace(new_frame(), ball_on="blue", reds=0, colours=("blue", "pink", "black"), scores=(40, 52))
    assert read(write(Frame(mid, ()))).start == mid


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "found no line at all"),
        ("A red", "line 1: expected a line beginning with 'frame'"),
        ("frame reds=x", "line 1: expected a whole number"),
        ("frame\n\nA", "line 3: expected the first contact"),
        ("frame\nA red !cheated", "line 2: expected an infringement"),
        ("frame\nA red wobble=3", "line 2: expected one of"),
        ("frame\nB? maybe", "line 2: expected a choice"),
        ("frame reds=0", "red cannot be on"),
    ],
)
def test_a_broken_line_is_named(text: str, said: str) -> None:
    with pytest.raises(UnusableInput, match="(?s)" + said):
        read(text, "frame.txt")
