"""Whether an adapted network is better than the one in use: on what was held back, and elsewhere no worse.

Both see the same images. A stretch of time is one pair, whose sign is a matter of chance where the networks
are alike: of all ways to set the signs, how many give as large a gain (Fisher's randomisation test). That
stretches of one evening resemble one another is not in that number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from calibration.texts import sentence
from vision.train.detector.room import BlockScore
from vision.train.detector.scores import Scores

LEAST_BLOCKS = 6
"""Of fewer stretches all alike one in 32 is a chance too often: six give 1 in 64."""
CHANCE = 0.05
"""Largest probability that so large a gain is chance."""
MORE_OF_A_KIND = 0.005
"""Share of the balls by which missed, false or misnamed balls may each grow while all together shrink."""
CENTRE_PX = 0.03
"""By so much may centres be further off, at 12 px a diameter: 0.13 mm on a full-size table."""
FOUND, STREAKS, COLOURS, FALSE = 0.005, 0.04, 0.01, 0.15
"""Rendered patches that nobody trained on: so many fewer of all balls found, of streaks found, of names right
and so many more false balls, as a share, are no loss. Writing the shipped weights anew in 8 bits alone
costs 0.000 to 0.002, 0.00 to 0.02, 0.001 to 0.004 and 0.03 to 0.04 (500 patches, lab, 29 November 2026).
"""
_EXACT, _DRAWS = 14, 20_000  # stretches up to which all signs are tried; signs drawn beyond

Block = tuple[int, int]
"""A stretch of time: which recording's, and its number in it."""
Reason = Literal["better", "short", "no_gain", "chance", "worse_kind", "worse_centre", "forgets", "strokes"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`before`, `after`: on what was held back, of `blocks` stretches; `chance`: probability that the gain is
    chance; `rendered`: scores on rendered patches, before and after; `strokes`: of the recordings, how many
    have one explanation, before and after.
    """

    reason: Reason
    before: BlockScore
    after: BlockScore
    blocks: int
    chance: float
    rendered: tuple[Scores, Scores]
    strokes: tuple[int, int] = (0, 0)

    @property
    def better(self) -> bool:
        """Whether the adapted network is to be used."""
        return self.reason == "better"


def judge(
    before: Mapping[Block, BlockScore], after: Mapping[Block, BlockScore], rendered: tuple[Scores, Scores]
) -> Verdict:
    """Compare two networks by the same stretches (keys) and the same rendered patches."""
    blocks = [b for b, score in before.items() if score.images]
    gains = [(before[b].errors - after[b].errors) / before[b].images for b in blocks]
    chance = chance_of(gains)
    was, now = (_sum([scores[b] for b in blocks]) for scores in (before, after))
    reason = _reason(was, now, len(blocks), chance, rendered)
    return Verdict(reason, was, now, len(blocks), chance, rendered)


def with_strokes(verdict: Verdict, before: int, after: int) -> Verdict:
    """The verdict once the recordings were watched again: no stroke may lose its one explanation."""
    return replace(verdict, strokes=(before, after), reason="strokes" if after < before else verdict.reason)


def _reason(
    was: BlockScore, now: BlockScore, blocks: int, chance: float, rendered: tuple[Scores, Scores]
) -> Reason:
    if blocks < LEAST_BLOCKS:
        return "short"
    if now.errors >= was.errors:
        return "no_gain"
    if chance >= CHANCE:
        return "chance"
    more = MORE_OF_A_KIND * was.balls
    kinds = ((was.missed, now.missed), (was.false, now.false), (was.misnamed, now.misnamed))
    if any(b > a + more for a, b in kinds):
        return "worse_kind"
    if now.centre_px > was.centre_px + CENTRE_PX:
        return "worse_centre"
    return "forgets" if forgets(*rendered) else "better"


def forgets(was: Scores, now: Scores) -> bool:
    """Whether a network has lost more than the margins on pictures of other rooms."""
    return (
        now.found < was.found - FOUND * was.balls
        or now.streaks_found < was.streaks_found - STREAKS * was.streaks
        or now.colours_right / max(now.found, 1) < was.colours_right / max(was.found, 1) - COLOURS
        or now.false > was.false * (1 + FALSE) + 1
        or now.centre_px > was.centre_px + CENTRE_PX
    )


def chance_of(gains: Sequence[float]) -> float:
    """The share of all ways to set the signs of the gains that give as large a sum; 1 where there is none."""
    moved = np.array([g for g in gains if g != 0.0])
    if not len(moved):
        return 1.0
    if len(moved) <= _EXACT:
        signs = 1.0 - 2.0 * ((np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1)
    else:
        signs = np.random.default_rng(0).choice([-1.0, 1.0], (_DRAWS, len(moved)))
    return float(np.mean(signs @ np.abs(moved) >= moved.sum() - 1e-12))


def _sum(scores: Sequence[BlockScore]) -> BlockScore:
    total = BlockScore()
    for score in scores:
        total = total.plus(score)
    return total


def verdict_lines(verdict: Verdict) -> list[str]:
    """What was measured, for people: what was held back, rendered patches, and why it is no better, if so."""
    was, now = verdict.before, verdict.after
    old, new = verdict.rendered
    lines = [
        str(
            sentence(
                "terminal.room_held",
                images=was.images,
                blocks=verdict.blocks,
                balls=was.balls,
                missed=was.missed,
                missed_now=now.missed,
                false=was.false,
                false_now=now.false,
                misnamed=was.misnamed,
                misnamed_now=now.misnamed,
                off=f"{was.centre_px:.2f}",
                off_now=f"{now.centre_px:.2f}",
            )
        ),
        str(
            sentence(
                "terminal.room_rendered",
                balls=old.balls,
                found=old.found,
                found_now=new.found,
                false=old.false,
                false_now=new.false,
                colours=old.colours_right,
                colours_now=new.colours_right,
                streaks=old.streaks,
                streaks_found=old.streaks_found,
                streaks_now=new.streaks_found,
            )
        ),
    ]
    return lines if verdict.better else [*lines, _why_not(verdict)]


def _why_not(verdict: Verdict) -> str:
    """Why the network in use stays, in a sentence with the figures that decide it."""
    was, now = verdict.before, verdict.after
    figures: dict[str, object] = {"errors": was.errors, "errors_now": now.errors}
    if verdict.reason == "short":
        figures = {"blocks": verdict.blocks, "least": LEAST_BLOCKS}
    elif verdict.reason == "chance":
        figures |= {"chance": f"{verdict.chance:.2g}", "most": CHANCE}
    elif verdict.reason == "strokes":
        figures = {"strokes": verdict.strokes[0], "strokes_now": verdict.strokes[1]}
    elif verdict.reason == "worse_centre":
        figures = {"off": f"{was.centre_px:.2f}", "off_now": f"{now.centre_px:.2f}", "most": CENTRE_PX}
    return str(sentence(f"terminal.room_no_{verdict.reason}", **figures))
