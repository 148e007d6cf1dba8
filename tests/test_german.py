"""German is complete: what a command or page says in German shares no words with its English but terms."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from calibration.errors import UnusableInput
from calibration.texts import language, load_texts, phrase, phrases
from referee.cases.model import Case
from referee.cases.runner import load_file
from referee.match.declared import RuledFact, judge, setup_of
from referee.match.declared_facts import facts_file
from referee.outputs.games import SCORERS
from referee.outputs.games.words import (
    fact_words,
    line_words,
    readable,
    result_words,
    state_words,
)

CASES = sorted((Path(__file__).parent / "cases").glob("*.jsonl"))
GERMAN = load_texts("de")
TERMS = frozenset(
    {"Ann", "Bob", "Rack", "Racks", "Foul", "Fouls", "Spot", "Break", "Due", "Queen", "Snooker", "Safety"}
    | {"Match", "Miss", "Frame", "Push", "out", "Touching", "Hazards", "HAZARDS", "minus"}
)
"""Words that German players use as they are, and names of the players and of rule texts."""


def english_words(said: str, english: str, terms: frozenset[str] = TERMS) -> set[str]:
    """Words of three letters or more that stand in both, but for terms."""
    shared = set.intersection(
        *(set(re.findall(r"[A-Za-z]{3,}", re.sub(r"\[[^]]*\]", "", t))) for t in (said, english))
    )
    return shared - terms


def rulings(path: Path) -> Iterator[tuple[Any, RuledFact]]:
    """Every fact of a file of cases as `cueref judge` rules on it, but those that no facts can say."""
    for case in load_file(path):
        assert isinstance(case, Case)
        start = {**case.data.get("start", {}), "type": "start", "players": ["Ann", "Bob"]}
        start |= {"options": case.data["options"]} if case.data.get("options") else {}
        steps = ({k: v for k, v in step.items() if k != "expect"} for step in case.data["steps"])
        data = "\n".join(json.dumps(fact) for fact in (start, *steps)).encode()
        try:
            file = facts_file(Path("facts"), data, hashlib.sha256(data).hexdigest())
            setup = setup_of(file, case.game)
            for ruled in judge(file, setup):
                yield setup, ruled
        except UnusableInput:
            continue


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_every_ruling_of_every_game_is_said_in_german(path: Path) -> None:
    found: dict[str, set[str]] = {}
    for setup, ruled in rulings(path):
        before, after = SCORERS[setup.game].states([ruled])
        said = [
            line_words(setup, ruled),
            result_words(setup, [ruled]),
            readable(fact_words(setup.game, ruled.fact)),
        ]
        said += [SCORERS[setup.game].ball_on(before, ruled.by if ruled.by in ("A", "B") else None)]
        said += [word for pair in state_words(setup.game, after, setup.players) for word in pair]
        for english in said:
            if same := english_words(phrase(english, GERMAN), english):
                found[english] = same
    assert found == {}


def test_every_phrase_has_its_values_in_both_languages_and_is_found_by_its_own_words() -> None:
    english, german = load_texts().sections[phrases.SECTION], GERMAN.sections[phrases.SECTION]
    unlike = [k for k in english if language.fields_of(english[k]) != language.fields_of(german[k])]
    assert unlike == []
    whole = {k: text for k, text in english.items() if not language.fields_of(text)}
    assert len({t.lower() for t in whole.values()}) == len(whole)
    assert [k for k, text in whole.items() if phrase(text, GERMAN) != german[k]] == []


def test_names_and_what_somebody_wrote_are_not_translated() -> None:
    assert phrase("board to Red; won by Safety First", GERMAN) == "Brett an Red; gewonnen von Safety First"
    assert phrase("an unheard-of sentence", GERMAN) == "an unheard-of sentence"
    assert phrase("reds_on_table must be 0 to 15, got 'list'", GERMAN) == (
        "reds_on_table: erwartet 0 bis 15, gefunden 'list'"
    )


def test_a_third_language_is_begun_by_its_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few keys are enough: it is offered, and what it lacks is said in English."""
    for code in ("en", "de"):
        (tmp_path / f"{code}.toml").write_bytes(language.folder().joinpath(f"{code}.toml").read_bytes())
    (tmp_path / "cy.toml").write_text(
        '[language]\nname = "Cymraeg"\n[balls]\nred = "coch"\n[phrases]\nnext = "nesaf {name}"\n', "utf-8"
    )
    cached = (language.languages, language.language_names, language.load_texts, phrases._said)
    monkeypatch.setattr(language, "folder", lambda: tmp_path)
    try:
        for f in cached:
            f.cache_clear()
        assert language.language_names() == {"cy": "Cymraeg", "de": "Deutsch", "en": "English"}
        welsh = language.accepted("cy-GB,cy;q=0.9,en;q=0.5")
        assert (welsh.ball("red_3"), welsh.ball("blue")) == ("coch", "blue")
        assert phrase("Foul; next Bo", welsh) == "Foul; nesaf Bo"
        assert welsh.say("console.watch") == load_texts().say("console.watch")
    finally:
        monkeypatch.undo()
        for f in cached:
            f.cache_clear()
