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

from calibration.files import whole_file
from calibration.result import Calibration
from calibration.texts import said, sentence, spoken, unusable_input
from referee.quality.certify.certificate import Certificate
from referee.quality.certify.certificate import certify as measured
from referee.quality.certify.page import certificate_html

EXAMPLES = ("cueref certify table.json match.mp4 -o certificate.html",)


def certify(
    calibration: Annotated[
        Path, typer.Argument(metavar="CALIBRATION", help=sentence("help.certify_calibration"))
    ],
    video: Annotated[Path, typer.Argument(metavar="VIDEO", help=sentence("help.video"))],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="HTML", help=sentence("help.certify_out")),
    ] = None,
    date: Annotated[str | None, typer.Option(metavar="YYYY-MM-DD", help=sentence("help.date"))] = None,
    as_json: Annotated[bool, typer.Option("--json", help=sentence("help.calibrate_json"))] = False,
) -> None:
    """Say what a camera is good enough for: error by zone, gaps, first contacts, colours, advice; one
    page.
    """
    if date is not None and not _is_date(date):
        raise unusable_input("errors.day_such_as_2026_11_21", date=repr(date))

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(sentence("terminal.certify_looking"), total=None)

        def tell(done: int, of: int) -> None:
            bar.update(task, completed=done, total=of)

        certificate = measured(video, calibration, date, tell)
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
    html = certificate_html(certificate, Calibration.load(calibration).table, spoken())
    try:
        with whole_file(target) as part:
            part.write_text(html, encoding="utf-8")
    except OSError as error:
        raise unusable_input("errors.place_to_write_the_page", target=target, error=error) from None


def _print(c: Certificate, target: Path) -> None:
    known = [z for z in c.zones if z.expected_mm is not None]
    for use in c.uses:
        typer.echo(f"{said(use.name):<26} {said(use.fitness):<18} {said(use.reason)}")
    standing = f"{sentence('terminal.certify_calibration'):<26} {_holds(c.standing.true):<18}"
    typer.echo(f"{standing} {said(c.standing.sentence)}")
    if known:
        errors = [z.expected_mm or 0.0 for z in known]
        gaps = [z.gap_mm or 0.0 for z in known]
        typer.echo(
            sentence(
                "terminal.certify_errors",
                least=f"{min(errors):.2f}",
                most=f"{max(errors):.2f}",
                nearest=f"{min(gaps):.1f}",
                furthest=f"{max(gaps):.1f}",
            )
        )
    for advice in c.advice:
        typer.echo(
            f"{said(advice.topic):<26} {sentence(f'terminal.light_{advice.light}'):<18} {advice.sentence}"
        )
    typer.echo(sentence("terminal.certify_written", target=target))


def _holds(true: bool | None) -> str:
    return sentence(f"terminal.certify_{'not_known' if true is None else 'holds' if true else 'broken'}")
