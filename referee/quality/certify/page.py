"""The certificate as one self-contained page of HTML: no script, no outside file, prints on one sheet of
A4.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from jinja2 import Environment, PackageLoader

from calibration.table.specs import TableSpec
from calibration.texts import Texts
from referee.outputs.diagram import layout_svg, svg_point, symbols_svg
from referee.outputs.pages import in_language
from referee.quality.certify.certificate import Certificate
from referee.quality.certify.colours import MARGIN_SIGMAS
from referee.quality.certify.zones import Zone
from vision.advice.summary import Light
from vision.advice.terms import light_below

SIGNS = {"green": "●", "amber": "▲", "red": "■", "fit": "●", "limited": "▲", "unfit": "■", "not known": "○"}
"""Every light has a shape of its own: nothing is said by colour alone, and a grey print keeps it."""
LIGHT_OF = {"fit": "green", "limited": "amber", "unfit": "red", "not known": "grey"}

# expected error (mm, one sigma) from which a zone is painted so; light enough for black figures
_SHADES = ((0.0, "#d9f0dc"), (0.75, "#f0f0c8"), (1.5, "#f8dcae"), (3.0, "#f3b6a4"))


def certificate_html(certificate: Certificate, table: TableSpec, texts: Texts | None = None) -> str:
    """The page as text, in English unless texts are given; the same certificate gives the same bytes."""
    c = certificate
    page = (
        _environment()
        .get_template("certificate.html.j2")
        .render(
            c=c,
            symbols=symbols_svg(table),
            map=zones_svg(c.zones, table),
            signs=SIGNS,
            light_of=LIGHT_OF,
            margin_light=margin_light,
            number=number,
            signed=signed,
        )
    )
    return in_language(page, texts) if texts is not None else page


def number(value: float | None, digits: int = 1) -> str:
    """A figure, or a dash where it is not known."""
    return "–" if value is None else f"{value:.{digits}f}"


def signed(value: float, digits: int = 1) -> str:
    """A figure with its sign; none on a nought."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0.0 else text


def margin_light(sigmas: float | None) -> Light | str:
    """The light of a colour's margin; grey where a colour was not seen."""
    return "grey" if sigmas is None else light_below(sigmas, *MARGIN_SIGMAS)


def zones_svg(zones: Sequence[Zone], table: TableSpec) -> str:
    """The table with each zone's expected error, its smallest gap, and how many balls lay there."""
    parts = []
    for zone in zones:
        (x0, y0), (x1, y1) = svg_point(zone.x0_mm, zone.y0_mm), svg_point(zone.x1_mm, zone.y1_mm)
        left, top, width, height = min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0)
        edge = "" if zone.measured else ' stroke-dasharray="26 18"'
        parts.append(
            f'<rect x="{left + 10:.0f}" y="{top + 10:.0f}" width="{width - 20:.0f}"'
            f' height="{height - 20:.0f}" rx="24" fill="{_shade(zone.expected_mm)}" fill-opacity=".93"'
            f' stroke="#243" stroke-width="5"{edge}/>'
        )
        middle, size = left + width / 2, min(width, height) / 5
        balls = "no ball lay here" if not zone.rests else f"{zone.rests} ball{'s' if zone.rests > 1 else ''}"
        lines = (
            (f"{number(zone.expected_mm, 2)}", 1.35 * size, 0.42, ' font-weight="700"'),
            (f"gap {number(zone.gap_mm)}", 0.72 * size, 0.64, ""),
            (balls, 0.55 * size, 0.82, ' fill="#345"'),
        )
        for text, font, share, style in lines:
            parts.append(
                f'<text x="{middle:.0f}" y="{top + share * height:.0f}" font-size="{font:.0f}"'
                f' text-anchor="middle" font-family="Arial,Helvetica,sans-serif"{style}>{text}</text>'
            )
    return layout_svg({}, table, "Expected error by zone in mm, baulk end at the left", parts)


def _shade(expected_mm: float | None) -> str:
    if expected_mm is None:
        return "#e4e4e4"
    return next(colour for limit, colour in reversed(_SHADES) if expected_mm >= limit)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("referee.quality.certify"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
