"""The pixel tier: cameras drawn from a seed, each filmed, reviewed as a user would, judged. One camera is one
unit.

Nothing of the truth reaches the program: it finds the table in the clip by itself, reads layouts with the
calibration that it found there (the first pictures each with one of their own), and is told the table's
size only where its owner would know it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from calibration.errors import UnusableInput
from calibration.result import Calibration
from referee.facts.calls import read_calls
from referee.quality.bench.pixels.baseline import baseline_layout
from referee.quality.bench.pixels.film import ClipTruth, film_clip
from referee.quality.bench.pixels.judge import (
    Moment,
    SaidBall,
    TrueBall,
    judge_calibration,
    judge_detections,
    judge_layout,
    judge_touching,
    near_limb,
    pairs,
    refused_calibration,
)
from referee.quality.bench.pixels.judge_clip import Reviewed, judge_clip
from referee.quality.bench.pixels.judge_tracks import judge_tracks, read_rows
from referee.quality.bench.pixels.knock import measure_knock
from referee.quality.bench.pixels.play import Still, draw_script, draw_still
from referee.quality.bench.pixels.scenes import Setting, draw_setting, mm_per_px
from referee.quality.bench.records import NotJudged, Record, Repeat, Timing, Where
from referee.review.pipeline import ReviewOptions, calibration_found, review
from vision.calibrated import solved_view
from vision.detect.detector import Detector
from vision.io.images import read_image
from vision.io.picture import Picture
from vision.layout import read_gaps, read_layout
from vision.observation import GapSeen
from vision.observer import Observer
from vision.render.clip import calls
from vision.render.studio import Studio
from vision.render.visibility import visible_shares

_ALONE = 2
"""So many pictures of each camera are read without any calibration, as `cueref layout PICTURE` does."""
_BASELINE_EVERY = 2
_KNOCK_EVERY = 4


@dataclass(frozen=True, slots=True)
class CameraPlan:
    """What is measured at one camera. `seed`: of the run; with `number` it gives everything at this
    camera.
    """

    number: int
    seed: int
    strokes: int
    layouts: int
    width_px: int
    height_px: int
    image_hz: float
    game: str = "snooker"


def plan_cameras(
    seed: int, cameras: int, strokes: int, layouts: int, game: str = "snooker"
) -> tuple[CameraPlan, ...]:
    """Strokes and layouts shared out evenly.

    Of a hundred cameras twenty are 1080p50, which the targets are stated for, eight 1080p25, four 4K, the
    others 720p25.
    """
    out = []
    for n in range(cameras):
        width, height, rate = _size(n)
        own = strokes * (n + 1) // cameras - strokes * n // cameras
        out.append(
            CameraPlan(
                n, seed, own, layouts * (n + 1) // cameras - layouts * n // cameras, width, height, rate, game
            )
        )
    return tuple(out)


def _size(number: int) -> tuple[int, int, float]:
    if number % 25 == 12:
        return 3840, 2160, 25.0
    if number % 5 == 3:
        return 1920, 1080, 50.0
    return (1920, 1080, 25.0) if number % 10 == 7 else (1280, 720, 25.0)


def measure_camera(plan: CameraPlan, work: Path) -> list[Record]:
    """Film, review and judge one camera; `work`: an empty folder for its files."""
    setting = draw_setting((plan.seed, plan.number), plan.width_px, plan.height_px, plan.image_hz)
    studio = setting.studio(plan.number)
    bench = _Bench(plan, work, setting, studio)
    records: list[Record] = []
    if plan.strokes:
        records += bench.clip()
    if plan.strokes and plan.number % _KNOCK_EVERY == 1:
        records += bench.knock()
    for k in range(plan.layouts):
        records += bench.layout(k)
    return records


class _Bench:
    """One camera being measured."""

    def __init__(
        self,
        plan: CameraPlan,
        work: Path,
        setting: Setting,
        studio: Studio,
    ) -> None:
        self.plan, self.work, self.setting, self.studio = plan, work, setting, studio
        self.detector = Detector()
        self.found: Calibration | None = None

    def where(self, source: str, item: int, image_hz: float) -> Where:
        return self.setting.where(self.plan.number, self.plan.seed, source, item, image_hz)  # type: ignore[arg-type]

    def clip(self) -> list[Record]:
        """Strokes: filmed, reviewed, judged."""
        plan, setting = self.plan, self.setting
        rng = np.random.default_rng([plan.seed, plan.number, 2])
        script = draw_script(rng, setting.scene.table, plan.strokes, plan.number, plan.game)
        video = self.work / ("clip.mkv" if setting.packing.codec == "mjpeg" else "clip.mp4")
        truth = film_clip(video, self.studio, setting, script, plan.image_hz, plan.number)
        where = self.where("clip", 0, plan.image_hz)
        decode = decode_alone(video)
        try:
            match, timing = self._review(video, script)
        except UnusableInput as error:
            refused = NotJudged(where, "review", False, str(error)[:300])
            return [refused_calibration(where, str(error)), refused]
        except Exception as error:  # a crash is a result here, and the other cameras go on
            return [NotJudged(where, "review", True, f"{type(error).__name__}: {error}"[:300])]
        table = setting.scene.table
        records: list[Record] = [judge_calibration(where, setting.camera, table, self._calibration())]
        reviewed = Reviewed(where, truth, setting.camera, table, match, setting.scene.look.spots_off_mm)
        records += judge_clip(reviewed)
        records += judge_tracks(reviewed, read_rows(self.work / "review"))
        records.append(Timing(where, truth.images, truth.images / plan.image_hz, *decode, *timing, None))
        return records

    def knock(self) -> list[Record]:
        """The camera knocked: a clip of its own, reviewed with the calibration found before."""
        if self.found is None:
            return []
        where = self.where("clip", 1, self.plan.image_hz)
        try:
            return [
                measure_knock(
                    where,
                    self.setting,
                    self.studio,
                    self.found,
                    self.work,
                    (self.plan.seed, self.plan.number, 4),
                    self.plan.image_hz,
                    self.plan.game,
                )
            ]
        except UnusableInput as error:
            return [NotJudged(where, "review", False, str(error)[:300])]
        except Exception as error:
            return [NotJudged(where, "review", True, f"{type(error).__name__}: {error}"[:300])]

    def _review(self, video: Path, script: Any) -> tuple[Any, tuple[float | None, float, float]]:
        """The match, and seconds to find the table, of the whole review, and of processor."""
        file = self.work / "calls.jsonl"
        file.write_text("".join(json.dumps(c) + "\n" for c in calls(script)), encoding="utf-8")
        marks: dict[str, float] = {}

        def tell(stage: str, done: int, of: int) -> None:
            marks.setdefault(f"{stage} {'end' if done else 'start'}", time.perf_counter())

        started, processor = time.perf_counter(), time.process_time()
        match = review(
            video,
            self.work / "review",
            ReviewOptions(self.setting.told, self.plan.game, calls=read_calls(file)),
            tell,
        )
        took = time.perf_counter() - started
        finding = marks.get("finding the table end", started) - marks.get("finding the table start", started)
        return match, (finding, took, time.process_time() - processor)

    def _calibration(self) -> Calibration:
        """The calibration that the review found, from its journal."""
        self.found = calibration_found(self.work / "review")
        assert self.found is not None, "a review that has ended has found the table"
        return self.found

    def layout(self, k: int) -> list[Record]:
        """One single picture: drawn, stored as its camera stores stills, read back, judged."""
        plan, setting = self.plan, self.setting
        rng = np.random.default_rng([plan.seed, plan.number, 3, k])
        still = draw_still(rng, setting.scene.table, k, plan.game)
        where = self.where("layout", k, 0.0)
        file = self.work / f"layout_{k}.{'png' if setting.packing.jpeg == 0 else 'jpg'}"
        bgr = self._photograph(still, file)
        shares = visible_shares(setting.camera, still.balls, still.people, setting.scene.table.ball_radius_mm)
        true = [TrueBall(b.colour, b.x_mm, b.y_mm, v) for b, v in zip(still.balls, shares, strict=True)]
        out: list[Record] = []
        if k % _BASELINE_EVERY == 0:
            out += self._baseline(where, true, still, bgr)
        calibration, first = self._calibrated(where, k, file)
        out += first
        if calibration is None:
            return out
        out += self._detections(where, bgr, still, calibration)
        moment = Moment(where, None, "cueref", setting.camera, still.people)
        try:
            said, gaps = self._read(bgr, calibration)
        except UnusableInput as error:
            return [*out, NotJudged(where, "layout", False, str(error)[:300])]
        out += judge_layout(moment, true, said)
        out += judge_touching(where, true, said, setting.scene.table, gaps)
        if still.repeats > 1:
            out += self._repeat(where, still, file, true, calibration)
        return out

    def _detections(
        self, where: Where, bgr: np.ndarray, still: Still, calibration: Calibration
    ) -> list[Record]:
        """What is taken for a ball in the picture, however unsure."""
        seen = Observer(calibration, self.detector).look(Picture.from_bgr(bgr))
        places = [(b.x_mm, b.y_mm) for b in still.balls]
        table, people = self.setting.scene.table, still.people
        return judge_detections(where, places, seen, table, bool(people), lambda at: near_limb(at, people))

    def _photograph(self, still: Still, file: Path) -> np.ndarray:
        rgb = self.studio.picture(still.balls, still.people)
        options = [cv2.IMWRITE_JPEG_QUALITY, self.setting.packing.jpeg] if self.setting.packing.jpeg else []
        cv2.imwrite(str(file), np.ascontiguousarray(rgb[..., ::-1]), options)
        return read_image(file)

    def _calibrated(self, where: Where, k: int, file: Path) -> tuple[Calibration | None, list[Record]]:
        """The calibration to read picture `k` with, and what is to be recorded of finding it."""
        if k >= _ALONE and self.found is not None:
            return self.found, []
        if k >= _ALONE:
            return None, [
                NotJudged(where, "layout", False, "no table found in the clip and in the first pictures")
            ]
        table, setting = self.setting.scene.table, self.setting
        try:
            solved = solved_view(file, setting.told, self.detector)[0]
        except UnusableInput as error:
            return self.found, [refused_calibration(where, str(error))]
        except Exception as error:
            return self.found, [NotJudged(where, "layout", True, f"{type(error).__name__}: {error}"[:300])]
        self.found = self.found or solved
        return solved, [judge_calibration(where, setting.camera, table, solved)]

    def _read(self, bgr: np.ndarray, calibration: Calibration) -> tuple[list[SaidBall], tuple[GapSeen, ...]]:
        pictures = [Picture.from_bgr(bgr)]
        balls = read_layout(pictures, calibration, self.detector)
        said = [SaidBall(b.colour, b.x_mm, b.y_mm, b.sigma_mm, b.own_sigma_mm) for b in balls]
        return said, read_gaps(pictures, calibration, balls)

    def _baseline(self, where: Where, true: list[TrueBall], still: Still, bgr: np.ndarray) -> list[Record]:
        started = time.perf_counter()
        said = baseline_layout(bgr, self.setting.camera, self.setting.scene.table)
        took = time.perf_counter() - started
        moment = Moment(where, None, "hough", self.setting.camera, still.people)
        timing = Timing(where, 1, 0.0, None, None, None, None, None, took)
        return [*judge_layout(moment, true, said), timing]

    def _repeat(
        self, where: Where, still: Still, file: Path, true: list[TrueBall], calibration: Calibration
    ) -> list[Record]:
        """The same layout photographed again and again, each picture fitted alone: the spread of each
        ball.
        """
        places: list[list[tuple[float, float]]] = [[] for _ in true]
        for _ in range(still.repeats):
            said, _ = self._read(self._photograph(still, file), calibration)
            for i, j in pairs(true, said):
                places[i].append((said[j].x_mm, said[j].y_mm))
        return list(_spreads(where, self.setting, true, places))


def _spreads(
    where: Where, setting: Setting, true: list[TrueBall], places: list[list[tuple[float, float]]]
) -> Iterable[Record]:
    for ball, seen in zip(true, places, strict=True):
        if len(seen) < 3:
            continue
        spread = float(np.sqrt(np.mean(np.var(np.array(seen), axis=0, ddof=1))))
        scale = mm_per_px(setting.camera, ball.x_mm, ball.y_mm)
        yield Repeat(where, ball.colour, ball.x_mm, ball.y_mm, scale, len(seen), spread)


def decode_alone(video: Path) -> tuple[float, float]:
    """Seconds of wall clock and of processor to decode a video to its native planes with PyAV, nothing
    else.
    """
    started, processor = time.perf_counter(), time.process_time()
    with av.open(str(video)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        for frame in container.decode(stream):
            for plane in frame.planes:
                memoryview(plane)
    return time.perf_counter() - started, time.process_time() - processor


__all__ = ["CameraPlan", "ClipTruth", "decode_alone", "measure_camera", "plan_cameras"]
