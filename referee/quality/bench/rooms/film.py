"""A room photographed and filmed: from script to files, with the truth of what they show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table.games import is_snooker
from calibration.table.specs import TableSpec
from referee.facts.calls import Start
from referee.quality.bench.rooms.script import Cast, exposure_at, places_at
from referee.quality.bench.rooms.setting import IMAGE_HZ, Setting
from referee.quality.bench.rooms.stage import NOBODY, People, Places, Stage
from referee.quality.bench.rooms.studio.people import Person, draw_person
from referee.quality.bench.rooms.studio.poses import leaner, placer, stander, striker
from referee.quality.bench.rooms.studio.recorder import Recorder, burnt_in
from referee.quality.bench.rooms.studio.sensor import Sensor
from referee.quality.bench.tracks.games.play import opening_of, play_game, world_on
from referee.quality.bench.tracks.physics import NoseShape
from referee.quality.bench.tracks.play import PlayedSpan, opening_layout, play

U8 = NDArray[np.uint8]
Rng = np.random.Generator
PoseKind = Literal["striker", "placer", "leaner", "stander"]
POSES: tuple[PoseKind, ...] = ("striker", "placer", "leaner", "stander")
_MOVING_MM_S = 20.0
_STILL_EXPOSURES = 3
"""Images that a camera takes before the one that is kept: its noise reduction over time has set in."""


@dataclass(frozen=True, slots=True)
class MovingBall:
    """A ball in one image in which it moves."""

    t_s: float
    stroke: int
    ball: str
    x_mm: float
    y_mm: float
    speed_mm_s: float


@dataclass(frozen=True, slots=True)
class FilmedClip:
    """A clip's file, what was played, every moving ball in every new image, what was in sight of each layout
    before a stroke, and what the review must be told of the match (None: nothing).
    """

    video: Path
    span: PlayedSpan
    images: int
    moving: tuple[MovingBall, ...]
    in_sight: tuple[dict[str, float], ...]
    start: Start | None = None


@dataclass(frozen=True, slots=True)
class Pose:
    """How somebody stands at the table. `free`: a place without a ball; `white`: the cue-ball's.
    `direction` (rad), `bridge_mm`: of a stroke; `beside_mm`: where somebody stands by.
    """

    kind: PoseKind
    person: Person
    seed: int
    table: TableSpec
    free: tuple[float, float]
    white: tuple[float, float]
    direction: float
    bridge_mm: float
    beside_mm: tuple[float, float]

    def people(self, moved_mm: float = 0.0) -> People:
        """The person, with the cue further back, or the hand a little aside and higher."""
        table, radius = self.table, self.table.ball_radius_mm
        at = self.free[0] + 0.7 * moved_mm, self.free[1] + 0.7 * moved_mm
        if self.kind == "striker":
            drawn = 40.0 + moved_mm
            parts = striker(
                self.person, self.seed, self.white, self.direction, self.bridge_mm, drawn, radius, table
            )
        elif self.kind == "placer":
            parts = placer(self.person, self.seed, at, radius + 0.5 * moved_mm, table)
        elif self.kind == "leaner":
            parts = leaner(self.person, self.seed, at, table)
        else:
            parts = stander(self.person, self.seed, self.beside_mm[0], self.beside_mm[1] + moved_mm)
        return People(f"{self.seed}_{moved_mm:.1f}", tuple(parts))


def draw_still(rng: Rng, setting: Setting) -> tuple[Places, People]:
    """A layout, with people over the table in half of all pictures."""
    places = opening_places(rng, setting)
    if rng.random() < 0.5 or setting.plan.pieces.cue not in places:
        return places, NOBODY
    return places, draw_pose(rng, setting, places).people()


def draw_pose(rng: Rng, setting: Setting, places: Places, kinds: Sequence[PoseKind] = POSES) -> Pose:
    """Somebody at a layout with a cue-ball, in one of the poses."""
    table, pieces = setting.table, setting.plan.pieces
    seed = int(rng.integers(2**31))
    person = draw_person(rng)
    number = int(rng.integers(len(kinds)))
    kind = kinds[max(number, 1) if pieces.discs else number]  # nobody bends over a board with a cue
    free = _free_place(rng, setting, places)
    white, direction, bridge_mm, beside = places[pieces.cue], 0.0, 0.0, (0.0, 0.0)
    if kind == "striker":
        others = [p for n, p in places.items() if n != pieces.cue]
        aim = others[int(rng.integers(len(others)))]
        direction = math.atan2(aim[1] - white[1], aim[0] - white[0])
        bridge_mm = float(rng.uniform(180, 310))
    elif kind == "stander":
        side = float(rng.choice([-1.0, 1.0]))
        beside = side * (table.half_width_mm + 350), float(rng.uniform(0, table.length_mm))
    return Pose(kind, person, seed, table, free, white, direction, bridge_mm, beside)


def opening_places(rng: Rng, setting: Setting) -> Places:
    """Where the balls of a game lie before a stroke."""
    table, game = setting.table, setting.plan.game
    return opening_layout(rng, table, game) if is_snooker(game) else opening_of(rng, world_on(game, table))


def _free_place(rng: Rng, setting: Setting, places: Places) -> tuple[float, float]:
    table = setting.table
    for _ in range(200):
        at = (
            float(rng.uniform(-0.45, 0.45) * table.width_mm),
            float(rng.uniform(0.05, 0.95) * table.length_mm),
        )
        if all(math.dist(at, p) > 3 * table.ball_diameter_mm for p in places.values()):
            return at
    return (0.3 * table.width_mm, 0.5 * table.length_mm)


def photograph(stage: Stage, file: Path, places: Places, people: People, seed: int) -> None:
    """One picture of a layout, stored as JPEG."""
    setting = stage.setting
    sensor = Sensor(setting.processing, seed)
    light = stage.light([], places, people)
    for k in range(_STILL_EXPOSURES):
        image = sensor.image(light, k / IMAGE_HZ)
    image = burnt_in(image, setting.recording, 3.0)
    cv2.imwrite(
        str(file), np.ascontiguousarray(image[..., ::-1]), [cv2.IMWRITE_JPEG_QUALITY, setting.recording.jpeg]
    )


def film(stage: Stage, file: Path, strokes: int, seed: tuple[int, ...]) -> FilmedClip:
    """A clip of some strokes; deterministic in the seed."""
    setting = stage.setting
    span, start = _played(np.random.default_rng([*seed, 40]), setting, strokes)
    cast = Cast(int(np.random.default_rng([*seed, 41]).integers(2**31)), setting.table, span)
    sensor = Sensor(setting.processing, int(seed[-1]))
    size = (setting.view.camera.width_px, setting.view.camera.height_px)
    mm_per_px = setting.where("clip", 0).mm_per_px
    moving: list[MovingBall] = []
    images = int(span.end_s * IMAGE_HZ)
    last: U8 | None = None
    with Recorder(file, setting.recording, size, IMAGE_HZ, int(seed[-1])) as recorder:
        for k in range(images):
            if recorder.repeats() and last is not None:
                recorder.add(last)
                continue
            t_s = k / IMAGE_HZ
            moments, still = exposure_at(span, t_s, setting.exposure_s, mm_per_px)
            last = sensor.image(stage.light(moments, still, cast.at(t_s)), t_s)
            recorder.add(last)
            moving += _moving(span, t_s)
    sight = tuple(stage.in_sight(s.flown.start) for s in span.strokes)
    return FilmedClip(file, span, images, tuple(moving), sight, start)


def _played(rng: Rng, setting: Setting, strokes: int) -> tuple[PlayedSpan, Start | None]:
    """What is played, and what a recording that begins there must be told."""
    game = setting.plan.game
    if is_snooker(game):
        return play(rng, NoseShape(setting.table), strokes, game), None
    played = play_game(rng, world_on(game, setting.table), strokes)
    return played.span, played.start


def _moving(span: PlayedSpan, t_s: float) -> list[MovingBall]:
    a, b, middle = (places_at(span, t_s + d) for d in (-0.001, 0.001, 0.0))
    stroke = max((k for k, s in enumerate(span.strokes) if s.t_strike_s <= t_s), default=0)
    inside = span.strokes and span.strokes[stroke].t_strike_s <= t_s <= span.strokes[stroke].t_rest_s
    out = []
    for name in set(a) & set(b) & set(middle) if inside else ():
        speed = math.dist(a[name], b[name]) / 0.002
        if speed > _MOVING_MM_S:
            out.append(MovingBall(t_s, stroke, name, *middle[name], speed))
    return sorted(out, key=lambda m: m.ball)
