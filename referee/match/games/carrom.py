"""Carrom as a camera sees it: who plays by the base line, what fell, the striker, the Queen, dues placed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from calibration.table.games import PIECES
from calibration.table.pieces import PieceSet
from referee.cases import play
from referee.cases.model import Position, Values
from referee.facts.judged import Asked
from referee.facts.seen import SeenBall
from referee.match.games import board_places, seen_facts
from referee.match.games.eyes import Beginning, Eyes, Shot
from referee.match.games.ruling import AT, Reading, Ruled, readings
from referee.match.games.seen_facts import kind_of
from referee.match.priors import OTHER_SEAT
from referee.match.weighing import EVEN, Part
from referee.rules.carrom.types import Queen
from referee.rules.game import SIDES, Side

MEN = ("white", "black")
_COVERED = {"A": Queen.COVERED_A, "B": Queen.COVERED_B}
SEAT_MM = 150.0
"""A striker this far from the middle lies on a base line: those of A and B are 253 mm from it."""


class Carrom(Eyes):
    """The board game."""

    order: Sequence[str] = (
        *("striker", "group", "queen", "potted", "first_contact", "placed", "due_placed", "due_inside"),
    )

    groups_stay = True

    def __init__(self, game: str) -> None:
        self.game = game

    def first_striker(self, layout: Sequence[SeenBall]) -> Side | None:
        """Who plays first: by the base line on which the striker lies."""
        return seat_of(seen_facts.lying(layout, PIECES[self.game].cue))

    def inside(self, start: Values, beginning: Beginning) -> Position[Any, Any]:
        """Inside a board: as many C/m of each colour as lie there, nobody breaks. Who has white, and who
        covered a Queen that is gone, is as told, else open (`_of_the_board`).
        """
        there = [b.colour for b in beginning.layout]
        mine, theirs = ("A", "B") if beginning.striker == "A" else ("B", "A")
        if beginning.group == "black":
            mine, theirs = theirs, mine
        return play.begin(
            self.game,
            {
                **start,
                "striker_player": beginning.striker,
                "queen": "on_board" if "queen" in there else f"covered_by_{mine}",
                mine: {"colour": "white", "on_board": there.count("white")},
                theirs: {"colour": "black", "on_board": there.count("black")},
                "break_": False,
                "game_scores": dict(zip("AB", beginning.score, strict=True)),
            },
            {},
        )

    def unknown_inside(self, layout: Sequence[SeenBall], told: bool) -> bool:
        """A Queen that is gone was covered by either too."""
        return super().unknown_inside(layout, told) or not _lie(layout, "queen")

    def staying_down(self, position: Position[Any, Any] | None, pieces: PieceSet) -> Collection[str]:
        """C/m stay down but for those of a player who owes some (78 to 82)."""
        return () if position is None else [m for m in MEN if m != board_places.due_kind(position.state)]

    def readings(self, shot: Shot) -> list[Reading]:
        """Every reading of a stroke worth pursuing."""
        seen, pieces, state, fix = shot.seen, shot.pieces, shot.position.state, shot.fix
        fell = [kind_of(p.ball, pieces) for p in seen.pots]
        base: dict[str, Any] = {
            "type": "stroke",
            "overboard": [kind_of(b, pieces) for b in seen.off_table],
            "striker_overboard": seen.cue_ball == "off_table",
            "infringements": seen_facts.entered(fix),
        }
        strikers: list[tuple[Part, ...]] = []
        for known, part in self._strikers_of_the_board(shot):
            own = part.changes[AT].state.of(part.value).colour
            pocketed = {
                "own": fell.count(own),
                "opponent": len([f for f in fell if f in ("white", "black") and f != own]),
                "queen": "queen" in fell,
                "striker": seen.cue_ball == "pocketed",
            }
            changes = {**part.changes, "by": part.value, "pocketed": pocketed}
            strikers.append((*known, replace(part, changes=changes)))
        moved = max(len(seen_facts.moved(seen)) - 1, 0)
        contacts = [
            replace(p, changes={"touched": max(moved, int(p.value != "none"))} if state.break_open else {})
            for p in seen_facts.contacts(seen, fix)
        ]
        named = Part("potted", seen_facts.named_pots(seen.pots, pieces), 1.0, {})
        return readings(base, [[named], strikers, contacts, self._placed(shot), board_places.dues(shot)])

    def _strikers_of_the_board(self, shot: Shot) -> list[tuple[tuple[Part, ...], Part]]:
        """Who played, with what is taken to be so of a board that had begun before the recording."""
        found = []
        for known in self._of_the_board(shot):
            at = known[-1].changes[AT] if known else shot.position
            found += [(known, part) for part in self._strikers(replace(shot, position=at))]
        return found

    def _of_the_board(self, shot: Shot) -> list[tuple[Part, ...]]:
        """Who has white, and who covered a Queen that is gone, where the recording begins inside a board and
        nobody said it.
        """
        if not shot.groups_unknown:
            return [()]
        state, told = shot.position.state, dict(shot.fix.answers) if shot.fix is not None else {}
        white = "A" if state.of("A").colour == "white" else "B"
        gone = state.queen in _COVERED.values() and _lie(shot.seen.before, "queen") == 0
        sides = (white,) if shot.group_told else SIDES
        a, b = state.men
        exchanged = (
            replace(a, colour=b.colour, on_board=b.on_board),
            replace(b, colour=a.colour, on_board=a.on_board),
        )
        found = []
        for has_white, (by, queen) in product(sides, _COVERED.items() if gone else [("", state.queen)]):
            men = state.men if has_white == white else exchanged
            at = {AT: replace(shot.position, state=replace(state, men=men, queen=queen))}
            parts = [Part("group", f"{has_white} white", EVEN, at)]
            parts += [Part("queen", by, EVEN, at)] if by else []
            if all(told.get(p.name, p.value) == p.value for p in parts):
                found.append(tuple(parts))
        return found

    def _strikers(self, shot: Shot) -> list[Part]:
        """Who played: by the base line on which the striker lay, and by whose turn it is."""
        at, turn, fix = {AT: shot.position}, shot.position.state.turn, shot.fix
        if fix is not None and fix.striker is not None:
            return [Part("striker", fix.striker, 1.0, at)]
        seat = seat_of(seen_facts.lying(shot.seen.before, shot.pieces.cue))
        if seat is None or seat == turn:
            return [Part("striker", turn, 1.0, at)]
        his = {AT: self.at_table(shot.position, seat)}
        return [Part("striker", seat, 0.5 + 1e-6, his), Part("striker", turn, 0.5 - 1e-6, at)]

    def _placed(self, shot: Shot) -> list[Part]:
        """Whether the striker was set on its base lines (law 130); a stroke from elsewhere is improper."""
        cue = seen_facts.lying(shot.seen.before, shot.pieces.cue)
        by_hand = seen_facts.placed_by_hand(cue, shot.earlier, shot.pieces)
        on_side = cue is not None and max(abs(cue.x_mm), abs(cue.y_mm)) >= SEAT_MM
        return board_places.striker_proper(shot, cue, by_hand, on_side)

    def at_table(self, position: Position[Any, Any], side: Side) -> Position[Any, Any]:
        """The position with the turn of that player, who has white where he breaks (43)."""
        state = position.state
        if state.break_open and state.turn != side and not state.attempts:
            state = replace(state, men=state.men[::-1])
        return replace(position, state=replace(state, turn=side))

    def doubt(self, shot: Shot) -> str | None:
        """A striker on the base line of the player whose turn it is not: the turn, or what led to it, is
        wrong.
        """
        seat = seat_of(seen_facts.lying(shot.seen.before, shot.pieces.cue))
        told = shot.fix is not None and shot.fix.striker is not None
        return None if told or seat in (None, shot.position.state.turn) else "striker"

    def likely(self, shot: Shot) -> float:
        """A striker lies on the base line of who plays, seldom on the other's."""
        return OTHER_SEAT if self.doubt(shot) else 1.0

    def left_over(self, shot: Shot, ruled: Ruled) -> bool:
        """More C/m of a colour than the ruling leaves: any where the board is over, else more than before."""
        if "A_on_board" not in ruled.values:
            return False
        for side in SIDES:
            men = shot.position.state.of(side)
            after = _lie(shot.seen.after, men.colour) - int(ruled.values[f"{side}_on_board"])
            before = _lie(shot.seen.before, men.colour) - men.on_board
            if after > (0 if ruled.values.get("board_winner") else max(before, 0)):
                return True
        return False

    def question(self, name: str, by: str) -> Asked:
        """The question about an uncertain thing."""
        return Asked(f"carrom_{name}" if name in self.order else "what_happened")


def _lie(layout: Sequence[SeenBall], colour: str) -> int:
    return sum(b.colour == colour and b.confidence >= EVEN for b in layout)


def seat_of(striker: SeenBall | None) -> Side | None:
    """Whose base line a striker lies on: A sits at the bottom, B at the top."""
    if striker is None or abs(striker.y_mm) < SEAT_MM:
        return None
    return "A" if striker.y_mm < 0 else "B"
