"""Pieces of track, ways and meetings, each by itself."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from explain_lab.scenes import after, cells, film, rolling, seen, still

from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE, TableSpec, pool_table
from tracker.explain.arena import Arena
from tracker.explain.ball_ball import _out_of_reach, _touch
from tracker.explain.ball_cushion import cushions
from tracker.explain.causes import _causeless, _given_back, _group, explain
from tracker.explain.detections import LayoutLook, arrays
from tracker.explain.interactions import Candidate, Face, Interaction, Node
from tracker.explain.likelihood import Likelihood
from tracker.explain.priors import log_prior
from tracker.explain.reach import reach
from tracker.explain.tracklets import Tracklet, tracklets
from tracker.explain.trajectory import Event, Way, fallen_unseen, way
from tracker.stroke.paths import Segment
from vision.observation import CellMask, ImageObservations

D = SNOOKER_TABLE.ball_diameter_mm


_SURE = ((0.01, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def pieces_of(balls: dict[str, object], **how: object) -> tuple[list[Tracklet], list[Way]]:
    found, views = arrays(film(balls, **how))  # type: ignore[arg-type]
    pieces = tracklets(found, views)
    return pieces, [way([p], found) for p in pieces]


def test_every_detection_is_in_exactly_one_piece() -> None:
    found, views = arrays(film({"white": rolling(0, 500, 300, 900, 0.3), "red": still(400, 700)}))
    rows = [r for p in tracklets(found, views) for r in p.rows]
    assert sorted(rows) == list(range(len(found.t_s)))


def test_a_ball_at_rest_is_one_still_piece() -> None:
    pieces, _ = pieces_of({"red": still(400.0, 700.0)})
    assert [(p.still, p.n) for p in pieces] == [(True, 150)]


def test_a_rolling_ball_is_a_piece_with_its_velocity() -> None:
    pieces, _ = pieces_of({"white": rolling(0.0, 500.0, 300.0, 900.0, 0.3)}, until_s=1.5)
    moving = next(p for p in pieces if not p.still and p.n > 10)
    assert moving.head.vy == pytest.approx(900.0, rel=0.05)
    assert moving.tail.speed == pytest.approx(math.hypot(300, 900) - 98.1 * 1.2, rel=0.05)


def test_two_balls_that_cross_are_not_exchanged() -> None:
    balls = {"white": rolling(-300.0, 1000.0, 600.0, 0.0, 0.2), "red": rolling(0.0, 700.0, 0.0, 600.0, 0.2)}
    found, views = arrays(film(balls, until_s=1.2))
    for p in tracklets(found, views):
        colours = {int(found.logp[r].argmax()) for r in p.rows}
        assert len(colours) == 1


def test_a_ball_that_moves_a_few_millimetres_is_a_nudge() -> None:
    _, ways = pieces_of({"red": after(still(400.0, 700.0), 1.0, still(402.0, 700.5))})
    (only,) = ways
    assert only.moved
    assert only.events[0].nudge_mm == pytest.approx(math.hypot(2.0, 0.5), abs=0.3)
    assert only.events[0].lo_s <= 1.0 <= only.events[0].hi_s + 0.02


@pytest.mark.parametrize("aside_mm", [4.0, 9.0])
def test_a_ball_seen_a_few_millimetres_aside_after_a_gap_was_nudged_at_no_known_speed(
    aside_mm: float,
) -> None:
    """One look on a way that short tells no speed: a start at 80 mm/s had been invented, and its cause."""
    found, views = arrays(
        film(
            {
                "red": after(
                    still(400.0, 700.0), 2.6, after(still(400.0 + aside_mm, 700.0), 2.8, still(402.5, 700.0))
                )
            },
            hidden=lambda _, t_s: 1.0 < t_s < 2.7 or 2.72 < t_s < 2.9,
        )
    )
    event = way(tracklets(found, views), found).events[0]
    assert event.nudge_mm > 0.0


def collision(hit_s: float = 0.6) -> dict[int, Way]:
    """White (0) into a red at rest (1), half-ball."""
    white = rolling(0.0, 800.0, 0.0, 1500.0, 0.3)
    at = white(hit_s)
    assert at is not None
    n = 0.5, math.sqrt(0.75)  # towards the red
    red = at[0] + D * n[0], at[1] + D * n[1]
    speed = 1500.0 - 98.1 * (hit_s - 0.3)
    blow = speed * n[1]
    balls = {
        "white": after(white, hit_s, rolling(*at, -blow * n[0], speed - blow * n[1], hit_s)),
        "red": rolling(*red, blow * n[0], blow * n[1], hit_s),
    }
    found, views = arrays(film(balls, until_s=1.4))
    pieces = tracklets(found, views)
    colour = {p.number: int(found.logp[p.rows[0]].argmax()) for p in pieces}
    return {k: way([p for p in pieces if colour[p.number] == k], found) for k in (0, 1)}


def test_a_collision_is_one_contact_that_explains_both_balls() -> None:
    causes, _ = explain(collision(), 0, Arena(SNOOKER_TABLE, SNOOKER, 0))
    best = [(i.kind, set(i.balls)) for i in causes[0].interactions]
    assert best == [("strike", {0}), ("contact", {0, 1})]
    assert causes[0].interactions[1].t_s == pytest.approx(0.6, abs=0.004)
    assert causes[0].logp > -4.0


def test_a_ball_that_nobody_saw_fall_fell_where_the_blow_drove_it() -> None:
    """What the cue-ball lost the other gained, along the line of centres, and that leads into one pocket."""
    white = collision()[0]
    x, y = white.segments[0].at(0.6)
    n = 0.5, math.sqrt(0.75)
    lay = x + D * n[0], y + D * n[1]
    red = Way((*lay, 0.3), (*lay, 0.3), (), (), 0.58)

    def fallen(into: tuple[float, float]) -> float:
        causes, _ = explain(
            {0: white, 1: fallen_unseen(red, into, 0.58, 0.62)}, 0, Arena(SNOOKER_TABLE, SNOOKER, 0)
        )
        assert [(i.kind, set(i.balls)) for i in causes[0].interactions][1] == ("contact", {0, 1})
        return causes[0].logp

    ahead = lay[0] + 900.0 * n[0], lay[1] + 900.0 * n[1]
    for other in (
        (lay[0] + 900.0, lay[1] + 100.0),
        (lay[0] - 900.0, lay[1] + 450.0),
        (lay[0], lay[1] - 900.0),
    ):
        assert fallen(other) < fallen(ahead) + log_prior(0.02)
    beside = ahead[0] + 30.0 * n[1], ahead[1] - 30.0 * n[0]  # a pocket is wider than that
    assert fallen(beside) == pytest.approx(fallen(ahead), abs=0.5)


def test_an_unseen_ball_strikes_from_behind_or_by_way_of_a_cushion() -> None:
    """What comes to a ball from below cannot have driven it down, but where a cushion is near enough."""

    def unlikely(table_y_mm: float, blow: float, gap_s: float = 0.2) -> float:
        before = Segment(1.0, 0.8, 1.0, 10, (0.0, 0.0, 0.0), (table_y_mm - 150.0, 1500.0, 0.0), _SURE)
        after_ = Segment(1.2, 1.2, 1.4, 10, (0.0, 0.0, 0.0), (table_y_mm - 60.0, -100.0, 0.0), _SURE)
        gap = Event("bend", 1.1, 0.05, 1.0, 1.0 + gap_s, before, after_, (0.0, -1600.0), 100.0)
        ghost = 0.0, table_y_mm - blow * D
        return _out_of_reach(gap, ghost, (0.0, blow), 5.0, Arena(SNOOKER_TABLE, SNOOKER, 0))

    middle, at_the_top = 1800.0, SNOOKER_TABLE.top_mm - 2.2 * D
    assert unlikely(middle, 1.0) < 0.5
    assert unlikely(middle, -1.0) > 20.0
    assert unlikely(at_the_top, -1.0, gap_s=0.4) < 0.5


def test_what_a_hand_puts_there_later_was_met_by_nothing_before() -> None:
    """The cue-ball turns in the open at 0.6 s; a ball lies in its way only from 2 s on."""
    ways = collision()
    assert any(
        i.kind == "contact" for i in explain(ways, 0, Arena(SNOOKER_TABLE, SNOOKER, 0))[0][0].interactions
    )
    white = ways[0]
    x, y = white.segments[0].at(0.6)
    at = Way((x, y + D, 0.3), (x, y + D, 0.3), (), (), 3.0)
    for there, met in ((at, True), (replace(at, since_s=2.0), False)):
        found = reach({0: white, 1: there}, 0, Arena(SNOOKER_TABLE, SNOOKER, 0))
        assert found is not None and bool(found.hit[0] > 0.5) is met


def test_a_ball_that_sets_off_by_itself_is_hardly_explained() -> None:
    ways = collision()
    alone, _ = explain({1: ways[1]}, None, Arena(SNOOKER_TABLE, SNOOKER, None))
    assert alone[0].logp < -8.0
    assert alone[0].interactions == ()


def test_a_ball_sends_nothing_off_before_it_was_sent_off_itself() -> None:
    """Through a ball at rest that is struck at 1.0 s nothing that set off at 0.9 s has a cause."""

    def start(at_s: float) -> Event:
        rest = Segment(at_s, at_s, at_s + 0.5, 20, (0.0, 500.0, 0.0), (0.0, 0.0, 0.0), _SURE)
        return Event("start", at_s, 1e-3, at_s - 0.02, at_s, None, rest, (500.0, 0.0), 5.0)

    def causeless(first_s: float) -> list[bool]:
        nodes = [
            Node(0, start(0.5), True, 1.0),
            Node(1, start(1.0), False, 1.0),
            Node(2, start(first_s), False, 1.0),
        ]
        hits = [
            Candidate(Interaction("contact", (1, 0), 1.0, 1e-3, None), 1, 0, 1.0, 0.0, 0.0),
            Candidate(Interaction("contact", (2, 1), first_s, 1e-3, None), 2, 1, 1.0, 0.0, 0.0),
        ]
        found: list[bool] = _causeless(hits, _group([0, 1, 2], nodes, hits)).tolist()
        return found

    assert causeless(0.9) == [False, False, True]
    assert causeless(1.1) == causeless(0.998) == [False, False, False]


def test_a_ball_set_off_between_two_images_though_noise_moves_it_before() -> None:
    """An image in which it may lie still at its place does not show that it had left."""
    images = film({"pink": rolling(0.0, 2677.0, 40.0, 195.0, 0.51)}, until_s=1.5)
    noise = {24: (-0.46, -0.83), 25: (-0.35, -0.68)}
    for k, (dx, dy) in noise.items():
        images[k] = replace(images[k], observations=(seen("pink", dx, 2677.0 + dy, 0.9, 0.4),))
    found, views = arrays(images)
    start = way(tracklets(found, views), found).events[0]
    assert start.lo_s < 0.51 < start.hi_s


def test_a_ball_that_comes_back_from_a_cushion_has_hit_it() -> None:
    out = rolling(500.0, 1200.0, 900.0, 0.0, 0.2)
    wall = SNOOKER_TABLE.half_width_mm - SNOOKER_TABLE.ball_radius_mm
    hit_s = next(k / 1000 for k in range(2000) if (out(k / 1000) or (0.0, 0.0))[0] >= wall)
    back = rolling(wall, 1200.0, -600.0, 0.0, hit_s)
    found, views = arrays(film({"white": after(out, hit_s, back)}, until_s=1.2))
    whole = way(tracklets(found, views), found)
    causes, _ = explain({0: whole}, 0, Arena(SNOOKER_TABLE, SNOOKER, 0))
    assert [(i.kind, i.cushion) for i in causes[0].interactions] == [("strike", None), ("cushion", "right")]


def test_clutter_beside_a_moving_ball_does_not_join_its_piece() -> None:
    odd = [(0.8, seen("black", 500.0, 900.0, 0.4, 1.8))]
    found, views = arrays(film({"white": rolling(0.0, 500.0, 300.0, 900.0, 0.3)}, until_s=1.5, clutter=odd))
    pieces = tracklets(found, views)
    black = {r for r in range(len(found.t_s)) if found.confidence[r] < 0.5}
    assert all(set(p.rows) == black or not black & set(p.rows) for p in pieces)


def test_masks_of_a_camera_that_was_healed_meanwhile_have_other_cells() -> None:
    """A knocked camera's plane is 80 cells long before it is healed and 79 after: a review had ended so."""
    ball = seen("white", 0.0, 500.0)

    def image(n: int, rows: int, y0_mm: float) -> ImageObservations:
        bits = bytearray(rows * 38)
        bits[int((500.0 - y0_mm) // 50.0) * 38 + 19] = 1
        mask = CellMask(-950.0, y0_mm, 50.0, 38, rows, bytes(bits))
        return ImageObservations(n, 0.04 * n, (ball,), mask, mask)

    _, views = arrays([image(0, 80, -200.0), image(1, 79, -175.0)])
    assert [bool(views.covered[k, 13:15, 19].any()) for k in range(2)] == [True, True]
    assert views.covered.shape == (2, 80, 38)


@pytest.mark.parametrize("table", [SNOOKER_TABLE, pool_table(2540.0, 1270.0, 57.15)])
def test_a_ball_driven_into_a_corner_meets_the_pocket_and_no_cushion(table: TableSpec) -> None:
    r, w, top = table.ball_radius_mm, table.half_width_mm, table.top_mm
    corner, middle = (-w + r + 25.0, top - r - 35.0), (-w + r + 25.0, top / 4)

    def met(place: tuple[float, float], vx: float, vy: float) -> dict[str, bool]:
        lies = Segment(0.9, 0.5, 0.9, 9, (place[0], 0.0, 0.0), (place[1], 0.0, 0.0), _SURE)
        event = Event("start", 1.0, 0.01, 0.98, 1.02, None, lies, (vx, vy), 20.0)
        way_ = Way((*place, 0.3), (*place, 0.3), (), (), 1.0)
        found = cushions(0, Node(0, event, False, 1.0), way_, Arena(table, SNOOKER, 0))
        return {str(c.what.cushion): c.face.met(vx, vy) for c in found if c.face is not None}

    assert met(corner, -600.0, 800.0) == {"left": False, "top": False}
    assert met(middle, -600.0, 100.0)["left"]


def test_a_cushion_gives_back_no_more_than_it_was_given() -> None:
    # restitution: a ball that was pushed at 1 m/s does not come away at 4
    lies = Segment(0.9, 0.5, 0.9, 9, (-850.0, 0.0, 0.0), (1000.0, 0.0, 0.0), _SURE)

    def against(away_mm_s: float) -> float:
        event = Event("start", 1.0, 0.01, 0.98, 1.02, None, lies, (away_mm_s, 0.0), 20.0)
        nodes = [Node(0, event, False, 1.0), Node(1, event, True, 1.0)]
        face = Face((-850.0, 1000.0), 10.0, 1.0, 0.0, ((0.0, 2000.0),))
        push = Candidate(Interaction("contact", (0, 1), 1.0, 1e-3, None), 0, 1, -1.0, 0.0, 0.0)
        rail = Candidate(Interaction("cushion", (0,), 1.0, 1e-3, "left"), 0, -1, 1.0, 0.0, 0.0, face=face)
        blows = np.array([1000.0, 1000.0 + away_mm_s])
        return _given_back(1, (push, rail), blows, _group([0, 1], nodes, (push, rail)))

    assert against(900.0) == 0.0
    assert against(4000.0) > 0.5


@pytest.mark.parametrize("aside", [0.0, 0.6, 0.9, 0.98])
@pytest.mark.parametrize("phase", [0.0, 0.3, 0.7])
def test_a_fast_ball_touches_what_it_is_past_again_within_a_step(aside: float, phase: float) -> None:
    # 8 m/s over 0.15 s: 37 mm a step, and the overlap of a thin contact is 20 mm long
    passing = Segment(0.0, 0.0, 0.2, 9, (-600.0 + 37.0 * phase, 8000.0, 0.0), (aside * D, 0.0, 0.0), _SURE)
    lies = Way((0.0, 0.0, 0.3), (0.0, 0.0, 0.3), (), (), 0.2)
    touch = _touch(passing, lies, None, lies, 0.0, 0.15, D)
    assert touch.gap == 0.0
    assert touch.ny == pytest.approx(aside, abs=0.02) and touch.nx < 0.0


def seen_once(left_s: float, again_s: float, to: tuple[float, float]) -> list[ImageObservations]:
    """A blue that leaves its place, is missed in looks at the whole table, and is seen once more."""

    def at(t_s: float) -> tuple[float, float] | None:
        if t_s < left_s:
            return 0.0, 1785.0
        return to if abs(t_s - again_s) < 0.01 else None

    return film({"blue": at, "pink": still(0.0, 2677.0)}, until_s=2.0)


def test_a_ball_that_lay_is_missed_on_its_way_since_its_place_was_seen_empty() -> None:
    """A later look at it is the less likely, the longer nothing has shown it on its way."""
    blue = SNOOKER.index["blue"]
    logps = []
    for again_s in (0.62, 0.9, 1.5):
        found, views = arrays(seen_once(0.5, again_s, (600.0, 1785.0)))
        first, last = (p for p in tracklets(found, views) if found.logp[p.rows[0]].argmax() == blue)
        likely = Likelihood(found, views, SNOOKER_TABLE)
        logps.append(likely.missed(first.tail, first.last, last.head, last.first, lay=True))
    assert 0.0 > logps[0] > logps[1] > logps[2]


def test_no_piece_leads_through_a_ball_that_lies_in_its_way() -> None:
    """A ball at 6 m/s breaks a pack that nobody looks at until then: where it would be next lies another that
    looks like it and has hardly moved.
    """
    fast = rolling(0.0, 500.0, 0.0, 6200.0, 0.3)
    met_s = 0.3 + 1150.0 / 6200.0
    images = film(
        {
            "red_1": lambda t_s: fast(t_s) if t_s < met_s else (0.0, 1640.0),
            "blue": lambda t_s: (0.0, 1700.0) if t_s < met_s else (80.0, 1730.0),
            "red_2": lambda t_s: (0.0, 1855.0) if t_s < met_s else (-9.0, 1862.0),
        },
        hz=25.0,
        hidden=lambda ball, t_s: ball != "red_1" and 0.02 < t_s < met_s,
        covered=lambda t_s: cells((0.0, 1700.0), (0.0, 1855.0)) if 0.02 < t_s < met_s else None,
    )
    first = images[0]
    layout = LayoutLook(first.index, first.t_s, first.observations, None, None)
    found, views = arrays([layout, *images[1:]])
    for piece in tracklets(found, views):
        ys = found.xy[list(piece.rows), 1]
        assert not (ys.min() < 1500.0 and ys.max() > 1850.0)


def test_a_ball_seen_once_far_away_went_no_faster_than_balls_go() -> None:
    """1.7 m off after a pause: at 40 ms it would have been 42 m/s."""
    found, views = arrays(seen_once(0.5, 1.1, (600.0, 3300.0)))
    pieces = [p for p in tracklets(found, views) if found.logp[p.rows[0]].argmax() == SNOOKER.index["blue"]]
    start = way(pieces, found).events[0]
    assert start.kind == "start" and start.size <= 1.01 * SNOOKER.fastest_mm_s


def test_a_ball_that_fell_after_one_look_does_not_take_what_was_turned_beside_it() -> None:
    """A carrom man at 3 m/s, seen once and down in the next image; another, seen in that image, comes back
    from a cushion. In the image after it there is one man, and it had been the first one's, turned about.
    """
    hz = 25.0

    def bounced(t_s: float) -> tuple[float, float] | None:
        k = round(t_s * hz)
        if k < 10:
            return (-600.0, 1000.0)
        return (-600.0 - 36.0 * (k - 9), 1000.0) if k < 16 else (-816.0 + 24.0 * (k - 15), 1000.0)

    def fallen(t_s: float) -> tuple[float, float] | None:
        k = round(t_s * hz)
        return (-600.0, 1500.0) if k < 13 else (-720.0, 1210.0) if k == 14 else None

    found, views = arrays(film({"red_1": bounced, "red_2": fallen}, until_s=1.2, hz=hz))
    lone = next(p for p in tracklets(found, views) if any(found.xy[r, 1] == 1210.0 for r in p.rows))
    assert len(lone.rows) == 1


def test_two_looks_far_apart_that_differ_in_colour_are_not_one_ball() -> None:
    """A red, seen once on its way into a corner, had gone on as the white that came back from the cushion
    beside it, and then "off the table".
    """
    hz = 50.0

    def red(t_s: float) -> tuple[float, float] | None:
        k = round(t_s * hz)
        return (-794.0, 53.0) if k < 20 else (-851.0, 28.0) if k == 20 else None

    def white(t_s: float) -> tuple[float, float] | None:
        k = round(t_s * hz)
        return None if k < 22 else (-709.0 + 10.0 * (k - 22), 76.0 + 28.0 * (k - 22))

    found, views = arrays(film({"red": red, "white": white}, until_s=0.6, hz=hz))
    for p in tracklets(found, views):
        assert len({int(found.logp[r].argmax()) for r in p.rows}) == 1


def test_a_look_beside_a_ball_that_lay_there_is_no_sure_beginning_of_a_fast_piece() -> None:
    """A ball is seen 3 mm aside as it is met, and falls before the next image: with clutter two images later
    it had been a piece at 10 m/s, and "off the table".
    """
    hz = 25.0

    def met(t_s: float) -> tuple[float, float] | None:
        k = round(t_s * hz)
        return (820.0, 3450.0) if k < 10 else (823.0, 3450.5) if k == 10 else None

    stray = (12 / hz, seen("red", 600.0, 2800.0, confidence=0.4))
    found, views = arrays(film({"red": met}, until_s=1.0, hz=hz, clutter=[stray]))
    lone = next(p for p in tracklets(found, views) if any(found.xy[r, 1] == 2800.0 for r in p.rows))
    assert lone.n == 1


def test_two_looks_far_from_where_a_ball_lay_tell_that_it_was_turned() -> None:
    """Struck at 4 m/s, unseen for 0.6 s and by way of a cushion: it set off when it had to, not where it is
    seen.
    """
    up = rolling(-300.0, 740.0, 0.0, 4200.0, 1.0)
    top_s = 1.0 + (SNOOKER_TABLE.length_mm - 26.25 - 740.0) / 4150.0
    down = rolling(-300.0, SNOOKER_TABLE.length_mm - 26.25, 0.0, -2300.0, top_s)
    green = after(up, top_s, down)
    hidden_until_s = top_s + 0.02
    images = film(
        {
            "green": lambda t_s: (
                None if 1.0 < t_s < hidden_until_s or t_s > hidden_until_s + 0.04 else green(t_s)
            )
        },
        until_s=2.5,
    )
    found, views = arrays(images)
    start = way(tracklets(found, views), found).events[0]
    assert start.kind == "start" and start.lo_s <= start.t_s < 1.2


def test_a_ball_moved_a_little_behind_a_long_pause_was_moved_then() -> None:
    """Its looks after the pause were taken for its first place where a hand beside them had them move."""
    x, y = -508.0, 189.0
    looks = [(0.1 * k, (x, y)) for k in range(5)]
    looks += [(3.0 + 0.04 * k, (x + 0.3 * (k % 2), y + 6.1)) for k in range(16)]

    def at(t_s: float) -> tuple[float, float] | None:
        return next((place for s, place in looks if abs(s - t_s) < 0.005), None)

    mask = cells((x, y))
    images = film({"red": at}, until_s=4.0, hz=100.0, covered=lambda t_s: mask if 0.45 < t_s < 2.99 else None)
    found, views = arrays(images)
    moved = way(tracklets(found, views), found)
    assert math.dist(moved.place[:2], (x, y)) < 1.0
    assert [e.nudge_mm for e in moved.events] == [pytest.approx(6.1, abs=0.7)]
