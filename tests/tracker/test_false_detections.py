"""What a camera sees that is no ball: dark leather, false observations; each against the physics of balls."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tracker_lab.looks import sight
from tracker_lab.observer import Noise, Observer
from tracker_lab.scenes import LAYOUT, roll, still, track
from tracker_lab.scoring import run

from calibration.table.board import board_table
from calibration.table.pieces import CARROM
from calibration.table.pockets import no_rest_place
from calibration.table.specs import SNOOKER_TABLE, Pocket
from tracker import Tracker
from tracker.association.follower import Follower
from tracker.ball import Ball, BallState, Leg
from tracker.detections.tentative import Tentative
from tracker.events import HandMove, LayoutChange, PossibleBall, StrokeRecord
from tracker.identity.identify import Identity, identify, outline_of_known, unmoved
from tracker.place import Point, Rest
from tracker.stroke.span import Span
from tracker.stroke.spans import met_unsure
from vision.observation import BALL_CLASSES, ImageObservations, Observation


def with_false(image: ImageObservations, x_mm: float, y_mm: float, confidence: float) -> ImageObservations:
    """The image with a red that is not there."""
    logp = tuple(math.log(0.9 if c == "red" else 0.1 / (len(BALL_CLASSES) - 1)) for c in BALL_CLASSES)
    false = Observation(x_mm, y_mm, 2.0, 0.0, 0.0, logp, confidence)
    return replace(image, observations=(*image.observations, false))


def looking_at(
    observer: Observer, image: ImageObservations, *places: tuple[float, float]
) -> ImageObservations:
    """The image with these places (mm) looked at too."""
    if image.looked is None:
        return image
    more = np.frombuffer(observer.mask([(*p, 30.0) for p in places]).tobytes(), np.uint8)
    bits = np.frombuffer(image.looked.bits, np.uint8) | more
    return replace(image, looked=replace(image.looked, bits=bits.tobytes()))


@pytest.mark.parametrize("pocket", SNOOKER_TABLE.pockets, ids=lambda p: p.name)
def test_nothing_beyond_a_drop_is_a_ball_at_rest_and_everything_before_it_is(pocket: Pocket) -> None:
    inward_x = -1.0 if pocket.x_mm > 0 else 1.0
    middle = SNOOKER_TABLE.length_mm / 2
    inward_y = 0.0 if abs(pocket.y_mm - middle) < 1 else (1.0 if pocket.y_mm < middle else -1.0)
    norm = (inward_x**2 + inward_y**2) ** 0.5

    def along(mm: float) -> bool:
        """At a distance from the drop's centre towards the table (negative: away from it)."""
        return no_rest_place(
            pocket.x_mm + mm * inward_x / norm, pocket.y_mm + mm * inward_y / norm, SNOOKER_TABLE
        )

    assert along(0.0) and along(-pocket.drop_radius_mm - 2.0) and along(-68.0 if not inward_y else -40.0)
    assert not along(pocket.drop_radius_mm + 0.5) and not along(200.0)


def test_every_place_at_a_cushion_is_a_ball_s_place() -> None:
    t = SNOOKER_TABLE
    r = t.ball_radius_mm
    jaws_y = [j[1] for p in t.pockets for j in p.jaws]
    for k in range(200):
        y = r + k / 199 * (t.length_mm - 2 * r)
        if min(abs(y - j) for j in jaws_y) > 1.0 and not any(abs(y - p.y_mm) < 60.0 for p in t.pockets):
            assert not no_rest_place(t.half_width_mm - r, y, t), y


def test_what_a_camera_s_noise_reduction_leaves_behind_a_running_ball_is_no_ball() -> None:
    """Where the cue-ball was an image ago, red cloth shines through: in a path-traced room that was a red,
    struck and potted.
    """
    layout = {"white": (0.0, 600.0), "red_1": (-500.0, 2900.0), "black": (0.0, 3245.0)}
    truth = still(9, layout=layout)
    roll(truth, "white", 3.0, (0.0, 1500.0), 900.0)
    way = truth.xy[:, truth.names.index("white")]
    images = []
    for k, image in enumerate(Observer(truth, Noise(), 1).images()):
        runs = k > 0 and math.dist(way[k], way[k - 1]) > SNOOKER_TABLE.ball_radius_mm
        images.append(with_false(image, *way[k - 1], 0.8) if runs else image)
    (stroke,) = (e for e in run(images, Tracker(SNOOKER_TABLE)) if isinstance(e, StrokeRecord))
    assert {b.ball for b in stroke.before} == {b.ball for b in stroke.after} == set(layout)
    assert not stroke.pots and not stroke.vanished


def test_a_mark_that_lies_by_is_no_ball_and_does_not_roll() -> None:
    """Looks at chalk, vague beside the balls; then something else runs by."""
    balls = [sight("red", 400.0 * k - 600.0, 2500.0) for k in range(4)]
    mark = replace(balls[0], x_mm=100.0, y_mm=1000.0, sigma_mm=10 * balls[0].sigma_mm, confidence=0.75)
    f = Follower(SNOOKER_TABLE)
    f.begin(ImageObservations(0, 0.0, (*balls, mark), None, None))
    assert len(f.balls) == len(balls)
    for k in range(1, 6):
        f.step(ImageObservations(k, 0.1 * k, (*balls, mark), None, None))
    (item,) = f.tentatives.items
    assert item.is_mark and not f.tentatives.settled(0.5, None, SNOOKER_TABLE.ball_radius_mm)
    assert [b.probability < 0.5 for b in f.tentatives.possible_balls(0.5)] == [True]
    assert not f.tentatives.possible_balls(0.2)  # not for long enough to have lain there
    runs = replace(balls[0], x_mm=220.0, y_mm=1000.0)
    f.step(ImageObservations(6, 0.54, (*balls, runs), None, None))
    assert len(f.tentatives.items) == 2


def test_what_may_be_a_ball_is_told_with_the_layout_it_is_missing_in() -> None:
    """Vague and unsure in every look, so that it is taken for a mark: it may still be a ball."""
    layout = {"white": (0.0, 600.0), "red_1": (-500.0, 2900.0), "black": (0.0, 3245.0)}
    truth = still(9, layout=layout)
    roll(truth, "white", 3.0, (0.0, 1500.0), 900.0)
    observer = Observer(truth, Noise(), 1)
    place = 400.0, 2000.0
    images = []
    for image in observer.images():
        looked = looking_at(observer, image, place)
        (*_, false) = with_false(looked, *place, 0.6).observations
        images.append(replace(looked, observations=(*looked.observations, replace(false, sigma_mm=9.0))))
    (stroke,) = (e for e in run(images, Tracker(SNOOKER_TABLE)) if isinstance(e, StrokeRecord))
    assert {b.ball for b in stroke.after} == set(layout)
    (thing,) = stroke.possible
    assert math.dist((thing.x_mm, thing.y_mm), place) < 1.0 and 0.001 <= thing.probability < 0.5


@pytest.mark.parametrize(
    ("x_mm", "probability", "met"), [(-80.0, 0.2, True), (-80.0, 0.01, False), (80.0, 0.9, False)]
)
def test_what_a_striker_met_first_is_doubtful_where_it_passed_what_may_be_a_man(
    x_mm: float, probability: float, met: bool
) -> None:
    """Whites as pale as their board were no men, and a stroke into one had met nothing, for certain."""
    striker = Ball("striker", "striker", Rest(), CARROM)
    points = [Point(k, 1.0 + 0.04 * k, -100.0, 150.0 + 30.0 * k, 0.5) for k in range(6)]
    striker.legs = [Leg(-100.0, 117.0, 0.3, 1.0, points)]
    assert met_unsure(striker, Span(1.0, (), (PossibleBall(x_mm, 250.0, probability),)), board_table()) is met


def test_a_ball_that_comes_to_light_where_it_lay_can_have_been_met() -> None:
    """A red unseen for long, given up as lifted, is seen again at its place in mid-stroke: what bends white
    there.
    """
    layout = {**LAYOUT, "red_01": (100.0, 1900.0)}
    truth = still(24, layout=layout)
    red, white = truth.names.index("red_01"), truth.names.index("white")
    truth.xy[(truth.t > 2.0) & (truth.t < 15.4), red] = np.nan
    roll(truth, "white", 15.0, (0.0, 1000.0), 100.0)
    met = truth.xy[:, white, 1] > 1900.0 - SNOOKER_TABLE.ball_diameter_mm
    k = int(np.argmax(met))
    for i in range(k, len(truth.t)):  # straight back: the red lies in front of a thing that does not give
        truth.xy[i, white, 1] = max(truth.xy[k - 1, white, 1] - 300.0 * (truth.t[i] - truth.t[k]), 1400.0)
    (record,) = [
        e for e in track(truth, noise=Noise(false=0.0, full_look_s=0.4)) if isinstance(e, StrokeRecord)
    ]
    assert record.first_contact[0].ball == "red_1" and record.first_contact[0].weight >= 0.5


def test_a_cue_laid_on_the_ball_begins_no_stroke() -> None:
    """The tip at address cuts the cue-ball's outline: it seems to move 4 mm, far less sure than before, and
    back.
    """
    truth = still(9, rate=50.0)
    roll(truth, "white", 5.0, (0.0, 1000.0), 300.0)
    rng = np.random.default_rng(1)

    def seen(image: ImageObservations) -> ImageObservations:
        """The cue moves over it all the time, so that it is looked at in every image."""
        if not 2.0 < image.t_s < 5.0:
            return image
        x, y = LAYOUT["white"]
        free = image.t_s < 3.0 or 3.9 < image.t_s < 4.1
        cut_mm, sigma_mm, confidence = (0.0, 0.19, 0.97) if free else (3.0, 0.6, 0.55)
        logp = tuple(math.log(0.9 if c == "white" else 0.1 / (len(BALL_CLASSES) - 1)) for c in BALL_CLASSES)
        dx, dy = rng.normal(0, 0.15, 2)
        white = Observation(x + cut_mm + dx, y + cut_mm + dy, sigma_mm, 0.0, 0.0, logp, confidence)
        others = [o for o in image.observations if math.hypot(o.x_mm - x, o.y_mm - y) > 40.0]
        return looking_at(observer, replace(image, observations=(*others, white)), (x, y))

    observer = Observer(truth, Noise(false=0.0, sigma_mm=0.4, drop=0.0, drop_moving=0.0), 0)
    images = [seen(i) for i in observer.images()]
    records = [e for e in run(images, Tracker(truth.table)) if isinstance(e, StrokeRecord)]
    assert len(records) == 1
    assert records[0].start_s == pytest.approx(5.0, abs=0.1)  # five images


def thing(x_mm: float, y_mm: float, confidence: float, logp: dict[str, float], n: int = 5) -> Tentative:
    """Something unexplained that lay still in `n` images from 11 s on; `logp` of a look, -5 where not
    given.
    """
    points = [Point(k, 11.0 + k / 25, x_mm, y_mm, 1.0) for k in range(n)]
    item = Tentative(
        points, Rest.at(points), 11.0, [n * logp.get(c, -5.0) for c in BALL_CLASSES], confidence=confidence
    )
    item.seen_s = points[-1].t_s
    return item


def test_the_cue_ball_in_sight_is_not_the_cuff_beside_it() -> None:
    """The cue-ball is put down from hand; a cuff that is no ball for sure reappeared beside it before."""
    white = Ball("white", "white", Rest(), state=BallState.GONE, fate="potted", seen_s=8.0)
    cuff = thing(-309.0, 777.0, 0.38, {"pink": -0.9, "white": -1.8})
    lying = thing(-140.0, 722.0, 0.94, {"white": -0.1}, n=1)
    assert identify(cuff, [white], 11.5, False, None, [cuff, lying]) is None
    assert identify(lying, [white], 11.5, False, None, [cuff, lying]) == Identity("returned", white, "white")
    alone = identify(
        cuff, [white], 11.5, False, None, [cuff]
    )  # half hidden by the hand it may look like that
    assert alone == Identity("returned", white, "white")


def test_a_sleeve_is_not_the_green_that_lies_under_an_arm() -> None:
    """Hidden for a second; what reappears 0.9 m away looks black and not surely like a ball."""
    green = Ball("green", "green", Rest(), seen_s=10.0, covered=True)
    green.rest.add(10.0, -292.0, 737.0, 0.5)
    sleeve = thing(462.0, 284.0, 0.77, {"black": -0.2, "green": -3.6})
    black = Ball("black", "black", Rest(), seen_s=11.4)
    black.rest.add(11.4, 0.0, 3245.0, 0.3)
    assert (
        identify(sleeve, [green, black], 11.4, False) is None
    )  # black it cannot be, but it is no green either
    looks_green = thing(462.0, 284.0, 0.77, {"green": -0.2})
    found = identify(looks_green, [green, black], 11.4, False)
    assert found is not None and found.ball is green


def rest_at(x_mm: float, y_mm: float) -> Rest:
    rest = Rest()
    rest.add(9.0, x_mm, y_mm, 0.5)
    return rest


def test_what_comes_to_light_where_a_ball_lay_is_that_ball() -> None:
    """Under an arm's shadow eight looks, all alike, call a red a little more like the brown, which is off the
    table too.
    """
    red = Ball("red_7", "red", rest_at(-413.0, 2655.0), state=BallState.GONE, fate="lifted", seen_s=10.0)
    brown = Ball("brown", "brown", rest_at(34.0, 726.0), state=BallState.GONE, fate="lifted", seen_s=5.0)
    there = thing(-413.2, 2655.9, 0.93, {"brown": -0.2, "red": -1.7}, n=8)
    assert unmoved(there, [brown, red]) == Identity("returned", red, "red")
    assert (
        unmoved(thing(-413.0, 2675.0, 0.93, {"brown": -0.2, "red": -1.7}), [brown, red]) is None
    )  # 20 mm aside
    assert (
        unmoved(thing(-413.0, 2655.0, 0.93, {"brown": -0.1, "red": -5.0}), [brown, red]) is None
    )  # a brown without doubt
    red.fate = "potted"
    assert unmoved(there, [brown, red]) is None


def test_a_second_outline_of_a_ball_in_sight_is_no_other_ball() -> None:
    """A hand has nudged the black by 9 mm; what it showed before is not the brown that is missed."""
    black = Ball("black", "black", rest_at(842.0, 3111.0))
    second = thing(833.0, 3113.0, 0.8, {"black": -0.1, "brown": -1.0})
    d = SNOOKER_TABLE.ball_diameter_mm
    assert outline_of_known(second, [black], d)
    assert not outline_of_known(
        thing(842.0 - d, 3111.0, 0.8, {"brown": -0.1}), [black], d
    )  # a ball that touches it
    black.missed = 1
    assert not outline_of_known(second, [black], d)


def test_a_ball_that_is_seen_now_and_then_neither_comes_nor_goes() -> None:
    """A green on a green cloth, off its spot, seen unsurely in the first picture and in every third look
    after it.
    """
    layout = {**LAYOUT, "green": (-500.0, 1300.0)}
    truth = still(14, layout=layout)
    roll(truth, "white", 6.0, (300.0, 450.0))
    images = []
    for k, image in enumerate(
        Observer(truth, Noise(false=0.0, confuse=0.0, drop=0.0, full_look_s=0.4), 2).images()
    ):
        seen = [replace(o, confidence=0.4) if o.colour == "green" else o for o in image.observations]
        images.append(
            replace(image, observations=tuple(o for o in seen if o.colour != "green" or k % 3 == 0))
        )
    events = run(iter(images), Tracker(SNOOKER_TABLE))
    assert not any(isinstance(e, HandMove | LayoutChange) for e in events)
    (stroke,) = (e for e in events if isinstance(e, StrokeRecord))
    for balls in (stroke.before, stroke.after):
        green = next(b for b in balls if b.colour == "green")
        assert math.dist((green.x_mm, green.y_mm), layout["green"]) < 3.0


@pytest.mark.parametrize(("confidence", "reds"), [(0.6, 3), (0.79, 3), (0.9, 4)])
def test_leather_that_looks_brown_is_no_red_because_the_brown_lies_elsewhere(
    confidence: float, reds: int
) -> None:
    """In the first picture, in a pocket's mouth. There is one brown: a sure sight of another is a red
    misread.
    """
    tl = SNOOKER_TABLE.pocket("TL")
    leather = replace(sight("brown", tl.x_mm + 50.0, tl.y_mm - 50.0), confidence=confidence)
    follower = Follower(SNOOKER_TABLE)
    seen = [*(sight(n.split("_")[0], *p) for n, p in LAYOUT.items()), leather]
    follower.begin(ImageObservations(0, 0.0, tuple(seen), None, None))
    (brown,) = [b for b in follower.balls if b.colour == "brown"]
    assert (brown.rest.x_mm, brown.rest.y_mm) == pytest.approx(LAYOUT["brown"], abs=0.1)
    assert len([b for b in follower.balls if b.colour == "red"]) == reds


def test_an_unsure_sight_that_looks_like_what_it_is_called_is_named() -> None:
    """A red in the jaws at which the light is poor is a red, however many there are."""
    tl = SNOOKER_TABLE.pocket("TL")
    follower = Follower(SNOOKER_TABLE)
    seen = [
        *(sight(n.split("_")[0], *p) for n, p in LAYOUT.items()),
        sight("red", tl.x_mm + 50.0, tl.y_mm - 50.0, confidence=0.6),
    ]
    follower.begin(ImageObservations(0, 0.0, tuple(seen), None, None))
    assert len([b for b in follower.balls if b.colour == "red"]) == 4
