"""The tracker with the pieces of other games: names, sizes, physics, and strokes as the truth says."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.table.board import CARROM_BOARD, board_table, table_from_board
from calibration.table.games import PIECES
from calibration.table.pieces import BILLIARDS, CARROM, POOL_9, RED_YELLOW, SNOOKER
from calibration.table.specs import BRITISH_POOL_TABLE, WPA_TABLE
from tests.tracker.tracker_lab.game_clips import load, named
from tests.tracker.tracker_lab.observer import Noise, Observer
from tracker import Tracker
from tracker.association.motion import Motion
from tracker.ball import Ball, Leg
from tracker.events import HandMove, StrokeRecord
from tracker.identity.numbering import names_for
from tracker.params import DISC_MM_S2
from tracker.place import Rest
from tracker.stroke.solve import struck_as_well
from tracker.stroke.world import World

CLIPS = Path(__file__).parents[2] / ".." / "shared" / "footage" / "synthetic" / "games"
needs_clips = pytest.mark.skipif(not CLIPS.is_dir(), reason="the clips lie beside the project")


@given(st.sampled_from(sorted(PIECES)), st.data())
def test_no_more_pieces_are_named_than_the_set_has(game: str, data: st.DataObject) -> None:
    pieces = PIECES[game]
    kinds = data.draw(st.lists(st.sampled_from(pieces.names), max_size=30))
    named = [n for n in names_for(kinds, (), pieces) if n is not None and n in pieces.kind_of]
    for kind in pieces.alike:
        mine = [n for n in named if pieces.kind_of[n] == kind]
        assert len(mine) == len(set(mine)) == min(kinds.count(kind), pieces.count(kind))


@pytest.mark.parametrize(("later_s", "either"), [(0.0, True), (0.04, True), (0.4, False)])
def test_of_two_cue_balls_that_set_off_at_about_a_time_either_may_have_been_struck(
    later_s: float, either: bool
) -> None:
    """Billiards: white and yellow lay a millimetre apart. "The yellow hit the white first" was certain."""

    def left(name: str, t_s: float) -> Ball:
        ball = Ball(name, name, Rest(), BILLIARDS)
        ball.legs = [Leg(0.0, 0.0, 0.3, t_s)]
        return ball

    white, yellow, red = left("white", 1.6), left("yellow", 1.6 + later_s), left("red", 1.6)
    assert struck_as_well([white, yellow, red], white) == ([yellow] if either else [])


def test_a_smaller_cue_ball_touches_at_the_sum_of_the_radii() -> None:
    world = World(BRITISH_POOL_TABLE, "cue", {}, {}, RED_YELLOW)
    assert world.reach_mm("cue", "red_3") == pytest.approx((47.6 + 50.8) / 2)
    assert world.reach_mm("red_1", "black") == pytest.approx(50.8)
    assert World(board_table(), "striker", {}, {}, CARROM).reach_mm("striker", "queen") == pytest.approx(
        (41.3 + 31.8) / 2
    )


def test_a_disc_stops_where_friction_stops_it() -> None:
    sliding = Motion(0.0, 0.0, 0.0, 0.0, 300.0, 1.0, 0.0, 1.0)
    stopped = sliding.predicted(2.0, board_table())
    assert stopped.speed_mm_s == pytest.approx(0.0, abs=1e-6)
    assert sliding.predicted(0.1, board_table()).speed_mm_s == pytest.approx(300.0 - 0.1 * DISC_MM_S2)
    assert sliding.predicted(0.1, WPA_TABLE).speed_mm_s > 289.0


def test_a_boards_pockets_are_four_holes_that_touch_the_frame() -> None:
    holes = {p.name: p for p in board_table().pockets}
    assert sorted(holes) == ["BL", "BR", "TL", "TR"]
    for name, place in CARROM_BOARD.pockets.items():
        x, y = table_from_board(place, board_table())
        assert math.dist((x, y), (holes[name].x_mm, holes[name].y_mm)) < 1e-9
        assert holes[name].dropped(x + 20.0, y) and not holes[name].dropped(x - 25.0, y)


def test_both_whites_of_billiards_may_be_struck_and_only_the_white_of_snooker() -> None:
    billiards = PIECES["english_billiards"]
    assert [Ball(k, k, Rest(), billiards).is_cue for k in billiards.names] == [True, True, False]
    assert [Ball(k, k, Rest(), SNOOKER).is_cue for k in SNOOKER.names] == [True] + [False] * 7


def test_a_potted_number_stays_down_and_the_nine_may_come_back() -> None:
    assert Ball("3", "3", Rest(), POOL_9).stays_down and not Ball("9", "9", Rest(), POOL_9).stays_down


@needs_clips
@pytest.mark.parametrize("clip", ["dev_9ball", "dev_blackball"])
def test_strokes_of_a_clip_are_seen_as_its_truth_says(clip: str) -> None:
    truth = load(CLIPS, clip)
    tracker = Tracker(truth.table, truth.pieces)
    events = [
        e for image in Observer(truth, Noise(settle_looks=True), seed=1).images() for e in tracker.feed(image)
    ]
    events += tracker.close()
    seen = [e for e in events if isinstance(e, StrokeRecord)]
    true = [e for e in truth.events if e["type"] == "stroke"]
    assert len(seen) == len(true)
    for record, stroke in zip(seen, true, strict=True):
        assert abs(record.start_s - stroke["t_strike"]) < 0.12
        kinds = truth.pieces.kind_of
        fell = sorted(kinds[p.ball] for p in record.pots)
        assert fell == sorted(kinds[named(ball)] for ball, _, _ in stroke["pots"])
    placed = [e for e in events if isinstance(e, HandMove)]
    assert all(e.to_mm is not None for e in placed)
