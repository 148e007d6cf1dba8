"""Black ball (WPA section 5): its facts, state and ruling. The rules are in `blackball`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from calibration.table.specs import BRITISH_POOL_TABLE
from referee.rules.common.pool import (
    Choice,
    ClauseEnum,
    Event,
    FactsError,
    Lying,
    RefereeAct,
    Side,
    check_side,
)
from referee.rules.wpa.general import InHand, PoolMarks, WpaRuling, WpaShot

Colour = Literal["red", "yellow"]
BALLS = ("red", "yellow", "black")
MARKS = PoolMarks.of(BRITISH_POOL_TABLE, BRITISH_POOL_TABLE.length_mm / 5)  # 5.1: baulk line at one fifth


class Reason(ClauseEnum):
    """Reasons of section 5 itself; fouls of section 6 are `WpaFoul`. In the order in which they are named."""

    BREAK = ("5.5(b)", "Foul, illegal break")
    BLACK_ON_BREAK = ("5.5(c)", "Black on the break, rack again")
    TOUCHING_BALL = ("5.9", "Foul, played into a touching ball")
    OPPONENTS_BALL = ("5.13.1", "Foul, opponent's ball potted")
    TABLE_INCORRECT = ("5.13.2", "Foul, a ball was to be spotted first")
    JUMP_SHOT = ("5.13.3", "Foul, jump shot")
    BLACK_ILLEGAL = ("5.14(a)", "Loss of rack, black potted on an illegal shot")
    BLACK_EARLY = ("5.14(b)", "Loss of rack, black potted early")
    INTENTIONAL_WRONG_BALL = ("5.14(c)", "Loss of rack, wrong ball hit on purpose")
    NO_ATTEMPT = ("5.14(d)", "Loss of rack, no attempt to hit a ball on")
    STALEMATE = ("5.12", "Stalemate, the rack is broken again")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot(WpaShot):
    """A black ball shot; balls are `red`, `yellow`, `black`. `string_crossings`: over the centre string.

    `wrong_ball_intended`, `attempted`: the referee's judgement of intent (5.14(c), (d)).
    """

    wrong_ball_intended: bool = False
    attempted: bool = True

    def __post_init__(self) -> None:
        WpaShot.__post_init__(self)
        for ball in (*self.first_contact, *self.potted_balls, *self.off_table):
            if ball not in BALLS:
                raise FactsError(f"object ball must be red, yellow or black, got {ball!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Before a shot. `colour_a`: A's group; None: open. `reds`, `yellows`: balls left on the table.

    `touching`: balls that the cue-ball touches; `to_spot`: balls that must be spotted before a shot.
    """

    shooter: Side = "A"
    breaker: Side = "A"
    colour_a: Colour | None = None
    reds: int = 7
    yellows: int = 7
    break_shot: bool = True
    free_shot: bool = False
    snookered_declared: bool = False
    in_hand: InHand | None = "baulk"
    touching: tuple[str, ...] = ()
    to_spot: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    chooser: Side | None = None
    frozen_declared: tuple[tuple[str, str], ...] = ()
    lying: tuple[Lying, ...] = ()
    wheelchair_offences: tuple[int, int] = (0, 0)
    marks: PoolMarks = field(default=MARKS)
    winner: Side | None = None

    def __post_init__(self) -> None:
        check_side(self.shooter, "shooter")
        if not (0 <= self.reds <= 7 and 0 <= self.yellows <= 7):
            raise FactsError(
                f"black ball has 0 to 7 balls a group, got {self.reds} red, {self.yellows} yellow"
            )

    @property
    def table_open(self) -> bool:
        return self.colour_a is None

    def colour(self, side: Side) -> Colour | None:
        """The group of a side, None on an open table."""
        if self.colour_a is None or side == "A":
            return self.colour_a
        return "yellow" if self.colour_a == "red" else "red"

    def left(self, side: Side) -> int:
        """Balls of the side's group on the table; on an open table of the smaller group."""
        colour = self.colour(side)
        if colour is None:
            return min(self.reds, self.yellows)
        return self.reds if colour == "red" else self.yellows

    def balls_on(self, side: Side) -> frozenset[str]:
        """Legal targets (5.1): both groups on an open table, then the own group, then the black."""
        colour = self.colour(side)
        if colour is None:
            return frozenset(("red", "yellow"))
        return frozenset((colour,)) if self.left(side) else frozenset(("black",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling(WpaRuling):
    """A ruling in black ball. `foul_ignored`: a scratch or jumped ball on a break that pots the black."""

    free_shot: bool = False
    foul_ignored: bool = False


Fact = Shot | Event | Choice | RefereeAct
