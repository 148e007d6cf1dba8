"""Clips of other games: a start position given from outside, a break, and a few strokes of simulated physics.

Positions, colours and marks come in as data (`GameStart`): this package knows no game's rules, so its truth
says who struck, what touched and what fell, and leaves fouls and points to nobody (null). Approximations:
every ball has the table's one ball size (a British cue-ball is smaller), balls turn as they roll and do not
slide or spin. On a carrom board the pieces are discs, and the striker is lifted after each stroke.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from calibration.table.specs import TableSpec
from calibration.texts import unusable_input
from vision.render.clip import ClipOptions, check_size, clip_look, film_script
from vision.render.looks import linear
from vision.render.play.board_clip import BoardPicture, BoardScript
from vision.render.play.director import (
    AFTER_RESPOT_S,
    FIRST_STRIKE_S,
    PAUSE_S,
    RESPOT_S,
    HandEvent,
    Script,
    StrokeEvent,
)
from vision.render.play.match import Layout, Physics, PlayedStroke, aims, kind
from vision.render.play.physics import Flight, Stroke, simulate
from vision.render.play.sliding import slide
from vision.render.scene import BallLook, Projection, Rgb

Rng = np.random.Generator
CUE = "white"
LONGEST_S = 16.0
_TRIES = 30
LIFT_S = 1.2
"""After a stroke of carrom its striker is taken off the board so much later."""

COLOURS: dict[str, tuple[float, float, float]] = {  # hue, saturation, value on a screen
    "white": (48, 0.12, 0.97),
    "yellow": (48, 0.95, 0.95),
    "blue": (222, 0.9, 0.62),
    "red": (356, 0.92, 0.8),
    "purple": (276, 0.7, 0.45),
    "orange": (22, 0.93, 0.95),
    "green": (150, 0.85, 0.42),
    "maroon": (350, 0.75, 0.4),
    "black": (0, 0.0, 0.09),
    "queen": (338, 0.75, 0.75),
    "striker": (190, 0.35, 0.9),
    "brown": (18, 0.75, 0.45),
    "pink": (345, 0.4, 0.95),
}
"""What the clips' balls look like; a name with `_stripe` is a white ball with a band of that colour."""


@dataclass(frozen=True, slots=True)
class StartBall:
    """A ball at the start: its name in the truth, the colour it is drawn in, whether it bears a label."""

    name: str
    colour: str
    x_mm: float
    y_mm: float
    label: bool = False


@dataclass(frozen=True, slots=True)
class GameStart:
    """A start position. `cue_mm`: where the cue-ball (named `white`) lies for the first stroke and after it
    fell.

    `in_order`: the lowest number is played at; `last`: balls played at only when no other is left;
    `respots`: balls that come back to their spot; `lines`: marks (x0, y0, x1, y1) or circles (x, y, r,
    nan) on the surface, mm; `turns`: whether the striker changes; `cue_returns`: every stroke is played
    from `cue_mm`, as carrom's striker is.
    """

    table: TableSpec
    balls: tuple[StartBall, ...]
    cue_mm: tuple[float, float]
    break_speed_mm_s: float = 6500.0
    in_order: bool = False
    last: tuple[str, ...] = ()
    respots: tuple[tuple[str, float, float], ...] = ()
    lines: tuple[tuple[float, float, float, float], ...] = ()
    surface: Rgb | None = None
    cue_colour: str = "white"
    turns: bool = True
    cue_returns: bool = False

    def __post_init__(self) -> None:
        names = [b.name for b in self.balls]
        if CUE in names or len(set(names)) != len(names):
            raise ValueError(f"balls must have names of their own, none {CUE!r}, got {names!r}")
        unknown = sorted({b.colour.removesuffix("_stripe") for b in self.balls} - set(COLOURS))
        if unknown:
            raise ValueError(f"colours must be among {', '.join(COLOURS)}, got {unknown[0]!r}")

    def layout(self) -> Layout:
        """All balls, the cue-ball in its place."""
        return {**{b.name: (b.x_mm, b.y_mm) for b in self.balls}, CUE: self.cue_mm}


def make_game_clip(
    path: Path,
    start: GameStart,
    options: ClipOptions,
    physics: Physics = simulate,
    progress: Callable[[int, int], None] | None = None,
) -> Script:
    """Play, film and encode a clip that begins at a start position; writes the video and its truth."""
    check_size(options)
    options = replace(options, table=start.table)
    scene, camera, sensor = clip_look(options, np.random.default_rng([options.seed, 1]))
    scene = replace(
        scene, ball_looks=ball_looks(start), projection=Projection(start.lines, (0.5, 0.5, 0.5), 3.0, 0.8)
    )
    if start.surface is not None:
        bare = replace(
            scene.look, cloth=start.surface, leather_width_mm=0.0, plastic_corner=0.0, pocket_lip=0.0
        )
        scene = replace(scene, look=bare)
    rng = np.random.default_rng([options.seed, 2])
    if start.table.is_board:
        script = game_script(rng, start, options.strokes, options.seed, slide, BoardScript)
        drawn = BoardPicture(options.seed)
        film_script(path, script, scene, camera, sensor, options, progress, judged=False, draw=drawn)
        return script
    script = game_script(rng, start, options.strokes, options.seed, physics)
    film_script(path, script, scene, camera, sensor, options, progress, judged=False)
    return script


def ball_looks(start: GameStart) -> dict[str, BallLook]:
    """Looks by what the renderer asks for: the kind of each ball's name."""
    looks = {CUE: BallLook(linear(*COLOURS[start.cue_colour]))}
    for ball in start.balls:
        tone = linear(*COLOURS[ball.colour.removesuffix("_stripe")])
        number = int(ball.name) if ball.label else None
        if ball.colour.endswith("_stripe"):
            looks[kind(ball.name)] = BallLook(linear(*COLOURS["white"]), 4, band=tone, number=number)
        else:
            looks[kind(ball.name)] = BallLook(tone, 4 if ball.label else 0, number=number)
    return looks


def game_script(
    rng: Rng,
    start: GameStart,
    strokes: int,
    seed: int,
    physics: Physics = simulate,
    kind_of_script: type[Script] = Script,
) -> Script:
    """The break and what follows, on a clock. Fewer strokes when no object ball is left."""
    layout = start.layout()
    prints = any(b.label for b in start.balls)
    script = kind_of_script(start.table, tuple(sorted(layout)), dict(layout), seed=seed, printed=prints)
    t, striker = FIRST_STRIKE_S, 0
    for n in range(strokes):
        if len(layout) < 2:
            break
        played = _played(rng, start, layout, striker, n == 0, physics)
        script.events.append(StrokeEvent(t, t + played.flight.rest_s, played))
        t += played.flight.rest_s
        layout = dict(played.end)
        if start.turns and (played.in_hand or not any(b != CUE for b, _, _ in played.flight.pots)):
            striker = 1 - striker
        hands = list(_hands(start, played, layout, striker, t))
        script.events += hands
        t = hands[-1].t + AFTER_RESPOT_S if hands else t + PAUSE_S
    script.end_s = t - 0.6
    return script


def _hands(
    start: GameStart, played: PlayedStroke, layout: Layout, striker: int, t: float
) -> Iterator[HandEvent]:
    """Acts of hands after a stroke that ended at `t`, done to the layout: respots, then the cue-ball."""
    spots = {name: (x, y) for name, x, y in start.respots}
    for name in played.respots:
        t += RESPOT_S
        layout[name] = spots[name]
        yield HandEvent(t, name, spots[name], False)
    if played.in_hand or start.cue_returns:
        if CUE in layout:
            t += LIFT_S
            yield HandEvent(t, CUE, layout.pop(CUE), True, lifts=True)
        t += RESPOT_S
        layout[CUE] = _free_place(start, layout, striker)
        yield HandEvent(t, CUE, layout[CUE], True)


def _played(
    rng: Rng, start: GameStart, layout: Layout, striker: int, opening: bool, physics: Physics
) -> PlayedStroke:
    """The first stroke in time that touches a ball; the break is hard and aimed at the nearest ball."""
    best: tuple[Stroke, Flight] | None = None
    for stroke in _strokes(rng, start, layout, opening):
        flight = physics(layout, stroke, start.table)
        hit = any(CUE in (a, b) for a, b, _ in flight.contacts)
        best = (stroke, flight) if best is None or hit else best
        if hit and flight.rest_s <= LONGEST_S:
            break
    if best is None:
        raise unusable_input("errors.seed_whose_strokes_can_be_played")
    stroke, flight = best
    gone = {b for b, _, _ in flight.pots}
    last = {b: (float(p[0]), float(p[1])) for b, p in zip(flight.names, flight.xy_mm[-1], strict=True)}
    back = tuple(name for name, _, _ in start.respots if name in gone)
    return PlayedStroke(
        striker,
        "",
        None,
        stroke,
        flight,
        dict(layout),
        {b: p for b, p in last.items() if b not in gone},
        False,
        0,
        0,
        (0, 0),
        back,
        CUE in gone,
    )


def _strokes(rng: Rng, start: GameStart, layout: Layout, opening: bool) -> Iterator[Stroke]:
    cue = np.array(layout[CUE])
    others = [n for n in layout if n != CUE]
    if opening:
        nearest = min(others, key=lambda n: math.dist(layout[n], layout[CUE]))
        for _ in range(_TRIES):
            d = np.array(layout[nearest]) - cue
            off = float(rng.normal(0, 0.15)) * start.table.ball_radius_mm / float(np.linalg.norm(d))
            yield Stroke(
                math.atan2(d[1], d[0]) + off, start.break_speed_mm_s * float(rng.uniform(0.9, 1.0)), 0.2
            )
        return
    numbered = sorted((n for n in others if n.isdigit()), key=int)
    targets = (
        numbered[:1] if start.in_order and numbered else [n for n in others if n not in start.last] or others
    )
    for k, stroke in enumerate(aims(rng, layout, targets, start.table)):
        if k >= 9:
            break
        yield stroke
    for _ in range(_TRIES):
        d = np.array(layout[targets[int(rng.integers(0, len(targets)))]]) - cue
        yield Stroke(math.atan2(d[1], d[0]) + float(rng.normal(0, 0.01)), float(rng.uniform(1200, 3000)), 0.3)


def _free_place(start: GameStart, layout: Layout, striker: int = 0) -> tuple[float, float]:
    """The cue-ball's place, or the nearest to its left or right that is free; of carrom's second player his
    own base lines.
    """
    x, y = start.cue_mm
    if start.table.is_board and striker == 1:
        y = start.table.length_mm - y
    gap = start.table.ball_diameter_mm + 4.0
    for step in range(200):
        at = (x + (-1) ** step * (step // 2 + step % 2) * 5.0, y)
        if abs(at[0]) < start.table.half_width_mm - gap and all(
            math.dist(at, p) > gap for n, p in layout.items() if n != CUE
        ):
            return at
    raise unusable_input("errors.seed_that_leaves_room_for_the_cue")
