"""Whether a picture shows the table as calibrated: another camera, a replay, a title or darkness do not.

Along a cushion's nose the brightness steps, and in the calibrated view that step lies on a curve which the
calibration knows to a fraction of a pixel: the median gradient over a whole nose stands out there, whatever
people cover of it, and vanishes in any other picture.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from calibration.result import Calibration
from vision.io.picture import U8, median

F64 = npt.NDArray[np.float64]
Profiles = npt.NDArray[np.float64]
"""Median gradient across each of the six straight noses, grey levels a step: (6, offsets)."""

_POINTS = 60  # along each nose
_REACH_PX = 20  # to both sides of a nose, in steps of a pixel at 1280 px of width
_KNOCK_PX = 10  # a camera that was knocked by less shows the same view
_NEAR_PX = 3  # the step of an unmoved camera lies within it
_LEAST_STEP = 2.0  # grey levels
_LEAST_NOSES = 3
KEPT_SHARE = 0.35
"""Of a nose's step as first seen: exposure and light change it."""
CLEAR_SHARE = 0.75
"""Of the same: no other picture is mixed in."""
_ALIKE = 0.7  # correlation of a profile with the known one
_LEAST_SHARE, _ENOUGH_SHARE = 0.4, 0.75
"""Of the noses known: fewer is another view; as many is this one. Between, the steps must lie where they
should.
"""


class ViewCheck:
    """Reads the steps at the noses of one calibrated view. Holds nothing that changes."""

    def __init__(self, calibration: Calibration) -> None:
        camera = calibration.camera
        scale = max(camera.width_px, camera.height_px) / 1280.0
        offsets = np.arange(-_REACH_PX, _REACH_PX + 1) * scale
        at = [
            centre[:, None] + inward[:, None] * offsets[None, :, None]
            for centre, inward in _noses(calibration)
        ]
        maps = np.stack(at).astype(np.float32)  # (6, points, offsets, 2)
        self._x, self._y = (np.ascontiguousarray(maps[..., k].reshape(-1, maps.shape[2])) for k in (0, 1))
        self._shape = maps.shape[:3]

    def profiles(self, luma: U8) -> Profiles:
        """The steps across the noses in a picture's luma (H, W) of the calibrated size."""
        values = cv2.remap(luma, self._x, self._y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        steps = np.diff(np.asarray(values, np.float64).reshape(self._shape), axis=2)
        return median(steps, axis=1)

    def known(self, luma: U8) -> Profiles | None:
        """The profiles of a picture that shows the calibrated view beyond doubt; None for any other."""
        profiles = self.profiles(luma)
        near = profiles[:, _REACH_PX - _NEAR_PX : _REACH_PX + _NEAR_PX]
        step = near[np.arange(len(near)), np.argmax(np.abs(near), axis=1)]
        same = max(int((step >= _LEAST_STEP).sum()), int((step <= -_LEAST_STEP).sum()))
        return profiles if same >= _LEAST_NOSES else None

    def share(self, luma: U8, known: Profiles, kept: float = KEPT_SHARE) -> float:
        """Share of the noses seen in a known picture that this one shows too, a knock of the camera aside.

        `kept`: how much of its former step a nose must show.
        """
        now = self.profiles(luma)
        there = np.abs(known[:, _REACH_PX - _NEAR_PX : _REACH_PX + _NEAR_PX]).max(axis=1) >= _LEAST_STEP
        core = known[:, _KNOCK_PX:-_KNOCK_PX]
        windows = np.lib.stride_tricks.sliding_window_view(now, core.shape[1], axis=1)  # (6, shifts, core)
        dot = np.einsum("nsk,nk->ns", windows, core)
        power = np.maximum((core**2).sum(axis=1, keepdims=True), 1e-9)
        alike = dot / np.sqrt(np.maximum((windows**2).sum(axis=2), 1e-9) * power)
        same = ((alike >= _ALIKE) & (dot / power >= kept)).any(axis=1)
        return float((same & there).sum() / max(int(there.sum()), 1))

    def shows(self, luma: U8, known: Profiles, kept: float = KEPT_SHARE) -> bool:
        """Whether the picture shows the view of the known one (see `share`)."""
        share = self.share(luma, known, kept)
        return share >= _ENOUGH_SHARE or (share >= _LEAST_SHARE and self.known(luma) is not None)


def _noses(calibration: Calibration) -> list[tuple[F64, F64]]:
    """Per straight nose its points in the picture (n, 2) and the unit direction towards the bed there (n,
    2).
    """
    table, camera = calibration.table, calibration.camera
    bl, br, cl, cr, tl, tr = (p.jaws for p in table.pockets)
    ends = [(bl[0], br[0]), (tl[0], tr[0]), (bl[1], cl[0]), (cl[1], tl[1]), (br[1], cr[0]), (cr[1], tr[1])]
    along = np.linspace(0.02, 0.98, _POINTS)[:, None]
    middle = np.array([0.0, table.length_mm / 2])
    found = []
    for start, end in ends:
        a, b = np.array(start), np.array(end)
        normal = np.array([a[1] - b[1], b[0] - a[0]]) / np.hypot(*(b - a))
        normal *= np.sign(normal @ (middle - a))
        points, height = a + (b - a) * along, np.full((_POINTS, 1), table.nose_height_mm)
        here = camera.pixels_from_table(np.hstack((points, height)))
        inner = camera.pixels_from_table(np.hstack((points + normal * 20.0, height)))
        inward = inner - here
        size = np.linalg.norm(inward, axis=1, keepdims=True)
        found.append((np.nan_to_num(here, nan=-1e4), np.nan_to_num(inward / np.maximum(size, 1e-9))))
    return found
