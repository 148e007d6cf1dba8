"""A person's correction of one entry of the journal: one more entry, nothing is overwritten.

A correction names the facts of a stroke that were otherwise than seen; fields left None stay as seen.
A later correction of the same entry takes the place of an earlier one; `undo` takes them all back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from calibration.table.games import PIECES
from referee.facts.seen import CueBallState, SeenFirstContact, SeenPot, SeenStroke
from referee.rules.registry import INFRINGEMENTS

OBJECT_BALLS = tuple(dict.fromkeys(kind for pieces in PIECES.values() for kind in pieces.object_balls))
"""Kinds of balls and discs of every game, snooker's first."""


POCKET = "pocket"
"""The thing that an answer settles that says into which pocket a ball fell."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What was otherwise than seen at entry `target`. Empty tuples say "none", None says "as seen".

    `drop`: the entry did not happen (no stroke, no hand). `undo`: as seen after all. `first_contact`: one
    colour, several if simultaneous, or none. `potted`, `off_table`: colours, `red` for each red. `called`:
    False when the foul was not called. `in_d`: whether a cue-ball in-hand was played from within the D.
    `infringements`: what else was done wrong, in words of the game's rules (`Game.infringements`).
    `touching`: whether the cue-ball touched the ball beside it before the stroke.
    The judgements are the miss rule's (snooker 3.14). `answers`: answers to questions that no field above
    holds, as (thing, value).
    """

    target: int
    drop: bool = False
    undo: bool = False
    striker: str | None = None
    nominated: str | None = None
    first_contact: tuple[str, ...] | None = None
    potted: tuple[str, ...] | None = None
    off_table: tuple[str, ...] | None = None
    cue_ball: CueBallState | None = None
    infringements: tuple[str, ...] = ()
    snookered: bool | None = None
    clear_path: bool | None = None
    full_ball: bool | None = None
    good_enough_attempt: bool | None = None
    intentional: bool | None = None
    possible_to_hit: bool | None = None
    called: bool | None = None
    in_d: bool | None = None
    touching: bool | None = None
    answers: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        _expect("striker", self.striker, ("A", "B"))
        _expect("nominated", self.nominated, OBJECT_BALLS)
        _expect("cue_ball", self.cue_ball, ("on_table", "pocketed", "off_table"))
        for name in ("first_contact", "potted", "off_table"):
            for ball in getattr(self, name) or ():
                _expect(name, ball, OBJECT_BALLS)
        for kind in self.infringements:
            _expect("infringements", kind, INFRINGEMENTS)


def _expect(name: str, value: str | None, known: tuple[str, ...]) -> None:
    if value is not None and value not in known:
        raise ValueError(f"correction: {name} must be one of {', '.join(known)}, got {value!r}")


def in_force(corrections: tuple[Correction, ...], entry: int) -> Correction | None:
    """The correction of an entry that counts: the last one, unless it takes back."""
    last = next((c for c in reversed(corrections) if c.target == entry), None)
    return None if last is None or last.undo else last


def cue_ball_fates(
    seen: SeenStroke, fix: Correction | None, least: float
) -> tuple[tuple[CueBallState, float], ...]:
    """What may have become of the cue-ball, as corrected, else as seen, with weights that sum to one; without
    what weighs no more than `least`.
    """
    if fix is not None and fix.cue_ball is not None:
        return ((fix.cue_ball, 1.0),)
    kept = tuple(fate for fate in seen.cue_ball_fates if fate[1] > least)
    return kept if len(kept) > 1 else ((kept[0][0], 1.0),)


def as_corrected(seen: SeenStroke, fix: Correction | None) -> SeenStroke:
    """The stroke as the outputs show it: the corrected facts in place of the seen ones.

    A ball that was seen to fall keeps its pocket, if none is said, and its time; one that a person added has
    neither.
    """
    if fix is None:
        return seen
    told = seen
    if fix.first_contact is not None:
        told = replace(told, first_contact=(_hit_first(seen, fix.first_contact),))
    if fix.potted is not None:
        pockets = [v for k, v in fix.answers if k == POCKET]
        told = replace(told, pots=_in_pockets(_fallen(seen, fix.potted), pockets))
        if len(pockets) >= len(told.pots):  # whoever names every pocket knows the ends
            told = replace(told, other_end=0.0)
    if fix.off_table is not None:
        told = replace(told, off_table=fix.off_table)
    if fix.cue_ball is not None:
        told = replace(told, cue_ball=fix.cue_ball, cue_ball_confidence=1.0)
    return told if told.cue_ball == "pocketed" else replace(told, cue_ball_pocket=None)


def _hit_first(seen: SeenStroke, said: tuple[str, ...]) -> SeenFirstContact:
    """The first contact with the first of these colours, none if there is none: as seen if one was seen."""
    if not said:
        return SeenFirstContact(None, None, 1.0)
    same = (f for f in seen.first_contact if f.ball and f.ball.partition("_")[0] == said[0])
    return replace(next(same, SeenFirstContact(said[0], None, 1.0)), confidence=1.0)


def _fallen(seen: SeenStroke, said: tuple[str, ...]) -> list[SeenPot]:
    """A pot of each of these colours: as seen while such a ball was seen to fall."""
    left = list(seen.pots)
    pots = []
    for colour in said:
        known = next((p for p in left if p.ball.partition("_")[0] == colour), None)
        if known is not None:
            left.remove(known)
        pots.append(replace(known, confidence=1.0) if known else SeenPot(colour, None, None, 1.0))
    return pots


def into_pocket(ball: str, pocket: str | None) -> str:
    """A ball and the pocket into which it fell, as an answer says it."""
    return f"{ball} to {pocket}" if pocket else ball


def _in_pockets(pots: Sequence[SeenPot], said: Sequence[str]) -> tuple[SeenPot, ...]:
    """The pots with the pockets that were said, each of the next ball of its colour."""
    out = list(pots)
    told: set[int] = set()
    for ball, _, pocket in (value.partition(" to ") for value in said):
        at = next((k for k, p in enumerate(out) if k not in told and p.ball.partition("_")[0] == ball), None)
        if at is not None:
            told.add(at)
            out[at] = replace(out[at], pocket=pocket, pocket_confidence=1.0)
    return tuple(out)
