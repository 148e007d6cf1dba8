"""A colour struck so hard that no image shows it, potted, and put back on its spot while others still roll.

That it "never left" would mean that a ball in sight was missed in look after look: likelihoods decide.
"""

from __future__ import annotations

import numpy as np
from tracker_lab.observer import Noise
from tracker_lab.scenes import LAYOUT, still, track

from calibration.table.specs import SNOOKER_TABLE
from tracker.events import HandMove, StrokeRecord

SPOT = SNOOKER_TABLE.spots["brown"]
BR = SNOOKER_TABLE.pocket("BR")
STRUCK_S, BACK_S = 3.0, 9.0


def scene(back_s: float | None, met: bool = True) -> list:
    """The white meets the brown on the line to the bottom right pocket and rolls on slowly, aside.

    `back_s`: when a hand has put the brown back; None: it lies there all the time and is seen. Every image is
    looked at: a streak changes what is seen of its way, though nothing is detected.
    """
    way = np.array([BR.x_mm - SPOT[0], BR.y_mm - SPOT[1]])
    way /= np.hypot(*way)
    touch = np.array(SPOT) - way * SNOOKER_TABLE.ball_diameter_mm
    from_ = touch - way * 500.0
    aside = (0.0, 0.0) if met else (400.0, 500.0)
    layout = {**LAYOUT, "white": (from_[0] + aside[0], from_[1] + aside[1])}
    truth = still(16, layout=layout)
    n = truth.names.index("white")
    for i, t in enumerate(truth.t):
        if t > STRUCK_S - 0.4:
            truth.xy[i, n] = layout["white"] + way * 500.0 * min((t - STRUCK_S + 0.4) / 0.4, 1.0)
            slow_s = min(max(t - STRUCK_S, 0.0), 8.0)
            truth.xy[i, n] += np.array([-way[1], way[0]]) * (160.0 - 10.0 * slow_s) * slow_s
    if back_s is not None:
        b = truth.names.index("brown")
        truth.xy[(truth.t > STRUCK_S) & (truth.t < back_s), b] = np.nan
        truth.covers.append((back_s - 1.5, back_s + 0.1, *SPOT, -1.0, 0.0))
        truth.covers.append((back_s + 0.1, back_s + 0.6, SPOT[0] - 400.0, SPOT[1], -1.0, 0.0))
    return track(truth, noise=Noise(full_look_s=0.0))


def test_it_was_potted_and_a_hand_put_it_back() -> None:
    events = scene(BACK_S)
    (stroke,) = [e for e in events if isinstance(e, StrokeRecord)]
    assert [(p.ball, p.pocket) for p in stroke.pots] == [("brown", "BR")]
    assert stroke.first_contact[0].ball == "brown"
    (move,) = [e for e in events if isinstance(e, HandMove)]
    assert (move.type, move.ball) == ("respot", "brown") and abs(move.t_s - BACK_S) < 0.5


def test_one_that_is_seen_there_all_the_time_never_left() -> None:
    events = scene(None, met=False)
    assert not any(p for e in events if isinstance(e, StrokeRecord) for p in e.pots)
    assert not any(isinstance(e, HandMove) and e.ball == "brown" for e in events)
