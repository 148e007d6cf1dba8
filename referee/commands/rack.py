"""`cueref rack`: the rack or start position of a game, in mm, as text, JSON or SVG."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from calibration.table.board import CarromBoard
from calibration.texts import sentence, unusable_input
from referee.outputs.rack_svg import rack_svg
from referee.rules.common import racks
from referee.rules.common.racks import Rack

Game = Annotated[str, typer.Argument(metavar="GAME", help=sentence("help.rack_game"))]
Svg = Annotated[Path | None, typer.Option("--svg", metavar="FILE", help=sentence("help.svg"))]
Json = Annotated[bool, typer.Option("--json", help=sentence("help.rack_json"))]
Seed = Annotated[int, typer.Option("--seed", help=sentence("help.rack_seed"))]


EXAMPLES = ("cueref rack wpa_9ball --svg rack.svg",)


def rack(game: Game, svg: Svg = None, as_json: Json = False, seed: Seed = 0) -> None:
    """The rack or start position of a game, in mm of the table's frame."""
    found = racks.rack(game, seed)
    if svg is not None:
        _write(svg, found)
    if as_json:
        typer.echo(json.dumps(as_data(found), indent=1))
    elif svg is None:
        for ball in found.balls:
            typer.echo(f"{ball.ball:>10} {ball.x_mm:10.2f} {ball.y_mm:10.2f}")
        place = found.in_hand
        in_hand = sentence("terminal.rack_in_hand", zone=place.zone.replace("_", " "))
        typer.echo(f"{place.ball:>10}    {in_hand}")


def as_data(found: Rack) -> dict[str, Any]:
    """The rack as plain JSON values; positions in mm."""
    surface = found.surface
    if isinstance(surface, CarromBoard):
        size = {"side_mm": surface.side_mm, "man_diameter_mm": surface.man_diameter_mm}
    else:
        size = {
            "length_mm": surface.length_mm,
            "width_mm": surface.width_mm,
            "ball_diameter_mm": surface.ball_diameter_mm,
        }
    place = found.in_hand
    return {
        "game": found.game,
        "table": size,
        "balls": [{"ball": b.ball, "colour": b.colour, "xy": [b.x_mm, b.y_mm]} for b in found.balls],
        "in_hand": {
            "ball": place.ball,
            "zone": place.zone,
            "xy": [place.x_mm, place.y_mm],
            "diameter_mm": place.diameter_mm,
        },
    }


def _write(path: Path, found: Rack) -> None:
    """Writes the drawing under a temporary name and renames it when whole."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(rack_svg(found), "utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise unusable_input("errors.file_that_can_be_written", path=path, reason=error.strerror) from error
