"""The cushions' noses seen from above, as polylines, from a table's dimensions.

A straight nose ends where `Pocket.jaws` says; there a round jaw turns it into the pocket's throat: by 45
degrees at a corner, by 90 in the middle of a side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.table.specs import PocketName, TableSpec

F64 = NDArray[np.float64]
_ORDER: tuple[PocketName, ...] = ("BL", "BR", "CR", "TR", "TL", "CL")
"""Counter-clockwise, so that the playing area lies to the left of every nose."""
_THROAT_MM = 70.0
"""Length of the straight throat behind a jaw; it ends under the pocket's leather."""
_ARC_STEPS = 12
_SQUEEZE = 0.92
"""Share of a jaw's radius to which a cushion reaches behind its nose: beyond its centre it would fold."""
_TAPER_MM = 26.0
"""From a jaw to where its cushion has its whole body, however sharp the jaw is."""
_FACINGS_DEG = {"pool": (38.0, 76.0)}
"""By how much a jaw turns, corner and centre: WPA's facings of 142 and 104 degrees; else a round jaw's."""
_SHARPEST_MM = 2.0
"""Radius of a jaw that the table calls sharp."""


@dataclass(frozen=True, slots=True)
class Nose:
    """One cushion: `points` (N, 2) mm along its nose, outward `normals` (N, 2), `most_out_mm` (N,): how far
    its body may reach behind each point.
    """

    points: F64
    normals: F64
    most_out_mm: F64


def noses(table: TableSpec) -> tuple[Nose, ...]:
    """The six cushions, from the bottom one counter-clockwise."""
    return tuple(_nose(table, a, b) for a, b in zip(_ORDER, (*_ORDER[1:], _ORDER[0]), strict=True))


def free_area(table: TableSpec) -> F64:
    """The polygon (N, 2) mm of the area between the noses, throats included."""
    return np.concatenate([n.points for n in noses(table)])


def _nose(table: TableSpec, first: PocketName, last: PocketName) -> Nose:
    start, end = _jaw(table, first, last), _jaw(table, last, first)
    along = (end - start) / np.linalg.norm(end - start)
    outward = np.array([along[1], -along[0]])
    head = _end(table, first, start, -along, outward)
    tail = _end(table, last, end, along, outward)
    straight = np.array([start + _TAPER_MM * along, end - _TAPER_MM * along])
    middle = straight, np.array([outward, outward]), np.full(2, np.inf)
    points, normals, most = (
        np.concatenate((h[::-1], m, t)) for h, m, t in zip(head, middle, tail, strict=True)
    )
    return Nose(points, normals, most)


def _jaw(table: TableSpec, name: PocketName, towards: PocketName) -> F64:
    """The jaw point of a pocket on the cushion that leads to another one."""
    other = table.pocket(towards)
    a, b = (np.asarray(j, float) for j in table.pocket(name).jaws)
    to = np.array([other.x_mm, other.y_mm])
    one_side = _same_side(table, a, name, towards), _same_side(table, b, name, towards)
    if one_side[0] != one_side[1]:
        return a if one_side[0] else b
    return a if np.linalg.norm(to - a) < np.linalg.norm(to - b) else b


def _same_side(table: TableSpec, point: F64, name: PocketName, towards: PocketName) -> bool:
    """Whether a jaw point lies on the straight nose line that joins two pockets."""
    if {name[0], towards[0]} in ({"B"}, {"T"}):
        y = table.bottom_mm if name[0] == "B" else table.top_mm
        return abs(float(point[1]) - y) < 1e-6
    return abs(abs(float(point[0])) - table.half_width_mm) < 1e-6


def _end(table: TableSpec, name: PocketName, jaw: F64, along: F64, outward: F64) -> tuple[F64, F64, F64]:
    """From a jaw point on: arc and throat; points, normals and reach."""
    corner = name[0] != "C"
    turn = math.radians(_FACINGS_DEG.get(table.mark_set, (45.0, 90.0))[0 if corner else 1])
    given = table.corner_jaw_radius_mm if corner else table.centre_jaw_radius_mm * (math.sqrt(2) - 1)
    radius = max(given, _SHARPEST_MM)
    a = np.linspace(0, turn, _ARC_STEPS + 1)[:, None]
    arc = jaw + radius * (np.sin(a) * along + (1 - np.cos(a)) * outward)
    normal = np.cos(a) * outward - np.sin(a) * along
    way = math.cos(turn) * along + math.sin(turn) * outward
    points = np.concatenate((arc, [arc[-1] + _THROAT_MM * way]))
    normals = np.concatenate((normal, normal[-1:]))
    return points, normals, np.full(len(points), radius * _SQUEEZE)
