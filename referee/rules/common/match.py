"""Matches of racks or frames: race to n or best of n, who breaks next. Pure; scores are a fold over racks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from referee.rules.common.pool import FactsError, Side, check_side, index, other, with_side
from referee.rules.game import in_turn
from referee.rules.records import replace

BreakFormat = Literal["alternate", "winner", "loser"]


@dataclass(frozen=True, kw_only=True)
class Match:
    """State of a match: `race_to` racks win it (0: open-ended), `racks` won by (A, B)."""

    race_to: int = 0
    break_format: BreakFormat = "alternate"
    first_breaker: Side = "A"
    breaker: Side = "A"
    racks: tuple[int, int] = (0, 0)
    winner: Side | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.race_to, int) and 0 <= self.race_to <= 1000):
            raise FactsError(f"race_to must be 0 (open-ended) to 1000 racks, got {self.race_to!r}")
        if self.break_format not in ("alternate", "winner", "loser"):
            raise FactsError(f"break format must be alternate, winner or loser, got {self.break_format!r}")
        check_side(self.breaker, "breaker")

    @property
    def over(self) -> bool:
        return self.winner is not None

    @property
    def racks_played(self) -> int:
        return sum(self.racks)


def new_match(race_to: int = 0, break_format: BreakFormat = "alternate", breaker: Side = "A") -> Match:
    """A match that has not begun; the lag or toss settled who breaks first (WPA 1.2, WEPF F(2))."""
    return Match(race_to=race_to, break_format=break_format, first_breaker=breaker, breaker=breaker)


def best_of(racks: int) -> int:
    """The race that a best-of-n match is."""
    if racks < 1 or racks % 2 == 0:
        raise FactsError(f"best of must be an odd number of racks, got {racks!r}")
    return racks // 2 + 1


def rack_won(match: Match, winner: Side) -> Match:
    """The match after a rack: one more for the winner, the next breaker by the format."""
    if match.over:
        raise FactsError(f"the match is over, {match.winner} has won it")
    racks = with_side(match.racks, winner, match.racks[index(winner)] + 1)
    won = winner if match.race_to and racks[index(winner)] >= match.race_to else None
    next_breaker: Side = {
        "alternate": in_turn(match.breaker, 1),
        "winner": winner,
        "loser": other(winner),
    }[match.break_format]
    return replace(match, racks=racks, winner=won, breaker=next_breaker)


def match_conceded(match: Match, by: Side) -> Match:
    """WPA 1.11: a player who concedes loses the match."""
    if match.over:
        raise FactsError(f"the match is over, {match.winner} has won it")
    return replace(match, winner=other(by))
