"""English that is data, said in another language.

Records, rules and errors keep their English: a referee's call, a note of the calibration, the reason of
a refusal. A screen of another language finds the text of `[phrases]` that the English is an instance of, and
says that text of its own language with the same values. English without such a text stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from calibration.texts.language import ENGLISH, Texts, load_texts

SECTION = "phrases"
_NUMBER = r"[-+±]?\d[\d.,:]*(?: %)?"
_BALL = r"[\w'-]+(?: [\w'-]+)?"
_PATTERNS = {
    "ball": _BALL,
    "other": _BALL,
    "pocket": r"[BCT][LR]|(?:top|middle|bottom) (?:left|middle|right)(?: \([BCT][LR]\))?",
    "law": r"(?:[a-z]+ )?[\w().*]+",
    "said": r".+?",
    "seen": r".+?",
    "sign": "[●▲■○]",
    "part": "[a-z ]+",
    "nats": r"[-+]\d+\.\d",
    "side": "[AB]",
}
_WORDS = "[^;]+?"
"""What placeholders stand for: balls of up to two words, pockets, clauses, signs, one or more phrases; one of
a single letter stands for a number or a share in percent, any other for one phrase."""
_AS_THEY_ARE = ("name", "who", "path", "file", "field", "found", "law", "side")
"""Placeholders whose words nobody translates: names of people, of files, what somebody wrote."""
_BEHIND = re.compile(r"(.+) (\[[^][]+\]|\([BCT][LR]\))", re.DOTALL)
"""Words with the clause of a rule behind them, or a pocket with its name in the records."""
_SEPARATORS = (" – then ", "\n", "; ", ". ", ", ", ": ")
"""Between phrases that are said one after the other, the widest first."""


@dataclass(frozen=True, slots=True)
class _Template:
    """A text with values in it, as the English that it matches."""

    name: str
    pattern: re.Pattern[str]


def phrase(english: str, texts: Texts) -> str:
    """The English of a record in another language, phrase by phrase."""
    if texts.language == ENGLISH or not english:
        return english
    return _said(english, texts.language)


@lru_cache(maxsize=20_000)
def _said(english: str, language: str) -> str:
    behind = _BEHIND.fullmatch(english)
    if behind is not None:
        return f"{_said(behind[1], language)} {behind[2]}"
    whole = _one(english, language)
    if whole is not None:
        return whole
    for separator in _SEPARATORS:
        if separator in english:
            return _run(english.split(separator), separator, language)
    return english


def _run(parts: list[str], separator: str, language: str) -> str:
    """Parts that are phrases, or several of them together where they hold the separator themselves."""
    out, k = [], 0
    while k < len(parts):
        for end in range(len(parts), k, -1):
            said = _one(separator.join(parts[k:end]), language) if end > k + 1 else _said(parts[k], language)
            if said is not None:
                out.append(said)
                k = end
                break
    return separator.replace("then", load_texts(language).say("phrases.then")).join(out)


def _one(english: str, language: str) -> str | None:
    """The phrase that a text is as a whole; None where there is none."""
    found = english.strip()
    plain = found.replace("_", " ")
    texts = load_texts(language)
    exact, templates = _templates()
    if plain.lower() in exact:
        return texts.say(exact[plain.lower()])
    for template in templates:
        match = template.pattern.fullmatch(plain)
        if match is not None:
            values = {
                k: found[slice(*match.span(k))] if k in _AS_THEY_ARE else _said(v, language)
                for k, v in match.groupdict().items()
            }
            return texts.say(f"{SECTION}.{template.name}", **values)
    return None


def _pattern(placeholder: str) -> str:
    return _NUMBER if len(placeholder) == 1 else _PATTERNS.get(placeholder, _WORDS)


@cache
def _templates() -> tuple[dict[str, str], tuple[_Template, ...]]:
    """The English phrases: those without values by their words, the others with the longest words first.

    Games' titles are among the former.
    """
    exact: dict[str, str] = {}
    templates: list[tuple[int, _Template]] = []
    for name, text in load_texts(ENGLISH).sections.get(SECTION, {}).items():
        parts = re.split(r"\{(\w+)\}", text)
        if len(parts) == 1:
            exact.setdefault(text.lower(), f"{SECTION}.{name}")
            continue
        pattern = "".join(
            re.escape(part) if i % 2 == 0 else f"(?P<{part}>{_pattern(part)})" for i, part in enumerate(parts)
        )
        fixed = sum(len(p) for p in parts[::2])
        templates.append((fixed, _Template(name, re.compile(pattern, re.IGNORECASE | re.DOTALL))))
    for name, text in load_texts(ENGLISH).sections["games"].items():
        exact.setdefault(text.lower(), f"games.{name}")
    return exact, tuple(t for _, t in sorted(templates, key=lambda found: -found[0]))
