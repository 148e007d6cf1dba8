"""When the cue-ball met a ball, at 25 images a second: by its way up to it, whatever follows an image or two
later.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, repeat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracker_lab.simulation import STEP_S, Stroke, simulate

from calibration.table.specs import SNOOKER_TABLE
from tracker.ball import Leg
from tracker.events import FirstContact, PlacedBall, StrokeRecord
from tracker.explain.posterior import meetings, named, span_explanations, with_posterior
from tracker.explain.solver import solve
from tracker.place import Point
from tracker.stroke.contact_times import with_steady_times
from tracker.stroke.paths import STEADY_IMAGES, _claimed, _left_at, solve_leg
from tracker.stroke.world import World
from vision.observation import BALL_CLASSES, ImageObservations, Observation

D, R = SNOOKER_TABLE.ball_diameter_mm, SNOOKER_TABLE.ball_radius_mm
HZ = 25.0
GATE_MM = 2.0
"""A ball seen further off than this from where it lay is seen to have left
(`tracker.association.resting.rest_gate_mm`).
"""
HEAD_S = 0.35
"""Its last images at rest go with the leg (`tracker.ball.CREEP_S`)."""

Layout = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Scene:
    layout: Layout
    stroke: Stroke
    met: str
    hit_s: float
    speed_mm_s: float

    @property
    def limit_s(self) -> float:
        """How exactly the issue wants it: 5 ms, or the time to roll 2 mm where that is longer."""
        return max(0.005, 2.0 / self.speed_mm_s)


def played(layout: Layout, phi: float, speed_mm_s: float, run_on_s: float) -> Scene:
    """A rolling white; the scene ends `run_on_s` after its first contact."""
    wx, wy = layout["white"]
    near = min(math.dist((wx, wy), p) for n, p in layout.items() if n != "white")
    stroke = simulate(SNOOKER_TABLE, layout, phi, speed_mm_s, 1.0, near / speed_mm_s * 1.5 + run_on_s)
    a, b, hit_s = next(c for c in stroke.contacts if "white" in c[:2])
    k, w = int(hit_s / STEP_S) - 3, list(layout).index("white")
    met_speed = math.dist(stroke.path[k, w], stroke.path[k - 2, w]) / (2 * STEP_S)
    return Scene(layout, stroke, b if a == "white" else a, hit_s, met_speed)


def seen(
    scene: Scene, phase: float, sigma_mm: float, seed: int, until_s: float = 0.5
) -> list[ImageObservations]:
    """What a camera hands on, of a grid of images `phase` intervals in; it sees every ball in every image."""
    rng = np.random.default_rng(seed)
    end_s = min(scene.hit_s + until_s, scene.stroke.duration_s - STEP_S)
    times = np.arange(-0.5 + phase / HZ, end_s, 1 / HZ)
    steps = np.clip(times / STEP_S, 0, len(scene.stroke.path) - 1)
    low = steps.astype(int)
    high = np.minimum(low + 1, len(scene.stroke.path) - 1)
    path = scene.stroke.path
    places = path[low] + (path[high] - path[low]) * (steps - low)[:, None, None]
    places += rng.normal(0.0, sigma_mm, places.shape)
    colours = [name.partition("_")[0] for name in scene.layout]
    return [
        ImageObservations(k, float(t), tuple(map(detection, colours, *xy.T, repeat(sigma_mm))), None, None)
        for k, (t, xy) in enumerate(zip(times, places, strict=True))
    ]


def world_of(scene: Scene, images: list[ImageObservations], sigma_mm: float) -> World:
    """What the tracker makes of it: each ball's leg from its last images at rest on."""
    paths, places = {}, {}
    for i, (name, place) in enumerate(scene.layout.items()):
        here = [(m.index, m.t_s, m.observations[i]) for m in images]
        points = [Point(k, t, o.x_mm, o.y_mm, sigma_mm) for k, t, o in here]
        left = next(
            (k for k, p in enumerate(points) if math.dist((p.x_mm, p.y_mm), place) > GATE_MM), len(points)
        )
        places[name] = (*place, 0.5 * sigma_mm)
        if left < len(points):
            leg = Leg(*place, 0.5 * sigma_mm, points[left - 1].t_s, points[left:])
            leg.head = [p for p in points[:left] if p.t_s > leg.t_rest_s - HEAD_S]
            paths[name] = [solve_leg(name, leg, creeps=name != "white")]
    return World(SNOOKER_TABLE, "white", paths, places)


def detection(colour: str, x_mm: float, y_mm: float, sigma_mm: float) -> Observation:
    """One that is plainly of a colour."""
    logp = tuple(-0.05 if c == colour else -5.0 for c in BALL_CLASSES)
    return Observation(x_mm, y_mm, sigma_mm, 0.0, 0.0, logp, 0.93)


def first(
    scene: Scene, phase: float, sigma_mm: float, seed: int, until_s: float = 0.5
) -> tuple[str | None, float]:
    """What the white met first and when, as a stroke's record has it."""
    met = weighed(scene, phase, sigma_mm, seed, until_s)
    return met.ball, math.inf if met.t_s is None else met.t_s


def weighed(scene: Scene, phase: float, sigma_mm: float, seed: int, until_s: float = 0.5) -> FirstContact:
    """The likeliest first contact."""
    images = seen(scene, phase, sigma_mm, seed, until_s)
    before = tuple(
        PlacedBall(name, name.partition("_")[0], x, y, 0.2, 0.999) for name, (x, y) in scene.layout.items()
    )
    explanations = named(solve(images, SNOOKER_TABLE), before)
    dated = with_steady_times(world_of(scene, images, sigma_mm), *meetings(explanations, SNOOKER_TABLE))
    record = StrokeRecord(
        0.0, 1.0, (), (), (), dated, (), (), (), (), (), explanations=span_explanations(explanations)
    )
    return with_posterior(record).first_contact[0]


def errors_s(scene: Scene, sigma_mm: float = 0.2, phases: int = 12) -> list[float]:
    """How far off the first contact is dated, over the phases of the grid; inf where another ball is
    named.
    """
    found = [first(scene, (k + 0.5) / phases, sigma_mm, k) for k in range(phases)]
    return [abs(t_s - scene.hit_s) if met == scene.met else math.inf for met, t_s in found]


def full_in_the_open(speed_mm_s: float) -> Scene:
    """Along the table's middle, far enough off for seven images or more before the white meets the red."""
    run = min(0.6 * speed_mm_s, 1500.0)
    return played({"white": (0.0, 300.0), "red_1": (0.0, 300.0 + run + D)}, math.pi / 2, speed_mm_s, 0.6)


@settings(derandomize=True, max_examples=25)  # its statement is one of draws
@given(st.floats(900.0, 4000.0), st.floats(0.0, 0.999), st.floats(0.1, 0.3), st.integers(0, 1000))
def test_a_ball_met_full_in_the_open_is_dated_at_any_phase_and_noise(
    speed_mm_s: float, phase: float, sigma_mm: float, seed: int
) -> None:
    """From 0.9 m/s on: 450 draws were a ninth of the limit off at most."""
    scene = full_in_the_open(speed_mm_s)
    met, t_s = first(scene, phase, sigma_mm, seed)
    assert met == "red_1" and abs(t_s - scene.hit_s) < scene.limit_s


def test_a_ball_met_slowly_in_the_open_is_dated_but_for_one_in_a_hundred() -> None:
    """Not yet always: of 900 draws of 0.3 to 0.9 m/s five were off by one to two limits (two images, or
    the red's last ones at rest, taken for a piece of their own). Here 60 of a fixed seed: one at most is
    beyond the limit, none twice.
    """
    rng = np.random.default_rng(3)
    shares = []
    for _ in range(15):
        scene = full_in_the_open(float(rng.uniform(300.0, 900.0)))
        for _ in range(4):
            phase, sigma_mm = float(rng.uniform(0.0, 0.999)), float(rng.uniform(0.1, 0.3))
            met, t_s = first(scene, phase, sigma_mm, int(rng.integers(1000)))
            assert met == "red_1"
            shares.append(abs(t_s - scene.hit_s) / scene.limit_s)
    assert sum(share >= 1.0 for share in shares) <= 1 and max(shares) < 2.0


def beside_a_cushion(aside_mm: float, lean: float, y_mm: float, run_mm: float) -> Layout:
    """The white comes along the bottom cushion, leaning towards it; the red lies `aside_mm` beside its line,
    away from it.
    """
    c, s = math.cos(lean), -math.sin(lean)
    back = run_mm + math.sqrt(D * D - aside_mm * aside_mm)
    return {"white": (-back * c, y_mm - back * s), "red_1": (-aside_mm * s, y_mm + aside_mm * c)}


@cache
def then_a_cushion(speed_mm_s: float, aside_mm: float, lean: float, later_s: float) -> Scene:
    """The red first, the bottom cushion `later_s` later: played in the open, then laid where the cushion is
    in its way.
    """
    run = min(0.6 * speed_mm_s, 800.0)
    there = played(beside_a_cushion(aside_mm, lean, 1500.0, run), -lean, speed_mm_s, later_s + 0.1)
    y = float(there.stroke.path[int((there.hit_s + later_s) / STEP_S), 0, 1])
    scene = played(beside_a_cushion(aside_mm, lean, 1500.0 - y + R, run), -lean, speed_mm_s, 0.6)
    at_s = next(t for ball, _, t in scene.stroke.cushions if ball == "white")
    assert at_s - scene.hit_s == pytest.approx(later_s, abs=0.002)
    return scene


@cache
def off_a_cushion(speed_mm_s: float, lean: float, aside: float, earlier_s: float) -> Scene:
    """The bottom cushion first, the red `earlier_s` later, a part `aside` of a diameter beside the line."""
    back = 0.6 * speed_mm_s
    white = (-back * math.cos(lean), R + back * math.sin(lean))
    far = {"white": white, "red_1": (0.0, 3000.0)}
    alone = simulate(SNOOKER_TABLE, far, -lean, speed_mm_s, 1.0, 2.0)
    cushion_s = next(t for ball, _, t in alone.cushions if ball == "white")
    k = int((cushion_s + earlier_s) / STEP_S)
    (x, y), (x0, y0) = alone.path[k, 0].tolist(), alone.path[k - 3, 0].tolist()
    heading = math.atan2(y - y0, x - x0) + math.asin(aside)
    red = (x + D * math.cos(heading), y + D * math.sin(heading))
    scene = played({"white": white, "red_1": red}, -lean, speed_mm_s, 0.6)
    assert scene.hit_s - cushion_s == pytest.approx(earlier_s, abs=0.002)
    return scene


@cache
def then_a_ball(speed_mm_s: float, aside_mm: float, later_s: float) -> Scene:
    """The red beside its line first, full on a second one `later_s` later."""
    back = min(0.6 * speed_mm_s, 800.0) + math.sqrt(D * D - aside_mm * aside_mm)
    layout = {"white": (-back, 1500.0), "red_1": (0.0, 1500.0 + aside_mm)}
    there = played(layout, 0.0, speed_mm_s, later_s + 0.1)
    k = int((there.hit_s + later_s) / STEP_S)
    here, before = there.stroke.path[k, 0], there.stroke.path[k - 4, 0]
    way = (here - before) / math.dist(here, before)
    scene = played(
        {**layout, "red_2": (float(here[0] + D * way[0]), float(here[1] + D * way[1]))}, 0.0, speed_mm_s, 0.6
    )
    at_s = next(t for a, b, t in scene.stroke.contacts if {a, b} == {"white", "red_2"})
    assert at_s - scene.hit_s == pytest.approx(later_s, abs=0.002)
    return scene


@pytest.mark.parametrize(
    ("speed_mm_s", "aside_mm", "lean", "later_s"),
    [
        (500.0, 10.0, 0.0, 0.02),
        (500.0, 25.0, 0.5, 0.04),
        (500.0, 40.0, 0.5, 0.06),
        (1000.0, 40.0, 0.0, 0.06),
        (1000.0, 48.0, 0.5, 0.02),
        (2000.0, 48.0, 0.5, 0.02),
        (3500.0, 10.0, 0.5, 0.06),
        (3500.0, 25.0, 0.0, 0.04),
    ],
)
def test_a_cushion_right_behind_the_first_contact_does_not_shift_its_time(
    speed_mm_s: float, aside_mm: float, lean: float, later_s: float
) -> None:
    scene = then_a_cushion(speed_mm_s, aside_mm, lean, later_s)
    assert max(errors_s(scene)) < scene.limit_s


@pytest.mark.parametrize(
    ("speed_mm_s", "aside_mm", "later_s"),
    [
        (500.0, 30.0, 0.04),
        (500.0, 45.0, 0.02),
        (1000.0, 30.0, 0.04),
        (1000.0, 45.0, 0.02),
        (1000.0, 45.0, 0.06),
        (3000.0, 30.0, 0.02),
    ],
)
def test_a_second_ball_right_behind_the_first_contact_does_not_shift_its_time(
    speed_mm_s: float, aside_mm: float, later_s: float
) -> None:
    scene = then_a_ball(speed_mm_s, aside_mm, later_s)
    assert max(errors_s(scene)) < scene.limit_s


@pytest.mark.parametrize("speed_mm_s", [1000.0, 2500.0])
@pytest.mark.parametrize(("lean", "aside"), [(0.6, 0.0), (0.6, 0.6), (1.2, -0.5)])
def test_a_ball_met_right_off_a_cushion_is_met_by_the_way_off_it(
    speed_mm_s: float, lean: float, aside: float
) -> None:
    """Cushion and ball between the same two images: by the way before the cushion the blow went elsewhere."""
    scene = off_a_cushion(speed_mm_s, lean, aside, 0.012)
    found = [weighed(scene, (k + 0.5) / 6, 0.2, k) for k in range(6)]
    assert all(f.ball == "red_1" and f.weight > 0.9 for f in found)
    assert sum(f.weight > 0.99 for f in found) >= 5


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(0, 1000), st.floats(0.0, 3.0))
def test_pieces_that_claim_images_stay_one_chain_over_all_of_them(
    lengths: list[int], seed: int, bend: float
) -> None:
    """Every image in one piece, in order, none empty; only a short piece beside a steady one gives, one image
    to a side.
    """
    rng = np.random.default_rng(seed)
    ends = np.cumsum([0, *lengths])
    ranges = [(int(i), int(j)) for i, j in pairwise(ends)]
    t = np.arange(ends[-1]) / HZ
    xy = np.cumsum(rng.normal(20.0, 20.0 * bend, (len(t), 2)), axis=0)
    claimed = _claimed(ranges, t, xy, np.full(len(t), 0.3))
    assert [k for i, j in claimed for k in range(i, j)] == list(range(len(t)))
    assert len(claimed) == len(ranges) and all(i < j for i, j in claimed)
    for (i, j), (since, until) in zip(ranges, claimed, strict=True):
        assert abs(since - i) <= 1 and abs(until - j) <= 1
        assert until - since >= j - i if j - i >= STEADY_IMAGES else until - since <= j - i


def bent_once(at_s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sixteen images of a ball at 1 m/s along x that turns along y at a time: (t, xy, sigma)."""
    t = np.arange(16) / HZ
    xy = np.stack([1000.0 * np.minimum(t, at_s), 1000.0 * np.maximum(t - at_s, 0.0)], axis=1)
    return t, xy, np.full(16, 0.3)


def test_an_image_that_the_steady_way_foretells_is_its_own_and_not_a_short_piece_s() -> None:
    t, xy, sigma = bent_once(0.29)  # between images 7 and 8
    assert _claimed([(0, 7), (7, 9), (9, 16)], t, xy, sigma) == [(0, 8), (8, 9), (9, 16)]
    t, xy, sigma = bent_once(0.27)  # between images 6 and 7
    assert _claimed([(0, 7), (7, 9), (9, 16)], t, xy, sigma) == [(0, 7), (7, 8), (8, 16)]
    assert _claimed([(0, 7), (7, 16)], t, xy, sigma) == [
        (0, 7),
        (7, 16),
    ], "between two steady pieces nothing is claimed"


def test_images_at_its_place_are_no_part_of_a_struck_ball_s_first_short_piece() -> None:
    """Three head images lie within three sigma (0.95 mm) of the place, the fourth has crept 2 mm; then it is
    gone.
    """
    xy = np.array([(0.1, 0.0), (-0.3, 0.2), (0.4, 0.0), (2.0, 0.0), (30.0, 0.0), (60.0, 0.0), (90.0, 0.0)])
    sigma, leg = np.full(7, 0.3), Leg(0.0, 0.0, 0.1, 0.12)
    assert _left_at((1, 4), leg, 4, xy, sigma) == (3, 4)
    assert _left_at((2, 5), leg, 4, xy, sigma) == (3, 5)
    assert _left_at((1, 3), leg, 4, xy, sigma) == (2, 3), "one image is left in it"
    assert _left_at((1, 7), leg, 4, xy, sigma) == (1, 7), "a long piece is a way: it creeps"
    assert _left_at((2, 5), leg, 0, xy, sigma) == (2, 5), "none of them is known to show it at rest"
