"""Pictures laid on a table's flat parts: cloth with its marks and wear, rails with their pockets.

Linear RGB; rows run along +y. `bed_area` and `rail_areas` say where there is something at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely.geometry import MultiPoint, Point, Polygon, box
from shapely.geometry.base import BaseGeometry

from calibration.table.specs import TableSpec
from referee.quality.bench.rooms.studio.outline import free_area

F32 = NDArray[np.float32]
Rng = np.random.Generator
_Ink = tuple[tuple[float, float, float], float]
CLOTH_MM, RAIL_MM = 1.0, 2.0
"""Size of a texel. Marks are 2 to 4 mm wide; nothing of a rail is finer than a camera's pixel."""
MARGIN_MM = 60.0
"""Of cloth under the cushions, beyond the noses."""
CUSHION_MM = 46.0
"""Width of a cushion's cloth seen from above, nose to wood; 44 to 50 is usual."""
_BODY_MM, _SHARP_BODY_MM, _NEAR_JAW_MM = 17.0, 3.5, 80.0
"""From the nose to the rail's flat cloth, on straights and about sharp jaws; how far that is about a jaw."""
_SPOT_MM = 5.0  # radius of a spot's mark; 4 to 6 is usual
_BAULK_SHIFT = 16  # fractional bits of OpenCV's drawing


@dataclass(frozen=True, slots=True)
class Sheet:
    """A flat picture: `colour` (H, W, 3) linear RGB, its `low` and `high` corners on the table in mm, and
    `there` (H, W) from 0 to 1 where it has holes.
    """

    colour: F32
    low: tuple[float, float]
    high: tuple[float, float]
    there: F32 | None = None


@dataclass(frozen=True, slots=True)
class ClothLook:
    """Cloth: `colour` linear RGB; `wear`, `chalk`, `nap`: 0 none to 1 much; `line`: of its marks; `string`:
    whether a pool table has more drawn on it than the spot of its rack.
    """

    colour: tuple[float, float, float]
    nap: float
    wear: float
    chalk: float
    spots: int
    line: tuple[float, float, float]
    line_mm: float
    string: bool = True


@dataclass(frozen=True, slots=True)
class RailLook:
    """`wood`: linear RGB; `grain`: contrast of its grain; `trim`: colour of what surrounds pockets."""

    wood: tuple[float, float, float]
    grain: float
    width_mm: float
    trim: tuple[float, float, float]
    trim_mm: float
    diamonds: bool
    chalk: int


def clouds(rng: Rng, shape: tuple[int, int], size: float) -> F32:
    """Smooth noise of mean 0 and deviation 1 whose blobs are `size` texels across."""
    small = (max(int(shape[0] / size) + 2, 2), max(int(shape[1] / size) + 2, 2))
    field = cv2.resize(
        rng.standard_normal(small).astype(np.float32), (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC
    )
    return np.asarray((field - field.mean()) / max(float(field.std()), 1e-6), np.float32)


def cloth_sheet(table: TableSpec, look: ClothLook, rng: Rng) -> Sheet:
    """The bed: nap along the table, wear where cues break off, chalk, burns, and the table's marks."""
    low = (-table.half_width_mm - MARGIN_MM, -MARGIN_MM)
    high = (table.half_width_mm + MARGIN_MM, table.length_mm + MARGIN_MM)
    shape = _shape(low, high, CLOTH_MM)
    eighth = (shape[0] // 8 + 1, shape[1] // 8 + 1)
    slow = 0.035 * look.nap * (0.3 * clouds(rng, eighth, 5.0) + 0.5 * clouds(rng, eighth, 52.0))
    slow = 1.0 + slow + 0.05 * look.wear * clouds(rng, eighth, 19.0)
    coarse: Any = (slow[..., None] * np.asarray(look.colour)).astype(np.float32)
    _dust(coarse, look, rng)
    colour: Any = cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)
    fine = 1.0 + 0.018 * look.nap * clouds(rng, (512, 512), 3.0)
    tiles = (shape[0] // 512 + 1, shape[1] // 512 + 1)
    colour *= np.tile(fine, tiles)[: shape[0], : shape[1], None]
    _marks(colour, table, look, low)
    _old_spots(colour, look, rng)
    return Sheet(np.asarray(colour, np.float32), low, high)


def bed_area(table: TableSpec) -> Polygon:
    """The slate seen from above: reaching under the cushions, cut out at the drops and behind them."""
    m = MARGIN_MM
    area = box(-table.half_width_mm - m, -m, table.half_width_mm + m, table.length_mm + m)
    for p in table.pockets:
        away = _away(table, (p.x_mm, p.y_mm))
        behind = Point(p.x_mm + 60 * away[0], p.y_mm + 60 * away[1]).buffer(p.drop_radius_mm)
        area = area - Point(p.x_mm, p.y_mm).buffer(p.drop_radius_mm).union(behind).convex_hull
    return area


def rail_areas(table: TableSpec, look: RailLook) -> tuple[BaseGeometry, BaseGeometry]:
    """What lies flat behind the cushions' rounded edge, open at the pockets: its cloth, and what is hard
    (wood, and the pockets' trim).
    """
    r = CUSHION_MM + look.width_mm
    area = box(-table.half_width_mm - r, -r, table.half_width_mm + r, table.length_mm + r)
    free = Polygon(free_area(table))
    inner = free.buffer(_BODY_MM)
    for p in table.pockets:
        radius = table.centre_jaw_radius_mm if p.name[0] == "C" else table.corner_jaw_radius_mm
        if (
            radius < _BODY_MM
        ):  # a sharp jaw's cushion is narrow (`outline`): the rail's cloth reaches further in
            near = MultiPoint(p.jaws).buffer(_NEAR_JAW_MM)
            inner = (inner - near) | (free.buffer(_SHARP_BODY_MM) & near)
    area = area - inner
    c = CUSHION_MM
    clothed = area & box(-table.half_width_mm - c, -c, table.half_width_mm + c, table.length_mm + c)
    for p in table.pockets:
        centre = Point(_trim_centre(table, (p.x_mm, p.y_mm)))
        area = area - centre.buffer(p.drop_radius_mm + 6)
        clothed = clothed - centre.buffer(p.drop_radius_mm + 14 + look.trim_mm)
    return clothed, area - clothed


def rail_sheet(table: TableSpec, look: RailLook, cloth: tuple[float, float, float], rng: Rng) -> Sheet:
    """All that is flat above the noses: the cushions' cloth, the wood behind it, the pockets' trim."""
    reach = CUSHION_MM + look.width_mm
    low = (-table.half_width_mm - reach, -reach)
    high = (table.half_width_mm + reach, table.length_mm + reach)
    shape = _shape(low, high, RAIL_MM)
    free = np.zeros(shape, np.uint8)
    polygon = (free_area(table) - np.asarray(low)) / RAIL_MM - 0.5
    cv2.fillPoly(free, [np.rint(polygon * 2**4).astype(np.int32)], 255, shift=4)
    out_mm = cv2.distanceTransform(255 - free, cv2.DIST_L2, 5) * RAIL_MM
    wood = np.asarray(look.wood, np.float32)
    grain: Any = clouds(rng, (shape[0] // 60 + 2, shape[1]), 2.5)
    grain = cv2.resize(grain, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)
    colour = wood * np.clip(1 + look.grain * grain, 0.3, 2.0)[..., None]
    colour = np.where(
        _behind(shape, table, low)[..., None] < CUSHION_MM, np.asarray(cloth, np.float32), colour
    )
    for p in table.pockets:
        far = _distance(shape, _trim_centre(table, (p.x_mm, p.y_mm)), low, RAIL_MM)
        ring = (far < p.drop_radius_mm + 14 + look.trim_mm) & (out_mm > 6.0)
        colour[ring] = np.asarray(look.trim, np.float32)
    if look.diamonds:
        _diamonds(colour, table, low)
    return Sheet(np.asarray(colour, np.float32), low, high)


def _behind(shape: tuple[int, int], table: TableSpec, low: tuple[float, float]) -> F32:
    """Distance (mm) of a rail sheet's texels from the playing area's rectangle."""
    x = np.abs((np.arange(shape[1]) + 0.5) * RAIL_MM + low[0])[None] - table.half_width_mm
    y = np.abs((np.arange(shape[0]) + 0.5) * RAIL_MM + low[1] - table.length_mm / 2)[:, None]
    return np.asarray(np.maximum(x, y - table.length_mm / 2), np.float32)


def _shape(low: tuple[float, float], high: tuple[float, float], texel_mm: float) -> tuple[int, int]:
    return round((high[1] - low[1]) / texel_mm), round((high[0] - low[0]) / texel_mm)


def _away(table: TableSpec, centre: tuple[float, float]) -> tuple[float, float]:
    """Unit vector from the table out through a pocket."""
    x, y = np.sign(centre[0]), 0.0
    if abs(centre[1] - table.length_mm / 2) > table.length_mm / 4:
        y = float(np.sign(centre[1] - table.length_mm / 2))
    size = float(np.hypot(x, y))
    return float(x) / size, y / size


def _trim_centre(table: TableSpec, pocket: tuple[float, float]) -> tuple[float, float]:
    """The middle of a pocket's trim: a little outside its drop."""
    away = _away(table, pocket)
    return pocket[0] + 14 * away[0], pocket[1] + 14 * away[1]


def _distance(
    shape: tuple[int, int], centre: tuple[float, float], low: tuple[float, float], mm: float
) -> F32:
    y = np.arange(shape[0], dtype=np.float32)[:, None] * mm + mm / 2 + low[1] - centre[1]
    x = np.arange(shape[1], dtype=np.float32)[None, :] * mm + mm / 2 + low[0] - centre[0]
    return np.asarray(np.hypot(x, y), np.float32)


def _window(
    shape: tuple[int, ...], centre: tuple[float, float], reach_mm: float, low: tuple[float, float], mm: float
) -> tuple[tuple[slice, slice], F32]:
    """The part of a sheet about a place, and the distance (mm) of its texels from that place."""
    row, column = (centre[1] - low[1]) / mm, (centre[0] - low[0]) / mm
    reach = reach_mm / mm + 2
    rows = slice(max(int(row - reach), 0), min(int(row + reach) + 1, shape[0]))
    columns = slice(max(int(column - reach), 0), min(int(column + reach) + 1, shape[1]))
    size = (rows.stop - rows.start, columns.stop - columns.start)
    corner = (low[0] + columns.start * mm, low[1] + rows.start * mm)
    return (rows, columns), _distance(size, centre, corner, mm)


def _dot(
    colour: F32,
    centre: tuple[float, float],
    radius_mm: float,
    low: tuple[float, float],
    mm: float,
    paint: _Ink,
) -> None:
    """A round mark of a colour and strength."""
    at, far = _window(colour.shape, centre, radius_mm, low, mm)
    share = paint[1] * np.clip((radius_mm - far) / mm + 0.5, 0, 1)[..., None]
    colour[at] = colour[at] * (1 - share) + share * np.asarray(paint[0], np.float32)


def _blend(colour: F32, share: F32, paint: tuple[float, float, float]) -> None:
    colour[...] = colour * (1 - share[..., None]) + share[..., None] * np.asarray(paint, np.float32)


def _dust(colour: F32, look: ClothLook, rng: Rng) -> None:
    """Chalk: smudges with short streaks where balls lay and hands rested."""
    if look.chalk <= 0:
        return
    share = np.zeros(colour.shape[:2], np.float32)
    for _ in range(int(60 * look.chalk)):
        y, x = rng.uniform(0, colour.shape[0]), rng.uniform(0, colour.shape[1])
        size, angle = rng.uniform(0.3, 1.8), rng.uniform(0, 360)  # in texels of 8 mm
        axes = (max(int(size * rng.uniform(1, 4)), 1), max(int(size), 1))
        cv2.ellipse(share, (int(x), int(y)), axes, angle, 0, 360, float(rng.uniform(0.02, 0.15)), -1)
    _blend(colour, np.asarray(cv2.GaussianBlur(share, (0, 0), 0.8), np.float32), (0.25, 0.42, 0.5))


def _old_spots(colour: F32, look: ClothLook, rng: Rng) -> None:
    """Burns of the white, small worn marks, lint: dark or pale, 1 to 5 mm."""
    for k in range(look.spots):
        at = (float(rng.uniform(0, colour.shape[1])), float(rng.uniform(0, colour.shape[0])))
        paint = (0.7, 0.72, 0.7) if k % 4 == 1 else (0.01, 0.02, 0.01)
        _dot(
            colour, at, float(rng.uniform(0.6, 3.5)), (0.0, 0.0), 1.0, (paint, float(rng.uniform(0.15, 0.7)))
        )


def _marks(colour: F32, table: TableSpec, look: ClothLook, low: tuple[float, float]) -> None:
    """Baulk line, D and spots (or head string and spots), as wide as a tailor's chalk draws them."""
    share = np.zeros(colour.shape[:2], np.float32)

    def texel(x: float, y: float) -> tuple[int, int]:
        scale = 2**_BAULK_SHIFT / CLOTH_MM
        return round((x - low[0]) * scale - scale / 2), round((y - low[1]) * scale - scale / 2)

    line = table.cross_line_mm if look.string or table.line_is_drawn else None
    wide = max(round(look.line_mm / CLOTH_MM), 1)
    if line is not None:
        a, b = texel(-table.half_width_mm, line), texel(table.half_width_mm, line)
        cv2.line(share, a, b, 1.0, wide, cv2.LINE_8, _BAULK_SHIFT)
        if table.d_radius_mm is not None:
            turns = np.linspace(np.pi, 2 * np.pi, 200)
            arc = [texel(table.d_radius_mm * np.cos(t), line + table.d_radius_mm * np.sin(t)) for t in turns]
            cv2.polylines(share, [np.array(arc)], False, 1.0, wide, cv2.LINE_8, _BAULK_SHIFT)
    _blend(colour, np.asarray(cv2.GaussianBlur(share, (0, 0), 0.6) * 0.85, np.float32), look.line)
    for name, (x, y) in table.marked_spots.items():
        if table.mark_set == "pool" and not look.string and name != "foot":
            continue
        _dot(colour, (x, y), _SPOT_MM, low, CLOTH_MM, (look.line, 0.7))


def _diamonds(colour: F32, table: TableSpec, low: tuple[float, float]) -> None:
    """Sights in the rails at eighths of the length and quarters of the width."""
    out = CUSHION_MM + 55.0
    w, length = table.half_width_mm + out, table.length_mm
    places = [(s * w, length * k / 8) for s in (-1, 1) for k in (1, 2, 3, 5, 6, 7)]
    places += [(table.width_mm * (k / 4 - 0.5), y) for k in (1, 2, 3) for y in (-out, length + out)]
    for p in places:
        _dot(colour, p, 6.0, low, RAIL_MM, ((0.7, 0.68, 0.6), 1.0))
