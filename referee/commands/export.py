"""`cueref export`: a reviewed match or one ruling in another form."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from calibration.files import whole_file
from calibration.texts import Texts, load_texts, sentence, spoken, unusable_input
from referee.commands.option_class import taking
from referee.console.making import Made, Wanted, make, numbers_of
from referee.console.match_view import MatchView
from referee.console.reviews import current_match, open_review
from referee.journal import JOURNAL_FILE
from referee.match.explained import Explained
from referee.outputs.annotated import write_annotated
from referee.outputs.document import folder_of, schema_text
from referee.outputs.evidence import MARGIN_S, evidence_html
from referee.outputs.formats import FORMATS, Source, TextForm
from referee.outputs.media import video_of
from referee.outputs.reel import chosen_strokes
from referee.outputs.report import EVIDENCE_FOLDER, write_report
from referee.outputs.sheet import NO_HEAD, SheetHead
from referee.outputs.terminal import progress_words
from referee.outputs.tracks import read_tracks
from referee.outputs.words import say_of

_EVIDENCE = "evidence"
FORMS = (*TextForm, _EVIDENCE, *(m.name.lower() for m in Made))
"""Names of the forms: text, one ruling as a page, and what the console makes on request too."""
if TYPE_CHECKING:
    Form = str
else:  # typer reads what may be given from an enum
    Form = StrEnum("Form", {name.upper(): name for name in FORMS})
_CSV = Form("csv")
_PICTURES = (_EVIDENCE, "annotated", "clips", "reel", "replay")


EXAMPLES = ("cueref export review/ --to evidence --stroke 12 --blur -o stroke12.html",)


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options of `cueref export`; each field is one."""

    match: Annotated[Path | None, typer.Argument(help=sentence("help.export_match"))] = None
    to: Annotated[
        Form,
        typer.Option(metavar="FORM", help=sentence("help.export_to")),
    ] = _CSV
    stroke: Annotated[int | None, typer.Option(help=sentence("help.export_stroke"))] = None
    strokes: Annotated[str, typer.Option(metavar="N,N-N", help=sentence("help.export_strokes"))] = ""
    least: Annotated[int, typer.Option(min=1, help=sentence("help.export_least"))] = 50
    video: Annotated[Path | None, typer.Option(help=sentence("help.export_video"))] = None
    output: Annotated[Path | None, typer.Option("--output", "-o", help=sentence("help.output"))] = None
    blur: Annotated[
        bool,
        typer.Option(
            "--blur",
            help=sentence("help.export_blur"),
        ),
    ] = False
    date: Annotated[str, typer.Option(help=sentence("help.export_date"))] = ""
    venue: Annotated[str, typer.Option(help=sentence("help.export_venue"))] = ""
    competition: Annotated[str, typer.Option(help=sentence("help.export_competition"))] = ""
    referee: Annotated[str, typer.Option(help=sentence("help.export_referee"))] = ""
    timecode: Annotated[str, typer.Option(metavar="HH:MM:SS:FF", help=sentence("help.export_timecode"))] = (
        "00:00:00:00"
    )
    url: Annotated[str, typer.Option(help=sentence("help.export_url"))] = "http://127.0.0.1:8765/overlay"
    language: Annotated[str | None, typer.Option(help=sentence("help.export_language"))] = None
    schema: Annotated[bool, typer.Option("--schema", help=sentence("help.schema"))] = False


@taking(ExportOptions)
def export(context: typer.Context, options: ExportOptions) -> None:
    """Export a match: files for programs, score sheets, films, evidence, pictures for television."""
    del context
    if options.blur and options.to not in _PICTURES:
        raise unusable_input("errors.evidence_or_annotated_which_show", value=options.to)
    if options.schema:
        _write(options.output, schema_text())
        return
    if options.match is None:
        raise unusable_input("errors.reviews_folder_or_its_match_json")
    if options.to == "annotated":
        _annotated(options.match, options)
    elif options.to == _EVIDENCE:
        if options.strokes:
            _evidences(options.match, options)
        else:
            _write(options.output, _evidence(options.match, options.stroke, options))
    elif options.to in FORMATS:
        _write(options.output, _text(options.match, options))
    else:
        _made(options.match, options)


def _write(output: Path | None, text: str) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    with whole_file(output) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _made(path: Path, options: ExportOptions) -> None:
    """What the console makes on request, into the output file."""
    if options.output is None:
        raise unusable_input("make.error_output", form=options.to)
    language = _texts(options).language
    with _opened(path, options.video) as match:
        wanted = Wanted(
            Made[options.to.upper()],
            strokes=options.strokes,
            stroke=options.stroke,
            least=options.least,
            blur=options.blur,
            lang=language,
            head=_head(match, options),
        )
        with whole_file(options.output) as temporary:
            make(match, wanted, temporary, lambda share: None)


def _head(match: MatchView, options: ExportOptions) -> SheetHead:
    date = options.date or match.begun_on() or ""
    return SheetHead(date, options.venue, options.competition, options.referee)


def _sheet_head(path: Path, options: ExportOptions) -> SheetHead:
    with _opened(path) as opened:
        return _head(opened, options)


@contextmanager
def _opened(path: Path, video: Path | None = None) -> Iterator[MatchView]:
    opened = open_review("export", path, video)
    try:
        yield opened
    finally:
        opened.close()


def _texts(options: ExportOptions) -> Texts:
    """Of the language that was asked for, else of this terminal."""
    return spoken() if options.language is None else load_texts(options.language)


def _text(path: Path, options: ExportOptions) -> str:
    match = current_match(path)
    source = Source(
        match,
        say_of(match, _texts(options)),
        lambda: read_tracks(folder_of(path)),
        _sheet_head(path, options) if options.to == TextForm.SHEET else NO_HEAD,
        options.timecode,
        options.url,
    )
    return FORMATS[TextForm(options.to)].write(source)


def _evidence(path: Path, stroke: int | None, options: ExportOptions) -> str:
    if stroke is None:
        raise unusable_input("errors.stroke_n")
    match, folder, begins_s = current_match(path), folder_of(path), 0.0
    found = video_of(match, folder, options.video)
    clip = _clip(path, stroke) if found is None else None
    if clip is not None:
        found, begins_s = clip
    journal, weighed = _journalled(path, stroke), _weighed(path, stroke)
    return evidence_html(match, stroke, read_tracks(folder), found, journal, options.blur, begins_s, weighed)


def _evidences(path: Path, options: ExportOptions) -> None:
    """An evidence page of each chosen stroke in the match's folder, and the report that leads to them."""
    match, folder = current_match(path), folder_of(path)
    pages = folder / EVIDENCE_FOLDER
    pages.mkdir(exist_ok=True)
    chosen = chosen_strokes(match, numbers_of(options.strokes))
    with Progress(console=Console(stderr=True), transient=True) as bar:
        for stroke in bar.track(chosen, description=progress_words("evidence")):
            _write(pages / f"stroke-{stroke['n']}.html", _evidence(path, stroke["n"], options))
    report = write_report(folder, match)
    typer.echo(sentence("terminal.evidence_written", count=len(chosen), folder=pages, report=report))


def _weighed(path: Path, stroke: int) -> Explained | None:
    """The explanations of the stroke that were weighed; None without a journal."""
    with _opened(path) as opened:
        return opened.explained(stroke)


def _clip(path: Path, stroke: int) -> tuple[Path, float] | None:
    """The stroke's own video, which a live match keeps, and the match time of its beginning."""
    with _opened(path) as opened:
        return opened.clip_of(stroke)


def _annotated(path: Path, options: ExportOptions) -> None:
    """The video, or one stroke of it, with balls, score and rulings drawn."""
    match, folder, output, stroke = current_match(path), folder_of(path), options.output, options.stroke
    found = video_of(match, folder, options.video)
    if output is None or found is None:
        raise unusable_input("errors.o_file_mp4_and_the_matchs_video")
    span = None
    if stroke is not None:
        one = next((s for s in match["strokes"] if s["n"] == stroke), None)
        if one is None or one["start_s"] is None:
            raise unusable_input("errors.stroke_with_its_time", stroke=stroke)
        span = (max(0.0, one["start_s"] - MARGIN_S), one["end_s"] + MARGIN_S)
    write_annotated(
        found,
        output.parent,
        match,
        read_tracks(folder),
        span_s=span,
        name=output.name,
        blur=options.blur,
        say=say_of(match, _texts(options)),
    )


def _journalled(path: Path, stroke: int) -> list[dict[str, Any]]:
    """What the journal holds about the stroke; nothing without a journal."""
    if not (folder_of(path) / JOURNAL_FILE).is_file():
        return []
    with _opened(path) as opened:
        return opened.journal_of(stroke)
