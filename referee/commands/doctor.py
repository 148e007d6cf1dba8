"""`cueref doctor`: is this machine, its camera, disk and clock fit to referee live, and what to do if not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from calibration.texts import sentence
from referee.commands.secret_options import CAMERA_VARIABLE, camera_address
from referee.live.setup.doctor import Check, Light, camera_checks, machine_checks

EXAMPLES = ("cueref doctor /dev/video0 --out /srv/cueref",)


def doctor(
    camera: Annotated[
        str | None,
        typer.Argument(metavar="CAMERA", envvar=CAMERA_VARIABLE, help=sentence("help.camera")),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help=sentence("help.doctor_out"))] = Path(),
    seconds: Annotated[float, typer.Option(min=1.0, max=60.0, help=sentence("help.seconds"))] = 5.0,
    as_json: Annotated[bool, typer.Option("--json", help=sentence("help.doctor_json"))] = False,
) -> int:
    """Check machine, camera, disk and clock, and say what to do."""
    checks = machine_checks(out)
    if camera is not None:
        checks += camera_checks(camera_address(camera), seconds)
    if as_json:
        typer.echo(
            json.dumps(
                [
                    {"topic": c.topic, "light": c.light.value, "found": c.found, "advice": c.advice}
                    for c in checks
                ]
            )
        )
    else:
        _print(checks)
    return 1 if any(c.light is Light.BAD for c in checks) else 0


def _topic(topic: str) -> str:
    return sentence(f"doctor.topic_{topic.replace(' ', '_')}")


def _print(checks: list[Check]) -> None:
    colours = {"good": "green", "warn": "yellow", "bad": "red", "unknown": "dim"}
    check, found, to_do = (sentence(f"terminal.doctor_{h}") for h in ("check", "found", "to_do"))
    table = Table(check, "", found, to_do, box=None, padding=(0, 1))
    for c in checks:
        table.add_row(
            _topic(c.topic),
            f"[{colours[c.light.value]}]{c.light.value}[/]",
            escape(c.found),
            escape(c.advice),
        )
    Console().print(table)
