"""A closed span becomes a stroke: legs solved, pots, layouts, touching balls."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import TableSpec
from tracker.ball import Ball, BallState
from tracker.events import FirstContact, PlacedBall, Pot, Reached, StrokeRecord, TouchingPair
from tracker.explain.posterior import Named
from tracker.identity.names import lying
from tracker.place import Rest
from tracker.rest.side_by_side import GapLooks
from tracker.stroke.endings import Ending, endings, put_back
from tracker.stroke.paths import solve_leg
from tracker.stroke.span import Span, hides_an_event
from tracker.stroke.under_way import under_way
from tracker.stroke.world import World

TOUCHING_RANGE_MM = 15.0
"""Gaps beyond it are not worth saying."""
MAY_HAVE_BEGUN_BEFORE = 1e-3
"""Probability of a ball that rolled in the first image from which nobody saw the stroke begin."""


@dataclass(frozen=True, slots=True)
class Solved:
    """A stroke's record with what the rows and the next phase need. `back`: balls that fell, and lie where a
    hand put them.
    """

    record: StrokeRecord
    world: World
    endings: dict[str, Ending]
    back: dict[str, Pot]


def solve_stroke(
    table: TableSpec, balls: list[Ball], span: Span, found: Sequence[Named], end_s: float, gaps: GapLooks
) -> Solved:
    """Solve one span that was a stroke, but for its contacts. `found`: its explanations, which tell those,
    and how balls ended. `end_s`: time of its last image, `gaps`: looks at balls side by side.
    """
    began_before = under_way(span.movers)
    beginning_unseen = began_before > MAY_HAVE_BEGUN_BEFORE
    gap = span.gap or beginning_unseen
    pieces = balls[0].pieces if balls else SNOOKER
    world = _world(table, balls, span, pieces)
    unseen = span.unseen or beginning_unseen or hides_an_event(span, world, balls)
    ended = endings([b for b in balls if b.state is BallState.LEFT], found)
    there = [b for b in balls if b.state is BallState.REST and not b.stays_down]
    back = put_back(there, found)
    down = [*(e.pot for e in ended.values() if e.pot is not None), *back.values()]
    pots = sorted(down, key=lambda p: p.t_s)
    start, end = _times(world, pots, span.start_s, end_s)
    if unseen:
        end = max([end, *(b for _, b in span.losses)])
    after = lying(balls)
    record = StrokeRecord(
        start_s=start,
        end_s=end,
        before=span.before,
        after=after,
        first_contact=(FirstContact(None, None, 1.0),),
        contacts=(),
        cushions=(),
        pots=tuple(pots),
        off_table=tuple(sorted(n for n, e in ended.items() if e.off)),
        vanished=tuple(sorted([*(n for n, e in ended.items() if e.vanished), *span.vanished])),
        touching=touching(table, after, {b.name: b.rest for b in balls}, gaps, pieces),
        gap_before=gap,
        unseen=unseen,
        under_way=began_before,
        reached=tuple(_reached(world)),
    )
    return Solved(record, world, ended, back)


def _world(table: TableSpec, balls: list[Ball], span: Span, pieces: PieceSet) -> World:
    """The span's legs, each solved by itself."""
    moved = [b for b in balls if b.legs]
    played = struck_of(moved) or next((b for b in balls if b.is_cue), None)
    cue = None if played is None else played.name
    paths = {
        b.name: [solve_leg(b.name, leg, k > 0 or b.name != cue) for k, leg in enumerate(b.legs)]
        for b in moved
    }
    places = {p.ball: (p.x_mm, p.y_mm, p.sigma_mm) for p in span.before}
    return World(table, cue, paths, places, pieces)


def _reached(world: World) -> Iterator[Reached]:
    """How far each ball went, by its looks and by what is known as well of its way between them."""
    for ball, paths in world.paths.items():
        known = (p for path in paths for p in path.leg.points if p.sigma_mm < KNOWN_MM)
        ys = [*(p.y_mm for p in known), *(path.leg.y0_mm for path in paths)]
        yield Reached(ball, min(ys), max(ys))


KNOWN_MM = 5.0
"""Where a curve is drawn on to images that do not show its ball, its sigma grows to metres: what is known no
better than this says nothing of how far a ball went.
"""


def struck_of(moving: Sequence[Ball]) -> Ball | None:
    """The ball that was struck: of those that can be a cue-ball the one that left its place first."""
    cues = [b for b in moving if b.is_cue]
    return min(cues, key=lambda b: b.legs[0].t_rest_s, default=None)


AT_ONCE_S = 0.1
"""Of two balls that lie a few mm apart the one that was struck may be seen to leave this much later: it gives
its speed away at once, and creeps. Assumed.
"""


def struck_as_well(balls: Iterable[Ball], cue: Ball) -> list[Ball]:
    """The other balls that can be a cue-ball, and left their places at about the time of the one that left
    first: one of them was struck, and met the other at once.
    """
    until_s = cue.legs[0].t_rest_s + AT_ONCE_S
    return [b for b in balls if b.is_cue and b is not cue and b.legs and b.legs[0].t_rest_s < until_s]


def _times(world: World, pots: list[Pot], start_s: float, end_s: float) -> tuple[float, float]:
    starts = []
    if world.cue is not None:
        starts = [p.start.t_s for p in world.paths.get(world.cue, [])[:1] if p.start is not None]
    start = starts[0] if starts else start_s
    stops = [p.stop_s for legs in world.paths.values() for p in legs if p.segments]
    stops += [p.t_s for p in pots]
    return start, max([*stops, start], default=end_s)


def touching(
    table: TableSpec,
    layout: tuple[PlacedBall, ...],
    rests: Mapping[str, Rest],
    gaps: GapLooks,
    pieces: PieceSet = SNOOKER,
) -> tuple[TouchingPair, ...]:
    """The cue-ball with every near ball: gap between the surfaces with its sigma.

    As measured on both at once where it was; else the places say it, which know less of it.
    """
    cue: PlacedBall | None = next((p for p in layout if p.colour in pieces.struck), None)
    if cue is None:
        return ()
    out = []
    for p in layout:
        if p is cue:
            continue
        share = (pieces.size_share(p.ball) + pieces.size_share(cue.ball)) / 2
        gap = math.hypot(p.x_mm - cue.x_mm, p.y_mm - cue.y_mm) - share * table.ball_diameter_mm
        if gap < TOUCHING_RANGE_MM:
            measured = gaps.between(rests[cue.ball], rests[p.ball])
            out.append(
                TouchingPair((cue.ball, p.ball), *(measured or (gap, math.hypot(p.sigma_mm, cue.sigma_mm))))
            )
    return tuple(sorted(out, key=lambda t: t.gap_mm))
