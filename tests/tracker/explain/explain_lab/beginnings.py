"""Whether a recording that begins in a stroke, or just before it, is told so.

`PYTHONPATH=.:tests/tracker/explain python -m explain_lab.beginnings SEED FIRST LAST` cuts every stroke but
the last of the pieces FIRST to LAST - 1 of the tracks tier twice: at random while balls roll, and up to 0.6 s
before its strike. It prints how many have which probability of having been under way.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from explain_lab.spans import filmed_piece
from referee.quality.bench.tracks.tier import track
from tracker.events import StrokeRecord
from vision.observation import ImageObservations, Observation

BEFORE_S = 0.6
LEVELS = (0.001, 0.99, 0.999)


def begun_at(images: Sequence[ImageObservations], t_s: float) -> list[ImageObservations]:
    """The images from a time on; the first of them is a look at the whole table."""
    usable = [i for i in images if i.unusable is None and not i.repeated]
    first = next(k for k, i in enumerate(usable) if i.t_s >= t_s)
    there: list[Observation] = []
    for image in usable[: first + 1]:
        kept = [] if image.looked is None else [o for o in there if not image.looked.at(o.x_mm, o.y_mm)]
        there = kept + list(image.observations)
    return [replace(usable[first], observations=tuple(there), looked=None, gaps=()), *usable[first + 1 :]]


def beginnings(seed: int, piece: int) -> Iterator[tuple[str, float | None]]:
    """(how it was cut, probability that the first stroke was under way; None where there is none)."""
    filmed = filmed_piece(seed, piece, "plain")
    strokes = filmed.setup.played.strokes
    rng = np.random.default_rng([seed, piece, 99])
    for stroke, after in pairwise(strokes):
        inside_s = rng.uniform(0.05, max(stroke.flown.rest_s - 0.3, 0.1))
        for how, since_s in (("while balls roll", inside_s), ("before", -rng.uniform(0.0, BEFORE_S))):
            images = begun_at(filmed.images, stroke.t_strike_s + since_s)
            told = track([i for i in images if i.t_s < after.t_strike_s])
            records = [e for e in told if isinstance(e, StrokeRecord)]
            yield how, records[0].under_way if records else None


def main(seed: int, first: int, last: int) -> None:
    """Print the table."""
    found = [each for piece in range(first, last) for each in beginnings(seed, piece)]
    for how in ("while balls roll", "before"):
        told = [p for kind, p in found if kind == how]
        sure = [p for p in told if p is not None]
        counts = np.bincount(np.searchsorted(LEVELS, sure), minlength=len(LEVELS) + 1)
        print(f"{how}: {len(told)}, no record {len(told) - len(sure)}, up to {LEVELS} and more: {counts}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
