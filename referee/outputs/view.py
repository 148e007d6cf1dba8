"""The orientation of the table on the screen: one turn for video, drawing and words.

The drawing's own way is on its side with the baulk end at the left. A turn is a number of quarter turns
clockwise from there: 0 baulk left, 1 top, 2 right, 3 bottom. Unless a person turns it, the table lies as the
camera sees it, so that "top left" is the same corner in the video, in the drawing and in a sentence. Records,
calls and exports name pockets as the rule book's plan has them (`TL`), whatever the camera sees.
"""

from __future__ import annotations

import math

from calibration.camera import Camera
from calibration.table.specs import TableSpec
from referee.outputs.document import Match, camera_of_match, is_declared, table_of

BAULK_AT = ("left", "top", "right", "bottom")
"""Where the baulk end lies on the screen, by turn."""
UPRIGHT = 3
"""The turn of the rule book's plan: baulk at the bottom. Used where no camera is known."""
_COLUMNS = {-1: "left", 0: "middle", 1: "right"}
_ROWS = {-1: "top", 0: "middle", 1: "bottom"}


def turn_of(match: Match) -> int:
    """The turn in which the match's camera sees the table; without one baulk is drawn at the left.

    Of a match from a facts file nothing is drawn: its pockets are those of the rule book's plan.
    """
    camera = camera_of_match(match)
    if camera is None:
        return UPRIGHT if is_declared(match) else 0
    return turn_of_camera(camera, table_of(match))


def turn_of_camera(camera: Camera, table: TableSpec) -> int:
    """The turn in which a camera sees the table."""
    (x0, y0), (x1, y1) = camera.pixels_from_table([(0.0, 0.0, 0.0), (0.0, table.length_mm, 0.0)])
    angle = math.atan2(y1 - y0, x1 - x0)  # of the way from baulk to the top cushion, clockwise on the screen
    return round(angle / (math.pi / 2)) % 4 if math.isfinite(angle) else 0  # of a camera that cannot be


def on_screen(x: float, y: float, turn: int) -> tuple[float, float]:
    """A direction in the drawing's own way (x right, y down) after its turn."""
    for _ in range(turn % 4):
        x, y = -y, x
    return x, y


def pocket_key(name: str, turn: int) -> str:
    """A pocket (`BL` to `TR`) by where it lies on the screen: `top_left`, `middle_right`, ...

    `bottom` of a pocket's own name is the baulk end, `left` is seen from there.
    """
    along = {"B": -1, "C": 0, "T": 1}[name[0]]
    across = {"L": -1, "R": 1}[name[1]]
    right, down = on_screen(along, across, turn)
    return f"{_ROWS[round(down)]}_{_COLUMNS[round(right)]}"
