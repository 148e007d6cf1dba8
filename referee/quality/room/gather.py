"""From a recording to two sets of labelled images: what is trained on, and what is held back.

The last part of a recording is held back, in stretches of time; between both a second is left out. What is
usual in either set is learned from its own images alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.result import Calibration
from calibration.table.games import PIECES
from referee.quality.room.certain import Certain, OnItsWay, certain, sure_strokes
from referee.quality.room.labels import Labeller, Shown
from referee.quality.room.watched import Watched
from vision.advice.exposure_time import RollingBall, smear_s
from vision.detect.detector import Detector, decode
from vision.io.images import VideoImage, temporal_filter, watch_video
from vision.io.picture import Picture
from vision.plane import BallPlane
from vision.train.detector.room import RoomImages
from vision.view.usable import fitted

HELD_SHARE, BETWEEN_S = 0.35, 1.0
"""Share of a recording that is held back, its end, and what is left out before it."""
BLOCK_S, MOST_BLOCKS = 1.5, 12
"""Shortest stretch of time that counts as one in the test, and most of them in a recording. A ball is struck
about every 10 s, an arm comes and goes in one or two."""
MOST_IMAGES = 120
"""Images of each set in a recording: half of them evenly spaced, half while balls roll."""
USUAL_EXPOSURE = 0.4
"""Share of the interval between images for which cameras expose, where no streak tells."""
LEAST_SMEARS = 3
_STEP_S = 0.01  # for the velocity in the picture


@dataclass(frozen=True, slots=True)
class Gathered:
    """`trained`: images to learn from; `held`: those held back, with their stretches as blocks. `strokes`:
    how many strokes of the whole recording have one explanation.
    """

    trained: RoomImages | None
    held: RoomImages | None
    strokes: int = 0


def gather(watched: Watched, detector: Detector) -> Gathered:
    """Label a recording. A set is None where nothing in it is certain."""
    truth = certain(watched, PIECES[watched.recording.game])
    trained, held = chosen(watched, truth)
    shown, exposure_s = _shown(watched, truth, {*trained, *held}, detector)
    sets = list[RoomImages | None]()
    for times in (trained, held):
        own = [shown[t] for t in times if t in shown]
        sets.append(_labelled(watched, truth, own, exposure_s, detector.looks))
    return Gathered(sets[0], sets[1], sure_strokes(watched.events))


def held_from_s(duration_s: float) -> float:
    """From when on a recording is held back."""
    return (1.0 - HELD_SHARE) * duration_s


def block_of(t_s: float, duration_s: float) -> int:
    """Which stretch of what is held back a time lies in; -1 before it."""
    since_s = held_from_s(duration_s)
    count = min(max(int((duration_s - since_s) / BLOCK_S), 1), MOST_BLOCKS)
    if t_s < since_s:
        return -1
    return min(int((t_s - since_s) / (duration_s - since_s) * count), count - 1)


def chosen(watched: Watched, truth: Certain) -> tuple[list[float], list[float]]:
    """The times of the images to train on and of those held back, ascending."""
    usable = [i.t_s for i in watched.images if not i.repeated and truth.at(i.t_s) is not None]
    since_s = held_from_s(watched.duration_s)
    early = [t for t in usable if t < since_s - BETWEEN_S]
    late = [t for t in usable if t >= since_s]
    return _spread(early, truth), _spread(late, truth)


def _spread(times: Sequence[float], truth: Certain) -> list[float]:
    rolling = [t for t in times if (found := truth.at(t)) is not None and found.rolling]
    return sorted({*_evenly(times, MOST_IMAGES // 2), *_evenly(rolling, MOST_IMAGES // 2)})


def _evenly(times: Sequence[float], count: int) -> list[float]:
    if len(times) <= count:
        return list(times)
    return [times[int(k)] for k in np.linspace(0, len(times) - 1, count)]


def _shown(
    watched: Watched, truth: Certain, times: set[float], detector: Detector
) -> tuple[dict[float, Shown], float]:
    """The images of the plane at these times, and for how long the camera exposes (s)."""
    camera = watched.calibration.camera
    plane, smears = BallPlane(camera, watched.calibration.table), list[float]()
    found = dict[float, Shown]()
    stamps = [i.t_s for i in watched.images]
    interval_s = float(np.median(np.diff(stamps))) if len(stamps) > 1 else 0.04
    video = watched.recording.video
    for item in watch_video(video, found=temporal_filter(video)):
        if not isinstance(item, VideoImage) or item.t_s not in times:
            continue
        picture, _ = fitted(item.picture, camera)
        if picture is None:
            continue
        found[item.t_s] = _seen_by(detector, item.t_s, plane.rgb(picture))
        at = truth.at(item.t_s)
        smears += _smears(watched.calibration, picture, at.rolling if at is not None else (), interval_s)
    exposure_s = float(np.median(smears)) if len(smears) >= LEAST_SMEARS else USUAL_EXPOSURE * interval_s
    return found, exposure_s


def _smears(
    calibration: Calibration, picture: Picture, balls: Sequence[OnItsWay], interval_s: float
) -> list[float]:
    """The exposure times that the streaks of rolling balls tell, s."""
    table, found = calibration.table, list[float]()
    for ball in balls:
        later = (ball.x_mm + ball.vx_mm_s * _STEP_S, ball.y_mm + ball.vy_mm_s * _STEP_S)
        z = table.piece_plane_mm
        px = calibration.camera.pixels_from_table(np.array([(ball.x_mm, ball.y_mm, z), (*later, z)]))
        (x, y), (vx, vy) = px[0].tolist(), ((px[1] - px[0]) / _STEP_S).tolist()
        size_mm = float(calibration.pixel_sizes_mm(np.array([(ball.x_mm, ball.y_mm)]))[0])
        rolling = RollingBall(x, y, vx, vy, table.ball_diameter_mm / size_mm, interval_s)
        took_s = smear_s(picture, rolling)
        found += [] if took_s is None else [took_s]
    return found


def _labelled(
    watched: Watched, truth: Certain, shown: Sequence[Shown], exposure_s: float, looks: Sequence[str]
) -> RoomImages | None:
    if not shown:
        return None
    plane = BallPlane(watched.calibration.camera, watched.calibration.table)
    pieces = PIECES[watched.recording.game]
    labeller = Labeller(truth, plane, pieces, looks, shown, exposure_s)
    labelled = [(s, found) for s in shown if (found := labeller.label(s)) is not None]
    if not labelled:
        return None
    return RoomImages(
        np.stack([s.rgb for s, _ in labelled]),
        np.stack([found.known for _, found in labelled]),
        np.stack([s.cover for s, _ in labelled]),
        np.stack([found.balls for _, found in labelled]),
        np.array([block_of(s.t_s, watched.duration_s) for s, _ in labelled], np.int32),
    )


def _seen_by(detector: Detector, t_s: float, rgb: NDArray[np.float32]) -> Shown:
    """An image of the plane (3, H, W) 0..1 with what the network in use says of it."""
    maps = detector.maps(rgb)
    hidden = cv2.convertScaleAbs(1.0 / (1.0 + np.exp(-maps[-1].clip(-30, 30))), alpha=255.0)
    bytes_ = np.round(rgb * 255).clip(0, 255).astype(np.uint8).transpose(1, 2, 0)
    seen = tuple((d.u_px, d.v_px) for d in decode(maps))
    return Shown(t_s, np.ascontiguousarray(bytes_), np.asarray(hidden, np.uint8), seen)
