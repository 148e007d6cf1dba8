"""A record changed is what `dataclasses.replace` makes of it, its checks included."""

from __future__ import annotations

import dataclasses

import pytest

from referee.rules import records
from referee.rules.game import FactsError
from referee.rules.registry import GAMES


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_changed_state_is_what_the_standard_library_makes(game: str) -> None:
    state = GAMES[game].new_frame("A")
    for field in dataclasses.fields(state):
        same = {field.name: getattr(state, field.name)}
        assert records.replace(state, **same) == dataclasses.replace(state, **same) == state


def test_the_record_that_is_changed_stays_and_the_new_one_is_frozen() -> None:
    state = GAMES["snooker"].new_frame("A")
    changed = records.replace(state, striker="B", strokes=3)
    assert changed == dataclasses.replace(state, striker="B", strokes=3)
    assert (changed.striker, changed.strokes, state.striker, state.strokes) == ("B", 3, "A", 0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        changed.striker = "A"


def test_a_field_that_is_none_of_its_and_a_state_that_cannot_be_are_refused() -> None:
    state = GAMES["snooker"].new_frame("A")
    with pytest.raises(TypeError, match="State has no reds_left"):
        records.replace(state, reds_left=3)
    with pytest.raises(FactsError, match="red cannot be on with no red on the table"):
        records.replace(state, reds=0)
