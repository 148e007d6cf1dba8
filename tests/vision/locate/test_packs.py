"""Balls are solid: no two lie in one place, and in a pack the neighbours say where a hidden ball lies."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from ball_scenes import CAMERA, R, draw_spheres
from hypothesis import given
from hypothesis import strategies as st
from random_layout import photograph, random_layout_scene

from calibration.result import Calibration, SigmaModel
from vision.detect.detector import Detector
from vision.detect.search import looked_cell
from vision.io.picture import Picture
from vision.locate.packs import in_pack, place_packs, without_overlap
from vision.observation import Observation
from vision.observer import Observer
from vision.plane import PX_PER_DIAMETER
from vision.render.scene import Ball

F64 = npt.NDArray[np.float64]
WIDE = 2 * R + 0.05


def rack(x_mm: float = 0.0, y_mm: float = 2731.0) -> F64:
    """Fifteen reds behind a place, touching."""
    rows = [
        (x_mm + (k - row / 2) * WIDE, y_mm + row * WIDE * math.sqrt(3) / 2)
        for row in range(5)
        for k in range(row + 1)
    ]
    return np.array(rows)


RACK = rack()
INNER, OUTER = [4, 7, 8], [k for k in range(15) if k not in (4, 7, 8)]
"""Balls that six others touch, and the rest."""


def of_one_sigma(n: int, sigma_mm: float | F64) -> F64:
    return (np.broadcast_to(sigma_mm, n) ** 2)[:, None, None] * np.eye(2)


def nearest_mm(places: F64) -> float:
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 1e9 * np.eye(len(places))
    return float(apart.min())


def test_a_ball_among_six_is_crowded_and_one_beside_another_is_not() -> None:
    places = np.vstack((RACK, [(500.0, 500.0), (500.0 + 2 * R, 500.0), (0.0, RACK[12, 1] + 2 * R)]))
    crowded, members = in_pack(places, R)
    assert crowded[INNER].all() and not crowded[15:].any()
    assert members[:15].all() and not members[15:17].any() and members[17], (
        "who lies against the pack is of it"
    )


@given(st.integers(0, 10_000), st.floats(0.5, 6.0))
def test_no_two_balls_overlap(seed: int, sigma_mm: float) -> None:
    rng = np.random.default_rng(seed)
    thought = RACK + rng.normal(0, sigma_mm, RACK.shape)
    out = without_overlap(thought, of_one_sigma(15, sigma_mm), 2 * R)
    assert nearest_mm(out) > 2 * R - 0.3  # the condition is linearised: what is left is a fraction of a sigma
    # the truth fulfils the condition: what is nearest to the places seen lies nearer to it than they do
    assert np.linalg.norm(out - RACK) < np.linalg.norm(thought - RACK) + 1.0


@given(st.integers(0, 10_000))
def test_balls_far_apart_keep_their_places(seed: int) -> None:
    rng = np.random.default_rng(seed)
    places = RACK * 1.2 + rng.uniform(-2, 2, RACK.shape)
    assert (without_overlap(places, of_one_sigma(15, 1.0), 2 * R) == places).all()


def test_the_ball_with_the_smaller_sigma_moves_less() -> None:
    out = without_overlap(
        np.array([(0.0, 0.0), (2 * R - 5.0, 0.0)]), of_one_sigma(2, np.array([0.3, 3.0])), 2 * R
    )
    assert abs(out[0, 0]) < 0.1 and nearest_mm(out) > 2 * R - 1e-6


def test_a_surrounded_ball_is_placed_where_its_neighbours_leave_room() -> None:
    """All of one grey: nothing shows where the inner ones lie, and they were thought a third of a radius
    off.
    """
    picture = draw_spheres([(x, y) for x, y in RACK])
    rng = np.random.default_rng(3)
    thought = RACK + rng.normal(0, 0.5, RACK.shape)
    thought[INNER] += (7.0, -6.0)
    sigmas = np.full(15, 0.6)
    sigmas[INNER] = 1.6  # as the network says of a red among reds
    out = place_packs(picture, CAMERA, R, thought, sigmas, np.ones(15, np.bool_), 1.0)
    errors = np.linalg.norm(out - RACK, axis=1)
    assert errors[INNER].max() < 1.5 and np.median(errors[OUTER]) < 0.6  # a pixel is 4.5 mm here


def test_balls_in_unexamined_cells_hold_the_others_in_place() -> None:
    picture = draw_spheres([(x, y) for x, y in RACK])
    thought, looked = RACK.copy(), np.zeros(15, np.bool_)
    looked[INNER] = True
    thought[INNER] += (-6.0, 5.0)
    out = place_packs(picture, CAMERA, R, thought, np.where(looked, 1.6, 0.0), looked, 1.0)
    assert (out[OUTER] == RACK[OUTER]).all() and np.linalg.norm(out - RACK, axis=1).max() < 0.6


def test_a_false_ball_without_room_leaves_the_pack_as_it_is() -> None:
    """What was taken for a ball in the middle of three, say: one of them is none, and nobody knows which."""
    thought = np.vstack((RACK, RACK[[3, 4, 7]].mean(axis=0)))
    picture = draw_spheres([(x, y) for x, y in RACK])
    assert (
        place_packs(picture, CAMERA, R, thought, np.full(16, 0.6), np.ones(16, np.bool_), 1.0) == thought
    ).all()


def test_a_pack_has_the_same_places_when_a_part_of_it_is_examined() -> None:
    """A rack under a slanted camera, all of it seen; then only the cells of the inner reds are examined."""
    scene, camera, sensor = random_layout_scene(39, 1280, 720, people=0.0, tilt_deg=35.0)
    scene = replace(scene, balls=tuple(Ball("red", x, y) for x, y in RACK.tolist()))
    picture = Picture.from_bgr(np.ascontiguousarray(photograph(scene, camera, sensor, 5)[0][..., ::-1]))
    observer = Observer(
        Calibration(camera, scene.table, 0.1, 0.1, SigmaModel((0.01, 0, 0, 0, 0, 0), 0.1)), Detector()
    )
    whole = places(observer.look(picture))
    off = np.linalg.norm(RACK[:, None] - whole, axis=2).min(axis=1)
    assert (
        len(whole) == 15 and off.max() < 1.0
    )  # a pixel is 4 mm here; thought each by itself one is 4.3 mm off
    cells = np.zeros_like(observer.state.covered)
    for x, y in RACK[INNER].tolist():
        u, v = observer.plane.plane_from_mm(x, y)
        cells[int(v // PX_PER_DIAMETER), int(u // PX_PER_DIAMETER)] = True
    part = places(observer.look(picture, cells))
    assert 3 <= len(part) < 8
    assert (
        np.linalg.norm(part[:, None] - whole, axis=2).min(axis=1).max() < 0.3
    )  # far below what reads as a movement


def places(seen: Sequence[Observation]) -> F64:
    return np.array([(o.x_mm, o.y_mm) for o in seen])


def test_a_ball_at_a_cells_edge_belongs_to_the_examined_cell() -> None:
    """The fit puts a red of a pack up to a quarter of a diameter from where it was found, over the edge of a
    cell.
    """
    cells = np.zeros((4, 5), np.bool_)
    cells[1, 2] = True
    p = PX_PER_DIAMETER
    for u, v, mine in (
        (2.5, 1.5, True),
        (2.9, 1.9, True),
        (3.2, 1.5, True),
        (2.5, 0.8, True),
        (3.15, 2.15, True),
        (3.3, 1.5, False),
        (0.1, 3.9, False),
    ):
        assert looked_cell(u * p - 0.5, v * p - 0.5, cells) == ((1, 2) if mine else None), (u, v)
