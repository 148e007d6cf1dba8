"""The lights of a camera's setting up: each figure follows the fault it measures, and names what is
unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from random_layout import random_layout_scene

from calibration.camera import Camera
from calibration.result import Calibration, SigmaModel
from vision.advice.aim import aim, view_of
from vision.advice.clock import Glance, Glances, image_rate, measure_flicker, measure_timing, rate_needed_hz
from vision.advice.exposure import cloth_glare_balls, highlight_shares, measure_levels
from vision.advice.exposure_time import RollingBall, exposure_time, smear_s
from vision.advice.focus import measure_focus
from vision.advice.summary import TOPICS, Advice, Advisor, advise
from vision.io.images import VideoImage
from vision.io.picture import Picture
from vision.observation import BALL_CLASSES, Observation
from vision.render.cameras import camera_rays
from vision.render.scene import Ball, Scene
from vision.render.scene_picture import render
from vision.render.sensor import Sensor, develop

F32 = npt.NDArray[np.float32]
ORDER = {"green": 0, "amber": 1, "red": 2}
SIZE = (960, 540)


@dataclass(frozen=True)
class Shot:
    scene: Scene
    camera: Camera
    linear: F32

    @property
    def calibration(self) -> Calibration:
        return Calibration(self.camera, self.scene.table, 0.1, 0.1, SigmaModel((0.01, 0, 0, 0, 0, 0), 0.1))

    @property
    def balls(self) -> tuple[Observation, ...]:
        r = self.scene.table.ball_radius_mm
        px = self.camera.pixels_from_table([(b.x_mm, b.y_mm, r) for b in self.scene.balls])
        sure = [tuple(0.0 if c == b.colour else -12.0 for c in BALL_CLASSES) for b in self.scene.balls]
        return tuple(
            Observation(b.x_mm, b.y_mm, 0.3, float(x), float(y), logp, 0.99)
            for b, (x, y), logp in zip(self.scene.balls, px, sure, strict=True)
        )

    def picture(self, sensor: Sensor | None = None, linear: F32 | None = None) -> Picture:
        rgb = develop(self.linear if linear is None else linear, sensor or CLEAN, np.random.default_rng(1))
        return Picture.from_bgr(np.ascontiguousarray(rgb[..., ::-1]))


CLEAN = Sensor(noise=0.004, read_noise=0.002, quality=0, chroma=1, blur_px=0.6, halo=0.2)


@pytest.fixture(scope="module")
def shot() -> Shot:
    scene, camera, _ = random_layout_scene(300, *SIZE, people=0.0, tilt_deg=6.0)
    return Shot(scene, camera, render(scene, camera_rays(camera, scene.table.ball_radius_mm), 0.0).linear)


def by_topic(found: tuple[Advice, ...], topic: str) -> Advice:
    return next(a for a in found if a.topic == topic)


def worse_and_worse(lights: list[str]) -> bool:
    steps = [ORDER[light] for light in lights]
    return steps == sorted(steps)


def test_a_good_picture_is_green_and_names_what_is_unknown(shot: Shot) -> None:
    found = advise([shot.picture()], shot.calibration, balls=shot.balls)
    assert tuple(a.topic for a in found) == TOPICS
    assert [by_topic(found, t).light for t in ("focus", "exposure", "glare")] == ["green"] * 3
    assert "not known until a ball rolls" in by_topic(found, "exposure").sentence
    for unknown in ("flicker", "image rate"):  # one picture tells nothing of time
        assert by_topic(found, unknown).light == "amber" and by_topic(found, unknown).value is None


def test_edge_spread_follows_the_lens_blur(shot: Shot) -> None:
    view = view_of(shot.picture(), shot.calibration)
    assert view is not None
    blurs = (0.5, 0.9, 1.4, 2.0)
    spreads = []
    for blur in blurs:
        found = measure_focus(shot.picture(replace(CLEAN, blur_px=blur)), view)
        assert found is not None
        spreads.append(found.spread_px)
    assert all(b > a + 0.2 for a, b in pairwise(spreads))
    assert spreads == pytest.approx(blurs, rel=0.3)  # one sigma of the blur itself
    lights = [
        by_topic(advise([shot.picture(replace(CLEAN, blur_px=b))], shot.calibration), "focus").light
        for b in (0.4, 0.8, 1.7, 4.0, 8.0)
    ]
    assert worse_and_worse(lights) and lights[0] == "green" and lights[-1] == "red"


def test_darkness_and_clipping_are_distinguished(shot: Shot) -> None:
    view = view_of(shot.picture(), shot.calibration)
    assert view is not None
    gains = (0.02, 0.08, 0.3, 1.0, 4.0, 9.0)
    pictures = [shot.picture(replace(CLEAN, gain=g)) for g in gains]
    levels = [measure_levels(p, view, shot.balls) for p in pictures]
    assert all(b.cloth > a.cloth for a, b in pairwise(levels))
    assert all(b.clipped_share >= a.clipped_share for a, b in pairwise(levels))
    dark = [v.dark_contrast or 0.0 for v in levels[:4]]
    assert dark == sorted(dark) and dark[-1] > 2 * dark[0]
    found = [by_topic(advise([p], shot.calibration, balls=shot.balls), "exposure") for p in pictures]
    assert worse_and_worse([a.light for a in found[3::-1]]) and found[0].light == "red"
    assert worse_and_worse([a.light for a in found[3:]]) and found[-1].light == "red"
    assert "dark" in found[0].sentence.lower() and "burnt out" in found[-1].sentence


def test_a_lamp_in_the_cloth_is_glare_and_a_passing_shirt_is_not(shot: Shot) -> None:
    picture = shot.picture()
    view = view_of(picture, shot.calibration)
    assert view is not None
    x, y = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    areas, lights, last = [], [], picture
    for radius in (0, 12, 25, 60):
        patch = 30.0 * np.exp(-((((x - 480) ** 2 + (y - 300) ** 2) / max(radius, 0.1) ** 2) ** 2))
        last = shot.picture(linear=(shot.linear + patch[..., None]).astype(np.float32))
        areas.append(cloth_glare_balls([last], view))
        lights.append(by_topic(advise([last], shot.calibration), "glare").light)
    assert areas == sorted(areas) and worse_and_worse(lights) and (lights[0], lights[-1]) == ("green", "red")
    # what is white in one of two pictures only has walked there
    assert by_topic(advise([picture, last], shot.calibration), "glare").light == "green"


def test_larger_reflections_cover_more_of_a_ball(shot: Shot) -> None:
    clear = shot.picture()
    view = view_of(clear, shot.calibration)
    assert view is not None
    coloured = [b for b in shot.balls if b.colour != "white"]
    radii, shares, lights = (0.0, 0.25, 0.5, 0.8), [], []
    for share in radii:
        luma = clear.y.copy()
        for b in coloured:
            cv2.circle(
                luma,
                (round(b.x_px * 16), round(b.y_px * 16)),
                round(share * view.ball_px * 8),
                255,
                -1,
                cv2.LINE_AA,
                4,
            )
        picture = Picture(luma, clear.u, clear.v, clear.standard, clear.full_range)
        shares.append(float(np.median(highlight_shares(picture, view, coloured))))
        lights.append(by_topic(advise([picture], shot.calibration, balls=shot.balls), "glare").light)
    assert shares == pytest.approx([(r / 0.9) ** 2 for r in radii], abs=0.15) and shares == sorted(shares)
    assert worse_and_worse(lights) and (lights[0], lights[-1]) == ("green", "red")


def test_aim_says_which_way_to_turn(shot: Shot) -> None:
    picture, calibration = shot.picture(), shot.calibration
    found = aim(view_of(picture, calibration), calibration)
    assert found.light != "red"
    margins = []
    for dx in (0.0, 20.0, 60.0, 150.0):
        moved = replace(calibration, camera=replace(shot.camera, cx_px=shot.camera.cx_px + dx))
        advice = aim(view_of(picture, moved), moved)
        margins.append(advice.value)
        if dx == 150.0:  # the table lies too far to the right: the camera has to look there
            assert advice.light == "red" and "right" in advice.sentence and "degrees" in advice.sentence
    assert margins == sorted(margins, reverse=True)


def test_aim_without_a_calibration_sees_the_cloth_run_out() -> None:
    bed = np.full((540, 960, 3), (40, 60, 90), np.uint8)
    cv2.rectangle(bed, (130, 100), (830, 440), (60, 120, 40), -1)
    noise = np.random.default_rng(3).normal(0, 2, bed.shape)
    whole = Picture.from_bgr(np.clip(bed + noise, 0, 255).astype(np.uint8))
    found = by_topic(advise([whole]), "aim")
    assert found.light != "red" and "out of view" not in found.sentence
    cut = Picture.from_bgr(np.ascontiguousarray(np.clip(bed + noise, 0, 255).astype(np.uint8)[:, 200:]))
    found = by_topic(advise([cut]), "aim")
    assert found.light == "red" and "out of view" in found.sentence and "left" in found.sentence


def test_small_balls_are_reported(shot: Shot) -> None:
    small = replace(
        shot.camera,
        width_px=320,
        height_px=180,
        focal_px=shot.camera.focal_px / 3,
        cx_px=shot.camera.cx_px / 3,
        cy_px=shot.camera.cy_px / 3,
    )
    calibration = replace(shot.calibration, camera=small)
    picture = Picture(np.zeros((180, 320), np.uint8), *(np.full((90, 160), 128, np.uint8),) * 2)
    found = aim(view_of(picture, calibration), calibration)
    assert found.light == "red" and "mm/px" in found.unit and "larger picture size" in found.sentence


# ---- time
# ---------------------------------------------------------------------------------------------------------


def glances_of(
    luma: list[npt.NDArray[np.float64]], times: npt.NDArray[np.float64], copies: bool = False
) -> tuple[Glance, ...]:
    """With noise of their own; `copies`: an image that equals the one before has its noise too."""
    maker = Glances()
    grey = np.full((90, 160), 128, np.uint8)
    rng = np.random.default_rng(5)
    out = []
    noise = last = np.zeros(0)
    for y, t in zip(luma, times, strict=True):
        if not copies or last.shape != y.shape or (y != last).any():
            noise, last = rng.normal(0, 1.5, y.shape), y
        out.append(
            maker.feed(Picture(np.clip(y + noise + 0.5, 0, 255).astype(np.uint8), grey, grey), float(t))
        )
    return tuple(out)


def still() -> npt.NDArray[np.float64]:
    rng = np.random.default_rng(2)
    base = np.asarray(cv2.resize(rng.uniform(60, 140, (6, 10)), (320, 180), interpolation=cv2.INTER_CUBIC))
    return base


@pytest.mark.parametrize("swing", [0.0, 3.0, 8.0, 20.0])
def test_flicker_of_the_whole_picture_has_its_size_and_beat(swing: float) -> None:
    times = np.arange(75) / 25.0
    # lamps on 50 Hz mains (100 Hz) seen at 25.3 images a second beat at 1.2 Hz
    times = np.arange(75) / 25.3
    luma = [still() + swing / 2 * np.sin(2 * np.pi * 100.0 * t) for t in times]
    found = measure_flicker(glances_of(luma, times))
    assert found is not None
    assert found.whole_grey == pytest.approx(swing, abs=0.1 + 0.12 * swing)
    assert found.bands_grey < 0.3 + 0.05 * swing
    if swing:
        assert found.beat_hz == pytest.approx(1.2, abs=0.1)


@pytest.mark.parametrize("swing", [0.0, 3.0, 10.0])
def test_bands_of_a_rolling_shutter_are_measured(swing: float) -> None:
    times = np.arange(60) / 30.0
    rows = (
        np.arange(180)[:, None] / 180 * 0.025
    )  # rows are read one after the other within 25 ms: 2.5 periods
    luma = [still() + swing / 2 * np.sin(2 * np.pi * 100.0 * (t + rows)) * np.ones((1, 320)) for t in times]
    found = measure_flicker(glances_of(luma, times))
    assert found is not None
    assert found.bands_grey == pytest.approx(swing, abs=0.3 + 0.3 * swing)
    if swing:
        assert found.bands == pytest.approx(2.5, abs=0.5)
        advice = by_topic(
            advise([Picture.from_bgr(np.zeros((180, 320, 3), np.uint8))], glances=glances_of(luma, times)),
            "flicker",
        )
        assert advice.light == ("amber" if swing < 5 else "red") and "Bands" in advice.sentence


def test_a_player_who_leans_over_is_no_flicker() -> None:
    times = np.arange(75) / 25.0
    luma = []
    for k in range(75):
        y = still()
        y[:, max(0, 2 * k - 60) : 2 * k] -= 55  # a dark sleeve across the table
        luma.append(y)
    found = measure_flicker(glances_of(luma, times))
    assert found is not None and max(found.whole_grey, found.bands_grey) < 2.0


def rolling(count: int, every: int = 1, pixels: float = 5.0) -> list[npt.NDArray[np.float64]]:
    """A bright ball crosses; only each `every`-th image is new."""
    out = []
    for k in range(count):
        y = still()
        cv2.circle(y, (20 + int(pixels * (k // every * every)) % 280, 90), 7, 235, -1)
        out.append(y)
    return out


def test_repeated_images_are_counted_while_something_rolls() -> None:
    times = np.arange(60) / 50.0
    fresh = measure_timing(glances_of(rolling(60), times, True))
    twice = measure_timing(glances_of(rolling(60, every=2), times, True))
    assert fresh is not None and twice is not None
    assert fresh.repeated_share == 0.0 and fresh.different_hz == pytest.approx(50.0)
    assert twice.repeated_share == pytest.approx(0.5, abs=0.05) and twice.different_hz == pytest.approx(
        25.0, abs=1.5
    )
    at_rest = measure_timing(glances_of([still()] * 60, times, True))
    assert at_rest is not None and at_rest.repeated_share == 0.0  # a still table repeats itself rightly


def test_lost_images_and_jitter_come_from_the_clock() -> None:
    rng = np.random.default_rng(8)
    times = np.arange(100) / 50.0
    holes = np.delete(times, [20, 21, 22, 50, 70])
    timing = measure_timing(glances_of([still()] * len(holes), holes))
    assert (
        timing is not None
        and timing.lost_share == pytest.approx(0.05, abs=0.005)
        and timing.rate_hz == pytest.approx(50.0)
    )
    shares = []
    for jitter_s in (0.0, 0.001, 0.003):
        uneven = times + rng.uniform(-jitter_s, jitter_s, 100)
        found = measure_timing(glances_of([still()] * 100, uneven))
        assert found is not None
        shares.append(found.jitter_share)
    assert shares[0] < 1e-6 and shares[0] < shares[1] < shares[2]


@pytest.mark.parametrize(("rate", "light"), [(50.0, "green"), (25.0, "amber"), (12.5, "red")])
def test_the_image_rate_is_judged_by_what_a_first_contact_needs(rate: float, light: str) -> None:
    found = image_rate(glances_of(rolling(40, pixels=4.0), np.arange(40) / rate))
    assert found.light == light and found.value == pytest.approx(rate, rel=0.01)
    # two images on the run-up: at the speed named in the sentence the rate is just enough
    speed = float(found.sentence.split(" m/s")[0].split()[-1])
    assert rate_needed_hz(1000 * speed) == pytest.approx(rate, rel=0.03)


@pytest.mark.parametrize("exposure_s", [0.003, 0.008, 0.016])
def test_exposure_time_comes_back_from_a_rolling_balls_smear(shot: Shot, exposure_s: float) -> None:
    speed, rate = 3000.0, 25.0
    places = (
        (-500.0, 600.0, 20.0),
        (300.0, 1200.0, 80.0),
        (-300.0, 2000.0, 200.0),
        (400.0, 2700.0, 310.0),
        (0.0, 3100.0, 150.0),
    )
    balls = tuple(
        Ball("white", x, y, (speed * np.cos(np.radians(a)), speed * np.sin(np.radians(a))))
        for x, y, a in places
    )
    scene = replace(shot.scene, balls=balls)
    own = Shot(
        scene,
        shot.camera,
        render(scene, camera_rays(shot.camera, scene.table.ball_radius_mm), exposure_s).linear,
    )
    picture = own.picture()
    r = scene.table.ball_radius_mm
    found = []
    for ball in balls:
        ahead = (ball.x_mm + 0.01 * ball.velocity[0], ball.y_mm + 0.01 * ball.velocity[1], r)
        a, b = own.camera.pixels_from_table([(ball.x_mm, ball.y_mm, r), ahead])
        vx, vy = (b - a) / 0.01
        size = 2 * r / own.calibration.mm_per_px(ball.x_mm, ball.y_mm)
        one = smear_s(
            picture, RollingBall(float(a[0]) + 0.5, float(a[1]), float(vx), float(vy), size, 1 / rate)
        )
        found += [one] if one is not None else []
    measured = exposure_time(found)
    assert measured is not None and measured.seconds == pytest.approx(exposure_s, rel=0.2, abs=0.002)


def test_a_slow_ball_and_an_empty_place_give_no_exposure_time(shot: Shot) -> None:
    picture = shot.picture()
    assert smear_s(picture, RollingBall(480, 270, 50.0, 0.0, 12.0, 0.04)) is None  # 2 px an image
    assert smear_s(picture, RollingBall(2.0, 2.0, 900.0, 0.0, 12.0, 0.04)) is None  # at the border
    assert exposure_time([0.01, 0.01]) is None


# ---- live
# ---------------------------------------------------------------------------------------------------------


def test_the_advisor_forgets_an_older_camera(shot: Shot) -> None:
    advisor = Advisor(shot.calibration)
    assert {a.light for a in advisor.advise()} == {"amber"}  # nothing has come yet
    picture = shot.picture()
    for k in range(20):
        advisor.feed(VideoImage(k, k / 25, picture))
    assert by_topic(advisor.advise(shot.balls), "focus").light == "green"
    # back from a reconnect: other clock, other size; the calibration does not speak of that size
    other = Picture(np.full((180, 320), 90, np.uint8), *(np.full((90, 160), 128, np.uint8),) * 2)
    for k in range(3):
        advisor.feed(VideoImage(k, k / 25, other))
    found = advisor.advise()
    assert by_topic(found, "image rate").value is None
    assert by_topic(found, "aim").light == "red"
