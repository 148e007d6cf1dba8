"""The environment in which pages are made from the templates of this package; everything is escaped."""

from __future__ import annotations

import re
from functools import cache
from html import escape, unescape

from jinja2 import Environment, PackageLoader

from calibration.texts import ENGLISH, Texts, phrase

_PIECES = re.compile(r"(<style.*?</style>|<script.*?</script>|<[^>]+>)", re.DOTALL)
_SAID = re.compile(r'\b(aria-label|alt|title)="([^"]*)"')


@cache
def environment() -> Environment:
    """Jinja's environment, made once a process."""
    return Environment(
        loader=PackageLoader("referee.outputs"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )


def in_language(page: str, texts: Texts) -> str:
    """A page that was written in English, with the phrases of its texts in another language."""
    if texts.language == ENGLISH:
        return page
    pieces = (_tag(p, texts) if p.startswith("<") else _text(p, texts) for p in _PIECES.split(page))
    return "".join(pieces).replace('<html lang="en">', f'<html lang="{texts.language}">', 1)


def _text(piece: str, texts: Texts) -> str:
    words = re.sub(r"\s+", " ", unescape(piece)).strip()
    said = phrase(words, texts)
    if said == words:
        return piece
    before, after = piece[: len(piece) - len(piece.lstrip())], piece[len(piece.rstrip()) :]
    return before + escape(said) + after


def _tag(piece: str, texts: Texts) -> str:
    if piece.startswith(("<style", "<script")):
        return piece
    return _SAID.sub(lambda m: f'{m[1]}="{escape(phrase(unescape(m[2]), texts))}"', piece)
