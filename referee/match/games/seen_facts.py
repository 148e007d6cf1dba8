"""The facts of a stroke that several games ask for, each with its weight, from what was seen."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from types import MappingProxyType

from calibration.table.pieces import PieceSet, colour_of
from calibration.table.specs import CUSHIONS, TableSpec
from referee.facts.corrections import Correction
from referee.facts.seen import SeenBall, SeenCushion, SeenPot, SeenStroke
from referee.match.games import frozen
from referee.match.games.frozen import Against
from referee.match.priors import LOST_RAIL, RACK_FELL, SURE_BOUNCE, UNSEEN_NEAR, UNSEEN_TOUCH, WEAK_BOUNCE
from referee.match.weighing import EVEN, Part, placed_right

AWAY_MM = 60.0
"""A ball that rests this far from a cushion which it met a while before came back from it."""
BOUNCED_S = 0.3
AT_RAIL_MM = 3.0
NEAR_RAIL_MM = 40.0
MOVED_MM = 8.0
CUE_MOVED_MM = 15.0
"""A cue-ball found this far from where the last stroke left it was placed by a hand."""
FAR_OUT_MM = 150.0
LEAST_SIGMA_MM = 0.3
"""No place is told more exactly from a line than this."""


def kind_of(ball: str, pieces: PieceSet) -> str:
    """The kind of a piece's name; a kind's own name is one."""
    return pieces.kind_of.get(ball, ball)


def lying(layout: Iterable[SeenBall], kind: str) -> SeenBall | None:
    """The ball of a kind in a layout, for kinds of one ball; None where it does not lie there."""
    return next((b for b in layout if b.colour == kind), None)


def entered(fix: Correction | None) -> list[str]:
    """What a person said that was done wrong in the stroke, in the words of the game's rules."""
    return list(fix.infringements) if fix is not None else []


def contacts(seen: SeenStroke, fix: Correction | None, fell: Collection[str] = ()) -> list[Part]:
    """What the cue-ball met first in an account, by kind. `fell`: kinds that fell: it met a ball for it."""
    if fix is not None and fix.first_contact is not None:
        hit = fix.first_contact
        return [_met(" and ".join(hit) or "none", list(hit), 1.0)]
    ball = seen.first_contact[0].ball
    if ball is None and fell:
        return [_met(kind, [kind], 1.0 / len(set(fell))) for kind in dict.fromkeys(fell)]
    return [_met("none", [], 1.0) if ball is None else _met(colour_of(ball), [colour_of(ball)], 1.0)]


def _met(words: str, kinds: list[str], weight: float) -> Part:
    return Part("first_contact", words, weight, {"first_contact": kinds})


def likely_contact(seen: SeenStroke) -> tuple[str | None, float | None]:
    """The likeliest first contact: (piece, time)."""
    best = max(seen.first_contact, key=lambda f: f.confidence, default=None)
    return (None, None) if best is None else (best.ball, best.t_s)


def due(seen: SeenStroke, pieces: PieceSet) -> dict[str, float]:
    """What may have fallen unseen in a rack's first stroke, with the weight of that: the set was whole before
    it, so a piece that does not lie there afterwards, and that nothing accounts for, is hidden or fell.
    """
    told = [*(b.ball for b in seen.after), *(p.ball for p in seen.pots), *seen.off_table]
    found = {}
    for kind in (k for k in pieces.names if k not in pieces.struck):
        names = [b for b in pieces.kind_of if pieces.kind_of[b] == kind and b not in told] or [kind]
        lacking = pieces.count(kind) - sum(kind_of(b, pieces) == kind for b in told)
        found.update(dict.fromkeys(names[:lacking], RACK_FELL))
    return found


def named_pots(pots: Iterable[SeenPot], pieces: PieceSet) -> str:
    """Pots as an answer names them."""
    return ", ".join(kind_of(p.ball, pieces) for p in pots) or "none"


def said(fix: Correction | None, name: str) -> str | None:
    """What a person answered to a question of that name, which may be a field of the correction."""
    if fix is None:
        return None
    field = getattr(fix, name, None)
    return ("yes" if field else "no") if isinstance(field, bool) else dict(fix.answers).get(name)


def rail_after_contact(
    seen: SeenStroke,
    table: TableSpec,
    pieces: PieceSet,
    ball: str | None = None,
    against: Against = MappingProxyType({}),
) -> float:
    """Weight that a ball, or that `ball`, was driven to a cushion after the first contact. `against`: balls
    that lay against a cushion, which have to leave it before they are driven to it (WPA 8.4, WEPF G(4)).

    Nothing but the cue-ball moves before that contact, however the two times are measured.
    """
    if seen.gap_before or seen.unseen:
        return LOST_RAIL
    _, first_s = likely_contact(seen)

    def after_contact(hit: SeenCushion) -> bool:
        if kind_of(hit.ball, pieces) not in pieces.struck:
            return True
        return first_s is None or hit.t_s is None or hit.t_s > first_s

    hits = [c for c in seen.cushions if ball in (None, c.ball) and after_contact(c)]
    rested = [b for b in moved(seen) if ball in (None, b.ball)]
    none = math.prod(1.0 - _driven(seen, c, pieces, table, against) for c in hits)
    if all((c.ball, c.cushion) in against for c in hits):
        none *= 1.0 - _unseen_rail(rested, table, against)
        unhit = [b for b in rested if b.ball not in {c.ball for c in hits}]
        none *= 1.0 - _pressed(seen, unhit, table, against)
    return 1.0 - none


def _driven(
    seen: SeenStroke, hit: SeenCushion, pieces: PieceSet, table: TableSpec, against: Against
) -> float:
    """Weight that a ball was driven to a cushion by a hit that was seen."""
    lay = next((w for place, w in against.items() if place == (hit.ball, hit.cushion)), 0.0)
    pushed = lay * (1.0 - frozen.left_before(hit, seen, pieces, table)) if lay else 0.0
    return _bounced(seen, hit.ball, hit.cushion, hit.t_s, table) * (1.0 - pushed)


def _bounced(seen: SeenStroke, ball: str, cushion: str, t_s: float | None, table: TableSpec) -> float:
    """Weight that a ball did meet a cushion: one that lies away from it a while later came back."""
    at = next((b for b in seen.after if b.ball == ball), None)
    fell = next((p for p in seen.pots if p.ball == ball), None)
    late = t_s is not None and seen.end_s - t_s > BOUNCED_S
    if at is None:
        return SURE_BOUNCE if late and fell is not None and (fell.t_s or 0.0) > (t_s or 0.0) else WEAK_BOUNCE
    return (
        SURE_BOUNCE
        if late and frozen.to_cushion_mm(at.x_mm, at.y_mm, cushion, table) > AWAY_MM
        else WEAK_BOUNCE
    )


def moved(seen: SeenStroke) -> list[SeenBall]:
    """Balls that lie elsewhere after the stroke, as they lie then."""
    before = {b.ball: b for b in seen.before}
    return [
        b
        for b in seen.after
        if b.ball in before
        and math.dist((b.x_mm, b.y_mm), (before[b.ball].x_mm, before[b.ball].y_mm))
        > max(MOVED_MM, 6 * math.hypot(b.sigma_mm, before[b.ball].sigma_mm))
    ]


def _unseen_rail(rested: Iterable[SeenBall], table: TableSpec, against: Against) -> float:
    """Weight that one of the balls that came to rest touched a cushion without a bend that was seen: another
    one than that against which it lay.
    """
    places = ((b, c) for b in rested for c in CUSHIONS if (b.ball, c) not in against)
    nearest = min((frozen.to_cushion_mm(b.x_mm, b.y_mm, c, table) for b, c in places), default=math.inf)
    if nearest < AT_RAIL_MM:
        return WEAK_BOUNCE
    return UNSEEN_NEAR if nearest < NEAR_RAIL_MM else UNSEEN_TOUCH


def _pressed(seen: SeenStroke, rested: Iterable[SeenBall], table: TableSpec, against: Against) -> float:
    """Weight that the ball met first was driven to a cushion beside which it lay, without a bend that was
    seen. The cue-ball meets it from the table's side, so it goes there; a ball that nobody declared frozen
    is assumed not to be (WPA 8.4).
    """
    first, _ = likely_contact(seen)
    lay = next((b for b in seen.before if b.ball == first), None)
    if lay is None or lay.ball not in {b.ball for b in rested}:
        return 0.0
    beside = [c for c in CUSHIONS if frozen.to_cushion_mm(lay.x_mm, lay.y_mm, c, table) < AT_RAIL_MM]
    return max((WEAK_BOUNCE * (1.0 - against.get((lay.ball, c), 0.0)) for c in beside), default=0.0)


def crossed_centre(seen: SeenStroke, table: TableSpec, pieces: PieceSet) -> tuple[int, int]:
    """How many object balls went wholly past the centre string from the foot end, for certain and perhaps
    (black ball 5.5(b)). Of a stroke that is not whole in the pictures, or told by older code, any may have.
    """
    line = table.length_mm / 2 - table.ball_radius_mm
    lowest = {b.ball: b.y_mm for b in seen.after} | {r.ball: r.low_y_mm for r in seen.reached}
    lowest = {b: y for b, y in lowest.items() if kind_of(b, pieces) not in pieces.struck}
    sure = sum(y < line - CROSSING_MM for y in lowest.values())
    if seen.unseen or seen.gap_before or not seen.reached:
        return sure, len(lowest)
    return sure, sum(y < line + CROSSING_MM for y in lowest.values())


CROSSING_MM = 5.0
"""How exactly it is known how far a ball went that turned there, between two images. Assumed."""


def object_balls_at_rails(seen: SeenStroke, pieces: PieceSet) -> int:
    """How many object balls were seen to meet a cushion."""
    return len({c.ball for c in seen.cushions if kind_of(c.ball, pieces) not in pieces.struck})


def object_balls_driven(
    seen: SeenStroke, pieces: PieceSet, table: TableSpec, balls: int, down: Collection[str] = ()
) -> float:
    """Weight that so many object balls or more were driven to a cushion by a break. `down`: those that left
    the table, which counts as that (WPA 8.4).

    In 70 simulated breaks of 208 balls that were seen to meet a cushion all had, of 620 that were not and lay
    far from all none, of 11 that lay near one two.
    """
    if seen.gap_before or seen.unseen:
        return 0.8
    objects = [b.ball for b in seen.before if b.colour not in pieces.struck]
    counts = [1.0, *[0.0] * balls]  # weight that so many were driven; the last: at least so many
    for ball in objects:
        p = 1.0 if ball in down else rail_after_contact(seen, table, pieces, ball)
        counts = [
            w * (1.0 if n == balls else 1.0 - p) + (counts[n - 1] * p if n else 0.0)
            for n, w in enumerate(counts)
        ]
    return counts[balls]


def played_behind(seen: SeenStroke, ball: str, line_mm: float, pieces: PieceSet) -> float:
    """Weight that the cue-ball, played from behind a line across the table, met a ball behind it without
    having crossed the line (WPA 6.11). On its way to such a ball it crosses it only by way of a cushion.
    """
    lay = next((b for b in seen.before if b.ball == ball), None)
    if lay is None:
        return 0.0
    behind = below(lay.y_mm, line_mm, lay.sigma_mm)
    met_s = next((f.t_s for f in seen.first_contact if f.ball == ball), None)
    cue = [c for c in seen.cushions if kind_of(c.ball, pieces) in pieces.struck]
    before = [c for c in cue if met_s is None or c.t_s is None or c.t_s < met_s]
    back = max((met_beyond(c, line_mm) for c in before), default=0.0)
    if seen.unseen or seen.gap_before or met_s is None:
        back = EVEN
    return behind * (1.0 - back)


def met_beyond(hit: SeenCushion, line_mm: float) -> float:
    """Weight that a cushion was met beyond a line across the table."""
    if hit.y_mm is None or hit.y_sigma_mm is None:
        return {"top": 1.0, "bottom": 0.0}.get(hit.cushion, EVEN)
    return 1.0 - below(hit.y_mm, line_mm, hit.y_sigma_mm)


def stayed_behind(seen: SeenStroke, line_mm: float, pieces: PieceSet) -> float | None:
    """Weight that a cue-ball played from behind a line did not cross it; None where nobody knows."""
    far = [r.high_y_mm for r in seen.reached if kind_of(r.ball, pieces) in pieces.struck]
    rests = lying(seen.after, pieces.cue)
    if rests is not None:
        far.append(rests.y_mm)
    if not far or seen.unseen or seen.gap_before:
        return None
    return below(max(far), line_mm, CROSSING_MM)


def placed_by_hand(before: SeenBall | None, earlier: Sequence[SeenBall], pieces: PieceSet) -> bool:
    """Whether the cue-ball lies elsewhere than the last stroke left it, or was gone then."""
    was = lying(earlier, pieces.cue)
    if before is None:
        return False
    return was is None or math.dist((before.x_mm, before.y_mm), (was.x_mm, was.y_mm)) > CUE_MOVED_MM


def behind(ball: SeenBall, line_mm: float) -> float | None:
    """Weight that a ball in hand was put behind a line across the table; None where it cannot have been."""
    if line_mm - ball.y_mm < -FAR_OUT_MM:
        return None
    return placed_right(below(ball.y_mm, line_mm, ball.sigma_mm))


def below(y_mm: float, line_mm: float, sigma_mm: float) -> float:
    """Weight that what was measured at `y_mm` is on a line across the table or below it."""
    return 0.5 * (1.0 + math.erf((line_mm - y_mm) / (math.sqrt(2.0) * max(sigma_mm, LEAST_SIGMA_MM))))


def racked(layout: Sequence[SeenBall], pieces: PieceSet, table: TableSpec) -> bool:
    """Whether all balls but the struck ones stand in a rack: each near two others, one at most not seen."""
    balls = [b for b in layout if b.colour not in pieces.struck]
    full = sum(pieces.count(k) for k in pieces.names if k not in pieces.struck)
    if full < 6 or len(balls) < full - 1:
        return False
    return sum(_in_company(balls, table)) >= 0.9 * len(balls)


def may_be_racked(layout: Sequence[SeenBall], pieces: PieceSet, table: TableSpec) -> bool:
    """Whether balls may stand in a rack of which two are not seen and half are not placed well: any layout
    of a game without a rack may.
    """
    balls = [b for b in layout if b.colour not in pieces.struck]
    full = sum(pieces.count(k) for k in pieces.names if k not in pieces.struck)
    if full < 6:
        return True
    return len(balls) >= full - 2 and sum(_in_company(balls, table)) >= 0.5 * len(balls)


def one_apart(layout: Sequence[SeenBall], pieces: PieceSet, table: TableSpec) -> bool:
    """Whether one ball lies beside the rack of the others."""
    balls = [b for b in layout if b.colour not in pieces.struck]
    return _in_company(balls, table).count(False) == 1


def _in_company(balls: Sequence[SeenBall], table: TableSpec) -> list[bool]:
    """Of each ball whether two others are next to it."""
    reach = 1.15 * table.ball_diameter_mm
    return [
        sum(math.dist((a.x_mm, a.y_mm), (b.x_mm, b.y_mm)) < reach for b in balls if b is not a) >= 2
        for a in balls
    ]
