"""A later layout weighs the explanations of a stroke anew, where it was in doubt which balls fell.

A ball that did not fall and is not there is still hidden. One that fell and is there was put back in no
image. The cue-ball lies where a hand puts one that fell, or does not. The stroke's facts follow from the new
weights.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from calibration.table.pieces import SNOOKER, PieceSet, colour_of
from calibration.table.specs import PointMm, TableSpec
from referee.facts.seen import SeenBall, SeenExplanation, SeenPot, SeenStroke
from referee.geometry import BallAt, in_d
from referee.match.accounts import or_fell, or_lay, reweighed
from referee.match.priors import (
    CHANCE_IN_D,
    IN_HAND,
    PLACED_OUTSIDE,
    PLACED_UNSEEN,
    STILL_HIDDEN,
    TAKEN_FOR_PLACED,
)
from tracker.events import PlacedBall

SURE_POT = 0.9995
"""A pot seen with less confidence waits for the next layout: a ruling is certain only where all else weighs
less than 1 in 1,000."""
LIKELY_POT = 0.5
"""A ball seen to go to a pocket with at least this confidence did not stay where it lay."""
NEAR_SPOT_MM = 60.0
FAR_FROM_D_MM = 150.0
"""Nobody places a cue-ball in-hand this far outside the D: it was not in-hand at all."""


def with_next_layout(
    stroke: SeenStroke,
    layout: tuple[SeenBall, ...],
    back: frozenset[str],
    table: TableSpec,
    pieces: PieceSet = SNOOKER,
) -> SeenStroke:
    """The stroke once the layout before the next one is known. `back`: what a hand has put there since."""
    cue = pieces.only_cue
    there = _lying(stroke, layout, back, table.spots if pieces == SNOOKER else {})
    vanished = [b for b in stroke.vanished if b != cue]
    gone = [b for b in vanished if b not in there]
    pots = (*stroke.pots, *(stroke.explained_fall(b) or SeenPot(b, None, None, 0.0) for b in gone))
    left = [p.ball for p in pots if p.ball not in there]
    lying = [b for b in (*vanished, *(p.ball for p in stroke.pots if p.ball != cue)) if b in there]
    cue_open = _cue_ball_open(stroke, cue)
    fallen, lay = _cue_ball_there(layout, back, table, pieces) if cue_open else (1.0, 1.0)

    def likelihood(e: SeenExplanation) -> float:
        fell = [b for b, _, _ in e.pots if b != cue]
        cue_ball = fallen if len(fell) < len(e.pots) else lay
        # what left otherwise and lies there was put back, too
        return lies_so([*fell, *(b for b in e.gone if b in lying)], left, lying, back) * cue_ball

    unsaid = [*gone, pieces.cue] if cue_open else gone
    stroke = or_lay(or_fell(replace(stroke, pots=pots), unsaid, pieces), lying)
    stroke = reweighed(stroke, likelihood, pieces)
    if cue_open and stroke.cue_ball == "on_table":
        lying.append(pieces.cue)
    return _with_layout(stroke, layout, there, lying)


def _with_layout(
    stroke: SeenStroke, layout: tuple[SeenBall, ...], there: Collection[str], lying: Collection[str]
) -> SeenStroke:
    """The stroke with the balls in its layout after it that lie there now (`lying`), and the pots that these
    (`there`) leave.
    """
    pots = tuple(
        replace(p, lies_later=p.ball in there)
        for p in stroke.pots
        if p.ball not in there or p.confidence >= LIKELY_POT
    )
    known = {b.ball for b in stroke.after} | {p.ball for p in pots}
    after = (*stroke.after, *(b for b in layout if b.ball in lying and b.ball not in known))
    return replace(stroke, vanished=(), after=after, pots=pots, sights=(), places=())


def _cue_ball_open(stroke: SeenStroke, cue: str | None) -> bool:
    """Whether it is in doubt that the cue-ball fell."""
    unsure = stroke.cue_ball == "pocketed" and stroke.cue_ball_confidence < SURE_POT
    return cue is not None and (unsure or cue in stroke.vanished)


def lies_so(
    fell: Sequence[str], left: Sequence[str], lying: Sequence[str], back: Collection[str] = ()
) -> float:
    """Likelihood of a later layout, if the balls `fell` in a stroke, or left the table otherwise.

    `left`: its balls that are not on the table in that layout; `lying`: those that are. `back`: balls that a
    hand was seen to put there. A ball that did not fall and is not there is still hidden; one that fell and
    is there was put back in no image. Balls of a kind are interchangeable.
    """
    found = 1.0
    for kind in {colour_of(b) for b in (*left, *lying)}:
        down, gone, there, put = (
            sum(colour_of(b) == kind for b in balls) for balls in (fell, left, lying, back)
        )
        hidden = max(gone - down, 0)
        found *= STILL_HIDDEN**hidden * TAKEN_FOR_PLACED ** min(hidden, put)
        found *= PLACED_UNSEEN ** min(max(down - gone, 0), there)
    return found


def _cue_ball_there(
    layout: Sequence[SeenBall], back: Collection[str], table: TableSpec, pieces: PieceSet
) -> tuple[float, float]:
    """How likely the cue-ball is found as it is before the next stroke, if it fell and if it did not.

    One that fell is put back by a hand (`back`), in snooker within the D. One that reappears from under a
    cover may be taken for put down.
    """
    lies, placed = next((b for b in layout if b.ball == pieces.cue), None), pieces.cue in back
    if lies is None:
        return 1.0, STILL_HIDDEN
    if pieces.discs:
        return 1.0, 1.0  # a striker is put down before every stroke
    fallen, lay = (
        (1.0, TAKEN_FOR_PLACED if pieces == SNOOKER else IN_HAND) if placed else (PLACED_UNSEEN, 1.0)
    )
    within = lies_in_d(lies, table) if pieces == SNOOKER else None
    if within is not None:
        return fallen * max(within, PLACED_OUTSIDE), lay * CHANCE_IN_D
    if pieces == SNOOKER:
        return fallen * PLACED_OUTSIDE, lay * (1.0 - CHANCE_IN_D)
    return fallen, lay


def _lying(
    stroke: SeenStroke, layout: tuple[SeenBall, ...], back: frozenset[str], spots: Mapping[str, PointMm]
) -> frozenset[str]:
    """Balls of the next layout that have been on the table all the time.

    A colour that was on its spot before the stroke and is again: back from a pocket if it was seen to go to
    one.
    """
    earlier = {b.ball: b for b in stroke.before}
    left = {p.ball for p in stroke.pots if p.pocket is not None and p.confidence >= LIKELY_POT}
    found = set()
    for b in layout:
        spot, was = spots.get(b.ball), earlier.get(b.ball)
        spotted = spot is not None and math.dist((b.x_mm, b.y_mm), spot) < NEAR_SPOT_MM
        stayed = was is not None and math.dist((b.x_mm, b.y_mm), (was.x_mm, was.y_mm)) < NEAR_SPOT_MM
        if b.ball not in back and (not spotted or (stayed and b.ball not in left)):
            found.add(b.ball)
    return frozenset(found)


def lies_in_d(white: SeenBall | PlacedBall | None, table: TableSpec) -> float | None:
    """Weight that the cue-ball lies on or within the lines of the D; None without a D or cue-ball.

    None too when it lies so far away that it cannot have been placed for a stroke from in-hand.
    """
    if white is None or table.baulk_line_mm is None:
        return None
    answer = in_d(BallAt("white", "white", white.x_mm, white.y_mm, white.sigma_mm), table)
    return answer.probability if answer.margin_mm > -FAR_FROM_D_MM else None
