"""The ball plane: the picture resampled to the height of the ball centres, every ball at the same size.

Flat pieces are resampled at the height of their tops.

The grid has `PX_PER_DIAMETER` pixels per ball diameter; column u runs along the table's length (y),
row v across its width (x): x_mm = x0 + v * mm_per_px, y_mm = y0 + u * mm_per_px_along, pixel centres at
integers. The plane is divided into cells of 12 px; "examined" and "covered" are properties of cells. A cell
is one diameter wide; seen from the side a ball covers more of the plane in the direction of the view, and a
cell is as much longer, so that balls look round to the detector.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt
import scipy

from calibration.camera import Camera
from calibration.table.specs import TableSpec
from vision.io.picture import F32, U8, Picture, Places
from vision.observation import CellMask

Cells = npt.NDArray[np.bool_]
"""A boolean map (rows, columns) of the plane's cells."""
Cell = tuple[int, int]
"""Row and column of a cell."""

PX_PER_DIAMETER = 12
"""Ball-plane pixels a ball diameter, and so a cell: the scale at which the detector was trained."""
MARGIN_DIAMETERS = 2
"""Cells beyond the cushion noses on every side; pockets and the balls that drop lie inside."""
GATE_PX_PER_CELL = 6
"""Pixels a cell of the reduced luma plane in which changes are sought."""
GATE_CHROMA = 2
"""So many of them have one pixel of colour."""
GatePlanes = tuple[U8, U8]
"""Luma (rows * 6, columns * 6) and chroma (rows * 3, columns * 3, 2), uint8."""
_Maps = tuple[npt.NDArray[np.int16], npt.NDArray[np.uint16]]
_LONGEST = 1.22
"""How much longer than wide a ball may look in the plane: the detector knows views up to 35 degrees."""
_PROBE_MM = 10.0  # step of the derivative of the projection
_MAP_STEP_PX = 12  # the camera model is exact on a grid of this step and a cubic spline between


def cell_of(u_px: float, v_px: float) -> Cell:
    """The cell of a ball-plane pixel."""
    return int((v_px + 0.5) // PX_PER_DIAMETER), int((u_px + 0.5) // PX_PER_DIAMETER)


@dataclass(frozen=True)
class BallPlane:
    """Maps between ball plane pixels, table millimetres and picture pixels for one camera and table."""

    camera: Camera
    table: TableSpec
    columns: int = field(init=False)
    rows: int = field(init=False)
    mm_per_px: float = field(init=False)
    mm_per_px_along: float = field(init=False)
    x0_mm: float = field(init=False)
    y0_mm: float = field(init=False)
    level: int = field(init=False)
    _places: Places = field(init=False, repr=False)
    _gate_maps: tuple[_Maps, _Maps] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        d = self.table.ball_diameter_mm
        # even numbers of cells of 12 px: the network takes multiples of 8
        across, along = (d * share for share in self._stretched())
        put(self, "columns", 2 * math.ceil(self.table.length_mm / along / 2) + 2 * MARGIN_DIAMETERS)
        put(self, "rows", 2 * math.ceil(self.table.width_mm / across / 2) + 2 * MARGIN_DIAMETERS)
        put(self, "mm_per_px", across / PX_PER_DIAMETER)
        put(self, "mm_per_px_along", along / PX_PER_DIAMETER)
        # the table lies in the middle of the whole number of cells
        put(self, "x0_mm", -self.rows * across / 2 + self.mm_per_px / 2)
        put(self, "y0_mm", self.table.length_mm / 2 - self.columns * along / 2 + self.mm_per_px_along / 2)
        map_x, map_y = self._maps()
        step = np.hypot(np.diff(map_x, axis=1), np.diff(map_y, axis=1))
        ratio = float(np.nanmedian(step))
        put(self, "level", max(0, round(math.log2(max(ratio, 1e-6)))))
        put(self, "_places", Places.of(map_x, map_y, self.level))
        k = PX_PER_DIAMETER // GATE_PX_PER_CELL
        centre = (k - 1) / 2
        rows = np.arange(self.height_px // k) * k + centre
        cols = np.arange(self.width_px // k) * k + centre
        gy, gx = np.meshgrid(rows, cols, indexing="ij")
        px = cv2.remap(map_x, gx.astype(np.float32), gy.astype(np.float32), cv2.INTER_LINEAR)
        py = cv2.remap(map_y, gx.astype(np.float32), gy.astype(np.float32), cv2.INTER_LINEAR)
        shrink = 1.0 / (1 << self.gate_level)
        fine = cv2.convertMaps((px + 0.5) * shrink - 0.5, (py + 0.5) * shrink - 0.5, cv2.CV_16SC2)
        coarse = tuple(np.ascontiguousarray(m[::GATE_CHROMA, ::GATE_CHROMA]) for m in fine)
        put(self, "_gate_maps", (fine, coarse))

    def _stretched(self) -> tuple[float, float]:
        """By how much the plane is reduced across and along the table, 1 or more, as seen in its middle."""
        y, z = self.table.length_mm / 2, self.table.piece_plane_mm
        px = self.camera.pixels_from_table(
            np.array([(0.0, y, z), (_PROBE_MM, y, z), (0.0, y + _PROBE_MM, z)])
        )
        jacobian = (px[1:] - px[0]).T / _PROBE_MM
        if not np.isfinite(jacobian).all():
            return 1.0, 1.0
        largest = float(np.linalg.norm(jacobian, 2))
        scales = np.linalg.norm(jacobian, axis=0)
        across, along = (max(1.0, largest / max(float(s), 1e-9) / _LONGEST) for s in scales)
        return across, along

    @property
    def width_px(self) -> int:
        return self.columns * PX_PER_DIAMETER

    @property
    def height_px(self) -> int:
        return self.rows * PX_PER_DIAMETER

    @property
    def px_per_diameter(self) -> tuple[float, float]:
        """Pixels of a ball's diameter on the cloth along u and v: `PX_PER_DIAMETER`, fewer where reduced."""
        d = self.table.ball_diameter_mm
        return d / self.mm_per_px_along, d / self.mm_per_px

    @property
    def gate_level(self) -> int:
        return self.level + 1

    def _maps(self) -> tuple[F32, F32]:
        """Picture pixel of every ball-plane pixel, (height, width) float32 each."""
        w, h = self.width_px, self.height_px
        us = np.arange(-_MAP_STEP_PX, w + 2 * _MAP_STEP_PX, _MAP_STEP_PX)
        vs = np.arange(-_MAP_STEP_PX, h + 2 * _MAP_STEP_PX, _MAP_STEP_PX)
        vv, uu = np.meshgrid(vs, us, indexing="ij")
        points = np.stack(
            (
                self.x0_mm + vv * self.mm_per_px,
                self.y0_mm + uu * self.mm_per_px_along,
                np.full(vv.shape, self.table.piece_plane_mm),
            ),
            axis=-1,
        ).reshape(-1, 3)
        px = self.camera.pixels_from_table(points).reshape(*vv.shape, 2)
        px = np.nan_to_num(px, nan=-1e4)
        qu, qv = (np.arange(w) / _MAP_STEP_PX + 1), (np.arange(h) / _MAP_STEP_PX + 1)
        return _smooth(px[..., 0], qv, qu), _smooth(px[..., 1], qv, qu)

    def rgb(
        self, picture: Picture, u0: int = 0, v0: int = 0, u1: int | None = None, v1: int | None = None
    ) -> F32:
        """The part u0 <= u < u1, v0 <= v < v1 of the plane, (3, v1 - v0, u1 - u0) RGB float32 0..1."""
        return picture.planar_rgb_at(self._places.part(slice(v0, v1), slice(u0, u1)))

    def gate_planes(self, picture: Picture) -> GatePlanes:
        """The picture over the table in which changes are sought."""
        y, u, v = picture.level(self.gate_level)  # of one size, as luma is halved once at least
        fine, coarse = self._gate_maps
        return _over(y, fine), np.asarray(cv2.merge([_over(u, coarse), _over(v, coarse)]), np.uint8)

    def mm_from_plane(self, u: float, v: float) -> tuple[float, float]:
        """Table x, y of a ball-plane pixel."""
        return self.x0_mm + v * self.mm_per_px, self.y0_mm + u * self.mm_per_px_along

    def plane_from_mm(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """Ball-plane pixel u, v of a table point."""
        return (y_mm - self.y0_mm) / self.mm_per_px_along, (x_mm - self.x0_mm) / self.mm_per_px

    def cells_of(self, places_mm: npt.NDArray[np.float64]) -> Iterator[Cell]:
        """The cell of each place (B, 2) mm, the nearest one for places outside the plane."""
        for x, y in places_mm.tolist():
            row, column = cell_of(*self.plane_from_mm(x, y))
            yield min(max(row, 0), self.rows - 1), min(max(column, 0), self.columns - 1)

    def any_about(self, cells: Cells, x_mm: float, y_mm: float) -> bool:
        """Whether the cell of a place or one of its eight neighbours is set."""
        u, v = self.plane_from_mm(x_mm, y_mm)
        i, j = int(v // PX_PER_DIAMETER), int(u // PX_PER_DIAMETER)
        return bool(cells[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2].any())

    def mask(self, cells: Cells) -> CellMask:
        """A cell map (rows, columns) in the form that leaves `vision`: square cells, x along its columns."""
        d = self.table.ball_diameter_mm
        at_x, at_y = (
            self._squares(count, mm_per_px)
            for count, mm_per_px in ((self.rows, self.mm_per_px), (self.columns, self.mm_per_px_along))
        )
        bits = np.ascontiguousarray(cells[np.ix_(at_x, at_y)].T.astype(np.uint8)).tobytes()
        x0_mm, y0_mm = self.x0_mm - self.mm_per_px / 2, self.y0_mm - self.mm_per_px_along / 2
        return CellMask(x0_mm, y0_mm, d, len(at_x), len(at_y), bits)

    def _squares(self, count: int, mm_per_px: float) -> npt.NDArray[np.int64]:
        """For each cell of one diameter along an axis the cell of this plane, of `count`, in its middle."""
        share = self.table.ball_diameter_mm / (PX_PER_DIAMETER * mm_per_px)
        squares = math.ceil(count / share - 1e-9)
        return np.minimum(((np.arange(squares) + 0.5) * share).astype(np.int64), count - 1)


def _over(plane: U8, maps: _Maps) -> U8:
    out = cv2.remap(plane, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.uint8)


def _smooth(
    values: npt.NDArray[np.float64], rows: npt.NDArray[np.float64], cols: npt.NDArray[np.float64]
) -> F32:
    """Cubic spline through a grid at the given fractional rows and columns, (rows, cols)."""
    grid = (np.arange(values.shape[0]), np.arange(values.shape[1]))
    return np.asarray(scipy.interpolate.RectBivariateSpline(*grid, values)(rows, cols), np.float32)
