"""`cueref restore`: put the balls back where they lay before a stroke."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import cv2
import typer

from calibration.files import whole_file
from calibration.result import Calibration
from calibration.table.pieces import PieceSet
from calibration.texts import sentence, unusable_input
from referee.console.placement import BallToPlace, compare
from referee.console.restore import layout_of, outlines, pictures_at, pieces_of
from referee.console.reviews import current_match
from referee.outputs.annotated import calibration_of, outline_colour
from referee.outputs.digits import meant
from referee.outputs.document import LayoutByColour, Match, Stroke, folder_of, table_of
from referee.outputs.media import video_of
from vision.calibrated import calibration_for
from vision.detect.detector import Detector
from vision.io.images import read_image
from vision.io.picture import Picture

EXAMPLES = ("cueref restore match.review --stroke 12 --image now.png --draw todo.png",)


# longer than 40 lines by its options only
def restore(
    match: Annotated[Path, typer.Argument(metavar="DIR|MATCH", help=sentence("help.restore_match"))],
    stroke: Annotated[int | None, typer.Option(metavar="N", help=sentence("help.restore_stroke"))] = None,
    image: Annotated[Path | None, typer.Option(metavar="IMAGE", help=sentence("help.image"))] = None,
    video: Annotated[
        Path | None,
        typer.Option(metavar="VIDEO", help=sentence("help.restore_video")),
    ] = None,
    at: Annotated[float | None, typer.Option(metavar="S", help=sentence("help.at"))] = None,
    tolerance: Annotated[
        float, typer.Option(min=0.0, max=100.0, metavar="MM", help=sentence("help.tolerance"))
    ] = 1.5,
    draw: Annotated[Path | None, typer.Option(metavar="PNG", help=sentence("help.restore_draw"))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=sentence("help.calibrate_json"))] = False,
) -> None:
    """Compare the balls as they are with the position before a stroke: for each ball the way that is left."""
    document = current_match(match)
    chosen = _stroke(document, stroke, match)
    pictures, solved = _looked(document, match, image, video, at)

    pieces = pieces_of(document)
    balls = compare(chosen["before"], layout_of(pictures, solved, pieces), table_of(document), tolerance)
    if draw is not None:
        _draw(draw, pictures[0], chosen["before"], solved, pieces)
    if as_json:
        typer.echo(
            json.dumps(
                {"match": str(match), "stroke": chosen["n"], "balls": [meant(asdict(b)) for b in balls]},
                indent=1,
            )
        )
    else:
        _print(chosen, balls)
    if not all(b.done for b in balls):
        raise typer.Exit(1)


def _stroke(document: Match, n: int | None, path: Path) -> Stroke:
    strokes = document["strokes"]
    if n is None:
        fouls = [s for s in strokes if s["foul"]]
        if not fouls:
            raise unusable_input("errors.stroke_n_because_no_stroke", path=path)
        return fouls[-1]
    found = next((s for s in strokes if s["n"] == n), None)
    if found is None:
        raise unusable_input("errors.one_of_1_not_no_such_stroke", n=n, count=len(strokes))
    return found


def _looked(
    document: Match, match: Path, image: Path | None, video: Path | None, at: float | None
) -> tuple[list[Picture], Calibration]:
    """The pictures of the balls as they are, and the calibration that fits them."""
    if (image is None) == (at is None):
        raise unusable_input(f"errors.either_image_or_at_{'both' if image else 'neither'}")
    if image is not None:
        source, pictures = image, [Picture.from_bgr(read_image(image))]
    else:
        found = video_of(document, folder_of(match), video)
        if found is None or at is None:
            raise unusable_input("errors.matchs_video_in_its_folder", match=match)
        source, pictures = found, pictures_at(found, at)
    known = calibration_of(document)
    size = (pictures[0].width_px, pictures[0].height_px)
    if known is None or (known.camera.width_px, known.camera.height_px) != size:
        detector = Detector(pieces=pieces_of(document))
        known = calibration_for(source, None, table_of(document), detector)
    return pictures, known


def _print(stroke: Stroke, balls: tuple[BallToPlace, ...]) -> None:
    left = [b for b in balls if not b.done]
    for b in sorted(balls, key=lambda b: (b.done, -(b.left_mm if b.left_mm is not None else 1e9))):
        on = f"  {sentence('restore.was_on_spot')}" if b.was_on_spot else ""
        if b.left_mm is None:
            x, y = b.target_mm or (0.0, 0.0)
            key = "restore.take_off" if b.target_mm is None else "terminal.restore_ball_put_on"
            what = sentence(key, x=f"{x:.1f}", y=f"{y:.1f}")
            typer.echo(f"{b.colour:<8} {what}{on}")
            continue
        across, along = f"{b.dx_mm:+.1f}", f"{b.dy_mm:+.1f}"
        state = sentence(f"terminal.restore_ball_{'back' if b.done else 'move'}", across=across, along=along)
        typer.echo(f"{b.colour:<8} {b.left_mm:7.1f} mm ± {2 * b.sigma_mm:.1f}  {state}{on}")
    typer.echo(
        sentence("terminal.restore_back", n=stroke["n"], back=len(balls) - len(left), count=len(balls))
    )


def _draw(
    target: Path, picture: Picture, layout: LayoutByColour, solved: Calibration, pieces: PieceSet
) -> None:
    bgr = picture.bgr().copy()
    for o in outlines(layout, solved.camera, solved.table, pieces):
        centre = (round(o["x_px"] * 16), round(o["y_px"] * 16))
        cv2.circle(bgr, centre, round(o["r_px"] * 16), outline_colour(o["colour"]), 2, cv2.LINE_AA, 4)
    try:
        with whole_file(target) as temporary:
            if not cv2.imwrite(str(temporary), bgr):
                raise OSError("the picture could not be written")
    except (OSError, cv2.error) as error:
        raise unusable_input("errors.place_and_a_suffix_to_write", target=target, error=error) from None
