"""The cushions' edges: followed along a side, identified (rail, nose, shadow), measured to sub-pixel.

From outside in, a picture shows the rail, the cushion's top (cloth), the nose, the shadow under the nose or
its face, then the bed. The nose is the first edge inside the cushion's top.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.find.marks import peaks
from calibration.find.strips import (
    ByteArray,
    FloatArray,
    Strip,
    median_of_known,
    peak_shift,
    side_stations,
    smoothed_slope,
    strip_along,
    usual_mm_per_px,
)
from calibration.solve.model import Points
from calibration.solve.unknowns import SIDES
from calibration.table.pockets import cushion_share
from calibration.table.specs import TableSpec

_STATIONS_ACROSS = 70
"""Stations along a width of the table."""
_CLEAR_WIDTHS = 0.012  # table widths that stations keep away from the jaws

_REACH_PX = 10.0  # a strip's extent beyond the window in which its edge is sought
_STEP_PX = 0.25  # of the strips in which edges are measured
_STEP_LIMITS_MM = (0.05, 20.0)

_GAMMA = 2.2  # the usual transfer curves (sRGB, BT.709) as one power
_LEAST_GREY = 8.0  # of a typical value

_OUTLINE_MM = 70.0  # reach of the strips in which a side's strongest edge is followed
_SEEN_SHARE, _SEEN_STATIONS = 0.5, 0.4  # share of a station inside the picture; share of the stations
_PATH_REACH, _PATH_COST = 2, 0.4  # columns that a path may move between stations; cost of each
_LEAST_NOISE, _MOST_GAIN = 0.02, 60.0  # of a slope; largest slope over its noise that counts

_TOP_MM = (4.0, 16.0)  # inside an edge where cloth must be
_UNLIKE_SCALE = 0.6  # unlikeness at which cloth is unlikely
_BED_SHARE, _BED_STATIONS = 0.8, 6  # where the bed begins in a strip; neighbours of its median, to both sides
_TINT, _DARK, _DARK_SCALE = (
    0.12,
    0.2,
    0.8,
)  # difference of tint, of log brightness beyond a free part: unlike by one
_LEAST_SUM = 12.0  # of a colour's three values

_MOST_PEAKS, _PEAK_REACH, _LEAST_PEAK = (
    12,
    2,
    0.6,
)  # edges of a profile: count, columns to both sides, grey a pixel
_RAIL_MM = (22.0, 85.0)  # widths of a cushion's top
_EDGE_MM = 4.0  # blur of an edge
_NOT_SEEN = 2.0  # penalty of a reading without a rail
_DARKER = 0.7  # bonus of a nose that is darker inwards
_WIDTH_MM, _WIDTH_LOG_SIGMA = 50.0, 0.3  # usual width of a cushion's top and one sigma of its logarithm
_WIDTH_SIGMA_MM, _MOST_PENALTY = 3.0, 30.0  # sides of one table have cushions of one width

_SIGMA_PX, _NO_SIGMA_PX = 0.5, 4.0  # one sigma of a point on a clear edge, and on a side without points
_FAINT_NOISES, _WANDER_PX, _WORST = (
    5.0,
    0.06,
    12.0,
)  # contrast and wander from which an edge is faint; largest factor


def nose_stations(table: TableSpec, side: int) -> tuple[FloatArray, FloatArray]:
    """Stations along a nose (N, 2) mm, clear of the jaws, and inward unit normals (N, 2)."""
    return side_stations(table, side, table.width_mm / _STATIONS_ACROSS, _CLEAR_WIDTHS * table.width_mm)


def side_strip(
    image: ByteArray,
    camera: Camera,
    table: TableSpec,
    side: int,
    reach_mm: tuple[float, float],
    step_px: float,
) -> Strip:
    """Strip along a nose, from `reach_mm[0]` (negative: outside) to `reach_mm[1]` inside it."""
    base, inward = nose_stations(table, side)
    z = table.nose_height_mm
    step = float(np.clip(usual_mm_per_px(camera, base, inward, z) * step_px, *_STEP_LIMITS_MM))
    offsets = np.arange(reach_mm[0], reach_mm[1] + step, step)
    return strip_along(image, camera, base, inward, offsets, z)


def follow(strip: Strip, sigma: float = 2.0) -> FloatArray | None:
    """Offsets (N,) mm of the strongest smooth path of edges along the strip; None outside the picture.

    By dynamic programming over the stations.
    """
    slope = np.linalg.norm(np.nan_to_num(smoothed_slope(strip.colour, sigma)), axis=2)
    if not np.any(slope > 0):
        return None
    noise = max(float(np.median(slope[slope > 0])), _LEAST_NOISE)
    gain = np.log1p(np.minimum(slope / noise, _MOST_GAIN)) * _cloth_inside(strip)
    n, m = gain.shape
    best = gain[0].copy()
    back = np.zeros((n, m), dtype=np.int64)
    reach = _PATH_REACH
    for row in range(1, n):
        padded = np.pad(best, reach, constant_values=-1e9)
        options = np.stack([padded[k : k + m] - _PATH_COST * abs(k - reach) for k in range(2 * reach + 1)])
        back[row] = np.argmax(options, axis=0)
        best = options[back[row], np.arange(m)] + gain[row]
    path = np.empty(n, dtype=np.int64)
    path[-1] = int(np.argmax(best))
    for row in range(n - 1, 0, -1):
        path[row - 1] = path[row] + back[row, path[row]] - reach
    return np.asarray(strip.offset_mm[np.clip(path, 0, m - 1)], dtype=np.float64)


def _cloth_inside(strip: Strip) -> FloatArray:
    """Likelihood (N, M), 0 to 1, of cloth just inside each place: a rail's outer edge has none."""
    # blurred, because noise in the dark looks like another colour
    colour = np.asarray(cv2.blur(np.nan_to_num(strip.colour), (5, 9)), dtype=np.float64)
    # the bed's colour near each station, because lamps are uneven and balls and hands lie on the bed
    bed = np.median(colour[:, int(_BED_SHARE * colour.shape[1]) :], axis=1)
    n = _BED_STATIONS
    window = np.pad(bed, ((n, n), (0, 0)), mode="edge")
    bed = np.median(np.stack([window[k : k + len(bed)] for k in range(2 * n + 1)]), axis=0)
    unlike = np.stack([unlike_cloth(row, near) for row, near in zip(colour, bed, strict=True)])
    first, last = (max(1, round(mm / strip.step_mm)) for mm in _TOP_MM)
    total = np.cumsum(np.pad(unlike, ((0, 0), (1, last + 1)), mode="edge"), axis=1)
    columns = np.arange(colour.shape[1])
    mean = (total[:, columns + last + 1] - total[:, columns + first]) / (last + 1 - first)
    return np.asarray(np.exp(-((mean / _UNLIKE_SCALE) ** 2)), dtype=np.float64)


def outline_points(image: ByteArray, camera: Camera, table: TableSpec) -> Points | None:
    """Points on the strongest edge of each side (rail or nose), to straighten the lens.

    None if a side is missing.
    """
    parts = []
    reach = _OUTLINE_MM * cushion_share(table)
    for side in SIDES:
        strip = side_strip(image, camera, table, side, (-1.5 * reach, 1.6 * reach), 1.0)
        path = follow(strip)
        if path is None:
            return None
        seen = np.flatnonzero(np.isfinite(strip.colour).all(axis=2).mean(axis=1) > _SEEN_SHARE)
        if len(seen) < _SEEN_STATIONS * len(path):
            return None
        parts.append(Points.of(strip.pixels(camera, seen, path[seen]), side, 1.0))
    return Points.join(parts)


@dataclass(frozen=True)
class Edge:
    """One edge along a whole side: offset (mm), colour change (BGR a pixel, inwards), strength."""

    offset_mm: float
    change: tuple[float, float, float]
    strength: float

    @property
    def darker_inwards(self) -> bool:
        """Whether the inner side is darker."""
        return sum(self.change) < 0


@dataclass(frozen=True)
class Pair:
    """A reading of one side: offset of the rail's end (None: not seen), the nose, and a score."""

    rail_mm: float | None
    nose: Edge
    score: float


@dataclass(frozen=True)
class Reading:
    """A reading of all four sides with one common width of the cushions' tops; a higher score is likelier."""

    noses: tuple[Edge, Edge, Edge, Edge]
    width_mm: float
    score: float


def _profile(strip: Strip) -> FloatArray:
    """Median colour (M, 3) across the strip."""
    return median_of_known(strip.colour, axis=0)


def side_pairs(strip: Strip, step_px: float, share: float) -> list[Pair]:
    """Readings of a straightened strip: every pair of edges that can be rail and nose.

    `share`: width of the cushions over a full-size table's.
    """
    profile = _profile(strip)
    slope = np.nan_to_num(smoothed_slope(profile[None], 1.0 / step_px)[0]) / step_px
    size = np.linalg.norm(slope, axis=1)
    bed = median_of_known(profile[strip.offset_mm > 0.75 * strip.offset_mm[-1]], axis=0)
    unlike = unlike_cloth(profile, bed)
    peaks = sorted(sorted(_local_peaks(size), key=lambda k: -size[k])[:_MOST_PEAKS])
    edges = [Edge(_peak_at(size, k, strip), tuple(slope[k].tolist()), float(size[k])) for k in peaks]
    pairs = []
    for n, nose in enumerate(edges):
        gain = np.log(nose.strength) + (_DARKER if nose.darker_inwards else 0.0)
        top = _like(strip.offset_mm, unlike, nose.offset_mm - 25.0 * share, nose.offset_mm - _EDGE_MM * share)
        pairs.append(Pair(None, nose, gain - _NOT_SEEN - 2.0 * top))
        for r in range(n):
            width = nose.offset_mm - edges[r].offset_mm
            if not _RAIL_MM[0] * share < width < _RAIL_MM[1] * share:
                continue
            between = max((e.strength for e in edges[r + 1 : n]), default=0.0)
            hidden = max(0.0, np.log(max(between, 0.6) / (0.4 * nose.strength)))
            step = _step(strip.offset_mm, unlike, edges[r].offset_mm, nose.offset_mm, share)
            top = _like(
                strip.offset_mm,
                unlike,
                edges[r].offset_mm + _EDGE_MM * share,
                nose.offset_mm - _EDGE_MM * share,
            )
            step -= 3.0 * max(0.0, top - 0.5)
            pairs.append(
                Pair(edges[r].offset_mm, nose, gain + step + 0.3 * np.log(edges[r].strength) - hidden)
            )
    return pairs


def _local_peaks(size: FloatArray) -> list[int]:
    """Columns of the profile's strong local maxima."""
    n = _PEAK_REACH
    return [
        k
        for k in range(n, len(size) - n)
        if size[k] == size[k - n : k + n + 1].max() and size[k] > _LEAST_PEAK
    ]


def _step(offset: FloatArray, unlike: FloatArray, rail: float, nose: float, share: float) -> float:
    """Difference of the unlikeness to cloth outside the rail's edge and inside it, -1.5 to 1.5."""
    outside = unlike[(offset > rail - 22 * share) & (offset < rail - 3 * share)]
    top = unlike[(offset > rail + 4 * share) & (offset < nose - 4 * share)]
    if not len(outside) or not len(top):
        return -1.0
    return float(np.clip(2.0 * (np.median(outside) - np.median(top)), -1.5, 1.5))


def _like(offset: FloatArray, unlike: FloatArray, start: float, stop: float) -> float:
    """Median unlikeness to cloth between two offsets (mm), 0 to 2; 1 where there is nothing."""
    part = unlike[(offset > start) & (offset < stop)]
    return float(np.clip(np.median(part), 0.0, 2.0)) if len(part) else 1.0


def _peak_at(size: FloatArray, k: int, strip: Strip) -> float:
    """Offset (mm) of a peak at column k, by the parabola through its neighbours."""
    shift = peak_shift(size[k - 1], size[k], size[k + 1], most=0.6)
    return float(strip.offset_mm[k] + shift * strip.step_mm)


def unlike_cloth(profile: FloatArray, bed: FloatArray) -> FloatArray:
    """Difference (M,) of colours (M, 3) from the cloth's, (3,) or (M, 3), under any light.

    0: the same, 1: another colour.
    """
    total = np.maximum(profile.sum(axis=1), _LEAST_SUM)
    cloth = np.maximum(bed.sum(axis=-1, keepdims=True), _LEAST_SUM)
    tint = profile / total[:, None] - bed / cloth
    dark = np.abs(np.log(cloth[..., 0] / total))
    whole = np.linalg.norm(tint, axis=1) / _TINT + np.clip(dark - _DARK, 0, None) / _DARK_SCALE
    return np.asarray(np.nan_to_num(whole, nan=2.0), dtype=np.float64)


def readings(sides: list[list[Pair]], share: float, count: int = 3) -> list[Reading]:
    """The likeliest readings of the four sides under one common width of the cushions' tops, best first."""
    if not all(sides):
        return []
    widths = {
        round(p.nose.offset_mm - p.rail_mm, 1) for pairs in sides for p in pairs if p.rail_mm is not None
    }
    found: dict[tuple[float, ...], Reading] = {}
    for width in sorted(widths):
        reading = _reading_of_width(sides, width, share)
        noses = tuple(round(nose.offset_mm, 1) for nose in reading.noses)
        if noses not in found or found[noses].score < reading.score:
            found[noses] = reading
    return sorted(found.values(), key=lambda r: -r.score)[:count]


def _reading_of_width(sides: list[list[Pair]], width: float, share: float) -> Reading:
    """The likeliest reading of the four sides with cushions' tops of one width (mm)."""

    def score(pair: Pair) -> float:
        return pair.score - _width_penalty(pair, width, share)

    best = [max(pairs, key=score) for pairs in sides]
    off = np.log(width / (_WIDTH_MM * share)) / _WIDTH_LOG_SIGMA
    bottom, top, left, right = (pair.nose for pair in best)
    return Reading((bottom, top, left, right), width, float(sum(map(score, best)) - off**2))


def _width_penalty(pair: Pair, width: float, share: float) -> float:
    """Squared sigmas by which a side's width differs from the common one."""
    if pair.rail_mm is None:
        return 0.0
    off = (pair.nose.offset_mm - pair.rail_mm - width) / (_WIDTH_SIGMA_MM * share)
    return float(min(off * off, _MOST_PENALTY))


def measure(
    image: ByteArray,
    camera: Camera,
    table: TableSpec,
    offsets_mm: tuple[float, float, float, float],
    changes: tuple[FloatArray, ...],
    window_px: float,
    blur_px: float = 0.8,
) -> Points:
    """Sub-pixel points on the edge at `offsets_mm` from each nose line of the model.

    `changes`: each side's colour change (3,) across the edge, along which it is measured.
    """
    parts = []
    step_px = _STEP_PX
    for side in SIDES:
        z = table.nose_height_mm
        strip = _window(image, camera, table, side, offsets_mm[side], window_px + _REACH_PX, step_px, z)
        light, slope = in_light(strip.colour)
        strip = replace(strip, colour=light)
        direction = changes[side] * slope
        direction = direction / max(float(np.linalg.norm(direction)), 1e-9)
        smooth = _along(light)
        response = smoothed_slope(smooth, blur_px / step_px) @ direction
        rows, at = peaks(response, strip, int(window_px / step_px))
        parts.append(Points.of(strip.pixels(camera, rows, at), side, _edge_sigma(response, strip, rows, at)))
    return Points.join(parts)


def in_light(colour: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Colour values (..., 3) as amounts of light, and the slope (3,) of that at the typical value.

    A file's values are about the root of the light, while blur mixes light. In the values the middle of a
    hard edge is displaced by up to half a pixel towards the dark side. The scale keeps the contrast of
    typical values in grey levels.
    """
    typical = np.maximum(median_of_known(colour.reshape(-1, 3), axis=0), _LEAST_GREY)
    level = float(typical.max())
    light = level / _GAMMA * (np.maximum(colour, 0.0) / level) ** _GAMMA
    return np.asarray(light, dtype=np.float64), np.asarray(
        (typical / level) ** (_GAMMA - 1), dtype=np.float64
    )


def _edge_sigma(response: FloatArray, strip: Strip, rows: npt.NDArray[np.int_], at_mm: FloatArray) -> float:
    """Standard deviation (px) of a side's points: half a pixel on a clear edge, more on a faint one.

    The bias of a faint edge (grain of the cloth, a lamp's gradient) is common to the whole side.
    """
    if not len(rows):
        return _NO_SIGMA_PX
    column = np.clip(
        np.round((at_mm - strip.offset_mm[0]) / strip.step_mm).astype(int), 0, response.shape[1] - 1
    )
    contrast = float(np.median(response[rows, column]))
    ground = float(np.nanmedian(np.abs(response)))
    faint = _FAINT_NOISES * max(ground, 0.15) / max(contrast, 1e-3)
    step_px = response.shape[1] / max(strip.offset_mm[-1] - strip.offset_mm[0], 1e-9) * _STEP_PX
    trend = np.polynomial.Polynomial.fit(rows, at_mm, min(3, len(rows) - 1))(rows)
    wander = float(np.median(np.abs(at_mm - trend))) * step_px / _WANDER_PX
    return float(_SIGMA_PX * np.clip(max(faint, wander), 1.0, _WORST))


def _window(
    image: ByteArray,
    camera: Camera,
    table: TableSpec,
    side: int,
    middle: float,
    reach_px: float,
    step_px: float,
    z: float,
) -> Strip:
    """Strip along a nose, `reach_px` to both sides of the offset `middle` (mm), at height `z` (mm)."""
    base, inward = nose_stations(table, side)
    scale = usual_mm_per_px(camera, base, inward, z)
    offsets = middle + np.arange(-reach_px, reach_px + step_px, step_px) * scale
    return strip_along(image, camera, base, inward, offsets, z)


def _along(colour: FloatArray) -> FloatArray:
    """Mean over three neighbouring stations, which reduces the noise."""
    padded = np.concatenate((colour[:1], colour, colour[-1:]))
    return (padded[:-2] + padded[1:-1] + padded[2:]) / 3
