"""Spans kept as files: recorded images with their truth, small enough for the repository.

`PYTHONPATH=.:tests/tracker/explain python -m explain_lab.golden FILE.npz` writes thirty of the tracks tier
(seed 21, which no constant was fitted to). One array holds a row for each detection, others the masks, packed
to bits.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from explain_lab.spans import TrueSpan, Truth, spans_of
from vision.observation import CellMask, ImageObservations, Observation

SEED = 21
CHOSEN = (*((p, "plain") for p in range(2)), (2, "streaks"), (3, "lost"), (4, "missed"))
"""(piece, harm) of the spans that are kept: the first six of each."""
MOST = 6


def save(path: Path, spans: Sequence[TrueSpan]) -> None:
    """Write spans to a compressed file of arrays."""
    arrays: dict[str, Any] = {}
    heads = []
    for k, span in enumerate(spans):
        images = span.images
        grid = next(m for i in images for m in (i.looked, i.covered) if m is not None)
        t = span.truth
        heads.append(
            {
                "name": span.name,
                "image_hz": span.image_hz,
                "grid": [grid.x0_mm, grid.y0_mm, grid.cell_mm, grid.columns, grid.rows],
                "truth": [t.first, t.first_t_s, t.pots, t.respots, t.start, t.end, t.strike_s, t.rest_s],
            }
        )
        rows = [(n, o) for n, i in enumerate(images) for o in i.observations]
        arrays[f"image_{k}"] = np.array([n for n, _ in rows], dtype=np.uint16)
        arrays[f"place_{k}"] = np.array([(o.x_mm, o.y_mm, o.sigma_mm) for _, o in rows], dtype=np.float32)
        look = [(o.confidence * 1000, *(-10 * v for v in o.colour_logp)) for _, o in rows]
        arrays[f"look_{k}"] = np.round(np.array(look)).astype(np.uint16)
        arrays[f"t_{k}"] = np.array([(i.index, i.t_s) for i in images])
        for name in ("looked", "covered"):
            masks = [getattr(i, name) for i in images]
            arrays[f"{name}_is_{k}"] = np.array([m is not None for m in masks])
            bits = [np.frombuffer(m.bits, dtype=np.uint8) for m in masks if m is not None]
            flat = np.array(bits, dtype=np.uint8)
            arrays[f"{name}_{k}"] = np.packbits(flat.reshape(len(bits), grid.columns * grid.rows), axis=1)
    arrays["heads"] = np.frombuffer(json.dumps(heads).encode(), dtype=np.uint8)
    np.savez_compressed(path, **arrays)


def load(path: Path) -> list[TrueSpan]:
    """The spans of a file of `save`."""
    with np.load(path) as file:
        heads = json.loads(bytes(file["heads"]).decode())
        return [_span(file, k, head) for k, head in enumerate(heads)]


def _span(file: Any, k: int, head: dict[str, Any]) -> TrueSpan:
    first, first_t, pots, respots, start, end, strike, rest = head["truth"]
    truth = Truth(
        first,
        first_t,
        tuple((b, p) for b, p in pots),
        tuple(respots),
        {b: (x, y) for b, (x, y) in start.items()},
        {b: (x, y) for b, (x, y) in end.items()},
        strike,
        rest,
    )
    times = file[f"t_{k}"]
    masks = {name: _masks(file, k, name, head["grid"], len(times)) for name in ("looked", "covered")}
    seen: list[list[Observation]] = [[] for _ in times]
    for n, place, look in zip(file[f"image_{k}"], file[f"place_{k}"], file[f"look_{k}"], strict=True):
        x, y, sigma = (float(v) for v in place)
        logp = tuple(-float(v) / 10 for v in look[1:])
        seen[int(n)].append(Observation(x, y, sigma, 0.0, 0.0, logp, float(look[0]) / 1000))
    images = tuple(
        ImageObservations(int(times[n, 0]), float(times[n, 1]), tuple(seen[n]), looked, covered)
        for n, (looked, covered) in enumerate(zip(masks["looked"], masks["covered"], strict=True))
    )
    return TrueSpan(head["name"], images, truth, head["image_hz"])


def _masks(file: Any, k: int, name: str, grid: Sequence[float], n: int) -> list[CellMask | None]:
    x0, y0, cell, columns, rows = grid
    size = int(columns) * int(rows)
    packed = iter(file[f"{name}_{k}"])
    out: list[CellMask | None] = []
    for there in file[f"{name}_is_{k}"][:n]:
        bits = np.unpackbits(next(packed))[:size].tobytes() if there else None
        out.append(None if bits is None else CellMask(x0, y0, cell, int(columns), int(rows), bits))
    return out


if __name__ == "__main__":
    kept = [s for piece, harm in CHOSEN for s in list(spans_of(SEED, piece, harm))[:MOST]]
    save(Path(sys.argv[1]), kept)
