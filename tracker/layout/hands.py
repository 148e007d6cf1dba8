"""Hands' moves between strokes, from the places of balls before and after."""

from __future__ import annotations

import math
from itertools import pairwise

from calibration.table.board import CARROM_BOARD
from calibration.table.pieces import BILLIARDS, BILLIARDS_SPOTTED, SNOOKER, PieceSet
from calibration.table.pockets import in_mouth
from calibration.table.specs import PointMm, TableSpec
from tracker.ball import Ball, BallState, Leg
from tracker.events import HandMove
from tracker.place import Rest

SAME_PLACE_DIAMETERS = 0.75
"""A ball put back within this of its old place counts as replaced there."""
NEAR_SPOT_MM, ON_LINE_MM, D_HALF_MM = 150.0, 60.0, 450.0
"""About where a ball that fell is put back: spots, the long string (snooker 3.7), the D with room around it
(3.5).
"""
HELD_S, HELD_MM = 0.25, 150.0
"""A hand that puts a ball down shifts it by so little; nobody strikes a ball that has lain for so short a
time.
"""
_WITH_A_D = (SNOOKER, BILLIARDS, BILLIARDS_SPOTTED)
"""Sets whose tables have six spots and a D."""
CARRIED_SHARE = 0.6
MIN_STROKE_MM = 3.0
BASE_LINE_MM = 15.0
"""A striker set to play is seen this near to the middle of its base lines: 5 mm by law 130(a), and errors."""
SEEN_ROLLING = 4
"""A ball that leaves its place and comes back to it is seen on its way in this many images."""


def spots_of(table: TableSpec, pieces: PieceSet) -> dict[str, PointMm]:
    """Spots by the kind of ball that belongs on them: snooker's six; a table's marks are not every game's."""
    return table.spots if pieces == SNOOKER else {}


def put_back_there(
    table: TableSpec, pieces: PieceSet, x_mm: float, y_mm: float, in_hand: bool = False
) -> bool:
    """Whether balls are put back there; `in_hand`: a cue-ball, which goes anywhere but into a pocket's mouth;
    a white of billiards into the D, with room around it, or onto the centre spot (billiards 3.13).

    Others: near a spot, on the line behind them, in or about the D; in pool on the line through the foot
    spot. Discs anywhere but in a pocket's mouth.
    """
    if pieces not in _WITH_A_D and not pieces.discs and not in_hand:
        return abs(x_mm) < ON_LINE_MM  # the long string (WPA 1.4)
    if pieces not in _WITH_A_D or not table.spots or table.baulk_line_mm is None:
        return not in_mouth(x_mm, y_mm, table)
    if in_hand and pieces != SNOOKER and table.d_radius_mm is not None:
        x, y = table.spots["blue"]
        from_line = y_mm - table.baulk_line_mm
        about_d = from_line < NEAR_SPOT_MM and math.hypot(x_mm, from_line) < table.d_radius_mm + NEAR_SPOT_MM
        return about_d or math.hypot(x_mm - x, y_mm - y) < NEAR_SPOT_MM
    near = any(math.hypot(x_mm - x, y_mm - y) < NEAR_SPOT_MM for x, y in table.spots.values())
    return (
        near
        or abs(x_mm) < ON_LINE_MM
        or (y_mm < table.baulk_line_mm + NEAR_SPOT_MM and abs(x_mm) < D_HALF_MM)
    )


def returned(ball: Ball, from_mm: tuple[float, float] | None, rest: Rest, t_s: float) -> HandMove:
    """A ball that was off the table lies on it again."""
    return HandMove(
        "in_hand" if ball.is_cue else "respot",
        ball.name,
        from_mm,
        (rest.x_mm, rest.y_mm, rest.place_sigma_mm),
        t_s,
    )


def moved(
    table: TableSpec,
    ball: str,
    from_mm: tuple[float, float],
    rest: Rest | None,
    t_s: float,
    earlier_mm: tuple[float, float] | None,
) -> HandMove:
    """A hand took a ball from one place to another. `earlier_mm`: where it lay before the last stroke."""
    if rest is None:
        return HandMove("moved", ball, from_mm, None, t_s)
    near = SAME_PLACE_DIAMETERS * table.ball_diameter_mm
    back = earlier_mm is not None and math.hypot(rest.x_mm - earlier_mm[0], rest.y_mm - earlier_mm[1]) < near
    return HandMove(
        "replaced" if back else "moved", ball, from_mm, (rest.x_mm, rest.y_mm, rest.place_sigma_mm), t_s
    )


def set_to_play(table: TableSpec, ball: Ball) -> bool:
    """Whether a ball lies where it may be struck from: a carrom striker is set on the base lines of a side.

    Law 130(a). What moves a striker from anywhere else is the hand that takes it back.
    """
    if not ball.pieces.discs or not table.is_board or not ball.legs:
        return True
    return any(on_base_line(table, leg.x0_mm, leg.y0_mm) for leg in ball.legs)


def on_base_line(table: TableSpec, x_mm: float, y_mm: float) -> bool:
    """Whether a place lies between the base lines of one of a board's sides, or nearly."""
    if not table.is_board:
        return False
    centre = (table.bottom_mm + table.top_mm) / 2
    from_centre = abs(CARROM_BOARD.striker_line_y_mm()) * table.width_mm / (2 * CARROM_BOARD.half_mm)
    return any(abs(v - from_centre) < BASE_LINE_MM for v in (abs(x_mm), abs(y_mm - centre)))


def in_outer_circle(table: TableSpec, x_mm: float, y_mm: float) -> bool:
    """Whether a place lies in a board's outer circle or just beside it, where dues are put (ICF law 85)."""
    centre = (table.bottom_mm + table.top_mm) / 2
    scale = table.width_mm / (2 * CARROM_BOARD.half_mm)
    return math.hypot(x_mm, y_mm - centre) < scale * CARROM_BOARD.outer_circle_mm / 2 + BASE_LINE_MM


def still_held(ball: Ball, begun_s: float) -> bool:
    """Whether a ball that a hand has just put down went on with that hand: it had lain there for no moment,
    and went no way.

    `begun_s`: when the balls were first seen; what lay there then may have lain for long.
    """
    if (
        ball.before is None
        or not ball.legs
        or ball.before.since_s <= begun_s
        or ball.state is not BallState.REST
    ):
        return False
    first = ball.legs[0]
    lay_s = first.t_rest_s - ball.before.since_s
    seen = [(p.x_mm, p.y_mm) for leg in ball.legs for p in leg.points]
    far_mm = max(
        math.dist(at, (first.x0_mm, first.y0_mm)) for at in [*seen, (ball.rest.x_mm, ball.rest.y_mm)]
    )
    return lay_s < HELD_S and far_mm < HELD_MM


def went_nowhere(leg: Leg) -> bool:
    """Whether a leg ends where it began without having been anywhere else: a false start."""
    if leg.end is None or not leg.points:
        return False
    gate = max(1.5, 4 * math.hypot(leg.end[2], leg.sigma0_mm))
    if math.hypot(leg.end[0] - leg.x0_mm, leg.end[1] - leg.y0_mm) > gate:
        return False
    away = [
        p for p in leg.points if math.hypot(p.x_mm - leg.x0_mm, p.y_mm - leg.y0_mm) > gate + 4 * p.sigma_mm
    ]
    return len(away) <= 1


def came_back(ball: Ball) -> bool:
    """Whether a ball is where it began and was seen elsewhere only lying at one place or two: it never left.

    False observations beside an arm that hides it take a ball away and let it go again; a ball that rolls
    does not come to rest within its own noise of where it lay.
    """
    legs = ball.legs
    if ball.state is not BallState.REST or len(legs) < 2:
        return False
    first, last = legs[0], legs[-1]
    gate = max(1.5, 4 * math.hypot(ball.rest.sigma_mm, first.sigma0_mm))
    if math.hypot(ball.rest.x_mm - first.x0_mm, ball.rest.y_mm - first.y0_mm) > gate:
        return False
    return last.end is not None and not any(
        runs_free(leg) and len(leg.points) >= SEEN_ROLLING for leg in legs
    )


def runs_free(leg: Leg) -> bool:
    """Whether a leg is a ball rolling, not one in a hand: it is seen on its way, outside the covered cells.

    A bridge hand or cue covers the first moments of every stroke; a carried ball is covered all the way
    and is seen only where it was taken and where it is put down.
    """
    points = leg.points
    if not points:
        return False
    end = leg.end[:2] if leg.end is not None else None
    way = 0
    free = 0
    for p in points:
        gate = max(3.0, 4 * p.sigma_mm)
        if math.hypot(p.x_mm - leg.x0_mm, p.y_mm - leg.y0_mm) < gate:
            continue
        if end is not None and math.hypot(p.x_mm - end[0], p.y_mm - end[1]) < gate:
            continue
        way += 1
        free += not p.near_cover
    far = max(math.hypot(p.x_mm - leg.x0_mm, p.y_mm - leg.y0_mm) for p in points)
    if far < MIN_STROKE_MM:
        return False
    if end is None:
        return free >= 1 or (free == 0 and way >= 3)  # it fell close to the hand that struck it
    return free >= 2 and free > (1 - CARRIED_SHARE) * 0.5 * way


def flies_apart(leg: Leg) -> bool:
    """Whether no two steps on a leg belong to one motion: stray observations here and there, not a ball.

    A ball keeps direction and speed from image to image, or bends once; what is seen in one image only is no
    proof.
    """
    if leg.end is not None:
        return False
    places = [(leg.t_rest_s, leg.x0_mm, leg.y0_mm), *((p.t_s, p.x_mm, p.y_mm) for p in leg.points)]
    steps = [
        ((b[1] - a[1]) / (b[0] - a[0]), (b[2] - a[2]) / (b[0] - a[0]))
        for a, b in pairwise(places)
        if b[0] > a[0]
    ]
    return not any(
        math.hypot(v[0] - u[0], v[1] - u[1]) < 0.5 * max(math.hypot(*u), math.hypot(*v))
        for u, v in pairwise(steps)
    )


def struck_first(ball: Ball) -> bool:
    """Whether any leg of a ball is a free roll."""
    return any(runs_free(leg) for leg in ball.legs)
