"""Renders the clip of a snooker table with Mitsuba 3, a renderer that shares no code with `vision.render`.

    python tests/data/mitsuba/make.py [OUT] [--samples N]

needs `pip install mitsuba` (tested with 3.9.1) and PyAV. The scene: path-traced light of six lamps, a wooden
surround, cushions as prisms with the pockets cut out between them, lines and spots as thin sheets on the
cloth, and 22 plastic balls (a diffuse core under a dielectric coat). Six images of a table at rest, each with
its own noise, are encoded as H.264.
"""

from __future__ import annotations

import argparse
import json
import math
from fractions import Fraction
from pathlib import Path

import av
import mitsuba as mi
import numpy as np

SEED = 20261124
WIDTH, HEIGHT, IMAGES, RATE_HZ, CRF = 1280, 720, 6, 25, 22
R = 26.25
LENGTH, HALF = 3569.0, 889.0
BAULK, D_RADIUS = 737.0, 292.0
NOSE = 35.5
CUSHION = 50.0
CAMERA_MM = (60.0, 1730.0, 2900.0)
TARGET_MM = (-20.0, 1795.0, 0.0)
FIELD_DEG = 76.0  # across the width

# linear RGB of the plastic's core
COLOURS = {
    "white": (0.80, 0.78, 0.68),
    "red": (0.42, 0.015, 0.02),
    "yellow": (0.75, 0.50, 0.03),
    "green": (0.01, 0.16, 0.06),
    "brown": (0.17, 0.06, 0.02),
    "blue": (0.015, 0.08, 0.42),
    "pink": (0.72, 0.23, 0.30),
    "black": (0.012, 0.012, 0.012),
}
CLOTH, WOOD, CHALK, DARK = (0.03, 0.22, 0.07), (0.10, 0.035, 0.015), (0.55, 0.55, 0.50), (0.01, 0.01, 0.01)

SPOTS = {
    "yellow": (D_RADIUS, BAULK),
    "green": (-D_RADIUS, BAULK),
    "brown": (0.0, BAULK),
    "blue": (0.0, LENGTH / 2),
    "pink": (0.0, LENGTH * 0.75),
    "black": (0.0, LENGTH - 324.0),
}


def layout() -> list[tuple[str, float, float]]:
    """Colours on their spots, cue-ball and fifteen reds anywhere else, all 1.5 diameters apart."""
    rng = np.random.default_rng(SEED)
    balls = [(name, x, y) for name, (x, y) in SPOTS.items()]
    for name in ["white", *["red"] * 15]:
        while True:
            x, y = rng.uniform(-HALF + 60, HALF - 60), rng.uniform(60, LENGTH - 60)
            if all(math.hypot(x - u, y - v) > 3 * R for _, u, v in balls):
                balls.append((name, float(x), float(y)))
                break
    return balls


def _diffuse(rgb: tuple[float, float, float]) -> dict:
    return {"type": "diffuse", "reflectance": {"type": "rgb", "value": list(rgb)}}


def _sheet(x0: float, y0: float, x1: float, y1: float, z: float, rgb: tuple[float, float, float]) -> dict:
    """A horizontal rectangle."""
    t = mi.ScalarTransform4f
    middle = [(x0 + x1) / 2, (y0 + y1) / 2, z]
    to_world = t().translate(middle).scale([abs(x1 - x0) / 2, abs(y1 - y0) / 2, 1.0])
    return {"type": "rectangle", "to_world": to_world, "bsdf": _diffuse(rgb)}


def _disk(x: float, y: float, z: float, radius: float, rgb: tuple[float, float, float]) -> dict:
    to_world = mi.ScalarTransform4f().translate([x, y, z]).scale([radius, radius, 1.0])
    return {"type": "disk", "to_world": to_world, "bsdf": _diffuse(rgb)}


def _mesh(name: str, vertices: list, faces: list, rgb: tuple[float, float, float]) -> mi.Mesh:
    properties = mi.Properties()
    properties["bsdf"] = mi.load_dict({"type": "twosided", "nested": _diffuse(rgb)})
    mesh = mi.Mesh(name, len(vertices), len(faces), props=properties)
    params = mi.traverse(mesh)
    params["vertex_positions"] = np.asarray(vertices, np.float32).ravel()
    params["faces"] = np.asarray(faces, np.uint32).ravel()
    params.update()
    return mesh


def _cushion(name: str, start: tuple[float, float], end: tuple[float, float]) -> mi.Mesh:
    """A prism along a nose from `start` to `end` (mm): undercut face, sloping top, ends cut at 45 degrees."""
    a, b = np.array(start), np.array(end)
    along = (b - a) / np.linalg.norm(b - a)
    out = np.array([along[1], -along[0]])
    if (out @ (a - np.array([0.0, LENGTH / 2]))) < 0:
        out = -out
    profile = [(8.0, 0.0, 8.0), (0.0, NOSE, 0.0), (CUSHION, NOSE + 6.0, CUSHION)]  # outwards, height, end cut
    vertices = [
        [*(p + out * d - along * side * cut), z] for p, side in ((a, -1.0), (b, 1.0)) for d, z, cut in profile
    ]
    faces = [(0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (0, 2, 1), (3, 4, 5)]
    return _mesh(name, vertices, faces, CLOTH)


def _arc(radius: float, width: float) -> mi.Mesh:
    """The D as a thin ring on the cloth."""
    angle = np.linspace(math.pi, 2 * math.pi, 97)
    vertices = [
        [r * math.cos(a), BAULK + r * math.sin(a), 0.3]
        for a in angle
        for r in (radius - width / 2, radius + width / 2)
    ]
    faces = [f for k in range(96) for f in ((2 * k, 2 * k + 1, 2 * k + 2), (2 * k + 1, 2 * k + 3, 2 * k + 2))]
    return _mesh("arc", vertices, faces, CHALK)


def scene(samples: int) -> mi.Scene:
    t = mi.ScalarTransform4f
    corner, centre = 63.0, 57.0  # from a pocket's middle along a nose to where the cushion begins
    top, half = LENGTH, LENGTH / 2
    film = {
        "type": "hdrfilm",
        "width": WIDTH,
        "height": HEIGHT,
        "rfilter": {"type": "box"},
        "pixel_format": "rgb",
    }
    parts: dict = {
        "type": "scene",
        "integrator": {"type": "path", "max_depth": 5},
        "sensor": {
            "type": "perspective",
            "fov": FIELD_DEG,
            "fov_axis": "x",
            "near_clip": 10.0,
            "far_clip": 20000.0,
            "to_world": t().look_at(origin=list(CAMERA_MM), target=list(TARGET_MM), up=[-1, 0, 0]),
            "film": film,
            "sampler": {"type": "independent", "sample_count": samples},
        },
        "room": {"type": "constant", "radiance": {"type": "rgb", "value": [0.10, 0.10, 0.11]}},
        "bed": _sheet(-HALF - CUSHION, -CUSHION, HALF + CUSHION, top + CUSHION, 0.0, CLOTH),
        "line": _sheet(-HALF, BAULK - 1.5, HALF, BAULK + 1.5, 0.3, CHALK),
        "arc": _arc(D_RADIUS, 3.0),
        "floor": _sheet(-4000, -3000, 4000, top + 3000, -850.0, (0.20, 0.16, 0.13)),
    }
    for k, y in enumerate((half - 1100, half, half + 1100)):  # three lamps in a row, beside the camera's view
        for side in (-1, 1):
            parts[f"lamp{k}{side}"] = {
                "type": "rectangle",
                "to_world": t()
                .translate([side * 520.0, y, 2300.0])
                .scale([160, 420, 1])
                .rotate([1, 0, 0], 180),
                "emitter": {"type": "area", "radiance": {"type": "rgb", "value": [14.0, 13.3, 11.8]}},
            }
    noses = {
        "bottom": ((-HALF + corner, 0.0), (HALF - corner, 0.0)),
        "top": ((-HALF + corner, top), (HALF - corner, top)),
        "left1": ((-HALF, corner), (-HALF, half - centre)),
        "left2": ((-HALF, half + centre), (-HALF, top - corner)),
        "right1": ((HALF, corner), (HALF, half - centre)),
        "right2": ((HALF, half + centre), (HALF, top - corner)),
    }
    for name, (a, b) in noses.items():
        parts[name] = _cushion(name, a, b)
    rail, z = 140.0, NOSE + 9.0
    outer = HALF + CUSHION
    parts["wood_left"] = _sheet(-outer - rail, -CUSHION - rail, -outer, top + CUSHION + rail, z, WOOD)
    parts["wood_right"] = _sheet(outer, -CUSHION - rail, outer + rail, top + CUSHION + rail, z, WOOD)
    parts["wood_bottom"] = _sheet(-outer, -CUSHION - rail, outer, -CUSHION, z, WOOD)
    parts["wood_top"] = _sheet(-outer, top + CUSHION, outer, top + CUSHION + rail, z, WOOD)
    for k, (x, y, r) in enumerate(
        [(sx * (HALF + 24), y, 52.0) for sx in (-1, 1) for y in (-24.0, top + 24.0)]
        + [(sx * (HALF + 26), half, 46.0) for sx in (-1, 1)]
    ):
        parts[f"pocket{k}"] = _disk(x, y, 0.6, r, DARK)
        parts[f"cut{k}"] = (
            _disk(x * 1.0, y, z + 1.0, r * 0.95, DARK)
            if abs(y - half) > 1
            else _disk(x + math.copysign(18, x), y, z + 1.0, r * 0.8, DARK)
        )
    for name, (x, y) in SPOTS.items():
        parts[f"spot_{name}"] = _disk(x, y, 0.5, 4.0, DARK)
    for k, (name, x, y) in enumerate(layout()):
        core = {"type": "rgb", "value": list(COLOURS[name])}
        parts[f"ball{k}"] = {
            "type": "sphere",
            "center": [x, y, R],
            "radius": R,
            "bsdf": {"type": "plastic", "diffuse_reflectance": core, "int_ior": 1.55, "nonlinear": True},
        }
    return mi.load_dict(parts)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="?", type=Path, default=Path(__file__).parent)
    parser.add_argument("--samples", type=int, default=48)
    parser.add_argument("--images", type=int, default=IMAGES)
    options = parser.parse_args()
    mi.set_variant("scalar_rgb")
    world = scene(options.samples)
    with av.open(str(options.out / "table.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=RATE_HZ)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.time_base = Fraction(1, RATE_HZ)
        stream.options = {"crf": str(CRF), "preset": "medium"}
        for k in range(options.images):
            light = np.array(mi.render(world, seed=SEED + k))
            srgb = np.where(
                light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055
            )
            image = np.clip(srgb * 255 + 0.5, 0, 255).astype(np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, "rgb24")))
        container.mux(stream.encode())
    truth = {
        "renderer": f"mitsuba {mi.__version__}",
        "seed": SEED,
        "samples": options.samples,
        "table": {
            "length_mm": LENGTH,
            "width_mm": 2 * HALF,
            "ball_diameter_mm": 2 * R,
            "nose_height_mm": NOSE,
        },
        "camera": {"centre_mm": CAMERA_MM, "target_mm": TARGET_MM, "field_deg": FIELD_DEG},
        "balls": [{"colour": n, "x_mm": round(x, 3), "y_mm": round(y, 3)} for n, x, y in layout()],
    }
    (options.out / "table.json").write_text(json.dumps(truth, indent=1) + "\n")


if __name__ == "__main__":
    main()
