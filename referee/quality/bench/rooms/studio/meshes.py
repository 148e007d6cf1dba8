"""Triangle meshes from shapes: boxes, lathed and swept profiles, and skins about signed distances.

Millimetres in the table's frame. Faces are counter-clockwise seen from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay
from shapely import contains_xy, get_coordinates
from shapely.geometry.base import BaseGeometry

F64 = NDArray[np.float64]
Place = Sequence[float] | F64
Distance = Callable[[F64], F64]
"""Signed distances (N,) of points (N, 3), negative inside."""
_EDGE_MM = 8.0
"""Between points of a cut-out's edge."""


@dataclass(frozen=True, slots=True)
class Mesh:
    """`vertices` (N, 3) mm; `faces` (M, 3) indices; `uv` (N, 2) and `colours` (N, 3) linear RGB or None."""

    vertices: F64
    faces: NDArray[np.int32]
    uv: F64 | None = None
    colours: F64 | None = None

    def moved(self, rotation: F64, offset_mm: Sequence[float]) -> Mesh:
        """The mesh turned by a (3, 3) rotation and then shifted."""
        return Mesh(self.vertices @ rotation.T + np.asarray(offset_mm), self.faces, self.uv, self.colours)


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one, without uv; colours where all have them."""
    at, faces = 0, []
    for m in meshes:
        faces.append(m.faces + at)
        at += len(m.vertices)
    coloured = all(m.colours is not None for m in meshes)
    colours = np.concatenate([m.colours for m in meshes if m.colours is not None]) if coloured else None
    return Mesh(np.concatenate([m.vertices for m in meshes]), np.concatenate(faces), None, colours)


def rectangle(corner: Place, along_u: Place, along_v: Place) -> Mesh:
    """A flat rectangle from a corner along two edges; uv runs from 0 to 1 along them; it faces u x v."""
    c, u, v = (np.asarray(a, float) for a in (corner, along_u, along_v))
    uv = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    return Mesh(np.array([c, c + u, c + u + v, c + v]), np.array([(0, 1, 2), (0, 2, 3)], np.int32), uv)


def cut_out(area: BaseGeometry, z_mm: float, low: Sequence[float], high: Sequence[float]) -> Mesh:
    """A flat area of one or several polygons at a height, facing up; uv run from 0 to 1 between two corners
    of its picture.

    Triangles of a Delaunay net over its densely set edge; those whose middle lies outside are dropped.
    """
    dense = area.segmentize(_EDGE_MM)
    corners = np.unique(get_coordinates(dense), axis=0)
    net = Delaunay(corners).simplices
    middle = corners[net].mean(axis=1)
    net = net[contains_xy(area, middle[:, 0], middle[:, 1])]
    a, b, c = (corners[net[:, k]] for k in range(3))
    up = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) > (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    net = np.where(up[:, None], net, net[:, ::-1])
    uv = (corners - np.asarray(low)) / (np.asarray(high) - np.asarray(low))
    return Mesh(np.column_stack((corners, np.full(len(corners), z_mm))), net.astype(np.int32), uv)


def box(low: Place, high: Place) -> Mesh:
    """An upright box between two corners."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    dx, dy, dz = (x1 - x0, 0, 0), (0, y1 - y0, 0), (0, 0, z1 - z0)
    sides = [
        rectangle((x0, y0, z1), dx, dy),
        rectangle((x0, y0, z0), dy, dx),
        rectangle((x0, y0, z0), dx, dz),
        rectangle((x1, y0, z0), dy, dz),
        rectangle((x1, y1, z0), (x0 - x1, 0, 0), dz),
        rectangle((x0, y1, z0), (0, y0 - y1, 0), dz),
    ]
    return joined(sides)


def swept(path: F64, normals: F64, profile: F64, most_out_mm: F64) -> Mesh:
    """A profile carried along a path on the cloth.

    `path` (N, 2): places; `normals` (N, 2): unit vectors outwards; `profile` (K, 2): (out, up) mm;
    `most_out_mm` (N,): the profile is squeezed where the path bends more tightly than it reaches out.
    """
    out = np.minimum(profile[None, :, 0], most_out_mm[:, None])
    xy = path[:, None, :] + out[..., None] * normals[:, None, :]
    z = np.broadcast_to(profile[None, :, 1], out.shape)
    return _grid_mesh(np.concatenate((xy, z[..., None]), axis=2))


def lathed(profile: F64, centre: tuple[float, float], steps: int = 40) -> Mesh:
    """A profile (K, 2) of (radius, height) turned about an upright axis; uv: turn and profile, 0 to 1."""
    a = np.linspace(0, 2 * np.pi, steps + 1)
    ring = np.stack((np.cos(a), np.sin(a)), axis=1)
    xy = np.asarray(centre) + profile[None, :, :1] * ring[:, None, :]
    z = np.broadcast_to(profile[None, :, 1:], (len(a), len(profile), 1))
    return _grid_mesh(np.concatenate((xy, z), axis=2))


def tube(points: F64, radii_mm: Sequence[float], sides: int = 16) -> Mesh:
    """A round tube through points (N, 3), with a radius at each and closed ends."""
    along = np.gradient(points, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    other = np.array([0.0, 0.0, 1.0]) if abs(along[0, 2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    u = np.cross(along, other)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v = np.cross(along, u)
    a = np.linspace(0, 2 * np.pi, sides + 1)
    r = np.asarray(radii_mm, float)[:, None, None]
    rings = points[:, None] + r * (
        np.cos(a)[None, :, None] * u[:, None] + np.sin(a)[None, :, None] * v[:, None]
    )
    ends = (
        np.repeat(points[:1][:, None], sides + 1, axis=1),
        np.repeat(points[-1:][:, None], sides + 1, axis=1),
    )
    return _grid_mesh(np.concatenate((ends[0], rings, ends[1])))


def _grid_mesh(points: F64) -> Mesh:
    """Triangles over a grid of points (N, K, 3); uv are the grid's shares."""
    n, k = points.shape[:2]
    i, j = np.meshgrid(np.arange(n - 1), np.arange(k - 1), indexing="ij")
    a = (i * k + j).ravel()
    faces = np.concatenate((np.stack((a, a + k, a + k + 1), 1), np.stack((a, a + k + 1, a + 1), 1)))
    u, v = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, k), indexing="ij")
    return Mesh(points.reshape(-1, 3), faces.astype(np.int32), np.stack((u.ravel(), v.ravel()), 1))


def skin(distance: Distance, low: Place, high: Place, step_mm: float) -> Mesh:
    """The surface where a signed distance is zero, by naive surface nets (Gibson, Constrained Elastic
    Surface Nets, 1998): a vertex in each cell that the surface crosses, at the mean of its edges' crossings.

    The surface must lie within the box from `low` to `high`.
    """
    axes = [np.arange(a, b + step_mm, step_mm) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    d = distance(grid.reshape(-1, 3)).reshape(grid.shape[:3])
    inside = d < 0
    cells: tuple[int, ...] = tuple((np.asarray(d.shape) - 1).tolist())
    total, count = np.zeros((*cells, 3)), np.zeros(cells)
    for axis in range(3):
        _add_crossings(d, inside, axis, total, count)
    crossed = count > 0
    index = np.full(cells, -1, np.int64)
    index[crossed] = np.arange(int(crossed.sum()))
    places = total[crossed] / count[crossed][:, None]
    vertices = np.asarray(low, float) + places * step_mm
    faces = np.concatenate([_quads(inside, index, axis) for axis in range(3)])
    return Mesh(vertices, faces.astype(np.int32))


def _add_crossings(d: F64, inside: NDArray[np.bool_], axis: int, total: F64, count: F64) -> None:
    """Add to each cell where the surface crosses its four edges along an axis, in steps."""
    first = [slice(None)] * 3
    second = [slice(None)] * 3
    first[axis], second[axis] = slice(None, -1), slice(1, None)
    a, b = d[tuple(first)], d[tuple(second)]
    crosses = inside[tuple(first)] != inside[tuple(second)]
    share = np.where(crosses, a / np.where(a == b, 1.0, a - b), 0.0)
    place = np.moveaxis(np.indices(a.shape), 0, -1).astype(float)
    place[..., axis] += share
    others = [k for k in range(3) if k != axis]
    for p in (0, 1):
        for q in (0, 1):
            cut = [slice(None)] * 3
            for other, shift in zip(others, (p, q), strict=True):
                cut[other] = slice(shift, None if shift else -1)
            own = crosses[tuple(cut)]
            total += np.where(own[..., None], place[tuple(cut)], 0.0)
            count += own


def _quads(inside: NDArray[np.bool_], index: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
    """Two triangles about each grid edge along an axis that the surface crosses."""
    b, c = (axis + 1) % 3, (axis + 2) % 3
    first = [slice(None)] * 3
    second = [slice(None)] * 3
    first[axis], second[axis] = slice(None, -1), slice(1, None)
    crosses = inside[tuple(first)] != inside[tuple(second)]
    at = np.argwhere(crosses)
    at = at[(at[:, b] > 0) & (at[:, c] > 0) & (at[:, b] < index.shape[b]) & (at[:, c] < index.shape[c])]
    leaving = inside[at[:, 0], at[:, 1], at[:, 2]]  # the solid ends in the axis' direction
    corners = []
    for db, dc in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
        cell = at.copy()
        cell[:, b] += db
        cell[:, c] += dc
        corners.append(index[cell[:, 0], cell[:, 1], cell[:, 2]])
    q = np.stack(corners, axis=1)
    q = np.where(leaving[:, None], q, q[:, ::-1])
    return np.concatenate((q[:, [0, 1, 2]], q[:, [0, 2, 3]]))


def capsules(parts: Sequence[tuple[Place, Place, float, float]], blend_mm: float) -> Distance:
    """Signed distance to tapered capsules (from, to, radius at from, radius at to), blended smoothly.

    The blend is the polynomial smooth minimum; `blend_mm` is its width.
    """

    def distance(points: F64) -> F64:
        out = np.full(len(points), 1e6)
        for start, end, r0, r1 in parts:
            a, b = np.asarray(start, float), np.asarray(end, float)
            along = b - a
            t = np.clip((points - a) @ along / max(float(along @ along), 1e-9), 0, 1)
            d = np.linalg.norm(points - a - t[:, None] * along, axis=1) - (r0 + t * (r1 - r0))
            h = np.maximum(blend_mm - np.abs(out - d), 0) / blend_mm
            out = np.minimum(out, d) - h * h * blend_mm / 4
        return out

    return distance


def bounds(parts: Sequence[tuple[Place, Place, float, float]], grow_mm: float) -> tuple[F64, F64]:
    """The corners of a box about capsules, grown."""
    ends = [(np.asarray(p, float), r) for a, b, r0, r1 in parts for p, r in ((a, r0), (b, r1))]
    low = np.min([p - r for p, r in ends], axis=0) - grow_mm
    high = np.max([p + r for p, r in ends], axis=0) + grow_mm
    return low, high
