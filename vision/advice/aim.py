"""Aim: whole table in view, size of a ball in pixels, tilt, and how to turn or move the camera."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from calibration.find.cloth import cloth_regions
from calibration.result import Calibration
from calibration.texts import sentence
from vision.advice.terms import Advice, joined, light_above, light_below, worst
from vision.io.picture import U8, Picture

F64 = npt.NDArray[np.float64]

POCKET_MM = 90.0
"""Distance beyond the noses to which pockets and their leather reach; pots are seen there."""

_SEARCH_PX = 128  # width to which a picture without a calibration is reduced: 40 ms instead of 400 at 480
_BALLS_ALONG = 3569.0 / 52.5  # ball diameters along a full-size table (snooker 1.1(a), 1.2(a))

MARGIN = (0.01, 0.0)
"""Share of the picture's height that must remain around the table (amber, red below). A knock of half a
degree moves a 1080p picture by about 10 px: one per cent."""

BALL_PX = (12.0, 9.5)
"""Pixels a ball's diameter must cover at its smallest (amber, red below): the detector sees 12, so fewer
are only enlarged; 9.5 is the smallest that it was trained on (docs/lab)."""

TILT_DEG = (20.0, 35.0)
"""Tilt (amber, red above). Beyond 20 degrees the near cushions hide their own shadows and are measured
up to 7 mm outside (docs/lab); nothing was measured beyond 35."""


@dataclass(frozen=True, slots=True)
class TableView:
    """The table in a picture of `width_px` x `height_px`.

    `outline_px`: in order around it. `ball_px`: smallest diameter of a ball.

    `calibrated`: from a calibration, else from the cloth alone.
    """

    width_px: int
    height_px: int
    outline_px: tuple[tuple[float, float], ...]
    ball_px: float
    calibrated: bool

    def mask(self, width: int, height: int) -> npt.NDArray[np.bool_]:
        """The table as a mask (height, width) of the reduced picture."""
        scale = np.array([width / self.width_px, height / self.height_px])
        points = np.round((np.array(self.outline_px) + 0.5) * scale - 0.5).astype(np.int32)
        out = cv2.fillPoly(np.zeros((height, width), np.uint8), [points], (1,))
        return np.asarray(out, np.uint8) > 0


def view_of(picture: Picture, calibration: Calibration | None) -> TableView | None:
    """The table by its calibration, else by its cloth; None when no cloth is seen."""
    width, height = picture.width_px, picture.height_px
    if calibration is not None:
        outline = _outline_px(calibration, 0.0)
        finest = min(_ball_px(calibration, x, y) for x, y in _places(calibration))
        return TableView(width, height, tuple((float(x), float(y)) for x, y in outline), finest, True)
    small = _reduced_bgr(picture)
    regions = cloth_regions(small)
    if not regions:
        return None
    scale = width / small.shape[1]
    hull = (regions[0].hull_px + 0.5) * scale - 0.5
    long_px = (
        float(cv2.minAreaRect(hull.astype(np.float32))[1][0]),
        float(cv2.minAreaRect(hull.astype(np.float32))[1][1]),
    )
    return TableView(
        width, height, tuple((float(x), float(y)) for x, y in hull), max(long_px) / _BALLS_ALONG, False
    )


def aim(view: TableView | None, calibration: Calibration | None) -> Advice:
    """Whole table in view, margin, size of a ball, tilt."""
    if view is None:
        return Advice(
            "aim",
            "red",
            None,
            "%",
            sentence("advice.no_table_is_seen_point"),
        )
    found = [_margin(view, calibration), _scale(view, calibration)]
    if calibration is not None:
        found.append(_tilt(calibration))
    return worst(found)


def _margin(view: TableView, calibration: Calibration | None) -> Advice:
    points = np.array(view.outline_px) if calibration is None else _outline_px(calibration, POCKET_MM)
    x, y = points[:, 0], points[:, 1]
    left, top = float(x.min()), float(y.min())
    right, bottom = view.width_px - 1 - float(x.max()), view.height_px - 1 - float(y.max())
    least = min(left, right, top, bottom) / view.height_px
    if calibration is None and least < 0.75 * view.width_px / _SEARCH_PX / view.height_px:
        least = min(least, -0.001)  # cloth at the border of the reduced picture runs out of it
    light = light_below(least, *MARGIN)
    if light == "green":
        text = sentence("advice.whole_table_is_in_view", percent=f"{100 * least:.1f}")
    else:
        lost = (
            sentence("advice.part_of_the_table_is_out")
            if light == "red"
            else sentence("advice.table_nearly_touches")
        )
        remedy = _remedy(left, right, top, bottom, calibration)
        text = sentence("advice.with_remedy", what=lost, remedy=remedy)
    return Advice("aim", light, round(100 * least, 2), sentence("advice.unit_margin"), text)


def _remedy(left: float, right: float, top: float, bottom: float, calibration: Calibration | None) -> str:
    """How to turn the camera so that opposite margins are alike, or that it must go higher."""
    turns = []
    for before, after, words in ((left, right, ("left", "right")), (top, bottom, ("up", "down"))):
        shift = (after - before) / 2
        if min(before, after) < 0.02 * abs(before + after) + 5 and abs(shift) > 3:
            degrees = ""
            if calibration is not None:
                turn = math.degrees(math.atan(abs(shift) / calibration.camera.focal_px))
                degrees = sentence("advice.by_degrees", degrees=f"{turn:.1f}")
            turns.append(
                sentence(
                    "advice.turn_the_camera_as_seen",
                    which=sentence(f"advice.{words[0] if shift > 0 else words[1]}"),
                    degrees=degrees,
                )
            )
    if min(left + right, top + bottom) < 4:
        turns.append(sentence("advice.hang_the_camera_higher_or_take"))
    return joined(turns) if turns else sentence("advice.hang_the_camera_a_little")


def _scale(view: TableView, calibration: Calibration | None) -> Advice:
    light = light_below(view.ball_px, *BALL_PX)
    if calibration is not None:
        worst_mm = max(calibration.mm_per_px(x, y) for x, y in _places(calibration))
        value, unit = round(worst_mm, 2), sentence("advice.unit_mm_px")
    else:
        value, unit = round(view.ball_px, 1), sentence("advice.unit_px_a_ball")
    if light == "green":
        return Advice(
            "aim", light, value, unit, sentence("advice.ball_covers_pixels", ball_px=f"{view.ball_px:.0f}")
        )
    return Advice(
        "aim",
        light,
        value,
        unit,
        sentence(
            "advice.ball_covers_only_pixels", ball_px=f"{view.ball_px:.1f}", ball_px_2=f"{BALL_PX[0]:.0f}"
        ),
    )


def _tilt(calibration: Calibration) -> Advice:
    axis = calibration.camera.matrix_camera_from_table[2]
    tilt = math.degrees(math.acos(float(np.clip(-axis[2] / np.linalg.norm(axis), -1.0, 1.0))))
    light = light_above(tilt, *TILT_DEG)
    if light == "green":
        text = sentence("advice.camera_looks_down_at_degrees", tilt=f"{tilt:.0f}")
    else:
        text = sentence("advice.camera_looks_aslant_by_degrees", tilt=f"{tilt:.0f}")
    return Advice("aim", light, round(tilt, 1), sentence("advice.unit_tilt"), text)


def _places(calibration: Calibration) -> list[tuple[float, float]]:
    """Corners, middles of the sides and the middle of the playing area."""
    w, length = calibration.table.half_width_mm, calibration.table.length_mm
    return [(x, y) for x in (-w, 0.0, w) for y in (0.0, length / 2, length)]


def _ball_px(calibration: Calibration, x_mm: float, y_mm: float) -> float:
    return calibration.table.ball_diameter_mm / calibration.mm_per_px(x_mm, y_mm)


def _outline_px(calibration: Calibration, grow_mm: float) -> F64:
    """(N, 2) px of the noses' outline moved outwards; points that no pixel shows lie far outside."""
    table = calibration.table
    w, y0, y1 = table.half_width_mm + grow_mm, -grow_mm, table.length_mm + grow_mm
    s = np.linspace(0.0, 1.0, 9)[:-1]
    corners = [(-w, y0), (w, y0), (w, y1), (-w, y1), (-w, y0)]
    ring = [
        (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, table.nose_height_mm)
        for a, b in pairwise(corners)
        for t in s
    ]
    px = calibration.camera.pixels_from_table(ring)
    return np.asarray(np.nan_to_num(px, nan=-1e4), np.float64)


def _reduced_bgr(picture: Picture) -> U8:
    """The picture at the search width, BGR, converted after it was reduced."""
    width = _SEARCH_PX
    height = max(64, round(picture.height_px * width / picture.width_px))
    planes = [
        cv2.resize(p, (width, height), interpolation=cv2.INTER_AREA)
        for p in (picture.y, picture.u, picture.v)
    ]
    yuv = np.stack(planes, axis=2).astype(np.float32)
    rgb = picture.rgb_from_yuv(yuv)
    return np.asarray(np.clip(rgb[..., ::-1] * 255 + 0.5, 0, 255), np.uint8)
