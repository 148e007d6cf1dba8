"""`cueref train`: train the networks from nothing on rendered scenes."""

from __future__ import annotations

import importlib.util
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from calibration.texts import sentence, unusable_input
from referee.workers import Workers, sharing
from vision.detect.onnx_model import model_path

SHIPPED = Path("shipped")
"""`--from shipped`: the weights in use. A wheel has no folder `models` whose path a club could give."""

_FILES = {
    "detector": "ball_detector",
    "pieces": "piece_detector",
    "discs": "disc_detector",
    "centre": "ball_centre",
    "prints": "ball_print",
}
_PATCHES = {"centre": 5200, "prints": 7000}

EXAMPLES = ("cueref train --out models/ball_detector.onnx --seed 1",)


def train(
    out: Annotated[
        Path | None,
        typer.Option(help=(sentence("help.train_out"))),
    ] = None,
    network: Annotated[
        str,
        typer.Option(help=sentence("help.network")),
    ] = "detector",
    work: Annotated[Path, typer.Option(help=sentence("help.work"))] = Path("train-work"),
    patches: Annotated[
        int | None,
        typer.Option(help=sentence("help.patches")),
    ] = None,
    minutes: Annotated[float, typer.Option(help=sentence("help.train_minutes"))] = 25.0,
    steps: Annotated[int, typer.Option(help=sentence("help.steps"))] = 5000,
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
    if any(importlib.util.find_spec(name) is None for name in ("torch", "onnx")):
        raise unusable_input("errors.packages_torch_and_onnx_pip")
    if network not in _FILES:
        raise unusable_input("errors.network_of_train", network=repr(network), names=", ".join(_FILES))
    patches = patches if patches is not None else _PATCHES.get(network, 12000)
    out = out or Path(f"{_FILES[network]}.onnx")
    if patches < 250 or minutes <= 0 or steps < 1 or processes < 1:
        raise unusable_input(
            "errors.patches_of_250", patches=patches, minutes=minutes, steps=steps, processes=processes
        )
    if start == SHIPPED:
        start = model_path(_FILES[network])
    if start is not None and not start.is_file():
        raise unusable_input("errors.from_with_an_onnx_file", start=start)
    rendering = partial(sharing, Workers(processes, scheduler), "train")
    if network == "centre":
        from vision.train.centres.fit import CentreFitOptions
        from vision.train.centres.run import CentreTrainOptions, train_centres

        own = CentreFitOptions(minutes=minutes, seed=seed, threads=processes)
        train_centres(CentreTrainOptions(out, work, patches, 200, own, start), typer.echo, rendering)
        return
    if network == "prints":
        from vision.train.prints.fit import PrintFitOptions
        from vision.train.prints.run import PrintTrainOptions, train_prints

        printed = PrintFitOptions(minutes=minutes, seed=seed, threads=processes)
        train_prints(PrintTrainOptions(out, work, patches, 400, printed, start), typer.echo, rendering)
        return
    from vision.train.detector.fit import FitOptions
    from vision.train.detector.run import TrainOptions
    from vision.train.detector.run import train as run
    from vision.train.ship import BALL_DETECTOR, DISC_DETECTOR, PIECE_DETECTOR

    which = {n.name: n for n in (BALL_DETECTOR, PIECE_DETECTOR, DISC_DETECTOR)}[_FILES[network]]
    fit = FitOptions(steps=steps, batch=batch, minutes=minutes, seed=seed, threads=processes)
    run(TrainOptions(out, work, patches, 500, fit, start, which), typer.echo, rendering)
