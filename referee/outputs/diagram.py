"""The table from above as SVG: balls with their letter, paths, contacts in order, pots.

The table lies on its side, baulk at the left, as a viewer beside it sees it: SVG x is the table's y and
SVG y the table's x, both in mm, which turns the plan and does not mirror it. Every ball carries a letter
and every path its own dash pattern, so that nothing is said by colour alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from html import escape

from calibration.table.board import origin_of_records_mm
from calibration.table.lines import surface_lines
from calibration.table.pieces import colour_of
from calibration.table.specs import SNOOKER_TABLE, TableSpec
from referee.outputs.document import LayoutByColour, Stroke, cue_ball_of
from referee.outputs.tracks import BallPath, Tracks, simplified
from referee.outputs.view import BAULK_AT, on_screen

LETTERS = {
    "white": "W",
    "red": "R",
    "yellow": "Y",
    "green": "G",
    "brown": "N",
    "blue": "B",
    "pink": "P",
    "black": "K",
    **{str(n): str(n) for n in range(1, 16)},
    "cue": "",
    "striker": "S",
    "queen": "Q",
}
"""One letter a colour: N for brown and K for black, because B is the blue; pool's balls their numbers."""
_POOL = ("#f2c500", "#1749b0", "#c4161c", "#5b2a86", "#ee7a16", "#0a7a3d", "#7a1f2b")
FILLS = {
    "white": "#f7f4e6",
    "red": "#c4161c",
    "yellow": "#f2c500",
    "green": "#0a7a3d",
    "brown": "#7a4a21",
    "blue": "#1749b0",
    "pink": "#f29bb2",
    "black": "#17171a",
    **{str(n): "#17171a" if n == 8 else _POOL[(n - 1) % 8] for n in range(1, 16)},
    "cue": "#f7f4e6",
    "striker": "#efe3c8",
    "queen": "#c4161c",
}
STRIPES = frozenset(str(n) for n in range(9, 16))
"""White balls with a band of their colour."""
DASHES = {
    "white": "",
    "red": "34 14",
    "yellow": "8 16",
    "green": "60 14",
    "brown": "34 14 8 14",
    "blue": "60 14 8 14",
    "pink": "20 20",
    "black": "60 14 8 14 8 14",
}
DARK_TEXT = frozenset({"white", "yellow", "pink", "cue", "striker", "1", *STRIPES})
BALL_SCALE = 1.35
"""Balls are drawn this much larger than life, or their letters could not be read on a page."""
RAIL_MM = 95.0
"""Drawn border around the playing area; holds the pockets."""
CLOTH = {"surface": "#14784f", "edge": "#0b5a3c", "lines": "#d7e8dc"}
WOOD = {"surface": "#9a7146", "edge": "#5d4127", "lines": "#2e1c0f"}
_SMALLEST_MM = 1800.0
"""Marks and letters have their size on a table at least this long; on a board they are smaller."""


def mark_scale(table: TableSpec) -> float:
    """How large marks, letters and lines are drawn: 1 on a table for cues, less on a carrom board."""
    return min(1.0, table.length_mm / _SMALLEST_MM)


def surface_colours(table: TableSpec) -> dict[str, str]:
    """Colours of the surface, of its edge and of the lines on it."""
    return WOOD if table.is_board else CLOTH


def _lines_path(table: TableSpec) -> str:
    """The lines on the surface as SVG path data."""
    lines = ([svg_point(float(x), float(y)) for x, y in line] for line in surface_lines(table))
    return "".join("M" + "L".join(f"{u:.1f} {v:.1f}" for u, v in line) for line in lines)


def symbols_svg(table: TableSpec) -> str:
    """One hidden SVG with the table and the eight balls, for `<use>` by every diagram of a page."""
    return f'<svg width="0" height="0" style="position:absolute" aria-hidden="true">{_defs(table)}</svg>'


def stroke_svg(
    stroke: Stroke,
    table: TableSpec,
    tracks: Tracks | None = None,
    *,
    standalone: bool = False,
    turn: int = 0,
    pocket: Callable[[str], str] | None = None,
) -> str:
    """One stroke: start positions faded where a ball moved, paths, contacts in order, pots, end positions.

    `turn`: quarter turns clockwise from baulk at the left (`referee.outputs.view`); `pocket`: the pockets'
    names as they are to be written beside them.
    """
    paths = stroke_paths(stroke, tracks or {})
    parts = [_path(p, mark_scale(table)) for p in paths.values()]
    still, gone, come = _changes(stroke["before"], stroke["after"], table.ball_diameter_mm / 3)
    parts += [_ball(c, x, y, "ghost") for c, x, y in gone]
    parts += [_ball(c, x, y) for c, x, y in still + come]
    parts += _contact_marks(stroke, paths, table)
    parts += _pot_marks(stroke, table)
    parts += [_possible(b["x_mm"], b["y_mm"], table) for b in stroke.get("possible_balls", [])]
    parts += pocket_labels(table, turn, pocket) if pocket is not None else []
    words = f"Stroke {stroke['n']}: table from above, baulk end at the {BAULK_AT[turn]}"
    return _frame(table, parts, words, standalone, turn)


def layout_svg(layout: LayoutByColour, table: TableSpec, title: str, extra: Iterable[str] = ()) -> str:
    """Balls at rest; `extra` are SVG fragments in table millimetres (see `svg_point`)."""
    parts = [_ball(c, p[0], p[1]) for c, places in layout.items() for p in places]
    return _frame(table, [*parts, *extra], title, standalone=False)


def svg_point(x_mm: float, y_mm: float) -> tuple[float, float]:
    """Table millimetres to the diagram's coordinates."""
    return y_mm, x_mm


def stroke_paths(stroke: Stroke, tracks: Tracks) -> dict[str, BallPath]:
    """The rows of every ball that moved during the stroke, by ball."""
    out: dict[str, BallPath] = {}
    for ball, rows in tracks.items():
        path = rows.between(stroke["start_s"] - 1e-6, stroke["end_s"] + 1e-6)
        if sum(s == "moving" for s in path.state) >= 2:
            out[ball] = path
    return out


def _defs(table: TableSpec) -> str:
    radius = table.ball_radius_mm * BALL_SCALE
    balls = "".join(_symbol(c, radius, mark_scale(table)) for c in LETTERS)
    return f'<defs>{balls}<g id="table">{_table(table)}</g></defs>'


def _symbol(kind: str, radius: float, scale: float) -> str:
    """One ball or disc of a kind, with its letter or number; a stripe as a band on white."""
    stripe = kind in STRIPES
    band = ""
    if stripe:
        half = 0.55 * radius
        band = (
            f'<rect x="{-0.8 * radius:.1f}" y="{-half:.1f}" width="{1.6 * radius:.1f}"'
            f' height="{2 * half:.1f}" fill="{FILLS[kind]}"/><circle r="{0.5 * radius:.1f}" fill="#fff"/>'
        )
    size = radius * (0.8 if stripe else 1.45 if len(LETTERS[kind]) < 2 else 1.0)
    return (
        f'<g id="ball-{kind}" class="sym"><circle r="{radius:.1f}" fill="{"#fff" if stripe else FILLS[kind]}"'
        f' stroke="#fff" stroke-width="{3 * scale:g}"/>{band}'
        f'<circle r="{radius:.1f}" fill="none" stroke="#000" stroke-width="{1.5 * scale:g}"/><text'
        f' text-anchor="middle" dy=".36em" font-size="{size:.0f}" font-weight="700"'
        ' font-family="Arial,Helvetica,sans-serif"'
        f' fill="{"#111" if kind in DARK_TEXT else "#fff"}">{LETTERS[kind]}</text></g>'
    )


def _table(table: TableSpec) -> str:
    """Rails, surface, the lines on it, spots and pockets."""
    length, half, k = table.length_mm, table.half_width_mm, mark_scale(table)
    colours, edge, r = surface_colours(table), 12 * k, RAIL_MM * k
    lines = f'fill="none" stroke="{colours["lines"]}" stroke-width="{5 * k:g}"'
    out = [
        (
            f'<rect x="{-r}" y="{-half - r}" width="{length + 2 * r}" height="{2 * half + 2 * r}"'
            f' rx="{60 * k:g}" fill="#4a2f1c"/>'
        ),
        (
            f'<rect x="{-edge:g}" y="{-half - edge:g}" width="{length + 2 * edge:g}"'
            f' height="{2 * half + 2 * edge:g}" fill="{colours["edge"]}"/>'
        ),
        f'<rect x="0" y="{-half}" width="{length}" height="{2 * half}" fill="{colours["surface"]}"/>',
        f'<path d="{_lines_path(table)}" {lines}/>',
    ]
    spots = (svg_point(x, y) for x, y in table.spots.values())
    out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{7 * k:g}" fill="{colours["lines"]}"/>' for x, y in spots]
    out += [
        f'<circle cx="{p.y_mm:.1f}" cy="{p.x_mm:.1f}" r="{p.drop_radius_mm:.1f}" fill="#0c0c0c"/>'
        for p in table.pockets
    ]
    return "".join(out)


def _frame(table: TableSpec, parts: list[str], title: str, standalone: bool, turn: int = 0) -> str:
    r, half, length = RAIL_MM * mark_scale(table), table.half_width_mm, table.length_mm
    across, down = length + 2 * r, 2 * half + 2 * r
    box = f"{-r:.0f} {-half - r:.0f} {across:.0f} {down:.0f}"
    if turn % 2:
        box = f"{length / 2 - down / 2:.0f} {-across / 2:.0f} {down:.0f} {across:.0f}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="table turn{turn}" viewBox="{box}" role="img">'
    defs = _defs(table) if standalone else ""
    turned = f' transform="rotate({90 * turn} {length / 2:.0f} 0)"' if turn else ""
    inside = "".join(_upright(p, turn) for p in parts)
    if table.is_board:  # its records count from the board's centre
        inside = f'<g transform="translate({origin_of_records_mm(table):.0f} 0)">{inside}</g>'
    drawn = f'<g{turned}><use href="#table"/>{inside}</g>'
    return f"{head}<title>{escape(title)}</title>{defs}{drawn}</svg>"


_LETTERED = re.compile(r'(<use href="#ball-\w+"|<text) x="(-?\d+)" y="(-?\d+)"')


def _upright(part: str, turn: int) -> str:
    """The part with its balls' letters and numbers upright on a table that is turned."""
    if not turn:
        return part
    return _LETTERED.sub(rf'\1 transform="translate(\2 \3) rotate({-90 * turn})"', part)


def pocket_labels(table: TableSpec, turn: int, pocket: Callable[[str], str]) -> list[str]:
    """The pockets' names beside them on the cloth, upright; as large as the table lets them lie apart."""
    out, k = [], min(mark_scale(table), table.length_mm / SNOOKER_TABLE.length_mm)
    for p in table.pockets:
        if p.name[:1] not in "BCT":
            continue
        inward = 0 if p.name[0] == "C" else 1 if p.name[0] == "B" else -1
        x = p.y_mm - origin_of_records_mm(table) + inward * 110 * k
        y = p.x_mm - math.copysign(130 * k, p.x_mm)
        right, _ = on_screen(inward, -math.copysign(1, p.x_mm), turn)  # away from the rail beside it
        anchor = "start" if right > 0 else "end" if right < 0 else "middle"
        out.append(
            f'<text transform="translate({x:.0f} {y:.0f}) rotate({-90 * turn})" text-anchor="{anchor}"'
            f' dy=".35em" font-size="{84 * k:.0f}" font-family="Arial,sans-serif" fill="#fff" opacity=".85">'
            f"{escape(pocket(p.name))}</text>"
        )
    return out


def _ball(colour: str, x_mm: float, y_mm: float, css: str = "") -> str:
    shown = colour if colour in LETTERS else "white"
    style = ' opacity=".38"' if css == "ghost" else ""
    return f'<use href="#ball-{shown}" x="{y_mm:.0f}" y="{x_mm:.0f}"{style}/>'


def _possible(x_mm: float, y_mm: float, table: TableSpec) -> str:
    """A broken ring with a question mark where something lies that may be a ball."""
    x, y, radius, k = y_mm, x_mm, table.ball_radius_mm * BALL_SCALE, mark_scale(table)
    return (
        f'<g class="possible"><circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.0f}" fill="none" stroke="#fff"'
        f' stroke-width="{5 * k:g}" stroke-dasharray="{12 * k:g} {9 * k:g}"/>'
        f'<text x="{x:.0f}" y="{y:.0f}" dy=".36em" text-anchor="middle"'
        f' font-size="{1.3 * radius:.0f}" font-family="Arial,sans-serif" fill="#fff">?'
        "</text></g>"
    )


def _path(path: BallPath, scale: float) -> str:
    colour = colour_of(path.ball)
    moving = tuple(p for p, s in zip(path.xy_mm, path.state, strict=True) if s != "hidden")
    points = " ".join(f"{y:.0f},{x:.0f}" for x, y in simplified(moving))
    strokes = " ".join(f"{float(n) * scale:g}" for n in DASHES.get(colour, "").split())
    dash = f' stroke-dasharray="{strokes}"' if strokes else ""
    return (
        f'<g fill="none" stroke-linejoin="round"><polyline points="{points}" stroke="#03291a"'
        f' stroke-width="{15 * scale:g}" opacity=".5"/>'
        f'<polyline points="{points}" stroke="{_line_colour(colour)}"'
        f' stroke-width="{8 * scale:g}"{dash}/></g>'
    )


def _line_colour(colour: str) -> str:
    """A ball's colour where it can be seen on the cloth."""
    return {
        "green": "#7be0a6",
        "black": "#9a9aa4",
        "brown": "#c98d58",
        "blue": "#79a4ff",
        "red": "#ff6a5e",
    }.get(colour, FILLS.get(colour, "#fff"))


Placed = list[tuple[str, float, float]]


def _changes(before: LayoutByColour, after: LayoutByColour, same_mm: float) -> tuple[Placed, Placed, Placed]:
    """Balls that stayed, places that were left, places that are new."""
    still: Placed = []
    gone: Placed = []
    come: Placed = []
    for colour in {**before, **after}:
        left = [(p[0], p[1]) for p in after.get(colour, [])]
        for p in before.get(colour, []):
            near = [q for q in left if abs(q[0] - p[0]) < same_mm and abs(q[1] - p[1]) < same_mm]
            if near:
                left.remove(near[0])
                still.append((colour, p[0], p[1]))
            else:
                gone.append((colour, p[0], p[1]))
        come += [(colour, x, y) for x, y in left]
    return still, gone, come


def _contact_marks(stroke: Stroke, paths: dict[str, BallPath], table: TableSpec) -> list[str]:
    """Numbers in the order of the contacts, at the place where the moving ball of the pair was."""
    out: list[str] = []
    cue, k = cue_ball_of(stroke), mark_scale(table)
    timed = sorted((c for c in stroke["contacts"] if c["t_s"] is not None), key=lambda c: c["t_s"] or 0.0)
    for number, contact in enumerate(timed, start=1):
        moving = next((b for b in sorted(contact["balls"], key=lambda b: b != cue) if b in paths), None)
        here = paths[moving].at(contact["t_s"] or 0.0) if moving else None
        if here is None:
            continue
        x, y = here[1], here[0] - table.ball_diameter_mm * 1.5
        out.append(
            f'<g class="contact"><circle cx="{x:.0f}" cy="{y:.0f}" r="{32 * k:g}" fill="#fff" stroke="#111"'
            f' stroke-width="{4 * k:g}"/>'
            f'<text x="{x:.0f}" y="{y:.0f}" dy=".36em" text-anchor="middle" font-size="{46 * k:g}"'
            f' font-family="Arial,sans-serif" fill="#111">{number}</text></g>'
        )
    return out


def _pot_marks(stroke: Stroke, table: TableSpec) -> list[str]:
    """The ball in a ring at its pocket; an in-off too."""
    fallen: list[tuple[str, str | None]] = [(p["ball"], p["pocket"]) for p in stroke["potted"]]
    if stroke["cue_ball"] == "pocketed":
        fallen.append((cue_ball_of(stroke), stroke["cue_ball_pocket"]))
    out: list[str] = []
    places = {p.name: p for p in table.pockets}
    used: dict[str, int] = {}
    k = mark_scale(table)
    ring_mm = table.ball_radius_mm * BALL_SCALE + 18 * k
    for ball, name in fallen:
        pocket = next((p for n, p in places.items() if n == name), None)
        if pocket is None:
            continue
        shift = used.get(pocket.name, 0)
        used[pocket.name] = shift + 1
        x, y = pocket.y_mm - origin_of_records_mm(table) + shift * 80 * k, pocket.x_mm
        ring = (
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{ring_mm:.0f}" fill="none" stroke="#ffe14a"'
            f' stroke-width="{11 * k:g}"/>'
        )
        out.append(f'<g class="pot">{ring}{_ball(colour_of(ball), y, x)}</g>')
    return out
