"""Options of every command that reads a table from images."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from calibration.calibrate import Side
from calibration.texts import sentence, unusable_input

TableOption = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="LxW",
        help=sentence("help.table_options_table"),
    ),
]
BottomOption = Annotated[
    str | None,
    typer.Option(
        "--bottom-at",
        metavar="SIDE",
        help=sentence("help.bottom"),
    ),
]
GameOption = Annotated[str, typer.Option("--game", help=sentence("help.table_options_game"))]
BallOption = Annotated[
    float | None, typer.Option("--ball", metavar="MM", help=sentence("help.table_options_ball"))
]
NoseOption = Annotated[
    float | None,
    typer.Option(
        "--nose",
        metavar="MM",
        help=sentence("help.nose"),
    ),
]


def bottom_side(text: str | None) -> Side | None:
    """The side of the picture that --bottom-at names. Raises UnusableInput for another word."""
    if text is None:
        return None
    for side in get_args(Side):
        if text == side:
            return side  # type: ignore[no-any-return]
    raise unusable_input("errors.bottom_at_expected_found", known=", ".join(get_args(Side)), text=repr(text))
