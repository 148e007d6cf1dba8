"""`cueref export`: a reviewed match or one ruling in another form."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from calibration.errors import UnusableInput
from calibration.files import whole_file
from calibration.texts import sentence
from referee.console.reviews import current_match, open_review
from referee.journal import JOURNAL_FILE
from referee.match.snooker.explained import Explained
from referee.outputs import exports
from referee.outputs.annotated import write_annotated
from referee.outputs.document import match_bytes, schema_text
from referee.outputs.evidence import MARGIN_S, evidence_html
from referee.outputs.media import video_of
from referee.outputs.report import report_html
from referee.outputs.tracks import read_tracks


class Form(StrEnum):
    JSON = "json"
    CSV = "csv"
    SHEET = "sheet"
    REPORT = "report"
    CHAPTERS = "chapters"
    MARKERS = "markers"
    EVIDENCE = "evidence"
    ANNOTATED = "annotated"


def register(app: typer.Typer) -> None:
    @app.command("export")
    def export(
        match: Annotated[Path | None, typer.Argument(help="Folder of a review, or its match.json.")] = None,
        to: Annotated[
            Form, typer.Option(help="json, csv, sheet, report, chapters, markers, evidence, annotated (MP4).")
        ] = Form.CSV,
        stroke: Annotated[int | None, typer.Option(help="Stroke number; needed by evidence.")] = None,
        video: Annotated[
            Path | None, typer.Option(help="The video, when it does not lie in the folder.")
        ] = None,
        output: Annotated[
            Path | None, typer.Option("--output", "-o", help="File; default: standard output.")
        ] = None,
        blur: Annotated[
            bool,
            typer.Option(
                "--blur", help="Make people unrecognisable (evidence, annotated); look before publishing."
            ),
        ] = False,
        schema: Annotated[
            bool, typer.Option("--schema", help="Print the JSON Schema of match.json.")
        ] = False,
    ) -> None:
        """Export a match as JSON, CSV, score sheet, report, chapters, markers, annotated video, or one
        stroke's evidence.

        --blur blurs all that lies off the table, and what the detector sees leaning over it; a ball beside a
        hand is blurred with it.

        Example: cueref export review/ --to evidence --stroke 12 --blur -o stroke12.html
        """
        if blur and to not in (Form.EVIDENCE, Form.ANNOTATED):
            raise UnusableInput(sentence("errors.evidence_or_annotated_which_show", value=to.value))
        if to is Form.ANNOTATED and match is not None and not schema:
            _annotated(match, video, output, stroke, blur)
            return
        if schema:
            text = schema_text()
        elif match is None:
            raise UnusableInput(sentence("errors.reviews_folder_or_its_match_json"))
        else:
            text = _text(match, to, stroke, video, blur)
        if output is None:
            sys.stdout.write(text)
            return
        with whole_file(output) as temporary:
            temporary.write_text(text, encoding="utf-8")


def _text(path: Path, form: Form, stroke: int | None, video: Path | None, blur: bool) -> str:
    match = current_match(path)
    folder = path if path.is_dir() else path.parent
    duration = match["video"]["duration_s"]
    rate_hz = match["video"]["images"] / duration if duration else 25.0
    if form is Form.JSON:
        return match_bytes(match).decode()
    if form is Form.CSV:
        return exports.strokes_csv(match)
    if form is Form.SHEET:
        return exports.score_sheet_html(match)
    if form is Form.CHAPTERS:
        return exports.chapters_vtt(match)
    if form is Form.MARKERS:
        return exports.markers_edl(match, rate_hz)
    if form is Form.REPORT:
        return report_html(match, read_tracks(folder))
    return _evidence(path, folder, stroke, video, blur)


def _evidence(path: Path, folder: Path, stroke: int | None, video: Path | None, blur: bool) -> str:
    if stroke is None:
        raise UnusableInput(sentence("errors.stroke_n"))
    match, begins_s = current_match(path), 0.0
    found = video_of(match, folder, video)
    clip = _clip(path, stroke) if found is None else None
    if clip is not None:
        found, begins_s = clip
    journal, weighed = _journalled(path, stroke), _weighed(path, stroke)
    return evidence_html(match, stroke, read_tracks(folder), found, journal, blur, begins_s, weighed)


def _weighed(path: Path, stroke: int) -> Explained | None:
    """The explanations of the stroke that were weighed; None without a journal."""
    opened = open_review("export", path)
    try:
        return opened.explained(stroke)
    finally:
        opened.close()


def _clip(path: Path, stroke: int) -> tuple[Path, float] | None:
    """The stroke's own video, which a live match keeps, and the match time of its beginning."""
    opened = open_review("export", path)
    try:
        return opened.clip_of(stroke)
    finally:
        opened.close()


def _annotated(path: Path, video: Path | None, output: Path | None, stroke: int | None, blur: bool) -> None:
    """The video, or one stroke of it, with balls, score and rulings drawn."""
    match, folder = current_match(path), path if path.is_dir() else path.parent
    found = video_of(match, folder, video)
    if output is None or found is None:
        raise UnusableInput(sentence("errors.o_file_mp4_and_the_matchs_video"))
    span = None
    if stroke is not None:
        one = next((s for s in match["strokes"] if s["n"] == stroke), None)
        if one is None or one["start_s"] is None:
            raise UnusableInput(sentence("errors.stroke_with_its_time", stroke=stroke))
        span = (max(0.0, one["start_s"] - MARGIN_S), one["end_s"] + MARGIN_S)
    write_annotated(
        found, output.parent, match, read_tracks(folder), span_s=span, name=output.name, blur=blur
    )


def _journalled(path: Path, stroke: int) -> list[dict[str, Any]]:
    """What the journal holds about the stroke; nothing without a journal."""
    if not ((path if path.is_dir() else path.parent) / JOURNAL_FILE).is_file():
        return []
    opened = open_review("export", path)
    try:
        return opened.journal_of(stroke)
    finally:
        opened.close()
