"""A piece of another game judged: what tracker, intake, readings and rules said against what was played."""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.table.board import table_from_board
from referee.facts.judged import JudgedStroke
from referee.facts.seen import SeenBall, SeenStroke
from referee.match.games.fold import JudgedGameStroke
from referee.quality.bench.tracks.game_play import GameWorld
from referee.quality.bench.tracks.judge import (
    CERTAIN,
    FAR_MM,
    MATCH_S,
    InventedStroke,
    Said,
    TrackStroke,
    paired,
)
from referee.quality.bench.tracks.play import PlayedSpan, TrueStroke

Place = tuple[float, float]


def judge_game_piece(
    number: int,
    camera: int,
    image_hz: float,
    played: PlayedSpan,
    strokes: Sequence[JudgedStroke],
    world: GameWorld,
) -> tuple[list[TrackStroke], list[InventedStroke]]:
    """Each true stroke against the said one nearest to its start, and said ones that no true one explains."""
    left = list(strokes)
    out = []
    for k, true in enumerate(played.strokes):
        said = min(left, key=lambda s: abs(s.seen.start_s - true.t_strike_s), default=None)
        if said is None or abs(said.seen.start_s - true.t_strike_s) > MATCH_S:
            balls = len(true.flown.start)
            out.append(TrackStroke(number, k, camera, image_hz, true.t_strike_s, False, balls=balls))
            continue
        left.remove(said)
        out.append(_stroke(number, k, camera, image_hz, true, said, world))
    invented = [
        InventedStroke(number, camera, image_hz, s.seen.start_s, s.verdict == "certain") for s in left
    ]
    return out, invented


def _stroke(
    number: int,
    k: int,
    camera: int,
    image_hz: float,
    true: TrueStroke,
    said: JudgedStroke,
    world: GameWorld,
) -> TrackStroke:
    facts = Said()
    certain = said.verdict == "certain"
    start, end = true.flown.start, true.flown.end
    before, after = _on_table(said.seen.before, world), _on_table(said.seen.after, world)
    found = paired(start, before, world.kind)
    layout_right = len(found) == len(start) == len(before)
    rested = paired(end, after, world.kind)
    first = _first(facts, true, said, world)
    pots = _pots(facts, true, said, world)
    facts.add("cue_ball", said.seen.cue_ball, true.judged.seen.cue_ball, certain)
    _after(facts, end, said.seen, after, rested, certain)
    _ruling(facts, true, said, certain)
    rests = []
    for b in true.flown.paths:
        if b in rested:
            s = rested[b]
            dx, dy = s.x_mm - end[b][0], s.y_mm - end[b][1]
            rests.append((math.hypot(dx, dy), s.sigma_mm, dx, dy))
    swaps = sum(b in found and b in rested and found[b].ball != rested[b].ball for b in end)
    return TrackStroke(
        number,
        k,
        camera,
        image_hz,
        true.t_strike_s,
        True,
        said.verdict != "certain" and true.judged.verdict == "certain",
        facts.facts,
        tuple(facts.wrong),
        layout_right,
        len(start),
        *first,
        len(true.flown.contacts),
        swaps,
        *pots,
        tuple(rests),
        question_said=said.question or "" if said.verdict != "certain" else "",
    )


def _on_table(layout: Sequence[SeenBall], world: GameWorld) -> list[SeenBall]:
    """What was said, in the table's frame: a carrom referee speaks in the board's."""
    if not world.table.is_board:
        return list(layout)
    moved = []
    for b in layout:
        x, y = table_from_board((b.x_mm, b.y_mm), world.table)
        moved.append(SeenBall(b.ball, b.colour, x, y, b.sigma_mm, b.confidence))
    return moved


def _first(
    facts: Said, true: TrueStroke, said: JudgedStroke, world: GameWorld
) -> tuple[bool | None, bool, bool, float | None, float]:
    """(right, certain, question about it, time error, time allowed)."""
    want = true.judged.seen.first_contact[0]
    got = said.seen.first_contact[0] if said.seen.first_contact else None
    asked = said.verdict != "certain" and "first_contact" in {f for c in said.candidates for f, _ in c.facts}
    if got is None:
        return None, False, asked, None, 0.005
    certain = said.verdict == "certain" and got.confidence >= CERTAIN
    names = [None if f.ball is None else world.kind(f.ball) for f in (got, want)]
    right = facts.add("first_contact", names[0], names[1], certain)
    dt = None
    if right and got.t_s is not None and want.t_s is not None:
        dt = got.t_s - want.t_s
    return right, certain, asked, dt, 0.005


def _pots(facts: Said, true: TrueStroke, said: JudgedStroke, world: GameWorld) -> tuple[int, int, int]:
    """(true pots, found with their pocket, false ones); the cue-ball's are told by its fate."""
    struck = world.pieces.struck if len(world.pieces.struck) == 1 else frozenset[str]()
    left = [(world.kind(b), p) for b, p, _ in true.flown.pots if world.kind(b) not in struck]
    n, right, false = len(left), 0, 0
    certain = said.verdict == "certain"
    got = [p for p in said.seen.pots if p.confidence >= 0.5 and world.kind(p.ball) not in struck]
    for pot in got:
        what = (world.kind(pot.ball), pot.pocket)
        known = what if what in left else next((w for w in left if w[0] == what[0] and what[1] is None), None)
        sure = certain and pot.confidence >= CERTAIN
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


def _after(
    facts: Said,
    end: dict[str, Place],
    seen: SeenStroke,
    after: Sequence[SeenBall],
    rested: dict[str, SeenBall],
    certain: bool,
) -> None:
    """Every piece said at rest afterwards, and every true one not said."""
    owner = {id(s): b for b, s in rested.items()}
    for s in after:
        b = owner.get(id(s))
        if b is None:
            facts.add("ball_at_rest", f"{s.ball} at {s.x_mm:.0f} {s.y_mm:.0f}", "none", certain)
            continue
        far = math.hypot(s.x_mm - end[b][0], s.y_mm - end[b][1])
        wrong = far > max(FAR_MM, 4 * s.sigma_mm)
        facts.add("ball_at_rest", f"{far:.0f} mm off" if wrong else "there", "there", certain)
    for b in end.keys() - rested.keys():
        if b not in seen.vanished:
            facts.add("ball_at_rest", "gone", f"{b} at {end[b][0]:.0f} {end[b][1]:.0f}", certain)


def _ruling(facts: Said, true: TrueStroke, said: JudgedStroke, certain: bool) -> None:
    """Striker, foul, score and who is next, where the rack stood right before: an earlier mistake is not
    counted again.
    """
    want = true.judged
    assert isinstance(said, JudgedGameStroke) and isinstance(want, JudgedGameStroke)
    if said.state_before != want.state_before:
        return
    certain = certain and want.verdict == "certain"
    facts.add("striker", said.striker, want.striker, certain)
    fouls = [f.clause if f else None for f in (said.foul, want.foul)]
    facts.add("foul", fouls[0], fouls[1], certain)
    facts.add("score", said.score, want.score, certain)
    facts.add("next", said.next_striker, want.next_striker, certain)
    facts.add("rack_over", said.rack_over, want.rack_over, certain)
