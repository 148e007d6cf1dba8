"""The colour of a ball at rest: what a player's shadow makes of it for a second outweighs no look at the
still table.
"""

from __future__ import annotations

import math

from tracker_lab.scenes import LAYOUT

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from vision.observation import BALL_CLASSES, CellMask, ImageObservations, Observation

RED, BROWN = BALL_CLASSES.index("red"), BALL_CLASSES.index("brown")
SHADED = "red_02"


OFF_SPOT = LAYOUT | {"brown": (310.0, 1130.0)}


def seen(
    name: str,
    red: float | None = None,
    brown: float | None = None,
    layout: dict[str, tuple[float, float]] = LAYOUT,
) -> Observation:
    """A ball as read; `red` and `brown`: the log-likelihoods, where they are not plain."""
    own = BALL_CLASSES.index(name.split("_")[0])
    logp = [-6.0] * len(BALL_CLASSES)
    logp[own] = 0.0
    if red is not None and brown is not None:
        logp[RED], logp[BROWN] = red, brown
    x, y = layout[name]
    return Observation(x, y, 0.4, 0.0, 0.0, tuple(logp), 0.95)


def about(name: str) -> CellMask:
    """A look at the ball alone."""
    x0, y0, cell, columns, rows = -1017.0, -128.0, 64.0, 32, 60
    x, y = LAYOUT[name]
    bits = bytearray(columns * rows)
    bits[int((y - y0) // cell) * columns + int((x - x0) // cell)] = 1
    return CellMask(x0, y0, cell, columns, rows, bytes(bits))


def named_after(
    reds: tuple[float, float], shaded: tuple[float, float], whole_looks: int, shaded_looks: int
) -> dict[tuple[float, float], str]:
    """Colour by place after looks at the still table and then at one ball in a shadow, image by image, at 25
    a second.
    """
    tracker, t, index = Tracker(SNOOKER_TABLE), 0.0, 0
    for _ in range(whole_looks):
        plain = tuple(seen(n, *reds) if n.startswith("red") else seen(n) for n in LAYOUT)
        tracker.feed(ImageObservations(index, t, plain, None, None))
        index, t = index + 1, t + 0.4
    for _ in range(shaded_looks):
        tracker.feed(ImageObservations(index, t, (seen(SHADED, *shaded),), about(SHADED), None))
        index, t = index + 1, t + 0.04
    # names are thought over at a look at the whole table, with what was seen until then
    tracker.feed(ImageObservations(index, t + 0.5, tuple(seen(n) for n in LAYOUT), None, None))
    return {b.place: b.colour for b in tracker.follower.balls}


def test_a_shadow_on_a_red_does_not_make_it_the_brown_that_lies_on_its_spot() -> None:
    """As measured: reds read as red by 2 nats, the brown without doubt, the shaded red as brown by 5, for two
    seconds.
    """
    colours = named_after((-0.1, -2.4), (-5.5, -0.1), whole_looks=4, shaded_looks=50)
    assert colours == {place: n.split("_")[0] for n, place in LAYOUT.items()}


def first_and_later(layout: dict[str, tuple[float, float]]) -> tuple[dict[str, str], dict[str, str]]:
    """What the balls are called after a first picture that reads brown and a red for one another, by a nat,
    and after seven that read all plainly.
    """
    tracker = Tracker(SNOOKER_TABLE)
    wrong = {"brown": (0.0, -1.0), SHADED: (-1.0, 0.0)}
    said = []
    for k in range(8):
        read = wrong if k == 0 else {}
        observations = tuple(seen(n, *read.get(n, (None, None)), layout) for n in layout)
        tracker.feed(ImageObservations(k, 0.4 * k, observations, None, None))
        balls = tracker.follower.balls
        nearest = {n: min(balls, key=lambda b, at=at: math.dist(b.place, at)) for n, at in layout.items()}
        said.append({n: b.colour for n, b in nearest.items()})
    return said[0], said[-1]


def test_a_ball_read_wrongly_in_the_first_picture_gets_its_name_from_later_looks() -> None:
    first, later = first_and_later(OFF_SPOT)
    assert first["brown"] == "red" and first[SHADED] == "brown"
    assert later == {n: n.split("_")[0] for n in OFF_SPOT}


def test_what_lies_on_the_brown_spot_is_the_brown_though_it_is_read_as_red() -> None:
    """A colour mostly lies on its spot, a red just there hardly ever: worth nine nats."""
    first, later = first_and_later(LAYOUT)
    assert first == later == {n: n.split("_")[0] for n in LAYOUT}
