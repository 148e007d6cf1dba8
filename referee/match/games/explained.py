"""The explanations of a judged stroke of any game but snooker (`referee.match.explained`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from calibration.table.pieces import colour_of
from calibration.table.specs import CUSHIONS
from referee.facts.judged import Candidate, JudgedStroke
from referee.facts.seen import SeenStroke
from referee.match.explained import WORDS, Account, Explained, Words, at_words, explained
from referee.match.games.fold import JudgedGameStroke, points_and_score, weighed_before
from referee.match.games.ruling import Ruled, as_json, candidate
from referee.match.position import Position, Settings
from referee.match.weighing import percent


def explain(position: Position, seen: SeenStroke, stroke: JudgedStroke, settings: Settings) -> Explained:
    """The explanations of a judged stroke. `position`: where the fold stood before its entry."""
    if not isinstance(stroke, JudgedGameStroke):  # behind a rack's end nothing is ruled
        return Explained(stroke, (), (), 0.0, seen.explanations)
    at, ruled = weighed_before(position, seen, stroke, settings)

    def outcome(r: Ruled, share: float) -> Candidate:
        return candidate(r.labels, r, share, *points_and_score(at, settings.game, r))

    return explained(stroke, seen, ruled, Account(_ruling, outcome, lambda _: _WORDS))


def _ruling(r: Ruled) -> str:
    """What follows from a reading by the rules, whatever it takes to have happened."""
    return as_json({k: v for k, v in r.values.items() if k != "call"})


def _of_cushions(value: str, seen: SeenStroke) -> Iterable[str]:
    for c in seen.cushions:
        yield f"{_CUSHIONS[c.cushion]}: {colour_of(c.ball)}{at_words(c.t_s)} {percent(c.confidence)}"


def _of_contacts(value: str, seen: SeenStroke) -> Iterable[str]:
    for c in seen.contacts:
        both = " on ".join(map(colour_of, c.balls))
        yield f"{both}{at_words(c.t_s)} {percent(c.confidence)}"


_CUSHIONS: Mapping[str, str] = {side: f"{side} cushion" for side in CUSHIONS}
_WORDS: Mapping[str, Words] = WORDS | {
    "break_rails": _of_cushions,
    "cannon": _of_contacts,
    "cue_rail": _of_cushions,
    "rail": _of_cushions,
}
