"""Where colours go back: spots occupied, the highest free one, places up and down the line (snooker 3.7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from calibration.table.specs import PointMm, TableSpec
from referee.geometry.shapes import Answer, BallAt, weigh

BY_VALUE: tuple[str, ...] = ("black", "pink", "blue", "brown", "green", "yellow")
CLEARANCE_MM = 0.05
"""A spotted colour must not touch (3.7(h)): it is placed this much beyond the place where it would."""


@dataclass(frozen=True, slots=True)
class Spotted:
    """A colour's due place. `spot`: the spot's colour, None beside a spot; `clause`: why there.

    `certainty`: how sure the choice is, given the balls' sigmas (1 when they are exact).
    """

    ball: str
    spot: str | None
    x_mm: float
    y_mm: float
    clause: str
    certainty: float


def spot_occupied(spot: str, layout: Sequence[BallAt], table: TableSpec) -> Answer:
    """Whether a ball on that colour's spot would touch another, the cue-ball included (snooker 2.18)."""
    return occupied(table.spots[spot], layout, table)


def occupied(place: PointMm, layout: Sequence[BallAt], table: TableSpec) -> Answer:
    """Whether a ball placed there would touch another ball."""
    if not layout:
        return weigh(-math.inf, 0.0)
    nearest = min(layout, key=lambda b: math.dist(b.xy, place))
    return weigh(table.ball_diameter_mm - math.dist(nearest.xy, place), nearest.sigma_mm)


def place_on_line(start: PointMm, up: bool, layout: Sequence[BallAt], table: TableSpec) -> PointMm | None:
    """The nearest place above (below) `start` on the line along the table where nothing is touched.

    Snooker 3.7(f) upwards, 3.7(g) downwards. None when there is no room before the cushion.
    """
    x, y = start
    sign = 1.0 if up else -1.0
    limit = (table.length_mm - table.ball_radius_mm - y) if up else y - table.ball_radius_mm
    spans = []
    for b in layout:
        inside = table.ball_diameter_mm**2 - (b.x_mm - x) ** 2
        if inside >= 0:
            along, half = sign * (b.y_mm - y), math.sqrt(inside)
            spans.append((along - half, along + half))
    step = 0.0
    for low, high in sorted(spans):
        if low - CLEARANCE_MM < step < high + CLEARANCE_MM:
            step = high + CLEARANCE_MM
    return (x, y + sign * step) if step <= limit + 1e-9 else None


def spot_colours(
    colours: Sequence[str], layout: Sequence[BallAt], table: TableSpec, strict_order: bool = False
) -> tuple[Spotted, ...]:
    """Due places of all colours to be spotted, in the order in which they are placed.

    Reading taken of 3.7(e): a colour whose own spot is free goes there; value decides among the
    others. `strict_order` (option): value decides the order of all. Each placed colour then counts as
    a ball on the table. Raises ValueError for a colour without a spot, or when no place is left.
    """
    unknown = [c for c in colours if c not in table.spots]
    if unknown:
        raise ValueError(f"colours to spot must be among {BY_VALUE} on a table with spots, got {unknown}")
    order = sorted(set(colours), key=BY_VALUE.index)
    table_now = [b for b in layout if b.ball not in order]
    if not strict_order:
        order.sort(key=lambda c: spot_occupied(c, table_now, table).likely)
    placed = []
    for colour in order:
        spotted = _due_place(colour, table_now, table)
        placed.append(spotted)
        table_now.append(BallAt(colour, colour, spotted.x_mm, spotted.y_mm))
    return tuple(placed)


def _sure(answer: Answer) -> float:
    return max(answer.probability, 1 - answer.probability)


def _due_place(colour: str, layout: Sequence[BallAt], table: TableSpec) -> Spotted:
    own = spot_occupied(colour, layout, table)
    x, y = table.spots[colour]
    if not own.likely:
        return Spotted(colour, colour, x, y, "snooker 3.7", _sure(own))
    certainty = _sure(own)
    for spot in BY_VALUE:
        answer = spot_occupied(spot, layout, table)
        certainty = min(certainty, _sure(answer))
        if not answer.likely:
            return Spotted(colour, spot, *table.spots[spot], "snooker 3.7(d)", certainty)
    above = place_on_line((x, y), True, layout, table)
    if above is not None:
        return Spotted(colour, None, *above, "snooker 3.7(f)", certainty)
    below = place_on_line((x, y), False, layout, table) if colour in ("pink", "black") else None
    if below is None:
        raise ValueError(f"no place is left to spot the {colour}")
    return Spotted(colour, None, *below, "snooker 3.7(g)", certainty)
