"""Options of every command that reads a table from images."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from calibration.calibrate import Side
from calibration.errors import UnusableInput
from calibration.texts import sentence

TableOption = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="LxW",
        help="Playing area in mm as measured, or 9ft, 8ft, 7ft; with ~ in front its size is estimated.",
    ),
]
BottomOption = Annotated[
    str | None,
    typer.Option(
        "--bottom-at",
        metavar="SIDE",
        help="Side of the picture (bottom, right, top, left) where baulk, the head end or player A is; else"
        " found or assumed.",
    ),
]
GameOption = Annotated[
    str, typer.Option("--game", help="Whose table it is: snooker, wpa_9ball, blackball, carrom, ...")
]
BallOption = Annotated[float | None, typer.Option("--ball", metavar="MM", help="Ball diameter, mm.")]
NoseOption = Annotated[
    float | None,
    typer.Option(
        "--nose",
        metavar="MM",
        help="Height of the cushions' noses above the cloth, as measured; else estimated.",
    ),
]


def bottom_side(text: str | None) -> Side | None:
    """The side of the picture that --bottom-at names. Raises UnusableInput for another word."""
    if text is None:
        return None
    for side in get_args(Side):
        if text == side:
            return side  # type: ignore[no-any-return]
    raise UnusableInput(
        sentence("errors.bottom_at_expected_found", known=", ".join(get_args(Side)), text=repr(text))
    )
