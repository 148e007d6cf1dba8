"""Names for balls from their colours: reds are numbered."""

from __future__ import annotations

from collections.abc import Sequence

from vision.naming import MAX_REDS


def names_for(colours: Sequence[str | None], used: Sequence[str] = ()) -> list[str | None]:
    """Ball names: the colour itself, reds numbered from the lowest free number in the order given."""
    free = [f"red_{k}" for k in range(1, MAX_REDS + 1) if f"red_{k}" not in used]
    out: list[str | None] = []
    for c in colours:
        if c == "red":
            out.append(free.pop(0) if free else None)
        else:
            out.append(None if c in used else c)
    return out
