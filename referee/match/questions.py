"""What a referee's call asks, in the words of a language: the texts of `[questions]`, filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from calibration.table.games import GAMES
from calibration.texts import Texts, load_texts
from referee.facts.judged import Asked
from referee.rules.registry import unit_of

SIDES = ("name", "next")
"""Fields of a sentence that hold a side, A or B."""
_BALLS = ("ball", "balls", "on", "next_on")


def texts_of(game: str, texts: Texts | None = None) -> Texts:
    """The texts in a game's own words, in English where no language is given: white is not the cue-ball in
    each, and a run of 14.1 no break.
    """
    found = texts or load_texts()
    return found.in_words_of(unit_of(game), GAMES[game].family, game) if game in GAMES else found


def question_text(
    asked: Iterable[Asked], texts: Texts | None = None, named: Callable[[str], str] = str
) -> str:
    """The sentences of a question, one after the other; in English where no language is given.

    `named`: the name of side A or B; a record says the side.
    """
    said = texts or load_texts()
    return " ".join(said.say(f"questions.{a.text}", **filled(dict(a.values), said, named)) for a in asked)


def filled(values: Mapping[str, str], texts: Texts, named: Callable[[str], str] = str) -> dict[str, str]:
    """The values of a sentence as words: players by name, balls in the language."""
    return {field: _word(field, value, texts, named) for field, value in values.items()}


def _word(field: str, value: str, texts: Texts, named: Callable[[str], str]) -> str:
    if field in SIDES:
        return named(value)
    if field in _BALLS:
        return ", ".join(texts.ball(b) if b else texts.say("questions.a_ball_on") for b in value.split(", "))
    return value
