"""Carrom: laws that hold over every combination and over random matches, case files, coverage."""

from __future__ import annotations

import itertools
import pathlib
import random
from dataclasses import replace

from calibration.table.board import MEN_EACH
from referee.cases.runner import run_files
from referee.rules.carrom import acts
from referee.rules.carrom import engine as game
from referee.rules.carrom.engine import breaker
from referee.rules.carrom.types import Men, Queen, Ruling, State, Stroke, index, other


def check(state: State, stroke: Stroke) -> tuple[State, Ruling]:
    """One stroke and the laws that hold for every stroke."""
    after, ruling = game.judge_stroke(state, stroke)
    me, them = index(stroke.by), index(other(stroke.by))
    for men in after.men:
        assert 0 <= men.on_board <= MEN_EACH
    gained = (after.scores[0] - state.scores[0], after.scores[1] - state.scores[1])
    assert sum(gained) == ruling.points <= 12
    if ruling.board_over:
        assert (
            ruling.points >= 1 and ruling.board_winner is not None and gained[index(ruling.board_winner)] >= 1
        )
        assert after.men[0].outstanding == after.men[1].outstanding == 0  # 55
        return after, ruling
    assert gained == (0, 0) and all(men.on_board for men in after.men)
    back = ruling.returned
    total = (
        sum(m.on_board for m in state.men) - stroke.own - stroke.opponent + back.own + back.due + back.penalty
    )
    assert total == sum(m.on_board for m in after.men)  # C/m are conserved
    owed = state.men[me].outstanding + state.men[them].outstanding + ruling.due + ruling.penalty
    assert owed - back.due - back.penalty == sum(ruling.outstanding)  # dues never vanish (89(a))
    if not stroke.proper:
        assert ruling.next_turn == other(stroke.by)
    if not (stroke.own or stroke.queen or state.break_open):
        assert ruling.next_turn == other(stroke.by)  # 48
    assert (after.queen is Queen.TO_BE_COVERED) <= (ruling.next_turn == stroke.by)
    return after, ruling


def test_every_combination_of_facts() -> None:
    played = 0
    for a, b, queen, own, opponent, q, striker, proper, due in itertools.product(
        (1, 2, 5, 9),
        (1, 2, 9),
        Queen,
        (0, 1, 2),
        (0, 1, 2),
        (False, True),
        (False, True),
        (False, True),
        (0, 1, 2),
    ):
        if own > a or opponent > b or (q and queen is not Queen.ON_BOARD):
            continue
        state = State(
            men=(Men("white", a, due, a < 9), Men("black", b, due, b < 9)), queen=queen, scores=(20, 23)
        )
        check(state, Stroke("A", proper, own, opponent, q, striker))
        played += 1
    assert played > 5_000


def random_stroke(rng: random.Random, state: State) -> Stroke:
    mine, theirs = state.of(state.turn), state.of(other(state.turn))
    return Stroke(
        by=state.turn,
        proper=rng.random() > 0.07,
        own=min(rng.choice((0, 0, 1, 1, 2)), mine.on_board),
        opponent=min(rng.choice((0, 0, 0, 0, 1)), theirs.on_board),
        queen=state.queen is Queen.ON_BOARD and rng.random() < 0.15,
        striker=rng.random() < 0.1,
    )


def play_game(seed: int) -> tuple[list[State], Ruling]:
    """Boards at random until the game is over: every state, and the last ruling."""
    rng, states = random.Random(seed), list[State]()
    scores, number = (0, 0), 1
    while True:
        board, _ = acts.call_play(game.opening(breaker("A", 1, number), scores, number))
        for _ in range(2_000):
            board, ruling = check(board, random_stroke(rng, board))
            states.append(board)
            if board.over:
                break
        assert board.over, "a board ends"
        if board.extra_demandable and board.winner is not None:
            board, ruling = acts.demand_extra(board, board.winner, rng.randint(0, board.extra_demandable))
        if ruling.game_over:
            return states, ruling
        scores, number = board.scores, number + 1


def test_random_games_end_and_replay_exactly() -> None:
    for seed in range(25):
        states, last = play_game(seed)
        assert max(last.scores) >= 25 or last.scores[0] != last.scores[1]
        assert last.game_winner == ("A" if last.scores[0] > last.scores[1] else "B")
        assert (states, last) == play_game(seed)


def test_nothing_is_judged_after_the_end() -> None:
    over = replace(game.opening("A"), over=True)
    for call in (
        lambda: game.judge_stroke(over, Stroke("A")),
        lambda: acts.violation(over, "A", acts.Phase.BEFORE_FIRST_STROKE),
        lambda: acts.fell_at_mouth(over, "white"),
        lambda: game.judge_stroke(game.opening("A"), Stroke("B")),
        lambda: game.judge_stroke(game.opening("A"), Stroke("A", own=10)),
    ):
        try:
            call()
        except ValueError as error:
            assert str(error)
        else:
            raise AssertionError("expected a ValueError")


def test_case_files_pass() -> None:
    results = run_files([pathlib.Path(__file__).parents[2] / "cases" / "carrom.jsonl"])
    assert len(results) >= 48
    assert [(r.id, r.differences, r.error) for r in results if r.outcome != "passed"] == []
