"""What some tables carry beside plain rails: sights, trim, pocket bows, plates, stripes in the nap."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibration.table.specs import TableSpec
from vision.render.rays import Rays
from vision.render.scene import Fittings, Scene

F32 = NDArray[np.float32]


def cover(distance: F32, pitch: F32) -> F32:
    """How much of a pixel lies inside (negative distance), 0..1, with a soft edge of one pixel."""
    return np.asarray(np.clip(0.5 - distance / pitch, 0, 1), np.float32)


def mix(image: F32, colour: F32, alpha: F32) -> F32:
    """`image` (H, W, 3) with `colour` laid over it as strongly as `alpha` (H, W) says."""
    return np.asarray(image + (colour - image) * alpha[..., None], np.float32)


def nap_bands(fittings: Fittings, table: TableSpec, x: F32) -> F32:
    """Tone (H, W) of the stripes along the table that ironing leaves, around 0."""
    if fittings.bands <= 0:
        return np.zeros_like(x)
    wave = np.sin(x * np.float32(2 * math.pi * 3.5 / table.width_mm))
    return np.asarray(fittings.bands * np.clip(wave * 6, -1, 1), np.float32)


def draw_fittings(scene: Scene, fittings: Fittings, rays: Rays, top: F32, level: F32, rect: F32) -> F32:
    """Sights, trim, bows and plates over the rails `top` (H, W, 3), lit by `level`; `rect`: mm beyond the
    noses.
    """
    look, table = scene.look, scene.table
    x, y = rays.at_plane(table.nose_height_mm)
    across = rect - look.cushion_width_mm
    if fittings.trim_mm > 0:
        strip = np.asarray(np.abs(across - fittings.trim_mm / 2) - fittings.trim_mm / 2, np.float32)
        top = mix(top, np.asarray(fittings.trim_albedo, np.float32) * level, cover(strip, rays.pitch))
    middle = across - look.rail_width_mm * 0.5
    side = np.abs(x) - table.half_width_mm > np.maximum(-y, y - table.length_mm)
    along = np.where(side, y, x)
    if fittings.sights:
        top = mix(
            top,
            np.asarray(fittings.sight_albedo, np.float32) * level,
            cover(_sights(fittings, table, side, along, middle), rays.pitch),
        )
    if fittings.plate_mm > 0:
        top = _plates(fittings, table, rays, top, level, side, along, middle)
    return _bows(scene, fittings, rays, top, level, x, y, rect)


def _sights(fittings: Fittings, table: TableSpec, side: NDArray[np.bool_], along: F32, middle: F32) -> F32:
    n = fittings.sights
    step = np.where(side, table.length_mm / (2 * n), table.width_mm / n)
    origin = np.where(side, 0.0, -table.half_width_mm)
    off = np.abs(np.mod(along - origin + step / 2, step) - step / 2)
    if fittings.sight == "diamond":
        d = (off / 5.5 + np.abs(middle) / 11.0 - 1.0) * 4.9
    elif fittings.sight == "bar":
        d = np.maximum(off - 3.0, np.abs(middle) - 22.0)
    else:
        d = np.hypot(off, middle) - 5.0
    return np.asarray(d, np.float32)


def _plates(
    fittings: Fittings,
    table: TableSpec,
    rays: Rays,
    top: F32,
    level: F32,
    side: NDArray[np.bool_],
    along: F32,
    middle: F32,
) -> F32:
    """A light plate with dark lettering in the middle of each rail's halves."""
    quarter = np.where(side, table.length_mm / 4, 0.0)
    off = np.where(side, np.abs(along - table.length_mm / 2) - quarter, along)
    plate = np.maximum(np.abs(off) - fittings.plate_mm, np.abs(middle) - fittings.plate_mm * 0.22)
    top = mix(top, np.float32(0.7) * level, cover(np.asarray(plate, np.float32), rays.pitch))
    letters = np.sin(off * (40 / fittings.plate_mm)) + 0.4 * np.sin(off * (97 / fittings.plate_mm)) > 0.3
    ink = (np.abs(middle) < fittings.plate_mm * 0.12) & (np.abs(off) < fittings.plate_mm * 0.8) & letters
    return np.where(ink[..., None], np.float32(0.03) * level, top)


def _bows(
    scene: Scene, fittings: Fittings, rays: Rays, top: F32, level: F32, x: F32, y: F32, rect: F32
) -> F32:
    """A metal or plastic bow behind each drop, on the rail only."""
    if fittings.bow_mm <= 0:
        return top
    for p in scene.table.pockets:
        box = rays.box_around(p.x_mm, p.y_mm, p.drop_radius_mm + fittings.bow_mm + 80)
        if box is None:
            continue
        d = np.hypot(x[box] - p.x_mm, y[box] - p.y_mm) - p.drop_radius_mm - scene.look.leather_width_mm - 6
        ring = np.maximum(np.abs(d - fittings.bow_mm / 2) - fittings.bow_mm / 2, 25 - rect[box])
        shine = 1 + 0.8 * np.exp(-(((d - fittings.bow_mm * 0.3) / 4) ** 2))
        tone = np.asarray(fittings.bow_albedo, np.float32) * level[box] * shine[..., None]
        top[box] = mix(
            top[box], np.asarray(tone, np.float32), cover(np.asarray(ring, np.float32), rays.pitch[box])
        )
    return top
