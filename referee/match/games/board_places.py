"""Places on a carrom board as a camera tells them: the striker at the base lines and circles (law 130), and
the C/m that are due (79 to 89).

Where the arrow lies that a striker on a base circle may not touch (130(b)) no text says: it is not looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.table.board import CARROM_BOARD, CarromBoard
from referee.facts.seen import SeenBall
from referee.match.games.eyes import Shot
from referee.match.games.ruling import FIRST
from referee.match.games.seen_facts import below, kind_of, said
from referee.match.weighing import CERTAIN, EVEN, Part, placed_right, yes_no
from referee.rules.carrom import acts
from referee.rules.carrom.reasons import Violation
from referee.rules.carrom.types import State
from referee.rules.game import other

LINES_SIGMA_MM = 2.0
"""One sigma of where lines and circles are and how large a striker is: boards differ, no text has the
distances. Assumed.
"""
UNPLACED = (("yes", 0.5), ("forgone", 0.25), ("no space", 0.25))
"""What may have become of due C/m of which nobody saw that they were placed, with weights: placed after all;
declined, forgone or forfeited (80, 83, 87(a)); waiting for space (79).
"""


def proper_margin_mm(x_mm: float, y_mm: float, board: CarromBoard = CARROM_BOARD) -> float:
    """How far a striker's centre may go before it breaks law 130; below zero where it does.

    It touches both base lines and no part of a base circle (130(a)), or covers a base circle fully (130(b)).
    """
    striker_mm, circle_mm = board.striker_diameter_mm / 2, board.base_gap_mm / 2
    within_mm = striker_mm - circle_mm
    (_, middle_mm), (far_mm, _) = board.base_circles("bottom")
    off_mm = abs(abs(y_mm) - abs(middle_mm))
    aside_mm = abs(abs(x_mm) - abs(far_mm))
    on_lines = min(within_mm - off_mm, abs(far_mm) - striker_mm - circle_mm - abs(x_mm))
    return max(on_lines, within_mm - math.hypot(aside_mm, off_mm))


def striker_proper(shot: Shot, striker: SeenBall | None, by_hand: bool, on_side: bool) -> list[Part]:
    """Whether the striker was set as law 130 wants it. `by_hand`: it lies elsewhere than the last stroke left
    it; `on_side`: on a player's side. One that nobody saw set is taken to be set right, as players do. The
    four sides of a board look alike: where nobody told which is A's, the players may sit at the other two.
    """
    weight = placed_right(0.5)
    if striker is not None and by_hand and not shot.seen.gap_before:
        sigma_mm = math.hypot(striker.sigma_mm, LINES_SIGMA_MM)
        across_mm, along_mm = sorted((striker.x_mm, striker.y_mm), key=abs)
        margin_mm = proper_margin_mm(across_mm, along_mm)
        weight = placed_right(below(0.0, margin_mm, sigma_mm)) if on_side else EVEN
    return yes_no("placed", weight, {}, {"proper": False}, said(shot.fix, "placed"))


def due_kind(state: State) -> str | None:
    """The kind of the C/m that are due before the next stroke, None where none are."""
    return None if state.to_place is None else str(state.of(other(state.to_place[0])).colour)


def dues(shot: Shot) -> list[tuple[Part, ...]]:
    """What became of C/m that are due before the stroke, each with the steps that say so."""
    state = shot.position.state
    if state.to_place is None:
        return []
    who, count = state.to_place
    men = _placed_men(shot, state.of(other(who)).colour)
    expected = count + int((shot.last.get("returned") or {}).get("own_pocketed_this_stroke") or 0)
    told = said(shot.fix, "due_placed")
    seen = [(told, 1.0)] if told else [("yes", 1.0)] if len(men) >= expected else UNPLACED
    found: list[tuple[Part, ...]] = []
    for value, weight in seen:
        due = Part("due_placed", value, weight, {FIRST: _steps(who, value)})
        found += _inside(shot, due, men) if value == "yes" else [(due,)]
    return found


def _steps(who: str, became: str) -> list[dict[str, str]]:
    if became == "forgone":
        return [{"type": "choice", "by": who, "choice": "decline_placing"}]
    if became == "no space":
        return [{"type": "event", "by": who, "event": "no_space_to_place"}]
    return [{"type": "event", "event": "placed"}]


def _placed_men(shot: Shot, colour: str) -> tuple[SeenBall, ...]:
    """C/m of a colour that a hand put on the board since the last stroke, or that lay nowhere after it."""
    came = {
        h.ball: SeenBall(h.ball, colour, *h.to_mm, 1.0)
        for h in shot.hands
        if h.type == "respot" and h.to_mm is not None and kind_of(h.ball, shot.pieces) == colour
    }
    lay = {b.ball for b in shot.earlier if b.colour == colour}
    there = [b for b in shot.seen.before if b.colour == colour]
    more = len(there) - len(lay) if shot.earlier else 0
    new = tuple(b for b in there if b.ball not in lay)[: max(more, 0)]
    return tuple(came.values()) if len(came) >= len(new) else new


def _inside(shot: Shot, due: Part, men: Sequence[SeenBall]) -> list[tuple[Part, ...]]:
    """Whether due C/m were put inside the outer circle (85) and beside the centre circle (89(b)). What lies
    otherwise is asked: the umpire may have had it put right, or not.
    """
    state = shot.position.state
    who, _ = state.to_place
    margins = [(min(_inside_outer_mm(m), _off_centre_mm(m)), m) for m in men]
    margin_mm, worst = min(margins, key=lambda p: p[0], default=(math.inf, None))
    sigma_mm = math.hypot(worst.sigma_mm, LINES_SIGMA_MM) if worst is not None else LINES_SIGMA_MM
    weight = placed_right(below(0.0, margin_mm, sigma_mm))
    centre = worst is not None and _off_centre_mm(worst) < _inside_outer_mm(worst)
    broken = Violation.COVERED_CENTRE if centre else Violation.OUTSIDE_OUTER_CIRCLE
    foul = {
        "type": "event",
        "event": "violation",
        "by": who,
        "phase": acts.phase_of(state, who).value,
        "detail": broken.words,
    }
    parts = yes_no(
        "due_inside",
        weight if weight >= CERTAIN else EVEN,
        {},
        {FIRST: [*due.changes[FIRST], foul]},
        said(shot.fix, "due_inside"),
    )
    return [(due, p) for p in parts]


def _inside_outer_mm(man: SeenBall, board: CarromBoard = CARROM_BOARD) -> float:
    """How far a C/m lies within the outer circle, whole."""
    return board.outer_circle_mm / 2 - board.man_radius_mm - math.hypot(man.x_mm, man.y_mm)


def _off_centre_mm(man: SeenBall, board: CarromBoard = CARROM_BOARD) -> float:
    """How far a C/m lies from covering a part of the centre circle."""
    return math.hypot(man.x_mm, man.y_mm) - board.man_radius_mm - board.centre_circle_mm / 2
