"""Simulated strokes that were certain and wrong, each with what had misled the tracker: none is any more."""

from __future__ import annotations

import pytest

from calibration.table.specs import SNOOKER_TABLE
from referee.quality.bench.tracks.cells import Cells
from referee.quality.bench.tracks.errors import SHIPPED, ErrorModel
from referee.quality.bench.tracks.games.play import world_of
from referee.quality.bench.tracks.games.tier import measure_game_piece
from referee.quality.bench.tracks.physics import NoseShape
from referee.quality.bench.tracks.tier import measure_piece


@pytest.fixture(scope="module")
def errors() -> ErrorModel:
    return ErrorModel.load(SHIPPED)


@pytest.mark.parametrize(
    ("seed", "piece"),
    [
        pytest.param(3011001, 95, id="the cue-ball grazes a red that it all but touches"),
        pytest.param(3011001, 488, id="two balls within 13 ms, the way leads to one of them"),
        pytest.param(3011001, 594, id="a ball comes back from the cushion past its old place"),
        pytest.param(3011001, 736, id="a soft stroke that meets nothing, to the cushion and back"),
        pytest.param(3011001, 856, id="a slow ball is looked at again 0.7 s after it stopped"),
        pytest.param(3011002, 21, id="a foul in a state that was assumed, and unsure which ball was first"),
        pytest.param(3011002, 54, id="a red that may have been lifted, and may be hidden"),
        pytest.param(
            3130001, 12, id="a ball had left before the straight way comes to the one that touches it"
        ),
        pytest.param(3130001, 59, id="the cue-ball stops dead on a red that it all but touches"),
        pytest.param(3130001, 114, id="a hand hides a part of the cue-ball until it is struck"),
        pytest.param(3150001, 219, id="a red that rolls out slowly, and its outline goes back"),
        pytest.param(3150001, 686, id="the cue-ball comes to rest on a red, and moves it by 3 mm"),
        pytest.param(3150001, 958, id="a red that is grazed rolls 5 mm"),
        pytest.param(3150001, 963, id="a free ball hangs on a question, and the stroke is fair without one"),
        pytest.param(3150001, 1399, id="a colour that is seen badly is moved by 6 mm"),
        pytest.param(3150001, 1471, id="a red lies still in a pocket's jaws"),
        pytest.param(3150001, 1527, id="a cue-ball at 5 m/s that an arm had hidden before"),
        pytest.param(3150001, 1692, id="a pink that is grazed first creeps off"),
        pytest.param(3150001, 1831, id="the cue-ball falls 10 ms after it met a red beside the pocket"),
    ],
)
def test_snooker(seed: int, piece: int, errors: ErrorModel) -> None:
    strokes, invented = measure_piece(seed, piece, errors, NoseShape(SNOOKER_TABLE), Cells(SNOOKER_TABLE))
    assert all(stroke.seen for stroke in strokes)
    assert len(strokes) > 4 and not any(stroke.certain for stroke in invented)
    assert [(s.stroke, w.fact) for s in strokes for w in s.wrong if w.certain] == []


@pytest.mark.parametrize(
    ("game", "seed", "piece"),
    [
        pytest.param(
            "carrom", 903021, 0, id="a man that a hand puts back is none that another was taken for"
        ),
        pytest.param(
            "blackball", 903004, 18, id="a break of which curves drawn on lead over the string, and no ball"
        ),
        pytest.param(
            "blackball", 903018, 7, id="a cue-ball rolls beside an arm while a lost ball is waited for"
        ),
    ],
)
def test_other_games(game: str, seed: int, piece: int, errors: ErrorModel) -> None:
    strokes, invented = measure_game_piece(seed, piece, errors, world_of(game))
    assert len(strokes) > 4 and not invented
    assert [(s.stroke, w.fact) for s in strokes for w in s.wrong if w.certain] == []
