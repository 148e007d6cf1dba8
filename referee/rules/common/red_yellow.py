"""Seven reds, seven yellows and one last ball: the groups of black ball and of WEPF eightball."""

from __future__ import annotations

from typing import ClassVar, Literal

from referee.rules.common.pool import FactsError, PoolShot, Side

Colour = Literal["red", "yellow"]
COLOURS: tuple[Colour, Colour] = ("red", "yellow")
GROUP_SIZE = 7


def other_colour(colour: Colour) -> Colour:
    """The group that the other player has."""
    return "yellow" if colour == "red" else "red"


class RedYellowState:
    """A state with `colour_a` (A's group, None while the table is open) and the balls left of both groups."""

    __slots__ = ()
    LAST_BALL: ClassVar[str]

    @property
    def groups(self) -> tuple[Colour | None, int, int]:
        """A's group, reds and yellows on the table."""
        raise NotImplementedError

    def check_groups(self, game: str) -> None:
        """FactsError unless each group has 0 to 7 balls on the table."""
        _, reds, yellows = self.groups
        if not (0 <= reds <= GROUP_SIZE and 0 <= yellows <= GROUP_SIZE):
            raise FactsError(f"{game} has 0 to 7 balls a group, got {reds} red, {yellows} yellow")

    def check_gone(self, shot: PoolShot) -> None:
        """FactsError when more balls left the table than were on it."""
        _, reds, yellows = self.groups
        gone = (*shot.potted_balls, *shot.off_table)
        for ball, there in (("red", reds), ("yellow", yellows), (self.LAST_BALL, 1)):
            if gone.count(ball) > there:
                raise FactsError(f"{gone.count(ball)} {ball} balls left a table that had {there}")

    def colour(self, side: Side) -> Colour | None:
        """The group of a side, None on an open table."""
        of_a = self.groups[0]
        if of_a is None or side == "A":
            return of_a
        return other_colour(of_a)

    def left(self, side: Side) -> int:
        """Balls of the side's group on the table; on an open table of the smaller group."""
        _, reds, yellows = self.groups
        colour = self.colour(side)
        if colour is None:
            return min(reds, yellows)
        return reds if colour == "red" else yellows

    def balls_on(self, side: Side) -> frozenset[str]:
        """Both groups on an open table, then the own group, then the last ball (WPA 5.1, WEPF C(3))."""
        colour = self.colour(side)
        if colour is None:
            return frozenset(("red", "yellow"))
        return frozenset((colour,)) if self.left(side) else frozenset((self.LAST_BALL,))
