"""Finds every infringement in a stroke and what each would cost alone (3.12); the highest counts
(3.11(g)).
"""

from __future__ import annotations

from referee.rules.snooker.facts import CueBall, Infringed, Infringement, StrokeFacts
from referee.rules.snooker.on import On, out_of_turn
from referee.rules.snooker.ruling import FoulPart, Reason
from referee.rules.snooker.state import ANY_COLOUR, State

_SEEN: dict[Infringement, Reason] = {
    Infringement.SPOTTING_FREE_BALL: Reason.FREE_BALL_NOT_SPOTTED,
    Infringement.STRUCK_TWICE: Reason.STRUCK_TWICE,
    Infringement.FEET_OFF_FLOOR: Reason.FEET,
    Infringement.OUT_OF_TURN: Reason.OUT_OF_TURN,
    Infringement.INCOMING_TOO_EARLY: Reason.OUT_OF_TURN,
    Infringement.FROM_IN_HAND: Reason.FROM_IN_HAND,
    Infringement.JUMP_SHOT: Reason.JUMP_SHOT,
    Infringement.NON_STANDARD_CUE: Reason.NON_STANDARD_CUE,
    Infringement.CONFERRING: Reason.CONFERRING,
    Infringement.BALLS_MOVING: Reason.BALLS_MOVING,
    Infringement.SPOTTING_COLOUR: Reason.COLOUR_NOT_SPOTTED,
    Infringement.PUSH_STROKE: Reason.PUSH_STROKE,
    Infringement.TOUCHED_BALL: Reason.TOUCHED_BALL,
    Infringement.BALL_AS_TOOL: Reason.BALL_AS_TOOL,
    Infringement.MEASURED: Reason.MEASURED,
    Infringement.REDS_SUCCESSIVELY: Reason.REDS_SUCCESSIVELY,
    Infringement.RED_AFTER_FREE_BALL: Reason.REDS_SUCCESSIVELY,
    Infringement.WRONG_CUE_BALL: Reason.WRONG_CUE_BALL,
    Infringement.NOT_DECLARED_SNOOKERED: Reason.NOT_DECLARED,
    Infringement.NOT_DECLARED_ASKED: Reason.NOT_DECLARED,
}
_ON_VALUE = "3.12(a)"
_SEVEN = "3.12(d)"
LEAST_PENALTY = 4
CONTACT_REASONS = frozenset((Reason.MISSED_ALL, Reason.HIT_NOT_ON, Reason.TWO_AT_ONCE))
_CLUB_FLAT = frozenset((Reason.IN_OFF, Reason.OFF_TABLE, Reason.TOUCHED_BALL))


def penalty_for(reason: Reason, on_value: int, concerned: int = 0, club_rules: bool = False) -> int:
    """The penalty of one infringement: (a) the ball on, (b) and (c) the higher, (d) seven; at least four."""
    if club_rules and reason in _CLUB_FLAT:
        return LEAST_PENALTY
    if club_rules and reason is Reason.HIT_NOT_ON:
        return max(LEAST_PENALTY, concerned)
    if reason.clause.startswith(_SEVEN):
        return 7
    if reason.clause.startswith(_ON_VALUE):
        return max(LEAST_PENALTY, on_value)
    return max(LEAST_PENALTY, on_value, concerned)


def find(state: State, facts: StrokeFacts, on: On) -> tuple[FoulPart, ...]:
    """All infringements, first what was seen or entered, then contacts and pots in their order in time.

    Among equal penalties the first names the ruling.
    """
    parts = [
        *_entered(state, facts, on),
        *_contact(state, facts, on),
        *_pots(state, on, facts.potted),
        *_off(state, facts, on),
        *_behind_free_ball(state, facts, on),
    ]
    if parts and on.base == ANY_COLOUR and on.nominated is None:
        parts.append(FoulPart(Reason.BEFORE_NOMINATION, 7))
    return tuple(parts)


def deciding(parts: tuple[FoulPart, ...]) -> FoulPart:
    """The infringement whose penalty is incurred: the highest, the first among equals."""
    return max(parts, key=lambda p: p.penalty)


def _part(state: State, on: On, reason: Reason, *balls: str) -> FoulPart:
    concerned = max((on.worth(b) for b in balls), default=0)
    ball = max(balls, key=on.worth) if balls else None
    return FoulPart(reason, penalty_for(reason, on.value, concerned, state.options.club_rules), ball)


def _entered(state: State, facts: StrokeFacts, on: On) -> list[FoulPart]:
    parts = []
    kinds = {i.kind for i in facts.infringements}
    if facts.jumped:
        parts.append(_part(state, on, Reason.JUMP_SHOT))
    if facts.touching_moved:
        parts.append(_part(state, on, Reason.PUSH_STROKE, *facts.touching_moved))
    for infringed in facts.infringements:
        if infringed.kind is Infringement.FEET_OFF_FLOOR and facts.by in state.wheelchair:
            continue  # 3.19(b)(i): the feet rule is not applied to a player in a wheelchair
        parts.append(_part(state, on, _SEEN[infringed.kind], *_concerned(infringed, facts)))
    if out_of_turn(state, facts.by) and Infringement.OUT_OF_TURN not in kinds:
        parts.append(_part(state, on, Reason.OUT_OF_TURN))
    return parts


def _concerned(infringed: Infringed, facts: StrokeFacts) -> tuple[str, ...]:
    if infringed.kind is Infringement.PUSH_STROKE and not infringed.balls:
        return facts.first_contact
    return infringed.balls


def _contact(state: State, facts: StrokeFacts, on: On) -> list[FoulPart]:
    """The first impact: on a ball on, or deemed made on a touching ball that is on (3.8(c))."""
    hit = facts.first_contact
    if on.targets & set(state.touching) or facts.excused:
        return []
    if not hit:
        return [_part(state, on, Reason.MISSED_ALL)]
    if on.base == ANY_COLOUR and on.nominated is None and set(hit) == {"red"}:
        return [_part(state, on, Reason.REDS_SUCCESSIVELY)]
    if _lawful(on, hit):
        return []
    return [_part(state, on, Reason.TWO_AT_ONCE if len(hit) > 1 else Reason.HIT_NOT_ON, *hit)]


def _lawful(on: On, hit: tuple[str, ...]) -> bool:
    if on.free:  # 3.10(b)(i): the nominated ball first, or at once with the ball on
        return on.nominated in hit and set(hit) <= on.targets
    return set(hit) <= on.targets and (len(hit) == 1 or on.base == "red")


def _pots(state: State, on: On, potted: tuple[str, ...]) -> list[FoulPart]:
    return [_part(state, on, Reason.POTTED_NOT_ON, b) for b in potted if b not in on.pots]


def _off(state: State, facts: StrokeFacts, on: On) -> list[FoulPart]:
    parts = [_part(state, on, Reason.OFF_TABLE, b) for b in facts.off_table]
    if facts.cue_ball is CueBall.OFF_TABLE:
        parts.append(_part(state, on, Reason.OFF_TABLE))
    if facts.cue_ball is CueBall.POCKETED:
        parts.append(_part(state, on, Reason.IN_OFF))
    return parts


def _behind_free_ball(state: State, facts: StrokeFacts, on: On) -> list[FoulPart]:
    """3.10(b)(ii): the next player snookered by the free ball; six-red 3: by any nominated colour."""
    strict = state.options.never_behind_nominated
    if not (on.free or (strict and on.base == ANY_COLOUR)) or on.pots & set(facts.potted):
        return []
    only_pink_and_black = state.reds == 0 and state.colours == ("pink", "black")
    if (only_pink_and_black and not strict) or not facts.after.snookered:
        return []
    if on.nominated is None or on.nominated not in (facts.after.snookering or ()):
        return []
    return [_part(state, on, Reason.BEHIND_FREE_BALL)]
