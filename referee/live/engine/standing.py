"""What the fold's position and outputs say to a scoreboard. Pure: records in, published values out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from calibration.table.specs import TableSpec
from referee.facts.judged import Candidate, FrameRecord, JudgedStroke
from referee.facts.seen import SeenBall
from referee.geometry import BallAt, spot_occupied
from referee.live.engine.state import (
    DueColour,
    LiveAnswer,
    LiveFoul,
    LiveFrame,
    LivePlayer,
    LiveQuestion,
    LiveRuling,
    Phase,
    Side,
)
from referee.match.snooker.fold import points_left
from referee.match.snooker.position import Position
from referee.match.snooker.readings import colour_of
from referee.outputs.convert import stroke_json
from referee.outputs.document import Match
from referee.outputs.report import means_words, plain
from referee.outputs.words import ball_words, question_words, ruling_words
from referee.rules.snooker import ANY_COLOUR, Pending, State
from referee.rules.snooker.facts import COLOURS, Placement
from referee.rules.snooker.match import standing

_PLACED_MM = 30.0
"""A colour this near to its due place was put there; how exactly is the spotting check's matter."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The match part of a live state; the fields are named as there."""

    phase: Phase
    players: tuple[LivePlayer, LivePlayer]
    winner: Side | None
    frames: tuple[LiveFrame, ...]
    frame: int
    score: tuple[int, int]
    break_points: int
    striker: Side | None
    ball_on: str | None
    balls_on: tuple[str, ...]
    free_ball: bool
    touching: tuple[str, ...]
    in_hand: bool
    reds: int | None
    remaining: int | None
    lead: int
    leader: Side | None
    snookers_required: int
    options: tuple[str, ...]
    respots: tuple[DueColour, ...]


def standing_of(
    position: Position,
    names: tuple[str, str],
    best_of: int | None,
    best_breaks: tuple[int, int],
    table: TableSpec,
    layout: Sequence[SeenBall],
) -> Standing:
    """The standing at a position of the fold. `layout`: the balls at rest now."""
    state, frames = position.state, frames_of(position)
    playing = state is not None and not state.over and not position.practice
    won = frames_won(position)
    winner = match_winner(won, best_of)
    a, b = score = position.score
    now = standing(state) if state is not None and playing else None
    return Standing(
        phase=_phase(position, winner),
        players=(
            LivePlayer("A", names[0], a, won[0], best_breaks[0]),
            LivePlayer("B", names[1], b, won[1], best_breaks[1]),
        ),
        winner=winner,
        frames=frames,
        frame=frames[-1].n if frames else 0,
        score=score,
        break_points=state.break_points if state is not None and playing else 0,
        striker=_side(state.striker)
        if state is not None and playing and state.pending is not Pending.LOTS
        else None,
        ball_on=state.ball_on if state is not None and playing else None,
        balls_on=_balls_on(state) if state is not None and playing else (),
        free_ball=state.free_ball if state is not None and playing else False,
        touching=state.touching if state is not None and playing else (),
        in_hand=state.in_hand if state is not None and playing else False,
        reds=state.reds if state is not None and playing else None,
        remaining=points_left(state) if state is not None and playing else None,
        lead=abs(a - b),
        leader=None if a == b else "A" if a > b else "B",
        snookers_required=now.snookers_required if now is not None else 0,
        options=_options(state) if state is not None and playing else (),
        respots=tuple(_due(p, position, table, layout) for p in position.due) if playing else (),
    )


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
    if known is None:
        return None
    side = _side(known)
    return side if steps % 2 == 0 else "B" if side == "A" else "A"


def _frame(f: FrameRecord, starter: Side | None) -> LiveFrame:
    return LiveFrame(f.n, f.first_stroke, starter, f.score, _side(f.winner) if f.winner else None, f.ended)


def _phase(position: Position, winner: Side | None) -> Phase:
    if winner is not None:
        return "match_over"
    if position.practice:
        return "practice"
    if position.state is None:
        return "waiting"
    return "between_frames" if position.state.over else "frame"


def _side(player: str) -> Side:
    return "A" if player[0] == "A" else "B"


def _balls_on(state: State) -> tuple[str, ...]:
    """Colours that may be struck first without a foul; any of them with a free ball (3.10)."""
    on = state.ball_on
    if on is None:
        return ()
    if state.free_ball:
        return (*(("red",) if state.reds else ()), *state.colours)
    return tuple(c for c in COLOURS if c in state.colours) if on == ANY_COLOUR else (on,)


def _options(state: State) -> tuple[str, ...]:
    if state.pending is not Pending.AFTER_FOUL or state.offence is None:
        return ()
    return tuple(o.value for o in state.offence.options)


def _due(place: Placement, position: Position, table: TableSpec, layout: Sequence[SeenBall]) -> DueColour:
    x, y = place.xy_mm
    lying = next((b for b in layout if b.ball == place.ball), None)
    placed = any(h.ball == place.ball and h.to_mm is not None for h in position.hands) or (
        lying is not None and math.hypot(lying.x_mm - x, lying.y_mm - y) < _PLACED_MM
    )
    own = place.spot == place.ball
    others = position.last.output.seen.after if position.last is not None else tuple(layout)
    at = [BallAt(b.ball, b.colour, b.x_mm, b.y_mm, b.sigma_mm) for b in others if b.ball != place.ball]
    taken = () if own else tuple(b.ball for b in at if spot_occupied(place.ball, [b], table).likely)
    where = f"the {place.spot} spot" if place.spot else "beside its own spot"
    text = f"{place.ball} to its own spot" if own else f"{place.ball} to {where}: its own is occupied"
    return DueColour(place.ball, place.spot, x, y, place.clause, own, taken, placed, text)


def ruling_of(
    s: JudgedStroke, names: tuple[str, str], provisional: bool, ready_s: float, end_utc: str
) -> LiveRuling:
    """A judged stroke as published."""
    first = s.seen.first_contact[0].ball if s.seen.first_contact else None
    kind = "unruled" if s.striker is None else "foul" if s.foul else "points" if s.points else "no_score"
    foul = None
    if s.foul is not None:
        to = _side(s.foul.penalty_to) if s.foul.penalty_to else None
        foul = LiveFoul(s.foul.clause, s.foul.reason, s.foul.penalty, to)
    return LiveRuling(
        stroke=s.n,
        frame=s.frame,
        entry=None if provisional else s.entry,
        provisional=provisional,
        start_s=s.seen.start_s,
        end_s=s.seen.end_s,
        ready_s=ready_s,
        end_utc=end_utc,
        kind=kind,  # type: ignore[arg-type]  # one of the four literals above
        striker=_side(s.striker) if s.striker else None,
        ball_on=s.ball_on,
        nominated=s.nominated,
        first_contact=first,
        potted=tuple(p.ball for p in s.seen.pots),
        foul=foul,
        miss=s.miss,
        points=s.points,
        score=s.score,
        break_points=s.break_points,
        free_ball=s.next_free_ball,
        touching=s.touching,
        next_striker=_side(s.next_striker) if s.next_striker else None,
        next_ball_on=s.next_ball_on,
        options=s.options,
        verdict=s.verdict,
        text=ruling_text(s, names),
    )


def ruling_text(s: JudgedStroke, names: tuple[str, str]) -> str:
    """The ruling in a referee's words: what scored or was fouled, and what it means for the next stroke."""
    match = _named(names)
    parts = [ruling_words(match, stroke_json(s))]
    parts += ["free ball"] if s.next_free_ball else []
    parts += [f"touching ball: {', '.join(ball_words(b) for b in s.touching)}"] if s.touching else []
    parts += [
        f"{ball} to the {spot} spot"
        if spot and spot != ball
        else f"{ball} beside its spot"
        if spot is None
        else f"{ball} to its spot"
        for ball, spot, _, _, _ in s.due
    ]
    return "; ".join(parts)


def question_of(s: JudgedStroke, names: tuple[str, str], utc: str) -> LiveQuestion:
    """The open question of a referee's call."""
    match = _named(names)
    answers = tuple(_answer(k, c, match) for k, c in enumerate(s.candidates))
    return LiveQuestion(
        f"stroke-{s.entry}",
        "facts",
        s.n,
        s.entry,
        question_words(match, stroke_json(s)),
        answers,
        s.seen.start_s,
        s.seen.end_s,
        None,
        utc,
    )


def choice_question(
    s: JudgedStroke, chooser: Side, options: Sequence[str], names: tuple[str, str], utc: str
) -> LiveQuestion:
    """What a player wants after a foul: one press, or whatever the next stroke shows."""
    answers = tuple(
        LiveAnswer(k, o.replace("_", " "), "", 1 / len(options), None) for k, o in enumerate(options)
    )
    name = names["AB".index(chooser)]
    return LiveQuestion(
        f"choice-{s.entry}",
        "choice",
        s.n,
        s.entry,
        f"What does {name} choose?",
        answers,
        s.seen.start_s,
        s.seen.end_s,
        None,
        utc,
    )


def _answer(index: int, c: Candidate, match: Match) -> LiveAnswer:
    label = plain({**dict(c.facts), **dict(c.also)})
    means = {
        "foul": None
        if c.foul is None
        else {"clause": c.foul.clause, "penalty": c.foul.penalty, "penalty_to": c.foul.penalty_to},
        "miss": c.miss,
        "free_ball": c.free_ball,
        "points": c.points,
        "next_striker": c.next_striker,
        "next_ball_on": c.next_ball_on,
    }
    return LiveAnswer(index, label, means_words(match, means), c.weight, c.score)


def _named(names: tuple[str, str]) -> Match:
    """As much of a match as the words about a stroke need: who the players are."""
    return cast("Match", {"players": list(names)})


__all__ = [
    "Standing",
    "choice_question",
    "colour_of",
    "frames_of",
    "frames_won",
    "match_winner",
    "question_of",
    "ruling_of",
    "standing_of",
]
