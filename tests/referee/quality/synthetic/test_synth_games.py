"""Clips of every game begin with the game's rack, and their truth is what the simulation played."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from calibration.errors import UnusableInput
from calibration.table.board import CarromBoard
from referee.cli import main
from referee.quality.synthetic.facts import facts_of
from referee.quality.synthetic.start import GAMES, film, game_start, six_red_layout
from referee.review.declared import review_declared
from referee.rules.common import racks
from vision.render.clip import ClipOptions
from vision.render.play.director import HandEvent, StrokeEvent, write_script
from vision.render.play.game import GameStart, StartBall, ball_looks, game_script
from vision.render.play.match import kind
from vision.render.play.physics import simulate

OTHERS = [g for g in GAMES if g not in ("snooker", "six_red")]


@pytest.mark.parametrize("game", OTHERS)
def test_the_clip_begins_with_the_rack_and_a_break(game: str) -> None:
    rack = racks.rack(game, 5)
    start = game_start(rack)
    script = game_script(np.random.default_rng(5), start, 2, 5)
    up = rack.surface.half_mm if isinstance(rack.surface, CarromBoard) else 0.0
    first = script.layout(0.0)
    assert len(first) == len(rack.balls) + 1
    for ball in rack.balls:
        assert first[ball.ball if game != "carrom" else ball.ball.replace("_", "-")] == (
            ball.x_mm,
            ball.y_mm + up,
        )
    if game != "wpa_14_1_rerack":
        facts = facts_of(game, script)  # the game's own engine takes what was simulated
        assert facts[0]["by"] == "A" and facts[0]["start_s"] == 2.0
    strokes = [e.played for e in script.events if isinstance(e, StrokeEvent)]
    assert len(strokes) == 2 and all(p.first_contact for p in strokes)
    assert set(ball_looks(start)) == {kind(n) for n in first}
    for a, b in pairwise(strokes):
        gone = {n for n, _, _ in a.flight.pots} - {n for n, _, _ in start.respots} - {"white"}
        assert set(b.start) == set(a.start) - gone


@pytest.mark.parametrize("game", ["wpa_8ball", "wpa_9ball", "blackball", "carrom"])
def test_a_break_opens_the_rack(game: str) -> None:
    rack = racks.rack(game, 2)
    script = game_script(np.random.default_rng(2), game_start(rack), 1, 2)
    event = script.events[0]
    assert isinstance(event, StrokeEvent)
    moved = [n for n, p in event.played.end.items() if math.dist(p, event.played.start[n]) > rack.diameter_mm]
    assert len(moved) > len(rack.balls) / 2


def test_the_lowest_ball_is_aimed_at_and_the_striker_of_carrom_is_lifted_and_set_down() -> None:
    nine = game_script(np.random.default_rng(1), game_start(racks.rack("wpa_9ball", 1)), 4, 1)
    played = [e.played for e in nine.events if isinstance(e, StrokeEvent)][1:]
    lowest = [str(min(int(n) for n in p.start if n.isdigit())) for p in played]
    assert (
        sum(
            p.first_contact is not None and p.first_contact[0] == n
            for p, n in zip(played, lowest, strict=True)
        )
        >= 2
    )
    start = game_start(racks.rack("carrom", 1))
    carrom = game_script(np.random.default_rng(1), start, 2, 1)
    hands = [e for e in carrom.events if isinstance(e, HandEvent)]
    assert [h.lifts for h in hands] == [True, False] * 2 and all(h.ball == "white" for h in hands)
    length = start.table.length_mm
    for hand in hands[1::2]:
        assert hand.to[1] in (start.cue_mm[1], length - start.cue_mm[1])  # the lines of who is next
        here = carrom.layout(hand.t - 0.5)
        assert "white" not in here and carrom.layout(hand.t + 1e-6)["white"] == hand.to


def test_six_red_is_a_snooker_clip_from_the_rack() -> None:
    rack = racks.rack("six_red")
    layout = six_red_layout(rack)
    assert sorted(n for n in layout if n.startswith("red")) == [f"red_{k:02d}" for k in range(1, 7)]
    script = write_script(
        np.random.default_rng(2), ClipOptions().table, [(False, "")], 6, 2, simulate, layout
    )
    event = script.events[0]
    assert isinstance(event, StrokeEvent) and event.played.start == layout and event.played.on == "red"


def test_a_small_clip_and_its_truth(tmp_path: Path) -> None:
    out = tmp_path / "eight.mp4"
    script = film("wpa_8ball", out, ClipOptions(strokes=1, seed=3, width=320, height=180, fps=10), simulate)
    truth = json.loads(out.with_suffix(".json").read_text())
    stroke = truth["events"][0]
    assert stroke["foul"] is None and stroke["points"] is None and stroke["on"] is None  # nobody judged it
    assert stroke["first_contact"][0] in stroke["start"] and truth["table"]["length_mm"] == 2540.0
    with np.load(tmp_path / "eight.frames.npz") as z:
        assert z["xy"].shape == (int(script.end_s * 10), 16, 2)
    assert out.stat().st_size > 5000
    # video, facts and rules meet: the clip is reviewed from its own facts
    match = review_declared(tmp_path / "eight.facts.jsonl", "wpa_8ball", tmp_path / "match", out)
    assert match["video"]["images"] > 0 and match["strokes"][0]["start_s"] == stroke["t_strike"]
    assert [p["ball"] for p in match["strokes"][0]["potted"]] == [
        b for b, _, _ in stroke["pots"] if b != "white"
    ]


def test_names_and_colours_are_checked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = ClipOptions().table
    with pytest.raises(ValueError, match="names of their own"):
        GameStart(table, (StartBall("white", "red", 0.0, 900.0),), (0.0, 500.0))
    with pytest.raises(ValueError, match="colours must be among"):
        GameStart(table, (StartBall("1", "mauve", 0.0, 900.0),), (0.0, 500.0))
    with pytest.raises(UnusableInput):
        film("wpa_9ball", tmp_path / "x.mp4", ClipOptions(strokes=0), simulate)
    with pytest.raises(SystemExit) as ended:
        main(["synth", str(tmp_path / "x.mp4"), "--game", "darts"])
    assert ended.value.code == 2 and "--game: expected one of snooker, six_red" in capsys.readouterr().err
