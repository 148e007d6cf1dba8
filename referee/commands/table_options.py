"""Options of every command that reads a table from images."""

from __future__ import annotations

from typing import Annotated

import typer

TableOption = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="LxW",
        help="Playing area in mm as measured, or 9ft, 8ft, 7ft; with ~ in front its size is estimated.",
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
