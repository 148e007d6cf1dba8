"""One stroke judged from all its readings, and what makes a certain ruling a question after all."""

from __future__ import annotations

from dataclasses import replace

from referee.facts.corrections import POCKET
from referee.facts.judged import Asked
from referee.facts.seen import SeenPot, SeenStroke
from referee.match.courses import heaviest_first
from referee.match.pockets import open_pocket, pocket_asked, with_pockets
from referee.match.priors import UNCHANGED
from referee.match.snooker.adjudication import Judged, Ruled, adjudicate, candidate
from referee.match.snooker.intake import due_in
from referee.match.snooker.missing import changes_foul
from referee.match.snooker.not_whole import asked_whole, missing_asked, whole_question
from referee.match.snooker.open_state import States, asked_in_each, asked_of_state, guess_question
from referee.match.snooker.readings import possible_readings


def judged_stroke(states: States) -> Judged | None:
    """A stroke as seen, put right by what was said of it; None where that cannot be true."""
    seen, fix = states.seen, states.fix
    judged = _judged_from(states)
    if judged is None or (fix is not None and fix.striker is not None):
        return judged
    if (before := guess_question(judged, states)) is not None:
        in_each = ((s, _judged_from(replace(states, state=s))) for s in states.rivals())
        return asked_in_each(
            judged, before, states, [(s, other) for s, other in in_each if other is not None]
        )
    pot = open_pocket(seen) if fix is None and judged.verdict == "certain" else None
    return judged if pot is None else _asked_pocket(judged, seen, pot)


def states_before(states: States) -> tuple[tuple[str, str, float], ...]:
    """Who may have been at the table before a stroke whose state was assumed, and what on, with weights,
    heaviest first; empty where nothing but the state as it was is in question.
    """
    judged = judged_stroke(states)
    if judged is None:
        return ()
    others = asked_of_state(judged, states).others
    own = states.state, 1.0 - sum(o.weight for o in others)
    return heaviest_first((own, *((o.before, o.weight) for o in others)))


def _judged_from(states: States) -> Judged | None:
    """The same where its state is that for certain."""
    position, seen, missing, fix = states.position, states.seen, states.missing, states.fix
    found = possible_readings(position, seen, states.state, states.settings, fix, missing)
    snookered = fix.snookered if fix else None
    judged = adjudicate(states.state, seen, found, snookered, due_in(states.settings), position.fouled)
    if judged is None:
        return None
    if fix is None:
        if (why := whole_question(position, seen)) is not None:
            return asked_whole(judged, states.state, why, states.whole())
        leaves = judged.verdict == "certain" and position.doubt is None
        if leaves and changes_foul(seen, judged.state, judged.ruling, missing):
            question = (Asked("foul_leaves"), missing_asked(missing))
            return asked_whole(judged, states.state, question, states.whole(), UNCHANGED)
    if missing and judged.asked in ("first_contact", "potted", "snookered", "clear_path"):
        return replace(judged, question=(*judged.question, missing_asked(missing)))
    return judged


def _asked_pocket(judged: Judged, seen: SeenStroke, pot: SeenPot) -> Judged:
    """A call about the pocket into which a ball fell; the ruling is the same with each."""
    ruled = Ruled(judged.facts, (), 1.0, judged.state, judged.ruling)
    found = tuple(candidate(ruled, said, weight) for said, _, weight in with_pockets(seen, pot))
    return replace(
        judged,
        verdict="call",
        question=pocket_asked(seen, pot),
        candidates=found,
        asked=POCKET,
        others=(),
        happened=None,
    )
