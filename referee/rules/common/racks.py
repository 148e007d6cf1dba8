"""Racks and start positions of every game, in mm of the table's frame (carrom: the board's).

Tightly packed means touching: neighbours lie one diameter apart. Where the rules leave an order open
("without purposeful or intentional pattern") a seed decides it. Standard library and calibration only.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from calibration.table import games
from calibration.table.board import CARROM_BOARD, CarromBoard
from calibration.table.specs import WPA_TABLE, PointMm, TableSpec
from calibration.texts import game_title, unusable_input

Zone = Literal["d", "behind_head_string", "baulk", "base_lines"]
GAMES: tuple[str, ...] = (*games.GAMES, "wpa_14_1_rerack")
"""Every rack; `wpa_14_1_rerack` is the rack of fourteen with an empty apex (14.1 rule 4.2)."""

BRITISH_CUE_BALL_MM = 47.6  # reading: smaller than the object balls
PINK_GAP_MM = 0.5  # snooker 3.2(a)(i): as close to the Pink as possible without touching it


@dataclass(frozen=True)
class RackedBall:
    """A ball or carromman at the start: `ball` its name, `colour` its class, its centre in mm."""

    ball: str
    colour: str
    x_mm: float
    y_mm: float

    @property
    def xy_mm(self) -> PointMm:
        return self.x_mm, self.y_mm


@dataclass(frozen=True)
class InHand:
    """The piece played from in-hand: the cue-ball or the striker, where it may lie, and one such place."""

    ball: str
    zone: Zone
    x_mm: float
    y_mm: float
    diameter_mm: float


@dataclass(frozen=True)
class Rack:
    """A start position: what lies on the surface, what is in-hand, and the surface itself."""

    game: str
    balls: tuple[RackedBall, ...]
    in_hand: InHand
    surface: TableSpec | CarromBoard

    @property
    def diameter_mm(self) -> float:
        """The diameter of the racked balls or C/m."""
        if isinstance(self.surface, CarromBoard):
            return self.surface.man_diameter_mm
        return self.surface.ball_diameter_mm


def rack(game: str, seed: int = 0, surface: TableSpec | CarromBoard | None = None) -> Rack:
    """The start position of a game.

    `surface`: another table or board than the game's usual one. Raises `UnusableInput` for an unknown
    game, or a surface that is not the game's kind.
    """
    if game not in GAMES:
        raise unusable_input("errors.rack_expected_one_of_found", known=", ".join(GAMES), game=repr(game))
    if game == "carrom":
        board = CARROM_BOARD if surface is None else surface
        if not isinstance(board, CarromBoard):
            raise unusable_input("errors.carrom_board_for_carrom", kind=type(board).__name__)
        return _carrom(board)
    table = _usual_table(game) if surface is None else surface
    if not isinstance(table, TableSpec):
        raise unusable_input("errors.cue_table", game=game_title(game), kind=type(table).__name__)
    if _game(game).family == "pool":
        return _wpa(game, table, random.Random(seed))
    return _british(game, table) if _game(game).family == "british" else _with_d(game, table)


def _game(rack: str) -> games.GameSpec:
    """The game that a rack belongs to."""
    return games.GAMES[rack.removesuffix("_rerack")]


def _usual_table(game: str) -> TableSpec:
    return WPA_TABLE if _game(game).family == "pool" else _game(game).table()


def triangle(apex: PointMm, rows: int, diameter_mm: float) -> tuple[PointMm, ...]:
    """Touching balls in rows of 1, 2, ... away from the baulk end; each row from left to right."""
    return tuple(p for n in range(rows) for p in _row(apex, n, n + 1, diameter_mm))


def red_triangle(apex: PointMm, reds: int, diameter_mm: float) -> tuple[PointMm, ...]:
    """So many reds, row by row (snooker 3.2)."""
    return triangle(apex, 5, diameter_mm)[:reds]


def diamond(apex: PointMm, diameter_mm: float) -> tuple[PointMm, ...]:
    """Nine touching balls in rows of 1, 2, 3, 2, 1 (nine ball 2.2)."""
    return tuple(p for n, count in enumerate((1, 2, 3, 2, 1)) for p in _row(apex, n, count, diameter_mm))


def _row(apex: PointMm, n: int, count: int, d: float) -> list[PointMm]:
    y = apex[1] + n * d * math.sqrt(3) / 2
    return [(apex[0] + (i - (count - 1) / 2) * d, y) for i in range(count)]


def _with_d(game: str, table: TableSpec) -> Rack:
    """Snooker and six-red 3.2, English billiards 3.2: cue-ball in-hand, played from the D."""
    spots = table.spots
    if not spots or table.baulk_line_mm is None or table.d_radius_mm is None:
        raise unusable_input("errors.table_with_baulk_line_and_d", game=game_title(game))
    cue = InHand("white", "d", table.d_radius_mm / 2, table.baulk_line_mm, table.ball_diameter_mm)
    if game == "english_billiards" or _game(game).rules == "english_billiards":
        return Rack(game, (RackedBall("red", "red", *spots["black"]),), cue, table)
    balls = [RackedBall(colour, colour, *xy) for colour, xy in spots.items()]
    d = table.ball_diameter_mm
    apex = (0.0, spots["pink"][1] + d + PINK_GAP_MM)
    reds = red_triangle(apex, _game(game).reds, d)
    balls += [RackedBall(f"red_{n}", "red", *xy) for n, xy in enumerate(reds, 1)]
    return Rack(game, tuple(balls), cue, table)


def _wpa(game: str, table: TableSpec, rng: random.Random) -> Rack:
    """WPA 2.2, 3.2, 4.2, 9.2: the apex on the foot spot, the cue-ball behind the head string (a quarter)."""
    foot = (0.0, table.length_mm * 3 / 4)
    d = table.ball_diameter_mm
    places = diamond(foot, d) if game == "wpa_9ball" else triangle(foot, 4 if game == "wpa_10ball" else 5, d)
    if game == "wpa_14_1_rerack":
        places = places[1:]
    fixed = _FIXED.get(game, {})
    numbers = _numbers(game, len(places), fixed, rng)
    balls = tuple(RackedBall(str(n), pool_colour(n), *xy) for n, xy in zip(numbers, places, strict=True))
    return Rack(game, balls, InHand("white", "behind_head_string", 0.0, table.length_mm / 5, d), table)


_FIXED: dict[str, dict[int, int]] = {  # place in the rack -> number
    "wpa_9ball": {0: 1, 4: 9},  # 2.2: one at the apex, nine in the middle
    "wpa_10ball": {0: 1, 4: 10},  # 9.2: one at the apex, ten in the middle
    "wpa_8ball": {4: 8},  # 3.2: the first ball directly below the apex ball
}
_BLACK_PLACE, _QUEEN_PLACE = 4, 0  # in the racks of `_british` and `_carrom`


def fixed_pieces(game: str) -> dict[int, str]:
    """The pieces whose place in the rack the rules name: index in `Rack.balls` -> piece."""
    if _game(game).family == "british":
        return {_BLACK_PLACE: "8" if _game(game).pieces.numbered else "black"}
    if game == "carrom":
        return {_QUEEN_PLACE: "queen"}
    return {place: str(number) for place, number in _FIXED.get(game, {}).items()}


_CORNERS_8BALL = (10, 14)  # 3.2: one from each group on the two lower corners


def _numbers(game: str, count: int, fixed: dict[int, int], rng: random.Random) -> list[int]:
    fixed = dict(fixed)
    if game == "wpa_8ball":
        groups = [rng.randint(1, 7), rng.randint(9, 15)]
        rng.shuffle(groups)
        fixed.update(zip(_CORNERS_8BALL, groups, strict=True))
    top = 15 if game == "wpa_14_1_rerack" else count
    rest = [n for n in range(1, top + 1) if n not in fixed.values()]
    rng.shuffle(rest)
    return [fixed[i] if i in fixed else rest.pop() for i in range(count)]


POOL_COLOURS = ("yellow", "blue", "red", "purple", "orange", "green", "maroon")


def pool_colour(number: int) -> str:
    """The class of a numbered ball: 1 to 7 solid, 8 black, 9 to 15 striped in the same order."""
    if number == 8:
        return "black"
    return POOL_COLOURS[number - 1] if number < 8 else f"{POOL_COLOURS[number - 9]}_stripe"


_BRITISH_ROWS = ("r", "yr", "rby", "yryr", "ryyry")
"""Black on the spot in the third row; no text gives the colours' order: the usual one."""


def _british(game: str, table: TableSpec) -> Rack:
    """Black ball 5.4, WEPF F(1): the black on the spot, so the apex is two rows nearer to baulk."""
    d = table.ball_diameter_mm
    spot_y = table.length_mm - table.black_spot_mm
    apex = (0.0, spot_y - 2 * d * math.sqrt(3) / 2)
    names = _numbered_balls() if _game(game).pieces.numbered else _coloured_balls()
    letters = zip("".join(_BRITISH_ROWS), triangle(apex, 5, d), strict=True)
    balls = [RackedBall(*next(names[letter]), *xy) for letter, xy in letters]
    baulk = table.baulk_line_mm if table.baulk_line_mm is not None else table.length_mm / 5
    return Rack(game, tuple(balls), InHand("white", "baulk", 0.0, baulk * 0.8, BRITISH_CUE_BALL_MM), table)


_Named = Iterator[tuple[str, str]]
"""Names and classes of balls that one letter of the rows stands for."""


def _coloured_balls() -> dict[str, _Named]:
    reds = ((f"red_{n}", "red") for n in range(1, 8))
    yellows = ((f"yellow_{n}", "yellow") for n in range(1, 8))
    return {"r": reds, "y": yellows, "b": iter((("black", "black"),))}


def _numbered_balls() -> dict[str, _Named]:
    """Solids for reds, stripes for yellows, the 8 for the black."""
    solids, stripes = (((str(n), pool_colour(n)) for n in ns) for ns in (range(1, 8), range(9, 16)))
    return {"r": solids, "y": stripes, "b": iter((("8", "black"),))}


def _carrom(board: CarromBoard) -> Rack:
    """Law 41(a): the Queen in the centre circle, six C/m alternately around it, twelve around those.

    The white of the first row and three white of the second form a Y; the second row's other places
    are filled alternately, which makes its six corners white and the six places between them black.
    """
    d = board.man_diameter_mm
    balls = [RackedBall("queen", "queen", 0.0, 0.0)]
    counts = {"white": 0, "black": 0}

    def add(colour: str, radius: float, degrees: float) -> None:
        counts[colour] += 1
        angle = math.radians(degrees)
        balls.append(
            RackedBall(
                f"{colour}_{counts[colour]}", colour, radius * math.cos(angle), radius * math.sin(angle)
            )
        )

    for n in range(6):  # the stem of the Y points to the player at the bottom
        add("white" if n % 2 == 0 else "black", d, -90.0 + 60.0 * n)
    for n in range(6):
        add("white", 2 * d, -90.0 + 60.0 * n)
        add("black", math.sqrt(3) * d, -60.0 + 60.0 * n)
    striker = InHand("striker", "base_lines", 0.0, board.striker_line_y_mm(), board.striker_diameter_mm)
    return Rack("carrom", tuple(balls), striker, board)
