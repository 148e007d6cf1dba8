"""The tracks tier of other games: its physics, its pieces, its judgement."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from calibration.errors import UnusableInput
from calibration.table.board import board_table
from calibration.table.games import GAMES as PLAYED
from calibration.table.games import PIECES, is_snooker
from calibration.table.pieces import CARROM, POOL_15, RED_YELLOW, SNOOKER
from calibration.table.specs import BRITISH_POOL_TABLE
from referee.facts.calls import ShotCall
from referee.facts.corrections import Correction, into_pocket
from referee.facts.judged import JudgedStroke
from referee.facts.seen import SeenBall
from referee.match.games.board_frame import in_board_frame
from referee.match.games.fold import JudgedGameStroke
from referee.match.referee import Referee
from referee.quality.bench.options import BenchOptions
from referee.quality.bench.tracks.errors import SHIPPED
from referee.quality.bench.tracks.games.judge import _forms, judge_game_piece
from referee.quality.bench.tracks.games.looks import StandIns
from referee.quality.bench.tracks.games.play import GameWorld, play_game, true_game_record, world_of
from referee.quality.bench.tracks.games.tier import (
    WHOLE_RACK_SKILL,
    WHOLE_RACK_STROKES,
    refereed,
    set_up_game,
)
from referee.quality.bench.tracks.physics import DISC_MM_S2, NoseShape, fly
from referee.quality.bench.tracks.play import PlayedSpan
from referee.quality.bench.tracks.tier import load_errors
from tracker.events import HandMove, TrackerEvent
from vision.render.play.physics import Stroke

GAMES = [g for g in PIECES if not is_snooker(g)]


def test_a_disc_slides_as_far_as_friction_lets_it() -> None:
    flown = fly(
        {"striker": (0.0, 100.0)}, Stroke(math.pi / 2, 700.0), NoseShape(board_table()), "striker", CARROM
    )
    assert flown.end["striker"][1] == pytest.approx(100.0 + 700.0**2 / (2 * DISC_MM_S2), abs=0.5)


@pytest.mark.parametrize(
    ("table", "pieces", "cue", "other"),
    [(BRITISH_POOL_TABLE, RED_YELLOW, "cue", "red_1"), (board_table(), CARROM, "striker", "white_1")],
)
def test_momentum_is_kept_where_pieces_of_two_sizes_meet(table, pieces, cue, other) -> None:
    layout = {cue: (10.0, 200.0), other: (0.0, 330.0)}
    flown = fly(layout, Stroke(math.pi / 2, 1500.0), NoseShape(table), cue, pieces)
    a, b, t = flown.contacts[0]
    assert {a, b} == {cue, other}
    before = next(p for p in flown.paths[cue] if p.t1_s == pytest.approx(t))
    after = [next(p for p in flown.paths[n] if p.t0_s == pytest.approx(t)) for n in (cue, other)]
    masses = [pieces.mass_share(n) for n in (cue, other)]
    kept = sum(m * p.vy for m, p in zip(masses, after, strict=True))
    assert kept == pytest.approx(masses[0] * before.velocity(t)[1], rel=1e-6)
    x, y = before.at(t)
    reach = (pieces.size_share(cue) + pieces.size_share(other)) * table.ball_radius_mm
    assert math.dist((x, y), layout[other]) == pytest.approx(reach, abs=0.01)


@settings(max_examples=16, deadline=None)
@given(st.sampled_from(GAMES), st.integers(0, 10_000))
@example("wpa_14_1", 4646)  # a ball pressed between others, 0.13 mm in one of them
def test_pieces_lie_apart_and_on_the_table_after_every_stroke(game: str, seed: int) -> None:
    world = world_of(game)
    played = play_game(np.random.default_rng(seed), world, 3).span
    for stroke in played.strokes:
        end = stroke.flown.end
        for name, at in end.items():
            assert world.shape.distance(*at) < -world.radius_mm(name) + 0.1
            others = (b for b in end if b > name)
            assert all(math.dist(at, end[b]) > world.reach_mm(name, b) - 0.05 for b in others)


def test_a_stripe_said_to_be_a_solid_is_counted_and_another_solid_is_not() -> None:
    """The cue-ball is neither."""
    true = {n: (0.0, 300.0 * k) for k, n in enumerate(("3", "11", "5", "cue"), 1)}
    names = {"3": "3", "11": "4", "5": "6", "cue": "cue"}
    before = [SeenBall(n, n, *true[b], 0.4, 1.0) for b, n in names.items()]
    assert _forms(true, before, world_of("wpa_8ball")) == (3, 1)


@given(st.sampled_from(POOL_15.names), st.integers(0, 1000))
def test_a_sight_is_of_its_kind_or_of_a_look_alike(kind: str, seed: int) -> None:
    looks = StandIns(POOL_15)
    row = [-9.0] * len(SNOOKER.names)
    row[SNOOKER.index[looks.colour(kind)]] = 0.0
    logp = looks.seen(kind, row, np.random.default_rng(seed))
    best = POOL_15.names[int(np.argmax(logp))]
    assert looks.colour(best) == looks.colour(kind)


@pytest.mark.parametrize(
    ("game", "seed", "piece", "length"),
    [
        ("wpa_9ball", 5, 0, 2),
        ("carrom", 5, 0, 2),
        ("english_billiards", 903011, 3, 8),  # what left with the cue-ball's track had not moved after all
    ],
)
def test_a_piece_that_is_seen_is_refereed_and_judged(game: str, seed: int, piece: int, length: int) -> None:
    world, model = world_of(game), load_errors(SHIPPED)
    setup, played = set_up_game(seed, piece, model, world)
    strokes_of = setup.played.strokes[:length]
    span = replace(setup.played, strokes=strokes_of, end_s=strokes_of[-1].t_rest_s + 2.0)
    setup = replace(setup, played=span)
    judged = refereed(setup, played, world, model, span.calls)
    strokes, invented = judge_game_piece(0, 0, setup.image_hz, span, judged, world)
    assert len(strokes) == length and all(s.seen for s in strokes) and not invented
    assert not [w for s in strokes for w in s.wrong if w.certain]


def test_every_game_can_be_benched_and_the_first_worlds_cameras_film_kinds_of_snooker_only() -> None:
    for game in PIECES:
        BenchOptions(1, cameras=3 if is_snooker(game) else 0, strokes=3, tracks=10, game=game)
    for given_options in ({"game": "croquet"}, {"game": "carrom", "cameras": 3}):
        with pytest.raises(UnusableInput):
            BenchOptions(1, tracks=10, **given_options)


@pytest.mark.slow
@pytest.mark.parametrize("game", [g for g in GAMES if PLAYED[g].called or PLAYED[g].nominated])
def test_a_whole_rack_as_a_camera_sees_it_is_certain_of_nothing_wrong_without_calls(game: str) -> None:
    world, model = world_of(game), load_errors(SHIPPED)
    setup, played = set_up_game(77311, 0, model, world, whole_rack=True)
    judged = refereed(setup, played, world, model, ())
    strokes, invented = judge_game_piece(0, 0, setup.image_hz, setup.played, judged, world)
    assert all(s.seen for s in strokes) and not invented
    assert not [w for s in strokes for w in s.wrong if w.certain]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_rack_as_a_camera_sees_it_comes_to_the_result_that_was_played(game: str) -> None:
    """From the break on, with every call made: nothing certain is wrong, and the score is the true one."""
    world, model = world_of(game), load_errors(SHIPPED)
    setup, played = set_up_game(77311, 0, model, world, whole_rack=True)
    judged = refereed(setup, played, world, model, setup.played.calls)
    strokes, invented = judge_game_piece(0, 0, setup.image_hz, setup.played, judged, world)
    assert all(s.seen for s in strokes) and not invented
    assert not [w for s in strokes for w in s.wrong if w.certain]
    last = setup.played.strokes[-1].judged
    assert judged[-1].score == last.score
    assert isinstance(last, JudgedGameStroke) and isinstance(judged[-1], JudgedGameStroke)
    assert judged[-1].rack_winner == last.rack_winner


SPEECH = ("called", "push_out", "nominated", "striker")
"""What only players say: a ball and its pocket (WPA 1.6), a push out (2.4), a colour (WEPF H), who plays on
after a choice (WPA 9.7).
"""


@pytest.mark.parametrize(
    ("game", "seed", "speaks"),
    [
        ("wpa_8ball", 2, True),
        ("wpa_9ball", 1, False),
        ("wpa_10ball", 1, True),
        ("wpa_10ball", 4, True),
        ("wpa_14_1", 4, True),
        ("blackball", 2, False),
        ("wepf", 1, True),
    ],
)
def test_a_whole_rack_of_which_nobody_said_the_calls_asks_what_players_say_and_nothing_else(
    game: str, seed: int, speaks: bool
) -> None:
    """Every fact is seen. What is certain is right, the root of every question that the calls would have
    answered is a matter of speech, and once it is answered the result is the one that was played.
    """
    world = world_of(game)
    rng = np.random.default_rng(seed)
    played = play_game(rng, world, WHOLE_RACK_STROKES, racked=True, skill=WHOLE_RACK_SKILL)
    span = played.span
    told, untold = (Referee(world.table, played.start, calls, game=game) for calls in (span.calls, ()))
    for event in true_events(span, world):
        told.feed(event)
        untold.feed(event)
    told.close()
    untold.close()
    answered = 0
    with_calls = {s.n for s in told.match.strokes if s.verdict == "call"}
    while True:
        assert not [s.n for s in untold.match.strokes if s.verdict == "certain" and not as_played(s, span)]
        open_ = (s for s in untold.match.strokes if s.verdict == "call" and s.n not in with_calls)
        if (root := next(open_, None)) is None:
            break
        untold.correct(said_in(root, span), "Rea")
        answered += 1
    assert (answered > 0) is speaks
    last, true = untold.match.strokes[-1], span.strokes[-1].judged
    assert isinstance(last, JudgedGameStroke) and isinstance(true, JudgedGameStroke)
    assert (last.score, last.rack_winner) == (true.score, true.rack_winner)


def as_played(stroke: JudgedStroke, span: PlayedSpan) -> bool:
    true = span.strokes[stroke.n - 1].judged
    facts = [(s.striker, s.foul and s.foul.clause, s.next_striker) for s in (stroke, true)]
    return facts[0] == facts[1]


def said_in(root: JudgedStroke, span: PlayedSpan) -> Correction:
    """The answer to a question about what a player says, by what was true."""
    asked = root.asked[0].text.removeprefix("shot_")
    assert asked in SPEECH, (root.n, root.question)
    true = span.strokes[root.n - 1]
    calls = [c for c in span.calls if isinstance(c, ShotCall) and c.t_s <= true.t_strike_s]
    call = calls[-1] if calls else None
    if asked == "striker":
        return Correction(root.entry, striker=true.judged.striker)
    if asked == "push_out":  # no player of the tier announces one
        return Correction(root.entry, answers=(("push_out", "no"),))
    assert call is not None
    if asked == "nominated":
        return Correction(root.entry, nominated=call.ball)
    ball = "none" if call.ball is None else into_pocket(call.ball, call.pocket)
    return Correction(root.entry, answers=(("called", ball),))


def true_events(span: PlayedSpan, world: GameWorld) -> list[TrackerEvent]:
    """What happened, as a tracker would tell it that sees everything exactly."""
    happened: list[tuple[float, TrackerEvent]] = []
    for s in span.strokes:
        assert isinstance(s.judged, JudgedGameStroke) and s.judged.struck is not None
        happened.append((s.t_strike_s, true_game_record(s.t_strike_s, s.flown, world, s.judged.struck)))
    for hand in span.hands:
        if hand.to is not None:
            kind = "in_hand" if hand.ball in world.pieces.struck else "respot"
            happened.append((hand.t_s, HandMove(kind, hand.ball, None, (*hand.to, 0.02), hand.t_s)))
    return [in_board_frame(event, world.table) for _, event in sorted(happened, key=lambda e: e[0])]


def test_a_second_board_of_carrom_follows_the_first() -> None:
    world = world_of("carrom")
    _, played = set_up_game(3101, 0, load_errors(SHIPPED), world, whole_rack=True)
    span = played.span
    assert span.strokes[-1].judged.rack_over
    referee = Referee(world.table, played.start, span.calls, game="carrom")
    again = play_game(np.random.default_rng(5), world, 1, racked=True).span.strokes[0]
    second = true_game_record(span.end_s + 20, again.flown, world, "striker")
    for event in (*true_events(span, world), in_board_frame(second, world.table)):
        referee.feed(event)
    frames = referee.match.frames
    assert len(frames) == 2 and frames[0].winner is not None
    last = referee.match.strokes[-1]
    assert isinstance(last, JudgedGameStroke) and json.loads(last.rack_start)["board_no"] == 2
