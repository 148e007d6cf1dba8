"""Lost and repeated images, new racks: what can still be said, and what is not claimed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tracker_lab.looks import cells
from tracker_lab.observer import Noise, Observer, Truth
from tracker_lab.scenes import LAYOUT, roll, still, track
from tracker_lab.scoring import run
from tracker_lab.simulation import rack

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.events import Gap, LayoutChange, StrokeRecord
from vision.observation import ImageObservations


def cut_out(truth: Truth, lo: float, hi: float) -> Truth:
    """Lose the images of a span without a trace in the timestamps, as a bad recorder does."""
    keep = ~((truth.t > lo) & (truth.t < hi))
    step = float(truth.t[1] - truth.t[0])
    return Truth(truth.table, np.arange(int(keep.sum())) * step, truth.names, truth.xy[keep], [], [])


def test_a_jump_no_ball_can_make_is_lost_time_and_claims_no_contact_time() -> None:
    truth = still(16)
    roll(truth, "white", 3.0, (150.0, 700.0), 150.0)
    events = track(cut_out(truth, 3.5, 5.0))
    (record,) = [e for e in events if isinstance(e, StrokeRecord)]
    assert [g.reason for g in events if isinstance(g, Gap)] == ["images_lost"]
    assert record.unseen
    assert all(f.t_s is None for f in record.first_contact)
    assert not record.pots and not record.vanished


def test_a_ball_gone_after_lost_images_is_potted_by_its_last_path() -> None:
    truth = still(14)
    k = truth.names.index("red_03")
    x, y = LAYOUT["red_03"]
    roll(truth, "white", 2.8, (0.0, 800.0), 150.0)
    roll(truth, "red_03", 3.0, (1500.0 * (890 - x) / 700, 1500.0 * (3569 - y) / 700), 60.0)
    gone = truth.t > 3.45
    truth.xy[gone, k] = np.nan
    events = track(cut_out(truth, 3.15, 4.5))
    (record,) = [e for e in events if isinstance(e, StrokeRecord)]
    assert [(p.ball, p.pocket) for p in record.pots] == [("red_3", "TR")]


def test_repeated_images_are_no_observation() -> None:
    truth = still(10)
    roll(truth, "white", 3.0, (300.0, 300.0))
    images = list(Observer(truth, Noise(repeat=0.3), 3).images())
    events = run(images, Tracker(SNOOKER_TABLE))
    (record,) = [e for e in events if isinstance(e, StrokeRecord)]
    assert [e.reason for e in events if isinstance(e, Gap)] == ["images_repeated"]
    assert record.start_s == pytest.approx(3.0, abs=0.06)
    assert not record.gap_before


def test_a_new_triangle_is_a_new_layout() -> None:
    old = still(5)
    new = rack(SNOOKER_TABLE)
    names = list(new)
    xy = np.full((500, len(names), 2), np.nan)
    for i in range(500):
        for j, n in enumerate(names):
            if i >= 125:
                xy[i, j] = new[n]
            elif n in old.names:
                xy[i, j] = LAYOUT[n]
    truth = Truth(SNOOKER_TABLE, np.arange(500) / 25.0, names, xy)
    events = track(truth, noise=Noise(full_look_s=1.0))
    changes = [e for e in events if isinstance(e, LayoutChange)]
    assert changes and changes[0].rack
    assert sum(p.colour == "red" for p in changes[0].layout) == 15
    assert not [e for e in events if isinstance(e, StrokeRecord)]


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("rests_s", [0.12, -0.6])
def test_two_strokes_with_a_hole_between_are_not_one_for_certain(rests_s: float, told: bool) -> None:
    """A camera that stalls for 3.5 s: the first stroke ends just before or in the hole, the second begins
    behind or in it.

    `told`: the capture says that images were lost; else only their times do.
    """
    truth = still(24)
    stop_s = roll(truth, "white", 3.0, (0.0, 500.0), 125.0)
    hole = (stop_s + rests_s, stop_s + rests_s + 3.5)
    roll(truth, "white", hole[1] + (0.1 if rests_s > 0 else -0.5), (400.0, 300.0), 125.0)
    images = list(Observer(truth, Noise(), 3).images())
    seen = [i for i in images if not hole[0] < i.t_s < hole[1]]
    if told:
        k = next(k for k, i in enumerate(seen) if i.t_s >= hole[1])
        seen.insert(
            k, replace(seen[k], observations=(), looked=None, unusable="images_lost", t_s=hole[1] - 0.001)
        )
    records = [e for e in run(seen, Tracker(SNOOKER_TABLE)) if isinstance(e, StrokeRecord)]
    if rests_s > 0:
        assert [round(r.start_s) for r in records] == [3, round(hole[1])]
    else:
        assert [r.unseen for r in records] == [True], "one stroke, and not seen whole"


def test_a_stroke_that_only_comes_to_rest_in_a_hole_is_known_to_its_end() -> None:
    """The camera turns away from a white that runs on by four centimetres at most, in the open."""
    truth = still(24)
    stop_s = roll(truth, "white", 3.0, (0.0, 500.0), 125.0)
    hole = (stop_s - 0.3, stop_s + 3.2)
    images = list(Observer(truth, Noise(), 3).images())
    seen = [
        replace(i, observations=(), looked=None, unusable="other_view") if hole[0] < i.t_s < hole[1] else i
        for i in images
    ]
    events = run(seen, Tracker(SNOOKER_TABLE))
    (stroke,) = (e for e in events if isinstance(e, StrokeRecord))
    assert not stroke.unseen and not stroke.gap_before and stroke.end_s < hole[1]
    assert [e.reason for e in events if isinstance(e, Gap)] == ["other_view"]


def test_the_same_image_of_a_still_table_again_and_again_is_no_fault_of_the_recording() -> None:
    """A clip without noise, coded tightly, repeats images exactly once all lies still."""
    truth = still(12)
    roll(truth, "white", 3.0, (300.0, 300.0))
    moves = np.abs(np.diff(truth.xy, axis=0)).max(axis=(1, 2)) > 0.0
    last = int(np.nonzero(moves)[0][-1]) + 1
    shown = [
        replace(i, repeated=True, observations=()) if last + 3 < k < last + 40 and k % 2 else i
        for k, i in enumerate(Observer(truth, Noise(), 3).images())
    ]
    events = run(shown, Tracker(SNOOKER_TABLE))
    assert [e for e in events if isinstance(e, Gap)] == []
    assert sum(isinstance(e, StrokeRecord) for e in events) == 1


def coded_anew(image: ImageObservations, t_s: float, rng: np.random.Generator) -> ImageObservations:
    """An image shown once more, as a coder that saw it twice has it: a fraction of each sigma off."""
    off = 0.6 * rng.standard_normal((len(image.observations), 2))
    moved = [
        replace(o, x_mm=o.x_mm + o.sigma_mm * x, y_mm=o.y_mm + o.sigma_mm * y)
        for o, (x, y) in zip(image.observations, off, strict=True)
    ]
    return replace(image, t_s=t_s, observations=tuple(moved))


def test_images_repeated_to_fill_a_faster_rate_are_no_lost_ones() -> None:
    """25 images a second shown at 30, each fifth one twice, by a camera that sees a ball to 1.6 mm: the white
    "stopped" in each copy, and what it did then "had been lost".
    """
    truth = still(12)
    roll(truth, "white", 3.0, (600.0, 4000.0), 4000.0)
    rng = np.random.default_rng(5)
    shown: list[ImageObservations] = []
    for k, image in enumerate(Observer(truth, Noise(sigma_mm=1.6), 3).images()):
        shown.append(replace(image, t_s=len(shown) / 30.0))
        if k % 5 == 4:
            shown.append(coded_anew(image, len(shown) / 30.0, rng))
    events = run([replace(i, index=k) for k, i in enumerate(shown)], Tracker(SNOOKER_TABLE))
    assert [e.reason for e in events if isinstance(e, Gap)] == ["images_repeated"]
    (stroke,) = (e for e in events if isinstance(e, StrokeRecord))
    assert not stroke.gap_before and not stroke.unseen


@pytest.mark.parametrize(("late_s", "seen"), [(0.3, False), (2.5, False), (-0.6, True)])
def test_a_stroke_that_was_under_way_at_the_first_image_is_not_seen_whole(late_s: float, seen: bool) -> None:
    """`cueref live` started, or a recording begun, while the cue-ball rolls: what it met before is not
    known.
    """
    truth = still(14)
    roll(truth, "white", 3.0, (0.0, 900.0), 125.0)
    filmed = truth.t >= 3.0 + late_s
    events = track(Truth(truth.table, truth.t[filmed], truth.names, truth.xy[filmed], [], []))
    (record,) = [e for e in events if isinstance(e, StrokeRecord)]
    assert record.unseen != seen and record.gap_before != seen


@pytest.mark.parametrize(("lay_s", "seen"), [(0.24, True), (0.0, False)])
def test_a_cue_ball_that_the_first_image_missed_is_seen_whole_where_it_lay_in_the_next(
    lay_s: float, seen: bool
) -> None:
    """A recording fades in: its first image shows no white, the next ones show it at rest, or rolling."""
    truth = still(14)
    roll(truth, "white", 3.0, (0.0, 900.0), 125.0)
    filmed = truth.t >= 3.0 - lay_s
    cut = Truth(truth.table, truth.t[filmed], truth.names, truth.xy[filmed], [], [])
    images = list(Observer(cut, Noise(full_look_s=0.04), 3).images())
    x_mm, y_mm = cut.xy[0][truth.names.index("white")]
    first = images[0]
    faded = [o for o in first.observations if math.hypot(o.x_mm - x_mm, o.y_mm - y_mm) > 20.0]
    assert len(faded) == len(truth.names) - 1
    events = run([replace(first, observations=tuple(faded)), *images[1:]], Tracker(SNOOKER_TABLE))
    (record,) = [e for e in events if isinstance(e, StrokeRecord)]
    assert record.unseen != seen and record.gap_before != seen


def test_no_stroke_begins_before_the_first_image() -> None:
    """The cue-ball's path leads back beyond the image that shows it first; `match.json` knows no such
    time.
    """
    for late_s in (0.05, 0.75, 1.38):
        truth = still(14)
        roll(truth, "white", 3.0, (0.0, 900.0), 125.0)
        filmed = truth.t >= 3.0 + late_s
        events = track(
            Truth(truth.table, truth.t[filmed] - truth.t[filmed][0], truth.names, truth.xy[filmed], [], [])
        )
        (record,) = [e for e in events if isinstance(e, StrokeRecord)]
        assert record.start_s >= 0.0


def test_a_stroke_played_while_another_camera_is_shown_leaves_the_table_changed() -> None:
    """The white still rolls when the picture is back, and somebody then stands over where it had lain: it was
    "covered there", and the next player "certain".
    """
    truth = still(24)
    roll(truth, "white", 3.0, (-250.0, 600.0), 125.0)
    lay = LAYOUT["white"]
    images = list(Observer(truth, Noise(), 3).images())
    seen = []
    for i in images:
        if 2.8 < i.t_s < 4.5:
            i = replace(i, observations=(), looked=None, covered=None, unusable="other_view")
        elif i.t_s > 6.0:
            i = replace(i, covered=cells(lay))
        seen.append(i)
    events = run(seen, Tracker(SNOOKER_TABLE))
    assert [g.reason for g in events if isinstance(g, Gap)] == ["other_view"]
    (change,) = [e for e in events if isinstance(e, LayoutChange)]
    white = next(b for b in change.layout if b.ball == "white")
    end = truth.xy[-1, truth.names.index("white")]
    assert (white.x_mm, white.y_mm) == pytest.approx(tuple(end), abs=2.0)
    assert math.dist((white.x_mm, white.y_mm), lay) > 100.0
