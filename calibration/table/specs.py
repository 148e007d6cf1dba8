"""Table and ball dimensions, in millimetres; every number cites its rule or notes that no rule gives it.

Frame: origin at the centre of the bottom (baulk) cushion face, x to the right seen from the baulk end,
y towards the top cushion, z up from the cloth. Standard library only: the rules import this file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Literal

PointMm = tuple[float, float]
PocketName = Literal["BL", "BR", "CL", "CR", "TL", "TR"]
CushionName = Literal["bottom", "top", "left", "right"]
MarkSet = Literal["snooker", "pool", "british", "carrom"]
"""Which marks, spots and pockets a table has. `pool`: head string and spots of WPA 8.1; `british`: baulk line
and black spot; `carrom`: a board, whose lines are in `calibration/table/board.py`."""

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


_ADDED_FIELDS = ("mark_set", "head_string_mm", "piece_height_mm")
"""Fields of a table that files of versions up to 0d1d15d do not have."""


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A cue table: playing area between the cushion noses, marks, spots, pockets and ball size.

    `baulk_line_mm` and `d_radius_mm` are None on tables without them. Small tables take proportions of
    the full-size marks until calibration has measured them (`marks_measured`). A carrom board is one too:
    its frame's inner edges are the noses, player A sits at the bottom (`calibration/table/board.py`).
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
    mark_set: MarkSet = "snooker"
    head_string_mm: float | None = None
    """Distance of a pool table's head string from the bottom (head) cushion; it need not be drawn."""
    piece_height_mm: float | None = None
    """Height of flat pieces' tops above the surface; None where the pieces are balls."""

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

    def as_fields(self) -> dict[str, object]:
        """The fields by name, for files. Those that earlier files lack stand there only where they say more
        than the default, so that a snooker table is written as it always was.
        """
        written = {f.name: getattr(self, f.name) for f in fields(self)}
        return {
            name: value
            for name, value in written.items()
            if name not in _ADDED_FIELDS or value != TableSpec.__dataclass_fields__[name].default
        }

    @property
    def ball_radius_mm(self) -> float:
        return self.ball_diameter_mm / 2

    @property
    def piece_plane_mm(self) -> float:
        """Height above the surface of the plane in which pieces are seen: ball centres, or flat tops.

        A ball's outline is seen about its centre; a disc's bright face is its top.
        """
        return self.ball_radius_mm if self.piece_height_mm is None else self.piece_height_mm

    @property
    def area_mm2(self) -> float:
        """The playing area."""
        return self.length_mm * self.width_mm

    @property
    def half_width_mm(self) -> float:
        return self.width_mm / 2

    @property
    def is_board(self) -> bool:
        """Whether it is a carrom board: its pockets are holes in the surface, its pieces slide."""
        return self.mark_set == "carrom"

    @property
    def bottom_mm(self) -> float:
        """The y of the bottom cushion's face (of a board: the frame's on player A's side)."""
        return 0.0

    @property
    def top_mm(self) -> float:
        """The y of the top cushion's face."""
        return self.length_mm

    def at_cushion(self, x_mm: float, y_mm: float, near_mm: float) -> bool:
        """Whether a place lies this near to a cushion's face, or beyond it."""
        within = self.bottom_mm + near_mm < y_mm < self.top_mm - near_mm
        return abs(x_mm) > self.half_width_mm - near_mm or not within

    @property
    def cross_line_mm(self) -> float | None:
        """Distance from the bottom cushion of the line across the cloth: baulk line or head string."""
        return self.head_string_mm if self.baulk_line_mm is None else self.baulk_line_mm

    @property
    def line_is_drawn(self) -> bool:
        """Whether every such table has its cross line drawn: a head string need not be."""
        return self.baulk_line_mm is not None

    def with_line(self, line_mm: float, d_radius_mm: float) -> TableSpec:
        """The table with its cross line, and its D if it has one, at measured distances."""
        return replace(
            self,
            baulk_line_mm=None if self.baulk_line_mm is None else line_mm,
            head_string_mm=None if self.head_string_mm is None else line_mm,
            d_radius_mm=None if self.d_radius_mm is None else d_radius_mm,
        )

    @property
    def foot_spot(self) -> PointMm | None:
        """Where the rack stands: foot spot, black spot of black ball and WEPF; None elsewhere."""
        if self.mark_set not in ("pool", "british"):
            return None
        return (0.0, self.length_mm - self.black_spot_mm)

    @property
    def marked_spots(self) -> dict[str, PointMm]:
        """Every spot that the table may have, by the game's own name.

        Snooker: by colour; pool: `head`, `centre`, `foot` (WPA 8.1); black ball and WEPF: `black`; carrom:
        `centre`.
        """
        centre = (0.0, self.length_mm / 2)
        if self.mark_set == "pool":
            return {
                "head": (0.0, self.head_string_mm or self.length_mm / 4),
                "centre": centre,
                "foot": (0.0, self.length_mm - self.black_spot_mm),
            }
        if self.mark_set == "british":
            return {"black": (0.0, self.length_mm - self.black_spot_mm)}
        return {"centre": centre} if self.mark_set == "carrom" else self.spots

    @property
    def spots(self) -> dict[str, PointMm]:
        """Snooker's six spots by ball colour (1.1(f)); empty on tables of other games."""
        if self.mark_set != "snooker" or self.baulk_line_mm is None or self.d_radius_mm is None:
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
        """The pockets in the order of `POCKETS`; a carrom board has none in the middle of its sides."""
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
        if self.mark_set == "pool":
            return self._pool_corner(name, sx, y0, sy, leg)
        radius = self.corner_mouth_mm / 2
        # the drop circle's near edge lies about on the corner of the two nose lines
        off = radius / math.sqrt(2) * 0.75
        return Pocket(
            name, sx * (w + off), y0 + sy * off, radius, ((sx * (w - leg), y0), (sx * w, y0 - sy * leg))
        )

    def _pool_corner(self, name: PocketName, sx: float, y0: float, sy: float, leg: float) -> Pocket:
        """The slate is cut behind the mouth's line by a shelf, along the corner's diagonal."""
        w, radius = self.half_width_mm, _DROP_OVER_MOUTH[0] * self.corner_mouth_mm
        off = (_CORNER_SHELF_MM + radius - self.corner_mouth_mm / 2) / math.sqrt(2)
        jaws = ((sx * (w - leg), y0), (sx * w, y0 - sy * leg))
        return Pocket(name, sx * (w + off), y0 + sy * off, radius, jaws)

    def _centre(self, name: PocketName) -> Pocket:
        sx = -1.0 if name[1] == "L" else 1.0
        half = self.centre_mouth_mm / 2 + self.centre_jaw_radius_mm * (math.sqrt(2) - 1)
        y = self.length_mm / 2
        radius = self.centre_mouth_mm / 2 * 0.85
        x = sx * (self.half_width_mm + radius * 0.5)
        if self.mark_set in _CENTRE_SHELF_MM:
            radius = _DROP_OVER_MOUTH[1] * self.centre_mouth_mm
            x = sx * (self.half_width_mm + _CENTRE_SHELF_MM[self.mark_set] + radius)
        jaws = ((sx * self.half_width_mm, y - half), (sx * self.half_width_mm, y + half))
        return Pocket(name, x, y, radius, jaws)


@lru_cache(maxsize=64)
def _pockets(table: TableSpec) -> tuple[Pocket, ...]:
    """The pockets, cached because they are needed for each ball of each image."""
    if table.is_board:
        return tuple(table._hole(n) for n in POCKETS if n[0] != "C")
    return tuple(table._corner(n) if n[0] != "C" else table._centre(n) for n in POCKETS)


_CORNER_SHELF_MM = 41.0
"""From the line between a corner pocket's jaws to the slate's edge; WPA allows 25.4 to 57.2 mm."""
_CENTRE_SHELF_MM: dict[str, float] = {"pool": 4.8, "british": 0.0}
"""From the nose line to the slate's edge in a centre pocket; WPA allows 0 to 9.5 mm. No text gives the
British one; a table with rounded jaws has its slate's edge at about the nose line."""
_DROP_OVER_MOUTH = (0.565, 0.51)
"""Radius of the slate's cut over the mouth, corner and centre: 65 mm at the mouths of a WPA table."""


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
    mark_set="pool",
    head_string_mm=635.0,
)  # WPA equipment specification; not in the rule texts
BRITISH_POOL_TABLE = TableSpec(
    length_mm=1828.0,
    width_mm=914.0,
    ball_diameter_mm=50.8,
    baulk_line_mm=1828.0 / 5,
    d_radius_mm=None,
    black_spot_mm=1828.0 / 4,
    nose_height_mm=33.5,
    corner_mouth_mm=84.0,
    centre_mouth_mm=86.0,
    marks_measured=False,
    nose_height_sigma_mm=2.0,
    mark_set="british",
)  # not in the rule texts; cue-ball 47.6 mm


_FEET_MM: dict[MarkSet, tuple[tuple[str, float, float], ...]] = {
    "snooker": (("12 ft", 3569.0, 1778.0), ("9 ft", 2540.0, 1270.0)),
    "pool": (
        ("9 ft", 2540.0, 1270.0),
        ("8 ft oversize", 2336.8, 1168.4),
        ("8 ft", 2235.2, 1117.6),
        ("7 ft", 1981.2, 990.6),
        ("6 ft", 1828.8, 914.4),
    ),
    "british": (("7 ft", 1828.0, 914.0), ("6 ft", 1524.0, 762.0)),
    "carrom": (("full", 740.0, 740.0),),
}
"""Playing areas to which tables are made, by the trade's names, mm. WPA's specification has 9 and 8 ft; the
others are the usual ones (46 x 92, 44 x 88, 39 x 78 and 36 x 72 inches; British 72 x 36 and 60 x 30)."""


def usual_sizes(table: TableSpec) -> tuple[tuple[str, float, float], ...]:
    """Name, length and width (mm) of the playing areas to which tables of this kind are made."""
    return _FEET_MM[table.mark_set]


def has_rules_size(table: TableSpec) -> bool:
    """Whether length and width are nominal ones of this kind of table."""
    return any((table.length_mm, table.width_mm) == size[1:] for size in usual_sizes(table))


def pool_table(length_mm: float, width_mm: float, ball_diameter_mm: float) -> TableSpec:
    """A pool table of any size: WPA's cushions and pockets, spots and strings at quarters of the length."""
    return replace(
        WPA_TABLE,
        length_mm=length_mm,
        width_mm=width_mm,
        ball_diameter_mm=ball_diameter_mm,
        black_spot_mm=length_mm / 4,
        head_string_mm=length_mm / 4,
        nose_height_mm=ball_diameter_mm * 0.635,
    )


def british_table(length_mm: float, width_mm: float, ball_diameter_mm: float) -> TableSpec:
    """A black ball or WEPF table of any size: baulk line at a fifth, black spot at a quarter."""
    return replace(
        BRITISH_POOL_TABLE,
        length_mm=length_mm,
        width_mm=width_mm,
        ball_diameter_mm=ball_diameter_mm,
        baulk_line_mm=length_mm / 5,
        black_spot_mm=length_mm / 4,
        nose_height_mm=BRITISH_POOL_TABLE.nose_height_mm
        * ball_diameter_mm
        / BRITISH_POOL_TABLE.ball_diameter_mm,
    )


def resized(table: TableSpec, length_mm: float, width_mm: float) -> TableSpec:
    """A pool table of another playing area with the same balls and pockets, its marks in proportion."""
    share = length_mm / table.length_mm
    return replace(
        table,
        length_mm=length_mm,
        width_mm=width_mm,
        baulk_line_mm=None if table.baulk_line_mm is None else share * table.baulk_line_mm,
        head_string_mm=None if table.head_string_mm is None else share * table.head_string_mm,
        black_spot_mm=share * table.black_spot_mm,
    )


def small_table(length_mm: float, width_mm: float, ball_diameter_mm: float) -> TableSpec:
    """A table of any size: full-size snooker and nine-foot pool tables by their rules.

    Other tables have marks roughly in proportion, which calibration measures.
    """
    if abs(length_mm - 3569.0) <= DIMENSION_TOLERANCE_MM and abs(width_mm - 1778.0) <= DIMENSION_TOLERANCE_MM:
        return TableSpec(length_mm=length_mm, width_mm=width_mm, ball_diameter_mm=ball_diameter_mm)
    if abs(length_mm - 2540.0) <= DIMENSION_TOLERANCE_MM and abs(width_mm - 1270.0) <= DIMENSION_TOLERANCE_MM:
        return pool_table(length_mm, width_mm, ball_diameter_mm)
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
