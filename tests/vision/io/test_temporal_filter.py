"""A camera's noise reduction over time is found in what it hands on, and undone: no ghosts, balls as bright
as they were. What has no such filter stays as it is, to the byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import pytest

from vision.io.images import VideoImage, read_video, temporal_filter, watch_video
from vision.io.picture import Picture
from vision.io.temporal_filter import (
    NO_FILTER,
    RESTS_LUMA,
    TemporalFilter,
    Unfiltered,
    Unfiltering,
    found_filter,
)

U8 = npt.NDArray[np.uint8]
W, H, BALL_PX, STEP_PX = 640, 360, 14, 22
INTERVAL_S = 0.04


def scenes(count: int, seed: int = 1, noise: float = 1.0) -> list[U8]:
    """Luma of a bright and a dark ball that roll over a cloth; they begin anew at its edge."""
    rng = np.random.default_rng(seed)
    cloth = 90.0 + 8.0 * rng.random((H, W))
    y, x = np.mgrid[0:H, 0:W]
    out = []
    for k in range(count):
        luma = cloth.copy()
        for grey, row, step in ((210.0, 100, STEP_PX), (20.0, 240, STEP_PX + 5)):
            luma[np.hypot(x - (step * k) % W, y - row) < BALL_PX / 2] = grey
        out.append(np.clip(luma + rng.normal(0.0, noise, luma.shape), 0, 255).astype(np.uint8))
    return out


def handed_on(lumas: Sequence[U8], share: float, recursive: bool) -> list[U8]:
    """What a camera with such a filter hands on."""
    out, held = list[U8](), lumas[0].astype(np.float64)
    for luma in lumas:
        new = (1 - share) * luma + share * held
        held = new if recursive else luma.astype(np.float64)
        out.append(np.round(new).astype(np.uint8))
    return out


def picture(luma: U8) -> Picture:
    grey = np.full((H // 2, W // 2), 128, np.uint8)
    return Picture(luma, grey, grey.copy())


def of(lumas: Sequence[U8]) -> TemporalFilter:
    return found_filter([map(picture, lumas)])


@pytest.mark.parametrize("recursive", [True, False])
@pytest.mark.parametrize("share", [0.25, 0.35, 0.4])
def test_a_filter_is_found_with_its_share_and_kind(share: float, recursive: bool) -> None:
    found = of(handed_on(scenes(60), share, recursive))
    assert found.share == pytest.approx(share, abs=0.03) and found.recursive is recursive


def test_where_there_is_none_none_is_found() -> None:
    lumas = scenes(60)
    assert of(lumas) == NO_FILTER
    assert of(lumas[:5]) == NO_FILTER, "too few images tell nothing"
    assert of(lumas[:1] * 60) == NO_FILTER, "where nothing moves nothing is told"
    faded = [
        np.clip(luma * (1 - k / 60) + 255 * k / 60, 0, 255).astype(np.uint8) for k, luma in enumerate(lumas)
    ]
    assert of(faded).share == 0.0


@pytest.mark.parametrize("recursive", [True, False])
def test_undone_a_ball_has_no_ghost_and_is_as_bright_as_it_was(recursive: bool) -> None:
    lumas = scenes(30)
    filtered = handed_on(lumas, 0.4, recursive)
    unfiltered = Unfiltered(TemporalFilter(0.4, recursive))
    undone = [unfiltered.take(INTERVAL_S * k, picture(luma)).y for k, luma in enumerate(filtered)]
    for k in range(3, 30):
        off = np.abs(undone[k].astype(int) - lumas[k])
        before = np.abs(filtered[k].astype(int) - lumas[k])
        assert np.quantile(off, 0.9999) < 2 * RESTS_LUMA < np.quantile(before, 0.9999)


def test_what_rests_stays_as_it_is_to_the_byte() -> None:
    """Noise and lamps that breathe: undone they would be twice as strong."""
    luma = scenes(1)[0].astype(np.int16)
    still = [picture(np.clip(luma + d, 0, 255).astype(np.uint8)) for d in (0, 2, -1, 3, 5)]
    unfiltered = Unfiltered(TemporalFilter(0.4))
    for k, given in enumerate(still):
        assert (unfiltered.take(INTERVAL_S * k, given).y == given.y).all()


def test_an_image_shown_again_is_the_one_that_was_shown() -> None:
    """Else its balls would jump back to their ghosts."""
    lumas = handed_on(scenes(8), 0.4, True)
    unfiltered = Unfiltered(TemporalFilter(0.4))
    shown = [unfiltered.take(INTERVAL_S * k, picture(luma)) for k, luma in enumerate(lumas)]
    assert unfiltered.take(INTERVAL_S * 8, picture(lumas[-1])) is shown[-1]


def test_behind_lost_images_a_picture_is_left_as_it_is() -> None:
    """Which image the filter held is not known."""
    lumas = handed_on(scenes(12), 0.4, True)
    unfiltered = Unfiltered(TemporalFilter(0.4))
    for k in range(8):
        unfiltered.take(INTERVAL_S * k, picture(lumas[k]))
    late = picture(lumas[11])
    assert unfiltered.take(INTERVAL_S * 11, late) is late


def test_live_the_filter_is_undone_once_it_is_known() -> None:
    lumas = scenes(80)
    unfiltering = Unfiltering()
    filtered = [picture(luma) for luma in handed_on(lumas, 0.45, True)]
    shown = [unfiltering.take(INTERVAL_S * k, p) for k, p in enumerate(filtered)]
    assert shown[3] is filtered[3]
    off = [np.quantile(np.abs(shown[k].y.astype(int) - lumas[k]), 0.9999) for k in (10, 79)]
    assert off[1] < 2 * RESTS_LUMA < off[0]


def written(file: Path, lumas: Sequence[U8]) -> Path:
    with av.open(str(file), "w") as target:
        stream = target.add_stream("ffv1", rate=25)
        stream.width, stream.height, stream.pix_fmt = W, H, "yuv420p"
        for luma in lumas:
            frame = av.VideoFrame(W, H, "yuv420p")
            frame.planes[0].update(np.ascontiguousarray(luma).tobytes())
            for plane in frame.planes[1:]:
                plane.update(bytes([128]) * (W // 2 * H // 2))
            target.mux(stream.encode(frame))
        target.mux(stream.encode())
    return file


def test_a_video_entered_in_the_middle_gives_the_same_images(tmp_path: Path) -> None:
    """A review that was stopped goes on with the images that it would have had."""
    video = written(tmp_path / "filtered.mkv", handed_on(scenes(40), 0.45, True))
    found = temporal_filter(video)
    assert found.share == pytest.approx(0.45, abs=0.03) and found.recursive
    whole = [i for i in watched(video, found)]
    later = [i for i in watched(video, found, after=(whole[20].index, whole[20].t_s))]
    assert [i.index for i in later] == [i.index for i in whole[21:]]
    assert all((a.picture.y == b.picture.y).all() for a, b in zip(whole[21:], later, strict=True))
    assert any((a.picture.y != b.picture.y).any() for a, b in zip(whole, read_video(video), strict=True))


def watched(video: Path, found: TemporalFilter, after: tuple[int, float] | None = None) -> list[VideoImage]:
    return [i for i in watch_video(video, after=after, found=found) if isinstance(i, VideoImage)]
