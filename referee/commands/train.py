"""`cueref train`: train the networks on rendered scenes, or adapt one to one's own table."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from calibration.table.parse import parse_table
from calibration.texts import sentence, unusable_input
from referee.commands.table_options import BallOption, GameOption, NoseOption, TableOption
from referee.quality.room.watched import Recording
from referee.workers import Share, Workers, sharing
from vision.detect.onnx_model import model_path

SHIPPED = Path("shipped")
"""`--from shipped`: the weights in use. A wheel has no folder `models` whose path a club could give."""

Sharing = Callable[[], AbstractContextManager[Share]]
"""Opens what shares rendering out (`referee.workers`)."""

_FILES = {
    "detector": "ball_detector",
    "pieces": "piece_detector",
    "discs": "disc_detector",
    "centre": "ball_centre",
    "prints": "ball_print",
}
_PATCHES = {"centre": 5200, "prints": 7000}

_STEPS, _ROOM_PATCHES = 5000, 1500

EXAMPLES = (
    "cueref train --out models/ball_detector.onnx --seed 1",
    "cueref train --room monday.mp4 --room tuesday.mp4 --out own-models/ball_detector.onnx",
)


def train(
    out: Annotated[
        Path | None,
        typer.Option(help=(sentence("help.train_out"))),
    ] = None,
    network: Annotated[
        str | None,
        typer.Option(help=sentence("help.network"), show_default="detector"),
    ] = None,
    room: Annotated[
        list[Path] | None, typer.Option(metavar="VIDEO", help=sentence("help.train_room"))
    ] = None,
    game: GameOption = "snooker",
    table: TableOption = None,
    ball: BallOption = None,
    nose: NoseOption = None,
    calibration: Annotated[Path | None, typer.Option(help=sentence("help.layout_calibration"))] = None,
    work: Annotated[Path, typer.Option(help=sentence("help.work"))] = Path("train-work"),
    patches: Annotated[
        int | None,
        typer.Option(help=sentence("help.patches")),
    ] = None,
    minutes: Annotated[float, typer.Option(help=sentence("help.train_minutes"))] = 25.0,
    steps: Annotated[
        int | None, typer.Option(help=sentence("help.steps"), show_default="5000; 600 with --room")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, help=sentence("help.train_batch"))] = 24,
    seed: Annotated[int, typer.Option(help=sentence("help.train_seed"))] = 1,
    processes: Annotated[int, typer.Option(help=sentence("help.train_processes"))] = 2,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help=sentence("help.train_scheduler")),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option("--from", metavar="ONNX", help=sentence("help.train_start")),
    ] = None,
) -> None:
    """Train a network on rendered scenes, from nothing or on (extra 'train'; under an hour on two cores)."""
    said = (game != "snooker", table, ball, nose, calibration)
    if room is None and any(said):
        raise unusable_input("errors.train_table_without_room")
    if room is not None and network is not None:
        raise unusable_input("errors.train_network_of_room", network=network)
    if any(importlib.util.find_spec(name) is None for name in ("torch", "onnx")):
        raise unusable_input("errors.packages_torch_and_onnx_pip")
    given = _Amounts(patches, minutes, steps, batch, seed, processes)
    rendering = partial(sharing, Workers(processes, scheduler), "train")
    if room:
        spec = parse_table(table, ball, nose, game)
        _adapt([Recording(v, game, spec, calibration) for v in room], out, work, start, given, rendering)
        return
    _train(network or "detector", out, work, start, given, rendering)


@dataclass(frozen=True, slots=True)
class _Amounts:
    """How much is to be done; None: as much as is usual."""

    patches: int | None
    minutes: float
    steps: int | None
    batch: int
    seed: int
    processes: int

    def checked(self, patches: int, steps: int) -> tuple[int, int]:
        """Patches and steps, as said or as usual. Raises UnusableInput for too few of anything."""
        patches, steps = (
            usual if n is None else n for n, usual in ((self.patches, patches), (self.steps, steps))
        )
        if patches < 250 or self.minutes <= 0 or steps < 1 or self.processes < 1:
            raise unusable_input(
                "errors.patches_of_250",
                patches=patches,
                minutes=self.minutes,
                steps=steps,
                processes=self.processes,
            )
        return patches, steps


def _train(
    network: str, out: Path | None, work: Path, start: Path | None, given: _Amounts, rendering: Sharing
) -> None:
    """Train on rendered scenes alone."""
    if network not in _FILES:
        raise unusable_input("errors.network_of_train", network=repr(network), names=", ".join(_FILES))
    patches, steps = given.checked(_PATCHES.get(network, 12000), _STEPS)
    out = out or Path(f"{_FILES[network]}.onnx")
    start = _start(start, _FILES[network])
    minutes, seed, threads = given.minutes, given.seed, given.processes
    if network == "centre":
        from vision.train.centres.fit import CentreFitOptions
        from vision.train.centres.run import CentreTrainOptions, train_centres

        own = CentreFitOptions(minutes=minutes, seed=seed, threads=threads)
        train_centres(CentreTrainOptions(out, work, patches, 200, own, start), typer.echo, rendering)
        return
    if network == "prints":
        from vision.train.prints.fit import PrintFitOptions
        from vision.train.prints.run import PrintTrainOptions, train_prints

        printed = PrintFitOptions(minutes=minutes, seed=seed, threads=threads)
        train_prints(PrintTrainOptions(out, work, patches, 400, printed, start), typer.echo, rendering)
        return
    from vision.train.detector.fit import FitOptions
    from vision.train.detector.run import TrainOptions
    from vision.train.detector.run import train as run
    from vision.train.ship import BALL_DETECTOR, DISC_DETECTOR, PIECE_DETECTOR

    which = {n.name: n for n in (BALL_DETECTOR, PIECE_DETECTOR, DISC_DETECTOR)}[_FILES[network]]
    fit = FitOptions(steps=steps, batch=given.batch, minutes=minutes, seed=seed, threads=threads)
    run(TrainOptions(out, work, patches, 500, fit, start, which), typer.echo, rendering)


def _start(start: Path | None, name: str) -> Path | None:
    """The weights to go on from. Raises UnusableInput where there are none."""
    if start == SHIPPED:
        start = model_path(name)
    if start is not None and not start.is_file():
        raise unusable_input("errors.from_with_an_onnx_file", start=start)
    return start


def _adapt(
    recordings: list[Recording],
    out: Path | None,
    work: Path,
    start: Path | None,
    given: _Amounts,
    rendering: Sharing,
) -> None:
    """Adapt the network of a game to one's own table; exit status 1 where that does not measurably help."""
    from referee.quality.room.run import RoomOptions, train_room
    from referee.quality.room.verdict import verdict_lines
    from vision.train.detector.adapt import PEAK_RATE, STEPS
    from vision.train.detector.fit import FitOptions

    patches, steps = given.checked(_ROOM_PATCHES, STEPS)
    fit = FitOptions(
        steps=steps,
        batch=given.batch,
        peak_rate=PEAK_RATE,
        minutes=given.minutes,
        seed=given.seed,
        threads=given.processes,
    )
    options = RoomOptions(out, work, patches, fit, None if start == SHIPPED else start)
    found = train_room(recordings, options, typer.echo, rendering)
    for line in verdict_lines(found.verdict):
        typer.echo(line)
    if found.written is None:
        raise typer.Exit(1)
    typer.echo(sentence("terminal.room_written", out=found.written, folder=found.written.parent))
