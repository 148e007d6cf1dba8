"""The second world's geometry, people and script hold what they state; no renderer is needed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely import Point, Polygon

from calibration.table.board import board_table
from calibration.table.games import PIECES
from calibration.table.pieces import Look
from calibration.table.specs import BRITISH_POOL_TABLE, WPA_TABLE, TableSpec
from referee.quality.bench.rooms.film import draw_still
from referee.quality.bench.rooms.script import exposure_at, places_at
from referee.quality.bench.rooms.setting import RoomPlan, draw_setting, plan_rooms
from referee.quality.bench.rooms.studio.board import board_sheet
from referee.quality.bench.rooms.studio.meshes import bounds, box, capsules, cut_out, skin
from referee.quality.bench.rooms.studio.outline import free_area, noses
from referee.quality.bench.rooms.studio.people import bridge_hand, draw_person, hand_part
from referee.quality.bench.rooms.studio.prints import Printer, any_turn, turn_at
from referee.quality.bench.rooms.studio.room import cushion_section
from referee.quality.bench.rooms.studio.surfaces import CUSHION_MM, bed_area, rail_areas
from referee.quality.bench.rooms.studio.views import VIEW_KINDS, draw_view
from referee.quality.bench.tracks.physics import NoseShape
from referee.quality.bench.tracks.play import play


def volume(mesh) -> float:
    """By the divergence theorem; positive where faces look outwards."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def test_the_skin_of_a_ball_has_its_volume_and_looks_outwards():
    parts = [((0.0, 0.0, 0.0), (0.0, 0.0, 0.01), 30.0, 30.0)]
    mesh = skin(capsules(parts, 1.0), *bounds(parts, 6.0), 3.0)
    assert volume(mesh) == pytest.approx(4 / 3 * math.pi * 30**3, rel=0.03)


def test_a_box_looks_outwards():
    assert volume(box((0, 0, 0), (2, 3, 4))) == pytest.approx(24.0)


@given(st.integers(0, 1000))
def test_a_bridge_hand_lies_on_the_cloth_and_is_a_hand_long(seed):
    rng = np.random.default_rng(seed)
    person = draw_person(rng)
    low, high = bounds(bridge_hand(person, rng), 0.0)
    assert low[2] > -3.0 and high[2] < 90.0
    assert 150.0 < high[0] - low[0] < 240.0


def test_a_gloved_hand_has_no_skin():
    rng = np.random.default_rng(1)
    people = (draw_person(np.random.default_rng(k), referee=True) for k in range(40))
    gloved = next(p for p in people if p.glove is not None)
    assert hand_part(gloved, bridge_hand(gloved, rng), rng).stuff == "cloth"


@pytest.mark.parametrize("table", [TableSpec(), WPA_TABLE, BRITISH_POOL_TABLE])
def test_straight_noses_end_at_the_jaws_that_the_table_states(table):
    jaws = np.array([j for p in table.pockets for j in p.jaws])
    points = free_area(table)
    for jaw in jaws:
        assert np.min(np.hypot(*(points - jaw).T)) < 1e-6


@pytest.mark.parametrize("table", [TableSpec(), WPA_TABLE])
def test_a_cushion_has_its_whole_body_between_sharp_jaws_too(table):
    clothed, _ = rail_areas(table, draw_setting(RoomPlan(0, 1, 1, 0)).room.rail)
    for nose in noses(table):
        whole = np.isinf(nose.most_out_mm)
        assert whole.sum() == 2
        middle, out = nose.points[whole].mean(axis=0), nose.normals[whole][0]
        assert not clothed.contains(Point(middle + 10 * out))
        assert clothed.contains(Point(middle + 20 * out))


def test_about_sharp_jaws_the_rails_cloth_leaves_no_gap_behind_the_narrow_cushion():
    clothed, hard = rail_areas(WPA_TABLE, draw_setting(RoomPlan(0, 1, 1, 0)).room.rail)
    for pocket in WPA_TABLE.pockets:
        for jaw in pocket.jaws:
            assert clothed.union(hard).distance(Point(jaw)) < 4.0


def test_normals_of_noses_point_out_of_the_playing_area():
    table = TableSpec()
    for nose in noses(table):
        outside = nose.points + 5 * nose.normals
        middle = len(nose.points) // 2
        x, y = outside[middle]
        assert abs(x) > table.half_width_mm or not 0 < y < table.length_mm


def test_the_bed_is_open_where_balls_drop_and_closed_where_they_lie():
    table = TableSpec()
    area = bed_area(table)
    mesh = cut_out(area, 0.0, (0, 0), (1, 1))
    a, b, c = (mesh.vertices[mesh.faces[:, k], :2] for k in range(3))
    size = 0.5 * np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]).sum()
    assert size == pytest.approx(area.area, rel=1e-6)
    assert not any(area.contains(Point(p.x_mm, p.y_mm)) for p in table.pockets)
    assert all(area.contains(Point(*spot)) for spot in table.spots.values())


def test_cloth_and_wood_of_the_rails_share_no_place_and_leave_the_bed_free():
    table = TableSpec()
    look = draw_setting(RoomPlan(0, 1, 1, 0)).room.rail
    clothed, hard = rail_areas(table, look)
    assert clothed.intersection(hard).area == pytest.approx(0.0, abs=1e-3)
    for area in (clothed, hard):
        assert not area.intersects(Polygon(free_area(table)))
    middle = table.length_mm / 4
    assert clothed.covers(Point(table.half_width_mm + CUSHION_MM - 1, middle))
    assert hard.covers(Point(table.half_width_mm + CUSHION_MM + 1, middle))


def test_a_cushion_is_round_at_its_nose_and_ends_nowhere_inside_it():
    out, up = cushion_section(36.0).T
    tip = int(np.argmin(out))
    assert out[tip] == pytest.approx(0.0, abs=0.05) and up[tip] == pytest.approx(36.0, abs=0.8)
    rising = np.diff(up) / np.hypot(np.diff(out), np.diff(up))
    assert np.all(np.diff(up) > 0) and rising[-1] < 0.2  # undercut below, level above


@pytest.mark.parametrize("kind", VIEW_KINDS)
def test_the_lens_sees_the_table_where_the_true_camera_says(kind):
    table = TableSpec()
    view = draw_view(np.random.default_rng(4), table, kind, 640, 360)
    w, length, r = table.half_width_mm, table.length_mm, table.ball_radius_mm
    points = np.array([(x, y, r) for x in (-w, 0, w) for y in (0, length / 2, length)])
    px = view.camera.pixels_from_table(points)
    assert np.all((px > 0) & (px < (639, 359)))
    flat = view.pinhole.project(points)
    x, y = view.sources()
    for (u, v), source in zip(px, flat, strict=True):
        i, j = round(v), round(u)
        slope = (x[i, j + 1] - x[i, j - 1]) / 2, (y[i + 1, j] - y[i - 1, j]) / 2
        assert x[i, j] + slope[0] * (u - j) == pytest.approx(source[0], abs=0.2)
        assert y[i, j] + slope[1] * (v - i) == pytest.approx(source[1], abs=0.2)


def test_a_plan_gives_the_same_room_every_time_and_shares_out_everything():
    plans = plan_rooms(5, 7, 20, 30)
    assert sum(p.layouts for p in plans) == 30 and sum(p.strokes for p in plans) == 20
    assert repr(draw_setting(plans[3])) == repr(draw_setting(plans[3]))
    assert repr(draw_setting(plans[3])) != repr(draw_setting(RoomPlan(3, 6, 1, 1)))


def test_a_still_has_balls_apart_and_people_by_its_seed():
    setting = draw_setting(RoomPlan(1, 3, 1, 0))
    a, people = draw_still(np.random.default_rng(8), setting)
    b, again = draw_still(np.random.default_rng(8), setting)
    assert a == b and people.key == again.key
    d = setting.table.ball_diameter_mm
    places = list(a.values())
    assert all(math.dist(p, q) >= d for i, p in enumerate(places) for q in places[:i])


def test_an_exposure_shows_a_ball_along_its_whole_way():
    table = TableSpec()
    span = play(np.random.default_rng(11), NoseShape(table), 1)
    stroke = span.strokes[0]
    t_s = stroke.t_strike_s + 0.15
    moments, still = exposure_at(span, t_s, 0.02, 2.0)
    assert "white" in moments[0] and "white" not in still
    way = math.dist(moments[0]["white"], moments[-1]["white"])
    true = math.dist(places_at(span, t_s - 0.01)["white"], places_at(span, t_s + 0.01)["white"])
    assert way == pytest.approx(true * (1 - 1 / len(moments)), rel=0.05)
    assert places_at(span, 0.0) == span.opening
    assert set(places_at(span, stroke.t_rest_s + 0.01)) == set(stroke.flown.end)


@pytest.mark.parametrize("game", [g for g in PIECES if g not in ("snooker", "six_red")])
@pytest.mark.parametrize("number", [0, 2])
def test_a_room_of_another_game_has_its_table_and_its_pieces_on_it(game, number):
    setting = draw_setting(RoomPlan(number, 5, 1, 0, game))
    table = setting.table
    assert setting.told.mark_set == table.mark_set
    assert (setting.told.length_mm, setting.told.ball_diameter_mm) == pytest.approx(
        (table.length_mm, table.ball_diameter_mm), abs=0.06
    )
    assert (setting.told_end is None) == table.line_is_drawn
    places, _ = draw_still(np.random.default_rng(number), setting)
    assert set(places) <= set(PIECES[game].pieces)
    for x, y in places.values():
        assert abs(x) < table.half_width_mm and 0 < y < table.length_mm


def test_a_room_of_six_red_has_six_reds_at_most():
    setting = draw_setting(RoomPlan(0, 5, 1, 0, "six_red"))
    stills = [draw_still(np.random.default_rng(k), setting)[0] for k in range(60)]
    assert max(sum(b.startswith("red") for b in places) for places in stills) == 6


def test_a_smaller_table_has_a_rack_on_its_own_foot_spot():
    setting = draw_setting(RoomPlan(2, 5, 1, 0, "wpa_8ball"))
    assert setting.table.length_mm < 2300
    racked = (draw_still(np.random.default_rng(k), setting)[0] for k in range(60))
    apexes = [p["1"] for p in racked if len(p) == 16 and abs(p["1"][0]) < 0.1]
    assert any(math.dist(a, setting.table.marked_spots["foot"]) < 1.0 for a in apexes)


def test_the_told_end_is_where_the_camera_sees_it():
    setting = draw_setting(RoomPlan(1, 5, 1, 0, "wpa_9ball"))
    head, foot = setting.view.camera.pixels_from_table([(0.0, 0.0, 0.0), (0.0, setting.table.length_mm, 0.0)])
    x, y = head - foot
    assert {"left": -x, "right": x, "top": -y, "bottom": y}[setting.told_end] > 0


def sheet_of(form: str, number: int) -> np.ndarray:
    white, red = np.full(3, 0.8, np.float32), np.array((0.4, 0.02, 0.02), np.float32)
    return Printer(np.random.default_rng(1), white).numbered(Look("red", form, number), red)


def test_a_stripe_is_white_at_its_poles_and_a_solid_is_not():
    stripe, solid = sheet_of("stripe", 11), sheet_of("solid", 3)
    assert stripe[0].min() > 0.7 and stripe[-1].min() > 0.7
    assert solid[0, :, 1].max() < 0.1
    beside = np.s_[128, 128]  # on the equator, a quarter turn from the numbers
    for sheet in (stripe, solid):
        assert sheet[beside] == pytest.approx((0.4, 0.02, 0.02), abs=1e-6)


def test_a_number_stands_in_a_white_circle_on_both_sides():
    for column in (0, 256):
        about = np.roll(sheet_of("stripe", 11), 256 - column, axis=1)[110:146, 230:282]
        assert (about.min(axis=2) > 0.7).any() and (about.max(axis=2) < 0.1).any()


@given(st.floats(-3000, 3000), st.floats(-3000, 3000), st.integers(0, 99))
def test_the_turn_of_a_ball_is_a_rotation(x, y, seed):
    turn = turn_at((x, y), 28.0, any_turn(np.random.default_rng(seed)))
    assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-9)
    assert np.linalg.det(turn) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("place", "goes_to"), [((28 * math.pi / 2, 0), (1, 0, 0)), ((0, 28 * math.pi / 2), (0, 1, 0))]
)
def test_the_top_of_a_ball_rolls_forward(place, goes_to):
    assert turn_at(place, 28.0, np.eye(3)) @ (0, 0, 1) == pytest.approx(goes_to, abs=1e-9)


def test_a_boards_outer_base_line_is_drawn_where_the_law_has_it():
    table = board_table()
    sheet = board_sheet(table, np.random.default_rng(3)).colour.mean(axis=2)
    row, column = round(101.5 / 0.5), sheet.shape[1] // 2
    assert sheet[row - 2 : row + 3, column].max() < 0.6 * sheet[row - 24, column]
