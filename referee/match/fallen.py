"""Balls that were said to have fallen, and lie there later though no hand was seen to put them there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from calibration.table.pieces import PieceSet, colour_of
from referee.facts.seen import Seen, SeenExplanation, SeenHand, SeenStroke
from referee.match.accounts import or_fell, or_lay, reweighed
from referee.match.later import lies_so

LAY_S = 0.25
"""Nobody plays so soon after a hand that puts a ball down: what is told within this before a stroke, or while
it runs, is a ball that the stroke set off. So long a ball lies before it may be struck
(`tracker.layout.hands.HELD_S`).
"""


def fell_after_all(
    record: Sequence[tuple[int, Seen]], k: int, seen: SeenStroke, kinds: Collection[str], pieces: PieceSet
) -> Iterator[tuple[int, SeenStroke]]:
    """Strokes among the first `k` of the record, by their index, with the pots that what lies there before
    the stroke `seen` speaks against: either the ball did not fall, or a hand put it back in no image.
    `kinds`: of these nothing that fell is to be put back.
    """
    asked = {b.ball for b in seen.before if b.colour in kinds}
    for j in reversed(range(k)):
        earlier = record[j][1]
        if not asked:
            return
        if isinstance(earlier, SeenHand):
            if earlier.t_s < seen.start_s - LAY_S:  # else nobody saw that ball put down
                asked.discard(earlier.ball)
        elif not isinstance(earlier, SeenStroke):
            return  # set up anew, or by hands that nobody saw
        else:
            asked -= {b.ball for b in earlier.after}
            fell = [p for p in earlier.pots if p.ball in asked and not p.lies_later]  # else it is weighed
            if fell:
                yield j, _weighed(earlier, [p.ball for p in fell], pieces)
            asked -= {p.ball for p in fell} | {b.ball for b in earlier.before}


def _weighed(stroke: SeenStroke, lying: Sequence[str], pieces: PieceSet) -> SeenStroke:
    """A stroke once balls that fell in it lie on the table."""
    kinds = {colour_of(b) for b in lying}
    left = [p.ball for p in stroke.pots if p.ball not in lying and colour_of(p.ball) in kinds]

    def likelihood(e: SeenExplanation) -> float:
        return lies_so([ball for ball, _, _ in e.pots], left, lying)

    found = reweighed(or_lay(or_fell(stroke, (), pieces), lying), likelihood, pieces)
    return replace(
        found, pots=tuple(replace(p, lies_later=p.ball in lying or p.lies_later) for p in found.pots)
    )
