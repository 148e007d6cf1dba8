"""A person's correction of one entry of the journal: one more entry, nothing is overwritten.

A correction names the facts of a stroke that were otherwise than seen; fields left None stay as seen.
A later correction of the same entry takes the place of an earlier one; `undo` takes them all back.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.facts import COLOURS, Infringement

OBJECT_BALLS = ("red", *COLOURS)


@dataclass(frozen=True, slots=True)
class Correction:
    """What was otherwise than seen at entry `target`. Empty tuples say "none", None says "as seen".

    `drop`: the entry did not happen (no stroke, no hand). `undo`: as seen after all. `first_contact`:
    one colour, several if simultaneous, or none. `potted`, `off_table`: colours, `red` for each red.
    `called`: False when the foul was not called. The judgements are the miss rule's (snooker 3.14).
    """

    target: int
    drop: bool = False
    undo: bool = False
    striker: str | None = None
    nominated: str | None = None
    first_contact: tuple[str, ...] | None = None
    potted: tuple[str, ...] | None = None
    off_table: tuple[str, ...] | None = None
    cue_ball: str | None = None
    infringements: tuple[str, ...] = ()
    snookered: bool | None = None
    clear_path: bool | None = None
    full_ball: bool | None = None
    good_enough_attempt: bool | None = None
    intentional: bool | None = None
    possible_to_hit: bool | None = None
    called: bool | None = None

    def __post_init__(self) -> None:
        _expect("striker", self.striker, ("A", "B"))
        _expect("nominated", self.nominated, OBJECT_BALLS)
        _expect("cue_ball", self.cue_ball, ("on_table", "pocketed", "off_table"))
        for name in ("first_contact", "potted", "off_table"):
            for ball in getattr(self, name) or ():
                _expect(name, ball, OBJECT_BALLS)
        for kind in self.infringements:
            _expect("infringements", kind, tuple(i.value for i in Infringement))


def _expect(name: str, value: str | None, known: tuple[str, ...]) -> None:
    if value is not None and value not in known:
        raise ValueError(f"correction: {name} must be one of {', '.join(known)}, got {value!r}")


def in_force(corrections: tuple[Correction, ...], entry: int) -> Correction | None:
    """The correction of an entry that counts: the last one, unless it takes back."""
    last = next((c for c in reversed(corrections) if c.target == entry), None)
    return None if last is None or last.undo else last
