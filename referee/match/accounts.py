"""Accounts of a stroke: each says everything that happened in it, and the rules are run on each.

An account has one first contact, one set of balls that fell and one fate of the cue-ball. It stands for all
explanations of the whole stroke (`SeenExplanation`) that agree in these three; no account mixes two
explanations. In a record without explanations (declared, or by older code) the three are independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType

from calibration.table.pieces import PieceSet, colour_of
from referee.facts.corrections import Correction, as_corrected
from referee.facts.seen import CueBallState, SeenExplanation, SeenFirstContact, SeenPot, SeenStroke
from referee.match.priors import UNSAID
from referee.match.weighing import EVEN, OPEN, grouped

Account = tuple[float, SeenStroke]
"""A stroke of which first contact, pots and the cue-ball's fate are one, and how likely it is."""

MOST = 48
"""So many accounts of a stroke are pursued."""
LEAST = OPEN**2
"""What weighs less than this share is not pursued."""
MOST_OPEN = 4
"""So many balls may or may not have fallen beside what explanations say; of more the likelier is taken."""
CERTAIN_BEFORE = 0.99
"""The weight from which on a pot is certain in a record without explanations: its weights are rules of thumb.
"""


@dataclass(frozen=True, slots=True)
class _Case:
    """What one explanation says. `fell`: object balls in order of time. `told_by`: that explanation; None for
    a record without any.
    """

    weight: float
    met: str | None
    met_s: float | None
    fell: tuple[SeenPot, ...]
    cue_ball: CueBallState
    cue_ball_pocket: str | None = None
    told_by: SeenExplanation | None = None

    @property
    def says(self) -> tuple[str, tuple[str, ...], str]:
        """First contact, falls and fate by kinds of balls: which of two reds fell does not matter."""
        fell = tuple(sorted(colour_of(p.ball) for p in self.fell))
        return colour_of(self.met) if self.met else "none", fell, self.cue_ball

    def agrees(self, fix: Correction) -> bool:
        """Whether it says what a person said."""
        met, fell, fate = self.says
        return (
            (fix.first_contact is None or met in (fix.first_contact or ("none",)))
            and (fix.potted is None or fell == tuple(sorted(fix.potted)))
            and fix.cue_ball in (None, fate)
        )


def accounts(
    seen: SeenStroke,
    pieces: PieceSet,
    fix: Correction | None = None,
    gone: Mapping[str, float] = MappingProxyType({}),
    missing: Mapping[str, tuple[float, float]] = MappingProxyType({}),
    apart: float = 0.0,
) -> list[Account]:
    """Every account of a stroke worth pursuing, heaviest first; weights sum to 1.

    `fix`: what a person said of it. `gone`: balls that may have fallen though no explanation says so, with
    the weight of that. `missing`: balls that lie nowhere, and that a cue-ball which met no known ball may
    have met, with the weight of that, and of its fall if so. `apart`: weight of first contact and pots each
    as the record has it, beside the explanations.
    """
    found = _cases(seen, pieces)
    if apart:
        by_themselves = (replace(c, weight=c.weight * apart) for c in _apart(seen))
        found = [*(replace(c, weight=c.weight * (1.0 - apart)) for c in found), *by_themselves]
    found = _or_met(found, missing) if missing else found
    for ball, weight in list(gone.items())[:MOST_OPEN]:
        found = _or_fell(found, ball, weight)
    groups = list(grouped(_agreeing(found, fix), lambda c: c.says).values())
    weights = [sum(c.weight for c in same) for same in groups]
    order = sorted(range(len(groups)), key=lambda k: -weights[k])[:MOST]
    kept = [k for k in order if weights[k] >= LEAST * sum(weights)]
    total = sum(weights[k] for k in kept)
    return [(weights[k] / total, as_corrected(_told(seen, groups[k]), fix)) for k in kept]


def first_contacts(found: Iterable[Account]) -> tuple[SeenFirstContact, ...]:
    """The first contacts of all accounts, each ball with its weight, heaviest first."""
    firsts = ((weight, told.first_contact[0]) for weight, told in found)
    return _merged(replace(first, confidence=weight) for weight, first in firsts)


def or_fell(seen: SeenStroke, balls: Iterable[str], pieces: PieceSet) -> SeenStroke:
    """The stroke with each explanation split by whether one of these balls fell that falls in none of them.

    The fall has the probability that no explanation is true (`UNSAID`). A stroke without explanations first
    gets those of its record (`_as_explanations`).
    """
    found = list(seen.explanations) or _as_explanations(seen, pieces)
    for ball in balls:
        if not any(b == ball for e in found for b, _, _ in e.pots):
            falls = (replace(e, pots=(*e.pots, (ball, None, None)), weight=e.weight * UNSAID) for e in found)
            found = [*(replace(e, weight=e.weight * (1.0 - UNSAID)) for e in found), *falls]
    return replace(seen, explanations=tuple(found))


def or_lay(seen: SeenStroke, balls: Collection[str]) -> SeenStroke:
    """The stroke with each explanation split by whether one of these balls fell that falls in all of them.

    It may be that none of the explanations is true: the ball stayed with the probability by which its pot is
    in doubt.
    """
    found = list(seen.explanations)
    for pot in seen.pots:
        if pot.ball in balls and all(any(b == pot.ball for b, _, _ in e.pots) for e in found):
            lay = (
                replace(
                    e,
                    pots=tuple(p for p in e.pots if p[0] != pot.ball),
                    weight=e.weight * (1.0 - pot.confidence),
                )
                for e in found
            )
            found = [*(replace(e, weight=e.weight * pot.confidence) for e in found), *lay]
    return replace(seen, explanations=tuple(found))


def reweighed(
    seen: SeenStroke, likelihood: Callable[[SeenExplanation], float], pieces: PieceSet
) -> SeenStroke:
    """The stroke with the weight of each explanation multiplied by its likelihood of something seen later.

    The weights' sum stays the same. First contacts, pots and the cue-ball's fate follow from the new weights.
    """
    before = sum(e.weight for e in seen.explanations)
    weights = [e.weight * likelihood(e) for e in seen.explanations]
    scale = before / sum(weights)
    again = (replace(e, weight=w * scale) for e, w in zip(seen.explanations, weights, strict=True))
    kept = sorted((e for e in again if e.weight >= LEAST), key=lambda e: -e.weight)
    return _as_explained(replace(seen, explanations=tuple(kept)), pieces)


def _as_explained(seen: SeenStroke, pieces: PieceSet) -> SeenStroke:
    """The stroke with first contacts, pots and the cue-ball's fate as likely as its explanations say."""
    found = _cases(seen, pieces)
    times = {f.ball: f.t_s for f in seen.first_contact}
    firsts = (SeenFirstContact(c.met, times.get(c.met, c.met_s), c.weight) for c in found)
    whole = sum(c.weight for c in found)
    in_off = [c for c in found if c.cue_ball == "pocketed"]
    fell = sum(c.weight for c in in_off) / whole
    into = next((c.cue_ball_pocket for c in in_off), None)
    return replace(
        seen,
        first_contact=_merged(firsts),
        pots=tuple(_pot_by(found, pot, seen.pots[:k], whole) for k, pot in enumerate(seen.pots)),
        cue_ball="pocketed" if fell >= EVEN else _not_pocketed(seen),
        cue_ball_pocket=(seen.cue_ball_pocket or into) if fell >= EVEN else None,
        cue_ball_confidence=max(fell, 1.0 - fell),
    )


def _as_explanations(seen: SeenStroke, pieces: PieceSet) -> list[SeenExplanation]:
    """The explanations that a record without any stands for: every combination of what it says."""
    found = []
    cases = _apart(seen, certain=1.0)
    whole = sum(c.weight for c in cases)
    for c in cases:
        pots: list[tuple[str, str | None, float | None]] = [(p.ball, p.pocket, p.t_s) for p in c.fell]
        if c.cue_ball == "pocketed":
            pots.append((pieces.cue, seen.cue_ball_pocket, None))
        found.append(SeenExplanation(c.weight / whole, c.met, True, c.met_s, tuple(pots), c.cue_ball, (), ()))
    return found


def _merged(firsts: Iterable[SeenFirstContact]) -> tuple[SeenFirstContact, ...]:
    """Each ball once, with all of its weight and its first time, heaviest first."""
    found: dict[str | None, SeenFirstContact] = {}
    for f in firsts:
        known = found.get(f.ball)
        found[f.ball] = f if known is None else replace(known, confidence=known.confidence + f.confidence)
    return tuple(sorted(found.values(), key=lambda f: -f.confidence))


def _pot_by(found: Sequence[_Case], pot: SeenPot, earlier: Sequence[SeenPot], whole: float) -> SeenPot:
    """A pot with the weight that the cases give it. `earlier`: pots before it in its stroke; the second red
    of a stroke fell only in cases in which two reds fell.
    """
    kind = colour_of(pot.ball)
    alike = [p for p in (*earlier, pot) if colour_of(p.ball) == kind]
    falls = [([p.pocket for p in c.fell if colour_of(p.ball) == kind], c.weight) for c in found]
    fell = sum(w for pockets, w in falls if len(pockets) >= len(alike))
    there = sum(p.pocket == pot.pocket for p in alike)
    into = sum(w for pockets, w in falls if len(pockets) >= len(alike) and pockets.count(pot.pocket) >= there)
    share = into / fell if into else pot.pocket_confidence
    return replace(pot, confidence=fell / whole, pocket_confidence=share)


def _cases(seen: SeenStroke, pieces: PieceSet) -> list[_Case]:
    """The cases of a stroke's explanations; one case a ball where the first contact is not known."""
    if not seen.explanations:
        return _apart(seen)
    cue, otherwise = pieces.only_cue, _not_pocketed(seen)
    found = []
    for e in seen.explanations:
        fell = _in_order(SeenPot(b, pocket, t_s, 1.0) for b, pocket, t_s in e.pots if b != cue)
        into = next((pocket for b, pocket, _ in e.pots if b == cue), None)
        fate = "pocketed" if len(fell) < len(e.pots) else otherwise
        found += [_Case(w * e.weight, b, e.first_t_s, fell, fate, into, e) for b, w in e.met_first]
    return found


def _not_pocketed(seen: SeenStroke) -> CueBallState:
    """What became of the cue-ball if it did not fall."""
    return "on_table" if seen.cue_ball == "pocketed" else seen.cue_ball


def _apart(seen: SeenStroke, certain: float = CERTAIN_BEFORE) -> list[_Case]:
    """First contact, pots and the cue-ball's fate, each by itself, where nothing says them together."""
    contacts = [f for f in seen.first_contact if f.confidence > OPEN] or [_NO_BALL]
    sure = [p for p in seen.pots if p.confidence >= certain]
    unsure = [p for p in seen.pots if (OPEN if certain < 1.0 else 0.0) < p.confidence < certain]
    sure += [p for p in unsure[MOST_OPEN:] if p.confidence >= EVEN]
    falls = _falls(sure, unsure[:MOST_OPEN])
    fates = [(fate, weight) for fate, weight in seen.cue_ball_fates if weight > OPEN]
    return [
        _Case(f.confidence * weight * share, f.ball, f.t_s, fell, fate)
        for f, (weight, fell), (fate, share) in product(contacts, falls, fates)
    ]


def _falls(sure: Sequence[SeenPot], unsure: Sequence[SeenPot]) -> list[tuple[float, tuple[SeenPot, ...]]]:
    """Every set of balls that may have fallen, with its weight: the sure ones, and each unsure one or not."""
    found = []
    for did in product((True, False), repeat=len(unsure)):
        which = list(zip(unsure, did, strict=True))
        weight = math.prod(p.confidence if fell else 1.0 - p.confidence for p, fell in which)
        found.append((weight, _in_order((*sure, *(p for p, fell in which if fell)))))
    return found


_NO_BALL = SeenFirstContact(None, None, 1.0)


def _in_order(pots: Iterable[SeenPot]) -> tuple[SeenPot, ...]:
    return tuple(sorted((replace(p, confidence=1.0) for p in pots), key=lambda p: p.order))


def _or_fell(found: Iterable[_Case], ball: str, weight: float) -> list[_Case]:
    """The same, each in which that ball does not fall also with its fall."""
    out = []
    for c in found:
        if any(p.ball == ball for p in c.fell):
            out.append(c)
        else:
            fell = _in_order((*c.fell, SeenPot(ball, None, None, 1.0)))
            out += [replace(c, weight=c.weight * (1.0 - weight))]
            out += [replace(c, weight=c.weight * weight, fell=fell)]
    return out


def _or_met(found: Iterable[_Case], missing: Mapping[str, tuple[float, float]]) -> list[_Case]:
    """The same, each in which no ball was met also with every missing one met, and with its fall."""
    none = 1.0 - sum(met for met, _ in missing.values())
    out = []
    for c in found:
        if c.met is not None:
            out.append(c)
            continue
        out.append(replace(c, weight=c.weight * none))
        for ball, (met, fell) in missing.items():
            hit = replace(c, weight=c.weight * met, met=ball, met_s=None)
            out += _or_fell([hit], ball, fell) if fell else [hit]
    return out


def _agreeing(found: list[_Case], fix: Correction | None) -> list[_Case]:
    """The cases that agree with what a person said, and the others with a small weight, as corrected.

    Where few agree, the truth may be none of the explanations: the others then count for more.
    """
    if fix is None:
        return found
    like = [c for c in found if c.agrees(fix)]
    whole, share = sum(c.weight for c in found), sum(c.weight for c in like)
    if not like or len(like) == len(found):
        return [_with_told(c, fix) for c in found]
    unsaid = UNSAID * whole / (share + UNSAID * whole)
    others = (_with_told(replace(c, weight=c.weight * unsaid / whole), fix) for c in found)
    return [*(replace(c, weight=c.weight * (1.0 - unsaid) / share) for c in like), *others]


def _with_told(case: _Case, fix: Correction) -> _Case:
    """The case with what a person said in place of what it says."""
    if fix.first_contact is not None:
        case = replace(case, met=next(iter(fix.first_contact), None))
    if fix.potted is not None:
        case = replace(case, fell=tuple(SeenPot(b, None, None, 1.0) for b in fix.potted))
    return case if fix.cue_ball is None else replace(case, cue_ball=fix.cue_ball)


def _told(seen: SeenStroke, same: Sequence[_Case]) -> SeenStroke:
    """The stroke as cases that say the same have it. Which of several that are alike fell is as it was told;
    a pocket is as likely as the cases have it.
    """
    best = max(same, key=lambda c: c.weight)
    whole = sum(c.weight for c in same)
    told_by = (replace(c.told_by, weight=c.weight / whole) for c in same if c.told_by is not None)
    known = next((f for f in seen.first_contact if f.ball == best.met and f.t_s is not None), None)
    fell = best.cue_ball == "pocketed"
    return replace(
        seen,
        first_contact=(SeenFirstContact(best.met, best.met_s if known is None else known.t_s, 1.0),),
        pots=tuple(sorted(_pots(seen, best, same), key=lambda p: p.order)),
        cue_ball=best.cue_ball,
        cue_ball_pocket=(best.cue_ball_pocket or seen.cue_ball_pocket) if fell else None,
        cue_ball_confidence=1.0,
        explanations=tuple(told_by),
    )


def _pots(seen: SeenStroke, best: _Case, same: Sequence[_Case]) -> Iterator[SeenPot]:
    """The falls of a case, each by the name with which it was told."""
    whole = sum(c.weight for c in same)
    by_name = {p.ball: p for p in seen.pots}
    left = [p for p in seen.pots if p.ball not in {f.ball for f in best.fell}]
    for pot in best.fell:
        kind = colour_of(pot.ball)
        falls = ((c.weight, {p.pocket for p in c.fell if colour_of(p.ball) == kind}) for c in same)
        into = sum(weight for weight, pockets in falls if pot.pocket in pockets)
        there = into / whole if pot.pocket_confidence == 1.0 else pot.pocket_confidence
        own = by_name.get(pot.ball) or next((p for p in left if colour_of(p.ball) == kind), pot)
        left = [p for p in left if p is not own]
        t_s = own.t_s if own.pocket == pot.pocket else pot.t_s
        yield replace(own, pocket=pot.pocket, t_s=t_s, confidence=1.0, pocket_confidence=there)
