"""Draws a rack as SVG: one unit is a millimetre, the picture's y is turned so that the top is up."""

from __future__ import annotations

from xml.sax.saxutils import escape

from calibration.table.board import SEATS, CarromBoard
from calibration.table.specs import TableSpec
from calibration.texts import game_title
from referee.rules.common.racks import Rack, RackedBall

_FILL = {
    "white": "#f7f3e6",
    "red": "#c4161c",
    "yellow": "#f2c500",
    "green": "#0b6b3a",
    "brown": "#6d3b1a",
    "blue": "#1d4fa8",
    "pink": "#f08cb0",
    "black": "#161616",
    "purple": "#5b2a86",
    "orange": "#e8761a",
    "maroon": "#7a1f2b",
    "queen": "#c2185b",
    "striker": "#e9e2cf",
}
_RAIL_MM = 90.0


def rack_svg(rack: Rack) -> str:
    """The whole drawing as SVG text."""
    if isinstance(rack.surface, CarromBoard):
        half = rack.surface.half_mm
        body, box = _board(rack.surface), (-half, -half, 2 * half, 2 * half)
    else:
        w, length = rack.surface.width_mm, rack.surface.length_mm
        body, box = _table(rack.surface), (-w / 2, -length, w, length)
    x, y, width, height = box[0] - _RAIL_MM, box[1] - _RAIL_MM, box[2] + 2 * _RAIL_MM, box[3] + 2 * _RAIL_MM
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x:g} {y:g} {width:g} {height:g}" '
            f'width="{width / 4:g}" height="{height / 4:g}" role="img">'
        ),
        f"<title>{escape(game_title(rack.game))}: start position</title>",
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="40" fill="#4a2c17"/>',
        *body,
        *(_ball(ball, rack.diameter_mm / 2) for ball in rack.balls),
        _in_hand(rack),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _line(x1: float, y1: float, x2: float, y2: float, colour: str = "#e8e8e8", width: float = 4.0) -> str:
    return (
        f'<line x1="{x1:.2f}" y1="{-y1:.2f}" x2="{x2:.2f}" y2="{-y2:.2f}" stroke="{colour}"'
        f' stroke-width="{width:g}"/>'
    )


def _circle(x: float, y: float, radius: float, fill: str, stroke: str = "none", width: float = 3.0) -> str:
    return (
        f'<circle cx="{x:.2f}" cy="{-y:.2f}" r="{radius:.2f}" fill="{fill}" stroke="{stroke}"'
        f' stroke-width="{width:g}"/>'
    )


def _table(table: TableSpec) -> list[str]:
    w, length = table.width_mm, table.length_mm
    out = [f'<rect x="{-w / 2:g}" y="{-length:g}" width="{w:g}" height="{length:g}" fill="#2f8a60"/>']
    out += [_circle(p.x_mm, p.y_mm, p.drop_radius_mm, "#0c0c0c") for p in table.pockets]
    if table.baulk_line_mm is None:
        out.append(_line(-w / 2, length / 4, w / 2, length / 4))  # head string
        out += [_circle(0, length * quarter / 4, 7, "#e8e8e8") for quarter in (1, 2, 3)]
        return out
    y = table.baulk_line_mm
    out.append(_line(-w / 2, y, w / 2, y))
    if table.d_radius_mm is not None:
        r = table.d_radius_mm
        out.append(
            f'<path d="M {-r:.2f} {-y:.2f} A {r:.2f} {r:.2f} 0 0 0 {r:.2f} {-y:.2f}" fill="none" '
            'stroke="#e8e8e8" stroke-width="4"/>'
        )
        out += [_circle(x, sy, 7, "#e8e8e8") for x, sy in table.spots.values()]
    else:
        out.append(_circle(0, length - table.black_spot_mm, 7, "#e8e8e8"))
    return out


def _board(board: CarromBoard) -> list[str]:
    half = board.half_mm
    out = [f'<rect x="{-half:g}" y="{-half:g}" width="{2 * half:g}" height="{2 * half:g}" fill="#e3c58f"/>']
    out += [_circle(x, y, board.pocket_diameter_mm / 2, "#0c0c0c") for x, y in board.pockets.values()]
    for seat in SEATS:
        for (x1, y1), (x2, y2) in board.base_lines(seat):
            out.append(_line(x1, y1, x2, y2, "#222", 2.0))
        out += [
            _circle(x, y, board.base_gap_mm / 2, "#b3261e", "#222", 1.5) for x, y in board.base_circles(seat)
        ]
    out.append(_circle(0, 0, board.outer_circle_mm / 2, "none", "#222", 2.0))
    out.append(_circle(0, 0, board.centre_circle_mm / 2, "#d9776f", "#222", 1.5))
    return out


def _ball(ball: RackedBall, radius: float) -> str:
    colour = ball.colour.removesuffix("_stripe")
    out = _circle(
        ball.x_mm, ball.y_mm, radius, _FILL["white" if colour != ball.colour else colour], "#111", 3.0
    )
    if colour != ball.colour:  # a stripe: a band of the colour across a white ball
        h = radius * 0.55
        half = (radius**2 - h**2) ** 0.5
        x, y = ball.x_mm, -ball.y_mm
        out += (
            f'<path d="M {x - half:.2f} {y - h:.2f} H {x + half:.2f} A {radius:.2f} {radius:.2f} 0 0 1'
            f" {x + half:.2f} {y + h:.2f} H {x - half:.2f} A {radius:.2f} {radius:.2f} 0 0 1 {x - half:.2f}"
            f' {y - h:.2f} Z" fill="{_FILL[colour]}"/>'
        )
    if ball.ball.isdigit():
        out += _circle(ball.x_mm, ball.y_mm, radius * 0.45, "#fff")
        out += (
            f'<text x="{ball.x_mm:.2f}" y="{-ball.y_mm + radius * 0.24:.2f}" font-family="sans-serif" '
            f'font-size="{radius * 0.68:.1f}" text-anchor="middle">{escape(ball.ball)}</text>'
        )
    return out


def _in_hand(rack: Rack) -> str:
    """The ball in-hand, drawn dashed at one place where it may be put."""
    spot = rack.in_hand
    radius = spot.diameter_mm / 2
    return (
        f'<circle cx="{spot.x_mm:.2f}" cy="{-spot.y_mm:.2f}" r="{radius:.2f}" fill="{_FILL[spot.ball]}" '
        'fill-opacity="0.85" stroke="#111" stroke-width="3" stroke-dasharray="8 6"/>'
    )
