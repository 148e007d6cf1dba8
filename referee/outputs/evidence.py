"""Evidence for one ruling as one self-contained HTML file: clip, diagram, positions, clause, confidence.

The clip is inside the file (H.264, cut to the stroke with a second on both sides), so that it can be sent
to an appeals panel and opens without the program, the video or a network.
"""

from __future__ import annotations

import base64
import json
import secrets
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from referee.outputs.annotated import write_annotated
from referee.outputs.diagram import symbols_svg
from referee.outputs.document import Match, Stroke, record_fault, table_of
from referee.outputs.pages import environment
from referee.outputs.report import stroke_view
from referee.outputs.tracks import Tracks
from referee.outputs.words import clause_reference

MARGIN_S = 1.0
LONGEST_CLIP_S = 90.0
_CLIP = "clip-of-the-stroke-" + secrets.token_hex(16)  # where the clip belongs; nobody's text can hold it
_PIECE_BYTES = 3 << 16  # a multiple of 3, so that pieces of base64 join


def evidence_html(
    match: Match,
    n: int,
    tracks: Tracks,
    video: Path | None,
    journal: Sequence[Mapping[str, Any]] = (),
    blur: bool = False,
    begins_s: float = 0.0,
) -> str:
    """The page that `write_evidence` writes, as text."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        write_evidence(page, match, n, tracks, video, journal, blur=blur, begins_s=begins_s)
        return page.read_text(encoding="utf-8")


def write_evidence(
    target: Path,
    match: Match,
    n: int,
    tracks: Tracks,
    video: Path | None,
    journal: Sequence[Mapping[str, Any]] = (),
    *,
    blur: bool = False,
    begins_s: float = 0.0,
    share: Callable[[float], None] = lambda done: None,
) -> None:
    """Write the page for stroke `n`; without a readable video it says so instead of showing the clip.

    `journal`: the journal's entries that belong to the stroke, as JSON values. `blur`: people are made
    unrecognisable in the clip. `begins_s`: match time of the video's own 0 (a live stroke's clip). `share`
    is told how much is done. The clip is never in memory as a whole. Raises UnusableInput when there is no
    such stroke, OSError.
    """
    stroke = next((s for s in match["strokes"] if s["n"] == n), None)
    if stroke is None:
        raise UnusableInput(f"stroke {n}: expected one of 1 to {len(match['strokes'])}, found no such stroke")
    shown = video if video is not None and video.is_file() and stroke["start_s"] is not None else None
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        clip = (
            None
            if shown is None
            else _clip(Path(folder), shown, match, stroke, tracks, blur, begins_s, share)
        )
        before, _, after = _page(match, stroke, tracks, journal, clip is not None).partition(_CLIP)
        with target.open("wb") as out:
            out.write(before.encode())
            if clip is not None:
                with clip.open("rb") as file:
                    while piece := file.read(_PIECE_BYTES):
                        out.write(base64.b64encode(piece))
            out.write(after.encode())


def _page(
    match: Match, stroke: Stroke, tracks: Tracks, journal: Sequence[Mapping[str, Any]], with_clip: bool
) -> str:
    """The page with `_CLIP` where the clip belongs."""
    table = table_of(match)
    return (
        environment()
        .get_template("evidence.html.j2")
        .render(
            match=match,
            view=stroke_view(match, stroke, table, tracks),
            stroke=stroke,
            fault=record_fault(match),
            reference=clause_reference(stroke),
            symbols=symbols_svg(table),
            clip=_CLIP if with_clip else "",
            positions=[(name, _positions(stroke, name)) for name in ("before", "after")],
            journal=[json.dumps(e, ensure_ascii=False, indent=1, default=str) for e in journal],
        )
    )


def _clip(
    folder: Path,
    video: Path,
    match: Match,
    stroke: Stroke,
    tracks: Tracks,
    blur: bool,
    begins_s: float,
    share: Callable[[float], None],
) -> Path:
    """The stroke cut from the video with the overlay drawn, as an MP4 file."""
    start_s = max(0.0, stroke["start_s"] - MARGIN_S)
    end_s = min(stroke["end_s"] + MARGIN_S, start_s + LONGEST_CLIP_S)
    first: list[int] = []

    def told(image: int, of: int) -> None:
        first[:] = first or [image]
        rate_hz = match["video"]["images"] / (match["video"]["duration_s"] or 1.0) or 25.0
        share((image - first[0]) / max(1.0, (end_s - start_s) * rate_hz))

    return write_annotated(
        video,
        folder,
        match,
        tracks,
        told,
        span_s=(start_s, end_s),
        name="clip.mp4",
        blur=blur,
        begins_s=begins_s,
    )


def _positions(stroke: Stroke, when: str) -> list[tuple[str, str, str, str]]:
    layout = stroke["before"] if when == "before" else stroke["after"]
    return [
        (colour, f"{p[0]:.1f}", f"{p[1]:.1f}", f"{p[2]:.2f}")
        for colour, places in layout.items()
        for p in places
    ]
