"""Every other game played for the tracks tier: strokes by the physics, hands between them, and what a referee
who sees everything says.

As `play.py` does for snooker: a piece begins with the rack or inside one, players aim at a ball that is on
(some miss, some play the wrong ball), and the truth is judged by the same rules from exact facts, with every
call made. What the tracker and the readings make of what is seen is measured, not the rules.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calibration.table.board import CARROM_BOARD, CarromBoard, board_table, origin_of_records_mm
from calibration.table.games import GAMES, PIECES, in_rules, rules_of
from calibration.table.pieces import PieceSet
from calibration.table.specs import CUSHIONS, CushionName, TableSpec
from referee.facts.calls import Call, ChoiceCall, ShotCall, Start
from referee.facts.judged import JudgedStroke
from referee.match.games.board_frame import in_board_frame
from referee.match.games.fold import JudgedGameStroke
from referee.match.referee import Referee
from referee.quality.bench.tracks.physics import Flown, Layout, NoseShape, PathPiece, fly
from referee.quality.bench.tracks.play import (
    FIRST_STRIKE_S,
    TOUCHES_MM,
    TRUE_SIGMA_MM,
    Cover,
    PlayedSpan,
    TrueHand,
    TrueStroke,
    hand_cover,
    striker_cover,
)
from referee.rules.common import racks
from referee.rules.common.red_yellow import COLOURS
from tracker.events import (
    Contact,
    CushionHit,
    FirstContact,
    HandMove,
    PlacedBall,
    Pot,
    Reached,
    StrokeRecord,
    TouchingPair,
)
from tracker.events import Layout as SeenLayout
from vision.render.play.physics import Stroke

Rng = np.random.Generator
Place = tuple[float, float]

_RACK_SHARE = 0.15  # of pieces that begin with the break
_WRONG_BALL, _POTS, _TRIES = 0.06, 0.6, 24
_MAX_STROKE_S = 12.0
_BREAK_MM_S = {"english_billiards": 2200.0, "carrom": 4200.0, "wpa_14_1": 3000.0}
_APART_MM = 0.02
_OPENED = 4  # object balls at cushions after a WEPF break on which none falls
_WHITES = ("white", "yellow")


@dataclass(frozen=True, slots=True)
class GameWorld:
    """A game with its usual table and pieces."""

    game: str
    shape: NoseShape
    pieces: PieceSet

    @property
    def table(self) -> TableSpec:
        return self.shape.table

    def radius_mm(self, piece: str) -> float:
        return self.pieces.size_share(piece) * self.table.ball_radius_mm

    def reach_mm(self, a: str, b: str) -> float:
        """How far apart the centres of two pieces are that touch."""
        return self.radius_mm(a) + self.radius_mm(b)

    def kind(self, piece: str) -> str:
        return self.pieces.kind_of[piece]


def world_of(game: str) -> GameWorld:
    """The usual table of a game."""
    surface = racks.rack(game).surface
    return world_on(game, board_table() if isinstance(surface, CarromBoard) else surface)


def world_on(game: str, table: TableSpec) -> GameWorld:
    """A game on a table of its kind."""
    return GameWorld(game, NoseShape(table), PIECES[game])


def opening_of(rng: Rng, world: GameWorld) -> Layout:
    """Where the pieces lie as a piece begins: the rack, or a position inside one."""
    return _racked(rng, world) if rng.random() < _RACK_SHARE else _inside(rng, world)


@dataclass(slots=True)
class _Going:
    """A piece while it is played; local to `play_game`."""

    world: GameWorld
    rng: Rng
    layout: Layout
    referee: Referee
    start: Start
    strokes: list[TrueStroke] = field(default_factory=list)
    hands: list[TrueHand] = field(default_factory=list)
    covers: list[Cover] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    by: str = "A"
    t_s: float = FIRST_STRIKE_S

    def call(self, call: Call) -> None:
        self.calls.append(call)
        self.referee.call(call, "bench")


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A piece with what a recording that begins there must be told."""

    span: PlayedSpan
    start: Start


def play_game(
    rng: Rng, world: GameWorld, strokes: int, *, racked: bool | None = None, skill: float = _POTS
) -> PlayedGame:
    """Play up to `strokes` strokes; fewer when the rack ends. `racked`: from the break on; None: by chance.

    `skill`: share of strokes for which one is looked for that pots a ball on. Deterministic in the
    generator's state.
    """
    at_break = bool(rng.random() < _RACK_SHARE) if racked is None else racked
    opening = _racked(rng, world) if at_break else _inside(rng, world)
    start = _start(rng, world, at_break)
    going = _Going(world, rng, dict(opening), Referee(world.table, start, game=world.game), start)
    going.t_s += float(rng.uniform(0.0, 0.1))
    for n in range(strokes):
        cue = _cue(going)
        found = _chosen(going, cue, at_break and n == 0, skill)
        if found is None:
            break
        _play(going, cue, *found)
        if not _after(going):
            break
    span = PlayedSpan(
        opening,
        tuple(going.strokes),
        tuple(going.hands),
        tuple(going.covers),
        tuple(going.calls),
        going.t_s + 1.5,
    )
    return PlayedGame(span, start)


# -- where it begins ------------------------------------------------------------------------------------


def _racked(rng: Rng, world: GameWorld) -> Layout:
    surface = None if world.table.is_board else world.table
    rack = racks.rack(world.game, int(rng.integers(1 << 30)), surface)
    down = origin_of_records_mm(world.table)
    layout = {b.ball: (b.x_mm, b.y_mm + down) for b in rack.balls}
    middle = _middle(layout)
    loose = {b: _away(p, middle, 1.0 + _APART_MM / world.table.ball_radius_mm) for b, p in layout.items()}
    if GAMES[world.game].family == "billiards":
        loose |= {"white": (150.0, 700.0), "yellow": (-400.0, 1500.0)}  # both are in play from here on
        return loose
    loose[world.pieces.cue] = _in_hand(rng, world, loose, world.pieces.cue, "A", True)
    return loose


def _middle(layout: Layout) -> Place:
    return tuple(np.mean(np.array(list(layout.values())), axis=0).tolist())


def _away(p: Place, middle: Place, share: float) -> Place:
    return middle[0] + share * (p[0] - middle[0]), middle[1] + share * (p[1] - middle[1])


def _inside(rng: Rng, world: GameWorld) -> Layout:
    """A position inside a rack: some balls, anywhere, some beside another or a cushion."""
    objects = [b for b in world.pieces.pieces if world.kind(b) not in world.pieces.struck]
    last = [b for b in objects if b in ("black", "8", "9", "10", "queen")]
    if GAMES[world.game].family == "billiards":
        chosen = list(world.pieces.pieces)
    else:
        rest = [b for b in objects if b not in last[-1:]]
        count = int(rng.integers(max(len(rest) // 2, 2), len(rest) + 1))
        chosen = [*sorted(rng.choice(rest, count, replace=False).tolist()), *last[-1:], world.pieces.cue]
    layout: Layout = {}
    for name in chosen:
        if name == world.pieces.cue and world.pieces.discs:
            layout[name] = _in_hand(rng, world, layout, name, "A", True)
            continue
        for _ in range(400):
            at = _somewhere(rng, world, layout, name)
            if _lies(at, world, name) and _free(layout, at, world, name):
                layout[name] = at
                break
    return layout


def _somewhere(rng: Rng, world: GameWorld, layout: Layout, name: str) -> Place:
    table, r = world.table, world.radius_mm(name)
    x = float(rng.uniform(-1, 1)) * (table.half_width_mm - r)
    y = float(rng.uniform(r, table.length_mm - r))
    draw = float(rng.random())
    if draw < 0.2 and layout:
        other = list(layout)[int(rng.integers(len(layout)))]
        gap = float(rng.choice([_APART_MM, float(rng.uniform(0.2, 3)), float(rng.uniform(3, 40))]))
        a, reach = float(rng.uniform(0, 2 * math.pi)), world.reach_mm(name, other) + gap
        return layout[other][0] + reach * math.cos(a), layout[other][1] + reach * math.sin(a)
    if draw < 0.26:
        return math.copysign(table.half_width_mm - r - float(rng.uniform(0.1, 4)), x), y
    return x, y


def _lies(at: Place, world: GameWorld, name: str) -> bool:
    pockets = world.shape.pockets
    if any(math.hypot(at[0] - p.x_mm, at[1] - p.y_mm) < p.drop_radius_mm + 3.0 for p in pockets):
        return False
    return world.shape.distance(*at) < -world.radius_mm(name) - 0.05


def _free(layout: Layout, at: Place, world: GameWorld, name: str, gap_mm: float = 0.004) -> bool:
    return all(math.dist(at, p) >= world.reach_mm(name, b) + gap_mm for b, p in layout.items() if b != name)


def _start(rng: Rng, world: GameWorld, racked: bool) -> Start:
    """What somebody says of the match: whose the groups are where the rack has begun; A's men are white."""
    if racked or not GAMES[world.game].groups:
        return Start("A", None, (0, 0), assumed=False)
    if world.table.is_board:
        return Start("A", "white", (0, 0), assumed=False)
    return Start("A", str(rng.choice(GAMES[world.game].groups)), (0, 0), assumed=False)


# -- in hand --------------------------------------------------------------------------------------------


def _in_hand(rng: Rng, world: GameWorld, layout: Layout, name: str, by: str, kitchen: bool) -> Place:
    """A place for what is in hand: on the base lines, in the D, behind the line (`kitchen`), or anywhere."""
    table = world.table
    for _ in range(2000):
        if table.is_board:
            off = -CARROM_BOARD.striker_line_y_mm()
            y = table.length_mm / 2 + (-off if by == "A" else off)
            at = float(rng.uniform(-1, 1)) * (CARROM_BOARD.base_line_mm / 2 - 45.0), y
        else:
            line = table.cross_line_mm or table.length_mm / 4
            top = line - 5.0 if kitchen else table.length_mm - 60.0
            half = (
                min(table.d_radius_mm or 200.0, 200.0) if GAMES[world.game].family == "billiards" else 300.0
            )
            at = float(rng.uniform(-half, half)), float(rng.uniform(max(top - 250.0, 60.0), top))
            if GAMES[world.game].family == "billiards":
                at = at[0], line - float(rng.uniform(5.0, 60.0))
        if _free(layout, at, world, name, 3.0) and _lies(at, world, name):
            return at
    raise RuntimeError("no free place in hand")


# -- a stroke -------------------------------------------------------------------------------------------


def _cue(going: _Going) -> str:
    """The piece that the player at the table strikes: of billiards' whites A has the white."""
    if GAMES[going.world.game].family == "billiards":
        return _WHITES[0] if going.by == "A" else _WHITES[1]
    return going.world.pieces.cue


def _state(going: _Going) -> Any:
    last = going.strokes[-1].judged if going.strokes else None
    return last.state_after if isinstance(last, JudgedGameStroke) else None


def _targets(going: _Going, cue: str) -> list[str]:
    """Pieces that the player may hit first and wants to pot."""
    world, layout, state = going.world, going.layout, _state(going)
    objects = [b for b in layout if b != cue]
    if world.game in ("wpa_9ball", "wpa_10ball"):
        return [min((b for b in objects if b.isdigit()), key=int)] if objects else []
    if world.game == "carrom":
        return _carrom_targets(going, state)
    if GAMES[world.game].groups:
        group, last = _group(going, state), "8" if world.pieces.numbered else "black"
        return [b for b in objects if b != last and group in (None, _group_of(world, b))] or [last]
    return objects


def _group(going: _Going, state: Any) -> str | None:
    """The group of the player at the table; before the first stroke that of the start."""
    if state is None:
        return going.start.ball_on
    side, game = "A" if going.by == "A" else "B", going.world.game
    group: str | None = state.group(side) if game == "wpa_8ball" else state.colour(side)
    return None if group is None else GAMES[game].groups[GAMES[rules_of(game)].groups.index(group)]


def _group_of(world: GameWorld, ball: str) -> str:
    """The group that a ball is of, as the game names it."""
    solid = ball.isdigit() and int(ball) < 8
    return world.kind(ball) if not world.pieces.numbered else "solids" if solid else "stripes"


def _carrom_targets(going: _Going, state: Any) -> list[str]:
    """Own C/m; the Queen once one of them has been pocketed and two are left."""
    side = "A" if going.by == "A" else "B"
    colour = state.of(side).colour if state is not None else ("white" if side == "A" else "black")
    own = [b for b in going.layout if going.world.kind(b) == colour]
    queen = "queen" in going.layout and 2 <= len(own) <= 8
    return ["queen"] if queen and len(own) <= 4 else [*own, *(["queen"] if queen else [])]


def _chosen(
    going: _Going, cue: str, opening: bool, skill: float
) -> tuple[Stroke, Flown, tuple[str, str] | None] | None:
    """The stroke that is played with its flight, and the ball and pocket that it is meant for."""
    rng, world = going.rng, going.world
    targets = [b for b in _targets(going, cue) if b in going.layout]
    if not targets or cue not in going.layout:
        return None
    wants = rng.random() < skill
    best: tuple[Stroke, Flown, tuple[str, str] | None] | None = None
    for k, (stroke, meant) in enumerate(_candidates(going, cue, targets, opening)):
        if k >= _TRIES:
            break
        flown = fly(going.layout, stroke, world.shape, cue, world.pieces)
        if flown.rest_s > _MAX_STROKE_S:
            continue
        best = best or (stroke, flown, meant)
        if _opens(flown, cue, world) if opening else not wants or _good(flown, cue, meant, world):
            return stroke, flown, meant
    return best


def _opens(flown: Flown, cue: str, world: GameWorld) -> bool:
    """Whether a break opens the rack as WEPF F(4) and black ball 5.5 want it; in other games any does.

    Head on this physics sends the pack's two corners off and little else.
    """
    if GAMES[world.game].family != "british":
        return True
    fell = {b for b, _, _ in flown.pots}
    rails = {b for b, _ in flown.cushions} - {cue}
    return not fell & {cue, "black", "8"} and (bool(fell) or len(rails) >= _OPENED)


def _good(flown: Flown, cue: str, meant: tuple[str, str] | None, world: GameWorld) -> bool:
    """Whether the stroke did what it was meant to: that ball in that pocket, no cue-ball, no last ball."""
    fell = {b: p for b, p, _ in flown.pots}
    if meant is None or fell.get(meant[0]) != meant[1] or cue in fell:
        return False
    lost = {"8", "black"} & set(fell) - {meant[0]}
    return not lost


def _candidates(
    going: _Going, cue: str, targets: list[str], opening: bool
) -> Iterator[tuple[Stroke, tuple[str, str] | None]]:
    rng, world, layout = going.rng, going.world, going.layout
    at = layout[cue]
    objects = [b for b in layout if b != cue]
    fastest = 4500.0 if world.pieces.discs else 5500.0
    while True:
        if opening:
            name = min(objects, key=lambda b: math.dist(layout[b], at))
            speed = _BREAK_MM_S.get(world.game, 7500.0) * float(rng.uniform(0.85, 1.0))
            wide = 0.5 if GAMES[world.game].family == "british" else 0.1
            aside = float(rng.normal(0, wide)) * world.table.ball_radius_mm
            yield _at_ball(world, layout, cue, name, aside, speed, 0.2), None
            continue
        wrong = rng.random() < _WRONG_BALL
        name = str(rng.choice(objects if wrong else targets))
        speed = float(
            rng.choice(
                [rng.uniform(600, 1800), rng.uniform(1500, 2800), rng.uniform(2500, fastest)],
                p=[0.45, 0.45, 0.1],
            )
        )
        ghosts = _ghosts(world, layout, cue, name)
        if ghosts and rng.random() < 0.8:
            (gx, gy), pocket = ghosts[int(rng.integers(len(ghosts)))]
            aim = math.atan2(gy - at[1], gx - at[0]) + float(rng.normal(0, 0.0025))
            yield Stroke(aim, speed + 400.0, float(rng.uniform(-0.5, 0.9))), (name, pocket)
        else:
            aside = float(rng.uniform(-1.0, 1.0)) * world.reach_mm(cue, name)
            yield _at_ball(world, layout, cue, name, aside, speed, float(rng.uniform(-0.5, 0.9))), None


def _at_ball(
    world: GameWorld, layout: Layout, cue: str, name: str, aside_mm: float, speed: float, follow: float
) -> Stroke:
    a, b = layout[cue], layout[name]
    far = max(math.dist(a, b), world.reach_mm(cue, name))
    return Stroke(math.atan2(b[1] - a[1], b[0] - a[0]) + math.asin(aside_mm / far), speed, follow)


def _ghosts(world: GameWorld, layout: Layout, cue: str, name: str) -> list[tuple[Place, str]]:
    """Where the cue-ball must be to send a piece towards a pocket that the angle and the way allow."""
    at, ball, table = layout[cue], layout[name], world.table
    out: list[tuple[Place, str]] = []
    for p in world.shape.pockets:
        inward = 0.0 if table.is_board else 0.015
        mx, my = p.x_mm * (1 - inward), p.y_mm * (1 - inward) + inward * table.length_mm / 2
        far = max(math.hypot(mx - ball[0], my - ball[1]), 1.0)
        ux, uy = (mx - ball[0]) / far, (my - ball[1]) / far
        reach = world.reach_mm(cue, name)
        ghost = ball[0] - reach * ux, ball[1] - reach * uy
        way = math.dist(ghost, at)
        if way < 1.0 or ((ghost[0] - at[0]) * ux + (ghost[1] - at[1]) * uy) / way < 0.5:
            continue
        others = {b: q for b, q in layout.items() if b not in (cue, name)}
        if _passes(world, others, at, ghost, cue) and _passes(world, others, ball, (mx, my), name):
            out.append((ghost, p.name))
    return out


def _passes(world: GameWorld, others: Layout, a: Place, b: Place, piece: str) -> bool:
    """Whether a piece goes from a to b past all others."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    size = max(dx * dx + dy * dy, 1e-9)
    for name, q in others.items():
        f = min(max(((q[0] - a[0]) * dx + (q[1] - a[1]) * dy) / size, 0.0), 1.0)
        if math.hypot(a[0] + f * dx - q[0], a[1] + f * dy - q[1]) < world.reach_mm(piece, name):
            return False
    return True


def _play(going: _Going, cue: str, stroke: Stroke, flown: Flown, meant: tuple[str, str] | None) -> None:
    """Say what is called, strike, and have it judged."""
    world, t = going.world, going.t_s
    _say(going, meant, t)
    record = in_board_frame(true_game_record(t, flown, world, cue), world.table)
    outputs = going.referee.feed(record)
    judged = [o for o in outputs if isinstance(o, JudgedStroke)][-1]
    at = going.layout[cue]
    if world.table.is_board:
        going.covers.append(_finger(world, at, going.by, t))
    else:
        going.covers.append(striker_cover(going.rng, world.table, at, stroke.direction, t))
    going.strokes.append(TrueStroke(t, flown, judged))
    going.layout = dict(flown.end)
    going.t_s = t + flown.rest_s


def _say(going: _Going, meant: tuple[str, str] | None, t_s: float) -> None:
    """The call before a stroke, in games with one."""
    state, world = _state(going), going.world
    if GAMES[world.game].nominated and state is not None and state.must_nominate:
        colour = min(state.offered_colours or COLOURS)
        ball = next(b for b in world.pieces.object_balls if in_rules(world.game, b) == colour)
        going.call(ShotCall(t_s - 0.5, going.by, ball))
    if GAMES[world.game].called:
        if meant is not None:
            going.call(ShotCall(t_s - 0.5, going.by, world.kind(meant[0]), meant[1]))
        elif state is not None:
            going.call(ShotCall(t_s - 0.5, going.by, safety=True))


def _finger(world: GameWorld, at: Place, by: str, t_s: float) -> Cover:
    """The flicking hand behind the striker, from the player's side of the board."""
    away = -1.0 if by == "A" else 1.0
    reach = world.radius_mm(world.pieces.cue) + 55.0
    return Cover(t_s - 1.0, t_s + 0.8, t_s - 0.5, t_s + 0.3, at[0], at[1] + away * reach, 0.0, away, False)


def true_game_record(t_s: float, flown: Flown, world: GameWorld, cue: str) -> StrokeRecord:
    """The stroke as a tracker would tell it that sees everything exactly."""
    met = [(b if a == cue else a, t) for a, b, t in flown.contacts if cue in (a, b)]
    after = flown.end
    gaps = {
        b: math.dist(p, after[cue]) - world.reach_mm(cue, b)
        for b, p in after.items()
        if cue in after and b != cue
    }
    near = sorted((max(g, 0.0), b) for b, g in gaps.items() if g < 15.0)
    return StrokeRecord(
        start_s=t_s,
        end_s=t_s + flown.rest_s,
        before=_placed(flown.start, world),
        after=_placed(after, world),
        first_contact=(
            FirstContact(met[0][0], t_s + met[0][1], 1.0) if met else FirstContact(None, None, 1.0),
        ),
        contacts=tuple(Contact((a, b), t_s + t, 1e-4, 1.0) for a, b, t in flown.contacts),
        cushions=tuple(CushionHit(b, _side(flown, b, t, world.table), t_s + t) for b, t in flown.cushions),
        pots=tuple(Pot(b, p, t_s + t, 1.0) for b, p, t in flown.pots),  # type: ignore[arg-type]  # names of the table's pockets
        off_table=(),
        vanished=(),
        touching=tuple(TouchingPair((cue, b), 0.0 if g < TOUCHES_MM else g, TRUE_SIGMA_MM) for g, b in near),
        reached=tuple(_reached(b, paths) for b, paths in flown.paths.items()),
    )


def _reached(ball: str, paths: Sequence[PathPiece]) -> Reached:
    times = (np.linspace(p.t0_s, p.t1_s, 9) for p in paths)
    ys = [p.at(float(t))[1] for p, ts in zip(paths, times, strict=True) for t in ts]
    return Reached(ball, min(ys), max(ys))


def _placed(layout: Layout, world: GameWorld) -> SeenLayout:
    return tuple(
        PlacedBall(b, world.kind(b), x, y, TRUE_SIGMA_MM, 1.0) for b, (x, y) in sorted(layout.items())
    )


def _side(flown: Flown, ball: str, t_s: float, table: TableSpec) -> CushionName:
    """The cushion that a ball meets at a time: the nearest."""
    x, y = next((p.at(t_s) for p in flown.paths[ball] if p.t0_s <= t_s <= p.t1_s + 1e-9), flown.start[ball])
    gaps = (y, table.length_mm - y, x + table.half_width_mm, table.half_width_mm - x)
    return CUSHIONS[int(np.argmin(gaps))]


# -- between strokes ------------------------------------------------------------------------------------


def _after(going: _Going) -> bool:
    """Choices, respots, the cue-ball in hand; whether the rack goes on."""
    judged = going.strokes[-1].judged
    assert isinstance(judged, JudgedGameStroke)
    values = json.loads(judged.values)
    if judged.rack_over or values.get("rerack") or values.get("replay") or not values:
        return False
    values = _choose(going, judged, values)
    if values is None:
        return False
    if values.get("rerack") or values.get("replay"):
        return False
    following = _next(judged, values)
    if following is None:
        return False
    going.by = following
    for ball, to in _back(going, judged, values):
        _put(going, ball, to, "respot")
    _put_cue(going, values)
    going.t_s += float(going.rng.uniform(1.6, 2.1))
    return True


def _choose(going: _Going, judged: JudgedGameStroke, values: dict[str, Any]) -> dict[str, Any] | None:
    """Take up a choice that the rules leave to a player; None where it ends the rack."""
    state, options = judged.state_after, tuple(values.get("options") or ())
    chooser = getattr(state, "chooser", None)
    if not options or chooser is None:
        return values
    plain = [o for o in options if "rack" not in o and "break" not in o and not o.startswith("make_")]
    if not plain:
        return None
    going.call(ChoiceCall(going.t_s + 0.2, chooser, plain[0]))
    return {**values, "next_shooter": chooser}


_NEXT = ("next_shooter", "next_striker", "next_player", "next_turn")


def _next(judged: JudgedGameStroke, values: dict[str, Any]) -> str | None:
    said = next((str(values[k]) for k in _NEXT if values.get(k)), "").rpartition(":")[2]
    return said if said in ("A", "B") else judged.next_striker


def _back(going: _Going, judged: JudgedGameStroke, values: dict[str, Any]) -> list[tuple[str, Place]]:
    """Pieces that the rules have put back, each with its place on the table."""
    out: list[tuple[str, Place]] = []
    for r in values.get("respot") or ():
        ball = "black" if going.world.game == "wepf" and r["ball"] == "8" else str(r["ball"])
        out.append((ball, (float(r["xy"][0]), float(r["xy"][1]))))
    red = values.get("red_placed")
    if red:
        out.append(("red", (float(red["xy"][0]), float(red["xy"][1]))))
    white = values.get("object_white_placed")
    if white:
        missing = [w for w in _WHITES if w not in going.layout]
        out += [(m, (float(white["xy"][0]), float(white["xy"][1]))) for m in missing[:1]]
    out += _dues(going, judged.state_after)
    return [(b, p) for b, p in out if b in going.world.pieces.kind_of]


def _dues(going: _Going, state: Any) -> list[tuple[str, Place]]:
    """C/m that a player of carrom has to give back, in the outer circle."""
    if going.world.game != "carrom":
        return []
    due = getattr(state, "to_place", None)
    queen = "queen" not in going.layout and getattr(state.queen, "name", "") == "ON_BOARD"
    names = ["queen"] if queen else []
    if due is not None:
        loser = "B" if due[0] == "A" else "A"
        colour = state.of(loser).colour
        off = [p for p in going.world.pieces.pieces_of(colour) if p not in going.layout]
        names += off[: due[1]]
    out: list[tuple[str, Place]] = []
    taken = dict(going.layout)
    for name in names:
        at = _in_circle(going, taken, name)
        if at is not None:
            taken[name] = at
            out.append((name, at))
    return out


def _in_circle(going: _Going, taken: Layout, name: str) -> Place | None:
    middle, reach = going.world.table.length_mm / 2, CARROM_BOARD.outer_circle_mm / 2 - 17.0
    for _ in range(500):
        a, rho = float(going.rng.uniform(0, 2 * math.pi)), reach * math.sqrt(float(going.rng.uniform(0, 1)))
        at = rho * math.cos(a), middle + rho * math.sin(a)
        if _free(taken, at, going.world, name, 1.0):
            return at
    return None


def _put_cue(going: _Going, values: dict[str, Any]) -> None:
    """The cue-ball in hand, or carrom's striker, which is lifted and set on the base lines of who is next."""
    cue, world = _cue(going), going.world
    if world.table.is_board:
        _lift(going, cue)
        _put(going, cue, _in_hand(going.rng, world, going.layout, cue, going.by, True), "in_hand")
        return
    in_hand = values.get("cue_ball_in_hand")
    if cue in going.layout and not in_hand:
        return
    if cue in going.layout and going.rng.random() < 0.5 and "behind" not in str(in_hand):
        return  # it may be played from where it lies
    kitchen = str(in_hand) in ("behind_head_string", "baulk") or bool(values.get("cue_ball_from_baulk"))
    kitchen = kitchen or GAMES[world.game].family in ("billiards", "british")
    _lift(going, cue)
    _put(going, cue, _in_hand(going.rng, world, going.layout, cue, going.by, kitchen), "in_hand")


def _lift(going: _Going, piece: str) -> None:
    """A hand takes a piece away that lies on the table."""
    if piece not in going.layout:
        return
    going.t_s += float(going.rng.uniform(0.9, 1.4))
    at = going.layout.pop(piece)
    going.hands.append(TrueHand(going.t_s, piece, None, None))
    going.covers.append(hand_cover(going.t_s, at, going.world.table))


def _put(going: _Going, ball: str, to: Place, how: str) -> None:
    """A hand puts a piece down, beside its place where something lies there."""
    going.t_s += float(going.rng.uniform(1.5, 2.1))
    while not _free(going.layout, to, going.world, ball):
        to = to[0] + float(going.rng.normal(0, 3.0)), to[1] + float(going.rng.normal(0, 3.0))
    going.hands.append(TrueHand(going.t_s, ball, to, None))
    going.layout[ball] = to
    going.covers.append(hand_cover(going.t_s, to, going.world.table))
    placed = (*to, TRUE_SIGMA_MM)
    move = HandMove("respot" if how == "respot" else "in_hand", ball, None, placed, going.t_s)
    going.referee.feed(in_board_frame(move, going.world.table))
