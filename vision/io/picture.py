"""One picture of the table, kept in its YUV planes, so that only examined places are converted to RGB.

Pixel convention: integer coordinates lie at pixel centres. Planes are uint8.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import cv2
import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

_WARP = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
_BAND_ROWS = 128  # rows converted at a time, because floats take twelve times the picture's memory
_KR_KB = {"601": (0.299, 0.114), "709": (0.2126, 0.0722)}
"""Luma coefficients of red and blue in ITU-R BT.601 and BT.709."""


def _rgb_from_yuv_matrix(standard: str, full_range: bool) -> tuple[F32, F32]:
    """Matrix (3, 3) and offset (3,) of rgb (0..1) = matrix @ (yuv - offset), with yuv in 0..255."""
    kr, kb = _KR_KB[standard]
    kg = 1 - kr - kb
    m = np.array(
        [
            [1, 0, 2 * (1 - kr)],
            [1, -2 * kb * (1 - kb) / kg, -2 * kr * (1 - kr) / kg],
            [1, 2 * (1 - kb), 0],
        ]
    )
    scale = np.array([1 / 255, 1 / 255, 1 / 255]) if full_range else np.array([1 / 219, 1 / 224, 1 / 224])
    offset = np.array([0.0 if full_range else 16.0, 128.0, 128.0])
    return (m * scale).astype(np.float32), offset.astype(np.float32)


@dataclass(frozen=True, slots=True)
class Places:
    """Sampling positions (h, w) float32, in pixels of the luma and chroma planes halved to `level`."""

    level: int
    luma_x: F32
    luma_y: F32
    chroma_x: F32
    chroma_y: F32

    @staticmethod
    def of(map_x: F32, map_y: F32, level: int) -> Places:
        """The positions of pixels (h, w) of the full picture."""
        s, c = np.float32(1.0 / (1 << level)), np.float32(1.0 / (1 << max(level, 1)))
        x, y = map_x + np.float32(0.5), map_y + np.float32(0.5)
        half = np.float32(0.5)
        luma = x * s - half, y * s - half
        return Places(level, *luma, *(luma if level else (x * c - half, y * c - half)))

    def part(self, rows: slice, columns: slice) -> Places:
        """The positions of some rows and columns."""
        maps = (self.luma_x, self.luma_y, self.chroma_x, self.chroma_y)
        return Places(self.level, *(m[rows, columns] for m in maps))


@dataclass(eq=False)
class Picture:
    """A picture in planar YUV 4:2:0. `y` (H, W), `u` and `v` (ceil(H/2), ceil(W/2)).

    `standard`: "601" or "709". Chroma samples are taken to lie in the middle of their luma samples.
    """

    y: U8
    u: U8
    v: U8
    standard: str = "601"
    full_range: bool = False

    @property
    def height_px(self) -> int:
        return int(self.y.shape[0])

    @property
    def width_px(self) -> int:
        return int(self.y.shape[1])

    @classmethod
    def from_bgr(cls, bgr: U8) -> Picture:
        """The picture of an image (H, W, 3) BGR uint8: full range, BT.601, chroma halved as in a video."""
        yuv = cv2.cvtColor(bgr, cv2.COLOR_BGR2YCrCb)
        h, w = bgr.shape[:2]
        half = ((w + 1) // 2, (h + 1) // 2)
        u = cv2.resize(np.ascontiguousarray(yuv[:, :, 2]), half, interpolation=cv2.INTER_AREA)
        v = cv2.resize(np.ascontiguousarray(yuv[:, :, 1]), half, interpolation=cv2.INTER_AREA)
        return cls(
            np.ascontiguousarray(yuv[:, :, 0]), np.asarray(u, np.uint8), np.asarray(v, np.uint8), "601", True
        )

    def copied(self) -> Picture:
        """The same planes in memory of their own.

        Planes that a decoder filled stay in its pool, which grows with every picture that waits and shrinks
        only when the decoder is closed.
        """
        return Picture(self.y.copy(), self.u.copy(), self.v.copy(), self.standard, self.full_range)

    @cached_property
    def _matrix(self) -> tuple[F32, F32]:
        return _rgb_from_yuv_matrix(self.standard, self.full_range)

    @cached_property
    def _luma(self) -> list[U8]:
        return [self.y]

    @cached_property
    def _chroma(self) -> list[tuple[U8, U8]]:
        return [(self.u, self.v), (self.u, self.v)]

    def luma(self, n: int) -> U8:
        """The luma plane halved `n` times (area mean)."""
        while len(self._luma) <= n:
            self._luma.append(_halve(self._luma[-1]))
        return self._luma[n]

    def level(self, n: int) -> tuple[U8, U8, U8]:
        """The planes with luma halved `n` times (area mean); chroma is halved only below its own size."""
        while len(self._chroma) <= n:
            u, v = self._chroma[-1]
            self._chroma.append((_halve(u), _halve(v)))
        return self.luma(n), *self._chroma[n]

    def sample_rgb(self, map_x: F32, map_y: F32, level: int = 0) -> F32:
        """Bilinear RGB (h, w, 3) float32 0..1 at pixel positions `map_x`, `map_y` (h, w) of the full
        picture.
        """
        return np.asarray(cv2.merge(list(self.planar_rgb_at(Places.of(map_x, map_y, level)))), np.float32)

    def sample_yuv(self, map_x: F32, map_y: F32, level: int = 0) -> F32:
        """Bilinear Y, U, V (h, w, 3) float32 0..255 at pixel positions of the full picture."""
        return np.asarray(cv2.merge(self._planes_at(Places.of(map_x, map_y, level))), np.float32)

    def _planes_at(self, places: Places) -> list[F32]:
        y, u, v = self.level(places.level)
        if places.level:  # luma and chroma are of one size
            return _remap((y, u, v), places.luma_x, places.luma_y)
        return [
            *_remap((y,), places.luma_x, places.luma_y),
            *_remap((u, v), places.chroma_x, places.chroma_y),
        ]

    def windows(self, middle_px: F64, px_from_unit: F64, reach: float, size_px: int, level: int) -> F32:
        """Bilinear RGB (B, 3, P, P) float32 0..1 of `size_px` pixels a side, B windows.

        Each spans -reach..reach in units: pixel = `middle_px` (B, 2) + `px_from_unit` (B, 2, 2) @ (u, v).
        """
        matrix, offset = self._matrix
        yuv = np.empty((len(middle_px), 3, size_px, size_px), np.float32)
        y, u, v = self.level(level)
        step = 2 * reach / size_px
        warps = np.empty((len(middle_px), 2, 3))  # plane's part from window's pixel
        corner = middle_px + px_from_unit.sum(axis=2) * (step / 2 - reach)  # of pixel 0, 0
        far = np.abs(px_from_unit).sum(axis=2) * reach
        for shrink, planes in (
            (1.0 / (1 << level), ((0, y),)),
            (1.0 / (1 << max(level, 1)), ((1, u), (2, v))),
        ):
            height, width = planes[0][1].shape
            low = ((middle_px - far + 0.5) * shrink - 1.5).astype(np.intp)
            low = np.minimum(np.maximum(low, 0), (width - 1, height - 1))
            high = np.maximum(((middle_px + far + 0.5) * shrink + 2.5).astype(np.intp), low + 1)
            np.multiply(px_from_unit, step * shrink, out=warps[:, :, :2])
            warps[:, :, 2] = (corner + 0.5) * shrink - 0.5 - low
            for b, ((x0, y0), (x1, y1)) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
                for channel, plane in planes:
                    part = plane[y0:y1, x0:x1].astype(np.float32)
                    cv2.warpAffine(
                        part, warps[b], (size_px, size_px), yuv[b, channel], _WARP, cv2.BORDER_REPLICATE
                    )
        yuv -= offset[:, None, None]
        rgb = np.matmul(matrix, yuv.reshape(len(yuv), 3, -1)).reshape(yuv.shape)
        return np.asarray(np.clip(rgb, 0.0, 1.0, out=rgb), np.float32)

    def planar_rgb_at(self, places: Places) -> F32:
        """Bilinear RGB (3, h, w) float32 0..1: planes, as networks take them."""
        matrix, offset = self._matrix
        (gain, _, red), (_, green_u, green_v), (_, blue, _) = matrix.tolist()
        black = (-(matrix @ offset)).tolist()
        y, u, v = self._planes_at(places)
        out = np.empty((3, *y.shape), np.float32)
        cv2.addWeighted(y, gain, v, red, black[0], out[0])
        cv2.addWeighted(y, gain, u, green_u, black[1], out[1])
        cv2.scaleAdd(v, green_v, out[1], out[1])
        cv2.addWeighted(y, gain, u, blue, black[2], out[2])
        return np.asarray(np.clip(out, 0.0, 1.0, out=out), np.float32)

    def rgb_from_yuv(self, yuv: F32) -> F32:
        """RGB 0..1 (..., 3) of Y, U, V values 0..255 (..., 3) of this picture, not clipped."""
        matrix, offset = self._matrix
        return np.asarray((yuv - offset) @ matrix.T, np.float32)

    def bgr(self) -> U8:
        """The whole picture (H, W, 3) BGR uint8, for drawing and for finding the table."""
        h, w = self.y.shape
        u = cv2.resize(self.u, (w, h), interpolation=cv2.INTER_LINEAR)
        v = cv2.resize(self.v, (w, h), interpolation=cv2.INTER_LINEAR)
        matrix, offset = self._matrix
        out = np.empty((h, w, 3), np.uint8)
        for top in range(0, h, _BAND_ROWS):
            rows = slice(top, top + _BAND_ROWS)
            yuv = np.stack((self.y[rows], u[rows], v[rows]), axis=2).astype(np.float32) - offset
            out[rows] = np.clip(cv2.transform(yuv, matrix[::-1]) * 255 + 0.5, 0, 255).astype(np.uint8)
        return out


def _halve(plane: U8) -> U8:
    h, w = plane.shape
    return np.asarray(cv2.resize(plane, ((w + 1) // 2, (h + 1) // 2), interpolation=cv2.INTER_AREA), np.uint8)


def _remap(planes: tuple[U8, ...], x: F32, y: F32) -> list[F32]:
    """Bilinear samples of planes of one size at the same places."""
    # cv2.remap on uint8 would round to whole grey levels and 1/32 px, which costs sub-pixel accuracy
    height, width = planes[0].shape
    x0, x1 = max(int(x.min()) - 2, 0), min(int(x.max()) + 3, width)
    y0, y1 = max(int(y.min()) - 2, 0), min(int(y.max()) + 3, height)
    if x1 <= x0 or y1 <= y0:
        return [np.zeros(x.shape, np.float32) for _ in planes]
    if x.size < (x1 - x0) * (y1 - y0) / 8:
        return _gather(planes, x, y)
    x, y = x - np.float32(x0), y - np.float32(y0)
    parts = (plane[y0:y1, x0:x1].astype(np.float32) for plane in planes)
    return [
        np.asarray(cv2.remap(part, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)
        for part in parts
    ]


def _gather(planes: tuple[U8, ...], x: F32, y: F32) -> list[F32]:
    """Bilinear samples at few scattered places, with repeated borders."""
    height, width = planes[0].shape
    x, y = np.clip(x, 0, width - 1.001), np.clip(y, 0, height - 1.001)
    i, j = x.astype(np.intp), y.astype(np.intp)
    fx, fy = (x - i).astype(np.float32), (y - j).astype(np.float32)
    gx, at = 1 - fx, j * width + i
    found = []
    for plane in planes:
        flat = np.ascontiguousarray(plane).reshape(-1)
        top = flat[at] * gx + flat[at + 1] * fx
        bottom = flat[at + width] * gx + flat[at + width + 1] * fx
        found.append(np.asarray(top * (1 - fy) + bottom * fy, np.float32))
    return found


Floats = TypeVar("Floats", F32, F64)


def median(values: Floats, axis: int) -> Floats:
    """`np.median` of values without nan, and faster for few values than numpy with its checks."""
    low, high = (values.shape[axis] - 1) // 2, values.shape[axis] // 2
    parted: Floats = np.partition(values, (low, high), axis=axis)
    both: Floats = (parted.take(low, axis) + parted.take(high, axis)) / 2
    return both
