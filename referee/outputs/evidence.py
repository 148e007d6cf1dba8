"""Evidence for one ruling as one self-contained HTML file: clip, diagram, positions, clause, confidence.

The clip is inside the file (H.264, cut to the stroke with a second on both sides), so that it can be sent
to an appeals panel and opens without the program, the video or a network.
"""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Mapping, Sequence
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


def evidence_html(
    match: Match,
    n: int,
    tracks: Tracks,
    video: Path | None,
    journal: Sequence[Mapping[str, Any]] = (),
    blur: bool = False,
    begins_s: float = 0.0,
) -> str:
    """The page for stroke `n`; without a readable video it says so instead of showing the clip.

    `journal`: the journal's entries that belong to the stroke, as JSON values. `blur`: people are made
    unrecognisable in the clip. `begins_s`: match time of the video's own 0 (a live stroke's clip). Raises
    UnusableInput when there is no such stroke.
    """
    stroke = next((s for s in match["strokes"] if s["n"] == n), None)
    if stroke is None:
        raise UnusableInput(f"stroke {n}: expected one of 1 to {len(match['strokes'])}, found no such stroke")
    table = table_of(match)
    shown = video is not None and video.is_file() and stroke["start_s"] is not None
    clip = clip_bytes(video, match, stroke, tracks, blur, begins_s) if shown and video is not None else None
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
            clip=base64.b64encode(clip).decode() if clip else "",
            positions=[(name, _positions(stroke, name)) for name in ("before", "after")],
            journal=[json.dumps(e, ensure_ascii=False, indent=1, default=str) for e in journal],
        )
    )


def clip_bytes(
    video: Path, match: Match, stroke: Stroke, tracks: Tracks, blur: bool = False, begins_s: float = 0.0
) -> bytes:
    """The stroke cut from the video with the overlay drawn, as an MP4 file."""
    start_s = max(0.0, stroke["start_s"] - MARGIN_S)
    end_s = min(stroke["end_s"] + MARGIN_S, start_s + LONGEST_CLIP_S)
    with tempfile.TemporaryDirectory() as folder:
        return write_annotated(
            video,
            Path(folder),
            match,
            tracks,
            span_s=(start_s, end_s),
            name="clip.mp4",
            blur=blur,
            begins_s=begins_s,
        ).read_bytes()


def _positions(stroke: Stroke, when: str) -> list[tuple[str, str, str, str]]:
    layout = stroke["before"] if when == "before" else stroke["after"]
    return [
        (colour, f"{p[0]:.1f}", f"{p[1]:.1f}", f"{p[2]:.2f}")
        for colour, places in layout.items()
        for p in places
    ]
