"""Real stills: every ball, its colour, its centre."""

import json
import math
from typing import Any

import numpy as np
import pytest
from shared_footage import FOOTAGE, SMALL, needs_footage

from calibration.errors import UnusableInput
from calibration.table.parse import DEFAULT_TABLE, parse_table
from vision.calibrated import calibration_for
from vision.detect.detector import Detector
from vision.io.images import read_image
from vision.io.picture import Picture
from vision.layout import read_layout

pytestmark = needs_footage


def labelled(every: int) -> list[dict[str, Any]]:
    path = FOOTAGE / "real" / "stills" / "labels.json"
    return list(json.loads(path.read_text())["images"][::every]) if path.is_file() else []


def some_slow(labels: list[dict[str, Any]], names: set[str]) -> list[Any]:
    """The labels; a table that is solved in many readings takes a minute, so that `names` are slow tests."""
    return [
        pytest.param(s, id=name, marks=[pytest.mark.slow] if name in names else [])
        for s in labels
        for name in [s["file"][15:-4]]
    ]


@pytest.mark.parametrize("label", some_slow(labelled(every=4), {"off_10", "on_without_halo_22"}))
def test_real_stills_are_read_ball_for_ball(label: dict[str, Any]) -> None:
    path = FOOTAGE / "real" / "stills" / label["file"]
    calibration = calibration_for(path, None, SMALL)
    bgr = read_image(path)
    balls = read_layout([Picture.from_bgr(bgr)], calibration, Detector())
    scale = 1280 / bgr.shape[1]
    errors = []
    for true in label["balls"]:
        near = [
            b for b in balls if math.dist((b.x_px * scale, b.y_px * scale), (true["x720"], true["y720"])) < 10
        ]
        assert [b.colour for b in near] == [true["ball"]]
        errors.append(math.dist((near[0].x_px * scale, near[0].y_px * scale), (true["x720"], true["y720"])))
    assert len(balls) == len(label["balls"])
    assert np.median(errors) < 2.2  # one picture; labels are good to a pixel or two


@pytest.mark.parametrize(
    "label",
    [
        *some_slow(labelled(every=7), {"off_2", "off_16", "on_without_halo_10", "on_without_halo_24"}),
        *some_slow(labelled(every=1)[1:2], set()),
    ],
)
def test_a_small_table_is_not_read_as_a_full_size_one(label: dict[str, Any]) -> None:
    """Its marks are in proportion; its balls are not."""
    with pytest.raises(UnusableInput, match="--table"):
        calibration_for(FOOTAGE / "real" / "stills" / label["file"], None, parse_table(DEFAULT_TABLE, None))
