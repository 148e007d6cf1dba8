"""One span of activity: from the first ball that leaves its place until all is still again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from calibration.table.specs import PointMm
from tracker.ball import Ball, BallState
from tracker.events import Layout, PlacedBall, PossibleBall, SpanExplanation, TrackerEvent
from tracker.explain import priors
from tracker.explain.solver import Explanation
from tracker.identity.names import placed
from tracker.stroke.under_way import Mover
from tracker.stroke.world import World
from vision.observation import Observation

BESIDE_LOSS_S = 0.05
"""An event of which the images end or begin this near a loss may have been in it."""


@dataclass(slots=True)
class Span:
    """What the tracker keeps while something moves; dropped when the span is closed."""

    start_s: float
    before: Layout
    possible: tuple[PossibleBall, ...] = ()  # what lay there besides
    unnamed: tuple[Observation, ...] = ()  # of it what is surely a ball
    down: dict[str, int] = field(default_factory=dict)  # of each kind how many had left the table
    times: list[float] = field(default_factory=list)
    last_motion_s: float = 0.0  # something moved, or had not lain still for long enough yet
    rolled_s: float = 0.0  # something was seen to move
    gap: bool = False
    repeated: list[float] = field(default_factory=list)
    losses: list[tuple[float, float]] = field(default_factory=list)  # (start, end) of lost images
    lost_before: tuple[float, float] | None = None  # (start, end) of images lost just before it
    movers: tuple[Mover, ...] = ()  # what tells whether it had begun before the first image of all
    unseen: bool = False  # a part of it fell into a span without usable images
    rolled: bool = False  # something without a name rolled
    rolling: bool = False  # the images end while something moves
    vanished: tuple[str, ...] = ()  # gone after that span, and not seen to move before it
    departed: list[Ball] = field(default_factory=list)  # potted, then put back by a hand in the same span
    returned: set[str] = field(default_factory=set)
    later: list[TrackerEvent] = field(default_factory=list)  # hands' moves to be told after the stroke
    explained: dict[PointMm | None, tuple[Explanation, ...]] = field(default_factory=dict)
    """Its explanations, by where the cue-ball lay, if that was told."""


def layout_before(balls: list[Ball], seen_from_s: float = math.inf) -> Layout:
    """The layout as it was before the balls that have just left their places did. `seen_from_s`: from when on
    the span's images tell; of a ball that was missed before, they do not tell that.
    """
    out: list[PlacedBall] = []
    there = [b for b in balls if b.state is not BallState.GONE]
    for b, now in zip(there, placed(there, balls), strict=True):
        if b.before is not None:
            r = b.before
            now = PlacedBall(b.name, b.colour, r.x_mm, r.y_mm, r.place_sigma_mm, now.confidence, r.there)
        if now.there == 1.0:  # else explanations have weighed its misses
            now = replace(now, there=_there_though_missed(b, seen_from_s))
        out.append(now)
    return tuple(out)


def _there_though_missed(ball: Ball, seen_from_s: float) -> float:
    """Probability that a ball which was missed before a time lies there, and no hand has taken it."""
    if not ball.missed or ball.missed_since_s >= seen_from_s:
        return 1.0
    missed = priors.MISSED_AT_REST * priors.MISSED_AGAIN ** (ball.missed - 1)
    return missed / (missed + priors.LIFTED)


def lost_up_to_contact(span: Span, explanations: Sequence[SpanExplanation]) -> bool:
    """Whether images were lost before the first contact or about it, as the heaviest explanation has it: what
    was met first may be in none that is left.
    """
    losses = [*span.losses, *([] if span.lost_before is None else [span.lost_before])]
    met_s = explanations[0].first_t_s if explanations else None
    return any(met_s is None or start_s < met_s + BESIDE_LOSS_S for start_s, _ in losses)


def hides_an_event(span: Span, world: World, balls: list[Ball]) -> bool:
    """Whether something happened, or may have, in images that were lost: a ball set off, met something, came
    to rest or vanished there.

    A loss over which every ball only rolled on hides nothing: its way leads from one side to the other.
    """
    spans = [(e.at.lo_s, e.at.hi_s) for e in world.events]
    spans += [(p.stop_s, p.stop_s) for legs in world.paths.values() for p in legs]
    spans += [(b.seen_s, b.seen_s) for b in balls if b.state is BallState.LEFT]
    near = BESIDE_LOSS_S
    return any(lo < end + near and hi > start - near for start, end in span.losses for lo, hi in spans)
