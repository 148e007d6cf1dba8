"""`cueref bench`: how right, how sure and how fast cueref is, on scenes and strokes that nobody has seen
before.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
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

from calibration.texts import said, sentence, unusable_input
from referee.commands.option_class import taking
from referee.quality.bench.options import BenchOptions, begin
from referee.quality.bench.real.boxes import has_boxes, read_boxes
from referee.quality.bench.real.truth import read_truth
from referee.quality.bench.report.document import beyond_limits, missed
from referee.quality.bench.report.terminal import print_report
from referee.quality.bench.run import carry_out, write_errors, write_report
from referee.quality.bench.store import Store
from referee.quality.bench.tracks.errors import ErrorModel
from referee.workers import Workers, sharing

_FINDING = 1
_LAYOUTS_A_ROOM = 3
_ROOMS = ("rooms", "room_layouts", "room_strokes", "room_flights", "room_visits")
_TIERS = ("cameras", "strokes", "layouts", "tracks")


EXAMPLES = ("cueref bench --out bench --cameras 20 --strokes 60 --layouts 200 --tracks 5000",)


@dataclass(frozen=True, slots=True)
class BenchCommand:
    """The options of `cueref bench`; each field is one."""

    out: Annotated[Path, typer.Option(help=sentence("help.bench_out"))] = Path("bench")
    cameras: Annotated[int | None, typer.Option(help=sentence("help.cameras"))] = None
    strokes: Annotated[int | None, typer.Option(help=sentence("help.strokes"))] = None
    layouts: Annotated[int | None, typer.Option(help=sentence("help.layouts"))] = None
    tracks: Annotated[int | None, typer.Option(help=sentence("help.tracks"))] = None
    seed: Annotated[int | None, typer.Option(help=sentence("help.seed"))] = None
    real: Annotated[list[Path] | None, typer.Option(metavar="DIR", help=sentence("help.real"))] = None
    worse: Annotated[int | None, typer.Option(help=sentence("help.worse"))] = None
    game: Annotated[str | None, typer.Option(help=sentence("help.bench_game"))] = None
    rooms: Annotated[int | None, typer.Option(help=sentence("help.rooms"))] = None
    room_layouts: Annotated[int | None, typer.Option(help=sentence("help.room_layouts"))] = None
    room_strokes: Annotated[int | None, typer.Option(help=sentence("help.room_strokes"))] = None
    room_flights: Annotated[int | None, typer.Option(help=sentence("help.room_flights"))] = None
    room_visits: Annotated[int | None, typer.Option(help=sentence("help.room_visits"))] = None
    processes: Annotated[int, typer.Option(help=sentence("help.bench_processes"))] = 1
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help=sentence("help.scheduler"))] = None
    resume: Annotated[bool, typer.Option("--resume", help=sentence("help.resume"))] = False
    errors: Annotated[Path | None, typer.Option(help=sentence("help.errors"))] = None
    fit_errors: Annotated[Path | None, typer.Option(help=sentence("help.fit_errors"))] = None
    as_json: Annotated[bool, typer.Option("--json", help=sentence("help.json"))] = False

    def to_measure(self) -> dict[str, Any]:
        """What is to be measured, as fields of `BenchOptions`; those that nobody gave are absent.

        Raises UnusableInput for a folder without truth, or an error model that cannot be read.
        """
        names = (*_TIERS, *_ROOMS, "seed", "game", "worse")
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self.real:
            given["real"] = tuple(str(_with_truth(folder)) for folder in self.real)
        if self.rooms and all(given[of_rooms] is None for of_rooms in _ROOMS[1:]):
            given["room_layouts"] = _LAYOUTS_A_ROOM * self.rooms  # pictures alone
        if (self.real or self.rooms) and all(given[tier] is None for tier in _TIERS):
            given |= dict.fromkeys(_TIERS, 0)
        given["errors"] = None if self.errors is None else str(_readable(self.errors))
        return {k: v for k, v in given.items() if v is not None}


@taking(BenchCommand)
def bench(context: typer.Context, command: BenchCommand) -> None:
    """Measure accuracy, honesty and speed, and hold them against what is to be reached."""
    del context
    if not 1 <= command.processes <= 256:
        raise unusable_input("errors.number_from_1_to_256", processes=command.processes)
    given, out, fit_errors = command.to_measure(), command.out, command.fit_errors
    if fit_errors is not None and not fit_errors.absolute().parent.is_dir():
        raise unusable_input("errors.file_in_a_folder_that_exists", fit_errors=fit_errors)
    options = begin(out, given, command.resume)
    store = Store(out)
    try:
        _measure(options, store, Workers(command.processes, command.scheduler))
    except KeyboardInterrupt:
        _kept(store, out)
        raise
    if fit_errors is not None:
        write_errors(options, store, fit_errors)
    doc = write_report(options, store)
    if command.as_json:
        typer.echo(json.dumps(doc, indent=1))
    else:
        print_report(doc, out)

    if beyond_limits(doc["worlds"]) or missed(doc["reach"]):
        raise typer.Exit(_FINDING)


def _with_truth(folder: Path) -> Path:
    if has_boxes(folder):
        read_boxes(folder)
    else:
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
    console.print(sentence("terminal.bench_seed", seed=options.seed))
    with sharing(workers, "bench") as share, Progress(*columns, console=console) as bar:
        tasks: dict[str, Any] = {}

        def tell(stage: str, done: int, of: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(said(stage), total=of)
            bar.update(tasks[stage], completed=done, total=of)

        carry_out(options, store, share, tell)


def _kept(store: Store, out: Path) -> None:
    cameras = len(list(store.pixels.glob("[0-9]*.jsonl")))
    chunks = len(list(store.tracks.glob("[0-9]*.jsonl")))
    typer.echo(
        sentence("terminal.bench_kept", cameras=cameras, chunks=chunks, out=out),
        err=True,
    )
