"""`cueref demo`: the console and the live pages over the bundled sample, to look around."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from calibration.errors import UnusableInput
from calibration.table.parse import DEFAULT_TABLE, parse_table
from calibration.texts import sentence
from referee.bundled import sample_clip
from referee.commands.examples import examples
from referee.console.serving import need_packages
from referee.review.pipeline import ReviewOptions, review

_ENDS_IN_S = 20.0
"""A live table writes its last state within a second or two of SIGTERM; after this it is killed."""


def register(app: typer.Typer) -> None:
    """Add `cueref demo` to the command line."""
    app.command(
        name="demo",
        epilog=examples("cueref demo --out demo"),
        help=sentence("help.demo_is"),
    )(demo)


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help=sentence("help.demo_out"))] = Path("cueref-demo"),
    port: Annotated[int, typer.Option(min=0, max=65534, help=sentence("help.port"))] = 8765,
) -> None:
    """Look around: the sample reviewed in the console, and played for ever as a camera's live table."""
    need_packages("demo", "live")
    clip = sample_clip()
    typer.echo(sentence("terminal.demo_reviewing_the_sample"))
    review(clip, out / "review", ReviewOptions(table=parse_table(DEFAULT_TABLE, None)))
    live = ["live", str(clip), "--loop", "--new-match", "--out", str(out / "live"), "--port", str(port)]
    live += ["--players", "Ann", "Bo", "--table-name", "Demo"]
    console = ["serve", str(out / "review"), "--video", str(clip), "--port", str(port and port + 1)]
    _together(out, live, console)


def _together(logs: Path, *commands: list[str]) -> None:
    """Run commands of cueref until one ends, or SIGINT or SIGTERM; then end the others.

    What they tell of their work goes to `logs`, a file each. Raises UnusableInput when one ended by itself,
    KeyboardInterrupt after SIGINT.
    """
    asked: set[int] = set()
    ending = threading.Event()

    def asked_to_end(number: int, _: object) -> None:
        asked.add(number)
        ending.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, asked_to_end)
    running = {c[0]: _start(c, logs / f"{c[0]}.log") for c in commands}
    try:
        while not ending.wait(0.2) and all(p.poll() is None for p in running.values()):
            pass
        ended = [name for name, p in running.items() if p.poll() is not None]
    finally:
        _end(list(running.values()))
    if signal.SIGINT in asked:
        raise KeyboardInterrupt
    for name in ended if not asked else ():
        said = (logs / f"{name}.log").read_text("utf-8", "replace").strip().rsplit("\n", 1)[-1]
        raise UnusableInput(sentence("errors.cueref_to_run_on", name=name, said=said))


def _start(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    """A session of its own: Ctrl-C reaches the demo alone, which ends its processes in order."""
    with log.open("wb") as words:
        return subprocess.Popen(
            [sys.executable, "-m", "referee", *command],
            env=_environment(),
            stderr=words,
            start_new_session=True,
        )


@cache
def _environment() -> dict[str, str]:
    """No settings of a real table (a broker, webhooks), and one token for all.

    A browser sends its cookies to every port of a host, so that two tokens would log each other out.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CUEREF_")}
    return kept | {"CUEREF_TOKEN": os.environ.get("CUEREF_TOKEN") or secrets.token_urlsafe(24)}


def _end(running: list[subprocess.Popen[bytes]]) -> None:
    for process in running:
        process.terminate()
    for process in running:
        try:
            process.wait(_ENDS_IN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
