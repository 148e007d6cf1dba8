"""A whole clip: strokes played, filmed, encoded, and its truth written beside it.

Truth files have the form of the project's test footage: metres, `events` in order in `<clip>.json`,
positions at every image in `<clip>.frames.npz`, nominations that nobody can infer in
`<clip>.calls.jsonl`; `camera` and `table` are added to the JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from calibration.camera import Camera
from calibration.table.specs import SNOOKER_TABLE, TableSpec
from calibration.texts import unusable_input
from vision.render.cameras import random_camera
from vision.render.film import Draw, Film
from vision.render.looks import QUARTERS, linear
from vision.render.patches import random_scene
from vision.render.play.director import HandEvent, Script, StrokeEvent, write_script, xy_of
from vision.render.play.match import Layout, Physics
from vision.render.scene import Lamp, Scene
from vision.render.scene_picture import render
from vision.render.sensor import Sensor, random_sensor

POCKET_WORDS = {"B": "bottom", "C": "centre", "T": "top", "L": "left", "R": "right"}
CLOTHS = {
    "green": (142.0, 0.75, 0.44),
    "blue": (212.0, 0.8, 0.5),
    "red": (355.0, 0.75, 0.42),
    "grey": (120.0, 0.04, 0.42),
    "teal": (170.0, 0.35, 0.55),
}


@dataclass(frozen=True, slots=True)
class ClipOptions:
    """What `cueref synth` makes. `camera`: "overhead" (nearly level) or "random" (tilt to 35 degrees);
    `cloth`: a name of `CLOTHS` or "random"; `look`: "plain" (soft panels) or "random"."""

    strokes: int = 4
    seed: int = 1
    width: int = 1280
    height: int = 720
    fps: int = 25
    camera: str = "overhead"
    cloth: str = "green"
    look: str = "plain"
    reds: int = 6
    crf: int = 23
    table: TableSpec = SNOOKER_TABLE


def check_options(options: ClipOptions) -> None:
    """Raises UnusableInput when an option cannot be used."""
    check_size(options)
    if not options.table.spots:
        raise unusable_input("errors.table_with_a_baulk_line_and_a_d")


def check_size(options: ClipOptions) -> None:
    """What holds for a clip of any game. Raises UnusableInput."""
    if options.cloth not in (*CLOTHS, "random"):
        raise unusable_input("errors.one_of_random", known=", ".join(CLOTHS), cloth=repr(options.cloth))
    if options.camera not in ("overhead", "random"):
        raise unusable_input("errors.overhead_or_random", camera=repr(options.camera))
    if (
        not (320 <= options.width <= 4096 and 180 <= options.height <= 2304)
        or options.width % 2
        or options.height % 2
    ):
        raise unusable_input("errors.even_numbers_from_320x180", width=options.width, height=options.height)
    if not (1 <= options.strokes <= 200 and 10 <= options.fps <= 120 and 1 <= options.reds <= 15):
        raise unusable_input(
            "errors.strokes_1_to_200_fps_10_to_120",
            strokes=options.strokes,
            fps=options.fps,
            reds=options.reds,
        )


def clip_look(options: ClipOptions, rng: np.random.Generator) -> tuple[Scene, Camera, Sensor]:
    """Scene without balls, camera and sensor of a clip."""
    scene = random_scene(rng, options.table)
    camera = random_camera(
        rng, options.table, options.width, options.height, 5.0 if options.camera == "overhead" else 35.0
    )
    sensor = random_sensor(rng)
    sensor = replace(
        sensor,
        gain=float(np.clip(sensor.gain, 0.75, 1.3)),
        contrast=max(0.0, sensor.contrast),
        noise=min(sensor.noise, 0.012),
        read_noise=min(sensor.read_noise, 0.005),
    )
    if options.look == "plain":
        scene, sensor = _plain_scene(scene, options.table), _plain_sensor(sensor)
    if options.cloth != "random":
        scene = replace(scene, look=replace(scene.look, cloth=linear(*CLOTHS[options.cloth])))
    look = replace(
        scene.look,
        mark_width_mm=max(scene.look.mark_width_mm, 3.0),
        mark_opacity=max(scene.look.mark_opacity, 0.7),
    )
    return replace(scene, look=look), camera, sensor


def _plain_scene(scene: Scene, table: TableSpec) -> Scene:
    """The scene with an even cloth under three white panels."""
    middle, apart = table.length_mm / 2, table.length_mm / 3
    lamps = tuple(
        Lamp((0.0, middle + k * apart, 1500.0), 250.0, 450.0, (1.0, 1.0, 1.0), 0.34, 1.0, False, QUARTERS)
        for k in (-1, 0, 1)
    )
    calm = replace(
        scene.look,
        wear=0.04,
        cloth_contrast=0.04,
        nap=0.03,
        markers=0,
        specks=25,
        mark=(0.7, 0.7, 0.65),
        well_radius=0.0,
    )
    return replace(scene, lamps=lamps, ambient=(0.2, 0.2, 0.2), look=calm)


def _plain_sensor(sensor: Sensor) -> Sensor:
    """The sensor with true colours, hardly blurred."""
    return replace(
        sensor,
        gain=1.3,
        saturation=1.15,
        contrast=0.1,
        lift=0.0,
        blur_px=0.6,
        halo=0.2,
        hue_deg=0.0,
        gamma=2.2,
        balance=(1.0, 1.0, 1.0),
    )


def wanted_strokes(rng: np.random.Generator, count: int) -> list[tuple[bool, str]]:
    """What kinds of strokes a clip shows: a pot and a colour first, a foul in the end, anything between."""
    fixed: list[tuple[bool, str]] = [(True, ""), (True, ""), (False, ""), (False, "in_off")]
    kinds: list[tuple[bool, str]] = [(True, ""), (False, ""), (False, "in_off"), (False, "wrong_ball")]
    extra = [kinds[int(rng.choice(4, p=[0.6, 0.22, 0.08, 0.1]))] for _ in range(max(0, count - 4))]
    return (fixed[:count] if count < 4 else fixed[:2] + extra + fixed[2:])[:count]


def make_clip(
    path: Path,
    options: ClipOptions,
    physics: Physics | None = None,
    progress: Callable[[int, int], None] | None = None,
    start: Layout | None = None,
) -> Script:
    """Play, film and encode a clip; writes the video and its truth, each renamed when whole.

    `start`: the layout before the first stroke (a rack: its first stroke pots nothing); else one in
    mid-frame.
    """
    check_options(options)
    # looks and strokes draw from generators of their own: a new look leaves the strokes as they were
    scene, camera, sensor = clip_look(options, np.random.default_rng([options.seed, 1]))
    rng = np.random.default_rng([options.seed, 2])
    wanted = wanted_strokes(rng, options.strokes)
    if start is not None:
        wanted = [(False, ""), *wanted][: options.strokes]
    script = write_script(rng, options.table, wanted, options.reds, options.seed, physics, start)
    film_script(path, script, scene, camera, sensor, options, progress)
    return script


def film_script(
    path: Path,
    script: Script,
    scene: Scene,
    camera: Camera,
    sensor: Sensor,
    options: ClipOptions,
    progress: Callable[[int, int], None] | None = None,
    judged: bool = True,
    draw: Draw = render,
) -> None:
    """Film and encode a script; writes the video and its truth, each renamed when whole.

    `judged` False: the strokes are of a game that the simulation does not score; its truth says null there.
    """
    times = np.arange(int(script.end_s * options.fps)) / options.fps
    film = Film(script, scene, camera, sensor, 0.4 / options.fps, options.seed, draw)
    part = path.with_name(path.stem + ".part" + path.suffix)
    try:
        _encode(part, film, times, options, progress)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    write_truth(path, script, times, camera, options, judged)


def _encode(
    path: Path,
    film: Film,
    times: np.ndarray,
    options: ClipOptions,
    progress: Callable[[int, int], None] | None,
) -> None:
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=options.fps)
        stream.width, stream.height, stream.pix_fmt = options.width, options.height, "yuv420p"
        stream.time_base = Fraction(1, options.fps)
        stream.options = {
            "crf": str(options.crf),
            "preset": "medium",
            "threads": "1",
            "g": str(4 * options.fps),
        }
        for k, image in enumerate(film.images(times)):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts = k
            out.mux(stream.encode(frame))
            if progress is not None:
                progress(k + 1, len(times))
        out.mux(stream.encode())


def write_truth(
    path: Path, script: Script, times: np.ndarray, camera: Camera, options: ClipOptions, judged: bool = True
) -> None:
    """`<clip>.json`, `<clip>.frames.npz`, `<clip>.calls.jsonl`; `judged` as in `film_script`."""
    stem = path.with_suffix("")
    truth = {
        "seed": options.seed,
        "end": float(times[-1]),
        "names": list(script.names),
        "events": [_event(e) if judged else _unjudged(_event(e)) for e in script.events],
        "camera": asdict(camera),
        "table": asdict(options.table),
    }
    _write_text(stem.with_name(stem.name + ".json"), json.dumps(truth))
    npz = stem.with_name(stem.name + ".frames.npz")
    part = stem.with_name(stem.name + ".part.npz")
    np.savez_compressed(part, t=times, names=np.array(script.names), xy=xy_of(script, times))
    part.replace(npz)
    _write_text(
        stem.with_name(stem.name + ".calls.jsonl"), "".join(json.dumps(c) + "\n" for c in calls(script))
    )


def _write_text(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def calls(script: Script) -> list[dict[str, object]]:
    """Nominations that the pictures do not show: a colour was on and the nominated one was not hit."""
    out: list[dict[str, object]] = []
    for e in script.events:
        if isinstance(e, StrokeEvent) and e.played.nominated:
            first = e.played.first_contact
            plain = (
                first is not None
                and first[0] == e.played.nominated
                and not (e.played.foul and e.played.respots)
            )
            if not plain:
                out.append(
                    {
                        "t_s": round(e.t_strike - 0.5, 3),
                        "type": "nominate",
                        "by": "AB"[e.played.striker],
                        "ball": e.played.nominated,
                    }
                )
    return out


def _metres(layout: Layout) -> dict[str, list[float]]:
    return {n: [p[0] / 1000, p[1] / 1000] for n, p in layout.items()}


def _pocket(name: str) -> str:
    return f"{POCKET_WORDS[name[0]]}-{POCKET_WORDS[name[1]]}"


def _unjudged(event: dict[str, object]) -> dict[str, object]:
    """What only a game's rules can say of a stroke is unknown here."""
    return {k: None if k in ("on", "foul", "penalty", "points", "score") else v for k, v in event.items()}


def _event(event: StrokeEvent | HandEvent) -> dict[str, object]:
    if isinstance(event, HandEvent):
        xy = [event.to[0] / 1000, event.to[1] / 1000]
        if event.lifts:
            return {"type": "lift", "ball": event.ball, "xy": xy, "t": event.t}
        if event.in_hand:
            return {"type": "in_hand", "ball": event.ball, "xy": xy, "t": event.t}
        return {"type": "respot", "ball": event.ball, "spot": event.ball, "xy": xy, "t": event.t}
    p, t0 = event.played, event.t_strike
    first = p.first_contact
    return {
        "type": "stroke",
        "striker": p.striker,
        "on": p.on,
        "nominated": p.nominated,
        "t_strike": t0,
        "t_rest": event.t_rest,
        "phi": math.remainder(p.stroke.direction, 2 * math.pi),
        "speed": p.stroke.speed_mm_s / 1000,
        "first_contact": None if first is None else [first[0], first[1] + t0],
        "contacts": [[*sorted((a, b)), t + t0] for a, b, t in p.flight.contacts],
        "cushions": [[b, t + t0] for b, t in p.flight.cushions],
        "pots": [[b, _pocket(k), t + t0] for b, k, t in p.flight.pots],
        "foul": p.foul,
        "penalty": p.penalty,
        "points": p.points,
        "score": list(p.score),
        "start": _metres(p.start),
        "end": _metres(p.end),
    }
