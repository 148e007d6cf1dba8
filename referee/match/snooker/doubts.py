"""One stroke judged from all its readings, and what makes a certain ruling a question after all.

Six causes: images that do not show the stroke whole, or more in them than can be told apart, a ball that
does not look like its name, a cue-ball that is played from where nobody can have placed it, a ball that is
missing, and a table that was changed while nothing was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from calibration.table.pieces import colour_of
from referee.facts.corrections import POCKET, Correction
from referee.facts.judged import Asked, Candidate, asks
from referee.facts.seen import DuePlace, SeenPot, SeenStroke
from referee.match.courses import FIRST_ASKED
from referee.match.pockets import open_pocket, pocket_asked, with_pockets
from referee.match.position import Position, Settings
from referee.match.snooker.adjudication import (
    Alternative,
    Judged,
    Ruled,
    adjudicate,
    candidate,
    meaning,
    rule_each,
)
from referee.match.snooker.frames import out_of_hand
from referee.match.snooker.intake import due_places
from referee.match.snooker.missing import changes_foul, possible, with_missing
from referee.match.snooker.nominations import nominated_by_other, own_nomination
from referee.match.snooker.readings import Reading, happenings, readings
from referee.match.touching import doubtful_touch
from referee.match.weighing import (
    CERTAIN,
    MOST_CANDIDATES,
    WHAT_HAPPENED,
    Labels,
    grouped,
    heaviest,
    likelihood,
    total,
)
from referee.rules.snooker import ANY_COLOUR, Pending, State
from referee.rules.snooker.facts import COLOURS, StrokeFacts
from referee.rules.snooker.state import lowest_on

AS_SEEN = 0.5
"""Weight of "it was as the usable images say" for a stroke that they do not show whole: nobody measured it.
"""
LOST_TRUE = 0.8
"""Weight of what explanations say of a stroke that lost images: of three such strokes in which the tracker's
own contacts said otherwise (tracks tier, seed 9501) they had all right, (3 + 1) of (3 + 2).
"""
UNCHANGED = 0.983
"""The same where a ball is missing that may snooker or block the way: a path 1 m long and two balls wide
is 1.7 % of the cloth.
"""
_WHAT_HAPPENED = Asked(WHAT_HAPPENED)
_UNSEEN = (_WHAT_HAPPENED, Asked("not_all_seen"))
MOST_TOLD = 0.9
"""Explanations that weigh less together leave too much to what none of them says."""
MISNAMED = 0.5
"""Below this confidence a ball at rest looks more like another that lies nowhere: tracks were exchanged
where balls lay close, or the brown is hidden and a red has its name.
"""


def judged_stroke(
    position: Position,
    seen: SeenStroke,
    state: State,
    settings: Settings,
    fix: Correction | None,
    missing: tuple[str, ...],
) -> Judged | None:
    """A stroke as seen, put right by what was said of it; None where that cannot be true."""
    found = possible_readings(position, seen, state, settings, fix, missing)
    snookered = fix.snookered if fix else None
    judged = adjudicate(state, seen, found, snookered, due_in(settings), position.fouled)
    if judged is None:
        return None
    if fix is None:
        states = _States(position, seen, state, settings, missing)
        if (why := whole_question(position, seen)) is not None:
            return _asked_whole(judged, why, AS_SEEN, states)
        if judged.verdict == "certain":
            return _doubted(position, seen, judged, missing, states)
        if judged.asked not in FIRST_ASKED and (before := _guess_question(position, judged, states)):
            return _asked_of(judged, before, states)
    if missing and judged.asked in ("first_contact", "potted", "snookered", "clear_path"):
        return replace(judged, question=(*judged.question, missing_asked(missing)))
    return judged


def possible_readings(
    position: Position,
    seen: SeenStroke,
    state: State,
    settings: Settings,
    fix: Correction | None,
    missing: tuple[str, ...],
) -> list[Reading]:
    """What may be true of a stroke, balls that should be there and are not seen included."""
    found = stroke_readings(position, with_missing(seen, missing), state, settings, fix)
    return found if fix is not None and fix.potted is not None else possible(found, missing)


def stroke_readings(
    position: Position,
    seen: SeenStroke,
    state: State,
    settings: Settings,
    fix: Correction | None,
    left: float | None = None,
) -> list[Reading]:
    """What may be true of a stroke, with what was called before it and what the cue-ball touched
    (`readings`).
    """
    nominated = own_nomination(position.since_s, seen, state, settings)
    moved = any(h.ball == "white" for h in position.hands)
    before = position.last.output if position.last is not None and not moved else None
    touched = () if before is None else before.touching
    beside = None if before is None else doubtful_touch(before.seen)
    return readings(seen, state, nominated, fix, touched, beside, left)


@dataclass(frozen=True, slots=True)
class _States:
    """The states in which a stroke may have been played when nothing shows what happened before it."""

    position: Position
    seen: SeenStroke
    state: State
    settings: Settings
    missing: tuple[str, ...]

    def candidates(self, rulings: Sequence[tuple[State, Ruled]]) -> tuple[Candidate, ...]:
        """What each state would mean, strokes that are fair first: players foul rarely, and nothing else
        tells the states apart.
        """
        score = f"{self.state.scores[0]}-{self.state.scores[1]}"
        return tuple(
            replace(
                candidate(r, (("striker", s.striker[0]), ("ball_on", str(s.ball_on))), weight),
                also=(("score", score),),
            )
            for (s, r), weight in zip(rulings, self._weights(rulings), strict=True)
        )

    def rulings(self) -> list[tuple[State, Ruled]]:
        """The likeliest ruling in each state, strokes that are fair first."""
        found = [(s, self._ruled(s)) for s in self._plausible()]
        return sorted(((s, r) for s, r in found if r is not None), key=lambda sr: sr[1].ruling.foul)

    def others(self, rulings: Sequence[tuple[State, Ruled]]) -> tuple[Alternative, ...]:
        """The rulings in the states but the one that would be so if nothing had happened unseen; fouls are
        rare. Where a recording begins inside a frame the first player is A: which of the two nobody asks,
        unless something happened unseen before his stroke.
        """
        begins = self.position.guessed and self.position.doubt is None
        own = self._as_it_was()
        found = [(s, r) for s, r in rulings if not begins or s.striker == own.striker]
        rivals = zip(found, self._weights(found), strict=True)
        return tuple(Alternative(s, r, w) for (s, r), w in rivals if s != own)

    def _weights(self, rulings: Sequence[tuple[State, Ruled]]) -> list[float]:
        """How likely each state is by the stroke that was played in it; they sum to one."""
        weights = [likelihood([(1.0, r.ruling.foul)], self.position.fouled) for _, r in rulings]
        return [w / sum(weights) for w in weights]

    def alike(self, penalty: int) -> bool:
        """Whether the player at the table commits a foul of that penalty in each state, whatever was hit and
        fell; what else is open of the stroke is taken as it is likeliest.
        """
        for state in (s for s in self._plausible() if s.striker == self.state.striker):
            happened = grouped(self._rule_each(state), lambda r: (r.facts.first_contact, r.facts.potted))
            ruled = [(total(rs), heaviest(rs).ruling) for rs in happened.values()]
            same = sum(weight for weight, r in ruled if r.foul and r.penalty == penalty)
            if same < CERTAIN * sum(weight for weight, _ in ruled):
                return False
        return True

    def answers(self, as_seen: Ruled, left: float) -> list[tuple[Ruled, float]]:
        """First contacts and pots that may be so, heaviest first: as they were weighed each by itself
        (`as_seen` among them), and with the weight `left` as explanations of the whole stroke have them.
        """
        seen = with_missing(self.seen, self.missing)
        found = stroke_readings(self.position, seen, self.state, self.settings, None, left)
        best: dict[object, Ruled] = {}
        weights: dict[object, float] = {}
        for r in rule_each(self.state, self.seen, found, None, due_in(self.settings)):
            key = r.facts.first_contact, r.facts.potted
            best[key] = max(best.get(key, r), r, key=lambda r: r.weight)
            weights[key] = weights.get(key, 0.0) + r.weight
        own = as_seen.facts.first_contact, as_seen.facts.potted
        best[own] = as_seen
        weights.setdefault(own, 1.0)
        share = _share_of_answers(seen, left)
        return [(best[k], share * weights[k]) for k in sorted(weights, key=lambda k: -weights[k])]

    def _plausible(self) -> list[State]:
        """As it was; the other player at the table; a red or a colour potted unseen."""
        state = self.state
        other = next(p for p in state.order if p[0] != state.striker[0])
        turns = [(state.striker, state.ball_on), (other, lowest_on(state.reds, state.colours))]
        if state.reds:
            turns += [(p, on) for p in (state.striker, other) for on in ("red", ANY_COLOUR)]
        elif len(state.colours) == len(COLOURS):
            turns.append((state.striker, ANY_COLOUR))  # behind the last red
        return [
            replace(self._as_it_was(), striker=striker, ball_on=on) for striker, on in dict.fromkeys(turns)
        ]

    def _as_it_was(self) -> State:
        return replace(self.state, free_ball=False, pending=Pending.NOTHING)

    def _ruled(self, state: State) -> Ruled | None:
        return max(self._rule_each(state), key=lambda r: r.weight, default=None)

    def _rule_each(self, state: State) -> list[Ruled]:
        found = possible_readings(self.position, self.seen, state, self.settings, None, self.missing)
        return rule_each(state, self.seen, found, None, due_in(self.settings))


def _share_of_answers(seen: SeenStroke, left: float) -> float:
    """How much of a stroke that is asked about as a whole its answers say; the rest is something else.

    `left`: the weight of explanations, which are true in `LOST_TRUE` of such strokes. Those that know no
    first contact say nothing.
    """
    known = any(e.first_known for e in seen.explanations)
    return 1.0 - left * (1.0 - LOST_TRUE if known else 1.0)


def whole_question(position: Position, seen: SeenStroke) -> tuple[Asked, ...] | None:
    """Why all of a stroke is asked about, whatever else is open of it: images do not show it whole, or a ball
    was another than it is called. None as a rule.
    """
    if seen.unseen:
        return _UNSEEN
    if seen.explanations and sum(e.weight for e in seen.explanations) < MOST_TOLD:
        return _WHAT_HAPPENED, Asked("not_all_told_apart")
    if (misnamed := _misnamed(seen)) is not None:
        return misnamed
    if position.state is not None and out_of_hand(position.state, seen) and not seen.gap_before:
        return _WHAT_HAPPENED, Asked("not_in_the_d")
    return None


def _misnamed(seen: SeenStroke) -> tuple[Asked, ...] | None:
    """The question about a ball that is rather another than it is called; one just put down may be known
    better after the stroke.
    """
    last = {b.ball: b.confidence for b in (*seen.before, *seen.after)}
    ball = next((ball for ball, confidence in last.items() if confidence < MISNAMED), None)
    return None if ball is None else (_WHAT_HAPPENED, _of_ball("misnamed", ball))


def _of_ball(text: str, ball: str) -> Asked:
    """The text about that ball. Players do not number the reds: theirs ends in `_red` and names none."""
    colour = colour_of(ball)
    return Asked(f"{text}_red") if colour == "red" else Asked(text, (("ball", colour),))


def _asked_whole(judged: Judged, question: tuple[Asked, ...], weight: float, states: _States) -> Judged:
    """A call about what was hit first and what fell together; `weight`: that it was as seen."""
    as_seen = Ruled(judged.facts, (), 1.0, judged.state, judged.ruling)
    answers = states.answers(as_seen, 1.0 - weight)[:MOST_CANDIDATES]
    found = tuple(candidate(r, _facts_of(r.facts), w) for r, w in answers)
    others = (Alternative(states.state, r, w) for r, w in answers if meaning(r) != meaning(as_seen))
    return replace(
        judged,
        verdict="call",
        question=question,
        candidates=found,
        asked=WHAT_HAPPENED,
        others=tuple(others),
        happened=None,
    )


def _doubted(
    position: Position, seen: SeenStroke, judged: Judged, missing: tuple[str, ...], states: _States
) -> Judged:
    """A certain ruling made a call where a missing ball, or a state that was guessed, may change it."""
    if position.doubt is None and changes_foul(seen, judged.state, judged.ruling, missing):
        question = (Asked("foul_leaves"), missing_asked(missing))
        return _asked_whole(judged, question, UNCHANGED, states)
    if (before := _guess_question(position, judged, states)) is not None:
        return _asked_of(judged, before, states)
    if (pot := open_pocket(seen)) is not None:
        return _asked_pocket(judged, seen, pot)
    return judged


def _asked_pocket(judged: Judged, seen: SeenStroke, pot: SeenPot) -> Judged:
    """A call about the pocket into which a ball fell; the ruling is the same with each."""
    ruled = Ruled(judged.facts, (), 1.0, judged.state, judged.ruling)
    found = tuple(candidate(ruled, said, weight) for said, _, weight in with_pockets(seen, pot))
    return replace(
        judged,
        verdict="call",
        question=(pocket_asked(pot),),
        candidates=found,
        asked=POCKET,
        others=(),
        happened=None,
    )


def asked_of_state(
    position: Position,
    seen: SeenStroke,
    judged: Judged,
    state: State,
    settings: Settings,
    fix: Correction | None,
    missing: tuple[str, ...],
) -> Judged:
    """A stroke whose state is in doubt asks about that before all else: what its own images leave open means
    nothing while the player and the ball on are unknown. Once a state is said, its own question follows.

    `state`: before the stroke, as it would be if nothing had happened unseen.
    """
    if fix is not None and fix.striker is not None:
        return judged
    other = nominated_by_other(position.since_s, seen, state, settings)
    if position.doubt is not None:
        a, b = position.doubt
        question = Asked("who_and_score"), asks("nothing_shown", from_s=f"{a:.1f}", to_s=f"{b:.1f}")
    elif other is not None:
        question = Asked("what_was_on"), asks("other_nominated", player=other.by, ball=other.ball)
    else:
        return judged
    return _asked_of(judged, question, _States(position, seen, state, settings, missing))


def _asked_of(judged: Judged, question: tuple[Asked, ...], states: _States) -> Judged:
    """A call about the state before a stroke. What happened in it is as sure as it was."""
    rulings = states.rulings()
    sure = judged.verdict == "certain"
    return replace(
        judged,
        verdict="call",
        question=question,
        candidates=states.candidates(rulings),
        asked="striker",
        others=tuple(replace(o, happened=o.ruled.facts if sure else None) for o in states.others(rulings)),
        happened=judged.facts if sure else None,
    )


def open_in_practice(
    seen: SeenStroke, score: tuple[int, int]
) -> tuple[tuple[Asked, ...], tuple[Candidate, ...]]:
    """What must be asked of a stroke on which nothing is ruled, with its answers; nothing where its facts are
    certain. No frame's count of balls speaks here, so a ball that is gone may have fallen or been lifted.
    """
    question = _UNSEEN if seen.unseen else _misnamed(seen)
    if question is not None:
        left = 1.0 - AS_SEEN
        share = _share_of_answers(seen, left)
        found = {said: share * weight for said, weight in happenings(seen, left).items()}
    else:
        found = happenings(seen)
        if max(found.values()) >= CERTAIN:
            return _pocket_in_practice(seen, score)
        gone = tuple(b for b in seen.gone_unseen if b != "white")
        question = (Asked("first_and_potted"), *_of_balls("gone", gone))
    order = sorted(found, key=lambda said: -found[said])
    answers = tuple(Candidate(said, found[said], None, None, False, 0, score, None, None) for said in order)
    return question, answers[:MOST_CANDIDATES]


def _pocket_in_practice(
    seen: SeenStroke, score: tuple[int, int]
) -> tuple[tuple[Asked, ...], tuple[Candidate, ...]]:
    """The question about a pocket, with its answers; nothing where all pockets are certain."""
    if (pot := open_pocket(seen)) is None:
        return (), ()
    told = with_pockets(seen, pot)
    answers = (Candidate(said, weight, None, None, False, 0, score, None, None) for said, _, weight in told)
    return (pocket_asked(pot),), tuple(answers)


def _facts_of(facts: StrokeFacts) -> Labels:
    return (
        ("first_contact", " and ".join(facts.first_contact) or "none"),
        ("potted", ", ".join(facts.potted) or "none"),
    )


def _of_balls(text: str, balls: tuple[str, ...]) -> tuple[Asked, ...]:
    """The text about that ball, or the one about several that ends in `_some`; none about none."""
    if len(balls) < 2:
        return tuple(_of_ball(text, b) for b in balls)
    return (asks(f"{text}_some", balls=", ".join(colour_of(b) for b in balls)),)


def missing_asked(missing: tuple[str, ...]) -> Asked:
    """What a question says of balls that should be there and are not seen; at least one."""
    return _of_balls("missing", missing)[0]


def _guess_question(position: Position, judged: Judged, states: _States) -> tuple[Asked, ...] | None:
    """What must be asked where a foul rests on a state that was assumed: players foul rarely, and with
    another
    ball on the same stroke may be fair. None where nothing was assumed, or every state has the same foul.
    """
    if not position.guessed or not judged.ruling.foul or states.alike(judged.ruling.penalty):
        return None
    return Asked("what_was_on"), Asked("begins_inside")


def due_in(settings: Settings) -> Callable[[SeenStroke, tuple[str, ...]], tuple[DuePlace, ...]]:
    """Due places of some of the colours that dropped in a stroke, on this table."""

    def places(seen: SeenStroke, balls: tuple[str, ...]) -> tuple[DuePlace, ...]:
        return due_places(seen, settings.table, settings.options.strict_spotting_order, balls)

    return places
