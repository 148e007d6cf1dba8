"""What an image that does not show a ball says of it: fallen from a pocket's mouth, hidden where it lay, led
away.
"""

from __future__ import annotations

import math

import pytest
from tracker_lab.looks import cells, sight
from tracker_lab.scenes import LAYOUT

from calibration.table.pockets import in_mouth, no_rest_place
from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.ball import BallState
from tracker.events import HandMove, StrokeRecord, TrackerEvent, TrackRow
from vision.observation import ImageObservations, Observation

Place = tuple[float, float]
D = SNOOKER_TABLE.ball_diameter_mm
TL = SNOOKER_TABLE.pocket("TL")
HZ, LEFT_S, SPEED_MM_S = 25.0, 0.5, 1000.0
IN_THE_JAWS = TL.x_mm + 52.0, TL.y_mm - 52.0
OPEN = -300.0, 3000.0
MET_S = LEFT_S + (400.0 - D) / SPEED_MM_S


def white_at(t_s: float, target: Place, short_mm: float, stays: bool) -> Place:
    """From 400 mm away straight to the target, or up to `short_mm` from it; there it rolls off, or
    `stays`: slower and slower it takes twice as long.
    """
    u = math.sqrt(0.5)
    on_way_s, all_s = max(t_s - LEFT_S, 0.0), MET_S - LEFT_S
    slows_s = min(on_way_s, 2.0 * all_s)
    run = SPEED_MM_S * (slows_s - slows_s**2 / (4.0 * all_s) if stays else min(on_way_s, all_s))
    s = 400.0 - run + short_mm
    off = 0.0 if stays else min(max(t_s - MET_S, 0.0), 1.0)
    return target[0] + u * s, target[1] - u * s - 300.0 * off


def a_red_missed_twice(red: Place, short_mm: float = 0.0, stays: bool = False) -> tuple[StrokeRecord, bool]:
    """The red is missed in the two images behind the time at which the white has come to it; its place is not
    looked at any more.

    The stroke's record, and whether a red was given up before.
    """
    tracker, told = Tracker(SNOOKER_TABLE), list[TrackerEvent]()
    others = [sight(n.split("_")[0], *p) for n, p in LAYOUT.items() if n not in ("white", "red_01")]
    misses, lost, there_s = 0, False, LEFT_S + (2.0 if stays else 1.0) * (MET_S - LEFT_S)
    for k in range(75):
        t = k / HZ
        white, before = white_at(t, red, short_mm, stays), white_at(t - 1 / HZ, red, short_mm, stays)
        seen = [sight("white", *white)]
        if t <= LEFT_S:
            seen += [sight("red", *red), *others]
        looked = None if t <= LEFT_S else cells(white, before, reach_mm=25.0)
        if t > there_s and misses < 2:
            misses += 1
            looked = cells(white, before, red, reach_mm=25.0)
        elif looked is not None and looked.at(*red):
            looked = cells(white, reach_mm=0.0)
            seen = []
        told += tracker.feed(ImageObservations(k, t, tuple(seen), looked, None))
        lost = lost or any(b.state is BallState.LEFT for b in tracker.follower.balls if not b.is_cue)
    (record,) = (e for e in told + tracker.close() if isinstance(e, StrokeRecord))
    return record, lost


def test_a_ball_missed_in_the_jaws_as_another_came_to_it_has_fallen_though_nobody_looks_there_again() -> None:
    assert in_mouth(*IN_THE_JAWS, SNOOKER_TABLE) and not no_rest_place(*IN_THE_JAWS, SNOOKER_TABLE)
    record, lost = a_red_missed_twice(IN_THE_JAWS)
    assert lost
    (pot,) = record.pots
    (gone,) = {p.ball for p in record.before} - {p.ball for p in record.after}
    assert pot.ball == gone and pot.pocket == "TL"
    # the two looks that miss it are 0.04 s apart and it falls within the mouth: 0.15 s are several images
    assert pot.t_s == pytest.approx(MET_S, abs=0.15)


@pytest.mark.parametrize("red", [OPEN, IN_THE_JAWS], ids=["in the open", "in the jaws"])
def test_a_ball_missed_twice_that_nobody_met_stays(red: Place) -> None:
    record, lost = a_red_missed_twice(red, short_mm=250.0)
    assert not lost and not record.pots and {p.ball for p in record.before} == {p.ball for p in record.after}


def test_a_ball_that_comes_to_lie_beside_one_in_the_jaws_has_not_sent_it_in() -> None:
    """Of two side by side one is missed now and then."""
    record, lost = a_red_missed_twice(IN_THE_JAWS, 2.0, stays=True)
    assert not lost and not record.pots


def test_a_look_3_mm_off_sends_no_ball_from_the_jaws_into_the_pocket() -> None:
    """A red lies in the jaws while the white rolls elsewhere; a look at the whole table shows it 3 mm nearer
    to the pocket, as looks err, and nothing changes there any more: it lies there still.
    """
    u = math.sqrt(0.5)
    tracker, told = Tracker(SNOOKER_TABLE), list[TrackerEvent]()
    others = [sight(n.split("_")[0], *p) for n, p in LAYOUT.items() if n not in ("white", "red_01")]
    for k in range(75):
        white = (0.0, 1000.0 + 20.0 * min(max(k - 12, 0), 30))
        whole = k <= 12 or k == 36
        seen, looked = [sight("white", *white)], cells(white, (white[0], white[1] - 20.0), reach_mm=25.0)
        if whole:
            off = 3.0 if k == 36 else 0.0
            seen += [sight("red", IN_THE_JAWS[0] - off * u, IN_THE_JAWS[1] + off * u), *others]
        told += tracker.feed(ImageObservations(k, k / HZ, tuple(seen), None if whole else looked, None))
        assert not any(b.state is BallState.LEFT for b in tracker.follower.balls if not b.is_cue)
    (record,) = (e for e in told + tracker.close() if isinstance(e, StrokeRecord))
    assert not record.pots and {p.ball for p in record.before} == {p.ball for p in record.after}


STRUCK_S, MEETS_S, NORMAL = 0.5, 0.7, (0.9, 0.436)
"""The white goes along +y at 1 m/s and meets a red thinly: along the line of centres the red takes what it
had there.
"""


def thinly(t_s: float) -> tuple[Place, Place]:
    """White and red; both slow down evenly to rest, the white 2 s and the red 0.3 s after they met."""
    x0, y0 = LAYOUT["white"]
    y0 += 1000.0 * (min(max(t_s, STRUCK_S), MEETS_S) - STRUCK_S)
    u, v = min(max(t_s - MEETS_S, 0.0), 2.0), min(max(t_s - MEETS_S, 0.0), 0.3)
    white, red = u - u * u / 4.0, 436.0 * (v - v * v / 0.6)
    met = (
        LAYOUT["white"][0] + D * NORMAL[0],
        LAYOUT["white"][1] + 1000.0 * (MEETS_S - STRUCK_S) + D * NORMAL[1],
    )
    return (x0 - 392.0 * white, y0 + 810.0 * white), (met[0] + red * NORMAL[0], met[1] + red * NORMAL[1])


def test_a_ball_that_comes_to_light_still_rolling_goes_on_in_its_stroke() -> None:
    """A sleeve that is no cover hides the white for 0.6 s, longer than all has to be still for the next
    stroke; the red lies.
    """
    tracker, told = Tracker(SNOOKER_TABLE), list[TrackerEvent]()
    others = [sight(n.split("_")[0], *p) for n, p in LAYOUT.items() if n not in ("white", "red_01")]
    for k in range(100):
        t = k / HZ
        (white, red), before = thinly(t), thinly(t - 1 / HZ)
        seen = [sight("red", *red)] if 1.0 < t < 1.6 else [sight("white", *white), sight("red", *red)]
        if t <= STRUCK_S or t > 3.0:
            image = ImageObservations(k, t, (*seen, *others), None, None)
        else:
            image = ImageObservations(k, t, tuple(seen), cells(white, red, *before, reach_mm=40.0), None)
        told += tracker.feed(image)
    told += tracker.close()
    assert not [e for e in told if isinstance(e, HandMove)]
    (record,) = (e for e in told if isinstance(e, StrokeRecord))
    assert record.start_s == pytest.approx(STRUCK_S, abs=0.05)  # between two images
    assert record.first_contact[0].ball is not None
    for colour, place in zip(("white", "red"), thinly(3.0), strict=True):
        assert min(math.dist((p.x_mm, p.y_mm), place) for p in record.after if p.colour == colour) < 2.0


KNUCKLE = LAYOUT["white"][0] + 150.0, LAYOUT["white"][1] + 200.0  # 250 mm away


def one_sight_under_an_arm(sigma_mm: float) -> list[TrackerEvent]:
    """The arm hides the white; in one image something white is seen at the knuckle's place, then all looks
    alike for 1 s.
    """
    tracker, told = Tracker(SNOOKER_TABLE), list[TrackerEvent]()
    everything: list[Observation] = [sight(n.split("_")[0], *p) for n, p in LAYOUT.items()]
    places = LAYOUT["white"], KNUCKLE
    for k in range(60):
        if k == 10:
            seen = (sight("white", *KNUCKLE, sigma_mm, 0.7),)
            image = ImageObservations(
                k, k / HZ, seen, cells(*places, reach_mm=60.0), cells(*places, reach_mm=60.0)
            )
        elif 10 < k < 40:
            image = ImageObservations(k, k / HZ, (), cells((0.0, 3400.0), reach_mm=30.0), None)
        else:
            image = ImageObservations(k, k / HZ, tuple(everything), None, None)
        told += tracker.feed(image)
    return told + tracker.close()


@pytest.mark.parametrize("sigma_mm", [0.4, 1.6])
def test_one_sight_of_a_knuckle_under_a_cover_moves_no_ball(sigma_mm: float) -> None:
    """The white lies at its place when the arm has gone; no row leads it away."""
    told = one_sight_under_an_arm(sigma_mm)
    assert not [e for e in told if isinstance(e, StrokeRecord | HandMove)]
    rows = [e for e in told if isinstance(e, TrackRow) and e.ball == "white"]
    assert rows and all(
        math.dist((e.x_mm, e.y_mm), LAYOUT["white"]) < 1.0 for e in rows
    )  # the sights' sigma: 0.3 mm
