"""A table found in a picture and solved: how likely it is, and the reasons for which it is refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.errors import prefix
from calibration.find.beyond import cloth_beyond, goes_on
from calibration.find.edges import nose_stations
from calibration.find.rough import table_outline
from calibration.find.sights import SIGHTS
from calibration.find.strips import ByteArray
from calibration.find.table import Found
from calibration.solve.model import BIAS_SHARE, Fit, FloatArray, Points, robust
from calibration.solve.unknowns import ARC, ENDS, SIDES
from calibration.table.specs import TableSpec
from calibration.texts import unusable_input

WORST_RESIDUAL_PX, WORST_RESIDUAL_WIDTHS = 1.0, 0.0008
"""Largest median distance of a side's points from the model, in pixels and as a share of the picture's width.

The larger of the two is the limit.
"""

FAINT_PX = 1.5
"""Standard deviation of a cushion's points beyond which a visible D must confirm the solution."""

CLEAN_PX = 0.45
"""Median distance of every side (at 1280 px width) below which no other reading of the cloth is tried."""

CLEAN_COST = 0.5
"""Misfit a point, marks included, below which no other reading is tried.

Measured 0.02 to 0.2 for 39 of 40 random cameras, and 1.5 to 3 for readings with the marks in the wrong place
(docs/lab/2026-11-22-calibration.md).
"""

CLEAN_OFF = 1.5
"""Root mean square (sigmas) of the cushions' ends, or of the sights, below which no other reading is tried.

In noisy pictures of one room it is 0.65 to 1.0 for readings up to 6 mm off, and 1.2 and more for those 18 mm
off and more (docs/lab/2026-11-26-pockets-as-landmarks.md).
"""

MOST_OFF = 6.0
"""The same root mean square, above which a reading is refused. Ends found by chance would be 15 off."""

END_LOST = 4.7
"""Largest cost (natural logarithm) of a cushion's end that is not seen, or seen elsewhere.

Of 528 ends of right readings 3 were not seen (behind a player); in television's end view one in five was seen
elsewhere (docs/lab/2026-11-26-pockets-as-landmarks.md).
"""

SIGHT_FOUND, SIGHT_MISSED = 0.75, 0.85
"""Evidence (natural logarithm) for and against a candidate of each of a sight's two coordinates, found and
not: of a table's sights 85 in 100 are found under the right reading, and up to one of two under a wrong one
(docs/lab/2026-11-30-tables-without-sights.md).
"""

CLOTH_COLOURED_RAIL = 4.6
"""Evidence (natural logarithm) of its sights from which a reading is right though what lies beyond one nose
has the cloth's colour: one rail of a hundred has it, and the one across has not. Assumed.
"""

LEAST_COVERED = 0.35
"""Share of a cushion's stations that must be measured."""

_ENDS = 12  # ends of a table's cushions
_MIDDLES = slice(2, 4)  # of `ENDS`: those at the middle pockets
_UNSEEN_SIGMAS = 10.0  # distance that counts for a landmark that is not seen
_MISTAKEN_SHARE = 6  # one landmark in so many may be mistaken
_NOMINAL_WIDTH_PX = 1280  # width for which `CLEAN_PX` holds
_HEIGHTS_WIDTHS = (0.35, 12.0)  # camera's height over the table's width that a real one can have
_IN_VIEW_SHARE = 0.98  # of the noses' outline that must lie inside the picture
_COST_WEIGHT = 20.0  # of the misfit a point against the score of a reading


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table found in a picture and solved. `table`: the specification that it was sought with."""

    table: TableSpec
    found: Found
    fit: Fit
    points: Points

    @property
    def rank(self) -> float:
        """Misfit against the score of what was found, in natural logarithms; lower is better.

        Points of one edge share their errors and count as one. Each end of a cushion or of the baulk line,
        each sight, and each prior (lens, nose height, margins), is evidence of its own.
        """
        fit, points, cost = self.fit, self.points, self._landmark_costs
        ends, sights, line = cost[points.on_end], cost[points.on_sight], cost[points.on_line_end]
        landmarks = float(ends.sum() + sights.sum() + line.sum())
        edges = (fit.data_cost - landmarks) / max(1, len(points.px)) * _COST_WEIGHT
        seen = float(np.minimum(ends / 2, END_LOST).sum()) + _lost(points)
        seen += float(line.sum()) / 2 - _sighted(sights)
        return edges + seen + (fit.cost - fit.data_cost) / 2 - self.found.score

    @property
    def _landmark_costs(self) -> FloatArray:
        """(N,) cost of each point, where it is a landmark: twice a natural logarithm."""
        costs: FloatArray = robust(self.fit.residual_px / self.points.sigma_px) ** 2
        return costs

    @property
    def clean(self) -> bool:
        """Whether it fits so well that no other candidate is tried."""
        limit_px = CLEAN_PX * max(1.0, self.fit.camera.width_px / _NOMINAL_WIDTH_PX)
        return (
            max(self._median_px(side) for side in SIDES) <= limit_px
            and self.fit.cost <= CLEAN_COST * len(self.points.px)
            and landmarks_off(self.fit, self.points) < CLEAN_OFF
        )

    @property
    def endless(self) -> bool:
        """Whether the table has a baulk end, but neither a line nor colours on their spots show which."""
        table, found = self.table, self.found
        has_baulk = table.mark_set == "snooker" and table.baulk_line_mm is not None
        return has_baulk and found.marks is None and found.spotted is None

    @property
    def worst_residual_px(self) -> float:
        """Largest median distance (px) that a side's points may have from the model."""
        return max(WORST_RESIDUAL_PX, WORST_RESIDUAL_WIDTHS * self.fit.camera.width_px)

    def check(self, image: ByteArray, name: str) -> None:
        """Raise UnusableInput, with `name` in front, where it does not fit the picture (H, W, 3)."""
        self.check_view(name)
        self._check_coverage(name)
        self._check_clarity(name)
        self._check_sides(name)
        if landmarks_off(self.fit, self.points) > MOST_OFF:
            raise unusable_input("errors.pockets_where_the_cushions_end", where=prefix(name))
        beyond = goes_on(cloth_beyond(image, self.fit.camera, self.fit.table))
        if beyond and _sighted(self._landmark_costs[self.points.on_sight]) < CLOTH_COLOURED_RAIL:
            raise unusable_input("errors.cushions_where_the_cloth_ends", where=prefix(name))

    def check_view(self, name: str) -> None:
        """Raise UnusableInput unless the camera is above the table and sees all cushions."""
        camera, table = self.fit.camera, self.table
        height = camera.centre_mm[2]
        lowest, highest = _HEIGHTS_WIDTHS
        if not lowest * table.width_mm < height < highest * table.width_mm:
            raise unusable_input("errors.camera_above_the_table", where=prefix(name), height=f"{height:.0f}")
        outline = camera.pixels_from_table(table_outline(table, 0.0, table.nose_height_mm))
        inside = np.isfinite(outline).all(axis=1)
        inside &= (outline >= -1).all(axis=1) & (outline <= (camera.width_px, camera.height_px)).all(axis=1)
        if inside.mean() < _IN_VIEW_SHARE:
            raise unusable_input(
                "errors.picture_of_the_whole_table", where=prefix(name), percent=f"{100 * inside.mean():.0f}"
            )

    def _check_coverage(self, name: str) -> None:
        """Every cushion is measured along enough of its length."""
        for side in SIDES:
            measured = (self.points.mark == side).sum()
            expected = len(nose_stations(self.table, side)[0])
            if measured < LEAST_COVERED * expected:
                raise unusable_input(
                    "errors.see_every_cushion", where=prefix(name), chosen=measured, expected=expected
                )

    def _check_clarity(self, name: str) -> None:
        """No cushion is faint, or the D or the spots confirm the solution."""
        if self.table.d_radius_mm is None or self.found.spotted is not None:
            return
        faint = max(self._sigma_px(side) for side in SIDES) > FAINT_PX
        if faint and not (self.points.mark == ARC).any():
            raise unusable_input("errors.four_clear_cushions_or_a_visible_d", where=prefix(name))

    def _check_sides(self, name: str) -> None:
        """The cushions lie where the table's size has them.

        A faint side may be off by two sigmas of its common offset, which the calibration's `sigma` includes.
        """
        limit = self.worst_residual_px
        typical, allowed = max(
            ((self._median_px(s), max(limit, 2 * BIAS_SHARE * self._sigma_px(s))) for s in SIDES),
            key=lambda side: side[0] - side[1],
        )
        if typical > allowed:
            raise unusable_input(
                "errors.cushions_to_fit_a_table_of_x_mm",
                where=prefix(name),
                length_mm=f"{self.table.length_mm:.0f}",
                width_mm=f"{self.table.width_mm:.0f}",
                typical=f"{typical:.1f}",
            )

    def _median_px(self, side: int) -> float:
        """Median distance (px) of a side's points from the model."""
        return float(np.median(np.abs(self.fit.residual_px[self.points.mark == side])))

    def _sigma_px(self, side: int) -> float:
        """Median standard deviation (px) of a side's points."""
        return float(np.median(self.points.sigma_px[self.points.mark == side]))


def _lost(points: Points) -> float:
    """What the ends that are not seen cost: pockets of one kind look alike, so that no more than half of its
    ends count.
    """
    lost = np.array([2 - np.count_nonzero(points.mark == end) for end in ENDS])
    middles, corners = lost[_MIDDLES].sum(), np.delete(lost, _MIDDLES).sum()
    return END_LOST * float(min(middles, 2) + min(corners, 4))


def _sighted(costs: FloatArray) -> float:
    """Evidence of the sights that are found, at these costs (N,), two for each; none where too few are, as on
    a table that has no sights.
    """
    found = float(np.maximum(SIGHT_FOUND - costs / 2, 0.0).sum())
    return max(found - SIGHT_MISSED * (2 * SIGHTS - len(costs)), 0.0)


def landmarks_off(fit: Fit, points: Points) -> float:
    """Root mean square (sigmas) of the cushions' ends, or of the sights, whichever agree better.

    Pockets may have the cloth's colour, and many tables have no sights.
    """
    off = fit.residual_px / points.sigma_px
    return min(_off(off[points.on_end], _ENDS), _off(off[points.on_sight], 2 * SIGHTS))


def _off(sigmas: FloatArray, count: int) -> float:
    """Root mean square distance of `count` landmarks, less those that may be mistaken: the farthest ones.

    `sigmas`: of the landmarks that are seen.
    """
    off = np.sort(np.append(np.abs(sigmas), np.full(count - len(sigmas), _UNSEEN_SIGMAS)))
    return float(np.sqrt(np.mean(off[: count - count // _MISTAKEN_SHARE] ** 2)))
