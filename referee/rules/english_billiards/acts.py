"""English billiards: what happens without a stroke (3.5, 3.6(b), 3.7, 3.8(d), 3.9, 3.10, 3.12, sections 4 and
5).

Each act is `(state, ...) -> (state, ruling)`; a person enters it, the engine applies its consequences.
"""

from __future__ import annotations

from typing import Literal

from referee.rules.english_billiards.engine import ended_by_time, penalise
from referee.rules.english_billiards.types import (
    Ball,
    Reason,
    RedState,
    Ruling,
    Side,
    State,
    other,
    side_of,
)
from referee.rules.game import FactsError
from referee.rules.records import replace

NOTED_RULES = frozenset(("1.4", "3.19", "4.4", "4.5", "5.1", "5.2", "5.4"))


def _ruling(state: State, reason: Reason, words: tuple[str, ...] | None = None) -> Ruling:
    said = words if words is not None else (reason.words,) if reason.words else ()
    return Ruling(
        reason,
        scores=state.scores,
        break_points=state.break_points,
        next_striker=None if state.over else state.striker,
        in_hand=state.striker_in_hand,
        options=state.options,
        words=said,
        game_over=state.over,
        winner=state.winner,
    )


def award_game(state: State, against: Side) -> tuple[State, Ruling]:
    """4.2, 4.3: the game goes to the other side; to points it becomes target to nil, to time the match
    goes.
    """
    winner = other(against)
    target = state.rules.target
    scores = state.scores
    if target is not None:
        scores = (target, 0) if winner == "A" else (0, target)
    after = replace(state, scores=scores, over=True, winner=winner, options=())
    return after, replace(_ruling(after, Reason.AWARDED), match_forfeited=target is None)


def concede(state: State, by: str, accepted: bool) -> tuple[State, Ruling]:
    """4.6: only the striker may concede; refused, it is null and void. FactsError for anybody else."""
    if by != state.striker:
        raise FactsError(f"only the striker {state.striker!r} may concede (4.6), got {by!r}")
    if not accepted:
        return state, _ruling(state, Reason.CONCESSION_REFUSED)
    after = replace(state, over=True, winner=other(side_of(by)), options=())
    return after, _ruling(after, Reason.CONCEDED)


def call_time(state: State, final_session: bool) -> tuple[State, Ruling]:
    """3.5(a), (b): TIME between two strokes; another session goes on from this position."""
    after = ended_by_time(state) if final_session else state
    return after, _ruling(after, Reason.TIME)


def foul_without_stroke(state: State, by: str, reason: Reason) -> tuple[State, Ruling]:
    """3.14(l), (o), (p), 3.15(a): the turn ends at once, two points to the other side."""
    if reason not in (Reason.BALL_TOUCHED, Reason.CONFERRED, Reason.NON_STANDARD_CUE, Reason.OUT_OF_TURN):
        raise FactsError(f"expected a foul that needs no stroke, got {reason.code!r}")
    return penalise(state, side_of(by), reason)


def tip_touched_cue_ball(state: State, attempting_stroke: bool) -> tuple[State, Ruling]:
    """3.6(b): positioning from in-hand; a touch without attempt leaves the ball out of play, else a foul."""
    if attempting_stroke or not state.striker_in_hand:
        return penalise(state, state.side, Reason.BALL_TOUCHED)
    return state, _ruling(state, Reason.CANCELLED_TOUCH)


def warn_time_wasting(state: State) -> tuple[State, Ruling]:
    """4.1: the striker is warned; going on is unfair conduct (4.2, `award_game`)."""
    return state, _ruling(state, Reason.TIME_WASTING)


def reposition(state: State, balls: tuple[Ball, ...]) -> tuple[State, Ruling]:
    """3.12, 3.11(a), 3.18: balls moved by other than the striker, or by faulty equipment, go back; no
    penalty.
    """
    return state, replace(_ruling(state, Reason.REPOSITIONED), replaced=balls)


def edge_fall(state: State, ball: Ball) -> tuple[State, Ruling]:
    """3.11(a): a ball fell from the edge while no stroke was in progress: replaced, points stand."""
    return state, replace(_ruling(state, Reason.EDGE_FALL), replaced=(ball,))


def announce(state: State, what: Literal["hazards", "cannons"]) -> tuple[State, Ruling]:
    """3.9(a), 3.10(a): the announcement came late; five more are allowed from here."""
    if what == "hazards":
        return replace(state, hazards_at=state.hazards), _ruling(state, Reason.ANNOUNCED, ("TEN HAZARDS",))
    return replace(state, cannons_at=state.cannons), _ruling(state, Reason.ANNOUNCED, ("SEVENTY CANNONS",))


def tell(state: State, what: Literal["red_pots", "hazards", "cannons"]) -> tuple[State, Ruling]:
    """3.8(d), 3.9(b), 3.10(b): the referee tells the striker a count on request."""
    count = {"red_pots": state.red.pots, "hazards": state.hazards, "cannons": state.cannons}[what]
    return state, _ruling(state, Reason.TOLD, (str(count),))


def red_touched(state: State) -> tuple[State, Ruling]:
    """3.8(f): another ball touched the spotted red, so it is on no spot any more."""
    after = replace(state, red=RedState(None, 0, state.red.off_table))
    return after, _ruling(after, Reason.RED_TOUCHED)


def late_claim(state: State) -> tuple[State, Ruling]:
    """3.15(d): a foul neither awarded nor claimed before the next stroke is condoned."""
    return state, replace(_ruling(state, Reason.CONDONED), condoned=True)


def change_balls(state: State) -> tuple[State, Ruling]:
    """1.2(b): the set is changed by agreement or by the referee; the game goes on."""
    return state, _ruling(state, Reason.BALLS_CHANGED)


def note(state: State, clause: str, text: str = "") -> tuple[State, Ruling]:
    """A rule that software cannot enforce (equipment, positions of persons, duties): only written down.

    Raises FactsError for a rule that is not one of `NOTED_RULES`.
    """
    if clause not in NOTED_RULES:
        raise FactsError(f"expected a rule that is only noted, one of {sorted(NOTED_RULES)}, got {clause!r}")
    return state, _ruling(state, Reason.NOTED, tuple(w for w in (f"Noted, rule {clause}", text) if w))
