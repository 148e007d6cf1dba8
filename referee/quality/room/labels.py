"""Labels on the images of a recording, from what is certain in it.

What is certain says that a ball lies at a place; the image itself says whether it can be seen there. A ball
at rest is in sight where it looks as it mostly does during that rest. Everything else that looks as the
table mostly looks, or that is seen while no ball can be in a hand, is no ball: only what always lies where a
ball can rest, and is seen as one, may be a ball without a name. The rest is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import PieceSet
from calibration.table.pockets import no_rest_place, on_bed
from calibration.table.specs import TableSpec
from referee.quality.room.certain import Certain, ImageTruth, OnItsWay, Rest
from vision.detect.detector import STRIDE
from vision.detect.looks import look_name
from vision.plane import PX_PER_DIAMETER, BallPlane
from vision.train.detector.data import MAX_BALLS
from vision.train.detector.room import UNKNOWN_LOOK

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]

LEAST_IMAGES = 3
"""So many images of a rest, and of the table, say how it mostly looks."""
CORE_PX, BALL_PX, DOUBT_PX = 4.0, 6.0, 15.0
"""Radii in the plane: of a ball's middle, of a ball, and of what is unknown about one that is in doubt. A
detection within 5 px of a ball is taken for it, and a quarter of a diameter is left for what hides it.
"""
LOOKS_ALIKE, TIMES_USUAL = 10.0, 3.0
"""A ball in sight differs from its usual look by no more than so many grey levels on average, or so many
times what its rest's images differ by."""
TABLE_ALIKE = 14.0
"""The table at rest differs from its usual look by no more grey levels than that, smoothed over 3 x 3 px."""
ALTERED_PX = 6
"""About what has altered so much more is unknown: its shade, and the blur of the coder."""
LEAST_SHARE, MOST_BESIDE, LEAST_CONTRAST = 0.25, 0.6, 20.0
"""Of a rolling ball's colour a streak of three diameters shows a quarter in its middle. What differs from
the cloth towards other colours by more than the second is something else; with less contrast to the cloth
(grey levels) nobody can tell.
"""
BESIDE_POCKET = 1.0
"""Diameters beyond a pocket's drop within which a ball that fell may be in sight."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An image of the plane (H, W, 3) uint8 RGB with its time, what something hides as the network in use has
    it (H/2, W/2) 0..255, and where it sees balls, px of the plane.
    """

    t_s: float
    rgb: U8
    cover: U8
    seen: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of one image: rows of `PatchSet.balls`, and what is known (H/2, W/2) uint8."""

    balls: F32
    known: U8


class Labeller:
    """Labels images of one view; what is usual is learned from the images that are given, and no others."""

    def __init__(
        self,
        truth: Certain,
        plane: BallPlane,
        pieces: PieceSet,
        looks: Sequence[str],
        shown: Sequence[Shown],
        exposure_s: float,
    ) -> None:
        """`looks`: of the network. `exposure_s`: for which a rolling ball leaves a streak."""
        self._truth, self._plane, self._exposure_s = truth, plane, exposure_s
        self._look = {k.name: looks.index(look_name(k, k.look, pieces)) for k in pieces.kinds}
        self._usual = np.median(np.stack([s.rgb for s in shown]), axis=0).astype(np.float32)
        self._rests = {r: _usual_rest(r, plane, shown) for r in truth.rests}
        self._colours = _colours(self._rests)

    def label(self, shown: Shown) -> Labels | None:
        """The labels of an image; None where too little is known of it."""
        truth = self._truth.at(shown.t_s)
        if truth is None:
            return None
        rgb = shown.rgb.astype(np.float32)
        rows, doubtful = list[tuple[float, ...]](), [self._uv(*place) for place in truth.doubtful]
        for rest in truth.resting:
            uv = self._uv(rest.x_mm, rest.y_mm)
            if self._in_sight(rest, rgb):
                rows.append((*uv, self._look_of(rest.kind), 1.0, 0.0, 0.0))
            else:
                doubtful.append(uv)
        for ball in truth.rolling:
            uv = self._uv(ball.x_mm, ball.y_mm)
            if self._rolls_by(ball, rgb):
                rows.append((*uv, self._look_of(ball.kind), 1.0, *self._streak(ball)))
            else:
                doubtful += self._all_along(ball)
        rows = [r for r in rows if not any(math.dist(r[:2], d) < BALL_PX for d in doubtful)][:MAX_BALLS]
        balls = np.full((MAX_BALLS, 6), np.nan, np.float32)
        if rows:
            balls[: len(rows)] = rows
        altered = _altered(rgb, self._usual)
        doubtful += self._nameless(shown, rows, altered)
        return Labels(balls, self._known(truth, altered, rows, doubtful))

    def _nameless(
        self, shown: Shown, rows: Sequence[tuple[float, ...]], altered: NDArray[np.bool_]
    ) -> list[tuple[float, float]]:
        """What is seen as a ball, has always been there and lies where a ball can rest."""
        out = []
        for u, v in shown.seen:
            x_mm, y_mm = self._plane.mm_from_plane(u, v)
            if any(math.dist((u, v), r[:2]) < BALL_PX for r in rows) or altered[_cell(altered.shape, u, v)]:
                continue
            if on_bed(x_mm, y_mm, self._plane.table) and not no_rest_place(x_mm, y_mm, self._plane.table):
                out.append((u, v))
        return out

    def _uv(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        return self._plane.plane_from_mm(x_mm, y_mm)

    def _look_of(self, kind: str | None) -> int:
        return UNKNOWN_LOOK if kind is None else self._look[kind]

    def _streak(self, ball: OnItsWay) -> tuple[float, float]:
        return (
            ball.vy_mm_s * self._exposure_s / self._plane.mm_per_px_along,
            ball.vx_mm_s * self._exposure_s / self._plane.mm_per_px,
        )

    def _all_along(self, ball: OnItsWay) -> list[tuple[float, float]]:
        """Places along twice a ball's streak, near enough to one another that nothing between is known."""
        (u, v), (du, dv) = self._uv(ball.x_mm, ball.y_mm), self._streak(ball)
        steps = np.linspace(-1.0, 1.0, 2 + 2 * math.ceil(math.hypot(du, dv) / DOUBT_PX))
        return [(u + s * du, v + s * dv) for s in steps.tolist()]

    def _in_sight(self, rest: Rest, rgb: F32) -> bool:
        """Whether a resting ball looks as it mostly does."""
        usual = self._rests[rest]
        window = None if usual is None else _window(rgb, *self._uv(rest.x_mm, rest.y_mm))
        if usual is None or window is None:
            return False
        return _differ(window, usual.rgb) <= max(LOOKS_ALIKE, TIMES_USUAL * usual.spread)

    def _rolls_by(self, ball: OnItsWay, rgb: F32) -> bool:
        """Whether what differs from the table there has the ball's colour, in light that a streak leaves."""
        colour = self._colours.get(ball.kind or "")
        u, v = self._uv(ball.x_mm, ball.y_mm)
        here, cloth = _window(rgb, u, v), _window(self._usual, u, v)
        if colour is None or here is None or cloth is None:
            return False
        was = cloth[_CORE].mean(axis=0)
        full, seen = colour - was, here[_CORE].mean(axis=0) - was
        contrast = float(np.linalg.norm(full))
        if contrast < LEAST_CONTRAST:
            return False
        share = float(seen @ full) / contrast**2
        beside = float(np.linalg.norm(seen - share * full)) / contrast
        return share >= LEAST_SHARE and beside <= MOST_BESIDE * max(share, LEAST_SHARE)

    def _known(
        self,
        truth: ImageTruth,
        altered: NDArray[np.bool_],
        rows: Sequence[tuple[float, ...]],
        doubtful: Sequence[tuple[float, float]],
    ) -> U8:
        """Where a detection without a label is wrong."""
        known = np.ones(altered.shape, np.uint8)
        if not truth.quiet:
            known[altered] = 0
        for u, v in doubtful:
            _disc(known, u, v, DOUBT_PX, 0)
        for u, v, radius in self._pockets(truth):
            _disc(known, u, v, radius, 0)
        for u, v, _, _, du, dv in rows:
            # what is left of a streak beyond its middle is nobody's
            if math.hypot(du, dv) > BALL_PX:
                for s in (-0.5, -0.25, 0.25, 0.5):
                    _disc(known, u + s * du, v + s * dv, BALL_PX, 0)
        for u, v, *_ in rows:
            _disc(known, u, v, BALL_PX, 1)
        return known

    def _pockets(self, truth: ImageTruth) -> list[tuple[float, float, float]]:
        table: TableSpec = self._plane.table
        out = []
        for name in truth.fallen_into:
            p = next(p for p in table.pockets if p.name == name)
            reach_mm = p.drop_radius_mm + BESIDE_POCKET * table.ball_diameter_mm
            out.append((*self._uv(p.x_mm, p.y_mm), reach_mm / table.ball_diameter_mm * PX_PER_DIAMETER))
        return out


@dataclass(frozen=True, slots=True)
class _Usual:
    """How a ball mostly looks at a rest, a window (2 R + 1, 2 R + 1, 3), and how far its images differ."""

    kind: str | None
    rgb: F32
    spread: float


_REACH = math.ceil(BALL_PX + 2)
_AWAY = np.hypot(*np.mgrid[-_REACH : _REACH + 1, -_REACH : _REACH + 1])
_BALL, _CORE = _AWAY <= BALL_PX + 1, _AWAY <= CORE_PX - 1


def _window(rgb: F32 | U8, u_px: float, v_px: float) -> F32 | None:
    """What is seen about a place, sub-pixel; None where that reaches beyond the plane."""
    height, width = rgb.shape[:2]
    if not (_REACH + 1 <= u_px < width - _REACH - 2 and _REACH + 1 <= v_px < height - _REACH - 2):
        return None
    size = 2 * _REACH + 1
    return np.asarray(cv2.getRectSubPix(rgb, (size, size), (u_px, v_px), patchType=cv2.CV_32F), np.float32)


def _differ(a: F32, b: F32) -> float:
    return float(np.abs(a - b)[_BALL].mean())


def _usual_rest(rest: Rest, plane: BallPlane, shown: Sequence[Shown]) -> _Usual | None:
    uv = plane.plane_from_mm(rest.x_mm, rest.y_mm)
    seen = (_window(s.rgb, *uv) for s in shown if rest.sure_at(s.t_s))
    windows = [w for w in seen if w is not None]
    if len(windows) < LEAST_IMAGES:
        return None
    usual = np.median(np.stack(windows), axis=0).astype(np.float32)
    return _Usual(rest.kind, usual, float(np.median([_differ(w, usual) for w in windows])))


def _colours(rests: Mapping[Rest, _Usual | None]) -> dict[str, F32]:
    """The mean colour of each kind's middle at rest."""
    seen: dict[str, list[F32]] = {}
    for usual in rests.values():
        if usual is not None and usual.kind is not None:
            seen.setdefault(usual.kind, []).append(usual.rgb[_CORE].mean(axis=0))
    return {k: np.mean(v, axis=0) for k, v in seen.items()}


def _altered(rgb: F32, usual: F32) -> NDArray[np.bool_]:
    """Where the table looks otherwise than usual, and a little around, at the maps' size."""
    away = cv2.blur(np.abs(rgb - usual).max(axis=2), (3, 3))
    over = (away > TABLE_ALIKE).astype(np.uint8)
    size = 2 * ALTERED_PX + 1
    wide = cv2.dilate(over, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
    return np.asarray(np.maximum(wide[::STRIDE, ::STRIDE], wide[1::STRIDE, 1::STRIDE]), np.bool_)


def _cell(shape: tuple[int, ...], u_px: float, v_px: float) -> tuple[int, int]:
    """The maps' cell of a place, the nearest one."""
    row, column = round((v_px - 0.5) / STRIDE), round((u_px - 0.5) / STRIDE)
    return min(max(row, 0), shape[0] - 1), min(max(column, 0), shape[1] - 1)


def _disc(known: U8, u_px: float, v_px: float, radius_px: float, value: int) -> None:
    """Set the cells whose middles lie within a radius of a place."""
    rows, columns = known.shape
    i, j = (v_px - 0.5) / STRIDE, (u_px - 0.5) / STRIDE
    r = radius_px / STRIDE
    i0, i1 = max(math.floor(i - r), 0), min(math.ceil(i + r) + 1, rows)
    j0, j1 = max(math.floor(j - r), 0), min(math.ceil(j + r) + 1, columns)
    if i0 >= i1 or j0 >= j1:
        return
    y, x = np.mgrid[i0:i1, j0:j1]
    known[i0:i1, j0:j1][(y - i) ** 2 + (x - j) ** 2 <= r * r] = value
