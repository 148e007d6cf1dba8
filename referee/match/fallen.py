"""Balls that were said to have fallen, and lie there later though no hand was seen to put them there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from referee.facts.seen import Seen, SeenHand, SeenPot, SeenStroke
from referee.match.snooker.intake import PLACED_UNSEEN


def fell_after_all(
    record: Sequence[tuple[int, Seen]], k: int, seen: SeenStroke, kinds: Collection[str]
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
            if (
                earlier.t_s < seen.start_s
            ):  # one told as the stroke runs is of a ball that nobody saw put down
                asked.discard(earlier.ball)
        elif not isinstance(earlier, SeenStroke):
            return  # set up anew, or by hands that nobody saw
        else:
            asked -= {b.ball for b in earlier.after}
            fell = [p for p in earlier.pots if p.ball in asked]
            if fell:
                yield j, replace(earlier, pots=tuple(_weighed(p) if p in fell else p for p in earlier.pots))
            asked -= {p.ball for p in fell} | {b.ball for b in earlier.before}


def _weighed(pot: SeenPot) -> SeenPot:
    """A pot once its ball lies on the table."""
    fell, lay = pot.confidence * PLACED_UNSEEN, 1.0 - pot.confidence
    return replace(pot, confidence=fell / (fell + lay), lies_later=True)
