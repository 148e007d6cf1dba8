"""Scenes of the bench's tables: layouts, touching pairs, strokes, respots a little off, people in the way."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.table.games import GAMES
from calibration.table.specs import TableSpec
from referee.rules.common.racks import red_triangle
from vision.render.layout_random import frame_colours, random_balls
from vision.render.looks import linear
from vision.render.people import random_people
from vision.render.play.director import Script, set_on_clock
from vision.render.play.match import Frame, Layout, opening
from vision.render.scene import Ball, Capsule

Rng = np.random.Generator
FIRST_STRIKE_S, PAUSE_S = 2.2, 2.1
_LONGEST_S = 6.0
_MOST_SCATTERED = 12
"""Reds of a position inside a frame."""


@dataclass(frozen=True, slots=True)
class Still:
    """A layout to photograph. `repeats`: how many pictures of it are taken, for repeatability."""

    kind: str
    balls: tuple[Ball, ...]
    people: tuple[Capsule, ...]
    repeats: int = 1


def draw_still(rng: Rng, table: TableSpec, number: int, game: str = "snooker") -> Still:
    """The layout with that number at one camera, of snooker or a kind of it. The first is photographed
    several times, without people.
    """
    reds = GAMES[game].reds
    kind = str(rng.choice(["frame", "end", "pair", "spotted", "rack"], p=[0.45, 0.15, 0.27, 0.08, 0.05]))
    if kind == "frame":
        balls = random_balls(rng, table, _in_frame(rng, reds))
    elif kind == "end":
        colours = [c for c in ("yellow", "green", "brown", "blue", "pink", "black") if rng.random() < 0.8]
        balls = random_balls(rng, table, ["white", *colours])
    elif kind == "pair":
        balls = _pair(rng, table, reds)
    elif kind == "spotted":
        balls = _of(opening(rng, table, int(rng.integers(1, _most(reds) + 1))), rng)
    else:
        balls = _of(_rack(rng, table, reds), rng)
    if number == 0:
        return Still(kind, balls, (), 6)
    people: tuple[Capsule, ...] = ()
    if rng.random() < 0.15 and balls:
        near = balls[int(rng.integers(0, len(balls)))]
        at = (near.x_mm + float(rng.normal(0, 150)), near.y_mm + float(rng.normal(0, 150)))
        people = dressed(random_people(rng, table, at), rng)
    return Still(kind, balls, people)


def _of(layout: Layout, rng: Rng) -> tuple[Ball, ...]:
    return tuple(
        Ball(n.split("_")[0], p[0], p[1], (0.0, 0.0), None, int(rng.integers(0, 1 << 30)))
        for n, p in layout.items()
    )


def _in_frame(rng: Rng, reds: int) -> list[str]:
    return frame_colours(rng, int(rng.integers(0, reds + 1)))


def _most(reds: int) -> int:
    return min(reds, _MOST_SCATTERED)


def _pair(rng: Rng, table: TableSpec, reds: int) -> tuple[Ball, ...]:
    """Balls of a frame, the cue-ball beside one of them at a gap from nothing to 4 mm."""
    colours = [c for c in _in_frame(rng, reds) if c != "white"]
    others = random_balls(rng, table, colours)
    d = table.ball_diameter_mm
    for _ in range(200):
        beside = others[int(rng.integers(0, len(others)))]
        a = float(rng.uniform(0, 2 * math.pi))
        gap = float(rng.choice([0.0, rng.uniform(0.0, 1.0), rng.uniform(1.0, 4.0)], p=[0.3, 0.35, 0.35]))
        at = (beside.x_mm + (d + gap) * math.cos(a), beside.y_mm + (d + gap) * math.sin(a))
        w, length, r = table.half_width_mm, table.length_mm, d / 2
        free = all(math.dist(at, (b.x_mm, b.y_mm)) > d + 0.5 for b in others if b is not beside)
        if free and abs(at[0]) < w - r and r < at[1] < length - r:
            return (*others, Ball("white", at[0], at[1], (0.0, 0.0), None, int(rng.integers(0, 1 << 30))))
    return others


def _rack(rng: Rng, table: TableSpec, reds: int) -> Layout:
    """The start of a frame; the cue-ball in the D."""
    layout: Layout = dict(table.spots)
    d = table.ball_diameter_mm
    step = d * (1 + float(rng.choice([0.0, 0.002, 0.01])))
    apex = table.spots["pink"][1] + d + float(rng.uniform(0.5, 3))
    layout |= {f"red_{n:02d}": at for n, at in enumerate(red_triangle((0.0, apex), reds, step), 1)}
    radius = table.d_radius_mm or 200.0
    layout["white"] = (
        float(rng.uniform(-0.75, 0.75)) * radius,
        (table.baulk_line_mm or 700.0) - float(rng.uniform(60, 140)),
    )
    return layout


def dressed(people: tuple[Capsule, ...], rng: Rng) -> tuple[Capsule, ...]:
    """The same people in louder clothes than those trained on: checks, stripes, black, white."""
    tone = [
        linear(0, 0.02, 0.93),
        linear(225, 0.5, 0.12),
        linear(355, 0.85, 0.6),
        linear(120, 0.6, 0.35),
        linear(210, 0.6, 0.75),
    ][int(rng.integers(0, 5))]
    texture = float(rng.choice([0.05, 0.25, 0.6]))
    return tuple(
        replace(c, albedo=tone, texture=texture) if min(c.radius_a_mm, c.radius_b_mm) >= 40 else c
        for c in people
    )


def crowd(script: Script, t_s: float, seed: int) -> tuple[Capsule, ...]:
    """The people of a clip at a time, dressed; in some clips somebody walks along a side between strokes."""
    parts = dressed(script.people(t_s), np.random.default_rng([seed, 5]))
    own = np.random.default_rng([seed, 6])
    if own.random() < 0.35:
        parts = (*parts, *_walker(script, t_s, own))
    return parts


def _walker(script: Script, t_s: float, rng: Rng) -> tuple[Capsule, ...]:
    table = script.table
    side, speed = float(rng.choice([-1.0, 1.0])), float(rng.uniform(400, 900))
    phase = t_s % 9.0
    if phase > 4.5:
        return ()
    x, y = side * (table.half_width_mm + 430), -300 + speed * phase
    return (
        Capsule((x, y - 130, 1000.0), (x, y + 130, 1000.0), 150, 150, linear(230, 0.4, 0.2), 0.3),
        Capsule((x, y, 1150.0), (x + 5, y, 1200.0), 85, 80, linear(25, 0.5, 0.25), 0.3),
    )


def draw_script(rng: Rng, table: TableSpec, strokes: int, seed: int, game: str = "snooker") -> Script:
    """Strokes of every kind set on a clock; colours go back up to 6 mm off their spots."""
    for _ in range(20):
        try:
            return _script(rng, table, strokes, seed, GAMES[game].reds)
        except RuntimeError:
            continue  # no stroke of the wanted kind from there: another layout
    raise RuntimeError("no script found; use another seed")


def _script(rng: Rng, table: TableSpec, strokes: int, seed: int, reds: int) -> Script:
    layout = _start(rng, table, reds)
    hard = rng.random() < 0.2
    frame = Frame(
        rng, layout, table, longest_s=13.0 if hard else _LONGEST_S, fastest_mm_s=6500.0 if hard else 3800.0
    )
    script = Script(table, tuple(sorted(layout)), layout, seed=seed)
    kinds = [(True, ""), (False, ""), (False, "in_off"), (False, "wrong_ball")]

    def wants() -> Iterator[tuple[bool, str]]:
        for _ in range(strokes):
            if not any(n.startswith("red") for n in frame.layout):
                return
            yield kinds[int(rng.choice(4, p=[0.5, 0.28, 0.1, 0.12]))]

    def respot(colour: str) -> tuple[float, float]:
        frame.layout[colour] = _near_spot(rng, table, colour, frame.layout)
        return frame.layout[colour]

    script.end_s = set_on_clock(script, frame, wants(), respot, FIRST_STRIKE_S, PAUSE_S) - 0.4
    return script


def _start(rng: Rng, table: TableSpec, most: int) -> Layout:
    """Mid-frame: reds scattered apart, or balls anywhere with clusters, cushions and jaws."""
    reds = int(rng.integers(2, _most(most) + 1))
    if rng.random() < 0.6:
        return opening(rng, table, reds)
    balls = random_balls(rng, table, ["yellow", "green", "brown", "blue", "pink", "black", *["red"] * reds])
    layout: Layout = {}
    for b in balls:
        name = b.colour if b.colour != "red" else f"red_{sum(n.startswith('red') for n in layout) + 1:02d}"
        layout[name] = (b.x_mm, b.y_mm)
    d = table.ball_diameter_mm
    for _ in range(500):
        p = (
            float(rng.uniform(-0.85, 0.85)) * table.half_width_mm,
            float(rng.uniform(0.08, 0.8)) * table.length_mm,
        )
        if all(math.dist(p, q) > d + 3 for q in layout.values()):
            layout["white"] = p
            return layout
    raise RuntimeError("no free place for the cue-ball")


def _near_spot(rng: Rng, table: TableSpec, colour: str, layout: Layout) -> tuple[float, float]:
    """Where a hand puts a colour: on its spot within a millimetre mostly, else up to 6 mm off."""
    x, y = table.spots[colour]
    for _ in range(50):
        off = float(rng.uniform(0, 1.0)) if rng.random() < 0.55 else float(rng.uniform(1.0, 6.0))
        a = float(rng.uniform(0, 2 * math.pi))
        p = (x + off * math.cos(a), y + off * math.sin(a))
        if all(math.dist(p, q) > table.ball_diameter_mm + 0.3 for n, q in layout.items() if n != colour):
            return p
    return x, y
