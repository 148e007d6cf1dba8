"""Carrom: strokes that end a board, and what they are worth (52 to 55, 102 to 112).

The laws name the cases by whose last C/m fell, by the Queen's state and by whether the stroke was proper
and the striker stayed out. Where they leave a combination open, the nearest named one decides (readings.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from referee.rules.carrom.reasons import Reason
from referee.rules.carrom.types import (
    BOARD_MAXIMUM,
    QUEEN_LIMIT,
    QUEEN_POINTS,
    Queen,
    Side,
    State,
    Stroke,
    covered_by,
    index,
    other,
)

QueenAt = Literal["on", "pocketed", "covering", "mine", "theirs"]
_SHORT = 1  # 102 to 112: what replaces the Queen's three points from 22 on


@dataclass(frozen=True)
class End:
    """A board's end: `extra` points more if the winner demands them (87(b))."""

    winner: Side
    points: int
    extra: int
    reason: Reason


def queen_points(score: int) -> int:
    """52(b)(i), 54: three up to and including 21, nothing from 22."""
    return QUEEN_POINTS if score < QUEEN_LIMIT else 0


def queen_at(state: State, stroke: Stroke) -> QueenAt:
    """The Queen as the end of a board sees it; one pocketed or being covered together with own C/m is his."""
    if state.queen is covered_by(stroke.by):
        return "mine"
    if state.queen is covered_by(other(stroke.by)):
        return "theirs"
    if state.queen is Queen.TO_BE_COVERED:
        return "covering"
    return "pocketed" if stroke.queen else "on"


def board_end(state: State, stroke: Stroke) -> End | None:
    """The end that a stroke brings; None while the board goes on."""
    me, opponent = state.of(stroke.by), state.of(other(stroke.by))
    own_last = stroke.own > 0 and me.on_board == stroke.own
    opponent_last = stroke.opponent > 0 and opponent.on_board == stroke.opponent
    if own_last and opponent_last:
        return _both_last(state, stroke)
    if opponent_last:
        return _opponent_last(state, stroke)
    return _own_last(state, stroke) if own_last else None


def _extra(stroke: Stroke) -> int:
    """One more for an improper stroke, one more for a pocketed striker, if demanded (102 to 112)."""
    return int(stroke.striker) + int(not stroke.proper)


def _clean(stroke: Stroke) -> bool:
    return stroke.proper and not stroke.striker


def _ended(state: State, winner: Side, points: int, extra: int, reason: Reason) -> End:
    return End(winner, min(points, BOARD_MAXIMUM), extra, reason)


def _three_or_one(state: State, winner: Side) -> int:
    return queen_points(state.scores[index(winner)]) or _SHORT


_BOTH_LAST: dict[tuple[QueenAt, bool], tuple[Reason, Reason]] = {
    # (Queen, striker pocketed) -> reasons (proper, improper)
    ("covering", False): (Reason.COVER_BOTH, Reason.COVER_BOTH_IMPROPER),
    ("covering", True): (Reason.QUEEN_BOTH_STRIKER, Reason.QUEEN_BOTH_STRIKER_IMPROPER),
    ("pocketed", False): (Reason.QUEEN_BOTH, Reason.QUEEN_BOTH_IMPROPER),
    ("pocketed", True): (Reason.QUEEN_BOTH_STRIKER, Reason.QUEEN_BOTH_STRIKER_IMPROPER),
    ("on", False): (Reason.BOTH_QUEEN_ON, Reason.BOTH_QUEEN_ON_IMPROPER),
    ("on", True): (Reason.BOTH_QUEEN_ON, Reason.BOTH_QUEEN_ON_IMPROPER),
    ("mine", False): (Reason.BOARD_WON, Reason.BOTH_STRIKER_MINE_IMPROPER),
    ("mine", True): (Reason.BOTH_STRIKER_MINE, Reason.BOTH_STRIKER_MINE_IMPROPER),
    ("theirs", False): (Reason.BOARD_WON, Reason.BOTH_STRIKER_THEIRS_IMPROPER),
    ("theirs", True): (Reason.BOTH_STRIKER_THEIRS, Reason.BOTH_STRIKER_THEIRS_IMPROPER),
}


def _both_last(state: State, stroke: Stroke) -> End:
    """102, 104, 105, 109, 110, 112: the last C/m of both in one stroke."""
    queen = queen_at(state, stroke)
    reason = _BOTH_LAST[queen, stroke.striker][0 if stroke.proper else 1]
    me, opponent = stroke.by, other(stroke.by)
    if queen != "on" and _clean(stroke):
        points = _SHORT if queen == "theirs" else _three_or_one(state, me)
        return _ended(state, me, points, 0, reason)
    points = _SHORT if queen == "mine" else _three_or_one(state, opponent)
    return _ended(state, opponent, points, _extra(stroke), reason)


def _opponent_last(state: State, stroke: Stroke) -> End:
    """103, 106, 111: the opponent's last C/m: lost by the C/m left, with the Queen unless it is his own.

    C/m of his own that fell in the same stroke are off the board only if the stroke was clean (73, 77).
    """
    queen = queen_at(state, stroke)
    kept = stroke.own if _clean(stroke) else 0
    if kept and queen in ("covering", "pocketed"):
        queen = "mine"  # 97(a): covered by this stroke
    winner = other(stroke.by)
    points = state.of(stroke.by).on_board - kept
    if queen != "mine":
        points += queen_points(state.scores[index(winner)])
    if queen in ("mine", "theirs"):
        reasons = (Reason.BOARD_WON, Reason.BOARD_WON)
    elif stroke.striker:
        reasons = (Reason.OPPONENT_STRIKER_QUEEN_ON, Reason.OPPONENT_STRIKER_QUEEN_ON_IMPROPER)
    elif queen == "covering":
        reasons = (Reason.COVER_OPPONENT, Reason.COVER_OPPONENT_IMPROPER)
    else:
        reasons = (Reason.OPPONENT_QUEEN_ON, Reason.OPPONENT_QUEEN_ON_IMPROPER)
    return _ended(state, winner, points, _extra(stroke), reasons[0 if stroke.proper else 1])


def _own_last(state: State, stroke: Stroke) -> End | None:
    """52, 53, 107, 108: his own last C/m; with the Queen covered an unclean stroke only brings it back."""
    queen = queen_at(state, stroke)
    opponent = other(stroke.by)
    if queen == "on":
        reasons = (
            (Reason.OWN_STRIKER_QUEEN_ON, Reason.OWN_STRIKER_QUEEN_ON_IMPROPER)
            if stroke.striker
            else (Reason.OWN_QUEEN_ON, Reason.OWN_QUEEN_ON_IMPROPER)
        )
        points = _three_or_one(state, opponent)
        return _ended(state, opponent, points, _extra(stroke), reasons[0 if stroke.proper else 1])
    if not _clean(stroke):
        return None
    left = state.of(opponent).on_board - stroke.opponent
    queen_worth = 0 if queen == "theirs" else queen_points(state.scores[index(stroke.by)])
    return _ended(state, stroke.by, left + queen_worth, 0, Reason.BOARD_WON)
