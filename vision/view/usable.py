"""Whether a picture can be used: of the calibrated size and shape, in colour, and of the calibrated view.

Another camera, a replay, a title or darkness do not show the calibrated view. Brightness steps along a
cushion's nose, and the calibration knows to a fraction of a pixel on which curve. The median gradient over a
whole nose stands out there, whatever people cover of it, and vanishes in any other picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.result import Calibration
from calibration.table.specs import PointMm, TableSpec
from vision.io.picture import U8, Picture, median

F64 = npt.NDArray[np.float64]
Profiles = npt.NDArray[np.float64]
"""Median gradient across each of the six straight noses, grey levels a step: (6, offsets)."""

SAME_SHAPE = 0.005
"""Relative difference of two aspect ratios that rounding explains (854 x 480)."""
_RESCALED_SIGMA = 1.25  # factor on sigmas of a resampled picture; softer outlines, also where it was larger
_COLOURLESS = 6  # greatest range of chroma, grey levels, in a picture without colours

_POINTS = 60  # along each nose
_ENDS = (0.02, 0.98)  # of a nose between which the points lie
_INWARD_MM = 20.0  # step towards the bed that gives the direction across a nose in the picture
_NOMINAL_WIDTH_PX = 1280.0  # width for which the pixel numbers below hold
_REACH_PX = 20  # to both sides of a nose, in steps of a pixel at the nominal width
_KNOCK_PX = 10  # shift of a knocked camera up to which the view is the same
_NEAR_PX = 3  # distance within which the step of an unmoved camera lies
_LEAST_STEP = 2.0  # grey levels
_LEAST_NOSES = 3
_KEPT_SHARE = 0.35  # of a nose's step as first seen; exposure and light change it
_CLEAR_SHARE = 0.75  # of the same; from here on no other picture is mixed in
_ALIKE = 0.7  # correlation of a profile with the known one
_LEAST_SHARE, _ENOUGH_SHARE = 0.4, 0.75
"""Shares of the known noses. Below the first it is another view, from the second on it is this one. Between
them the steps must also lie where the calibration has the noses."""

_STARTLED_SHARE = 0.25  # of the table's cells; when so many change at once, the view is checked at once
_EVERY_S = 0.1  # seconds between checks while less changes: a fade changes little from image to image
_CALM_SHARE, _SELDOM_S = (
    0.02,
    0.5,
)  # balls and an arm change a smaller share; a check is due every half second then
_FAINT_S = 1.0  # seconds after which a view that came back in another light is believed
_SURE_BALLS = 6  # so many balls show that the first picture is the table's, though its noses do not
_GIVEN_UP_S = 10.0  # seconds after which images are used though the view was never recognised


class ViewCheck:
    """Measures the steps at the noses of one calibrated view. Immutable."""

    def __init__(self, calibration: Calibration) -> None:
        camera = calibration.camera
        scale = max(camera.width_px, camera.height_px) / _NOMINAL_WIDTH_PX
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
        """The profiles of a picture that certainly shows the calibrated view; None for any other."""
        profiles = self.profiles(luma)
        near = profiles[:, _REACH_PX - _NEAR_PX : _REACH_PX + _NEAR_PX]
        step = near[np.arange(len(near)), np.argmax(np.abs(near), axis=1)]
        same = max(int((step >= _LEAST_STEP).sum()), int((step <= -_LEAST_STEP).sum()))
        return profiles if same >= _LEAST_NOSES else None

    def share(self, luma: U8, known: Profiles, kept: float = _KEPT_SHARE) -> float:
        """Share of the noses of a known picture that this one shows too, shifted by a knock or not.

        `kept`: share of its former step that a nose must show.
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

    def shows(self, luma: U8, known: Profiles, kept: float = _KEPT_SHARE) -> bool:
        """Whether the picture shows the view of the known one (see `share`)."""
        share = self.share(luma, known, kept)
        return share >= _ENOUGH_SHARE or (share >= _LEAST_SHARE and self.known(luma) is not None)


def _straight_noses(table: TableSpec) -> list[tuple[PointMm, PointMm]]:
    """The six straight noses of a cue table, from jaw to jaw."""
    bl, br, cl, cr, tl, tr = (p.jaws for p in table.pockets)
    return [(bl[0], br[0]), (tl[0], tr[0]), (bl[1], cl[0]), (cl[1], tl[1]), (br[1], cr[0]), (cr[1], tr[1])]


def _board_edges(table: TableSpec) -> list[tuple[PointMm, PointMm]]:
    """The four inner edges of a carrom board's frame, between its pockets."""
    w, low, high, hole = table.half_width_mm, table.bottom_mm, table.top_mm, table.corner_mouth_mm
    return [
        ((-w + hole, low), (w - hole, low)),
        ((-w + hole, high), (w - hole, high)),
        ((-w, low + hole), (-w, high - hole)),
        ((w, low + hole), (w, high - hole)),
    ]


def _noses(calibration: Calibration) -> list[tuple[F64, F64]]:
    """For each straight nose its points (n, 2) px and the unit direction (n, 2) towards the bed there."""
    table, camera = calibration.table, calibration.camera
    ends = _board_edges(table) if table.is_board else _straight_noses(table)
    along = np.linspace(*_ENDS, _POINTS)[:, None]
    middle = np.array([0.0, table.length_mm / 2])
    found = []
    for start, end in ends:
        a, b = np.array(start), np.array(end)
        normal = np.array([a[1] - b[1], b[0] - a[0]]) / np.hypot(*(b - a))
        normal *= np.sign(normal @ (middle - a))
        points, height = a + (b - a) * along, np.full((_POINTS, 1), table.nose_height_mm)
        here = camera.pixels_from_table(np.hstack((points, height)))
        inner = camera.pixels_from_table(np.hstack((points + normal * _INWARD_MM, height)))
        inward = inner - here
        size = np.linalg.norm(inward, axis=1, keepdims=True)
        found.append((np.nan_to_num(here, nan=-1e4), np.nan_to_num(inward / np.maximum(size, 1e-9))))
    return found


@dataclass
class Sight:
    """Whether the calibrated view is in sight, from image to image.

    `known`: the noses' profiles as first seen, None until then. `away_s`: when the view went out of sight.
    `trusted`: the balls of the first pictures showed that they were the table's. `next_s`: time of the next
    check. `faint_s`: since when the view is back, less clearly than before.
    """

    known: Profiles | None = None
    away_s: float | None = None
    trusted: bool = False
    next_s: float = 0.0
    faint_s: float | None = None

    def lost(self, view: ViewCheck, luma: U8, t_s: float, changed_share: float) -> bool:
        """Whether a picture in which this share of the cells has changed shows something else."""
        wait_s = 0.0 if changed_share < _CALM_SHARE else _SELDOM_S - _EVERY_S
        if self.known is None or (changed_share < _STARTLED_SHARE and t_s + wait_s < self.next_s):
            return False
        self.next_s = t_s + _SELDOM_S
        return not view.shows(luma, self.known)

    def returned(self, view: ViewCheck, luma: U8, t_s: float) -> bool:
        """Whether the view is in sight, after it was lost or before it was ever recognised."""
        if self.known is not None:
            return self._clear(view, luma, t_s, self.known)
        self.known = view.known(luma)
        self.trusted = self.away_s is not None and t_s - self.away_s > _GIVEN_UP_S
        return self.known is not None or self.trusted

    def _clear(self, view: ViewCheck, luma: U8, t_s: float, known: Profiles) -> bool:
        """In sight as clearly as before, or less clearly for a second: a fade mixes two pictures."""
        if not view.shows(luma, known):
            self.faint_s = None
            return False
        since = self.faint_s = t_s if self.faint_s is None else self.faint_s
        if not view.shows(luma, known, _CLEAR_SHARE) and t_s - since < _FAINT_S:
            return False
        self.faint_s = None
        return True

    def plausible(self, sure_balls: int) -> bool:
        """Whether a picture is taken for the table's while its noses are not recognised."""
        self.trusted = self.trusted or self.known is not None or sure_balls >= _SURE_BALLS
        return self.trusted


def fitted(picture: Picture, camera: Camera) -> tuple[Picture | None, float]:
    """The picture at the calibrated size and the factor on its sigmas; None where the shape differs."""
    width, height = camera.width_px, camera.height_px
    if (picture.width_px, picture.height_px) == (width, height):
        return picture, 1.0
    if abs(picture.width_px * height / (picture.height_px * width) - 1) > SAME_SHAPE:
        return None, 1.0
    half = (width + 1) // 2, (height + 1) // 2
    y, u, v = _resized(picture.y, (width, height)), _resized(picture.u, half), _resized(picture.v, half)
    factor = max(_RESCALED_SIGMA, width / picture.width_px)
    return Picture(y, u, v, picture.standard, picture.full_range), factor


def colourless(picture: Picture) -> bool:
    """Whether a picture is grey: a camera in infrared light, or a recorder without colour."""
    return all(int(np.ptp(c[::8, ::8])) <= _COLOURLESS for c in (picture.u, picture.v))


def _resized(plane: U8, size: tuple[int, int]) -> U8:
    smaller = size[0] < plane.shape[1]
    return np.asarray(
        cv2.resize(plane, size, interpolation=cv2.INTER_AREA if smaller else cv2.INTER_CUBIC), np.uint8
    )
