"""The text formats of a whole match, in one table: file name, media type and writer of each.

`cueref export` and the console's route read it; a text format that is not here does not exist. What takes
seconds (films, pictures, PDF) is made on request: `referee.console.making`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from referee.outputs import exports
from referee.outputs.document import Match, rate_hz_of
from referee.outputs.obs import obs_scene
from referee.outputs.report import report_html
from referee.outputs.sheet import NO_HEAD, SheetHead, score_sheet_html
from referee.outputs.tracks import Tracks
from referee.outputs.words import Say


class TextForm(StrEnum):
    """Names of the formats, as people give them."""

    JSON = "json"
    CSV = "csv"
    SHEET = "sheet"
    REPORT = "report"
    CHAPTERS = "chapters"
    MARKERS = "markers"
    OBS = "obs"


@dataclass(frozen=True, slots=True)
class Source:
    """What a format is written from.

    `tracks`: reads the paths of the match. `timecode`: of the recording's first image, HH:MM:SS:FF. `url`: of
    the overlay. `evidence`: address of a stroke's evidence page, None where there is none.
    """

    document: Match
    say: Say
    tracks: Callable[[], Tracks] = dict
    head: SheetHead = NO_HEAD
    timecode: str = "00:00:00:00"
    url: str = ""
    evidence: Callable[[int], str] | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the table."""

    file_name: str
    media_type: str
    write: Callable[[Source], str]


FORMATS: dict[TextForm, Format] = {
    TextForm.JSON: Format(
        "match.json", "application/json", lambda s: exports.match_json(s.document).decode()
    ),
    TextForm.CSV: Format("strokes.csv", "text/csv; charset=utf-8", lambda s: exports.strokes_csv(s.document)),
    TextForm.SHEET: Format(
        "score-sheet.html",
        "text/html; charset=utf-8",
        lambda s: score_sheet_html(s.document, s.head, s.say),
    ),
    TextForm.REPORT: Format(
        "report.html",
        "text/html; charset=utf-8",
        lambda s: report_html(s.document, s.tracks(), s.say.texts, s.evidence),
    ),
    TextForm.CHAPTERS: Format(
        "chapters.vtt", "text/vtt; charset=utf-8", lambda s: exports.chapters_vtt(s.document, s.say)
    ),
    TextForm.MARKERS: Format(
        "markers.edl",
        "text/plain; charset=utf-8",
        lambda s: exports.markers_edl(s.document, rate_hz_of(s.document), s.timecode, s.say),
    ),
    TextForm.OBS: Format("cueref-obs.json", "application/json", lambda s: obs_scene(s.url)),
}
