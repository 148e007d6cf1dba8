"""A stroke is told as each of its explanations has it, and what is seen later weighs the explanations."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from script import Scene

from calibration.table.pieces import SNOOKER, colour_of
from calibration.table.specs import SNOOKER_TABLE as TABLE
from referee.facts.corrections import Correction
from referee.facts.seen import SeenExplanation, SeenStroke
from referee.match.accounts import accounts, first_contacts, or_fell, reweighed
from referee.match.later import lies_so
from referee.match.priors import PLACED_UNSEEN, STILL_HIDDEN
from referee.match.snooker.intake import stroke_seen

BALLS = ("red_1", "red_2", "blue", "pink")


def whole(weight: float, first: str | None, *fell: str) -> SeenExplanation:
    pots = tuple((ball, "TR", 7.0 + k) for k, ball in enumerate(fell))
    fate = "pocketed" if "white" in fell else "on_table"
    return SeenExplanation(weight, first, True, 6.5, pots, fate, (), ())  # type: ignore[arg-type]


def told(*explanations: SeenExplanation) -> SeenStroke:
    scale = sum(e.weight for e in explanations)
    found = tuple(replace(e, weight=e.weight / scale) for e in explanations)
    return replace(stroke_seen(Scene().stroke("red_1"), TABLE), explanations=found)


some = st.builds(
    lambda weight, first, fell: whole(weight, first, *fell),
    st.floats(0.01, 1.0),
    st.sampled_from((None, *BALLS)),
    st.lists(st.sampled_from((*BALLS, "white")), unique=True, max_size=3),
)


@given(st.lists(some, min_size=1, max_size=8))
def test_accounts_say_what_explanations_say_and_weigh_what_they_weigh(found: list[SeenExplanation]) -> None:
    seen = told(*found)

    def said(first: str | None, fell: list[str], down: bool) -> tuple[str, tuple[str, ...], bool]:
        return colour_of(first) if first else "none", tuple(sorted(map(colour_of, fell))), down

    weights: Counter[object] = Counter()
    for e in seen.explanations:
        fell = [b for b, _, _ in e.pots]
        weights[said(e.first_contact, [b for b in fell if b != "white"], "white" in fell)] += e.weight  # type: ignore[assignment]
    own = {
        said(one.first_contact[0].ball, [p.ball for p in one.pots], one.cue_ball == "pocketed"): weight
        for weight, one in accounts(seen, SNOOKER)
    }
    assert own == pytest.approx(dict(weights))
    firsts = {f.ball: f.confidence for f in first_contacts(accounts(seen, SNOOKER))}
    assert sum(firsts.values()) == pytest.approx(1.0)


@given(st.lists(some, min_size=1, max_size=8), st.lists(st.floats(1e-3, 1.0), min_size=8, max_size=8))
def test_what_is_seen_later_changes_weights_as_bayes_has_it(
    found: list[SeenExplanation], likely: list[float]
) -> None:
    seen = told(*found)
    by_weight = dict(zip(seen.explanations, likely, strict=False))
    after = reweighed(seen, lambda e: by_weight[e], SNOOKER)
    whole_weight = sum(e.weight * by_weight[e] for e in seen.explanations)
    for ball in BALLS:
        met = sum(e.weight * by_weight[e] for e in seen.explanations if e.first_contact == ball)
        now = sum(f.confidence for f in after.first_contact if f.ball == ball)
        assert now == pytest.approx(met / whole_weight, abs=1e-5)
    down = sum(e.weight * by_weight[e] for e in seen.explanations if e.cue_ball == "pocketed") / whole_weight
    fell = after.cue_ball_confidence if after.cue_ball == "pocketed" else 1.0 - after.cue_ball_confidence
    assert fell == pytest.approx(down, abs=1e-5)


def test_a_later_layout_is_as_likely_as_balls_are_hidden_or_put_back_unseen() -> None:
    assert lies_so(["red_1"], ["red_1"], []) == lies_so([], [], ["red_1"]) == 1.0
    assert lies_so([], ["red_1"], []) == STILL_HIDDEN
    assert lies_so(["red_2"], [], ["red_1"]) == PLACED_UNSEEN, "reds are alike"
    assert lies_so(["red_2"], ["red_1"], []) == 1.0
    assert lies_so(["blue"], ["red_1"], []) == STILL_HIDDEN, "what fell besides is not what is looked at"


def test_a_ball_that_is_gone_and_falls_in_no_explanation_may_have_fallen() -> None:
    seen = or_fell(told(whole(1.0, "red_1")), ["red_1"], SNOOKER)
    gone = reweighed(seen, lambda e: lies_so([b for b, _, _ in e.pots], ["red_1"], []), SNOOKER)
    weights = {tuple(p.ball for p in one.pots): weight for weight, one in accounts(gone, SNOOKER)}
    assert weights == pytest.approx({("red_1",): 0.9410, (): 0.0590}, abs=1e-4)


def test_a_missing_ball_is_met_in_place_of_none_only() -> None:
    seen = told(whole(0.7, "red_1"), whole(0.3, None))
    found = accounts(seen, SNOOKER, missing={"brown": (0.2, 0.25)})
    weights = {(one.first_contact[0].ball, tuple(p.ball for p in one.pots)): weight for weight, one in found}
    assert weights == pytest.approx(
        {("red_1", ()): 0.7, (None, ()): 0.24, ("brown", ()): 0.045, ("brown", ("brown",)): 0.015}
    )


def test_an_answer_picks_the_accounts_that_agree_with_it() -> None:
    """The blue was hit and fell, or the red was hit and nothing fell: who says "blue" says what fell too."""
    seen = told(whole(0.6, "red_1"), whole(0.4, "blue", "blue"))
    found = accounts(seen, SNOOKER, Correction(1, first_contact=("blue",)))
    assert all(one.first_contact[0].ball == "blue" for _, one in found)
    assert found[0][1].pots[0].ball == "blue" and found[0][0] > 0.9
    few = told(whole(0.999, "red_1"), whole(0.001, "blue", "blue"))
    (nothing, none), (_, fell) = accounts(few, SNOOKER, Correction(1, first_contact=("blue",)))
    assert none.pots == () and nothing > 0.9 and fell.pots, "what hardly any says is not believed whole"


def test_the_second_of_two_reds_fell_where_two_fell() -> None:
    seen = told(whole(0.8, "red_1", "red_1"), whole(0.2, "red_1", "red_1", "red_2"))
    pots = stroke_seen(Scene().stroke("red_1", {"red_1": 1.0, "red_2": 0.2}), TABLE).pots
    after = reweighed(replace(seen, pots=pots), lambda e: 1.0, SNOOKER)
    assert [p.confidence for p in after.pots] == pytest.approx([1.0, 0.2])
