"""Whether two balls at rest touch, from the gap measured between them (snooker 3.8, billiards 3.13)."""

from __future__ import annotations

from typing import Literal

APART_MM = 0.2
"""Balls this far apart do not touch, whoever looks."""
OVERLAP_SIGMAS = 2.5
"""A gap further below none than this is wrongly measured."""


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
