"""A short run of every fuzz target: good inputs are taken, changed ones taken or refused in a sentence."""

# ruff: noqa: E402
from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
pytest.importorskip("fastapi", reason="the console needs the extra 'serve'")
from mutate import mutated
from targets import TARGETS, Target

from calibration.errors import UnusableInput

INPUTS, MOST_S = 150, 0.5


def taken(target: Target, data: bytes) -> bool:
    """Whether an input was taken, not refused; any other exception is the test's failure."""
    try:
        target.take(data)
    except UnusableInput as error:
        assert "Traceback" not in str(error)
        return False
    return True


@pytest.mark.parametrize("name", TARGETS)
def test_good_inputs_are_taken_and_changed_ones_cost_a_sentence_at_most(name: str) -> None:
    target, rng = TARGETS[name], random.Random(f"{name} 1")
    seeds = list(target.seeds())
    assert seeds and sum(taken(target, seed) for seed in seeds) >= len(seeds) - 1
    seeds = sorted(seeds, key=len)[:4]  # large ones take long and show nothing else
    end = time.monotonic() + MOST_S
    for _ in range(INPUTS):
        taken(target, mutated(rng.choice(seeds), rng))
        if time.monotonic() > end:
            break


@pytest.mark.parametrize("kept", sorted((HERE / "once_failed").glob("*")), ids=lambda p: p.name)
def test_what_once_failed_costs_a_sentence_at_most(kept: Path) -> None:
    taken(TARGETS[kept.name.partition("-")[0]], kept.read_bytes())
