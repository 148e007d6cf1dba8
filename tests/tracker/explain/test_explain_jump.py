"""A cue-ball that passes over a ball: that one stays, and what the way goes on to is the first contact."""

from __future__ import annotations

import pytest
from explain_lab.scenes import after, film, rolling, still
from explain_lab.weights import CERTAIN, first_contact_weights

from calibration.table.specs import SNOOKER_TABLE
from tracker.explain.solver import Explanation, solve

BALL_MM = SNOOKER_TABLE.ball_diameter_mm
RED_Y_MM, BLUE_Y_MM = 1100.0, 1800.0


def past_the_red(speed_mm_s: float, aside_mm: float, unseen_mm: float = 0.0) -> tuple[Explanation, ...]:
    """The white from (0, 500) up the table by a red `aside_mm` beside its line, and full into the blue; it is
    not seen within `unseen_mm` of the red.
    """
    white = rolling(0.0, 500.0, 0.0, speed_mm_s, 0.4)

    def y_mm(t_s: float) -> float:
        place = white(t_s)
        assert place is not None
        return place[1]

    hit_s = next(t for k in range(4000) if y_mm(t := 0.4 + k * 5e-4) >= BLUE_Y_MM - BALL_MM)
    stop = rolling(0.0, y_mm(hit_s), 0.0, 0.05 * speed_mm_s, hit_s)
    balls = {
        "white": after(white, hit_s, stop),
        "red_1": still(aside_mm, RED_Y_MM),
        "blue": rolling(0.0, BLUE_Y_MM, 0.0, 0.8 * speed_mm_s, hit_s),
    }

    def hidden(ball: str, t_s: float) -> bool:
        return ball == "white" and 0.4 < t_s < hit_s and abs(y_mm(t_s) - RED_Y_MM) < unseen_mm

    return solve(film(balls, until_s=2.2, hidden=hidden), SNOOKER_TABLE)


@pytest.mark.parametrize("speed_mm_s", [1500.0, 3000.0, 5000.0])
@pytest.mark.parametrize("aside_mm", [10.0, 30.0])
@pytest.mark.parametrize("unseen_mm", [40.0, 120.0])
def test_the_way_leads_over_the_ball_that_stays(speed_mm_s: float, aside_mm: float, unseen_mm: float) -> None:
    found = past_the_red(speed_mm_s, aside_mm, unseen_mm)
    (said, weight), *_ = first_contact_weights(found)
    assert said is not None and said[0] == "blue" and weight > CERTAIN
    names = [{s.key: s.name for s in e.stories} for e in found]
    over = sum(e.weight for e, n in zip(found, names, strict=True) if [n[k] for k in e.over] == ["red"])
    assert over > 0.9


@pytest.mark.parametrize("aside_mm", [BALL_MM + 1.0, 60.0, 90.0])
def test_a_ball_that_is_passed_is_not_jumped(aside_mm: float) -> None:
    assert not any(e.over for e in past_the_red(2000.0, aside_mm, 40.0))
