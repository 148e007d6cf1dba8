"""The synthetic clips' truth (../shared) as a `Truth`, with hands and cue where they are in the pictures."""

from __future__ import annotations

import json
import math
import pathlib

import numpy as np

from calibration.table.specs import SNOOKER_TABLE

from .observer import Truth

SHARED = pathlib.Path(__file__).resolve().parents[3].parent / "shared"


def club_truth(clip: str) -> Truth:
    folder = SHARED / "footage" / "synthetic"
    with np.load(folder / f"{clip}.frames.npz") as z:
        t, names, xy = z["t"].astype(float), [str(n) for n in z["names"]], z["xy"].astype(float) * 1000
    events = json.loads((folder / f"{clip}.json").read_text())["events"]
    covers = []
    for e in events:
        if e["type"] == "stroke":
            x, y = (1000 * v for v in e["start"]["white"])
            dx, dy = -math.cos(e["phi"]), -math.sin(e["phi"])
            covers.append((e["t_strike"] - 1.6, e["t_strike"] + 0.5, x + 150 * dx, y + 150 * dy, dx, dy))
        else:
            x, y = (1000 * v for v in e["xy"])
            side = 1.0 if x >= 0 else -1.0
            covers.append((e["t"] - 0.8, e["t"] + 0.5, x, y, side, 0.0))
    return Truth(SNOOKER_TABLE, t, names, xy, events, covers)
