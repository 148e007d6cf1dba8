"""Privacy: what lies off the table or covers it cannot be recognised in an export; the rest stays as it
is.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from calibration.camera import Camera
from calibration.errors import UnusableInput
from calibration.result import Calibration, SigmaModel
from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from referee.outputs.blur import TableBlur
from vision.io.images import VideoImage
from vision.io.picture import F32, Picture

CAMERA = Camera(640, 360, "radial", 400.0, 319.5, 179.5, (), (0.0, 0.0, math.pi / 2), (1784.5, 0.0, 2750.0))


class MagentaCovers:
    """A detector that takes magenta for a person and sees no balls: what is guarded is where pixels are
    blurred.
    """

    looks = SNOOKER.names

    def maps(self, rgb: F32) -> F32:
        out = np.full((4 + len(self.looks), rgb.shape[1] // 2, rgb.shape[2] // 2), -9.0, np.float32)
        red, green, _ = rgb[:, ::2, ::2]
        out[-1] = np.where((red > 0.55) & (green < 0.45), 9.0, -9.0)
        return out


def detail(bgr: np.ndarray) -> float:
    """Mean step between neighbouring pixels: what a face is recognised by."""
    return float(np.abs(np.diff(bgr.astype(int), axis=1)).mean())


def test_off_the_table_and_what_covers_it_lose_all_detail_and_the_cloth_keeps_it() -> None:
    calibration = Calibration(CAMERA, SNOOKER_TABLE, 0.1, 0.4, SigmaModel((0.1, 0, 0, 0, 0, 0), 0.1))
    corners = CAMERA.pixels_from_table([(-889.0, 0.0, 0.0), (889.0, 3569.0, 0.0)])
    (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
    blur = TableBlur(calibration, MagentaCovers())  # type: ignore[arg-type]
    rng = np.random.default_rng(7)
    bgr = np.repeat(rng.integers(0, 120, (360, 640, 1), dtype=np.uint8), 3, axis=2)  # fine detail everywhere
    table = bgr[int(y0) : int(y1), int(x0) : int(x1)]
    table[:] = rng.integers(
        (30, 90, 10), (80, 180, 60), table.shape, dtype=np.uint8
    )  # cloth, as finely grained
    person = (slice(int(y0) + 20, int(y0) + 70), slice(300, 360))
    bgr[person] = rng.integers(0, 2, (50, 60, 1), dtype=np.uint8) * 40 + np.array((200, 20, 200), np.uint8)
    for k in range(2):
        shown = bgr.copy()
        blur.apply(VideoImage(k, 0.04 * k, Picture.from_bgr(bgr)), shown)
    assert detail(bgr[person]) > 10
    assert detail(shown[person]) < 3
    assert detail(shown[: int(y0) - 12]) < 3  # the room
    far = (slice(int(y1) - 60, int(y1) - 5), slice(int(x0) + 5, int(x1) - 5))
    assert np.array_equal(shown[far], bgr[far])


def test_a_picture_of_another_size_is_blurred_whole() -> None:
    calibration = Calibration(CAMERA, SNOOKER_TABLE, 0.1, 0.4, SigmaModel((0.1, 0, 0, 0, 0, 0), 0.1))
    other = np.random.default_rng(8).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    TableBlur(calibration, MagentaCovers()).apply(VideoImage(0, 0.0, Picture.from_bgr(other)), other)  # type: ignore[arg-type]
    assert detail(other) < 3


def test_a_live_strokes_clip_is_drawn_by_the_matchs_clock(tmp_path: Path) -> None:
    from console_fixture import make_video
    from match_fixture import document, stroke

    from referee.outputs.annotated import write_annotated
    from vision.io.images import read_video

    make_video(tmp_path / "stroke_0001.mp4", 2.0)
    match = document([stroke(1, start_s=100.4, end_s=100.8)], ("Ann", "Bo"), 300.0)
    out = write_annotated(
        tmp_path / "stroke_0001.mp4",
        tmp_path,
        match,
        {},
        span_s=(100.2, 101.2),
        name="out.mp4",
        begins_s=100.0,
    )
    times = [i.t_s for i in read_video(out)]
    assert len(times) == 26 and abs(times[-1] - 1.0) < 0.05
    match["calibration"]["camera"] = None
    with pytest.raises(UnusableInput, match="camera"):
        write_annotated(tmp_path / "stroke_0001.mp4", tmp_path, match, {}, name="out.mp4", blur=True)
