"""A stroke of which it is not known who played it, what was on, or what the score was: the states in which it
may have been played, and the question about them.

Nothing shows what happened before it, or a state was assumed where the recording begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from referee.facts.corrections import Correction
from referee.facts.judged import Asked, Candidate, JudgedStroke, asks
from referee.facts.seen import SeenStroke
from referee.match.courses import FIRST_ASKED
from referee.match.position import Position, Settings
from referee.match.snooker.adjudication import Alternative, Judged, Ruled, candidate, rule_each
from referee.match.snooker.intake import due_in
from referee.match.snooker.nominations import nominated_by_other
from referee.match.snooker.readings import possible_readings
from referee.match.weighing import CERTAIN, WHAT_HAPPENED, grouped, heaviest, likelihood, total
from referee.rules.snooker import ANY_COLOUR, Pending, State
from referee.rules.snooker.facts import COLOURS
from referee.rules.snooker.state import lowest_on


@dataclass(frozen=True, slots=True)
class States:
    """A stroke and the states in which it may have been played. `state`: before it, as it would be if nothing
    had happened unseen; `missing`: colours that should lie there and do not; `fix`: what a person said of it.
    """

    position: Position
    seen: SeenStroke
    state: State
    settings: Settings
    missing: tuple[str, ...]
    fix: Correction | None = None

    def whole(self) -> list[Ruled]:
        """What may have happened in the state as it was, where all of the stroke is asked about."""
        return self._rule_each(self.state, whole=True)

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
        own, may_be = self._as_it_was(), self._may_be()
        found = [(s, r) for s, r in rulings if s in may_be]
        rivals = zip(found, self._weights(found), strict=True)
        return tuple(Alternative(s, r, w) for (s, r), w in rivals if s != own)

    def rivals(self) -> list[State]:
        """The states but the one that would be so if nothing had happened unseen."""
        return [s for s in self._may_be() if s != self._as_it_was()]

    def _may_be(self) -> list[State]:
        begins = self.position.guessed and self.position.doubt is None
        return [s for s in self._plausible() if not begins or s.striker == self.state.striker]

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

    def _rule_each(self, state: State, whole: bool = False) -> list[Ruled]:
        found = possible_readings(
            self.position, self.seen, state, self.settings, self.fix, self.missing, whole
        )
        return rule_each(state, self.seen, found, None, due_in(self.settings))


def in_state_of(stroke: JudgedStroke, state: State) -> State:
    """The state before a stroke in which it was ruled: `state`, or another that was likelier."""
    own = stroke.striker, stroke.ball_on
    if stroke.striker is None or own == (state.striker, state.ball_on):
        return state
    other = replace(state, striker=stroke.striker, ball_on=stroke.ball_on)
    return replace(other, free_ball=stroke.free_ball, pending=Pending.NOTHING)


def asked_of_state(judged: Judged, states: States) -> Judged:
    """A stroke whose state is in doubt asks about that before all else: what its own images leave open means
    nothing while the player and the ball on are unknown. Once a state is said, its own question follows.
    """
    position, fix = states.position, states.fix
    if fix is not None and fix.striker is not None:
        return judged
    other = nominated_by_other(position.since_s, states.seen, states.state, states.settings)
    if position.doubt is not None:
        a, b = position.doubt
        question = Asked("who_and_score"), asks("nothing_shown", from_s=f"{a:.1f}", to_s=f"{b:.1f}")
    elif other is not None:
        question = Asked("what_was_on"), asks("other_nominated", player=other.by, ball=other.ball)
    else:
        return judged
    return asked_about(judged, question, states)


def asked_about(judged: Judged, question: tuple[Asked, ...], states: States) -> Judged:
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


def asked_in_each(
    judged: Judged, question: tuple[Asked, ...], states: States, rivals: Sequence[tuple[State, Judged]]
) -> Judged:
    """A stroke whose state was assumed, with what it is in the states of `rivals` as its other rulings. What
    is open of its own images is asked first in each of them, with the answers that it has there.
    """
    about = asked_about(judged, question, states)
    if not any(map(_of_facts, (judged, *(other for _, other in rivals)))):
        return about

    def asking(j: Judged) -> Judged:
        if _of_facts(j):
            return j
        return replace(
            j, verdict="call", question=about.question, candidates=about.candidates, asked="striker"
        )

    whole = judged.likelihood + sum(other.likelihood for _, other in rivals)
    share = judged.likelihood / whole
    found = [replace(o, weight=o.weight * share) for o in judged.others]
    for state, other in rivals:
        share, there = other.likelihood / whole, asking(other)
        own = Ruled(other.facts, (), 1.0, other.state, other.ruling)
        left = share * (1.0 - sum(o.weight for o in other.others))
        found.append(Alternative(state, own, left, other.happened, there))
        found += (replace(o, weight=o.weight * share, judged=there) for o in other.others)
    return replace(asking(judged), others=tuple(found), likelihood=whole / (1 + len(rivals)))


def _of_facts(judged: Judged) -> bool:
    """Whether the question is about what happened in the stroke: what is not asked about is stated."""
    return judged.asked == WHAT_HAPPENED or judged.asked in FIRST_ASKED


def guess_question(judged: Judged, states: States) -> tuple[Asked, ...] | None:
    """What must be asked where a foul rests on a state that was assumed: players foul rarely, and with
    another ball on the same stroke may be fair. None where nothing was assumed, or all states have that foul.
    """
    if not states.position.guessed or not judged.ruling.foul or states.alike(judged.ruling.penalty):
        return None
    return Asked("what_was_on"), Asked("begins_inside")
