"""The rules' `replace` makes what `dataclasses.replace` makes, and refuses what it refuses."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snooker_random import random_fact

from referee.rules.blackball import types as blackball_types
from referee.rules.carrom import types as carrom_types
from referee.rules.common.replace import replace
from referee.rules.english_billiards import types as english_billiards_types
from referee.rules.snooker import apply, new_frame
from referee.rules.snooker.facts import COLOURS, FactsError
from referee.rules.wepf import types as wepf_types
from referee.rules.wpa import (
    eight_ball as wpa_8ball,
)
from referee.rules.wpa import (
    fourteen_one as wpa_14_1,
)
from referee.rules.wpa import (
    nine_ball as wpa_9ball,
)
from referee.rules.wpa import (
    ten_ball as wpa_10ball,
)

GAMES = (
    blackball_types,
    carrom_types,
    english_billiards_types,
    wepf_types,
    wpa_8ball,
    wpa_9ball,
    wpa_10ball,
    wpa_14_1,
)


def records_of_a_frame() -> tuple[Any, ...]:
    """States and rulings of random play, and the facts that led to them."""
    rng = random.Random(20_231_123)
    state = new_frame()
    records: list[Any] = [state]
    while len(records) < 300 and not state.over:
        facts = random_fact(rng, state)
        try:
            state, ruling = apply(state, facts)
        except FactsError:
            continue
        records += [facts, state, ruling]
    return tuple(records)


RECORDS = (*records_of_a_frame(), *(game.State() for game in GAMES))  # type: ignore[attr-defined]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 16),
    st.sampled_from(("A", "B", "red", *COLOURS)),
    st.lists(st.sampled_from(COLOURS), max_size=3).map(tuple),
    st.tuples(st.integers(0, 147), st.integers(0, 147)),
)


def outcome(make: Callable[..., Any], record: Any, changes: dict[str, Any]) -> tuple[Any, ...]:
    """What is made, with its class; or the error's class and words."""
    try:
        made = make(record, **changes)
    except Exception as error:
        return "refused", type(error), str(error)
    return "made", type(made), made, repr(made)


@settings(max_examples=400)
@given(st.data(), st.sampled_from(RECORDS))
def test_replace_does_what_the_library_does(data: st.DataObject, record: Any) -> None:
    """Possible values and impossible ones, which `__post_init__` refuses; the record itself stays as it
    is.
    """
    names = [f.name for f in dataclasses.fields(record)]
    changes = data.draw(st.dictionaries(st.sampled_from(names), VALUES, max_size=6))
    before = repr(record)
    assert outcome(replace, record, changes) == outcome(dataclasses.replace, record, changes)
    assert repr(record) == before


@given(st.sampled_from(RECORDS), st.sampled_from(RECORDS))
def test_values_of_another_moment_are_taken_over(record: Any, later: Any) -> None:
    if type(later) is not type(record):
        later = record
    changes = {f.name: getattr(later, f.name) for f in dataclasses.fields(record)}
    assert replace(record, **changes) == later
    half = dict(list(changes.items())[::2])
    assert outcome(replace, record, half) == outcome(dataclasses.replace, record, half)


@given(st.sampled_from(RECORDS), st.text(min_size=1, max_size=12), VALUES)
def test_unknown_fields_are_refused_as_the_library_refuses_them(record: Any, name: str, value: Any) -> None:
    if name in {f.name for f in dataclasses.fields(record)}:
        name = f"no_{name}"
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        replace(record, **{name: value})
    assert outcome(replace, record, {name: value}) == outcome(dataclasses.replace, record, {name: value})


@dataclass(frozen=True, slots=True)
class Derived:
    first: int = 1
    second: int = 2
    total: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", self.first + self.second)


@dataclass(frozen=True)
class Informed:
    first: int
    second: int
    hint: InitVar[int]
    kinds: ClassVar[int] = 2

    def __post_init__(self, hint: int) -> None:
        object.__setattr__(self, "second", hint)


@dataclass(frozen=True, slots=True)
class Counted:
    kinds: ClassVar[int] = 2
    record: int = 1
    self: int = field(default=2, kw_only=True)
    changes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class One:
    only: int = 1


@dataclass(frozen=True)
class Empty:
    pass


@dataclass(frozen=True, init=False)
class Swapped:
    first: int
    second: int

    def __init__(self, second: int, first: int) -> None:
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "second", second)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"first": 5},
        {"second": 6},
        {"total": 7},
        {"hint": 8},
        {"hint": 8, "first": 9},
        {"kinds": 3},
        {"record": 4},
        {"self": 4},
        {"changes": (1,)},
        {"only": 2},
        {"first": 1, "second": 1, "third": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "record",
    [Derived(), Informed(1, 2, 3), Counted(), One(), Empty(), Swapped(1, 2), 3, Derived, None],
    ids=lambda r: getattr(r, "__name__", type(r).__name__),
)
def test_classes_that_are_not_plain_come_out_as_from_the_library(
    record: Any, changes: dict[str, Any]
) -> None:
    assert outcome(replace, record, changes) == outcome(dataclasses.replace, record, changes)
