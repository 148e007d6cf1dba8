"""A striker is a third wider than a man, whatever it looks like."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.camera import Camera
from calibration.result import Calibration, SigmaModel
from calibration.table.board import CARROM_BOARD, board_table
from calibration.table.pieces import CARROM
from vision.io.picture import Picture
from vision.locate.disc_size import with_sizes

BOARD = board_table()
MAN, STRIKER, H = (
    CARROM.kind("white").diameter_mm / 2,
    CARROM.kind("striker").diameter_mm / 2,
    CARROM_BOARD.piece_height_mm,
)
CAMERA = Camera(1280, 960, "radial", 1100.0, 639.5, 479.5, (), (np.pi, 0.0, 0.0), (0.0, 370.0, 1300.0))
DOUBTFUL = np.log([0.25, 0.05, 0.6, 0.1])
"""Striker, queen, white and black by the look alone."""


def kinds_of(discs: list[tuple[float, float, float]], grey: int | list[int]) -> list[str]:
    """The likeliest kind of each disc (x, y, radius) of this grey, or these, on a pale board."""
    greys = [grey] * len(discs) if isinstance(grey, int) else grey
    image = np.full((960 * 4, 1280 * 4, 3), 200, np.uint8)
    angle = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    for (x, y, radius), own in zip(discs, greys, strict=True):
        ring = np.column_stack((x + radius * np.cos(angle), y + radius * np.sin(angle), np.full(180, H)))
        px = (CAMERA.pixels_from_table(ring) + 0.5) * 4 - 0.5
        cv2.fillConvexPoly(image, px.round().astype(np.int32), (own,) * 3)
    picture = Picture.from_bgr(cv2.resize(image, (1280, 960), interpolation=cv2.INTER_AREA))
    calibration = Calibration(CAMERA, BOARD, 0.1, 0.1, SigmaModel((0.04, 0, 0, 0, 0, 0), 0.1))
    logp = with_sizes(
        picture, calibration, np.array(discs)[:, :2], np.tile(DOUBTFUL, (len(discs), 1)), CARROM
    )
    assert np.logaddexp.reduce(logp, axis=1) == pytest.approx(0.0, abs=1e-6)
    return [CARROM.names[int(k)] for k in logp.argmax(axis=1)]


@pytest.mark.parametrize("grey", [40, 120, 165])
def test_of_discs_that_look_alike_the_wider_one_is_the_striker(grey: int) -> None:
    discs = [(-150.0, 200.0, MAN), (30.0, 300.0, STRIKER), (180.0, 480.0, MAN), (-90.0, 560.0, MAN)]
    assert kinds_of(discs, grey) == ["white", "striker", "white", "white"]


def test_a_ring_on_a_striker_is_no_mans_edge() -> None:
    """As wide as a man, it is found for one: two of six strikers had been read as whites."""
    discs = [
        (-150.0, 200.0, MAN),
        (180.0, 480.0, MAN),
        *((30.0, 300.0, r) for r in (STRIKER, MAN, MAN - 2.0)),
    ]
    assert kinds_of(discs, [150, 150, 150, 90, 150])[:3] == ["white", "white", "striker"]


def test_where_no_outline_is_seen_the_look_alone_counts() -> None:
    assert kinds_of([(0.0, 370.0, MAN)], 200) == ["white"]
