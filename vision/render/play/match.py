"""A short piece of a snooker frame, played by the simulation: who plays what, what it scores, what is
respotted.

The scoring here is written apart from the referee's rules on purpose: a clip's truth must not come from
the code that it tests. Only what these clips need: reds and colours in turn, fouls, respots, in-hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from calibration.table.specs import TableSpec
from vision.render.play.physics import Flight, Stroke, simulate

VALUES = {"red": 1, "yellow": 2, "green": 3, "brown": 4, "blue": 5, "pink": 6, "black": 7}
Layout = dict[str, tuple[float, float]]
Rng = np.random.Generator
Physics = Callable[[Layout, Stroke, TableSpec], Flight]


def kind(ball: str) -> str:
    """`red_03` -> `red`."""
    return ball.split("_")[0]


@dataclass(frozen=True, slots=True)
class PlayedStroke:
    """One stroke with what a referee says about it. `on`: red or colour; `potted`: (ball, pocket, t)."""

    striker: int
    on: str
    nominated: str | None
    stroke: Stroke
    flight: Flight
    start: Layout
    end: Layout
    foul: bool
    penalty: int
    points: int
    score: tuple[int, int]
    respots: tuple[str, ...]
    in_hand: bool

    @property
    def first_contact(self) -> tuple[str, float] | None:
        """Ball and time of the cue-ball's first contact."""
        for a, b, t in self.flight.contacts:
            if "white" in (a, b):
                return (b if a == "white" else a, t)
        return None


def _first(flight: Flight) -> str | None:
    return next((kind(b if a == "white" else a) for a, b, _ in flight.contacts if "white" in (a, b)), None)


def judge(flight: Flight, on: str, nominated: str | None) -> tuple[bool, int, int]:
    """Foul, penalty and points of a stroke. `on` is "red" or "colour" (then `nominated` is the ball on)."""
    target = "red" if on == "red" else str(nominated)
    first = _first(flight)
    potted = [kind(b) for b, _, _ in flight.pots]
    wrong = [b for b in potted if b != target]
    foul = first != target or bool(wrong)
    if not foul:
        return False, 0, VALUES[target] * (len(potted) if target == "red" else min(len(potted), 1))
    involved = [target] + [b for b in wrong if b != "white"] + ([first] if first else [])
    return True, max([4] + [VALUES[b] for b in involved if b != "red"]), 0


def aims(rng: Rng, layout: Layout, targets: list[str], table: TableSpec) -> Iterator[Stroke]:
    """Strokes that should pot one of the targets, straightest first."""
    r, white = table.ball_radius_mm, np.array(layout["white"])
    options = []
    for name in targets:
        ball = np.array(layout[name])
        for pocket in table.pockets:
            mouth = np.array([pocket.x_mm, pocket.y_mm]) * 0.985 + np.array([0, table.length_mm / 2]) * 0.015
            to_pocket = mouth - ball
            ghost = ball - 2 * r * to_pocket / np.linalg.norm(to_pocket)
            path = ghost - white
            far = float(np.linalg.norm(path))
            cut = float(path @ to_pocket) / (far * float(np.linalg.norm(to_pocket)) + 1e-9)
            if (
                cut < 0.45
                or not clear(layout, white, ghost, 2 * r, {name, "white"})
                or not clear(layout, ball, mouth, 2 * r, {name, "white"})
            ):
                continue
            options.append((-cut + far / 6000 + float(np.linalg.norm(to_pocket)) / 4000, path, far))
    for _, path, far in sorted(options, key=lambda o: o[0]):
        for _ in range(3):
            speed = float(rng.uniform(1500, 2600)) + 0.3 * far
            yield Stroke(
                math.atan2(path[1], path[0]) + float(rng.normal(0, 0.002)),
                speed,
                float(rng.uniform(-0.4, 0.7)),
            )


def clear(layout: Layout, a: np.ndarray, b: np.ndarray, width: float, skip: set[str]) -> bool:
    """Whether a ball of that width passes from a to b."""
    d = b - a
    for name, p in layout.items():
        if name in skip:
            continue
        q = np.array(p) - a
        t = float(np.clip(q @ d / (d @ d), 0, 1))
        if float(np.linalg.norm(q - t * d)) < width:
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Want:
    """What kind of stroke is looked for."""

    pot: bool
    foul: str  # "", "in_off", "wrong_ball"


class Frame:
    """The state of the piece of a frame that is being played; local to the making of one clip."""

    def __init__(
        self,
        rng: Rng,
        layout: Layout,
        table: TableSpec,
        physics: Physics = simulate,
        *,
        longest_s: float = 16.0,
        fastest_mm_s: float = 3800.0,
    ) -> None:
        self.rng, self.layout, self.table, self.physics = rng, dict(layout), table, physics
        self.longest_s, self.fastest_mm_s = longest_s, fastest_mm_s
        self.striker, self.on, self.score = 0, "red", (0, 0)

    def play(self, pot: bool, foul: str = "") -> PlayedStroke:
        """Find and play a stroke of the wanted kind; the nearest to it when none is found in time."""
        want = _Want(pot, foul)
        best: PlayedStroke | None = None
        for stroke, nominated in self._candidates(want):
            played = self._try(stroke, nominated)
            if played is None:
                continue
            potted = played.points > 0
            in_off = played.in_hand
            best = best or played
            if foul == "in_off" and in_off and _first(played.flight) == self._target(nominated):
                best = played
                break
            if (
                foul == "wrong_ball"
                and played.foul
                and not in_off
                and played.first_contact
                and self._open(played.end)
            ):
                best = played
                break
            if not foul and not played.foul and potted == pot:
                best = played
                break
        if best is None:
            raise RuntimeError("no stroke found; use another seed")
        self._accept(best)
        return best

    def _target(self, nominated: str | None) -> str:
        return "red" if self.on == "red" else str(nominated)

    def _candidates(self, want: _Want) -> Iterator[tuple[Stroke, str | None]]:
        reds = [b for b in self.layout if kind(b) == "red"]
        colours = [b for b in self.layout if kind(b) in VALUES and kind(b) != "red"]
        count = 0
        if want.pot and not want.foul:
            for stroke in aims(self.rng, self.layout, reds if self.on == "red" else colours, self.table):
                count += 1
                if count > 24:
                    break
                yield stroke, None if self.on == "red" else self._aimed(stroke, colours)
        for _ in range(40):
            wrong = want.foul == "wrong_ball"
            pool = reds if (self.on == "red") != wrong else colours
            at = pool[int(self.rng.integers(0, len(pool)))]
            d = np.array(self.layout[at]) - np.array(self.layout["white"])
            off = (
                float(self.rng.uniform(-0.8, 0.8)) * 2 * self.table.ball_radius_mm / float(np.linalg.norm(d))
            )
            nominated = None if self.on == "red" else (at if at in colours else colours[0])
            speed = float(self.rng.uniform(1200, self.fastest_mm_s))
            yield Stroke(math.atan2(d[1], d[0]) + off, speed, float(self.rng.uniform(-0.3, 0.8))), nominated

    def _aimed(self, stroke: Stroke, colours: list[str]) -> str:
        def miss(name: str) -> float:
            d = np.array(self.layout[name]) - np.array(self.layout["white"])
            a = math.atan2(d[1], d[0]) - stroke.direction
            return abs(math.atan2(math.sin(a), math.cos(a)))

        return min(colours, key=miss)

    def _open(self, end: Layout) -> bool:
        """Whether some red can be hit straight, so that a foul gives no free ball."""
        white = np.array(end["white"])
        r = self.table.ball_radius_mm
        return any(
            clear(end, white, np.array(p), 2 * r + 1, {b, "white"})
            for b, p in end.items()
            if kind(b) == "red"
        )

    def _try(self, stroke: Stroke, nominated: str | None) -> PlayedStroke | None:
        flight = self.physics(self.layout, stroke, self.table)
        if flight.rest_s > self.longest_s or len([p for p in flight.pots if p[0] != "white"]) > 1:
            return None
        foul, penalty, points = judge(flight, self.on, nominated)
        gone = {b for b, _, _ in flight.pots}
        last = {b: (float(p[0]), float(p[1])) for b, p in zip(flight.names, flight.xy_mm[-1], strict=True)}
        end = {b: p for b, p in last.items() if b not in gone}
        back = tuple(b for b in gone if kind(b) not in ("red", "white"))
        score = list(self.score)
        score[self.striker] += points
        score[1 - self.striker] += penalty
        if any(self._spot_taken(b, end) for b in back):
            return None  # keeps respots on their own spots
        return PlayedStroke(
            self.striker,
            self.on,
            nominated,
            stroke,
            flight,
            dict(self.layout),
            end,
            foul,
            penalty,
            points,
            (score[0], score[1]),
            back,
            "white" in gone,
        )

    def _spot_taken(self, colour: str, end: Layout) -> bool:
        s = self.table.spots[colour]
        return any(math.dist(s, p) < 2 * self.table.ball_radius_mm + 0.5 for p in end.values())

    def _accept(self, played: PlayedStroke) -> None:
        self.layout = dict(played.end)
        for colour in played.respots:
            self.layout[colour] = self.table.spots[colour]
        if played.in_hand:
            self.layout["white"] = self._in_d()
        self.score = played.score
        if played.points and not played.foul:
            reds = any(kind(b) == "red" for b in self.layout)
            self.on = "colour" if self.on == "red" else "red" if reds else "colour"
        else:
            self.striker, self.on = 1 - played.striker, "red"

    def _in_d(self) -> tuple[float, float]:
        b, d = self.table.baulk_line_mm or 700.0, self.table.d_radius_mm or 200.0
        for _ in range(200):
            a, rho = float(self.rng.uniform(math.pi, 2 * math.pi)), d * float(self.rng.uniform(0.1, 0.9))
            p = (rho * math.cos(a), b + rho * math.sin(a))
            if all(math.dist(p, q) > 2 * self.table.ball_radius_mm + 8 for q in self.layout.values()):
                return p
        raise RuntimeError("no free place in the D")


def opening(rng: Rng, table: TableSpec, reds: int) -> Layout:
    """A layout in mid-frame: colours on their spots, reds scattered, nothing touching."""
    layout: Layout = dict(table.spots)
    r = table.ball_radius_mm
    names = [f"red_{k + 1:02d}" for k in range(reds)] + ["white"]
    for name in names:
        for _ in range(500):
            p = (
                float(rng.uniform(-0.9, 0.9)) * table.half_width_mm,
                float(rng.uniform(0.28, 0.96) if name != "white" else rng.uniform(0.1, 0.7))
                * table.length_mm,
            )
            if all(math.dist(p, q) > 2 * r + 12 for q in layout.values()):
                layout[name] = p
                break
    return layout
