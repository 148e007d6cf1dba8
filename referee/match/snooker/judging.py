"""One stroke judged from all its readings, and what makes a certain ruling a question after all."""

from __future__ import annotations

from dataclasses import replace

from referee.facts.corrections import POCKET, Correction
from referee.facts.judged import Asked
from referee.facts.seen import SeenPot, SeenStroke
from referee.match.courses import FIRST_ASKED
from referee.match.pockets import open_pocket, pocket_asked, with_pockets
from referee.match.position import Position, Settings
from referee.match.priors import UNCHANGED
from referee.match.snooker.adjudication import Judged, Ruled, adjudicate, candidate
from referee.match.snooker.intake import due_in
from referee.match.snooker.missing import changes_foul
from referee.match.snooker.not_whole import asked_whole, missing_asked, whole_question
from referee.match.snooker.open_state import States, asked_about, guess_question, with_states
from referee.match.snooker.readings import possible_readings
from referee.rules.snooker import State


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
        states = States(position, seen, state, settings, missing)
        if (why := whole_question(position, seen)) is not None:
            return asked_whole(judged, state, why, states.whole())
        if judged.verdict == "certain":
            return _doubted(position, seen, judged, missing, states)
        if (before := guess_question(position, judged, states)) is not None:
            if judged.asked not in FIRST_ASKED:
                return asked_about(judged, before, states)
            judged = with_states(judged, states)
    if missing and judged.asked in ("first_contact", "potted", "snookered", "clear_path"):
        return replace(judged, question=(*judged.question, missing_asked(missing)))
    return judged


def _doubted(
    position: Position, seen: SeenStroke, judged: Judged, missing: tuple[str, ...], states: States
) -> Judged:
    """A certain ruling made a call where a missing ball, or a state that was guessed, may change it."""
    if position.doubt is None and changes_foul(seen, judged.state, judged.ruling, missing):
        question = (Asked("foul_leaves"), missing_asked(missing))
        return asked_whole(judged, states.state, question, states.whole(), UNCHANGED)
    if (before := guess_question(position, judged, states)) is not None:
        return asked_about(judged, before, states)
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
