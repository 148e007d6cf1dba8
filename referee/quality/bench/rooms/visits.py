"""Somebody over the table for more than a second: short films of the second world in which nothing else
happens, and every ball that the tracker holds to lie where none is.

The people hold nearly still, as one who aims or waits does: what moves on is no ball at rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from calibration.result import Calibration, SigmaModel
from referee.quality.bench.pixels.judge import GATE_MM
from referee.quality.bench.records import FalseRest, Record, Visit, Where
from referee.quality.bench.rooms.film import Pose, PoseKind
from referee.quality.bench.rooms.setting import IMAGE_HZ, Setting
from referee.quality.bench.rooms.stage import NOBODY, Places, Stage
from referee.quality.bench.rooms.studio.recorder import Recorder
from referee.quality.bench.rooms.studio.sensor import Sensor
from tracker import Tracker
from tracker.ball import BallState
from vision.detect.detector import Detector
from vision.io.images import read_video
from vision.observation import ImageObservations
from vision.observer import Observer

OVER_TABLE: tuple[PoseKind, ...] = ("striker", "placer", "leaner")
_BEFORE = 8
_MOVED_MM = (0.0, 8.0, 0.0, 8.0)
"""How far somebody has moved in the parts of a visit, of which each is held; two poses have to be traced."""
_PART_IMAGES = 9
_SIGMA_MM = 0.3  # stated of the true camera, as good calibrations state


def film_visit(stage: Stage, file: Path, places: Places, pose: Pose, seed: int) -> None:
    """The layout alone for a third of a second, then with somebody over it for 1.4 s."""
    setting = stage.setting
    sensor = Sensor(setting.processing, seed)
    camera = setting.view.camera
    parts = [NOBODY] * _BEFORE + [pose.people(mm) for mm in _MOVED_MM for _ in range(_PART_IMAGES)]
    with Recorder(file, setting.recording, (camera.width_px, camera.height_px), IMAGE_HZ, seed) as recorder:
        for k, people in enumerate(parts):
            recorder.add(sensor.image(stage.light([], places, people), k / IMAGE_HZ))


def judge_visit(where: Where, setting: Setting, file: Path, places: Places, pose: Pose) -> list[Record]:
    """The film as the program watches it, through the true camera."""
    pieces, table = setting.plan.pieces, setting.table
    model = SigmaModel((_SIGMA_MM**2, 0.0, 0.0, 0.0, 0.0, 0.0), 0.05)
    found = Calibration(setting.view.camera, table, 0.3, _SIGMA_MM, model)
    observer, tracker = Observer(found, Detector(pieces=pieces), pieces), Tracker(table, pieces)
    held: list[_Held] = []
    for image in read_video(file):
        seen = observer.feed(image)
        tracker.feed(seen)
        _note(held, tracker, seen, places.values())
    out: list[Record] = [Visit(where, pose.kind, len(_MOVED_MM) * _PART_IMAGES / IMAGE_HZ)]
    return out + [
        FalseRest(where, pose.kind, h.colour, h.x_mm, h.y_mm, h.confidence, h.until_s - h.since_s)
        for h in held
    ]


@dataclass(slots=True)
class _Held:
    """A place where the tracker holds a ball to lie and none is. `sure`: confidences of its detections."""

    colour: str
    x_mm: float
    y_mm: float
    since_s: float
    until_s: float
    sure: list[float] = field(default_factory=list)

    @property
    def confidence(self) -> float:
        """The mean of its detections' (the tracker's own begins at what most balls have)."""
        return sum(self.sure) / len(self.sure) if self.sure else 0.0


def _note(
    held: list[_Held], tracker: Tracker, seen: ImageObservations, places: Iterable[tuple[float, float]]
) -> None:
    true = list(places)
    for ball in tracker.follower.balls:
        x, y = ball.rest.x_mm, ball.rest.y_mm
        if ball.state is not BallState.REST or any(math.dist((x, y), p) < GATE_MM for p in true):
            continue
        own = next((h for h in held if math.dist((x, y), (h.x_mm, h.y_mm)) < GATE_MM), None)
        if own is None:
            own = _Held(ball.colour, x, y, seen.t_s, seen.t_s)
            held.append(own)
        own.colour, own.until_s = ball.colour, seen.t_s
        near = (o for o in seen.observations if math.dist((x, y), (o.x_mm, o.y_mm)) < GATE_MM)
        own.sure += [o.confidence for o in near]
