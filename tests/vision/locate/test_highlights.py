"""Highlights: a ball is a mirror, so lamps seen in some balls say where they are seen in another; and nothing
without them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.camera import Camera
from calibration.table.specs import SNOOKER_TABLE
from referee.journal import snapshot
from vision.io.picture import Picture
from vision.locate.centres import CentreNet
from vision.locate.highlights import (
    GRID,
    PITCH,
    LampFix,
    Lamps,
    Shine,
    learn_lamps,
    refine_by_highlights,
    shifts,
    with_known_balls,
)
from vision.locate.slant import slants
from vision.render.cameras import look_at, make_camera
from vision.render.grain import Grain
from vision.render.looks import linear
from vision.render.scene import Ball, BallLook, Lamp, Scene, TableLook
from vision.render.sensor import Sensor
from vision.render.studio import Shutter, Studio

R, EYE = 26.25, np.array([100.0, 1784.5, 2750.0])
CAMERA = make_camera(
    1920,
    1080,
    1340.0,
    (-0.05, 0.0),
    (60.0, 1760.0, 2750.0),
    look_at((60.0, 1760.0, 2750.0), (0.0, 1784.5, 0.0), 0.0),
)
PLACES = np.array([(x, y) for y in (500.0, 1200.0, 1900.0, 2600.0, 3200.0) for x in (-600.0, 0.0, 550.0)])
BULBS = np.array(
    [(-400.0, 900.0, 1700.0), (400.0, 1000.0, 1750.0), (0.0, 2100.0, 1650.0), (300.0, 2900.0, 1700.0)]
)


def mirrored(
    place: np.ndarray, shift: tuple[float, float], noise: np.random.Generator, bulbs: np.ndarray = BULBS
) -> np.ndarray:
    """What a window about a ball shows that lies `shift` radii away from its middle: each bulb at the
    point of the sphere whose normal halves the angle between bulb and camera (law of reflection), on a
    shaded body, with noise.
    """
    axis = (np.arange(GRID) - (GRID - 1) / 2) * PITCH
    v, u = np.meshgrid(axis, axis, indexing="ij")
    centre = np.array([*place, R])
    view = (EYE - centre) / np.linalg.norm(EYE - centre)
    e1 = np.cross([0.0, 1.0, 0.0], view)
    e1 /= np.linalg.norm(e1)
    e2 = np.cross(view, e1)
    out = 0.1 + 0.05 * u - 0.04 * v**2
    for bulb in bulbs:
        to = (bulb - centre) / np.linalg.norm(bulb - centre)
        half = (to + view) / np.linalg.norm(to + view)
        at = half @ e1 + shift[0], half @ e2 + shift[1]
        out = out + 0.5 * np.exp(-0.5 * ((u - at[0]) ** 2 + (v - at[1]) ** 2) / 0.09**2)
    return np.asarray(out + noise.normal(0, 0.01, out.shape))


def learned(rng: np.random.Generator, bulbs: np.ndarray = BULBS) -> Lamps:
    return with_known_balls(
        Lamps(), np.array([mirrored(p, (0.0, 0.0), rng, bulbs) for p in PLACES]), PLACES, EYE, R
    )


def test_highlights_measure_a_balls_shift_from_its_assumed_place() -> None:
    rng = np.random.default_rng(1)
    lamps = learned(rng)
    assert 1400 < lamps.height_mm < 2050  # the bulbs hang at 1650 to 1750
    asked = np.array([(-300.0, 900.0), (300.0, 1500.0), (100.0, 2300.0), (-250.0, 2900.0)])
    true = np.array([(0.08, -0.05), (-0.1, 0.02), (0.0, 0.12), (0.06, 0.06)])
    found, sigma = shifts(
        lamps,
        np.array([mirrored(p, (s[0], s[1]), rng) for p, s in zip(asked, true, strict=True)]),
        asked,
        EYE,
        R,
    )
    assert (np.hypot(*(found - true).T) < 3.5 * sigma).all()
    assert (sigma * R < 0.8).all() and np.hypot(
        *(found - true).T
    ).max() * R < 0.8  # of shifts of 2.5 to 3.2 mm


def test_without_lamps_or_with_too_few_balls_nothing_is_claimed() -> None:
    rng = np.random.default_rng(2)
    dark = learned(rng, BULBS[:0])
    at = np.array([(0.0, 1500.0)])
    for lamps in (Lamps(), dark):
        _, sigma = shifts(lamps, np.array([mirrored(at[0], (0.05, 0.0), rng, BULBS[:0])]), at, EYE, R)
        assert not np.isfinite(sigma).any()
    few = with_known_balls(
        Lamps(), np.array([mirrored(p, (0.0, 0.0), rng) for p in PLACES[:4]]), PLACES[:4], EYE, R
    )
    _, sigma = shifts(few, np.array([mirrored(at[0], (0.05, 0.0), rng)]), at, EYE, R)
    assert not np.isfinite(sigma).any()


def test_disagreeing_balls_enlarge_sigma() -> None:
    """Known places that are wrong by a tenth of a radius make the answer that much less sure."""
    rng = np.random.default_rng(3)
    wrong = rng.normal(0, 0.1, PLACES.shape)
    pictures = np.array([mirrored(p, (s[0], s[1]), rng) for p, s in zip(PLACES, wrong, strict=True)])
    at = np.array([(-300.0, 900.0)])
    ask = np.array([mirrored(at[0], (0.0, 0.0), rng)])
    _, doubtful = shifts(with_known_balls(Lamps(), pictures, PLACES, EYE, R), ask, at, EYE, R)
    _, sure = shifts(learned(rng), ask, at, EYE, R)
    assert doubtful[0] > 1.5 * sure[0] and doubtful[0] > 0.05


def test_a_stored_state_continues_identically() -> None:
    rng = np.random.default_rng(4)
    pictures = np.array([mirrored(p, (0.0, 0.0), rng) for p in PLACES])
    half = with_known_balls(Lamps(), pictures[:8], PLACES[:8], EYE, R)
    stored = snapshot.load(snapshot.dump(half))
    on, over = (with_known_balls(s, pictures[8:], PLACES[8:], EYE, R) for s in (half, stored))
    assert (on.height_mm, on.excess, on.count, on.fitted) == (
        over.height_mm,
        over.excess,
        over.count,
        over.fitted,
    )
    assert [(a.x_mm, a.y_mm, a.looks, a.shine.tobytes()) for a in on.known] == [
        (b.x_mm, b.y_mm, b.looks, b.shine.tobytes()) for b in over.known
    ]


def test_a_resting_ball_is_measured_only_a_few_times() -> None:
    rng, lamps, at = np.random.default_rng(5), Lamps(), PLACES[:1]
    for look in range(4):
        assert lamps.lacks(*at[0])
        lamps = with_known_balls(lamps, np.array([mirrored(at[0], (0.0, 0.0), rng)]), at + 0.1 * look, EYE, R)
    assert not lamps.lacks(*at[0]) and len(lamps.known) == 1 and lamps.count == 1


@pytest.fixture(scope="module")
def green_on_green() -> tuple[Picture, Camera, np.ndarray, np.ndarray]:
    """A rendered table: reds, and greens of nearly the cloth's colour, under three LED panels of four lights
    each.
    """
    cloth = (142.0, 0.75, 0.44)
    looks = {"red": BallLook(linear(0, 0.9, 0.6)), "green": BallLook(linear(146, 0.8, 0.42))}
    lights = tuple(
        Lamp((x, 1784.5 + dy, 1650.0), 60.0, 60.0, (1.0, 1.0, 1.0), 0.16)
        for x in (-330.0, 330.0)
        for dy in (-1300.0, -450.0, 450.0, 1300.0)
    )
    look = replace(TableLook(specks=10, seed=3), cloth=linear(*cloth))
    places = [(float(x), float(y), "red") for x, y in PLACES] + [
        (-292.0, 737.0, "green"),
        (250.0, 1550.0, "green"),
        (-350.0, 2250.0, "green"),
        (200.0, 2900.0, "green"),
    ]
    scene = Scene(SNOOKER_TABLE, look, looks, lights, ball_gloss=0.06)
    camera = CAMERA
    studio = Studio(
        scene, camera, Sensor(gain=0.75, blur_px=0.7), Shutter(0.004), Grain(dark=1.0, bright=2.0), 0.1, 5
    )
    image = studio.picture(tuple(Ball(c, x, y) for x, y, c in places))
    true = np.array([p[:2] for p in places])
    return (
        Picture.from_bgr(np.ascontiguousarray(image[..., ::-1])),
        camera,
        true,
        np.array([p[2] == "green" for p in places]),
    )


def test_highlights_improve_the_places_of_green_balls_on_green_cloth(
    green_on_green: tuple[Picture, Camera, np.ndarray, np.ndarray],
) -> None:
    picture, camera, true, green = green_on_green
    rng, net = np.random.default_rng(6), CentreNet()
    before, after, z = [], [], []
    for _ in range(10):
        xy, sigma, doubt = net.refined(
            picture, camera, R, true + rng.normal(0, 1.2, true.shape), np.full(len(true), 2.1)
        )
        assert (doubt[green] > 1.0).all()
        lamps = learn_lamps(Lamps(), picture, camera, R, xy, ~green & (doubt <= 1.0))
        lamps, placed, told = refine_by_highlights(lamps, picture, camera, R, xy, sigma, green, 0, True)
        assert len(lamps.known) > 10 and (placed[~green] == xy[~green]).all()
        before.append(np.hypot(*(xy - true)[green].T))
        after.append(np.hypot(*(placed - true)[green].T))
        z.append(np.abs(placed - true)[green] / told[green, None])
    assert np.mean(after) < 0.8 * np.mean(before)  # eight other series of ten: 0.58 to 0.76
    assert np.mean(after) < 0.8 and (np.concatenate(z) < 2).mean() > 0.85


def test_from_the_side_a_fix_moves_a_ball_along_the_view_as_far_as_its_shadow_may_have_drawn_it() -> None:
    """Green on green from an end: 9 mm nearer to the camera than it lies, at a stated 1.6 across the view."""
    eye = (0.0, -1500.0, 2300.0)
    camera = make_camera(1920, 1080, 1600.0, (0.0, 0.0), eye, look_at(eye, (0.0, 1500.0, 0.0), 90.0))
    at, sigma, yes = np.array([[0.0, 700.0]]), np.array([1.6]), np.array([True])
    away = slants(camera, at)[0][0]
    picture = Picture.from_bgr(np.full((1080, 1920, 3), 90, np.uint8))
    known = (Shine(0.0, 0.0, 4, np.zeros((GRID, GRID), np.float32)),) * 5

    def moved(shift: np.ndarray) -> float:
        fix = LampFix(0.0, 700.0, tuple((at[0] + shift).tolist()), 1.0, 4, 4, 10, 7)  # type: ignore[arg-type]
        lamps = Lamps(fitted=7, fixes=(fix,), known=known)
        _, placed, told = refine_by_highlights(lamps, picture, camera, R, at, sigma, yes, 20, False)
        assert told[0] < sigma[0] or (placed == at).all()
        return float(np.hypot(*(placed - at)[0]))

    aside = np.array((-away[1], away[0]))
    assert moved(9.0 * away) > 0.8 * 9.0
    # nothing draws a ball so far across the view: that is another lamp's image
    assert moved(9.0 * aside) == 0.0


def test_a_resting_faint_ball_is_measured_a_few_times_and_one_placed_beside_it_anew() -> None:
    """A respot 0.6 mm from where the ball lay is another place: what was told of the first must not draw it
    back.
    """
    told = LampFix(100.0, 700.0, (100.3, 700.8), 0.04, 4, 4, 10, 7)
    lamps = Lamps(fitted=7, fixes=(told,))
    assert lamps.fix_at(100.1, 700.1, 20) is told
    assert lamps.fix_at(100.6, 700.0, 20) is None  # elsewhere
    assert lamps.fix_at(100.0, 700.0, 100) is None  # out of sight since: another ball may lie there
    assert replace(lamps, fitted=9).fix_at(100.0, 700.0, 20) is None  # more is known of the lamps
    eye = (100.0, 700.0, 2500.0)  # right above: along the view and across it are alike
    camera = make_camera(1920, 1080, 1400.0, (0.0, 0.0), eye, look_at(eye, (100.0, 700.0, 0.0), 0.0))
    picture = Picture.from_bgr(np.full((1080, 1920, 3), 90, np.uint8))
    yes = np.array([True])
    known = (Shine(0.0, 0.0, 4, np.zeros((GRID, GRID), np.float32)),) * 5
    at, sigma = np.array([[100.0, 700.0]]), np.array([1.0])
    after, placed, spread = refine_by_highlights(
        replace(lamps, known=known), picture, camera, R, at, sigma, yes, 20, False
    )
    assert placed[0] == pytest.approx([100.0 + 0.3 / 1.04, 700.0 + 0.8 / 1.04]) and spread[
        0
    ] == pytest.approx((0.04 / 1.04) ** 0.5)
    _, beside, _ = refine_by_highlights(
        replace(lamps, known=known), picture, camera, R, at + np.array((0.6, 0.0)), sigma, yes, 20, False
    )
    assert beside[0] - placed[0] == pytest.approx([0.6, 0.0], abs=1e-3)
    assert after.fixes[0].looks == 4 and after.fixes[0].index == 20
    rolling, placed, _ = refine_by_highlights(
        replace(lamps, known=known), picture, camera, R, at + 40.0, sigma, yes, 21, False
    )
    assert (
        placed == pytest.approx(at + 40.0) and rolling.fixes[-1].looks == 0
    )  # seen once in a moving picture: not asked
