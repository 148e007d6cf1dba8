"""One camera of the second world, drawn from a seed: table, room, view, processing, recorder."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from calibration.calibrate import Side
from calibration.table.board import board_table
from calibration.table.games import GAMES, PIECES
from calibration.table.parse import DEFAULT_TABLE, parse_table
from calibration.table.pieces import PieceSet
from calibration.table.specs import SNOOKER_TABLE, TableSpec, british_table, pool_table, small_table
from referee.quality.bench.records import Told, Where
from referee.quality.bench.rooms.studio.balls import draw_discs, draw_numbered, draw_paints
from referee.quality.bench.rooms.studio.recorder import Recording, draw_recording
from referee.quality.bench.rooms.studio.room import Room, draw_room
from referee.quality.bench.rooms.studio.sensor import Processing, draw_processing
from referee.quality.bench.rooms.studio.views import VIEW_KINDS, View, ViewKind, draw_view

Rng = np.random.Generator
_SIZES = ((1280, 720), (960, 540), (1280, 720), (1920, 1080))
_KINDS: tuple[ViewKind, ...] = ("overhead", "tilted", "side", "overhead", "end")
"""Of five cameras two hang overhead, as most clubs' do."""
_SMALL_EVERY = 6
_EXPOSURES_S = (0.002, 0.02)
IMAGE_HZ = 25.0


@dataclass(frozen=True, slots=True)
class RoomPlan:
    """What is measured in one room. `seed`: of the run; with `number` it gives everything in it.

    `flights`, `visits`: short films of balls in flight, and of somebody over the table.
    """

    number: int
    seed: int
    layouts: int
    strokes: int
    game: str = "snooker"
    flights: int = 0
    visits: int = 0

    @property
    def pieces(self) -> PieceSet:
        """What lies on the table."""
        return PIECES[self.game]


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything of one camera. `exposure_s`: how long its shutter is open."""

    plan: RoomPlan
    table: TableSpec
    tells: Told
    view: View
    room: Room
    processing: Processing
    recording: Recording
    exposure_s: float
    paints_seed: int

    def paints(self) -> dict[str, Any]:
        """Materials of the balls, by kind."""
        rng, pieces = np.random.default_rng([self.paints_seed, 1]), self.plan.pieces
        if pieces.discs:
            return draw_discs(rng, pieces)
        if any(k.look.form != "plain" for k in pieces.kinds):
            return draw_numbered(rng, pieces)
        return draw_paints(rng, {k.name: k.look for k in pieces.kinds})

    @property
    def told(self) -> TableSpec:
        """The table as its owner tells it; nothing else of the scene gets through."""
        if self.tells == "nothing":
            return parse_table(DEFAULT_TABLE, None)
        return parse_table(
            f"{self.table.length_mm:.1f}x{self.table.width_mm:.1f}", None, None, self.plan.game
        )

    @property
    def told_end(self) -> Side | None:
        """The side of the picture at which the bottom end is, told where no line need tell it."""
        if self.table.line_is_drawn:
            return None
        middle = self.table.length_mm / 2
        a, b = self.view.camera.pixels_from_table([(0.0, 0.0, 0.0), (0.0, middle, 0.0)])
        x, y = a - b
        if abs(x) > abs(y):
            return "right" if x > 0 else "left"
        return "bottom" if y > 0 else "top"

    def where(self, source: Literal["clip", "layout"], item: int) -> Where:
        """The circumstances that records of this camera carry."""
        c = self.view.camera
        a, b = c.pixels_from_table([(0.0, self.table.length_mm / 2 + d, 0.0) for d in (-50.0, 50.0)])
        return Where(
            self.plan.number,
            self.plan.seed,
            source,
            item,
            f"{self.view.kind}: {self.room.words}",
            self.room.cloth_name,
            c.width_px,
            c.height_px,
            IMAGE_HZ if source == "clip" else 0.0,
            round(self.exposure_s, 5),
            round(100.0 / float(np.hypot(*(b - a))), 4),
            round(c.centre_mm[2], 1),
            round(self.view.tilt_deg, 2),
            round(2 * math.degrees(math.atan(c.width_px / 2 / c.focal_px)), 2),
            self.recording.words if source == "clip" else f"jpeg {self.recording.jpeg}",
            self.tells,
        )


def plan_rooms(
    seed: int,
    rooms: int,
    strokes: int,
    layouts: int,
    game: str = "snooker",
    flights: int = 0,
    visits: int = 0,
) -> tuple[RoomPlan, ...]:
    """Strokes, layouts and short films shared out evenly over the rooms."""

    def share(total: int, n: int) -> int:
        return total * (n + 1) // rooms - total * n // rooms

    return tuple(
        RoomPlan(n, seed, share(layouts, n), share(strokes, n), game, share(flights, n), share(visits, n))
        for n in range(rooms)
    )


def draw_setting(plan: RoomPlan) -> Setting:
    """The camera of a plan; the same plan gives the same setting."""
    rng = np.random.default_rng([plan.seed, plan.number, 20])
    table, tells = _table(rng, plan)
    width, height = _SIZES[plan.number % len(_SIZES)]
    view = draw_view(rng, table, _KINDS[plan.number % len(_KINDS)], width, height)
    room = draw_room(rng, table, view.pinhole)
    low, high = (math.log(v) for v in _EXPOSURES_S)
    return Setting(
        plan,
        table,
        tells,
        view,
        room,
        draw_processing(rng, bool(rng.random() < 0.4)),
        draw_recording(rng, width),
        math.exp(float(rng.uniform(low, high))),
        int(rng.integers(2**31)),
    )


def _table(rng: Rng, plan: RoomPlan) -> tuple[TableSpec, Told]:
    """A full-size table as built, every sixth a small one, whose owner tells its size.

    Of pool and British tables every third is of a smaller size of the trade, unless strokes are filmed.
    """
    name, number = plan.pieces.name, plan.number
    smaller = number % 3 == 2 and not plan.strokes
    if name == "carrom":
        return board_table(), "size"
    if name.startswith("pool"):
        length, width = ((2235.2, 1117.6), (1981.2, 990.6))[number % 2] if smaller else (2540.0, 1270.0)
        table = pool_table(length, width, plan.pieces.object_diameter_mm)
        return replace(table, nose_height_mm=table.ball_diameter_mm * float(rng.uniform(0.62, 0.65))), "size"
    if GAMES[plan.game].family == "british":
        length, width = (1524.0, 762.0) if smaller else (1828.0, 914.0)
        return british_table(length, width, plan.pieces.object_diameter_mm), "size"
    d = SNOOKER_TABLE.ball_diameter_mm
    if number % _SMALL_EVERY == _SMALL_EVERY - 1:
        length = float(rng.uniform(1860, 2600))
        return small_table(round(length), round(length / 2), d), "size"
    exact = rng.random() < 0.5
    off = (0.0, 0.0) if exact else (float(rng.normal(0, 3)), float(rng.normal(0, 2)))
    table = TableSpec(
        SNOOKER_TABLE.length_mm + off[0],
        SNOOKER_TABLE.width_mm + off[1],
        nose_height_mm=d * float(rng.uniform(0.64, 0.70)),
        corner_mouth_mm=float(rng.uniform(84, 92)),
        centre_mouth_mm=float(rng.uniform(100, 110)),
        corner_jaw_radius_mm=float(rng.uniform(45, 75)),
        centre_jaw_radius_mm=float(rng.uniform(45, 75)),
    )
    return table, "nothing" if rng.random() < 0.25 and not exact else "size"


__all__ = ["IMAGE_HZ", "VIEW_KINDS", "RoomPlan", "Setting", "draw_setting", "plan_rooms"]
