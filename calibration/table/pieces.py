"""The pieces of every game: how many of each kind, how large they are and what they look like.

Perception, naming, rendering and the tracker read this one table; a game is data, not a branch. A *kind* is
what rules tell apart and cameras cannot: all reds are one kind, the 9 of pool is one. A *look* is what a
camera sees of a kind, whatever the game. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

Tint = Literal[
    "white", "red", "yellow", "green", "brown", "blue", "pink", "black", "purple", "orange", "maroon"
]
Form = Literal["plain", "solid", "stripe", "disc"]
"""`plain`: a ball of one colour; `solid`: with a number in a white circle; `stripe`: a white ball with a
coloured band and a number; `disc`: flat and round, as on a carrom board."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a camera sees of a piece: its main colour, its form, and the number written on it, if any."""

    tint: Tint
    form: Form = "plain"
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of piece: its name, how many a full set has, its look and its diameter in mm."""

    name: str
    count: int
    look: Look
    diameter_mm: float

    def __post_init__(self) -> None:
        if self.count < 1 or not self.diameter_mm > 0:
            raise ValueError(f"expected pieces with a diameter, found {self.count!r} of {self.diameter_mm!r}")


@dataclass(frozen=True)
class PieceSet:
    """All pieces of a game. `cue`: the kind that is struck (cue-ball or striker); `kinds`: in the order of
    the log-probabilities of an observation. `also_struck`: kinds that are the cue-ball when the other player
    plays. `stay_down`: kinds that nobody puts back once they have fallen. `leave_in_order`: kinds that
    leave the table in this order once none of `stay_down` is left. `other_looks`: sets that look
    otherwise than usual, each with its looks in the order of `kinds`. `fastest_mm_s`: no cue-ball leaves
    faster: a hard break shot is about 13 m/s in pool, 8 in snooker.
    """

    name: str
    cue: str
    kinds: tuple[Kind, ...]
    also_struck: tuple[str, ...] = ()
    stay_down: tuple[str, ...] = ()
    leave_in_order: tuple[str, ...] = ()
    other_looks: tuple[tuple[Look, ...], ...] = ()
    fastest_mm_s: float = 14_000.0

    def __post_init__(self) -> None:
        names = [k.name for k in self.kinds]
        if len(set(names)) != len(names) or self.cue not in names:
            raise ValueError(f"expected kinds once each with {self.cue!r} among them, found {names!r}")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The kinds' names in order."""
        return tuple(k.name for k in self.kinds)

    @cached_property
    def index(self) -> dict[str, int]:
        """Where each kind stands in `kinds`."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def looks(self) -> tuple[tuple[Look, ...], ...]:
        """The looks of all kinds, once for each kind of set that is sold; the usual one comes first."""
        return (tuple(k.look for k in self.kinds), *self.other_looks)

    def kind(self, name: str) -> Kind:
        """The kind of that name. KeyError where the set has none."""
        return self.kinds[self.index[name]]

    def form_of(self, name: str) -> Form | None:
        """Whether a kind is a solid, a stripe, plain or a disc; None for what is no kind of the set."""
        return self.kind(name).look.form if name in self.index else None

    def count(self, name: str) -> int:
        """How many pieces of a kind a full set has."""
        return self.kind(name).count

    def pieces_of(self, name: str) -> tuple[str, ...]:
        """Names of the pieces of a kind: its own where there is one, else `red_1`, `red_2` and so on."""
        n = self.count(name)
        return (name,) if n == 1 else tuple(f"{name}_{i}" for i in range(1, n + 1))

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """Names of all pieces of a full set."""
        return tuple(p for k in self.names for p in self.pieces_of(k))

    @cached_property
    def struck(self) -> frozenset[str]:
        """Kinds that may be the cue-ball."""
        return frozenset((self.cue, *self.also_struck))

    @property
    def only_cue(self) -> str | None:
        """The cue-ball; None where either player's ball is one (billiards), and only a ruling knows which."""
        return None if self.also_struck else self.cue

    @cached_property
    def object_balls(self) -> tuple[str, ...]:
        """Kinds that can be hit first or fall; of two cue-balls each is the other's object ball."""
        return tuple(k for k in self.names if self.also_struck or k != self.cue)

    @cached_property
    def discs(self) -> bool:
        """Whether the pieces are discs, which slide, and not balls."""
        return self.kind(self.cue).look.form == "disc"

    @cached_property
    def kind_of(self) -> dict[str, str]:
        """The kind of each piece by the piece's name."""
        return {p: k for k in self.names for p in self.pieces_of(k)}

    @cached_property
    def object_diameter_mm(self) -> float:
        """The diameter that most pieces have: the one that a table's `ball_diameter_mm` states."""
        sizes = [k.diameter_mm for k in self.kinds for _ in range(k.count)]
        return max(set(sizes), key=lambda d: (sizes.count(d), d))

    def size_share(self, piece: str) -> float:
        """A piece's diameter as a share of the one that most pieces have; 1 for a name that is unknown."""
        kind = self.kind_of.get(piece)
        return 1.0 if kind is None else self.kind(kind).diameter_mm / self.object_diameter_mm

    @cached_property
    def least_apart_mm(self) -> float:
        """How far apart the centres of two pieces are at least."""
        sizes = sorted(k.diameter_mm for k in self.kinds for _ in range(min(k.count, 2)))
        return (sizes[0] + sizes[1]) / 2

    def mass_share(self, piece: str) -> float:
        """A piece's mass as a share of the one that most pieces have: of balls by their volume."""
        if self.discs:
            return STRIKER_MASSES if self.kind_of.get(piece) == self.cue else 1.0
        return self.size_share(piece) ** 3

    @cached_property
    def numbered(self) -> bool:
        """Whether its balls are numbered, solids and stripes."""
        return any(k.look.form == "stripe" or k.look.form == "solid" for k in self.kinds)

    @cached_property
    def twins(self) -> frozenset[str]:
        """Kinds that look like another one: their names are labels, which nothing but their ways keeps."""
        looks = [(k.look, k.diameter_mm) for k in self.kinds]
        return frozenset(k.name for k, own in zip(self.kinds, looks, strict=True) if looks.count(own) > 1)

    @cached_property
    def alike(self) -> frozenset[str]:
        """Kinds with several pieces, which only their places tell apart."""
        return frozenset(k.name for k in self.kinds if k.count > 1)


STRIKER_MASSES = 15.0 / 5.25
"""A striker weighs at most 15 g, a C/m 5 to 5.5 g (usual equipment; laws 1 to 26 are missing)."""

POOL_TINTS: tuple[Tint, ...] = ("yellow", "blue", "red", "purple", "orange", "green", "maroon")
"""Colours of 1 to 7 and, as stripes, of 9 to 15 (WPA equipment specifications, not in the rule texts)."""

_SNOOKER_MM = 52.5  # snooker 1.2(a)
_POOL_MM = 57.15  # WPA equipment specifications
_BRITISH_MM, _BRITISH_CUE_MM = 50.8, 47.6  # reading: no text gives them
_MAN_MM, _STRIKER_MM = 31.8, 41.3  # reading: laws 1 to 26 are missing


def _plain(name: str, count: int, tint: Tint, diameter_mm: float) -> Kind:
    return Kind(name, count, Look(tint), diameter_mm)


def _numbered(highest: int, cue_mm: float = _POOL_MM, ball_mm: float = _POOL_MM) -> tuple[Kind, ...]:
    """The cue-ball and the balls 1 to `highest`."""
    kinds = [_plain("cue", 1, "white", cue_mm)]
    for n in range(1, highest + 1):
        form: Form = "stripe" if n > 8 else "solid"
        tint: Tint = "black" if n == 8 else POOL_TINTS[(n - 1) % 8]
        kinds.append(Kind(str(n), 1, Look(tint, form, n), ball_mm))
    return tuple(kinds)


def _others(highest: int, respotted: int) -> tuple[str, ...]:
    """All numbers up to `highest` but the one that the rules have put back."""
    return tuple(str(n) for n in range(1, highest + 1) if n != respotted)


def _pool(highest: int, respotted: int) -> PieceSet:
    """Numbered balls in both colourings that are sold: television's has a pink 4 and a purple 5."""
    kinds = _numbered(highest)
    television: dict[Tint, Tint] = {"purple": "pink", "orange": "purple"}
    looks = tuple(replace(k.look, tint=television.get(k.look.tint, k.look.tint)) for k in kinds)
    down = _others(highest, respotted)
    return PieceSet(f"pool_{highest}", "cue", kinds, stay_down=down, other_looks=(looks,))


SNOOKER = PieceSet(
    "snooker",
    "white",
    tuple(
        Kind(c, 15 if c == "red" else 1, Look(c), _SNOOKER_MM)
        for c in ("white", "red", "yellow", "green", "brown", "blue", "pink", "black")
    ),
    stay_down=("red",),  # snooker 3.7: reds are never put back
    leave_in_order=("yellow", "green", "brown", "blue", "pink", "black"),  # snooker 3.3(d)
    fastest_mm_s=10_000.0,
)
BILLIARDS = PieceSet(
    "english_billiards",
    "white",
    tuple(Kind(c, 1, Look(c), _SNOOKER_MM) for c in ("white", "yellow", "red")),
    also_struck=("yellow",),
    fastest_mm_s=10_000.0,
)
"""The cue-ball is whichever of white and yellow the striker plays with (billiards 1.2)."""
BILLIARDS_SPOTTED = replace(
    BILLIARDS,
    name="english_billiards_spotted",
    kinds=(*BILLIARDS.kinds[:1], replace(BILLIARDS.kinds[1], look=Look("white")), *BILLIARDS.kinds[2:]),
)
"""The older set: the second white has spots in place of its colour. It keeps the yellow's name here."""
POOL_15 = _pool(15, 8)  # WPA 3.4, 3.7
POOL_14_1 = replace(POOL_15, stay_down=())  # WPA 4.6: balls potted illegally are spotted
POOL_10 = _pool(10, 10)  # WPA 9.6
POOL_9 = _pool(9, 9)  # WPA 2.5
RED_YELLOW = PieceSet(
    "red_yellow",
    "cue",
    (
        _plain("cue", 1, "white", _BRITISH_CUE_MM),
        _plain("red", 7, "red", _BRITISH_MM),
        _plain("yellow", 7, "yellow", _BRITISH_MM),
        _plain("black", 1, "black", _BRITISH_MM),
    ),
    stay_down=("red", "yellow"),
)
BRITISH_15 = PieceSet(
    "british_15", "cue", _numbered(15, _BRITISH_CUE_MM, _BRITISH_MM), stay_down=_others(15, 8)
)
"""Solids and stripes in place of reds and yellows (WEPF A(1)(a)): the same sizes, the 8 is the black."""
CARROM = PieceSet(
    "carrom",
    "striker",
    (
        Kind("striker", 1, Look("white", "disc"), _STRIKER_MM),
        Kind("queen", 1, Look("red", "disc"), _MAN_MM),
        Kind("white", 9, Look("white", "disc"), _MAN_MM),
        Kind("black", 9, Look("black", "disc"), _MAN_MM),
    ),
)


def colour_of(ball: str) -> str:
    """The kind of a ball by its name: `red` of `red_7`, `white` of `white`."""
    return ball.partition("_")[0]
