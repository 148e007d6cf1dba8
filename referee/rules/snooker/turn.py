"""The consequences that all rulings share: who plays, how the frame ends, where colours go."""

from __future__ import annotations

from collections.abc import Iterable

from calibration.table.specs import SNOOKER_TABLE
from referee.rules.records import replace
from referee.rules.snooker.facts import COLOURS, VALUES, Choice, Placement
from referee.rules.snooker.ruling import FrameEnd, Ruling
from referee.rules.snooker.state import (
    Misses,
    Pending,
    State,
    following,
    index,
    opponent,
    side,
    snookers_required,
)


def due_places(colours: Iterable[str], placements: tuple[Placement, ...]) -> tuple[Placement, ...]:
    """Where colours are due: as geometry found, else their own spots (3.7); highest value first (3.7(e))."""
    found = {p.ball: p for p in placements}
    order = sorted(set(colours), key=lambda c: -VALUES[c])
    return tuple(found.get(c) or Placement(c, c, SNOOKER_TABLE.spots[c], "3.7") for c in order)


def in_order(colours: Iterable[str]) -> tuple[str, ...]:
    """Colours ascending."""
    return tuple(sorted(set(colours), key=COLOURS.index))


def add(scores: tuple[int, int], player: str, points: int) -> tuple[int, int]:
    """Scores with points added to the player's side."""
    return (scores[0] + points, scores[1]) if index(player) == 0 else (scores[0], scores[1] + points)


def advance(state: State, player: str) -> tuple[str, tuple[str, ...]]:
    """Who plays after `player`, and the turns that are still to be lost then (3.17(c))."""
    upcoming = following(state, player)
    place = state.order.index(player)
    passed = set()
    for step in range(1, len(state.order)):
        name = state.order[(place + step) % len(state.order)]
        if name == upcoming:
            break
        passed.add(name)
    return upcoming, tuple(p for p in state.skipped if p not in passed)


def after_foul(state: State, offender: str) -> tuple[str, tuple[str, ...]]:
    """The next player after a foul, and lost turns.

    The striker's foul passes the turn. Out of turn, the non-striker's side has lost nothing: the
    striker plays; four-handed the offender's partner loses a turn (3.17(c)).
    """
    if offender == state.striker:
        return advance(state, offender)
    if side(offender) == side(state.striker):  # the partner's turn, which he loses, was this one
        return advance(state, state.striker)
    partners = tuple(p for p in state.order if side(p) == side(offender) and p != offender)
    return state.striker, (*state.skipped, *partners)


def end_frame(state: State, ruling: Ruling, end: FrameEnd, winner: str | None) -> tuple[State, Ruling]:
    """The frame is over: nobody plays, nothing is on or spotted (3.7: before the next stroke).

    A cue-ball that left the table is in-hand all the same (2.9(a)).
    """
    over = replace(
        state,
        pending=Pending.OVER,
        ball_on=None,
        free_ball=False,
        winner=winner,
        break_points=0,
        offence=None,
    )
    ruled = replace(
        ruling,
        frame_over=True,
        frame_end=end,
        winner=winner,
        respot=(),
        next_striker=None,
        next_ball_on=None,
        free_ball=False,
        options=(),
        scores=over.scores,
    )
    return over, ruled


def end_on_black(state: State, ruling: Ruling) -> tuple[State, Ruling]:
    """The first score or foul with only black left: over, or black re-spotted when all is level (3.4)."""
    if _level(state):
        return _respot_black(state, ruling)
    a, b = state.scores
    winner = None if a == b else ("A" if a > b else "B")
    return end_frame(state, ruling, FrameEnd.FINAL_BLACK, winner)


def _level(state: State) -> bool:
    """Whether 3.4(b), or with aggregate scores 3.4(c), asks for a re-spotted black."""
    if not state.aggregate:
        return state.scores[0] == state.scores[1]
    totals = tuple(s + t for s, t in zip(state.scores, state.aggregate_before, strict=True))
    return state.last_frame and totals[0] == totals[1]


def _respot_black(state: State, ruling: Ruling) -> tuple[State, Ruling]:
    level = replace(
        state,
        pending=Pending.LOTS,
        ball_on="black",
        colours=("black",),
        in_hand=True,
        cue_placed=False,
        free_ball=False,
        respotted_black=True,
        break_points=0,
        offence=None,
        misses=Misses(),
        touching=(),
        spotting=None,
    )
    ruled = replace(
        ruling,
        respot=due_places(("black",), ruling.respot),
        stay_off=(),
        next_striker=None,
        next_ball_on="black",
        cue_ball_in_hand=True,
        free_ball=False,
        options=(Choice.LOTS,),
        scores=level.scores,
    )
    return level, ruled


def end_of_visit(state: State, ruling: Ruling) -> tuple[State, Ruling]:
    """Amateur 3.4(d)*: four snookers required on the colours lose the frame; not in a level last frame."""
    on_colours = state.reds == 0 and state.ball_on in COLOURS
    if not state.options.amateur_3_4_d_star or not on_colours or state.deciding_frame:
        return state, ruling
    for player in ("A", "B"):
        if snookers_required(state, player) >= 4:
            return end_frame(state, ruling, FrameEnd.SNOOKERS_REQUIRED, opponent(player))
    return state, ruling
