"""A network is written only where it measurably beats the one in use and loses nothing elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.quality.room.verdict import LEAST_BLOCKS, Block, Verdict, chance_of, judge, verdict_lines
from vision.train.detector.room import BlockScore
from vision.train.detector.scores import Scores

RENDERED = Scores(1900, 1870, 130, 115, 100, 1770, 0.37, ())
USED = BlockScore(images=10, balls=100, missed=2, false=4, named=98, misnamed=6, off_px=20.0)


def blocks(score: BlockScore, count: int = 8) -> dict[Block, BlockScore]:
    return {(0, b): score for b in range(count)}


def verdict(after: BlockScore, rendered: Scores = RENDERED, count: int = 8) -> Verdict:
    return judge(blocks(USED, count), blocks(after, count), (RENDERED, rendered))


BETTER = replace(USED, false=0, misnamed=1)


def test_a_network_that_is_better_in_every_stretch_is_taken() -> None:
    found = verdict(BETTER)
    assert found.better and found.chance == pytest.approx(1 / 2**8) and found.blocks == 8
    assert found.before.errors == 96 and found.after.errors == 24


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (USED, "no_gain"),
        (replace(USED, false=5), "no_gain"),
        (replace(USED, misnamed=0, missed=4), "worse_kind"),
        (replace(USED, missed=0, false=0, misnamed=9), "worse_kind"),
        (replace(BETTER, off_px=30.0), "worse_centre"),
    ],
)
def test_a_network_that_is_worse_is_refused(after: BlockScore, reason: str) -> None:
    assert verdict(after).reason == reason


@pytest.mark.parametrize(
    "lost",
    [
        {"found": 1860},
        {"streaks_found": 109},
        {"false": 117},
        {"colours_right": 1750},
        {"centre_px": 0.41},
    ],
)
def test_a_network_that_forgets_other_tables_is_refused(lost: dict[str, float]) -> None:
    assert verdict(BETTER, replace(RENDERED, **lost)).reason == "forgets"  # type: ignore[arg-type]


def test_too_few_stretches_decide_nothing() -> None:
    assert verdict(BETTER, count=LEAST_BLOCKS - 1).reason == "short"


def test_a_gain_in_one_stretch_alone_may_be_chance() -> None:
    after = blocks(USED) | {(0, 3): replace(USED, false=0, misnamed=0)}
    found = judge(blocks(USED), after, (RENDERED, RENDERED))
    assert found.reason == "chance" and found.chance == 0.5


def test_chance_is_the_share_of_signs_that_gain_as_much() -> None:
    assert chance_of([0.0, 0.0]) == 1.0
    assert chance_of([1.0] * 5) == pytest.approx(1 / 32)
    assert chance_of([1.0, 1.0, -1.0]) == pytest.approx(4 / 8)
    assert chance_of([1.0] * 30) < 1e-3


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (verdict(USED), "makes 96 errors on what was held back, the adapted one 96"),
        (verdict(replace(BETTER, off_px=30.0)), "0.31 px off for 0.20"),
        (verdict(BETTER, replace(RENDERED, found=1860)), "loses more than is allowed"),
        (verdict(BETTER, count=3), "3 stretches of time could be held back, 6 are needed"),
    ],
)
def test_a_refusal_is_one_sentence_with_its_figures(found: Verdict, said: str) -> None:
    last = verdict_lines(found)[-1]
    assert said in last and last.endswith("nothing was written") and len(verdict_lines(found)) == 3


def test_what_is_better_needs_no_reason() -> None:
    assert len(verdict_lines(verdict(BETTER))) == 2
