"""English billiards at the baulk-line, as a camera tells it: strokes from in-hand (3.6), balls in baulk
(2.14), and the crossing that the commentary asks for (2.13).

Each function gives the values of one uncertain thing. A place near a line is a question, and so is a place
that nobody saw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.table.specs import TableSpec
from referee import geometry
from referee.facts.seen import SeenBall, SeenStroke
from referee.geometry import BallAt
from referee.match.games.eyes import Shot
from referee.match.games.seen_facts import CROSSING_MM, below, kind_of, lying, met_beyond, said
from referee.match.priors import PLACED_RIGHT, UNSEEN_TOUCH
from referee.match.weighing import EVEN, Part, placed_right, yes_no
from referee.rules.english_billiards.fouls import in_crossing_window

FAR_FROM_D_MM = 150.0
"""Further from the D nobody puts a ball for a stroke from in-hand: rather it was not in-hand."""
BESIDE_MM = 1.0
"""So far beside a line the rules are told of a ball that lies on that side: more than they leave to
measurement.
"""


def start_places(seen: SeenStroke, cue: str) -> dict[str, list[float]]:
    """Where the balls lay before a stroke, in the vocabulary of the rule cases."""
    return {
        f"{'cue' if b.colour == cue else as_object(b.colour)}_start": [b.x_mm, b.y_mm] for b in seen.before
    }


def as_object(kind: str) -> str:
    """An object ball as the rules name it: the other white is `white`."""
    return "red" if kind == "red" else "white"


def may_lie_in_d(ball: SeenBall, table: TableSpec) -> bool:
    """Whether a ball lies on or within the lines of the D, as far as its place tells."""
    return _in_d(ball, table).probability > 1.0 - PLACED_RIGHT


def _in_d(ball: SeenBall, table: TableSpec) -> geometry.Answer:
    return geometry.in_d(BallAt(ball.ball, ball.colour, ball.x_mm, ball.y_mm, ball.sigma_mm), table)


def cue_in_d(shot: Shot, cue: str) -> list[Part]:
    """Whether a cue-ball from in-hand was struck on or within the lines of the D (3.6)."""
    told = said(shot.fix, "in_d")
    ball = lying(shot.seen.before, cue)
    line_mm = shot.table.baulk_line_mm or 0.0
    x_mm, y_mm = (0.0, line_mm) if ball is None else (ball.x_mm, ball.y_mm)
    yes = {"cue_start": list(_into_d(x_mm, y_mm, shot.table))}
    no = {"cue_start": [x_mm, max(y_mm, line_mm + BESIDE_MM)]}
    weight = PLACED_RIGHT
    if ball is not None and not shot.seen.gap_before:
        found = _in_d(ball, shot.table)
        weight = placed_right(found.probability) if found.margin_mm > -FAR_FROM_D_MM else EVEN
    return yes_no("in_d", weight, yes, no, told)


def _into_d(x_mm: float, y_mm: float, table: TableSpec) -> tuple[float, float]:
    """The place itself where it is in the D, else the nearest on the way to the middle of its line."""
    line_mm, radius_mm = table.baulk_line_mm or 0.0, table.d_radius_mm or 0.0
    down_mm = max(line_mm - y_mm, 0.0)
    share = min(1.0, radius_mm / max(math.hypot(x_mm, down_mm), 1e-9))
    return share * x_mm, line_mm - share * down_mm


def object_balls_in_baulk(shot: Shot, cue: str) -> list[list[Part]]:
    """Of each object ball in play whether it lay in baulk: on the baulk-line or below it (2.14)."""
    return [_ball_in_baulk(shot, cue, kind) for kind in ("red", "white", "yellow") if kind != cue]


def _ball_in_baulk(shot: Shot, cue: str, kind: str) -> list[Part]:
    line_mm = shot.table.baulk_line_mm or 0.0
    name, ball = as_object(kind), lying(shot.seen.before, kind)
    x_mm, y_mm = _aside(shot.table) if ball is None else (ball.x_mm, ball.y_mm)
    weight = EVEN if ball is None else below(y_mm, line_mm, ball.sigma_mm)
    yes = {f"{name}_start": [x_mm, min(y_mm, line_mm)]}
    no = {f"{name}_start": [x_mm, max(y_mm, line_mm + BESIDE_MM)]}
    return yes_no(f"{name}_in_baulk", weight, yes, no, said(shot.fix, f"{name}_in_baulk"))


def left_baulk(shot: Shot, cue: str, words: Sequence[str]) -> list[Part]:
    """Whether a cue-ball from in-hand met a cushion out of baulk before any ball (3.6(d)). `words`: what it
    met, in order.
    """
    balls = [k for k, w in enumerate(words) if not w.startswith("cushion")]
    ahead = list(words[: balls[0]]) if balls else list(words)
    rest = list(words[len(ahead) :])
    yes = {"contacts": [*(ahead or ["cushion:side"]), *rest]}
    no = {"contacts": ["cushion:side_in_baulk" if w == "cushion:side" else w for w in ahead] + rest}
    if "cushion:top" in ahead:
        return [Part("left_baulk", "yes", 1.0, yes)]
    if "cushion:side" not in ahead:
        yes = {"contacts": [*ahead, "cushion:side", *rest]}
    return yes_no("left_baulk", _met_outside(shot, cue, ahead), yes, no, said(shot.fix, "left_baulk"))


def _met_outside(shot: Shot, cue: str, ahead: Sequence[str]) -> float:
    """Weight that one of the cushions before the first ball was met out of baulk, or one that nobody saw."""
    seen, line_mm = shot.seen, shot.table.baulk_line_mm or 0.0
    hits = [c for c in seen.cushions if kind_of(c.ball, shot.pieces) == cue]
    if seen.gap_before or seen.unseen or any(c.t_s is None for c in hits):
        return EVEN
    in_time = sorted(hits, key=lambda c: c.t_s or 0.0)
    sides = [c for c in in_time if c.cushion in ("left", "right")][: ahead.count("cushion:side")]
    return 1.0 - (1.0 - UNSEEN_TOUCH) * math.prod(1.0 - met_beyond(c, line_mm) for c in sides)


def rests_in_baulk(shot: Shot, cue: str, ends: dict[str, list[float]]) -> list[Part]:
    """Whether a cue-ball that lies on the table came to rest in baulk (3.6(c)). `ends`: where balls lie."""
    ball, line_mm = lying(shot.seen.after, cue), shot.table.baulk_line_mm or 0.0
    x_mm, y_mm = _aside(shot.table) if ball is None else (ball.x_mm, ball.y_mm)
    weight = EVEN if ball is None else below(y_mm, line_mm, ball.sigma_mm)
    yes = {"end_positions": {**ends, "cue": [x_mm, min(y_mm, line_mm)]}}
    no = {"end_positions": {**ends, "cue": [x_mm, max(y_mm, line_mm + BESIDE_MM)]}}
    return yes_no("rests_in_baulk", weight, yes, no, said(shot.fix, "rests_in_baulk"))


def crossed(shot: Shot, cue: str, fate: str) -> list[Part]:
    """Whether the cue-ball crossed the baulk-line towards the bottom cushion and came to rest in baulk
    (commentary 2.13.1), where that rule is agreed and the break stands at 80 to 99 of a hundred.
    """
    state = shot.position.state
    if not state.rules.baulk_crossing or state.crossed or not in_crossing_window(state.break_points):
        return []
    yes, no = {"crossed_baulk_line": True}, {"crossed_baulk_line": False}
    return yes_no("baulk_crossed", _crossed(shot, cue, fate), yes, no, said(shot.fix, "baulk_crossed"))


def _crossed(shot: Shot, cue: str, fate: str) -> float:
    """Weight of the crossing. The text wants the ball to stop in baulk; whether one that came out again or
    fell there crossed "correctly" is the referee's opinion (2.13.2).
    """
    seen, line_mm = shot.seen, shot.table.baulk_line_mm or 0.0
    began, ended = lying(seen.before, cue), lying(seen.after, cue)
    went = next((r for r in seen.reached if kind_of(r.ball, shot.pieces) == cue), None)
    if seen.gap_before or seen.unseen or began is None or went is None or shot.table.baulk_line_mm is None:
        return EVEN
    sigma_mm = math.hypot(began.sigma_mm, CROSSING_MM)
    from_outside = 1.0 - below(max(began.y_mm, went.high_y_mm), line_mm, sigma_mm)
    low = below(went.low_y_mm, line_mm, sigma_mm)
    if fate != "on_table" or ended is None:
        return EVEN * from_outside * low
    rests = below(ended.y_mm, line_mm, ended.sigma_mm)
    return from_outside * (rests + EVEN * (1.0 - rests) * low)


def _aside(table: TableSpec) -> tuple[float, float]:
    """A place on the baulk-line near a side cushion, where no spot is: for a ball that nobody saw."""
    return table.half_width_mm - table.ball_diameter_mm, table.baulk_line_mm or 0.0
