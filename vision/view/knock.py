"""A camera knocked during a video: reported, and healed when two looks agree on its new pose."""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibration.monitor.knocked import MovedCheck, View, healed, shift_between
from calibration.result import Calibration
from vision.io.picture import U8
from vision.observation import CameraMoved

_EVERY_S = 1.0  # seconds between looks at a camera at rest
_AGAIN_S = 0.25  # seconds between looks while it seems to have moved
_STARTLED_S = 0.1  # least seconds between looks while much of the table changes
_STARTLED_SHARE = 0.06  # of the cells: so many change at once in a knock
_MOVED_MM, _SIGMAS = 0.75, 4.0  # a shift is a knock above both: a knock of 1 mm must not be missed
_SETTLED_MM, _SETTLED_S = (
    0.5,
    0.4,
)  # two looks that differ by less, so far apart in time, show a camera at rest
_GIVEN_UP_S = 3.0  # seconds after which a knock is reported that cannot be healed
_HELD_S = 2.0  # longest time for which observations are withheld
_ROUNDING_S = 1e-6


@dataclass
class KnockWatch:
    """Watches whether the camera is at rest. `calibration`: the one in force.

    `suspect`: the last look with a shift, at `suspect_s`. `since_s`: the first of an unbroken run of them.
    `flagged`: this knock was reported.
    """

    calibration: Calibration
    check: MovedCheck | None = None
    next_s: float = 0.0
    last_s: float = float("-inf")
    suspect: View | None = None
    suspect_s: float = 0.0
    since_s: float | None = None
    flagged: bool = False

    def feed(self, luma: U8, t_s: float, changed_share: float) -> CameraMoved | None:
        """Look at a picture if a look is due; at most one event when it moved and one when it is healed.

        `luma` (H, W): uint8. `changed_share`: of the table's cells.
        """
        if self.check is None:
            self.check = MovedCheck(self.calibration, luma)
            self.next_s = t_s + _EVERY_S
            return None
        startled = changed_share > _STARTLED_SHARE and t_s >= self.last_s + _STARTLED_S
        if not startled and t_s < self.next_s:
            return None
        self.last_s = t_s
        view = self.check.check(luma, self.calibration.camera)
        found = self._judged(view, t_s)
        self.next_s = t_s + (_EVERY_S if self.since_s is None else _AGAIN_S)
        return found

    def holding(self, t_s: float) -> bool:
        """Whether places cannot be trusted now because a shift is being confirmed."""
        return self.suspect is not None and self.since_s is not None and t_s < self.since_s + _HELD_S

    def _judged(self, view: View, t_s: float) -> CameraMoved | None:
        if math.isnan(view.shift_mm):  # too little is visible
            return None
        if view.camera is not None and view.shift_mm <= max(_MOVED_MM, _SIGMAS * view.sigma_mm):
            self.suspect, self.since_s, self.flagged = None, None, False
            return None
        since = self.since_s = t_s if self.since_s is None else self.since_s
        if view.camera is not None:
            if not self._agrees(view):
                self.suspect, self.suspect_s = view, t_s
            elif t_s >= self.suspect_s + _SETTLED_S - _ROUNDING_S:
                return self._heal(view, since)
        if t_s - since < _GIVEN_UP_S or self.flagged:
            return None
        self.flagged = True
        return CameraMoved(view.shift_mm, since, False)

    def _agrees(self, view: View) -> bool:
        if self.suspect is None or self.suspect.camera is None or view.camera is None:
            return False
        allowed = max(_SETTLED_MM, _SIGMAS * max(view.sigma_mm, self.suspect.sigma_mm))
        return shift_between(self.suspect.camera, view.camera, self.calibration) < allowed

    def _heal(self, view: View, since_s: float) -> CameraMoved:
        assert self.check is not None
        # always relative to the calibration as solved, so that errors do not add up
        self.calibration = healed(self.check.calibration, view)
        self.suspect, self.since_s, self.flagged = None, None, False
        return CameraMoved(view.shift_mm, since_s, True)
