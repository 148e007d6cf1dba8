"""Whether a state that a person is about to set can be, by the balls that are on the table.

What a camera sees may be wrong, so nothing is forbidden: the page says what does not fit and asks once more.
"""

from __future__ import annotations

from collections.abc import Sequence

from calibration.table.games import GAMES
from calibration.texts import Sentence, sentence
from referee.outputs.document import LayoutByColour
from referee.rules.snooker.facts import COLOURS, VALUES
from referee.rules.snooker.state import ANY_COLOUR

FOUL_POINTS = 70
"""Points of fouls in a frame that nobody wonders at: ten fouls of the dearest kind."""


def impossible(game: str, layout: LayoutByColour, ball_on: str, score: Sequence[int]) -> list[Sentence]:
    """What of a state cannot be; nothing for games whose state is not of this shape.

    `layout`: the balls as they lie by then; an empty one says nothing of them.
    """
    reds = GAMES[game].reds
    if not reds or not layout:
        return []
    return [*_of_ball_on(layout, ball_on), *_of_score(reds, layout, sum(score))]


def _of_ball_on(layout: LayoutByColour, ball_on: str) -> list[Sentence]:
    reds, colours = len(layout.get("red", ())), [c for c in COLOURS if layout.get(c)]
    if ball_on == ANY_COLOUR:
        return [] if colours else [sentence("correct.cannot_no_colour")]
    ball = sentence(f"balls.{ball_on}")
    if not layout.get(ball_on):
        return [sentence("correct.cannot_not_there", ball=ball)]
    if ball_on == "red":
        return []
    if reds:
        return [sentence("correct.cannot_reds_left", ball=ball, reds=reds)]
    if colours[0] != ball_on:
        return [sentence("correct.cannot_lower", ball=ball, lower=sentence(f"balls.{colours[0]}"))]
    return []


def _of_score(reds: int, layout: LayoutByColour, points: int) -> list[Sentence]:
    """A red that is gone brought a point, or a foul of four; each brings a black at most besides."""
    gone = max(reds - len(layout.get("red", ())), 0)
    if points < min(gone, 4):
        return [sentence("correct.cannot_too_few", points=points, gone=gone)]
    colours = 0 if layout.get("red") else sum(VALUES[c] for c in COLOURS if not layout.get(c))
    most = gone * (VALUES["red"] + VALUES["black"]) + colours
    return (
        [sentence("correct.cannot_too_many", points=points, most=most)] if points > most + FOUL_POINTS else []
    )
