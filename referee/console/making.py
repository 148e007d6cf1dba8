"""Makes files of a match on request: the sheet as PDF, films, pictures for television.

Each is written into one file by `make`, which the export queue and `cueref export` call alike.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

from calibration.errors import UnusableInput
from calibration.texts import ENGLISH, load_texts, unusable_input
from referee.console import page_data
from referee.console.export_queue import Share
from referee.console.match_view import MatchView
from referee.console.shared_stroke import write_shared_stroke
from referee.match.questions import texts_of
from referee.outputs.annotated import Piece, write_annotated
from referee.outputs.document import Match, Stroke, record_fault
from referee.outputs.reel import (
    AFTER_S,
    BEFORE_S,
    chosen_strokes,
    joined,
    strokes_of_breaks,
    write_clips,
    write_reel,
)
from referee.outputs.sheet import NO_HEAD, SheetHead, sheet_of, write_sheet_pdf
from referee.outputs.television import Board, Kind, television_png
from referee.outputs.words import say_of

MOST_STROKES = 200
"""Clips of one request: each takes some seconds to make."""


class Made(StrEnum):
    """Forms that are made on request, by their names on the command line; the value is the file's name."""

    ANNOTATED = "annotated.mp4"
    PDF = "score-sheet.pdf"
    CLIPS = "clips.zip"
    REEL = "breaks.mp4"
    NAMES = "names.png"
    BREAK = "break.png"
    FRAME = "frame-score.png"
    REPLAY = "stroke.html"


KINDS: dict[Made, str] = {
    Made.PDF: "application/pdf",
    Made.ANNOTATED: "video/mp4",
    Made.CLIPS: "application/zip",
    Made.REEL: "video/mp4",
    Made.NAMES: "image/png",
    Made.BREAK: "image/png",
    Made.FRAME: "image/png",
    Made.REPLAY: "text/html; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for. `strokes`: numbers for clips ("3, 5-8"); `stroke`: after which a picture shows the
    score, None: the last, or which one is to be shared; `least`: points of a break in the reel.
    """

    form: Made
    strokes: str = ""
    stroke: int | None = None
    least: int = 50
    drawn: bool = True
    blur: bool = False
    lang: str = ENGLISH
    head: SheetHead = NO_HEAD
    scale: Literal[1, 2] = 1


def make(match: MatchView, wanted: Wanted, target: Path, share: Share) -> None:
    """Write what is wanted of a match. Raises UnusableInput where it cannot be made, OSError."""
    _MAKERS[wanted.form](match, wanted, target, share)


def _pdf(match: MatchView, wanted: Wanted, target: Path, share: Share) -> None:
    document = match.document
    say = say_of(document, load_texts(wanted.lang))
    write_sheet_pdf(target, sheet_of(document, wanted.head, say), share)


def _annotated(match: MatchView, wanted: Wanted, target: Path, share: Share) -> None:
    document, video = match.document, match.video
    if video is None:
        raise unusable_input("make.error_no_film")
    film = target.with_name(f"{target.name}.mp4")
    write_annotated(
        video,
        film.parent,
        document,
        match.tracks,
        lambda image, of: share(image / of if of else 0.0),
        name=film.name,
        blur=wanted.blur,
        say=say_of(document, load_texts(wanted.lang)),
    )
    os.replace(film, target)


def _reel(match: MatchView, wanted: Wanted, target: Path, share: Share) -> None:
    document = match.document
    breaks = strokes_of_breaks(document, wanted.least)
    if not breaks:
        raise unusable_input("make.error_no_break", least=wanted.least)
    say = say_of(document, load_texts(wanted.lang))
    pieces = [p for strokes in breaks for s in strokes if (p := _piece(match, s)) is not None]
    _as_mp4(
        target,
        lambda film: write_reel(
            film, document, joined(pieces), share, drawn=wanted.drawn, blur=wanted.blur, say=say
        ),
    )


def _clips(match: MatchView, wanted: Wanted, target: Path, share: Share) -> None:
    document = match.document
    strokes = chosen_strokes(document, numbers_of(wanted.strokes))
    say = say_of(document, load_texts(wanted.lang))
    write_clips(
        target,
        document,
        strokes,
        lambda s: _piece(match, s),
        share,
        drawn=wanted.drawn,
        blur=wanted.blur,
        say=say,
    )


def _as_mp4(target: Path, write: Callable[[Path], None]) -> None:
    """Write beside the target under a name by which FFmpeg knows the container."""
    film = target.with_name(f"{target.name}.mp4")
    try:
        write(film)
        os.replace(film, target)
    finally:
        film.unlink(missing_ok=True)


def _piece(match: MatchView, stroke: Stroke) -> Piece | None:
    """The video around a stroke: its own clip, else that part of the match's video."""
    if stroke["start_s"] is None:
        return None
    clip = match.clip_of(stroke["n"])
    video, begins_s = clip if clip is not None else (match.video, 0.0)
    if video is None or not video.is_file():
        return None
    span_s = (max(0.0, stroke["start_s"] - BEFORE_S), stroke["end_s"] + AFTER_S)
    return Piece(video, span_s, match.tracks_of(stroke), begins_s)


def _television(kind: Kind) -> Callable[[MatchView, Wanted, Path, Share], None]:
    def write(match: MatchView, wanted: Wanted, target: Path, share: Share) -> None:
        document = match.document
        fault = record_fault(document)
        if fault is not None:  # a picture has no room to say so
            raise UnusableInput(fault)
        target.write_bytes(television_png(kind, board_of(document, wanted), wanted.scale))
        share(1.0)

    return write


def board_of(document: Match, wanted: Wanted) -> Board:
    """What the pictures for television say of a match after a stroke."""
    shown = page_data.overlay(document, wanted.stroke)
    t = texts_of(document["game"], load_texts(wanted.lang)).say
    title = " · ".join(x for x in (wanted.head.competition, wanted.head.venue) if x)
    side = shown["side"]
    return Board(
        players=(shown["players"][0], shown["players"][1]),
        score=(shown["score"][0], shown["score"][1]),
        frames=(shown["frames"][0], shown["frames"][1]),
        frame_words=t("board.frame", n=shown["frame"]),
        break_words=t("board.break"),
        striker="AB".index(side) if side in ("A", "B") else None,
        break_points=shown["break"],
        balls=tuple(shown["balls"]),
        title=title,
    )


def _replay(match: MatchView, wanted: Wanted, target: Path, share: Share) -> None:
    document = match.document
    [stroke] = chosen_strokes(document, [wanted.stroke if wanted.stroke is not None else 0])
    say = say_of(document, load_texts(wanted.lang))
    tracks = match.tracks_of(stroke)
    write_shared_stroke(target, document, stroke, tracks, _piece(match, stroke), say, share, blur=wanted.blur)


_MAKERS: dict[Made, Callable[[MatchView, Wanted, Path, Share], None]] = {
    Made.PDF: _pdf,
    Made.ANNOTATED: _annotated,
    Made.CLIPS: _clips,
    Made.REEL: _reel,
    Made.NAMES: _television("names"),
    Made.BREAK: _television("break"),
    Made.FRAME: _television("frame"),
    Made.REPLAY: _replay,
}

_PART = re.compile(r"(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?")


def numbers_of(text: str) -> list[int]:
    """Numbers of strokes as people write them: `3, 5-8`. Raises UnusableInput."""
    found: list[int] = []
    for part in re.split(r"[,;\s]+(?![-–])", re.sub(r"\s*([-–])\s*", r"\1", text.strip())):
        match = _PART.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first or last - first >= MOST_STROKES or len(found) + last - first >= MOST_STROKES:
            raise unusable_input("make.error_numbers", most=MOST_STROKES, found=repr(text[:40]))
        found += range(first, last + 1)
    return list(dict.fromkeys(found))
