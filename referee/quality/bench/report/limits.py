"""Limits (issues 20, 22) for rooms that no training has seen and real footage, and whether a run keeps them.

A share counts failures; it is sure where Wilson's 95 % interval lies within the limit too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from calibration.table.games import PIECES, is_snooker
from referee.quality.bench.report.statistics import wilson
from referee.quality.bench.report.targets import BALL_REST_MM, DISC_REST_MM

World = Mapping[str, Any]
"""One world's figures (`referee.quality.bench.rooms.measures`)."""
Verdict = Literal["reached", "missed", "not measured"]


@dataclass(frozen=True, slots=True)
class Share:
    """Failures `part` of `whole` (keys of a world), at most `limit`. `good`: `part` counts successes."""

    row: str
    part: str
    whole: str
    limit: float
    good: bool = False

    @property
    def words(self) -> str:
        """The limit for people."""
        if self.limit == 0:
            return "none"
        return f"at least {100 * (1 - self.limit):g} %" if self.good else f"at most {100 * self.limit:g} %"

    def held(self, world: World) -> tuple[Verdict, bool]:
        """The verdict on a world, and whether its interval bears it out."""
        n, part = int(world.get(self.whole) or 0), world.get(self.part)
        if n == 0 or part is None:
            return "not measured", False
        failures = n - int(part) if self.good else int(part)
        if failures > self.limit * n:
            return "missed", True
        return "reached", wilson(failures, n)[1] <= self.limit


@dataclass(frozen=True, slots=True)
class Most:
    """A value in mm, at most `limit`."""

    row: str
    key: str
    limit: float

    @property
    def words(self) -> str:
        """The limit for people."""
        return f"at most {self.limit:g} mm"

    def held(self, world: World) -> tuple[Verdict, bool]:
        """The verdict on a world; a quantile alone is never sure."""
        value = world.get(self.key)
        if value is None:
            return "not measured", False
        return ("reached" if value <= self.limit else "missed"), False


LIMITS: tuple[Share | Most, ...] = (
    Share("layouts wholly right", "layouts_right", "layouts", 0.01, good=True),
    Most("rest at 1080p, median", "rest_1080p_median_mm", 0.35),
    Most("rest at 1080p, 95 %", "rest_1080p_p95_mm", 1.0),
    Share("within one sigma", "axes_within_1_sigma", "axes", 0.317, good=True),
    Share("within two", "axes_within_2_sigma", "axes", 0.046, good=True),
    Share("within three", "axes_within_3_sigma", "axes", 0.003, good=True),
    Share("beyond four", "beyond_4_sigma", "axes", 0.001),
    Share("facts certain and wrong", "facts_wrong", "facts_certain", 0.001),
    Share(
        "pictures with a false ball over people",
        "with_false_balls_over_people",
        "pictures_with_people",
        0.0,
    ),
    Share("a false ball for a second beside people", "visits_false", "visits", 0.0),
    Share("detections of 0.9 or more that are balls", "sure_balls", "sure", 0.1, good=True),
    Share("streaks of balls of 2 to 8 m/s", "streaks_found", "streaks", 0.01, good=True),
    Share("balls of 2 to 8 m/s followed", "fast_followed", "fast", 0.01, good=True),
    Share("table within 1 mm, size told", "told_within_1_mm", "told_tables", 0.05, good=True),
    Share("tables beyond three sigmas", "table_beyond_3_sigma", "tables", 0.0),
)
"""For the second world. Shares of one, two and three sigmas are those of a normal distribution."""
_OWN_OF_GAMES = {
    "layouts wholly right": 0.03,
    "facts certain and wrong": 0.002,
}
"""Limits of games other than snooker where they differ (issue 22)."""


def limits_of(game: str) -> tuple[Share | Most, ...]:
    """The second world's limits for a game."""
    if is_snooker(game):
        return LIMITS
    pieces = PIECES[game]
    shares = (replace(x, limit=_OWN_OF_GAMES.get(x.row, x.limit)) for x in LIMITS if isinstance(x, Share))
    own: list[Share | Most] = [
        Most("rest, median", "rest_median_mm", DISC_REST_MM if pieces.discs else BALL_REST_MM),
        Share("first contacts, certain and wrong", "first_wrong", "first_certain", 0.005),
        Share("pots found with their pocket", "pots_right", "pots", 0.005, good=True),
    ]
    if pieces.numbered:
        own.append(Share("solid for stripe", "forms_wrong", "forms", 0.001))
    return (*own, *shares)


REAL_LIMITS: tuple[Share | Most, ...] = (
    Share("facts certain and wrong", "facts_wrong", "facts_certain", 0.0),
    Share("streaks of balls of 2 to 8 m/s", "streaks_found", "streaks", 0.01, good=True),
    Share("balls with boxes found", "boxes_found", "boxes", 0.03, good=True),
    Share("their colours right", "named_right", "named", 0.02, good=True),
)
"""For real footage, whose places nobody knows: nothing certain and wrong. Balls without a box count as none
among sure detections, so that these are shown, and held against nothing.
"""


def held(limits: tuple[Share | Most, ...], world: World) -> list[dict[str, Any]]:
    """A row for each limit: `row`, `limit` in words, `verdict`, `sure`."""
    out = []
    for limit in limits:
        verdict, sure = limit.held(world)
        out.append({"row": limit.row, "limit": limit.words, "verdict": verdict, "sure": sure})
    return out
