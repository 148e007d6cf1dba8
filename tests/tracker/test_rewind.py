"""A span whose images' times were not the camera's is followed again by the camera's clock."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tracker_lab.observer import Noise, Observer
from tracker_lab.scenes import roll, still
from tracker_lab.scoring import run

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.events import Gap, StrokeRecord, TrackerEvent
from tracker.gaps.rewind import EVEN_STROKES, Rewind
from vision.observation import ImageObservations

TWICE_CONVERTED = (0, 0, 2, 3, 3, 4, 5, 6, 6, 8, 8, 9, 10, 10, 12, 13, 13, 14)
"""18 images shown for 15 of the camera's: six repeat, three are left out, as in a clip of television."""


def filmed(noise: Noise | None = None) -> list[ImageObservations]:
    """The white, struck at 3 s, runs up and down the table; by a camera of 25 images a second."""
    truth = still(12)
    roll(truth, "white", 3.0, (600.0, 4000.0), 4000.0)
    return list(Observer(truth, noise or Noise(sigma_mm=0.8), 3).images())


def converted(images: list[ImageObservations], seed: int = 5) -> list[ImageObservations]:
    """The images as a recording of 30 a second that was converted twice has them."""
    rng, shown = np.random.default_rng(seed), list[ImageObservations]()
    for block in range(len(images) // 15):
        for k in TWICE_CONVERTED:
            image = images[15 * block + k]
            off = 0.1 * rng.standard_normal((len(image.observations), 2))
            anew = [
                replace(o, x_mm=o.x_mm + x, y_mm=o.y_mm + y)
                for o, (x, y) in zip(image.observations, off, strict=True)
            ]
            shown.append(replace(image, index=len(shown), t_s=len(shown) / 30.0, observations=tuple(anew)))
    return shown


def told(events: list[TrackerEvent]) -> tuple[StrokeRecord, list[str]]:
    (stroke,) = (e for e in events if isinstance(e, StrokeRecord))
    return stroke, [e.reason for e in events if isinstance(e, Gap)]


def test_images_left_out_and_repeated_are_no_lost_ones() -> None:
    stroke, gaps = told(run(converted(filmed()), Tracker(SNOOKER_TABLE)))
    assert gaps == ["images_repeated"]
    assert not stroke.unseen and not stroke.gap_before


def test_the_stroke_is_the_one_that_the_camera_saw() -> None:
    """Places and times as an even recording has them: the clock goes as the recording's on average."""
    even, _ = told(run(filmed(), Tracker(SNOOKER_TABLE)))
    again, _ = told(run(converted(filmed()), Tracker(SNOOKER_TABLE)))
    assert again.start_s == pytest.approx(even.start_s, abs=0.1)
    assert [c.cushion for c in again.cushions] == [c.cushion for c in even.cushions]
    lies = {b.ball: (b.x_mm, b.y_mm) for b in even.after}
    for b in again.after:
        assert (b.x_mm, b.y_mm) == pytest.approx(lies[b.ball], abs=4.0)


def test_the_same_images_tell_the_same_again() -> None:
    images = converted(filmed())
    assert run(images, Tracker(SNOOKER_TABLE)) == run(images, Tracker(SNOOKER_TABLE))


def test_a_stroke_at_the_very_first_images_is_seen_whole_where_the_ball_lay_still() -> None:
    """A clip that begins four images before the stroke: the cue-ball was seen to lie there."""
    everything = filmed(Noise(full_look_s=0.04))
    images = [replace(i, t_s=i.t_s - 2.84) for i in everything if i.t_s >= 2.84]
    stroke, _ = told(run(images, Tracker(SNOOKER_TABLE)))
    assert not stroke.unseen and not stroke.gap_before


def test_a_recording_that_repeats_nothing_is_kept_no_more() -> None:
    rewind, tracker = Rewind(even=EVEN_STROKES - 1), Tracker(SNOOKER_TABLE)
    image = filmed()[0]
    rewind.before(tracker._state, image)
    assert rewind.kept is not None
    rewind.even += 1
    rewind.before(tracker._state, image)
    assert rewind.kept is None and Rewind.needless().even == EVEN_STROKES
