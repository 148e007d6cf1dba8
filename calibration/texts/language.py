"""Texts of screens and voice in a language: `<language>.toml`; English where a text is missing."""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from calibration.errors import UnusableInput

ENGLISH = "en"
Sections = Mapping[str, Mapping[str, str]]
OF_NO_PAGE = frozenset({"errors", "phrases", "help", "terminal", "advice", "doctor"})
"""Sections that servers and commands say: three quarters of all texts, which no phone has to wait for."""


@dataclass(frozen=True, slots=True)
class Texts:
    """All texts of one language, by section and key."""

    language: str
    sections: Sections

    def say(self, key: str, **values: object) -> str:
        """The text `section.key` filled in; the key itself where no language has it, so that no
        screen fails.
        """
        section, _, name = key.partition(".")
        found = self.sections.get(section, {}).get(name)
        return name.replace("_", " ") if found is None else _filled(found, values)

    def ball(self, ball: str) -> str:
        """A ball's name: `red` for red_3."""
        return self.say(f"balls.{ball if ball == 'any_colour' else ball.partition('_')[0]}")

    def in_words_of(self, *kinds: str) -> Texts:
        """The texts as a game has them: those of the sections `[own_KIND]` in place of others, each under the
        whole key of the text that it replaces. A kind without such a section has the usual ones.
        """
        own = [text for kind in kinds for text in self.sections.get(f"own_{kind}", {}).items()]
        if not own:
            return self
        sections = {name: dict(texts) for name, texts in self.sections.items()}
        for key, text in own:
            section, _, name = key.partition(".")
            sections[section][name] = text
        return replace(self, sections=sections)

    @property
    def voice(self) -> str:
        """The language's name for speech synthesis."""
        return self.say("language.voice")

    def document(self) -> dict[str, Any]:
        """For the pages: plain JSON values."""
        shown = {k: dict(v) for k, v in self.sections.items() if k not in OF_NO_PAGE}
        return {"language": self.language, "sections": shown}


def folder() -> Traversable:
    """Where the files of texts are."""
    return resources.files("calibration.texts")


@cache
def languages() -> tuple[str, ...]:
    """The languages that have a file."""
    return tuple(sorted(f.name.removesuffix(".toml") for f in folder().iterdir() if f.name.endswith(".toml")))


@cache
def language_names() -> dict[str, str]:
    """Each language's own name, by its code."""
    return {code: load_texts(code).say("language.name") for code in languages()}


@cache
def load_texts(language: str = ENGLISH) -> Texts:
    """Read a language. Raises UnusableInput when there is no file of it, or one that cannot be read."""
    if language not in languages():
        raise UnusableInput(f"language: expected one of {', '.join(languages())}, found {language!r}")
    english = _read(ENGLISH)
    own = english if language == ENGLISH else _read(language)
    merged = {name: {**texts, **own.get(name, {})} for name, texts in english.items()}
    return Texts(language, merged)


def accepted(header: str) -> Texts:
    """The first language of an `Accept-Language` header that has a file; else English."""
    wanted = (part.partition(";")[0].strip().partition("-")[0].lower() for part in header.split(","))
    return load_texts(next((code for code in wanted if code in languages()), ENGLISH))


def clock(t_s: float | None) -> str:
    """Seconds as m:ss or h:mm:ss; a dash for an unknown time."""
    if t_s is None:
        return "–"
    whole = max(0, int(t_s))
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def fields_of(text: str) -> set[str]:
    """The names in braces of a text."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def _read(language: str) -> dict[str, dict[str, str]]:
    name = f"{language}.toml"
    data = folder().joinpath(name).read_text("utf-8")
    try:
        found = tomllib.loads(data)
    except tomllib.TOMLDecodeError as error:
        raise UnusableInput(f"{name}: expected a TOML file of texts, found {error}") from None
    for section, texts in found.items():
        if not isinstance(texts, dict) or not all(isinstance(t, str) for t in texts.values()):
            raise UnusableInput(
                f"{name}: expected texts in quotation marks under [{section}], found something else"
            )
    return found


def _filled(text: str, values: Mapping[str, object]) -> str:
    # not str.format: a translator's slip or a player's name with braces must not stop a screen
    return re.sub(r"\{(\w+)\}", lambda m: str(values.get(m[1], m[0])), text)
