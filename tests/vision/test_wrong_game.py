"""Another game's pieces are told in one sentence; a calibration that a person names is not second-guessed."""

from pathlib import Path

import numpy as np
import pytest

from calibration.errors import UnusableInput
from calibration.table.parse import parse_table
from vision import wrong_game
from vision.detect.detector import Detector
from vision.io.picture import Picture


def test_a_calibration_file_that_cannot_be_read_is_refused_without_trying_other_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("another table was tried")

    monkeypatch.setattr(wrong_game, "_on_another_table", never)
    picture = Picture.from_bgr(np.zeros((72, 128, 3), np.uint8))
    table = parse_table(None, None, None, "wpa_9ball")
    with pytest.raises(UnusableInput, match=r"absent\.json"):
        wrong_game.calibration_for_game(
            tmp_path / "x.png", tmp_path / "absent.json", table, Detector(), "wpa_9ball", picture
        )
