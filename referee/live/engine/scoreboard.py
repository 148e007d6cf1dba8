"""The scoreboard of a match: phase, players, frames, the frame under way, balls.

Pure: positions of the fold and tracked balls in, published values out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from calibration.table.specs import TableSpec
from referee.facts.judged import FrameRecord
from referee.facts.seen import SeenBall
from referee.geometry import BallAt, spot_occupied
from referee.live.engine.state import DueColour, LiveBall, LiveFrame, LivePlayer, Phase, Side
from referee.match.position import Position
from referee.match.snooker.strokes import points_left
from referee.outputs.words import PLAIN
from referee.review.watching import Watch
from referee.rules.game import in_turn
from referee.rules.snooker import ANY_COLOUR, Pending, State
from referee.rules.snooker.facts import COLOURS, Placement
from referee.rules.snooker.match import standing
from tracker.ball import BallState

_PLACED_MM = 30.0
"""A colour this near to its due place was put there; the spotting check measures how exactly."""
_HIDDEN_IMAGES = 2
"""A ball at rest that was missed in this many images in a row is shown as hidden."""


@dataclass(frozen=True, slots=True)
class FrameNow:
    """The frame under way; the fields are named as in `LiveState`. The defaults say that there is none."""

    break_points: int = 0
    striker: Side | None = None
    ball_on: str | None = None
    balls_on: tuple[str, ...] = ()
    free_ball: bool = False
    touching: tuple[str, ...] = ()
    in_hand: bool = False
    reds: int | None = None
    remaining: int | None = None
    snookers_required: int = 0
    options: tuple[str, ...] = ()
    respots: tuple[DueColour, ...] = ()


NO_FRAME = FrameNow()
SIDES: tuple[Side, Side] = ("A", "B")


def frame_now(position: Position, table: TableSpec, layout: Sequence[SeenBall]) -> FrameNow:
    """The frame under way at a position of the fold. `layout`: the balls at rest now."""
    state = position.state
    if state is None or state.over or position.practice:
        return NO_FRAME
    return FrameNow(
        break_points=state.break_points,
        striker=None if state.pending is Pending.LOTS else side_of(state.striker),
        ball_on=state.ball_on,
        balls_on=_balls_on(state),
        free_ball=state.free_ball,
        touching=state.touching,
        in_hand=state.in_hand,
        reds=state.reds,
        remaining=points_left(state),
        snookers_required=standing(state).snookers_required,
        options=open_options(state),
        respots=tuple(_due(p, position, table, layout) for p in position.due),
    )


def phase_of(position: Position, winner: Side | None) -> Phase:
    """Where the match stands. `winner`: of the match."""
    if winner is not None:
        return "match_over"
    if position.practice:
        return "practice"
    if position.state is None:
        return "waiting"
    return "between_frames" if position.state.over else "frame"


def players_of(
    position: Position, names: tuple[str, str], best_breaks: tuple[int, int]
) -> tuple[LivePlayer, LivePlayer]:
    """Both sides with their score in this frame, frames won and best break of the match."""
    a, b = (
        LivePlayer(side, name, score, won, best)
        for side, name, score, won, best in zip(
            SIDES, names, position.score, frames_won(position), best_breaks, strict=True
        )
    )
    return a, b


def leader_of(score: tuple[int, int]) -> Side | None:
    """Who has more points; None at level scores."""
    a, b = score
    return None if a == b else "A" if a > b else "B"


def frames_won(position: Position) -> tuple[int, int]:
    """Frames won by A and B."""
    winners = [f.winner for f in position.frames]
    return winners.count("A"), winners.count("B")


def match_winner(won: tuple[int, int], best_of: int | None) -> Side | None:
    """Who has won more than half of the frames that there can be (snooker 3.1(g)); None while nobody has."""
    if best_of is None or max(won) < best_of // 2 + 1:
        return None
    return "A" if won[0] > won[1] else "B"


def frames_of(position: Position) -> tuple[LiveFrame, ...]:
    """The frames so far; sides start in turn (3.3(b)), as far as it is known who started the first."""
    first = position.start.striker if position.start is not None else None
    last = position.state.starter if position.state is not None else None
    count = len(position.frames)
    return tuple(_frame(f, _starter(f.n, count, first, last)) for f in position.frames)


def _starter(n: int, count: int, first: str | None, last: str | None) -> Side | None:
    known, steps = (last, count - n) if last is not None else (first, n - 1)
    return None if known is None else in_turn(side_of(known), steps)


def _frame(f: FrameRecord, starter: Side | None) -> LiveFrame:
    return LiveFrame(f.n, f.first_stroke, starter, f.score, side_of(f.winner) if f.winner else None, f.ended)


def side_of(player: str) -> Side:
    """The side of a player or of a member of a team (`A1`)."""
    return "A" if player[0] == "A" else "B"


def open_options(state: State) -> tuple[str, ...]:
    """The choices of the player at the table after a foul; empty where there is none to make."""
    if state.pending is not Pending.AFTER_FOUL or state.offence is None:
        return ()
    return tuple(o.value for o in state.offence.options)


def _balls_on(state: State) -> tuple[str, ...]:
    """Colours that may be struck first without a foul; any of them with a free ball (3.10)."""
    on = state.ball_on
    if on is None:
        return ()
    if state.free_ball:
        return (*(("red",) if state.reds else ()), *state.colours)
    return tuple(c for c in COLOURS if c in state.colours) if on == ANY_COLOUR else (on,)


def _due(place: Placement, position: Position, table: TableSpec, layout: Sequence[SeenBall]) -> DueColour:
    x, y = place.on(table)
    lying = next((b for b in layout if b.ball == place.ball), None)
    placed = any(h.ball == place.ball and h.to_mm is not None for h in position.hands) or (
        lying is not None and math.hypot(lying.x_mm - x, lying.y_mm - y) < _PLACED_MM
    )
    own = place.spot == place.ball
    others = position.last.output.seen.after if position.last is not None else tuple(layout)
    at = [BallAt(b.ball, b.colour, b.x_mm, b.y_mm, b.sigma_mm) for b in others if b.ball != place.ball]
    taken = () if own else tuple(b.ball for b in at if spot_occupied(place.ball, [b], table).likely)
    key = "to_own_spot" if own else "occupied_to_spot" if place.spot else "occupied_beside"
    text = PLAIN.t(f"ruling.{key}", ball=place.ball, spot=place.spot)
    return DueColour(place.ball, place.spot, x, y, place.clause, own, taken, placed, text)


def balls_now(watch: Watch) -> tuple[tuple[LiveBall, ...], tuple[SeenBall, ...]]:
    """The balls as they are published, and those at rest as geometry takes them."""
    found: list[LiveBall] = []
    at_rest: list[SeenBall] = []
    for b in watch.tracker.follower.balls:
        if b.state is BallState.GONE:
            continue
        x, y = b.place
        moving = b.state is not BallState.REST
        state = "moving" if moving else "hidden" if b.covered or b.missed >= _HIDDEN_IMAGES else "rest"
        sigma = watch.sigma_mm(x, y, b.rest.sigma_mm)
        found.append(LiveBall(b.name, b.colour, x, y, sigma, state))  # type: ignore[arg-type]  # of the three
        if not moving:
            at_rest.append(SeenBall(b.name, b.colour, x, y, sigma, 1.0))
    return tuple(sorted(found, key=lambda b: b.ball)), tuple(at_rest)
