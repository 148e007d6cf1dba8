"""Simulated strokes obey the simplest physics, and a clip's truth agrees with itself and with the
pictures.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from calibration.errors import UnusableInput
from calibration.table.specs import SNOOKER_TABLE
from vision.render.clip import ClipOptions, check_options, make_clip
from vision.render.film import changed_balls
from vision.render.play.match import judge
from vision.render.play.physics import GRAVITY_MM_S2, ROLL, Flight, Stroke, simulate
from vision.render.scene import Ball

TABLE = SNOOKER_TABLE
D = TABLE.ball_diameter_mm


def test_a_rolling_ball_stops_after_v_squared_over_2_mu_g() -> None:
    flight = simulate({"white": (0.0, 500.0)}, Stroke(math.pi / 2, 600.0, 1.0), TABLE)
    run = flight.xy_mm[-1, 0, 1] - 500.0
    assert run == pytest.approx(600.0**2 / (2 * ROLL * GRAVITY_MM_S2), rel=0.02)


def test_a_ball_struck_without_spin_slides_then_rolls_at_five_sevenths() -> None:
    flight = simulate({"white": (0.0, 300.0)}, Stroke(math.pi / 2, 2000.0), TABLE)
    k = int(np.searchsorted(flight.t_s, 2 * 2000 / (7 * 0.20 * GRAVITY_MM_S2)))
    speed = (flight.xy_mm[k + 5, 0, 1] - flight.xy_mm[k, 0, 1]) / (flight.t_s[k + 5] - flight.t_s[k])
    assert speed == pytest.approx(2000 * 5 / 7, rel=0.02)


def test_full_contact_comes_when_the_centres_are_one_diameter_apart() -> None:
    flight = simulate({"white": (0.0, 500.0), "red_01": (0.0, 1500.0)}, Stroke(math.pi / 2, 3000.0), TABLE)
    a, b, t = flight.contacts[0]
    assert {a, b} == {"white", "red_01"}
    assert flight.at(t)[0, 1] == pytest.approx(1500.0 - D, abs=1.5)
    # equal masses: nearly all of the speed goes to the red
    later = flight.at(t + 0.01)
    assert later[1, 1] - 1500.0 > 5 * (later[0, 1] - (1500.0 - D))


def test_a_ball_turns_one_radius_from_the_nose() -> None:
    flight = simulate({"white": (300.0, 1000.0)}, Stroke(0.0, 1500.0, 1.0), TABLE)
    assert np.nanmax(flight.xy_mm[:, 0, 0]) == pytest.approx(
        TABLE.half_width_mm - TABLE.ball_radius_mm, abs=1.6
    )
    assert flight.cushions and flight.cushions[0][0] == "white"


def test_a_ball_rolled_into_a_corner_is_potted_there() -> None:
    flight = simulate({"white": (489.0, 3169.0)}, Stroke(math.pi / 4, 1500.0, 1.0), TABLE)
    assert [(b, p) for b, p, _ in flight.pots] == [("white", "TR")]
    assert np.isnan(flight.xy_mm[-1, 0]).all()


def _flight(contact: str | None, pots: tuple[str, ...]) -> Flight:
    contacts = () if contact is None else (("white", contact, 0.5),)
    return Flight(
        ("white",), np.zeros(1), np.zeros((1, 1, 2)), contacts, (), tuple((b, "TL", 1.0) for b in pots), 1.0
    )


@pytest.mark.parametrize(
    ("on", "nominated", "contact", "pots", "expected"),
    [
        ("red", None, "red_01", ("red_01",), (False, 0, 1)),
        ("red", None, "blue", (), (True, 5, 0)),  # 10(b): the higher of the values concerned, at least 4
        ("red", None, None, (), (True, 4, 0)),
        ("red", None, "red_01", ("white",), (True, 4, 0)),
        ("colour", "black", "black", ("black",), (False, 0, 7)),
        ("colour", "pink", "black", (), (True, 7, 0)),
        ("colour", "yellow", "yellow", ("black",), (True, 7, 0)),
    ],
)
def test_clip_scoring(
    on: str,
    nominated: str | None,
    contact: str | None,
    pots: tuple[str, ...],
    expected: tuple[bool, int, int],
) -> None:
    assert judge(_flight(contact, pots), on, nominated) == expected


def test_a_short_clip_agrees_with_its_truth(tmp_path: Path) -> None:
    import av

    path = tmp_path / "clip.mp4"
    script = make_clip(path, ClipOptions(strokes=1, seed=3, width=480, height=270, fps=10, reds=2))
    truth = json.loads((tmp_path / "clip.json").read_text(encoding="utf-8"))
    with np.load(tmp_path / "clip.frames.npz") as z:
        times, names, xy = z["t"], [str(n) for n in z["names"]], z["xy"]
    with av.open(str(path)) as clip:
        assert sum(1 for _ in clip.decode(video=0)) == len(times)
    stroke = truth["events"][0]
    assert stroke["type"] == "stroke" and len(xy) == len(times)
    before = {n: p for n, p in zip(names, xy[0], strict=True) if not np.isnan(p[0])}
    assert {n: pytest.approx(p, abs=1e-6) for n, p in stroke["start"].items()} == {
        n: tuple(p) for n, p in before.items()
    }
    assert stroke["t_rest"] <= script.end_s
    (pot,) = stroke["pots"]  # the first stroke of a clip pots a ball
    ball, _, potted_s = pot
    assert ball.startswith("red") and stroke["t_strike"] < potted_s <= stroke["t_rest"]
    assert np.isnan(xy[np.searchsorted(times, potted_s) + 1 :, names.index(ball)]).all()
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "clip.calls.jsonl",
        "clip.frames.npz",
        "clip.json",
        "clip.mp4",
    ]


def test_options_that_cannot_be_used_are_refused_in_one_sentence() -> None:
    with pytest.raises(UnusableInput, match="--cloth"):
        check_options(ClipOptions(cloth="plaid"))
    with pytest.raises(UnusableInput, match="--width"):
        check_options(ClipOptions(width=13))


def test_what_changed_comes_in_the_pictures_order_whatever_the_hash_of_a_ball_is() -> None:
    # a piece is drawn with the generator's next numbers: another order of pieces would be another clip
    before = tuple(Ball("red", 10.0 * n, 0.0) for n in range(8))
    now = (*before[:2], *(Ball("red", 10.0 * n, 5.0) for n in range(6)))
    assert changed_balls(before, now) == [*before[2:], *now[2:]]
    assert changed_balls(before, before) == []
