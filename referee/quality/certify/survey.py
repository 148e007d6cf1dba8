"""One pass over a video: single-image fits of all balls, spread over its length, and what its clock shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibration.result import Calibration
from calibration.texts import unusable_input
from vision.advice.clock import Glance, Glances
from vision.advice.exposure_time import RollingBall, smear_s
from vision.detect.colour import ball_chroma
from vision.detect.detector import Detector
from vision.detect.naming import assign_colours
from vision.io.images import VideoImage, VideoInfo, probe, read_video
from vision.io.picture import Picture
from vision.observation import ImageObservations, Observation
from vision.observer import Observer

LOOKS = 90
"""Pictures in which every ball is fitted: enough for a spread known to a tenth, 10 s of processor time."""
LEAST_STEP_S = 0.5
"""Time between two of them: a video repeats what did not change, so neighbouring images are not independent.
"""
STILLS = 15
"""Pictures kept for measuring the table anew, as many as `cueref calibrate` takes."""

_LEAST_CONFIDENCE = 0.55  # as for a still (vision/layout.py)
_SMEARS = 40
_WINDOW_S, _WINDOW_EVERY_S = 4.0, 60.0  # flicker is judged in a stretch of each minute
_FREE_SHARE = 0.12  # a ball that runs free keeps its velocity this well over two intervals
_LEAST_RUN_MM, _MOST_RUN_MM = 30.0, 450.0


@dataclass(frozen=True, slots=True)
class SeenBall:
    """One ball of one picture: place (mm), the fit's own sigma (mm), centre (px), name, colour evidence.

    `chroma`: g and b as shares of r + g + b; `logp` as in an observation."""

    x_mm: float
    y_mm: float
    sigma_mm: float
    x_px: float
    y_px: float
    colour: str
    chroma: tuple[float, float]
    logp: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """All balls of one picture."""

    t_s: float
    balls: tuple[SeenBall, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """What the video gave. `clock`: every image, without luma; `windows`: stretches with luma, for flicker;
    `smears_s`: exposure times of single balls; `newest`: balls of the last still, as observations."""

    info: VideoInfo
    looks: tuple[Look, ...]
    stills: tuple[Picture, ...]
    clock: tuple[Glance, ...]
    windows: tuple[tuple[Glance, ...], ...]
    smears_s: tuple[float, ...]
    newest: tuple[Observation, ...]


def survey(
    video: Path, calibration: Calibration, tell: Callable[[int, int], None] = lambda done, of: None
) -> Survey:
    """Read the whole video once. Raises UnusableInput when it is no video of this camera's size."""
    info = probe(video)
    detector = Detector()
    looker, smears = Observer(calibration, detector), _Smears(calibration, detector)
    glances, windows = Glances(), _Windows()
    step = max(LEAST_STEP_S, info.duration_s / LOOKS)
    still_step = info.duration_s / STILLS
    looks: list[Look] = []
    stills: list[Picture] = []
    newest: tuple[Observation, ...] = ()
    clock: list[Glance] = []
    for image in read_video(video):
        if not clock:
            _check_size(video, image.picture, calibration)
        elif image.picture.y.shape != (calibration.camera.height_px, calibration.camera.width_px):
            continue  # another size in mid-file: lost, as the clock will show
        glance = glances.feed(image.picture, image.t_s)
        clock.append(Glance(glance.t_s, b"", glance.change_grey))
        windows.feed(glance)
        smears.feed(image)
        if not looks or image.t_s >= looks[-1].t_s + step - 1e-6:
            newest = tuple(o for o in looker.look(image.picture) if o.confidence >= _LEAST_CONFIDENCE)
            looks.append(Look(image.t_s, _named(image.picture, newest, calibration)))
            if len(stills) < STILLS and image.t_s >= len(stills) * still_step:
                stills.append(image.picture)
        last = image.picture
        tell(image.index + 1, max(info.images, image.index + 1))
    if stills[-1] is not last:
        stills[-1] = last
        newest = tuple(o for o in looker.look(last) if o.confidence >= _LEAST_CONFIDENCE)
    return Survey(
        info, tuple(looks), tuple(stills), tuple(clock), windows.all(), tuple(smears.found_s), newest
    )


def _check_size(video: Path, picture: Picture, calibration: Calibration) -> None:
    wanted = (calibration.camera.width_px, calibration.camera.height_px)
    if (picture.width_px, picture.height_px) != wanted:
        raise unusable_input(
            "errors.images_of_x_as_calibrated_not_x",
            video=video,
            wanted=wanted[0],
            wanted_2=wanted[1],
            width_px=picture.width_px,
            height_px=picture.height_px,
        )


def _named(picture: Picture, seen: tuple[Observation, ...], calibration: Calibration) -> tuple[SeenBall, ...]:
    if not seen:
        return ()
    names = assign_colours([o.colour_logp for o in seen])
    px = np.array([(o.x_px, o.y_px) for o in seen])
    radius = calibration.table.ball_radius_mm
    chroma = ball_chroma(
        picture, px, np.array([radius / calibration.mm_per_px(o.x_mm, o.y_mm) for o in seen])
    )
    return tuple(
        SeenBall(o.x_mm, o.y_mm, o.sigma_mm, o.x_px, o.y_px, name, (float(c[0]), float(c[1])), o.colour_logp)
        for o, (name, _), c in zip(seen, names, chroma, strict=True)
    )


class _Windows:
    """Keeps the glances of a few seconds of every minute."""

    def __init__(self) -> None:
        self._windows: list[list[Glance]] = []
        self._began_s = -_WINDOW_EVERY_S

    def feed(self, glance: Glance) -> None:
        if glance.t_s >= self._began_s + _WINDOW_EVERY_S:
            self._began_s = glance.t_s
            self._windows.append([])
        if glance.t_s < self._began_s + _WINDOW_S:
            self._windows[-1].append(glance)

    def all(self) -> tuple[tuple[Glance, ...], ...]:
        return tuple(tuple(w) for w in self._windows)


class _Smears:
    """Exposure times from balls that run free over three images; stops looking when there are enough."""

    def __init__(self, calibration: Calibration, detector: Detector) -> None:
        self.found_s: list[float] = []
        self._calibration = calibration
        self._observer = Observer(calibration, detector)
        self._kept: list[tuple[VideoImage, ImageObservations]] = []

    def feed(self, image: VideoImage) -> None:
        if len(self.found_s) >= _SMEARS:
            return
        self._kept = [*self._kept[-2:], (image, self._observer.feed(image))]
        if len(self._kept) < 3:
            return
        (_, a), (middle, b), (_, c) = self._kept
        before_s, after_s = b.t_s - a.t_s, c.t_s - b.t_s
        if not 0.8 < before_s / max(after_s, 1e-6) < 1.25:
            return
        for ball in b.observations:
            velocity = _velocity(ball, a, c, after_s)
            if velocity is not None:
                found = smear_s(middle.picture, self._rolling(ball, velocity, after_s))
                self.found_s += [found] if found is not None else []

    def _rolling(self, ball: Observation, velocity: tuple[float, float], interval_s: float) -> RollingBall:
        table, camera = self._calibration.table, self._calibration.camera
        r, h = table.ball_radius_mm, 0.01
        ends = [(ball.x_mm + k * h * velocity[0], ball.y_mm + k * h * velocity[1], r) for k in (-1, 1)]
        back, ahead = camera.pixels_from_table(ends)
        vx, vy = ((ahead - back) / (2 * h)).tolist()
        size = table.ball_diameter_mm / self._calibration.mm_per_px(ball.x_mm, ball.y_mm)
        return RollingBall(ball.x_px, ball.y_px, vx, vy, size, interval_s)


def _velocity(
    ball: Observation, before: ImageObservations, after: ImageObservations, interval_s: float
) -> tuple[float, float] | None:
    """mm/s of a ball that was as far back before as it is ahead after; None when no such pair was seen."""
    best: tuple[float, float, float] | None = None
    for p in before.observations:
        dx, dy = ball.x_mm - p.x_mm, ball.y_mm - p.y_mm
        run = float(np.hypot(dx, dy))
        if not _LEAST_RUN_MM < run < _MOST_RUN_MM:
            continue
        for q in after.observations:
            miss = float(np.hypot(q.x_mm - ball.x_mm - dx, q.y_mm - ball.y_mm - dy))
            if miss < _FREE_SHARE * run and (best is None or miss / run < best[0]):
                mean_x, mean_y = (q.x_mm - p.x_mm) / 2, (q.y_mm - p.y_mm) / 2
                best = (miss / run, mean_x / interval_s, mean_y / interval_s)
    return None if best is None else (best[1], best[2])
