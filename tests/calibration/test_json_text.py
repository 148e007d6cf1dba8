"""JSON that others wrote: only numbers and texts that a program can count with and write again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.json_text import loads

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=10,
)


@given(values)
def test_what_json_holds_comes_back(value: object) -> None:
    assert loads(json.dumps(value)) == value
    assert loads(json.dumps(value, ensure_ascii=False).encode()) == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1" * 400, "too many digits"),
        ("1e999", "too large"),
        ("NaN", "no number"),
        ("[-Infinity]", "no number"),
        ('"\\ud800"', "surrogate"),
        ("[" * 100_000, "nested too deep"),
        ("{", "Expecting"),
    ],
)
def test_what_no_program_can_use_is_refused(text: str, found: str) -> None:
    for given_text in (text, text.encode()):
        with pytest.raises(ValueError, match=found):
            loads(given_text)
