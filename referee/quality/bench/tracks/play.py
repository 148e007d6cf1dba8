"""Snooker and its kinds played for the tracks tier: a few strokes of a frame with hands, and what a referee
who sees everything says.

A piece begins in mid-frame or with the rack. Players aim at a ball that is on (some miss, some play the
wrong ball), hands put colours and the cue-ball back, not always exactly. The truth is judged by the same
rules from exact facts, which also say what is on next and where a colour is due: the rules are tested
elsewhere, here only what the tracker and the intake make of what is seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from calibration.table.games import GAMES
from calibration.table.specs import TableSpec
from referee.facts.calls import Call, Nomination
from referee.facts.judged import JudgedStroke
from referee.match.referee import Referee
from referee.match.snooker.six_red import game_options
from referee.quality.bench.tracks.physics import Flown, Layout, NoseShape, fly
from referee.rules.common.racks import red_triangle
from referee.rules.snooker.facts import COLOURS
from tracker.events import Contact, FirstContact, HandMove, PlacedBall, Pot, StrokeRecord, TouchingPair
from tracker.events import Layout as SeenLayout
from vision.render.play.physics import Stroke

Rng = np.random.Generator

FIRST_STRIKE_S = 1.6
TRUE_SIGMA_MM = 0.02
TOUCHES_MM = 0.05
"""Balls of a simulation never touch exactly: nearer than this they do."""
_AIM_S, _LEAVE_S, _HAND_S = 1.3, 0.7, 0.8  # as vision.render.play.director shows them
_MAX_STROKE_S = 10.0
_RACK_SHARE, _PAIR_SHARE = 0.06, 0.25
_WRONG_BALL, _ANYWHERE = 0.06, 0.05
_BADLY_SPOTTED = 0.15
_MOST_INSIDE = 11
"""Reds of a position inside a frame."""


@dataclass(frozen=True, slots=True)
class Cover:
    """A hand with its arm (and a cue) over the table from `t0_s` to `t1_s`.

    Its tip is at (x, y) at `still_s`, the arm lies behind it in direction (dx, dy); it slides in and out.
    `half_mm`: half the width of a body that leans over the table, in place of hand and arm.
    """

    t0_s: float
    t1_s: float
    in_until_s: float
    out_from_s: float
    x: float
    y: float
    dx: float
    dy: float
    cue: bool
    half_mm: float | None = None

    def back_mm(self, t_s: float) -> float:
        """How far it is drawn back at a time."""
        if t_s < self.in_until_s:
            return (self.in_until_s - t_s) * 2300.0
        return max(t_s - self.out_from_s, 0.0) * 2300.0


@dataclass(frozen=True, slots=True)
class TrueStroke:
    """A stroke on the piece's clock with what is true of it; `judged` by the rules on exact facts."""

    t_strike_s: float
    flown: Flown
    judged: JudgedStroke

    @property
    def t_rest_s(self) -> float:
        return self.t_strike_s + self.flown.rest_s


@dataclass(frozen=True, slots=True)
class TrueHand:
    """A hand put `ball` at `to` (None: took it away); `due`: where it belongs (None: anywhere in the D)."""

    t_s: float
    ball: str
    to: tuple[float, float] | None
    due: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class PlayedSpan:
    """All of a piece, in order. `calls`: what the striker declared."""

    opening: Layout
    strokes: tuple[TrueStroke, ...]
    hands: tuple[TrueHand, ...]
    covers: tuple[Cover, ...]
    calls: tuple[Call, ...]
    end_s: float


@dataclass(slots=True)
class _Going:
    """A piece while it is played; local to `play`."""

    table: TableSpec
    rng: Rng
    layout: Layout
    strokes: list[TrueStroke] = field(default_factory=list)
    hands: list[TrueHand] = field(default_factory=list)
    covers: list[Cover] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)


def kind(ball: str) -> str:
    """`red_3` -> `red`."""
    return ball.partition("_")[0]


def play(rng: Rng, shape: NoseShape, strokes: int, game: str = "snooker") -> PlayedSpan:
    """Play up to `strokes` strokes; fewer when the frame ends. Deterministic in the generator's state."""
    table = shape.table
    opening = opening_layout(rng, table, game)
    going = _Going(table, rng, dict(opening))
    referee = Referee(table, options=game_options(game, placed(opening)))
    on, striker, free = "red", "A", False
    t = FIRST_STRIKE_S + float(rng.uniform(0.0, 0.1))
    for _ in range(strokes):
        found = _fly(going, on, shape, free, t)
        if found is None:
            break
        flown, nominated, direction = found
        if nominated is not None:
            said = Nomination(t - 0.5, striker, nominated)
            going.calls.append(said)
            referee.call(said, "bench")
        white = going.layout["white"]
        going.covers.append(striker_cover(rng, table, white, direction, t))
        outputs = referee.feed(true_record(t, flown, table))
        judged = [o for o in outputs if isinstance(o, JudgedStroke)][-1]
        going.strokes.append(TrueStroke(t, flown, judged))
        going.layout = flown.end
        t = _hands(going, referee, judged, t + flown.rest_s)
        if judged.next_ball_on is None or judged.next_striker is None or "white" not in going.layout:
            break
        on, striker, free = judged.next_ball_on, judged.next_striker, judged.next_free_ball
        t += float(rng.uniform(1.5, 2.0))
    return PlayedSpan(
        opening, tuple(going.strokes), tuple(going.hands), tuple(going.covers), tuple(going.calls), t + 1.5
    )


def opening_layout(rng: Rng, table: TableSpec, game: str = "snooker") -> Layout:
    """The rack, or a position in mid-frame: reds anywhere, some beside another ball, on a cushion or in a
    pocket's jaws.
    """
    layout: Layout = {}
    reds = GAMES[game].reds
    if rng.random() < _RACK_SHARE:
        return _rack(rng, table, reds)
    for colour, spot in table.spots.items():
        if rng.random() < 0.8 and _free(layout, spot, table):
            layout[colour] = spot
    names = [c for c in table.spots if c not in layout] + [
        f"red_{k + 1}" for k in range(int(rng.integers(1, min(reds, _MOST_INSIDE) + 1)))
    ]
    for name in [*names, "white"]:
        for _ in range(300):
            at = _somewhere(rng, table, layout, name)
            if _lies(at, table) and _free(layout, at, table):
                layout[name] = at
                break
    return layout


def _rack(rng: Rng, table: TableSpec, reds: int) -> Layout:
    d = table.ball_diameter_mm + 0.03
    layout: Layout = dict(table.spots)
    y0 = table.spots["pink"][1] + d + 1.0
    layout |= {f"red_{n}": at for n, at in enumerate(red_triangle((0.0, y0), reds, d), 1)}
    layout["white"] = _in_d(rng, table, layout)
    return layout


def _somewhere(rng: Rng, table: TableSpec, layout: Layout, name: str) -> tuple[float, float]:
    r, w, length = table.ball_radius_mm, table.half_width_mm, table.length_mm
    draw = float(rng.random())
    x, y = float(rng.uniform(-w + r, w - r)), float(rng.uniform(r, length - r))
    if draw < _PAIR_SHARE and layout:
        q = list(layout.values())[int(rng.integers(len(layout)))]
        a = float(rng.uniform(0, 2 * math.pi))
        gap = float(rng.choice([0.01, float(rng.uniform(0.2, 3)), float(rng.uniform(3, 40))]))
        return q[0] + (2 * r + gap) * math.cos(a), q[1] + (2 * r + gap) * math.sin(a)
    if draw < _PAIR_SHARE + 0.06:
        return math.copysign(w - r - float(rng.uniform(0, 4)), x), y
    if draw < _PAIR_SHARE + 0.1 and name != "white":
        p = table.pockets[int(rng.integers(6))]
        f = float(rng.uniform(0.90, 0.96))
        return p.x_mm * f, length / 2 + (p.y_mm - length / 2) * (f if p.name[0] != "C" else 1.0)
    return x, y


def _lies(at: tuple[float, float], table: TableSpec) -> bool:
    """Whether a ball can lie there: between the noses and over no drop."""
    shape = NoseShape(table)
    if any(math.hypot(at[0] - p.x_mm, at[1] - p.y_mm) < p.drop_radius_mm + 3.0 for p in shape.pockets):
        return False
    return shape.distance(*at) < -table.ball_radius_mm - 0.05


def _free(layout: Layout, at: tuple[float, float], table: TableSpec, but: str = "") -> bool:
    d = table.ball_diameter_mm
    return all(math.dist(at, p) >= d + 0.004 for b, p in layout.items() if b != but)


def _in_d(rng: Rng, table: TableSpec, layout: Layout) -> tuple[float, float]:
    b, d = table.baulk_line_mm or 700.0, table.d_radius_mm or 200.0
    for _ in range(400):
        a, rho = float(rng.uniform(math.pi, 2 * math.pi)), d * math.sqrt(float(rng.uniform(0.0, 0.95)))
        at = (rho * math.cos(a), b + rho * math.sin(a))
        if _free(layout, at, table) and all(
            math.dist(at, p) > table.ball_diameter_mm + 3 for p in layout.values()
        ):
            return at
    raise RuntimeError("no free place in the D")


def _targets(layout: Layout, on: str, free: bool) -> list[str]:
    objects = [b for b in layout if b != "white"]
    if free:
        return objects
    return [b for b in objects if (kind(b) in COLOURS if on == "any_colour" else kind(b) == on)]


def _fly(
    going: _Going, on: str, shape: NoseShape, free: bool, t_s: float
) -> tuple[Flown, str | None, float] | None:
    """A stroke at a ball on, mostly; None when there is nothing to play. With the ball that must be
    declared.
    """
    targets = _targets(going.layout, on, free)
    if not targets:
        return None
    for _ in range(6):
        name, stroke = _aim(going, targets)
        flown = fly(going.layout, stroke, shape)
        if flown.rest_s < _MAX_STROKE_S:
            break
    else:
        return None
    declared = kind(name) if kind(name) in targets or free else None
    if on == "any_colour" and declared is None:
        declared = kind(targets[0])
    nominated = declared if on == "any_colour" or (free and kind(name) != "red") else None
    return flown, nominated, stroke.direction


def _aim(going: _Going, targets: list[str]) -> tuple[str, Stroke]:
    rng, layout, table = going.rng, going.layout, going.table
    white = layout["white"]
    draw = float(rng.random())
    objects = [b for b in layout if b != "white"]
    name = str(rng.choice(objects if draw < _WRONG_BALL else targets))
    at = layout[name]
    speed = float(
        rng.choice(
            [rng.uniform(500, 1600), rng.uniform(1400, 2600), rng.uniform(2500, 5500)], p=[0.5, 0.42, 0.08]
        )
    )
    follow = float(rng.uniform(-0.5, 0.9))
    if draw > 1 - _ANYWHERE:
        return name, Stroke(float(rng.uniform(-math.pi, math.pi)), speed, follow)
    potting = _ghosts(table, white, at)
    if potting and rng.random() < 0.75:
        gx, gy = potting[int(rng.integers(len(potting)))]
        error = float(rng.normal(0, 0.0025))
        return name, Stroke(math.atan2(gy - white[1], gx - white[0]) + error, speed + 400.0, follow)
    far = max(math.dist(at, white), table.ball_diameter_mm)
    aside = float(rng.uniform(-1.03, 1.03)) * table.ball_diameter_mm
    past = math.asin(min(max(aside / far, -1.0), 1.0))  # past a ball that touches the white: along its side
    return name, Stroke(math.atan2(at[1] - white[1], at[0] - white[0]) + past, speed, follow)


def _ghosts(
    table: TableSpec, white: tuple[float, float], at: tuple[float, float]
) -> list[tuple[float, float]]:
    """Where the cue-ball must be to send a ball towards a pocket that the angle allows."""
    out = []
    for p in table.pockets:
        mx, my = p.x_mm * 0.985, p.y_mm * 0.985 + 0.015 * table.length_mm / 2
        far = math.hypot(mx - at[0], my - at[1])
        ux, uy = (mx - at[0]) / max(far, 1.0), (my - at[1]) / max(far, 1.0)
        gx, gy = at[0] - table.ball_diameter_mm * ux, at[1] - table.ball_diameter_mm * uy
        way = math.hypot(gx - white[0], gy - white[1])
        if way > 1.0 and ((gx - white[0]) * ux + (gy - white[1]) * uy) / way > 0.5:
            out.append((gx, gy))
    return out


def striker_cover(
    rng: Rng, table: TableSpec, white: tuple[float, float], direction: float, t_s: float
) -> Cover:
    """Bridge hand, arm and cue of a player behind the cue-ball."""
    dx, dy = -math.cos(direction), -math.sin(direction)
    reach = table.ball_radius_mm + float(rng.uniform(150, 280))
    stays = float(rng.uniform(0.25, 0.9))
    return Cover(
        t_s - _AIM_S,
        t_s + stays + 0.5,
        t_s - 0.9,
        t_s + stays,
        white[0] + reach * dx,
        white[1] + reach * dy,
        dx,
        dy,
        True,
    )


def _hands(going: _Going, referee: Referee, judged: JudgedStroke, t_s: float) -> float:
    """Put back what must be put back; returns when the last hand has done so."""
    rng, table = going.rng, going.table
    t = t_s
    for ball, _, x, y, _ in judged.due:
        t += float(rng.uniform(1.4, 2.2))
        to = _put(rng, table, going.layout, (x, y))
        _place(going, referee, TrueHand(t, ball, to, (x, y)), "respot")
    if judged.seen.cue_ball != "on_table" and judged.next_ball_on is not None:
        t += float(rng.uniform(1.4, 2.2))
        _place(going, referee, TrueHand(t, "white", _in_d(rng, table, going.layout), None), "in_hand")
    return t


def _put(rng: Rng, table: TableSpec, layout: Layout, due: tuple[float, float]) -> tuple[float, float]:
    for _ in range(50):
        far = float(rng.uniform(1, 7)) if rng.random() < _BADLY_SPOTTED else abs(float(rng.normal(0, 0.4)))
        a = float(rng.uniform(0, 2 * math.pi))
        to = (due[0] + far * math.cos(a), due[1] + far * math.sin(a))
        if _free(layout, to, table):
            return to
    return due


def _place(going: _Going, referee: Referee, hand: TrueHand, how: str) -> None:
    assert hand.to is not None  # snooker's hands take nothing away here
    going.hands.append(hand)
    going.layout[hand.ball] = hand.to
    going.covers.append(hand_cover(hand.t_s, hand.to, going.table))
    to = (*hand.to, TRUE_SIGMA_MM)
    referee.feed(HandMove("respot" if how == "respot" else "in_hand", hand.ball, None, to, hand.t_s))


def hand_cover(t_s: float, at: tuple[float, float], table: TableSpec) -> Cover:
    """The hand that puts something down or takes it away at a time, from the nearer long side."""
    side = 1.0 if at[0] >= 0 else -1.0
    return Cover(
        t_s - _HAND_S,
        t_s + _HAND_S,
        t_s - 0.2,
        t_s + 0.2,
        at[0] + side * (table.ball_radius_mm + 10),
        at[1],
        side,
        0.0,
        False,
    )


def placed(layout: Layout) -> SeenLayout:
    """A true layout as the tracker would say it."""
    return tuple(PlacedBall(b, kind(b), x, y, TRUE_SIGMA_MM, 1.0) for b, (x, y) in sorted(layout.items()))


def true_record(t_s: float, flown: Flown, table: TableSpec) -> StrokeRecord:
    """The stroke as a tracker would tell it that sees everything exactly."""
    first = next(((b if a == "white" else a, t) for a, b, t in flown.contacts if "white" in (a, b)), None)
    after = flown.end
    touching = []
    if "white" in after:
        gaps = {
            b: math.dist(p, after["white"]) - table.ball_diameter_mm for b, p in after.items() if b != "white"
        }
        near = sorted((max(g, 0.0), b) for b, g in gaps.items() if g < 15.0)
        touching = [TouchingPair(("white", b), 0.0 if g < TOUCHES_MM else g, TRUE_SIGMA_MM) for g, b in near]
    return StrokeRecord(
        start_s=t_s,
        end_s=t_s + flown.rest_s,
        before=placed(flown.start),
        after=placed(after),
        first_contact=(
            (FirstContact(first[0], t_s + first[1], 1.0),) if first else (FirstContact(None, None, 1.0),)
        ),
        contacts=tuple(Contact((a, b), t_s + t, 1e-4, 1.0) for a, b, t in flown.contacts),
        cushions=(),
        pots=tuple(Pot(b, p, t_s + t, 1.0) for b, p, t in flown.pots),  # type: ignore[arg-type]  # names of the table's pockets
        off_table=(),
        vanished=(),
        touching=tuple(touching),
    )
