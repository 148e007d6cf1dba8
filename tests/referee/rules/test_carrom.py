"""Carrom: turns, dues, the Queen, breaks, placing, games and matches as the laws state them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from calibration.table.board import CARROM_BOARD, CarromBoard
from referee.rules.carrom import acts
from referee.rules.carrom import engine as game
from referee.rules.carrom.engine import breaker
from referee.rules.carrom.reasons import MatchLoss, Reason, Violation
from referee.rules.carrom.types import Fall, Men, Queen, Ruling, State, Stroke


def board(
    a: int = 9, b: int = 9, queen: Queen = Queen.ON_BOARD, scores: tuple[int, int] = (0, 0), **more: object
) -> State:
    men = (Men("white", a, ever_pocketed=a < 9), Men("black", b, ever_pocketed=b < 9))
    return replace(State(men=men, queen=queen, scores=scores), **more)  # type: ignore[arg-type]


def rule(state: State, **facts: object) -> Ruling:
    return game.judge_stroke(state, Stroke("A", **facts))[1]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "clause", "turn", "on_board"),
    [
        ({"own": 1}, "48", "A", (5, 9)),
        ({}, "48", "B", (6, 9)),
        ({"own": 1, "opponent": 1}, "48", "A", (5, 8)),
        ({"opponent": 1}, "125(a)", "B", (6, 8)),
        ({"striker": True}, "72(a)", "B", (7, 9)),
        ({"striker": True, "proper": False}, "72(b)", "B", (8, 9)),
        ({"striker": True, "own": 1}, "73", "A", (7, 9)),
        ({"striker": True, "opponent": 1}, "74", "B", (7, 8)),
        ({"striker": True, "own": 1, "opponent": 1}, "75", "A", (7, 8)),
        ({"opponent": 1, "proper": False}, "76", "B", (7, 8)),
        ({"own": 2, "proper": False}, "77(a)", "B", (7, 9)),
        ({"own": 1, "striker": True, "proper": False}, "77(b)", "B", (8, 9)),
        ({"proper": False}, "64(a)", "B", (7, 9)),
        ({"own": 1, "striker_overboard": True}, "48", "A", (5, 9)),  # 116
    ],
)
def test_turns_and_dues(facts: dict[str, object], clause: str, turn: str, on_board: tuple[int, int]) -> None:
    ruling = rule(board(6, 9), **facts)
    assert (ruling.clause, ruling.next_turn, ruling.on_board) == (clause, turn, on_board)


@pytest.mark.parametrize(
    ("state", "facts", "clause", "turn", "queen"),
    [
        (board(9), {"queen": True}, "95(a)", "B", Queen.ON_BOARD),
        (board(8), {"queen": True}, "92", "A", Queen.TO_BE_COVERED),
        (board(9), {"queen": True, "own": 1}, "97(b)", "A", Queen.TO_BE_COVERED),
        (board(9), {"queen": True, "own": 2}, "97(b)", "A", Queen.COVERED_A),
        (board(6), {"queen": True, "own": 1}, "97(a)", "A", Queen.COVERED_A),
        (board(6), {"queen": True, "own": 1, "striker": True}, "98(a)", "A", Queen.ON_BOARD),
        (board(6), {"queen": True, "own": 1, "striker": True, "proper": False}, "98(b)", "B", Queen.ON_BOARD),
        (board(6), {"queen": True, "striker": True}, "99(a)", "A", Queen.ON_BOARD),
        (board(9), {"queen": True, "striker": True}, "95(d)", "B", Queen.ON_BOARD),
        (board(6), {"queen": True, "striker": True, "proper": False}, "99(b)", "B", Queen.ON_BOARD),
        (board(6, queen=Queen.TO_BE_COVERED), {"own": 1}, "97(a)", "A", Queen.COVERED_A),
        (board(6, queen=Queen.TO_BE_COVERED), {}, "96", "B", Queen.ON_BOARD),
        (board(6, queen=Queen.TO_BE_COVERED), {"opponent": 1}, "96", "B", Queen.ON_BOARD),
        (board(6, queen=Queen.TO_BE_COVERED), {"striker": True}, "100(a)", "B", Queen.ON_BOARD),
        (
            board(6, queen=Queen.TO_BE_COVERED),
            {"striker": True, "proper": False},
            "100(b)",
            "B",
            Queen.ON_BOARD,
        ),
        (
            board(6, queen=Queen.TO_BE_COVERED),
            {"striker": True, "own": 1},
            "101(a)",
            "A",
            Queen.TO_BE_COVERED,
        ),
        (
            board(6, queen=Queen.TO_BE_COVERED),
            {"striker": True, "own": 1, "proper": False},
            "101(b)",
            "B",
            Queen.ON_BOARD,
        ),
    ],
)
def test_the_queen(state: State, facts: dict[str, object], clause: str, turn: str, queen: Queen) -> None:
    ruling = rule(state, **facts)
    assert (ruling.clause, ruling.next_turn, ruling.queen) == (clause, turn, queen)


def test_queen_under_a_due_goes_back_and_after_recovery_it_may_be_played() -> None:
    owing = board(9, men=(Men("white", 9, 1, True), Men("black")))
    assert rule(owing, queen=True).clause == "95(b)"
    state, ruling = game.judge_stroke(owing, Stroke("A", own=1))
    assert ruling.returned.due == 1 and ruling.on_board[0] == 9 and ruling.outstanding == (0, 0)
    assert (
        rule(state, queen=True).queen is Queen.TO_BE_COVERED
    )  # 95(c): nine on the board, but the right stays


def test_dues_wait_until_a_man_is_available_even_in_the_opponents_turn() -> None:
    state, ruling = game.judge_stroke(board(9), Stroke("A", striker=True, proper=False))
    assert ruling.outstanding == (2, 0) and ruling.returned.due == 0
    state, ruling = game.judge_stroke(state, Stroke("B", opponent=1))  # B pockets a C/m of A
    assert ruling.on_board[0] == 9 and ruling.outstanding == (1, 0) and ruling.returned.due == 1


_W, _L = "A", "B"


@pytest.mark.parametrize(
    ("a", "b", "queen", "facts", "clause", "winner", "points", "extra"),
    [
        (1, 3, Queen.COVERED_A, {"own": 1}, "52(a)", _W, 6, 0),
        (1, 3, Queen.COVERED_B, {"own": 1}, "52(a)", _W, 3, 0),
        (1, 3, Queen.TO_BE_COVERED, {"own": 1}, "52(a)", _W, 6, 0),
        (1, 3, Queen.ON_BOARD, {"own": 1, "queen": True}, "52(a)", _W, 6, 0),
        (1, 1, Queen.TO_BE_COVERED, {"own": 1, "opponent": 1}, "102(a)", _W, 3, 0),
        (1, 1, Queen.TO_BE_COVERED, {"own": 1, "opponent": 1, "proper": False}, "102(b)", _L, 3, 1),
        (4, 1, Queen.TO_BE_COVERED, {"opponent": 1}, "103(a)", _L, 7, 0),
        (4, 1, Queen.TO_BE_COVERED, {"opponent": 1, "proper": False}, "103(b)", _L, 7, 1),
        (1, 1, Queen.ON_BOARD, {"own": 1, "opponent": 1, "queen": True}, "104(a)", _W, 3, 0),
        (1, 1, Queen.ON_BOARD, {"own": 1, "opponent": 1, "queen": True, "proper": False}, "104(b)", _L, 3, 1),
        (1, 1, Queen.ON_BOARD, {"own": 1, "opponent": 1}, "105(a)", _L, 3, 0),
        (1, 1, Queen.ON_BOARD, {"own": 1, "opponent": 1, "proper": False}, "105(b)", _L, 3, 1),
        (4, 1, Queen.ON_BOARD, {"opponent": 1}, "106(a)", _L, 7, 0),
        (4, 1, Queen.ON_BOARD, {"opponent": 1, "proper": False}, "106(b)", _L, 7, 1),
        (1, 4, Queen.ON_BOARD, {"own": 1}, "107(a)", _L, 3, 0),
        (1, 4, Queen.ON_BOARD, {"own": 1, "proper": False}, "107(b)", _L, 3, 1),
        (1, 4, Queen.ON_BOARD, {"own": 1, "striker": True}, "108(a)", _L, 3, 1),
        (1, 4, Queen.ON_BOARD, {"own": 1, "striker": True, "proper": False}, "108(b)", _L, 3, 2),
        (1, 1, Queen.ON_BOARD, {"own": 1, "opponent": 1, "queen": True, "striker": True}, "109(a)", _L, 3, 1),
        (1, 1, Queen.COVERED_A, {"own": 1, "opponent": 1, "striker": True}, "110(a)", _L, 1, 1),
        (
            1,
            1,
            Queen.COVERED_A,
            {"own": 1, "opponent": 1, "striker": True, "proper": False},
            "110(b)",
            _L,
            1,
            2,
        ),
        (4, 1, Queen.ON_BOARD, {"opponent": 1, "striker": True}, "111(a)", _L, 7, 1),
        (4, 1, Queen.ON_BOARD, {"opponent": 1, "striker": True, "proper": False}, "111(b)", _L, 7, 2),
        (1, 1, Queen.COVERED_B, {"own": 1, "opponent": 1, "striker": True}, "112(a)", _L, 3, 1),
        (
            1,
            1,
            Queen.COVERED_B,
            {"own": 1, "opponent": 1, "striker": True, "proper": False},
            "112(b)",
            _L,
            3,
            2,
        ),
        (
            4,
            1,
            Queen.COVERED_A,
            {"opponent": 1},
            "52(a)",
            _L,
            4,
            0,
        ),  # 53(c): the loser's Queen counts nothing
        (4, 1, Queen.COVERED_B, {"opponent": 1}, "52(a)", _L, 7, 0),
    ],
)
def test_board_ends(
    a: int, b: int, queen: Queen, facts: dict[str, object], clause: str, winner: str, points: int, extra: int
) -> None:
    ruling = rule(board(a, b, queen), **facts)
    assert (ruling.clause, ruling.board_winner, ruling.points, ruling.extra) == (
        clause,
        winner,
        points,
        extra,
    )
    assert ruling.board_over and ruling.next_turn is None
    late = rule(board(a, b, queen, scores=(22, 22)), **facts)  # 54: from 22 the Queen adds nothing
    queen_counted = points in (3, 6, 7) and not (
        clause == "52(a)" and queen is Queen.COVERED_B and winner == "A"
    )
    least = 1 if clause[:3] in ("102", "104", "105", "107", "108", "109", "110", "112") else points - 3
    assert late.points == (least if queen_counted else points)


def test_own_last_with_the_striker_and_a_covered_queen_only_comes_back() -> None:
    ruling = rule(board(1, 3, Queen.COVERED_A), own=1, striker=True)
    assert not ruling.board_over and (ruling.clause, ruling.on_board[0], ruling.next_turn) == ("73", 2, "A")


def test_the_break() -> None:
    state = game.opening("A")
    assert game.judge_stroke(state, Stroke("A", own=1))[1].clause == "47"  # before 'Play'
    state, _ = acts.call_play(state)
    for attempt in (1, 2):
        state, ruling = game.judge_stroke(state, Stroke("A", touched=0))
        assert (ruling.attempts, ruling.next_turn, ruling.break_made) == (attempt, "A", False)
    state, ruling = game.judge_stroke(state, Stroke("A", touched=0))
    assert ruling.break_right_lost and ruling.next_turn == "B" and state.men[1].colour == "black"
    state, ruling = game.judge_stroke(state, Stroke("B", touched=0, striker=True))
    assert (ruling.clause, ruling.due, ruling.outstanding) == ("45(c)", 0, (0, 0))
    state, ruling = game.judge_stroke(state, Stroke("A", touched=1))
    assert ruling.break_made and not state.break_open


def test_breaking_before_play_brings_everything_out() -> None:
    state, ruling = game.judge_stroke(game.opening("A"), Stroke("A", own=2, opponent=1, queen=True))
    assert ruling.returned.own == 2 and ruling.returned.queen and ruling.foul == "foul"
    assert ruling.on_board == (9, 8) and ruling.outstanding == (1, 0) and state.turn == "B"


def test_violations_by_phase() -> None:
    state, ruling = acts.violation(board(6, 6), "B", acts.Phase.NOT_HIS_TURN, Violation.TAPPED_BOARD)
    assert (ruling.foul, ruling.on_board, state.turn) == ("technical", (6, 7), "A")
    state, ruling = acts.violation(board(6, 6), "A", acts.Phase.BEFORE_FIRST_STROKE)
    assert (ruling.foul, ruling.on_board, state.turn) == ("technical", (7, 6), "A")
    state, ruling = acts.violation(board(6, 6, Queen.TO_BE_COVERED), "A", acts.Phase.AFTER_FIRST_STROKE)
    assert (ruling.foul, ruling.on_board, state.turn, state.queen) == ("foul", (7, 6), "B", Queen.ON_BOARD)
    with pytest.raises(ValueError, match="does not fit"):
        acts.violation(board(6, 6), "B", acts.Phase.AFTER_FIRST_STROKE)


def test_losing_the_board_counts_men_and_a_queen_on_the_board() -> None:
    assert game.lose_board(board(5, 4), "A", Reason.GOT_UP)[1].points == 8
    assert game.lose_board(board(5, 4, scores=(0, 22)), "A", Reason.GOT_UP)[1].points == 5
    assert acts.played_out_of_turn(board(5, 4), "B", noticed=True)[1].board_winner == "A"
    assert acts.played_out_of_turn(board(5, 4), "B", noticed=False)[1].allowed is True
    stopped, _ = acts.appeal(board(5, 4))
    _, ruling = game.judge_stroke(stopped, Stroke("A", own=1))
    assert (ruling.clause, ruling.board_winner, ruling.points) == ("121(b)", "B", 8)
    resumed, _ = acts.call_play(stopped)
    assert not game.judge_stroke(resumed, Stroke("A", own=1))[1].board_over


def test_what_nobody_noticed() -> None:
    state, ruling = game.judge_stroke(board(6, 9), Stroke("A", opponent=1, noticed=False))
    assert ruling.next_turn == "A" and acts.noticed_later(state)[0].turn == "B"  # 125(b)
    state, _ = game.judge_stroke(board(6, 9, Queen.TO_BE_COVERED), Stroke("A", noticed=False))
    after, ruling = acts.next_stroke_without_return(state)
    assert (ruling.queen, after.turn) == (Queen.COVERED_A, "B")  # 96


def test_forgoing_and_placing() -> None:
    state, _ = game.judge_stroke(board(6, 9), Stroke("A", striker=True, proper=False))
    assert state.to_place == ("B", 2) and state.men[0].on_board == 8
    assert acts.forgo(state, "B", 1, 2)[1].accepted is False
    after, ruling = acts.forgo(state, "B", 2, 2)
    assert ruling.accepted and after.men[0].on_board == 6
    after, _ = acts.no_space_to_place(state, "B")
    assert (after.men[0].on_board, after.men[0].outstanding) == (6, 2)
    _, ruling = acts.placing_time_expired(state, "B")
    assert ruling.foul_against == "B" and ruling.clause == "88(b)"


def test_falls_slips_and_replays() -> None:
    assert acts.fell_at_mouth(board(5, 5), "black")[1].on_board == (5, 4)
    after, ruling = acts.fell_at_mouth(board(5, 5), "queen")
    assert (ruling.queen, after.turn) == (Queen.TO_BE_COVERED, "A")
    assert acts.fell_at_mouth(board(1, 5, Queen.COVERED_A), "white")[1].board_winner == "A"
    assert acts.piece_removed_from_striker(board(6, 6), "A", True)[1].returned.due == 1
    assert acts.striker_removed_from_piece(board(6, 6), "A", "black")[1].on_board == (6, 5)
    assert not acts.striker_slipped(board(6, 6), "A", False, False)[1].stroke_made
    assert acts.striker_slipped(board(6, 6), "A", True, False)[1].next_turn == "B"
    state = board(5, 5)
    for _ in range(3):
        state, _ = acts.pass_turn(state, "A")
        state, ruling = acts.pass_turn(state, "B")
    assert ruling.cancelled and ruling.replay
    assert acts.lose_match(board(), "A", MatchLoss.INSULTED)[1].match_winner == "B"


def test_demanded_points_count_once_and_not_beyond_the_law() -> None:
    state, _ = game.judge_stroke(board(1, 4), Stroke("A", own=1, striker=True, proper=False))
    assert state.scores == (0, 3)
    after, _ = acts.demand_extra(state, "B", 1)  # 87(b): some of them is allowed
    assert after.scores == (0, 4)
    with pytest.raises(ValueError, match="demand"):
        acts.demand_extra(after, "B", 1)


def test_overboard_order_and_places() -> None:
    _, ruling = game.judge_stroke(board(6, 6), Stroke("A", overboard=("black", "white", "queen")))
    assert [p.piece for p in ruling.placings] == ["queen", "white", "black"]
    first, second, third = (p.xy_mm for p in ruling.placings)
    d = CARROM_BOARD.man_diameter_mm
    assert first == (0.0, 0.0) and second[1] > 0  # A sits at the bottom: away from him is up
    assert math.dist(first, second) == pytest.approx(d) and math.dist(third, first) == pytest.approx(d)
    assert math.dist(third, second) == pytest.approx(d)
    assert not rule(board(6, 6), falls=(Fall.HIT_LIGHT,)).repositioned
    assert rule(board(6, 6), falls=(Fall.FELL_BACK,)).repositioned


def test_breakers_alternate_within_a_game_and_from_game_to_game() -> None:
    assert [breaker("A", 1, n) for n in (1, 2, 3)] == ["A", "B", "A"]
    assert [breaker("A", g, 1) for g in (1, 2, 3)] == ["A", "B", "A"]


@pytest.mark.parametrize(
    "change",
    [{"man_diameter_mm": 50.0}, {"side_mm": -1.0}, {"outer_circle_mm": 100.0}, {"base_line_mm": 700.0}],
)
def test_a_board_that_cannot_be_is_refused(change: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        CarromBoard(**change)  # type: ignore[arg-type]
