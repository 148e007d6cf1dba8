"""`cueref batch`: many recordings, on all cores or many machines, resumable."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from calibration.files import only_writer
from calibration.table.parse import parse_table
from calibration.texts import sentence, unusable_input
from referee.commands.table_options import BallOption, BottomOption, NoseOption, TableOption, bottom_side
from referee.match.fold import GAMES_FROM_VIDEO
from referee.season.batch import run
from referee.season.parquet import write_stored_tables, write_tables
from referee.season.recordings import recordings
from referee.season.stores import is_address
from referee.season.work import Job, Options, Outcome
from referee.workers import Workers, cluster
from vision.calibrated import check_bottom_at

_STATES = ("reviewed", "kept", "failed")


EXAMPLES = (
    "cueref batch recordings/ --out season --workers 4",
    "cueref batch s3://club/recordings --out s3://club/season --scheduler tcp://10.0.0.5:8786",
)


def batch(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCES", help=sentence("help.sources")),
    ],
    out: Annotated[str, typer.Option(metavar="DEST", help=sentence("help.out"))],
    workers: Annotated[int, typer.Option(min=0, help=sentence("help.workers"))] = 0,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help=sentence("help.scheduler"))] = None,
    game: Annotated[str, typer.Option(help=sentence("help.batch_game"))] = "snooker",
    calibration: Annotated[Path | None, typer.Option(help=sentence("help.batch_calibration"))] = None,
    pieces: Annotated[bool, typer.Option("--pieces", help=sentence("help.pieces"))] = False,
    table: TableOption = None,
    ball: BallOption = None,
    nose: NoseOption = None,
    bottom_at: BottomOption = None,
) -> None:
    """Review many recordings side by side, a journal each; write matches.parquet and strokes.parquet."""
    if game not in GAMES_FROM_VIDEO:
        raise unusable_input(
            "errors.game_expected_one_of_found", known=", ".join(GAMES_FROM_VIDEO), game=repr(game)
        )
    given = Options(
        parse_table(table, ball, nose, game),
        game,
        None if calibration is None else str(calibration.resolve()),
        bottom_side(bottom_at),
    )
    check_bottom_at(given.bottom_at, calibration)
    stored = is_address(out)
    place = out if stored else str(Path(out).resolve())
    jobs = [Job(recording, place, given) for recording in recordings(sources)]
    with nullcontext() if stored else only_writer(Path(out), "cueref batch"):
        outcomes = _run(jobs, Workers(workers or os.cpu_count() or 1, scheduler), pieces)
        tables = _tables(out, sorted(o.name for o in outcomes if o.state != "failed"))
    count = Counter[str](o.state for o in outcomes)
    said = ", ".join(f"{count[state]} {sentence(f'terminal.batch_{state}')}" for state in _STATES)
    typer.echo(f"{said}; {', '.join(tables) or sentence('terminal.batch_nothing')}")
    if count["failed"]:
        raise typer.Exit(1)


def _tables(out: str, names: list[str]) -> tuple[str, ...]:
    """Both tables of the matches that are there; where they lie."""
    if not names:
        return ()
    if is_address(out):
        return write_stored_tables(out, names)
    return tuple(str(t) for t in write_tables(Path(out), names))


def _run(jobs: list[Job], workers: Workers, pieces: bool) -> list[Outcome]:
    outcomes = []
    with cluster(workers, "batch") as client:
        typer.echo(sentence("terminal.batch_begun", count=len(jobs), dashboard_link=client.dashboard_link))
        for outcome in run(client, jobs, pieces):
            outcomes.append(outcome)
            said = outcome.error or f"{outcome.seconds:.1f} s"
            state = sentence(f"terminal.batch_{outcome.state}")
            typer.echo(f"[{len(outcomes)}/{len(jobs)}] {state} {outcome.name}: {said}")
    return outcomes
