"""Every sentence for people, one file for each language, and the functions that look a sentence up."""

from calibration.texts.language import (
    ENGLISH,
    Texts,
    accepted,
    clock,
    fields_of,
    language_names,
    languages,
    load_texts,
)
from calibration.texts.phrases import phrase
from calibration.texts.spoken import (
    Sentence,
    again,
    game_title,
    language_of_terminal,
    listed,
    recorded,
    said,
    sentence,
    speak,
    spoken,
    unusable_input,
)

__all__ = [
    "ENGLISH",
    "Sentence",
    "Texts",
    "accepted",
    "again",
    "clock",
    "fields_of",
    "game_title",
    "language_names",
    "language_of_terminal",
    "languages",
    "listed",
    "load_texts",
    "phrase",
    "recorded",
    "said",
    "sentence",
    "speak",
    "spoken",
    "unusable_input",
]
