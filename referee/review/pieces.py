"""A long recording reviewed in pieces, side by side, and joined: the same files as a review in one go.

What is seen begins anew at each seam (`referee.review.perception`), in a review in one go too. So the seams
are found first, from a few seconds of video each; what is seen in each piece is worked out wherever there is
room; and tracker, referee and journal take it in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.result import Calibration
from calibration.table.games import PIECES
from referee.outputs.document import Match
from referee.review.perception import Perception, Seen
from referee.review.pipeline import Progress, ReviewOptions, Worked, review
from tracker import Tracker
from vision import process
from vision.detect.detector import Detector
from vision.io.ahead import ahead
from vision.io.images import VideoImage, probe, seekable, temporal_filter, watch_video
from vision.io.temporal_filter import NO_FILTER, TemporalFilter

_AHEAD = 6  # images decoded ahead


@dataclass(frozen=True, slots=True)
class Piece:
    """Where a piece of a video begins, and what calibration is in force there (as `Calibration.to_text`).

    `begin_s`: time of its first image; 0 for the first piece. `calibration`, `filtered`: the recording's.
    """

    video: str
    begin_s: float
    calibration: str
    in_force: str
    game: str = "snooker"
    filtered: TemporalFilter = NO_FILTER


def pieces_of(video: Path, calibration: Calibration, game: str = "snooker") -> list[Piece]:
    """The pieces of a recording; one where it is short, never still, or cannot be entered in the middle.

    Raises UnusableInput for a file that is no video.
    """
    text = calibration.to_text()
    whole = Piece(str(video), 0.0, text, text, game, temporal_filter(video))
    seams = _seams(whole) if seekable(video) else ()
    return [whole, *(replace(whole, begin_s=t_s) for t_s in seams)]


def _seams(whole: Piece) -> Iterator[float]:
    """Times of the images with which pieces begin, found by looking behind each ten minutes."""
    video = Path(whole.video)
    duration_s = probe(video).duration_s
    perception, _ = _perception(whole)
    while perception.state.due_s < duration_s:
        for item in watch_video(video, perception.state.due_s, found=whole.filtered):
            if perception.seam(item) is not None:
                assert isinstance(item, VideoImage)
                yield item.t_s
                break
        else:
            return


def examined(piece: Piece) -> list[Seen]:
    """What is seen in a piece: from its first image to the one before the next seam, numbered from 0."""
    process.prepare(keep_memory=True)
    return list(_examined(piece))


def _examined(piece: Piece) -> Iterator[Seen]:
    perception, tracker = _perception(piece)
    first = piece.begin_s > 0.0
    images = watch_video(Path(piece.video), piece.begin_s, found=piece.filtered)
    for item in ahead(images, _AHEAD):
        seen = perception.begin(item) if first and isinstance(item, VideoImage) else perception.feed(item)
        if seen is None or perception.begun_anew:
            return
        first = False
        if perception.state.guide is None:  # behind a seam perception asks a tracker of its own
            if seen.observations is None:
                tracker.pass_over(seen.t_s)
            else:
                tracker.feed(seen.observations)
        yield seen


def review_joined(
    video: Path,
    out: Path,
    options: ReviewOptions,
    pieces: Sequence[Piece],
    results: Iterable[Sequence[Seen]],
    progress: Progress | None = None,
) -> Match:
    """As `review`, with the same files and errors, from what was seen in all pieces, in order."""
    calibration = Calibration.from_text(pieces[0].calibration, str(video))
    return review(video, out, options, progress, worked=Worked(calibration, joined(pieces, results)))


def joined(pieces: Sequence[Piece], results: Iterable[Sequence[Seen]]) -> Iterator[Seen]:
    """What is seen in all pieces, numbered through.

    A piece before which the camera was knocked is worked out again, under the calibration that healed it.
    """
    first, in_force = 0, pieces[0].in_force
    for piece, result in zip(pieces, results, strict=True):
        found = result if piece.in_force == in_force else examined(replace(piece, in_force=in_force))
        for seen in found:
            yield _numbered(seen, first)
        if found:
            first, in_force = first + found[-1].index + 1, found[-1].calibration.to_text()


def _numbered(seen: Seen, first: int) -> Seen:
    observations = seen.observations
    if observations is not None:
        observations = replace(observations, index=observations.index + first)
    return replace(seen, index=seen.index + first, observations=observations)


def _perception(piece: Piece) -> tuple[Perception, Tracker]:
    calibration, in_force = (
        Calibration.from_text(text, piece.video) for text in (piece.calibration, piece.in_force)
    )
    pieces = PIECES[piece.game]
    tracker = Tracker(calibration.table, pieces)
    return Perception(calibration, Detector(pieces=pieces), tracker, in_force), tracker
