"""Draw docs/architecture.svg, the picture of docs/architecture.md: `python docs/draw_architecture.py`."""

from html import escape
from pathlib import Path

WIDTH_PX, HEIGHT_PX = 1120, 640
INK, GREY, PALE = "#1c2733", "#5b6b7a", "#f5f7f9"
COLOURS = {"vision": "#2f6f9f", "tracker": "#8a5a9e", "referee": "#0b6e4f", "calibration": "#a8641a"}

# The way of the data: what travels, and the package that makes it.
WAY = [
    ("image", "vision", "pixels, t_s"),
    ("detection", "vision", "px, confidence"),
    ("observation", "vision", "mm, sigma"),
    ("track", "tracker", "one ball, named"),
    ("stroke", "tracker", "contacts, pots"),
    ("facts", "referee", "with weights"),
    ("ruling", "referee", "clause, penalty"),
    ("journal", "referee", "append-only"),
    ("score", "referee", "a fold over it"),
]

# The layers from left to right as data sees them; each imports those to its left.
LAYERS = [
    (
        "calibration",
        20,
        190,
        [
            "table  sizes, pockets, pieces",
            "find  a table in a picture",
            "solve  camera, lens, size",
            "monitor  a knocked camera",
        ],
    ),
    (
        "vision",
        230,
        250,
        [
            "io, capture  images and clocks",
            "change, view  where to look",
            "detect  networks, looks, names",
            "locate  centres, gaps, spots",
            "observer  all of it, in order",
            "render, train  leaves",
        ],
    ),
    (
        "tracker",
        495,
        180,
        [
            "association  who is who",
            "people, motion  hidden or rolling",
            "paths, contacts, pots  a stroke",
            "events  what happened",
        ],
    ),
    ("referee", 690, 410, []),
]

# The rooms of the referee: name, what for, column, row.
ROOMS = [
    ("facts", "the vocabulary", 0, 0),
    ("rules", "a folder a game", 1, 0),
    ("geometry", "snookered, spots", 2, 0),
    ("match", "intake, verdict, fold", 0, 1),
    ("journal", "the match's truth", 1, 1),
    ("outputs", "match.json, report", 2, 1),
    ("review", "a recording in", 0, 2),
    ("live", "a table, all evening", 1, 2),
    ("console", "people decide", 2, 2),
    ("access", "accounts, roles", 0, 3),
    ("season", "many matches", 1, 3),
    ("cases", "worked rule cases", 2, 3),
    ("quality", "bench, soak, certify", 0, 4),
    ("commands", "one file each", 1, 4),
]


def text(x: float, y: float, words: str, size: int = 13, fill: str = INK, **attributes: str) -> str:
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}"{more}>{escape(words)}</text>'


def box(
    x: float, y: float, width: float, height: float, fill: str, stroke: str = "none", radius: int = 8
) -> str:
    place = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    return f'<rect {place} rx="{radius}" fill="{fill}" stroke="{stroke}"/>'


def arrow(x0: float, y0: float, x1: float, y1: float, colour: str = GREY, width: float = 1.5) -> str:
    return (
        f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="{colour}" stroke-width="{width}"'
        ' marker-end="url(#head)"/>'
    )


def way() -> list[str]:
    parts = [text(20, 34, "The way of the data", 17, font_weight="600")]
    step, width, top = 123.0, 99.0, 56.0
    for k, (name, package, carries) in enumerate(WAY):
        x = 20 + k * step
        parts.append(box(x, top, width, 46, COLOURS[package]))
        parts.append(
            text(x + width / 2, top + 20, name, 14, "#ffffff", text_anchor="middle", font_weight="600")
        )
        parts.append(text(x + width / 2, top + 37, carries, 11, "#ffffff", text_anchor="middle"))
        if k:
            parts.append(arrow(x - step + width + 2, top + 23, x - 4, top + 23))
    return parts


def correction() -> list[str]:
    """A person's correction enters the journal, and nowhere else."""
    x = 20 + 7 * 123 + 49.5
    return [
        arrow(x, 146, x, 108, COLOURS["referee"], 2),
        text(x, 162, "a person's call or correction is one more entry", 12, GREY, text_anchor="middle"),
    ]


def layers() -> list[str]:
    parts = [text(20, 204, "The packages", 17, font_weight="600")]
    top, height = 222, 352
    for name, x, width, lines in LAYERS:
        parts.append(box(x, top, width, height, PALE, COLOURS[name]))
        parts.append(box(x, top, width, 34, COLOURS[name]))
        parts.append(text(x + 12, top + 23, name, 16, "#ffffff", font_weight="600"))
        for k, line in enumerate(lines):
            word, _, rest = line.partition("  ")
            parts.append(text(x + 12, top + 64 + 40 * k, word, 13, INK, font_weight="600"))
            parts.append(text(x + 12, top + 80 + 40 * k, rest, 12, GREY))
    for name, purpose, column, row in ROOMS:
        x, y = 702 + 131 * column, 266 + 61 * row
        parts.append(box(x, y, 123, 54, "#ffffff", COLOURS["referee"], 6))
        parts.append(text(x + 10, y + 24, name, 14, INK, font_weight="600"))
        parts.append(text(x + 10, y + 42, purpose, 11, GREY))
    return parts


def imports() -> list[str]:
    return [
        arrow(1100, 606, 24, 606, INK, 2),
        text(560, 628, "imports go this way only", 13, INK, text_anchor="middle"),
    ]


def main() -> None:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH_PX} {HEIGHT_PX}"'
        ' font-family="sans-serif">'
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"'
        ' orient="auto" markerUnits="userSpaceOnUse">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#5b6b7a"/></marker></defs>'
    )
    parts = [
        head,
        box(0, 0, WIDTH_PX, HEIGHT_PX, "#ffffff", radius=0),
        *way(),
        *correction(),
        *layers(),
        *imports(),
    ]
    Path(__file__).with_name("architecture.svg").write_text("\n".join([*parts, "</svg>\n"]), encoding="utf-8")


if __name__ == "__main__":
    main()
