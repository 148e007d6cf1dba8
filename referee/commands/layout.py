"""`cueref layout`: every ball of a picture or of a moment of a video."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import cv2
import typer

from calibration.table.games import PIECES
from calibration.table.parse import parse_table
from calibration.texts import sentence, unusable_input
from referee.commands.table_options import (
    BallOption,
    BottomOption,
    GameOption,
    NoseOption,
    TableOption,
    bottom_side,
)
from vision.detect.detector import Detector
from vision.io.picture import U8
from vision.layout import check_size, draw_layout, pictures_at, read_gaps, read_layout
from vision.wrong_game import calibration_for_game, check_pieces

EXAMPLES = ("cueref layout match.mp4 --at 12.4 --json --draw layout.png",)


def layout(
    source: Annotated[Path, typer.Argument(metavar="IMAGE|VIDEO")],
    at: Annotated[float, typer.Option("--at", metavar="S", help=sentence("help.at"))] = 0.0,
    calibration: Annotated[Path | None, typer.Option(help=sentence("help.layout_calibration"))] = None,
    game: GameOption = "snooker",
    table: TableOption = None,
    ball: BallOption = None,
    nose: NoseOption = None,
    bottom_at: BottomOption = None,
    draw: Annotated[Path | None, typer.Option(metavar="PNG", help=sentence("help.layout_draw"))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=sentence("help.calibrate_json"))] = False,
) -> None:
    """Print every ball or disc: kind, place in mm and px, sigma in mm, confidence; and draw them."""
    spec, side = parse_table(table, ball, nose, game), bottom_side(bottom_at)
    pictures = pictures_at(source, at)
    pieces = PIECES[game]
    detector = Detector(pieces=pieces)
    solved = calibration_for_game(source, calibration, spec, detector, game, pictures[:1], side)
    check_size(source, pictures[0], solved)
    check_pieces(pictures[0], solved, pieces, game, str(source))
    balls = read_layout(pictures, solved, detector, str(source), pieces)
    if draw is not None:
        _write_png(draw, draw_layout(pictures[0].bgr(), balls, solved, pieces))
    if as_json:
        gaps = read_gaps(pictures, solved, balls, pieces)
        found = {"balls": [_rounded(asdict(b)) for b in balls], "gaps": [_rounded(asdict(g)) for g in gaps]}
        typer.echo(json.dumps({"file": str(source), "at_s": at, **found}, indent=1))
        return
    typer.echo(f"{'ball':<8}{'x_mm':>9}{'y_mm':>9}{'sigma':>7}{'x_px':>9}{'y_px':>9}{'conf':>7}")
    for b in sorted(balls, key=lambda b: (b.colour, b.y_mm)):
        typer.echo(
            f"{b.colour:<8}{b.x_mm:9.1f}{b.y_mm:9.1f}{b.sigma_mm:7.2f}{b.x_px:9.1f}{b.y_px:9.1f}{b.confidence:7.3f}"
        )
    typer.echo(sentence(f"terminal.layout_{'drawn' if draw else 'undrawn'}", count=len(balls), draw=draw))


def _write_png(target: Path, bgr: U8) -> None:
    part = target.with_name(f".{target.name}.part.png")
    try:
        if not cv2.imwrite(str(part), bgr):
            raise OSError("the picture could not be written")
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise unusable_input("errors.place_to_write_the_drawing", target=target, error=error) from None


def _rounded(values: dict[str, object]) -> dict[str, object]:
    return {k: round(v, 3) if isinstance(v, float) else v for k, v in values.items()}
