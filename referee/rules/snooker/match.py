"""Frames into games and matches: who starts, who has won, aggregate scores, snookers required.

Snooker 2.2, 2.3, 3.1(g), (h), 3.3(b), 3.4(c), 4.2(b). `next_starter` and `standing` serve matches. Only rule
cases ask who has won (`match_result`, `aggregate_result`, `forfeit_game`): a match from video does not know
how many frames were agreed, and declared facts count them in `referee.rules.common.match`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.rules.game import Side, in_turn
from referee.rules.snooker.facts import FactsError
from referee.rules.snooker.state import State, opponent, points_on_table, side, snookers_required

FORFEITED_FRAME_POINTS = 147  # 4.2(b)(iii)


@dataclass(frozen=True)
class FrameResult:
    """One finished frame: who started it, who won (None: level, with aggregate scores), and its points."""

    starter: str
    winner: str | None
    scores: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class MatchResult:
    """`frames`: frames won by A and B; `points`: their aggregate; `over` with the `winner`, if any."""

    frames: tuple[int, int]
    points: tuple[int, int]
    over: bool
    winner: str | None


def other(player: str) -> str:
    """The other side."""
    return opponent(player)


def next_starter(frames: Sequence[FrameResult]) -> Side:
    """Who starts the next frame: sides alternate (3.3(b)).

    The order is the first frame's, so that after a frame started by the wrong side the correct order
    is resumed, and one side will have started three frames running (3.3(d)(ii)).
    """
    if not frames:
        return "A"
    return in_turn("A" if side(frames[0].starter) == "A" else "B", len(frames))


def match_result(frames: Sequence[FrameResult], best_of: int) -> MatchResult:
    """The match so far, played to the best of `best_of` frames (3.1(g)(i)).

    Raises `FactsError` when `best_of` is not an odd or even positive number of frames, or when frames
    were played after the match had been won.
    """
    if best_of < 1:
        raise FactsError(f"a match needs at least one frame, got best of {best_of}")
    won = [0, 0]
    points = [0, 0]
    needed = best_of // 2 + 1
    for played, frame in enumerate(frames):
        if max(won) >= needed or played >= best_of:
            raise FactsError(f"frame {played + 1} was played after the best of {best_of} was decided")
        if frame.winner is not None:
            won["AB".index(side(frame.winner))] += 1
        points = [p + s for p, s in zip(points, frame.scores, strict=True)]
    over = max(won) >= needed or len(frames) == best_of
    winner = None if not over or won[0] == won[1] else ("A" if won[0] > won[1] else "B")
    return MatchResult((won[0], won[1]), (points[0], points[1]), over, winner)


def aggregate_result(frames: Sequence[FrameResult], total_frames: int) -> MatchResult:
    """A game of a fixed number of frames decided by the total of points (3.1(g)(ii)).

    Level after the last frame: over without a winner; the players of that frame go on with a re-spotted
    black (3.4(c)), which the frame itself does when its state says `aggregate` and `last_frame`.
    """
    if len(frames) > total_frames:
        raise FactsError(f"{len(frames)} frames were played of {total_frames}")
    won = tuple(sum(1 for f in frames if f.winner is not None and side(f.winner) == s) for s in "AB")
    points = tuple(sum(f.scores[i] for f in frames) for i in (0, 1))
    over = len(frames) == total_frames
    winner = None if not over or points[0] == points[1] else ("A" if points[0] > points[1] else "B")
    return MatchResult((won[0], won[1]), (points[0], points[1]), over, winner)


def forfeit_game(frames: Sequence[FrameResult], offender: str, best_of: int, aggregate: bool) -> MatchResult:
    """4.2(b): the offender loses the frames still needed, or with aggregate scores all remaining at 147 each.

    `frames` holds the frame in progress already, forfeited by `award_game` (4.2(b)(i)).
    """
    winner = other(offender)
    i = "AB".index(winner)
    won = [sum(1 for f in frames if f.winner is not None and side(f.winner) == s) for s in "AB"]
    points = [sum(f.scores[k] for f in frames) for k in (0, 1)]
    if aggregate:
        points[i] += FORFEITED_FRAME_POINTS * (best_of - len(frames))
        won[i] += best_of - len(frames)
    else:
        won[i] = max(won[i], best_of // 2 + 1)
    return MatchResult((won[0], won[1]), (points[0], points[1]), True, winner)


@dataclass(frozen=True)
class Standing:
    """A frame on the scoreboard: points on the table, lead, snookers that the trailing side
    needs.
    """

    points_on_table: int
    lead: int
    leader: str | None
    snookers_required: int


def standing(state: State) -> Standing:
    """The standing of a frame in progress."""
    a, b = state.scores
    leader = None if a == b else ("A" if a > b else "B")
    needed = snookers_required(state, other(leader)) if leader else 0
    return Standing(0 if state.over else points_on_table(state), abs(a - b), leader, needed)
