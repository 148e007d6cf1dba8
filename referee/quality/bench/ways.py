"""Detections on the way of a ball in motion: what both worlds with balls in flight count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.table.specs import TableSpec
from referee.geometry.sight import segment_distance
from vision.detect.detector import Detector, decode
from vision.io.picture import Picture
from vision.plane import BallPlane

Place = tuple[float, float]
Seen = tuple[float, float, float]
"""A detection: x, y mm and confidence."""
FAINT_FROM = 0.1
"""A lower one, from which a ball whose way is known is still seen; nothing fainter is counted."""


def on_table(at: Place, table: TableSpec) -> bool:
    """Whether a place lies between the noses."""
    return abs(at[0]) < table.half_width_mm and 0 < at[1] < table.length_mm


def detected(detector: Detector, plane: BallPlane, picture: Picture) -> list[Seen]:
    """What the detector alone sees in a picture, from `FAINT_FROM` on."""
    found = decode(detector.maps(plane.rgb(picture)), FAINT_FROM, plane.px_per_diameter)
    places = [plane.mm_from_plane(d.u_px, d.v_px) for d in found]
    return [(float(x), float(y), d.confidence) for (x, y), d in zip(places, found, strict=True)]


def on_way(seen: Sequence[Seen], a: Place, b: Place, within_mm: float) -> set[Seen]:
    """The detections that lie on the way between two places."""
    return {d for d in seen if from_way_mm(d[:2], a, b) < within_mm}


def from_way_mm(at: Place, a: Place, b: Place) -> float:
    """Distance of a place from the way between two others."""
    return float(segment_distance(np.array([a]), np.array([b]), np.array([at]))[0][0, 0])
