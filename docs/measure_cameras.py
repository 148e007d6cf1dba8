"""What camera, height, lamps and light do to places and to the certificate, in drawn rooms: docs/hardware.md.

    python docs/measure_cameras.py --rooms 4 --out docs/data/cameras.json    # pictures: places, calibration
    python docs/measure_cameras.py --certify --out docs/data/certified.json  # clips: `cueref certify`
    python docs/measure_cameras.py --page                                    # tables of docs/hardware.md

Rooms, tables, cloths and balls are the bench's (`referee/quality/bench/pixels`), which no training has seen.
A row changes one thing and leaves the rest. Each picture is calibrated by itself with the playing area told;
a room that is refused counts. All of it is one seed's; another `--seed` draws other rooms.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

import cueref
from calibration.table.specs import SNOOKER_TABLE, WPA_TABLE, TableSpec
from referee.quality.bench.pixels.film import film_clip
from referee.quality.bench.pixels.looks import lamps
from referee.quality.bench.pixels.play import draw_script
from referee.quality.bench.pixels.scenes import Setting, as_told, draw_setting
from vision.render.cameras import camera_sees, look_at, make_camera
from vision.render.grain import Grain
from vision.render.layout_random import frame_colours, random_balls
from vision.render.light import irradiance, light_points
from vision.render.scene import Lamp, Scene
from vision.render.studio import Shutter

DATA = Path(__file__).with_name("data")
NEAR_MM = 26.0
"""A ball said nearer than half a ball to a true one of its colour is that one."""
RAIL_MM = 165.0
"""Cushion and rail beyond the playing area on each side, which the picture must show: 3.9 m for 12 ft."""
SENSOR_WIDE_MM = 5.57
"""1,920 pixels of 2.9 micrometres, the size called 1/2.8 inch that most such cameras have."""
PHOTONS_A_LUX_S_UM2 = 4100.0
"""683 lm/W at 555 nm and 3.58e-19 J a photon."""
WHITE, EFFICIENCY, GLASS, F_NUMBER, PIXEL_UM = 0.8, 0.25, 0.9, 2.0, 2.9
"""What a white ball reflects; electrons a photon behind a colour filter; the lens's transmission."""
FULL = 0.7
"""Linear level of a white ball, of 1, where nothing is burnt out."""


@dataclass(frozen=True, slots=True)
class Row:
    """One camera. `light_lux_ms`: light on the cloth times exposure; `lamps`: a kind of the bench's."""

    size: tuple[int, int] = (1920, 1080)
    height_mm: float = 2600.0
    lamps: str = "led_ring"
    light_lux_ms: float = 2000.0
    tilt_deg: float = 0.0

    @property
    def words(self) -> str:
        return (
            f"{self.size[1]}p, {self.height_mm / 1000:.1f} m, tilt {self.tilt_deg:.0f}, {self.lamps},"
            f" {self.light_lux_ms:.0f} lux ms"
        )


BASE = Row()
LAMPS = {
    "canopy": "one canopy lamp over the table",
    "tubes": "two rows of tubes",
    "window": "daylight from one side",
}


def rows() -> Iterator[Row]:
    """The base and what differs from it by one thing."""
    base = BASE
    for size in ((1280, 720), base.size, (2560, 1440)):
        yield from (replace(base, size=size, height_mm=h) for h in (1600.0, 2000.0, 2600.0, 3400.0))
    yield replace(base, tilt_deg=20.0)
    yield replace(base, tilt_deg=35.0)
    yield from (replace(base, lamps=kind) for kind in ("canopy", "tubes", "window"))
    yield from (replace(base, light_lux_ms=light) for light in (8000.0, 1000.0, 500.0, 250.0))


def noise_levels(lux_ms: float) -> float:
    """Standard deviation of a white ball's level, of 255, by the photons that light and exposure give.

    Light on the sensor is E R T / (4 F^2); electrons scatter by their square root; gamma 2.2 spreads it.
    """
    on_sensor = lux_ms / 1000 * WHITE * GLASS / (4 * F_NUMBER**2)
    electrons = on_sensor * PHOTONS_A_LUX_S_UM2 * PIXEL_UM**2 * EFFICIENCY
    return float(255 * FULL ** (1 / 2.2) / 2.2 / math.sqrt(electrons))


def setting_of(row: Row, seed: int, room: int) -> Setting | None:
    """The room seen by the row's camera; None where no lens to 120 degrees sees the table from there."""
    drawn = draw_setting((seed, room), *row.size, 25.0)
    table = drawn.scene.table
    rng = np.random.default_rng([seed, room, 9])
    away = row.height_mm * math.tan(math.radians(row.tilt_deg))
    at, aim = (away, table.length_mm / 2, row.height_mm), (0.0, table.length_mm / 2, 0.0)
    turn = look_at(at, aim, 0.0)
    base = make_camera(*row.size, row.size[0] * 0.5, (drawn.camera.distortion[0], 0.0), at, turn)
    camera = camera_sees(table, base, turn, 0.02)
    if camera is None:
        return None
    noise = noise_levels(row.light_lux_ms)
    grain = Grain(dark=noise, bright=noise, clumped=0.3, rows=0.3, columns=0.3, bad_pixels=0.0, flicker=0.0)
    scene = replace(drawn.scene, lamps=lamps_of(row.lamps, rng, table))
    gain = drawn.sensor.gain * light_level(drawn.scene) / light_level(scene)
    return replace(
        drawn,
        scene=scene,
        sensor=replace(drawn.sensor, gain=gain),
        camera=camera,
        grain=grain,
        shutter=Shutter(0.004, 0.004),
        tells="size",
        tilt_deg=row.tilt_deg,
        lens_deg=2 * math.degrees(math.atan(row.size[0] / 2 / camera.focal_px)),
    )


def lamps_of(kind: str, rng: np.random.Generator, table: TableSpec) -> tuple[Lamp, ...]:
    """Lamps of a kind, drawn until the bench's generator gives that kind."""
    while True:
        lights, _, drawn = lamps(rng, table)
        if drawn == kind:
            return lights


def light_level(scene: Scene) -> float:
    """Light on the cloth's middle, by which automatic exposure goes."""
    middle = (0.0, scene.table.length_mm / 2)
    x, y = np.zeros((1, 1), np.float32), np.full((1, 1), middle[1], np.float32)
    return scene.ambient[1] + sum(
        float(irradiance(p, x, y)[0, 0]) * p.colour[1] for p in light_points(scene.lamps, middle)
    )


def told(setting: Setting) -> str:
    spec = as_told(setting.scene.table, "size")
    return f"{spec.length_mm:.1f}x{spec.width_mm:.1f}"


def measure_picture(setting: Setting, seed: int, room: int, file: Path) -> dict[str, Any]:
    """One layout photographed, calibrated and read: places' errors (mm), balls missed or called wrongly."""
    rng = np.random.default_rng([seed, room, 10])
    balls = random_balls(rng, setting.scene.table, frame_colours(rng))
    rgb = setting.studio(room).picture(balls)
    cv2.imwrite(str(file), np.ascontiguousarray(rgb[..., ::-1]), [cv2.IMWRITE_JPEG_QUALITY, 90])
    try:
        seen = cueref.layout(file, table=told(setting))
    except cueref.UnusableInput as refusal:
        return {"refused": str(refusal)}
    errors = []
    for ball in balls:
        near = [
            math.dist((b.x_mm, b.y_mm), (ball.x_mm, ball.y_mm)) for b in seen.balls if b.colour == ball.colour
        ]
        if near and min(near) < NEAR_MM:
            errors.append(min(near))
    worst = max(seen.calibration.sigma_mm(b.x_mm, b.y_mm) for b in balls)
    worst_mm = float(np.max(worst))
    return {
        "errors": errors,
        "missed": len(balls) - len(errors),
        "extra": len(seen.balls) - len(errors),
        "worst_sigma_mm": worst_mm,
    }


def measure_pictures(seed: int, rooms: int) -> list[dict[str, Any]]:
    """A summary a row."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows():
            settings = [(room, setting_of(row, seed, room)) for room in range(rooms)]
            seen = [(s, measure_picture(s, seed, r, Path(folder) / "still.jpg")) for r, s in settings if s]
            out.append(summary(row, seen, rooms - len(seen)))
            print(json.dumps(out[-1]), file=sys.stderr, flush=True)
    return out


def summary(row: Row, seen: list[tuple[Setting, dict[str, Any]]], unseen: int) -> dict[str, Any]:
    read = [found for _, found in seen if "errors" in found]
    errors = [e for found in read for e in found["errors"]]
    return {
        "row": row.words,
        "size": list(row.size),
        "height_m": row.height_mm / 1000,
        "tilt_deg": row.tilt_deg,
        "lamps": row.lamps,
        "lux_ms": row.light_lux_ms,
        "lens_deg": round(float(np.median([s.lens_deg for s, _ in seen])), 0) if seen else None,
        "ball_px": round(
            float(np.median([52.5 * s.camera.focal_px / s.camera.centre_mm[2] for s, _ in seen])), 1
        )
        if seen
        else None,
        "rooms": len(seen),
        "not_in_view": unseen,
        "refused": len(seen) - len(read),
        "balls": sum(len(f["errors"]) + f["missed"] for f in read),
        "missed": sum(f["missed"] for f in read),
        "extra": sum(f["extra"] for f in read),
        "median_mm": round(float(np.median(errors)), 2) if errors else None,
        "p95_mm": round(float(np.percentile(errors, 95)), 2) if errors else None,
        "worst_sigma_mm": round(float(np.median([f["worst_sigma_mm"] for f in read])), 2) if read else None,
    }


CERTIFIED = (
    (Row((1280, 720), 2000.0), 25.0),
    (Row((1280, 720), 3000.0), 25.0),
    (Row((1920, 1080), 2000.0), 50.0),
    (Row((1920, 1080), 3000.0), 50.0),
)
"""Cameras whose clip of two strokes is certified, with their images a second."""


def certified(seed: int) -> list[dict[str, Any]]:
    """What `cueref certify` says of the bundled clip and of four drawn cameras."""
    out = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out.append(
            {"camera": "the bundled clip, 720p25, 2.9 m", **certificate(cueref.sample_clip(), None, folder)}
        )
        for room, (row, rate_hz) in enumerate(CERTIFIED):
            setting = setting_of(row, seed, room)
            assert setting is not None, row.words
            script = draw_script(np.random.default_rng([seed, room, 11]), setting.scene.table, 2, room)
            video = folder / "clip.mp4"
            sharp = replace(setting, packing=replace(setting.packing, codec="h264", crf=22))
            film_clip(video, sharp.studio(room), sharp, script, rate_hz, room)
            words = f"{row.size[1]}p{rate_hz:.0f}, {row.height_mm / 1000:.1f} m"
            out.append({"camera": words, **certificate(video, told(setting), folder)})
            print(json.dumps(out[-1]), file=sys.stderr, flush=True)
    return out


def certificate(video: Path, table: str | None, folder: Path) -> dict[str, Any]:
    """The commands that a club gives, and what is of interest here of their answer."""
    cueref.calibrate(video, table=table).save(folder / "table.json")
    call = [sys.executable, "-m", "cueref", "certify", str(folder / "table.json"), str(video), "--json"]
    call += ["-o", str(folder / "page.html")]
    ended = subprocess.run(call, capture_output=True, text=True)
    if ended.returncode not in (0, 1):
        return {"refused": ended.stderr.strip()}
    said = json.loads(ended.stdout)
    zones = [z for z in said["zones"] if z["expected_mm"] is not None]
    enough = [
        s["speed_m_s"] for s in said["speeds"] if s["rate_enough"] and s["exposure_enough"] is not False
    ]
    return {
        "best_mm": min(z["expected_mm"] for z in zones),
        "worst_mm": max(z["expected_mm"] for z in zones),
        "gap_mm": min(z["gap_mm"] for z in zones if z["gap_mm"] is not None),
        "rests": said["rests"],
        "contacts_to_m_s": max(enough, default=None),
        "uses": {u["name"]: u["fitness"] for u in said["uses"]},
    }


def lens_deg(table: TableSpec, height_m: float) -> float:
    """Horizontal angle of a level lens over the middle that sees a table with its rails along the picture.

    The long side decides: a picture of 16 to 9 is wide enough for a table of two to one.
    """
    half_m = (table.length_mm / 2 + RAIL_MM) / 1000
    return math.degrees(2 * math.atan(half_m / height_m))


def lens_table() -> list[str]:
    """A table for docs/hardware.md: angle, and focal length for a sensor of 1/2.8 inch."""
    small = TableSpec(1881.0, 943.0)
    tables = {"12 ft snooker": SNOOKER_TABLE, "9 ft pool": WPA_TABLE, "7 ft": small}
    lines = ["| height above the cloth | " + " | ".join(tables) + " |", "| --- |" + " --- |" * len(tables)]
    for height_m in (1.4, 1.7, 2.0, 2.3, 2.6, 3.0, 3.4):
        cells = []
        for table in tables.values():
            angle = lens_deg(table, height_m)
            focal_mm = SENSOR_WIDE_MM / 2 / math.tan(math.radians(angle / 2))
            cells.append(f"{angle:.0f} degrees, {focal_mm:.1f} mm")
        lines.append(f"| {height_m} m | " + " | ".join(cells) + " |")
    return lines


def heights_table(rows: list[dict[str, Any]]) -> list[str]:
    """Median, 95 % error and the table's worst place by height and size of picture."""
    lines = [
        "| height (lens) | balls | 720p | 1080p | 1440p |",
        "| --- | --- | --- | --- | --- |",
    ]
    plain = [
        r for r in rows if not r["tilt_deg"] and r["lamps"] == BASE.lamps and r["lux_ms"] == BASE.light_lux_ms
    ]
    for height_m in sorted({r["height_m"] for r in plain}):
        at = {r["size"][1]: r for r in plain if r["height_m"] == height_m}
        cells = [f"{r['median_mm']}, {r['p95_mm']}, {r['worst_sigma_mm']}" for _, r in sorted(at.items())]
        any_row = at[1080]
        lines.append(
            f"| {height_m} m ({any_row['lens_deg']:.0f} degrees) | {any_row['balls']} | "
            + " | ".join(cells)
            + " |"
        )
    return lines


def changes_table(rows: list[dict[str, Any]]) -> list[str]:
    """What differs by one thing from 1080p at 2.6 m."""
    lines = [
        "| one thing changed | median, 95 %, worst place | balls missed, invented |",
        "| --- | --- | --- |",
    ]
    kept = [r for r in rows if r["size"][1] == 1080 and r["height_m"] == BASE.height_mm / 1000]
    for row in kept:
        names = []
        if row["tilt_deg"]:
            names.append(f"tilted by {row['tilt_deg']:.0f} degrees")
        if row["lamps"] != BASE.lamps:
            names.append(LAMPS[row["lamps"]])
        if row["lux_ms"] != BASE.light_lux_ms:
            names.append(f"{row['lux_ms']:.0f} lux ms, such as {row['lux_ms'] / 4:.0f} lux at 4 ms")
        lines.append(
            f"| {', '.join(names) or 'nothing: ring of LEDs, 500 lux at 4 ms, level'} |"
            f" {row['median_mm']}, {row['p95_mm']}, {row['worst_sigma_mm']} mm |"
            f" {row['missed']}, {row['extra']} of {row['balls']} |"
        )
    return lines


def certified_table(rows: list[dict[str, Any]]) -> list[str]:
    """What the certificate says of each camera."""
    uses = list(rows[0]["uses"])
    lines = [
        "| camera | expected error, best and worst zone | rests | "
        + " | ".join(u.lower() for u in uses)
        + " |",
        "| --- |" + " --- |" * (2 + len(uses)),
    ]
    for row in rows:
        said = dict(row["uses"])
        said["First contacts"] += f", to {row['contacts_to_m_s']:.0f} m/s"
        cells = " | ".join(said[u] for u in uses)
        lines.append(
            f"| {row['camera']} | {row['best_mm']:.2f}, {row['worst_mm']:.2f} mm | {row['rests']} | {cells} |"
        )
    return lines


def page_tables() -> dict[str, list[str]]:
    """The tables of docs/hardware.md that come from results, by the name in their marker."""
    cameras, certificates = (
        json.loads((DATA / f"{n}.json").read_text("utf-8"))["rows"] for n in ("cameras", "certified")
    )
    return {
        "lenses": lens_table(),
        "heights": heights_table(cameras),
        "changes": changes_table(cameras),
        "certified": certified_table(certificates),
    }


def with_tables(page: str) -> str:
    """The page with each table anew behind its marker `<!-- NAME: from docs/measure_cameras.py -->`."""
    for name, lines in page_tables().items():
        table = "\n".join(lines)
        page, n = re.subn(
            rf"(<!-- {name}:[^\n]*-->\n\n)(?:\|[^\n]*\n)*", lambda m, t=table: f"{m[1]}{t}\n", page
        )
        assert n == 1, name
    return page


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=20261125)
    parser.add_argument("--rooms", type=int, default=4)
    parser.add_argument("--certify", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--out", type=Path)
    told_options = parser.parse_args()
    if told_options.page:
        page = DATA.with_name("hardware.md")
        page.write_text(with_tables(page.read_text("utf-8")), "utf-8")
        return
    made = (
        certified(told_options.seed)
        if told_options.certify
        else measure_pictures(told_options.seed, told_options.rooms)
    )
    text = json.dumps(
        {"seed": told_options.seed, "code": cueref.__version__, "rows": made}, indent=1, ensure_ascii=False
    )
    if told_options.out is not None:
        told_options.out.write_text(text + "\n", "utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
