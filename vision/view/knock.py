"""A camera knocked during a video: reported, and healed when two looks agree on its new pose."""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibration.camera import Camera
from calibration.monitor.knocked import MovedCheck, View, healed, shift_between, shift_px
from calibration.result import Calibration
from vision.io.picture import U8
from vision.observation import CameraMoved

_EVERY_S = 1.0  # seconds between looks at a camera at rest
_AGAIN_S = 0.25  # seconds between looks while it seems to have moved
_STARTLED_S = 0.1  # least seconds between looks while much of the table changes
_STARTLED_SHARE = 0.06  # of the cells: so many change at once in a knock
_MOVED_MM, _SIGMAS = 0.75, 4.0  # a shift is a knock above both: a knock of 1 mm must not be missed
_MOVED_PX = 0.2  # and above this in the picture: compression alone shifts what is far away by millimetres
_DRIFT_PX, _DRIFT_AGREES = 1.5, 0.6
"""A shift up to this (px), on which so many of all patches agree, is followed at once, as of a camera that a
person turns; it is told when the camera rests."""
_RESTS_S = 1.0  # seconds without a shift after which a camera that a person turned is at rest
_SETTLED_MM, _SETTLED_S = 0.5, 0.4
"""Two looks that differ by less, so far apart in time, show a camera at rest."""
_GIVEN_UP_S = 3.0  # seconds after which a knock is reported that cannot be healed
_HELD_S = 2.0  # longest time for which observations are withheld
_ROUNDING_S = 1e-6


@dataclass
class KnockWatch:
    """Watches whether the camera is at rest. `calibration`: the one in force.

    `suspect`: the last look with a shift, at `suspect_s`. `since_s`: the first of an unbroken run of them.
    `flagged`: this knock was reported. `drifted`: the last look followed a small shift of the camera.
    `drift_since_s`, `drift_last_s`: first and last of such shifts that are not told yet; `drift_mm`: largest.
    """

    calibration: Calibration
    check: MovedCheck | None = None
    next_s: float = 0.0
    last_s: float = float("-inf")
    suspect: View | None = None
    suspect_s: float = 0.0
    since_s: float | None = None
    flagged: bool = False
    drifted: bool = False
    drift_since_s: float | None = None
    drift_last_s: float = 0.0
    drift_mm: float = 0.0

    def feed(self, luma: U8, t_s: float, changed_share: float) -> CameraMoved | None:
        """Look at a picture if a look is due; at most one event when it moved and one when it is healed.

        `luma` (H, W): uint8. `changed_share`: of the table's cells.
        """
        self.drifted = False
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
        watchful = self.since_s is not None or self.drift_since_s is not None
        self.next_s = t_s + (_STARTLED_S if self.drifted else _AGAIN_S if watchful else _EVERY_S)
        return found

    def holding(self, t_s: float) -> bool:
        """Whether places cannot be trusted now because a shift is being confirmed."""
        return self.suspect is not None and self.since_s is not None and t_s < self.since_s + _HELD_S

    def _judged(self, view: View, t_s: float) -> CameraMoved | None:
        if math.isnan(view.shift_mm):  # too little is visible
            return None
        if view.camera is not None and self._at_rest(view, view.camera):
            self.suspect, self.since_s, self.flagged = None, None, False
            return self._rests(t_s)
        if self._drifts(view):
            self._follow(view, t_s)
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

    def _follow(self, view: View, t_s: float) -> None:
        """Take the pose of a camera that drifts."""
        self.drift_mm = max(view.shift_mm, self.drift_mm if self.drift_since_s is not None else 0.0)
        self.drift_since_s = t_s if self.drift_since_s is None else self.drift_since_s
        self.drift_last_s = t_s
        self._take(view)
        self.drifted = True

    def _rests(self, t_s: float) -> CameraMoved | None:
        """The drift that is over when the camera has been at rest for long enough."""
        if self.drift_since_s is None or t_s < self.drift_last_s + _RESTS_S:
            return None
        since_s, self.drift_since_s = self.drift_since_s, None
        return CameraMoved(self.drift_mm, since_s, True)

    def _at_rest(self, view: View, camera: Camera) -> bool:
        """Whether a view's shift is within its noise, in mm or in pixels."""
        if view.shift_mm <= max(_MOVED_MM, _SIGMAS * view.sigma_mm):
            return True
        return shift_px(camera, self.calibration.camera, self.calibration) <= _MOVED_PX

    def _drifts(self, view: View) -> bool:
        """Whether the camera has moved by so little, and so plainly, that its pose can be followed."""
        if view.camera is None or view.agreeing < _DRIFT_AGREES or self.suspect is not None:
            return False
        return shift_px(view.camera, self.calibration.camera, self.calibration) <= _DRIFT_PX

    def _agrees(self, view: View) -> bool:
        if self.suspect is None or self.suspect.camera is None or view.camera is None:
            return False
        allowed = max(_SETTLED_MM, _SIGMAS * max(view.sigma_mm, self.suspect.sigma_mm))
        return shift_between(self.suspect.camera, view.camera, self.calibration) < allowed

    def _heal(self, view: View, since_s: float) -> CameraMoved:
        self._take(view)
        return CameraMoved(view.shift_mm, since_s, True)

    def _take(self, view: View) -> None:
        """The pose of a view from now on."""
        assert self.check is not None
        # always relative to the calibration as solved, so that errors do not add up
        self.calibration = healed(self.check.calibration, view)
        self.suspect, self.since_s, self.flagged = None, None, False
