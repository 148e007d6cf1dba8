"""The path tracer (Mitsuba 3): a room that stands still, and pictures of it with things that move.

Works in one thread pool, scalar, one sample a time, so that an image depends on its seed alone. Lengths go
in as millimetres in the table's frame; Mitsuba gets metres. A denoiser (Open Image Denoise, guided by
albedo and normals) lets few samples a pixel suffice. Both come with the extra `worldb`.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.texts import unusable_input
from referee.quality.bench.rooms.studio.meshes import Mesh, Place
from referee.quality.bench.rooms.studio.surfaces import Sheet
from referee.quality.bench.rooms.studio.views import Pinhole

F32 = NDArray[np.float32]
Paint = dict[str, Any]
"""A material as Mitsuba's dictionary."""
_BOUNCES = 5
_PATHS: Paint = {"type": "path", "max_depth": _BOUNCES, "rr_depth": 4}
_GUIDES: Paint = {"type": "aov", "aovs": "albedo:albedo,normal:sh_normal"}
_GUIDE_SAMPLES = 2
"""Of albedo and normals, which have no noise but at edges; each costs as much as three paths."""
_SIGHT_RAYS = 24
_M_PER_MM = 1e-3
_BRIGHTEST = 40.0
"""Radiance at which a sample's mean is cut: mirrored lamps saturate any camera at 1."""


@dataclass(frozen=True, slots=True)
class Sphere:
    """A ball at a place (mm); `turn` (3, 3): table from ball, where it has a print."""

    centre_mm: tuple[float, float, float]
    radius_mm: float
    paint: Any
    turn: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class Crop:
    """A part of the picture, in pixels: left, top, width, height."""

    x: int
    y: int
    width: int
    height: int


def installed() -> bool:
    """Whether the extra `worldb` is there."""
    return all(importlib.util.find_spec(m) is not None for m in ("mitsuba", "mitsuba_oidn"))


def need_tracer() -> None:
    """Raises UnusableInput where the extra is missing."""
    if not installed():
        raise unusable_input("errors.second_world_extra")


@lru_cache(maxsize=1)
def _mitsuba() -> Any:
    need_tracer()
    import mitsuba

    mitsuba.set_variant("scalar_rgb")
    mitsuba.set_log_level(mitsuba.LogLevel.Error)
    return mitsuba


def rgb(colour: Place) -> Paint:
    """A linear colour."""
    return {"type": "rgb", "value": [float(v) for v in colour]}


def shape_of(mesh: Mesh, paint: Any, smooth: bool = False, light: Sequence[float] | None = None) -> Any:
    """A mesh as an object of the tracer; `light`: it shines with this radiance."""
    mi = _mitsuba()
    props = mi.Properties()
    props["bsdf"] = paint if not isinstance(paint, dict) else mi.load_dict(paint)
    if light is not None:
        props["emitter"] = mi.load_dict({"type": "area", "radiance": rgb(light)})
    props["face_normals"] = not smooth
    shape = mi.Mesh(
        "mesh",
        vertex_count=len(mesh.vertices),
        face_count=len(mesh.faces),
        has_vertex_normals=smooth,
        has_vertex_texcoords=mesh.uv is not None,
        props=props,
    )
    if mesh.colours is not None:
        shape.add_attribute("vertex_colour", 3, np.asarray(mesh.colours, np.float32).ravel())
    parameters = mi.traverse(shape)
    parameters["vertex_positions"] = np.asarray(mesh.vertices * _M_PER_MM, np.float32).ravel()
    parameters["faces"] = np.asarray(mesh.faces, np.uint32).ravel()
    if mesh.uv is not None:
        parameters["vertex_texcoords"] = np.asarray(mesh.uv, np.float32).ravel()
    parameters.update()
    if smooth:
        shape.recompute_vertex_normals()
    return shape


def painted(sheet: Sheet, surface: Paint, key: str) -> Any:
    """A material whose colour is a sheet's, cut out where the sheet is not; `key`: its colour's name."""
    inner = {"type": "twosided", "b": {**surface, key: bitmap(sheet.colour)}}
    if sheet.there is not None:
        inner = {"type": "mask", "opacity": bitmap(sheet.there[..., None]), "bsdf": inner}
    return _mitsuba().load_dict(inner)


def bitmap(values: F32) -> Paint:
    """A bitmap whose first row lies at v = 0."""
    mi = _mitsuba()
    data = np.ascontiguousarray(values, np.float32)
    return {"type": "bitmap", "bitmap": mi.Bitmap(data), "raw": True, "wrap_mode": "clamp"}


def paint_of(paint: Paint) -> Any:
    """A material made once for many shapes."""
    return _mitsuba().load_dict(paint)


def lamp_sphere(centre_mm: Sequence[float], radius_mm: float, light: Sequence[float]) -> Any:
    """A shining globe."""
    return _mitsuba().load_dict(
        {
            "type": "sphere",
            "center": [v * _M_PER_MM for v in centre_mm],
            "radius": radius_mm * _M_PER_MM,
            "emitter": {"type": "area", "radiance": rgb(light)},
        }
    )


class Tracer:
    """A room whose standing parts are loaded once."""

    def __init__(self, standing: Sequence[Any], view: Pinhole) -> None:
        self._mi = _mitsuba()
        self._standing = {f"s{k}": shape for k, shape in enumerate(standing)}
        self._view = view

    def picture(
        self,
        spheres: Sequence[Sphere],
        shapes: Sequence[Any],
        samples: int,
        seed: int,
        crop: Crop | None = None,
    ) -> F32:
        """One instant, linear radiance (H, W, 3), denoised."""
        return self.exposed([(spheres, shapes)], samples, seed, crop)

    def exposed(
        self,
        moments: Sequence[tuple[Sequence[Sphere], Sequence[Any]]],
        samples: int,
        seed: int,
        crop: Crop | None = None,
    ) -> F32:
        """The mean of several moments of one exposure; `samples` a pixel are shared out over them."""
        each = max(1, round(samples / len(moments)))
        light: Any = 0.0
        guide: Any = 0.0
        for k, (spheres, shapes) in enumerate(moments):
            scene, sensor = self._scene(spheres, shapes), self._mi.load_dict(self._sensor(crop))
            one = (seed * 1009 + k) % 2**31
            light = light + self._run(scene, sensor, _PATHS, each, one)
            guide = guide + self._run(scene, sensor, _GUIDES, max(1, _GUIDE_SAMPLES // len(moments)), one)
        layers = np.concatenate((light, guide), axis=2) / len(moments)
        return _denoised(np.asarray(layers, np.float32))

    def in_sight(self, spheres: Sequence[Sphere], shapes: Sequence[Any]) -> list[float]:
        """The share of each ball's face that nothing else hides from the camera."""
        scene = self._scene(spheres, shapes)
        eye = np.asarray(self._view.centre_mm)
        return [self._shown(scene, eye, ball) for ball in spheres]

    def _shown(self, scene: Any, eye: NDArray[np.float64], ball: Sphere) -> float:
        to_eye = eye - np.asarray(ball.centre_mm)
        to_eye /= np.linalg.norm(to_eye)
        u = np.cross(to_eye, (0.0, 1.0, 0.0))
        u /= np.linalg.norm(u)
        v = np.cross(to_eye, u)
        hit = 0
        for k in range(_SIGHT_RAYS):
            rho, a = 0.97 * math.sqrt((k + 0.5) / _SIGHT_RAYS), k * 2.399963  # a sunflower's golden angle
            flat = rho * (math.cos(a) * u + math.sin(a) * v)
            point = np.asarray(ball.centre_mm) + 1.02 * ball.radius_mm * (
                flat + math.sqrt(1 - rho**2) * to_eye
            )
            way = point - eye
            far = float(np.linalg.norm(way))
            ray = self._mi.Ray3f((eye * _M_PER_MM).tolist(), (way / far).tolist(), 0.0, [])
            ray.maxt = far * _M_PER_MM
            hit += bool(scene.ray_test(ray))
        return 1.0 - hit / _SIGHT_RAYS

    def _run(self, scene: Any, sensor: Any, integrator: Paint, samples: int, seed: int) -> F32:
        found = self._mi.load_dict(integrator)
        return np.array(
            self._mi.render(scene, sensor=sensor, integrator=found, spp=samples, seed=seed), np.float32
        )

    def _scene(self, spheres: Sequence[Sphere], shapes: Sequence[Any]) -> Any:
        scene: dict[str, Any] = {"type": "scene", **self._standing}
        for k, ball in enumerate(spheres):
            pose = np.eye(4)
            pose[:3, :3] = ball.radius_mm * _M_PER_MM * (np.eye(3) if ball.turn is None else ball.turn)
            pose[:3, 3] = np.asarray(ball.centre_mm) * _M_PER_MM
            to_world = self._mi.ScalarTransform4f(pose.tolist())
            scene[f"b{k}"] = {"type": "sphere", "to_world": to_world}
            if ball.paint is not None:
                scene[f"b{k}"]["bsdf"] = ball.paint
        for k, shape in enumerate(shapes):
            scene[f"m{k}"] = shape
        return self._mi.load_dict(scene, parallel=False)

    def _sensor(self, crop: Crop | None) -> dict[str, Any]:
        view, mi = self._view, self._mi
        film: dict[str, Any] = {
            "type": "hdrfilm",
            "width": view.width_px,
            "height": view.height_px,
            "rfilter": {"type": "box"},
            "pixel_format": "rgb",
            "component_format": "float32",
        }
        if crop is not None:
            film |= {
                "crop_offset_x": crop.x,
                "crop_offset_y": crop.y,
                "crop_width": crop.width,
                "crop_height": crop.height,
            }
        pose = np.eye(4)
        right, down, ahead = view.axes
        pose[:3, 0], pose[:3, 1], pose[:3, 2] = -right, -down, ahead  # Mitsuba looks along z, x to the left
        pose[:3, 3] = np.asarray(view.centre_mm) * _M_PER_MM
        return {
            "type": "perspective",
            "fov": view.field_deg,
            "fov_axis": "x",
            "near_clip": 0.05,
            "far_clip": 60.0,
            "to_world": mi.ScalarTransform4f(pose.tolist()),
            "film": film,
            "sampler": {"type": "independent"},
        }


def _denoised(layers: F32) -> F32:
    """Radiance freed from the tracer's noise; too small pictures are left alone."""
    import mitsuba_oidn

    light = np.ascontiguousarray(np.clip(layers[..., :3], 0, _BRIGHTEST))
    if min(light.shape[:2]) < 8:
        return light
    out = mitsuba_oidn.denoise(
        light,
        np.ascontiguousarray(np.clip(layers[..., 3:6], 0, 1)),
        np.ascontiguousarray(np.clip(layers[..., 6:9], -1, 1)),
        hdr=True,
    )
    return np.array(out, np.float32)
