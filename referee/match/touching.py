"""Whether two balls at rest touch, as far as a camera tells (snooker 3.8, billiards 3.13, black ball 5.9,
WEPF S).
"""

from __future__ import annotations

from typing import Literal

from calibration.table.pieces import colour_of
from referee.facts.seen import SeenStroke, SeenTouching
from referee.match.weighing import EVEN

TOUCHING_MM = 0.4
"""A gap up to this, or up to its own uncertainty (`TOUCHING_SIGMAS`, at most 1 mm), counts as touching."""
TOUCHING_SIGMAS = 1.5
APART_MM = 0.2
"""Balls this far apart do not touch, whoever looks."""
OVERLAP_SIGMAS = 2.5
"""A gap further below none than this is wrongly measured."""
AT_ONCE_S = 0.1
"""A first contact this soon after the cue-ball moves, with a ball that it touched, moved that ball."""


def touching_verdict(gap_mm: float, sigma_mm: float) -> Literal["yes", "no", "unknown"]:
    """Whether two balls touch, from a measured gap and its sigma: certain only where the other can be ruled
    out.

    `yes` needs gaps of `APART_MM` and more ruled out at 99 %, `no` a gap of four sigma (errors beside a
    ball of the cloth's colour have long tails: 3.5 was seen at none) and 0.3 mm. No two balls overlap: a
    gap that far below none has a worse error than its sigma says, and is no certain `yes`.
    """
    if gap_mm < -OVERLAP_SIGMAS * sigma_mm:
        return "unknown"
    if gap_mm >= max(4.0 * sigma_mm, 0.3):
        return "no"
    return "yes" if gap_mm + 2.326 * sigma_mm <= APART_MM else "unknown"


def touch_weight(gap_mm: float, sigma_mm: float) -> float:
    """Weight that two balls, or a ball and a cushion, touch, by the measured gap and its sigma."""
    weights = {"yes": 1.0, "no": 0.0, "unknown": EVEN}
    return weights[touching_verdict(gap_mm, sigma_mm)]


def touch(beside: SeenTouching) -> float:
    """Weight that the cue-ball touches the ball beside it."""
    return touch_weight(beside.gap_mm, beside.sigma_mm)


def touching_balls(seen: SeenStroke) -> tuple[str, ...]:
    """Object balls that the cue-ball touches, as far as can be seen, at the end of a stroke (snooker 3.8).

    The frame goes on with what is likelier; `touching_verdict` says how sure that is.
    """
    if seen.cue_ball != "on_table":
        return ()
    return tuple(
        t.ball for t in seen.touching if t.gap_mm <= max(TOUCHING_MM, min(1.0, TOUCHING_SIGMAS * t.sigma_mm))
    )


def doubtful_touch(seen: SeenStroke) -> str | None:
    """The colour of the nearest ball of which nobody knows whether the cue-ball touches it after a stroke."""
    near = sorted(seen.touching, key=lambda t: t.gap_mm) if seen.cue_ball == "on_table" else ()
    open_ones = (t.ball for t in near if touching_verdict(t.gap_mm, t.sigma_mm) == "unknown")
    return next(map(colour_of, open_ones), None)
