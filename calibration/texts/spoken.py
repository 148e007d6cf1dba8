"""The language of this process, and sentences that can be said again in another one.

Programs speak the language of their terminal; a page is answered in the language of its browser. A `Sentence`
is in the first and keeps what it was made of, so that the page's server can say it in the second.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from calibration.errors import UnusableInput
from calibration.texts.language import ENGLISH, Texts, languages, load_texts
from calibration.texts.phrases import phrase

VARIABLE = "CUEREF_LANG"
"""Names the language of terminal output; without it the locale does (LC_ALL, LC_MESSAGES, LANG)."""
_LOCALE = (VARIABLE, "LC_ALL", "LC_MESSAGES", "LANG")

_process = {"language": ENGLISH}


class Sentence(str):
    """A text filled in, in the language of this process; it keeps its key and values."""

    key: str
    values: Mapping[str, object]

    def __new__(cls, key: str, values: Mapping[str, object]) -> Sentence:
        made = super().__new__(cls, _filled(key, values, spoken()))
        made.key, made.values = key, values
        return made

    def __getnewargs__(self) -> tuple[str, Mapping[str, object]]:  # type: ignore[override]
        return self.key, self.values

    def in_language(self, texts: Texts) -> str:
        """The same sentence in another language, with the sentences inside it."""
        return _filled(self.key, self.values, texts)


class Recorded(Sentence):
    """English of a record, said in another language by the phrase that it is."""

    def __new__(cls, english: str, values: Mapping[str, object] | None = None) -> Recorded:
        made = str.__new__(cls, phrase(english, spoken()))
        made.key, made.values = english, values or {}
        return made

    def in_language(self, texts: Texts) -> str:
        """The same in another language."""
        return phrase(self.key, texts)


def recorded(english: str) -> Sentence:
    """English of a record or a program, in the language of this process and of who reads it."""
    return Recorded(english)


def _filled(key: str, values: Mapping[str, object], texts: Texts) -> str:
    return texts.say(key, **{k: again(v, texts) for k, v in values.items()})


def sentence(key: str, **values: object) -> Sentence:
    """The text `section.name` filled in, in the language of this process."""
    return Sentence(key, values)


def listed(parts: Sequence[object], by: str = "history.and") -> Sentence:
    """Words behind one another; a dash for none."""
    said = sentence("history.one", what=parts[0] if parts else "–")
    for part in parts[1:]:
        said = sentence(by, a=said, b=part)
    return said


def game_title(game: str) -> Sentence:
    """A game as people call it, by the name that options and files have; of its second racks too."""
    return sentence(f"games.{game.removesuffix('_rerack')}")


def unusable_input(key: str, **values: object) -> UnusableInput:
    """The error whose one sentence is the text `section.name`, filled in."""
    return UnusableInput(Sentence(key, values))


def said(english: str) -> str:
    """English words of a record or a report in the language of this process."""
    return phrase(english, spoken())


def again(value: Any, texts: Texts) -> Any:
    """A value in another language: sentences, also within JSON values and errors, are said again."""
    if isinstance(value, Sentence):
        return value.in_language(texts)
    if isinstance(value, dict):
        return {k: again(v, texts) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [again(v, texts) for v in value]
    if isinstance(value, Exception):
        said = value.args[0] if len(value.args) == 1 else str(value)
        return again(said, texts) if isinstance(said, Sentence) else phrase(str(value), texts)
    return value


def spoken() -> Texts:
    """The texts in the language of this process."""
    return load_texts(_process["language"])


def speak(language: str) -> None:
    """Set the language of this process. Raises UnusableInput for one that has no file."""
    _process["language"] = load_texts(language).language


def language_of_terminal(environment: Mapping[str, str] = os.environ) -> str:
    """The first language that the environment names and that has a file; else English."""
    named = next((environment[name] for name in _LOCALE if environment.get(name)), ENGLISH)
    code = named.partition(".")[0].partition("_")[0].lower()
    return code if code in languages() else ENGLISH
