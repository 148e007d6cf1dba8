"""The table itself: cloth, marks, cushions, rails, pockets and the floor around, as seen along rays."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render import table_shape as shape
from vision.render.fittings import cover, draw_fittings, mix, nap_bands
from vision.render.light import cloth_light, irradiance, light_points
from vision.render.noise import sample, tile
from vision.render.rays import Rays
from vision.render.scene import Scene

F32 = NDArray[np.float32]


def _rgb(colour: tuple[float, float, float], light: F32 | None = None) -> F32:
    c = np.asarray(colour, np.float32)
    return c if light is None else c * light


def table_image(scene: Scene, rays: Rays) -> F32:
    """Linear RGB (H, W, 3) of the table without balls and people."""
    light = cloth_light(scene, rays)
    image = cloth_image(scene, rays, light)
    xn, yn = rays.at_plane(scene.table.nose_height_mm)
    near = np.maximum(
        np.abs(xn) - scene.table.half_width_mm,
        np.abs(yn - scene.table.length_mm / 2) - scene.table.length_mm / 2,
    )
    if (near > -25).any():
        image = _frame(scene, rays, image, light, xn, yn)
    return image


def cloth_image(scene: Scene, rays: Rays, light: F32) -> F32:
    look, table = scene.look, scene.table
    x, y = rays.at_plane(0.0)
    fine = sample(tile(look.seed % 7), x, y, 1.1)
    broad = sample(tile(look.seed % 7 + 7), y, x, 9.0)
    tone = 1 + look.cloth_contrast * fine + look.wear * 0.15 * broad
    # nap: darker or lighter with the direction from which the cloth is seen
    _, oy, oz = rays.origin
    tone += look.nap * (y - np.float32(oy)) / np.float32(oz)
    if look.fittings is not None:
        tone += nap_bands(look.fittings, table, x)
    albedo = np.asarray(look.cloth, np.float32) * np.clip(tone, 0.3, 2.5)[..., None]
    albedo = _marks(scene, rays, albedo, x, y)
    image = albedo * light
    face = shape.rectangle(x, y, table)
    if (face > -30).any():
        # below the nose only a strip of sky is seen
        image *= (1 - 0.55 * np.clip(face / 8 + 0.5, 0, 1))[..., None]
    hole = shape.holes(x, y, table)
    if (hole < 30).any():
        image = _hole(scene, rays, image, hole, x, y, light)
    return image


def _marks(scene: Scene, rays: Rays, albedo: F32, x: F32, y: F32) -> F32:
    look, table = scene.look, scene.table
    d = shape.marks(x, y, table)
    if look.mark_width_mm > 0 and float(d.min()) < 12:
        a = cover(d - look.mark_width_mm / 2, rays.pitch) * np.minimum(1, look.mark_width_mm / rays.pitch)
        broken = np.clip(0.8 + 0.4 * sample(tile(3), x, y, 3.0), 0.3, 1)
        albedo = mix(albedo, _rgb(look.mark), a * look.mark_opacity * broken)
    off = {c: (dx, dy) for c, dx, dy in look.spots_off_mm}
    for colour, (cx, cy) in table.spots.items():
        sx, sy = cx + off.get(colour, (0.0, 0.0))[0], cy + off.get(colour, (0.0, 0.0))[1]
        box = rays.box_around(sx, sy, 20.0)
        if box is not None and look.spot_radius_mm > 0:
            ds = np.hypot(x[box] - sx, y[box] - sy) - look.spot_radius_mm
            # spots are dark on light cloth lines' tables and the other way round
            tone = (0.02, 0.02, 0.02) if look.seed % 3 else look.mark
            albedo[box] = mix(albedo[box], _rgb(tone), cover(ds, rays.pitch[box]) * 0.8)
    return _specks(scene, rays, albedo, x, y)


def _specks(scene: Scene, rays: Rays, albedo: F32, x: F32, y: F32) -> F32:
    """Chalk, lint and burn marks: small, random, all over the cloth."""
    look, table = scene.look, scene.table
    rng = np.random.default_rng(look.seed + 11)
    for _ in range(look.specks):
        px = rng.uniform(-table.half_width_mm, table.half_width_mm)
        py = rng.uniform(0, table.length_mm)
        length, width = rng.uniform(0, 14) * rng.random(), rng.uniform(0.5, 3.5)
        angle, tone = rng.uniform(0, 6.3), rng.choice([0.01, 0.75, 0.3])
        blue = rng.random() < 0.3
        box = rays.box_around(px, py, 25.0)
        if box is None:
            continue
        d = shape.segment(x[box], y[box], px, py, px + length * np.cos(angle), py + length * np.sin(angle))
        a = cover(d - width / 2, rays.pitch[box]) * np.minimum(1, width / rays.pitch[box])
        colour = (0.1, 0.25, 0.5) if blue else (tone, tone, tone)
        albedo[box] = mix(albedo[box], _rgb(colour), a * np.float32(0.7))
    return albedo


def _hole(scene: Scene, rays: Rays, image: F32, hole: F32, x: F32, y: F32, light: F32) -> F32:
    look = scene.look
    a = cover(hole, rays.pitch)
    dark = np.broadcast_to(_rgb(look.pocket_hole), image.shape) * light
    if look.pocket_net > 0:
        u, v = rays.at_plane(-60.0)
        weave = np.abs(np.sin(u * 0.35)) * np.abs(np.sin(v * 0.35))
        dark = dark + (look.pocket_net * weave * np.clip(1 + hole / 60, 0.2, 1))[..., None] * light
    image = mix(image, np.asarray(dark, np.float32), a)
    return _lips(scene, rays, image, x, y, light) if look.pocket_lip > 0 else image


def _lips(scene: Scene, rays: Rays, image: F32, x: F32, y: F32, light: F32) -> F32:
    """The lit far wall or plate inside a pocket: what the drop shows outside a circle moved along the
    view.
    """
    look = scene.look
    ox, oy, _ = rays.origin
    for p in scene.table.pockets:
        box = rays.box_around(p.x_mm, p.y_mm, 1.6 * p.drop_radius_mm)
        if box is None:
            continue
        lean = max(math.hypot(p.x_mm - ox, p.y_mm - oy), 1.0)
        shift = look.pocket_lip * p.drop_radius_mm
        mx, my = p.x_mm + (p.x_mm - ox) / lean * shift, p.y_mm + (p.y_mm - oy) / lean * shift
        d = np.maximum(
            np.hypot(x[box] - p.x_mm, y[box] - p.y_mm),
            2 * p.drop_radius_mm - np.hypot(x[box] - mx, y[box] - my),
        )
        a = cover(np.asarray(d - p.drop_radius_mm, np.float32), rays.pitch[box])
        image[box] = mix(image[box], _rgb(look.pocket_lip_tone) * light[box], a)
    return image


def _frame(scene: Scene, rays: Rays, image: F32, light: F32, x: F32, y: F32) -> F32:
    """Cushion tops, rails, pocket surrounds and the floor, all drawn at the height of the nose."""
    look, table = scene.look, scene.table
    nose = shape.nose_outline(x, y, table)
    solid = cover(-nose, rays.pitch)
    rect = shape.rectangle(x, y, table)
    rail_from = look.cushion_width_mm
    level = _rail_light(scene, x, y)
    fine = sample(tile(look.seed % 7), x, y, 1.3)
    # the cushion slopes up from the nose: lit a little differently, brighter just at the edge
    slope = look.cushion_gain * (1 + 0.25 * np.exp(-(((rect - 4) / 4) ** 2))) * rounded(nose)
    top = np.asarray(look.cloth, np.float32) * (slope * (1 + look.cloth_contrast * fine))[..., None] * level
    rail = _rail(scene, rays, x, y, rect) * level
    top = mix(top, rail, cover(rail_from - rect, rays.pitch))
    if look.fittings is not None:
        top = draw_fittings(scene, look.fittings, rays, top, level, rect)
    top = _pocket_frames(scene, rays, top, level, x, y, nose)
    outer = shape.rectangle(x, y, table, rail_from + look.rail_width_mm, 40.0)
    floor = (
        np.asarray(look.floor, np.float32) * (1 + 0.3 * sample(tile(look.seed % 7 + 1), x, y, 6.0))[..., None]
    )
    top = mix(top, np.asarray(floor, np.float32), cover(-outer, rays.pitch))
    top = _holes_in_frame(scene, rays, top, x, y, rect)
    if look.well_radius > 0:
        top = _wells(scene, rays, top, x, y, level)
    if look.pocket_lip > 0:
        top = _lips(scene, rays, top, x, y, level)
    return mix(image, top, solid)


NOSE_RADIUS_MM, ROOM_LIGHT = 3.0, 0.3
"""Radius of a nose with its cloth, and the share of light that comes from all sides."""


def rounded(out_mm: F32) -> F32:
    """Share (H, W) of the light from above that falls on a nose's round top, so far outside its tip."""
    level = 1 - np.clip(out_mm / NOSE_RADIUS_MM, 0, 1)
    return np.asarray(ROOM_LIGHT + (1 - ROOM_LIGHT) * np.sqrt(1 - level * level), np.float32)


def _wells(scene: Scene, rays: Rays, top: F32, x: F32, y: F32, level: F32) -> F32:
    """Round openings in the rail behind each drop, with a thin rim: a second dark disc beside the first."""
    look, table = scene.look, scene.table
    for p in table.pockets:
        dx, dy = math.copysign(1.0, p.x_mm), 0.0
        if p.name[0] != "C":
            dx, dy = dx / math.sqrt(2), math.copysign(1 / math.sqrt(2), p.y_mm - table.length_mm / 2)
        cx, cy = p.x_mm + dx * look.well_shift_mm, p.y_mm + dy * look.well_shift_mm
        radius = p.drop_radius_mm * look.well_radius
        box = rays.box_around(cx, cy, radius * 1.4 + 20)
        if box is None:
            continue
        d = np.asarray(np.hypot(x[box] - cx, y[box] - cy) - radius, np.float32)
        rim = np.asarray(np.maximum(d - 9, -d), np.float32)
        top[box] = mix(
            top[box], _rgb(look.pocket_leather) * level[box] * np.float32(0.6), cover(rim, rays.pitch[box])
        )
        top[box] = mix(top[box], _rgb(look.pocket_hole), cover(d, rays.pitch[box]))
    return top


def _rail_light(scene: Scene, x: F32, y: F32) -> F32:
    """Unshadowed light at rail height, taken on a coarse grid."""
    c = np.s_[:: max(1, x.shape[0] // 24), :: max(1, x.shape[1] // 24)]
    xc, yc = np.ascontiguousarray(x[c]), np.ascontiguousarray(y[c])
    total = np.zeros((*xc.shape, 3), np.float32) + np.asarray(scene.ambient, np.float32)
    for p in light_points(scene.lamps, (0.0, scene.table.length_mm / 2)):
        total += irradiance(p, xc, yc)[..., None] * np.asarray(p.colour, np.float32)
    return np.asarray(cv2.resize(total, (x.shape[1], x.shape[0]), interpolation=cv2.INTER_LINEAR), np.float32)


def _rail(scene: Scene, rays: Rays, x: F32, y: F32, rect: F32) -> F32:
    look, table = scene.look, scene.table
    side = np.abs(x) - table.half_width_mm > np.maximum(-y, y - table.length_mm)
    across = np.where(side, x, y)
    along = np.where(side, y, x)
    grain = sample(tile(look.seed % 7 + 2), along, across, 8.0, 0.8)
    rail = np.asarray(look.rail, np.float32) * np.clip(1 + look.rail_grain * grain, 0.2, 3)[..., None]
    if look.rail_dots:
        n = look.rail_dots
        step = np.where(side, table.length_mm / (2 * n), table.width_mm / n)
        origin = np.where(side, 0.0, -table.half_width_mm)
        off = np.abs(np.mod(along - origin + step / 2, step) - step / 2)
        middle = rect - look.cushion_width_mm - look.rail_width_mm * 0.5
        rail = mix(
            np.asarray(rail, np.float32),
            _rgb(look.dot_albedo),
            cover(np.asarray(np.hypot(off, middle) - 6.0, np.float32), rays.pitch),
        )
    if look.markers:
        rail = _stickers(scene, rays, np.asarray(rail, np.float32), along, rect)
    return np.asarray(rail, np.float32)


def _stickers(scene: Scene, rays: Rays, rail: F32, along: F32, rect: F32) -> F32:
    """Printed squares and letters on the rails."""
    look = scene.look
    rng = np.random.default_rng(look.seed + 5)
    for _ in range(look.markers):
        at, size = rng.uniform(-800, 3400), rng.uniform(15, 45)
        v = rect - look.cushion_width_mm - look.rail_width_mm * 0.5
        du, dv = along - at, v
        square = np.maximum(np.abs(du), np.abs(dv)) - size
        rail = mix(rail, _rgb((0.85, 0.85, 0.85)), cover(np.asarray(square, np.float32), rays.pitch))
        bits = (np.floor(du / (size / 3.5)) * 3 + np.floor(dv / (size / 3.5)) * 7 + size) % 3 < 1
        core = np.maximum(np.abs(du), np.abs(dv)) < size * 0.72
        rail = np.where((core & bits)[..., None], np.float32(0.02), rail)
    return rail


def _pocket_frames(scene: Scene, rays: Rays, top: F32, level: F32, x: F32, y: F32, nose: F32) -> F32:
    """Leather or plastic around each pocket, and dark plastic corners."""
    look = scene.look
    for p in scene.table.pockets:
        reach = p.drop_radius_mm * 4 + 120
        box = rays.box_around(p.x_mm, p.y_mm, reach)
        if box is None:
            continue
        d = np.hypot(x[box] - p.x_mm, y[box] - p.y_mm) - p.drop_radius_mm
        if look.plastic_corner > 0 and p.name[0] != "C":
            corner = shape.rectangle(x[box], y[box], scene.table)
            a = cover(
                np.asarray(np.maximum(d - look.plastic_corner, 22 - corner), np.float32), rays.pitch[box]
            )
            top[box] = mix(top[box], _rgb(look.pocket_leather) * level[box], a)
        ring = np.maximum(d - look.leather_width_mm, 8 - nose[box])
        a = cover(np.asarray(ring, np.float32), rays.pitch[box])
        bright = 1 + 0.5 * np.exp(-(((d - look.leather_width_mm * 0.5) / 8) ** 2))
        top[box] = mix(top[box], _rgb(look.pocket_leather) * level[box] * bright[..., None], a)
    return top


def _holes_in_frame(scene: Scene, rays: Rays, top: F32, x: F32, y: F32, rect: F32) -> F32:
    """The part of the drops that lies under the frame's plane is open: what is below shows dark."""
    look = scene.look
    d = shape.holes(x, y, scene.table)
    a = cover(np.asarray(np.maximum(d + 3, -rect), np.float32), rays.pitch)
    if not a.any():
        return top
    depth = np.clip(-d / 40, 0, 1)
    dark = np.asarray(look.pocket_hole, np.float32) * (1.0 - 0.7 * depth)[..., None]
    if look.pocket_net > 0:
        weave = np.abs(np.sin(x * 0.4 + y * 0.2)) * np.abs(np.sin(y * 0.4 - x * 0.2))
        dark = dark + (look.pocket_net * weave)[..., None]
    return mix(top, np.asarray(dark, np.float32), a)
