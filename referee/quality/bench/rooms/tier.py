"""World (b): rooms that no training has seen, each photographed, filmed, reviewed as a user would, judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from calibration.errors import UnusableInput
from calibration.files import work_folder
from calibration.result import Calibration
from referee.quality.bench.pixels.judge import (
    SaidBall,
    judge_calibration,
    judge_detections,
    refused_calibration,
)
from referee.quality.bench.records import NotJudged, Record, Where
from referee.quality.bench.rooms.film import draw_pose, draw_still, film, opening_places, photograph
from referee.quality.bench.rooms.flights import draw_flights, film_flights, filter_of, judge_flights
from referee.quality.bench.rooms.judge import judge_clip, judge_still, near_person
from referee.quality.bench.rooms.setting import RoomPlan, Setting, draw_setting
from referee.quality.bench.rooms.stage import Stage
from referee.quality.bench.rooms.visits import OVER_TABLE, film_visit, judge_visit
from referee.review.pipeline import ReviewOptions, calibration_found, review
from vision.calibrated import solved_view
from vision.detect.detector import Detector
from vision.io.images import read_image
from vision.io.picture import Picture
from vision.layout import read_layout
from vision.observer import Observer

Keep = Callable[[str, Path], None]
"""Called with a name and each file, for a look."""


def measure_room(plan: RoomPlan, cache: Path | None = None, keep: Keep | None = None) -> list[Record]:
    """Everything in one room. `cache`: a folder outside the repository for empty rooms already traced."""
    setting = draw_setting(plan)
    with work_folder("cueref-room-") as work:
        room = _Measured(setting, Stage(setting, cache), work, keep)
        records: list[Record] = []
        for k in range(plan.layouts):
            records += room.layout(k)
        if plan.strokes:
            records += room.clip()
        records += room.flights()
        for k in range(plan.visits):
            records += room.visit(k)
        return records


class _Measured:
    """One room being measured."""

    def __init__(self, setting: Setting, stage: Stage, work: Path, keep: Keep | None) -> None:
        self.setting, self.stage, self.work, self.keep = setting, stage, work, keep
        self.pieces = setting.plan.pieces
        self.detector = Detector(pieces=self.pieces)

    def layout(self, k: int) -> list[Record]:
        """One picture, read alone as `cueref layout PICTURE` reads it."""
        plan, setting = self.setting.plan, self.setting
        rng = np.random.default_rng([plan.seed, plan.number, 50, k])
        places, people = draw_still(rng, setting)
        file = self.work / f"{plan.seed}_{plan.number}_{k}.jpg"
        photograph(self.stage, file, places, people, plan.seed + k)
        self._keep(file)
        where = setting.where("layout", k)
        try:
            found = solved_view(file, setting.told, self.detector, setting.told_end)[0]
        except UnusableInput as error:
            return [refused_calibration(where, str(error))]
        out = [self._calibration(where, found)]
        picture = Picture.from_bgr(read_image(file))
        observer = Observer(found, self.detector, self.pieces)
        out += judge_detections(
            where,
            places.values(),
            observer.look(picture),
            setting.table,
            bool(people.parts),
            lambda at: near_person(at, people),
        )
        try:
            said = read_layout([picture], found, self.detector, pieces=self.pieces)
        except UnusableInput as error:
            return [*out, NotJudged(where, "layout", False, str(error)[:300])]
        balls = [SaidBall(b.colour, b.x_mm, b.y_mm, b.sigma_mm, b.own_sigma_mm) for b in said]
        sight, lit = self.stage.in_sight(places, people), self.stage.lit(places, people)
        return [*out, *judge_still(where, setting, places, sight, lit, balls, people)]

    def _calibration(self, where: Where, found: Calibration) -> Record:
        return judge_calibration(where, self.setting.view.camera, self.setting.table, found)

    def clip(self) -> list[Record]:
        """Strokes: filmed, reviewed, judged."""
        plan, setting = self.setting.plan, self.setting
        file = self._file("clip")
        clip = film(self.stage, file, plan.strokes, (plan.seed, plan.number))
        self._keep(file)
        where = setting.where("clip", 0)
        out_folder = self.work / "review"
        known: Path | None = None
        try:
            if setting.told_end is not None:
                known = self.work / "table.json"
                solved_view(file, setting.told, self.detector, setting.told_end)[0].save(known)
            options = ReviewOptions(setting.told, plan.game, known, clip.span.calls, clip.start)
            match = review(file, out_folder, options)
        except UnusableInput as error:
            words = str(error)[:300]
            return [refused_calibration(where, words), NotJudged(where, "review", False, words)]
        found = calibration_found(out_folder)
        out = [] if found is None else [self._calibration(where, found)]
        return [*out, *judge_clip(where, setting, clip, match, out_folder / "tracks.csv")]

    def flights(self) -> list[Record]:
        """Balls in flight in the open: short films, whose filter over time all of them tell."""
        plan, setting = self.setting.plan, self.setting
        films = []
        for k in range(plan.flights):
            scene = draw_flights(np.random.default_rng([plan.seed, plan.number, 60, k]), setting)
            film_flights(self.stage, self._file(f"flight_{k}"), scene, plan.seed + k)
            films.append((k, self._file(f"flight_{k}"), scene))
        undone = filter_of(file for _, file, _ in films)
        out: list[Record] = []
        for k, file, scene in films:
            self._keep(file)
            out += judge_flights(setting.where("clip", k), setting, file, scene, self.detector, undone)
        return out

    def visit(self, k: int) -> list[Record]:
        """Somebody over the table for more than a second."""
        plan, setting = self.setting.plan, self.setting
        rng = np.random.default_rng([plan.seed, plan.number, 70, k])
        places = opening_places(rng, setting)
        if setting.plan.pieces.cue not in places:
            return []
        pose, file = draw_pose(rng, setting, places, OVER_TABLE), self._file(f"visit_{k}")
        film_visit(self.stage, file, places, pose, plan.seed + k)
        self._keep(file)
        return judge_visit(setting.where("clip", k), setting, file, places, pose)

    def _file(self, name: str) -> Path:
        plan = self.setting.plan
        suffix = "mkv" if self.setting.recording.codec == "mjpeg" else "mp4"
        return self.work / f"{plan.seed}_{plan.number}_{name}.{suffix}"

    def _keep(self, file: Path) -> None:
        if self.keep is not None:
            self.keep(file.name, file)
