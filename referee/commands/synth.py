"""`cueref synth`: make a clip of simulated strokes with its exact truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from calibration.table.specs import TableSpec, small_table
from calibration.texts import sentence, unusable_input
from referee.quality.synthetic.start import GAMES, film
from vision.render.clip import ClipOptions
from vision.render.play.simulators import choose_physics

EXAMPLES = (
    "cueref synth clip.mp4 --strokes 4 --seed 7 --fps 50",
    "cueref synth break.mp4 --game wpa_9ball --strokes 2",
)


def synth(
    out: Annotated[Path, typer.Argument(help=sentence("help.synth_out"))],
    strokes: Annotated[int, typer.Option(help=sentence("help.synth_strokes"))] = 4,
    seed: Annotated[int, typer.Option(help=sentence("help.synth_seed"))] = 1,
    camera: Annotated[str, typer.Option(help=sentence("help.synth_camera"))] = "overhead",
    cloth: Annotated[str, typer.Option(help=sentence("help.cloth"))] = "green",
    look: Annotated[str, typer.Option(help=sentence("help.look"))] = "plain",
    width: Annotated[int, typer.Option(help=sentence("help.width"))] = 1280,
    height: Annotated[int, typer.Option(help=sentence("help.width"))] = 720,
    fps: Annotated[int, typer.Option(help=sentence("help.fps"))] = 25,
    reds: Annotated[int, typer.Option(help=sentence("help.reds"))] = 6,
    table: Annotated[str, typer.Option(help=sentence("help.synth_table"))] = "3569x1778",
    ball: Annotated[float, typer.Option(help=sentence("help.synth_ball"))] = 52.5,
    game: Annotated[str, typer.Option(help=sentence("help.synth_game"))] = "snooker",
    physics: Annotated[str, typer.Option(help=sentence("help.physics"))] = "auto",
    crf: Annotated[int, typer.Option(help=sentence("help.crf"))] = 23,
) -> None:
    """Make a clip of simulated strokes with its exact truth."""
    if game not in GAMES:
        raise unusable_input("errors.game_expected_one_of_found", known=", ".join(GAMES), game=repr(game))
    if not out.parent.is_dir() or out.suffix.lower() not in (".mp4", ".mkv", ".mov"):
        raise unusable_input("errors.mp4_mkv_or_mov_file_in_a_folder", out=out)
    options = ClipOptions(
        strokes, seed, width, height, fps, camera, cloth, look, reds, crf, parse_table(table, ball)
    )
    simulator = choose_physics(physics)
    with Progress(transient=True) as bar:
        task = bar.add_task(sentence("terminal.synth_images"), total=None)
        script = film(game, out, options, simulator, lambda k, n: bar.update(task, completed=k, total=n))
    typer.echo(
        sentence(
            "terminal.synth_written",
            out=out,
            count=len(script.events),
            end_s=f"{script.end_s:.1f}",
            width=width,
            height=height,
            fps=fps,
        )
    )


def parse_table(text: str, ball_mm: float) -> TableSpec:
    """`3569x1778` -> the table; UnusableInput otherwise."""
    try:
        length, width = (float(v) for v in text.lower().split("x"))
        return small_table(length, width, ball_mm)
    except ValueError as error:
        raise unusable_input("errors.table_lengthxwidth_in_mm", text=repr(text), error=error) from None
