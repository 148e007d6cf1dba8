"""Reads pictures and videos: the table, one layout, a whole match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.calibrate import Side
from calibration.result import Calibration
from calibration.table.games import PIECES
from calibration.table.parse import parse_table
from calibration.texts import unusable_input
from cueref.match import Match, match_of
from cueref.tables import data_frame
from referee.facts.calls import Call, read_calls, start_of
from referee.match.declared import GAMES
from referee.review.declared import review_declared
from referee.review.pipeline import Progress, ReviewOptions
from referee.review.pipeline import review as review_video
from vision.calibrated import solved_view
from vision.detect.detector import Detector
from vision.layout import LayoutBall, check_size, pictures_at, read_gaps, read_layout
from vision.observation import GapSeen
from vision.wrong_game import calibration_for_game, check_pieces

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Layout:
    """Every ball of one moment. `at_s`: seconds on the video's clock, 0 for a picture.

    `gaps`: clear distances (mm) between the cue-ball and balls beside it, `first` and `second` are indices in
    `balls`.
    """

    source: Path
    at_s: float
    balls: tuple[LayoutBall, ...]
    gaps: tuple[GapSeen, ...]
    calibration: Calibration

    def balls_df(self) -> pd.DataFrame:
        """One row a ball with the fields of LayoutBall (mm in the table frame, px in the picture)."""
        return data_frame([f.name for f in fields(LayoutBall)], (asdict(b) for b in self.balls))


def calibrate(
    source: str | Path,
    *,
    game: str = "snooker",
    table: str | None = None,
    ball_mm: float | None = None,
    nose_mm: float | None = None,
    bottom_at: Side | None = None,
) -> Calibration:
    """Find the table in a picture or video and solve the camera; `.save(path)` writes it for later use.

    `game`: whose table it is. `table`: playing area "LENGTHxWIDTH" in mm as measured, or "9ft"; with "~" in
    front, or None, estimated. `ball_mm`: diameter. `nose_mm`: height of the cushion noses, estimated where
    None. `bottom_at`: side of the picture where baulk, the head end or player A is, where it is known. Raises
    UnusableInput where none is found.
    """
    return solved_view(Path(source), parse_table(table, ball_mm, nose_mm, game), bottom_at=bottom_at)[0]


def layout(
    source: str | Path,
    at_s: float = 0.0,
    *,
    game: str = "snooker",
    calibration: str | Path | None = None,
    table: str | None = None,
    ball_mm: float | None = None,
    nose_mm: float | None = None,
    bottom_at: Side | None = None,
) -> Layout:
    """Every ball or disc of a picture, or of a video at `at_s` seconds.

    `game`: whose pieces and table they are. `calibration`: a file of `calibrate`; else the table is found
    anew, with `table`, `ball_mm`, `nose_mm` and `bottom_at` as there. Raises UnusableInput for a source, a
    moment or a calibration that cannot be used, and where another game's pieces lie on the table.
    """
    path, spec = Path(source), parse_table(table, ball_mm, nose_mm, game)
    pictures, pieces = pictures_at(path, at_s), PIECES[game]
    detector = Detector(pieces=pieces)
    known = None if calibration is None else Path(calibration)
    solved = calibration_for_game(path, known, spec, detector, game, pictures[:1], bottom_at)
    check_size(path, pictures[0], solved)
    check_pieces(pictures[0], solved, pieces, game, str(path))
    balls = read_layout(pictures, solved, detector, str(path), pieces)
    return Layout(path, at_s, balls, read_gaps(pictures, solved, balls, pieces), solved)


def review(
    video: str | Path,
    out: str | Path,
    *,
    game: str = "snooker",
    table: str | None = None,
    ball_mm: float | None = None,
    nose_mm: float | None = None,
    calibration: str | Path | None = None,
    calls: str | Path | Sequence[Call] = (),
    start: str | None = None,
    facts: str | Path | None = None,
    bottom_at: Side | None = None,
    progress: Progress | None = None,
) -> Match:
    """Review a recording into the folder `out`, as `cueref review` does, and return the match.

    A review that was stopped goes on from its last closed stroke. `calls`: what no camera sees, a file or
    the calls. `start`: the state at the beginning, "A red 0-0". `facts`: a file of declared facts, ruled
    instead of the images. `bottom_at`: as in `calibrate`. `progress` is called with (stage, done, of).
    OpenCV's threads and malloc are set for the whole process. Raises UnusableInput.
    """
    path, folder = Path(video), Path(out)
    if game not in GAMES:
        raise unusable_input(
            "errors.game_game_expected_one_of_found", known=", ".join(GAMES), game=repr(game)
        )
    if facts is not None:
        return match_of(folder, review_declared(Path(facts), game, folder, path))
    options = ReviewOptions(
        table=parse_table(table, ball_mm, nose_mm, game),
        game=game,
        calibration=None if calibration is None else Path(calibration),
        calls=read_calls(Path(calls), game) if isinstance(calls, str | Path) else tuple(calls),
        start=None if start is None else start_of(start, game),
        bottom_at=bottom_at,
    )
    return match_of(folder, review_video(path, folder, options, progress))
