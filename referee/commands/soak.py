"""`cueref soak`: hours of simulated play through `cueref live`, with faults, compared with the truth."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import Progress

from calibration.table.specs import SNOOKER_TABLE
from calibration.texts import sentence, unusable_input
from referee.quality.soak.camera import has_gstreamer
from referee.quality.soak.clips import ClipStyle, SoakClip, render_clips
from referee.quality.soak.ledger import add, read
from referee.quality.soak.ledger import markdown as sums
from referee.quality.soak.report import markdown, write_report
from referee.quality.soak.run import SoakOptions, run_soak
from vision.calibrated import calibration_for
from vision.detect.detector import Detector

EXAMPLES = (
    "cueref soak --minutes 120 --out soak --seed 3 --ledger soaks.jsonl",
    "cueref soak --report --out soak",
)


def soak(
    out: Annotated[Path, typer.Option(metavar="DIR", help=sentence("help.soak_out"))] = Path("soak"),
    minutes: Annotated[float, typer.Option(min=0.2, help=sentence("help.minutes"))] = 120.0,
    seed: Annotated[int, typer.Option(help=sentence("help.soak_seed"))] = 1,
    every: Annotated[float, typer.Option(metavar="S", min=5.0, help=sentence("help.every"))] = 110.0,
    clips: Annotated[int, typer.Option(min=1, help=sentence("help.soak_clips"))] = 6,
    strokes: Annotated[int, typer.Option(min=1, help=sentence("help.soak_strokes"))] = 5,
    width: Annotated[int, typer.Option(help=sentence("help.width"))] = 1280,
    height: Annotated[int, typer.Option(help=sentence("help.width"))] = 720,
    fps: Annotated[int, typer.Option(help=sentence("help.fps"))] = 25,
    cache: Annotated[Path | None, typer.Option(metavar="DIR", help=sentence("help.cache"))] = None,
    server: Annotated[str, typer.Option(help=sentence("help.server"))] = "auto",
    tmpfs: Annotated[int, typer.Option(metavar="MB", help=sentence("help.tmpfs"))] = 3000,
    ledger: Annotated[Path | None, typer.Option(metavar="FILE", help=sentence("help.ledger"))] = None,
    report: Annotated[bool, typer.Option("--report", help=sentence("help.report"))] = False,
    as_json: Annotated[bool, typer.Option("--json", help=sentence("help.soak_json"))] = False,
) -> None:
    """Play frames from the triangle on through an RTSP camera into `cueref live`, and break things."""
    if not report:
        _run(out, minutes, seed, every, (clips, strokes, width, height, fps), cache, server, tmpfs)
    elif not (out / "raw" / "about.jsonl").is_file():
        raise unusable_input("errors.record_of_a_soak", out=out)
    figures = write_report(out)
    typer.echo(json.dumps(figures, indent=1) if as_json else markdown(figures), nl=as_json)
    if ledger is not None:
        add(ledger, figures)
        if not as_json:
            typer.echo(f"\n{sums(read(ledger))}", nl=False)
    if figures["findings"]:
        raise typer.Exit(1)


def _run(
    out: Path,
    minutes: float,
    seed: int,
    every: float,
    style: tuple[int, int, int, int, int],
    cache: Path | None,
    server: str,
    tmpfs: int,
) -> None:
    if server not in ("auto", "gstreamer", "plain"):
        raise unusable_input("errors.gstreamer_plain_or_auto", server=repr(server))
    if server == "gstreamer" and not has_gstreamer():
        raise unusable_input("errors.debians_python3_gi_gir1_2_gst_rtsp")
    if (out / "raw").exists():
        raise unusable_input("errors.folder_without_a_soaks_record", out=out)
    count, strokes, width, height, fps = style
    folder = cache if cache is not None else out / "clips"
    rendered = _clips(folder, count, strokes, width, height, fps)
    calibration = _calibration(folder, rendered[0])
    plain = server == "plain" or (server == "auto" and not has_gstreamer())
    options = SoakOptions(
        out,
        calibration,
        60 * minutes,
        seed,
        every,
        (width, height),
        (3 * width // 8 * 2, 3 * height // 8 * 2),
        tmpfs,
        plain,
        priority=os.getpriority(os.PRIO_PROCESS, 0),
    )
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background job would ignore the first one
        signal.signal(number, _stop)
    try:
        run_soak(rendered, options, lambda text: typer.echo(text, err=True))
    except RuntimeError as error:
        raise unusable_input("errors.cueref_live_to_run", out=out, error=error) from None


def _stop(_number: int, _frame: object) -> NoReturn:
    """End as Ctrl-C does: camera, broker and `cueref live` are ended, the small disk is let go."""
    raise KeyboardInterrupt


def _clips(folder: Path, count: int, strokes: int, width: int, height: int, fps: int) -> list[SoakClip]:
    style = ClipStyle(tuple(range(1, count + 1)), strokes, width, height, fps)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(sentence("terminal.soak_clips"), total=count)
        return render_clips(folder, style, lambda done, of: bar.update(task, completed=done, total=of))


def _calibration(folder: Path, clip: SoakClip) -> Path:
    """The table as `cueref calibrate` finds it in the first clip; every clip is of the same camera."""
    path = folder / f"{clip.path.stem}.table.json"
    if not path.is_file():
        calibration_for(clip.path, None, SNOOKER_TABLE, Detector()).save(path)
    return path
