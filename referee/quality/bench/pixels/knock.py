"""A camera knocked while nothing happens on the table: when the review knows, and where it says the balls are
then.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from calibration.camera import Camera, FloatArray, rotation_matrix, rotation_vector
from calibration.result import Calibration
from calibration.table.specs import TableSpec
from referee.journal import JOURNAL_FILE, Journal
from referee.quality.bench.pixels.film import Encoder
from referee.quality.bench.pixels.judge import SaidBall, TrueBall, pairs
from referee.quality.bench.pixels.judge_tracks import Rows, read_rows, row_at
from referee.quality.bench.pixels.play import draw_still
from referee.quality.bench.pixels.scenes import Setting
from referee.quality.bench.records import Knock, Where
from referee.review.pipeline import ReviewOptions, review
from vision.render.studio import Studio

BEFORE_S, AFTER_S = 4.0, 12.0
_GONE = ("potted", "off", "hidden")


def turned(camera: Camera, table: TableSpec, shift_mm: float, angle: float) -> Camera:
    """The camera turned about an axis across its view, so far that the picture moves by `shift_mm` on the
    cloth.
    """
    small = 1e-4
    own = _turn(camera, angle, small)
    per_rad = _shift_mm(camera, own, table) / small
    return _turn(camera, angle, shift_mm / per_rad)


def _turn(camera: Camera, angle: float, by_rad: float) -> Camera:
    kick: FloatArray = rotation_matrix((math.cos(angle) * by_rad, math.sin(angle) * by_rad, 0.0))
    x, y, z = (float(v) for v in kick @ np.asarray(camera.translation_mm))
    return replace(
        camera, rotation=rotation_vector(kick @ rotation_matrix(camera.rotation)), translation_mm=(x, y, z)
    )


def _shift_mm(before: Camera, after: Camera, table: TableSpec) -> float:
    """Root mean square over the table of how far the picture of a place has moved, in mm on the cloth."""
    places = np.array(
        [
            (x, y)
            for x in np.linspace(-1, 1, 5) * table.half_width_mm
            for y in np.linspace(0, table.length_mm, 7)
        ]
    )
    return float(np.sqrt(np.mean(np.sum(after.shift_mm(before, places, 0.0) ** 2, axis=1))))


def film_knock(
    path: Path,
    setting: Setting,
    studio: Studio,
    seed: tuple[int, ...],
    image_hz: float,
    game: str = "snooker",
) -> tuple[float, float, list[TrueBall]]:
    """A clip of one layout with a knock in it; returns when, how far, and the balls."""
    rng = np.random.default_rng(seed)
    still = draw_still(rng, setting.scene.table, 0, game)
    shift = float(rng.uniform(1.0, 5.0))
    other = turned(setting.camera, setting.scene.table, shift, float(rng.uniform(0, 2 * math.pi)))
    knocked = replace(setting, camera=other).studio(seed[1])
    at_s = BEFORE_S + float(rng.uniform(0, 1))
    with Encoder(path, setting.packing, other.width_px, other.height_px, image_hz) as encoder:
        for k in range(int((at_s + AFTER_S) * image_hz)):
            t = k / image_hz
            encoder.add((studio if t < at_s else knocked).picture(still.balls, (), t))
    return at_s, shift, [TrueBall(b.colour, b.x_mm, b.y_mm, 1.0) for b in still.balls]


def judge_knock(where: Where, at_s: float, shift_mm: float, true: list[TrueBall], out: Path) -> Knock:
    """What a review's journal and tracks say of a knock."""
    with Journal(out / JOURNAL_FILE) as journal:
        gaps = [e.payload for e in journal.entries("gap")]
    told = {
        reason: [g["end_s"] for g in gaps if g["reason"] == reason]
        for reason in ("camera_moved", "camera_healed")
    }
    after = {reason: min((t for t in times if t >= at_s), default=None) for reason, times in told.items()}
    healed = None if after["camera_healed"] is None else after["camera_healed"] - at_s
    known = [t for t in after.values() if t is not None]
    early = any(t < at_s for times in told.values() for t in times)
    rows = read_rows(out)
    return Knock(
        where,
        at_s,
        shift_mm,
        min(known) - at_s if known else None,
        healed,
        _error(rows, true, at_s - 0.2),
        _error(rows, true, at_s + AFTER_S),
        early,
    )


def _error(rows: Rows, true: list[TrueBall], t_s: float) -> float | None:
    here = {n: r for n, ball in rows.items() if (r := row_at(ball, t_s)) is not None and r.state not in _GONE}
    said = [SaidBall(n.split("_")[0], r.x_mm, r.y_mm, r.sigma_mm) for n, r in here.items()]
    off = [
        math.dist((true[i].x_mm, true[i].y_mm), (said[j].x_mm, said[j].y_mm)) for i, j in pairs(true, said)
    ]
    return float(np.median(off)) if off else None


def measure_knock(
    where: Where,
    setting: Setting,
    studio: Studio,
    calibration: Calibration,
    work: Path,
    seed: tuple[int, ...],
    image_hz: float,
    game: str = "snooker",
) -> Knock:
    """Film a knock, review the clip with the camera's calibration, judge. Raises UnusableInput as the review
    does.
    """
    video = work / ("knock.mkv" if setting.packing.codec == "mjpeg" else "knock.mp4")
    at_s, shift, true = film_knock(video, setting, studio, seed, image_hz, game)
    calibration.save(work / "camera.json")
    review(video, work / "knock", ReviewOptions(setting.told, game, work / "camera.json"))
    return judge_knock(where, at_s, shift, true, work / "knock")
