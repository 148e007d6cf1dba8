"""Which set of pieces lies on a table: the likelihood of a whole layout under each set.

One detection says little (a red ball is of snooker, pool and black ball alike); a layout with a purple
ball and five stripes is no snooker. What does not lie there counts, too: where a red lies, snooker's colours
do as well, but for practice. A rack has the shape and count of its game. A set that explains the layout a
thousand times better than the declared one is reported; no set is ever taken instead of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from calibration.table.pieces import (
    BILLIARDS,
    BILLIARDS_SPOTTED,
    BRITISH_15,
    CARROM,
    POOL_9,
    POOL_10,
    POOL_15,
    RED_YELLOW,
    SNOOKER,
    PieceSet,
)
from calibration.texts import game_title, sentence
from vision.detect.looks import Looks, look_name

F64 = npt.NDArray[np.float64]

FAMILIES: dict[str, str] = {
    SNOOKER.name: "snooker",
    BILLIARDS.name: "billiards",
    BILLIARDS_SPOTTED.name: "billiards",
    POOL_15.name: "numbered",
    POOL_10.name: "numbered",
    POOL_9.name: "numbered",
    BRITISH_15.name: "numbered",
    RED_YELLOW.name: "red_yellow",
    CARROM.name: "carrom",
}
"""Sets whose pieces people call the same, as the texts name them."""
CANDIDATES = (SNOOKER, BILLIARDS, POOL_15, RED_YELLOW, CARROM)
"""Sets that a layout may be of; nine and ten ball's are parts of fifteen balls, told by their racks."""
LEAST_SIGHT_LOGP = -5.0
"""Least log-probability of one detection under a set: a shadow or a misread piece does not decide alone."""
_TOGETHER = 2.0
"""What the looks of one picture tell counts so many times too much: its light and its coding tint all of
them. Assumed.
"""
LEAST_EVIDENCE = math.log(1000.0)  # by which another set must explain the layout better
_LEAST_BEYOND = 3
"""Pieces that only a larger set of one family explains, from which it is told: one or two may be misread."""
_EXPLAINED = math.log(0.5)  # log-probability of its look from which a piece is explained
_UNSEEN = 0.05
"""Probability that a piece which lies on the table is hidden or not detected. Assumed."""
_PRACTICE, _SOME_ALIKE, _ONE_OTHER, _FURTHER = 0.05, 0.5, 0.03, 0.3
"""Probability that nobody plays the game but practises with some of its pieces; that some of many alike are
among them; that of the others a certain one is; and each further one. Assumed."""
_JUST_THESE = 0.02
"""Probability that of a set whose pieces leave one by one just those that are seen are left. Assumed."""


@dataclass(frozen=True, slots=True)
class OtherSet:
    """A set that explains a layout better than the declared one: `explained` of `seen` pieces are its.

    `larger`: the declared set is a part of it, as nine ball's is of fifteen balls. `racked`: its rack stands
    there.
    """

    pieces: PieceSet
    explained: int
    seen: int
    larger: bool = False
    racked: bool = False

    def sentence(self, game: str) -> str:
        """The sentence for people."""
        name = "fifteen" if self.larger else FAMILIES[self.pieces.name]
        pieces = sentence(f"pieces.rack_{self.pieces.name}" if self.racked else f"pieces.{name}")
        return sentence(
            "errors.looks_like_another_game",
            pieces=pieces,
            game=game_title(game),
            explained=self.explained,
            seen=self.seen,
        )


def layout_logp(
    look_logp: F64, looks: Sequence[str], pieces: PieceSet, scheme: Looks
) -> tuple[F64, tuple[str | None, ...]]:
    """Log-probabilities (B,) of the pieces' looks (B, looks) under the best assignment to a set's kinds, and
    the kinds; None for a piece that it does not explain.

    No kind is taken more often than the set has it. A surplus piece has the least log-probability.
    """
    count = len(look_logp)
    slots = [
        (k.name, looks.index(look_name(k, look, pieces)))
        for k, look in zip(pieces.kinds, scheme, strict=True)
        for _ in range(min(k.count, count))
        if look_name(k, look, pieces) in looks
    ]
    gain = np.full((count, len(slots) + count), LEAST_SIGHT_LOGP)
    gain[:, : len(slots)] = np.maximum(look_logp[:, [look for _, look in slots]], LEAST_SIGHT_LOGP)
    rows, columns = scipy.optimize.linear_sum_assignment(gain, maximize=True)
    logp = np.asarray(gain[rows, columns], np.float64)
    kinds = (
        slots[c][0] if c < len(slots) and p > _EXPLAINED else None
        for c, p in zip(columns.tolist(), logp.tolist(), strict=True)
    )
    return logp, tuple(kinds)


@dataclass(frozen=True, slots=True)
class Explained:
    """How well a set explains a layout: log-likelihood beyond that of things of no set, of which every look
    is as likely, so that what is seen in one proportion and not in another tells nothing; pieces explained.

    `kinds`: of each piece, None where the set does not explain it. `beside`: log-likelihood of where
    they lie and how large they are.
    """

    pieces: PieceSet
    gain: float
    explained: int
    seen: int
    kinds: tuple[str | None, ...] = ()
    beside: float = 0.0


def explained_by(look_logp: F64, looks: Sequence[str], pieces: PieceSet) -> Explained:
    """The explanation of a layout (B, looks) by a set, in the colouring that suits it best."""
    if len(look_logp) == 0:
        return Explained(pieces, 0.0, 0, 0)
    every = (layout_logp(look_logp, looks, pieces, s) for s in pieces.looks)
    logp, kinds = max(every, key=lambda found: float(found[0].sum()))
    gain = float((logp + math.log(len(looks))).sum())
    explained = sum(k is not None for k in kinds)
    return Explained(pieces, gain, explained, len(look_logp), kinds)


def presence_logp(kinds: Sequence[str | None], pieces: PieceSet, misread: int = 0) -> float:
    """Log-probability that of a set these kinds lie there and no others: in play what lasts lies there or is
    not seen, in practice anything may lie there. `misread`: so many pieces may be any of those that lack.
    """
    there = frozenset(k for k in kinds if k is not None)
    others = there - pieces.struck
    missing = len(_lasting(others, pieces) - there) - misread
    if missing <= 0:
        return 0.0
    play = missing * math.log(_UNSEEN)
    alike, single = len(others & pieces.alike), len(others - pieces.alike)
    practice = math.log(_PRACTICE) + alike * math.log(_SOME_ALIKE)
    practice += math.log(_ONE_OTHER) + (single - 1) * math.log(_FURTHER) if single else 0.0
    return float(np.logaddexp(play, practice))


def _lasting(there: frozenset[str], pieces: PieceSet) -> frozenset[str]:
    """The kinds that lie on the table in play while these do: those that leave after them (snooker 3.3), and
    one that is put back until the rack is won. Fourteen of 14.1 and both of billiards come and go.
    """
    order = pieces.leave_in_order
    if order:
        gone = (
            0 if there & set(pieces.stay_down) else min((order.index(k) for k in there), default=len(order))
        )
        return frozenset(order[gone:])
    if not there or not pieces.stay_down:
        return frozenset()
    return frozenset(pieces.names) - pieces.struck - frozenset(pieces.stay_down)


def other_set(declared: Explained, others: Sequence[Explained]) -> OtherSet | None:
    """The set that explains a layout far better than the declared one; None as a rule.

    A set of fifteen declared as nine ball is recognised by its balls above the 9. Nine balls declared as
    eight ball may be the rest of fifteen.
    """
    best = max(others, key=lambda e: evidence(e, declared))
    if best.pieces.name == declared.pieces.name:  # in another proportion to the table
        return None
    larger = FAMILIES[best.pieces.name] == FAMILIES[declared.pieces.name]
    beyond = best.explained - declared.explained
    if evidence(best, declared) < LEAST_EVIDENCE or (larger and beyond < _LEAST_BEYOND):
        return None
    return OtherSet(best.pieces, best.explained, best.seen, larger)


def evidence(other: Explained, declared: Explained) -> float:
    """Log-likelihood ratio of another set against the declared one.

    The looks' evidence for the other set is divided by `_TOGETHER`, as looks of one picture are correlated;
    evidence against it counts in full. A ball that the declared set does not explain may be one of it,
    misread. Many sets have a red, a yellow and a black ball, so the probability that just these pieces of
    the other set are left is a factor too.
    """
    return _by_looks(other, declared) + _by_the_rest(other, declared) + _just_these(other, declared)


def joint_evidence(others: Sequence[Explained], declared: Sequence[Explained]) -> float:
    """`evidence` from several pictures of one game: their looks add up, the rest counts once (mean)."""
    pairs = list(zip(others, declared, strict=True))
    looks = sum(_by_looks(o, d) for o, d in pairs)
    rest = sum(_by_the_rest(o, d) for o, d in pairs) / len(pairs)
    return looks + rest + _just_these(*pairs[0])


def _by_looks(other: Explained, declared: Explained) -> float:
    looks = other.gain - declared.gain
    return min(looks, looks / _TOGETHER)


def _by_the_rest(other: Explained, declared: Explained) -> float:
    """By which pieces lack, where they lie and how large they are."""
    misread = declared.kinds.count(None)
    own = declared.beside + presence_logp(declared.kinds, declared.pieces, misread)
    theirs = other.beside + presence_logp(other.kinds, other.pieces)
    return theirs - own


def _just_these(other: Explained, declared: Explained) -> float:
    same = FAMILIES[other.pieces.name] == FAMILIES[declared.pieces.name]
    return math.log(_JUST_THESE) if other.pieces.stay_down and not same else 0.0


def racked_set(rack: int | None, declared: PieceSet) -> OtherSet | None:
    """The set whose rack of `rack` balls stands there, where the declared game racks another number."""
    if rack is None or FAMILIES[declared.name] != "numbered":
        return None
    full = sum(k.count for k in declared.kinds) - 1
    own = next((s for s in (POOL_9, POOL_10, POOL_15) if sum(k.count for k in s.kinds) - 1 == rack), None)
    return None if own is None or rack == full else OtherSet(own, rack, rack, racked=True)
