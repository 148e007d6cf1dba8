"""Films of chosen strokes from a match's video or its clips: one stroke, several, all breaks over n."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from calibration.texts import unusable_input
from referee.outputs.annotated import FilmWriter, Piece, blur_of, film, overlay_of
from referee.outputs.document import Match, Stroke, record_fault
from referee.outputs.statistics import breaks_of
from referee.outputs.words import Say
from vision.io.images import probe

BEFORE_S, AFTER_S = 1.0, 1.5
"""What is shown before a stroke and after its end: the ruling appears within it."""
LEAST_GAP_S = 4.0
"""Strokes with less between them stay one piece: a cut out of so little looks like a fault."""

Share = Callable[[float], None]
StrokePiece = Callable[[Stroke], Piece | None]
"""The piece of video around a stroke; None where none is kept."""


def strokes_of_breaks(match: Match, least: int) -> list[list[Stroke]]:
    """The strokes of each break of at least `least` points, in order of play."""
    by_n = {s["n"]: s for s in match["strokes"]}
    return [
        [s for n in range(b.first, b.last + 1) if (s := by_n.get(n)) is not None and s["striker"] == b.side]
        for b in breaks_of(match["strokes"])
        if b.points >= least
    ]


def chosen_strokes(match: Match, numbers: Sequence[int]) -> list[Stroke]:
    """The strokes of those numbers. Raises UnusableInput for one that there is none of, or without time."""
    by_n = {s["n"]: s for s in match["strokes"] if s["start_s"] is not None}
    missing = [n for n in numbers if n not in by_n]
    if missing or not numbers:
        found = f"{missing[0]}" if missing else "none"
        raise unusable_input("make.error_strokes", found=found)
    return [by_n[n] for n in numbers]


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces of one file that nearly touch as one; in order."""
    out: list[Piece] = []
    for piece in pieces:
        last = out[-1] if out else None
        near = (
            last is not None
            and last.video == piece.video
            and last.span_s[0] <= piece.span_s[0] <= last.span_s[1] + LEAST_GAP_S
        )
        if near and last is not None:
            end_s = max(last.span_s[1], piece.span_s[1])
            out[-1] = Piece(
                last.video, (last.span_s[0], end_s), {**last.tracks, **piece.tracks}, last.begins_s
            )
        else:
            out.append(piece)
    return out


def write_reel(
    target: Path,
    match: Match,
    pieces: Sequence[Piece],
    share: Share,
    *,
    drawn: bool = True,
    blur: bool = False,
    say: Say | None = None,
) -> None:
    """Write pieces one behind the other as one MP4 file. `drawn`: with balls, score and rulings.

    A match whose journal was changed is always drawn, because the picture then says so. Raises UnusableInput
    where nothing can be shown.
    """
    if not pieces:
        raise unusable_input("make.error_no_film")
    whole_s = sum(max(0.0, p.span_s[1] - p.span_s[0]) for p in pieces) or 1.0
    info = probe(pieces[0].video)
    writer = FilmWriter(target, info.rate_hz)
    image_s, at_s, done_s = 1.0 / (info.rate_hz or 25.0), 0.0, 0.0
    for piece in pieces:
        overlay = overlay_of(match, piece.tracks, say) if drawn or record_fault(match) else None
        begun_s = max(piece.span_s[0], piece.begins_s)
        ended_s = at_s
        for _, t_s in film(writer, overlay, piece, blur_of(match) if blur else None, at_s=at_s):
            ended_s = at_s + max(0.0, t_s - begun_s) + image_s
            share((done_s + t_s - piece.span_s[0]) / whole_s)
        at_s = ended_s
        done_s += piece.span_s[1] - piece.span_s[0]
    writer.close(pieces[0].video)


def write_clips(
    target: Path,
    match: Match,
    strokes: Sequence[Stroke],
    piece_of: StrokePiece,
    share: Share,
    *,
    drawn: bool = True,
    blur: bool = False,
    say: Say | None = None,
) -> None:
    """Write a ZIP file with an MP4 file for each stroke. Raises UnusableInput where none has a video."""
    found = [(s, p) for s in strokes if (p := piece_of(s)) is not None]
    if not found:
        raise unusable_input("make.error_no_film")
    part = target.with_name(f"{target.name}.clip.mp4")
    try:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
            for k, (stroke, piece) in enumerate(found):
                told = partial(_told, share, k, len(found))
                write_reel(part, match, [piece], told, drawn=drawn, blur=blur, say=say)
                archive.write(part, f"stroke-{stroke['n']:04d}.mp4")
    finally:
        part.unlink(missing_ok=True)


def _told(share: Share, k: int, of: int, done: float) -> None:
    """Tell how much of `of` equal parts is done, within part `k`."""
    share((k + done) / of)
