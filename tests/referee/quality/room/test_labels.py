"""The image says whether a ball that lies there can be seen; what is covered or in doubt is unknown."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.camera import Camera
from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from referee.quality.room.certain import Certain, OnItsWay, Rest
from referee.quality.room.labels import U8, Labeller, Labels, Shown
from tests.support.ball_scenes import camera_over_table
from vision.plane import BallPlane
from vision.train.detector.room import UNKNOWN_LOOK

CLOTH, RED, PINK_SKIN = (20, 110, 50), (200, 30, 30), (210, 160, 140)
RED_MM, BLUE_MM = (300.0, 1200.0), (0.0, 1784.5)


@pytest.fixture(scope="module")
def plane() -> BallPlane:
    camera: Camera = camera_over_table(0.0)
    return BallPlane(camera, SNOOKER_TABLE)


def rest(ball: str, kind: str | None, place: tuple[float, float]) -> Rest:
    return Rest(ball, kind, *place, 0.0, 100.0, 0.0, 100.0)


def truth(*rests: Rest, busy: bool = False, ways: tuple[OnItsWay, ...] = ()) -> Certain:
    strokes = (((-1.0, 101.0), True),) if ways else ()
    return Certain(rests, ways, strokes, ((-1.0, 101.0),) if busy else (), (), ())


def table(plane: BallPlane) -> U8:
    rgb = np.empty((plane.height_px, plane.width_px, 3), np.uint8)
    rgb[:] = CLOTH
    return rgb


def ball(rgb: U8, plane: BallPlane, place: tuple[float, float], colour: tuple[int, int, int]) -> None:
    disc(rgb, *plane.plane_from_mm(*place), 6.0, colour)


def disc(rgb: U8, u: float, v: float, radius: float, colour: tuple[int, int, int]) -> None:
    y, x = np.mgrid[: rgb.shape[0], : rgb.shape[1]]
    rgb[np.hypot(x - u, y - v) <= radius] = colour


def labels(
    plane: BallPlane, found: Certain, last: U8, usual: U8, seen: tuple[tuple[float, float], ...] = ()
) -> Labels:
    """The labels of the last of eight images, of which seven look as usual."""
    cover = np.zeros((plane.height_px // 2, plane.width_px // 2), np.uint8)
    shown = [Shown(float(k), usual, cover, ()) for k in range(7)]
    shown.append(Shown(7.0, last, cover, seen))
    labeller = Labeller(found, plane, SNOOKER, SNOOKER.names, shown, exposure_s=0.01)
    label = labeller.label(shown[-1])
    assert label is not None
    return label


def rows(found: Labels) -> list[tuple[float, ...]]:
    return [tuple(float(v) for v in r) for r in found.balls if not np.isnan(r[0])]


def known(found: Labels, plane: BallPlane, place: tuple[float, float]) -> int:
    u, v = plane.plane_from_mm(*place)
    return int(found.known[round((v - 0.5) / 2), round((u - 0.5) / 2)])


def test_a_ball_in_sight_is_labelled_where_it_lies_whether_detected_or_not(plane: BallPlane) -> None:
    usual = table(plane)
    ball(usual, plane, RED_MM, RED)
    found = labels(plane, truth(rest("red_1", "red", RED_MM)), usual, usual)
    ((u, v, look, visible, *way),) = rows(found)
    assert (u, v) == pytest.approx(plane.plane_from_mm(*RED_MM), abs=0.01)
    assert (look, visible, way) == (SNOOKER.index["red"], 1.0, [0.0, 0.0])
    assert found.known.all()


def test_a_ball_whose_name_is_in_doubt_teaches_its_place_alone(plane: BallPlane) -> None:
    usual = table(plane)
    ball(usual, plane, RED_MM, RED)
    assert rows(labels(plane, truth(rest("red_1", None, RED_MM)), usual, usual))[0][2] == UNKNOWN_LOOK


def test_a_covered_ball_is_no_label_and_no_background(plane: BallPlane) -> None:
    usual = table(plane)
    ball(usual, plane, RED_MM, RED)
    covered = usual.copy()
    disc(covered, *plane.plane_from_mm(*RED_MM), 20.0, PINK_SKIN)
    for busy in (False, True):
        found = labels(plane, truth(rest("red_1", "red", RED_MM), busy=busy), covered, usual)
        assert rows(found) == [] and not known(found, plane, RED_MM)


def test_doubtful_places_are_unknown_and_never_labelled(plane: BallPlane) -> None:
    usual = table(plane)
    ball(usual, plane, RED_MM, RED)
    doubtful = Rest("red_1", "red", *RED_MM, 0.0, 100.0, None, None)
    found = labels(plane, truth(doubtful), usual, usual)
    assert rows(found) == [] and not known(found, plane, RED_MM)
    beside = (RED_MM[0], RED_MM[1] + 5.0)  # certain, and nearer than a radius to what is in doubt
    found = labels(plane, truth(doubtful, rest("red_2", "red", beside)), usual, usual)
    assert rows(found) == [] and not known(found, plane, RED_MM)


def test_a_hand_is_no_ball_only_while_none_can_be_in_it(plane: BallPlane) -> None:
    usual = table(plane)
    hand = usual.copy()
    disc(hand, *plane.plane_from_mm(*BLUE_MM), 20.0, PINK_SKIN)
    assert known(labels(plane, truth(), hand, usual), plane, BLUE_MM)
    assert not known(labels(plane, truth(busy=True), hand, usual), plane, BLUE_MM)


def test_what_always_lies_where_a_ball_can_rest_and_is_seen_as_one_is_unknown(plane: BallPlane) -> None:
    usual = table(plane)
    ball(usual, plane, BLUE_MM, RED)
    seen = plane.plane_from_mm(*BLUE_MM)
    assert not known(labels(plane, truth(), usual, usual, (seen,)), plane, BLUE_MM)
    pocket = SNOOKER_TABLE.pocket("CL")
    net = (pocket.x_mm - 20.0, pocket.y_mm)
    leather = plane.plane_from_mm(*net)
    assert known(labels(plane, truth(), usual, usual, (leather,)), plane, net)


def test_a_rolling_ball_is_labelled_where_its_colour_is_seen(plane: BallPlane) -> None:
    usual = table(plane)
    ball(usual, plane, RED_MM, RED)
    there = (300.0, 2200.0)
    way = OnItsWay("red_2", "red", 7.0, *there, 0.0, 1000.0, True)
    rolling = usual.copy()
    ball(rolling, plane, there, RED)
    found = labels(plane, truth(rest("red_1", "red", RED_MM), ways=(way,)), rolling, usual)
    (streak,) = [r for r in rows(found) if r[4] or r[5]]
    assert streak[:2] == pytest.approx(plane.plane_from_mm(*there), abs=0.01)
    assert math.hypot(*streak[4:]) == pytest.approx(0.01 * 1000.0 / plane.mm_per_px_along)
    hidden = labels(plane, truth(rest("red_1", "red", RED_MM), ways=(way,)), usual, usual)
    assert len(rows(hidden)) == 1 and not known(hidden, plane, there)
