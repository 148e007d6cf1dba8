"""The parts that all pool games share: sides, a shot's facts, acts entered by a person.

Facts are validated when made; a contradiction (a ball both potted and off the table, a negative count) is a
`FactsError` with one sentence. Rulings and foul tables are not here: each game has its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from calibration.table.specs import PointMm
from referee.rules.game import SIDES as SIDES
from referee.rules.game import FactsError as FactsError
from referee.rules.game import Side as Side
from referee.rules.game import index as index
from referee.rules.game import other as other

CueBall = Literal["on_table", "pocketed", "off_table"]


class ClauseEnum(Enum):
    """A reason: `clause` is its id in the rule text, `words` what a referee says."""

    def __init__(self, clause: str, words: str) -> None:
        self.clause = clause
        self.words = words


def with_side(pair: tuple[int, int], side: Side, value: int) -> tuple[int, int]:
    """A copy of a pair of numbers (A, B) with one side's number replaced."""
    return (value, pair[1]) if side == "A" else (pair[0], value)


def check_side(value: object, what: str) -> Side:
    """`value` as a side; FactsError names `what` otherwise."""
    if value not in SIDES:
        raise FactsError(f"{what} must be A or B, got {value!r}")
    return "A" if value == "A" else "B"


def check_point(point: PointMm, what: str) -> None:
    """FactsError unless both coordinates are finite millimetres."""
    if len(point) != 2 or not all(isinstance(v, int | float) and math.isfinite(v) for v in point):
        raise FactsError(f"{what} must be two finite numbers of millimetres, got {point!r}")


@dataclass(frozen=True)
class Lying:
    """A ball and where its centre lies, mm."""

    ball: str
    point_mm: PointMm

    def __post_init__(self) -> None:
        check_point(self.point_mm, f"position of {self.ball}")


@dataclass(frozen=True)
class Pot:
    """An object ball that fell; `pocket` None when it is not known or does not matter."""

    ball: str
    pocket: str | None = None


@dataclass(frozen=True)
class RailContact:
    """After the first contact `ball` touched `rail`; `was_frozen`: it touched it before and never left."""

    ball: str
    rail: str
    was_frozen: bool = False


@dataclass(frozen=True)
class Respot:
    """A ball to be placed by the referee, where in mm, and which ball it then touches (None: none)."""

    ball: str
    spot: str | None
    point_mm: PointMm
    clause: str
    contact_with: str | None = None
    clear_of: str | None = None


@dataclass(frozen=True, kw_only=True)
class PoolShot:
    """One shot as seen, and what a person entered about it.

    `first_contact`: the ball the cue-ball met first, two entries when simultaneous, empty when none.
    `rails_after_contact`: balls (the cue-ball too) driven to a rail after it, pots not counted.
    `object_rails`, `cue_ball_rail`, `rail_contacts`: the same in detail, where known. `end_positions`:
    where balls lie afterwards, for spotting. `placed`: where a cue-ball in hand was played from.
    `foul_called` False: nobody called a foul before the next shot (WPA 6: it then did not happen).
    """

    by: Side
    first_contact: tuple[str, ...] = ()
    potted: tuple[Pot, ...] = ()
    off_table: tuple[str, ...] = ()
    cue_ball: CueBall = "on_table"
    rails_after_contact: int = 0
    object_rails: int | None = None
    cue_ball_rail: bool | None = None
    rail_contacts: tuple[RailContact, ...] = ()
    infringements: tuple[str, ...] = ()
    placed: PointMm | None = None
    end_positions: tuple[Lying, ...] = ()
    foul_called: bool = True

    def __post_init__(self) -> None:
        check_side(self.by, "by")
        if self.cue_ball not in ("on_table", "pocketed", "off_table"):
            raise FactsError(f"cue_ball must be on_table, pocketed or off_table, got {self.cue_ball!r}")
        for name in ("rails_after_contact", "object_rails"):
            count = getattr(self, name)
            if count is not None and not (isinstance(count, int) and 0 <= count <= 64):
                raise FactsError(f"{name} must be a count of 0 or more, got {count!r}")
        if len(self.first_contact) > 2:
            raise FactsError(f"first_contact has two entries at most, got {len(self.first_contact)}")
        if "cue" in (*self.first_contact, *self.off_table, *(p.ball for p in self.potted)):
            raise FactsError("the cue-ball's fate goes into cue_ball, not into the lists of object balls")
        if self.placed is not None:
            check_point(self.placed, "placed")

    @property
    def potted_balls(self) -> tuple[str, ...]:
        """Names of the object balls that fell, in order."""
        return tuple(p.ball for p in self.potted)


@dataclass(frozen=True, kw_only=True)
class Event:
    """An act without a shot (`touched_ball`, `concede`, ...). `intentional`: the referee judged it so.

    `by` is None only for what nobody does: a ball that falls, or settles, untouched.
    """

    by: Side | None
    event: str
    ball: str | None = None
    intentional: bool = False

    def __post_init__(self) -> None:
        if self.by is not None or self.event not in ("ball_fell_untouched", "ball_settled"):
            check_side(self.by, "by")

    @property
    def player(self) -> Side:
        """Who acted."""
        return check_side(self.by, "by")


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A player takes one of the options that he has; `ball`: which ball, where the option needs one."""

    by: Side
    choice: str
    ball: str | None = None

    def __post_init__(self) -> None:
        check_side(self.by, "by")


@dataclass(frozen=True, kw_only=True)
class RefereeAct:
    """A referee's decision entered by a person (`stalemate`, `warn_two_fouls`, `unsportsmanlike`, ...)."""

    event: str
    against: Side | None = None
    penalty: str | None = None


def rails_reached(shot: PoolShot, frozen_declared: tuple[tuple[str, str], ...] = ()) -> int:
    """Balls driven to a rail after the first contact (WPA 8.4, WEPF G(4) in the same sense).

    With `rail_contacts` the contacts count one by one, without those of balls that were already touching
    that rail; `frozen_declared` restricts this to declared (ball, rail) pairs, () applies none, and a
    ball's own report `was_frozen` alone decides where the caller passes the pairs of all its contacts.
    """
    if not shot.rail_contacts:
        return max(shot.rails_after_contact, shot.object_rails or 0, 1 if shot.cue_ball_rail else 0)
    good = sum(1 for c in shot.rail_contacts if not (c.was_frozen and (c.ball, c.rail) in frozen_declared))
    return good + (1 if shot.cue_ball_rail else 0)
