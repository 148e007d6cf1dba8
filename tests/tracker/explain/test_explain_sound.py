"""What is heard weighs explanations by when something is struck in them, whatever the lag."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from explain_lab.scenes import after, film, rolling, still
from hypothesis import given
from hypothesis import strategies as st

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.events import StrokeRecord
from tracker.explain.interactions import Interaction
from tracker.explain.solver import Explanation
from tracker.explain.sound import Hearing, hearing

SIGMA_S = 0.004


def struck(weight: float, *times: float) -> Explanation:
    """An explanation in which something is struck at these times."""
    met = tuple(Interaction("contact", (0, k + 1), t, SIGMA_S, None) for k, t in enumerate(times))
    return Explanation(weight, (), met, ())


def weights(heard: Hearing, found: Sequence[Explanation]) -> list[float]:
    """In the order given."""
    by_times = {e.interactions: e.weight for e in heard.weighed(found)}
    return [by_times[e.interactions] for e in found]


def heard_at(*clicks: float) -> Hearing:
    found = hearing(clicks, 10.0)
    assert found is not None
    return found


@pytest.mark.parametrize("lag_s", [-0.08, 0.0, 0.03, 0.18])
def test_of_two_explanations_the_one_whose_contacts_are_heard_is_likelier(lag_s: float) -> None:
    true, false = struck(0.5, 3.0, 3.4), struck(0.5, 3.0, 3.33)
    a, b = weights(heard_at(3.0 + lag_s, 3.4 + lag_s), [true, false])
    assert a > 0.9 and math.isclose(a + b, 1.0)


def test_the_lag_is_learned_and_tells_one_contact_from_none_heard_there() -> None:
    heard = heard_at(1.06, 1.56, 5.06, 5.46, 9.06)
    for first, second in ((1.0, 1.5), (5.0, 5.4)):
        heard.learn([struck(1.0, first, second)])
    a, b = weights(heard, [struck(0.5, 9.0), struck(0.5, 9.03)])
    assert a > 0.9 > 0.1 > b


def test_one_click_is_not_heard_of_two_contacts() -> None:
    """A second contact 20 ms on explains nothing more."""
    heard = heard_at(3.05)
    a, b = weights(heard, [struck(0.5, 3.0), struck(0.5, 3.0, 3.02)])
    assert a > b


def test_a_microphone_that_hears_no_table_tells_nothing() -> None:
    heard = heard_at(0.7, 9.7)
    for k in range(6):
        heard.learn([struck(1.0, 1.5 + k, 1.9 + k)])
    a, b = weights(heard, [struck(0.6, 8.0), struck(0.4, 8.0, 8.4)])
    assert a == pytest.approx(0.6, abs=0.06) and a + b == pytest.approx(1.0)


@given(
    st.lists(st.floats(0.0, 10.0), min_size=1, max_size=8),
    st.lists(st.floats(0.01, 1.0), min_size=1, max_size=5),
    st.floats(0.5, 1.0),
)
def test_weights_keep_their_sum_and_their_explanations(
    clicks: list[float], shares: list[float], total: float
) -> None:
    found = [struck(total * w / sum(shares), 2.0, 2.3 + 0.1 * k) for k, w in enumerate(shares)]
    said = heard_at(*clicks).weighed(found)
    assert math.isclose(sum(e.weight for e in said), total, rel_tol=1e-6)
    assert {e.interactions for e in said} == {e.interactions for e in found}
    assert [e.weight for e in said] == sorted((e.weight for e in said), reverse=True)


def test_what_nothing_strikes_stays_as_it_is() -> None:
    found = [struck(0.7), struck(0.3)]
    assert heard_at(1.0).weighed(found) == tuple(found)
    assert hearing((), 10.0) is None


def test_a_tracker_that_listens_says_what_was_heard() -> None:
    """And one without sound says nothing of it."""
    white = rolling(0.0, 500.0, 0.0, 1500.0, 0.8)
    hit = white(1.2)
    assert hit is not None
    red = rolling(0.0, hit[1] + SNOOKER_TABLE.ball_diameter_mm, 0.0, 1300.0, 1.2, until_s=9.0)
    balls = {"white": after(white, 1.2, still(*hit)), "red_1": red, "blue": still(300.0, 2500.0)}
    for clicks in ((), (0.85, 1.25)):
        tracker = Tracker(SNOOKER_TABLE)
        tracker.listen(clicks, 6.0)
        events = [e for image in film(balls, until_s=16.0) for e in tracker.feed(image)] + tracker.close()
        (stroke,) = [e for e in events if isinstance(e, StrokeRecord)]
        assert ("sound" in dict(stroke.explanations[0].nats)) == bool(clicks)
        assert stroke.first_contact[0].ball == "red_1"
