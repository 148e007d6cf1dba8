"""Plain facts of a stroke that may be true, with their weights: each account of it (`referee.match.accounts`)
with what is uncertain beside what happened.

Uncertainty stops here: each reading holds facts that the rules can judge. What geometry says of the position
after depends on the ruling (who is on what) and joins in `adjudicate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from calibration.table.pieces import SNOOKER, colour_of
from referee.facts.corrections import Correction
from referee.facts.seen import SeenStroke
from referee.match.accounts import Account, accounts
from referee.match.jumped import jumped
from referee.match.position import Position, Settings
from referee.match.priors import APART, GONE_FELL, NOMINATED_HIT, NOMINATED_NOT_POTTED, TOUCHES_AS_TAKEN
from referee.match.snooker.missing import met_unseen
from referee.match.snooker.nominations import own_nomination
from referee.match.touching import AT_ONCE_S, doubtful_touch
from referee.match.weighing import CERTAIN, Labels, Part, combinations, placed_right, worth_pursuing
from referee.rules.snooker import ANY_COLOUR, Pending, State
from referee.rules.snooker.facts import COLOURS, CueBall, Infringed, Infringement, Judgement, StrokeFacts

MOST_READINGS = 48


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
_NOT_PUSHED = Part("pushed", "no", 1.0, {})
_IN_D = Part("in_d", "yes", 1.0, {})


def possible_readings(
    position: Position,
    seen: SeenStroke,
    state: State,
    settings: Settings,
    fix: Correction | None,
    missing: Sequence[str] = (),
    whole: bool = False,
) -> list[Reading]:
    """All readings of a stroke, with what was called before it and what the cue-ball touched (`readings`).

    `missing`: colours that should lie there and do not. `whole`: it is asked about as a whole: balls that are
    gone may have fallen.
    """
    nominated = own_nomination(position.since_s, seen, state, settings)
    moved = any(h.ball == "white" for h in position.hands)
    before = position.last.output if position.last is not None and not moved else None
    touched = () if before is None else before.touching
    beside = None if before is None else doubtful_touch(before.seen)
    gone, apart = (gone_unseen(seen), APART) if whole else ({}, 0.0)
    found = accounts(seen, SNOOKER, fix, gone, met_unseen(seen, missing), apart)
    return readings(found, seen, state, nominated, fix, touched, beside)


def gone_unseen(seen: SeenStroke) -> dict[str, float]:
    """The balls that are gone, nobody saw how, with the weight that each fell."""
    return dict.fromkeys((b for b in seen.gone_unseen if b != "white"), GONE_FELL)


def readings(
    found: Sequence[Account],
    seen: SeenStroke,
    state: State,
    nominated: str | None,
    fix: Correction | None,
    touched: Sequence[str] = (),
    beside: str | None = None,
) -> list[Reading]:
    """All readings of a stroke worth pursuing, heaviest first; weights sum to 1.

    `found`: the stroke as its accounts have it, `seen`: as it was told. `nominated`: a colour declared by
    call; `fix`: a person's correction; `touched`: balls that the cue-ball touched before the stroke,
    `beside`: the colour of one of which nobody knows.
    """
    fix = fix or Correction(0)
    nominated = fix.nominated or nominated
    base: dict[str, Any] = {
        "by": state.striker,
        "called": fix.called is not False,
        "infringements": tuple(Infringed(Infringement(i)) for i in fix.infringements),
    }
    out: list[Reading] = []
    for share, told in found:
        things = (
            [_happened(told, fix)],
            _strikers(state, fix),
            _from_hand(told, state, fix),
            _paths(told, state, fix),
            _pushed(told, touched, fix),
            jumped(told, fix, {"infringements": (Infringed(Infringement.JUMP_SHOT),)}),
            _touching(state, beside, fix),
        )
        for parts, weight in combinations(things):
            changes = _changed(base, parts)
            for part in _nominations(seen, state, changes, nominated):
                facts = StrokeFacts(**changes, **part.changes)
                labels = tuple((p.name, p.value) for p in (*parts, part))
                own = share * weight * part.weight
                out.append(Reading(facts, labels, own, _touched(state, beside, labels)))
    return worth_pursuing(out, MOST_READINGS, (1 - CERTAIN) ** 2)


def _changed(base: Mapping[str, Any], parts: Iterable[Part]) -> dict[str, Any]:
    """The facts with what parts of a reading change; infringements add up."""
    changes = dict(base)
    for part in parts:
        if "infringements" in part.changes:
            changes["infringements"] += part.changes["infringements"]
        else:
            changes.update(part.changes)
    return changes


def _happened(told: SeenStroke, fix: Correction) -> tuple[Part, ...]:
    """What an account says, or a person: what was hit first, what fell, what became of the cue-ball."""
    hit = fix.first_contact
    if hit is None:
        ball = told.first_contact[0].ball
        hit = () if ball is None else (colour_of(ball),)
    off = fix.off_table if fix.off_table is not None else tuple(colour_of(b) for b in told.off_table)
    fell = tuple(p.ball for p in told.pots)
    potted: dict[str, object] = {"off_table": off, "potted": tuple(map(colour_of, fell))}
    return (
        Part("first_contact", " and ".join(hit) or "none", 1.0, {"first_contact": hit}),
        Part("potted", ", ".join(fell) or "none", 1.0, potted),
        Part("cue_ball", told.cue_ball, 1.0, {"cue_ball": CueBall(told.cue_ball)}),
    )


def _strikers(state: State, fix: Correction) -> list[Part]:
    if fix.striker is not None:
        return [Part("striker", fix.striker, 1.0, {"by": fix.striker})]
    if (
        state.pending is Pending.LOTS and state.lots_winner is None
    ):  # 3.4(b)(ii): nobody said who won the lots
        return [Part("striker", p, 1 / len(state.order), {"by": p}) for p in state.order]
    return [Part("striker", state.striker, 1.0, {})]


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
    touches = TOUCHES_AS_TAKEN if beside in state.touching else 1.0 - TOUCHES_AS_TAKEN
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
        return _probably_named(hit, NOMINATED_NOT_POTTED, others)
    weighty = (colour_of(f.ball) for f in seen.first_contact if f.ball and f.confidence > 1 - CERTAIN)
    if rivals := _colours_but(hit, weighty):
        return _probably_named(hit, NOMINATED_HIT, rivals)
    return [_named(hit, 1.0)]


def _colours_but(hit: str, colours: Iterable[str]) -> list[str]:
    """The colours among these, each once, without the one that was hit."""
    return [c for c in dict.fromkeys(colours) if c in COLOURS and c != hit]


def _probably_named(hit: str, weight: float, others: Sequence[str]) -> list[Part]:
    """He nominated the colour that he hit with this weight, else one of the others, alike likely."""
    return [_named(hit, weight), *(_named(c, (1 - weight) / len(others)) for c in others)]


def _named(colour: str, weight: float) -> Part:
    return Part("nominated", colour, weight, {"nominated": colour})
