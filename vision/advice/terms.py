"""The values of advice on a camera: a light, the figure behind it and a sentence. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from calibration.texts import Sentence, sentence

Light = Literal["green", "amber", "red"]
Topic = Literal["aim", "focus", "exposure", "flicker", "glare", "image rate"]

TOPICS: tuple[Topic, ...] = ("aim", "focus", "exposure", "flicker", "glare", "image rate")
LIGHTS: tuple[Light, ...] = ("green", "amber", "red")


@dataclass(frozen=True, slots=True)
class Advice:
    """One light on a camera's installation.

    `value` (in `unit`): the figure that decided the light; None while it is unknown, which is never green.
    `sentence`: the finding and, unless green, the remedy.
    """

    topic: Topic
    light: Light
    value: float | None
    unit: str
    sentence: str


def joined(parts: Sequence[str]) -> str:
    """Remedies one after the other."""
    text = parts[0]
    for part in parts[1:]:
        text = sentence("advice.and_also", first=text, then=part)
    return text


def ended(finding: str, remedy: str | None = None) -> Sentence:
    """A finding as a whole sentence, with its remedy where there is one to give."""
    if remedy is None:
        return sentence("advice.ended", what=finding)
    return sentence("advice.with_remedy", what=finding, remedy=remedy)


def light_above(value: float, amber: float, red: float) -> Light:
    """The light of a figure that should be small: amber above `amber`, red above `red`."""
    return "red" if value > red else "amber" if value > amber else "green"


def light_below(value: float, amber: float, red: float) -> Light:
    """The light of a figure that should be large: amber below `amber`, red below `red`."""
    return "red" if value < red else "amber" if value < amber else "green"


def worst(found: list[Advice]) -> Advice:
    """The most serious of several findings on one topic; the first of those with equal lights."""
    return max(found, key=lambda a: LIGHTS.index(a.light))
