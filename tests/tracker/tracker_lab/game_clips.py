"""Truth of the path-traced clips of other games, as `observer.Truth`: what the eyes would see of them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np

from calibration.table.board import board_table, table_from_board
from calibration.table.games import PIECES
from calibration.table.specs import WPA_TABLE, TableSpec, british_table
from tests.tracker.tracker_lab.observer import Truth

CLIPS = {
    "dev_9ball": "wpa_9ball",
    "dev_8ball": "wpa_8ball",
    "dev_blackball": "blackball",
    "dev_carrom": "carrom",
}
HAND_S, LIFT_MM = 0.6, 12.0


def load(folder: Path, clip: str) -> Truth:
    """The truth of a clip, mm and seconds, with a hand where the events say so."""
    game = CLIPS[clip]
    told = json.loads((folder / f"{clip}.json").read_text())
    frames = np.load(folder / f"{clip}.frames.npz")
    names = [named(str(n)) for n in frames["names"]]
    xy = frames["xy"] * 1000.0
    table = _table(game, told)
    if table.is_board:
        # the clip's origin is the board's centre, in metres
        xy[:, :, 1] += table.length_mm / 2
        for e in told["events"]:
            for places in (e.get("start") or {}, e.get("end") or {}):
                places.update({n: (p[0], p[1] + table.length_mm / 2000) for n, p in places.items()})
    covers = [c for e in told["events"] for c in _hands(e, table)]
    return Truth(table, frames["t"], names, xy, told["events"], covers, PIECES[game])


def named(name: str) -> str:
    """`red_3` for `red3`."""
    letters = name.rstrip("0123456789")
    return (
        name
        if not letters or letters == name or name.endswith(f"_{name[len(letters) :]}")
        else f"{letters}_{name[len(letters) :]}"
    )


def _table(game: str, told: dict) -> TableSpec:
    if game == "carrom":
        return board_table()
    size = told["table"]
    if game.startswith("wpa"):
        return WPA_TABLE
    return british_table(size["length"] * 1000, size["width"] * 1000, told["ball_diameter"] * 1000)


def _hands(e: dict, table: TableSpec) -> list[tuple[float, float, float, float, float, float]]:
    """Capsules of the hand that an event speaks of, from the piece towards the nearest side."""
    at, t = e.get("xy"), e.get("t")
    if at is None or t is None or at == "pocket":
        return []
    x, y = at[0] * 1000, at[1] * 1000
    side = math.copysign(1.0, x) if not table.is_board else 0.0
    away = (side, 0.0) if side else (0.0, math.copysign(1.0, y))
    if table.is_board:
        x, y = table_from_board((x, y), table)
    return [(t - HAND_S, t + HAND_S, x, y, *away)]
