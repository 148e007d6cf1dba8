"""Regions at a pocket: its mouth, and where no ball can rest."""

from __future__ import annotations

import math

from calibration.table.specs import SNOOKER_TABLE, Pocket, TableSpec

HOLE_SHARE = 0.9
"""Share of the drop's radius within which no ball can rest."""
FROM_POCKETS_MM = 150.0
"""Distance from the long cushions beyond which no pocket's mouth reaches."""
JAW_SLACK_MM = 10.0
"""Error allowed for a ball's place between the jaws."""
NOSE_SLACK = 0.5
"""Radii by which calibration and fit may place a ball inside a cushion."""

BEHIND_NOSE_MM = 18.0
"""How far behind its nose a full-size cushion's end is looked for: the middle of its top, where jaws are cut
back already and no rail shows yet."""


def cushion_share(table: TableSpec) -> float:
    """Width of the cushions over a full-size table's: they shrink less than the table does."""
    return float((table.width_mm / SNOOKER_TABLE.width_mm) ** 0.5)


def cushion_ends_mm(table: TableSpec) -> tuple[float, float]:
    """How far from the corner, and from the middle of a side, a cushion ends behind its nose.

    A jaw is an arc that turns by 45 degrees, then straight.
    """
    behind = BEHIND_NOSE_MM * cushion_share(table)

    def run(radius_mm: float) -> float:
        turned = radius_mm * (1.0 - math.sqrt(0.5))
        if behind <= turned:
            return math.sqrt(2 * radius_mm * behind - behind**2)
        return radius_mm * math.sqrt(0.5) + behind - turned

    (x, _), _ = table.pocket("BL").jaws
    (_, low), (_, high) = table.pocket("CL").jaws
    corner = table.half_width_mm - abs(x) - run(table.corner_jaw_radius_mm)
    return corner, abs(high - low) / 2 - run(table.centre_jaw_radius_mm)


def in_mouth(x_mm: float, y_mm: float, table: TableSpec) -> bool:
    """Whether a place (mm) lies in a pocket's mouth, where no straight cushion reflects."""
    if abs(x_mm) < table.half_width_mm - FROM_POCKETS_MM:
        return False
    r = table.ball_radius_mm
    for p in table.pockets:
        reach = math.dist(p.jaws[0], p.jaws[1]) / 2 + r
        if math.hypot(x_mm - p.x_mm, y_mm - p.y_mm) < reach:
            return True
    return False


def on_bed(x_mm: float, y_mm: float, table: TableSpec) -> bool:
    """Whether a ball that is on the table can be seen at a place (mm): between the noses, or at a pocket."""
    r = table.ball_radius_mm
    beyond = max(abs(x_mm) - table.half_width_mm, abs(y_mm - table.length_mm / 2) - table.length_mm / 2)
    if beyond + r <= NOSE_SLACK * r:
        return True
    return any(math.hypot(p.x_mm - x_mm, p.y_mm - y_mm) - p.drop_radius_mm < 2 * r for p in table.pockets)


def no_rest_place(x_mm: float, y_mm: float, table: TableSpec, hole_share: float = HOLE_SHARE) -> bool:
    """Whether a place (mm) at a pocket is one where no ball can rest.

    That is over the drop, beyond the drop's centre seen from the table, or inside a jaw. `hole_share`: share
    of the drop's radius within which no ball rests; smaller where the edge is known less exactly.
    """
    if abs(x_mm) < table.half_width_mm - FROM_POCKETS_MM:
        return False
    for p in table.pockets:
        dx, dy = x_mm - p.x_mm, y_mm - p.y_mm
        d = math.hypot(dx, dy)
        if d < hole_share * p.drop_radius_mm:
            return True
        out_x, out_y = math.copysign(1.0, p.x_mm), _end_of(p, table)
        half_mouth = math.dist(p.jaws[0], p.jaws[1]) / 2
        if d >= half_mouth + table.ball_radius_mm:
            continue
        if dx * out_x + dy * out_y > 0.0:
            return True
        aside = abs(dx * out_y - dy * out_x) / math.hypot(out_x, out_y)
        behind_nose = abs(x_mm) > table.half_width_mm or not table.bottom_mm < y_mm < table.top_mm
        if behind_nose and aside > half_mouth - table.ball_radius_mm + JAW_SLACK_MM:
            return True
    return False


def _end_of(p: Pocket, table: TableSpec) -> float:
    """1 for a pocket in the top cushion, -1 in the bottom one, 0 in the middle of a side."""
    along = p.y_mm - table.bottom_mm
    if abs(along - table.length_mm / 2) < table.length_mm / 4:
        return 0.0
    return 1.0 if along > table.length_mm / 2 else -1.0
