"""`cueref demo`: the console and the live pages over the bundled sample, to look around."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from calibration.files import whole_file
from calibration.table.parse import DEFAULT_TABLE, parse_table
from calibration.texts import sentence, unusable_input
from referee.bundled import sample_clip
from referee.console.serving import need_packages
from referee.live.supervisor import cueref, end, start, until_asked, with_one_token
from referee.review.pipeline import ReviewOptions, calibration_found, review

EXAMPLES = ("cueref demo --out demo",)


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help=sentence("help.demo_out"))] = Path("cueref-demo"),
    port: Annotated[int, typer.Option(min=0, max=65534, help=sentence("help.port"))] = 8765,
) -> None:
    """Look around: the sample reviewed in the console, and played for ever as a camera's live table."""
    need_packages("demo", "live")
    clip = _copied(sample_clip(), out)
    typer.echo(sentence("terminal.demo_reviewing_the_sample"))
    review(clip, out / "review", ReviewOptions(table=parse_table(DEFAULT_TABLE, None)))
    live = ["live", str(clip), "--loop", "--new-match", "--out", str(out / "live"), "--port", str(port)]
    live += ["--players", "Ann", "Bo", "--table-name", "Demo"]
    found = calibration_found(out / "review")
    if found is not None:  # the table is not sought once more
        found.save(out / "table.json")
        live += ["--calibration", str(out / "table.json")]
    console = ["serve", str(out / "review"), "--video", str(clip), "--port", str(port and port + 1)]
    _together(out, live, console)


def _copied(clip: Path, out: Path) -> Path:
    """The clip in a folder of the reader's own, to go on with by hand; in a wheel it lies out of the way."""
    with whole_file(out / clip.name) as target:
        shutil.copyfile(clip, target)
    return out / clip.name


def _together(logs: Path, *commands: list[str]) -> None:
    """Run commands of cueref until one ends, or SIGINT or SIGTERM; then end the others.

    What they tell of their work goes to `logs`, a file each. Raises UnusableInput when one ended by itself,
    KeyboardInterrupt after SIGINT.
    """
    ending, asked = until_asked()
    running = {c[0]: _start(c, logs / f"{c[0]}.log") for c in commands}
    try:
        while not ending.wait(0.2) and all(p.poll() is None for p in running.values()):
            pass
        ended = [name for name, p in running.items() if p.poll() is not None]
    finally:
        end(list(running.values()))
    if signal.SIGINT in asked:
        raise KeyboardInterrupt
    for name in ended if not asked else ():
        said = (logs / f"{name}.log").read_text("utf-8", "replace").strip().rsplit("\n", 1)[-1]
        raise unusable_input("errors.cueref_to_run_on", name=name, said=said)


def _start(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as words:
        return start(cueref(*command), _environment(), words)


@cache
def _environment() -> dict[str, str]:
    """No settings of a real table (a broker, webhooks), and one token for all."""
    own = {n: v for n, v in os.environ.items() if not n.startswith("CUEREF_") or n == "CUEREF_TOKEN"}
    return with_one_token(own)
