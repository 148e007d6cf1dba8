"""Which physics plays the strokes: pooltool where it is installed, else our own."""

from __future__ import annotations

import importlib.util

from calibration.texts import unusable_input
from vision.render.play.match import Physics
from vision.render.play.physics import simulate


def choose_physics(name: str) -> Physics:
    """`builtin`, `pooltool`, or `auto`: pooltool when it is installed."""
    if name not in ("auto", "builtin", "pooltool"):
        raise unusable_input("errors.auto_builtin_or_pooltool", name=repr(name))
    present = importlib.util.find_spec("pooltool") is not None
    if name == "pooltool" and not present:
        raise unusable_input("errors.package_pooltool_billiards_pip")
    if name == "builtin" or not present:
        return simulate
    from vision.render.play.pooltool_physics import simulate_pooltool

    return simulate_pooltool
