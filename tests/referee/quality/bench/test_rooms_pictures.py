"""The second world's cameras and tracer: noise, exposure, graphics, and a tiny picture where the extra is."""

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.table.games import GAMES, PIECES
from referee.quality.bench.records import (
    BallAtRest,
    Detection,
    Fact,
    FalseInFlight,
    FalseRest,
    FlightImage,
    LayoutJudged,
    StreakSeen,
    Visit,
    Where,
    from_line,
    to_line,
)
from referee.quality.bench.report.document import beyond_limits
from referee.quality.bench.report.limits import LIMITS, REAL_LIMITS, held, limits_of
from referee.quality.bench.report.measures import game_measures, track_measures
from referee.quality.bench.report.targets import reach_table, targets_of
from referee.quality.bench.rooms.measures import real_as_world, side_by_side, sigma_by, world_measures
from referee.quality.bench.rooms.studio.recorder import Recording, burnt_in
from referee.quality.bench.rooms.studio.sensor import Sensor, draw_processing
from referee.quality.bench.tracks.errors import SHIPPED, ErrorModel
from referee.quality.bench.tracks.judge import TrackStroke

WHERE = Where(1, 2, "layout", 0, "", "green", 9, 9, 0.0, 0.01, 2.0, 2000.0, 0.0, 60.0, "", "size")


def test_a_camera_keeps_colours_and_repeats_with_its_seed():
    light = np.full((64, 64, 3), (0.02, 0.2, 0.02), np.float32)
    light[24:40, 24:40] = (0.4, 0.02, 0.02)
    processing = draw_processing(np.random.default_rng(1), False)
    image = Sensor(processing, 3).image(light, 0.0)
    assert np.array_equal(image, Sensor(processing, 3).image(light, 0.0))
    assert not np.array_equal(image, Sensor(processing, 4).image(light, 0.0))
    red, green = image[32, 32].astype(int), image[5, 5].astype(int)
    assert red[0] > red[1] + 40 and green[1] > green[0] + 40


def test_a_ninth_of_the_electrons_is_three_times_the_noise():
    light = np.full((64, 64, 3), 0.1, np.float32)
    plain = draw_processing(np.random.default_rng(3), False)
    plain = replace(plain, falloff=0.0, smooth=0.0, sharpen=0.0, wide=0.0, read_electrons=0.0, reduced=1.0)
    many, few = (
        Sensor(replace(plain, electrons=n), 1).image(light, 0.0).astype(float) for n in (18000.0, 2000.0)
    )
    assert few[..., 1].std() == pytest.approx(3 * many[..., 1].std(), rel=0.2)


def test_graphics_cover_no_more_than_the_edge():
    image = np.zeros((720, 1280, 3), np.uint8)
    shown = burnt_in(image, Recording("h264", 500, 5, 80, True, True, 0, 0.0), 61.0)
    rows = np.nonzero(shown.any(axis=(1, 2)))[0]
    assert shown.any() and not image.any()
    assert not ((rows > 60) & (rows < 660)).any()


def at_rest(dx_mm: float, sigma_mm: float) -> BallAtRest:
    return BallAtRest(WHERE, "cueref", None, "red", 0.0, 0.0, 1.0, 2.0, None, "red", dx_mm, 0.0, sigma_mm)


def test_a_world_says_what_was_wrong_and_how_true_its_sigma_is():
    records = [at_rest(0.5, 1.0), at_rest(5.0, 1.0)]
    records += [Fact(WHERE, 0, "pot", True, False, "a", "b"), Fact(WHERE, 0, "pot", False, False, "a", "b")]
    records += [
        Detection(WHERE, 0.8, False, 0.0, 0.0, True, True),
        Detection(WHERE, 0.95, True, 9.0, 0.0, True, False),
    ]
    world = world_measures(records)
    assert (world["facts_certain"], world["facts_wrong"], world["facts_asked"]) == (1, 1, 1)
    assert world["within_1_sigma"] == pytest.approx(3 / 4) and world["beyond_4_sigma"] == 1
    assert world["with_false_balls_over_people"] == 1 and world["pictures_with_people"] == 1
    assert [(c["n"], c["balls"]) for c in world["reliability"]] == [(1, 0), (1, 1)]


def test_streaks_are_counted_by_speed_and_exposure_and_what_is_no_ball_by_its_cause():
    slow, fast = replace(WHERE, exposure_s=0.004), replace(WHERE, exposure_s=0.018)
    records = [
        FlightImage(fast, 0.4, 2),
        StreakSeen(fast, 0.4, "brown", 0.0, 900.0, 7000.0, 0.2),
        StreakSeen(fast, 0.4, "white", 0.0, 500.0, 7500.0, 0.6),
        StreakSeen(slow, 0.4, "red", 0.0, 100.0, 2100.0, 0.9),
        FalseInFlight(fast, 0.4, 0.4, 0.0, 700.0, True, "afterimage"),
    ]
    world = world_measures(records)
    assert (world["streaks"], world["streaks_found"], world["streaks_from_0.1"]) == (3, 2, 3)
    cells = {tuple(c["speed_mm_s"]): (c["n"], c["found"], c["found_faint"]) for c in world["streaks_by"]}
    assert cells == {(2000.0, 3500.0): (1, 1, 1), (6500.0, 8001.0): (2, 1, 2)}
    assert world["flight_false"][0]["afterimage"] == 1 and world["flight_false"][1]["afterimage"] == 0
    assert verdicts(LIMITS, records)["streaks of balls of 2 to 8 m/s"]["verdict"] == "missed"
    assert [from_line(to_line(r)) for r in records] == records


def test_a_false_ball_counts_where_it_lies_beside_people_for_more_than_a_second():
    visits = [Visit(replace(WHERE, item=k), "leaner", 1.44) for k in range(3)]
    flicker = FalseRest(visits[0].where, "leaner", "pink", 0.0, 900.0, 0.8, 0.4)
    doubtful = FalseRest(visits[1].where, "leaner", "pink", 0.0, 900.0, 0.4, 1.4)
    lies = FalseRest(visits[2].where, "leaner", "pink", 0.0, 900.0, 0.8, 1.2)
    row = "a false ball for a second beside people"
    assert verdicts(LIMITS, [*visits, flicker, doubtful])[row]["verdict"] == "reached"
    assert verdicts(LIMITS, [*visits, lies])[row]["verdict"] == "missed"


def test_sigma_is_told_by_colour_place_and_light():
    open_, dark = replace(at_rest(0.5, 1.0), cushion_mm=900.0, lit=1.0), replace(at_rest(5.0, 1.0), lit=0.4)
    told = {(c["by"], c["class"]): (c["axes"], c["within_1"], c["beyond_4"]) for c in sigma_by([open_, dark])}
    assert told == {
        ("colour", "red"): (4, 3, 1),
        ("place", "in the open"): (2, 2, 0),
        ("light", "in the light"): (2, 2, 0),
        ("light", "in shade"): (2, 1, 1),
    }


def test_a_stripe_said_to_be_a_solid_misses_a_pool_games_limit_and_a_wrong_number_alone_does_not():
    said = [replace(at_rest(0.1, 1.0), colour="9", said_colour=name) for name in ("9", "10", "1")]
    for balls, verdict in ((said[:2], "reached"), (said, "missed")):
        world = world_measures(balls, PIECES["wpa_9ball"])
        rows = {r["row"]: r["verdict"] for r in held(limits_of("wpa_9ball"), world)}
        assert rows["solid for stripe"] == verdict
    assert "solid for stripe" not in {x.row for x in limits_of("carrom")}


def test_a_games_own_targets_hold_for_its_pixels_and_its_tracks():
    pieces = PIECES["wpa_8ball"]
    balls = [replace(at_rest(0.1, 1.0), colour="3", said_colour=name) for name in ("3", "11")]
    facts = [Fact(WHERE, k, "pot", True, k > 0, "a", "b") for k in range(400)]
    facts += [Fact(WHERE, k, "first_contact", k > 0, False, "a", "b") for k in range(2)]
    layouts = [LayoutJudged(WHERE, "cueref", None, 2, 0, 0, 0, 0, right) for right in (True, False)]
    pixels = game_measures([*balls, *facts, *layouts], pieces)
    stroke = TrackStroke(
        0, 0, CAMERA.camera, 25.0, 1.0, True, facts=9, layout_right=True, forms=2000, forms_wrong=1
    )
    tracks = track_measures([stroke], [], [CAMERA])
    rows = {t.name: {p.tier: (p.verdict, p.failures, p.n) for p in t.parts} for t in reach(pixels, tracks)}
    assert rows["solid for stripe"] == {"pixels": ("missed", 1, 2), "tracks": ("reached", 1, 2000)}
    assert rows["layout before a stroke wholly right"]["pixels"] == ("missed", 1, 2)
    assert rows["pots with pocket"]["pixels"] == ("reached", 1, 400)
    assert rows["first contact"]["pixels"] == ("missed", 1, 1)  # a question is not held against it
    assert rows["certain and wrong"] == {"pixels": ("missed", 2, 401), "tracks": ("reached", 0, 9)}
    assert rows["ball at rest against the truth"]["pixels"][0] == "reached"


def reach(pixels, tracks):
    return reach_table(pixels, tracks, targets_of("wpa_8ball"))


CAMERA = ErrorModel.load(SHIPPED).cameras[0]


def test_worlds_stand_side_by_side_and_an_empty_cell_is_empty():
    real = dict(clips=3, strokes=4, missed=1, right=2, wrong=0, asked=1, refused=0)
    rows = {
        r[0]: r[1:]
        for r in side_by_side({"b": world_measures([at_rest(0.1, 1.0)]), "c": real_as_world(real)})
    }
    assert rows["facts certain and wrong"] == ["", "0 of 2"]
    assert rows["rest, median"] == ["0.10 mm", ""]


def test_one_wrong_fact_in_a_hundred_misses_the_limit_and_ten_right_ones_are_too_few_to_be_sure():
    right = [Fact(WHERE, k, "pot", True, True, "a", "a") for k in range(10)]
    few = verdicts(LIMITS, right)["facts certain and wrong"]
    assert (few["verdict"], few["sure"]) == ("reached", False)
    wrong = [Fact(WHERE, 0, "pot", True, False, "a", "b")]
    worlds = {"limits": {"second world": held(LIMITS, world_measures(right * 10 + wrong))}}
    assert beyond_limits(worlds)
    assert verdicts(LIMITS, right * 500)["facts certain and wrong"]["sure"]
    assert not beyond_limits({"limits": {"second world": held(LIMITS, world_measures(right))}})


def test_a_limit_of_what_was_not_measured_is_neither_reached_nor_missed():
    rows = held(LIMITS, world_measures([]))
    assert {r["verdict"] for r in rows} == {"not measured"}


def test_every_limit_stands_beside_a_figure_of_its_name():
    rows = {r[0] for r in side_by_side({})}
    assert {limit.row for game in GAMES for limit in (*limits_of(game), *REAL_LIMITS)} <= rows


def verdicts(limits, records):
    return {r["row"]: r for r in held(limits, world_measures(records))}


def test_a_traced_ball_lies_where_its_camera_says():
    pytest.importorskip("mitsuba")
    pytest.importorskip("mitsuba_oidn")
    from referee.quality.bench.rooms.studio.meshes import rectangle
    from referee.quality.bench.rooms.studio.tracer import (
        Crop,
        Sphere,
        Tracer,
        lamp_sphere,
        paint_of,
        rgb,
        shape_of,
    )
    from referee.quality.bench.rooms.studio.views import Pinhole

    axes = np.array([(0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0)])
    view = Pinhole(64, 48, 200.0, axes, (0.0, 0.0, 2000.0))
    cloth = {"type": "diffuse", "reflectance": rgb((0.02, 0.2, 0.02))}
    floor = shape_of(rectangle((-600, -600, 0), (1200, 0, 0), (0, 1200, 0)), cloth)
    tracer = Tracer([floor, lamp_sphere((0, 0, 2500), 200, (9, 9, 9))], view)
    red = paint_of({"type": "diffuse", "reflectance": rgb((0.5, 0.02, 0.02))})
    centre = (60.0, 100.0, 50.0)
    crop = Crop(20, 10, 40, 34)
    image = tracer.picture([Sphere(centre, 50.0, red)], [], 8, 1, crop)
    assert np.array_equal(image, tracer.picture([Sphere(centre, 50.0, red)], [], 8, 1, crop))
    weight = np.clip(image[..., 0] - image[..., 1], 0, None)
    y, x = np.mgrid[0 : crop.height, 0 : crop.width]
    found = np.array([(x * weight).sum(), (y * weight).sum()]) / weight.sum() + (crop.x, crop.y)
    assert math.dist(found, view.project(np.array([centre]))[0]) < 0.4
    hidden = tracer.in_sight([Sphere(centre, 50.0, red), Sphere((58.0, 97.0, 160.0), 55.0, red)], [])
    assert hidden[0] < 0.1 and hidden[1] > 0.9


@pytest.mark.parametrize("kind", ["overhead", "tilted"])
def test_lights_on_noses_cloth_and_ball_centres_are_seen_where_the_true_camera_projects_them(kind):
    pytest.importorskip("mitsuba")
    pytest.importorskip("mitsuba_oidn")
    from calibration.table.specs import SNOOKER_TABLE as TABLE
    from referee.quality.bench.rooms.studio.tracer import Tracer, lamp_sphere
    from referee.quality.bench.rooms.studio.views import draw_view

    view = draw_view(np.random.default_rng(5), TABLE, kind, 320, 180)
    heights = (0.0, TABLE.ball_radius_mm, TABLE.nose_height_mm)
    for z in heights:
        across = (-TABLE.half_width_mm, 0.0, TABLE.half_width_mm)
        points = [(x, y, z) for x in across for y in np.linspace(0, TABLE.length_mm, 4)]
        lights = Tracer([lamp_sphere(p, 9.0, (5, 5, 5)) for p in points], view.pinhole)
        seen = view.bent(lights.picture([], [], 16, 1), view.sources())[..., 1]
        true = view.camera.pixels_from_table(points)
        off = np.array([centroid(seen, p) - p for p in true])
        assert np.abs(off.mean(axis=0)).max() < 0.2  # half a pixel is what a wrong convention costs
        assert np.hypot(*off.T).max() < 0.45


def centroid(picture, near_px, reach_px=4):
    """Centre of the light (x, y) px about a place."""
    x0, y0 = (round(float(v)) for v in near_px)
    y, x = np.mgrid[y0 - reach_px : y0 + reach_px + 1, x0 - reach_px : x0 + reach_px + 1]
    light = np.clip(picture[y, x], 0, None)
    return np.array([(x * light).sum(), (y * light).sum()]) / light.sum()
