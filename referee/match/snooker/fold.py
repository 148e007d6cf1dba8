"""What the entries of a record mean in snooker and six-red (`referee.match.fold.Family`).

The way of a stroke: calls before it about frames and their state (`calls`), the frame that it belongs to
(`frames`), choices since the last stroke (`choices`), then its ruling (`strokes`).
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

from calibration.table.games import PIECES
from referee.facts.corrections import Correction
from referee.facts.judged import Output, Warned
from referee.facts.seen import SeenHand, SeenLayout, SeenStroke
from referee.geometry.shapes import BallAt, in_d
from referee.match.position import Folded, Position, Settings, StrokeRuling
from referee.match.priors import NO_FOUL, UNDUE
from referee.match.snooker.calls import apply_frame_calls, apply_state_calls
from referee.match.snooker.choices import apply_choices
from referee.match.snooker.frames import begin_frame, frame_of
from referee.match.snooker.nominations import refused_nominations
from referee.match.snooker.spotting import check_spotting, stood_at_first, with_respot
from referee.match.snooker.strokes import record_unruled, rule
from referee.rules.snooker import Pending
from referee.rules.snooker.facts import COLOURS
from referee.rules.snooker.on import may_call

GAP_WORDS = {
    "images_lost": "images were lost; no contact time is claimed across them",
    "corrupt": "the images are damaged and were not used",
    "clock_changed": "the recorder's clock was set anew; how long nothing was recorded is unknown",
    "size_changed": "the images have another shape than the calibrated ones and were not used",
    "no_colour": "the pictures have no colour; they were not used",
    "other_view": "the table is not in sight as calibrated (another camera, a title, darkness); not used",
    "images_repeated": "images were repeated",
    "rescaled": (
        "the images have another size from here on; they are scaled to the calibrated one, places are"
        " less exact"
    ),
    "cut": "the recording was cut",
    "covered": "the table was covered",
    "unusable": "the images could not be used",
    "camera_moved": ("the camera has moved by more than 1 mm on the cloth; calibrate again, places are off"),
    "camera_healed": "the camera was knocked; its new pose was measured, places are right again",
}
"""Reasons for which the balls could not be followed for a while, in words."""

_NUDGE_MM = 10.0
"""A ball found this little elsewhere between strokes is not worth a warning."""
_SAME_TIME_S = 1e-6
"""Times of one image that came by two ways differ by rounding only."""


def beginning(settings: Settings) -> Position:
    """Before anything was seen."""
    del settings
    return Position()


def behind_no_stroke(position: Position, seen: SeenStroke, settings: Settings) -> Position:
    """The position behind what was under way at the first image. The state at the beginning is in doubt since
    then, if it was said.
    """
    return replace(position, doubt=None if settings.start.assumed else (seen.start_s, seen.end_s))


def staying_down(position: Position, seen: SeenStroke, settings: Settings) -> Collection[str]:
    """Reds are never put back (3.7)."""
    return PIECES[settings.game].stay_down


def finish(position: Position, settings: Settings) -> Folded:
    """The position at the end of the recording: calls after the last stroke count too."""
    position, calls = apply_frame_calls(position, math.inf, settings)
    position, choices = apply_choices(position, math.inf, settings)
    position, said = apply_state_calls(position, math.inf, settings)
    return position, (*calls, *choices, *said)


def stroke(
    position: Position, seen: SeenStroke, entry: int, settings: Settings, fix: Correction | None
) -> StrokeRuling:
    """Judge a stroke. `fix`: a person's correction of it."""
    position, said = before_stroke(position, seen, settings)
    if position.last is None:  # of its frame the first that is seen
        position = replace(position, stood=stood_at_first(seen.before, settings.table))
    if not ruled_on(position):
        ruling = record_unruled(position, seen, entry, fix)
        said = (*said, *refused_nominations(position, seen, None, settings))
    else:
        ruling = rule(position, seen, entry, settings, fix)
    refused = any(isinstance(o, Warned) and o.type == "choice_refused" for o in said)
    likelihood = ruling.likelihood * (NO_FOUL if refused else 1.0)
    return replace(ruling, said=(*said, *ruling.said), likelihood=likelihood)


def before_stroke(position: Position, seen: SeenStroke, settings: Settings) -> Folded:
    """What a stroke finds: calls about frames, the frame that it belongs to, choices made before it, the
    state that a person set.
    """
    position, calls = apply_frame_calls(position, seen.start_s, settings)
    placed = next((h for h in position.hands if _puts_in_hand(h, settings)), None)
    position, begun = frame_of(position, seen, settings)
    if placed is not None and position.last is None:
        position = _in_hand_by_no_ruling(position, placed)
    choices: tuple[Output, ...] = ()
    if ruled_on(position):
        position, choices = apply_choices(position, seen.start_s, settings)
    position, stated = apply_state_calls(position, seen.start_s, settings)
    return position, (*calls, *begun, *choices, *stated)


def may_name(position: Position, seen: SeenStroke, settings: Settings, fix: Correction) -> Collection[str]:
    """A colour of choice, or a free ball (2.12, 3.10)."""
    del fix
    at, _ = before_stroke(position, seen, settings)
    if at.guessed or at.doubt is not None:
        return COLOURS
    return may_call(at.state).balls if at.state is not None and ruled_on(at) else ()


def ruled_on(position: Position) -> bool:
    """Whether strokes are ruled: not in practice, nor in a frame that is over, conceded or claimed."""
    return position.state is not None and not position.state.over


def hand(position: Position, seen: SeenHand, settings: Settings) -> Folded:
    """What a hand did between strokes: a colour put back is checked, a ball moved is said."""
    layout = position.last.output.seen.after if position.last is not None else ()
    check = check_spotting(seen, position.due, settings.table, layout, position.stood)
    after = replace(position, hands=(*position.hands, seen))
    if check is not None:
        return replace(after, stood=with_respot(position.stood, seen, check)), (seen, check)
    state = position.state
    placing = seen.ball == "white" and state is not None and state.in_hand
    if _puts_in_hand(seen, settings):
        after = _in_hand_by_no_ruling(after, seen)
    if seen.type != "moved" or state is None or placing or _nudges(seen):
        return after, (seen,)
    text = f"a hand moved the {seen.ball.replace('_', ' ')}: a foul if the striker's (snooker 3.12(b)(vi))"
    return after, (seen, Warned("ball_moved_by_hand", seen.t_s, text))


def _puts_in_hand(seen: SeenHand, settings: Settings) -> bool:
    """Whether a hand puts a cue-ball down that was off the table, or moves it into the D: it is played from
    there from in-hand only (snooker 2.9, 3.5).
    """
    if seen.ball != "white" or seen.to_mm is None or seen.type not in ("in_hand", "moved"):
        return False
    if seen.type == "in_hand":
        return True
    within = in_d(BallAt("white", "white", *seen.to_mm), settings.table)
    return not _nudges(seen) and within.probability > 0.5


def _nudges(seen: SeenHand) -> bool:
    """Whether a ball that a hand moved is found so little elsewhere that it may not have moved."""
    return seen.far_mm is not None and seen.far_mm < _NUDGE_MM


def _in_hand_by_no_ruling(position: Position, seen: SeenHand) -> Position:
    """In doubt, if no ruling has put the cue-ball in-hand that a hand puts down: a foul that nobody saw, such
    as a cue-ball played into a pocket between two images.
    """
    if position.state is None or position.state.in_hand:
        return position
    return replace(position, doubt=position.doubt or (position.since_s, seen.t_s))


def likely(position: Position, seen: SeenHand, settings: Settings) -> float:
    """How likely a hand does that: it spots the colours that are due, and puts the cue-ball back after a foul
    and a miss (snooker 3.14).
    """
    del settings
    if seen.type == "replaced" and seen.ball == "white":
        fouled = position.state is not None and position.state.pending is Pending.AFTER_FOUL
        return 1.0 if fouled else NO_FOUL
    return 1.0 if seen.type != "respot" or any(p.ball == seen.ball for p in position.due) else UNDUE


def racked(position: Position, seen: SeenLayout, settings: Settings) -> Folded:
    """A triangle was set: a frame begins."""
    position, calls = apply_frame_calls(position, seen.t_s, settings)
    position, begun = begin_frame(position, seen.layout, seen.t_s, settings)
    return position, (*calls, *begun)


def moved(position: Position, seen: SeenLayout) -> Position:
    """Balls lie otherwise than strokes and hands explain: in doubt, if nothing was seen then."""
    if position.blind is not None and abs(seen.t_s - position.blind[1]) < _SAME_TIME_S:
        return replace(position, doubt=position.blind)
    return position
