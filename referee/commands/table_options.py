"""Options of every command that reads a table from images."""

from __future__ import annotations

from typing import Annotated

import typer

TableOption = Annotated[
    str,
    typer.Option(
        "--table",
        metavar="LxW",
        help="Playing area in mm as measured; with ~ in front its size is estimated.",
    ),
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
