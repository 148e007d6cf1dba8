"""Table and ball dimensions, in millimetres; every number cites its rule or notes that no rule gives it.

Frame: origin at the centre of the bottom (baulk) cushion face, x to the right seen from the baulk end,
y towards the top cushion, z up from the cloth. Standard library only: the rules import this file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

PointMm = tuple[float, float]
PocketName = Literal["BL", "BR", "CL", "CR", "TL", "TR"]
CushionName = Literal["bottom", "top", "left", "right"]

POCKETS: tuple[PocketName, ...] = ("BL", "BR", "CL", "CR", "TL", "TR")
CUSHIONS: tuple[CushionName, ...] = ("bottom", "top", "left", "right")
SNOOKER_COLOURS: tuple[str, ...] = ("white", "red", "yellow", "green", "brown", "blue", "pink", "black")
"""Ball colours of snooker; the order is the detector's class order."""

DIMENSION_TOLERANCE_MM = 13.0
"""Snooker 1.1(a): each dimension of the playing area may differ by 13 mm."""


@dataclass(frozen=True, slots=True)
class Pocket:
    """One pocket, seen from above.

    `x_mm, y_mm`: centre of the circle over which an unsupported ball falls; a ball is potted when its
    centre is within `drop_radius_mm` of it. `jaws`: the two points where the straight cushion noses end
    and the curved jaws begin. Snooker 1.1(c) refers to templates, not numbers: these are the defaults
    of a template-like table and can be replaced.
    """

    name: PocketName
    x_mm: float
    y_mm: float
    drop_radius_mm: float
    jaws: tuple[PointMm, PointMm]

    def dropped(self, x_mm: float, y_mm: float) -> bool:
        """Whether a ball whose centre is at (x, y) has passed the drop."""
        return math.hypot(x_mm - self.x_mm, y_mm - self.y_mm) <= self.drop_radius_mm


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A cue table: playing area between the cushion noses, marks, spots, pockets and ball size.

    `baulk_line_mm` and `d_radius_mm` are None on tables without them. Small tables take proportions of
    the full-size marks until calibration has measured them (`marks_measured`).
    """

    length_mm: float = 3569.0  # snooker 1.1(a)
    width_mm: float = 1778.0  # snooker 1.1(a)
    ball_diameter_mm: float = 52.5  # snooker 1.2(a)
    baulk_line_mm: float | None = 737.0  # snooker 1.1(d)
    d_radius_mm: float | None = 292.0  # snooker 1.1(e)
    black_spot_mm: float = 324.0  # snooker 1.1(f)(i): from the top cushion face (reading: 324 mm)
    nose_height_mm: float = 35.5  # no rule; 0.64 to 0.70 of the diameter is usual
    corner_mouth_mm: float = 89.0  # no rule (templates): opening between the corner jaws' noses
    centre_mouth_mm: float = 105.0  # no rule (templates): opening between the centre jaws' noses
    corner_jaw_radius_mm: float = 60.0  # no rule (templates): curvature of a corner jaw
    centre_jaw_radius_mm: float = 60.0  # no rule (templates): curvature of a centre jaw
    marks_measured: bool = True
    nose_height_sigma_mm: float = 2.0
    """One sigma of the nose height before a picture is seen; no rule gives it, the usual range is narrow."""
    dimension_sigma_mm: float = 0.0
    """One sigma of length and width; 0 when given or nominal, else calibration estimates them."""

    def __post_init__(self) -> None:
        for name in ("length_mm", "width_mm", "ball_diameter_mm"):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a positive number of millimetres, got {value!r}")
        if self.length_mm < self.width_mm:
            raise ValueError(
                f"length_mm must be at least width_mm, got {self.length_mm!r} x {self.width_mm!r}"
            )
        if self.ball_diameter_mm * 8 > self.width_mm:
            raise ValueError(
                f"a ball of {self.ball_diameter_mm!r} mm does not fit a table {self.width_mm!r} mm wide"
            )

    @property
    def ball_radius_mm(self) -> float:
        return self.ball_diameter_mm / 2

    @property
    def half_width_mm(self) -> float:
        return self.width_mm / 2

    @property
    def is_board(self) -> bool:
        """Whether it is a carrom board: square, its pockets holes in the surface, its origin at the centre.

        Cue tables are about twice as long as wide.
        """
        return self.length_mm < 1.2 * self.width_mm

    @property
    def bottom_mm(self) -> float:
        """The y of the bottom cushion's face (of a board: the frame's)."""
        return -self.length_mm / 2 if self.is_board else 0.0

    @property
    def top_mm(self) -> float:
        """The y of the top cushion's face."""
        return self.bottom_mm + self.length_mm

    @property
    def spots(self) -> dict[str, PointMm]:
        """Snooker's six spots by ball colour (1.1(f)); empty where the table has no baulk line."""
        if self.baulk_line_mm is None or self.d_radius_mm is None:
            return {}
        centre = self.length_mm / 2
        return {
            "yellow": (self.d_radius_mm, self.baulk_line_mm),
            "green": (-self.d_radius_mm, self.baulk_line_mm),
            "brown": (0.0, self.baulk_line_mm),
            "blue": (0.0, centre),
            "pink": (0.0, (centre + self.length_mm) / 2),
            "black": (0.0, self.length_mm - self.black_spot_mm),
        }

    @property
    def pockets(self) -> tuple[Pocket, ...]:
        """The six pockets in the order of `POCKETS`; of a board the four in its corners."""
        return _pockets(self)

    def pocket(self, name: str) -> Pocket:
        """The pocket of that name; KeyError with the known names otherwise."""
        for p in self.pockets:
            if p.name == name:
                return p
        raise KeyError(f"pocket must be one of {POCKETS}, got {name!r}")

    def _hole(self, name: PocketName) -> Pocket:
        """A hole in a board's corner, which touches both faces of the frame; `corner_mouth_mm` wide."""
        radius = self.corner_mouth_mm / 2
        x = math.copysign(self.half_width_mm - radius, -1.0 if name[1] == "L" else 1.0)
        y = self.top_mm - radius if name[0] == "T" else self.bottom_mm + radius
        return Pocket(name, x, y, radius, ((x - radius, y), (x + radius, y)))

    def _corner(self, name: PocketName) -> Pocket:
        sx = -1.0 if name[1] == "L" else 1.0
        top = name[0] == "T"
        y0 = self.length_mm if top else 0.0
        sy = 1.0 if top else -1.0
        leg = self.corner_mouth_mm / math.sqrt(2) + self.corner_jaw_radius_mm * (math.sqrt(2) - 1)
        w = self.half_width_mm
        radius = self.corner_mouth_mm / 2
        # the drop circle's near edge lies about on the corner of the two nose lines
        off = radius / math.sqrt(2) * 0.75
        return Pocket(
            name, sx * (w + off), y0 + sy * off, radius, ((sx * (w - leg), y0), (sx * w, y0 - sy * leg))
        )

    def _centre(self, name: PocketName) -> Pocket:
        sx = -1.0 if name[1] == "L" else 1.0
        half = self.centre_mouth_mm / 2 + self.centre_jaw_radius_mm * (math.sqrt(2) - 1)
        y = self.length_mm / 2
        radius = self.centre_mouth_mm / 2 * 0.85
        x = sx * (self.half_width_mm + radius * 0.5)
        jaws = ((sx * self.half_width_mm, y - half), (sx * self.half_width_mm, y + half))
        return Pocket(name, x, y, radius, jaws)


@lru_cache(maxsize=64)
def _pockets(table: TableSpec) -> tuple[Pocket, ...]:
    """The pockets, cached because they are needed for each ball of each image."""
    if table.is_board:
        return tuple(table._hole(n) for n in POCKETS if n[0] != "C")
    return tuple(table._corner(n) if n[0] != "C" else table._centre(n) for n in POCKETS)


SNOOKER_TABLE = TableSpec()
WPA_TABLE = TableSpec(
    length_mm=2540.0,
    width_mm=1270.0,
    ball_diameter_mm=57.15,
    baulk_line_mm=None,
    d_radius_mm=None,
    black_spot_mm=635.0,
    nose_height_mm=36.3,
    corner_mouth_mm=115.0,
    centre_mouth_mm=128.0,
    corner_jaw_radius_mm=5.0,
    centre_jaw_radius_mm=5.0,
)  # WPA equipment specification; not in the rule texts
BRITISH_POOL_TABLE = TableSpec(
    length_mm=1828.0,
    width_mm=914.0,
    ball_diameter_mm=50.8,
    baulk_line_mm=1828.0 / 5,
    d_radius_mm=914.0 / 6,
    black_spot_mm=1828.0 / 4,
    nose_height_mm=34.3,
)  # not in the rule texts; cue-ball 47.6 mm


def has_rules_size(table: TableSpec) -> bool:
    """Whether length and width are the nominal ones of snooker or WPA pool."""
    return any(
        (table.length_mm, table.width_mm) == (t.length_mm, t.width_mm) for t in (SNOOKER_TABLE, WPA_TABLE)
    )


def small_table(length_mm: float, width_mm: float, ball_diameter_mm: float) -> TableSpec:
    """A table of any size: full-size snooker and nine-foot pool tables by their rules.

    Other tables have marks roughly in proportion, which calibration measures.
    """
    if abs(length_mm - 3569.0) <= DIMENSION_TOLERANCE_MM and abs(width_mm - 1778.0) <= DIMENSION_TOLERANCE_MM:
        return TableSpec(length_mm=length_mm, width_mm=width_mm, ball_diameter_mm=ball_diameter_mm)
    if abs(length_mm - 2540.0) <= DIMENSION_TOLERANCE_MM and abs(width_mm - 1270.0) <= DIMENSION_TOLERANCE_MM:
        return TableSpec(
            length_mm,
            width_mm,
            ball_diameter_mm,
            None,
            None,
            length_mm / 4,
            ball_diameter_mm * 0.635,
            115.0,
            128.0,
            5.0,
            5.0,
        )
    return TableSpec(
        length_mm=length_mm,
        width_mm=width_mm,
        ball_diameter_mm=ball_diameter_mm,
        baulk_line_mm=length_mm / 5,
        d_radius_mm=width_mm / 6,
        black_spot_mm=length_mm / 11,
        nose_height_mm=ball_diameter_mm * 0.675,
        nose_height_sigma_mm=3.0,  # small tables follow no template
        marks_measured=False,
    )
