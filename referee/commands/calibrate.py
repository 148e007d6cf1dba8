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
from calibration.errors import UnusableInput
from calibration.result import Calibration
from calibration.table.parse import parse_table
from calibration.table.specs import TableSpec
from calibration.texts import sentence
from referee.commands.table_options import (
    BallOption,
    BottomOption,
    GameOption,
    NoseOption,
    TableOption,
    bottom_side,
)
from vision.calibrated import solved_view


def register(app: typer.Typer) -> None:
    """Add `cueref calibrate` to the command line."""
    example = "Example: cueref calibrate match.mp4 -o table.json --draw table.png"
    app.command(name="calibrate", epilog=example)(calibrate_command)


def calibrate_command(
    source: Annotated[Path, typer.Argument(metavar="IMAGE|VIDEO")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="JSON", help="Where to write the calibration.")],
    game: GameOption = "snooker",
    bottom_at: BottomOption = None,
    table: TableOption = None,
    ball: BallOption = None,
    nose: NoseOption = None,
    draw: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Where to draw the result over the picture.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the table in a picture or video by itself, solve the camera and write it to a file."""
    spec = parse_table(table, ball, nose, game)
    result, picture = _solved(source, spec, bottom_side(bottom_at))
    target = draw or out.with_suffix(".png")
    result.save(out)
    _draw(target, picture, result)
    if as_json:
        typer.echo(json.dumps(_summary(source, out, target, result), indent=1))
        return
    _print(out, target, result)


def _solved(source: Path, spec: TableSpec, bottom_at: Side | None) -> tuple[Calibration, object]:
    """The calibration, as a review finds it, and the still picture that it was solved from."""
    with Progress(transient=True) as progress:
        progress.add_task("finding the table", total=None)
        return solved_view(source, spec, bottom_at=bottom_at)


def _draw(target: Path, picture: object, result: Calibration) -> None:
    part = target.with_name(f".{target.name}.part.png")
    try:
        if not cv2.imwrite(str(part), draw_calibration(np.asarray(picture, dtype=np.uint8), result)):
            raise OSError("the picture could not be written")
        part.replace(target)
    except (OSError, cv2.error) as error:
        part.unlink(missing_ok=True)
        raise UnusableInput(
            sentence("errors.place_to_write_the_drawing", target=target, error=error)
        ) from None


def _summary(source: Path, out: Path, target: Path, result: Calibration) -> dict[str, object]:
    camera = result.camera
    return {
        "file": str(source),
        "calibration": str(out),
        "drawing": str(target),
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


def _print(out: Path, target: Path, result: Calibration) -> None:
    camera, table = result.camera, result.table
    x, y, z = camera.centre_mm
    typer.echo(f"residual  {result.residual_px:.3f} px, {result.residual_mm:.3f} mm")
    errors = ", ".join(f"{place} {result.sigma_mm(*at):.2f}" for place, at in _places(result).items())
    typer.echo(f"expected error (mm)  {errors}")
    lens = ", ".join(f"{k:+.4f}" for k in camera.distortion)
    typer.echo(f"camera    {camera.model}, focal length {camera.focal_px:.1f} px, distortion {lens}")
    typer.echo(f"          {z:.0f} mm above the cloth, over x {x:.0f} mm, y {y:.0f} mm")
    if table.baulk_line_mm is not None and table.d_radius_mm is not None:
        kind = "measured or checked" if result.baulk_certainty > 0.5 else "assumed"
        typer.echo(
            f"marks     baulk line {table.baulk_line_mm:.1f} mm, D radius {table.d_radius_mm:.1f} mm ({kind})"
        )
        typer.echo(f"baulk end certain to {100 * result.baulk_certainty:.2f} %")
    if table.head_string_mm is not None:
        typer.echo(f"head end certain to {100 * result.baulk_certainty:.2f} %")
    for note in result.notes:
        typer.echo(f"note      {note}")
    typer.echo(f"written in {out}, drawn in {target}")
