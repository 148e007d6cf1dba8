"""`cueref spots`: are the colours on their spots?"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from calibration.files import work_folder
from calibration.result import Calibration
from calibration.table.games import PIECES, is_snooker
from calibration.table.parse import parse_table
from calibration.table.pieces import colour_of
from calibration.table.specs import TableSpec
from calibration.texts import clock, game_title, sentence, unusable_input
from referee.commands.table_options import BallOption, GameOption, NoseOption, TableOption
from referee.console.placement import (
    SpotFinding,
    due_now,
    due_place,
    finding_of,
    rack_of_layout,
    spots_of_layout,
)
from referee.console.reviews import current_match
from referee.geometry import BallAt
from referee.geometry.spots import BY_VALUE, Spotted
from referee.outputs.digits import meant
from referee.outputs.document import Match, table_of
from referee.outputs.terminal import progress_words
from referee.review.pipeline import ReviewOptions, review
from vision.calibrated import calibration_for
from vision.detect.detector import Detector
from vision.io.images import is_image_file, read_image
from vision.io.picture import Picture
from vision.layout import LayoutBall, read_layout

EXAMPLES = ("cueref spots match.review --tolerance 3",)


# longer than 40 lines by its options only
def spots(
    source: Annotated[Path, typer.Argument(metavar="VIDEO|IMAGE|DIR", help=sentence("help.source"))],
    tolerance: Annotated[
        float, typer.Option(min=0.0, max=100.0, metavar="MM", help=sentence("help.spots_tolerance"))
    ] = 2.0,
    calibration: Annotated[Path | None, typer.Option(help=sentence("help.layout_calibration"))] = None,
    game: GameOption = "snooker",
    table: TableOption = None,
    ball: BallOption = None,
    nose: NoseOption = None,
    as_json: Annotated[bool, typer.Option("--json", help=sentence("help.calibrate_json"))] = False,
) -> None:
    """Check every respotted colour (of a review or a video) or every colour near a spot (of a picture)."""
    instead: dict[str, Spotted] = {}
    if source.is_dir() or source.suffix == ".json":
        found = _of_match(current_match(source), tolerance)
    elif is_image_file(source):
        spec = parse_table(table, ball, nose, game)
        if spec.mark_set == "snooker":
            found, instead = _of_picture(source, calibration, spec, tolerance)
        else:
            found = _of_rack(source, calibration, spec, game, tolerance)
    elif not is_snooker(game):  # their reviews have no spotting checks
        raise unusable_input("errors.picture_of_a_rack_with_game", source=source, game=game)
    else:
        found = _of_match(_reviewed(source, calibration, parse_table(table, ball, nose, game)), tolerance)
    if as_json:
        due = {
            c: {"spot": s.spot, "x_mm": s.x_mm, "y_mm": s.y_mm, "clause": s.clause}
            for c, s in instead.items()
        }
        typer.echo(
            json.dumps(
                {
                    "file": str(source),
                    "tolerance_mm": tolerance,
                    "spots": [meant(asdict(f)) for f in found],
                    "due_instead": due,
                },
                indent=1,
            )
        )
    else:
        _print(found, instead)
    if any(f.finding == "off" for f in found):
        raise typer.Exit(1)


def _of_match(match: Match, tolerance_mm: float) -> tuple[SpotFinding, ...]:
    marks = table_of(match).spots
    return tuple(
        SpotFinding(
            c["ball"],
            c["spot"],
            c["t_s"],
            due_place(c, marks) or (0.0, 0.0),
            c["dx_mm"],
            c["dy_mm"],
            c["offset_mm"],
            c["sigma_mm"],
            finding_of(c["offset_mm"], c["sigma_mm"], tolerance_mm),
            tuple(c.get("occupied_by", ())),
        )
        for c in match["spotting"]
    )


def _of_picture(
    source: Path, calibration: Path | None, table: TableSpec, tolerance_mm: float
) -> tuple[tuple[SpotFinding, ...], dict[str, Spotted]]:
    bgr = read_image(source)
    solved = calibration_for(source, calibration, table)
    if not solved.table.spots:
        raise unusable_input("errors.table_with_snookers_spots", source=source)
    balls = read_layout([Picture.from_bgr(bgr)], solved, Detector(), str(source))
    layout = beside_spots(balls, solved)
    return spots_of_layout(layout, solved.table, tolerance_mm), due_now(layout, solved.table)


def beside_spots(balls: Sequence[LayoutBall], solved: Calibration) -> list[BallAt]:
    """The balls with the sigma of their distance from a spot, which is not that of their place: an error of
    the table's size moves both.
    """
    return [
        BallAt(
            b.colour,
            b.colour,
            b.x_mm,
            b.y_mm,
            math.hypot(b.own_sigma_mm, solved.spot_sigma_mm(b.x_mm, b.y_mm)),
        )
        for b in balls
    ]


def _of_rack(
    source: Path, calibration: Path | None, table: TableSpec, game: str, tolerance_mm: float
) -> tuple[SpotFinding, ...]:
    """The rack of a picture of another game, piece by piece."""
    pieces = PIECES[game]
    detector = Detector(pieces=pieces)
    picture = Picture.from_bgr(read_image(source))
    solved = calibration_for(source, calibration, table, detector)
    balls = read_layout([picture], solved, detector, str(source), pieces)
    layout = beside_spots(balls, solved)
    found = rack_of_layout(layout, game, solved.table, tolerance_mm)
    if not found:
        raise unusable_input(
            "errors.rack_of_at_its_place", source=source, game=game_title(game), count=len(balls)
        )
    return found


def _reviewed(video: Path, calibration: Path | None, table: TableSpec) -> Match:
    """The match of a video that was not reviewed before; its files are thrown away."""
    with (
        work_folder("cueref-spots-") as folder,
        Progress(console=Console(stderr=True), transient=True) as bar,
    ):
        task = bar.add_task(sentence("terminal.spots_reviewing"), total=None)

        def tell(stage: str, done: int, of: int) -> None:
            bar.update(
                task,
                description=progress_words(stage),
                completed=done,
                total=max(of, 1),
            )

        return review(video, folder / "review", ReviewOptions(table=table, calibration=calibration), tell)


def _print(found: tuple[SpotFinding, ...], instead: dict[str, Spotted]) -> None:
    if not found:
        typer.echo(sentence("terminal.spots_none"))
    for f in found:
        at = f"{clock(f.t_s):>6} " if f.t_s is not None else ""
        on = (
            ""
            if f.spot == f.ball
            else f" ({sentence('terminal.spots_own_spot', spot=f.spot)})"
            if f.spot in BY_VALUE
            else f" ({f.spot})"
        )
        line = f"{at}{f.ball + on:<22} {_arrow(f)} {f.offset_mm:5.1f} mm ± {2 * f.sigma_mm:.1f}"
        typer.echo(
            line
            + sentence(
                "terminal.spots_line",
                dx_mm=f"{f.dx_mm:+6.1f}",
                dy_mm=f"{f.dy_mm:+6.1f}",
                finding=sentence(f"spots.{f.finding}"),
            )
        )
        if f.occupied_by:
            by = ", ".join(sentence(f"balls.{colour_of(b)}") for b in f.occupied_by)
            typer.echo(
                sentence("terminal.spots_occupied", balls=by, x=f"{f.due_mm[0]:.1f}", y=f"{f.due_mm[1]:.1f}")
            )
    for colour, s in instead.items():
        where = sentence("terminal.spots_spot", spot=s.spot) if s.spot else f"({s.x_mm:.1f}, {s.y_mm:.1f})"
        typer.echo(sentence("terminal.spots_due", colour=colour, where=where, clause=s.clause))


def _arrow(f: SpotFinding) -> str:
    """The way the ball has to go, seen from the baulk end."""
    if f.offset_mm < 0.5:
        return "·"
    turn = round(math.atan2(-f.dx_mm, -f.dy_mm) / (math.pi / 4)) % 8
    return "↑↗→↘↓↙←↖"[turn]
