"""What a WEPF referee calls of a foul, and the reason in words, in both languages."""

from __future__ import annotations

import pytest

from calibration.texts import load_texts, phrase
from referee.rules.wepf.engine import Shot, State, apply
from referee.rules.wepf.fouls import INFRINGEMENTS, Foul


@pytest.mark.parametrize("foul", list(Foul))
def test_every_foul_has_its_call_and_its_reason_in_both_languages(foul: Foul) -> None:
    """Y(5)(a): "Foul, Two Visits", "Serious Foul, Two Visits", "Loss of Frame", else the penalty."""
    starts = {"standard": "Foul, Two Visits", "serious": "Serious foul, Two Visits", "non_standard": "Foul, "}
    assert foul.call.startswith(starts.get(foul.type, "Loss of frame"))
    assert foul.words and foul.words not in foul.call
    german = load_texts("de")
    assert phrase(foul.call, german) != foul.call and phrase(foul.words, german) != foul.words


def test_a_foul_shot_is_called_and_told() -> None:
    state = State(colour_a="red", break_shot=False, from_baulk=False)
    _, ruling = apply(state, Shot(by="A", first_contact=("yellow",), rails_after_contact=1))
    assert ruling.words == ("Foul, Two Visits", "no ball on met first")


@pytest.mark.parametrize("word", INFRINGEMENTS)
def test_a_foul_that_a_person_enters_says_its_reason(word: str) -> None:
    state = State(colour_a="red", break_shot=False, from_baulk=False)
    shot = Shot(by="A", first_contact=("red",), rails_after_contact=1, infringements=(word,))
    if word == "out_of_turn":
        shot = Shot(by="B", first_contact=("red",))
    _, ruling = apply(state, shot)
    assert ruling.reason is not None and ruling.reason.words in ruling.words
