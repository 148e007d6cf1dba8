"""One stroke judged and recorded: its facts adjudicated, the frame's score, the colours to spot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from calibration.table.pieces import SNOOKER, colour_of
from referee.facts.corrections import Correction, as_corrected
from referee.facts.judged import Asked, Candidate, JudgedStroke, Output, Warned
from referee.facts.seen import SeenStroke
from referee.match.accounts import accounts, first_contacts
from referee.match.pockets import may_be_answered
from referee.match.position import Course, Last, Position, Settings, StrokeRuling, Told
from referee.match.priors import CONTRADICTED, UNCALLED, UNSAID
from referee.match.questions import question_text
from referee.match.snooker.adjudication import (
    NOT_RULED,
    Alternative,
    Judged,
    Ruled,
    foul_of,
    meaning,
    miss_of,
)
from referee.match.snooker.frames import resynced
from referee.match.snooker.judging import judged_stroke
from referee.match.snooker.missing import met_unseen, missing_balls
from referee.match.snooker.nominations import nominated_by_other, refused_nominations
from referee.match.snooker.not_whole import open_in_practice, whole_question
from referee.match.snooker.open_state import States, asked_of_state
from referee.match.snooker.readings import possible_readings
from referee.match.touching import touching_balls
from referee.match.weighing import WHAT_HAPPENED
from referee.rules.snooker import ANY_COLOUR, State, apply
from referee.rules.snooker.facts import COLOURS, VALUES, FactsError, StrokeFacts


def rule(
    position: Position, seen: SeenStroke, entry: int, settings: Settings, fix: Correction | None
) -> StrokeRuling:
    """Judge a stroke of the frame under way. `entry`: of the journal, `fix`: a person's correction."""
    assert position.state is not None  # a frame is under way
    missing = missing_balls(position.state, seen)
    state, disagreements = resynced(position.state, seen)
    states = States(position, seen, state, settings, missing, fix)
    judged = judged_stroke(states)
    uncalled = refused_nominations(position, seen, state, settings)
    not_his = nominated_by_other(position.since_s, seen, state, settings) is not None
    warnings: tuple[Output, ...] = (*disagreements, *uncalled)
    if judged is None:
        judged = _contradiction(position, seen, state, settings, fix)
        text = "what was seen cannot be true of the balls on the table"
        warnings += (Warned("contradiction", seen.start_s, text),)
    judged = asked_of_state(judged, states)
    shown = as_corrected(with_missing(seen, missing), fix)
    record = _Record(position, entry, settings)
    own = record.told(shown, state, judged)
    rule_warnings = (Warned(w.value, seen.end_s, w.value.replace("_", " ")) for w in judged.ruling.warnings)
    return StrokeRuling(
        _after(position, state, judged, own.stroke),
        own,
        (*warnings, *rule_warnings),
        tuple(record.course(shown, judged, other) for other in _with_fair(judged, state, seen)),
        judged.likelihood
        * (CONTRADICTED if disagreements else 1.0)
        * (UNCALLED if uncalled or not_his else 1.0),
    )


@dataclass(frozen=True, slots=True)
class _Record:
    """Makes the record of a stroke under a ruling. `entry`: the stroke's number in the journal."""

    position: Position
    entry: int
    settings: Settings

    def told(self, seen: SeenStroke, before: State, judged: Judged) -> Told:
        """The stroke as recorded now, and as it will be once later strokes make its ruling certain."""
        stroke = self._stroke(seen, before, judged)
        if judged.verdict == "certain" or judged.happened is None:
            return Told(stroke, stroke if judged.verdict == "certain" else None)
        happened = as_corrected(seen, _as_told(self.entry, judged.happened))
        if not may_be_answered(seen, happened):
            return Told(stroke)
        certain = replace(judged, verdict="certain", question=(), candidates=(), asked=None)
        return Told(stroke, self._stroke(happened, before, certain))

    def course(self, seen: SeenStroke, judged: Judged, other: Alternative) -> Course:
        """The match's course under another ruling of the same question."""
        ruled = other.ruled
        otherwise = replace(other.judged or judged, facts=ruled.facts, state=ruled.state, ruling=ruled.ruling)
        seen_so = _with_in_front(seen, ruled.facts.first_contact)
        stroke = self.told(seen_so, other.before, replace(otherwise, happened=other.happened))
        return Course(_after(self.position, other.before, otherwise, stroke.stroke), (stroke,), other.weight)

    def _stroke(self, seen: SeenStroke, before: State, judged: Judged) -> JudgedStroke:
        ruling = judged.ruling
        return JudgedStroke(
            n=self.position.strokes + 1,
            frame=self.position.frames[-1].n,
            entry=self.entry,
            seen=seen,
            striker=judged.facts.by,
            ball_on=before.ball_on,
            nominated=None if judged.asked == "nominated" else judged.facts.nominated,
            free_ball=before.free_ball,
            foul=foul_of(ruling),
            miss=miss_of(ruling),
            points=ruling.points,
            score=judged.state.scores,
            break_points=ruling.break_points,
            options=tuple(o.value for o in ruling.options),
            touching=touching_balls(seen),
            next_free_ball=ruling.free_ball,
            next_striker=ruling.next_striker,
            next_ball_on=ruling.next_ball_on,
            words=ruling.words,
            due=tuple((p.ball, p.spot, *p.on(self.settings.table), p.clause) for p in ruling.respot),
            verdict=judged.verdict,
            question=question_text(judged.question) or None,
            candidates=judged.candidates,
            remaining=points_left(judged.state),
            asked=judged.question,
        )


def with_missing(seen: SeenStroke, missing: Sequence[str]) -> SeenStroke:
    """The stroke with what a cue-ball that met no known ball may have met."""
    if not missing:
        return seen
    found = accounts(seen, SNOOKER, missing=met_unseen(seen, missing))
    return replace(seen, first_contact=first_contacts(found))


def _as_told(entry: int, happened: StrokeFacts) -> Correction:
    """What a person would say of a stroke in which that happened."""
    return Correction(
        entry,
        first_contact=happened.first_contact,
        potted=happened.potted,
        cue_ball=happened.cue_ball.value,
    )


def _with_in_front(seen: SeenStroke, hit: tuple[str, ...]) -> SeenStroke:
    """The stroke with the first contact in front that a ruling takes to be so, as sure as it was seen."""
    said = hit or ("none",)
    order = sorted(seen.first_contact, key=lambda f: (colour_of(f.ball) if f.ball else "none") not in said)
    return replace(seen, first_contact=tuple(order))


def _with_fair(judged: Judged, state: State, seen: SeenStroke) -> tuple[Alternative, ...]:
    """The other rulings of a question; where it is about what was hit or fell, with fair strokes that no
    answer has.
    """
    if judged.asked not in (WHAT_HAPPENED, "first_contact", "potted"):
        return judged.others
    own = Ruled(judged.facts, (), 1.0, judged.state, judged.ruling)
    known = {meaning(own), *(meaning(o.ruled) for o in judged.others)}
    fair = [r for r in _fair(judged, state, seen) if meaning(r) not in known]
    if not fair:
        return judged.others
    likeliest = max((c.weight for c in judged.candidates), default=0.0)
    unsaid = UNSAID * (0.5 if seen.unseen else min(1.0 - likeliest, 0.5))
    said = tuple(replace(o, weight=o.weight * (1.0 - unsaid)) for o in judged.others)
    return *said, *(Alternative(state, r, unsaid / len(fair)) for r in fair)


def _fair(judged: Judged, state: State, seen: SeenStroke) -> list[Ruled]:
    """A stroke that plays the ball on and pots nothing, and strokes that pot it; a colour on that is there
    afterwards was not potted.
    """
    lying = {b.colour for b in seen.after}
    on = [c for c in COLOURS if c in state.colours] if state.ball_on == ANY_COLOUR else [str(state.ball_on)]
    plays = [(on[0], ()), *((c, (c,)) for c in on if c == "red" or c not in lying)]
    found = []
    for ball, potted in plays:
        nominated = ball if state.ball_on == ANY_COLOUR else None
        facts = StrokeFacts(judged.facts.by, (ball,), potted, nominated=nominated)
        try:
            found.append(Ruled(facts, (), 1.0, *apply(state, facts)))
        except FactsError:
            continue  # it cannot be played in this state
    return found


def _contradiction(
    position: Position, seen: SeenStroke, state: State, settings: Settings, fix: Correction | None
) -> Judged:
    """A stroke of which no reading can be true: nothing is ruled, and the referee is asked."""
    found = possible_readings(position, seen, state, settings, fix)
    return Judged(
        found[0].facts,
        state,
        NOT_RULED,
        "call",
        whole_question(position, seen) or (Asked(WHAT_HAPPENED),),
        (),
        WHAT_HAPPENED,
        likelihood=CONTRADICTED,
    )


def record_unruled(position: Position, seen: SeenStroke, entry: int, fix: Correction | None) -> StrokeRuling:
    """Record a stroke of practice, or one after a frame: facts, no rulings. What is open of practice is asked
    about; what is played after a frame serves nobody.
    """
    question: tuple[Asked, ...] = ()
    answers: tuple[Candidate, ...] = ()
    if position.practice and fix is None:
        question, answers = open_in_practice(seen, position.score)
    seen = as_corrected(seen, fix)
    stroke = JudgedStroke(
        n=position.strokes + 1,
        frame=max(1, len(position.frames)),
        entry=entry,
        seen=seen,
        score=position.score,
        touching=touching_balls(seen),
        verdict="call" if question else "certain",
        question=question_text(question) or None,
        candidates=answers,
        asked=question,
    )
    after = replace(position, strokes=stroke.n, since_s=seen.end_s, hands=(), due=(), last=None)
    told = Told(stroke, None if question else stroke)
    return StrokeRuling(after, told, (), likelihood=1.0 if position.practice else CONTRADICTED)


def _after(position: Position, state: State, judged: Judged, stroke: JudgedStroke) -> Position:
    new, again_s = judged.state, stroke.seen.struck_again_s
    return replace(
        position.after_stroke(stroke, new.scores, judged.ruling.winner, new.over),
        state=new,
        due=judged.ruling.respot,
        doubt=None if again_s is None else (again_s, stroke.seen.end_s),
        guessed=False,
        last=Last(stroke, state, judged.facts, judged.ruling.miss),
    )


def points_left(state: State) -> int | None:
    """What the balls left can bring without fouls (snooker 3.1(a)): a black with each red, then the colours.

    A colour that is on after a red may be the black; a free ball counts as one more ball on (3.13).
    None when the frame is over.
    """
    if state.over or state.ball_on is None:
        return None
    red, black = VALUES["red"], VALUES["black"]
    colours = sum(VALUES[c] for c in state.colours)
    if state.ball_on in state.colours:
        left = sum(VALUES[c] for c in state.colours if VALUES[c] >= VALUES[state.ball_on])
        return left + (VALUES[state.ball_on] if state.free_ball else 0)
    extra = black if state.ball_on == ANY_COLOUR else red + black if state.free_ball else 0
    return state.reds * (red + black) + colours + extra
