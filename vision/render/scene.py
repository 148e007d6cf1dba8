"""What a synthetic scene consists of: camera position, lamps, table look, balls, people. Plain data.

Millimetres in the table frame (origin: centre of the bottom cushion face, x right, y to the top
cushion, z up); colours are linear RGB reflectances (0..1) unless a name says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from calibration.table.specs import TableSpec

Rgb = tuple[float, float, float]
Vec3 = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Lamp:
    """A light above the table: a rectangle (or ellipse) facing down.

    `half_x_mm, half_y_mm`: half extents; `power`: its share of the light at the table's centre;
    `beam`: exponent of the cosine of its falloff; `samples`: points that stand for its area in shadows.
    """

    position: Vec3
    half_x_mm: float
    half_y_mm: float
    colour: Rgb
    power: float
    beam: float = 1.0
    round: bool = False
    samples: tuple[tuple[float, float], ...] = ((0.0, 0.0),)


@dataclass(frozen=True, slots=True)
class BallLook:
    """How balls of one colour look; `mark`: printed, 0 none, 1 a label, 2 dots, 3 a stripe, 4 as below.

    With mark 4 what is printed turns with the ball: `band`: colour of a stripe over the ball's `albedo`,
    `band_half`: its half width on the unit sphere; `number` in circles of `circle_radius`, in one of the
    fonts of `prints`; `spots`: up to six spots of `mark_albedo` on the axes, reaching out to `spot_cosine`.
    """

    albedo: Rgb
    mark: int = 0
    mark_albedo: Rgb = (0.9, 0.9, 0.9)
    band: Rgb | None = None
    band_half: float = 0.5
    number: int | None = None
    font: int = 0
    circle: Rgb = (0.8, 0.8, 0.75)
    circle_radius: float = 0.32
    spots: int = 0
    spot_cosine: float = 0.97


@dataclass(frozen=True, slots=True)
class Ball:
    """One ball at mid exposure. `velocity`: mm/s on the table. `spin_seed` turns its printed marks.

    `z_mm`: height of the centre; below the radius inside a pocket, above it in a hand. `radius_mm`: where it
    is not the table's. `turn`: the rotation matrix world-from-ball, row after row; None: by `spin_seed`.
    """

    colour: str
    x_mm: float
    y_mm: float
    velocity: tuple[float, float] = (0.0, 0.0)
    z_mm: float | None = None
    spin_seed: int = 0
    radius_mm: float | None = None
    turn: tuple[float, float, float, float, float, float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Capsule:
    """A tapered round limb between two points: arms, fingers, cues, heads (when both ends are close).

    `texture`: contrast of its surface; `blurred`: how far it moves during the exposure, mm (x, y).
    """

    a: Vec3
    b: Vec3
    radius_a_mm: float
    radius_b_mm: float
    albedo: Rgb
    texture: float = 0.1
    gloss: float = 0.0
    solid: bool = True


@dataclass(frozen=True, slots=True)
class Fittings:
    """What some tables carry beside the plain rails. `sights`: along each short side, twice that along a
    long one; `sight`: their shape; `trim_mm`: width of a strip along the rail's inner edge, 0 for none;
    `bow_mm`: width of a bow around each pocket on the rail side, 0 for none; `plate_mm`: a plate with
    lettering in the rails' middles; `bands`: contrast of the broad stripes that ironing and rolling leave
    on the nap.
    """

    sights: int = 0
    sight: Literal["diamond", "bar", "dot"] = "diamond"
    sight_albedo: Rgb = (0.85, 0.85, 0.8)
    trim_mm: float = 0.0
    trim_albedo: Rgb = (0.75, 0.6, 0.3)
    bow_mm: float = 0.0
    bow_albedo: Rgb = (0.6, 0.5, 0.25)
    plate_mm: float = 0.0
    bands: float = 0.0


@dataclass(frozen=True, slots=True)
class TableLook:
    """Colours and styles of everything that belongs to the table.

    `spots_off_mm`: marks that are not where the dimensions put them: (colour, by x, by y).
    """

    cloth: Rgb = (0.02, 0.20, 0.05)
    cloth_contrast: float = 0.08
    nap: float = 0.05
    wear: float = 0.1
    mark: Rgb = (0.8, 0.8, 0.75)
    mark_width_mm: float = 3.5
    mark_opacity: float = 0.9
    spot_radius_mm: float = 4.0
    spots_off_mm: tuple[tuple[str, float, float], ...] = ()
    cushion_gain: float = 1.0
    cushion_width_mm: float = 48.0
    rail: Rgb = (0.15, 0.05, 0.02)
    rail_width_mm: float = 110.0
    rail_grain: float = 0.25
    rail_dots: int = 0
    dot_albedo: Rgb = (0.8, 0.8, 0.8)
    pocket_hole: Rgb = (0.005, 0.005, 0.005)
    pocket_net: float = 0.0
    well_shift_mm: float = 0.0
    well_radius: float = 0.0
    pocket_lip: float = 0.0
    pocket_lip_tone: Rgb = (0.1, 0.1, 0.12)
    pocket_leather: Rgb = (0.3, 0.2, 0.1)
    leather_width_mm: float = 22.0
    plastic_corner: float = 0.0
    floor: Rgb = (0.02, 0.015, 0.015)
    markers: int = 0
    specks: int = 30
    seed: int = 0
    fittings: Fittings | None = None


@dataclass(frozen=True, slots=True)
class Projection:
    """Thin figures of light thrown on the table: rows (x0, y0, x1, y1) or circles (x, y, r, nan)."""

    figures: tuple[tuple[float, float, float, float], ...] = ()
    colour: Rgb = (0.2, 0.8, 0.8)
    width_mm: float = 4.0
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a picture of a table shows, apart from the camera's lens and sensor."""

    table: TableSpec
    look: TableLook
    ball_looks: dict[str, BallLook]
    lamps: tuple[Lamp, ...]
    ambient: Rgb = (0.25, 0.25, 0.25)
    ball_gloss: float = 0.05
    bounce: float = 0.6
    balls: tuple[Ball, ...] = ()
    people: tuple[Capsule, ...] = ()
    projection: Projection = field(default_factory=Projection)
