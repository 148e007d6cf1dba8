"""Counts what `tracker.explain.priors` holds.

`PYTHONPATH=.:tests/tracker/explain python -m explain_lab.count_priors`. Source: the runs of
`referee/quality/bench/tracks/errors.json` (pixel tier, 20 cameras) and strokes of the tracks tier (seed 101).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from calibration.table.specs import SNOOKER_TABLE
from explain_lab.spans import ERRORS
from referee.quality.bench.tracks.errors import ErrorModel, Row
from referee.quality.bench.tracks.physics import NoseShape
from referee.quality.bench.tracks.tier import load_errors, set_up
from tracker.explain.priors import CONFIDENCE_EDGES, SIGMA_EDGES_MM


def shares(rows: Iterable[Row]) -> list[list[float]]:
    """Share of looks in each cell of confidence (rows) and sigma (columns), one look added to every cell."""
    looks = list(rows)
    counts = np.ones((len(CONFIDENCE_EDGES) + 1, len(SIGMA_EDGES_MM) + 1))
    for r in looks:
        counts[
            np.searchsorted(CONFIDENCE_EDGES, r.confidence), np.searchsorted(SIGMA_EDGES_MM, r.sigma_mm)
        ] += 1
    table: list[list[float]] = (counts / counts.sum()).round(4).tolist()
    return table


def looks(model: ErrorModel) -> None:
    """How balls and clutter look, by kind."""
    rest = [(r.zone, row) for r in model.rest for row in r.rows]
    moving = [(r.near_cover, row) for r in model.moving for row in r.rows]
    free = [row for zone, row in rest if zone != "near_cover"] + [row for near, row in moving if not near]
    near = [row for zone, row in rest if zone == "near_cover"] + [row for n, row in moving if n]
    for name, rows in (("BALL_FREE", free), ("BALL_NEAR_COVER", near)):
        seen = [r for r in rows if r is not None]
        print(name, len(rows), "missed", round(1 - len(seen) / len(rows), 5), shares(seen))
    images = sum(c.images for c in model.cameras)
    covered = sum(c.covered_images for c in model.cameras)
    for anchor in ("pocket", "cover"):
        runs = [r for r in model.false if r.anchor == anchor]
        seen = [row for r in runs for row in r.rows if row is not None]
        print(anchor, len(seen), "runs", len(runs), "in images", covered if anchor == "cover" else images)
        print("  goes on", round(1 - len(runs) / len(seen), 3), shares(seen))


def play(seed: int = 101, pieces: int = 100) -> None:
    """How often what happens in a stroke."""
    shape, model = NoseShape(SNOOKER_TABLE), load_errors(ERRORS)
    what: Counter[str] = Counter()
    for piece in range(pieces):
        for stroke in set_up(seed, piece, model, shape).played.strokes:
            moved = len(stroke.flown.paths)
            what["strokes"] += 1
            what["moved"] += moved
            what["seconds of motion"] += round(
                sum(p.t1_s - p.t0_s for q in stroke.flown.paths.values() for p in q)
            )
            what["contacts"] += len(stroke.flown.contacts)
            what["cushions"] += len(stroke.flown.cushions)
            what["pots"] += len(stroke.flown.pots)
            what["balls"] += len(stroke.flown.start)
    print(dict(what))


if __name__ == "__main__":
    looks(load_errors(ERRORS))
    play()
