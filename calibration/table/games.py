"""The games: of each one record of what the whole program asks about it.

A game's rules are a package of `referee/rules`, its adapter one of `referee/cases`, and its words are in
`calibration/texts`, all under the name that stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from calibration.table.board import board_table
from calibration.table.pieces import (
    BILLIARDS,
    BILLIARDS_SPOTTED,
    BRITISH_15,
    CARROM,
    POOL_9,
    POOL_10,
    POOL_14_1,
    POOL_15,
    RED_YELLOW,
    SNOOKER,
    PieceSet,
)
from calibration.table.specs import TableSpec, british_table, pool_table

POOL_BALL_MM = 57.15
"""Ball diameter, WPA equipment specification (2 1/4 inches)."""
POOL_TABLE_MM = (2540.0, 1270.0)
"""Playing area of a nine-foot pool table, WPA equipment specification."""

Family = Literal["snooker", "billiards", "pool", "british", "carrom"]


@dataclass(frozen=True, slots=True)
class Spot:
    """A spot on which a game's referee puts pieces: `mark` as the table names it (`marked_spots`), `name` as
    people do, `kinds` of pieces that are put there.
    """

    mark: str
    name: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GameSpec:
    """One game.

    `title`: its English name. `table`: the table on which it is played where nobody names another. `points`:
    its score is points; else racks or frames won. `runs`: its points come stroke by stroke, those of a visit
    are a break or a run. `groups`: of which balls each player has one kind.
    `rules`: the game whose rules are played, where this one is that game with another set of balls.
    `called`: a shot counts only as it was called, ball and pocket or safety (WPA 1.6). `nominated`: a player
    says which ball he plays (snooker 2.12, WEPF H). `push_out`: the second shot may be one (WPA 2.4, 9.4).
    `frozen`: a ball counts as frozen to a rail only where that was declared (WPA 8.4). `touching`: a ball
    that the cue-ball touches is played away from, which may be declared (WPA 6.7, 5.9; WEPF S, Y(6)). `reds`:
    with which a frame of snooker or a kind of it usually begins (3.2; six-red's introduction). `spotted`:
    where pieces are put back; of snooker each colour has a spot of its own (`TableSpec.spots`).
    """

    name: str
    title: str
    family: Family
    pieces: PieceSet
    table: Callable[[], TableSpec]
    points: bool = False
    runs: bool = False
    groups: tuple[str, ...] = ()
    called: bool = False
    nominated: bool = False
    push_out: bool = False
    frozen: bool = False
    touching: bool = False
    reds: int = 0
    spotted: tuple[Spot, ...] = ()
    rules: str = ""


def _nine_foot() -> TableSpec:
    return pool_table(*POOL_TABLE_MM, POOL_BALL_MM)


def _six_foot() -> TableSpec:
    return british_table(1828.0, 914.0, RED_YELLOW.kind("red").diameter_mm)


def _foot(*kinds: str) -> tuple[Spot, ...]:
    return (Spot("foot", "foot spot", kinds),)


_ANY_NUMBER = tuple(str(n) for n in range(1, 16))
_BILLIARDS_SPOTS = (  # billiards 1.1, 3.10, 3.15(c)
    Spot("black", "Spot", ("red",)),
    Spot("pink", "Pyramid Spot", ("red",)),
    Spot("blue", "Centre Spot", ("red", "white", "yellow")),
)
_CENTRE = (Spot("centre", "centre circle", ("queen",)),)  # carrom: the Queen covers it; dues go beside
_BLACK_SPOT = (Spot("black", "black spot", ("black", "red", "yellow")),)  # WPA 5.11, WEPF T(2)(d)
_EIGHT_SPOT = (Spot("black", "black spot", _ANY_NUMBER),)
BY_NUMBER, _BY_COLOUR = ("solids", "stripes"), ("red", "yellow")
GAMES: dict[str, GameSpec] = {
    game.name: game
    for game in (
        GameSpec(
            "snooker",
            "Snooker",
            "snooker",
            SNOOKER,
            TableSpec,
            points=True,
            runs=True,
            nominated=True,
            reds=15,
        ),
        GameSpec(
            "six_red",
            "Six-red snooker",
            "snooker",
            SNOOKER,
            TableSpec,
            points=True,
            runs=True,
            nominated=True,
            reds=6,
        ),
        GameSpec(
            "english_billiards",
            "English billiards",
            "billiards",
            BILLIARDS,
            TableSpec,
            points=True,
            runs=True,
            spotted=_BILLIARDS_SPOTS,
        ),
        GameSpec(
            "wpa_8ball",
            "Eight-ball",
            "pool",
            POOL_15,
            _nine_foot,
            groups=BY_NUMBER,
            called=True,
            frozen=True,
            spotted=_foot("8"),  # WPA 3.7
        ),
        GameSpec(
            "wpa_9ball",
            "Nine-ball",
            "pool",
            POOL_9,
            _nine_foot,
            push_out=True,
            frozen=True,
            spotted=_foot("9"),
        ),
        GameSpec(
            "wpa_10ball",
            "Ten-ball",
            "pool",
            POOL_10,
            _nine_foot,
            called=True,
            push_out=True,
            frozen=True,
            spotted=_foot("10"),
        ),
        GameSpec(
            "wpa_14_1",
            "Straight pool",
            "pool",
            POOL_14_1,
            _nine_foot,
            points=True,
            runs=True,
            called=True,
            frozen=True,
            spotted=_foot(*_ANY_NUMBER),
        ),
        GameSpec(
            "blackball",
            "Blackball",
            "british",
            RED_YELLOW,
            _six_foot,
            groups=_BY_COLOUR,
            frozen=True,
            touching=True,
            spotted=_BLACK_SPOT,
        ),
        GameSpec(
            "wepf",
            "English eight-ball pool",
            "british",
            RED_YELLOW,
            _six_foot,
            groups=_BY_COLOUR,
            nominated=True,
            touching=True,
            spotted=_BLACK_SPOT,
        ),
        GameSpec(
            *("carrom", "Carrom", "carrom", CARROM, board_table),
            points=True,
            groups=("white", "black"),
            spotted=_CENTRE,
        ),
        GameSpec(
            "blackball_numbered",
            "Blackball, solids and stripes",
            "british",
            BRITISH_15,
            _six_foot,
            groups=BY_NUMBER,
            frozen=True,
            touching=True,
            spotted=_EIGHT_SPOT,
            rules="blackball",
        ),
        GameSpec(
            "english_billiards_spotted",
            "English billiards, plain and spotted white",
            "billiards",
            BILLIARDS_SPOTTED,
            TableSpec,
            points=True,
            runs=True,
            spotted=_BILLIARDS_SPOTS,
            rules="english_billiards",
        ),
        GameSpec(
            "wepf_numbered",
            "English eight-ball pool, solids and stripes",
            "british",
            BRITISH_15,
            _six_foot,
            groups=BY_NUMBER,
            nominated=True,
            touching=True,
            spotted=_EIGHT_SPOT,
            rules="wepf",
        ),
    )
}
"""By the name that case files, journals, documents and options use."""

PIECES: dict[str, PieceSet] = {game.name: game.pieces for game in GAMES.values()}
"""The set of each game."""


def is_snooker(game: str) -> bool:
    """Whether a game is snooker or a kind of it, which have states, calls and pages of their own."""
    return game in GAMES and GAMES[game].family == "snooker"


def rules_of(game: str) -> str:
    """The game whose rules a game has: its own name, or that of the same game with the usual balls."""
    return (GAMES[game].rules if game in GAMES else "") or game


def in_rules(game: str, kind: str) -> str:
    """A kind of a game's pieces as its rules name it: 1 to 7 are the reds, 9 to 15 the yellows and the 8 the
    black where a game of reds and yellows is played with solids and stripes (WEPF A(1)(a)).
    """
    if GAMES[game].family != "british" or not kind.isdigit():
        return kind
    return "black" if kind == "8" else "red" if int(kind) < 8 else "yellow"


def counts_points(game: str) -> bool:
    """Whether a match's score is points; of an unknown game it is racks won."""
    return game in GAMES and GAMES[game].points
