"""Candidate facts of a stroke with their weights: everything uncertain, multiplied out.

Uncertainty stops here: each reading holds plain facts that the rules can judge. What geometry says of
the position after depends on the ruling (who is on what) and joins in `adjudicate`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress, product
from typing import Any, cast

from calibration.table.pieces import colour_of
from referee.facts.corrections import Correction, cue_ball_fates
from referee.facts.seen import SeenFirstContact, SeenPot, SeenStroke
from referee.match.jumped import jumped
from referee.match.touching import AT_ONCE_S
from referee.match.weighing import CERTAIN, Labels, Part, combinations, placed_right, worth_pursuing
from referee.rules.snooker import ANY_COLOUR, Pending, State
from referee.rules.snooker.facts import COLOURS, CueBall, Infringed, Infringement, Judgement, StrokeFacts

CERTAIN_BEFORE = 0.99
"""The weight from which on nothing is asked of a pot in a journal from before strokes were explained: its
weights are rules of thumb.
"""
MOST_READINGS = 48
_MOST_UNSURE_POTS = 4
"""Uncertain pots that are multiplied out (16 readings); further ones count as not fallen."""
_PLAIN = 0.97
"""Weight of "he nominated what he hit" where the first contact itself is not certain."""
_HIT_NOT_POTTED = 0.8
"""The same where another colour was potted as well: he may have meant that one."""

FELL = 0.5
"""Weight that a ball which is gone, nobody saw how, fell, in a stroke that is asked about as a whole or of
practice, where no count of balls speaks: nobody measured it.
"""
BESIDE = 0.005
"""Weight of what explanations of the whole stroke say, beside contacts and pots that are each weighed by
themselves: half of what a certain ruling leaves. They are answers to a question, and make none.
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """Facts that may be true, how likely, and by what they differ from other readings (`labels`).

    `touching`: colours that the cue-ball touched before the stroke, where that is not as the state has it.
    """

    facts: StrokeFacts
    labels: Labels
    weight: float
    touching: tuple[str, ...] | None = None


_NOT_NOMINATED = Part("nominated", "-", 1.0, {})
_TOUCHING_KNOWN = Part("touching", "-", 1.0, {})
_TOUCHES_AS_TAKEN = 0.7
"""Weight of a touching ball, or of none, as the frame goes on with it where a gap does not tell. Assumed."""
_NOT_PUSHED = Part("pushed", "no", 1.0, {})
_IN_D = Part("in_d", "yes", 1.0, {})


def readings(
    seen: SeenStroke,
    state: State,
    nominated: str | None,
    fix: Correction | None,
    touched: Sequence[str] = (),
    beside: str | None = None,
    left: float | None = None,
) -> list[Reading]:
    """All readings of a stroke worth pursuing, heaviest first; weights sum to 1.

    `nominated`: a colour declared by call; `fix`: a person's correction; `touched`: balls that the
    cue-ball touched before the stroke, `beside`: the colour of one of which nobody knows; `left`: share of
    explanations of the whole stroke beside contacts and pots each by itself, for a stroke that is asked about
    in any case.
    """
    fix = fix or Correction(0)
    nominated = fix.nominated or nominated
    things = (
        _happened(seen, fix, left, _drops(seen, fix, 0.0 if left is None else FELL)),
        [Part("cue_ball", f, w, {"cue_ball": CueBall(f)}) for f, w in cue_ball_fates(seen, fix, 1 - CERTAIN)],
        _strikers(state, fix),
        _from_hand(seen, state, fix),
        _paths(seen, state, fix),
        _pushed(seen, touched, fix),
        jumped(seen, fix, {"infringements": (Infringed(Infringement.JUMP_SHOT),)}),
        _touching(state, beside, fix),
    )
    base: dict[str, Any] = {
        "by": state.striker,
        "first_contact": (),
        "called": fix.called is not False,
        "infringements": tuple(Infringed(Infringement(i)) for i in fix.infringements),
    }
    found: list[Reading] = []
    for parts, weight in combinations(things):
        changes = dict(base)
        for part in parts:
            if "infringements" in part.changes:
                changes["infringements"] += part.changes["infringements"]
            else:
                changes.update(part.changes)
        for part in _nominations(seen, state, changes, nominated):
            facts = StrokeFacts(**changes, **part.changes)
            labels = tuple((p.name, p.value) for p in (*parts, part))
            found.append(Reading(facts, labels, weight * part.weight, _touched(state, beside, labels)))
    return worth_pursuing(found, MOST_READINGS, (1 - CERTAIN) ** 2)


def happenings(seen: SeenStroke, left: float | None = None) -> dict[Labels, float]:
    """What was hit first and what fell where nothing is ruled, with weights; `left` as in `readings`."""
    drops = _drops(seen, Correction(0), FELL)
    weights: dict[Labels, float] = {}
    for parts, weight in combinations([_happened(seen, Correction(0), left, drops)]):
        said = tuple((p.name, p.value) for p in parts)
        weights[said] = weights.get(said, 0.0) + weight
    return weights


def _strikers(state: State, fix: Correction) -> list[Part]:
    if fix.striker is not None:
        return [Part("striker", fix.striker, 1.0, {"by": fix.striker})]
    if (
        state.pending is Pending.LOTS and state.lots_winner is None
    ):  # 3.4(b)(ii): nobody said who won the lots
        return [Part("striker", p, 1 / len(state.order), {"by": p}) for p in state.order]
    return [Part("striker", state.striker, 1.0, {})]


def _happened(
    seen: SeenStroke, fix: Correction, left: float | None, drops: Sequence[Part]
) -> list[tuple[Part, ...]]:
    """What was hit first and what fell (`drops`): each by itself, and, where that is open, as explanations of
    the whole stroke have both together.
    """
    apart: list[tuple[Part, ...]] = list(product(_contacts(seen, fix), drops))
    corrected = fix.first_contact is not None or fix.potted is not None
    if corrected or (len(apart) == 1 and left is None):
        return apart
    share = BESIDE if left is None else left
    together = _together(seen, drops, share)
    if not together and left is None:
        return apart
    return [(replace(c, weight=c.weight * (1.0 - share)), d) for c, d in apart] + together


def _together(seen: SeenStroke, drops: Sequence[Part], share: float) -> list[tuple[Part, ...]]:
    """First contact and pots as explanations have them, those that say the same added up; all together weigh
    `share`. Pots that `drops` has too are called as there: which red it was is no other answer.
    """
    known = {_alike(d): d for d in drops}
    weights: dict[tuple[str, tuple[str, ...]], float] = {}
    fallen: dict[tuple[str, ...], Part] = {}
    for e in seen.explanations:
        pots = sorted((p for p in e.pots if p[0] != "white"), key=lambda p: p[2])
        if not e.first_known:
            continue
        potted = tuple(colour_of(ball) for ball, _, _ in pots)
        part = Part("potted", _list(b for b, _, _ in pots), 1.0, {**drops[0].changes, "potted": potted})
        part = known.get(_alike(part), part)
        fallen[_alike(part)] = replace(part, weight=1.0)
        key = (colour_of(e.first_contact) if e.first_contact else "none", _alike(part))
        weights[key] = weights.get(key, 0.0) + e.weight
    total = sum(weights.values())
    return [(_hit_first(first, share * w / total), fallen[fell]) for (first, fell), w in weights.items()]


def _alike(drop: Part) -> tuple[str, ...]:
    """The colours that fall in a part, in no order."""
    return tuple(sorted(cast("tuple[str, ...]", drop.changes["potted"])))


def _contacts(seen: SeenStroke, fix: Correction) -> list[Part]:
    """What the cue-ball hit first: as corrected, else as seen."""
    if fix.first_contact is not None:
        hit = fix.first_contact
        return [Part("first_contact", " and ".join(hit) or "none", 1.0, {"first_contact": hit})]
    if len(seen.first_contact) == 1:
        return [_hit_first(_met(seen.first_contact[0]), 1.0)]
    weights: dict[str, float] = {}
    for hypothesis in seen.first_contact or (SeenFirstContact(None, None, 1.0),):
        colour = _met(hypothesis)
        weights[colour] = weights.get(colour, 0.0) + hypothesis.confidence
    kept = {c: w for c, w in weights.items() if w > 1 - CERTAIN} or weights
    total = sum(kept.values()) or 1.0
    return [_hit_first(c, w / total) for c, w in kept.items()]


def _met(hypothesis: SeenFirstContact) -> str:
    """The colour that was hit by a hypothesis; `none` where no ball was."""
    return colour_of(hypothesis.ball) if hypothesis.ball else "none"


def _hit_first(colour: str, weight: float) -> Part:
    return Part("first_contact", colour, weight, {"first_contact": () if colour == "none" else (colour,)})


def _drops(seen: SeenStroke, fix: Correction, fell: float) -> list[Part]:
    """Which balls fell or left the table; each pot that is not certain may not have happened. `fell`: least
    weight that a ball fell which is gone, nobody saw how.
    """
    off = fix.off_table if fix.off_table is not None else tuple(colour_of(b) for b in seen.off_table)
    fixed: dict[str, object] = {"off_table": off}
    if fix.potted is not None:
        return [Part("potted", _list(fix.potted), 1.0, fixed | {"potted": fix.potted})]
    gone = (b for b in seen.gone_unseen if b != "white")
    falls = (seen.explained_fall(b) or SeenPot(b, None, None, 0.0) for b in gone)
    pots = [*seen.pots, *(replace(p, confidence=max(p.confidence, fell)) for p in falls)]
    certain = CERTAIN if seen.explanations else CERTAIN_BEFORE
    sure = [p for p in pots if p.confidence >= certain]
    unsure = [p for p in pots if 1 - CERTAIN < p.confidence < certain][:_MOST_UNSURE_POTS]
    parts = []
    for did in product((True, False), repeat=len(unsure)):
        chances = (p.confidence if f else 1 - p.confidence for p, f in zip(unsure, did, strict=True))
        weight = math.prod(chances, start=1.0)
        balls = [*sure, *compress(unsure, did)]
        potted = tuple(colour_of(p.ball) for p in sorted(balls, key=lambda p: p.order))
        parts.append(Part("potted", _list([p.ball for p in balls]), weight, fixed | {"potted": potted}))
    return parts


def _list(balls: Iterable[str]) -> str:
    return ", ".join(balls) or "none"


def _from_hand(seen: SeenStroke, state: State, fix: Correction) -> list[Part]:
    """Played from in-hand outside the D (snooker 3.5)."""
    known = Infringement.FROM_IN_HAND.value in fix.infringements
    if not state.in_hand or seen.in_d is None or seen.gap_before or known:
        return [_IN_D]
    outside: dict[str, object] = {"infringements": (Infringed(Infringement.FROM_IN_HAND),)}
    if fix.in_d is not None:
        return [_IN_D] if fix.in_d else [Part("in_d", "no", 1.0, outside)]
    within = placed_right(seen.in_d)
    both = [Part("in_d", "yes", within, {}), Part("in_d", "no", 1 - within, outside)]
    return [p for p in both if p.weight > 1 - CERTAIN]


def _pushed(seen: SeenStroke, touched: Sequence[str], fix: Correction) -> list[Part]:
    """A touching ball must not be moved (snooker 3.8(b)); whether it touched is finer than a camera sees."""
    first = seen.first_contact[0] if seen.first_contact else None
    if (
        first is None
        or first.ball is None
        or first.ball not in touched
        or Infringement.PUSH_STROKE.value in fix.infringements
    ):
        return [_NOT_PUSHED]
    at_once = first.t_s is None or first.t_s - seen.start_s < AT_ONCE_S
    if not at_once or fix.first_contact is not None:
        return [_NOT_PUSHED]
    moved: dict[str, object] = {"touching_moved": (colour_of(first.ball),)}
    return [Part("pushed", "yes", 0.5 + 1e-6, moved), Part("pushed", "no", 0.5 - 1e-6, {})]


def _touching(state: State, beside: str | None, fix: Correction) -> list[Part]:
    """Whether the cue-ball touched the ball beside it before the stroke (snooker 3.8), where that is open;
    the frame went on with what is likelier.
    """
    if beside is None:
        return [_TOUCHING_KNOWN]
    if fix.touching is not None:
        return [Part("touching", _word(fix.touching), 1.0, {})]
    touches = _TOUCHES_AS_TAKEN if beside in state.touching else 1.0 - _TOUCHES_AS_TAKEN
    return [Part("touching", "yes", touches, {}), Part("touching", "no", 1.0 - touches, {})]


def _touched(state: State, beside: str | None, labels: Labels) -> tuple[str, ...] | None:
    """The colours that the cue-ball touched in a reading; None: as the state has it."""
    if beside is None:
        return None
    others = tuple(c for c in state.touching if c != beside)
    return (*others, beside) if ("touching", "yes") in labels else others


def _paths(seen: SeenStroke, state: State, fix: Correction) -> list[Part]:
    """What the miss rule asks of the position before the stroke (snooker 3.14(b), (c))."""
    key = "any_ball" if state.free_ball else state.ball_on
    sight = next((s for s in seen.sights if s.ball_on == key), None)
    clear = fix.clear_path if fix.clear_path is not None else _yes(sight.clear_path if sight else None)
    full = fix.full_ball if fix.full_ball is not None else _yes(sight.full_ball if sight else None)
    said = Judgement(
        clear_path=clear,
        full_ball_available=full,
        good_enough_attempt=fix.good_enough_attempt,
        intentional=fix.intentional,
        possible_to_hit=fix.possible_to_hit,
    )
    doubt = sight.clear_path if sight is not None and clear is None else None
    if doubt is None:
        return [Part("clear_path", _word(clear), 1.0, {"judgement": said})]
    return [
        Part("clear_path", "yes", doubt, {"judgement": replace(said, clear_path=True)}),
        Part("clear_path", "no", 1 - doubt, {"judgement": replace(said, clear_path=False)}),
    ]


def _yes(weight: float | None) -> bool | None:
    if weight is None or 1 - CERTAIN < weight < CERTAIN:
        return None
    return weight >= CERTAIN


def _word(value: bool | None) -> str:
    return "unknown" if value is None else "yes" if value else "no"


def _nominations(seen: SeenStroke, state: State, facts: dict[str, object], called: str | None) -> list[Part]:
    """What the striker nominated: by call, plain from what he hit (snooker 2.12(a)), or a question.

    `facts`: the reading's facts so far, as `StrokeFacts` takes them.
    """
    base = state.ball_on
    if base != ANY_COLOUR and not state.free_ball:
        return [_NOT_NOMINATED]
    if called is not None:
        value = None if called == base or (called == "red" and base == ANY_COLOUR) else called
        return [Part("nominated", called, 1.0, {"nominated": value})]
    contact, potted = cast("tuple[tuple[str, ...], ...]", (facts["first_contact"], facts["potted"]))
    hit = contact[0] if len(contact) == 1 else None
    if state.free_ball and (hit is None or hit == base):
        return [Part("nominated", base or "-", 1.0, {})]  # regarded as the ball on, whatever was meant
    return _meant_by_hit(hit, potted, seen, state)


def _meant_by_hit(hit: str | None, potted: Iterable[str], seen: SeenStroke, state: State) -> list[Part]:
    """The colour that he nominated, from the colour that he hit: another one where another was potted or may
    have been met first.
    """
    if hit not in COLOURS:
        choices = [c for c in COLOURS if c in state.colours] or list(COLOURS)
        return [_named(c, 1 / len(choices)) for c in choices]
    if others := _colours_but(hit, potted):
        return _probably_named(hit, _HIT_NOT_POTTED, others)
    weighty = (colour_of(f.ball) for f in seen.first_contact if f.ball and f.confidence > 1 - CERTAIN)
    if rivals := _colours_but(hit, weighty):
        return _probably_named(hit, _PLAIN, rivals)
    return [_named(hit, 1.0)]


def _colours_but(hit: str, colours: Iterable[str]) -> list[str]:
    """The colours among these, each once, without the one that was hit."""
    return [c for c in dict.fromkeys(colours) if c in COLOURS and c != hit]


def _probably_named(hit: str, weight: float, others: Sequence[str]) -> list[Part]:
    """He nominated the colour that he hit with this weight, else one of the others, alike likely."""
    return [_named(hit, weight), *(_named(c, (1 - weight) / len(others)) for c in others)]


def _named(colour: str, weight: float) -> Part:
    return Part("nominated", colour, weight, {"nominated": colour})
