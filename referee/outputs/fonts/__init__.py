"""The typeface of printed sheets and television pictures: DejaVu Sans (its licence lies beside it).

It knows Latin, Greek, Cyrillic, Arabic and more, but no Chinese, Japanese or Korean: names in those are set
in a typeface of the machine (`eastern_font`), where it has one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

EASTERN = re.compile("[\u2e80-\u30ff\u3130-\u318f\u31f0-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+")
"""Runs of Chinese, Japanese and Korean characters."""
_USUAL = (
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Bold.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/System/Library/Fonts/PingFang.ttc",
    "C:/Windows/Fonts/msyhbd.ttc",
)


def font_file(bold: bool = False) -> Path:
    """The file of DejaVu Sans."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return Path(str(resources.files("referee.outputs.fonts").joinpath(name)))


def eastern_font() -> Path | None:
    """A typeface of this machine for Chinese, Japanese and Korean; None where none lies in a usual place."""
    return next((Path(p) for p in _USUAL if Path(p).is_file()), None)


def runs(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, and whether each is Chinese, Japanese or Korean; without what cannot be set."""
    text, at = printable(text), 0
    for found in EASTERN.finditer(text):
        if found.start() > at:
            yield text[at : found.start()], False
        yield found[0], True
        at = found.end()
    if at < len(text):
        yield text[at:], False


def printable(text: str) -> str:
    """The text without control characters and lone surrogates; line ends and tabs as spaces."""
    if text.isprintable():
        return text
    kept = (" " if unicodedata.category(c)[0] in "CZ" else c for c in text)
    return " ".join("".join(kept).split())
