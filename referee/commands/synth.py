"""`cueref synth`: make a clip of simulated strokes with its exact truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from calibration.errors import UnusableInput
from calibration.table.specs import TableSpec, small_table
from calibration.texts import sentence
from referee.quality.synthetic.start import GAMES, film
from vision.render.clip import ClipOptions
from vision.render.play.simulators import choose_physics


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("synth")(synth)


def synth(
    out: Annotated[Path, typer.Argument(help="video to write, e.g. clip.mp4")],
    strokes: Annotated[int, typer.Option(help="number of strokes")] = 4,
    seed: Annotated[int, typer.Option(help="the same seed makes the same clip")] = 1,
    camera: Annotated[str, typer.Option(help="overhead or random (tilt to 35 degrees)")] = "overhead",
    cloth: Annotated[str, typer.Option(help="green, blue, red, grey, teal or random")] = "green",
    look: Annotated[str, typer.Option(help="plain or random: lamps, sensor")] = "plain",
    width: Annotated[int, typer.Option(help="px")] = 1280,
    height: Annotated[int, typer.Option(help="px")] = 720,
    fps: Annotated[int, typer.Option(help="images a second")] = 25,
    reds: Annotated[int, typer.Option(help="reds on the table at the start")] = 6,
    table: Annotated[str, typer.Option(help="playing area, LENGTHxWIDTH in mm")] = "3569x1778",
    ball: Annotated[float, typer.Option(help="ball diameter in mm")] = 52.5,
    game: Annotated[
        str, typer.Option(help="snooker (mid-frame), or from the rack: six_red, wpa_8ball, ...")
    ] = "snooker",
    physics: Annotated[str, typer.Option(help="pooltool (extra 'physics'), builtin, or auto")] = "auto",
    crf: Annotated[int, typer.Option(help="H.264 quality: lower is better and larger")] = 23,
) -> None:
    """Make a clip of simulated strokes with its exact truth.

    Writes OUT, OUT's .json (events), .frames.npz (positions at every image) and .calls.jsonl. Clips of other
    games than snooker begin with the game's rack and a break; --reds, --table and --ball are then the game's,
    and OUT's .facts.jsonl (not of six_red) holds the strokes for `cueref review OUT --game GAME --facts`.

    Example: cueref synth clip.mp4 --strokes 4 --seed 7 --fps 50 Example: cueref synth break.mp4 --game
    wpa_9ball --strokes 2
    """
    if game not in GAMES:
        raise UnusableInput(
            sentence("errors.game_expected_one_of_found", known=", ".join(GAMES), game=repr(game))
        )
    if not out.parent.is_dir() or out.suffix.lower() not in (".mp4", ".mkv", ".mov"):
        raise UnusableInput(sentence("errors.mp4_mkv_or_mov_file_in_a_folder", out=out))
    options = ClipOptions(
        strokes, seed, width, height, fps, camera, cloth, look, reds, crf, parse_table(table, ball)
    )
    simulator = choose_physics(physics)
    with Progress(transient=True) as bar:
        task = bar.add_task("images", total=None)
        script = film(game, out, options, simulator, lambda k, n: bar.update(task, completed=k, total=n))
    typer.echo(f"{out}: {len(script.events)} events, {script.end_s:.1f} s, {width}x{height} at {fps}")


def parse_table(text: str, ball_mm: float) -> TableSpec:
    """`3569x1778` -> the table; UnusableInput otherwise."""
    try:
        length, width = (float(v) for v in text.lower().split("x"))
        return small_table(length, width, ball_mm)
    except ValueError as error:
        raise UnusableInput(
            sentence("errors.table_lengthxwidth_in_mm", text=repr(text), error=error)
        ) from None
