"""`cueref certify`: an installation's own certificate, one page."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from calibration.errors import UnusableInput
from calibration.files import whole_file
from calibration.result import Calibration
from calibration.texts import sentence
from referee.quality.certify.certificate import Certificate, certify
from referee.quality.certify.page import certificate_html


def register(app: typer.Typer) -> None:
    """Add `cueref certify` to the command line."""
    example = "Example: cueref certify table.json match.mp4 -o certificate.html"
    app.command(name="certify", epilog=example)(certify_command)


def certify_command(
    calibration: Annotated[Path, typer.Argument(metavar="CALIBRATION", help="A file of cueref calibrate.")],
    video: Annotated[Path, typer.Argument(metavar="VIDEO", help="A minute or more of play by that camera.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="HTML", help="Where to write the page; else beside the video."),
    ] = None,
    date: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="The page's date; else the video file's.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what a camera is good enough for: error by zone, gaps, first contacts, colours, advice; one page.

    Exit status 1 when a use is limited or unfit, a light is red or the calibration no longer holds.
    """
    if date is not None and not _is_date(date):
        raise UnusableInput(sentence("errors.day_such_as_2026_11_21", date=repr(date)))

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("looking at the balls", total=None)

        def tell(done: int, of: int) -> None:
            bar.update(task, completed=done, total=of)

        certificate = certify(video, calibration, date, tell)
    target = out or video.with_suffix(".certificate.html")
    _write(target, certificate, calibration)
    if as_json:
        typer.echo(json.dumps(certificate.to_json(), indent=1, ensure_ascii=False))
    else:
        _print(certificate, target)
    if certificate.finding:
        raise typer.Exit(1)


def _is_date(text: str) -> bool:
    try:
        return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _write(target: Path, certificate: Certificate, calibration: Path) -> None:
    html = certificate_html(certificate, Calibration.load(calibration).table)
    try:
        with whole_file(target) as part:
            part.write_text(html, encoding="utf-8")
    except OSError as error:
        raise UnusableInput(sentence("errors.place_to_write_the_page", target=target, error=error)) from None


def _print(c: Certificate, target: Path) -> None:
    known = [z for z in c.zones if z.expected_mm is not None]
    for use in c.uses:
        typer.echo(f"{use.name:<20} {use.fitness:<10} {use.reason}")
    typer.echo(f"{'Calibration':<20} {_holds(c.standing.true):<10} {c.standing.sentence}")
    if known:
        errors = [z.expected_mm or 0.0 for z in known]
        gaps = [z.gap_mm or 0.0 for z in known]
        typer.echo(
            f"expected error (mm)  {min(errors):.2f} to {max(errors):.2f} by zone; gaps told from touching"
            f" {min(gaps):.1f} to {max(gaps):.1f}"
        )
    for advice in c.advice:
        typer.echo(f"{advice.topic:<20} {advice.light:<10} {advice.sentence}")
    typer.echo(f"page in {target}")


def _holds(true: bool | None) -> str:
    return "not known" if true is None else "holds" if true else "broken"
