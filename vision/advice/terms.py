"""What advice on a camera is made of: a light, the figure behind it and what to do. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Light = Literal["green", "amber", "red"]
Topic = Literal["aim", "focus", "exposure", "flicker", "glare", "image rate"]

TOPICS: tuple[Topic, ...] = ("aim", "focus", "exposure", "flicker", "glare", "image rate")
LIGHTS: tuple[Light, ...] = ("green", "amber", "red")


@dataclass(frozen=True, slots=True)
class Advice:
    """One light of a camera's setting up.

    `value` (in `unit`) is the figure that decided the light; None while it is not known, which is amber,
    never green. `sentence` says what was found and, unless green, what to do.
    """

    topic: Topic
    light: Light
    value: float | None
    unit: str
    sentence: str


def light_above(value: float, amber: float, red: float) -> Light:
    """The light of a figure that is better when smaller: amber above `amber`, red above `red`."""
    return "red" if value > red else "amber" if value > amber else "green"


def light_below(value: float, amber: float, red: float) -> Light:
    """The light of a figure that is better when larger: amber below `amber`, red below `red`."""
    return "red" if value < red else "amber" if value < amber else "green"


def worst(found: list[Advice]) -> Advice:
    """The one of several findings on one topic that matters most; the first of those of equal light."""
    return max(found, key=lambda a: LIGHTS.index(a.light))
