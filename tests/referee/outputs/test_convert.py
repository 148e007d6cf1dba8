"""Facts of a stroke as the match file's."""

from __future__ import annotations

from dataclasses import replace

from calibration.table.games import PIECES
from calibration.table.specs import SNOOKER_TABLE, WPA_TABLE
from referee.console.change_bodies import MissedBody, missed_stroke
from referee.facts.calls import Start
from referee.match.referee import Referee
from referee.outputs.convert import stroke_json
from referee.outputs.document import cue_ball_of
from referee.outputs.stills import moments_of
from referee.outputs.tracks import BallPath
from tests.support.game_script import GameScript, spread


def test_times_solved_to_lie_before_the_first_image_are_that_images() -> None:
    """A clip that begins as the cue-ball leaves: the schema knows no time below zero."""
    balls = {"cue": (0.0, 400.0), **spread(WPA_TABLE, [str(n) for n in range(1, 10)])}
    stroke = GameScript("wpa_9ball", WPA_TABLE, balls).stroke("1", rails=["1"])
    early = 0.002 + max(stroke.start_s, *(x.t_s for x in (*stroke.contacts, *stroke.cushions)))
    referee = Referee(WPA_TABLE, Start("A", None, (0, 0), assumed=False), game="wpa_9ball")
    referee.feed(
        replace(
            stroke,
            start_s=stroke.start_s - early,
            contacts=tuple(replace(c, t_s=c.t_s - early) for c in stroke.contacts),
            cushions=tuple(replace(c, t_s=c.t_s - early) for c in stroke.cushions),
        )
    )
    referee.close()
    (judged,) = referee.match.strokes
    written = stroke_json(judged)
    times = [written["start_s"], *(x["t_s"] for x in (*written["contacts"], *written["cushions"]))]
    assert written["contacts"] and written["cushions"] and set(times) == {0.0}


def test_the_ball_that_was_struck_is_either_white_of_billiards() -> None:
    # billiards 1.2: each player has a cue-ball of his own
    script = GameScript(
        "english_billiards",
        SNOOKER_TABLE,
        {"white": (0.0, 1000.0), "yellow": (500.0, 2000.0), "red": (0.0, 2600.0)},
    )
    referee = Referee(SNOOKER_TABLE, Start("A", None, assumed=False), game="english_billiards")
    for cue in ("white", "yellow"):
        referee.feed(script.stroke("red", cue=cue))
    referee.close()
    strokes = [stroke_json(s) for s in referee.match.strokes]
    assert [cue_ball_of(s) for s in strokes] == ["white", "yellow"]
    paths = {
        ball: BallPath(ball, (0.0, 1e3), (at, at), ("rest", "rest"))
        for ball, at in {"white": (1.0, 1.0), "yellow": (2.0, 2.0)}.items()
    }
    places = [moments_of(s, SNOOKER_TABLE, paths)[1].at_mm for s in strokes]
    assert places == [(1.0, 1.0), (2.0, 2.0)]


def test_a_cue_ball_that_fell_in_a_missed_stroke_lies_there_no_more() -> None:
    balls = {"cue": (0.0, 400.0), **spread(WPA_TABLE, [str(n) for n in range(1, 10)])}
    before = GameScript("wpa_9ball", WPA_TABLE, balls).stroke("1")
    referee = Referee(WPA_TABLE, Start("A", None, assumed=False), game="wpa_9ball")
    referee.feed(before)
    referee.close()
    seen = referee.match.strokes[0].seen
    told = MissedBody(who="Bo", start_s=100.0, end_s=101.0, first_contact="1", cue_ball="pocketed")
    made = missed_stroke(told, seen, None, PIECES["wpa_9ball"])
    assert "cue" in {b.colour for b in made.before}
    assert "cue" not in {b.colour for b in made.after}
