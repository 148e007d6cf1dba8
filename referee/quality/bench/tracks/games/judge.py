"""A piece of another game judged: what tracker, intake, readings and rules said against what was played."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from calibration.table.board import origin_of_records_mm
from referee.facts.judged import JudgedStroke
from referee.facts.seen import SeenBall, SeenPossibleBall
from referee.match.games.fold import JudgedGameStroke
from referee.match.renaming import may_be, probability
from referee.match.weighing import CERTAIN, OPEN
from referee.quality.bench.tracks.games.play import GameWorld
from referee.quality.bench.tracks.judge import (
    ONE_BALL_MM,
    First,
    InventedStroke,
    Paired,
    Piece,
    Pots,
    Said,
    TrackStroke,
    judge_strokes,
    paired,
    rest_facts,
    seen_stroke,
)
from referee.quality.bench.tracks.play import PlayedSpan, TrueStroke

Placed = TypeVar("Placed", SeenBall, SeenPossibleBall)


def judge_game_piece(
    number: int,
    camera: int,
    image_hz: float,
    played: PlayedSpan,
    strokes: Sequence[JudgedStroke],
    world: GameWorld,
) -> tuple[list[TrackStroke], list[InventedStroke]]:
    """Every stroke of a piece of that game: see `judge_strokes`."""
    piece = Piece(number, camera, image_hz)
    return judge_strokes(piece, played, strokes, lambda k, true, said: _stroke(piece, k, true, said, world))


def _stroke(piece: Piece, k: int, true: TrueStroke, said: JudgedStroke, world: GameWorld) -> TrackStroke:
    facts = Said()
    certain = said.verdict == "certain"
    end = true.flown.end
    before, after = _on_table(said.seen.before, world), _on_table(said.seen.after, world)
    balls = Paired(paired(true.flown.start, before, world.kind), paired(end, after, world.kind))
    first = _first(facts, true, said, world)
    pots = _pots(facts, true, said, world)
    facts.add("cue_ball", said.seen.cue_ball, true.judged.seen.cue_ball, certain)
    _rests(facts, end, after, said, certain, world)
    _ruling(facts, true, said, certain)
    found = seen_stroke(piece, k, true, said, facts, balls, first, pots)
    forms, forms_wrong = _forms(true.flown.start, before, world)
    question = said.question or "" if not certain else ""
    return replace(found, question_said=question, forms=forms, forms_wrong=forms_wrong)


def _forms(
    true: Mapping[str, tuple[float, float]], before: Sequence[SeenBall], world: GameWorld
) -> tuple[int, int]:
    """Solids and stripes by their likeliest names, however open, and those of them that are the other."""
    pieces, n, wrong = world.pieces, 0, 0
    for ball in before:
        there = [b for b, at in true.items() if math.dist(at, (ball.x_mm, ball.y_mm)) < ONE_BALL_MM / 2]
        forms = {pieces.form_of(world.kind(b)) for b in (ball.ball, *there[:1])}
        if there and forms <= {"solid", "stripe"}:
            n, wrong = n + 1, wrong + (len(forms) > 1)
    return n, wrong


def _on_table(layout: Sequence[Placed], world: GameWorld) -> list[Placed]:
    """What was said, in the table's frame: a carrom referee speaks in the board's."""
    return [replace(b, y_mm=b.y_mm + origin_of_records_mm(world.table)) for b in layout]


def _first(facts: Said, true: TrueStroke, said: JudgedStroke, world: GameWorld) -> First:
    want = true.judged.seen.first_contact[0]
    got = said.seen.first_contact[0] if said.seen.first_contact else None
    asked = said.verdict != "certain" and "first_contact" in {f for c in said.candidates for f, _ in c.facts}
    if got is None:
        return None, False, asked, None, 0.005
    certain = said.verdict == "certain" and got.confidence * probability(said.seen, got.ball) >= CERTAIN
    names = [None if f.ball is None else world.kind(f.ball) for f in (got, want)]
    right = facts.add("first_contact", names[0], names[1], certain)
    dt = None
    if right and got.t_s is not None and want.t_s is not None:
        dt = got.t_s - want.t_s
    return right, certain, asked, dt, 0.005


def _pots(facts: Said, true: TrueStroke, said: JudgedStroke, world: GameWorld) -> Pots:
    """The cue-ball's are told by its fate."""
    struck = world.pieces.struck if len(world.pieces.struck) == 1 else frozenset[str]()
    left = [(world.kind(b), p) for b, p, _ in true.flown.pots if world.kind(b) not in struck]
    n, right, false = len(left), 0, 0
    certain = said.verdict == "certain"
    got = [p for p in said.seen.pots if p.confidence >= 0.5 and world.kind(p.ball) not in struck]
    for pot in got:
        what = (world.kind(pot.ball), pot.pocket)
        known = what if what in left else next((w for w in left if w[0] == what[0] and what[1] is None), None)
        sure = certain and said.seen.with_pocket(pot) * probability(said.seen, pot.ball) >= CERTAIN
        if known is None:
            false += 1
            facts.add("pot", what, tuple(left) or "none", sure)
            continue
        left.remove(known)
        right += 1
        facts.add("pot", known, known, sure)
    if left:
        facts.add("pot", "none further", tuple(left), certain)
    elif not got:
        facts.add("no_pot", "none", "none", certain)
    return n, right, false


def _rests(
    facts: Said,
    end: dict[str, tuple[float, float]],
    after: Sequence[SeenBall],
    said: JudgedStroke,
    certain: bool,
    world: GameWorld,
) -> None:
    """Every ball said at rest: by its name where that is certain, else as one of those that it may be."""
    sure = [s for s in after if probability(said.seen, s.ball) >= CERTAIN]
    rested = paired(end, sure, world.kind)
    open_ = [s for s in after if probability(said.seen, s.ball) < CERTAIN]
    left = {b: at for b, at in end.items() if b not in rested}
    for s in open_:
        names = {n for n, p in may_be(said.seen, s.ball).items() if p >= OPEN}
        near = [b for b, at in left.items() if math.dist(at, (s.x_mm, s.y_mm)) < ONE_BALL_MM]
        told = f"one of {' '.join(sorted(names))} at {s.x_mm:.0f} {s.y_mm:.0f}"
        right = [b for b in near if world.kind(b) in names]
        facts.add("ball_of_some_name", told, told if right else near or "none", certain)
        for b in near[:1]:
            del left[b]
    rest_facts(
        facts,
        {b: at for b, at in end.items() if b in left or b in rested},
        [(s, s.ball) for s in sure],
        rested,
        set(said.seen.vanished),
        certain,
        [(b.x_mm, b.y_mm) for b in _on_table(said.seen.possible, world)],
    )


def _ruling(facts: Said, true: TrueStroke, said: JudgedStroke, certain: bool) -> None:
    """Striker, foul, score and who is next, where the rack stood right before: an earlier mistake is not
    counted again. A stroke that is said to be played behind a rack's end has nobody who plays it.
    """
    want = true.judged
    assert isinstance(want, JudgedGameStroke)
    if not isinstance(said, JudgedGameStroke):
        facts.add("striker", said.striker, want.striker, certain)
        return
    if said.state_before != want.state_before:
        return
    certain = certain and want.verdict == "certain"
    facts.add("striker", said.striker, want.striker, certain)
    fouls = [f.clause if f else None for f in (said.foul, want.foul)]
    facts.add("foul", fouls[0], fouls[1], certain)
    facts.add("score", said.score, want.score, certain)
    facts.add("next", said.next_striker, want.next_striker, certain)
    facts.add("rack_over", said.rack_over, want.rack_over, certain)
