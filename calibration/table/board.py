"""The carrom board's dimensions, in millimetres. Laws 1 to 26, which would give them, are missing from the
text; these defaults are the ones of the project's reading and can be replaced.

Frame: origin at the board's centre, x to the right and y away from player A, z up from the surface.
Video works in the table's frame, like every game; rules and records in the board's.
Standard library only: the rules import this file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from calibration.table.specs import PointMm, TableSpec

Seat = Literal["bottom", "right", "top", "left"]
SEATS: tuple[Seat, ...] = ("bottom", "right", "top", "left")
"""The four sides in the order in which the turn passes in doubles: to the right (law 49(b))."""
FRAME_HEIGHT_MM = 22.0
"""Of the frame above the surface; no text gives it, 19 to 25 mm are usual."""
MEN_EACH = 9  # the reading of the board: nine white, nine black, the Queen (laws 41, 95(c))


@dataclass(frozen=True, slots=True)
class CarromBoard:
    """A square board: playing surface inside the frame, four corner pockets, circles and base lines.

    `base_line_mm`: length of a base line; `base_offset_mm`: from the frame to the nearer of the two base
    lines; `base_gap_mm`: between the two (no text gives it: the base circles' diameter).
    """

    side_mm: float = 740.0
    pocket_diameter_mm: float = 44.5
    man_diameter_mm: float = 31.8  # allowed: 30.2 to 31.8
    man_smallest_mm: float = 30.2
    striker_diameter_mm: float = 41.3  # at most
    centre_circle_mm: float = 31.8
    outer_circle_mm: float = 170.0
    base_line_mm: float = 470.0
    base_offset_mm: float = 101.5
    base_gap_mm: float = 31.8
    frame_height_mm: float = FRAME_HEIGHT_MM  # above the surface; 19 to 25.4 is usual
    piece_height_mm: float = 8.0  # of C/m and striker; 7 to 9 is usual

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a positive number of millimetres, got {value!r}")
        if (
            not self.man_smallest_mm
            <= self.man_diameter_mm
            < self.striker_diameter_mm
            < self.pocket_diameter_mm
        ):
            raise ValueError(
                "expected smallest C/m <= C/m < striker < pocket in diameter, got "
                f"{self.man_smallest_mm!r}, {self.man_diameter_mm!r}, {self.striker_diameter_mm!r}, "
                f"{self.pocket_diameter_mm!r}"
            )
        if self.outer_circle_mm < 5 * self.man_diameter_mm:
            raise ValueError(f"the outer circle must hold five C/m in a row, got {self.outer_circle_mm!r} mm")
        if self.base_line_mm / 2 > self.half_mm - self.base_offset_mm:
            raise ValueError(f"base lines of {self.base_line_mm!r} mm meet on a board of {self.side_mm!r} mm")

    @property
    def half_mm(self) -> float:
        return self.side_mm / 2

    @property
    def man_radius_mm(self) -> float:
        return self.man_diameter_mm / 2

    @property
    def pockets(self) -> dict[str, PointMm]:
        """Centres of the pockets, which touch both frame edges of their corner."""
        c = self.half_mm - self.pocket_diameter_mm / 2
        return {"BL": (-c, -c), "BR": (c, -c), "TL": (-c, c), "TR": (c, c)}

    def base_lines(self, seat: Seat) -> tuple[tuple[PointMm, PointMm], tuple[PointMm, PointMm]]:
        """The two base lines of a seat, the one nearer to the frame first; each from end to end."""
        half = self.base_line_mm / 2
        near = -(self.half_mm - self.base_offset_mm)
        far = near + self.base_gap_mm
        lines = tuple((turned((-half, y), seat), turned((half, y), seat)) for y in (near, far))
        return lines[0], lines[1]

    def base_circles(self, seat: Seat) -> tuple[PointMm, PointMm]:
        """Centres of the two base circles of a seat, between its base lines' ends."""
        half = self.base_line_mm / 2 - self.base_gap_mm / 2
        y = -(self.half_mm - self.base_offset_mm) + self.base_gap_mm / 2
        return turned((-half, y), seat), turned((half, y), seat)

    def striker_line_y_mm(self) -> float:
        """The y at which a striker of the bottom seat touches both base lines (law 130(a)): midway."""
        return -(self.half_mm - self.base_offset_mm) + self.base_gap_mm / 2


def turned(point: PointMm, seat: Seat) -> PointMm:
    """A point of the bottom seat as the same point of another seat."""
    x, y = point
    if seat == "bottom":
        return x, y
    if seat == "right":
        return -y, x
    if seat == "top":
        return -x, -y
    return y, -x


CARROM_BOARD = CarromBoard()


_FRAME_SIGMA_MM = 1.5  # one sigma of the frame's height: most lie within the usual 19 to 25.4 mm


def board_table(board: CarromBoard = CARROM_BOARD) -> TableSpec:
    """The board as a table, so that camera, ball plane, tracker and referee share one frame and protocol.

    Frame of the table: origin at the middle of player A's side (`table_from_board` converts). The frame's
    inner top edges are its noses.
    """
    return TableSpec(
        length_mm=board.side_mm,
        width_mm=board.side_mm,
        ball_diameter_mm=board.man_diameter_mm,
        baulk_line_mm=None,
        d_radius_mm=None,
        black_spot_mm=board.half_mm,
        nose_height_mm=board.frame_height_mm,
        corner_mouth_mm=board.pocket_diameter_mm,
        centre_mouth_mm=board.pocket_diameter_mm,
        corner_jaw_radius_mm=0.0,
        centre_jaw_radius_mm=0.0,
        nose_height_sigma_mm=_FRAME_SIGMA_MM,
        mark_set="carrom",
        piece_height_mm=board.piece_height_mm,
    )


def board_of(table: TableSpec) -> CarromBoard:
    """The board of such a table, with the sizes that calibration measured."""
    if table.mark_set != "carrom" or table.piece_height_mm is None:
        raise ValueError(f"expected a carrom board, got a table with {table.mark_set!r} marks")
    return replace(
        CARROM_BOARD,
        side_mm=table.width_mm,
        pocket_diameter_mm=table.corner_mouth_mm,
        man_diameter_mm=table.ball_diameter_mm,
        frame_height_mm=table.nose_height_mm,
        piece_height_mm=table.piece_height_mm,
    )


def table_from_board(point_mm: PointMm, table: TableSpec) -> PointMm:
    """A place of the board's frame (origin: its centre) in the table's (the middle of player A's side)."""
    x, y = point_mm
    return x, y + table.length_mm / 2


def origin_of_records_mm(table: TableSpec) -> float:
    """The y in the table's frame of the origin of its records: carrom speaks in the board's frame, the other
    games in the table's.
    """
    return table_from_board((0.0, 0.0), table)[1] if table.is_board else 0.0
