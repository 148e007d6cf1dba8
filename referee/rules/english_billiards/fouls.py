"""English billiards: the faults of one stroke (3.6, 3.14, 3.16, billiards001 2.13).

Each function looks at one kind of fault; `faults` lists all of them, the one to be named first in front:
what a person or the camera saw during the stroke, then a ball off the table, play from in-hand, a miss,
the limits. At most two points are forfeited whatever the number (3.15(c)).
"""

from __future__ import annotations

from calibration.table.specs import PointMm
from referee.rules.english_billiards.spots import in_baulk
from referee.rules.english_billiards.types import (
    AFTER_ANNOUNCEMENT,
    CANNON_LIMIT,
    CROSSING_FROM,
    HAZARD_LIMIT,
    Ball,
    CushionContact,
    MissReading,
    Reason,
    Score,
    State,
    Stroke,
    index,
    other,
    side_of,
)

_HUNDRED = 100


def faults(state: State, stroke: Stroke, would_score: tuple[Score, ...]) -> tuple[Reason, ...]:
    """Every fault of the stroke in the order above; `Reason.MISS` alone is no foul (3.16)."""
    found = list(_seen(state, stroke))
    if stroke.off_table or stroke.cue_ball == "off_table":
        found.append(Reason.BALL_OFF_TABLE)
    if state.striker_in_hand and improper_in_hand(state, stroke):
        found.append(Reason.IMPROPER_IN_HAND)
    if not stroke.object_contacts:
        found.append(_missed(state, stroke))
    found += _limits(state, stroke, would_score)
    unique = tuple(dict.fromkeys(found))
    if len(unique) > 1:  # a mere miss beside a foul is nothing of its own
        return tuple(r for r in unique if r is not Reason.MISS)
    return unique


def _seen(state: State, stroke: Stroke) -> tuple[Reason, ...]:
    wheelchair = state.rules.wheelchair[index(side_of(stroke.by))]
    seen = tuple(r for r in stroke.infringements if not (wheelchair and r is Reason.FEET_OFF_FLOOR))
    if stroke.wrong_white and Reason.OTHER_BALL_STRUCK not in seen:
        seen = (*seen, Reason.OTHER_BALL_STRUCK)
    return seen if stroke.by == state.striker else (Reason.OUT_OF_TURN, *seen)


def _places_before(stroke: Stroke) -> dict[Ball, PointMm]:
    return {b.ball: (b.x_mm, b.y_mm) for b in stroke.before}


def _ball_in_baulk(state: State, stroke: Stroke, ball: Ball) -> bool:
    """Whether an object ball lay in baulk before the stroke; one whose place is unknown did not."""
    xy = _places_before(stroke).get(ball)
    return xy is not None and in_baulk(xy, state.rules.table)


def improper_in_hand(state: State, stroke: Stroke) -> bool:
    """3.6: from outside the D, not out of baulk, or at a ball in baulk before a cushion or ball outside.

    A contact out of baulk, of a ball or a cushion, settles it (3.6(c), (d)); a ball in baulk that is met
    before that is a fault (3.6(d), (f)); with no contact, coming to rest in baulk is (3.6(c)).
    """
    start = _places_before(stroke).get("cue")
    if start is not None and not _within_d(state, start):
        return True
    for contact in stroke.contacts:
        if not isinstance(contact, CushionContact):
            return _ball_in_baulk(state, stroke, contact)
        if not contact.in_baulk:
            return False
    end = next(((b.x_mm, b.y_mm) for b in stroke.after if b.ball == "cue"), None)
    return stroke.cue_ball == "on_table" and end is not None and in_baulk(end, state.rules.table)


def _within_d(state: State, xy: PointMm) -> bool:
    """3.6: on or within the lines of the D (its line is in); 0.5 mm is left to measurement."""
    table = state.rules.table
    if table.baulk_line_mm is None or table.d_radius_mm is None:
        return True
    dy = table.baulk_line_mm - xy[1]
    slack = 0.5
    return dy >= -slack and xy[0] ** 2 + dy**2 <= (table.d_radius_mm + slack) ** 2


def _missed(state: State, stroke: Stroke) -> Reason:
    """3.14(n), (q), 3.16: the cue-ball met no object ball."""
    in_play = _in_play(state)
    direct = stroke.cue_ball == "pocketed" and not any(isinstance(c, CushionContact) for c in stroke.contacts)
    in_hand = state.striker_in_hand
    if in_hand and direct and not in_play:
        return Reason.COUP  # 2.17: no ball is in play
    if state.rules.miss is MissReading.ALWAYS_FOUL:
        return Reason.FOUL_MISS
    all_in_baulk = all(_ball_in_baulk(state, stroke, ball) for ball in in_play)
    if state.rules.miss is MissReading.EVERY_MISS:
        return Reason.FOUL_MISS if in_hand and all_in_baulk and direct else Reason.MISS
    return Reason.MISS if in_hand and all_in_baulk and not direct else Reason.FOUL_MISS


def _in_play(state: State) -> tuple[Ball, ...]:
    """The object balls that are on the table."""
    red: tuple[Ball, ...] = () if state.red.off_table else ("red",)
    return red if state.in_hand[index(other(state.side))] else (*red, "white")


def is_hazard(parts: tuple[Score, ...]) -> bool:
    """2.9: a scoring stroke that does not include a cannon."""
    return bool(parts) and all(p.kind != "cannon" for p in parts)


def is_pure_cannon(parts: tuple[Score, ...]) -> bool:
    """3.9: a cannon not in conjunction with a hazard."""
    return [p.kind for p in parts] == ["cannon"]


def hazard_limit(state: State) -> int:
    """3.10(a): fifteen, or five more after a late announcement."""
    return max(HAZARD_LIMIT, (state.hazards_at or 0) + AFTER_ANNOUNCEMENT)


def cannon_limit(state: State) -> int:
    """3.9(a): seventy-five, or five more after a late announcement."""
    return max(CANNON_LIMIT, (state.cannons_at or 0) + AFTER_ANNOUNCEMENT)


def _limits(state: State, stroke: Stroke, parts: tuple[Score, ...]) -> tuple[Reason, ...]:
    found = []
    if is_hazard(parts) and state.hazards >= hazard_limit(state):
        found.append(Reason.TOO_MANY_HAZARDS)
    if is_pure_cannon(parts) and state.cannons >= cannon_limit(state):
        found.append(Reason.TOO_MANY_CANNONS)
    if crossing_missed(state, stroke, sum(p.points for p in parts)):
        found.append(Reason.NOT_CROSSED)
    return tuple(found)


def crossing_missed(state: State, stroke: Stroke, points: int) -> bool:
    """billiards001 2.13.4: the break passes a hundred without the line crossed between 80 and 99."""
    if not state.rules.baulk_crossing or state.crossed:
        return False
    passes = (state.break_points + points) // _HUNDRED > state.break_points // _HUNDRED
    return passes and not (stroke.crossed_baulk_line and in_crossing_window(state.break_points))


def in_crossing_window(break_points: int) -> bool:
    """billiards001 2.13.1: 80 to 99 points of the current hundred."""
    return break_points % _HUNDRED >= CROSSING_FROM
