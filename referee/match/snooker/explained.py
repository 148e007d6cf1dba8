"""The explanations of a judged stroke of snooker, with their rulings (`referee.match.explained`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from calibration.table.pieces import colour_of
from referee.facts.judged import JudgedStroke
from referee.facts.seen import SeenStroke
from referee.match.courses import ruled_from, states_of
from referee.match.explained import WORDS, Account, Explained, Words, explained
from referee.match.position import Position, Settings
from referee.match.snooker.adjudication import Ruled, candidate, meaning, rule_each
from referee.match.snooker.fold import before_stroke, ruled_on
from referee.match.snooker.frames import resynced
from referee.match.snooker.intake import due_in
from referee.match.snooker.judging import states_before
from referee.match.snooker.missing import missing_balls
from referee.match.snooker.open_state import States, in_state_of
from referee.match.snooker.readings import possible_readings
from referee.match.snooker.strokes import with_missing
from referee.match.weighing import percent


def explain(position: Position, seen: SeenStroke, stroke: JudgedStroke, settings: Settings) -> Explained:
    """The explanations of a judged stroke. `position`: where the fold stood before its entry."""
    states = states_of(position)
    position, _ = before_stroke(ruled_from(position, stroke), seen, settings)
    if position.state is None or not ruled_on(position):
        return Explained(stroke, (), (), 0.0, seen.explanations)
    fix = settings.correction(stroke.entry)
    missing = missing_balls(position.state, seen)
    as_assumed, _ = resynced(position.state, seen)
    if not states:
        states = states_before(States(position, seen, as_assumed, settings, missing, fix))
    state = in_state_of(stroke, as_assumed)
    found = possible_readings(position, seen, state, settings, fix, missing)
    ruled = rule_each(state, seen, found, fix.snookered if fix else None, due_in(settings))
    on = "any_ball" if stroke.free_ball else stroke.ball_on
    account: Account[Ruled] = Account(
        meaning, lambda r, share: candidate(r, r.labels, share), lambda r: _words(on, r.ruling.next_ball_on)
    )
    return replace(explained(stroke, with_missing(seen, missing), ruled, account), states=states)


def _words(ball_on: str | None, next_on: str | None) -> Mapping[str, Words]:
    """What is said of each thing; geometry was asked about the ball on before the stroke, or after it."""

    def of_sight(value: str, seen: SeenStroke) -> Iterable[str]:
        sight = next((s for s in seen.sights if s.ball_on == next_on), None)
        if sight is not None and sight.snookered is not None:
            by = f", by {', '.join(map(colour_of, sight.effective))}" if sight.effective else ""
            yield f"lines of sight to {next_on}: snookered {percent(sight.snookered)}{by}"

    def of_path(value: str, seen: SeenStroke) -> Iterable[str]:
        sight = next((s for s in seen.sights if s.ball_on == ball_on), None)
        if sight is not None and sight.clear_path is not None:
            yield f"path to {ball_on} before the stroke: clear {percent(sight.clear_path)}"

    def of_d(value: str, seen: SeenStroke) -> Iterable[str]:
        if seen.in_d is not None:
            yield f"cue-ball measured within the D: {percent(seen.in_d)}"

    return {**WORDS, "snookered": of_sight, "clear_path": of_path, "in_d": of_d}
