"""`cueref bench`: how right, how sure and how fast cueref is, on scenes and strokes that nobody has seen
before.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from calibration.errors import UnusableInput
from calibration.texts import sentence
from referee.quality.bench.options import BenchOptions, begin
from referee.quality.bench.real.truth import read_truth
from referee.quality.bench.report.document import missed
from referee.quality.bench.report.terminal import print_report
from referee.quality.bench.run import carry_out, write_errors, write_report
from referee.quality.bench.store import Store
from referee.quality.bench.tracks.errors import ErrorModel
from referee.workers import Workers, sharing

_FINDING = 1
_TIERS = ("cameras", "strokes", "layouts", "tracks")


def register(app: typer.Typer) -> None:
    """Add `cueref bench` to the command line."""
    app.command(
        name="bench",
        epilog=(
            "Example: cueref bench --out bench --cameras 20 --strokes 60 --layouts 200 --tracks 5000"
            " --processes 2"
        ),
    )(bench)


def bench(
    out: Annotated[Path, typer.Option(help="Folder of the run; one file for each camera and chunk.")] = Path(
        "bench"
    ),
    cameras: Annotated[int | None, typer.Option(help="Random cameras of the pixel tier (100).")] = None,
    strokes: Annotated[
        int | None, typer.Option(help="Strokes filmed, shared out over the cameras (300).")
    ] = None,
    layouts: Annotated[
        int | None, typer.Option(help="Single pictures, shared out over the cameras (4000).")
    ] = None,
    tracks: Annotated[int | None, typer.Option(help="Strokes of the tracks tier (100000).")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Draws everything; without it a new one is taken and shown.")
    ] = None,
    real: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", help="Folder of real clips with truth.json; alone, only these are measured."
        ),
    ] = None,
    processes: Annotated[int, typer.Option(help="At a time; more than one: extra 'batch'.")] = 1,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler instead, tcp://HOST:PORT.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    errors: Annotated[
        Path | None,
        typer.Option(help="Error model for the tracks tier; else this run's own, or the shipped one."),
    ] = None,
    fit_errors: Annotated[
        Path | None, typer.Option(help="Where to write the error model of this run's cameras.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Measure accuracy, honesty and speed, and hold them against what is to be reached.

    Pixels: clips and pictures of random cameras are filmed, reviewed from the pixels alone and compared with
    their truth, beside a Hough-and-HSV baseline and decoding alone. Tracks: many more strokes go through
    tracker, intake and rules with errors drawn from the pixel tier. Real: clips of others, in --real DIR,
    are reviewed and compared with truth.json there. OUT/report.html shows it all. Ctrl-C keeps what is
    whole; --resume goes on. A worker that dies costs time only, and the number of workers changes no figure
    but speed. With --scheduler, workers must see OUT under the same path. Exit status 0: all reached, 1: a
    target is missed, or a real stroke is certain and wrong.
    """
    if not 1 <= processes <= 256:
        raise UnusableInput(sentence("errors.number_from_1_to_256", processes=processes))

    given: dict[str, Any] = {
        "cameras": cameras,
        "strokes": strokes,
        "layouts": layouts,
        "tracks": tracks,
        "seed": seed,
    }
    if real:
        given["real"] = tuple(str(_with_truth(folder)) for folder in real)
        if all(given[tier] is None for tier in _TIERS):
            given |= dict.fromkeys(_TIERS, 0)
    given["errors"] = None if errors is None else str(_readable(errors))
    if fit_errors is not None and not fit_errors.absolute().parent.is_dir():
        raise UnusableInput(sentence("errors.file_in_a_folder_that_exists", fit_errors=fit_errors))
    options = begin(out, {k: v for k, v in given.items() if v is not None}, resume)
    store = Store(out)
    try:
        _measure(options, store, Workers(processes, scheduler))
    except KeyboardInterrupt:
        _kept(store, out)
        raise
    if fit_errors is not None:
        write_errors(options, store, fit_errors)
    doc = write_report(options, store)
    if as_json:
        typer.echo(json.dumps(doc, indent=1))
    else:
        print_report(doc, out)

    wrong = doc["real"] is not None and doc["real"]["wrong"] > 0
    if wrong or missed(doc["reach"]):
        raise typer.Exit(_FINDING)


def _with_truth(folder: Path) -> Path:
    read_truth(folder)
    return folder.resolve()


def _readable(errors: Path) -> Path:
    ErrorModel.load(errors)
    return errors.resolve()


def _measure(options: BenchOptions, store: Store, workers: Workers) -> None:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    console.print(f"seed {options.seed}")
    with sharing(workers, "bench") as share, Progress(*columns, console=console) as bar:
        tasks: dict[str, Any] = {}

        def tell(stage: str, done: int, of: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=of)
            bar.update(tasks[stage], completed=done, total=of)

        carry_out(options, store, share, tell)


def _kept(store: Store, out: Path) -> None:
    cameras = len(list(store.pixels.glob("[0-9]*.jsonl")))
    chunks = len(list(store.tracks.glob("[0-9]*.jsonl")))
    typer.echo(
        f"kept {cameras} cameras and {chunks} chunks of strokes; go on with: cueref bench --out {out}"
        " --resume",
        err=True,
    )
