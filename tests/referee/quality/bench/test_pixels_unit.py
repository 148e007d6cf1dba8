"""One camera of the bench from end to end: what comes back is complete, and comes back the same."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.quality.bench.pixels.film import film_clip
from referee.quality.bench.pixels.play import draw_script
from referee.quality.bench.pixels.scenes import draw_setting
from referee.quality.bench.pixels.tier import CameraPlan, measure_camera
from referee.quality.bench.records import BallAtRest, CalibrationJudged, LayoutJudged, Repeat, Timing
from vision.io.images import read_video
from vision.render.play.director import Script
from vision.render.studio import Studio


def test_a_camera_measured_by_one_picture_gives_a_record_for_every_ball_and_the_calibration(
    tmp_path: Path,
) -> None:
    records = measure_camera(CameraPlan(8, 3, 0, 1, 960, 540, 25.0), tmp_path)
    (calibration,) = (r for r in records if isinstance(r, CalibrationJudged))
    assert not calibration.refused and calibration.worst_mm is not None and calibration.worst_mm < 15.0
    layouts = {r.method: r for r in records if isinstance(r, LayoutJudged)}
    assert set(layouts) == {"cueref", "hough"}
    balls = [r for r in records if isinstance(r, BallAtRest)]
    assert len(balls) == sum(r.balls for r in layouts.values())
    found = [r for r in balls if r.method == "cueref" and r.said_colour == r.colour]
    assert len(found) >= 0.8 * layouts["cueref"].balls, (
        "a picture in which most balls are not found is no picture of a table"
    )
    assert any(isinstance(r, Repeat) for r in records) and any(
        isinstance(r, Timing) and r.baseline_s for r in records
    )


@pytest.mark.parametrize("number", [8])
def test_a_filmed_clip_has_its_images_and_the_truth_of_each_moving_ball(tmp_path: Path, number: int) -> None:
    setting = draw_setting((3, number), 480, 270, 12.0)
    studio = Studio(
        setting.scene, setting.camera, setting.sensor, setting.shutter, setting.grain, setting.falloff, 1
    )
    script = draw_script(np.random.default_rng([3, number]), setting.scene.table, 1, 1)
    short = Script(script.table, script.names, script.opening, script.events[:1], 3.2, script.seed)
    video = tmp_path / ("clip.mkv" if setting.packing.codec == "mjpeg" else "clip.mp4")
    truth = film_clip(video, studio, setting, short, 12.0, 1)
    images = list(read_video(video))
    assert len(images) == truth.images == 38
    times = {round(m.t_s, 4) for m in truth.motions}
    assert times <= {round(i.t_s, 4) for i in images} and any(m.ball == "white" for m in truth.motions)
    assert set(truth.best_view[0]) == set(script.opening) and max(truth.best_view[0].values()) == 1.0
    shown = studio.shown(studio.filmed(short, 0.0)).astype(float)
    # what is decoded is what was drawn, noise and compression apart
    first = images[0].picture.bgr()[..., ::-1].astype(float)
    soft = [cv2.GaussianBlur(p, (0, 0), 3.0) for p in (shown, first)]
    assert np.abs(soft[0] - soft[1]).mean() < 6.0
