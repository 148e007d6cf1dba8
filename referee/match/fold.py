"""The score is a fold over the record: `step(position, seen) -> (position, outputs)`, pure, for every game.

A `Position` is everything that the next entry depends on. Correcting an entry means folding again. What an
entry means is a `Family`'s to say: snooker's, or the one of all other games.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke, Warned
from referee.facts.seen import Seen, SeenCushionOff, SeenGap, SeenHand, SeenLayout, SeenStroke
from referee.match.courses import in_each, judged, positions_of
from referee.match.explained import Explained
from referee.match.games import explained as games_explained
from referee.match.games import fold as games
from referee.match.position import Folded, Position, Settings, StrokeRuling
from referee.match.snooker import explained as snooker_explained
from referee.match.snooker import fold as snooker
from referee.match.snooker.adjudication import THINGS
from referee.match.weighing import percent

GAMES_FROM_VIDEO: tuple[str, ...] = ("snooker", "six_red", *games.EYES)
"""Games that are refereed from images."""
BEGAN_BEFORE = 0.99
"""A stroke that began before the first image with this probability is none of the record. Nothing that is
certain hangs on it: what was on at the first whole stroke is open.
"""
_UNUSABLE = ("images_lost", "corrupt", "clock_changed", "size_changed", "no_colour", "other_view")
"""Reasons for which a span of images could not be used."""


def things(game: str) -> Sequence[str]:
    """What may be uncertain of a stroke of a game, so that a person may be asked about it."""
    return games.EYES[game].order if game in games.EYES else THINGS


class Family(Protocol):
    """What the entries of a record mean in some games: `snooker/fold.py` and `games/fold.py` implement it."""

    @property
    def GAP_WORDS(self) -> Mapping[str, str]:
        """Reasons for which the balls could not be followed, in words; others are said as they are."""

    def beginning(self, settings: Settings) -> Position:
        """Before anything was seen."""

    def stroke(
        self, position: Position, seen: SeenStroke, entry: int, settings: Settings, fix: Correction | None
    ) -> StrokeRuling:
        """Judge a stroke. `fix`: a person's correction of it."""

    def behind_no_stroke(self, position: Position, seen: SeenStroke, settings: Settings) -> Position | None:
        """The position behind what was under way at the first image and is no stroke of the record, which
        begins with its first whole one; None where it has to be asked about.
        """

    def staying_down(self, position: Position, seen: SeenStroke, settings: Settings) -> Collection[str]:
        """Kinds of which nobody puts back what fell before the next stroke, which is `seen`."""

    def may_name(
        self, position: Position, seen: SeenStroke, settings: Settings, fix: Correction
    ) -> Collection[str]:
        """Balls that may be named before a stroke, as the rules have it; any where the state is not known."""

    def hand(self, position: Position, seen: SeenHand, settings: Settings) -> Folded:
        """What a hand did between strokes."""

    def likely(self, position: Position, seen: SeenHand, settings: Settings) -> float:
        """How likely a hand does that in a position, to be compared with other positions."""

    def racked(self, position: Position, seen: SeenLayout, settings: Settings) -> Folded:
        """The balls were set up anew."""

    def moved(self, position: Position, seen: SeenLayout) -> Position:
        """Balls lie otherwise than strokes and hands explain."""

    def finish(self, position: Position, settings: Settings) -> Folded:
        """The position at the end of the recording."""


def _family(settings: Settings) -> Family:
    return games if settings.game in games.EYES else snooker


def beginning(settings: Settings) -> Position:
    """Before anything was seen."""
    return _family(settings).beginning(settings)


def staying_down(position: Position, seen: SeenStroke, settings: Settings) -> Collection[str]:
    """Kinds of which nobody puts back what fell before the next stroke, which is `seen`."""
    return _family(settings).staying_down(position, seen, settings)


def may_name(position: Position, seen: SeenStroke, settings: Settings, fix: Correction) -> bool:
    """Whether a ball may have been nominated or called before a stroke, in any course of the frame. `fix`:
    what else is said of the stroke.
    """
    family = _family(settings)
    return any(family.may_name(at, seen, settings, fix) for at in positions_of(position))


def step(position: Position, seen: Seen, entry: int, settings: Settings) -> Folded:
    """Fold one entry of the record. A stroke that is output again (the same `n`) replaces its former self."""
    family, fix = _family(settings), settings.correction(entry)
    if fix is not None and fix.drop:
        return position, ()
    if isinstance(seen, SeenStroke):
        if seen.under_way > BEGAN_BEFORE and not position.frames:
            behind = family.behind_no_stroke(position, seen, settings)
            if behind is not None:
                return replace(behind, since_s=seen.end_s), (_under_way(seen),)
        after, said = judged(position, lambda at: family.stroke(at, seen, entry, settings, fix))
        unsure = (_end_unsure(seen),) if seen.other_end and not position.strokes else ()
        return after, (*unsure, *said)
    return in_each(
        position,
        lambda at: _between(family, at, seen, settings),
        lambda at: family.likely(at, seen, settings) if isinstance(seen, SeenHand) else 1.0,
    )


def _under_way(seen: SeenStroke) -> Warned:
    text = f"the recording begins while balls roll: what they do until {seen.end_s:.2f} s is no stroke"
    return Warned("under_way", seen.start_s, text)


def _end_unsure(seen: SeenStroke) -> Warned:
    """Said once, at the first stroke: the calibration holds for all of them."""
    sure = percent(1.0 - seen.other_end)
    text = (
        f"it is {sure} sure which end of the table is baulk, and every pocket is as sure as that:"
        " --bottom-at SIDE settles it for the whole recording"
    )
    return Warned("end_unsure", seen.start_s, text)


def _between(
    family: Family,
    position: Position,
    seen: SeenHand | SeenGap | SeenLayout | SeenCushionOff,
    settings: Settings,
) -> Folded:
    """Fold an entry that is no stroke."""
    if isinstance(seen, SeenHand):
        return family.hand(position, seen, settings)
    if isinstance(seen, SeenGap):
        return _gap(position, seen, family.GAP_WORDS)
    if isinstance(seen, SeenCushionOff):
        return position, (Warned("cushion_off", seen.t_s, _off_words(seen)),)
    if seen.rack:
        return family.racked(position, seen, settings)
    warning = Warned("layout_changed", seen.t_s, "balls moved while nothing was recorded")
    return family.moved(position, seen), (warning,)


def finish(position: Position, settings: Settings) -> Folded:
    """The position at the end of the recording: what was called after the last stroke counts too."""
    return _family(settings).finish(position, settings)


def explain(position: Position, seen: SeenStroke, stroke: JudgedStroke, settings: Settings) -> Explained:
    """Why a stroke is ruled as it is. `position`: where the fold stood before its entry."""
    if settings.game in games.EYES:
        return games_explained.explain(position, seen, stroke, settings)
    return snooker_explained.explain(position, seen, stroke, settings)


def _gap(position: Position, gap: SeenGap, words: Mapping[str, str]) -> Folded:
    what = words.get(gap.reason, gap.reason.replace("_", " "))
    lasts = f"{gap.end_s - gap.start_s:.2f} s from" if gap.end_s > gap.start_s else "at"
    text = f"{lasts} {gap.start_s:.2f} s: {what}"
    if gap.reason not in _UNUSABLE:
        return position, (Warned(gap.reason, gap.start_s, text),)
    after = replace(position, blind=(gap.start_s, gap.end_s))
    return after, (Warned(gap.reason, gap.start_s, text, gap.end_s),)


def _off_words(seen: SeenCushionOff) -> str:
    """What balls say of a cushion, and what helps."""
    n, name, off, sigma = seen.bounces, seen.cushion, f"{abs(seen.off_mm):.1f}", f"{seen.sigma_mm:.1f}"
    short = (
        f"by {n} bounces balls turn {off} mm short of the {name} cushion as calibrated (one sigma {sigma} mm)"
    )
    beyond = (
        f"by {n} bounces balls turn {off} mm beyond the {name} cushion as calibrated (one sigma {sigma} mm)"
    )
    return f"{short if seen.off_mm > 0 else beyond}: {_OFF_HELP}"


_OFF_HELP = "places near it are that far off and are stated with that doubt; calibrate again with --match"
