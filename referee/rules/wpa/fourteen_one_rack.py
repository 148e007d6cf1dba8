"""Racking in mid-game at 14.1: what interferes (4.8), where cue-ball and fifteenth ball go."""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibration.table.specs import PointMm
from referee.rules.common.pool import FactsError, Lying
from referee.rules.wpa.general import PoolMarks, behind_string


@dataclass(frozen=True, kw_only=True)
class Interference:
    """Balls in the way when fourteen are to be racked (4.8), from the referee or the camera.

    None: not said, then it follows from the positions where they are known (else: no interference).
    """

    cue: bool | None = None
    object_ball: bool | None = None
    head_spot_blocked_by_cue: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Rerack:
    """`balls` racked (14: the apex stays empty), what becomes of the two other balls.

    `cue_mm`, `object_mm`: placed there; None with `cue_in_hand` False: stays where it lies.
    """

    balls: int
    cue_in_hand: bool = False
    cue_mm: PointMm | None = None
    object_mm: PointMm | None = None
    lying: tuple[Lying, ...] = ()

    @property
    def apex_empty(self) -> bool:
        return self.balls == 14

    @property
    def cue_stays(self) -> bool:
        return not self.cue_in_hand and self.cue_mm is None

    @property
    def object_stays(self) -> bool:
        return self.balls == 14 and self.object_mm is None


def rack_outline_mm(marks: PoolMarks) -> tuple[PointMm, PointMm, PointMm]:
    """The triangle drawn around fifteen tight balls: apex towards the head, then the two foot corners.

    The balls' centres form a triangle of side 4 diameters; its sides are moved out by one radius.
    """
    d = marks.ball_diameter_mm
    row = d * math.sqrt(3) / 2
    x, y = marks.foot_spot_mm
    top = y + 4 * row + d / 2
    apex = y - d  # a radius divided by sin 30 degrees in front of the apex ball's centre
    half = (top - apex) / math.sqrt(3)
    return (x, apex), (x - half, top), (x + half, top)


def interferes(point: PointMm, marks: PoolMarks) -> bool:
    """4.8: a ball within the outline of the rack or overlapping it (touching it from outside does not)."""
    corners = rack_outline_mm(marks)
    radius = marks.ball_diameter_mm / 2
    inside = all(_side(corners[i], corners[(i + 1) % 3], point) <= 0 for i in range(3)) or all(
        _side(corners[i], corners[(i + 1) % 3], point) >= 0 for i in range(3)
    )
    distance = min(_distance(corners[i], corners[(i + 1) % 3], point) for i in range(3))
    return inside or distance < radius - 1e-6


def _side(a: PointMm, b: PointMm, p: PointMm) -> float:
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def _distance(a: PointMm, b: PointMm, p: PointMm) -> float:
    length = math.hypot(b[0] - a[0], b[1] - a[1])
    t = ((p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1])) / length**2
    t = min(1.0, max(0.0, t))
    return math.hypot(p[0] - a[0] - t * (b[0] - a[0]), p[1] - a[1] - t * (b[1] - a[1]))


def _interferes(said: bool | None, at: PointMm | None, marks: PoolMarks) -> bool:
    """Whether a ball interferes with the rack: as it was said, else as it lies; no where neither is known."""
    if said is not None:
        return said
    return at is not None and interferes(at, marks)


def rerack_after(left: int, said: Interference, lying: tuple[Lying, ...], marks: PoolMarks) -> Rerack:
    """4.8 with `left` (0 or 1) object balls on the table, whose places are in `lying` where known."""
    if left not in (0, 1):
        raise FactsError(f"balls are racked with one or no object ball on the table, got {left!r}")
    cue_at = next((b.point_mm for b in lying if b.ball == "cue"), None)
    objects = [b for b in lying if b.ball != "cue"]
    object_at = objects[0].point_mm if left == 1 and len(objects) == 1 else None
    cue = _interferes(said.cue, cue_at, marks)
    if left == 0:
        # 4.8(a); a cue-ball inside the rack then cannot stay either: 4.8(b) has it in hand
        return Rerack(balls=15, cue_in_hand=cue, lying=() if cue else _only("cue", lying))
    object_ball = _interferes(said.object_ball, object_at, marks)
    if cue and object_ball:
        return Rerack(balls=15, cue_in_hand=True)  # 4.8(b)
    if object_ball:
        return _move_object(said, cue_at, objects, lying, marks)
    if cue:
        return _move_cue(object_at, tuple(objects), marks)
    return Rerack(balls=14, lying=lying)


def _only(ball: str, lying: tuple[Lying, ...]) -> tuple[Lying, ...]:
    return tuple(b for b in lying if b.ball == ball)


def _blocked(spot: PointMm, by: PointMm | None, marks: PoolMarks) -> bool:
    return by is not None and math.hypot(spot[0] - by[0], spot[1] - by[1]) < marks.ball_diameter_mm - 1e-6


def _move_object(
    said: Interference,
    cue_at: PointMm | None,
    objects: list[Lying],
    lying: tuple[Lying, ...],
    marks: PoolMarks,
) -> Rerack:
    """4.8(c): the fifteenth ball to the head spot, to the centre spot if the cue-ball blocks that."""
    blocked = said.head_spot_blocked_by_cue
    if blocked is None:
        blocked = _blocked(marks.head_spot_mm, cue_at, marks)
    place = marks.centre_spot_mm if blocked else marks.head_spot_mm
    moved = tuple(Lying(b.ball, place) for b in objects)
    return Rerack(balls=14, object_mm=place, lying=(*_only("cue", lying), *moved))


def _move_cue(object_at: PointMm | None, objects: tuple[Lying, ...], marks: PoolMarks) -> Rerack:
    """4.8(d): in hand, unless the object ball lies behind the head string: then head or centre spot."""
    if object_at is None or not behind_string(object_at, marks):
        return Rerack(balls=14, cue_in_hand=True, lying=objects)
    blocked = _blocked(marks.head_spot_mm, object_at, marks)
    place = marks.centre_spot_mm if blocked else marks.head_spot_mm
    return Rerack(balls=14, cue_mm=place, lying=(*objects, Lying("cue", place)))
