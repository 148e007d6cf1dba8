"""`cueref calibrate`: find the table, solve the camera, write and draw the result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer
from rich.progress import Progress

from calibration.calibrate import Side
from calibration.draw import draw_calibration
from calibration.result import Calibration
from calibration.solve.turns import SeenTurns
from calibration.table.parse import parse_table
from calibration.table.specs import TableSpec
from calibration.texts import said, sentence, unusable_input
from referee.commands.table_options import (
    BallOption,
    BottomOption,
    GameOption,
    NoseOption,
    TableOption,
    bottom_side,
)
from referee.review.turns import turns_seen
from vision.calibrated import solved_view

EXAMPLES = (
    "cueref calibrate match.mp4 -o table.json --draw table.png",
    "cueref calibrate match.mp4 -o table.json --match match.review",
)


def calibrate(
    source: Annotated[Path, typer.Argument(metavar="IMAGE|VIDEO")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="JSON", help=sentence("help.calibrate_out"))],
    game: GameOption = "snooker",
    bottom_at: BottomOption = None,
    table: TableOption = None,
    ball: BallOption = None,
    nose: NoseOption = None,
    draw: Annotated[Path | None, typer.Option(metavar="PNG", help=sentence("help.draw"))] = None,
    match: Annotated[
        Path | None, typer.Option(metavar="REVIEW", help=sentence("help.calibrate_match"))
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=sentence("help.calibrate_json"))] = False,
) -> None:
    """Find the table in a picture or video by itself, solve the camera and write it to a file."""
    spec = parse_table(table, ball, nose, game)
    turns = None if match is None else turns_seen(match)
    result, picture = _solved(source, spec, bottom_side(bottom_at), turns)
    result.save(out)
    if draw is not None:
        _draw(draw, picture, result)
    if as_json:
        typer.echo(json.dumps(_summary(source, out, draw, result), indent=1))
        return
    _print(out, draw, result)


def _solved(
    source: Path, spec: TableSpec, bottom_at: Side | None, turns: SeenTurns | None
) -> tuple[Calibration, object]:
    """The calibration, as a review finds it, and the still picture that it was solved from."""
    with Progress(transient=True) as progress:
        progress.add_task(sentence("terminal.calibrate_finding_the_table"), total=None)
        return solved_view(source, spec, bottom_at=bottom_at, turns=turns)


def _draw(target: Path, picture: object, result: Calibration) -> None:
    part = target.with_name(f".{target.name}.part.png")
    try:
        if not cv2.imwrite(str(part), draw_calibration(np.asarray(picture, dtype=np.uint8), result)):
            raise OSError("the picture could not be written")
        part.replace(target)
    except (OSError, cv2.error) as error:
        part.unlink(missing_ok=True)
        raise unusable_input("errors.place_to_write_the_drawing", target=target, error=error) from None


def _summary(source: Path, out: Path, target: Path | None, result: Calibration) -> dict[str, object]:
    camera = result.camera
    return {
        "file": str(source),
        "calibration": str(out),
        "drawing": None if target is None else str(target),
        "residual_px": round(result.residual_px, 4),
        "residual_mm": round(result.residual_mm, 4),
        "camera": {
            "model": camera.model,
            "focal_px": round(camera.focal_px, 2),
            "distortion": [round(k, 5) for k in camera.distortion],
            "centre_mm": [round(v, 1) for v in camera.centre_mm],
        },
        "table": {
            "length_mm": result.table.length_mm,
            "width_mm": result.table.width_mm,
            "baulk_line_mm": result.table.baulk_line_mm,
            "d_radius_mm": result.table.d_radius_mm,
            "head_string_mm": result.table.head_string_mm,
        },
        "sigma_mm": {place: round(result.sigma_mm(x, y), 3) for place, (x, y) in _places(result).items()},
        "baulk_certainty": round(result.baulk_certainty, 4),
        "notes": list(result.notes),
    }


def _places(result: Calibration) -> dict[str, tuple[float, float]]:
    w, length = result.table.half_width_mm, result.table.length_mm
    return {
        "middle": (0.0, length / 2),
        "baulk end": (0.0, 0.0),
        "top end": (0.0, length),
        "corner": (w, length),
    }


def _print(out: Path, target: Path | None, result: Calibration) -> None:
    camera, table = result.camera, result.table
    x, y, z = camera.centre_mm
    typer.echo(
        sentence(
            "terminal.calibrate_residual",
            residual_px=f"{result.residual_px:.3f}",
            residual_mm=f"{result.residual_mm:.3f}",
        )
    )
    errors = ", ".join(f"{said(place)} {result.sigma_mm(*at):.2f}" for place, at in _places(result).items())
    typer.echo(sentence("terminal.calibrate_expected_error", errors=errors))
    lens = ", ".join(f"{k:+.4f}" for k in camera.distortion)
    typer.echo(
        sentence(
            "terminal.calibrate_camera", model=camera.model, focal_px=f"{camera.focal_px:.1f}", lens=lens
        )
    )
    typer.echo(sentence("terminal.calibrate_camera_place", z=f"{z:.0f}", x=f"{x:.0f}", y=f"{y:.0f}"))
    if table.baulk_line_mm is not None and table.d_radius_mm is not None:
        kind = sentence(f"terminal.calibrate_{'measured' if result.baulk_certainty > 0.5 else 'assumed'}")
        typer.echo(
            sentence(
                "terminal.calibrate_marks",
                baulk_line_mm=f"{table.baulk_line_mm:.1f}",
                d_radius_mm=f"{table.d_radius_mm:.1f}",
                kind=kind,
            )
        )
        typer.echo(
            sentence("terminal.calibrate_baulk_certain", percent=f"{100 * result.baulk_certainty:.2f}")
        )
    if table.head_string_mm is not None:
        typer.echo(sentence("terminal.calibrate_head_certain", percent=f"{100 * result.baulk_certainty:.2f}"))
    for note in result.notes:
        typer.echo(f"{sentence('terminal.calibrate_note'):<10}{said(note)}")
    key = "terminal.calibrate_undrawn" if target is None else "terminal.calibrate_written"
    typer.echo(sentence(key, out=out, target=target))
