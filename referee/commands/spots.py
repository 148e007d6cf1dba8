"""`cueref spots`: are the pieces on their spots?"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from calibration.calibrate import Side
from calibration.files import work_folder
from calibration.result import Calibration
from calibration.table.board import origin_of_records_mm
from calibration.table.games import PIECES, is_snooker
from calibration.table.parse import parse_table
from calibration.table.specs import TableSpec
from calibration.texts import clock, game_title, sentence, spoken, unusable_input
from referee.commands.table_options import (
    BallOption,
    BottomOption,
    GameOption,
    NoseOption,
    TableOption,
    bottom_side,
)
from referee.console.placement import (
    SpotFinding,
    due_now,
    due_place,
    finding_of,
    game_spots_of_layout,
    rack_of_layout,
    spots_of_layout,
)
from referee.console.reviews import current_match
from referee.geometry import BallAt
from referee.geometry.spots import Spotted
from referee.match.questions import texts_of
from referee.outputs.digits import meant
from referee.outputs.document import Match, table_of
from referee.outputs.terminal import progress_words
from referee.outputs.words import Say
from referee.review.pipeline import ReviewOptions, review
from vision.detect.detector import Detector
from vision.io.images import is_image_file
from vision.layout import LayoutBall, check_size, pictures_at, read_layout
from vision.wrong_game import calibration_for_game, check_pieces

EXAMPLES = (
    "cueref spots match.review --tolerance 3",
    "cueref spots match.mp4 --game wpa_9ball --at 12.4",
)


# longer than 40 lines by its options only
def spots(
    source: Annotated[Path, typer.Argument(metavar="VIDEO|IMAGE|DIR", help=sentence("help.source"))],
    tolerance: Annotated[
        float, typer.Option(min=0.0, max=100.0, metavar="MM", help=sentence("help.spots_tolerance"))
    ] = 2.0,
    at: Annotated[float | None, typer.Option("--at", metavar="S", help=sentence("help.spots_at"))] = None,
    calibration: Annotated[Path | None, typer.Option(help=sentence("help.layout_calibration"))] = None,
    game: GameOption = "snooker",
    table: TableOption = None,
    ball: BallOption = None,
    nose: NoseOption = None,
    bottom_at: BottomOption = None,
    as_json: Annotated[bool, typer.Option("--json", help=sentence("help.calibrate_json"))] = False,
) -> None:
    """Check every piece that was put back on a spot, and every rack (of a review or a video), or every piece
    near a spot (of a picture, or of a moment of a video).
    """
    instead: dict[str, Spotted] = {}
    side = bottom_side(bottom_at)
    if source.is_dir() or source.suffix == ".json":
        if at is not None:
            raise unusable_input("errors.video_with_at", source=source)
        match = current_match(source)
        found, game = _of_match(match, tolerance), match["game"]
    elif at is None and not is_image_file(source):
        spec = parse_table(table, ball, nose, game)
        match = _reviewed(source, ReviewOptions(spec, game, calibration, bottom_at=side))
        found = _of_match(match, tolerance)
    else:
        spec = parse_table(table, ball, nose, game)
        layout, solved = _layout_at(source, at or 0.0, calibration, spec, game, side)
        if is_snooker(game):
            found, instead = spots_of_layout(layout, solved, tolerance), due_now(layout, solved)
        else:
            found = _of_game(source, layout, game, solved, tolerance)
    if as_json:
        typer.echo(_json(source, tolerance, found, instead))
    else:
        _print(found, instead, Say(texts_of(game, spoken())))
    if any(f.finding == "off" for f in found):
        raise typer.Exit(1)


def _json(
    source: Path, tolerance_mm: float, found: tuple[SpotFinding, ...], instead: dict[str, Spotted]
) -> str:
    """The findings, and the places of colours whose own spots are occupied, as `--json` prints them."""
    due = {
        c: {"spot": s.spot, "x_mm": s.x_mm, "y_mm": s.y_mm, "clause": s.clause} for c, s in instead.items()
    }
    return json.dumps(
        {
            "file": str(source),
            "tolerance_mm": tolerance_mm,
            "spots": [meant(asdict(f)) for f in found],
            "due_instead": due,
        },
        indent=1,
    )


def _of_match(match: Match, tolerance_mm: float) -> tuple[SpotFinding, ...]:
    """What was put back on a spot, and each rack of another game than snooker, piece by piece, in time."""
    marks = table_of(match).spots
    found = [
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
    ]
    racked = [] if is_snooker(match["game"]) else _racks_of(match, tolerance_mm)
    return tuple(sorted((*found, *racked), key=lambda f: f.t_s or 0.0))


def _racks_of(match: Match, tolerance_mm: float) -> Iterator[SpotFinding]:
    """The pieces of every rack as it stood before its first stroke."""
    table = table_of(match)
    first = {f["first_stroke"] for f in match["frames"]}
    for stroke in match["strokes"]:
        if stroke["n"] not in first:
            continue
        layout = [
            BallAt(kind, kind, x, y + origin_of_records_mm(table), sigma)
            for kind, places in stroke["before"].items()
            for x, y, sigma in places
        ]
        for f in rack_of_layout(layout, match["game"], table, tolerance_mm):
            yield replace(f, t_s=stroke["start_s"])


def _layout_at(
    source: Path,
    at_s: float,
    calibration: Path | None,
    table: TableSpec,
    game: str,
    bottom_at: Side | None,
) -> tuple[list[BallAt], TableSpec]:
    """The pieces of a picture or of a moment of a video, and the table as calibration measured it."""
    pictures, pieces = pictures_at(source, at_s), PIECES[game]
    detector = Detector(pieces=pieces)
    solved = calibration_for_game(source, calibration, table, detector, game, pictures[:1], bottom_at)
    check_size(source, pictures[0], solved)
    check_pieces(pictures[0], solved, pieces, game, str(source))
    if is_snooker(game) and not solved.table.spots:
        raise unusable_input("errors.table_with_snookers_spots", source=source)
    balls = read_layout(pictures, solved, detector, str(source), pieces)
    return beside_spots(balls, solved), solved.table


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


def _of_game(
    source: Path, layout: Sequence[BallAt], game: str, table: TableSpec, tolerance_mm: float
) -> tuple[SpotFinding, ...]:
    """The rack of another game than snooker, piece by piece; where none is set, what lies near its spots."""
    found = rack_of_layout(layout, game, table, tolerance_mm) or game_spots_of_layout(
        layout, game, table, tolerance_mm
    )
    if not found:
        raise unusable_input(
            "errors.rack_of_at_its_place", source=source, game=game_title(game), count=len(layout)
        )
    return found


def _reviewed(video: Path, options: ReviewOptions) -> Match:
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

        return review(video, folder / "review", options, tell)


def _print(found: tuple[SpotFinding, ...], instead: dict[str, Spotted], say: Say) -> None:
    if not found:
        typer.echo(sentence("terminal.spots_none"))
    for f in found:
        at = f"{clock(f.t_s):>6} " if f.t_s is not None else ""
        on = "" if f.spot == f.ball else f" ({say.spot(f.spot)})"
        line = f"{at}{say.ball(f.ball) + on:<22} {_arrow(f)} {f.offset_mm:5.1f} mm ± {2 * f.sigma_mm:.1f}"
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
            by = ", ".join(say.ball(b) for b in f.occupied_by)
            typer.echo(
                sentence("terminal.spots_occupied", balls=by, x=f"{f.due_mm[0]:.1f}", y=f"{f.due_mm[1]:.1f}")
            )
    for colour, s in instead.items():
        where = (
            sentence("terminal.spots_spot", spot=say.ball(s.spot))
            if s.spot
            else f"({s.x_mm:.1f}, {s.y_mm:.1f})"
        )
        typer.echo(sentence("terminal.spots_due", colour=say.ball(colour), where=where, clause=s.clause))


def _arrow(f: SpotFinding) -> str:
    """The way the ball has to go, seen from the baulk end."""
    if f.offset_mm < 0.5:
        return "·"
    turn = round(math.atan2(-f.dx_mm, -f.dy_mm) / (math.pi / 4)) % 8
    return "↑↗→↘↓↙←↖"[turn]
