"""The table of transitions is closed: every phase can be left, and nothing else is allowed."""

from __future__ import annotations

import pytest

from tracker.machine import TRANSITIONS, Phase, Signal, next_phase


def test_every_phase_is_reached_and_left() -> None:
    assert {p for p, _ in TRANSITIONS} == set(Phase)
    assert set(TRANSITIONS.values()) == set(Phase)


@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("signal", list(Signal))
def test_only_the_tables_transitions(phase: Phase, signal: Signal) -> None:
    if (phase, signal) in TRANSITIONS:
        assert next_phase(phase, signal) is TRANSITIONS[phase, signal]
    else:
        with pytest.raises(ValueError, match=phase.name):
            next_phase(phase, signal)
