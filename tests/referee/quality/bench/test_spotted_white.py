"""English billiards with a plain and a spotted white: two balls that nothing but their ways tells apart."""

from __future__ import annotations

import math

import pytest

from calibration.table.games import PIECES
from referee.quality.bench.tracks.errors import SHIPPED, ErrorModel
from referee.quality.bench.tracks.games.play import world_of
from referee.quality.bench.tracks.games.tier import refereed, set_up_game

GAME, SEED = "english_billiards_spotted", 3342001
WHITES = ("white", "yellow")


def test_only_pieces_that_look_alike_are_twins() -> None:
    assert PIECES[GAME].twins == set(WHITES) and PIECES[GAME].struck == PIECES["english_billiards"].struck
    assert not any(PIECES[game].twins for game in PIECES if game != GAME)


@pytest.mark.parametrize("piece", [2, 5])
def test_names_are_labels_that_go_with_the_balls(piece: int) -> None:
    """Each white keeps the label that it had at first, over eight strokes, hazards and hands; where that is
    in doubt the stroke is asked about.
    """
    world = world_of(GAME)
    setup, played = set_up_game(SEED, piece, ErrorModel.load(SHIPPED), world)
    judged = refereed(setup, played, world, ErrorModel.load(SHIPPED), setup.played.calls)
    assert len(judged) == len(played.span.strokes)
    lay = [dict(played.span.opening), *(s.flown.end for s in played.span.strokes)]
    labels: dict[str, str] = {}
    for stroke, truth in zip(judged, lay, strict=False):
        for ball in stroke.seen.before:
            if ball.ball not in WHITES or not set(WHITES) <= set(truth):
                continue
            true = min(WHITES, key=lambda w: math.dist(truth[w], (ball.x_mm, ball.y_mm)))
            known = labels.setdefault(ball.ball, true)
            assert known == true or stroke.verdict == "call"
    assert set(labels) == set(labels.values()) == set(WHITES)
    for stroke, of in zip(judged, played.span.strokes, strict=True):
        if stroke.verdict == "certain" and of.judged is not None:
            assert (stroke.points, stroke.striker) == (of.judged.points, of.judged.striker)
