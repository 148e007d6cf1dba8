"""People about a table: a player down on a stroke, a hand that places a ball, somebody standing by."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.table.specs import TableSpec
from referee.quality.bench.rooms.studio.people import (
    Capsule,
    Part,
    Person,
    arm_parts,
    body_part,
    bridge_hand,
    cue_part,
    hand_part,
    head_part,
    open_hand,
    picking_hand,
    placed,
    rest_part,
)

F64 = NDArray[np.float64]
_REACH_MM = 1050.0
"""From the bridge back to the hips; who must reach further than over the rail takes the rest."""


def striker(
    person: Person,
    seed: int,
    ball_mm: Sequence[float],
    direction: float,
    bridge_mm: float,
    drawn_mm: float,
    radius_mm: float,
    table: TableSpec,
) -> list[Part]:
    """A player about to strike a ball in a direction (rad), the tip `drawn_mm` before it.

    The bridge is `bridge_mm` before the ball; far from every rail it is a rest.
    """
    rng = np.random.default_rng([seed, 1])
    way = np.array([math.cos(direction), math.sin(direction), 0.0])
    left = np.array([-way[1], way[0], 0.0])
    centre = np.array([ball_mm[0], ball_mm[1], radius_mm])
    slope = np.array([*(way[:2] * math.cos(0.07)), -math.sin(0.07)])
    tip = centre - (radius_mm + drawn_mm) * slope
    bridge = centre - bridge_mm * way
    parts = [cue_part(person, tip, slope)]
    hips = bridge - _REACH_MM * way
    if _over_table(hips, table, 150.0):
        parts.append(rest_part(bridge * (1, 1, 0) + (0, 0, 8.0), way))
        grip = centre - 1250.0 * slope
        return [*parts, *_grip(person, grip, grip - 250 * way + (0, 0, 60), rng)]
    wrist = bridge - 90.0 * person.scale * way
    parts.append(hand_part(person, placed(bridge_hand(person, rng), wrist * (1, 1, 0), direction), rng))
    wrist = wrist + np.array([0.0, 0.0, 32.0])
    shoulder = wrist - 480 * way + 130 * left + np.array([0, 0, 330.0])
    elbow = wrist + 0.5 * (shoulder - wrist) + 50 * left - np.array([0, 0, 60.0])
    parts += arm_parts(person, wrist, elbow, shoulder, rng)
    other = shoulder - 330 * left - 60 * way + np.array([0, 0, 40.0])
    grip = centre - 1180.0 * slope - drawn_mm * way
    parts += _grip(person, grip, other, rng)
    hips = wrist - _REACH_MM * way + np.array([0, 0, 130.0])
    parts.append(body_part(person, (shoulder, other), hips, rng))
    head = (shoulder + other) / 2 + 180 * way + np.array([0, 0, 60.0])
    parts.append(head_part(person, head, way, rng))
    return parts


def _grip(person: Person, grip: F64, shoulder: F64, rng: np.random.Generator) -> list[Part]:
    """The hand that holds the butt and its arm."""
    up, aside = np.array([0.0, 0.0, 10.0]), np.array([30.0, 0.0, 0.0])
    fist: list[Capsule] = [
        (grip + up - aside, grip + up + aside, 30.0, 30.0),
        (grip, grip + 3 * up, 30.0, 26.0),
    ]
    elbow = (grip + shoulder) / 2 + np.array([0, 0, 180.0])
    return [hand_part(person, fist, rng), *arm_parts(person, grip + 4 * up, elbow, shoulder, rng)]


def placer(person: Person, seed: int, at_mm: Sequence[float], lift_mm: float, table: TableSpec) -> list[Part]:
    """A hand above a place with its fingers about a ball there, reaching in over the nearest long rail."""
    rng = np.random.default_rng([seed, 2])
    side = 1.0 if at_mm[0] >= 0 else -1.0
    heading = (math.pi if side > 0 else 0.0) + float(rng.normal(0, 0.35))
    way = np.array([math.cos(heading), math.sin(heading), 0.0])
    at = np.array([at_mm[0], at_mm[1], lift_mm])
    hand = placed(picking_hand(person, rng, bool(rng.integers(2))), at, heading)
    wrist = at - 105 * person.scale * way + np.array([0, 0, 108.0])
    return [hand_part(person, hand, rng), *_reaching(person, wrist, way, table, rng)]


def leaner(person: Person, seed: int, at_mm: Sequence[float], table: TableSpec) -> list[Part]:
    """A bare or clothed arm that lies over the rail with an open hand on the cloth."""
    rng = np.random.default_rng([seed, 3])
    side = 1.0 if at_mm[0] >= 0 else -1.0
    heading = (math.pi if side > 0 else 0.0) + float(rng.normal(0, 0.5))
    way = np.array([math.cos(heading), math.sin(heading), 0.0])
    at = np.array([at_mm[0], at_mm[1], 0.0])
    hand = placed(open_hand(person, rng, bool(rng.integers(2))), at, heading)
    return [hand_part(person, hand, rng), *_reaching(person, at + np.array([0, 0, 30.0]), way, table, rng)]


def _reaching(person: Person, wrist: F64, way: F64, table: TableSpec, rng: np.random.Generator) -> list[Part]:
    """An arm, and the body that it belongs to where that stands near enough to be seen."""
    to_rail = (table.half_width_mm + 220 - abs(float(wrist[0]))) / max(abs(float(way[0])), 0.3)
    far = max(520.0, min(to_rail, 900.0))
    shoulder = wrist - far * way + np.array([0, 0, 420.0])
    elbow = wrist + 0.5 * (shoulder - wrist) - np.array([0, 0, 50.0])
    parts = arm_parts(person, wrist, elbow, shoulder, rng)
    aside = np.array([-way[1], way[0], 0.0])
    other = shoulder - 340 * aside
    hips = (shoulder + other) / 2 - 250 * way - np.array([0, 0, 430.0])
    parts.append(body_part(person, (shoulder, other), hips, rng))
    parts.append(head_part(person, (shoulder + other) / 2 + 40 * way + np.array([0, 0, 170.0]), way, rng))
    return parts


def stander(person: Person, seed: int, x_mm: float, y_mm: float) -> list[Part]:
    """Somebody who stands beside the table."""
    rng = np.random.default_rng([seed, 4])
    way = np.array([-math.copysign(1.0, x_mm), 0.0, 0.0])
    hips, top = np.array([x_mm, y_mm, -250.0]), np.array([x_mm, y_mm, 500.0])
    aside = np.array([0.0, 180.0, 0.0])
    parts = [body_part(person, (top - aside, top + aside), hips, rng)]
    parts.append(head_part(person, top + np.array([0, 0, 200.0]), way, rng))
    for s in (-1, 1):
        shoulder = top + s * aside
        elbow = shoulder + np.array([0, s * 60.0, -280.0])
        wrist = elbow + 220 * way + np.array([0, 0, -120.0])
        parts += arm_parts(person, wrist, elbow, shoulder, rng)
    return parts


def _over_table(place: F64, table: TableSpec, into_mm: float) -> bool:
    inside_x = abs(float(place[0])) < table.half_width_mm - into_mm
    return inside_x and into_mm < float(place[1]) < table.length_mm - into_mm
