"""Balls in flight in the open: short films of the second world in which only detections are measured.

Each ball goes straight on at one speed, far from cushions, from balls and from the other ways, and its
streak is found or it is not. The film comes through the room's sensor and recorder, as a match does; the
detector sees each decoded image through the true camera, so that no error of the calibration has a part.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from calibration.table.specs import TableSpec
from referee.quality.bench.pixels.judge import GATE_MM
from referee.quality.bench.records import FalseCause, FalseInFlight, FlightImage, Record, StreakSeen, Where
from referee.quality.bench.rooms.film import opening_places
from referee.quality.bench.rooms.setting import IMAGE_HZ, Setting
from referee.quality.bench.rooms.stage import Places, Stage
from referee.quality.bench.rooms.studio.recorder import Recorder
from referee.quality.bench.rooms.studio.sensor import Sensor
from referee.quality.bench.ways import Place, Seen, detected, from_way_mm, on_table, on_way
from vision.detect.detector import Detector
from vision.io.images import VideoImage, read_video, watch_video
from vision.io.temporal_filter import NO_FILTER, TemporalFilter, found_filter
from vision.plane import BallPlane

Rng = np.random.Generator
SPEEDS_MM_S = (2000.0, 8000.0)
EXPOSURES_S = (0.002, 0.02)
_BALLS, _LYING = 4, 8
_IMAGES = 8
_STILL_IMAGES = 10
"""Images of the lying balls alone, in which the recorder finds its rate."""
_LOOKS_BEFORE = 3  # of them are looked at, for what is taken for a ball and stands there
_APART_DIAMETERS = 3.0
"""Between two ways at each time, between a way and a ball that lies, and from a way to a cushion's nose."""
_MOMENT_PX, _MOST_MOMENTS = 2.0, 20
"""From moment to moment of an exposure: a ball is 13 px wide or more, and the lens blurs by a pixel."""
_AFTERIMAGE_S = 2 / IMAGE_HZ


@dataclass(frozen=True, slots=True)
class Flight:
    """A ball that goes straight on at one speed from `at` at time 0; after `until_s` it is taken away."""

    ball: str
    at: Place
    velocity: Place
    until_s: float

    @property
    def speed_mm_s(self) -> float:
        return math.hypot(*self.velocity)

    def place(self, t_s: float) -> Place:
        """Where it is at a time."""
        return self.at[0] + self.velocity[0] * t_s, self.at[1] + self.velocity[1] * t_s


@dataclass(frozen=True, slots=True)
class FlightScene:
    """What one film shows."""

    lying: Places
    flights: tuple[Flight, ...]
    exposure_s: float


def draw_flights(rng: Rng, setting: Setting) -> FlightScene:
    """Up to four balls in flight among some that lie; speeds evenly, exposures evenly by their logarithm."""
    table = setting.table
    low, high = (math.log(s) for s in EXPOSURES_S)
    exposure_s = math.exp(float(rng.uniform(low, high)))
    names = [str(n) for n in rng.permutation(sorted(opening_places(rng, setting)))]
    cue = setting.plan.pieces.cue
    names = [cue, *(n for n in names if n != cue)]
    flights: list[Flight] = []
    for ball in names[:_BALLS]:
        for _ in range(60):
            flight = _drawn(rng, ball, table, exposure_s)
            if all(_clear(flight, other, exposure_s, table) for other in flights):
                flights.append(flight)
                break
    lying: dict[str, Place] = {}
    for ball in names[_BALLS : _BALLS + _LYING]:
        for _ in range(60):
            at = _anywhere(rng, table, 1.5)
            if _lies_clear(at, lying, flights, table):
                lying[ball] = at
                break
    return FlightScene(lying, tuple(flights), exposure_s)


def _drawn(rng: Rng, ball: str, table: TableSpec, exposure_s: float) -> Flight:
    """A ball on a way of which at least two images lie in the open."""
    while True:
        speed, heading = float(rng.uniform(*SPEEDS_MM_S)), float(rng.uniform(0, 2 * math.pi))
        velocity = speed * math.cos(heading), speed * math.sin(heading)
        flight = Flight(ball, _anywhere(rng, table, _APART_DIAMETERS), velocity, 0.0)
        images = 0
        while images < _IMAGES and _in_open(flight.place((images + 0.5) / IMAGE_HZ), table):
            images += 1
        if images >= 2:
            # seen in whole images only, each of whose exposures ends in the open
            return replace(flight, until_s=(images - 1) / IMAGE_HZ + exposure_s)


def _anywhere(rng: Rng, table: TableSpec, margin_diameters: float) -> Place:
    m = margin_diameters * table.ball_diameter_mm
    x, y = (
        rng.uniform(-table.half_width_mm + m, table.half_width_mm - m),
        rng.uniform(m, table.length_mm - m),
    )
    return float(x), float(y)


def _in_open(at: Place, table: TableSpec) -> bool:
    m = _APART_DIAMETERS * table.ball_diameter_mm
    return abs(at[0]) < table.half_width_mm - m and m < at[1] < table.length_mm - m


def _clear(one: Flight, other: Flight, exposure_s: float, table: TableSpec) -> bool:
    """Whether two balls stay apart, streaks included."""
    apart = _APART_DIAMETERS * table.ball_diameter_mm + exposure_s * max(one.speed_mm_s, other.speed_mm_s)
    times = np.linspace(0.0, min(one.until_s, other.until_s), 60)
    return all(math.dist(one.place(t), other.place(t)) > apart for t in times.tolist())


def _lies_clear(at: Place, lying: Places, flights: Sequence[Flight], table: TableSpec) -> bool:
    apart = _APART_DIAMETERS * table.ball_diameter_mm
    if any(math.dist(at, p) < apart for p in lying.values()):
        return False
    return all(from_way_mm(at, f.place(0.0), f.place(f.until_s)) > apart for f in flights)


def film_flights(stage: Stage, file: Path, scene: FlightScene, seed: int) -> None:
    """Film a scene: the lying balls for a while, then the balls in flight in each of the last images."""
    setting = stage.setting
    sensor = Sensor(setting.processing, seed)
    camera = setting.view.camera
    with Recorder(file, setting.recording, (camera.width_px, camera.height_px), IMAGE_HZ, seed) as recorder:
        for k in range(_STILL_IMAGES + _IMAGES):
            moments = _moments(scene, (k - _STILL_IMAGES) / IMAGE_HZ, setting)
            recorder.add(sensor.image(stage.light(moments, scene.lying), k / IMAGE_HZ))


def _moments(scene: FlightScene, open_s: float, setting: Setting) -> list[Mapping[str, Place]]:
    """The places of the balls in flight at moments of the exposure that begins at `open_s`."""
    seen = _seen(scene, open_s)
    if not seen:
        return []
    way_px = max(f.speed_mm_s for f in seen) * scene.exposure_s / setting.where("clip", 0).mm_per_px
    count = int(np.clip(math.ceil(way_px / _MOMENT_PX), 2, _MOST_MOMENTS))
    times = open_s + (np.arange(count) + 0.5) / count * scene.exposure_s
    return [{f.ball: f.place(t) for f in seen} for t in times.tolist()]


def _seen(scene: FlightScene, open_s: float) -> list[Flight]:
    """The balls that are in flight during the whole exposure."""
    if open_s < 0:
        return []
    return [f for f in scene.flights if open_s + scene.exposure_s <= f.until_s + 1e-9]


def filter_of(films: Iterable[Path]) -> TemporalFilter:
    """The filter over time of the camera that made some films; each alone is too short to tell it."""
    return found_filter((i.picture for i in read_video(film)) for film in films)


def judge_flights(
    where: Where,
    setting: Setting,
    file: Path,
    scene: FlightScene,
    detector: Detector,
    undone: TemporalFilter = NO_FILTER,
) -> list[Record]:
    """Each ball in flight with its surest detection, and every detection that is no ball.

    `undone`: the camera's filter over time, as its films tell it together (`filter_of`).
    """
    plane = BallPlane(setting.view.camera, setting.table)
    where = replace(where, exposure_s=round(scene.exposure_s, 5))
    out: list[Record] = []
    before: list[Seen] = []
    images = watch_video(file, found=undone)
    for k, image in enumerate(i for i in images if isinstance(i, VideoImage)):
        if k < _STILL_IMAGES - _LOOKS_BEFORE:
            continue
        seen = detected(detector, plane, image.picture)
        if k < _STILL_IMAGES:
            before += seen
            continue
        out += _judged(where, image.t_s, (k - _STILL_IMAGES) / IMAGE_HZ, scene, setting, seen, before)
    return out


def _judged(
    where: Where,
    t_s: float,
    open_s: float,
    scene: FlightScene,
    setting: Setting,
    seen: Sequence[Seen],
    before: Sequence[Seen],
) -> list[Record]:
    table, pieces = setting.table, setting.plan.pieces
    flights = _seen(scene, open_s)
    out: list[Record] = [FlightImage(where, t_s, len(flights))]
    left = {d for d in seen if on_table(d[:2], table)}
    for f in flights:
        first, last = f.place(open_s), f.place(open_s + scene.exposure_s)
        own = on_way(sorted(left), first, last, GATE_MM)
        left -= own
        x, y = f.place(open_s + scene.exposure_s / 2)
        sure = max((c for _, _, c in own), default=0.0)
        out.append(StreakSeen(where, t_s, pieces.kind_of[f.ball], x, y, f.speed_mm_s, sure))
    for x, y, sure in sorted(left):
        if all(math.dist((x, y), p) > GATE_MM for p in scene.lying.values()):
            stands = any(math.dist((x, y), b[:2]) < GATE_MM for b in before)
            passed = any(from_way_mm((x, y), *_passed(f, open_s)) < GATE_MM for f in scene.flights)
            cause: FalseCause = "stands" if stands else "afterimage" if passed else "unknown"
            out.append(FalseInFlight(where, t_s, sure, x, y, _in_open((x, y), table), cause))
    return out


def _passed(flight: Flight, open_s: float) -> tuple[Place, Place]:
    """The way of a ball in the two images before an exposure, as far as it was in flight then."""
    since_s = min(max(open_s - _AFTERIMAGE_S, 0.0), flight.until_s)
    return flight.place(since_s), flight.place(min(open_s, flight.until_s))
