"""Clips told as snooker: numbered balls are told as what they are, snooker keeps its own sentence.

Each solves a table as several games' until all are refused, ten to thirty seconds: of two alike one is slow.
"""

from itertools import islice
from pathlib import Path

import pytest
from shared_footage import FOOTAGE, needs_footage

from calibration.calibrate import Side
from calibration.errors import UnusableInput
from calibration.result import Calibration
from calibration.table.parse import parse_table
from calibration.table.pieces import SNOOKER
from calibration.table.specs import TableSpec
from vision import wrong_game
from vision.detect.detector import Detector
from vision.io.images import is_image_file, sample_images
from vision.io.picture import Picture

REAL = FOOTAGE / "real"
NINE_BALL = FOOTAGE / "synthetic" / "games" / "dev_9ball.mp4"
SAMPLE = Path(__file__).parents[2] / "samples" / "nine_ball_two_strokes.mp4"


def shown(source: Path) -> list[Picture]:
    return [image.picture for image in islice(sample_images(source, 3), 1 if is_image_file(source) else 3)]


@needs_footage
@pytest.mark.parametrize("table", [pytest.param(None, marks=pytest.mark.slow), "2350x1170"])
def test_nine_ball_as_snooker_is_told_on_a_table_that_is_found_and_on_one_that_is_told(
    table: str | None,
) -> None:
    refused_as_numbered(NINE_BALL, table)


def test_the_sample_of_nine_ball_as_snooker_is_told() -> None:
    refused_as_numbered(SAMPLE, None)


def refused_as_numbered(source: Path, table: str | None) -> None:
    spec = parse_table(table, None if table is None else 52.5, None, "snooker")
    pictures = shown(source)
    with pytest.raises(UnusableInput, match="look like numbered pool balls, not Snooker"):
        solved = wrong_game.calibration_for_game(
            source, None, spec, Detector(pieces=SNOOKER), "snooker", pictures
        )
        wrong_game.check_pictures(pictures, solved, SNOOKER, "snooker")


@needs_footage
@pytest.mark.parametrize(
    "name",
    [
        "clips/snooker_12ft_overhead_four_pots_540p.mp4",
        pytest.param("clips/snooker_12ft_overhead_black_splits_reds_720p.mp4", marks=pytest.mark.slow),
        "end_view/clips/end_04.mp4",
        pytest.param("end_view/clips/end_05.mp4", marks=pytest.mark.slow),
        "stills/with_projector_off_2.png",  # on a home table of 1881 mm
    ],
)
def test_snooker_keeps_the_sentence_about_its_table(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool table is found where theirs lies; the balls on it are snooker's still."""
    solve = wrong_game.calibration_for

    def refused(
        source: Path, file: Path | None, table: TableSpec, detector: Detector, end: Side | None = None
    ) -> Calibration:
        if table.mark_set == "snooker":
            raise UnusableInput("expected a baulk line")
        return solve(source, file, table, detector, end)

    monkeypatch.setattr(wrong_game, "calibration_for", refused)
    source = REAL / name
    with pytest.raises(UnusableInput, match="expected a baulk line"):
        wrong_game.calibration_for_game(
            source,
            None,
            parse_table(None, None, None, "snooker"),
            Detector(pieces=SNOOKER),
            "snooker",
            shown(source),
        )
